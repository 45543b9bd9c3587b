// Exercise 06.1: a2 = (0, 1, 1) gives q2 = (-1 + 1, -1 + 0) = (0, -1), so every score is minus the second component of
// the key: -1, -1, 0, 0. The weights are e^-1 : e^-1 : 1 : 1, divided by their sum 2.7358.
#include <array>

const std::array<double, 2> q2 = {0, -1};
const std::array<double, 4> alpha2 = {-1, -1, 0, 0};
const std::array<double, 4> weight2 = {0.1345, 0.1345, 0.3655, 0.3655};
const std::array<double, 2> b2 = {2.2311, 1.0379};
