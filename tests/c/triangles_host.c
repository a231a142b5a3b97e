/* symm, hemm, syrk, herk, syr2k, her2k, trmm and gemmt on host pointers: a result each with exact values, quick
   returns, and every wrong argument. What is not to be read is not a number. */

#include "count.h"

enum {
  ROWS = AFFINIMATH_ROW_MAJOR,
  COLS = AFFINIMATH_COL_MAJOR,
  KEEP = AFFINIMATH_NO_TRANS,
  TURN = AFFINIMATH_TRANS,
  UP = AFFINIMATH_UPPER,
  LOW = AFFINIMATH_LOWER,
  LEFT = AFFINIMATH_LEFT,
  RIGHT = AFFINIMATH_RIGHT,
  FULL = AFFINIMATH_NON_UNIT,
  UNIT = AFFINIMATH_UNIT
};

static int equal(const double *x, const double *y) { return memcmp(x, y, 4 * sizeof *x) == 0; }
static double not_a_number(void) { return strtod("nan", NULL); }

static void symmetric(void)
{
  static const double B[4] = {1, 2, 3, 4}, ON_LEFT[4] = {8, 14, 20, 30}, ON_RIGHT[4] = {10, 16, 20, 28};
  double a[4] = {2, 0, 1, 3}, c[4];
  a[1] = not_a_number(); /* the upper triangle of (2, 1; 1, 3) by columns, the lower one by rows */
  c[0] = c[1] = c[2] = c[3] = a[1];
  CHECK(affinimathDsymm(COLS, LEFT, UP, 2, 2, 2, a, 2, B, 2, 0, c, 2) == AFFINIMATH_SUCCESS && equal(c, ON_LEFT),
        "dsymm");
  CHECK(affinimathDsymm(COLS, RIGHT, UP, 2, 2, 2, a, 2, B, 2, 0, c, 2) == AFFINIMATH_SUCCESS && equal(c, ON_RIGHT),
        "dsymm");
  CHECK(affinimathDsymm(ROWS, LEFT, LOW, 2, 2, 2, a, 2, B, 2, 0, c, 2) == AFFINIMATH_SUCCESS && equal(c, ON_RIGHT),
        "dsymm");
}

static void updates(void)
{
  static const double A[4] = {1, 2, 3, 4}, ONE[4] = {1, 0, 0, 1};
  static const double RANK_K[4] = {11, 15, 7, 21}, RANK_2K[4] = {2, 7, 5, 8}, PRODUCT[4] = {1, 7, 3, 4};
  double c[4] = {1, 1, 7, 1};
  CHECK(affinimathDsyrk(COLS, LOW, KEEP, 2, 2, 1, A, 2, 1, c, 2) == AFFINIMATH_SUCCESS && equal(c, RANK_K), "dsyrk");
  c[0] = c[2] = c[3] = not_a_number();
  c[1] = 7;
  CHECK(affinimathDsyr2k(COLS, UP, KEEP, 2, 2, 1, A, 2, ONE, 2, 0, c, 2) == AFFINIMATH_SUCCESS && equal(c, RANK_2K),
        "dsyr2k");
  c[0] = c[2] = c[3] = not_a_number();
  CHECK(affinimathDgemmt(COLS, UP, KEEP, KEEP, 2, 2, 1, A, 2, ONE, 2, 0, c, 2) == AFFINIMATH_SUCCESS &&
            equal(c, PRODUCT),
        "dgemmt");
}

static void triangular(void)
{
  static const double STORED[4] = {2, 8, 2, 11}, ONES[4] = {1, 6, 1, 7}, ZEROS[4] = {0, 0, 0, 0};
  double a[4] = {2, 5, 0, 3}, b[4] = {1, 1, 1, 2}, d[4] = {1, 1, 1, 2};
  a[2] = not_a_number();
  CHECK(affinimathDtrmm(COLS, LEFT, LOW, KEEP, FULL, 2, 2, 1, a, 2, b, 2) == AFFINIMATH_SUCCESS && equal(b, STORED),
        "dtrmm");
  a[0] = a[3] = a[2];
  CHECK(affinimathDtrmm(COLS, LEFT, LOW, KEEP, UNIT, 2, 2, 1, a, 2, d, 2) == AFFINIMATH_SUCCESS && equal(d, ONES),
        "dtrmm");
  CHECK(affinimathDtrmm(COLS, LEFT, LOW, KEEP, UNIT, 2, 2, 0, NULL, 2, d, 2) == AFFINIMATH_SUCCESS && equal(d, ZEROS),
        "dtrmm");
}

