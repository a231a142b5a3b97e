/* An OpenCL device with its queue, and launches of kernels whose texts lie in the folder kernels. */

#ifndef STENCIL_OPENCL_H
#define STENCIL_OPENCL_H

#include <stddef.h>
#include <stdint.h>

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

/* An argument of a kernel. */
typedef struct {
  size_t bytes;
  union {
    cl_mem buffer;
    int32_t i32;
    int64_t i64;
    float f32;
    double f64;
  } value;
} opencl_argument;

#define BUFFER(x) {sizeof(cl_mem), {.buffer = (x)}}
#define INT(x) {sizeof(int32_t), {.i32 = (int32_t)(x)}}
#define LONG(x) {sizeof(int64_t), {.i64 = (x)}}
#define FLOAT(x) {sizeof(float), {.f32 = (x)}}
#define DOUBLE(x) {sizeof(double), {.f64 = (x)}}

/* A kernel, which is compiled at its first launch. */
typedef struct {
  const char *name;
  cl_kernel kernel;
} opencl_kernel;

/* Chooses a device: the one of the environment variable OPENCL_DEVICE, counted over all platforms, else the first GPU,
   else the first one of all. */
void opencl_open(void);

/* The device's name. */
const char *opencl_name(void);

/* Memory with zeros, or with elements. */
cl_mem opencl_buffer(size_t bytes, const void *elements);

/* Copies rows of `row` bytes between the host and the device, where one begins every `host` and every `pitch` bytes. */
void opencl_write(cl_mem buffer, size_t offset, size_t pitch, const void *data, size_t host, size_t row, size_t rows);
void opencl_read(cl_mem buffer, size_t offset, size_t pitch, void *data, size_t host, size_t row, size_t rows);

/* Enqueues a kernel with work-items and groups along x, y and z. */
void opencl_launch(opencl_kernel *kernel, const size_t groups[3], const size_t items[3], unsigned count,
    const opencl_argument *arguments);

/* Waits for all launches. */
void opencl_finish(void);

#endif
