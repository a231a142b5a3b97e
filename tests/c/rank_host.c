/* QR with column pivoting and least squares of any rank on host pointers: solutions, ranks, initial columns, conditions
   of what is not finite, and every wrong argument. */

#include <math.h>

#include "count.h"

enum { ROW = AFFINIMATH_ROW_MAJOR, COL = AFFINIMATH_COL_MAJOR };

static int near(double x, double y)
{
  return fabs(x - y) < 1e-14;
}

/* Column 2 is twice column 1, and column 3 is zero: of all x with x1 + 2 x2 = 1 the least is (0.2, 0.4, 0). */
static void least_squares(void)
{
  double rows[12] = {1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0}, columns[12] = {1, 1, 1, 1, 2, 2, 2, 2, 0, 0, 0, 0};
  double b[4] = {1, 1, 1, 1}, c[4] = {1, 1, 1, 1};
  int32_t jpvt[3] = {0, 0, 0}, initial[3] = {1, 0, 0}, rank = -1;
  CHECK(affinimathDgelsy(ROW, 4, 3, 1, rows, 3, b, 1, jpvt, 1e-12, &rank) == 0 && rank == 1, "rows");
  CHECK(near(b[0], 0.2) && near(b[1], 0.4) && near(b[2], 0) && jpvt[0] == 2, "the solution of least norm");
  rank = -1;
  CHECK(affinimathDgelsy(COL, 4, 3, 1, columns, 4, c, 4, initial, 1e-12, &rank) == 0 && rank == 1, "columns");
  CHECK(near(c[0], 0.2) && near(c[1], 0.4) && near(c[2], 0) && initial[0] == 1, "an initial column");
}

static void complex_least_squares(void)
{
  affinimath_c64 a[4], b[2];
  int32_t jpvt[2] = {0, 0}, rank = -1;
  int i;
  memset(a, 0, sizeof a);
  memset(b, 0, sizeof b);
  for (i = 0; i < 4; ++i) a[i].im = 1;
  b[0].im = b[1].im = 2;
  CHECK(affinimathZgelsy(COL, 2, 2, 1, a, 2, b, 2, jpvt, 1e-12, &rank) == 0 && rank == 1, "zgelsy");
  CHECK(near(b[0].re, 1) && near(b[0].im, 0) && near(b[1].re, 1) && near(b[1].im, 0), "its solution");
}

static void pivots(void)
{
  double a[4] = {1, 0, 3, 4}, tau[2];
  int32_t jpvt[2] = {0, 0};
  CHECK(affinimathDgeqp3(COL, 2, 2, a, 2, jpvt, tau) == 0 && jpvt[0] == 2 && jpvt[1] == 1, "geqp3");
  CHECK(near(fabs(a[0]), 5) && near(fabs(a[2]), 0.6) && near(fabs(a[3]), 0.8), "R");
  CHECK(affinimathDgeqp3(COL, 0, 2, NULL, 1, jpvt, NULL) == 0 && jpvt[0] == 1 && jpvt[1] == 2, "no rows");
  CHECK(affinimathDgeqp3(COL, 2, 0, NULL, 2, NULL, NULL) == 0, "no columns");
}

static void nothing(void)
{
  double b[2] = {7, 7}, a[2] = {7, 7};
  int32_t jpvt[2] = {0, 0}, rank = -1;
  CHECK(affinimathDgelsy(COL, 0, 2, 1, NULL, 1, b, 2, jpvt, 0, &rank) == 0 && rank == 0, "no rows");
  CHECK(b[0] == 0 && b[1] == 0, "the least of all");
  b[0] = 7;
  rank = -1;
  CHECK(affinimathDgelsy(COL, 1, 0, 1, NULL, 1, b, 1, NULL, 0, &rank) == 0 && rank == 0 && b[0] == 7, "no columns");
  rank = -1;
  CHECK(affinimathDgelsy(COL, 1, 2, 0, NULL, 1, NULL, 2, NULL, 0, &rank) == 0 && rank == 0, "no right-hand sides");
  CHECK(affinimathDgelsy(COL, 1, 2, 0, a, 1, b, 2, jpvt, 0, &rank) == 0, "no right-hand sides");
  CHECK(a[0] == 7 && b[0] == 7, "nothing is touched");
}

