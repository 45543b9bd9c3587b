// info.hpp — what this program was built with and runs on, for reports of faults.
#pragma once

namespace heed {

/// Prints version, compiler, flags, processor, engine of products and its kernels, threads, and whether products are
/// right on this machine. Returns 1 when they are not: the kernels that were chosen do not fit the processor.
int info_command();

}  // namespace heed
