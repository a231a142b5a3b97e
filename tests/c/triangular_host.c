/* trsm on host pointers: results with exact values, in every layout and side, quick returns, and every wrong
   argument. */

#include "count.h"

enum { ROWS = AFFINIMATH_ROW_MAJOR, COLS = AFFINIMATH_COL_MAJOR, KEEP = AFFINIMATH_NO_TRANS, TURN = AFFINIMATH_TRANS };
enum { LEFT = AFFINIMATH_LEFT, RIGHT = AFFINIMATH_RIGHT, UPPER = AFFINIMATH_UPPER, LOWER = AFFINIMATH_LOWER };
enum { STORED = AFFINIMATH_NON_UNIT, UNIT = AFFINIMATH_UNIT };

static int equal(const double *x, const double *y, int n) { return memcmp(x, y, (size_t)n * sizeof *x) == 0; }

static void real_systems(void)
{
  /* By columns: the lower triangle (2, 0; 4, 8), with something else where nothing is read. */
  static const double A[4] = {2, 4, -99, 8}, B[4] = {2, 12, 4, 24};
  static const double LEFT_X[4] = {1, 1, 2, 2}, TURNED_X[4] = {-2, 1.5, -4, 3}, ROWS_X[4] = {0, 0, 0.25, 1.5};
  static const double UNIT_X[4] = {2, 4, 4, 8}, RIGHT_X[4] = {0, 0, 0.5, 3};
  double x[4];
  memcpy(x, B, sizeof x);
  CHECK(affinimathDtrsm(COLS, LEFT, LOWER, KEEP, STORED, 2, 2, 1, A, 2, x, 2) == AFFINIMATH_SUCCESS, "dtrsm");
  CHECK(equal(x, LEFT_X, 4), "dtrsm: left");
  memcpy(x, B, sizeof x);
  CHECK(affinimathDtrsm(COLS, LEFT, LOWER, TURN, STORED, 2, 2, 1, A, 2, x, 2) == AFFINIMATH_SUCCESS, "dtrsm");
  CHECK(equal(x, TURNED_X, 4), "dtrsm: transposed");
  memcpy(x, B, sizeof x);
  CHECK(affinimathDtrsm(COLS, LEFT, LOWER, KEEP, UNIT, 2, 2, 1, A, 2, x, 2) == AFFINIMATH_SUCCESS, "dtrsm");
  CHECK(equal(x, UNIT_X, 4), "dtrsm: a unit diagonal");
  memcpy(x, B, sizeof x);
  CHECK(affinimathDtrsm(COLS, RIGHT, LOWER, KEEP, STORED, 2, 2, 1, A, 2, x, 2) == AFFINIMATH_SUCCESS, "dtrsm");
  CHECK(equal(x, RIGHT_X, 4), "dtrsm: right");
  /* By rows A is (2, 4; -99, 8), of which the upper triangle is read. */
  memcpy(x, B, sizeof x);
  CHECK(affinimathDtrsm(ROWS, LEFT, UPPER, KEEP, STORED, 2, 2, 0.5, A, 2, x, 2) == AFFINIMATH_SUCCESS, "dtrsm");
  CHECK(equal(x, ROWS_X, 4), "dtrsm: rows");
}

static void complex_systems(void)
{
  affinimath_c64 a = {0, 2}, b = {2, 4}, one = {1, 0};
  CHECK(affinimathZtrsm(COLS, LEFT, LOWER, AFFINIMATH_CONJ_TRANS, STORED, 1, 1, one, &a, 1, &b, 1) ==
            AFFINIMATH_SUCCESS,
        "ztrsm");
  /* (2 + 4i) / (-2i) */
  CHECK(b.re == -2 && b.im == 1, "ztrsm");
}

#define REFUSED(call, index, name) \
  CHECK((call) == -(index) && strstr(affinimathLastError(), name) != NULL, #call)

static void wrong_arguments(void)
{
  float a[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, b[6] = {2, 2, 2, 2, 2, 2};
  REFUSED(affinimathStrsm(0, LEFT, LOWER, KEEP, STORED, 2, 3, 1, a, 2, b, 2), 1, "layout");
  REFUSED(affinimathStrsm(COLS, 0, LOWER, KEEP, STORED, 2, 3, 1, a, 2, b, 2), 2, "side");
  REFUSED(affinimathStrsm(COLS, LEFT, 0, KEEP, STORED, 2, 3, 1, a, 2, b, 2), 3, "uplo");
  REFUSED(affinimathStrsm(COLS, LEFT, LOWER, 0, STORED, 2, 3, 1, a, 2, b, 2), 4, "transa");
  REFUSED(affinimathStrsm(COLS, LEFT, LOWER, KEEP, 0, 2, 3, 1, a, 2, b, 2), 5, "diag");
  REFUSED(affinimathStrsm(COLS, LEFT, LOWER, KEEP, STORED, -2, 3, 1, a, 2, b, 2), 6, "m");
  REFUSED(affinimathStrsm(COLS, LEFT, LOWER, KEEP, STORED, 2, -3, 1, a, 2, b, 2), 7, "n");
  REFUSED(affinimathStrsm(COLS, LEFT, LOWER, KEEP, STORED, 2, 3, 1, NULL, 2, b, 2), 9, "a");
  REFUSED(affinimathStrsm(COLS, LEFT, LOWER, KEEP, STORED, 2, 3, 1, a, 1, b, 2), 10, "lda");
  REFUSED(affinimathStrsm(COLS, RIGHT, LOWER, KEEP, STORED, 2, 3, 1, a, 2, b, 2), 10, "lda");
  REFUSED(affinimathStrsm(COLS, LEFT, LOWER, KEEP, STORED, 2, 3, 1, a, 2, NULL, 2), 11, "b");
  REFUSED(affinimathStrsm(COLS, LEFT, LOWER, KEEP, STORED, 2, 3, 1, a, 2, b, 1), 12, "ldb");
  REFUSED(affinimathStrsm(ROWS, LEFT, LOWER, KEEP, STORED, 2, 3, 1, a, 2, b, 2), 12, "ldb");
  CHECK(affinimathStrsm(COLS, LEFT, LOWER, KEEP, STORED, 0, 3, 1, NULL, 1, NULL, 1) == AFFINIMATH_SUCCESS, "m = 0");
  CHECK(affinimathStrsm(COLS, RIGHT, LOWER, KEEP, STORED, 3, 0, 1, NULL, 1, NULL, 3) == AFFINIMATH_SUCCESS, "n = 0");
  CHECK(b[0] == 2 && b[5] == 2, "nothing was touched");
  CHECK(affinimathStrsm(COLS, LEFT, LOWER, KEEP, STORED, 2, 3, 0, NULL, 2, b, 2) == AFFINIMATH_SUCCESS && b[5] == 0,
        "alpha = 0");
}

int main(void)
{
  real_systems();
  complex_systems();
  wrong_arguments();
  return report("triangular_host");
}
