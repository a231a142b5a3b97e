/* Pinned memory: allocated for the host and for the chosen device, used by a call, and freed once. */

#include <affinimath.h>

#include "count.h"

static void check_on(int64_t device)
{
  const int64_t n = 1000;
  void *data = NULL;
  int64_t i;
  double *x;
  CHECK(affinimathPinnedAlloc(device, n * (int64_t)sizeof(double), &data) == 0 && data != NULL, "the memory");
  if (data == NULL) {
    return;
  }
  x = data;
  for (i = 0; i < n && x[i] == 0; i++) {
    x[i] = (double)i;
  }
  CHECK(i == n, "the memory is zero at first");
  CHECK(affinimathDscal(n, 2, x, 1) == 0 && x[0] == 0 && x[n - 1] == 2.0 * (double)(n - 1), "a call");
  CHECK(affinimathPinnedFree(x + 1) == -1, "an address within the memory");
  CHECK(affinimathPinnedFree(data) == 0, "the memory is freed");
  CHECK(affinimathPinnedFree(data) == -1, "once");
}

int main(void)
{
  void *data = &data;
  void *const before = data;
  check_on(-1);
  check_on(-2);
  CHECK(affinimathPinnedFree(NULL) == 0, "null");
  CHECK(affinimathPinnedAlloc(-1, -1, &data) == -2 && data == before, "a negative size");
  CHECK(affinimathPinnedAlloc(-1, 8, NULL) == -3, "no place for the address");
  CHECK(affinimathPinnedAlloc(1 << 20, 8, &data) != 0 && data == before, "no such device");
  CHECK(affinimathPinnedAlloc(-1, INT64_MAX, &data) == AFFINIMATH_OUT_OF_HOST_MEMORY && data == before, "too much");
  CHECK(affinimathPinnedAlloc(-1, 0, &data) == 0 && affinimathPinnedFree(data) == 0, "no bytes");
  return report("pinned");
}
