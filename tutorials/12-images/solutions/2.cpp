#include <vector>

struct Layer {
  int kernel, stride;
};

// A step of a layer's input is as many pixels as all strides before it multiply to.
int receptive_field(const std::vector<Layer>& layers) {
  int field = 1, step = 1;
  for (const Layer& layer : layers) {
    field += (layer.kernel - 1) * step;
    step *= layer.stride;
  }
  return field;
}
