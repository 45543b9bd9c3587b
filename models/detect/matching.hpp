// matching.hpp — which prediction belongs to which target, and how far boxes are apart.
#pragma once

#include <vector>

#include "autograd/ops.hpp"

namespace HEED_NAMESPACE {

/// The assignment of rows to columns of least total cost: cost[r][c], no more rows than columns; the column of each
/// row. Kuhn 1955, "The Hungarian method", with potentials; O(rows² columns). Throws Error for more rows than columns.
std::vector<int> hungarian(const std::vector<std::vector<double>>& cost);

/// Generalised IoU of boxes a and b (n, 4) as (centre x, centre y, width, height) -> (n): IoU - (hull - union) / hull,
/// in
/// (-1, 1]. Where two edges meet, the gradient goes to a's. Boxes without area have IoU 0. Rezatofighi et al. 2019,
/// arXiv 1902.09630.
Var generalised_iou(const Var& a, const Var& b);

}  // namespace HEED_NAMESPACE
