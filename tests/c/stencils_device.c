/* Stencils on memory objects: levels in one object, offsets, strides, events, results, and wrong arguments, which
   change nothing. Exits with 77 without an OpenCL device. */

#include "opencl_device.h"

#include "count.h"

enum { N = 50, ROW = 64, LEVEL = (N + 2) * ROW };

static opencl_device device;

static const char *const life =
  "stencil life {\n"
  "  domainsize = (1 .. n, 1 .. n);\n"
  "  operation (int grid u, int param born, long result alive) {\n"
  "    int around = { i = -1 .. 1, j = -1 .. 1 : i != 0 || j != 0 } sum(u[x+i,y+j; t]);\n"
  "    u[x,y; t+1] = around == born || around == 2 && u[x,y; t] == 1 ? 1 : 0;\n"
  "    alive = count(u[x,y; t+1] == 1);\n"
  "  }\n"
  "}\n";

/* A level whose rows begin ROW elements apart, from an element of the memory object on. */
static affinimath_operand_cl level(cl_mem memory, int64_t offset)
{
  affinimath_operand_cl operand = {0};
  operand.name = "u";
  operand.memory = memory;
  operand.offset = offset;
  operand.element = AFFINIMATH_TYPE_INT32;
  operand.rank = 2;
  operand.shape[0] = operand.shape[1] = N + 2;
  operand.strides[0] = ROW;
  operand.strides[1] = 1;
  return operand;
}

static affinimath_operand scalar(const char *name, int element, void *data)
{
  affinimath_operand operand = {0};
  operand.name = name;
  operand.data = data;
  operand.element = element;
  return operand;
}

static void step(const int *from, int *to)
{
  int x, y, i, j;
  for (y = 1; y <= N; ++y) {
    for (x = 1; x <= N; ++x) {
      int around = -from[y * ROW + x];
      for (j = -1; j <= 1; ++j) {
        for (i = -1; i <= 1; ++i) around += from[(y + j) * ROW + x + i];
      }
      to[y * ROW + x] = around == 3 || (around == 2 && from[y * ROW + x]);
    }
  }
}

static void download(cl_mem memory, void *data, size_t bytes)
{
  CHECK(clEnqueueReadBuffer(device.queue, memory, CL_TRUE, 0, bytes, data, 0, NULL, NULL) == CL_SUCCESS, "read back");
}

static void runs(affinimath_stencil_plan *plan)
{
  /* Both levels and what is between them, in one memory object. */
  static int cells[1 + 2 * LEVEL], found[1 + 2 * LEVEL], other[LEVEL];
  int i, born = 3, good, *now = cells + 1, *next = other;
  int64_t alive = -1, count = 0;
  int32_t newest[2] = {-1, -1};
  affinimath_operand_cl levels[2];
  affinimath_operand operands[2];
  affinimath_stencil_outcome outcome = {-1, -1};
  cl_event event = NULL;
  cl_mem memory;
  for (i = 0; i < 1 + 2 * LEVEL; ++i) cells[i] = i % ROW >= N + 3 ? -7 : (i * 7919 / 31) % 3 == 0;
  memory = clCreateBuffer(device.context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof cells, cells, NULL);
  levels[0] = level(memory, 1);
  levels[1] = level(memory, 1 + LEVEL);
  operands[0] = scalar("born", AFFINIMATH_TYPE_INT32, &born);
  operands[1] = scalar("alive", AFFINIMATH_TYPE_INT64, &alive);
  CHECK(affinimathStencilPlanRunCL(plan, device.queue, 2, levels, 1, operands, 0, 0, 3, newest, &outcome, &event) ==
          AFFINIMATH_SUCCESS, "three steps");
  CHECK(outcome.steps == 3 && outcome.stopped == 0 && newest[0] == 0 && newest[1] == 1, "known at once");
  CHECK(event != NULL && clWaitForEvents(1, &event) == CL_SUCCESS, "an event");
  clReleaseEvent(event);
  download(memory, found, sizeof found);
  memcpy(other, cells + 1, sizeof other);
  for (i = 0; i < 3; ++i) {
    int *swap = now;
    step(now, next);
    now = next;
    next = swap;
  }
  good = 1;
  for (i = 0; i < LEVEL; ++i) {
    int inside = i % ROW >= 1 && i % ROW <= N && i / ROW >= 1 && i / ROW <= N;
    if (inside) {
      good &= found[1 + LEVEL + i] == now[i];
      count += now[i];
    }
    if (i % ROW >= N + 2) good &= found[1 + LEVEL + i] == cells[1 + LEVEL + i];
  }
  CHECK(good, "cells after three steps, and elements between rows");
  /* Levels from the oldest on: the first one is the older one now. */
  levels[0] = level(memory, 1);
  levels[1] = level(memory, 1 + LEVEL);
  CHECK(affinimathStencilPlanRunCL(plan, device.queue, 2, levels, 2, operands, 0, 0, 0, NULL, NULL, NULL) ==
          AFFINIMATH_SUCCESS, "no step");
  CHECK(alive == -1, "no step, no result");
  levels[0] = level(memory, 1 + LEVEL);
  levels[1] = level(memory, 1);
  CHECK(affinimathStencilPlanRunCL(plan, device.queue, 2, levels, 2, operands, 0, 0, 1, newest, NULL, NULL) ==
          AFFINIMATH_SUCCESS, "a result");
  step(now, next);
  for (i = 0, count = 0; i < LEVEL; ++i) {
    if (i % ROW >= 1 && i % ROW <= N && i / ROW >= 1 && i / ROW <= N) count += next[i];
  }
  CHECK(alive == count && newest[0] == 0 && newest[1] == 1, "cells that live");
  clReleaseMemObject(memory);
}

