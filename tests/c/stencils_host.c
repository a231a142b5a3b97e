/* Stencils on the host's memory: plans, runs, levels, results, and wrong arguments, which change nothing. */

#include "count.h"

enum { NX = 4, NY = 3 };

static const char *const heat =
  "stencil heat {\n"
  "  domainsize = (1 .. nx, 1 .. ny);\n"
  "  operation (double grid u, double param k, double result change) {\n"
  "    double lap = u[x-1,y; t] + u[x+1,y; t] + u[x,y-1; t] + u[x,y+1; t] - 4 * u[x,y; t];\n"
  "    u[x,y; t+1] = u[x,y; t] + k * lap;\n"
  "    change = max(abs(k * lap));\n"
  "  }\n"
  "}\n";

static affinimath_operand scalar(const char *name, void *data)
{
  affinimath_operand operand;
  memset(&operand, 0, sizeof operand);
  operand.name = name;
  operand.data = data;
  operand.element = AFFINIMATH_TYPE_DOUBLE;
  return operand;
}

static affinimath_operand matrix(const char *name, void *data, int64_t rows, int64_t columns, int64_t stride)
{
  affinimath_operand operand = scalar(name, data);
  operand.rank = 2;
  operand.shape[0] = rows;
  operand.shape[1] = columns;
  operand.strides[0] = stride;
  operand.strides[1] = 1;
  return operand;
}

static void a_run(const affinimath_stencil *stencil)
{
  /* Rows of 8 elements, of which the grid has 6. */
  double old[5][8] = {{0}}, new[5][8] = {{0}}, k = 0.25, change = -1;
  affinimath_operand operands[4];
  affinimath_stencil_outcome outcome;
  affinimath_stencil_plan *plan = NULL;
  int32_t newest[4];
  char text[400];
  int64_t length = 0;
  old[2][2] = 1;
  old[0][7] = -7;
  new[4][6] = -7;
  operands[0] = matrix("u", old, NY + 2, NX + 2, 8);
  operands[1] = matrix("u", new, NY + 2, NX + 2, 8);
  operands[2] = scalar("k", &k);
  operands[3] = scalar("change", &change);
  CHECK(affinimathStencilPlanCreate(stencil, -1, 0, NULL, 1, operands, &plan) == AFFINIMATH_SUCCESS, "sizes of shapes");
  CHECK(affinimathStencilPlanDescription(plan, text, sizeof text, &length) == AFFINIMATH_SUCCESS, "a description");
  CHECK(length == (int64_t)strlen(text) && strstr(text, "\"shape\":[5,6]") != NULL, text);
  CHECK(affinimathStencilPlanRun(plan, 4, operands, 0, 0, 1, newest, &outcome) == AFFINIMATH_SUCCESS, "a step");
  CHECK(outcome.steps == 1 && outcome.stopped == 0, "the outcome");
  CHECK(newest[0] == 0 && newest[1] == 1, "the newest level");
  CHECK(new[2][2] == 0 && new[2][1] == 0.25 && new[2][3] == 0.25 && new[1][2] == 0.25 && new[3][2] == 0.25, "values");
  CHECK(change == 1 && old[2][2] == 1, "the result, and the level before");
  CHECK(old[0][7] == -7 && new[4][6] == -7, "elements between rows");
  CHECK(affinimathStencilPlanRun(plan, 4, operands, 0, 0, 2, newest, NULL) == AFFINIMATH_SUCCESS, "two steps");
  CHECK(newest[0] == 1 && newest[1] == 0 && old[2][2] == 0.25, "levels rotate");
  CHECK(affinimathStencilPlanDestroy(plan) == AFFINIMATH_SUCCESS, "a plan ends");
}

