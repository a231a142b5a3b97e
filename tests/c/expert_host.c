/* Expert drivers, equilibration and rook pivoting on host pointers: solutions with their bounds, given factors,
   singular matrices, and every wrong argument. */

#include <math.h>

#include "count.h"

enum { ROW = AFFINIMATH_ROW_MAJOR, COL = AFFINIMATH_COL_MAJOR, N = AFFINIMATH_NO_TRANS };
enum { COMPUTED = AFFINIMATH_FACT_COMPUTED, EQUILIBRATED = AFFINIMATH_FACT_EQUILIBRATED };
enum { GIVEN = AFFINIMATH_FACT_GIVEN, UP = AFFINIMATH_UPPER, LOW = AFFINIMATH_LOWER };

static int near(double x, double y)
{
  return fabs(x - y) < 1e-13;
}

/* Rows of different sizes; the solution is (1, 1). */
static void general(void)
{
  double a[4] = {1e9, 2e9, 3, 4}, af[4], b[2] = {3e9, 7}, x[2], r[2], c[2], rcond = -1, ferr = -1, berr = -1;
  int32_t pivots[2];
  char equed = '?';
  CHECK(affinimathDgesvx(ROW, EQUILIBRATED, N, 2, 1, a, 2, af, 2, pivots, &equed, r, c, b, 1, x, 1, &rcond, &ferr,
                         &berr) == 0, "gesvx");
  CHECK(equed == 'R' && near(r[0], 0.5e-9) && near(r[1], 0.25), "its rows are scaled");
  CHECK(near(a[1], 1) && near(a[3], 1) && near(b[0], 1.5), "A and B are scaled");
  CHECK(near(x[0], 1) && near(x[1], 1) && fabs(x[0] - 1) <= ferr && ferr < 1e-12 && berr < 1e-15, "its solution");
  CHECK(rcond > 0.02 && rcond < 0.3, "its condition");
  x[0] = x[1] = 7;
  b[0] = 3e9;
  b[1] = 7;
  CHECK(affinimathDgesvx(ROW, GIVEN, N, 2, 1, a, 2, af, 2, pivots, &equed, r, NULL, b, 1, x, 1, &rcond, &ferr, &berr) ==
        0, "given factors");
  CHECK(near(x[0], 1) && near(x[1], 1) && equed == 'R', "the same solution");
}

static void definite_and_indefinite(void)
{
  double a[4] = {4, 7, 2, 3}, af[4], b[2] = {6, 5}, x[2], s[2], rcond = -1, ferr = -1, berr = -1;
  int32_t pivots[2];
  char equed = '?';
  CHECK(affinimathDposvx(COL, EQUILIBRATED, UP, 2, 1, a, 2, af, 2, &equed, s, b, 2, x, 2, &rcond, &ferr, &berr) == 0,
        "posvx");
  CHECK(near(x[0], 1) && near(x[1], 1) && equed == 'N' && a[1] == 7, "its solution");
  CHECK(affinimathDsysvx(COL, COMPUTED, UP, 2, 1, a, 2, af, 2, pivots, b, 2, x, 2, &rcond, &ferr, &berr) == 0, "sysvx");
  CHECK(near(x[0], 1) && near(x[1], 1) && rcond > 0 && ferr < 1e-12, "its solution");
  a[3] = -3;
  CHECK(affinimathDposvx(COL, COMPUTED, UP, 2, 1, a, 2, af, 2, &equed, NULL, b, 2, x, 2, &rcond, &ferr, &berr) == 2,
        "a negative minor");
  CHECK(rcond == 0, "no condition");
}

/* A pivot of zero in every step: D is one block. */
static void rook(void)
{
  double a[4] = {0, 7, 2, 0}, b[2] = {2, 4}, rcond = -1;
  int32_t pivots[2] = {9, 9};
  CHECK(affinimathDsysvRook(COL, UP, 2, 1, a, 2, pivots, b, 2) == 0, "sysvRook");
  CHECK(near(b[0], 2) && near(b[1], 1) && pivots[0] == -1 && pivots[1] == -2, "its solution and pivots");
  CHECK(affinimathDsyconRook(COL, UP, 2, a, 2, pivots, 2, &rcond) == 0 && near(rcond, 1), "syconRook");
  b[0] = 2;
  b[1] = 4;
  CHECK(affinimathDsytrsRook(COL, UP, 2, 1, a, 2, pivots, b, 2) == 0 && near(b[0], 2), "sytrsRook");
  CHECK(affinimathDsytriRook(COL, UP, 2, a, 2, pivots) == 0 && near(a[2], 0.5) && a[1] == 7, "sytriRook");
}

