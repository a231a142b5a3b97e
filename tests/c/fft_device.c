/* Fourier transforms on the application's memory objects and queues: functions without a plan, and plans. Exits with 77
   without an OpenCL device. C99. */

#include <pthread.h>

#include "opencl_device.h"

#include "fft.h"

/* Elements in front of the operands. */
enum { OFFINPUT = 3, OFFOUTPUT = 2 };

/* A problem's operands on the device. In place there is one. */
typedef struct operands {
  struct _cl_mem *input, *output;
  int64_t offinput, offoutput;
} operands;

/* A memory object with bytes behind `offset` of them that hold canaries. */
static struct _cl_mem *upload(const opencl_device *device, const unsigned char *data, size_t bytes, size_t offset)
{
  unsigned char *all = malloc(offset + bytes);
  memset(all, CANARY, offset);
  memcpy(all + offset, data, bytes);
  struct _cl_mem *memory =
      clCreateBuffer(device->context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, offset + bytes, all, NULL);
  free(all);
  return memory;
}

static operands move(const opencl_device *device, const problem *p)
{
  operands o;
  if (p->descriptor.in_place) {
    /* Between real and complex numbers, complex ones are counted on both sides. */
    const size_t number = p->input.element > p->output.element ? p->input.element : p->output.element;
    o.offinput = o.offoutput = OFFINPUT;
    o.input = o.output = upload(device, p->before, p->input_bytes, OFFINPUT * number);
    return o;
  }
  o.offinput = OFFINPUT;
  o.offoutput = OFFOUTPUT;
  memset(p->output.memory, CANARY, p->output_bytes);
  o.input = upload(device, p->before, p->input_bytes, OFFINPUT * p->input.element);
  o.output = upload(device, p->output.memory, p->output_bytes, OFFOUTPUT * p->output.element);
  return o;
}

/* True if the queue reads the bytes behind `offset` canaries. */
static int download(cl_command_queue queue, struct _cl_mem *memory, unsigned char *data, size_t bytes, size_t offset)
{
  unsigned char *all = malloc(offset + bytes);
  int good = clEnqueueReadBuffer(queue, memory, CL_TRUE, 0, offset + bytes, all, 0, NULL, NULL) == CL_SUCCESS;
  for (size_t i = 0; i < offset; ++i) {
    good = good && all[i] == CANARY;
  }
  memcpy(data, all + offset, bytes);
  free(all);
  return good;
}

/* True if the results on the device are right; gives the operands back. */
static int take_back(cl_command_queue queue, problem *p, operands *o)
{
  const size_t number = p->input.element > p->output.element ? p->input.element : p->output.element;
  const size_t before = p->descriptor.in_place ? OFFINPUT * number : OFFOUTPUT * p->output.element;
  int good = download(queue, o->output, p->output.memory, p->output_bytes, before);
  if (o->input != o->output) {
    good = download(queue, o->input, p->input.memory, p->input_bytes, OFFINPUT * p->input.element) && good;
    clReleaseMemObject(o->input);
  }
  clReleaseMemObject(o->output);
  return good && right(p);
}

static int one_shot(cl_command_queue q, const problem *p, const operands *o, cl_event *e)
{
  const affinimath_fft_descriptor *d = &p->descriptor;
  const int single = d->precision == AFFINIMATH_SINGLE;
  const int64_t m = d->lengths[0], n = d->lengths[d->rank - 1], i = o->offinput, j = o->offoutput;
  struct _cl_mem *x = o->input, *y = o->output;
  if (d->transform == AFFINIMATH_REAL_TO_COMPLEX) {
    if (d->rank == 2) {
      return single ? affinimathSrfft2CL(q, m, n, x, i, y, j, e) : affinimathDrfft2CL(q, m, n, x, i, y, j, e);
    }
    return single ? affinimathSrfftCL(q, n, x, i, y, j, e) : affinimathDrfftCL(q, n, x, i, y, j, e);
  }
  if (d->transform == AFFINIMATH_COMPLEX_TO_REAL) {
    if (d->rank == 2) {
      return single ? affinimathSirfft2CL(q, m, n, x, i, y, j, e) : affinimathDirfft2CL(q, m, n, x, i, y, j, e);
    }
    return single ? affinimathSirfftCL(q, n, x, i, y, j, e) : affinimathDirfftCL(q, n, x, i, y, j, e);
  }
  if (d->rank == 2) {
    return single ? affinimathCfft2CL(q, d->transform, m, n, x, i, y, j, e)
                  : affinimathZfft2CL(q, d->transform, m, n, x, i, y, j, e);
  }
  if (d->batch > 1) {
    return single ? affinimathCfftManyCL(q, d->transform, n, d->batch, x, i, y, j, e)
                  : affinimathZfftManyCL(q, d->transform, n, d->batch, x, i, y, j, e);
  }
  return single ? affinimathCfftCL(q, d->transform, n, x, i, y, j, e)
                : affinimathZfftCL(q, d->transform, n, x, i, y, j, e);
}