static void wrong_arguments(const affinimath_stencil *stencil)
{
  double old[5][6] = {{0}}, new[5][6] = {{0}}, k = 0.25;
  affinimath_stencil_size sizes[2];
  affinimath_operand operands[4];
  affinimath_stencil_plan *plan = NULL;
  affinimath_stencil *other = NULL;
  char text[8];
  int64_t length = 0;
  sizes[0].name = "nx";
  sizes[0].value = NX;
  sizes[1].name = "ny";
  sizes[1].value = NY;
  old[2][2] = 1;
  operands[0] = matrix("u", old, NY + 2, NX + 2, 6);
  operands[1] = matrix("u", new, NY + 2, NX + 2, 6);
  operands[2] = scalar("k", &k);
  CHECK(affinimathStencilCreate("stencil s {\n  oops\n}", &other) == -1 && other == NULL, "a text");
  CHECK(strstr(affinimathLastError(), "2:3") != NULL, affinimathLastError());
  CHECK(affinimathStencilCreate(NULL, &other) == -1, "no text");
  CHECK(affinimathStencilDescription(stencil, text, sizeof text, &length) == AFFINIMATH_SUCCESS, "a text that is cut");
  CHECK(length > 100 && strlen(text) == sizeof text - 1, "its length");
  CHECK(affinimathStencilPlanCreate(stencil, -1, 1, sizes, 0, NULL, &plan) != AFFINIMATH_SUCCESS, "a size is missing");
  CHECK(affinimathStencilPlanCreate(stencil, 1000, 2, sizes, 0, NULL, &plan) != AFFINIMATH_SUCCESS, "no device");
  CHECK(plan == NULL, "no plan");
  CHECK(affinimathStencilPlanCreate(stencil, -1, 2, sizes, 0, NULL, &plan) == AFFINIMATH_SUCCESS, "sizes");
  CHECK(affinimathStencilPlanRun(plan, 2, operands, 0, 0, 1, NULL, NULL) == -3, "a parameter is missing");
  CHECK(affinimathStencilPlanRun(plan, 3, operands, 2, 0, 1, NULL, NULL) == -4, "a flag");
  CHECK(affinimathStencilPlanRun(plan, 3, operands, 0, 0, -2, NULL, NULL) == -6, "steps");
  CHECK(affinimathStencilPlanRun(plan, 3, operands, 0, 0, -1, NULL, NULL) != 0, "steps that the text has not");
  operands[1] = matrix("u", old, NY + 2, NX + 2, 6);
  CHECK(affinimathStencilPlanRun(plan, 3, operands, 0, 0, 1, NULL, NULL) == -3, "levels in the same memory");
  CHECK(strstr(affinimathLastError(), "share memory") != NULL, affinimathLastError());
  operands[1] = matrix("u", new, NY + 2, NX + 1, 6);
  CHECK(affinimathStencilPlanRun(plan, 3, operands, 0, 0, 1, NULL, NULL) == -3, "a shape");
  operands[1] = matrix("u", new, NY + 2, NX + 2, -6);
  CHECK(affinimathStencilPlanRun(plan, 3, operands, 0, 0, 1, NULL, NULL) == -3, "a stride");
  operands[1] = matrix("u", new, NY + 2, NX + 2, 6);
  operands[1].element = AFFINIMATH_TYPE_FLOAT;
  CHECK(affinimathStencilPlanRun(plan, 3, operands, 0, 0, 1, NULL, NULL) == -3, "a type");
  operands[1] = scalar("w", &k);
  CHECK(affinimathStencilPlanRun(plan, 3, operands, 0, 0, 1, NULL, NULL) == -3, "a name");
  CHECK(new[2][2] == 0 && new[2][1] == 0 && old[2][2] == 1, "nothing has changed");
  CHECK(affinimathStencilPlanDestroy(plan) == AFFINIMATH_SUCCESS, "a plan ends");
  CHECK(affinimathStencilPlanDestroy(NULL) == AFFINIMATH_SUCCESS, "no plan");
}

static const char *strategy_of(const affinimath_stencil_plan *plan)
{
  static char text[100];
  int64_t length = 0;
  CHECK(affinimathStencilPlanStrategy(plan, text, sizeof text, &length) == AFFINIMATH_SUCCESS, "a strategy");
  CHECK(length == (int64_t)strlen(text), "its length");
  return text;
}

