/* Tridiagonal, band and indefinite systems on memory objects: solutions, infos and pivots in them, what is around, and
   wrong arguments. Exits with 77 without an OpenCL device that has fp64. */

#include <math.h>

#include "opencl_device.h"

#include "count.h"

enum { N = 6, COL = AFFINIMATH_COL_MAJOR, NO = AFFINIMATH_NO_TRANS, LOWER = AFFINIMATH_LOWER };

static opencl_device device;

static cl_mem upload(const void *data, size_t bytes)
{
  return clCreateBuffer(device.context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, bytes, (void *)data, NULL);
}

static void download(cl_mem memory, void *data, size_t bytes)
{
  CHECK(clEnqueueReadBuffer(device.queue, memory, CL_TRUE, 0, bytes, data, 0, NULL, NULL) == CL_SUCCESS, "read back");
}

/* A vector of one number, between canaries. */
static cl_mem vector(double value, int count)
{
  double data[64];
  int i;
  for (i = 0; i < count + 2; ++i) data[i] = i == 0 || i == count + 1 ? -77.0 : value;
  return upload(data, (count + 2) * sizeof *data);
}

static cl_mem integers(void)
{
  const int32_t none[N + 2] = {-7, -7, -7, -7, -7, -7, -7, -7};
  return upload(none, sizeof none);
}

static int integer(cl_mem memory, int index)
{
  int32_t found[N + 2];
  download(memory, found, sizeof found);
  return found[0] == -7 && found[N + 1] == -7 ? found[index] : -99;
}

/* The right-hand side of ones for 4 on the diagonal and 1 on both sides of it. */
static cl_mem right_hand_side(void)
{
  double data[N + 2];
  int i;
  for (i = 0; i < N + 2; ++i) data[i] = i == 0 || i == N + 1 ? -77.0 : i == 1 || i == N ? 5.0 : 6.0;
  return upload(data, sizeof data);
}

static int are_ones(cl_mem memory)
{
  double x[N + 2];
  int i, good;
  download(memory, x, sizeof x);
  good = x[0] == -77.0 && x[N + 1] == -77.0;
  for (i = 1; i <= N; ++i) good = good && fabs(x[i] - 1.0) < 1e-14;
  return good;
}

static void released(cl_event event, const char *what)
{
  CHECK(event != NULL && clWaitForEvents(1, &event) == CL_SUCCESS && clReleaseEvent(event) == CL_SUCCESS, what);
}

static void tridiagonal(void)
{
  cl_mem dl = vector(1, N - 1), d = vector(4, N), du = vector(1, N - 1), du2 = vector(9, N - 2), zero = vector(0, N);
  cl_mem b = right_hand_side(), c = right_hand_side(), p = integers(), info = integers();
  cl_mem el = vector(1, N - 1), e = vector(4, N), eu = vector(1, N - 1);
  cl_event event = NULL;
  CHECK(affinimathDgttrfCL(device.queue, N, dl, 1, d, 1, du, 1, du2, 1, p, 1, info, 1, &event) == 0, "gttrf");
  released(event, "its event");
  CHECK(integer(info, 1) == 0 && integer(p, N) == N && integer(info, 2) == -7, "its info and pivots");
  CHECK(affinimathDgttrsCL(device.queue, COL, NO, N, 1, dl, 1, d, 1, du, 1, du2, 1, p, 1, b, 1, N, NULL) == 0, "gttrs");
  CHECK(are_ones(b), "its solution");
  CHECK(affinimathDgtsvCL(device.queue, COL, N, 1, el, 1, e, 1, eu, 1, c, 1, N, info, 1, NULL) == 0, "gtsv");
  CHECK(are_ones(c) && integer(info, 1) == 0, "its solution");
  CHECK(affinimathDgtsvCL(device.queue, COL, N, 1, zero, 1, zero, 1, zero, 1, c, 1, N, info, 1, NULL) == 0, "gtsv");
  CHECK(are_ones(c) && integer(info, 1) == 1, "a zero pivot");
  CHECK(affinimathDgtsvCL(device.queue, COL, 0, 1, NULL, 0, NULL, 0, NULL, 0, NULL, 0, 1, info, 1, NULL) == 0, "none");
  CHECK(integer(info, 1) == 0, "the info of no rows");
  CHECK(affinimathDgtsvCL(device.queue, COL, N, 1, el, 4, e, 1, eu, 1, c, 1, N, info, 1, NULL) == -5, "dl");
  CHECK(affinimathDgtsvCL(device.queue, COL, N, 1, el, 1, e, -1, eu, 1, c, 1, N, info, 1, NULL) == -8, "offd");
  CHECK(affinimathDgtsvCL(device.queue, COL, N, 1, el, 1, e, 1, eu, 1, c, 1, N, NULL, 1, NULL) == -14, "info");
  clReleaseMemObject(dl), clReleaseMemObject(d), clReleaseMemObject(du), clReleaseMemObject(du2);
  clReleaseMemObject(el), clReleaseMemObject(e), clReleaseMemObject(eu), clReleaseMemObject(zero);
  clReleaseMemObject(b), clReleaseMemObject(c), clReleaseMemObject(p), clReleaseMemObject(info);
}

