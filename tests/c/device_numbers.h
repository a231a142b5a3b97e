/* Numbers and infos between canaries, in memory objects of one device. */

#ifndef DEVICE_NUMBERS_H
#define DEVICE_NUMBERS_H

#include <math.h>

#include "opencl_device.h"

#include "count.h"

static opencl_device device;

/* Numbers between canaries. */
static cl_mem upload(const double *values, int count)
{
  double data[32];
  int i;
  for (i = 0; i < count + 2; ++i) data[i] = i == 0 || i == count + 1 ? -77.0 : values ? values[i - 1] : 0.0;
  return clCreateBuffer(device.context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, (count + 2) * sizeof *data, data,
                        NULL);
}

/* True where the magnitudes of numbers are these, and the canaries live. */
static int holds(cl_mem memory, int count, const double *values)
{
  double data[32];
  int i, good;
  CHECK(clEnqueueReadBuffer(device.queue, memory, CL_TRUE, 0, (count + 2) * sizeof *data, data, 0, NULL, NULL) ==
          CL_SUCCESS,
        "read back");
  good = data[0] == -77.0 && data[count + 1] == -77.0;
  for (i = 0; i < count; ++i) good = good && fabs(fabs(data[i + 1]) - values[i]) < 1e-13;
  return good;
}

static cl_mem integer(void)
{
  int32_t none[3] = {-7, -7, -7};
  return clCreateBuffer(device.context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof none, none, NULL);
}

static int info_of(cl_mem memory)
{
  int32_t found[3];
  CHECK(clEnqueueReadBuffer(device.queue, memory, CL_TRUE, 0, sizeof found, found, 0, NULL, NULL) == CL_SUCCESS,
        "read back");
  return found[0] == -7 && found[2] == -7 ? found[1] : -99;
}

#endif
