/* Packed and rectangular full packed storage on host pointers: solutions in both layouts, conversions, eigenvalues,
   what is singular, nothing to do, and wrong arguments. */

#include <math.h>

#include "count.h"

enum {
  ROW = AFFINIMATH_ROW_MAJOR,
  COL = AFFINIMATH_COL_MAJOR,
  NO = AFFINIMATH_NO_TRANS,
  TRANS = AFFINIMATH_TRANS,
  ADJOINT = AFFINIMATH_CONJ_TRANS,
  UP = AFFINIMATH_UPPER,
  LOW = AFFINIMATH_LOWER,
  STORED = AFFINIMATH_NON_UNIT
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

/* 4 1 0; 1 3 1; 0 1 2 times ones. */
static void definite(void)
{
  double lower[6] = {4, 1, 0, 3, 1, 2}, upper[6] = {4, 1, 3, 0, 1, 2}, by_rows[6] = {4, 1, 0, 3, 1, 2};
  double b[3] = {5, 5, 3}, c[3] = {5, 5, 3}, d[3] = {5, 5, 3}, rcond = -1, norm = -1, negative[1] = {-1}, e[1] = {7};
  CHECK(affinimathDlansp(COL, AFFINIMATH_ONE_NORM, LOW, 3, lower, &norm) == 0 && norm == 5, "lansp");
  CHECK(affinimathDpptrf(COL, LOW, 3, lower) == 0 && near(lower[0], 2) && near(lower[1], 0.5), "pptrf");
  CHECK(affinimathDpptrs(COL, LOW, 3, 1, lower, b, 3) == 0 && ones(b, 3), "pptrs");
  CHECK(affinimathDppcon(COL, LOW, 3, lower, norm, &rcond) == 0 && rcond > 0.2 && rcond < 0.5, "ppcon");
  CHECK(affinimathDppsv(COL, UP, 3, 1, upper, c, 3) == 0 && ones(c, 3), "ppsv, upper");
  CHECK(affinimathDppsv(ROW, UP, 3, 1, by_rows, d, 1) == 0 && ones(d, 3), "ppsv by rows");
  CHECK(affinimathDpptri(COL, LOW, 3, lower) == 0 && near(lower[0], 5.0 / 18), "pptri");
  CHECK(affinimathDppsv(COL, UP, 1, 1, negative, e, 1) == 1 && e[0] == 7, "not definite");
  CHECK(affinimathDpptrf(COL, LOW, 0, NULL) == 0, "no rows");
  CHECK(affinimathDppsv(COL, LOW, 0, 1, NULL, NULL, 1) == 0, "no rows");
}

/* 0 2; 2 0 times (2, 1), and the Hermitian 0 i; -i 0. */
static void indefinite(void)
{
  double ap[3] = {0, 2, 0}, b[2] = {2, 4}, zero[1] = {0}, c[1] = {7};
  affinimath_c64 h[3], z[2];
  int32_t pivots[2];
  CHECK(affinimathDspsv(COL, LOW, 2, 1, ap, pivots, b, 2) == 0 && near(b[0], 2) && near(b[1], 1), "spsv");
  CHECK(pivots[0] == -2 && pivots[1] == -2, "a block of order 2");
  b[0] = 2, b[1] = 4;
  CHECK(affinimathDsptrs(COL, LOW, 2, 1, ap, pivots, b, 2) == 0 && near(b[0], 2) && near(b[1], 1), "sptrs");
  CHECK(affinimathDsptri(COL, LOW, 2, ap, pivots) == 0 && near(ap[1], 0.5) && near(ap[0], 0), "sptri");
  CHECK(affinimathDspsv(COL, UP, 1, 1, zero, pivots, c, 1) == 1 && c[0] == 7, "zero");
  memset(h, 0, sizeof h);
  memset(z, 0, sizeof z);
  h[1].im = 1, z[0].im = 1, z[1].im = -1; /* by rows, upper */
  CHECK(affinimathZhpsv(ROW, UP, 2, 1, h, pivots, z, 1) == 0 && near(z[0].re, 1) && near(z[1].re, 1), "hpsv");
  CHECK(affinimathZhptri(ROW, UP, 2, h, pivots) == 0 && near(h[1].im, 1), "hptri: its own inverse");
}

/* 2 0; 1 4 times (1, 2), and eigenvalues of 2 1; 1 2. */
static void others(void)
{
  double ap[3] = {2, 1, 4}, b[2] = {2, 9}, s[3] = {2, 1, 2}, p[3] = {2, 0, 2}, w[2], z[4];
  CHECK(affinimathDtptrs(COL, LOW, NO, STORED, 2, 1, ap, b, 2) == 0 && near(b[0], 1) && near(b[1], 2), "tptrs");
  CHECK(affinimathDtptri(COL, LOW, STORED, 2, ap) == 0 && near(ap[1], -0.125), "tptri");
  ap[0] = 0;
  CHECK(affinimathDtptri(COL, LOW, STORED, 2, ap) == 1 && near(ap[1], -0.125), "a zero on the diagonal");
  CHECK(affinimathDspev(COL, AFFINIMATH_VECTORS, LOW, 2, s, w, z, 2) == 0 && near(w[0], 1) && near(w[1], 3), "spev");
  CHECK(near(fabs(z[0]), sqrt(0.5)) && near(z[0], -z[1]) && s[1] == 1, "its vectors, and A as it was");
  CHECK(affinimathDspgv(COL, 1, AFFINIMATH_NO_VECTORS, LOW, 2, s, p, w, NULL, 1) == 0 && near(w[1], 1.5), "spgv");
  p[0] = -2;
  CHECK(affinimathDspgv(COL, 1, AFFINIMATH_NO_VECTORS, LOW, 2, s, p, w, NULL, 1) == 3, "B is not definite");
}

/* The triangle 1; 2 4; 3 5 6, whose rectangle has rows 1 6; 2 4; 3 5. */
static void rectangles(void)
{
  double ap[6] = {1, 2, 3, 4, 5, 6}, arf[6], full[9], back[6], b[3], c[6], a[3] = {1, 2, 3};
  double definite[6] = {4, 1, 0, 3, 1, 2}, norm = 0;
  int i;
  CHECK(affinimathDtpttf(COL, NO, LOW, 3, ap, arf) == 0, "tpttf");
  CHECK(arf[0] == 1 && arf[1] == 2 && arf[2] == 3 && arf[3] == 6 && arf[4] == 4 && arf[5] == 5, "the rectangle");
  for (i = 0; i < 9; ++i) full[i] = 77;
  CHECK(affinimathDtfttr(COL, NO, LOW, 3, arf, full, 3) == 0 && full[2] == 3 && full[4] == 4, "tfttr");
  CHECK(full[3] == 77 && full[6] == 77 && full[7] == 77, "the other triangle");
  CHECK(affinimathDtrttf(ROW, TRANS, UP, 3, full, 3, arf) == 0, "trttf by rows");
  CHECK(affinimathDtfttp(ROW, TRANS, UP, 3, arf, back) == 0, "tfttp");
  for (i = 0; i < 6; ++i) CHECK(back[i] == ap[i], "the triangle by rows");
  CHECK(affinimathDtrttp(COL, LOW, 3, full, 3, back) == 0 && back[4] == 5, "trttp");
  CHECK(affinimathDtpttr(COL, UP, 3, ap, full, 3) == 0 && full[3] == 2 && full[8] == 6, "tpttr");
  CHECK(affinimathDtpttf(COL, TRANS, UP, 3, definite, arf) == 0, "of a definite matrix");
  CHECK(affinimathDtpttf(COL, TRANS, LOW, 3, definite, arf) == 0, "tpttf");
  CHECK(affinimathDlansf(COL, AFFINIMATH_MAX_NORM, TRANS, LOW, 3, arf, &norm) == 0 && norm == 4, "lansf");
  CHECK(affinimathDpftrf(COL, TRANS, LOW, 3, arf) == 0, "pftrf");
  b[0] = b[1] = 5, b[2] = 3;
  CHECK(affinimathDpftrs(COL, TRANS, LOW, 3, 1, arf, b, 3) == 0 && ones(b, 3), "pftrs");
  b[0] = 2, b[1] = b[2] = 0;
  CHECK(affinimathDtfsm(COL, TRANS, AFFINIMATH_LEFT, LOW, NO, STORED, 3, 1, 2.0, arf, b, 3) == 0, "tfsm");
  CHECK(near(b[0], 2), "its first element");
  CHECK(affinimathDpftri(COL, TRANS, LOW, 3, arf) == 0, "pftri");
  CHECK(affinimathDsfrk(COL, NO, LOW, NO, 3, 1, 2.0, a, 3, 0.0, c) == 0, "sfrk");
  CHECK(c[0] == 2 && c[2] == 6 && c[3] == 18, "its rectangle");
  CHECK(affinimathDtftri(COL, NO, LOW, STORED, 3, c) == 0 && near(c[0], 0.5), "tftri");
  CHECK(affinimathDpftrf(COL, NO, LOW, 0, NULL) == 0, "no rows");
}

static void wrong(void)
{
  double ap[6] = {4, 1, 0, 3, 1, 2}, b[3] = {1, 1, 1};
  affinimath_c64 h[3];
  int32_t pivots[3] = {1, 2, 9};
  memset(h, 0, sizeof h);
  CHECK(affinimathDpptrf(7, LOW, 3, ap) == -1, "the layout");
  CHECK(affinimathDpptrf(COL, 7, 3, ap) == -2, "uplo");
  CHECK(affinimathDpptrf(COL, LOW, -1, ap) == -3, "n");
  CHECK(affinimathDpptrf(COL, LOW, 3, NULL) == -4, "ap");
  CHECK(affinimathDppsv(COL, LOW, 3, 1, ap, b, 2) == -7, "ldb");
  CHECK(affinimathDsptrs(COL, LOW, 3, 1, ap, pivots, b, 3) == -6, "ipiv");
  CHECK(affinimathZpftrf(COL, TRANS, LOW, 2, h) == -2, "transr: the transpose of complex numbers");
  CHECK(affinimathDtfsm(COL, NO, 7, LOW, NO, STORED, 3, 1, 1.0, ap, b, 3) == -3, "side");
  CHECK(affinimathDspev(COL, AFFINIMATH_VECTORS, LOW, 3, ap, b, NULL, 3) == -7, "z");
  CHECK(ap[0] == 4 && ap[5] == 2 && b[0] == 1 && b[2] == 1 && h[0].re == 0, "nothing changed");
  CHECK(affinimathZpftrf(COL, ADJOINT, LOW, 2, h) == 1, "zero is not definite");
}

int main(void)
{
  definite();
  indefinite();
  others();
  rectangles();
  wrong();
  return report("packed_host");
}
