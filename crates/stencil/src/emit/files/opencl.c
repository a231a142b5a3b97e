/* An OpenCL device with its queue, and launches of kernels whose texts lie in the folder kernels. */

#include "opencl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_DEVICES = 64 };

static cl_device_id device;
static cl_context context;
static cl_command_queue queue;

static void check(cl_int status, const char *what)
{
  if (status != CL_SUCCESS) {
    fprintf(stderr, "%s: OpenCL's error %d\n", what, (int)status);
    exit(EXIT_FAILURE);
  }
}

/* All devices of all platforms. */
static cl_uint devices(cl_device_id *all)
{
  cl_platform_id platforms[MAX_DEVICES];
  cl_uint platform_count = 0, count = 0, i;
  if (clGetPlatformIDs(MAX_DEVICES, platforms, &platform_count) != CL_SUCCESS) return 0;
  for (i = 0; i < platform_count && i < MAX_DEVICES; ++i) {
    cl_uint found = 0;
    if (count < MAX_DEVICES
        && clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, MAX_DEVICES - count, all + count, &found) == CL_SUCCESS) {
      count += found < MAX_DEVICES - count ? found : MAX_DEVICES - count;
    }
  }
  return count;
}

void opencl_open(void)
{
  cl_device_id all[MAX_DEVICES];
  const char *wanted = getenv("OPENCL_DEVICE");
  cl_uint count = devices(all), chosen = 0, i;
  cl_int status;
  if (device != NULL) return;
  if (count == 0) {
    fprintf(stderr, "there is no OpenCL device\n");
    exit(EXIT_FAILURE);
  }
  for (i = count; i-- > 0;) {
    cl_device_type type = 0;
    check(clGetDeviceInfo(all[i], CL_DEVICE_TYPE, sizeof type, &type, NULL), "a device's type");
    if (type & CL_DEVICE_TYPE_GPU) chosen = i;
  }
  if (wanted != NULL) {
    char *end = NULL;
    unsigned long number = strtoul(wanted, &end, 10);
    if (end == wanted || *end != '\0' || number >= count) {
      fprintf(stderr, "OPENCL_DEVICE=%s: there are the devices 0 to %u\n", wanted, (unsigned)(count - 1));
      exit(EXIT_FAILURE);
    }
    chosen = (cl_uint)number;
  }
  device = all[chosen];
  context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
  check(status, "a context");
  queue = clCreateCommandQueue(context, device, 0, &status);
  check(status, "a queue");
}

const char *opencl_name(void)
{
  static char name[256];
  check(clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name - 1, name, NULL), "a device's name");
  return name;
}

cl_mem opencl_buffer(size_t bytes, const void *elements)
{
  const char zero = 0;
  cl_int status;
  cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, bytes, NULL, &status);
  check(status, "memory");
  if (elements != NULL) {
    check(clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, bytes, elements, 0, NULL, NULL), "a write");
  } else {
    check(clEnqueueFillBuffer(queue, buffer, &zero, 1, 0, bytes, 0, NULL, NULL), "zeros");
  }
  return buffer;
}

void opencl_write(cl_mem buffer, size_t offset, size_t pitch, const void *data, size_t host, size_t row, size_t rows)
{
  size_t to[3] = {0, 0, 0}, from[3] = {0, 0, 0}, region[3];
  to[0] = offset;
  region[0] = row;
  region[1] = rows;
  region[2] = 1;
  check(clEnqueueWriteBufferRect(queue, buffer, CL_TRUE, to, from, region, pitch, 0, host, 0, data, 0, NULL, NULL),
      "a write");
}

void opencl_read(cl_mem buffer, size_t offset, size_t pitch, void *data, size_t host, size_t row, size_t rows)
{
  size_t from[3] = {0, 0, 0}, to[3] = {0, 0, 0}, region[3];
  from[0] = offset;
  region[0] = row;
  region[1] = rows;
  region[2] = 1;
  check(clEnqueueReadBufferRect(queue, buffer, CL_TRUE, from, to, region, pitch, 0, host, 0, data, 0, NULL, NULL),
      "a read");
}

/* The text of a file in the folder of the kernels. */
static char *text_of(const char *name)
{
  char path[4096];
  long length;
  char *text;
  FILE *file;
  int written = snprintf(path, sizeof path, "%s/%s.cl", KERNELS, name);
  if (written < 0 || written >= (int)sizeof path || (file = fopen(path, "rb")) == NULL) {
    fprintf(stderr, "%s/%s.cl cannot be read\n", KERNELS, name);
    exit(EXIT_FAILURE);
  }
  if (fseek(file, 0, SEEK_END) != 0 || (length = ftell(file)) < 0 || fseek(file, 0, SEEK_SET) != 0
      || (text = calloc((size_t)length + 1, 1)) == NULL || fread(text, 1, (size_t)length, file) != (size_t)length) {
    fprintf(stderr, "%s cannot be read\n", path);
    exit(EXIT_FAILURE);
  }
  fclose(file);
  return text;
}

static void build(opencl_kernel *kernel)
{
  char *text = text_of(kernel->name), *log;
  const char *source = text;
  const char *options = "-cl-std=CL1.2";
  cl_device_fp_config config = 0;
  cl_program program;
  cl_int status;
  size_t length = 0;
  check(clGetDeviceInfo(device, CL_DEVICE_SINGLE_FP_CONFIG, sizeof config, &config, NULL), "a device's arithmetic");
  if (config & CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT) {
    options = "-cl-std=CL1.2 -cl-fp32-correctly-rounded-divide-sqrt";
  }
  program = clCreateProgramWithSource(context, 1, &source, NULL, &status);
  check(status, kernel->name);
  status = clBuildProgram(program, 1, &device, options, NULL, NULL);
  if (status != CL_SUCCESS
      && clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, 0, NULL, &length) == CL_SUCCESS
      && (log = calloc(length + 1, 1)) != NULL) {
    clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, length, log, NULL);
    fprintf(stderr, "%s\n", log);
    free(log);
  }
  check(status, kernel->name);
  kernel->kernel = clCreateKernel(program, kernel->name, &status);
  check(status, kernel->name);
  clReleaseProgram(program);
  free(text);
}

void opencl_launch(opencl_kernel *kernel, const size_t groups[3], const size_t items[3], unsigned count,
    const opencl_argument *arguments)
{
  size_t global[3];
  unsigned i;
  if (kernel->kernel == NULL) build(kernel);
  for (i = 0; i < count; ++i) {
    check(clSetKernelArg(kernel->kernel, i, arguments[i].bytes, &arguments[i].value), kernel->name);
  }
  for (i = 0; i < 3; ++i) global[i] = groups[i] * items[i];
  check(clEnqueueNDRangeKernel(queue, kernel->kernel, 3, NULL, global, items, 0, NULL, NULL), kernel->name);
}

void opencl_finish(void)
{
  check(clFinish(queue), "the end of the launches");
}