static void singular(void)
{
  double a[4] = {1, 2, 2, 4}, af[4], b[2] = {1, 1}, x[2] = {7, 7}, rcond = -1, ferr, berr;
  int32_t pivots[2];
  char equed = '?';
  CHECK(affinimathDgesvx(COL, COMPUTED, N, 2, 1, a, 2, af, 2, pivots, &equed, NULL, NULL, b, 2, x, 2, &rcond, &ferr,
                         &berr) == 2, "a zero pivot");
  CHECK(rcond == 0 && x[0] == 7 && equed == 'N', "no solution");
  a[3] = 4 + 1e-15;
  CHECK(affinimathDgesvx(COL, COMPUTED, N, 2, 1, a, 2, af, 2, pivots, &equed, NULL, NULL, b, 2, x, 2, &rcond, &ferr,
                         &berr) == 3, "singular to working precision");
  CHECK(rcond > 0 && rcond < 1.2e-16 && x[0] != 7, "the solution is computed");
}

static void factors(void)
{
  double a[4] = {4, 0, 2, 8}, r[2], c[2], rows, columns, largest;
  CHECK(affinimathDgeequ(ROW, 2, 2, a, 2, r, c, &rows, &columns, &largest) == 0, "geequ");
  CHECK(r[0] == 0.25 && r[1] == 0.125 && c[0] == 1 && c[1] == 1 && rows == 0.5 && largest == 8, "its factors");
  a[0] = a[1] = 0;
  CHECK(affinimathDgeequb(ROW, 2, 2, a, 2, r, c, &rows, &columns, &largest) == 1, "a row of zeros");
  CHECK(affinimathDgeequ(COL, 0, 2, NULL, 1, NULL, NULL, &rows, &columns, &largest) == 0 && rows == 1 && largest == 0,
        "no rows");
  a[0] = 4;
  a[3] = 16;
  CHECK(affinimathDpoequ(COL, 2, a, 2, r, &rows, &largest) == 0 && r[0] == 0.5 && r[1] == 0.25 && rows == 0.5, "poequ");
  a[3] = -1;
  CHECK(affinimathDpoequb(COL, 2, a, 2, r, &rows, &largest) == 2, "not positive");
}

static void nothing(void)
{
  double rcond = -1;
  char equed = '?';
  CHECK(affinimathDgesvx(COL, EQUILIBRATED, N, 0, 0, NULL, 1, NULL, 1, NULL, &equed, NULL, NULL, NULL, 1, NULL, 1,
                         &rcond, NULL, NULL) == 0 && rcond == 1 && equed == 'N', "no equations");
  CHECK(affinimathDgerfs(COL, N, 3, 0, NULL, 3, NULL, 3, NULL, NULL, 3, NULL, 3, NULL, NULL) == 0, "no columns");
  CHECK(affinimathDsytrfRook(COL, UP, 0, NULL, 1, NULL) == 0, "no rows");
}

#define REFUSED(call, index, what) CHECK((call) == -(index), what)

