/* Solutions in mixed precision on memory objects, interchanges of rows, condition estimates and least squares of any
   rank: what is left in them, and wrong arguments. Exits with 77 without an OpenCL device that has fp64. */

#include <math.h>

#include "opencl_device.h"

#include "count.h"

enum { N = 5, LD = 7, OFFSET = 3, SIZE = OFFSET + LD * N, COL = AFFINIMATH_COL_MAJOR, LOWER = AFFINIMATH_LOWER };

static opencl_device device;

static cl_mem upload(const void *data, size_t bytes)
{
  return clCreateBuffer(device.context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, bytes, (void *)data, NULL);
}

static void download(cl_mem memory, void *data, size_t bytes)
{
  CHECK(clEnqueueReadBuffer(device.queue, memory, CL_TRUE, 0, bytes, data, 0, NULL, NULL) == CL_SUCCESS, "read back");
}

static void fill(double *a, double factor)
{
  int i, j;
  for (i = 0; i < SIZE; ++i) {
    a[i] = -77.0;
  }
  for (j = 0; j < N; ++j) {
    for (i = 0; i < N; ++i) {
      a[OFFSET + j * LD + i] = factor * (i == j ? 4.0 : 1.0 / (1 + (i > j ? i - j : j - i)));
    }
  }
}

/* True if X is ones, between canaries. */
static int are_ones(cl_mem memory)
{
  double x[N + 2];
  int i, good;
  download(memory, x, sizeof x);
  good = x[0] == -77.0 && x[N + 1] == -77.0;
  for (i = 0; i < N; ++i) {
    good = good && fabs(x[i + 1] - 1.0) < 1e-14;
  }
  return good;
}

static void solve(double factor, int uplo, int converges)
{
  double a[SIZE], after[SIZE], b[N], x[N + 2];
  const int32_t none[N + 1] = {-7, -7, -7, -7, -7, -7};
  int32_t found[2], iter = -9;
  int i, j, status;
  cl_event event = NULL;
  cl_mem ma, mb, mx, mp = upload(none, sizeof none), info = upload(none, sizeof found);
  fill(a, factor);
  for (i = 0; i < N + 2; ++i) {
    x[i] = -77.0;
  }
  for (i = 0; i < N; ++i) {
    b[i] = 0;
    for (j = 0; j < N; ++j) {
      b[i] += a[OFFSET + j * LD + i];
    }
  }
  ma = upload(a, sizeof a);
  mb = upload(b, sizeof b);
  mx = upload(x, sizeof x);
  if (uplo == 0) {
    status =
        affinimathDsgesvCL(device.queue, COL, N, 1, ma, OFFSET, LD, mp, 1, mb, 0, N, mx, 1, N, &iter, info, 1, &event);
  } else {
    status =
        affinimathDsposvCL(device.queue, COL, uplo, N, 1, ma, OFFSET, LD, mb, 0, N, mx, 1, N, &iter, info, 1, &event);
  }
  CHECK(status == 0 && event != NULL, "a solution in mixed precision");
  CHECK(clWaitForEvents(1, &event) == CL_SUCCESS && clReleaseEvent(event) == CL_SUCCESS, "its event");
  CHECK(converges ? iter >= 1 && iter <= 3 : iter == -2, "the refinements");
  CHECK(are_ones(mx), "X");
  download(info, found, sizeof found);
  CHECK(found[0] == -7 && found[1] == 0, "the info");
  download(ma, after, sizeof after);
  CHECK((memcmp(a, after, sizeof a) == 0) == converges, "A, which is kept where the refinement converges");
  download(mp, found, sizeof found);
  CHECK(found[0] == -7 && found[1] == (uplo == 0 ? 1 : -7), "the pivots");
  clReleaseMemObject(ma);
  clReleaseMemObject(mb);
  clReleaseMemObject(mx);
  clReleaseMemObject(mp);
  clReleaseMemObject(info);
}

static void wrong_arguments(void)
{
  double a[SIZE];
  const int32_t none[N] = {-7, -7, -7, -7, -7};
  int32_t iter = -9;
  cl_mem ma, mp = upload(none, sizeof none);
  fill(a, 1);
  ma = upload(a, sizeof a);
  CHECK(affinimathDsgesvCL(device.queue, COL, N, 1, ma, 0, N - 1, mp, 0, ma, 0, N, ma, 0, N, &iter, mp, 0, NULL) == -7,
        "lda");
  CHECK(affinimathDsgesvCL(device.queue, COL, N, 1, ma, 0, LD, mp, 1, ma, 0, N, ma, 0, N, &iter, mp, 0, NULL) == -8,
        "ipiv");
  CHECK(affinimathDsgesvCL(device.queue, COL, N, 1, ma, 0, LD, mp, 0, ma, 0, N, ma, -1, N, &iter, mp, 0, NULL) == -14,
        "offx");
  CHECK(affinimathDsgesvCL(device.queue, COL, N, 1, ma, 0, LD, mp, 0, ma, 0, N, ma, 0, N, NULL, mp, 0, NULL) == -16,
        "iter");
  CHECK(affinimathDsgesvCL(device.queue, COL, N, 1, ma, 0, LD, mp, 0, ma, 0, N, ma, 0, N, &iter, NULL, 0, NULL) == -17,
        "info");
  CHECK(affinimathDsposvCL(device.queue, COL, 1, N, 1, ma, 0, LD, ma, 0, N, ma, 0, N, &iter, mp, 0, NULL) == -3,
        "uplo");
  CHECK(affinimathDsposvCL(device.queue, COL, LOWER, N, 1, ma, 0, LD, ma, 0, N, ma, 0, N - 1, &iter, mp, 0, NULL) ==
            -14,
        "ldx");
  CHECK(iter == -9, "iter, which stays as it was");
  clReleaseMemObject(ma);
  clReleaseMemObject(mp);
}

