/* LAPACK on batches, on host pointers: results with exact values, infos of each matrix, quick returns, and wrong
   arguments. */

#include "count.h"

static const int64_t HIGH = INT64_C(1) << 40;

enum { COLS = AFFINIMATH_COL_MAJOR, KEEP = AFFINIMATH_NO_TRANS, LOWER = AFFINIMATH_LOWER };

static int equal(const double *x, const double *y, int n) { return memcmp(x, y, (size_t)n * sizeof *x) == 0; }

/* A regular matrix, a singular one, and the first one again, an element apart. */
static const double GENERAL[14] = {1, 4, 2, 4, -7, 1, 1, 2, 2, -7, 1, 4, 2, 4};

static void factors_and_solutions(void)
{
  static const double FACTORS[14] = {4, 0.25, 4, 1, -7, 1, 1, 2, 0, -7, 4, 0.25, 4, 1};
  static const double RIGHT[6] = {3, 8, 5, 6, 3, 8}, SOLUTION[6] = {1, 1, 5, 6, 1, 1};
  double a[14], b[6];
  int32_t pivots[9] = {-7, -7, -7, -7, -7, -7, -7, -7, -7}, info[4] = {-7, -7, -7, -7};
  memcpy(a, GENERAL, sizeof a);
  CHECK(affinimathDgetrfStridedBatched(COLS, 2, 2, a, 2, 5, pivots, 3, info, 3) == AFFINIMATH_SUCCESS &&
            equal(a, FACTORS, 14),
        "dgetrfStridedBatched");
  CHECK(pivots[0] == 2 && pivots[1] == 2 && pivots[2] == -7 && pivots[3] == 1 && pivots[4] == 2 && pivots[6] == 2 &&
            pivots[8] == -7,
        "its pivots");
  CHECK(info[0] == 0 && info[1] == 2 && info[2] == 0 && info[3] == -7, "its infos");
  memcpy(b, RIGHT, sizeof b);
  CHECK(affinimathDgetrsStridedBatched(COLS, KEEP, 2, 1, a, 2, 10, pivots, 6, b, 2, 4, 2) == AFFINIMATH_SUCCESS &&
            equal(b, SOLUTION, 6),
        "dgetrsStridedBatched");
  memcpy(a, GENERAL, sizeof a);
  memcpy(b, RIGHT, sizeof b);
  CHECK(affinimathDgesvStridedBatched(COLS, 2, 1, a, 2, 5, pivots, 3, b, 2, 2, info, 3) == AFFINIMATH_SUCCESS &&
            equal(a, FACTORS, 14) && equal(b, SOLUTION, 6) && info[1] == 2,
        "dgesvStridedBatched");
}

static void positive_definite(void)
{
  /* (4, 2; 2, 10), an indefinite matrix, and the first one again. */
  static const double A[12] = {4, 2, -99, 10, 4, 2, -99, -1, 4, 2, -99, 10}, L[4] = {2, 1, -99, 3};
  static const double RIGHT[6] = {6, 12, 5, 6, 6, 12}, SOLUTION[6] = {1, 1, 5, 6, 1, 1};
  double a[12], b[6];
  int32_t info[3] = {-7, -7, -7};
  memcpy(a, A, sizeof a);
  CHECK(affinimathDpotrfStridedBatched(COLS, LOWER, 2, a, 2, 4, info, 3) == AFFINIMATH_SUCCESS && equal(a, L, 4) &&
            equal(a + 8, L, 4),
        "dpotrfStridedBatched");
  CHECK(info[0] == 0 && info[1] == 2 && info[2] == 0, "its infos");
  memcpy(b, RIGHT, sizeof b);
  CHECK(affinimathDpotrsStridedBatched(COLS, LOWER, 2, 1, a, 2, 8, b, 2, 4, 2) == AFFINIMATH_SUCCESS &&
            equal(b, SOLUTION, 6),
        "dpotrsStridedBatched");
  memcpy(a, A, sizeof a);
  memcpy(b, RIGHT, sizeof b);
  CHECK(affinimathDposvStridedBatched(COLS, LOWER, 2, 1, a, 2, 4, b, 2, 2, info, 3) == AFFINIMATH_SUCCESS &&
            equal(b, SOLUTION, 6) && info[0] == 0 && info[1] == 2 && info[2] == 0,
        "dposvStridedBatched");
}

static void reflectors(void)
{
  /* Two columns each: (3, 4) becomes -5, and a column of zeros stays. */
  static const double FACTORS[4] = {-5, 0.5, 0, 0};
  double a[4] = {3, 4, 0, 0}, tau[3] = {-7, -7, -7};
  CHECK(affinimathDgeqrfStridedBatched(COLS, 2, 1, a, 2, 2, tau, 2, 2) == AFFINIMATH_SUCCESS && equal(a, FACTORS, 4),
        "dgeqrfStridedBatched");
  CHECK(tau[0] == 1.6 && tau[1] == -7 && tau[2] == 0, "its factors");
}

