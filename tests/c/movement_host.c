/* omatcopy, imatcopy and omatadd on host pointers: a result each with exact values, quick returns, and every wrong
   argument. */

#include "count.h"

enum { ROWS = AFFINIMATH_ROW_MAJOR, COLS = AFFINIMATH_COL_MAJOR, KEEP = AFFINIMATH_NO_TRANS, TURN = AFFINIMATH_TRANS };

static int equal(const double *x, const double *y, int n) { return memcmp(x, y, (size_t)n * sizeof *x) == 0; }

static void real_matrices(void)
{
  /* Rows (1, 2, 3) and (4, 5, 6), and a place between them that is nobody's. */
  static const double A[8] = {1, 2, 3, -7, 4, 5, 6, -7};
  static const double TURNED[6] = {10, 40, 20, 50, 30, 60}, SUM[6] = {11, 42, 24, 55, 37, 68};
  static const double IN_PLACE[8] = {1, 4, 2, 5, 3, 6, 6, -7}, SQUARE[9] = {1, 3, -7, 2, 4, -7, 0, 0, 0};
  double b[6] = {9, 9, 9, 9, 9, 9}, c[6], d[8], e[9] = {1, 2, -7, 3, 4, -7, 0, 0, 0};
  static const double ONES[6] = {1, 2, 4, 5, 7, 8};
  CHECK(affinimathDomatcopy(ROWS, TURN, 2, 3, 10, A, 4, b, 2) == AFFINIMATH_SUCCESS && equal(b, TURNED, 6),
        "domatcopy");
  CHECK(affinimathDomatadd(ROWS, TURN, KEEP, 3, 2, 10, A, 4, 1, ONES, 2, c, 2) == AFFINIMATH_SUCCESS, "domatadd");
  CHECK(equal(c, SUM, 6), "domatadd");
  memcpy(d, A, sizeof d);
  CHECK(affinimathDimatcopy(ROWS, TURN, 2, 3, 1, d, 4, 2) == AFFINIMATH_SUCCESS && equal(d, IN_PLACE, 8), "dimatcopy");
  CHECK(affinimathDimatcopy(COLS, TURN, 2, 2, 1, e, 3, 3) == AFFINIMATH_SUCCESS && equal(e, SQUARE, 9), "dimatcopy");
}

static void complex_matrices(void)
{
  affinimath_c64 a[2] = {{1, 2}, {3, -4}}, b[2], alpha = {0, 1};
  affinimath_c32 z[2] = {{1, 2}, {3, -4}}, one = {1, 0};
  CHECK(affinimathZomatcopy(COLS, AFFINIMATH_CONJ_TRANS, 2, 1, alpha, a, 2, b, 1) == AFFINIMATH_SUCCESS, "zomatcopy");
  CHECK(b[0].re == 2 && b[0].im == 1 && b[1].re == -4 && b[1].im == 3, "zomatcopy");
  CHECK(affinimathCimatcopy(COLS, AFFINIMATH_CONJ_NO_TRANS, 2, 1, one, z, 2, 2) == AFFINIMATH_SUCCESS, "cimatcopy");
  CHECK(z[0].im == -2 && z[1].im == 4, "cimatcopy");
}

