/* An OpenCL program as others write them, which knows nothing of this library: vectors, a product of matrices in local
   memory, a reduction in two launches, a structure, parts of a buffer, an image, and an event of its own. It prints its
   results, and says whether they are right. */

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const SOURCE =
    "typedef struct { float scale; int shift[7]; float more; } change;\n"
    "kernel void add(global const float *x, global const float *y, global float *z)\n"
    "{\n"
    "  size_t i = get_global_id(0);\n"
    "  z[i] = x[i] + y[i] + (float)get_global_offset(0) + 0.5f * (float)get_work_dim();\n"
    "}\n"
    "kernel void product(int n, global const float *a, global const float *b, global float *c, local float *ta,\n"
    "                    local float *tb)\n"
    "{\n"
    "  int i = get_local_id(0), j = get_local_id(1), tile = get_local_size(0);\n"
    "  int row = get_global_id(1), column = get_global_id(0);\n"
    "  float sum = 0.0f;\n"
    "  for (int k = 0; k < n; k += tile) {\n"
    "    ta[j * tile + i] = a[row * n + k + i];\n"
    "    tb[j * tile + i] = b[(k + j) * n + column];\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    for (int l = 0; l < tile; ++l)\n"
    "      sum += ta[j * tile + l] * tb[l * tile + i];\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "  }\n"
    "  c[row * n + column] = sum;\n"
    "}\n"
    "kernel void reduce(uint n, global const float *x, global float *sums, local float *part)\n"
    "{\n"
    "  uint i = get_local_id(0);\n"
    "  float sum = 0.0f;\n"
    "  for (uint k = get_global_id(0); k < n; k += get_global_size(0))\n"
    "    sum += x[k];\n"
    "  part[i] = sum;\n"
    "  barrier(CLK_LOCAL_MEM_FENCE);\n"
    "  for (uint half_of = get_local_size(0) / 2; half_of > 0; half_of /= 2) {\n"
    "    if (i < half_of)\n"
    "      part[i] += part[i + half_of];\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "  }\n"
    "  if (i == 0)\n"
    "    sums[get_group_id(0)] = part[0];\n"
    "}\n"
    "kernel void changed(change c, global FLOAT4 *x, global int *nothing)\n"
    "{\n"
    "  size_t i = get_global_id(0);\n"
    "  x[i] = x[i] * c.scale + (float)c.shift[6] + (nothing ? 100.0f : c.more);\n"
    "}\n"
    "kernel void drawn(write_only image2d_t image, global float *x)\n"
    "{\n"
    "  int i = get_global_id(0);\n"
    "  write_imagef(image, (int2)(i, 0), (float4)(x[i]));\n"
    "  x[i] += 1.0f;\n"
    "}\n";

enum { N = 64, LENGTH = N * N };

typedef struct {
  float scale;
  int shift[7];
  float more;
} change;

static cl_command_queue queue;
static cl_program program;

static void check(cl_int status, const char *what)
{
  if (status != CL_SUCCESS) {
    fprintf(stderr, "foreign: %s gives %d\n", what, (int)status);
    exit(1);
  }
}

static cl_kernel kernel(const char *name)
{
  cl_int status;
  cl_kernel made = clCreateKernel(program, name, &status);
  check(status, name);
  return made;
}

static void set(cl_kernel k, cl_uint index, size_t size, const void *value)
{
  check(clSetKernelArg(k, index, size, value), "clSetKernelArg");
}

static void launch(cl_kernel k, cl_uint dimensions, const size_t *offset, const size_t *global, const size_t *local,
                   cl_uint n, const cl_event *waits)
{
  check(clEnqueueNDRangeKernel(queue, k, dimensions, offset, global, local, n, waits, NULL), "a launch");
}

static int is_wrong(const char *name, const float *found, const float *expected, int n)
{
  double sum = 0.0;
  int i, wrong = 0;
  for (i = 0; i < n; ++i) {
    sum += (i % 7 + 1) * (double)found[i];
    wrong += found[i] != expected[i];
  }
  printf("%-8s %d values, checksum %.6f, %s\n", name, n, sum, wrong ? "WRONG" : "right");
  return wrong != 0;
}

static void read_back(cl_mem memory, size_t offset, size_t bytes, void *to)
{
  check(clEnqueueReadBuffer(queue, memory, CL_TRUE, offset, bytes, to, 0, NULL, NULL), "clEnqueueReadBuffer");
}

/* Options of a build that fails after another one: as the driver has them without a trace. */
static void rebuilt(cl_context context, cl_device_id device)
{
  static const char *const text = "kernel void one(global VALUE *x) { x[0] = 1; }\n";
  static const char *const options[2] = {"-DVALUE=float -DLONGER=1", "-DVALUE=none"};
  char told[256];
  int i;
  for (i = 0; i < 2; ++i) {
    cl_int status;
    size_t size = 0;
    cl_program made = clCreateProgramWithSource(context, 1, (const char **)&text, NULL, &status);
    check(status, "clCreateProgramWithSource");
    if (i == 1) {
      check(clBuildProgram(made, 1, &device, options[0], NULL, NULL), "clBuildProgram");
    }
    status = clBuildProgram(made, 1, &device, options[i], NULL, NULL);
    memset(told, 0, sizeof told);
    check(clGetProgramBuildInfo(made, device, CL_PROGRAM_BUILD_OPTIONS, sizeof told, told, &size), "options");
    printf("build    %s, options of %d bytes: %s\n", status == CL_SUCCESS ? "made" : "refused", (int)size, told);
    clReleaseProgram(made);
  }
}

