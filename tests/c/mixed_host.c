/* Solutions in mixed precision on host pointers: in both layouts, what is left of A, the reasons to do without, and
   every wrong argument. C89. */

#include <math.h>

#include "count.h"

enum { N = 4, LD = 5, RIGHTS = 2, COL = AFFINIMATH_COL_MAJOR, ROW = AFFINIMATH_ROW_MAJOR, LOWER = AFFINIMATH_LOWER };

/* Symmetric and positive definite, times a factor; the same in both layouts. */
static void fill(double *a, double factor)
{
  int i, j;
  for (i = 0; i < LD * LD; ++i) {
    a[i] = -77.0;
  }
  for (j = 0; j < N; ++j) {
    for (i = 0; i < N; ++i) {
      a[j * LD + i] = factor * (i == j ? 4.0 : 1.0 / (1 + (i > j ? i - j : j - i)));
    }
  }
}

/* Right-hand sides whose solutions are ones, and twos. */
static void row_sums(const double *a, double *b, int layout)
{
  int i, j, k;
  for (i = 0; i < LD * LD; ++i) {
    b[i] = -77.0;
  }
  for (i = 0; i < N; ++i) {
    for (k = 0; k < RIGHTS; ++k) {
      double *place = layout == COL ? &b[k * LD + i] : &b[i * LD + k];
      *place = 0;
      for (j = 0; j < N; ++j) {
        *place += (k + 1) * a[j * LD + i];
      }
    }
  }
}

static int solves(const double *x, int layout)
{
  int i, k, good = x[layout == COL ? N : RIGHTS] == -77.0;
  for (i = 0; i < N; ++i) {
    for (k = 0; k < RIGHTS; ++k) {
      good = good && fabs((layout == COL ? x[k * LD + i] : x[i * LD + k]) - (k + 1)) < 1e-14;
    }
  }
  return good;
}

static void real_systems(void)
{
  static const int LAYOUTS[2] = {COL, ROW};
  double a[LD * LD], b[LD * LD], x[LD * LD], before[LD * LD];
  int32_t pivots[N], iter = -9;
  int k, i;
  for (k = 0; k < 2; ++k) {
    const int layout = LAYOUTS[k];
    fill(a, 1);
    memcpy(before, a, sizeof a);
    row_sums(a, b, layout);
    for (i = 0; i < LD * LD; ++i) {
      x[i] = -77.0;
    }
    CHECK(affinimathDsgesv(layout, N, RIGHTS, a, LD, pivots, b, LD, x, LD, &iter) == 0, "dsgesv");
    CHECK(iter >= 1 && iter <= 3 && solves(x, layout), "its solution");
    CHECK(memcmp(a, before, sizeof a) == 0 && pivots[0] == 1 && pivots[N - 1] == N, "A, and the pivots");
    iter = -9;
    CHECK(affinimathDsposv(layout, LOWER, N, RIGHTS, a, LD, b, LD, x, LD, &iter) == 0, "dsposv");
    CHECK(iter >= 1 && iter <= 3 && solves(x, layout) && memcmp(a, before, sizeof a) == 0, "its solution");

    fill(a, 1e100);
    row_sums(a, b, layout);
    CHECK(affinimathDsgesv(layout, N, RIGHTS, a, LD, pivots, b, LD, x, LD, &iter) == 0, "dsgesv of large numbers");
    CHECK(iter == -2 && solves(x, layout) && a[0] == 4e100 && fabs(a[LD] / a[1]) != 1,
          "which are factorised in double");
  }
}

static void without_a_solution(void)
{
  double a[LD * LD], b[LD * LD], x[LD * LD];
  int32_t pivots[N], iter = -9;
  int i;
  fill(a, 1);
  row_sums(a, b, COL);
  for (i = 0; i < N; ++i) {
    a[LD + i] = 0;
  }
  CHECK(affinimathDsgesv(COL, N, RIGHTS, a, LD, pivots, b, LD, x, LD, &iter) == 2 && iter == -3, "a singular matrix");
  fill(a, 1);
  a[2 * LD + 2] = -1;
  iter = -9;
  CHECK(affinimathDsposv(COL, LOWER, N, RIGHTS, a, LD, b, LD, x, LD, &iter) == 3 && iter == -3, "an indefinite matrix");
  iter = -9;
  CHECK(affinimathDsgesv(COL, 0, RIGHTS, NULL, 1, NULL, NULL, 1, NULL, 1, &iter) == 0 && iter == 0, "nothing");
}

