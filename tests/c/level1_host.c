/* Level 1 on host pointers: one result per routine with exact values, quick returns, and every wrong argument. */

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

static void reductions(void)
{
  static const double X[3] = {1, -2, 3}, Y[5] = {10, -7, 20, -7, 30};
  static const float U[4] = {1e8f, 1, -1e8f, 2}, V[4] = {1, 1, 1, 1};
  static const affinimath_c64 Z[2] = {{3, 4}, {6, 0}}, W[2] = {{1, 2}, {0, 1}};
  affinimath_c64 product;
  double sum = 7;
  float single = 7;
  int64_t index = 7;
  CHECK(affinimathDdot(3, X, 1, Y, 2, &sum) == AFFINIMATH_SUCCESS && sum == 60, "ddot");
  CHECK(affinimathDdot(3, X, 1, Y, -2, &sum) == AFFINIMATH_SUCCESS && sum == 20, "ddot: a negative increment");
  CHECK(affinimathDsdot(4, U, 1, V, 1, &sum) == AFFINIMATH_SUCCESS && sum == 3, "dsdot");
  CHECK(affinimathSdsdot(4, 0.5f, U, 1, V, 1, &single) == AFFINIMATH_SUCCESS && single == 3.5f, "sdsdot");
  CHECK(affinimathZdotu(2, Z, 1, W, 1, &product) == AFFINIMATH_SUCCESS, "zdotu");
  CHECK(product.re == -5 && product.im == 16, "zdotu");
  CHECK(affinimathZdotc(2, Z, 1, W, 1, &product) == AFFINIMATH_SUCCESS, "zdotc");
  CHECK(product.re == 11 && product.im == 8, "zdotc");
  CHECK(affinimathDznrm2(1, Z, 1, &sum) == AFFINIMATH_SUCCESS && sum == 5, "dznrm2");
  CHECK(affinimathDnrm2(1, Y, -1, &sum) == AFFINIMATH_SUCCESS && sum == 10, "dnrm2: a negative increment");
  CHECK(affinimathDzasum(2, Z, 1, &sum) == AFFINIMATH_SUCCESS && sum == 13, "dzasum");
  CHECK(affinimathIzamax(2, Z, 1, &index) == AFFINIMATH_SUCCESS && index == 0, "izamax");
  CHECK(affinimathIzamin(2, Z, 1, &index) == AFFINIMATH_SUCCESS && index == 1, "izamin");
  CHECK(affinimathIdamax(3, X, 1, &index) == AFFINIMATH_SUCCESS && index == 2, "idamax");
  /* Empty vectors give 0, and so do negative increments where BLAS has no vector for them. */
  CHECK(affinimathDdot(0, NULL, 1, NULL, 1, &sum) == AFFINIMATH_SUCCESS && sum == 0, "ddot: n = 0");
  CHECK(affinimathSdsdot(-1, 0.5f, NULL, 1, NULL, 1, &single) == AFFINIMATH_SUCCESS && single == 0.5f, "sdsdot: n < 0");
  CHECK(affinimathDnrm2(0, NULL, 1, (sum = 7, &sum)) == AFFINIMATH_SUCCESS && sum == 0, "dnrm2: n = 0");
  CHECK(affinimathDasum(3, NULL, -1, (sum = 7, &sum)) == AFFINIMATH_SUCCESS && sum == 0, "dasum: a negative increment");
  CHECK(affinimathIdamax(3, NULL, -1, &index) == AFFINIMATH_SUCCESS && index == 0, "idamax: a negative increment");
  CHECK(affinimathIdamin(0, NULL, 1, (index = 7, &index)) == AFFINIMATH_SUCCESS && index == 0, "idamin: n = 0");
}

