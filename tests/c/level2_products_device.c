/* Level 2's products on the application's memory objects and queue. Exits with 77 without an OpenCL device. */

#include "opencl_device.h"

#include "count.h"

#define COL AFFINIMATH_COL_MAJOR
#define KEEP AFFINIMATH_NO_TRANS
#define TRANS AFFINIMATH_TRANS
#define UP AFFINIMATH_UPPER
#define STORED AFFINIMATH_NON_UNIT
#define UNIT AFFINIMATH_UNIT

/* One memory object holds everything, as devices without doubles have to compute too: floats at these offsets. */
enum { FULL = 1, BAND = 9, UPPER = 18, PACKED = 27, UPPER_BAND = 33, X = 39, HERMITIAN = 42, Z = 50, LENGTH = 54 };
static const float DATA[LENGTH] = {
    -9, /* nothing */
    1,  2,  -9, 3,  4,  -9, 5,  6,  /* [1 3 5; 2 4 6] with a gap */
    -9, 1,  3,  2,  4,  6,  5,  7,  -9, /* the band of [1 2 0; 3 4 5; 0 6 7] */
    1,  -9, -9, 2,  3,  -9, 4,  5,  6,  /* the upper triangle [1 2 4; 3 5; 6] */
    1,  2,  3,  4,  5,  6,  /* packed */
    -9, 1,  2,  3,  5,  6,  /* and with one diagonal beside the main one */
    1,  -1, 2,  /* x */
    1,  7,  -9, -9, 2,  1,  3,  7,  /* [1 2+i; 2-i 3], whose imaginary parts on the diagonal are not read */
    1,  0,  0,  1,  /* (1, i) */
};

enum { RESULTS = 6 };

static struct _cl_mem *new_memory(opencl_device *device, const float *data, size_t count)
{
  return clCreateBuffer(device->context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, count * sizeof *data, (void *)data,
                        NULL);
}

/* True if y is (-9, the three expected numbers, -9, -9); it becomes (-9, 1, -1, 2, -9, -9) again. */
static int holds(opencl_device *device, struct _cl_mem *memory, float first, float second, float third)
{
  static const float AGAIN[RESULTS] = {-9, 1, -1, 2, -9, -9};
  float found[RESULTS], expected[RESULTS] = {-9, first, second, third, -9, -9};
  return clEnqueueReadBuffer(device->queue, memory, CL_TRUE, 0, sizeof found, found, 0, NULL, NULL) == CL_SUCCESS &&
         clEnqueueWriteBuffer(device->queue, memory, CL_TRUE, 0, sizeof AGAIN, AGAIN, 0, NULL, NULL) == CL_SUCCESS &&
         memcmp(found, expected, sizeof found) == 0;
}

