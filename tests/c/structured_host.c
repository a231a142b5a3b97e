/* Tridiagonal, band and indefinite systems on host pointers: solutions in both layouts, what is singular, nothing to
   do, and wrong arguments. */

#include <math.h>

#include "count.h"

enum {
  ROW = AFFINIMATH_ROW_MAJOR,
  COL = AFFINIMATH_COL_MAJOR,
  NO = AFFINIMATH_NO_TRANS,
  UP = AFFINIMATH_UPPER,
  LOW = AFFINIMATH_LOWER
};

static int near(double x, double y)
{
  return fabs(x - y) < 1e-14;
}

static int ones(const double *x, int n)
{
  int i;
  for (i = 0; i < n; ++i)
    if (!near(x[i], 1)) return 0;
  return 1;
}

/* 1 2 0; 4 1 1; 0 1 3 times ones. */
static void tridiagonal(void)
{
  double dl[2] = {4, 1}, d[3] = {1, 1, 3}, du[2] = {2, 1}, du2[1], b[3] = {3, 6, 4}, c[3] = {3, 6, 4};
  int32_t pivots[3];
  CHECK(affinimathDgttrf(3, dl, d, du, du2, pivots) == 0 && pivots[0] == 2 && d[0] == 4, "gttrf");
  CHECK(affinimathDgttrs(COL, NO, 3, 1, dl, d, du, du2, pivots, b, 3) == 0 && ones(b, 3), "gttrs");
  dl[0] = 4, dl[1] = 1, d[0] = 1, d[1] = 1, d[2] = 3, du[0] = 2, du[1] = 1;
  CHECK(affinimathDgtsv(ROW, 3, 1, dl, d, du, c, 1) == 0 && ones(c, 3), "gtsv");
  d[0] = 0, dl[0] = 0, d[1] = d[2] = 1, c[0] = 7;
  CHECK(affinimathDgtsv(COL, 3, 1, dl, d, du, c, 3) == 1 && c[0] == 7, "a zero pivot");
  CHECK(affinimathDgttrf(0, NULL, NULL, NULL, NULL, NULL) == 0, "no rows");
  CHECK(affinimathDgtsv(COL, 0, 1, NULL, NULL, NULL, NULL, 1) == 0, "no rows");
  CHECK(affinimathDgttrs(COL, NO, 3, 0, NULL, NULL, NULL, NULL, NULL, NULL, 3) == 0, "no right-hand sides");
}

/* 2 1 0; 1 2 1; 0 1 2 times ones. */
static void definite(void)
{
  double d[3] = {2, 2, 2}, e[2] = {1, 1}, b[3] = {3, 4, 3}, c[3] = {3, 4, 3};
  affinimath_c64 f[1], z[2];
  double g[2] = {2, 2};
  CHECK(affinimathDpttrf(3, d, e) == 0 && e[0] == 0.5, "pttrf");
  CHECK(affinimathDpttrs(ROW, 3, 1, d, e, b, 1) == 0 && ones(b, 3), "pttrs");
  d[0] = d[1] = d[2] = 2, e[0] = e[1] = 1;
  CHECK(affinimathDptsv(COL, 3, 1, d, e, c, 3) == 0 && ones(c, 3), "ptsv");
  d[0] = -1;
  CHECK(affinimathDptsv(COL, 3, 1, d, e, c, 3) == 1 && ones(c, 3), "not definite");
  memset(f, 0, sizeof f);
  memset(z, 0, sizeof z);
  f[0].im = 1, z[0].re = 2, z[0].im = -1, z[1].re = 2, z[1].im = 1; /* 2 -i; i 2 */
  CHECK(affinimathZpttrf(2, g, f) == 0 && f[0].im == 0.5 && g[1] == 1.5, "zpttrf");
  CHECK(affinimathZpttrs(COL, LOW, 2, 1, g, f, z, 2) == 0, "zpttrs");
  CHECK(near(z[0].re, 1) && near(z[0].im, 0) && near(z[1].re, 1) && near(z[1].im, 0), "its solution");
}

