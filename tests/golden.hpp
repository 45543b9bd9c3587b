// golden.hpp — reads the numbers that tests/golden/make_goldens.py wrote with PyTorch.
//
// Files lie in $HEED_GOLDEN, else in tests/golden below the current directory. One entry a line: `name sizes... :
// numbers...`; `case.x` is an input, `case.y` the result, `case.dy` its gradient, `case.dx` the gradient of the input.
#pragma once

#include <cstdlib>
#include <fstream>
#include <functional>
#include <map>
#include <sstream>

#include "autograd/var.hpp"
#include "tensor/mask.hpp"
#include "tests/check.hpp"

namespace HEED_NAMESPACE::testing {

/// The entries of one golden file.
class Golden {
 public:
  explicit Golden(const std::string& file) : file_(file) {
    const char* folder = std::getenv("HEED_GOLDEN");
    std::ifstream in((folder ? std::string(folder) : "tests/golden") + "/" + file);
    if (!in) throw std::runtime_error("no golden file " + file + ": run the tests from the root, or set HEED_GOLDEN");
    for (std::string line; std::getline(in, line);) {
      if (line.empty() || line[0] == '#') continue;
      std::istringstream words(line);
      std::string name, word;
      std::vector<Size> sizes;
      Entry entry;
      words >> name;
      while (words >> word && word != ":") sizes.push_back(std::stol(word));
      while (words >> word) entry.values.push_back(std::strtod(word.c_str(), nullptr));
      entry.shape = Shape(sizes);
      entries_[name] = entry;
    }
  }

  bool has(const std::string& name) const { return entries_.count(name) > 0; }
  Tensor operator[](const std::string& name) const { return array(entry(name).shape, entry(name).values); }
  double number(const std::string& name) const { return entry(name).values.at(0); }
  std::vector<int> ints(const std::string& name) const {
    return std::vector<int>(entry(name).values.begin(), entry(name).values.end());
  }
  /// 1 = keep.
  Mask mask(const std::string& name) const {
    return Mask(entry(name).shape, std::vector<std::uint8_t>(entry(name).values.begin(), entry(name).values.end()));
  }

 private:
  struct Entry {
    Shape shape;
    std::vector<double> values;
  };
  const Entry& entry(const std::string& name) const {
    auto found = entries_.find(name);
    if (found == entries_.end()) throw std::runtime_error("no entry " + name + " in golden file " + file_);
    return found->second;
  }

  std::string file_;
  std::map<std::string, Entry> entries_;
};

/// Checks f(inputs) against `name`.y and, going backward from `name`.dy, the gradient of every input against
/// `name`.d<input>.
inline void check_golden(const Golden& golden, const std::string& name, const std::vector<std::string>& inputs,
                         const std::function<Var(const std::vector<Var>&)>& f, double tol = loose) {
  CAPTURE(name);
  std::vector<Var> leaves;
  for (const std::string& input : inputs) leaves.push_back(Var::parameter(golden[name + "." + input]));
  Var y = f(leaves);
  CHECK(close(y.value(), golden[name + ".y"], tol));
  y.backward(golden[name + ".dy"]);
  for (std::size_t i = 0; i < inputs.size(); i++) {
    CAPTURE(inputs[i]);
    CHECK(close(leaves[i].grad(), golden[name + ".d" + inputs[i]], tol));
  }
}

}  // namespace HEED_NAMESPACE::testing
