/* Level 2's updates and triangular solves on the application's memory objects and queue. Exits with 77 where
   there is no OpenCL device. */

#include "opencl_device.h"

#include "count.h"

enum {
  LENGTH = 8,
  COLS = AFFINIMATH_COL_MAJOR,
  KEEP = AFFINIMATH_NO_TRANS,
  UP = AFFINIMATH_UPPER,
  LOW = AFFINIMATH_LOWER,
  STORED = AFFINIMATH_NON_UNIT
};

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

#define DONE(call) CHECK((call) == AFFINIMATH_SUCCESS, #call)

/* Enqueued one after another without waiting: the queue's order is enough. A lies from element 1 on, columns three
   elements apart. */
static void updates_and_solves(opencl_device *device)
{
  static const float X[LENGTH] = {9, 1, 2, 9, 9, 9, 9, 9}, Y[LENGTH] = {5, 9, 3, 9, 9, 9, 9, 9};
  static const float A[LENGTH] = {9, 1, 1, 9, 1, 1, 9, 9}, P[LENGTH] = {9, 9, 1, 1, 1, 9, 9, 9};
  /* A + x yT, then the lower triangle + x xT: columns (5, 9) and (6, 15). */
  static const float UPDATED[LENGTH] = {9, 5, 9, 9, 6, 15, 9, 9};
  /* 1 + x xT, then + x yT + y xT: 2 + 6, 3 + 5 + 6, 5 + 20. */
  static const float PACKED[LENGTH] = {9, 9, 8, 14, 25, 9, 9, 9};
  static const float RIGHT[LENGTH] = {9, 10, 48, 9, 9, 9, 9, 9}, SOLUTION[LENGTH] = {9, 2, 2, 9, 9, 9, 9, 9};
  static const float SMALL[LENGTH] = {9, 9, 16, 78, 9, 9, 9, 9}, SOLVED[LENGTH] = {9, 9, 2, 2, 9, 9, 9, 9};
  /* A band of two diagonals: columns (4, 2) and (5). */
  static const float BAND[LENGTH] = {4, 2, 5, 9, 9, 9, 9, 9}, SIDE[LENGTH] = {8, 14, 9, 9, 9, 9, 9, 9};
  static const float FOUND[LENGTH] = {2, 2, 9, 9, 9, 9, 9, 9};
  struct _cl_mem *x = new_memory(device, X), *y = new_memory(device, Y), *a = new_memory(device, A);
  struct _cl_mem *p = new_memory(device, P), *b = new_memory(device, RIGHT), *c = new_memory(device, SMALL);
  struct _cl_mem *band = new_memory(device, BAND), *d = new_memory(device, SIDE);
  cl_command_queue queue = device->queue;
  cl_event event = NULL;
  DONE(affinimathSgerCL(queue, COLS, 2, 2, 1, x, 1, 1, y, 0, -2, a, 1, 3, NULL));
  DONE(affinimathSsyrCL(queue, COLS, LOW, 2, 1, x, 1, 1, a, 1, 3, NULL));
  DONE(affinimathSsprCL(queue, COLS, LOW, 2, 1, x, 1, 1, p, 2, NULL));
  DONE(affinimathSspr2CL(queue, COLS, LOW, 2, 1, x, 1, 1, y, 0, -2, p, 2, NULL));
  DONE(affinimathStrsvCL(queue, COLS, LOW, KEEP, STORED, 2, a, 1, 3, b, 1, 1, NULL));
  DONE(affinimathStpsvCL(queue, COLS, LOW, KEEP, STORED, 2, p, 2, c, 2, 1, NULL));
  DONE(affinimathStbsvCL(queue, COLS, LOW, KEEP, STORED, 2, 1, band, 0, 2, d, 0, 1, &event));
  CHECK(event != NULL && clWaitForEvents(1, &event) == CL_SUCCESS && clReleaseEvent(event) == CL_SUCCESS, "an event");
  CHECK(holds(device, a, UPDATED), "sgerCL and ssyrCL");
  CHECK(holds(device, p, PACKED), "ssprCL and sspr2CL");
  CHECK(holds(device, b, SOLUTION), "strsvCL");
  CHECK(holds(device, c, SOLVED), "stpsvCL");
  CHECK(holds(device, d, FOUND), "stbsvCL");
  clReleaseMemObject(x);
  clReleaseMemObject(y);
  clReleaseMemObject(a);
  clReleaseMemObject(p);
  clReleaseMemObject(b);
  clReleaseMemObject(c);
  clReleaseMemObject(band);
  clReleaseMemObject(d);
}

