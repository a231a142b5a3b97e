/* Batches on host pointers: a result each with exact values, quick returns, and every wrong argument that gemm and
   trsm do not have. */

#include "count.h"

enum { COLS = AFFINIMATH_COL_MAJOR, KEEP = AFFINIMATH_NO_TRANS, LEFT = AFFINIMATH_LEFT, LOWER = AFFINIMATH_LOWER };
enum { STORED = AFFINIMATH_NON_UNIT };

static int equal(const double *x, const double *y, int n) { return memcmp(x, y, (size_t)n * sizeof *x) == 0; }

/* Three matrices of 1 x 2, times one of 2 x 1. */
static const double A[6] = {1, 2, 3, 4, 5, 6}, B[2] = {10, 100};

static void products(void)
{
  static const double STRIDED[5] = {211, -7, 431, -7, 651}, OFFSETS[5] = {651, -7, -7, 431, -7};
  static const int64_t OFFSETS_A[2] = {4, 2}, OFFSETS_B[2] = {0, 0}, OFFSETS_C[2] = {0, 3};
  double c[5] = {1, -7, 1, -7, 1}, d[5] = {1, -7, -7, 1, -7};
  CHECK(affinimathDgemmStridedBatched(COLS, KEEP, KEEP, 1, 1, 2, 1, A, 1, 2, B, 2, 0, 1, c, 1, 2, 3) ==
                AFFINIMATH_SUCCESS &&
            equal(c, STRIDED, 5),
        "dgemmStridedBatched");
  CHECK(affinimathDgemmBatched(COLS, KEEP, KEEP, 1, 1, 2, 1, A, 1, OFFSETS_A, B, 2, OFFSETS_B, 1, d, 1, OFFSETS_C, 2) ==
                AFFINIMATH_SUCCESS &&
            equal(d, OFFSETS, 5),
        "dgemmBatched");
}

static void systems(void)
{
  /* The lower triangles (2, 0; 4, 8) and (4, 0; 2, 2). */
  static const double T[8] = {2, 4, -99, 8, 4, 2, -99, 2}, X[4] = {1, 1, 0.5, 5.5}, Y[5] = {0.5, 5.5, -7, 1, 1};
  static const int64_t OFFSETS_T[2] = {0, 4}, OFFSETS_Y[2] = {3, 0};
  double x[4] = {2, 12, 2, 12}, y[5] = {2, 12, -7, 2, 12};
  CHECK(affinimathDtrsmStridedBatched(COLS, LEFT, LOWER, KEEP, STORED, 2, 1, 1, T, 2, 4, x, 2, 2, 2) ==
                AFFINIMATH_SUCCESS &&
            equal(x, X, 4),
        "dtrsmStridedBatched");
  CHECK(affinimathDtrsmBatched(COLS, LEFT, LOWER, KEEP, STORED, 2, 1, 1, T, 2, OFFSETS_T, y, 2, OFFSETS_Y, 2) ==
                AFFINIMATH_SUCCESS &&
            equal(y, Y, 5),
        "dtrsmBatched");
}

