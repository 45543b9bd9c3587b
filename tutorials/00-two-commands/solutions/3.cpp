#include <map>
#include <string>
#include <utility>
#include <vector>

inline std::pair<std::string, std::string> most_confused(const std::vector<std::string>& gold,
                                                         const std::vector<std::string>& predicted) {
  std::map<std::pair<std::string, std::string>, int> counts;
  for (std::size_t i = 0; i < gold.size(); i++)
    if (gold[i] != predicted[i]) counts[{gold[i], predicted[i]}]++;
  std::pair<std::string, std::string> worst;
  int most = 0;
  for (const auto& [pair, count] : counts)
    if (count > most) {
      worst = pair;
      most = count;
    }
  return worst;
}