static int complete(cl_event event)
{
  return event != NULL && clWaitForEvents(1, &event) == CL_SUCCESS && clReleaseEvent(event) == CL_SUCCESS;
}

static void one_shots(const opencl_device *device, int precision)
{
  for (int i = 0; i < ONE_SHOT_COUNT; ++i) {
    const affinimath_fft_descriptor d = describe(&ONE_SHOTS[i], precision);
    cl_event event = NULL;
    problem p;
    make(&p, &d);
    operands o = move(device, &p);
    CHECK(one_shot(device->queue, &p, &o, &event) == AFFINIMATH_SUCCESS && complete(event), name(&d));
    CHECK(take_back(device->queue, &p, &o), name(&d));
    discard(&p);
  }
}

/* Some of the layouts, or all: kernels for other numbers are built from the same text, each of which takes a second. */
static void plans(const opencl_device *device, int precision, int step)
{
  for (int i = 0; i < LAYOUT_COUNT; i += step) {
    const affinimath_fft_descriptor d = describe(&LAYOUTS[i], precision);
    affinimath_fft_plan *plan = NULL;
    int64_t bytes = -1;
    cl_event event = NULL;
    problem p;
    make(&p, &d);
    CHECK(affinimathFftPlanCreate(&d, &plan) == AFFINIMATH_SUCCESS, name(&d));
    CHECK(affinimathFftScratchBytes(plan, device->queue, &bytes) == AFFINIMATH_SUCCESS && bytes >= 0, name(&d));
    /* With the library's workspace, and then with the caller's. */
    operands o = move(device, &p);
    CHECK(affinimathFftExecuteCL(plan, device->queue, o.input, o.offinput, o.output, o.offoutput, NULL, NULL) ==
              AFFINIMATH_SUCCESS,
          name(&d));
    CHECK(take_back(device->queue, &p, &o), name(&d));
    struct _cl_mem *workspace =
        clCreateBuffer(device->context, CL_MEM_READ_WRITE, bytes > 0 ? (size_t)bytes : 1, NULL, NULL);
    o = move(device, &p);
    CHECK(affinimathFftExecuteCL(plan, device->queue, o.input, o.offinput, o.output, o.offoutput, workspace, &event) ==
              AFFINIMATH_SUCCESS,
          name(&d));
    /* Enqueued work outlives the plan. */
    CHECK(affinimathFftPlanDestroy(plan) == AFFINIMATH_SUCCESS, name(&d));
    CHECK(complete(event) && take_back(device->queue, &p, &o), name(&d));
    clReleaseMemObject(workspace);
    discard(&p);
  }
}