/* 2 1 0; 0 2 1; 0 0 2, and the symmetric 2 1 0; 1 2 1; 0 1 2. */
static void bands(void)
{
  double columns[6] = {7, 2, 1, 2, 1, 2}, rows[6] = {7, 1, 1, 2, 2, 2}, b[3] = {3, 3, 2};
  double c[3] = {3, 3, 2}, lower[6] = {2, 1, 2, 1, 2, 7}, upper[6] = {7, 1, 1, 2, 2, 2}, x[3] = {3, 4, 3};
  double y[3] = {3, 4, 3}, fill[8] = {0, 0, 0, 1, 0, 1, 0, 0}, z[2] = {1, 1};
  int32_t pivots[3];
  fill[0] = fill[1] = fill[4] = fill[7] = sqrt(-1.0);
  CHECK(affinimathDgbtrf(COL, 3, 3, 0, 1, columns, 2, pivots) == 0 && pivots[2] == 3, "gbtrf");
  CHECK(affinimathDgbtrs(COL, NO, 3, 0, 1, 1, columns, 2, pivots, b, 3) == 0 && ones(b, 3), "gbtrs");
  CHECK(affinimathDgbsv(ROW, 3, 0, 1, 1, rows, 3, pivots, c, 1) == 0 && ones(c, 3), "gbsv");
  CHECK(columns[0] == 7 && rows[0] == 7, "outside the matrix nothing is touched");
  /* 0 1; 1 0: rows are interchanged, and the first row of the array is not read. */
  CHECK(affinimathDgbsv(COL, 2, 1, 1, 1, fill, 4, pivots, z, 2) == 0 && pivots[0] == 2 && ones(z, 2), "fill");
  CHECK(affinimathDpbtrf(COL, LOW, 3, 1, lower, 2) == 0, "pbtrf");
  CHECK(affinimathDpbtrs(COL, LOW, 3, 1, 1, lower, 2, x, 3) == 0 && ones(x, 3), "pbtrs");
  CHECK(affinimathDpbsv(ROW, UP, 3, 1, 1, upper, 3, y, 1) == 0 && ones(y, 3), "pbsv");
  CHECK(lower[5] == 7 && upper[0] == 7, "outside the matrix nothing is touched");
  memset(columns, 0, sizeof columns);
  CHECK(affinimathDgbsv(COL, 3, 0, 1, 1, columns, 2, pivots, b, 3) == 1 && ones(b, 3), "a zero pivot");
  CHECK(affinimathDpbtrf(COL, LOW, 3, 1, columns, 2) == 1, "not definite");
  CHECK(affinimathDgbtrf(COL, 0, 3, 1, 1, NULL, 4, NULL) == 0, "no rows");
  CHECK(affinimathDpbsv(COL, UP, 0, 1, 1, NULL, 2, NULL, 1) == 0, "no rows");
}

/* 0 2; 2 0 times (2, 1), and the Hermitian 0 i; -i 0. */
static void indefinite(void)
{
  double a[4] = {0, 2, 7, 0}, b[2] = {2, 4};
  affinimath_c64 h[4], z[2];
  int32_t pivots[2];
  CHECK(affinimathDsysv(COL, LOW, 2, 1, a, 2, pivots, b, 2) == 0, "sysv");
  CHECK(near(b[0], 2) && near(b[1], 1) && pivots[0] == -2 && pivots[1] == -2 && a[2] == 7, "a block of order 2");
  b[0] = 2, b[1] = 4;
  CHECK(affinimathDsytrs(COL, LOW, 2, 1, a, 2, pivots, b, 2) == 0 && near(b[0], 2) && near(b[1], 1), "sytrs");
  CHECK(affinimathDsytri(COL, LOW, 2, a, 2, pivots) == 0 && near(a[1], 0.5) && near(a[0], 0), "sytri");
  memset(a, 0, sizeof a);
  b[0] = 7;
  CHECK(affinimathDsytrf(ROW, UP, 2, a, 2, pivots) == 2, "zero: an upper triangle begins at its end");
  CHECK(affinimathDsysv(COL, LOW, 2, 1, a, 2, pivots, b, 2) == 1 && b[0] == 7, "zero");
  CHECK(affinimathDsytri(COL, LOW, 2, a, 2, pivots) == 1, "zero");
  memset(h, 0, sizeof h);
  memset(z, 0, sizeof z);
  h[1].im = 1, z[0].im = 1, z[1].im = -1; /* by rows, upper: row 0 is 0 i */
  CHECK(affinimathZhesv(ROW, UP, 2, 1, h, 2, pivots, z, 1) == 0, "hesv");
  CHECK(near(z[0].re, 1) && near(z[0].im, 0) && near(z[1].re, 1) && near(z[1].im, 0), "its solution");
  CHECK(affinimathZhetri(ROW, UP, 2, h, 2, pivots) == 0 && near(h[1].im, 1), "hetri: its own inverse");
  CHECK(affinimathDsysv(COL, LOW, 0, 1, NULL, 1, NULL, NULL, 1) == 0, "no rows");
}

