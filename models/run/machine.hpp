// machine.hpp — the computer that this runs on, for logs and reports.
#pragma once

#include <string>

namespace heed {

/// Name of the processor, as "AMD EPYC 7763"; "unknown" where the system does not say.
std::string cpu_name();

}  // namespace heed
