/* omatcopy, imatcopy and omatadd on the application's memory objects and queue. Exits with 77 without an OpenCL
   device. */

#include "opencl_device.h"

#include "count.h"

enum { LENGTH = 10, COLS = AFFINIMATH_COL_MAJOR, KEEP = AFFINIMATH_NO_TRANS, TURN = AFFINIMATH_TRANS };

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
static void matrices(opencl_device *device)
{
  /* From element 1 on: columns (1, 2) and (3, 4), three elements apart. */
  static const float A[LENGTH] = {9, 1, 2, 9, 3, 4, 9, 9, 9, 9}, NINES[LENGTH] = {9, 9, 9, 9, 9, 9, 9, 9, 9, 9};
  static const float B[LENGTH] = {9, 9, 2, 6, 4, 8, 9, 9, 9, 9}, C[LENGTH] = {4, 11, 7, 16, 9, 9, 9, 9, 9, 9};
  static const float TURNED[LENGTH] = {9, -1, -3, 9, -2, -4, 9, 9, 9, 9};
  struct _cl_mem *a = new_memory(device, A), *b = new_memory(device, NINES), *c = new_memory(device, NINES);
  cl_event event = NULL;
  CHECK(affinimathSomatcopyCL(device->queue, COLS, TURN, 2, 2, 2, a, 1, 3, b, 2, 2, NULL) == AFFINIMATH_SUCCESS,
        "copy");
  CHECK(affinimathSomataddCL(device->queue, COLS, KEEP, KEEP, 2, 2, 1, b, 2, 2, 1, b, 3, 1, c, 0, 2, NULL) == -14,
        "a leading dimension of 1");
  CHECK(affinimathSomataddCL(device->queue, COLS, TURN, KEEP, 2, 2, 2, a, 1, 3, 1, b, 2, 2, c, 0, 2, NULL) ==
            AFFINIMATH_SUCCESS,
        "add");
  CHECK(affinimathSimatcopyCL(device->queue, COLS, TURN, 2, 2, -1, a, 1, 3, 3, &event) == AFFINIMATH_SUCCESS,
        "in place");
  CHECK(event != NULL && clWaitForEvents(1, &event) == CL_SUCCESS && clReleaseEvent(event) == CL_SUCCESS, "in place");
  CHECK(holds(device, a, TURNED), "simatcopyCL");
  CHECK(holds(device, b, B), "somatcopyCL");
  {
    /* Twice the transpose, and the transpose doubled. */
    static const float SUM[LENGTH] = {4, 12, 8, 16, 9, 9, 9, 9, 9, 9};
    CHECK(!holds(device, c, C) && holds(device, c, SUM), "somataddCL");
  }
  clReleaseMemObject(a);
  clReleaseMemObject(b);
  clReleaseMemObject(c);
}

#define REFUSED(call, status, name) \
  CHECK((call) == (status) && strstr(affinimathLastError(), name) != NULL, #call)

static void wrong_arguments(opencl_device *device)
{
  static const float DATA[LENGTH] = {0};
  struct _cl_mem *a = new_memory(device, DATA), *b = new_memory(device, DATA);
  cl_command_queue queue = device->queue;
  cl_event event = NULL;
  REFUSED(affinimathSomatcopyCL(NULL, COLS, KEEP, 2, 2, 1, a, 0, 2, b, 0, 2, NULL), -1, "queue");
  REFUSED(affinimathSomatcopyCL(queue, 0, KEEP, 2, 2, 1, a, 0, 2, b, 0, 2, NULL), -2, "layout");
  REFUSED(affinimathSomatcopyCL(queue, COLS, KEEP, 2, 2, 1, NULL, 0, 2, b, 0, 2, NULL), -7, "a");
  REFUSED(affinimathSomatcopyCL(queue, COLS, KEEP, 2, 2, 1, a, -1, 2, b, 0, 2, NULL), -8, "offa");
  REFUSED(affinimathSomatcopyCL(queue, COLS, KEEP, 2, 2, 1, a, 0, 1, b, 0, 2, NULL), -9, "lda");
  REFUSED(affinimathSomatcopyCL(queue, COLS, KEEP, 2, 2, 1, a, 0, 2, NULL, 0, 2, NULL), -10, "b");
  REFUSED(affinimathSomatcopyCL(queue, COLS, KEEP, 2, 2, 1, a, 0, 2, b, -1, 2, NULL), -11, "offb");
  REFUSED(affinimathSomatcopyCL(queue, COLS, KEEP, 2, 2, 1, a, 0, 2, b, 0, 1, NULL), -12, "ldb");
  REFUSED(affinimathSimatcopyCL(queue, COLS, KEEP, 2, 2, 1, NULL, 0, 2, 2, NULL), -7, "a");
  REFUSED(affinimathSimatcopyCL(queue, COLS, KEEP, 2, 2, 1, a, -1, 2, 2, NULL), -8, "offa");
  REFUSED(affinimathSimatcopyCL(queue, COLS, KEEP, 2, 2, 1, a, 0, 1, 2, NULL), -9, "lda");
  REFUSED(affinimathSimatcopyCL(queue, COLS, KEEP, 2, 2, 1, a, 0, 2, 1, NULL), -10, "ldb");
  REFUSED(affinimathSomataddCL(queue, COLS, KEEP, KEEP, 2, 2, 1, a, 0, 2, 1, b, 0, 2, a, 0, 1, NULL), -17, "ldc");
  /* Memory objects that are one element too small, before or after. */
  REFUSED(affinimathSomatcopyCL(queue, COLS, KEEP, 2, 2, 1, a, LENGTH - 3, 2, b, 0, 2, NULL), -7, "a needs");
  REFUSED(affinimathSomatcopyCL(queue, COLS, KEEP, 2, 2, 1, a, 0, 2, b, LENGTH - 3, 2, NULL), -10, "b needs");
  REFUSED(affinimathSimatcopyCL(queue, COLS, KEEP, 2, 2, 1, a, 0, 2, LENGTH - 1, NULL), -7, "a needs");
  /* Quick returns look at no memory object, and still give an event. */
  CHECK(affinimathSomatcopyCL(queue, COLS, KEEP, 0, 2, 1, NULL, 0, 1, NULL, 0, 1, &event) == AFFINIMATH_SUCCESS,
        "rows = 0");
  CHECK(event != NULL && clWaitForEvents(1, &event) == CL_SUCCESS && clReleaseEvent(event) == CL_SUCCESS, "rows = 0");
  CHECK(affinimathSomatcopyCL(queue, COLS, KEEP, 2, 2, 0, NULL, 0, 2, b, 0, 2, NULL) == AFFINIMATH_SUCCESS,
        "alpha = 0");
  clReleaseMemObject(a);
  clReleaseMemObject(b);
}

int main(void)
{
  opencl_device device;
  if (!open_device(&device)) {
    printf("movement_device: skipped, no OpenCL device\n");
    return 77;
  }
  matrices(&device);
  wrong_arguments(&device);
  CHECK(clFinish(device.queue) == CL_SUCCESS, "finish");
  CHECK(affinimathShutdown() == AFFINIMATH_SUCCESS, "shutdown");
  close_device(&device);
  return report("movement_device");
}
