/* Convolutions and correlations on the application's memory objects and queue: functions without a plan, and plans.
   Exits with 77 without an OpenCL device. C99. */

#include "opencl_device.h"

#include "convolution.h"

/* Elements in front of the operands. */
enum { OFFSIGNAL = 3, OFFKERNEL = 1, OFFOUTPUT = 2 };

typedef struct operands {
  struct _cl_mem *x, *h, *y;
} operands;

/* A memory object with `offset` elements of canaries in front. */
static struct _cl_mem *upload(const opencl_device *device, const problem *p, const unsigned char *data, int64_t count,
                              int64_t offset)
{
  unsigned char *all = malloc(bytes(p, offset + count));
  memset(all, CANARY, bytes(p, offset));
  memcpy(all + bytes(p, offset), data, bytes(p, count));
  struct _cl_mem *memory =
      clCreateBuffer(device->context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, bytes(p, offset + count), all, NULL);
  free(all);
  return memory;
}

static operands move(const opencl_device *device, const problem *p)
{
  operands o;
  o.x = upload(device, p, p->x, p->signal, OFFSIGNAL);
  o.h = upload(device, p, p->h, p->kernel, OFFKERNEL);
  o.y = upload(device, p, p->y, p->output + BEHIND, OFFOUTPUT);
  return o;
}

/* True if the results are right and what lies around them is as it was. */
static int take_back(const opencl_device *device, problem *p, operands *o)
{
  const size_t front = bytes(p, OFFOUTPUT), all = bytes(p, OFFOUTPUT + p->output + BEHIND);
  unsigned char *data = malloc(all);
  int good = clEnqueueReadBuffer(device->queue, o->y, CL_TRUE, 0, all, data, 0, NULL, NULL) == CL_SUCCESS;
  for (size_t i = 0; i < front; ++i) {
    good = good && data[i] == CANARY;
  }
  memcpy(p->y, data + front, all - front);
  free(data);
  clReleaseMemObject(o->x);
  clReleaseMemObject(o->h);
  clReleaseMemObject(o->y);
  return good && right(p);
}

static int one_shot(const opencl_device *device, const problem *p, const operands *o, cl_event *event)
{
  const affinimath_convolution_descriptor *d = &p->descriptor;
  const int64_t n = d->signal[0], m = d->kernel[0];
  const int correlates = d->operation == AFFINIMATH_CORRELATION;
  cl_command_queue queue = device->queue;
#define CALL(type)                                                                                                     \
  (correlates ? affinimath##type##correlateCL : affinimath##type##convolveCL)(queue, d->extent, n, m, o->x, OFFSIGNAL, \
                                                                              o->h, OFFKERNEL, o->y, OFFOUTPUT, event)
  switch (p->type) {
  case 'S': return CALL(S);
  case 'D': return CALL(D);
  case 'C': return CALL(C);
  default: return CALL(Z);
  }
#undef CALL
}

static void cases(const opencl_device *device, int precision, int complex_numbers)
{
  /* Programs are many: each kind of numbers takes some of the cases. */
  for (int i = (precision + complex_numbers) % 2; i < CASE_COUNT; i += 2) {
    affinimath_convolution_descriptor d = describe(i, precision, complex_numbers);
    affinimath_convolution_plan *plan = NULL;
    int64_t needed = -1;
    cl_event event = NULL;
    struct _cl_mem *workspace;
    operands o;
    problem p;
    make_problem(&p, &d);
    o = move(device, &p);
    CHECK(affinimathConvolutionPlanCreate(&d, &plan) == AFFINIMATH_SUCCESS, name(&d));
    CHECK(affinimathConvolutionScratchBytes(plan, device->queue, &needed) == AFFINIMATH_SUCCESS && needed >= 0,
          name(&d));
    workspace = i % 2 == 0 ? clCreateBuffer(device->context, CL_MEM_READ_WRITE, (size_t)needed + 1, NULL, NULL) : NULL;
    CHECK(affinimathConvolutionExecuteCL(plan, device->queue, o.x, OFFSIGNAL, o.h, OFFKERNEL, o.y, OFFOUTPUT, workspace,
                                         &event) == AFFINIMATH_SUCCESS,
          name(&d));
    CHECK(event != NULL && clWaitForEvents(1, &event) == CL_SUCCESS && clReleaseEvent(event) == CL_SUCCESS, name(&d));
    CHECK(take_back(device, &p, &o), name(&d));
    CHECK(affinimathConvolutionPlanDestroy(plan) == AFFINIMATH_SUCCESS, name(&d));
    if (workspace != NULL) {
      clReleaseMemObject(workspace);
    }
    discard(&p);
    if (d.rank == 1) {
      d.batch = 1;
      d.own_kernels = 0;
      d.scale = 1;
      make_problem(&p, &d);
      o = move(device, &p);
      CHECK(one_shot(device, &p, &o, NULL) == AFFINIMATH_SUCCESS, name(&d));
      CHECK(take_back(device, &p, &o), name(&d));
      discard(&p);
    }
  }
}

