/* Convolutions and correlations with host pointers: with and without plans, against their definition. C99. */

#include <pthread.h>

#include "convolution.h"

static int one_shot(problem *p)
{
  const affinimath_convolution_descriptor *d = &p->descriptor;
  const int64_t n = d->signal[0], m = d->kernel[0];
  const int correlates = d->operation == AFFINIMATH_CORRELATION;
  const void *x = p->x, *h = p->h;
  void *y = p->y;
  switch (p->type) {
  case 'S': return (correlates ? affinimathScorrelate : affinimathSconvolve)(d->extent, n, m, x, h, y);
  case 'D': return (correlates ? affinimathDcorrelate : affinimathDconvolve)(d->extent, n, m, x, h, y);
  case 'C': return (correlates ? affinimathCcorrelate : affinimathCconvolve)(d->extent, n, m, x, h, y);
  default: return (correlates ? affinimathZcorrelate : affinimathZconvolve)(d->extent, n, m, x, h, y);
  }
}

static void cases(int precision, int complex_numbers)
{
  for (int i = 0; i < CASE_COUNT; ++i) {
    affinimath_convolution_descriptor d = describe(i, precision, complex_numbers);
    affinimath_convolution_plan *plan = NULL;
    problem p;
    make_problem(&p, &d);
    CHECK(affinimathConvolutionPlanCreate(&d, &plan) == AFFINIMATH_SUCCESS && plan != NULL, name(&d));
    CHECK(affinimathConvolutionExecute(plan, p.x, p.h, p.y) == AFFINIMATH_SUCCESS, name(&d));
    CHECK(right(&p), name(&d));
    CHECK(affinimathConvolutionPlanDestroy(plan) == AFFINIMATH_SUCCESS, name(&d));
    discard(&p);
    if (d.rank == 1) {
      d.batch = 1;
      d.own_kernels = 0;
      d.scale = 1;
      make_problem(&p, &d);
      /* The second time with the plan that was kept. */
      CHECK(one_shot(&p) == AFFINIMATH_SUCCESS && one_shot(&p) == AFFINIMATH_SUCCESS && right(&p), name(&d));
      discard(&p);
    }
  }
}