#define DONE(call, first, second, third)               \
  CHECK((call) == AFFINIMATH_SUCCESS, #call);          \
  CHECK(holds(device, y, first, second, third), #call)

static void products(opencl_device *device)
{
  static const float BEFORE[RESULTS] = {-9, 1, -1, 2, -9, -9};
  struct _cl_command_queue *queue = device->queue;
  struct _cl_mem *a = new_memory(device, DATA, LENGTH), *y = new_memory(device, BEFORE, RESULTS);
  cl_event event = NULL;
  CHECK(affinimathSgemvCL(queue, COL, KEEP, 2, 3, 2, a, FULL, 3, a, X, 1, -1, y, 1, 1, &event) == AFFINIMATH_SUCCESS,
        "sgemvCL");
  CHECK(event != NULL && clWaitForEvents(1, &event) == CL_SUCCESS && clReleaseEvent(event) == CL_SUCCESS, "sgemvCL");
  CHECK(holds(device, y, 15, 21, 2), "sgemvCL");
  DONE(affinimathSgemvCL(queue, COL, TRANS, 2, 3, 1, a, FULL, 3, a, X, -2, 1, y, 1, -1, NULL), 17, 9, 6);
  DONE(affinimathSgbmvCL(queue, COL, KEEP, 3, 3, 1, 1, 1, a, BAND, 3, a, X, 1, 0, y, 1, 1, NULL), -1, 9, 8);
  DONE(affinimathSsymvCL(queue, COL, UP, 3, 1, a, UPPER, 3, a, X, 1, 0, y, 1, 1, NULL), 7, 9, 11);
  DONE(affinimathSspmvCL(queue, COL, UP, 3, 1, a, PACKED, a, X, 1, 0, y, 1, 1, NULL), 7, 9, 11);
  DONE(affinimathSsbmvCL(queue, COL, UP, 3, 1, 1, a, UPPER_BAND, 2, a, X, 1, 0, y, 1, 1, NULL), -1, 9, 7);
  DONE(affinimathStrmvCL(queue, COL, UP, KEEP, STORED, 3, a, UPPER, 3, y, 1, 1, NULL), 7, 7, 12);
  DONE(affinimathStpmvCL(queue, COL, UP, TRANS, UNIT, 3, a, PACKED, y, 1, 1, NULL), 1, 1, 1);
  DONE(affinimathStbmvCL(queue, COL, UP, KEEP, STORED, 3, 1, a, UPPER_BAND, 2, y, 1, 1, NULL), -1, 7, 12);
  /* Enqueued one after another without waiting: the queue's order is enough. */
  CHECK(affinimathStpmvCL(queue, COL, UP, TRANS, UNIT, 3, a, PACKED, y, 1, 1, NULL) == AFFINIMATH_SUCCESS, "stpmvCL");
  DONE(affinimathStrmvCL(queue, COL, UP, KEEP, STORED, 3, a, UPPER, 3, y, 1, 1, NULL), 7, 8, 6);
  clReleaseMemObject(a);
  clReleaseMemObject(y);
}

static void hermitian(opencl_device *device)
{
  static const float BEFORE[4] = {-9, -9, -9, -9}, PRODUCT[4] = {0, 2, 2, 2};
  static const affinimath_c32 ONE = {1, 0}, NONE = {0, 0};
  struct _cl_mem *a = new_memory(device, DATA + HERMITIAN, LENGTH - HERMITIAN), *y = new_memory(device, BEFORE, 4);
  float found[4];
  /* In elements: x begins behind the matrix. */
  CHECK(affinimathChemvCL(device->queue, COL, UP, 2, ONE, a, 0, 2, a, 4, 1, NONE, y, 0, 1, NULL) == AFFINIMATH_SUCCESS,
        "chemvCL");
  CHECK(clEnqueueReadBuffer(device->queue, y, CL_TRUE, 0, sizeof found, found, 0, NULL, NULL) == CL_SUCCESS, "chemvCL");
  CHECK(memcmp(found, PRODUCT, sizeof found) == 0, "chemvCL");
  clReleaseMemObject(a);
  clReleaseMemObject(y);
}

#define REFUSED(call, index, name) \
  CHECK((call) == -(index) && strstr(affinimathLastError(), name) != NULL, #call)

static void wrong_arguments(opencl_device *device)
{
  struct _cl_command_queue *queue = device->queue;
  struct _cl_mem *a = new_memory(device, DATA, 9), *x = new_memory(device, DATA, 3), *y = new_memory(device, DATA, 3);
  cl_event event = NULL;
  REFUSED(affinimathSgemvCL(NULL, COL, KEEP, 3, 3, 1, a, 0, 3, x, 0, 1, 1, y, 0, 1, NULL), 1, "queue");
  REFUSED(affinimathSgemvCL(queue, COL, KEEP, 3, 3, 1, NULL, 0, 3, x, 0, 1, 1, y, 0, 1, NULL), 7, "a");
  REFUSED(affinimathSgemvCL(queue, COL, KEEP, 3, 3, 1, a, -1, 3, x, 0, 1, 1, y, 0, 1, NULL), 8, "offa");
  REFUSED(affinimathSgemvCL(queue, COL, KEEP, 3, 3, 1, a, 0, 2, x, 0, 1, 1, y, 0, 1, NULL), 9, "lda");
  REFUSED(affinimathSgemvCL(queue, COL, KEEP, 3, 3, 1, a, 0, 3, x, -1, 1, 1, y, 0, 1, NULL), 11, "offx");
  REFUSED(affinimathSgemvCL(queue, COL, KEEP, 3, 3, 1, a, 0, 3, x, 0, 0, 1, y, 0, 1, NULL), 12, "incx");
  REFUSED(affinimathSgemvCL(queue, COL, KEEP, 3, 3, 1, a, 0, 3, x, 0, 1, 1, NULL, 0, 1, NULL), 14, "y");
  REFUSED(affinimathSgemvCL(queue, COL, KEEP, 3, 3, 1, a, 0, 3, x, 0, 1, 1, y, 0, 0, NULL), 16, "incy");
  /* Memory objects that are one element too small. */
  REFUSED(affinimathSgemvCL(queue, COL, KEEP, 3, 3, 1, a, 1, 3, x, 0, 1, 1, y, 0, 1, NULL), 7, "a needs");
  REFUSED(affinimathSgemvCL(queue, COL, KEEP, 3, 3, 1, a, 0, 3, x, 1, 1, 1, y, 0, 1, NULL), 10, "x needs");
  REFUSED(affinimathSgemvCL(queue, COL, KEEP, 3, 3, 1, a, 0, 3, x, 0, 1, 1, y, 1, 1, NULL), 14, "y needs");
  REFUSED(affinimathSgbmvCL(queue, COL, KEEP, 3, 3, 1, 1, 1, a, 1, 3, x, 0, 1, 1, y, 0, 1, NULL), 9, "a needs");
  REFUSED(affinimathSspmvCL(queue, COL, UP, 3, 1, a, 4, x, 0, 1, 1, y, 0, 1, NULL), 6, "ap needs");
  REFUSED(affinimathSsbmvCL(queue, COL, UP, 3, 1, 1, a, 4, 2, x, 0, 1, 1, y, 0, 1, NULL), 7, "a needs");
  REFUSED(affinimathStrmvCL(queue, COL, UP, KEEP, UNIT, 3, a, 0, 3, x, 1, 1, NULL), 10, "x needs");
  REFUSED(affinimathStpmvCL(queue, COL, UP, KEEP, 0, 3, a, 0, x, 0, 1, NULL), 5, "diag");
  REFUSED(affinimathStbmvCL(queue, COL, UP, KEEP, UNIT, 3, 1, a, 0, 1, x, 0, 1, NULL), 10, "lda");
  /* Quick returns look at no memory object, and still give an event. */
  CHECK(affinimathSgemvCL(queue, COL, KEEP, 0, 3, 1, NULL, 0, 1, NULL, 0, 1, 0, NULL, 0, 1, &event) ==
            AFFINIMATH_SUCCESS,
        "m = 0");
  CHECK(event != NULL && clWaitForEvents(1, &event) == CL_SUCCESS && clReleaseEvent(event) == CL_SUCCESS, "m = 0");
  CHECK(affinimathSgemvCL(queue, COL, KEEP, 3, 3, 0, NULL, 0, 3, NULL, 0, 1, 2, y, 0, 1, NULL) == AFFINIMATH_SUCCESS,
        "alpha = 0");
  CHECK(affinimathStrmvCL(queue, COL, UP, KEEP, UNIT, 0, NULL, 0, 1, NULL, 0, 1, NULL) == AFFINIMATH_SUCCESS, "n = 0");
  clReleaseMemObject(a);
  clReleaseMemObject(x);
  clReleaseMemObject(y);
}

int main(void)
{
  opencl_device device;
  if (!open_device(&device)) {
    printf("level2_products_device: skipped, no OpenCL device\n");
    return 77;
  }
  products(&device);
  hermitian(&device);
  wrong_arguments(&device);
  CHECK(clFinish(device.queue) == CL_SUCCESS, "finish");
  CHECK(affinimathShutdown() == AFFINIMATH_SUCCESS, "shutdown");
  close_device(&device);
  return report("level2_products_device");
}
