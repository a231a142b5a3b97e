/* Batches in the application's memory objects, on its queue. Exits with 77 without an OpenCL device. */

#include "opencl_device.h"

#include "count.h"

enum { LENGTH = 8, COLS = AFFINIMATH_COL_MAJOR, KEEP = AFFINIMATH_NO_TRANS, LEFT = AFFINIMATH_LEFT };
enum { LOWER = AFFINIMATH_LOWER, STORED = AFFINIMATH_NON_UNIT };

static struct _cl_mem *new_memory(opencl_device *device, const float *data)
{
  return clCreateBuffer(device->context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, LENGTH * sizeof *data, (void *)data,
                        NULL);
}

static int holds(opencl_device *device, struct _cl_mem *memory, const float *expected)
{
  float found[LENGTH];
  return clEnqueueReadBuffer(device->queue, memory, CL_TRUE, 0, sizeof found, found, 0, NULL, NULL) == CL_SUCCESS &&
         memcmp(found, expected, sizeof found) == 0;
}

/* Enqueued one after another without waiting: the queue's order is enough. */
static void batches(opencl_device *device)
{
  /* From element 1 on: three matrices of 1 x 2. */
  static const float A[LENGTH] = {9, 1, 2, 3, 4, 5, 6, 9}, B[LENGTH] = {10, 100, 9, 9, 9, 9, 9, 9};
  static const float C[LENGTH] = {7, 1, 7, 1, 7, 1, 7, 7}, SUM[LENGTH] = {7, 211, 7, 431, 7, 651, 7, 7};
  static const float HALVES[LENGTH] = {7, 211, 7, 215.5f, 7, 162.75f, 7, 7}, T[LENGTH] = {1, 2, 4, 9, 9, 9, 9, 9};
  int64_t offsets_a[3] = {0, 1, 2}, offsets_b[3] = {0, 2, 4};
  struct _cl_mem *a = new_memory(device, A), *b = new_memory(device, B), *c = new_memory(device, C);
  struct _cl_mem *t = new_memory(device, T);
  cl_event event = NULL;
  CHECK(affinimathSgemmStridedBatchedCL(device->queue, COLS, KEEP, KEEP, 1, 1, 2, 1, a, 1, 1, 2, b, 0, 2, 0, 1, c, 1, 1,
                                        2, 3, NULL) == AFFINIMATH_SUCCESS,
        "sgemmStridedBatchedCL");
  CHECK(holds(device, c, SUM), "sgemmStridedBatchedCL");
  CHECK(affinimathStrsmBatchedCL(device->queue, COLS, LEFT, LOWER, KEEP, STORED, 1, 1, 1, t, 0, 1, offsets_a, c, 1, 1,
                                 offsets_b, 3, &event) == AFFINIMATH_SUCCESS,
        "strsmBatchedCL");
  /* They were read when the call returned. */
  memset(offsets_a, -1, sizeof offsets_a);
  memset(offsets_b, -1, sizeof offsets_b);
  CHECK(event != NULL && clWaitForEvents(1, &event) == CL_SUCCESS && clReleaseEvent(event) == CL_SUCCESS,
        "strsmBatchedCL");
  CHECK(holds(device, c, HALVES), "strsmBatchedCL");
  clReleaseMemObject(a);
  clReleaseMemObject(b);
  clReleaseMemObject(c);
  clReleaseMemObject(t);
}

#define REFUSED(call, status, name) \
  CHECK((call) == (status) && strstr(affinimathLastError(), name) != NULL, #call)

static void wrong_arguments(opencl_device *device)
{
  static const float DATA[LENGTH] = {0};
  static const int64_t GOOD[2] = {0, 1}, FAR[2] = {0, LENGTH};
  struct _cl_mem *a = new_memory(device, DATA), *c = new_memory(device, DATA);
  cl_command_queue q = device->queue;
  cl_event event = NULL;
  REFUSED(affinimathSgemmStridedBatchedCL(NULL, COLS, KEEP, KEEP, 1, 1, 1, 1, a, 0, 1, 1, a, 0, 1, 1, 1, c, 0, 1, 1, 2,
                                          NULL),
          -1, "queue");
  REFUSED(
      affinimathSgemmStridedBatchedCL(q, COLS, KEEP, KEEP, 1, 1, 1, 1, a, -1, 1, 1, a, 0, 1, 1, 1, c, 0, 1, 1, 2, NULL),
      -10, "offa");
  REFUSED(
      affinimathSgemmStridedBatchedCL(q, COLS, KEEP, KEEP, 1, 1, 1, 1, a, 0, 1, 1, a, 0, 1, 1, 1, c, 0, 1, 0, 2, NULL),
      -21, "stridec");
  REFUSED(
      affinimathSgemmStridedBatchedCL(q, COLS, KEEP, KEEP, 1, 1, 1, 1, a, 0, 1, 1, a, 0, 1, 1, 1, c, 0, 1, 1, -2, NULL),
      -22, "batch_count");
  /* Memory objects that are one element too small for the last matrix. */
  REFUSED(affinimathSgemmStridedBatchedCL(q, COLS, KEEP, KEEP, 1, 1, 1, 1, a, 0, 1, LENGTH, a, 0, 1, 1, 1, c, 0, 1, 1,
                                          2, NULL),
          -9, "a needs");
  REFUSED(
      affinimathSgemmBatchedCL(q, COLS, KEEP, KEEP, 1, 1, 1, 1, a, 0, 1, GOOD, a, 0, 1, FAR, 1, c, 0, 1, GOOD, 2, NULL),
      -13, "b needs");
  REFUSED(affinimathStrsmStridedBatchedCL(q, COLS, LEFT, LOWER, KEEP, STORED, 1, 1, 1, a, 0, 1, 0, c, 0, 1, LENGTH, 2,
                                          NULL),
          -14, "b needs");
  REFUSED(affinimathStrsmBatchedCL(q, COLS, LEFT, LOWER, KEEP, STORED, 1, 1, 1, a, 0, 1, NULL, c, 0, 1, GOOD, 2, NULL),
          -13, "offsetsa");
  CHECK(affinimathSgemmBatchedCL(q, COLS, KEEP, KEEP, 1, 1, 1, 1, NULL, 0, 1, NULL, NULL, 0, 1, NULL, 1, NULL, 0, 1,
                                 NULL, 0, &event) == AFFINIMATH_SUCCESS,
        "no matrices");
  CHECK(event != NULL && clWaitForEvents(1, &event) == CL_SUCCESS && clReleaseEvent(event) == CL_SUCCESS,
        "no matrices");
  clReleaseMemObject(a);
  clReleaseMemObject(c);
}

int main(void)
{
  opencl_device device;
  if (!open_device(&device)) {
    printf("batched_device: skipped, no OpenCL device\n");
    return 77;
  }
  batches(&device);
  wrong_arguments(&device);
  CHECK(clFinish(device.queue) == CL_SUCCESS, "finish");
  CHECK(affinimathShutdown() == AFFINIMATH_SUCCESS, "shutdown");
  close_device(&device);
  return report("batched_device");
}