static int is(affinimath_c64 value, double re, double im) { return value.re == re && value.im == im; }

static void hermitian(void)
{
  static const affinimath_c64 B[2] = {{1, 0}, {0, 1}}, COLUMN[2] = {{1, 1}, {2, 0}};
  const affinimath_c64 one = {1, 0}, zero = {0, 0}, i = {0, 1};
  affinimath_c64 a[4] = {{2, 0}, {0, 0}, {1, 1}, {3, 0}}, c[4] = {{1, 0}, {1, 1}, {7, 7}, {1, 5}};
  c[0].im = a[0].im = a[3].im = a[1].re = not_a_number();
  CHECK(affinimathZherk(COLS, LOW, KEEP, 2, 1, 2, COLUMN, 2, 1, c, 2) == AFFINIMATH_SUCCESS, "zherk");
  CHECK(is(c[0], 5, 0) && is(c[1], 5, -3) && is(c[2], 7, 7) && is(c[3], 9, 0), "zherk");
  CHECK(affinimathZher2k(COLS, UP, KEEP, 2, 1, i, COLUMN, 2, B, 2, 0, c, 2) == AFFINIMATH_SUCCESS, "zher2k");
  CHECK(is(c[0], -2, 0) && is(c[1], 5, -3) && is(c[2], 1, -1) && is(c[3], 4, 0), "zher2k");
  CHECK(affinimathZhemm(COLS, LEFT, UP, 2, 1, one, a, 2, B, 2, zero, c, 2) == AFFINIMATH_SUCCESS, "zhemm");
  CHECK(is(c[0], 1, 1) && is(c[1], 1, 2), "zhemm");
}

#define REFUSED(call, index, name) CHECK((call) == -(index) && strstr(affinimathLastError(), name) != NULL, #call)

static void wrong_symm(void)
{
  float a[4] = {1, 1, 1, 1}, b[6] = {2, 2, 2, 2, 2, 2}, c[6] = {2, 2, 2, 2, 2, 2};
  REFUSED(affinimathSsymm(0, LEFT, UP, 2, 3, 1, a, 2, b, 2, 0, c, 2), 1, "layout");
  REFUSED(affinimathSsymm(COLS, 0, UP, 2, 3, 1, a, 2, b, 2, 0, c, 2), 2, "side");
  REFUSED(affinimathSsymm(COLS, LEFT, 0, 2, 3, 1, a, 2, b, 2, 0, c, 2), 3, "uplo");
  REFUSED(affinimathSsymm(COLS, LEFT, UP, -1, 3, 1, a, 2, b, 2, 0, c, 2), 4, "m");
  REFUSED(affinimathSsymm(COLS, LEFT, UP, 2, -1, 1, a, 2, b, 2, 0, c, 2), 5, "n");
  REFUSED(affinimathSsymm(COLS, LEFT, UP, 2, 3, 1, NULL, 2, b, 2, 0, c, 2), 7, "a");
  REFUSED(affinimathSsymm(COLS, RIGHT, UP, 2, 3, 1, a, 2, b, 2, 0, c, 2), 8, "lda");
  REFUSED(affinimathSsymm(COLS, LEFT, UP, 2, 3, 1, a, 2, NULL, 2, 0, c, 2), 9, "b");
  REFUSED(affinimathSsymm(ROWS, LEFT, UP, 2, 3, 1, a, 2, b, 2, 0, c, 3), 10, "ldb");
  REFUSED(affinimathSsymm(COLS, LEFT, UP, 2, 3, 1, a, 2, b, 2, 0, NULL, 2), 12, "c");
  REFUSED(affinimathSsymm(COLS, LEFT, UP, 2, 3, 1, a, 2, b, 2, 0, c, 1), 13, "ldc");
  CHECK(affinimathSsymm(COLS, LEFT, UP, 2, 0, 1, NULL, 2, NULL, 2, 0, NULL, 2) == AFFINIMATH_SUCCESS, "n = 0");
  CHECK(affinimathSsymm(COLS, LEFT, UP, 2, 3, 0, NULL, 2, NULL, 2, 1, NULL, 2) == AFFINIMATH_SUCCESS, "beta = 1");
  CHECK(affinimathSsymm(COLS, LEFT, UP, 2, 3, 0, NULL, 2, NULL, 2, 2, c, 2) == AFFINIMATH_SUCCESS && c[5] == 4,
        "alpha = 0");
}