/* Rows 2 and 3 change places with rows 3 and 5, which is the last for which there is room: by columns, and by rows. */
static void interchanges(int layout)
{
  enum { ROWS = 5, COLUMNS = 2 };
  const int32_t pivots[5] = {-9, 3, -9, 5, -9};
  static const double EXPECTED[ROWS] = {0, 2, 4, 3, 1};
  double a[ROWS * COLUMNS];
  const int64_t lda = layout == COL ? ROWS : COLUMNS;
  int i, j, good = 1;
  cl_mem ma, mp = upload(pivots, sizeof pivots);
  for (i = 0; i < ROWS; ++i) {
    for (j = 0; j < COLUMNS; ++j) {
      a[layout == COL ? j * ROWS + i : i * COLUMNS + j] = i + 10 * j;
    }
  }
  ma = upload(a, sizeof a);
  /* Row 2's pivot is element 2 of ipiv, from 1, and row 3's two elements on. */
  CHECK(affinimathDlaswpCL(device.queue, layout, COLUMNS, ma, 0, lda, 2, 3, mp, 0, 2, NULL) == 0, "laswp");
  download(ma, a, sizeof a);
  for (i = 0; i < ROWS; ++i) {
    for (j = 0; j < COLUMNS; ++j) {
      good = good && a[layout == COL ? j * ROWS + i : i * COLUMNS + j] == EXPECTED[i] + 10 * j;
    }
  }
  CHECK(good, "laswp's rows");
  CHECK(affinimathDlaswpCL(device.queue, layout, COLUMNS, ma, 0, lda, 2, 3, mp, 0, -2, NULL) == 0, "laswp back");
  download(ma, a, sizeof a);
  for (i = 0; i < ROWS; ++i) {
    good = good && a[layout == COL ? i : i * COLUMNS] == i;
  }
  CHECK(good, "the rows in their places again");
  CHECK(affinimathDlaswpCL(device.queue, layout, COLUMNS, ma, 0, lda, 2, 6, mp, 0, 1, NULL) < 0, "too many rows");
  CHECK(affinimathDlaswpCL(device.queue, layout, COLUMNS, ma, 0, lda, 2, 3, mp, 2, 2, NULL) == -9, "too few pivots");
  CHECK(affinimathDlaswpCL(device.queue, layout, COLUMNS, NULL, 0, lda, 2, 3, mp, 0, 0, NULL) == 0, "nothing");
  clReleaseMemObject(ma);
  clReleaseMemObject(mp);
}

/* The same estimates as on the host, between canaries. */
static void conditions(void)
{
  const double canaries[3] = {-7, -7, -7};
  const int norm = AFFINIMATH_ONE_NORM, diag = AFFINIMATH_NON_UNIT;
  double a[SIZE], found[3], on_host, anorm = 7;
  int32_t pivots[N];
  cl_mem ma, rcond = upload(canaries, sizeof canaries);
  fill(a, 1);
  CHECK(affinimathDgetrf(COL, N, N, a + OFFSET, LD, pivots) == 0, "getrf");
  ma = upload(a, sizeof a);
  CHECK(affinimathDgecon(COL, norm, N, a + OFFSET, LD, anorm, &on_host) == 0, "gecon on the host");
  CHECK(affinimathDgeconCL(device.queue, COL, norm, N, ma, OFFSET, LD, anorm, rcond, 1, NULL) == 0, "gecon");
  download(rcond, found, sizeof found);
  CHECK(found[0] == -7 && found[2] == -7 && fabs(found[1] - on_host) < 1e-14, "gecon's estimate");
  CHECK(affinimathDtrcon(COL, norm, AFFINIMATH_UPPER, diag, N, a + OFFSET, LD, &on_host) == 0, "trcon on the host");
  CHECK(affinimathDtrconCL(device.queue, COL, norm, AFFINIMATH_UPPER, diag, N, ma, OFFSET, LD, rcond, 1, NULL) == 0,
        "trcon");
  download(rcond, found, sizeof found);
  CHECK(found[0] == -7 && found[2] == -7 && fabs(found[1] - on_host) < 1e-14, "trcon's estimate");
  clReleaseMemObject(ma);
  fill(a, 1);
  CHECK(affinimathDpotrf(COL, LOWER, N, a + OFFSET, LD) == 0, "potrf");
  ma = upload(a, sizeof a);
  CHECK(affinimathDpocon(COL, LOWER, N, a + OFFSET, LD, anorm, &on_host) == 0, "pocon on the host");
  CHECK(affinimathDpoconCL(device.queue, COL, LOWER, N, ma, OFFSET, LD, anorm, rcond, 1, NULL) == 0, "pocon");
  download(rcond, found, sizeof found);
  CHECK(found[0] == -7 && found[2] == -7 && fabs(found[1] - on_host) < 1e-14, "pocon's estimate");
  CHECK(affinimathDgeconCL(device.queue, COL, 7, N, ma, OFFSET, LD, anorm, rcond, 1, NULL) == -3, "norm");
  CHECK(affinimathDgeconCL(device.queue, COL, norm, N, ma, OFFSET, LD, -1, rcond, 1, NULL) == -8, "anorm");
  CHECK(affinimathDgeconCL(device.queue, COL, norm, N, ma, OFFSET, LD, anorm, NULL, 1, NULL) == -9, "rcond");
  CHECK(affinimathDgeconCL(device.queue, COL, norm, N, ma, OFFSET, LD, anorm, rcond, 3, NULL) == -9, "rcond's memory");
  clReleaseMemObject(ma);
  clReleaseMemObject(rcond);
}

