// 2 w + 1 cells a row, but for two triangles beyond the corners, each of 1 + 2 + ... + w cells.
long kept_cells(long n, long w) {
  if (w >= n) w = n - 1;
  return n * (2 * w + 1) - w * (w + 1);
}