static void wrong_updates(void)
{
  float a[6] = {1, 1, 1, 1, 1, 1}, b[6] = {2, 2, 2, 2, 2, 2}, c[4] = {2, 2, 2, 2};
  REFUSED(affinimathSsyrk(0, UP, KEEP, 2, 3, 1, a, 2, 0, c, 2), 1, "layout");
  REFUSED(affinimathSsyrk(COLS, 0, KEEP, 2, 3, 1, a, 2, 0, c, 2), 2, "uplo");
  REFUSED(affinimathSsyrk(COLS, UP, 0, 2, 3, 1, a, 2, 0, c, 2), 3, "trans");
  REFUSED(affinimathSsyrk(COLS, UP, KEEP, -2, 3, 1, a, 2, 0, c, 2), 4, "n");
  REFUSED(affinimathSsyrk(COLS, UP, KEEP, 2, -3, 1, a, 2, 0, c, 2), 5, "k");
  REFUSED(affinimathSsyrk(COLS, UP, KEEP, 2, 3, 1, NULL, 2, 0, c, 2), 7, "a");
  REFUSED(affinimathSsyrk(COLS, UP, TURN, 2, 3, 1, a, 2, 0, c, 2), 8, "lda");
  REFUSED(affinimathSsyrk(COLS, UP, KEEP, 2, 3, 1, a, 2, 0, NULL, 2), 10, "c");
  REFUSED(affinimathSsyrk(COLS, UP, KEEP, 2, 3, 1, a, 2, 0, c, 1), 11, "ldc");
  REFUSED(affinimathSsyr2k(COLS, UP, KEEP, 2, 3, 1, a, 1, b, 2, 0, c, 2), 8, "lda");
  REFUSED(affinimathSsyr2k(COLS, UP, KEEP, 2, 3, 1, a, 2, NULL, 2, 0, c, 2), 9, "b");
  REFUSED(affinimathSsyr2k(COLS, UP, KEEP, 2, 3, 1, a, 2, b, 1, 0, c, 2), 10, "ldb");
  REFUSED(affinimathSsyr2k(COLS, UP, KEEP, 2, 3, 1, a, 2, b, 2, 0, NULL, 2), 12, "c");
  REFUSED(affinimathSsyr2k(COLS, UP, KEEP, 2, 3, 1, a, 2, b, 2, 0, c, 1), 13, "ldc");
  REFUSED(affinimathSgemmt(COLS, UP, 0, KEEP, 2, 3, 1, a, 2, b, 3, 0, c, 2), 3, "transa");
  REFUSED(affinimathSgemmt(COLS, UP, KEEP, 0, 2, 3, 1, a, 2, b, 3, 0, c, 2), 4, "transb");
  REFUSED(affinimathSgemmt(COLS, UP, KEEP, KEEP, -2, 3, 1, a, 2, b, 3, 0, c, 2), 5, "n");
  REFUSED(affinimathSgemmt(COLS, UP, KEEP, KEEP, 2, -3, 1, a, 2, b, 3, 0, c, 2), 6, "k");
  REFUSED(affinimathSgemmt(COLS, UP, KEEP, KEEP, 2, 3, 1, NULL, 2, b, 3, 0, c, 2), 8, "a");
  REFUSED(affinimathSgemmt(COLS, UP, KEEP, KEEP, 2, 3, 1, a, 1, b, 3, 0, c, 2), 9, "lda");
  REFUSED(affinimathSgemmt(COLS, UP, KEEP, KEEP, 2, 3, 1, a, 2, NULL, 3, 0, c, 2), 10, "b");
  REFUSED(affinimathSgemmt(COLS, UP, KEEP, KEEP, 2, 3, 1, a, 2, b, 2, 0, c, 2), 11, "ldb");
  REFUSED(affinimathSgemmt(COLS, UP, KEEP, KEEP, 2, 3, 1, a, 2, b, 3, 0, NULL, 2), 13, "c");
  REFUSED(affinimathSgemmt(COLS, UP, KEEP, KEEP, 2, 3, 1, a, 2, b, 3, 0, c, 1), 14, "ldc");
  CHECK(affinimathSsyrk(COLS, UP, KEEP, 2, 0, 1, NULL, 2, 1, NULL, 2) == AFFINIMATH_SUCCESS, "k = 0, beta = 1");
  CHECK(affinimathSsyrk(COLS, UP, KEEP, 2, 0, 1, NULL, 2, 2, c, 2) == AFFINIMATH_SUCCESS && c[2] == 4 && c[1] == 2,
        "k = 0");
  CHECK(affinimathSsyr2k(COLS, UP, KEEP, 0, 3, 1, NULL, 1, NULL, 1, 0, NULL, 1) == AFFINIMATH_SUCCESS, "n = 0");
  CHECK(affinimathSgemmt(COLS, LOW, KEEP, KEEP, 2, 3, 0, NULL, 2, NULL, 3, 3, c, 2) == AFFINIMATH_SUCCESS && c[1] == 6,
        "alpha = 0");
}