static void wrong_arguments(const opencl_device *device)
{
  const affinimath_convolution_descriptor d = describe(0, AFFINIMATH_SINGLE, 0);
  cl_command_queue queue = device->queue;
  affinimath_convolution_plan *plan = NULL;
  int64_t needed = -5;
  problem p;
  operands o;
  make_problem(&p, &d);
  o = move(device, &p);
  REFUSED(affinimathSconvolveCL(NULL, AFFINIMATH_FULL, 100, 7, o.x, 0, o.h, 0, o.y, 0, NULL), -1, "queue");
  REFUSED(affinimathSconvolveCL(queue, 0, 100, 7, o.x, 0, o.h, 0, o.y, 0, NULL), -2, "extent");
  REFUSED(affinimathSconvolveCL(queue, AFFINIMATH_FULL, 0, 7, o.x, 0, o.h, 0, o.y, 0, NULL), -3, "n");
  REFUSED(affinimathSconvolveCL(queue, AFFINIMATH_FULL, 100, 0, o.x, 0, o.h, 0, o.y, 0, NULL), -4, "m");
  REFUSED(affinimathSconvolveCL(queue, AFFINIMATH_FULL, 100, 7, NULL, 0, o.h, 0, o.y, 0, NULL), -5, "x");
  REFUSED(affinimathSconvolveCL(queue, AFFINIMATH_FULL, 100, 7, o.x, -1, o.h, 0, o.y, 0, NULL), -6, "offx");
  REFUSED(affinimathSconvolveCL(queue, AFFINIMATH_FULL, 100, 7, o.x, 0, NULL, 0, o.y, 0, NULL), -7, "h");
  REFUSED(affinimathSconvolveCL(queue, AFFINIMATH_FULL, 100, 7, o.x, 0, o.h, -1, o.y, 0, NULL), -8, "offh");
  REFUSED(affinimathSconvolveCL(queue, AFFINIMATH_FULL, 100, 7, o.x, 0, o.h, 0, NULL, 0, NULL), -9, "y");
  REFUSED(affinimathSconvolveCL(queue, AFFINIMATH_FULL, 100, 7, o.x, 0, o.h, 0, o.y, -1, NULL), -10, "offy");

  CHECK(affinimathConvolutionPlanCreate(&d, &plan) == AFFINIMATH_SUCCESS, "a plan");
  REFUSED(affinimathConvolutionScratchBytes(NULL, queue, &needed), -1, "plan");
  REFUSED(affinimathConvolutionScratchBytes(plan, NULL, &needed), -2, "queue");
  REFUSED(affinimathConvolutionScratchBytes(plan, queue, NULL), -3, "bytes");
  CHECK(needed == -5, "nothing is touched");
  REFUSED(affinimathConvolutionExecuteCL(NULL, queue, o.x, 0, o.h, 0, o.y, 0, NULL, NULL), -1, "plan");
  REFUSED(affinimathConvolutionExecuteCL(plan, NULL, o.x, 0, o.h, 0, o.y, 0, NULL, NULL), -2, "queue");
  REFUSED(affinimathConvolutionExecuteCL(plan, queue, NULL, 0, o.h, 0, o.y, 0, NULL, NULL), -3, "signal");
  REFUSED(affinimathConvolutionExecuteCL(plan, queue, o.x, -1, o.h, 0, o.y, 0, NULL, NULL), -4, "offsignal");
  REFUSED(affinimathConvolutionExecuteCL(plan, queue, o.x, 0, NULL, 0, o.y, 0, NULL, NULL), -5, "kernel");
  REFUSED(affinimathConvolutionExecuteCL(plan, queue, o.x, 0, o.h, -1, o.y, 0, NULL, NULL), -6, "offkernel");
  REFUSED(affinimathConvolutionExecuteCL(plan, queue, o.x, 0, o.h, 0, NULL, 0, NULL, NULL), -7, "output");
  REFUSED(affinimathConvolutionExecuteCL(plan, queue, o.x, 0, o.h, 0, o.x, 4, NULL, NULL), -7, "overlaps signal");
  REFUSED(affinimathConvolutionExecuteCL(plan, queue, o.x, 0, o.h, 0, o.y, -1, NULL, NULL), -8, "offoutput");
  REFUSED(affinimathConvolutionExecuteCL(plan, queue, o.x, 0, o.h, 0, o.y, 0, o.x, NULL), -9, "operand");
  CHECK(affinimathConvolutionPlanDestroy(plan) == AFFINIMATH_SUCCESS, "destroy");
  CHECK(one_shot(device, &p, &o, NULL) == AFFINIMATH_SUCCESS && take_back(device, &p, &o), "after all refusals");
  discard(&p);
}

int main(void)
{
  opencl_device device;
  if (!open_device(&device)) {
    printf("convolution_device: skipped, no OpenCL device\n");
    return 77;
  }
  cases(&device, AFFINIMATH_SINGLE, 0);
  cases(&device, AFFINIMATH_SINGLE, 1);
  if (device.fp64) {
    cases(&device, AFFINIMATH_DOUBLE, 0);
    cases(&device, AFFINIMATH_DOUBLE, 1);
  }
  wrong_arguments(&device);
  CHECK(clFinish(device.queue) == CL_SUCCESS, "finish");
  CHECK(affinimathShutdown() == AFFINIMATH_SUCCESS, "shutdown");
  close_device(&device);
  return report("convolution_device");
}
