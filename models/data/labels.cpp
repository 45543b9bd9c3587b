#include "models/data/labels.hpp"

namespace HEED_NAMESPACE {

Labels::Labels(const std::vector<std::string>& given) : open_(given.empty()) {
  for (const std::string& name : given) ids_.emplace(name, static_cast<int>(ids_.size()));
}

int Labels::id(std::string_view name) {
  constexpr std::size_t most = 10000;
  if (name.empty()) fault("the label is empty");
  if (auto found = ids_.find(name); found != ids_.end()) return found->second;
  std::string known;
  for (const auto& [other, id] : ids_)
    if (known.size() < 200) known += " " + other;
  if (!open_) fault("the label ", excerpt(name), " is none of the classes:", known);
  if (ids_.size() == most) fault("more than ", most, " different labels");
  return ids_.emplace(name, static_cast<int>(ids_.size())).first->second;
}

void Labels::finish(ExampleSet& set) const {
  set.classes.resize(ids_.size());
  std::vector<int> order(ids_.size());
  int next = 0;
  for (const auto& [name, id] : ids_) {
    auto now = static_cast<std::size_t>(id);
    order[now] = open_ ? next++ : id;
    set.classes[static_cast<std::size_t>(order[now])] = name;
  }
  for (Example& item : set.items)
    for (int& target : item.targets)
      if (target >= 0) target = order[static_cast<std::size_t>(target)];
}

}  // namespace HEED_NAMESPACE