static void wrong_arguments(void)
{
  double a[4] = {2, 0, 0, 2}, f[4] = {2, 0, 0, 2}, r[2] = {1, 1}, c[2] = {1, 1}, b[2] = {7, 7}, x[2] = {7, 7};
  double v = -7, e[1] = {-7}, g[1] = {-7}, zero[2] = {1, 0};
  int32_t p[2] = {1, 2}, q[2] = {9, 9};
  char equed = 'B', no = 'X';
  REFUSED(affinimathDgesvx(1, GIVEN, N, 2, 1, a, 2, f, 2, p, &equed, r, c, b, 2, x, 2, &v, e, g), 1, "layout");
  REFUSED(affinimathDgesvx(COL, 1, N, 2, 1, a, 2, f, 2, p, &equed, r, c, b, 2, x, 2, &v, e, g), 2, "fact");
  REFUSED(affinimathDgesvx(COL, GIVEN, 1, 2, 1, a, 2, f, 2, p, &equed, r, c, b, 2, x, 2, &v, e, g), 3, "trans");
  REFUSED(affinimathDgesvx(COL, GIVEN, N, -1, 1, a, 2, f, 2, p, &equed, r, c, b, 2, x, 2, &v, e, g), 4, "n");
  REFUSED(affinimathDgesvx(COL, GIVEN, N, 2, -1, a, 2, f, 2, p, &equed, r, c, b, 2, x, 2, &v, e, g), 5, "nrhs");
  REFUSED(affinimathDgesvx(COL, GIVEN, N, 2, 1, NULL, 2, f, 2, p, &equed, r, c, b, 2, x, 2, &v, e, g), 6, "a");
  REFUSED(affinimathDgesvx(COL, GIVEN, N, 2, 1, a, 1, f, 2, p, &equed, r, c, b, 2, x, 2, &v, e, g), 7, "lda");
  REFUSED(affinimathDgesvx(COL, GIVEN, N, 2, 1, a, 2, NULL, 2, p, &equed, r, c, b, 2, x, 2, &v, e, g), 8, "af");
  REFUSED(affinimathDgesvx(COL, GIVEN, N, 2, 1, a, 2, f, 1, p, &equed, r, c, b, 2, x, 2, &v, e, g), 9, "ldaf");
  REFUSED(affinimathDgesvx(COL, GIVEN, N, 2, 1, a, 2, f, 2, NULL, &equed, r, c, b, 2, x, 2, &v, e, g), 10, "ipiv");
  REFUSED(affinimathDgesvx(COL, GIVEN, N, 2, 1, a, 2, f, 2, q, &equed, r, c, b, 2, x, 2, &v, e, g), 10, "its rows");
  REFUSED(affinimathDgesvx(COL, GIVEN, N, 2, 1, a, 2, f, 2, p, NULL, r, c, b, 2, x, 2, &v, e, g), 11, "equed");
  REFUSED(affinimathDgesvx(COL, GIVEN, N, 2, 1, a, 2, f, 2, p, &no, r, c, b, 2, x, 2, &v, e, g), 11, "a letter");
  REFUSED(affinimathDgesvx(COL, GIVEN, N, 2, 1, a, 2, f, 2, p, &equed, NULL, c, b, 2, x, 2, &v, e, g), 12, "r");
  REFUSED(affinimathDgesvx(COL, GIVEN, N, 2, 1, a, 2, f, 2, p, &equed, zero, c, b, 2, x, 2, &v, e, g), 12, "a zero");
  REFUSED(affinimathDgesvx(COL, GIVEN, N, 2, 1, a, 2, f, 2, p, &equed, r, zero, b, 2, x, 2, &v, e, g), 13, "c");
  REFUSED(affinimathDgesvx(COL, GIVEN, N, 2, 1, a, 2, f, 2, p, &equed, r, c, NULL, 2, x, 2, &v, e, g), 14, "b");
  REFUSED(affinimathDgesvx(COL, GIVEN, N, 2, 1, a, 2, f, 2, p, &equed, r, c, b, 1, x, 2, &v, e, g), 15, "ldb");
  REFUSED(affinimathDgesvx(COL, GIVEN, N, 2, 1, a, 2, f, 2, p, &equed, r, c, b, 2, NULL, 2, &v, e, g), 16, "x");
  REFUSED(affinimathDgesvx(COL, GIVEN, N, 2, 1, a, 2, f, 2, p, &equed, r, c, b, 2, x, 1, &v, e, g), 17, "ldx");
  REFUSED(affinimathDgesvx(COL, GIVEN, N, 2, 1, a, 2, f, 2, p, &equed, r, c, b, 2, x, 2, NULL, e, g), 18, "rcond");
  REFUSED(affinimathDgesvx(COL, GIVEN, N, 2, 1, a, 2, f, 2, p, &equed, r, c, b, 2, x, 2, &v, NULL, g), 19, "ferr");
  REFUSED(affinimathDgesvx(COL, GIVEN, N, 2, 1, a, 2, f, 2, p, &equed, r, c, b, 2, x, 2, &v, e, NULL), 20, "berr");
  REFUSED(affinimathDsysvx(COL, EQUILIBRATED, UP, 2, 1, a, 2, f, 2, p, b, 2, x, 2, &v, e, g), 2, "sysvx scales none");
  REFUSED(affinimathDsytrfRook(COL, 1, 2, a, 2, p), 2, "uplo");
  REFUSED(affinimathDsytrfRook(COL, LOW, 2, a, 1, p), 5, "lda of sytrfRook");
  REFUSED(affinimathDsytrsRook(COL, LOW, 2, 1, a, 2, q, b, 2), 7, "pivots of no factors");
  REFUSED(affinimathDsycon(COL, LOW, 2, a, 2, p, -1, &v), 7, "anorm");
  REFUSED(affinimathDgerfs(COL, N, 2, 1, a, 2, f, 2, p, b, 2, x, 1, e, g), 13, "ldx of gerfs");
  REFUSED(affinimathDpoequ(COL, 2, a, 2, r, NULL, &v), 6, "scond");
  REFUSED(affinimathDtbtrs(COL, LOW, N, 1, 2, 0, 1, a, 1, b, 2), 4, "diag of tbtrs");
  REFUSED(affinimathDgtcon(1, 2, r, a, r, NULL, p, 1, &v), 1, "norm of gtcon");
  CHECK(b[0] == 7 && x[0] == 7 && v == -7 && e[0] == -7 && g[0] == -7 && a[0] == 2, "nothing was touched");
}

int main(void)
{
  general();
  definite_and_indefinite();
  rook();
  singular();
  factors();
  nothing();
  wrong_arguments();
  return report("expert_host");
}
