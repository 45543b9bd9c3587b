// N² (M + d) > 2 N M d, that is N > 2 M d / (M + d).
long pays_from(long features, long width) { return 2 * features * width / (features + width) + 1; }