/* [4 2i; -2i 5] x = [4 + 2i; 5 - 2i] has the solution [1; 1]. */
static void complex_systems(void)
{
  affinimath_c64 a[4], b[2], x[2];
  int32_t pivots[2], iter = -9;
  memset(a, 0, sizeof a);
  a[0].re = 4;
  a[1].im = -2;
  a[2].im = 2;
  a[3].re = 5;
  b[0].re = 4;
  b[0].im = 2;
  b[1].re = 5;
  b[1].im = -2;
  CHECK(affinimathZcgesv(COL, 2, 1, a, 2, pivots, b, 2, x, 2, &iter) == 0 && iter >= 0, "zcgesv");
  CHECK(fabs(x[0].re - 1) + fabs(x[0].im) + fabs(x[1].re - 1) + fabs(x[1].im) < 1e-14, "its solution");
  a[2].im = -99; /* The other triangle is not read. */
  CHECK(affinimathZcposv(COL, LOWER, 2, 1, a, 2, b, 2, x, 2, &iter) == 0 && iter >= 0, "zcposv");
  CHECK(fabs(x[0].re - 1) + fabs(x[0].im) + fabs(x[1].re - 1) + fabs(x[1].im) < 1e-14, "its solution");
}

#define REFUSED(call, index, name) \
  CHECK((call) == -(index) && strstr(affinimathLastError(), name) != NULL, #call)

static void wrong_arguments(void)
{
  double a[4] = {1, 0, 0, 1}, b[2] = {1, 1}, x[2] = {7, 7};
  int32_t p[2] = {7, 7}, iter = -9;
  REFUSED(affinimathDsgesv(1, 2, 1, a, 2, p, b, 2, x, 2, &iter), 1, "layout");
  REFUSED(affinimathDsgesv(COL, -1, 1, a, 2, p, b, 2, x, 2, &iter), 2, "argument n");
  REFUSED(affinimathDsgesv(COL, 2, -1, a, 2, p, b, 2, x, 2, &iter), 3, "nrhs");
  REFUSED(affinimathDsgesv(COL, 2, 1, NULL, 2, p, b, 2, x, 2, &iter), 4, "argument a");
  REFUSED(affinimathDsgesv(COL, 2, 1, a, 1, p, b, 2, x, 2, &iter), 5, "lda");
  REFUSED(affinimathDsgesv(COL, 2, 1, a, 2, NULL, b, 2, x, 2, &iter), 6, "ipiv");
  REFUSED(affinimathDsgesv(COL, 2, 1, a, 2, p, NULL, 2, x, 2, &iter), 7, "argument b");
  REFUSED(affinimathDsgesv(COL, 2, 1, a, 2, p, b, 1, x, 2, &iter), 8, "ldb");
  REFUSED(affinimathDsgesv(COL, 2, 1, a, 2, p, b, 2, NULL, 2, &iter), 9, "argument x");
  REFUSED(affinimathDsgesv(COL, 2, 1, a, 2, p, b, 2, x, 1, &iter), 10, "ldx");
  REFUSED(affinimathDsgesv(COL, 2, 1, a, 2, p, b, 2, x, 2, NULL), 11, "iter");
  REFUSED(affinimathDsposv(1, LOWER, 2, 1, a, 2, b, 2, x, 2, &iter), 1, "layout");
  REFUSED(affinimathDsposv(COL, 1, 2, 1, a, 2, b, 2, x, 2, &iter), 2, "uplo");
  REFUSED(affinimathDsposv(COL, LOWER, 2, 1, a, 1, b, 2, x, 2, &iter), 6, "lda");
  REFUSED(affinimathDsposv(COL, LOWER, 2, 1, a, 2, b, 1, x, 2, &iter), 8, "ldb");
  REFUSED(affinimathDsposv(COL, LOWER, 2, 1, a, 2, b, 2, x, 1, &iter), 10, "ldx");
  REFUSED(affinimathDsposv(COL, LOWER, 2, 1, a, 2, b, 2, x, 2, NULL), 11, "iter");
  CHECK(iter == -9 && p[0] == 7 && x[0] == 7 && x[1] == 7, "nothing was touched");
}

int main(void)
{
  real_systems();
  without_a_solution();
  complex_systems();
  wrong_arguments();
  return report("mixed_host");
}
