#include "models/arena/processes.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <list>

#include "tensor/error.hpp"

namespace HEED_NAMESPACE {

namespace {

// A running program and the end of the pipe that it writes to.
class Child {
 public:
  Child(const std::string& program, std::vector<std::string> arguments, std::size_t job) : job_(job) {
    int ends[2];
    check(pipe2(ends, O_CLOEXEC) == 0, "arena", "cannot make a pipe: ", std::strerror(errno));
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    std::string name = program;
    std::vector<char*> words{name.data()};
    for (std::string& each : arguments) words.push_back(each.data());
    words.push_back(nullptr);
    int error = posix_spawn(&process_, program.c_str(), &actions, nullptr, words.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    ::close(ends[1]);
    from_ = ends[0];
    if (error) ::close(from_);
    check(!error, "arena", "cannot start ", program, ": ", std::strerror(error));
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() {
    ::close(from_);
    if (!process_) return;
    ::kill(process_, SIGKILL);
    wait();
  }

  std::size_t job() const { return job_; }
  int descriptor() const { return from_; }
  // Passes on the lines that are there; false at the end.
  bool read(const std::function<void(std::size_t, const std::string&)>& line) {
    char some[4096];
    ssize_t count = ::read(from_, some, sizeof some);
    if (count < 0 && errno == EINTR) return true;
    if (count <= 0) return false;
    text_.append(some, static_cast<std::size_t>(count));
    for (std::size_t end; (end = text_.find('\n')) != text_.npos; text_.erase(0, end + 1))
      line(job_, text_.substr(0, end));
    return true;
  }
  int wait() {
    int status = 0;
    while (waitpid(process_, &status, 0) < 0 && errno == EINTR) {
    }
    process_ = 0;
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  }

 private:
  std::size_t job_;
  pid_t process_ = 0;
  int from_ = -1;
  std::string text_;
};

}  // namespace

bool run_side_by_side(const std::string& program, const std::vector<std::vector<std::string>>& jobs, std::size_t slots,
                      const std::function<void(std::size_t, const std::string&)>& line,
                      const std::function<void(std::size_t, int)>& end, const std::atomic<int>& stop) {
  constexpr int patience = 100;  // milliseconds from one look at `stop` to the next
  std::list<Child> running;
  for (std::size_t next = 0; next < jobs.size() || !running.empty();) {
    if (stop) return false;  // and the children go
    while (next < jobs.size() && running.size() < slots) {
      running.emplace_back(program, jobs[next], next);
      next++;
    }
    std::vector<pollfd> waiting;
    for (const Child& child : running) waiting.push_back({child.descriptor(), POLLIN, 0});
    if (::poll(waiting.data(), waiting.size(), patience) <= 0) continue;
    std::size_t place = 0;
    for (auto child = running.begin(); child != running.end(); place++) {
      if (!waiting[place].revents || child->read(line)) {
        ++child;
        continue;
      }
      std::size_t job = child->job();
      int code = child->wait();
      child = running.erase(child);
      end(job, code);
    }
  }
  return true;
}

std::string own_program(const std::string& otherwise) {
  std::error_code error;
  std::string path = std::filesystem::read_symlink("/proc/self/exe", error).string();
  return error ? otherwise : path;
}

}  // namespace HEED_NAMESPACE
