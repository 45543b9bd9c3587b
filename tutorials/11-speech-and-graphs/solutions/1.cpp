long frames(long samples, long window, long shift) { return samples < window ? 0 : 1 + (samples - window) / shift; }

long delay(long layers, long right) { return layers * right; }
