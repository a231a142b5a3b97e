/* Fourier transforms with host pointers: functions without a plan, and plans, against their definition. C99. */

#include <pthread.h>

#include "fft.h"

static int one_shot(problem *p)
{
  const affinimath_fft_descriptor *d = &p->descriptor;
  const int single = d->precision == AFFINIMATH_SINGLE;
  const int64_t m = d->lengths[0], n = d->lengths[d->rank - 1];
  const void *x = p->input.memory;
  void *y = p->output.memory;
  if (d->transform == AFFINIMATH_REAL_TO_COMPLEX) {
    if (d->rank == 2) {
      return single ? affinimathSrfft2(m, n, x, y) : affinimathDrfft2(m, n, x, y);
    }
    return single ? affinimathSrfft(n, x, y) : affinimathDrfft(n, x, y);
  }
  if (d->transform == AFFINIMATH_COMPLEX_TO_REAL) {
    if (d->rank == 2) {
      return single ? affinimathSirfft2(m, n, x, y) : affinimathDirfft2(m, n, x, y);
    }
    return single ? affinimathSirfft(n, x, y) : affinimathDirfft(n, x, y);
  }
  if (d->rank == 2) {
    return single ? affinimathCfft2(d->transform, m, n, x, y) : affinimathZfft2(d->transform, m, n, x, y);
  }
  if (d->batch > 1) {
    return single ? affinimathCfftMany(d->transform, n, d->batch, x, y)
                  : affinimathZfftMany(d->transform, n, d->batch, x, y);
  }
  return single ? affinimathCfft(d->transform, n, x, y) : affinimathZfft(d->transform, n, x, y);
}

static void one_shots(int precision)
{
  for (int i = 0; i < ONE_SHOT_COUNT; ++i) {
    const affinimath_fft_descriptor d = describe(&ONE_SHOTS[i], precision);
    problem p;
    make(&p, &d);
    /* The second time with the plan that was kept. */
    for (int round = 0; round < 2; ++round) {
      CHECK(one_shot(&p) == AFFINIMATH_SUCCESS, name(&d));
      CHECK(right(&p), name(&d));
    }
    discard(&p);
  }
}

static void plans(int precision)
{
  for (int i = 0; i < LAYOUT_COUNT; ++i) {
    const affinimath_fft_descriptor d = describe(&LAYOUTS[i], precision);
    affinimath_fft_plan *plan = NULL;
    problem p;
    make(&p, &d);
    CHECK(affinimathFftPlanCreate(&d, &plan) == AFFINIMATH_SUCCESS && plan != NULL, name(&d));
    CHECK(affinimathFftExecute(plan, p.input.memory, p.output.memory) == AFFINIMATH_SUCCESS, name(&d));
    CHECK(right(&p), name(&d));
    CHECK(affinimathFftPlanDestroy(plan) == AFFINIMATH_SUCCESS, name(&d));
    discard(&p);
  }
}

