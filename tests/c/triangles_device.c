/* symm, hemm, syrk, herk, syr2k, her2k, trmm and gemmt on the application's memory objects and queue. Exits
   with 77 where there is no OpenCL device. */

#include "opencl_device.h"

#include "count.h"

enum {
  LENGTH = 8,
  COLS = AFFINIMATH_COL_MAJOR,
  KEEP = AFFINIMATH_NO_TRANS,
  UP = AFFINIMATH_UPPER,
  LOW = AFFINIMATH_LOWER,
  LEFT = AFFINIMATH_LEFT,
  FULL = AFFINIMATH_NON_UNIT
};

static struct _cl_mem *new_memory(opencl_device *device, const float *data)
{
  return clCreateBuffer(device->context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, LENGTH * sizeof *data, (void *)data,
                        NULL);
}

/* Compares the memory's contents, and fills it with nines again. */
static int held(opencl_device *device, struct _cl_mem *memory, const float *expected)
{
  static const float NINES[LENGTH] = {9, 9, 9, 9, 9, 9, 9, 9};
  float found[LENGTH];
  cl_int read = clEnqueueReadBuffer(device->queue, memory, CL_TRUE, 0, sizeof found, found, 0, NULL, NULL);
  cl_int written = clEnqueueWriteBuffer(device->queue, memory, CL_TRUE, 0, sizeof NINES, NINES, 0, NULL, NULL);
  return read == CL_SUCCESS && written == CL_SUCCESS && memcmp(found, expected, sizeof found) == 0;
}

/* From element 1 on: columns (1, 2) and (3, 4), three elements apart, of which some routines read a triangle. */
static const float A[LENGTH] = {9, 1, 2, 9, 3, 4, 9, 9}, ONE[LENGTH] = {1, 0, 0, 1, 0, 0, 0, 0};

static void real_matrices(opencl_device *device)
{
  static const float SYMM[LENGTH] = {9, 9, 1, 3, 3, 4, 9, 9}, SYRK[LENGTH] = {9, 9, 10, 9, 14, 20, 9, 9};
  static const float SYR2K[LENGTH] = {9, 9, 2, 5, 9, 8, 9, 9}, TRMM[LENGTH] = {9, 9, 36, 36, 36, 36, 9, 9};
  static const float GEMMT[LENGTH] = {9, 9, 2, 4, 9, 8, 9, 9}, NINES[LENGTH] = {9, 9, 9, 9, 9, 9, 9, 9};
  struct _cl_mem *a = new_memory(device, A), *b = new_memory(device, ONE), *c = new_memory(device, NINES);
  cl_command_queue queue = device->queue;
  cl_event event = NULL;
  CHECK(affinimathSsymmCL(queue, COLS, LEFT, UP, 2, 2, 1, a, 1, 3, b, 0, 2, 0, c, 2, 2, &event) == AFFINIMATH_SUCCESS,
        "symm");
  CHECK(event != NULL && clWaitForEvents(1, &event) == CL_SUCCESS && clReleaseEvent(event) == CL_SUCCESS, "symm");
  CHECK(held(device, c, SYMM), "ssymmCL");
  CHECK(affinimathSsyrkCL(queue, COLS, UP, KEEP, 2, 2, 1, a, 1, 3, 0, c, 2, 2, NULL) == AFFINIMATH_SUCCESS, "syrk");
  CHECK(held(device, c, SYRK), "ssyrkCL");
  CHECK(affinimathSsyr2kCL(queue, COLS, LOW, KEEP, 2, 2, 1, a, 1, 3, b, 0, 2, 0, c, 2, 2, NULL) == AFFINIMATH_SUCCESS,
        "syr2k");
  CHECK(held(device, c, SYR2K), "ssyr2kCL");
  CHECK(affinimathSgemmtCL(queue, COLS, LOW, KEEP, KEEP, 2, 2, 2, a, 1, 3, b, 0, 2, 0, c, 2, 2, NULL) ==
            AFFINIMATH_SUCCESS,
        "gemmt");
  CHECK(held(device, c, GEMMT), "sgemmtCL");
  /* The upper triangle (1, 3; 0, 4) times nines. */
  CHECK(affinimathStrmmCL(queue, COLS, LEFT, UP, KEEP, FULL, 2, 2, 1, a, 1, 3, c, 2, 2, NULL) == AFFINIMATH_SUCCESS,
        "trmm");
  CHECK(held(device, c, TRMM), "strmmCL");
  clReleaseMemObject(a);
  clReleaseMemObject(b);
  clReleaseMemObject(c);
}

