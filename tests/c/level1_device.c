/* Level 1 on the application's memory objects and queue. Exits with 77 without an OpenCL device. */

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

/* Results and parameters stay in memory objects. */
static void numbers(opencl_device *device)
{
  static const float X[LENGTH] = {9, 3, 9, -4, 9, 9, 9, 9, 9, 9}, ZERO[LENGTH] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
  /* The sum of x_i^2, |x_i|, nrm2, dot with the vector backward, and nothing where nothing is summed. */
  static const float FOUND[LENGTH] = {25, 7, 5, -24, 0, 0, 0.5f, 0, 0, 0};
  static const float GIVEN[LENGTH] = {3, 4, 0, 0, 0, 0, 0, 0, 0, 0};
  static const float PARAMETERS[LENGTH] = {1, 1, 2, 1, 0, 7, 7, 7, 7, 7};
  struct _cl_mem *x = new_memory(device, X, LENGTH), *results = new_memory(device, ZERO, LENGTH);
  struct _cl_mem *given = new_memory(device, GIVEN, LENGTH), *parameters = new_memory(device, PARAMETERS, LENGTH);
  float found[LENGTH];
  int64_t index[2] = {-1, -1};
  struct _cl_mem *indices =
      clCreateBuffer(device->context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof index, index, NULL);
  cl_event event = NULL;
  CHECK(affinimathSdotCL(device->queue, 2, x, 1, 2, x, 1, 2, results, 0, NULL) == AFFINIMATH_SUCCESS, "sdotCL");
  CHECK(affinimathSasumCL(device->queue, 2, x, 1, 2, results, 1, NULL) == AFFINIMATH_SUCCESS, "sasumCL");
  CHECK(affinimathSnrm2CL(device->queue, 2, x, 1, 2, results, 2, NULL) == AFFINIMATH_SUCCESS, "snrm2CL");
  CHECK(affinimathSdotCL(device->queue, 2, x, 1, 2, x, 1, -2, results, 3, &event) == AFFINIMATH_SUCCESS, "sdotCL");
  CHECK(event != NULL && clWaitForEvents(1, &event) == CL_SUCCESS && clReleaseEvent(event) == CL_SUCCESS, "sdotCL");
  CHECK(affinimathScasumCL(device->queue, 0, NULL, 0, 1, results, 4, NULL) == AFFINIMATH_SUCCESS, "scasumCL");
  CHECK(affinimathSasumCL(device->queue, 2, NULL, 0, -1, results, 5, NULL) == AFFINIMATH_SUCCESS, "sasumCL");
  CHECK(affinimathIsamaxCL(device->queue, 3, x, 1, 1, indices, 1, NULL) == AFFINIMATH_SUCCESS, "isamaxCL");
  CHECK(affinimathIsaminCL(device->queue, 3, x, 1, 1, indices, 0, NULL) == AFFINIMATH_SUCCESS, "isaminCL");
  CHECK(clEnqueueReadBuffer(device->queue, indices, CL_TRUE, 0, sizeof index, index, 0, NULL, NULL) == CL_SUCCESS, "");
  CHECK(index[0] == 0 && index[1] == 1, "isamaxCL and isaminCL");
  if (affinimathSdsdotCL(device->queue, 0, 0.5f, NULL, 0, 1, NULL, 0, 1, results, 6, NULL) != AFFINIMATH_SUCCESS) {
    CHECK(strstr(affinimathLastError(), "fp64") != NULL, "sdsdotCL needs doubles");
  } else {
    CHECK(holds(device, results, FOUND), "reductions");
  }
  /* a = 3 and b = 4, c and s beside them: the kernels' quotients may be off in the last place. */
  CHECK(affinimathSrotgCL(device->queue, given, 0, given, 1, given, 2, given, 3, NULL) == AFFINIMATH_SUCCESS,
        "srotgCL");
  CHECK(clEnqueueReadBuffer(device->queue, given, CL_TRUE, 0, sizeof found, found, 0, NULL, NULL) == CL_SUCCESS, "");
  CHECK(found[0] > 4.99999f && found[0] < 5.00001f && found[2] > 0.59999f && found[2] < 0.60001f, "srotgCL");
  CHECK(found[3] > 0.79999f && found[3] < 0.80001f && found[4] == 0, "srotgCL");
  CHECK(affinimathSrotCL(device->queue, 2, x, 1, 2, results, 8, 1, 0.5f, 1, NULL) == AFFINIMATH_SUCCESS, "srotCL");
  CHECK(clEnqueueReadBuffer(device->queue, results, CL_TRUE, 0, sizeof found, found, 0, NULL, NULL) == CL_SUCCESS, "");
  CHECK(found[8] == -3 && found[9] == 4, "srotCL");
  /* Now x is (1.5, -2) and y is (-3, 4); h11 = 1, h22 = 0, and the flag gives h12 = 1, h21 = -1. */
  CHECK(affinimathSrotmCL(device->queue, 2, x, 1, 2, results, 8, 1, parameters, 0, NULL) == AFFINIMATH_SUCCESS,
        "srotmCL");
  CHECK(clEnqueueReadBuffer(device->queue, x, CL_TRUE, 0, sizeof found, found, 0, NULL, NULL) == CL_SUCCESS, "");
  CHECK(found[1] == -1.5f && found[3] == 2, "srotmCL: x");
  CHECK(clEnqueueReadBuffer(device->queue, results, CL_TRUE, 0, sizeof found, found, 0, NULL, NULL) == CL_SUCCESS, "");
  CHECK(found[8] == -1.5f && found[9] == 2, "srotmCL: y");
  CHECK(affinimathSrotmgCL(device->queue, parameters, 0, parameters, 1, parameters, 2, parameters, 3, results, 0,
                           NULL) == AFFINIMATH_SUCCESS,
        "srotmgCL");
  CHECK(clEnqueueReadBuffer(device->queue, results, CL_TRUE, 0, sizeof found, found, 0, NULL, NULL) == CL_SUCCESS, "");
  CHECK(found[0] == 0 && found[2] == -0.5f && found[3] == 0.5f, "srotmgCL");
  clReleaseMemObject(x);
  clReleaseMemObject(results);
  clReleaseMemObject(given);
  clReleaseMemObject(parameters);
  clReleaseMemObject(indices);
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
  REFUSED(affinimathSdotCL(device->queue, 3, NULL, 0, 1, y, 0, 1, x, 0, NULL), -3, "x");
  REFUSED(affinimathSdotCL(device->queue, 3, x, 0, 1, y, 0, 1, NULL, 0, NULL), -9, "result");
  REFUSED(affinimathSdotCL(device->queue, 3, x, 0, 1, y, 0, 1, x, -1, NULL), -10, "offresult");
  REFUSED(affinimathSdotCL(device->queue, 3, x, 0, 1, y, 0, 1, x, LENGTH, NULL), -9, "result needs");
  REFUSED(affinimathSnrm2CL(device->queue, 3, x, 0, 0, y, 0, NULL), -5, "incx");
  REFUSED(affinimathIsamaxCL(device->queue, 3, x, 0, 1, y, LENGTH / 2, NULL), -6, "result needs");
  REFUSED(affinimathSrotmCL(device->queue, 3, x, 0, 1, y, 0, 1, y, LENGTH - 4, NULL), -9, "param needs");
  REFUSED(affinimathSrotgCL(device->queue, x, 0, x, 1, x, 2, x, LENGTH, NULL), -8, "s needs");
  REFUSED(affinimathSrotmgCL(device->queue, x, 0, x, 1, x, 2, NULL, 0, y, 0, NULL), -8, "y1");
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
  numbers(&device);
  wrong_arguments(&device);
  CHECK(clFinish(device.queue) == CL_SUCCESS, "finish");
  CHECK(affinimathShutdown() == AFFINIMATH_SUCCESS, "shutdown");
  close_device(&device);
  return report("level1_device");
}
