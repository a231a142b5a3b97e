/* trsm on the application's memory objects and queue. Exits with 77 without an OpenCL device. */

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

static void systems(opencl_device *device)
{
  /* From element 1 on: the lower triangle (2, 0; 4, 8), three elements from column to column. */
  static const float A[LENGTH] = {9, 2, 4, 9, 9, 8, 9, 9}, B[LENGTH] = {7, 7, 2, 12, 4, 24, 7, 7};
  static const float X[LENGTH] = {7, 7, 1, 1, 2, 2, 7, 7}, ZEROS[LENGTH] = {7, 7, 0, 0, 0, 0, 7, 7};
  struct _cl_mem *a = new_memory(device, A), *b = new_memory(device, B);
  cl_event event = NULL;
  CHECK(affinimathStrsmCL(device->queue, COLS, LEFT, LOWER, KEEP, STORED, 2, 2, 1, a, 1, 3, b, 2, 2, &event) ==
            AFFINIMATH_SUCCESS,
        "strsmCL");
  CHECK(event != NULL && clWaitForEvents(1, &event) == CL_SUCCESS && clReleaseEvent(event) == CL_SUCCESS, "strsmCL");
  CHECK(holds(device, b, X), "strsmCL");
  CHECK(affinimathStrsmCL(device->queue, COLS, LEFT, LOWER, KEEP, STORED, 2, 2, 0, NULL, 0, 2, b, 2, 2, NULL) ==
            AFFINIMATH_SUCCESS,
        "alpha = 0");
  CHECK(holds(device, b, ZEROS), "alpha = 0");
  clReleaseMemObject(a);
  clReleaseMemObject(b);
}

#define REFUSED(call, status, name) \
  CHECK((call) == (status) && strstr(affinimathLastError(), name) != NULL, #call)

static void wrong_arguments(opencl_device *device)
{
  static const float DATA[LENGTH] = {0};
  struct _cl_mem *a = new_memory(device, DATA), *b = new_memory(device, DATA);
  cl_command_queue q = device->queue;
  cl_event event = NULL;
  REFUSED(affinimathStrsmCL(NULL, COLS, LEFT, LOWER, KEEP, STORED, 2, 2, 1, a, 0, 2, b, 0, 2, NULL), -1, "queue");
  REFUSED(affinimathStrsmCL(q, 0, LEFT, LOWER, KEEP, STORED, 2, 2, 1, a, 0, 2, b, 0, 2, NULL), -2, "layout");
  REFUSED(affinimathStrsmCL(q, COLS, 0, LOWER, KEEP, STORED, 2, 2, 1, a, 0, 2, b, 0, 2, NULL), -3, "side");
  REFUSED(affinimathStrsmCL(q, COLS, LEFT, LOWER, KEEP, STORED, 2, 2, 1, NULL, 0, 2, b, 0, 2, NULL), -10, "a");
  REFUSED(affinimathStrsmCL(q, COLS, LEFT, LOWER, KEEP, STORED, 2, 2, 1, a, -1, 2, b, 0, 2, NULL), -11, "offa");
  REFUSED(affinimathStrsmCL(q, COLS, LEFT, LOWER, KEEP, STORED, 2, 2, 1, a, 0, 1, b, 0, 2, NULL), -12, "lda");
  REFUSED(affinimathStrsmCL(q, COLS, LEFT, LOWER, KEEP, STORED, 2, 2, 1, a, 0, 2, NULL, 0, 2, NULL), -13, "b");
  REFUSED(affinimathStrsmCL(q, COLS, LEFT, LOWER, KEEP, STORED, 2, 2, 1, a, 0, 2, b, -1, 2, NULL), -14, "offb");
  REFUSED(affinimathStrsmCL(q, COLS, LEFT, LOWER, KEEP, STORED, 2, 2, 1, a, 0, 2, b, 0, 1, NULL), -15, "ldb");
  /* Memory objects that are one element too small. */
  REFUSED(affinimathStrsmCL(q, COLS, LEFT, LOWER, KEEP, STORED, 2, 2, 1, a, LENGTH - 3, 2, b, 0, 2, NULL), -10,
          "a needs");
  REFUSED(affinimathStrsmCL(q, COLS, LEFT, LOWER, KEEP, STORED, 2, 2, 1, a, 0, 2, b, LENGTH - 3, 2, NULL), -13,
          "b needs");
  CHECK(affinimathStrsmCL(q, COLS, LEFT, LOWER, KEEP, STORED, 2, 0, 1, NULL, 0, 2, NULL, 0, 2, &event) ==
            AFFINIMATH_SUCCESS,
        "n = 0");
  CHECK(event != NULL && clWaitForEvents(1, &event) == CL_SUCCESS && clReleaseEvent(event) == CL_SUCCESS, "n = 0");
  clReleaseMemObject(a);
  clReleaseMemObject(b);
}

int main(void)
{
  opencl_device device;
  if (!open_device(&device)) {
    printf("triangular_device: skipped, no OpenCL device\n");
    return 77;
  }
  systems(&device);
  wrong_arguments(&device);
  CHECK(clFinish(device.queue) == CL_SUCCESS, "finish");
  CHECK(affinimathShutdown() == AFFINIMATH_SUCCESS, "shutdown");
  close_device(&device);
  return report("triangular_device");
}
