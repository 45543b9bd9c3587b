#include <vector>

struct Layer {
  int kernel, stride;
};

// How many pixels in a row one output of these layers depends on.
int receptive_field(const std::vector<Layer>& layers) {
  (void)layers;
  return 0;  // TODO
}