#define REFUSED(call, status, text) \
  CHECK((call) == (status) && strstr(affinimathLastError(), text) != NULL, #call)

static void wrong_one_shots(void)
{
  affinimath_c32 x[8] = {{1, 2}}, y[8] = {{3, 4}};
  float r[16] = {5};
  REFUSED(affinimathCfft(0, 4, x, y), -1, "direction");
  REFUSED(affinimathCfft(AFFINIMATH_REAL_TO_COMPLEX, 4, x, y), -1, "AFFINIMATH_FORWARD (-1)");
  REFUSED(affinimathCfft(AFFINIMATH_FORWARD, 0, x, y), -2, "argument n: 0 is less than 1");
  REFUSED(affinimathCfft(AFFINIMATH_FORWARD, -3, x, y), -2, "-3");
  REFUSED(affinimathCfft(AFFINIMATH_FORWARD, INT64_MAX / 2, x, y), -2, "address space");
  REFUSED(affinimathCfft(AFFINIMATH_FORWARD, 4, NULL, y), -3, "x");
  REFUSED(affinimathCfft(AFFINIMATH_FORWARD, 4, x, NULL), -4, "y");
  REFUSED(affinimathCfft(AFFINIMATH_FORWARD, 4, x, x), -4, "overlaps x");
  REFUSED(affinimathCfft(AFFINIMATH_FORWARD, 4, x, x + 3), -4, "overlaps x");
  REFUSED(affinimathCfft(AFFINIMATH_FORWARD, 4, x + 3, x), -4, "overlaps x");
  REFUSED(affinimathCfftMany(2, 4, 2, x, y), -1, "direction");
  REFUSED(affinimathCfftMany(1, 0, 2, x, y), -2, "argument n");
  REFUSED(affinimathCfftMany(1, 4, -1, x, y), -3, "batch");
  REFUSED(affinimathCfftMany(1, 4, 2, NULL, y), -4, "x");
  REFUSED(affinimathCfftMany(1, 4, 2, x, NULL), -5, "y");
  REFUSED(affinimathSrfft(0, r, y), -1, "argument n");
  REFUSED(affinimathSrfft(4, NULL, y), -2, "x");
  REFUSED(affinimathSrfft(4, r, NULL), -3, "y");
  REFUSED(affinimathSrfft(4, (const float *)y, y), -3, "overlaps x");
  REFUSED(affinimathSirfft(0, x, r), -1, "argument n");
  REFUSED(affinimathSirfft(4, NULL, r), -2, "x");
  REFUSED(affinimathSirfft(4, x, NULL), -3, "y");
  REFUSED(affinimathCfft2(0, 2, 2, x, y), -1, "direction");
  REFUSED(affinimathCfft2(1, 0, 2, x, y), -2, "argument m");
  REFUSED(affinimathCfft2(1, 2, 0, x, y), -3, "argument n");
  REFUSED(affinimathCfft2(1, 2, 2, NULL, y), -4, "x");
  REFUSED(affinimathCfft2(1, 2, 2, x, NULL), -5, "y");
  REFUSED(affinimathSrfft2(0, 2, r, y), -1, "argument m");
  REFUSED(affinimathSrfft2(2, 0, r, y), -2, "argument n");
  REFUSED(affinimathSrfft2(2, 2, NULL, y), -3, "x");
  REFUSED(affinimathSirfft2(2, 2, x, NULL), -4, "y");
  CHECK(x[0].re == 1 && y[0].re == 3 && r[0] == 5, "nothing is touched");
  CHECK(affinimathCfftMany(1, 4, 0, NULL, NULL) == AFFINIMATH_SUCCESS, "a batch of none");
  CHECK(affinimathCfft(1, 4, x, x + 4) == AFFINIMATH_SUCCESS, "neighbours do not overlap");
}

static void wrong_descriptors(void)
{
  const int64_t lengths[3] = {4, 6, 2}, none[3] = {4, 0, 2};
  affinimath_fft_descriptor d, good;
  affinimath_fft_plan *plan = NULL;
  memset(&d, CANARY, sizeof d);
  good = d;
  REFUSED(affinimathFftDescriptor(NULL, -1, AFFINIMATH_SINGLE, 1, lengths), -1, "descriptor");
  REFUSED(affinimathFftDescriptor(&d, 0, AFFINIMATH_SINGLE, 1, lengths), -2, "transform");
  REFUSED(affinimathFftDescriptor(&d, -1, 0, 1, lengths), -3, "precision");
  REFUSED(affinimathFftDescriptor(&d, -1, AFFINIMATH_SINGLE, 0, lengths), -4, "not of 0");
  REFUSED(affinimathFftDescriptor(&d, -1, AFFINIMATH_SINGLE, 4, lengths), -4, "not of 4");
  REFUSED(affinimathFftDescriptor(&d, -1, AFFINIMATH_SINGLE, 1, NULL), -5, "lengths");
  REFUSED(affinimathFftDescriptor(&d, -1, AFFINIMATH_SINGLE, 2, none), -5, "axis 1 is 0");
  CHECK(memcmp(&d, &good, sizeof d) == 0, "nothing is touched");
  CHECK(affinimathFftDescriptor(&good, AFFINIMATH_FORWARD, AFFINIMATH_SINGLE, 2, lengths) == AFFINIMATH_SUCCESS,
        "good");

  REFUSED(affinimathFftPlanCreate(NULL, &plan), -1, "descriptor");
  REFUSED(affinimathFftPlanCreate(&good, NULL), -2, "plan");
#define WRONG(change, text)                             \
  do {                                                  \
    d = good;                                           \
    change;                                             \
    REFUSED(affinimathFftPlanCreate(&d, &plan), -1, text); \
  } while (0)
  WRONG(memset(&d, 0, sizeof d), "its transform: 0 is not");
  WRONG(d.precision = 213, "its precision: 213");
  WRONG(d.rank = -1, "its rank");
  WRONG(d.lengths[1] = 0, "its lengths: that of axis 1 is 0");
  WRONG(d.lengths[0] = -2, "its lengths: -2 is negative");
  WRONG(d.lengths[0] = INT64_MAX / 4, "address space");
  WRONG(d.batch = -1, "its batch");
  WRONG(d.input_strides[0] = -1, "its input_strides: -1 is negative");
  WRONG(d.output_distance = -1, "its output_distance");
  WRONG(d.scale = INFINITY, "its scale");
  WRONG((d.output_strides[0] = 6, d.output_strides[1] = 2), "its output: elements overlap");
  WRONG((d.in_place = 1, d.input_strides[0] = 7, d.input_strides[1] = 1), "in place");
#undef WRONG
  CHECK(plan == NULL, "no plan was made");
}

static void wrong_executions(void)
{
  const int64_t length = 6;
  affinimath_fft_descriptor d;
  affinimath_fft_plan *plan = NULL, *in_place = NULL, *empty = NULL;
  double x[16] = {1, 2, 3}, y[16] = {7};
  int64_t bytes = -5;
  affinimathFftDescriptor(&d, AFFINIMATH_REAL_TO_COMPLEX, AFFINIMATH_DOUBLE, 1, &length);
  CHECK(affinimathFftPlanCreate(&d, &plan) == AFFINIMATH_SUCCESS, "a plan");
  d.in_place = 1;
  CHECK(affinimathFftPlanCreate(&d, &in_place) == AFFINIMATH_SUCCESS, "a plan in place");
  d.batch = 0;
  CHECK(affinimathFftPlanCreate(&d, &empty) == AFFINIMATH_SUCCESS, "a plan of nothing");
  REFUSED(affinimathFftExecute(NULL, x, y), -1, "plan");
  REFUSED(affinimathFftExecute(plan, NULL, y), -2, "input");
  REFUSED(affinimathFftExecute(plan, x, NULL), -3, "output");
  REFUSED(affinimathFftExecute(plan, x, x), -3, "overlaps input");
  REFUSED(affinimathFftExecute(plan, x, x + 5), -3, "overlaps input");
  REFUSED(affinimathFftExecute(plan, x + 7, x), -3, "overlaps input");
  REFUSED(affinimathFftExecute(in_place, x, y), -3, "is not input");
  REFUSED(affinimathFftExecute(in_place, NULL, y), -2, "input");
  REFUSED(affinimathFftExecute(in_place, x, NULL), -3, "output");
  REFUSED(affinimathFftScratchBytes(NULL, NULL, &bytes), -1, "plan");
  REFUSED(affinimathFftScratchBytes(plan, NULL, &bytes), -2, "queue");
  REFUSED(affinimathFftExecuteCL(NULL, NULL, NULL, 0, NULL, 0, NULL, NULL), -1, "plan");
  REFUSED(affinimathFftExecuteCL(plan, NULL, NULL, 0, NULL, 0, NULL, NULL), -2, "queue");
  CHECK(x[0] == 1 && y[0] == 7 && bytes == -5, "nothing is touched");
  CHECK(affinimathFftExecute(plan, x, x + 6) == AFFINIMATH_SUCCESS, "neighbours do not overlap");
  CHECK(affinimathFftExecute(empty, NULL, NULL) == AFFINIMATH_SUCCESS, "a batch of none");
  CHECK(affinimathFftPlanDestroy(plan) == AFFINIMATH_SUCCESS, "destroy");
  CHECK(affinimathFftPlanDestroy(in_place) == AFFINIMATH_SUCCESS, "destroy");
  CHECK(affinimathFftPlanDestroy(empty) == AFFINIMATH_SUCCESS, "destroy");
  CHECK(affinimathFftPlanDestroy(NULL) == AFFINIMATH_SUCCESS, "destroy nothing");
}

enum { THREADS = 2, ROUNDS = 50 };

typedef struct worker {
  const affinimath_fft_plan *plan;
  problem planned, shot;
  int wrong;
} worker;

/* The plan that both threads have, and sizes that both plan at once. */
static void *work(void *argument)
{
  worker *w = argument;
  for (int round = 0; round < ROUNDS; ++round) {
    w->wrong += affinimathFftExecute(w->plan, w->planned.input.memory, w->planned.output.memory) != AFFINIMATH_SUCCESS;
    w->wrong += !right(&w->planned);
    w->wrong += one_shot(&w->shot) != AFFINIMATH_SUCCESS;
    w->wrong += !right(&w->shot);
  }
  return NULL;
}

static void threads(void)
{
  static const layout PLANNED = {.transform = AFFINIMATH_BACKWARD, .rank = 1, .lengths = {59}, .batch = 3};
  static const layout SHOT = {.transform = AFFINIMATH_FORWARD, .rank = 1, .lengths = {77}};
  const affinimath_fft_descriptor planned = describe(&PLANNED, AFFINIMATH_DOUBLE),
                                  shot = describe(&SHOT, AFFINIMATH_SINGLE);
  affinimath_fft_plan *plan = NULL;
  pthread_t threads[THREADS];
  worker workers[THREADS];
  CHECK(affinimathFftPlanCreate(&planned, &plan) == AFFINIMATH_SUCCESS, "a plan for threads");
  for (int i = 0; i < THREADS; ++i) {
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
    discard(&workers[i].planned);
    discard(&workers[i].shot);
  }
  CHECK(affinimathFftPlanDestroy(plan) == AFFINIMATH_SUCCESS, "destroy");
}

int main(void)
{
  for (int precision = AFFINIMATH_SINGLE; precision <= AFFINIMATH_DOUBLE; ++precision) {
    one_shots(precision);
    plans(precision);
  }
  wrong_one_shots();
  wrong_descriptors();
  wrong_executions();
  threads();
  CHECK(affinimathShutdown() == AFFINIMATH_SUCCESS, "shutdown");
  one_shots(AFFINIMATH_DOUBLE);
  return report("fft_host");
}