#define REFUSED(call, index, name) CHECK((call) == -(index) && strstr(affinimathLastError(), name) != NULL, #call)

static void wrong_arguments(opencl_device *device)
{
  static const float DATA[LENGTH] = {0};
  struct _cl_mem *a = new_memory(device, DATA), *x = new_memory(device, DATA);
  cl_command_queue queue = device->queue;
  cl_event event = NULL;
  REFUSED(affinimathSgerCL(NULL, COLS, 2, 2, 1, x, 0, 1, x, 0, 1, a, 0, 2, NULL), 1, "queue");
  REFUSED(affinimathSgerCL(queue, COLS, 2, 2, 1, NULL, 0, 1, x, 0, 1, a, 0, 2, NULL), 6, "x");
  REFUSED(affinimathSgerCL(queue, COLS, 2, 2, 1, x, -1, 1, x, 0, 1, a, 0, 2, NULL), 7, "offx");
  REFUSED(affinimathSgerCL(queue, COLS, 2, 2, 1, x, 0, 0, x, 0, 1, a, 0, 2, NULL), 8, "incx");
  REFUSED(affinimathSgerCL(queue, COLS, 2, 2, 1, x, 0, 1, x, -1, 1, a, 0, 2, NULL), 10, "offy");
  REFUSED(affinimathSgerCL(queue, COLS, 2, 2, 1, x, 0, 1, x, 0, 1, NULL, 0, 2, NULL), 12, "a");
  REFUSED(affinimathSgerCL(queue, COLS, 2, 2, 1, x, 0, 1, x, 0, 1, a, -1, 2, NULL), 13, "offa");
  REFUSED(affinimathSgerCL(queue, COLS, 2, 2, 1, x, 0, 1, x, 0, 1, a, 0, 1, NULL), 14, "lda");
  REFUSED(affinimathSsprCL(queue, COLS, UP, 2, 1, x, 0, 1, a, -1, NULL), 10, "offap");
  REFUSED(affinimathStrsvCL(queue, COLS, UP, KEEP, STORED, 2, a, -1, 2, x, 0, 1, NULL), 8, "offa");
  REFUSED(affinimathStrsvCL(queue, COLS, UP, KEEP, STORED, 2, a, 0, 2, x, -1, 1, NULL), 11, "offx");
  REFUSED(affinimathStbsvCL(queue, COLS, UP, KEEP, STORED, 2, 1, a, 0, 1, x, 0, 1, NULL), 10, "lda");
  REFUSED(affinimathStpsvCL(queue, COLS, UP, KEEP, STORED, 2, a, -1, x, 0, 1, NULL), 8, "offap");
  /* Memory objects that are one element too small. */
  REFUSED(affinimathSgerCL(queue, COLS, 2, 2, 1, x, LENGTH - 1, 1, x, 0, 1, a, 0, 2, NULL), 6, "x needs");
  REFUSED(affinimathSgerCL(queue, COLS, 2, 2, 1, x, 0, 1, x, 0, 1, a, LENGTH - 3, 2, NULL), 12, "a needs");
  REFUSED(affinimathStpsvCL(queue, COLS, UP, KEEP, STORED, 2, a, LENGTH - 2, x, 0, 1, NULL), 7, "ap needs");
  REFUSED(affinimathStbsvCL(queue, COLS, UP, KEEP, STORED, 2, 1, a, LENGTH - 3, 2, x, 0, 1, NULL), 8, "a needs");
  /* Quick returns look at no memory object, and still give an event. */
  DONE(affinimathSgerCL(queue, COLS, 2, 2, 0, NULL, 0, 1, NULL, 0, 1, NULL, 0, 2, &event));
  CHECK(event != NULL && clWaitForEvents(1, &event) == CL_SUCCESS && clReleaseEvent(event) == CL_SUCCESS, "alpha = 0");
  DONE(affinimathStrsvCL(queue, COLS, UP, KEEP, STORED, 0, NULL, 0, 1, NULL, 0, 1, NULL));
  clReleaseMemObject(a);
  clReleaseMemObject(x);
}

int main(void)
{
  opencl_device device;
  if (!open_device(&device)) {
    printf("level2_update_device: skipped, no OpenCL device\n");
    return 77;
  }
  updates_and_solves(&device);
  wrong_arguments(&device);
  CHECK(clFinish(device.queue) == CL_SUCCESS, "finish");
  CHECK(affinimathShutdown() == AFFINIMATH_SUCCESS, "shutdown");
  close_device(&device);
  return report("level2_update_device");
}