static void wrong_arguments(void)
{
  const int64_t n[4] = {8, 8, 8, 8}, m[4] = {3, 9, 3, 3}, none[1] = {0};
  float x[64] = {1}, h[64] = {2}, y[128] = {5};
  affinimath_convolution_descriptor d, untouched;
  affinimath_convolution_plan *plan = NULL;

  REFUSED(affinimathSconvolve(0, 8, 3, x, h, y), -1, "AFFINIMATH_FULL");
  REFUSED(affinimathSconvolve(AFFINIMATH_FULL, 0, 3, x, h, y), -2, "less than 1");
  REFUSED(affinimathSconvolve(AFFINIMATH_FULL, 8, -3, x, h, y), -3, "-3");
  REFUSED(affinimathSconvolve(AFFINIMATH_CIRCULAR, 8, 9, x, h, y), -3, "circle");
  REFUSED(affinimathSconvolve(AFFINIMATH_FULL, INT64_MAX / 2, 3, x, h, y), -2, "address space");
  REFUSED(affinimathScorrelate(AFFINIMATH_FULL, 8, 3, NULL, h, y), -4, "x");
  REFUSED(affinimathScorrelate(AFFINIMATH_FULL, 8, 3, x, NULL, y), -5, "h");
  REFUSED(affinimathScorrelate(AFFINIMATH_FULL, 8, 3, x, h, NULL), -6, "y");
  REFUSED(affinimathScorrelate(AFFINIMATH_FULL, 8, 3, x, h, x + 7), -6, "overlaps x");

  memset(&d, CANARY, sizeof d);
  untouched = d;
  REFUSED(affinimathConvolutionDescriptor(NULL, AFFINIMATH_CONVOLUTION, AFFINIMATH_FULL, AFFINIMATH_SINGLE, 1, n, m),
          -1, "descriptor");
  REFUSED(affinimathConvolutionDescriptor(&d, 3, AFFINIMATH_FULL, AFFINIMATH_SINGLE, 1, n, m), -2,
          "AFFINIMATH_CORRELATION");
  REFUSED(affinimathConvolutionDescriptor(&d, AFFINIMATH_CONVOLUTION, 3, AFFINIMATH_SINGLE, 1, n, m), -3,
          "AFFINIMATH_VALID");
  REFUSED(affinimathConvolutionDescriptor(&d, AFFINIMATH_CONVOLUTION, AFFINIMATH_FULL, 3, 1, n, m), -4,
          "AFFINIMATH_DOUBLE");
  REFUSED(affinimathConvolutionDescriptor(&d, AFFINIMATH_CONVOLUTION, AFFINIMATH_FULL, AFFINIMATH_SINGLE, 4, n, m), -5,
          "rank");
  REFUSED(affinimathConvolutionDescriptor(&d, AFFINIMATH_CONVOLUTION, AFFINIMATH_FULL, AFFINIMATH_SINGLE, 1, none, m),
          -6, "axis 0");
  REFUSED(affinimathConvolutionDescriptor(&d, AFFINIMATH_CONVOLUTION, AFFINIMATH_FULL, AFFINIMATH_SINGLE, 1, n, NULL),
          -7, "kernel");
  CHECK(memcmp(&d, &untouched, sizeof d) == 0, "nothing is touched");

  CHECK(affinimathConvolutionDescriptor(&d, AFFINIMATH_CORRELATION, AFFINIMATH_VALID, AFFINIMATH_SINGLE, 2, n, m) ==
            AFFINIMATH_SUCCESS, "a descriptor");
  REFUSED(affinimathConvolutionPlanCreate(&d, &plan), -1, "its kernel");
  d.kernel[1] = 3;
  d.batch = -1;
  REFUSED(affinimathConvolutionPlanCreate(&d, &plan), -1, "its batch");
  d.batch = 1;
  REFUSED(affinimathConvolutionPlanCreate(&d, NULL), -2, "plan");
  REFUSED(affinimathConvolutionPlanCreate(NULL, &plan), -1, "descriptor");
  CHECK(plan == NULL, "there is no plan");
  CHECK(affinimathConvolutionPlanCreate(&d, &plan) == AFFINIMATH_SUCCESS, "a plan");
  REFUSED(affinimathConvolutionExecute(NULL, x, h, y), -1, "plan");
  REFUSED(affinimathConvolutionExecute(plan, NULL, h, y), -2, "signal");
  REFUSED(affinimathConvolutionExecute(plan, x, NULL, y), -3, "kernel");
  REFUSED(affinimathConvolutionExecute(plan, x, h, NULL), -4, "output");
  REFUSED(affinimathConvolutionExecute(plan, x, y, y + 8), -4, "overlaps kernel");
  CHECK(y[0] == 5, "nothing is touched");
  CHECK(affinimathConvolutionPlanDestroy(plan) == AFFINIMATH_SUCCESS, "destroy");
  CHECK(affinimathConvolutionPlanDestroy(NULL) == AFFINIMATH_SUCCESS, "no plan");

  d.batch = 0;
  CHECK(affinimathConvolutionPlanCreate(&d, &plan) == AFFINIMATH_SUCCESS, "no signals");
  CHECK(affinimathConvolutionExecute(plan, NULL, NULL, NULL) == AFFINIMATH_SUCCESS, "no pointers");
  CHECK(affinimathConvolutionPlanDestroy(plan) == AFFINIMATH_SUCCESS, "destroy");
}

enum { THREADS = 2, ROUNDS = 20 };

typedef struct worker {
  const affinimath_convolution_plan *plan;
  problem p;
  int wrong;
} worker;

static void *work(void *argument)
{
  worker *w = argument;
  for (int round = 0; round < ROUNDS; ++round) {
    w->wrong += affinimathConvolutionExecute(w->plan, w->p.x, w->p.h, w->p.y) != AFFINIMATH_SUCCESS;
  }
  return NULL;
}

static void threads(void)
{
  const affinimath_convolution_descriptor d = describe(1, AFFINIMATH_DOUBLE, 0);
  affinimath_convolution_plan *plan = NULL;
  pthread_t ids[THREADS];
  worker workers[THREADS];
  CHECK(affinimathConvolutionPlanCreate(&d, &plan) == AFFINIMATH_SUCCESS, "a plan for threads");
  for (int i = 0; i < THREADS; ++i) {
    workers[i].plan = plan;
    workers[i].wrong = 0;
    make_problem(&workers[i].p, &d);
  }
  for (int i = 0; i < THREADS; ++i) {
    CHECK(pthread_create(&ids[i], NULL, work, &workers[i]) == 0, "a thread");
  }
  for (int i = 0; i < THREADS; ++i) {
    CHECK(pthread_join(ids[i], NULL) == 0 && workers[i].wrong == 0 && right(&workers[i].p), "a thread's results");
    discard(&workers[i].p);
  }
  CHECK(affinimathConvolutionPlanDestroy(plan) == AFFINIMATH_SUCCESS, "destroy");
}

int main(void)
{
  for (int precision = AFFINIMATH_SINGLE; precision <= AFFINIMATH_DOUBLE; ++precision) {
    cases(precision, 0);
    cases(precision, 1);
  }
  wrong_arguments();
  threads();
  CHECK(affinimathShutdown() == AFFINIMATH_SUCCESS, "shutdown");
  return report("convolution_host");
}