static void definite(void)
{
  cl_mem d = vector(4, N), e = vector(1, N - 1), f = vector(4, N), g = vector(1, N - 1), info = integers();
  cl_mem b = right_hand_side(), c = right_hand_side();
  CHECK(affinimathDpttrfCL(device.queue, N, d, 1, e, 1, info, 1, NULL) == 0 && integer(info, 1) == 0, "pttrf");
  CHECK(affinimathDpttrsCL(device.queue, COL, N, 1, d, 1, e, 1, b, 1, N, NULL) == 0 && are_ones(b), "pttrs");
  CHECK(affinimathDptsvCL(device.queue, COL, N, 1, f, 1, g, 1, c, 1, N, info, 1, NULL) == 0 && are_ones(c), "ptsv");
  clReleaseMemObject(d), clReleaseMemObject(e), clReleaseMemObject(f), clReleaseMemObject(g);
  clReleaseMemObject(b), clReleaseMemObject(c), clReleaseMemObject(info);
}

static void bands(void)
{
  double ab[4 * N + 1], pb[2 * N + 1];
  cl_mem ma, mp, b = right_hand_side(), c = right_hand_side(), p = integers(), info = integers();
  int j;
  for (j = 0; j < N; ++j) {
    ab[1 + 4 * j] = -77.0, ab[2 + 4 * j] = 1, ab[3 + 4 * j] = 4, ab[4 + 4 * j] = 1;
    pb[1 + 2 * j] = 4, pb[2 + 2 * j] = 1;
  }
  ab[0] = pb[0] = ab[2] = ab[4 * N] = pb[2 * N] = -77.0;
  ma = upload(ab, sizeof ab);
  mp = upload(pb, sizeof pb);
  CHECK(affinimathDgbsvCL(device.queue, COL, N, 1, 1, 1, ma, 1, 4, p, 1, b, 1, N, info, 1, NULL) == 0, "gbsv");
  CHECK(are_ones(b) && integer(info, 1) == 0 && integer(p, 1) == 1, "its solution");
  CHECK(affinimathDpbsvCL(device.queue, COL, LOWER, N, 1, 1, mp, 1, 2, c, 1, N, info, 1, NULL) == 0, "pbsv");
  CHECK(are_ones(c) && integer(info, 1) == 0, "its solution");
  download(ma, ab, sizeof ab);
  download(mp, pb, sizeof pb);
  CHECK(ab[0] == -77.0 && ab[1] == -77.0 && ab[2] == -77.0 && ab[4 * N] == -77.0, "outside the matrix");
  CHECK(pb[0] == -77.0 && pb[2 * N] == -77.0, "outside the matrix");
  CHECK(affinimathDgbsvCL(device.queue, COL, N, 1, 1, 1, ma, 1, 3, p, 1, b, 1, N, info, 1, NULL) == -9, "ldab");
  CHECK(affinimathDgbtrsCL(device.queue, COL, NO, N, 1, 1, 1, ma, 1, 4, info, 1, b, 1, N, NULL) == -11, "ipiv");
  CHECK(are_ones(b), "what was refused changed nothing");
  clReleaseMemObject(ma), clReleaseMemObject(mp), clReleaseMemObject(b), clReleaseMemObject(c);
  clReleaseMemObject(p), clReleaseMemObject(info);
}

static void indefinite(void)
{
  double a[N * N];
  cl_mem ma, b = right_hand_side(), p = integers(), info = integers();
  int i, j;
  for (j = 0; j < N; ++j)
    for (i = 0; i < N; ++i) a[j * N + i] = i < j ? -77.0 : i == j ? 4.0 : i == j + 1 ? 1.0 : 0.0;
  ma = upload(a, sizeof a);
  CHECK(affinimathDsysvCL(device.queue, COL, LOWER, N, 1, ma, 0, N, p, 1, b, 1, N, info, 1, NULL) == 0, "sysv");
  CHECK(are_ones(b) && integer(info, 1) == 0 && integer(p, 1) == 1, "its solution");
  CHECK(affinimathDsytriCL(device.queue, COL, LOWER, N, ma, 0, N, p, 1, info, 1, NULL) == 0, "sytri");
  download(ma, a, sizeof a);
  CHECK(a[N] == -77.0 && a[0] > 0.26 && a[0] < 0.27, "a triangle of the inverse");
  clReleaseMemObject(ma), clReleaseMemObject(b), clReleaseMemObject(p), clReleaseMemObject(info);
}

