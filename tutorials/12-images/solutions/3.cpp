#include <vector>

using Rows = std::vector<std::vector<double>>;

Rows cut(const Rows& image, int size) {
  auto p = static_cast<std::size_t>(size);
  Rows words;
  for (std::size_t top = 0; top < image.size(); top += p)
    for (std::size_t left = 0; left < image[0].size(); left += p) {
      std::vector<double>& word = words.emplace_back();
      for (std::size_t y = 0; y < p; y++)
        for (std::size_t x = 0; x < p; x++) word.push_back(image[top + y][left + x]);
    }
  return words;
}