static void conditions(void)
{
  const double nan = sqrt(-1.0), infinity = HUGE_VAL;
  double a[4] = {2, 0, 0, 1}, rcond = -7;
  const int one = AFFINIMATH_ONE_NORM;
  CHECK(affinimathDgecon(COL, one, 2, a, 2, nan, &rcond) == 0 && rcond != rcond, "a norm that is NaN");
  CHECK(affinimathDgecon(COL, one, 2, a, 2, infinity, &rcond) == 0 && rcond == 0, "an infinite norm");
  CHECK(affinimathDpocon(COL, AFFINIMATH_LOWER, 2, a, 2, nan, &rcond) == 0 && rcond != rcond, "a norm that is NaN");
  CHECK(affinimathDpocon(COL, AFFINIMATH_LOWER, 2, a, 2, infinity, &rcond) == 0 && rcond == 0, "an infinite norm");
  a[3] = nan;
  CHECK(affinimathDtrcon(COL, one, AFFINIMATH_LOWER, AFFINIMATH_NON_UNIT, 2, a, 2, &rcond) == 0 && rcond == 0, "a NaN");
  CHECK(affinimathDgecon(COL, one, 2, a, 2, 1, &rcond) == 0 && rcond != rcond, "factors with a NaN");
  rcond = -7;
  CHECK(affinimathDgecon(COL, one, 2, a, 2, -1, &rcond) == -6 && rcond == -7, "a negative norm");
}

#define REFUSED(call, index, name) \
  CHECK((call) == -(index) && strstr(affinimathLastError(), name) != NULL, #call)

static void wrong_arguments(void)
{
  double a[4] = {1, 0, 0, 1}, b[2] = {7, 7}, tau[2];
  int32_t p[2] = {9, 9}, rank = -9;
  REFUSED(affinimathDgelsy(1, 2, 2, 1, a, 2, b, 2, p, 0, &rank), 1, "layout");
  REFUSED(affinimathDgelsy(COL, -1, 2, 1, a, 2, b, 2, p, 0, &rank), 2, "argument m");
  REFUSED(affinimathDgelsy(COL, 2, -1, 1, a, 2, b, 2, p, 0, &rank), 3, "argument n");
  REFUSED(affinimathDgelsy(COL, 2, (int64_t)1 << 32, 1, a, 2, b, 2, p, 0, &rank), 3, "argument n");
  REFUSED(affinimathDgelsy(COL, 2, 2, -1, a, 2, b, 2, p, 0, &rank), 4, "nrhs");
  REFUSED(affinimathDgelsy(COL, 2, 2, 1, NULL, 2, b, 2, p, 0, &rank), 5, "argument a");
  REFUSED(affinimathDgelsy(COL, 2, 2, 1, a, 1, b, 2, p, 0, &rank), 6, "lda");
  REFUSED(affinimathDgelsy(COL, 2, 2, 1, a, 2, NULL, 2, p, 0, &rank), 7, "argument b");
  REFUSED(affinimathDgelsy(COL, 2, 2, 1, a, 2, b, 1, p, 0, &rank), 8, "ldb");
  REFUSED(affinimathDgelsy(COL, 2, 2, 1, a, 2, b, 2, NULL, 0, &rank), 9, "jpvt");
  REFUSED(affinimathDgelsy(COL, 2, 2, 1, a, 2, b, 2, p, sqrt(-1.0), &rank), 10, "rcond");
  REFUSED(affinimathDgelsy(COL, 2, 2, 1, a, 2, b, 2, p, 0, NULL), 11, "rank");
  REFUSED(affinimathDgeqp3(1, 2, 2, a, 2, p, tau), 1, "layout");
  REFUSED(affinimathDgeqp3(COL, -1, 2, a, 2, p, tau), 2, "argument m");
  REFUSED(affinimathDgeqp3(COL, 2, -1, a, 2, p, tau), 3, "argument n");
  REFUSED(affinimathDgeqp3(COL, 2, 2, NULL, 2, p, tau), 4, "argument a");
  REFUSED(affinimathDgeqp3(COL, 2, 2, a, 1, p, tau), 5, "lda");
  REFUSED(affinimathDgeqp3(COL, 2, 2, a, 2, NULL, tau), 6, "jpvt");
  REFUSED(affinimathDgeqp3(COL, 2, 2, a, 2, p, NULL), 7, "tau");
  CHECK(a[0] == 1 && a[1] == 0 && b[0] == 7 && p[0] == 9 && p[1] == 9 && rank == -9, "nothing was touched");
}

int main(void)
{
  least_squares();
  complex_least_squares();
  pivots();
  nothing();
  conditions();
  wrong_arguments();
  return report("rank_host");
}