#define REFUSED(call, index, name) \
  CHECK((call) == -(index) && strstr(affinimathLastError(), name) != NULL, #call)
#define NOTHING(call) CHECK((call) == AFFINIMATH_SUCCESS && b[0] == 2, #call)

static void wrong_arguments(void)
{
  float a[6] = {1, 1, 1, 1, 1, 1}, b[6] = {2, 2, 2, 2, 2, 2}, c[6];
  REFUSED(affinimathSomatcopy(0, KEEP, 2, 3, 1, a, 2, b, 2), 1, "layout");
  REFUSED(affinimathSomatcopy(COLS, 0, 2, 3, 1, a, 2, b, 2), 2, "trans");
  REFUSED(affinimathSomatcopy(COLS, KEEP, -1, 3, 1, a, 2, b, 2), 3, "rows");
  REFUSED(affinimathSomatcopy(COLS, KEEP, 2, -1, 1, a, 2, b, 2), 4, "cols");
  REFUSED(affinimathSomatcopy(COLS, KEEP, 2, 3, 1, NULL, 2, b, 2), 6, "a");
  REFUSED(affinimathSomatcopy(COLS, KEEP, 2, 3, 1, a, 1, b, 2), 7, "lda");
  REFUSED(affinimathSomatcopy(COLS, KEEP, 2, 3, 1, a, 2, NULL, 2), 8, "b");
  REFUSED(affinimathSomatcopy(COLS, TURN, 2, 3, 1, a, 2, b, 2), 9, "ldb");
  REFUSED(affinimathSimatcopy(1, KEEP, 2, 3, 1, a, 2, 2), 1, "layout");
  REFUSED(affinimathSimatcopy(COLS, 1, 2, 3, 1, a, 2, 2), 2, "trans");
  REFUSED(affinimathSimatcopy(COLS, KEEP, -2, 3, 1, a, 2, 2), 3, "rows");
  REFUSED(affinimathSimatcopy(COLS, KEEP, 2, -3, 1, a, 2, 2), 4, "cols");
  REFUSED(affinimathSimatcopy(COLS, KEEP, 2, 3, 1, NULL, 2, 2), 6, "a");
  REFUSED(affinimathSimatcopy(COLS, KEEP, 2, 3, 1, a, 1, 2), 7, "lda");
  REFUSED(affinimathSimatcopy(COLS, TURN, 2, 3, 1, a, 2, 2), 8, "ldb");
  REFUSED(affinimathSomatadd(1, KEEP, KEEP, 2, 3, 1, a, 2, 1, b, 2, c, 2), 1, "layout");
  REFUSED(affinimathSomatadd(COLS, 1, KEEP, 2, 3, 1, a, 2, 1, b, 2, c, 2), 2, "transa");
  REFUSED(affinimathSomatadd(COLS, KEEP, 1, 2, 3, 1, a, 2, 1, b, 2, c, 2), 3, "transb");
  REFUSED(affinimathSomatadd(COLS, KEEP, KEEP, -2, 3, 1, a, 2, 1, b, 2, c, 2), 4, "m");
  REFUSED(affinimathSomatadd(COLS, KEEP, KEEP, 2, -3, 1, a, 2, 1, b, 2, c, 2), 5, "n");
  REFUSED(affinimathSomatadd(COLS, KEEP, KEEP, 2, 3, 1, NULL, 2, 1, b, 2, c, 2), 7, "a");
  REFUSED(affinimathSomatadd(COLS, TURN, KEEP, 2, 3, 1, a, 2, 1, b, 2, c, 2), 8, "lda");
  REFUSED(affinimathSomatadd(COLS, KEEP, KEEP, 2, 3, 1, a, 2, 1, NULL, 2, c, 2), 10, "b");
  REFUSED(affinimathSomatadd(COLS, KEEP, TURN, 2, 3, 1, a, 2, 1, b, 2, c, 2), 11, "ldb");
  REFUSED(affinimathSomatadd(COLS, KEEP, KEEP, 2, 3, 1, a, 2, 1, b, 2, NULL, 2), 12, "c");
  REFUSED(affinimathSomatadd(COLS, KEEP, KEEP, 2, 3, 1, a, 2, 1, b, 2, c, 1), 13, "ldc");
  /* Quick returns look at no pointer, and a factor of 0 not at its matrix. */
  NOTHING(affinimathSomatcopy(COLS, KEEP, 0, 3, 1, NULL, 1, NULL, 1));
  NOTHING(affinimathSimatcopy(COLS, TURN, 3, 0, 1, NULL, 3, 1));
  NOTHING(affinimathSomatadd(COLS, KEEP, KEEP, 2, 0, 1, NULL, 2, 1, NULL, 2, NULL, 2));
  CHECK(affinimathSomatcopy(COLS, KEEP, 2, 3, 0, NULL, 2, b, 2) == AFFINIMATH_SUCCESS && b[5] == 0, "alpha = 0");
  CHECK(affinimathSomatadd(COLS, KEEP, KEEP, 2, 3, 0, NULL, 2, 3, a, 2, b, 2) == AFFINIMATH_SUCCESS && b[5] == 3,
        "alpha = 0");
}

int main(void)
{
  real_matrices();
  complex_matrices();
  wrong_arguments();
  return report("movement_host");
}
