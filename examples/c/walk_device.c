/* walk_blas.c on memory objects: the matrix goes to the device once, one number comes back.
 *
 *   cc walk_device.c $(pkg-config --cflags --libs affinimath) -lOpenCL -lm -o walk_device && ./walk_device */

#define CL_TARGET_OPENCL_VERSION 120
#include <math.h>
#include <stdio.h>

#include <CL/cl.h>
#include <affinimath.h>

enum { N = 300 };
static double p[N * N];

int main(void)
{
  cl_platform_id platform;
  cl_device_id device;
  if (clGetPlatformIDs(1, &platform, NULL) != CL_SUCCESS ||
      clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL) != CL_SUCCESS) {
    fprintf(stderr, "no OpenCL device\n");
    return 77; /* "skipped", for CTest */
  }
  cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
  cl_command_queue queue = clCreateCommandQueue(context, device, 0, NULL);

  for (int i = 0; i < N; ++i) {
    p[i * N + i] = 0.5;
    p[i * N + (i + 1) % N] = p[i * N + (i + N - 1) % N] = 0.25;
  }
  cl_mem from = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof p, p, NULL);
  cl_mem to = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof p, NULL, NULL);

  for (int squaring = 0; squaring < 10; ++squaring) {
    int status = affinimathDgemmCL(queue, AFFINIMATH_ROW_MAJOR, AFFINIMATH_NO_TRANS, AFFINIMATH_NO_TRANS, N, N, N, 1.0,
                                   from, 0, N, from, 0, N, 0.0, to, 0, N, NULL);
    if (status != AFFINIMATH_SUCCESS) {
      fprintf(stderr, "%s\n", affinimathLastError());
      return 1;
    }
    cl_mem squared = to; /* enqueued, not done yet: the queue keeps the order */
    to = from;
    from = squared;
  }
  clEnqueueReadBuffer(queue, from, CL_TRUE, 0, sizeof p[0], p, 0, NULL, NULL);
  printf("where it began: %.6f\n", p[0]);

  affinimathShutdown();
  clReleaseMemObject(from);
  clReleaseMemObject(to);
  clReleaseCommandQueue(queue);
  clReleaseContext(context);
  return fabs(p[0] - 0.0176288) < 1e-6 ? 0 : 1;
}
