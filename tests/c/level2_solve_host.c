/* Level 2's triangular solves on host pointers: a result each with exact values, quick returns, and every wrong
   argument. */

#include "count.h"

enum {
  ROWS = AFFINIMATH_ROW_MAJOR,
  COLS = AFFINIMATH_COL_MAJOR,
  KEEP = AFFINIMATH_NO_TRANS,
  TURN = AFFINIMATH_TRANS,
  UP = AFFINIMATH_UPPER,
  LOW = AFFINIMATH_LOWER,
  STORED = AFFINIMATH_NON_UNIT,
  UNIT = AFFINIMATH_UNIT
};

#define GIVES(call, found, expected) \
  CHECK((call) == AFFINIMATH_SUCCESS && memcmp(found, expected, sizeof(expected)) == 0, #call)

/* The rows of the lower triangle are (2), (3, 4) and (0, 6, 8); what is nobody's holds -7. */
static void real_solves(void)
{
  static const double FULL[9] = {2, 3, 0, -7, 4, 6, -7, -7, 8}, BAND[6] = {2, 3, 4, 6, 8, -7};
  static const double PACKED[6] = {2, 3, 0, 4, 6, 8};
  /* A (1, 2, 3) = (2, 11, 36); its transpose times that is (8, 26, 24); with ones on the diagonal (1, 5, 15). */
  static const double SOLUTION[3] = {1, 2, 3}, BACKWARD[5] = {3, -7, 2, -7, 1};
  double x[3] = {2, 11, 36}, y[5] = {24, -7, 26, -7, 8}, z[3] = {1, 5, 15}, u[3] = {2, 11, 36}, v[3] = {2, 11, 36};
  double w[3] = {8, 26, 24};
  GIVES(affinimathDtrsv(COLS, LOW, KEEP, STORED, 3, FULL, 3, x, 1), x, SOLUTION);
  GIVES(affinimathDtrsv(COLS, LOW, TURN, STORED, 3, FULL, 3, y, -2), y, BACKWARD);
  GIVES(affinimathDtrsv(COLS, LOW, KEEP, UNIT, 3, FULL, 3, z, 1), z, SOLUTION);
  GIVES(affinimathDtbsv(COLS, LOW, KEEP, STORED, 3, 1, BAND, 2, u, 1), u, SOLUTION);
  GIVES(affinimathDtpsv(COLS, LOW, KEEP, STORED, 3, PACKED, v, 1), v, SOLUTION);
  /* The same memory by rows is the transpose. */
  GIVES(affinimathDtpsv(ROWS, UP, KEEP, STORED, 3, PACKED, w, 1), w, SOLUTION);
}

/* The conjugate of 2i is -2i. */
static void complex_solves(void)
{
  static const affinimath_c32 A[1] = {{0, 2}}, KEPT[1] = {{3, -1}}, CONJUGATED[1] = {{-3, 1}};
  affinimath_c32 x[1] = {{2, 6}}, y[1] = {{2, 6}}, z[1] = {{2, 6}};
  GIVES(affinimathCtrsv(COLS, UP, TURN, STORED, 1, A, 1, x, 1), x, KEPT);
  GIVES(affinimathCtrsv(COLS, UP, AFFINIMATH_CONJ_TRANS, STORED, 1, A, 1, y, 1), y, CONJUGATED);
  GIVES(affinimathCtbsv(ROWS, LOW, AFFINIMATH_CONJ_NO_TRANS, STORED, 1, 0, A, 1, z, 1), z, CONJUGATED);
}

#define REFUSED(call, index, name) CHECK((call) == -(index) && strstr(affinimathLastError(), name) != NULL, #call)
#define NOTHING(call) CHECK((call) == AFFINIMATH_SUCCESS, #call)

static void wrong_arguments(void)
{
  float a[9] = {1, 1, 1, 1, 1, 1, 1, 1, 1}, x[3] = {1, 1, 1};
  REFUSED(affinimathStrsv(0, UP, KEEP, STORED, 3, a, 3, x, 1), 1, "layout");
  REFUSED(affinimathStrsv(COLS, 0, KEEP, STORED, 3, a, 3, x, 1), 2, "uplo");
  REFUSED(affinimathStrsv(COLS, UP, 0, STORED, 3, a, 3, x, 1), 3, "trans");
  REFUSED(affinimathStrsv(COLS, UP, KEEP, 0, 3, a, 3, x, 1), 4, "diag");
  REFUSED(affinimathStrsv(COLS, UP, KEEP, STORED, -3, a, 3, x, 1), 5, "n");
  REFUSED(affinimathStrsv(COLS, UP, KEEP, STORED, 3, NULL, 3, x, 1), 6, "a");
  REFUSED(affinimathStrsv(COLS, UP, KEEP, STORED, 3, a, 2, x, 1), 7, "lda");
  REFUSED(affinimathStrsv(COLS, UP, KEEP, STORED, 3, a, 3, NULL, 1), 8, "x");
  REFUSED(affinimathStrsv(COLS, UP, KEEP, STORED, 3, a, 3, x, 0), 9, "incx");
  REFUSED(affinimathStbsv(0, UP, KEEP, STORED, 3, 1, a, 2, x, 1), 1, "layout");
  REFUSED(affinimathStbsv(COLS, 1, KEEP, STORED, 3, 1, a, 2, x, 1), 2, "uplo");
  REFUSED(affinimathStbsv(COLS, UP, 1, STORED, 3, 1, a, 2, x, 1), 3, "trans");
  REFUSED(affinimathStbsv(COLS, UP, KEEP, 1, 3, 1, a, 2, x, 1), 4, "diag");
  REFUSED(affinimathStbsv(COLS, UP, KEEP, STORED, -1, 1, a, 2, x, 1), 5, "n");
  REFUSED(affinimathStbsv(COLS, UP, KEEP, STORED, 3, -1, a, 2, x, 1), 6, "k");
  REFUSED(affinimathStbsv(COLS, UP, KEEP, STORED, 3, 1, NULL, 2, x, 1), 7, "a");
  REFUSED(affinimathStbsv(COLS, UP, KEEP, STORED, 3, 1, a, 1, x, 1), 8, "lda");
  REFUSED(affinimathStbsv(COLS, UP, KEEP, STORED, 3, 1, a, 2, NULL, 1), 9, "x");
  REFUSED(affinimathStbsv(COLS, UP, KEEP, STORED, 3, 1, a, 2, x, 0), 10, "incx");
  REFUSED(affinimathStpsv(0, UP, KEEP, STORED, 3, a, x, 1), 1, "layout");
  REFUSED(affinimathStpsv(COLS, 1, KEEP, STORED, 3, a, x, 1), 2, "uplo");
  REFUSED(affinimathStpsv(COLS, UP, 1, STORED, 3, a, x, 1), 3, "trans");
  REFUSED(affinimathStpsv(COLS, UP, KEEP, 1, 3, a, x, 1), 4, "diag");
  REFUSED(affinimathStpsv(COLS, UP, KEEP, STORED, -1, a, x, 1), 5, "n");
  REFUSED(affinimathStpsv(COLS, UP, KEEP, STORED, 3, NULL, x, 1), 6, "ap");
  REFUSED(affinimathStpsv(COLS, UP, KEEP, STORED, 3, a, NULL, 1), 7, "x");
  REFUSED(affinimathStpsv(COLS, UP, KEEP, STORED, 3, a, x, 0), 8, "incx");
  NOTHING(affinimathStrsv(COLS, UP, KEEP, STORED, 0, NULL, 1, NULL, 1));
  NOTHING(affinimathStbsv(COLS, UP, KEEP, STORED, 0, 2, NULL, 3, NULL, 1));
  NOTHING(affinimathStpsv(COLS, UP, KEEP, STORED, 0, NULL, NULL, 1));
}

int main(void)
{
  real_solves();
  complex_solves();
  wrong_arguments();
  return report("level2_solve_host");
}
