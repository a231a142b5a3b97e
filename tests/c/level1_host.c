/* Level 1 on host pointers: one result per routine in numbers that are exact, quick returns, and every wrong argument. */

#include "count.h"

static int equal(const double *x, const double *y, int n) { return memcmp(x, y, (size_t)n * sizeof *x) == 0; }

/* Doubles, with increments of both signs. */
static void real_vectors(void)
{
  double x[3] = {1, 2, 3}, y[5] = {10, -7, 20, -7, 30};
  static const double AXPY[5] = {16, -7, 24, -7, 32}, COPY[5] = {3, -7, 2, -7, 1};
  static const double AXPBY[5] = {7, -7, 4, -7, 1}, SWAPPED[3] = {7, 4, 1}, SCAL[3] = {14, 8, 2};
  CHECK(affinimathDaxpy(3, 2, x, 1, y, -2) == AFFINIMATH_SUCCESS && equal(y, AXPY, 5), "daxpy");
  CHECK(affinimathDcopy(3, x, -1, y, 2) == AFFINIMATH_SUCCESS && equal(y, COPY, 5), "dcopy");
  CHECK(affinimathDaxpby(3, 1, x, -1, 2, y, 2) == AFFINIMATH_SUCCESS, "daxpby");
  x[0] = x[1] = x[2] = 1;
  CHECK(affinimathDaxpby(3, 4, x, 1, 1, y, 2) == AFFINIMATH_SUCCESS, "daxpby");
  CHECK(affinimathDaxpby(3, -6, x, 1, 1, y, 2) == AFFINIMATH_SUCCESS && equal(y, AXPBY, 5), "daxpby");
  CHECK(affinimathDswap(3, x, 1, y, 2) == AFFINIMATH_SUCCESS && equal(x, SWAPPED, 3) && y[4] == 1, "dswap");
  CHECK(affinimathDscal(3, 2, x, 1) == AFFINIMATH_SUCCESS && equal(x, SCAL, 3), "dscal");
  CHECK(affinimathDscal(3, 5, x, -1) == AFFINIMATH_SUCCESS && equal(x, SCAL, 3), "dscal: a negative increment");
}

static void complex_vectors(void)
{
  affinimath_c64 x[2] = {{1, 2}, {3, -4}}, y[2] = {{0, 0}, {1, 1}}, alpha = {2, -1};
  affinimath_c32 z[2] = {{1, 2}, {3, -4}};
  CHECK(affinimathZaxpy(2, alpha, x, 1, y, 1) == AFFINIMATH_SUCCESS, "zaxpy");
  CHECK(y[0].re == 4 && y[0].im == 3 && y[1].re == 3 && y[1].im == -10, "zaxpy");
  CHECK(affinimathZscal(2, alpha, x, 1) == AFFINIMATH_SUCCESS, "zscal");
  CHECK(x[0].re == 4 && x[0].im == 3 && x[1].re == 2 && x[1].im == -11, "zscal");
  CHECK(affinimathZdscal(2, 0.5, x, 1) == AFFINIMATH_SUCCESS && x[0].re == 2 && x[1].im == -5.5, "zdscal");
  CHECK(affinimathCsscal(1, -1, z, 1) == AFFINIMATH_SUCCESS && z[0].im == -2 && z[1].im == -4, "csscal");
}

#define REFUSED(call, index, name) \
  CHECK((call) == -(index) && strstr(affinimathLastError(), name) != NULL, #call)
#define NOTHING(call) CHECK((call) == AFFINIMATH_SUCCESS && x[0] == 1 && y[0] == 2, #call)

static void wrong_arguments(void)
{
  float x[2] = {1, 1}, y[2] = {2, 2};
  REFUSED(affinimathScopy(2, NULL, 1, y, 1), 2, "x");
  REFUSED(affinimathScopy(2, x, 0, y, 1), 3, "incx");
  REFUSED(affinimathScopy(2, x, 1, NULL, 1), 4, "y");
  REFUSED(affinimathScopy(2, x, 1, y, 0), 5, "incy");
  REFUSED(affinimathSswap(2, NULL, 1, y, 1), 2, "x");
  REFUSED(affinimathSswap(2, x, 1, y, 0), 5, "incy");
  REFUSED(affinimathSscal(2, 3, NULL, 1), 3, "x");
  REFUSED(affinimathSscal(2, 3, x, 0), 4, "incx");
  REFUSED(affinimathSaxpy(2, 3, NULL, 1, y, 1), 3, "x");
  REFUSED(affinimathSaxpy(2, 3, x, 0, y, 1), 4, "incx");
  REFUSED(affinimathSaxpy(2, 3, x, 1, NULL, 1), 5, "y");
  REFUSED(affinimathSaxpy(2, 3, x, 1, y, 0), 6, "incy");
  REFUSED(affinimathSaxpby(2, 3, x, 1, 1, NULL, 1), 6, "y");
  REFUSED(affinimathSaxpby(2, 3, x, 1, 1, y, 0), 7, "incy");
  /* No address space holds this one. */
  REFUSED(affinimathSaxpy(2, 3, x, (int64_t)1 << 62, y, 1), 3, "x");
  /* The first wrong argument is the one that is reported, and an increment of 0 is wrong where nothing is to be done. */
  REFUSED(affinimathSaxpy(2, 3, x, 0, NULL, 0), 4, "incx");
  REFUSED(affinimathSaxpy(0, 3, x, 1, y, 0), 6, "incy");
  /* Quick returns look at no pointer. */
  NOTHING(affinimathSaxpy(0, 3, NULL, 1, NULL, 1));
  NOTHING(affinimathSaxpy(-5, 3, x, 1, y, 1));
  NOTHING(affinimathSaxpy(2, 0, NULL, 1, NULL, -1));
  NOTHING(affinimathSaxpby(2, 0, NULL, 1, 1, NULL, -1));
  NOTHING(affinimathScopy(-1, NULL, 1, NULL, 1));
  NOTHING(affinimathSswap(0, NULL, 1, NULL, 1));
  NOTHING(affinimathSscal(2, 1, NULL, 1));
  CHECK(affinimathSaxpby(2, 0, NULL, 1, 2, y, 1) == AFFINIMATH_SUCCESS && y[1] == 4, "saxpby without x");
}

int main(void)
{
  real_vectors();
  complex_vectors();
  wrong_arguments();
  return report("level1_host");
}