int main(void)
{
  static float x[LENGTH], y[LENGTH], z[LENGTH], expected[LENGTH];
  cl_platform_id platform;
  cl_device_id device;
  cl_context context;
  cl_int status;
  cl_mem a, b, c, sums, low, high, image;
  cl_bool has_images = CL_FALSE;
  cl_event gate;
  cl_buffer_region region = {0, LENGTH / 2 * sizeof(float)};
  cl_image_format format = {CL_RGBA, CL_FLOAT};
  cl_image_desc description = {0};
  size_t offset[1] = {3}, global[2], local[2], size;
  cl_uint length = LENGTH, groups;
  cl_int n = N;
  change c1 = {2.0f, {0}, 0.25f};
  float *mapped, total = 0.0f;
  char options[256];
  int i, j, k, wrong = 0;

  check(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
  check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "clGetDeviceIDs");
  check(clGetDeviceInfo(device, CL_DEVICE_IMAGE_SUPPORT, sizeof has_images, &has_images, NULL), "clGetDeviceInfo");
  context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
  check(status, "clCreateContext");
  queue = clCreateCommandQueue(context, device, 0, &status);
  check(status, "clCreateCommandQueue");
  program = clCreateProgramWithSource(context, 1, (const char **)&SOURCE, NULL, &status);
  check(status, "clCreateProgramWithSource");
  check(clBuildProgram(program, 1, &device, "-DFLOAT4=float4", NULL, NULL), "clBuildProgram");
  check(clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_OPTIONS, sizeof options, options, &size), "options");
  if (strcmp(options, "-DFLOAT4=float4") != 0) {
    fprintf(stderr, "foreign: the options are '%s'\n", options);
    return 1;
  }

  rebuilt(context, device);

  for (i = 0; i < LENGTH; ++i) {
    x[i] = (float)(i % 13);
    y[i] = (float)(i % 5) - 2.0f;
  }
  a = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof x, x, &status);
  check(status, "clCreateBuffer");
  b = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_HOST_NO_ACCESS, sizeof y, NULL, &status);
  check(status, "clCreateBuffer");
  c = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof z, NULL, &status);
  check(status, "clCreateBuffer");
  mapped = clEnqueueMapBuffer(queue, c, CL_TRUE, CL_MAP_WRITE, 0, sizeof y, 0, NULL, NULL, &status);
  check(status, "clEnqueueMapBuffer");
  memcpy(mapped, y, sizeof y);
  check(clEnqueueUnmapMemObject(queue, c, mapped, 0, NULL, NULL), "clEnqueueUnmapMemObject");
  check(clEnqueueCopyBuffer(queue, c, b, 0, 0, sizeof y, 0, NULL, NULL), "clEnqueueCopyBuffer");

  /* From the fourth element on, in groups of the driver's choice. */
  {
    cl_kernel add = kernel("add");
    float fill = -1.0f;
    check(clEnqueueFillBuffer(queue, c, &fill, sizeof fill, 0, sizeof z, 0, NULL, NULL), "clEnqueueFillBuffer");
    set(add, 0, sizeof a, &a);
    set(add, 1, sizeof b, &b);
    set(add, 2, sizeof c, &c);
    global[0] = LENGTH - 3;
    launch(add, 1, offset, global, NULL, 0, NULL);
    read_back(c, 0, sizeof z, z);
    for (i = 0; i < LENGTH; ++i) {
      expected[i] = i < 3 ? -1.0f : x[i] + y[i] + 3.5f;
    }
    wrong += is_wrong("add", z, expected, LENGTH);
    clReleaseKernel(add);
  }

  {
    cl_kernel product = kernel("product");
    local[0] = local[1] = 8;
    global[0] = global[1] = N;
    size = 64 * sizeof(float);
    set(product, 0, sizeof n, &n);
    set(product, 1, sizeof a, &a);
    set(product, 2, sizeof b, &b);
    set(product, 3, sizeof c, &c);
    set(product, 4, size, NULL);
    set(product, 5, size, NULL);
    launch(product, 2, NULL, global, local, 0, NULL);
    read_back(c, 0, sizeof z, z);
    for (i = 0; i < N; ++i) {
      for (j = 0; j < N; ++j) {
        float sum = 0.0f;
        for (k = 0; k < N; ++k) {
          sum += x[i * N + k] * y[k * N + j];
        }
        expected[i * N + j] = sum;
      }
    }
    wrong += is_wrong("product", z, expected, LENGTH);
    clReleaseKernel(product);
  }

  /* The second launch takes what the first one made. */
  {
    cl_kernel reduce = kernel("reduce");
    sums = clCreateBuffer(context, CL_MEM_READ_WRITE, 16 * sizeof(float), NULL, &status);
    check(status, "clCreateBuffer");
    local[0] = 16;
    check(clEnqueueCopyBuffer(queue, a, sums, 0, 0, 16 * sizeof(float), 0, NULL, NULL), "clEnqueueCopyBuffer");
    for (groups = 16, i = 0; i < 2; ++i, length = groups, groups = 1) {
      set(reduce, 0, sizeof length, &length);
      set(reduce, 1, sizeof(cl_mem), i == 0 ? &a : &sums);
      set(reduce, 2, sizeof(cl_mem), i == 0 ? &sums : &c);
      set(reduce, 3, local[0] * sizeof(float), NULL);
      global[0] = groups * local[0];
      launch(reduce, 1, NULL, global, local, 0, NULL);
    }
    read_back(c, 0, sizeof(float), z);
    for (i = 0; i < LENGTH; ++i) {
      total += x[i];
    }
    wrong += is_wrong("reduce", z, &total, 1);
    clReleaseKernel(reduce);
  }

  /* A structure, a null pointer, and two halves of a buffer. */
  {
    cl_kernel changed = kernel("changed");
    check(clEnqueueWriteBuffer(queue, c, CL_FALSE, 0, sizeof x, x, 0, NULL, NULL), "clEnqueueWriteBuffer");
    low = clCreateSubBuffer(c, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, &status);
    check(status, "clCreateSubBuffer");
    region.origin = region.size;
    high = clCreateSubBuffer(c, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, &status);
    check(status, "clCreateSubBuffer");
    global[0] = LENGTH / 8;
    c1.shift[6] = 5;
    set(changed, 0, sizeof c1, &c1);
    set(changed, 2, sizeof(cl_mem), NULL);
    set(changed, 1, sizeof low, &low);
    launch(changed, 1, NULL, global, NULL, 0, NULL);
    c1.shift[6] = 7;
    set(changed, 0, sizeof c1, &c1);
    set(changed, 1, sizeof high, &high);
    launch(changed, 1, NULL, global, NULL, 0, NULL);
    read_back(c, 0, sizeof z, z);
    for (i = 0; i < LENGTH; ++i) {
      expected[i] = x[i] * 2.0f + (i < LENGTH / 2 ? 5.25f : 7.25f);
    }
    wrong += is_wrong("changed", z, expected, LENGTH);

    /* A launch that waits for this program itself: whoever waits for it here waits for ever. */
    gate = clCreateUserEvent(context, &status);
    check(status, "clCreateUserEvent");
    launch(changed, 1, NULL, global, NULL, 1, &gate);
    check(clSetUserEventStatus(gate, CL_COMPLETE), "clSetUserEventStatus");
    clReleaseEvent(gate);
    read_back(c, 0, sizeof z, z);
    for (i = LENGTH / 2; i < LENGTH; ++i) {
      expected[i] = expected[i] * 2.0f + 7.25f;
    }
    wrong += is_wrong("gated", z, expected, LENGTH);
    /* Refused: the error is the driver's. */
    local[0] = 1 << 20;
    global[0] = local[0];
    status = clEnqueueNDRangeKernel(queue, changed, 1, NULL, global, local, 0, NULL, NULL);
    printf("refused  %s\n", status == CL_SUCCESS ? "WRONG" : "right");
    wrong += status == CL_SUCCESS;
    clReleaseMemObject(low);
    clReleaseMemObject(high);
    clReleaseKernel(changed);
  }

  if (has_images) {
    cl_kernel drawn = kernel("drawn");
    float pixels[16 * 4];
    size_t origin[3] = {0, 0, 0}, extent[3] = {16, 1, 1};
    description.image_type = CL_MEM_OBJECT_IMAGE2D;
    description.image_width = 16;
    description.image_height = 1;
    image = clCreateImage(context, CL_MEM_WRITE_ONLY, &format, &description, NULL, &status);
    check(status, "clCreateImage");
    set(drawn, 0, sizeof image, &image);
    set(drawn, 1, sizeof c, &c);
    global[0] = 16;
    launch(drawn, 1, NULL, global, NULL, 0, NULL);
    check(clEnqueueReadImage(queue, image, CL_TRUE, origin, extent, 0, 0, pixels, 0, NULL, NULL), "an image");
    for (i = 0; i < 16; ++i) {
      z[i] = pixels[4 * i];
    }
    wrong += is_wrong("drawn", z, expected, 16);
    clReleaseMemObject(image);
    clReleaseKernel(drawn);
  }

  clReleaseMemObject(a);
  clReleaseMemObject(b);
  clReleaseMemObject(c);
  clReleaseMemObject(sums);
  clReleaseProgram(program);
  clReleaseCommandQueue(queue);
  clReleaseContext(context);
  printf("%s\n", wrong ? "WRONG" : "all right");
  return wrong != 0;
}
