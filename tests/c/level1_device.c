/* Level 1 on memory objects that the application made, on its own queue. Exits with 77 where there is no OpenCL device. */

#include "opencl_device.h"

#include "count.h"

enum { LENGTH = 10 };

static struct _cl_mem *new_memory(opencl_device *device, const float *data, size_t count)
{
  return clCreateBuffer(device->context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, count * sizeof *data, (void *)data,
                        NULL);
}

static int holds(opencl_device *device, struct _cl_mem *memory, const float *expected)
{
  float found[LENGTH];
  return clEnqueueReadBuffer(device->queue, memory, CL_TRUE, 0, sizeof found, found, 0, NULL, NULL) == CL_SUCCESS &&
         memcmp(found, expected, sizeof found) == 0;
}

/* Enqueued one after another without waiting: the queue's order is enough. */
static void vectors(opencl_device *device)
{
  static const float X[LENGTH] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, Y[LENGTH] = {9, 9, 9, 9, 9, 9, 9, 9, 9, 9};
  static const float AXPY[LENGTH] = {9, 9, 9, 17, 9, 15, 9, 13, 9, 9};
  static const float SWAPPED[LENGTH] = {0, 17, 15, 13, 4, 5, 6, 7, 8, 9};
  static const float SCALED[LENGTH] = {0, -17, -15, -13, 4, 5, 6, 7, 8, 9};
  static const float COPIED[LENGTH] = {9, 9, 9, 3, 9, 4, 9, 2, 9, 0};
  struct _cl_mem *x = new_memory(device, X, LENGTH), *y = new_memory(device, Y, LENGTH);
  cl_event event = NULL;
  CHECK(affinimathSaxpyCL(device->queue, 3, 2, x, 2, 1, y, 3, -2, NULL) == AFFINIMATH_SUCCESS, "saxpyCL");
  CHECK(holds(device, x, X), "saxpyCL: x");
  /* 9 + 2*(4, 3, 2) from the lowest place on. */
  CHECK(holds(device, y, AXPY), "saxpyCL: y");
  CHECK(affinimathSswapCL(device->queue, 3, x, 1, 1, y, 3, 2, NULL) == AFFINIMATH_SUCCESS, "sswapCL");
  CHECK(affinimathSscalCL(device->queue, 3, -1, x, 1, 1, &event) == AFFINIMATH_SUCCESS, "sscalCL");
  CHECK(event != NULL && clWaitForEvents(1, &event) == CL_SUCCESS && clReleaseEvent(event) == CL_SUCCESS, "sscalCL");
  CHECK(!holds(device, x, SWAPPED) && holds(device, x, SCALED), "sscalCL: x");
  CHECK(affinimathSaxpbyCL(device->queue, 1, 0, NULL, 0, 1, 0, y, 9, 1, NULL) == AFFINIMATH_SUCCESS, "saxpbyCL");
  CHECK(affinimathScopyCL(device->queue, 1, x, 4, 1, y, 5, 1, NULL) == AFFINIMATH_SUCCESS, "scopyCL");
  {
    static const float AFTER[LENGTH] = {9, 9, 9, 1, 9, 4, 9, 3, 9, 0};
    CHECK(!holds(device, y, COPIED) && holds(device, y, AFTER), "scopyCL: y");
  }
  clReleaseMemObject(x);
  clReleaseMemObject(y);
}

#define REFUSED(call, status, name) \
  CHECK((call) == (status) && strstr(affinimathLastError(), name) != NULL, #call)

static void wrong_arguments(opencl_device *device)
{
  static const float DATA[LENGTH] = {0};
  struct _cl_mem *x = new_memory(device, DATA, LENGTH), *y = new_memory(device, DATA, LENGTH);
  cl_event event = NULL;
  REFUSED(affinimathSaxpyCL(NULL, 3, 2, x, 0, 1, y, 0, 1, NULL), -1, "queue");
  REFUSED(affinimathSaxpyCL(device->queue, 3, 2, NULL, 0, 1, y, 0, 1, NULL), -4, "x");
  REFUSED(affinimathSaxpyCL(device->queue, 3, 2, x, -1, 1, y, 0, 1, NULL), -5, "offx");
  REFUSED(affinimathSaxpyCL(device->queue, 3, 2, x, 0, 0, y, 0, 1, NULL), -6, "incx");
  REFUSED(affinimathSaxpyCL(device->queue, 3, 2, x, 0, 1, NULL, 0, 1, NULL), -7, "y");
  REFUSED(affinimathSaxpyCL(device->queue, 3, 2, x, 0, 1, y, -1, 1, NULL), -8, "offy");
  REFUSED(affinimathSaxpyCL(device->queue, 3, 2, x, 0, 1, y, 0, 0, NULL), -9, "incy");
  /* Memory objects that are one element too small. */
  REFUSED(affinimathSaxpyCL(device->queue, 3, 2, x, LENGTH - 2, 1, y, 0, 1, NULL), -4, "x needs");
  REFUSED(affinimathSaxpyCL(device->queue, 3, 2, x, 0, 1, y, LENGTH - 4, -2, NULL), -7, "y needs");
  REFUSED(affinimathSscalCL(device->queue, 3, 2, x, LENGTH - 2, 1, NULL), -4, "x needs");
  REFUSED(affinimathScopyCL(device->queue, 3, x, 0, 0, y, 0, 1, NULL), -5, "incx");
  REFUSED(affinimathSswapCL(device->queue, 3, x, 0, 1, y, 0, 0, NULL), -8, "incy");
  /* Quick returns look at no memory object, and still give an event. */
  CHECK(affinimathSaxpyCL(device->queue, 0, 2, NULL, 0, 1, NULL, 0, 1, &event) == AFFINIMATH_SUCCESS, "n = 0");
  CHECK(event != NULL && clWaitForEvents(1, &event) == CL_SUCCESS && clReleaseEvent(event) == CL_SUCCESS, "n = 0");
  CHECK(affinimathSaxpyCL(device->queue, 3, 0, NULL, 0, 1, NULL, 0, 1, NULL) == AFFINIMATH_SUCCESS, "alpha = 0");
  CHECK(affinimathSscalCL(device->queue, 3, 2, NULL, 0, -1, NULL) == AFFINIMATH_SUCCESS, "a negative increment");
  clReleaseMemObject(x);
  clReleaseMemObject(y);
}

int main(void)
{
  opencl_device device;
  if (!open_device(&device)) {
    printf("level1_device: skipped, no OpenCL device\n");
    return 77;
  }
  vectors(&device);
  wrong_arguments(&device);
  CHECK(clFinish(device.queue) == CL_SUCCESS, "finish");
  CHECK(affinimathShutdown() == AFFINIMATH_SUCCESS, "shutdown");
  close_device(&device);
  return report("level1_device");
}
