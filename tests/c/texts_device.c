/* Text expressions on memory objects: values, parts, strides, overlaps, events, and wrong arguments, which change
   nothing. Exits with 77 without an OpenCL device. */

#include "opencl_device.h"

#include "count.h"

enum { N = 1000 };

static opencl_device device;

static cl_mem upload(const void *data, size_t bytes)
{
  return clCreateBuffer(device.context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, bytes, (void *)data, NULL);
}

static void download(cl_mem memory, void *data, size_t bytes)
{
  CHECK(clEnqueueReadBuffer(device.queue, memory, CL_TRUE, 0, bytes, data, 0, NULL, NULL) == CL_SUCCESS, "read back");
}

static affinimath_operand_cl vector(const char *name, cl_mem memory, int64_t offset, int64_t length, int64_t stride)
{
  affinimath_operand_cl operand = {0};
  operand.name = name;
  operand.memory = memory;
  operand.offset = offset;
  operand.element = AFFINIMATH_TYPE_FLOAT;
  operand.rank = 1;
  operand.shape[0] = length;
  operand.strides[0] = stride;
  return operand;
}

static int run(const char *text, int64_t count, const affinimath_operand_cl *operands, cl_event *event)
{
  affinimath_expression *expression = NULL;
  int status = affinimathExpressionCreate(text, &expression);
  CHECK(status == AFFINIMATH_SUCCESS, text);
  status = affinimathExpressionRunCL(expression, device.queue, count, operands, event);
  CHECK(affinimathExpressionDestroy(expression) == AFFINIMATH_SUCCESS, "an expression ends while it runs");
  return status;
}

static void values(void)
{
  float x[N], y[N], found[N + 2];
  cl_mem mx, my, mz;
  cl_event event = NULL;
  affinimath_operand_cl operands[3];
  int i, good = 1, sum = 0;
  for (i = 0; i < N; ++i) {
    x[i] = (float)i;
    y[i] = (float)(i % 7);
  }
  for (i = 0; i < N + 2; ++i) found[i] = -7.0f;
  mx = upload(x, sizeof x);
  my = upload(y, sizeof y);
  mz = upload(found, sizeof found);
  operands[0] = vector("x", mx, N - 1, N, -1);
  operands[1] = vector("y", my, 0, N, 1);
  operands[2] = vector("", mz, 1, N, 1);
  CHECK(run("t = 2*x; t + y", 3, operands, &event) == AFFINIMATH_SUCCESS, "a text");
  CHECK(event != NULL && clWaitForEvents(1, &event) == CL_SUCCESS, "its event");
  CHECK(clReleaseEvent(event) == CL_SUCCESS, "the event is the caller's");
  download(mz, found, sizeof found);
  for (i = 0; i < N; ++i) good = good && found[i + 1] == 2 * x[N - 1 - i] + y[i];
  CHECK(good && found[0] == -7.0f && found[N + 1] == -7.0f, "values between canaries, of elements backwards");
  /* In the queue's order, without an event. */
  operands[0] = vector("x", mx, 0, N, 1);
  operands[1] = vector("y", my, 0, 1, 1);
  CHECK(run("x = x + 1", 1, operands, NULL) == AFFINIMATH_SUCCESS, "an operand that is read and written");
  CHECK(run("x[1:-1:2] = -1; y = sum(x)", 2, operands, NULL) == AFFINIMATH_SUCCESS, "a part, read again");
  download(my, y, sizeof y);
  for (i = 0; i < N; ++i) sum += i % 2 == 1 && i < N - 1 ? -1 : i + 1;
  CHECK(y[0] == (float)sum && y[1] == 1.0f, "the sum of the new elements");
  CHECK(run("y = max(x)", 2, operands, NULL) == AFFINIMATH_SUCCESS, "a reduction");
  download(mx, x, sizeof x);
  download(my, y, sizeof y);
  for (i = 0, good = 1; i < N; ++i) good = good && x[i] == (i % 2 == 1 && i < N - 1 ? -1.0f : (float)(i + 1));
  CHECK(good && y[0] == (float)N && y[1] == 1.0f, "in order, and no more than the operands");
  /* Operands that overlap mean what they held. */
  operands[0] = vector("x", mx, 0, N - 1, 1);
  operands[1] = vector("", mx, 1, N - 1, 1);
  CHECK(run("x", 2, operands, NULL) == AFFINIMATH_SUCCESS, "operands that overlap");
  download(mx, found, sizeof x);
  for (i = 1, good = found[0] == x[0]; i < N; ++i) good = good && found[i] == x[i - 1];
  CHECK(good, "the elements moved by one");
  clReleaseMemObject(mx);
  clReleaseMemObject(my);
  clReleaseMemObject(mz);
}