static void refusals(affinimath_stencil_plan *plan)
{
  int born = 3;
  cl_mem memory = clCreateBuffer(device.context, CL_MEM_READ_WRITE, 2 * LEVEL * sizeof(int), NULL, NULL);
  affinimath_operand_cl levels[2];
  affinimath_operand operands[1];
  operands[0] = scalar("born", AFFINIMATH_TYPE_INT32, &born);
  levels[0] = level(memory, 0);
  levels[1] = level(memory, LEVEL);
#define RUN(count, scalars) \
  affinimathStencilPlanRunCL(plan, device.queue, count, levels, scalars, operands, 0, 0, 1, NULL, NULL, NULL)
  CHECK(RUN(2, 1) == AFFINIMATH_SUCCESS, "both fit");
  CHECK(RUN(1, 1) != AFFINIMATH_SUCCESS, "a level is missing");
  CHECK(RUN(2, 0) != AFFINIMATH_SUCCESS, "a parameter is missing");
  levels[1] = level(memory, LEVEL - 20);
  CHECK(RUN(2, 1) != AFFINIMATH_SUCCESS, "levels overlap");
  levels[1] = level(memory, LEVEL + 20);
  CHECK(RUN(2, 1) != AFFINIMATH_SUCCESS, "memory is too short");
  levels[1] = level(NULL, 0);
  CHECK(RUN(2, 1) != AFFINIMATH_SUCCESS, "no memory");
  CHECK(affinimathStencilPlanRunCL(plan, NULL, 2, levels, 1, operands, 0, 0, 1, NULL, NULL, NULL) == -2, "no queue");
  clReleaseMemObject(memory);
}

int main(void)
{
  affinimath_stencil *stencil = NULL;
  affinimath_stencil_plan *plan = NULL;
  affinimath_stencil_size size = {"n", N};
  if (!open_device(&device)) {
    printf("skipped: no OpenCL device\n");
    return 77;
  }
  CHECK(affinimathStencilCreate(life, &stencil) == AFFINIMATH_SUCCESS, "a stencil");
  CHECK(affinimathStencilPlanCreateCL(stencil, device.queue, 1, &size, &plan) == AFFINIMATH_SUCCESS, "a plan");
  CHECK(affinimathStencilDestroy(stencil) == AFFINIMATH_SUCCESS, "a plan lives without its stencil");
  runs(plan);
  refusals(plan);
  CHECK(affinimathStencilPlanDestroy(plan) == AFFINIMATH_SUCCESS, "a plan ends");
  CHECK(affinimathShutdown() == AFFINIMATH_SUCCESS, "shutdown");
  close_device(&device);
  return report("stencils on a device");
}
