// resident.hpp — memory of this process as the system sees it.
#pragma once

#include <sys/resource.h>

#include <fstream>
#include <string>

#include "tensor/real.hpp"

namespace HEED_NAMESPACE::bench {

/// Bytes resident now (VmRSS) or at most so far (VmHWM). Not getrusage where it can be avoided: its maximum starts with
/// that of the program that started this one.
inline long resident([[maybe_unused]] const std::string& field) {
#ifdef __linux__
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with(field)) return std::stol(line.substr(field.size() + 1)) * 1024;
#endif
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

}  // namespace HEED_NAMESPACE::bench