/* Five steps from the same grid with a strategy. */
static void with_strategy(affinimath_stencil_plan *plan, const char *strategy, double u[2][NY + 2][NX + 2])
{
  double k = 0.15;
  affinimath_operand operands[3];
  int32_t newest[3];
  int i;
  for (i = 0; i < (NY + 2) * (NX + 2); ++i) {
    u[0][i / (NX + 2)][i % (NX + 2)] = (i * 7919 % 101) / 7.0;
  }
  operands[0] = matrix("u", u[0], NY + 2, NX + 2, NX + 2);
  operands[1] = matrix("u", u[1], NY + 2, NX + 2, NX + 2);
  operands[2] = scalar("k", &k);
  CHECK(affinimathStencilPlanSetStrategy(plan, strategy) == AFFINIMATH_SUCCESS, affinimathLastError());
  CHECK(affinimathStencilPlanRun(plan, 3, operands, 0, 0, 5, newest, NULL) == AFFINIMATH_SUCCESS, "five steps");
  CHECK(newest[1] == 1, "the newest level");
}

static void strategies(const affinimath_stencil *stencil)
{
  static const char *const wrong[] = {"trapezoid", "wavefront:steps=99", "stream:items=32x8", "wavefront:colour=3", ""};
  double naive[2][NY + 2][NX + 2], tiles[2][NY + 2][NX + 2];
  affinimath_stencil_size sizes[2];
  affinimath_stencil_plan *plan = NULL;
  char chosen[100], text[4];
  int64_t length = 0;
  size_t i;
  sizes[0].name = "nx";
  sizes[0].value = NX;
  sizes[1].name = "ny";
  sizes[1].value = NY;
  CHECK(affinimathStencilPlanCreate(stencil, -1, 2, sizes, 0, NULL, &plan) == AFFINIMATH_SUCCESS, "a plan");
  strcpy(chosen, strategy_of(plan));
  with_strategy(plan, "naive", naive);
  CHECK(strcmp(strategy_of(plan), "naive") == 0, strategy_of(plan));
  with_strategy(plan, "wavefront:steps=3,width=2", tiles);
  CHECK(strcmp(strategy_of(plan), "wavefront:steps=3,width=2") == 0, strategy_of(plan));
  CHECK(memcmp(naive[1], tiles[1], sizeof naive[1]) == 0, "all strategies give the same bits");
  for (i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
    CHECK(affinimathStencilPlanSetStrategy(plan, wrong[i]) == -2, wrong[i]);
    CHECK(strcmp(strategy_of(plan), "wavefront:steps=3,width=2") == 0, "the strategy stays");
  }
  CHECK(affinimathStencilPlanSetStrategy(plan, "trapezoid") == -2, "no strategy");
  CHECK(strstr(affinimathLastError(), "none of naive, stream, stream-local, overlap and wavefront") != NULL,
        affinimathLastError());
  CHECK(affinimathStencilPlanSetStrategy(plan, "stream") == -2, "a strategy of GPUs");
  CHECK(strstr(affinimathLastError(), "does not fit") != NULL, affinimathLastError());
  CHECK(affinimathStencilPlanSetStrategy(NULL, "naive") == -1, "no plan");
  CHECK(affinimathStencilPlanStrategy(NULL, text, sizeof text, &length) == -1, "no plan");
  CHECK(affinimathStencilPlanStrategy(plan, text, sizeof text, NULL) == -4, "no length");
  CHECK(affinimathStencilPlanStrategy(plan, text, sizeof text, &length) == AFFINIMATH_SUCCESS, "a text that is cut");
  CHECK(length == 25 && strcmp(text, "wav") == 0, text);
  CHECK(affinimathStencilPlanSetStrategy(plan, NULL) == -2, "no text");
  CHECK(affinimathStencilPlanSetStrategy(plan, "auto") == AFFINIMATH_SUCCESS, "the plan's choice");
  CHECK(strcmp(strategy_of(plan), chosen) == 0, chosen);
  CHECK(affinimathStencilPlanDestroy(plan) == AFFINIMATH_SUCCESS, "a plan ends");
}

int main(void)
{
  affinimath_stencil *stencil = NULL;
  CHECK(affinimathStencilCreate(heat, &stencil) == AFFINIMATH_SUCCESS, "a stencil");
  a_run(stencil);
  wrong_arguments(stencil);
  strategies(stencil);
  CHECK(affinimathStencilDestroy(stencil) == AFFINIMATH_SUCCESS, "a stencil ends");
  return report("stencils on the host");
}