static void matrices(void)
{
  float a[6] = {1, 2, 3, 4, 5, 6}, found[9];
  cl_mem ma = upload(a, sizeof a), mc = upload(a, sizeof a), big = clCreateBuffer(device.context, CL_MEM_READ_WRITE,
                                                                                  sizeof found, NULL, NULL);
  affinimath_operand_cl operands[3] = {0};
  int i, j, k, good = 1;
  operands[0] = vector("a", ma, 0, 2, 3);
  operands[0].rank = 2;
  operands[0].shape[1] = 3;
  operands[0].strides[1] = 1;
  operands[1] = vector("", big, 0, 3, 1);
  operands[1].rank = 2;
  operands[1].shape[1] = 3;
  operands[1].strides[1] = 3;
  CHECK(run("a.T @ a", 2, operands, NULL) == AFFINIMATH_SUCCESS, "a product, into columns");
  download(big, found, sizeof found);
  for (i = 0; i < 3; ++i) {
    for (j = 0; j < 3; ++j) {
      float sum = 0;
      for (k = 0; k < 2; ++k) sum += a[3 * k + i] * a[3 * k + j];
      good = good && found[i + 3 * j] == sum;
    }
  }
  CHECK(good, "the product");
  operands[2] = vector("none", NULL, 0, 0, 1);
  operands[1] = vector("", mc, 0, 1, 1);
  operands[1].rank = 0;
  CHECK(run("sum(none) + a[1, 2]", 3, operands, NULL) == AFFINIMATH_SUCCESS, "an operand without elements");
  download(mc, found, sizeof(float));
  CHECK(found[0] == 6.0f, "a scalar");
  clReleaseMemObject(ma);
  clReleaseMemObject(mc);
  clReleaseMemObject(big);
}

static void refusals(void)
{
  float x[N], found[N];
  cl_context other = clCreateContext(NULL, 1, &device.id, NULL, NULL, NULL);
  cl_buffer_region halves[2] = {{0, sizeof x / 2}, {0, sizeof x / 2}};
  cl_mem memory, foreign, parts[2];
  cl_event event = NULL;
  affinimath_expression *expression = NULL;
  affinimath_operand_cl operands[3];
  int i;
  for (i = 0; i < N; ++i) x[i] = (float)i;
  memory = upload(x, sizeof x);
  foreign = clCreateBuffer(other, CL_MEM_READ_WRITE, sizeof x, NULL, NULL);
  operands[0] = vector("x", memory, 0, N, 1);
  operands[1] = vector("", memory, 0, N, 1);
  CHECK(affinimathExpressionCreate("2*x", &expression) == AFFINIMATH_SUCCESS, "a text");
  CHECK(affinimathExpressionRunCL(NULL, device.queue, 2, operands, &event) == -1, "no expression");
  CHECK(affinimathExpressionRunCL(expression, NULL, 2, operands, &event) == -2, "no queue");
  CHECK(affinimathExpressionRunCL(expression, device.queue, -1, operands, &event) == -3, "a negative count");
  CHECK(affinimathExpressionRunCL(expression, device.queue, 2, NULL, &event) == -4, "no operands");
  CHECK(affinimathExpressionDestroy(expression) == AFFINIMATH_SUCCESS, "its end");
  CHECK(run("2*x", 1, operands, &event) == -4, "nothing receives the value");
  CHECK(run("2*y", 2, operands, &event) != AFFINIMATH_SUCCESS, "an unknown name");
  operands[1].memory = NULL;
  CHECK(run("2*x", 2, operands, &event) == -4, "null with elements");
  operands[1].memory = foreign;
  CHECK(run("2*x", 2, operands, &event) == AFFINIMATH_MIXED_MEMORY, "memory of another context");
  operands[1] = vector("", memory, 1, N, 1);
  CHECK(run("2*x", 2, operands, &event) == -4, "memory that is too small");
  operands[1] = vector("", memory, N - 2, N, -1);
  CHECK(run("2*x", 2, operands, &event) == -4, "elements before the memory");
  operands[1] = vector("", memory, -1, N, 1);
  CHECK(run("2*x", 2, operands, &event) == -4, "a negative offset");
  operands[1] = vector("", memory, 0, N - 1, 1);
  CHECK(run("2*x", 2, operands, &event) == -4, "a result of another shape");
  operands[1] = vector("", memory, 0, N, 1);
  operands[1].element = AFFINIMATH_TYPE_INT32;
  CHECK(run("2*x", 2, operands, &event) == -4, "types that differ in the same memory");
  operands[1].element = 17;
  CHECK(run("2*x", 2, operands, &event) == -4, "no type");
  operands[1].element = AFFINIMATH_TYPE_FLOAT;
  operands[1].rank = 9;
  CHECK(run("2*x", 2, operands, &event) == -4, "too many axes");
  for (i = 0; i < 2; ++i) {
    parts[i] = clCreateSubBuffer(memory, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &halves[i], NULL);
  }
  if (parts[0] != NULL && parts[1] != NULL) {
    operands[0] = vector("x", parts[0], 0, N / 2, 1);
    operands[1] = vector("", parts[1], 0, N / 2, 1);
    CHECK(run("2*x", 2, operands, &event) == -4, "two sub-buffers of the same memory");
    operands[1] = vector("y", memory, 0, N / 2, 1);
    CHECK(run("y = 2*x", 2, operands, &event) == -4, "a sub-buffer and its memory");
    clReleaseMemObject(parts[0]);
    clReleaseMemObject(parts[1]);
  }
  CHECK(event == NULL, "no event of a refused call");
  download(memory, found, sizeof found);
  for (i = 0; i < N && found[i] == x[i]; ++i) {
  }
  CHECK(i == N, "refused calls change nothing");
  clReleaseMemObject(memory);
  clReleaseMemObject(foreign);
  clReleaseContext(other);
}

int main(void)
{
  if (!open_device(&device)) {
    printf("skipped: no OpenCL device\n");
    return 77;
  }
  values();
  matrices();
  refusals();
  CHECK(affinimathShutdown() == AFFINIMATH_SUCCESS, "shutdown");
  close_device(&device);
  return report("text expressions on a device");
}