/* One system as a batch of three: strides of 0 would overlap. */
static void batch(void)
{
  cl_mem dl = vector(1, 3 * N), d = vector(4, 3 * N), du = vector(1, 3 * N), b = vector(6, 3 * N), info = integers();
  double x[3 * N + 2], sum;
  int i, k, good = 1;
  CHECK(affinimathDgtsvStridedBatchedCL(device.queue, COL, N, 1, dl, 1, N, d, 1, N, du, 1, N, b, 1, N, N, info, 1, 3,
                                        NULL) == 0,
        "gtsvStridedBatched");
  download(b, x, sizeof x);
  for (k = 0; k < 3; ++k) {
    for (i = 1; i <= N; ++i) {
      sum = 4 * x[k * N + i] + (i > 1 ? x[k * N + i - 1] : 0) + (i < N ? x[k * N + i + 1] : 0);
      good = good && fabs(sum - 6) < 1e-13;
    }
  }
  CHECK(good && x[0] == -77.0 && x[3 * N + 1] == -77.0, "its solutions");
  CHECK(integer(info, 1) == 0 && integer(info, 3) == 0 && integer(info, 4) == -7, "its infos");
  CHECK(affinimathDgtsvStridedBatchedCL(device.queue, COL, N, 1, dl, 1, 0, d, 1, N, du, 1, N, b, 1, N, N, info, 1, 3,
                                        NULL) == -7,
        "stridedl");
  clReleaseMemObject(dl), clReleaseMemObject(d), clReleaseMemObject(du), clReleaseMemObject(b);
  clReleaseMemObject(info);
}

/* Two bands with a diagonal on each side, of which the second is zero. */
static void batch_of_bands(void)
{
  double ab[2 * 4 * N] = {0}, x[2 * N + 2];
  int32_t pivots[2 * N];
  cl_mem ma, b = vector(6, 2 * N), p, info = integers();
  int i, good = 1;
  double sum;
  for (i = 0; i < N; ++i) ab[4 * i + 1] = 1, ab[4 * i + 2] = 4, ab[4 * i + 3] = 1;
  for (i = 0; i < 2 * N; ++i) pivots[i] = -7;
  ma = upload(ab, sizeof ab);
  p = upload(pivots, sizeof pivots);
  CHECK(affinimathDgbsvStridedBatchedCL(device.queue, COL, N, 1, 1, 1, ma, 0, 4, 4 * N, p, 0, N, b, 1, N, N, info, 1, 2,
                                        NULL) == 0,
        "gbsvStridedBatched");
  download(b, x, sizeof x);
  for (i = 1; i <= N; ++i) {
    sum = 4 * x[i] + (i > 1 ? x[i - 1] : 0) + (i < N ? x[i + 1] : 0);
    good = good && fabs(sum - 6) < 1e-13 && x[N + i] == 6.0;
  }
  CHECK(good && x[0] == -77.0 && x[2 * N + 1] == -77.0, "a solution, and a B that is as it was");
  download(p, pivots, sizeof pivots);
  CHECK(integer(info, 1) == 0 && integer(info, 2) == 1 && pivots[0] == 1 && pivots[N - 1] == N, "infos and pivots");
  CHECK(affinimathDgbtrsStridedBatchedCL(device.queue, COL, AFFINIMATH_TRANS, N, 1, 1, 1, ma, 0, 4, 0, p, 0, 0, b,
                                         N + 1, N, 0, 1, NULL) == 0,
        "gbtrsStridedBatched");
  download(b, x, sizeof x);
  for (i = N + 1; i <= 2 * N; ++i) good = good && fabs(x[i] - x[i - N]) < 1e-14;
  CHECK(good, "the transpose's solution is the same");
  CHECK(affinimathDgbtrfStridedBatchedCL(device.queue, COL, N, N, 1, 1, ma, 0, 4, 4 * N, p, 0, N, info, 1, 2,
                                         NULL) == 0,
        "gbtrfStridedBatched");
  CHECK(integer(info, 2) == 1 && integer(info, 3) == -7, "its infos");
  CHECK(affinimathDgbtrfStridedBatchedCL(device.queue, COL, N, N, 1, 1, ma, 0, 4, 4 * N - 1, p, 0, N, info, 1, 2,
                                         NULL) == -10,
        "strideab");
  clReleaseMemObject(ma), clReleaseMemObject(b), clReleaseMemObject(p), clReleaseMemObject(info);
}

int main(void)
{
  if (!open_device(&device) || !device.fp64) {
    printf("no OpenCL device with doubles\n");
    return 77;
  }
  tridiagonal();
  definite();
  bands();
  indefinite();
  batch();
  batch_of_bands();
  close_device(&device);
  return report("structured_device");
}
