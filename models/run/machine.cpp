#include "models/run/machine.hpp"

#include <fstream>

namespace heed {

std::string cpu_name() {
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);)
    if (std::size_t colon = line.find(": "); line.starts_with("model name") && colon != line.npos)
      return line.substr(colon + 2);
  return "unknown";
}

}  // namespace heed