static void wrong_trmm(void)
{
  float a[4] = {1, 1, 1, 1}, b[6] = {2, 2, 2, 2, 2, 2};
  REFUSED(affinimathStrmm(0, LEFT, UP, KEEP, FULL, 2, 3, 1, a, 2, b, 2), 1, "layout");
  REFUSED(affinimathStrmm(COLS, 0, UP, KEEP, FULL, 2, 3, 1, a, 2, b, 2), 2, "side");
  REFUSED(affinimathStrmm(COLS, LEFT, 0, KEEP, FULL, 2, 3, 1, a, 2, b, 2), 3, "uplo");
  REFUSED(affinimathStrmm(COLS, LEFT, UP, 0, FULL, 2, 3, 1, a, 2, b, 2), 4, "transa");
  REFUSED(affinimathStrmm(COLS, LEFT, UP, KEEP, 0, 2, 3, 1, a, 2, b, 2), 5, "diag");
  REFUSED(affinimathStrmm(COLS, LEFT, UP, KEEP, FULL, -2, 3, 1, a, 2, b, 2), 6, "m");
  REFUSED(affinimathStrmm(COLS, LEFT, UP, KEEP, FULL, 2, -3, 1, a, 2, b, 2), 7, "n");
  REFUSED(affinimathStrmm(COLS, LEFT, UP, KEEP, FULL, 2, 3, 1, NULL, 2, b, 2), 9, "a");
  REFUSED(affinimathStrmm(COLS, RIGHT, UP, KEEP, FULL, 2, 3, 1, a, 2, b, 2), 10, "lda");
  REFUSED(affinimathStrmm(COLS, LEFT, UP, KEEP, FULL, 2, 3, 1, a, 2, NULL, 2), 11, "b");
  REFUSED(affinimathStrmm(COLS, LEFT, UP, KEEP, FULL, 2, 3, 1, a, 2, b, 1), 12, "ldb");
  CHECK(affinimathStrmm(COLS, LEFT, UP, KEEP, FULL, 0, 3, 1, NULL, 1, NULL, 1) == AFFINIMATH_SUCCESS, "m = 0");
}

int main(void)
{
  symmetric();
  updates();
  triangular();
  hermitian();
  wrong_symm();
  wrong_updates();
  wrong_trmm();
  return report("triangles_host");
}
