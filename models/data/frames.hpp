// frames.hpp — speech as a sequence of vectors: a window of 25 ms that moves on by 10 ms, at 16 kHz.
//
// Frame m covers samples 160 m to 160 m + 399: pre-emphasis x[n] - 0.97 x[n-1] (over the whole signal, its first sample
// kept), Hamming window 0.54 - 0.46 cos(2πn / 399), Fourier transform of 512, power |X|² / 512, then filters.
#pragma once

#include <span>
#include <vector>

#include "tensor/real.hpp"

namespace heed {

inline constexpr int sample_rate = 16000, frame_length = 400, frame_shift = 160;
inline constexpr int mel_filters = 80, mfcc_width = 39;

/// How many frames `samples` samples have: 1 + floor((samples - 400) / 160), or none.
inline Size frame_count(Size samples) {
  return samples < frame_length ? 0 : 1 + (samples - frame_length) / frame_shift;
}

/// Logarithms of filter banks, M x 80, row by row: log(max(e, 1e-10)) for 80 triangles of peak 1 whose corners lie
/// equally spaced in mel, m = 2595 log10(1 + f / 700), from 0 to 8000 Hz. O(M 512 log 512).
std::vector<float> log_mel(std::span<const float> samples);

/// Mel-frequency cepstral coefficients, M x 39: 13 of the orthonormal DCT-II of log_mel(), their deltas Δ_t = Σ_{n=1,2}
/// n (c_{t+n} - c_{t-n}) / 10, rows at the ends repeated, and the deltas of those (Davis, Mermelstein 1980).
std::vector<float> mfcc(std::span<const float> samples);

}  // namespace heed