/* Two systems, of which the second is singular. */
static void batch(void)
{
  double dl[2] = {1, 0}, d[4] = {4, 4, 0, 1}, du[2] = {1, 1}, b[4] = {5, 5, 7, 7};
  int32_t info[2] = {-7, -7};
  CHECK(affinimathDgtsvStridedBatched(COL, 2, 1, dl, 1, d, 2, du, 1, b, 2, 2, info, 2) == 0, "gtsvStridedBatched");
  CHECK(ones(b, 2) && info[0] == 0 && info[1] == 1, "an info for each");
  CHECK(affinimathDgtsvStridedBatched(COL, 2, 1, NULL, 1, NULL, 2, NULL, 1, NULL, 2, 2, NULL, 0) == 0, "no systems");
  CHECK(affinimathDgtsvStridedBatched(COL, 2, 1, dl, 1, d, 1, du, 1, b, 2, 2, info, 2) == -7, "strided");
  CHECK(affinimathDgtsvStridedBatched(COL, 2, 1, dl, 0, d, 2, du, 1, b, 2, 2, info, 2) == -5, "stridedl");
  CHECK(affinimathDgtsvStridedBatched(COL, 2, 1, dl, 1, d, 2, du, 1, b, 2, 2, NULL, 2) == -13, "info");
  CHECK(affinimathDgtsvStridedBatched(COL, 2, 1, dl, 1, d, 2, du, 1, b, 2, 2, info, -1) == -14, "batch_count");
}

/* Two bands of order 2 with a diagonal on each side, of which the second is zero; outside is no element. */
static void batch_of_bands(void)
{
  double ab[16] = {9, 9, 4, 1, 9, 1, 4, 9}, b[4] = {5, 5, 7, 7}, x[4] = {5, 5, 7, 7};
  int32_t p[4] = {-7, -7, -7, -7}, info[2] = {-7, -7}, none[4] = {1, 2, 3, 2};
  CHECK(affinimathDgbsvStridedBatched(COL, 2, 1, 1, 1, ab, 4, 8, p, 2, b, 2, 2, info, 2) == 0, "gbsvStridedBatched");
  CHECK(near(b[0], 1) && near(b[1], 1) && b[2] == 7 && b[3] == 7, "a singular matrix's B is as it was");
  CHECK(info[0] == 0 && info[1] == 1 && p[0] == 1 && p[1] == 2 && p[2] == 1, "an info for each");
  CHECK(near(ab[3], 0.25) && ab[1] == 9 && ab[7] == 9, "a multiplier, and what is outside");
  p[3] = 2;
  CHECK(affinimathDgbtrsStridedBatched(COL, AFFINIMATH_TRANS, 2, 1, 1, 1, ab, 4, 0, p, 0, x, 2, 2, 1) == 0,
        "gbtrsStridedBatched");
  CHECK(near(x[0], 1) && near(x[1], 1) && x[2] == 7, "one system");
  CHECK(affinimathDgbtrsStridedBatched(COL, NO, 2, 1, 1, 1, ab, 4, 8, none, 2, b, 2, 2, 2) == -10, "ipiv");
  CHECK(affinimathDgbtrfStridedBatched(COL, 2, 2, 1, 1, ab, 4, 8, p, 2, info, 2) == 0 && info[1] == 1, "gbtrf");
  CHECK(affinimathDgbtrfStridedBatched(COL, 2, 2, 1, 1, ab, 3, 8, p, 2, info, 2) == -7, "ldab");
  CHECK(affinimathDgbtrfStridedBatched(COL, 2, 2, 1, 1, ab, 4, 7, p, 2, info, 2) == -8, "strideab");
  CHECK(affinimathDgbtrfStridedBatched(COL, 2, 2, 1, 1, ab, 4, 8, p, 1, info, 2) == -10, "strideipiv");
  CHECK(affinimathDgbtrfStridedBatched(COL, 2, 2, 1, 1, ab, 4, 8, NULL, 2, info, 2) == -9, "ipiv");
  CHECK(affinimathDgbtrfStridedBatched(COL, -1, 2, 1, 1, ab, 4, 8, p, 2, info, 2) == -2, "m");
  CHECK(affinimathDgbsvStridedBatched(COL, 2, -1, 1, 1, ab, 4, 8, p, 2, b, 2, 2, info, 2) == -3, "kl");
  CHECK(affinimathDgbsvStridedBatched(COL, 2, 1, -1, 1, ab, 4, 8, p, 2, b, 2, 2, info, 2) == -4, "ku");
  CHECK(affinimathDgbsvStridedBatched(COL, 2, 1, 1, 1, ab, 4, 8, p, 2, b, 1, 2, info, 2) == -12, "ldb");
  CHECK(affinimathDgbsvStridedBatched(COL, 2, 1, 1, 1, ab, 4, 8, p, 2, b, 2, 1, info, 2) == -13, "strideb");
  CHECK(affinimathDgbsvStridedBatched(COL, 2, 1, 1, 1, ab, 4, 8, p, 2, b, 2, 2, NULL, 2) == -14, "info");
  CHECK(affinimathDgbsvStridedBatched(COL, 2, 1, 1, 1, ab, 4, 8, p, 2, b, 2, 2, info, -1) == -15, "batch_count");
  CHECK(affinimathDgbsvStridedBatched(COL, 2, 1, 1, 1, NULL, 4, 8, NULL, 2, NULL, 2, 2, NULL, 0) == 0, "no matrices");
}

