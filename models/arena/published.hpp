// published.hpp — the table that the lecture's figure was drawn from, to stand beside one's own.
#pragma once

#include <array>
#include <cmath>
#include <limits>
#include <vector>

namespace heed {

/// A line of Tay et al. 2020, "Long Range Arena", arXiv 2011.04006, table 1 as on the public leaderboard, in percent;
/// `speed` in examples a second as read off figure 3, NaN where a model is not in it.
struct Published {
  const char *name, *mixer;      ///< and heed's mixer of that kind
  std::array<double, 5> scores;  ///< ListOps, text, retrieval, image, path
  double average, speed;
};

inline const std::vector<Published>& published_arena() {
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  static const std::vector<Published> lines{
      {"Transformer", "attention", {36.37, 64.27, 57.46, 42.44, 71.40}, 54.39, 45},
      {"Local attention", "local", {15.82, 52.98, 53.39, 41.46, 66.63}, 46.06, 237},
      {"Sparse Transformer", "strided", {17.07, 63.58, 59.59, 44.24, 71.71}, 51.24, none},
      {"Longformer", "longformer", {35.63, 62.85, 56.89, 42.22, 69.71}, 53.46, none},
      {"Linformer", "linformer", {35.70, 53.94, 52.27, 38.56, 76.34}, 51.36, 246},
      {"Reformer", "reformer", {37.27, 56.10, 53.40, 38.07, 68.50}, 50.67, 35},
      {"Sinkhorn", "sinkhorn", {33.67, 61.20, 53.83, 41.23, 67.45}, 51.29, 170},
      {"Synthesizer", "synthesizer:dense", {36.99, 61.68, 54.67, 41.61, 69.45}, 52.88, 61},
      {"Big Bird", "bigbird", {36.05, 64.02, 59.29, 40.83, 74.87}, 55.01, 48},
      {"Linear Transformer", "linear", {16.13, 65.90, 53.09, 42.34, 75.30}, 50.55, 250},
      {"Performer", "performer", {18.01, 65.40, 53.82, 42.77, 77.05}, 51.41, 256},
  };
  return lines;
}

/// The arena's tasks in the order of `scores`.
inline constexpr std::array published_tasks{"listops", "text", "retrieval", "image", "path"};

}  // namespace heed