static void rotations(void)
{
  double x[2] = {1, 2}, y[3] = {3, -7, 4}, a = 3, b = 4, c, s;
  double param[5] = {0, 9, -2, 1, 9}, d1 = 1, d2 = 1, x1 = 2, y1 = 1;
  affinimath_c64 z[1] = {{1, 2}}, w[1] = {{3, -1}}, sine = {0, 1}, f = {0, 0}, g = {0, 2};
  /* (x, y) := (0*x + 1*y ...): the pairs are (1, 4) and (2, 3). */
  CHECK(affinimathDrot(2, x, 1, y, -2, 0, 1) == AFFINIMATH_SUCCESS, "drot");
  CHECK(x[0] == 4 && x[1] == 3 && y[0] == -2 && y[1] == -7 && y[2] == -1, "drot");
  CHECK(affinimathZrot(1, z, 1, w, 1, 2, sine) == AFFINIMATH_SUCCESS, "zrot");
  /* 2(1 + 2i) + i(3 - i), 2(3 - i) + i(1 + 2i). */
  CHECK(z[0].re == 3 && z[0].im == 7 && w[0].re == 4 && w[0].im == -1, "zrot");
  CHECK(affinimathZdrot(1, z, 1, w, 1, 2, -1) == AFFINIMATH_SUCCESS, "zdrot");
  CHECK(z[0].re == 2 && z[0].im == 15 && w[0].re == 11 && w[0].im == 5, "zdrot");
  CHECK(affinimathDrotg(&a, &b, &c, &s) == AFFINIMATH_SUCCESS && a == 5 && c == 0.6 && s == 0.8, "drotg");
  CHECK(b == 1 / 0.6, "drotg: z");
  CHECK(affinimathZrotg(&f, &g, &c, &sine) == AFFINIMATH_SUCCESS && f.re == 2 && f.im == 0 && c == 0, "zrotg");
  CHECK(sine.re == 0 && sine.im == -1 && g.im == 2, "zrotg");
  /* h21 = -2, h12 = 1, and the diagonal is (1, 1), whatever stands there: the pairs are (4, -1) and (3, -2). */
  CHECK(affinimathDrotm(2, x, 1, y, -2, param) == AFFINIMATH_SUCCESS, "drotm");
  CHECK(x[0] == 3 && x[1] == 1 && y[2] == -9 && y[0] == -8, "drotm");
  param[0] = -2;
  CHECK(affinimathDrotm(2, x, 1, y, -2, param) == AFFINIMATH_SUCCESS && x[0] == 3 && y[0] == -8, "drotm: identity");
  param[1] = param[4] = 9;
  CHECK(affinimathDrotmg(&d1, &d2, &x1, &y1, param) == AFFINIMATH_SUCCESS && d1 == 0.8 && x1 == 2.5, "drotmg");
  CHECK(param[0] == 0 && param[2] == -0.5 && param[3] == 0.5 && param[1] == 9 && param[4] == 9, "drotmg");
}

#define REFUSED(call, index, name) \
  CHECK((call) == -(index) && strstr(affinimathLastError(), name) != NULL, #call)
#define NOTHING(call) CHECK((call) == AFFINIMATH_SUCCESS && x[0] == 1 && y[0] == 2, #call)

static void wrong_arguments(void)
{
  float x[2] = {1, 1}, y[2] = {2, 2}, result = 7;
  int64_t index = 7;
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
  REFUSED(affinimathSdot(2, NULL, 1, y, 1, &result), 2, "x");
  REFUSED(affinimathSdot(2, x, 0, y, 1, &result), 3, "incx");
  REFUSED(affinimathSdot(2, x, 1, NULL, 1, &result), 4, "y");
  REFUSED(affinimathSdot(2, x, 1, y, 0, &result), 5, "incy");
  REFUSED(affinimathSdot(0, NULL, 1, NULL, 1, NULL), 6, "result");
  REFUSED(affinimathSdsdot(2, 1, x, 1, y, 1, NULL), 7, "result");
  REFUSED(affinimathSnrm2(2, NULL, 1, &result), 2, "x");
  REFUSED(affinimathSasum(2, x, 0, &result), 3, "incx");
  REFUSED(affinimathIsamax(2, x, 1, NULL), 4, "result");
  REFUSED(affinimathIsamin(2, NULL, 1, &index), 2, "x");
  REFUSED(affinimathSrot(2, x, 1, NULL, 1, 1, 0), 4, "y");
  REFUSED(affinimathSrot(2, x, 0, y, 1, 1, 0), 3, "incx");
  REFUSED(affinimathSrotm(2, x, 1, y, 0, x), 5, "incy");
  REFUSED(affinimathSrotm(2, x, 1, y, 1, NULL), 6, "param");
  REFUSED(affinimathSrotg(NULL, y, x, y), 1, "a");
  REFUSED(affinimathSrotg(x, NULL, x, y), 2, "b");
  REFUSED(affinimathSrotg(x, y, NULL, y), 3, "c");
  REFUSED(affinimathSrotg(x, y, x, NULL), 4, "s");
  REFUSED(affinimathSrotmg(NULL, y, x, y, x), 1, "d1");
  REFUSED(affinimathSrotmg(x, NULL, x, y, x), 2, "d2");
  REFUSED(affinimathSrotmg(x, y, NULL, y, x), 3, "x1");
  REFUSED(affinimathSrotmg(x, y, x, NULL, x), 4, "y1");
  REFUSED(affinimathSrotmg(x, y, x, y, NULL), 5, "param");
  CHECK(x[0] == 1 && x[1] == 1 && y[0] == 2 && y[1] == 2 && result == 7 && index == 7,
        "wrong arguments change nothing");
  /* No address space holds this one. */
  REFUSED(affinimathSaxpy(2, 3, x, (int64_t)1 << 62, y, 1), 3, "x");
  /* The first wrong argument is reported; an increment of 0 is wrong even for n = 0. */
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
  NOTHING(affinimathSrot(0, NULL, 1, NULL, 1, 0, 1));
  NOTHING(affinimathSrotm(0, NULL, 1, NULL, 1, NULL));
  CHECK(affinimathSaxpby(2, 0, NULL, 1, 2, y, 1) == AFFINIMATH_SUCCESS && y[1] == 4, "saxpby without x");
}

int main(void)
{
  real_vectors();
  complex_vectors();
  reductions();
  rotations();
  wrong_arguments();
  return report("level1_host");
}
