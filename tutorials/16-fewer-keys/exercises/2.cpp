// Features (N, M), values (N, d). The smallest N for which φq (φk' v) takes fewer multiply-adds than (φq φk') v.
long pays_from(long features, long width) {
  (void)features, (void)width;
  return 0;  // TODO
}