static int close_to(double x, double y) { return x - y < 1e-14 && y - x < 1e-14; }

static void eigenvalues_and_singular_values(void)
{
  /* (2, 1; 1, 2), a matrix with NaN, and a diagonal one, five elements apart. The upper triangle is not read. */
  double a[14] = {2, 1, -99, 2, -7, 1, 0, -99, 2, -7, 3, 0, -99, -1};
  double w[9] = {-7, -7, -7, -7, -7, -7, -7, -7, -7}, s[4], u[12], vt[8];
  /* 3 x 2: (3, 0; 4, 0; 0, 1), and zeros. */
  const double b[12] = {3, 4, 0, 0, 0, 1};
  int32_t info[4] = {-7, -7, -7, -7};
  a[6] = strtod("nan", NULL);
  CHECK(affinimathDsyevStridedBatched(COLS, AFFINIMATH_VECTORS, LOWER, 2, a, 2, 5, w, 3, info, 3) ==
            AFFINIMATH_SUCCESS,
        "dsyevStridedBatched");
  CHECK(close_to(w[0], 1) && close_to(w[1], 3) && w[2] == -7 && w[3] != w[3] && w[4] != w[4] &&
            close_to(w[6], -1) && close_to(w[7], 3) && w[8] == -7,
        "its eigenvalues");
  CHECK(close_to(a[0] * a[0], 0.5) && close_to(a[2] * a[2], 0.5) && close_to(a[0], -a[1]) && close_to(a[2], a[3]) &&
            a[4] == -7 && a[5] != a[5] && close_to(a[11] * a[11], 1),
        "its eigenvectors");
  CHECK(info[0] == 0 && info[1] > 0 && info[2] == 0 && info[3] == -7, "its infos");
  CHECK(affinimathDgesvdStridedBatched(COLS, AFFINIMATH_THIN_VECTORS, 3, 2, b, 3, 6, s, 2, u, 3, 6, vt, 2, 4, info,
                                       2) == AFFINIMATH_SUCCESS,
        "dgesvdStridedBatched");
  CHECK(close_to(s[0], 5) && close_to(s[1], 1) && s[2] == 0 && s[3] == 0, "its singular values");
  CHECK(close_to(u[0] * vt[0], 0.6) && close_to(u[1] * vt[0], 0.8) && close_to(u[5] * vt[3], 1), "its vectors");
  CHECK(close_to(u[6] * u[6] + u[7] * u[7] + u[8] * u[8], 1), "vectors of zeros");
  CHECK(affinimathDgesvdStridedBatched(COLS, AFFINIMATH_NO_VECTORS, 3, 2, b, 3, 6, s, 2, NULL, 1, 0, NULL, 1, 0, info,
                                       2) == AFFINIMATH_SUCCESS &&
            close_to(s[0], 5),
        "dgesvdStridedBatched without vectors");
}