/* Least squares without full rank: columns that are all the same, which is what is left of the device's memory. */
static void ranks(void)
{
  const int32_t none[N + 2] = {-7, 0, 0, 0, 0, 0, -7};
  int32_t found[N + 2], rank = -9;
  double a[SIZE], b[N + 2];
  int i, good;
  cl_mem ma, mb, mj = upload(none, sizeof none), mt;
  cl_event event = NULL;
  for (i = 0; i < SIZE; ++i) {
    a[i] = i >= OFFSET && (i - OFFSET) % LD < N ? 1.0 : -77.0;
  }
  for (i = 0; i < N + 2; ++i) {
    b[i] = i == 0 || i == N + 1 ? -77.0 : N;
  }
  ma = upload(a, sizeof a);
  mb = upload(b, sizeof b);
  mt = upload(b, sizeof b);
  CHECK(affinimathDgelsyCL(device.queue, COL, N, N, 1, ma, OFFSET, LD, mb, 1, N, mj, 1, 1e-12, &rank, &event) == 0,
        "gelsy");
  CHECK(event != NULL && clReleaseEvent(event) == CL_SUCCESS, "its event");
  CHECK(rank == 1 && are_ones(mb), "its solution");
  download(mj, found, sizeof found);
  for (good = found[0] == -7 && found[N + 1] == -7, i = 1; i <= N; ++i) {
    good = good && found[i] >= 1 && found[i] <= N;
  }
  CHECK(good, "jpvt");
  download(ma, a, sizeof a);
  for (good = 1, i = 0; i < SIZE; ++i) {
    good = good && (a[i] == -77.0) == (i < OFFSET || (i - OFFSET) % LD >= N);
  }
  CHECK(good, "what is not A's");
  CHECK(affinimathDgeqp3CL(device.queue, COL, N, N, ma, OFFSET, LD, mj, 1, mt, 1, NULL) == 0, "geqp3");
  download(mt, b, sizeof b);
  CHECK(b[0] == -77.0 && b[N + 1] == -77.0 && b[1] != N, "tau");
  CHECK(affinimathDgelsyCL(device.queue, COL, N, N, 1, ma, OFFSET, LD, mb, 1, N, mj, 3, 0, &rank, NULL) == -12, "jpvt");
  CHECK(affinimathDgelsyCL(device.queue, COL, N, N, 1, ma, OFFSET, LD, mb, 4, N, mj, 1, 0, &rank, NULL) == -9, "b");
  CHECK(affinimathDgelsyCL(device.queue, COL, N, N, 1, ma, OFFSET, LD, mb, 1, N, mj, 1, 0, NULL, NULL) == -15, "rank");
  CHECK(affinimathDgeqp3CL(device.queue, COL, N, N, ma, OFFSET, LD, mj, 1, mt, 3, NULL) == -10, "tau");
  clReleaseMemObject(ma);
  clReleaseMemObject(mb);
  clReleaseMemObject(mj);
  clReleaseMemObject(mt);
}

int main(void)
{
  if (!open_device(&device) || !device.fp64) {
    printf("no OpenCL device with doubles\n");
    return 77;
  }
  solve(1, 0, 1);
  solve(1, LOWER, 1);
  solve(1e100, 0, 0);
  solve(1e100, LOWER, 0);
  wrong_arguments();
  interchanges(COL);
  interchanges(AFFINIMATH_ROW_MAJOR);
  conditions();
  ranks();
  close_device(&device);
  return report("mixed_device");
}
