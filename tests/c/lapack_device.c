/* LAPACK on the application's memory objects and queue: what is left in them, the info, and wrong arguments.
   Exits with 77 without an OpenCL device. */

#include <math.h>

#include "opencl_device.h"

#include "count.h"

enum { N = 5, LD = 7, OFFSET = 3, SIZE = OFFSET + LD * N, COL = AFFINIMATH_COL_MAJOR };

static opencl_device device;

static cl_mem upload(const void *data, size_t bytes)
{
  return clCreateBuffer(device.context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, bytes, (void *)data, NULL);
}

static void download(cl_mem memory, void *data, size_t bytes)
{
  CHECK(clEnqueueReadBuffer(device.queue, memory, CL_TRUE, 0, bytes, data, 0, NULL, NULL) == CL_SUCCESS, "read back");
}

/* A symmetric positive definite matrix, after OFFSET elements. */
static void fill(float *a)
{
  int i, j;
  for (i = 0; i < SIZE; ++i) {
    a[i] = -77.0f;
  }
  for (j = 0; j < N; ++j) {
    for (i = 0; i < N; ++i) {
      a[OFFSET + j * LD + i] = i == j ? 4.0f : 1.0f / (float)(1 + (i > j ? i - j : j - i));
    }
  }
}

/* Row sums: the right-hand side whose solution is ones. */
static void row_sums(const float *a, float *b)
{
  int i, j;
  for (i = 0; i < N; ++i) {
    b[i] = 0.0f;
    for (j = 0; j < N; ++j) {
      b[i] += a[OFFSET + j * LD + i];
    }
  }
}

static int are_ones(cl_mem memory)
{
  float x[N];
  int i, good = 1;
  download(memory, x, sizeof x);
  for (i = 0; i < N; ++i) {
    good = good && fabs((double)x[i] - 1.0) < 1e-5;
  }
  return good;
}

/* The second number in the memory: the info. */
static int info_of(cl_mem memory)
{
  int32_t info[2] = {-1, -1};
  download(memory, info, sizeof info);
  CHECK(info[0] == -7, "what is before the info");
  return info[1];
}

static cl_mem new_info(void)
{
  const int32_t info[2] = {-7, -7};
  return upload(info, sizeof info);
}

static void solve_by_lu(void)
{
  float a[SIZE], b[N];
  const int32_t pivots[N + 1] = {0};
  cl_mem ma, mb, mp = upload(pivots, sizeof pivots), info = new_info();
  cl_event event = NULL;
  fill(a);
  row_sums(a, b);
  ma = upload(a, sizeof a);
  mb = upload(b, sizeof b);
  CHECK(affinimathSgetrfCL(device.queue, COL, N, N, ma, OFFSET, LD, mp, 1, info, 1, &event) == 0, "getrf");
  CHECK(event != NULL && clWaitForEvents(1, &event) == CL_SUCCESS && clReleaseEvent(event) == CL_SUCCESS, "its event");
  CHECK(info_of(info) == 0, "getrf's info");
  CHECK(affinimathSgetrsCL(device.queue, COL, AFFINIMATH_NO_TRANS, N, 1, ma, OFFSET, LD, mp, 1, mb, 0, N, NULL) == 0,
        "getrs");
  CHECK(are_ones(mb), "getrs's solution");
  CHECK(affinimathSgetriCL(device.queue, COL, N, ma, OFFSET, LD, mp, 1, info, 1, NULL) == 0 && info_of(info) == 0,
        "getri");
  download(ma, a, sizeof a);
  CHECK(a[OFFSET - 1] == -77.0f && a[OFFSET + N] == -77.0f, "what is beside the inverse");
  clReleaseMemObject(ma);
  fill(a);
  ma = upload(a, sizeof a);
  clReleaseMemObject(mb);
  mb = upload(b, sizeof b);
  CHECK(affinimathSgesvCL(device.queue, COL, N, 1, ma, OFFSET, LD, mp, 0, mb, 0, N, info, 1, NULL) == 0, "gesv");
  CHECK(info_of(info) == 0 && are_ones(mb), "gesv's solution");
  clReleaseMemObject(ma);
  clReleaseMemObject(mb);
  clReleaseMemObject(mp);
  clReleaseMemObject(info);
}

