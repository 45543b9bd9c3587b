// image_files.hpp — images with a class each.
//
// Pixels are from 0 to 1, but for those of CSV. All images of a set have one size. Every function throws a DataError
// with file, line or byte, and reason, for what is not as it should be.
#pragma once

#include "models/data/example.hpp"

namespace HEED_NAMESPACE {

/// MNIST and its like: two IDX files of bytes, images (N, H, W) and labels (N), which count to `classes`.
ExampleSet read_idx(const std::string& images, const std::string& labels, int classes = 10);

/// CIFAR-10, the binary version: any of its files.
ExampleSet read_cifar10(const std::string& path);

/// A folder with a folder for each class, which hold PNG (any kind, as RGB; what is clear is black) and binary PPM and
/// PGM; other files do not count. `classes` are all there are; none: those found.
ExampleSet read_image_folder(const std::string& path, const std::vector<std::string>& classes = {});

/// Square images: lines of numbers, each multiplied by `scale`, and a label, with commas between.
ExampleSet read_csv_images(const std::string& path, double scale = 1, const std::vector<std::string>& classes = {});

}  // namespace HEED_NAMESPACE
