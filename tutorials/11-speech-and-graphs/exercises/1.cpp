// Frames of a waveform: windows of `window` samples, one every `shift` samples, as many as fit.
long frames(long samples, long window, long shift) {
  (void)samples, (void)window, (void)shift;
  return -1;  // TODO
}

// How many frames a stack of layers, each of which looks `right` frames ahead, has to wait for.
long delay(long layers, long right) {
  (void)layers, (void)right;
  return -1;  // TODO
}