static void solve_by_cholesky(void)
{
  float a[SIZE], b[N], after[N];
  const int uplo = AFFINIMATH_LOWER;
  cl_mem ma, mb, info = new_info();
  fill(a);
  row_sums(a, b);
  ma = upload(a, sizeof a);
  mb = upload(b, sizeof b);
  CHECK(affinimathSpotrfCL(device.queue, COL, uplo, N, ma, OFFSET, LD, info, 1, NULL) == 0 && info_of(info) == 0,
        "potrf");
  CHECK(affinimathSpotrsCL(device.queue, COL, uplo, N, 1, ma, OFFSET, LD, mb, 0, N, NULL) == 0 && are_ones(mb),
        "potrs");
  CHECK(affinimathSpotriCL(device.queue, COL, uplo, N, ma, OFFSET, LD, info, 1, NULL) == 0 && info_of(info) == 0,
        "potri");
  clReleaseMemObject(ma);
  a[OFFSET + 2 * LD + 2] = -1.0f;
  ma = upload(a, sizeof a);
  clReleaseMemObject(mb);
  mb = upload(b, sizeof b);
  CHECK(affinimathSposvCL(device.queue, COL, uplo, N, 1, ma, OFFSET, LD, mb, 0, N, info, 1, NULL) == 0, "posv");
  CHECK(info_of(info) == 3, "the minor that is not positive");
  download(mb, after, sizeof after);
  CHECK(memcmp(after, b, sizeof b) == 0, "B, which stays as it was");
  clReleaseMemObject(ma);
  clReleaseMemObject(mb);
  clReleaseMemObject(info);
}

/* Norms in a memory object, between canaries; and the product of a factor with its adjoint. */
static void norms_and_products(void)
{
  const float canaries[3] = {-7.0f, -7.0f, -7.0f};
  const int norms[4] = {AFFINIMATH_ONE_NORM, AFFINIMATH_INFINITY_NORM, AFFINIMATH_FROBENIUS_NORM, AFFINIMATH_MAX_NORM};
  float a[SIZE], found[3], on_host;
  cl_mem ma, result = upload(canaries, sizeof canaries);
  int k;
  fill(a);
  ma = upload(a, sizeof a);
  for (k = 0; k < 4; ++k) {
    CHECK(affinimathSlange(COL, norms[k], N, N, a + OFFSET, LD, &on_host) == 0, "lange on the host");
    CHECK(affinimathSlangeCL(device.queue, COL, norms[k], N, N, ma, OFFSET, LD, result, 1, NULL) == 0, "lange");
    download(result, found, sizeof found);
    CHECK(found[0] == -7.0f && found[2] == -7.0f && fabs((double)(found[1] - on_host)) < 1e-5 * on_host,
          "lange's norm");
    CHECK(affinimathSlansyCL(device.queue, COL, norms[k], AFFINIMATH_UPPER, N, ma, OFFSET, LD, result, 1, NULL) == 0,
          "lansy");
    download(result, found, sizeof found);
    CHECK(fabs((double)(found[1] - on_host)) < 1e-5 * on_host, "lansy's norm, which is lange's");
    CHECK(affinimathSlantr(COL, norms[k], AFFINIMATH_UPPER, AFFINIMATH_UNIT, N, N, a + OFFSET, LD, &on_host) == 0,
          "lantr on the host");
    CHECK(affinimathSlantrCL(device.queue, COL, norms[k], AFFINIMATH_UPPER, AFFINIMATH_UNIT, N, N, ma, OFFSET, LD,
                             result, 1, NULL) == 0,
          "lantr");
    download(result, found, sizeof found);
    CHECK(fabs((double)(found[1] - on_host)) < 1e-5 * on_host, "lantr's norm");
  }
  CHECK(affinimathSlangeCL(device.queue, COL, 170, N, N, ma, OFFSET, LD, result, 1, NULL) == -3, "a norm that is none");
  CHECK(affinimathSlangeCL(device.queue, COL, norms[0], N, N, ma, OFFSET, N - 1, result, 1, NULL) == -8, "lange's lda");
  CHECK(affinimathSlangeCL(device.queue, COL, norms[0], N, N, ma, OFFSET, LD, NULL, 1, NULL) == -9, "no place");
  CHECK(affinimathSlauumCL(device.queue, COL, AFFINIMATH_LOWER, N, ma, OFFSET, LD, NULL) == 0, "lauum");
  download(ma, found, sizeof found);
  CHECK(found[0] == -77.0f, "what is before the factor");
  clReleaseMemObject(ma);
  clReleaseMemObject(result);
}

