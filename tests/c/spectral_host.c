/* Eigenvalues and singular values on host pointers: both layouts, options, what does not converge, nothing to do, and
   wrong arguments. */

#include <math.h>

#include "count.h"

enum {
  ROW = AFFINIMATH_ROW_MAJOR,
  COL = AFFINIMATH_COL_MAJOR,
  UP = AFFINIMATH_UPPER,
  LOW = AFFINIMATH_LOWER,
  NO = AFFINIMATH_NO_VECTORS,
  YES = AFFINIMATH_VECTORS,
  ALL = AFFINIMATH_ALL_VECTORS,
  THIN = AFFINIMATH_THIN_VECTORS,
  OVER = AFFINIMATH_OVERWRITE
};

static int near(double x, double y)
{
  return fabs(x - y) < 1e-13;
}

/* NaN where `scale` is 0, an infinity where it is 1: C89 has no names for them. */
static double not_finite(double scale)
{
  const volatile double zero = 0;
  return scale / zero;
}

static void symmetric(void)
{
  double a[4] = {2, 1, 1, 2}, b[4] = {2, 1, 1, 2}, bad[4] = {0, 1, 1, 2}, w[3], z[9];
  double c[9] = {3, 0, 0, 0, 1, 0, 0, 0, 2}, d[4] = {2, 0, 0, 9}, e[4] = {1, 0, 0, 3};
  affinimath_c64 h[4] = {{2, 0}, {0, 1}, {0, -1}, {2, 0}};
  int32_t m = -1;
  bad[0] = not_finite(0);
  CHECK(affinimathDsyev(COL, YES, LOW, 2, a, 2, w) == 0 && near(w[0], 1) && near(w[1], 3), "syev");
  CHECK(near(fabs(a[0]), sqrt(0.5)) && near(a[0] * a[2] + a[1] * a[3], 0), "its vectors");
  CHECK(affinimathDsyev(ROW, NO, UP, 2, b, 2, w) == 0 && near(w[1], 3) && b[0] == 2 && b[1] == 1, "values alone");
  CHECK(affinimathZsyev(ROW, NO, UP, 2, h, 2, w) == 0 && near(w[0], 1) && near(w[1], 3), "a Hermitian matrix");
  CHECK(affinimathDsyev(COL, NO, LOW, 2, bad, 2, w) > 0 && w[0] != w[0], "NaN");
  CHECK(affinimathDsyev(COL, YES, LOW, 0, NULL, 1, NULL) == 0, "no rows");
  CHECK(affinimathDsyev(COL, ALL, LOW, 2, a, 2, w) == -2, "a wrong job");
  CHECK(affinimathDsyev(COL, NO, LOW, 2, a, 1, w) == -6, "a wrong leading dimension");
  CHECK(affinimathDsyev(COL, NO, LOW, 2, a, 2, NULL) == -7, "no place for eigenvalues");
  CHECK(affinimathDsyevr(ROW, YES, AFFINIMATH_RANGE_INDICES, LOW, 3, c, 3, 0, 0, 2, 3, 0, &m, w, z, 2) == 0 &&
          m == 2 && near(w[0], 2) && near(w[1], 3) && near(fabs(z[1]), 1) && near(fabs(z[4]), 1),
        "syevr by index");
  CHECK(affinimathDsyevr(ROW, NO, AFFINIMATH_RANGE_VALUES, LOW, 3, c, 3, 1, 2, 0, 0, 0, &m, w, NULL, 1) == 0 &&
          m == 1 && near(w[0], 2),
        "syevr by value");
  CHECK(affinimathDsyevr(ROW, NO, AFFINIMATH_RANGE_VALUES, LOW, 3, c, 3, 2, 2, 0, 0, 0, &m, w, NULL, 1) == -9,
        "an empty interval");
  CHECK(affinimathDsyevr(ROW, NO, AFFINIMATH_RANGE_INDICES, LOW, 3, c, 3, 0, 0, 0, 1, 0, &m, w, NULL, 1) == -10,
        "an index before the first");
  CHECK(affinimathDsygv(COL, 1, YES, LOW, 2, d, 2, e, 2, w) == 0 && near(w[0], 2) && near(w[1], 3), "sygv");
  CHECK(near(fabs(d[3]), 1 / sqrt(3)) && near(e[3], sqrt(3)), "its vectors, and the factor");
  e[0] = 1, e[3] = -3;
  CHECK(affinimathDsygv(COL, 1, NO, LOW, 2, d, 2, e, 2, w) == 4, "a B that is not positive definite");
  CHECK(affinimathDsygv(COL, 4, NO, LOW, 2, d, 2, e, 2, w) == -2, "a wrong type");
}

