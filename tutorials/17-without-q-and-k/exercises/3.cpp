// How many learned numbers make the weights of positions (not those of values and outputs), for sequences of `length`.
long random_synthesizer(long length, long heads) {
  (void)length, (void)heads;
  return 0;  // TODO
}
long factorised_synthesizer(long length, long heads, long rank) {
  (void)length, (void)heads, (void)rank;
  return 0;  // TODO
}
long token_mlp(long length, long hidden) {
  (void)length, (void)hidden;
  return 0;  // TODO: two linear layers along the positions, with biases
}