static void solve_by_qr(void)
{
  float a[SIZE], b[N], factors[N + 1] = {-77.0f};
  const int upper = AFFINIMATH_UPPER, trans = AFFINIMATH_TRANS;
  int i, j, good = 1;
  cl_mem ma, mb, mt = upload(factors, sizeof factors), info = new_info();
  fill(a);
  row_sums(a, b);
  ma = upload(a, sizeof a);
  mb = upload(b, sizeof b);
  CHECK(affinimathSgeqrfCL(device.queue, COL, N, N, ma, OFFSET, LD, mt, 1, NULL) == 0, "geqrf");
  download(mt, factors, sizeof factors);
  CHECK(factors[0] == -77.0f && factors[1] >= 1.0f && factors[1] <= 2.0f && factors[N] == 0.0f, "geqrf's factors");
  CHECK(affinimathSormqrCL(device.queue, COL, AFFINIMATH_LEFT, trans, N, 1, N, ma, OFFSET, LD, mt, 1, mb, 0, N, NULL) ==
            0,
        "ormqr");
  CHECK(affinimathStrtrsCL(device.queue, COL, upper, AFFINIMATH_NO_TRANS, AFFINIMATH_NON_UNIT, N, 1, ma, OFFSET, LD, mb,
                           0, N, info, 1, NULL) == 0,
        "trtrs with R");
  CHECK(info_of(info) == 0 && are_ones(mb), "the solution by QR");
  CHECK(affinimathSorgqrCL(device.queue, COL, N, N, N, ma, OFFSET, LD, mt, 1, NULL) == 0, "orgqr");
  download(ma, a, sizeof a);
  for (i = 0; i < N; ++i) {
    for (j = 0; j < N; ++j) {
      double dot = 0.0;
      int k;
      for (k = 0; k < N; ++k) {
        dot += (double)a[OFFSET + i * LD + k] * (double)a[OFFSET + j * LD + k];
      }
      good = good && fabs(dot - (i == j ? 1.0 : 0.0)) < 1e-5;
    }
  }
  CHECK(good, "orgqr's columns are orthonormal");
  CHECK(a[OFFSET - 1] == -77.0f && a[OFFSET + N] == -77.0f, "what is beside Q");
  clReleaseMemObject(ma);
  fill(a);
  ma = upload(a, sizeof a);
  clReleaseMemObject(mb);
  mb = upload(b, sizeof b);
  CHECK(affinimathSgelsCL(device.queue, COL, AFFINIMATH_NO_TRANS, N, N, 1, ma, OFFSET, LD, mb, 0, N, info, 1, NULL) ==
            0,
        "gels");
  CHECK(info_of(info) == 0 && are_ones(mb), "gels's solution");
  CHECK(affinimathSgeqrfCL(device.queue, COL, N, N, ma, OFFSET, LD, mt, 2, NULL) == -8, "too few factors");
  CHECK(affinimathSormqrCL(device.queue, COL, AFFINIMATH_LEFT, trans, N, 1, N + 1, ma, OFFSET, LD, mt, 1, mb, 0, N,
                           NULL) == -7,
        "too many reflectors");
  clReleaseMemObject(ma);
  clReleaseMemObject(mb);
  clReleaseMemObject(mt);
  clReleaseMemObject(info);
}