/* The same memory as four complex numbers. */
static void hermitian_matrices(opencl_device *device)
{
  /* (1 + i, 2) as a column, and the upper triangle of (2, 1 + i; 1 - i, 3) with imaginary parts that are not read. */
  static const float COLUMN[LENGTH] = {1, 1, 2, 0, 9, 9, 9, 9}, H[LENGTH] = {2, 9, 9, 9, 1, 1, 3, 9};
  static const float B[LENGTH] = {1, 0, 0, 1, 9, 9, 9, 9}, C[LENGTH] = {1, 9, 1, 1, 9, 9, 1, 9};
  static const float HERK[LENGTH] = {5, 0, 5, -3, 9, 9, 9, 0}, HER2K[LENGTH] = {-2, 0, 9, 9, 1, -1, 4, 0};
  static const float HEMM[LENGTH] = {1, 1, 1, 2, 9, 9, 9, 9};
  const affinimath_c32 one = {1, 0}, zero = {0, 0}, i = {0, 1};
  struct _cl_mem *a = new_memory(device, COLUMN), *b = new_memory(device, B), *c = new_memory(device, C);
  struct _cl_mem *h = new_memory(device, H);
  cl_command_queue queue = device->queue;
  CHECK(affinimathCherkCL(queue, COLS, LOW, KEEP, 2, 1, 2, a, 0, 2, 1, c, 0, 2, NULL) == AFFINIMATH_SUCCESS, "herk");
  CHECK(held(device, c, HERK), "cherkCL");
  CHECK(affinimathCher2kCL(queue, COLS, UP, KEEP, 2, 1, i, a, 0, 2, b, 0, 2, 0, c, 0, 2, NULL) == AFFINIMATH_SUCCESS,
        "her2k");
  CHECK(held(device, c, HER2K), "cher2kCL");
  CHECK(affinimathChemmCL(queue, COLS, LEFT, UP, 2, 1, one, h, 0, 2, b, 0, 2, zero, c, 0, 2, NULL) ==
            AFFINIMATH_SUCCESS,
        "hemm");
  CHECK(held(device, c, HEMM), "chemmCL");
  clReleaseMemObject(a);
  clReleaseMemObject(b);
  clReleaseMemObject(c);
  clReleaseMemObject(h);
}

#define REFUSED(call, status, name) \
  CHECK((call) == (status) && strstr(affinimathLastError(), name) != NULL, #call)

static void wrong_arguments(opencl_device *device)
{
  struct _cl_mem *a = new_memory(device, A), *b = new_memory(device, ONE), *c = new_memory(device, A);
  cl_command_queue queue = device->queue;
  cl_event event = NULL;
  REFUSED(affinimathSsymmCL(NULL, COLS, LEFT, UP, 2, 2, 1, a, 0, 2, b, 0, 2, 0, c, 0, 2, NULL), -1, "queue");
  REFUSED(affinimathSsymmCL(queue, COLS, LEFT, UP, 2, 2, 1, NULL, 0, 2, b, 0, 2, 0, c, 0, 2, NULL), -8, "a");
  REFUSED(affinimathSsymmCL(queue, COLS, LEFT, UP, 2, 2, 1, a, -1, 2, b, 0, 2, 0, c, 0, 2, NULL), -9, "offa");
  REFUSED(affinimathSsymmCL(queue, COLS, LEFT, UP, 2, 2, 1, a, 0, 2, b, -1, 2, 0, c, 0, 2, NULL), -12, "offb");
  REFUSED(affinimathSsymmCL(queue, COLS, LEFT, UP, 2, 2, 1, a, 0, 2, b, 0, 2, 0, c, -1, 2, NULL), -16, "offc");
  REFUSED(affinimathSsymmCL(queue, COLS, LEFT, UP, 2, 2, 1, a, 0, 2, b, 0, 2, 0, c, 0, 1, NULL), -17, "ldc");
  REFUSED(affinimathSsyrkCL(queue, COLS, UP, KEEP, 2, 2, 1, a, 0, 2, 0, c, LENGTH - 3, 2, NULL), -12, "c needs");
  REFUSED(affinimathStrmmCL(queue, COLS, LEFT, UP, KEEP, FULL, 2, 2, 1, a, 0, 2, b, -1, 2, NULL), -14, "offb");
  REFUSED(affinimathStrmmCL(queue, COLS, LEFT, UP, KEEP, FULL, 2, 2, 1, a, LENGTH - 3, 2, b, 0, 2, NULL), -10,
          "a needs");
  REFUSED(affinimathSgemmtCL(queue, COLS, UP, KEEP, KEEP, 2, 2, 1, a, 0, 2, b, 0, 2, 0, c, -1, 2, NULL), -17, "offc");
  REFUSED(affinimathSsyr2kCL(queue, COLS, UP, KEEP, 2, 2, 1, a, 0, 2, b, 0, 1, 0, c, 0, 2, NULL), -13, "ldb");
  /* Quick returns look at no memory object, and still give an event. */
  CHECK(affinimathSsyrkCL(queue, COLS, UP, KEEP, 0, 2, 1, NULL, 0, 1, 0, NULL, 0, 1, &event) == AFFINIMATH_SUCCESS,
        "n = 0");
  CHECK(event != NULL && clWaitForEvents(1, &event) == CL_SUCCESS && clReleaseEvent(event) == CL_SUCCESS, "n = 0");
  clReleaseMemObject(a);
  clReleaseMemObject(b);
  clReleaseMemObject(c);
}

int main(void)
{
  opencl_device device;
  if (!open_device(&device)) {
    printf("triangles_device: skipped, no OpenCL device\n");
    return 77;
  }
  real_matrices(&device);
  hermitian_matrices(&device);
  wrong_arguments(&device);
  CHECK(clFinish(device.queue) == CL_SUCCESS, "finish");
  CHECK(affinimathShutdown() == AFFINIMATH_SUCCESS, "shutdown");
  close_device(&device);
  return report("triangles_device");
}