#define REFUSED(call, index, name) \
  CHECK((call) == -(index) && strstr(affinimathLastError(), name) != NULL, #call)
#define NOTHING(call) CHECK((call) == AFFINIMATH_SUCCESS && c[0] == 2, #call)

static void wrong_arguments(void)
{
  static const int64_t GOOD[2] = {0, 1}, NEGATIVE[2] = {0, -1}, SAME[2] = {1, 1};
  float a[2] = {1, 1}, b[2] = {1, 1}, c[2] = {2, 2};
  REFUSED(affinimathSgemmStridedBatched(0, KEEP, KEEP, 1, 1, 1, 1, a, 1, 1, b, 1, 1, 1, c, 1, 1, 2), 1, "layout");
  REFUSED(affinimathSgemmStridedBatched(COLS, KEEP, KEEP, 1, 1, 1, 1, NULL, 1, 1, b, 1, 1, 1, c, 1, 1, 2), 8, "a");
  REFUSED(affinimathSgemmStridedBatched(COLS, KEEP, KEEP, 1, 1, 1, 1, a, 0, 1, b, 1, 1, 1, c, 1, 1, 2), 9, "lda");
  REFUSED(affinimathSgemmStridedBatched(COLS, KEEP, KEEP, 1, 1, 1, 1, a, 1, -1, b, 1, 1, 1, c, 1, 1, 2), 10, "stridea");
  REFUSED(affinimathSgemmStridedBatched(COLS, KEEP, KEEP, 1, 1, 1, 1, a, 1, 1, NULL, 1, 1, 1, c, 1, 1, 2), 11, "b");
  REFUSED(affinimathSgemmStridedBatched(COLS, KEEP, KEEP, 1, 1, 1, 1, a, 1, 1, b, 1, -1, 1, c, 1, 1, 2), 13, "strideb");
  REFUSED(affinimathSgemmStridedBatched(COLS, KEEP, KEEP, 1, 1, 1, 1, a, 1, 1, b, 1, 1, 1, NULL, 1, 1, 2), 15, "c");
  REFUSED(affinimathSgemmStridedBatched(COLS, KEEP, KEEP, 1, 1, 1, 1, a, 1, 1, b, 1, 1, 1, c, 0, 1, 2), 16, "ldc");
  REFUSED(affinimathSgemmStridedBatched(COLS, KEEP, KEEP, 1, 1, 1, 1, a, 1, 1, b, 1, 1, 1, c, 1, 0, 2), 17, "stridec");
  REFUSED(affinimathSgemmStridedBatched(COLS, KEEP, KEEP, 1, 1, 1, 1, a, 1, 1, b, 1, 1, 1, c, 1, 1, -2), 18,
          "batch_count");
  REFUSED(affinimathSgemmBatched(COLS, KEEP, KEEP, 1, 1, 1, 1, a, 1, NULL, b, 1, GOOD, 1, c, 1, GOOD, 2), 10,
          "offsetsa");
  REFUSED(affinimathSgemmBatched(COLS, KEEP, KEEP, 1, 1, 1, 1, a, 1, GOOD, b, 1, NEGATIVE, 1, c, 1, GOOD, 2), 13,
          "offsetsb");
  REFUSED(affinimathSgemmBatched(COLS, KEEP, KEEP, 1, 1, 1, 1, a, 1, GOOD, b, 1, SAME, 1, c, 1, SAME, 2), 17,
          "offsetsc");
  REFUSED(affinimathSgemmBatched(COLS, KEEP, KEEP, 1, 1, 1, 1, a, 1, GOOD, b, 1, GOOD, 1, c, 1, GOOD, -1), 18,
          "batch_count");
  REFUSED(affinimathStrsmStridedBatched(COLS, 0, LOWER, KEEP, STORED, 1, 1, 1, a, 1, 1, c, 1, 1, 2), 2, "side");
  REFUSED(affinimathStrsmStridedBatched(COLS, LEFT, LOWER, KEEP, STORED, 1, 1, 1, NULL, 1, 1, c, 1, 1, 2), 9, "a");
  REFUSED(affinimathStrsmStridedBatched(COLS, LEFT, LOWER, KEEP, STORED, 1, 1, 1, a, 1, -1, c, 1, 1, 2), 11, "stridea");
  REFUSED(affinimathStrsmStridedBatched(COLS, LEFT, LOWER, KEEP, STORED, 1, 1, 1, a, 1, 1, c, 1, 0, 2), 14, "strideb");
  REFUSED(affinimathStrsmStridedBatched(COLS, LEFT, LOWER, KEEP, STORED, 1, 1, 1, a, 1, 1, c, 1, 1, -1), 15,
          "batch_count");
  REFUSED(affinimathStrsmBatched(COLS, LEFT, LOWER, KEEP, STORED, 1, 1, 1, a, 1, NEGATIVE, c, 1, GOOD, 2), 11,
          "offsetsa");
  REFUSED(affinimathStrsmBatched(COLS, LEFT, LOWER, KEEP, STORED, 1, 1, 1, a, 1, GOOD, c, 1, SAME, 2), 14, "offsetsb");
  /* Quick returns look at no pointer. */
  NOTHING(affinimathSgemmStridedBatched(COLS, KEEP, KEEP, 1, 1, 1, 1, NULL, 1, 1, NULL, 1, 1, 1, NULL, 1, 1, 0));
  NOTHING(affinimathSgemmBatched(COLS, KEEP, KEEP, 1, 1, 1, 1, NULL, 1, NULL, NULL, 1, NULL, 1, NULL, 1, NULL, 0));
  NOTHING(affinimathSgemmBatched(COLS, KEEP, KEEP, 1, 1, 1, 0, NULL, 1, NULL, NULL, 1, NULL, 1, NULL, 1, NULL, 2));
  NOTHING(affinimathStrsmStridedBatched(COLS, LEFT, LOWER, KEEP, STORED, 1, 1, 1, NULL, 1, 1, NULL, 1, 1, 0));
  NOTHING(affinimathStrsmBatched(COLS, LEFT, LOWER, KEEP, STORED, 0, 1, 1, NULL, 1, NULL, NULL, 1, NULL, 2));
  CHECK(affinimathStrsmBatched(COLS, LEFT, LOWER, KEEP, STORED, 1, 1, 0, NULL, 1, NULL, c, 1, GOOD, 2) ==
                AFFINIMATH_SUCCESS &&
            c[0] == 0 && c[1] == 0,
        "alpha = 0");
}

int main(void)
{
  products();
  systems();
  wrong_arguments();
  return report("batched_host");
}