static void triangles(void)
{
  float a[SIZE], b[N];
  const int uplo = AFFINIMATH_UPPER, diag = AFFINIMATH_NON_UNIT, trans = AFFINIMATH_NO_TRANS;
  int i, j;
  cl_mem ma, mb, info = new_info();
  fill(a);
  for (i = 0; i < N; ++i) {
    b[i] = 0.0f;
    for (j = i; j < N; ++j) {
      b[i] += a[OFFSET + j * LD + i];
    }
  }
  ma = upload(a, sizeof a);
  mb = upload(b, sizeof b);
  CHECK(affinimathStrtrsCL(device.queue, COL, uplo, trans, diag, N, 1, ma, OFFSET, LD, mb, 0, N, info, 1, NULL) == 0,
        "trtrs");
  CHECK(info_of(info) == 0 && are_ones(mb), "trtrs's solution");
  CHECK(affinimathStrtriCL(device.queue, COL, uplo, diag, N, ma, OFFSET, LD, info, 1, NULL) == 0, "trtri");
  download(ma, b, sizeof(float) * OFFSET + sizeof(float));
  CHECK(info_of(info) == 0 && b[OFFSET] == 0.25f, "trtri's inverse");
  clReleaseMemObject(ma);
  clReleaseMemObject(mb);
  clReleaseMemObject(info);
}

/* Nothing is enqueued, and the first wrong argument is told. */
static void wrong_arguments(void)
{
  float a[SIZE];
  const int32_t pivots[N] = {0};
  cl_mem ma, mp = upload(pivots, sizeof pivots), info = new_info();
  fill(a);
  ma = upload(a, sizeof a);
  CHECK(affinimathSgetrfCL(NULL, COL, N, N, ma, 0, LD, mp, 0, info, 0, NULL) == -1, "queue");
  CHECK(affinimathSgetrfCL(device.queue, 7, N, N, ma, 0, LD, mp, 0, info, 0, NULL) == -2, "layout");
  CHECK(affinimathSgetrfCL(device.queue, COL, -1, N, ma, 0, LD, mp, 0, info, 0, NULL) == -3, "m");
  CHECK(affinimathSgetrfCL(device.queue, COL, N, N, NULL, 0, LD, mp, 0, info, 0, NULL) == -5, "a");
  CHECK(affinimathSgetrfCL(device.queue, COL, N, N, ma, -1, LD, mp, 0, info, 0, NULL) == -6, "offa");
  CHECK(affinimathSgetrfCL(device.queue, COL, N, N, ma, 0, N - 1, mp, 0, info, 0, NULL) == -7, "lda");
  CHECK(affinimathSgetrfCL(device.queue, COL, N, N, ma, 0, LD, NULL, 0, info, 0, NULL) == -8, "ipiv");
  CHECK(affinimathSgetrfCL(device.queue, COL, N, N, ma, 0, LD, mp, 1, info, 0, NULL) == -8, "too few pivots");
  CHECK(affinimathSgetrfCL(device.queue, COL, N, N, ma, 0, LD, mp, 0, NULL, 0, NULL) == -10, "info");
  CHECK(affinimathSgetrfCL(device.queue, COL, N, N, ma, 0, LD, mp, 0, info, -1, NULL) == -11, "offinfo");
  CHECK(info_of(info) == -7, "the info, which stays as it was");
  CHECK(affinimathSgetrfCL(device.queue, COL, 0, N, NULL, 0, 1, NULL, 0, info, 1, NULL) == 0, "nothing");
  CHECK(info_of(info) == 0, "the info of nothing");
  clReleaseMemObject(ma);
  clReleaseMemObject(mp);
  clReleaseMemObject(info);
}

int main(void)
{
  if (!open_device(&device)) {
    printf("no OpenCL device\n");
    return 77;
  }
  solve_by_lu();
  solve_by_cholesky();
  norms_and_products();
  solve_by_qr();
  triangles();
  wrong_arguments();
  close_device(&device);
  return report("lapack_device");
}
