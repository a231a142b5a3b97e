/* An OpenCL device with a context and an in-order queue, for the C tests. */

#ifndef OPENCL_DEVICE_H
#define OPENCL_DEVICE_H

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

typedef struct opencl_device {
  cl_device_id id;
  cl_context context;
  cl_command_queue queue;
  int fp64;
} opencl_device;

/* Opens the first device of the first platform that has one. Returns 0 when there is none. */
static int open_device(opencl_device *device)
{
  cl_platform_id platforms[16];
  cl_uint count = 0, i;
  cl_device_fp_config config = 0;
  if (clGetPlatformIDs(16, platforms, &count) != CL_SUCCESS) {
    return 0;
  }
  for (i = 0; i < count; ++i) {
    if (clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 1, &device->id, NULL) == CL_SUCCESS) {
      device->context = clCreateContext(NULL, 1, &device->id, NULL, NULL, NULL);
      device->queue = clCreateCommandQueue(device->context, device->id, 0, NULL);
      clGetDeviceInfo(device->id, CL_DEVICE_DOUBLE_FP_CONFIG, sizeof config, &config, NULL);
      device->fp64 = config != 0;
      return device->context != NULL && device->queue != NULL;
    }
  }
  return 0;
}

static void close_device(opencl_device *device)
{
  clReleaseCommandQueue(device->queue);
  clReleaseContext(device->context);
}

#endif
