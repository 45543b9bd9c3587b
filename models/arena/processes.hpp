// processes.hpp — programs side by side, each in a process of its own, read line by line.
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "tensor/real.hpp"

namespace HEED_NAMESPACE {

/// Runs `program` once with each list of arguments, at most `slots` at a time, in order. `line` hears what each writes
/// to standard output; `end` hears how it ended: exit code, or 128 and the signal. When `stop` is no longer 0, those
/// that run are ended and no more are started; returns false then. Throws Error when a process cannot be made.
bool run_side_by_side(const std::string& program, const std::vector<std::vector<std::string>>& jobs, std::size_t slots,
                      const std::function<void(std::size_t job, const std::string& text)>& line,
                      const std::function<void(std::size_t job, int code)>& end, const std::atomic<int>& stop);

/// The file of the running program; `otherwise` where the system does not say.
std::string own_program(const std::string& otherwise);

}  // namespace HEED_NAMESPACE
