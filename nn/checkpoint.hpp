// checkpoint.hpp — named tensors in a safetensors file: 8 bytes of header length, a JSON header, row-major numbers.
//
// Written under a temporary name, flushed, then renamed: the path always holds a complete old or new file. The reader
// trusts nothing. The format is read by the `safetensors` library of Python.
#pragma once

#include <map>
#include <string>

#include "nn/optim/optimizer.hpp"

namespace HEED_NAMESPACE {

/// What a file holds.
struct Checkpoint {
  std::vector<NamedTensor> tensors;             ///< in the order of the file
  std::map<std::string, std::string> metadata;  ///< text by name

  /// The tensor of that name. Throws Error when there is none.
  const Tensor& at(const std::string& name) const;
};

/// Writes `checkpoint` to `path`. Views are written as their own elements, row-major. Throws Error when the disk
/// refuses; the old file is then untouched and no temporary file is left.
void save_checkpoint(const std::string& path, const Checkpoint& checkpoint);

/// Reads a file of F32 or F64 tensors (converted to `real`). Throws Error with the path, what was expected and what was
/// found, when the file is missing, cut short, too long, or not safetensors.
Checkpoint load_checkpoint(const std::string& path);

/// The parameters by name, to save; tied parameters once.
std::vector<NamedTensor> named_values(const std::vector<Parameter>& parameters);

/// Copies tensors into the parameters of the same names; all or nothing. Other tensors of the checkpoint are ignored.
/// Throws Error when one is missing or has another shape.
void assign(const std::vector<Parameter>& parameters, const Checkpoint& checkpoint);

}  // namespace HEED_NAMESPACE