#define REFUSED(call, index, name) \
  CHECK((call) == -(index) && strstr(affinimathLastError(), name) != NULL, #call)
#define NOTHING(call) CHECK((call) == AFFINIMATH_SUCCESS, #call)

static void wrong_arguments(void)
{
  float a[8] = {1, 0, 0, 1, 1, 0, 0, 1}, b[4] = {1, 1, 1, 1}, tau[4];
  int32_t p[4] = {1, 2, 1, 3}, info[2] = {-7, -7};
  REFUSED(affinimathSgetrfStridedBatched(0, 2, 2, a, 2, 4, p, 2, info, 2), 1, "layout");
  REFUSED(affinimathSgetrfStridedBatched(COLS, -2, 2, a, 2, 4, p, 2, info, 2), 2, "m");
  /* More rows than pivots number, of one matrix and of a batch. */
  REFUSED(affinimathSgetrf(COLS, HIGH, 1, a, HIGH, p), 2, "more than pivots can number");
  REFUSED(affinimathSgetrfStridedBatched(COLS, HIGH, 1, a, HIGH, HIGH, p, 2, info, 2), 2,
          "more than pivots can number");
  REFUSED(affinimathSgetrfStridedBatched(COLS, 2, 2, NULL, 2, 4, p, 2, info, 2), 4, "a");
  REFUSED(affinimathSgetrfStridedBatched(COLS, 2, 2, a, 1, 4, p, 2, info, 2), 5, "lda");
  REFUSED(affinimathSgetrfStridedBatched(COLS, 2, 2, a, 2, 3, p, 2, info, 2), 6, "stridea");
  REFUSED(affinimathSgetrfStridedBatched(COLS, 2, 2, a, 2, 4, NULL, 2, info, 2), 7, "ipiv");
  REFUSED(affinimathSgetrfStridedBatched(COLS, 2, 2, a, 2, 4, p, 1, info, 2), 8, "strideipiv");
  REFUSED(affinimathSgetrfStridedBatched(COLS, 2, 2, a, 2, 4, p, 2, NULL, 2), 9, "info");
  REFUSED(affinimathSgetrfStridedBatched(COLS, 2, 2, a, 2, 4, p, 2, info, -2), 10, "batch_count");
  REFUSED(affinimathSgetrsStridedBatched(COLS, KEEP, 2, 1, a, 2, 4, p, 2, b, 2, 2, 2), 8, "ipiv");
  REFUSED(affinimathSgetrsStridedBatched(COLS, 0, 2, 1, a, 2, 4, p, 2, b, 2, 2, 2), 2, "trans");
  REFUSED(affinimathSgesvStridedBatched(COLS, 2, 1, a, 2, 4, p, 2, b, 2, 1, info, 2), 11, "strideb");
  REFUSED(affinimathSpotrfStridedBatched(COLS, 0, 2, a, 2, 4, info, 2), 2, "uplo");
  REFUSED(affinimathSpotrfStridedBatched(COLS, LOWER, 2, a, 2, 4, NULL, 2), 7, "info");
  REFUSED(affinimathSpotrsStridedBatched(COLS, LOWER, 2, 1, a, 2, 4, b, 1, 2, 2), 9, "ldb");
  REFUSED(affinimathSposvStridedBatched(COLS, LOWER, 2, 1, a, 2, 4, NULL, 2, 2, info, 2), 8, "b");
  REFUSED(affinimathSgeqrfStridedBatched(COLS, 2, 2, a, 2, 4, tau, 1, 2), 8, "stridetau");
  REFUSED(affinimathSgeqrfStridedBatched(COLS, 2, 2, a, 2, 4, NULL, 2, 2), 7, "tau");
  REFUSED(affinimathSsyevStridedBatched(COLS, 0, LOWER, 2, a, 2, 4, b, 2, info, 2), 2, "jobz");
  REFUSED(affinimathSsyevStridedBatched(COLS, AFFINIMATH_VECTORS, LOWER, 2, a, 2, 4, NULL, 2, info, 2), 8, "w");
  REFUSED(affinimathSsyevStridedBatched(COLS, AFFINIMATH_VECTORS, LOWER, 2, a, 2, 4, b, 1, info, 2), 9, "stridew");
  REFUSED(affinimathSsyevStridedBatched(COLS, AFFINIMATH_VECTORS, LOWER, 2, a, 2, 4, b, 2, NULL, 2), 10, "info");
  REFUSED(affinimathSgesvdStridedBatched(COLS, AFFINIMATH_OVERWRITE, 2, 2, a, 2, 4, b, 2, tau, 2, 4, tau, 2, 4, info,
                                         2),
          2, "jobz");
  REFUSED(affinimathSgesvdStridedBatched(COLS, AFFINIMATH_ALL_VECTORS, 2, 2, a, 2, 4, b, 2, tau, 1, 4, tau, 2, 4, info,
                                         1),
          11, "ldu");
  REFUSED(affinimathSgesvdStridedBatched(COLS, AFFINIMATH_ALL_VECTORS, 2, 2, a, 2, 4, b, 2, tau, 2, 3, tau, 2, 4, info,
                                         2),
          12, "strideu");
  CHECK(a[0] == 1 && b[0] == 1 && info[0] == -7 && p[3] == 3, "nothing was touched");
  NOTHING(affinimathSgetrfStridedBatched(COLS, 2, 2, NULL, 2, 4, NULL, 2, NULL, 0));
  /* Without columns there is nothing to number. */
  NOTHING(affinimathSgetrf(COLS, HIGH, 0, NULL, HIGH, NULL));
  NOTHING(affinimathSgetrf(COLS, 0, HIGH, NULL, 1, NULL));
  NOTHING(affinimathSgetrfStridedBatched(COLS, HIGH, 0, NULL, HIGH, 0, NULL, 0, info, 2));
  CHECK(info[0] == 0 && info[1] == 0, "infos of matrices without columns");
  NOTHING(affinimathSgesvStridedBatched(COLS, 2, 1, NULL, 2, 4, NULL, 2, NULL, 2, 2, NULL, 0));
  NOTHING(affinimathSposvStridedBatched(COLS, LOWER, 2, 1, NULL, 2, 4, NULL, 2, 2, NULL, 0));
  NOTHING(affinimathSgeqrfStridedBatched(COLS, 2, 2, NULL, 2, 4, NULL, 2, 0));
  NOTHING(affinimathSgetrsStridedBatched(COLS, KEEP, 2, 0, NULL, 2, 4, NULL, 2, NULL, 2, 0, 2));
}

int main(void)
{
  factors_and_solutions();
  positive_definite();
  reflectors();
  eigenvalues_and_singular_values();
  wrong_arguments();
  CHECK(affinimathShutdown() == AFFINIMATH_SUCCESS, "shutdown");
  return report("lapack_batched_host");
}
