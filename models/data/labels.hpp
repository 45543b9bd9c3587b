// labels.hpp — classes by name, as files have them.
#pragma once

#include <functional>
#include <map>

#include "models/data/example.hpp"
#include "models/data/input.hpp"

namespace HEED_NAMESPACE {

/// All the classes there are for a reader that reads for `like`; none: those that it finds.
inline std::vector<std::string> classes_of(const ExampleSet* like) {
  return like ? like->classes : std::vector<std::string>{};
}

/// Numbers the names of classes: those of a set that is there already, or those found, in the order of their bytes.
class Labels {
 public:
  /// `given` are all the classes there are; none: they are to be found.
  explicit Labels(const std::vector<std::string>& given = {});

  /// The number of `name`, for now. Throws a Fault when it is not among the classes given.
  int id(std::string_view name);
  /// Sets the classes of `set` and the final numbers of its targets, which were numbers for now.
  void finish(ExampleSet& set) const;

 private:
  std::map<std::string, int, std::less<>> ids_;
  bool open_;
};

}  // namespace HEED_NAMESPACE