static void singular(void)
{
  double a[6] = {3, 4, 0, 0, 0, 2}, b[6] = {3, 0, 4, 0, 0, 2}, s[2], u[9], vt[4], bad[2] = {1, 0};
  double c[6] = {1, 1, 1, 1, 1, 1}, x[3] = {2, 2, 2};
  int32_t rank = -1;
  bad[1] = not_finite(1);
  CHECK(affinimathDgesvd(COL, OVER, THIN, 3, 2, a, 3, s, NULL, 1, vt, 2) == 0 && near(s[0], 5) && near(s[1], 2) &&
          near(fabs(a[1]), 0.8) && near(fabs(a[5]), 1),
        "gesvd in A's place");
  CHECK(affinimathDgesvd(COL, OVER, OVER, 3, 2, a, 3, s, NULL, 1, NULL, 1) == -3, "both in A's place");
  CHECK(affinimathDgesdd(ROW, ALL, 3, 2, b, 2, s, u, 3, vt, 2) == 0 && near(s[0], 5) && near(fabs(u[3]), 0.8),
        "gesdd");
  CHECK(affinimathDgesdd(ROW, NO, 3, 2, b, 2, s, NULL, 1, NULL, 1) == 0 && near(s[1], 2), "values alone");
  CHECK(affinimathDgesdd(ROW, ALL, 3, 2, b, 2, s, u, 2, vt, 2) == -9, "a wrong leading dimension");
  CHECK(affinimathDgesdd(COL, NO, 2, 1, bad, 2, s, NULL, 1, NULL, 1) > 0 && s[0] != s[0], "an infinity");
  CHECK(affinimathDgelsd(COL, 3, 2, 1, c, 3, x, 3, s, 1e-14, &rank) == 0 && rank == 1 && near(x[0], 1) &&
          near(x[1], 1) && near(s[0], sqrt(6)),
        "gelsd");
  CHECK(affinimathDgelsd(COL, 3, 2, 1, c, 3, x, 3, s, not_finite(0), &rank) == -10, "an rcond of NaN");
}

static void general(void)
{
  double a[4] = {0, 1, -1, 0}, wr[2], wi[2], vr[4];
  affinimath_c64 b[4] = {{0, 1}, {0, 0}, {5, 0}, {2, 0}}, w[2];
  CHECK(affinimathDgeev(COL, NO, YES, 2, a, 2, wr, wi, NULL, 1, vr, 2) == 0 && near(wr[0], 0) && near(wi[0], 1) &&
          near(wi[1], -1) && near(hypot(vr[0], vr[2]), sqrt(0.5)),
        "geev of a rotation");
  CHECK(a[0] == 0 && a[1] == 1, "A stays");
  CHECK(affinimathZgeev(COL, NO, NO, 2, b, 2, w, NULL, 1, NULL, 1) == 0 && near(w[0].im, 1) && near(w[1].re, 2),
        "geev of complex numbers");
  CHECK(affinimathDgeev(COL, NO, YES, 2, a, 2, wr, wi, NULL, 1, vr, 1) == -12, "a wrong leading dimension");
  a[0] = not_finite(0);
  CHECK(affinimathDgeev(COL, NO, NO, 2, a, 2, wr, wi, NULL, 1, NULL, 1) > 0 && wr[0] != wr[0], "NaN");
}

int main(void)
{
  symmetric();
  singular();
  general();
  return report("spectral_host");
}