#define REFUSED(call, status, text) \
  CHECK((call) == (status) && strstr(affinimathLastError(), text) != NULL, #call)

static void wrong_arguments(const opencl_device *device)
{
  static const float DATA[32] = {0};
  const unsigned char *data = (const unsigned char *)DATA;
  const int64_t length = 8;
  cl_command_queue q = device->queue;
  struct _cl_mem *x = upload(device, data, 64, 0), *y = upload(device, data, 64, 0),
                 *both = upload(device, data, 128, 0);
  struct _cl_mem *byte = upload(device, data, 1, 0);
  affinimath_fft_descriptor d;
  affinimath_fft_plan *plan = NULL, *in_place = NULL;
  int64_t bytes = -5;
  cl_event event = NULL;
  REFUSED(affinimathCfftCL(NULL, 1, 8, x, 0, y, 0, NULL), -1, "queue");
  REFUSED(affinimathCfftCL(q, 0, 8, x, 0, y, 0, NULL), -2, "direction");
  REFUSED(affinimathCfftCL(q, 1, 0, x, 0, y, 0, NULL), -3, "argument n");
  REFUSED(affinimathCfftCL(q, 1, 8, NULL, 0, y, 0, NULL), -4, "x");
  REFUSED(affinimathCfftCL(q, 1, 8, x, -1, y, 0, NULL), -5, "offx");
  REFUSED(affinimathCfftCL(q, 1, 8, x, 0, NULL, 0, NULL), -6, "y");
  REFUSED(affinimathCfftCL(q, 1, 8, x, 0, y, -1, NULL), -7, "offy");
  REFUSED(affinimathCfftCL(q, 1, 8, x, 1, y, 0, NULL), -4, "x needs 9 elements");
  REFUSED(affinimathCfftCL(q, 1, 8, x, 0, y, 1, NULL), -6, "y needs 9 elements");
  REFUSED(affinimathCfftCL(q, 1, 8, both, 0, both, 7, NULL), -6, "overlaps x");
  CHECK(affinimathCfftCL(q, 1, 8, both, 0, both, 8, NULL) == AFFINIMATH_SUCCESS, "neighbours do not overlap");
  REFUSED(affinimathCfftManyCL(q, 1, 4, -1, x, 0, y, 0, NULL), -4, "batch");
  REFUSED(affinimathSrfftCL(q, 8, x, 9, y, 0, NULL), -3, "x needs 17 elements");
  REFUSED(affinimathSirfft2CL(q, 2, 2, x, 0, y, 13, NULL), -6, "y needs 17 elements");
  CHECK(affinimathCfftManyCL(q, 1, 4, 0, NULL, 0, NULL, 0, &event) == AFFINIMATH_SUCCESS && complete(event),
        "no batch");

  affinimathFftDescriptor(&d, AFFINIMATH_REAL_TO_COMPLEX, AFFINIMATH_SINGLE, 1, &length);
  CHECK(affinimathFftPlanCreate(&d, &plan) == AFFINIMATH_SUCCESS, "a plan");
  d.in_place = 1;
  CHECK(affinimathFftPlanCreate(&d, &in_place) == AFFINIMATH_SUCCESS, "a plan in place");
  REFUSED(affinimathFftScratchBytes(plan, q, NULL), -3, "bytes");
  CHECK(affinimathFftScratchBytes(plan, q, &bytes) == AFFINIMATH_SUCCESS && bytes >= 0, "workspace");
  REFUSED(affinimathFftExecuteCL(NULL, q, x, 0, y, 0, NULL, NULL), -1, "plan");
  REFUSED(affinimathFftExecuteCL(plan, NULL, x, 0, y, 0, NULL, NULL), -2, "queue");
  REFUSED(affinimathFftExecuteCL(plan, q, NULL, 0, y, 0, NULL, NULL), -3, "input");
  REFUSED(affinimathFftExecuteCL(plan, q, x, -1, y, 0, NULL, NULL), -4, "offinput");
  REFUSED(affinimathFftExecuteCL(plan, q, x, 0, NULL, 0, NULL, NULL), -5, "output");
  REFUSED(affinimathFftExecuteCL(plan, q, x, 0, y, -1, NULL, NULL), -6, "offoutput");
  REFUSED(affinimathFftExecuteCL(plan, q, x, 9, y, 0, NULL, NULL), -3, "input needs 17 elements");
  REFUSED(affinimathFftExecuteCL(plan, q, x, 0, y, 4, NULL, NULL), -5, "output needs 9 elements");
  REFUSED(affinimathFftExecuteCL(plan, q, x, 0, x, 3, NULL, NULL), -5, "overlaps input");
  REFUSED(affinimathFftExecuteCL(plan, q, x, 0, y, 0, x, NULL), -7, "an operand");
  REFUSED(affinimathFftExecuteCL(in_place, q, x, 0, y, 0, NULL, NULL), -5, "is not input");
  REFUSED(affinimathFftExecuteCL(in_place, q, x, 1, x, 2, NULL, NULL), -6, "offinput is 1");
  REFUSED(affinimathFftExecuteCL(in_place, q, x, 4, x, 4, NULL, NULL), -3, "input needs 9 elements");
  REFUSED(affinimathFftExecuteCL(in_place, q, x, 0, x, 0, x, NULL), -7, "an operand");
  if (bytes > 1) {
    REFUSED(affinimathFftExecuteCL(plan, q, x, 0, y, 0, byte, NULL), -7, "it has 1 bytes");
  }
  affinimathFftPlanDestroy(plan);
  affinimathFftPlanDestroy(in_place);
  clReleaseMemObject(x);
  clReleaseMemObject(y);
  clReleaseMemObject(both);
  clReleaseMemObject(byte);
}

enum { THREADS = 2, ROUNDS = 20 };

typedef struct worker {
  opencl_device device;
  const affinimath_fft_plan *plan;
  problem planned, shot;
  int wrong;
} worker;

/* The plan that both threads have, each on its own queue, and sizes that both plan at once. */
static void *work(void *argument)
{
  worker *w = argument;
  cl_command_queue queue = w->device.queue;
  for (int round = 0; round < ROUNDS; ++round) {
    operands planned = move(&w->device, &w->planned), shot = move(&w->device, &w->shot);
    w->wrong += affinimathFftExecuteCL(w->plan, queue, planned.input, planned.offinput, planned.output,
                                       planned.offoutput, NULL, NULL) != AFFINIMATH_SUCCESS;
    w->wrong += one_shot(queue, &w->shot, &shot, NULL) != AFFINIMATH_SUCCESS;
    w->wrong += !take_back(queue, &w->planned, &planned);
    w->wrong += !take_back(queue, &w->shot, &shot);
  }
  return NULL;
}

static void threads(const opencl_device *device)
{
  static const layout PLANNED = {.transform = AFFINIMATH_BACKWARD, .rank = 1, .lengths = {59}, .batch = 3};
  static const layout SHOT = {.transform = AFFINIMATH_FORWARD, .rank = 1, .lengths = {77}};
  const affinimath_fft_descriptor planned = describe(&PLANNED, AFFINIMATH_SINGLE),
                                  shot = describe(&SHOT, AFFINIMATH_SINGLE);
  affinimath_fft_plan *plan = NULL;
  pthread_t threads[THREADS];
  worker workers[THREADS];
  CHECK(affinimathFftPlanCreate(&planned, &plan) == AFFINIMATH_SUCCESS, "a plan for threads");
  for (int i = 0; i < THREADS; ++i) {
    workers[i].device = *device;
    workers[i].device.queue = clCreateCommandQueue(device->context, device->id, 0, NULL);
    workers[i].plan = plan;
    workers[i].wrong = 0;
    make(&workers[i].planned, &planned);
    make(&workers[i].shot, &shot);
  }
  for (int i = 0; i < THREADS; ++i) {
    CHECK(pthread_create(&threads[i], NULL, work, &workers[i]) == 0, "a thread");
  }
  for (int i = 0; i < THREADS; ++i) {
    CHECK(pthread_join(threads[i], NULL) == 0 && workers[i].wrong == 0, "a thread's transforms");
    clReleaseCommandQueue(workers[i].device.queue);
    discard(&workers[i].planned);
    discard(&workers[i].shot);
  }
  CHECK(affinimathFftPlanDestroy(plan) == AFFINIMATH_SUCCESS, "destroy");
}

/* Plans for doubles on a device that has none: made, as the host could execute them, and refused with a status. */
static void doubles_refused(const opencl_device *device)
{
  static const layout DOUBLES = {.transform = AFFINIMATH_FORWARD, .rank = 1, .lengths = {8}};
  const affinimath_fft_descriptor d = describe(&DOUBLES, AFFINIMATH_DOUBLE);
  affinimath_fft_plan *plan = NULL;
  int64_t bytes = -5;
  CHECK(affinimathFftPlanCreate(&d, &plan) == AFFINIMATH_SUCCESS, name(&d));
  REFUSED(affinimathFftScratchBytes(plan, device->queue, &bytes), AFFINIMATH_PRECISION_NOT_SUPPORTED, "fp64");
  CHECK(bytes == -5, "nothing is touched");
  affinimathFftPlanDestroy(plan);
}

int main(void)
{
  opencl_device device;
  if (!open_device(&device)) {
    printf("fft_device: skipped, no OpenCL device\n");
    return 77;
  }
  one_shots(&device, AFFINIMATH_SINGLE);
  plans(&device, AFFINIMATH_SINGLE, 1);
  if (device.fp64) {
    one_shots(&device, AFFINIMATH_DOUBLE);
    plans(&device, AFFINIMATH_DOUBLE, 3);
  } else {
    doubles_refused(&device);
  }
  wrong_arguments(&device);
  threads(&device);
  CHECK(clFinish(device.queue) == CL_SUCCESS, "finish");
  CHECK(affinimathShutdown() == AFFINIMATH_SUCCESS, "shutdown");
  close_device(&device);
  return report("fft_device");
}