static void wrong_arguments(void)
{
  double v[16] = {0}, b[4] = {0};
  int32_t p[4] = {1, 2, 3, 4}, none[4] = {4, 4, 4, 4};
  CHECK(affinimathDgttrf(-1, v, v, v, v, p) == -1 && affinimathDgttrf(3, NULL, v, v, v, p) == -2, "gttrf");
  CHECK(affinimathDgttrf(3, v, v, v, NULL, p) == -5 && affinimathDgttrf(3, v, v, v, v, NULL) == -6, "gttrf");
  CHECK(affinimathDgttrs(0, NO, 3, 1, v, v, v, v, p, b, 3) == -1, "layout");
  CHECK(affinimathDgttrs(COL, 0, 3, 1, v, v, v, v, p, b, 3) == -2, "trans");
  CHECK(affinimathDgttrs(COL, NO, -1, 1, v, v, v, v, p, b, 3) == -3, "n");
  CHECK(affinimathDgttrs(COL, NO, 3, -1, v, v, v, v, p, b, 3) == -4, "nrhs");
  CHECK(affinimathDgttrs(COL, NO, 3, 1, v, v, v, v, none, b, 3) == -9, "ipiv");
  CHECK(affinimathDgttrs(COL, NO, 3, 1, v, v, v, v, p, b, 2) == -11, "ldb");
  CHECK(affinimathDgtsv(COL, 3, 1, v, v, v, b, 2) == -8 && affinimathDgtsv(COL, 3, 1, v, NULL, v, b, 3) == -5, "gtsv");
  CHECK(affinimathDpttrf(-1, v, v) == -1 && affinimathDpttrf(2, NULL, v) == -2, "pttrf");
  CHECK(affinimathDpttrs(COL, 3, 1, v, v, b, 2) == -7 && affinimathDptsv(COL, 3, -1, v, v, b, 3) == -3, "pttrs");
  CHECK(affinimathDgbtrf(COL, 3, 3, 1, 1, v, 3, p) == -7 && affinimathDgbtrf(COL, 3, 3, -1, 1, v, 4, p) == -4, "gbtrf");
  CHECK(affinimathDgbtrf(ROW, 3, 3, 1, 1, v, 2, p) == -7 && affinimathDgbtrf(COL, 3, 3, 1, -1, v, 4, p) == -5, "gbtrf");
  CHECK(affinimathDgbtrs(COL, NO, 3, 1, 1, 1, v, 3, p, b, 3) == -8, "ldab");
  CHECK(affinimathDgbtrs(COL, NO, 3, 1, 1, 1, v, 4, none, b, 3) == -9, "ipiv");
  CHECK(affinimathDgbtrs(COL, NO, 3, 1, 1, 1, v, 4, p, b, 2) == -11, "ldb");
  CHECK(affinimathDgbsv(COL, 3, 1, 1, 1, v, 4, NULL, b, 3) == -8, "ipiv");
  CHECK(affinimathDpbtrf(COL, 0, 3, 1, v, 2) == -2 && affinimathDpbtrf(COL, LOW, 3, 1, v, 1) == -6, "pbtrf");
  CHECK(affinimathDpbtrs(COL, LOW, 3, -1, 1, v, 2, b, 3) == -4, "kd");
  CHECK(affinimathDpbsv(COL, LOW, 3, 1, 1, v, 2, b, 2) == -9, "ldb");
  CHECK(affinimathDsytrf(COL, LOW, 3, v, 2, p) == -5 && affinimathDsytrf(COL, LOW, 3, v, 3, NULL) == -6, "sytrf");
  CHECK(affinimathDsytrs(COL, LOW, 3, 1, v, 3, none, b, 3) == -7, "ipiv");
  CHECK(affinimathDsysv(COL, LOW, 3, 1, v, 3, p, b, 2) == -9, "ldb");
  CHECK(affinimathDsysv(COL, 0, 3, 1, v, 3, p, b, 3) == -2, "uplo");
  CHECK(affinimathDsytri(COL, LOW, 3, v, 3, none) == -6, "ipiv");
}

int main(void)
{
  tridiagonal();
  definite();
  bands();
  indefinite();
  batch();
  batch_of_bands();
  wrong_arguments();
  return report("structured_host");
}
