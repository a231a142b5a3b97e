/* Convolutions and correlations of any kind against sums of products in long double, for the tests on the host and on a
   device. C99. */

#ifndef CONVOLUTION_H
#define CONVOLUTION_H

#include <math.h>

#include "numbers.h"

/* Elements behind the last one of every operand, which nothing may touch. */
enum { BEHIND = 4, CANARY = 0x5a };

/* A descriptor, its numbers' type as a letter, and its operands. */
typedef struct problem {
  affinimath_convolution_descriptor descriptor;
  char type;
  int64_t signal, kernel, output, outputs[3];
  unsigned char *x, *h, *y;
} problem;

static int64_t numbers(int rank, const int64_t *lengths)
{
  int64_t all = 1;
  for (int axis = 0; axis < rank; ++axis) {
    all *= lengths[axis];
  }
  return all;
}

/* Index of the first result among the full ones; `count` receives how many there are. */
static int64_t start(const affinimath_convolution_descriptor *d, int axis, int64_t *count)
{
  const int64_t n = d->signal[axis], m = d->kernel[axis];
  switch (d->extent) {
  case AFFINIMATH_FULL: *count = n + m - 1; return 0;
  case AFFINIMATH_SAME: *count = n; return (m - 1) / 2;
  case AFFINIMATH_VALID: *count = (n > m ? n - m : m - n) + 1; return (n < m ? n : m) - 1;
  default: *count = n; return d->operation == AFFINIMATH_CORRELATION ? m - 1 : 0;
  }
}

static size_t bytes(const problem *p, int64_t count) { return (size_t)count * element_size(p->type); }

static void make_problem(problem *p, const affinimath_convolution_descriptor *d)
{
  p->descriptor = *d;
  p->type = "SDCZ"[(d->precision == AFFINIMATH_DOUBLE) + 2 * (d->complex_numbers != 0)];
  for (int axis = 0; axis < d->rank; ++axis) {
    start(d, axis, &p->outputs[axis]);
  }
  p->signal = d->batch * numbers(d->rank, d->signal);
  p->kernel = (d->own_kernels ? d->batch : 1) * numbers(d->rank, d->kernel);
  p->output = d->batch * numbers(d->rank, p->outputs);
  p->x = malloc(bytes(p, p->signal));
  p->h = malloc(bytes(p, p->kernel));
  p->y = malloc(bytes(p, p->output + BEHIND));
  fill(p->type, p->x, p->signal);
  fill(p->type, p->h, p->kernel);
  memset(p->y, CANARY, bytes(p, p->output + BEHIND));
}

static void discard(problem *p)
{
  free(p->x);
  free(p->h);
  free(p->y);
}

/* Result number `place` of signal `b`, and a bound of its rounding errors: a few for each radix, of the norms'
   product. */
static void expected(const problem *p, int64_t b, int64_t place, long double sum[2])
{
  const affinimath_convolution_descriptor *d = &p->descriptor;
  const int64_t n = numbers(d->rank, d->signal), m = numbers(d->rank, d->kernel);
  sum[0] = sum[1] = 0;
  for (int64_t tap = 0; tap < m; ++tap) {
    int64_t t = place, j = tap, index = 0, step = 1;
    int inside = 1;
    for (int axis = d->rank - 1; axis >= 0; --axis) {
      int64_t count;
      const int64_t first = start(d, axis, &count), length = d->signal[axis];
      int64_t turned = j % d->kernel[axis], i;
      turned = d->operation == AFFINIMATH_CORRELATION ? d->kernel[axis] - 1 - turned : turned;
      i = t % count + first - turned;
      if (d->extent == AFFINIMATH_CIRCULAR) {
        i = (i % length + length) % length;
      }
      inside = inside && i >= 0 && i < length;
      index += i * step;
      step *= length;
      t /= count;
      j /= d->kernel[axis];
    }
    if (inside) {
      const number x = get(p->type, p->x, b * n + index), h = get(p->type, p->h, (d->own_kernels ? b * m : 0) + tap);
      const long double im = d->operation == AFFINIMATH_CORRELATION ? -h.im : h.im;
      sum[0] += (long double)x.re * h.re - (long double)x.im * im;
      sum[1] += (long double)x.re * im + (long double)x.im * h.re;
    }
  }
  sum[0] *= d->scale;
  sum[1] *= d->scale;
}

static double norm(char type, const void *memory, int64_t count)
{
  double sum = 0;
  for (int64_t i = 0; i < count; ++i) {
    const number z = get(type, memory, i);
    sum += z.re * z.re + z.im * z.im;
  }
  return sqrt(sum);
}

/* True if the results are what they have to be, and nothing behind them was touched. */
static int right(const problem *p)
{
  const affinimath_convolution_descriptor *d = &p->descriptor;
  const int64_t results = numbers(d->rank, p->outputs);
  const double norms = norm(p->type, p->x, p->signal) * norm(p->type, p->h, p->kernel) * fabs(d->scale);
  const double bound = 2 * epsilon(p->type) * log2((double)(p->signal + p->kernel) + 2) * norms;
  for (int64_t i = 0; i < p->output; ++i) {
    long double sum[2];
    const number y = get(p->type, p->y, i);
    expected(p, i / results, i % results, sum);
    if (!(hypotl(y.re - sum[0], y.im - sum[1]) <= bound)) {
      return 0;
    }
  }
  for (size_t i = bytes(p, p->output); i < bytes(p, p->output + BEHIND); ++i) {
    if (p->y[i] != CANARY) {
      return 0;
    }
  }
  return 1;
}

/* Convolutions of all kinds, but for precision and numbers. */
static const affinimath_convolution_descriptor CASES[] = {
  {.operation = AFFINIMATH_CONVOLUTION, .extent = AFFINIMATH_FULL, .rank = 1, .signal = {100}, .kernel = {7},
   .batch = 1, .scale = 1},
  {.operation = AFFINIMATH_CORRELATION, .extent = AFFINIMATH_SAME, .rank = 1, .signal = {31}, .kernel = {6},
   .batch = 3, .scale = 0.5},
  {.operation = AFFINIMATH_CORRELATION, .extent = AFFINIMATH_VALID, .rank = 1, .signal = {5}, .kernel = {12},
   .batch = 2, .scale = 1},
  {.operation = AFFINIMATH_CONVOLUTION, .extent = AFFINIMATH_CIRCULAR, .rank = 1, .signal = {59}, .kernel = {59},
   .batch = 1, .scale = 1},
  {.operation = AFFINIMATH_CORRELATION, .extent = AFFINIMATH_CIRCULAR, .rank = 1, .own_kernels = 1, .signal = {20},
   .kernel = {3}, .batch = 4, .scale = 1},
  {.operation = AFFINIMATH_CONVOLUTION, .extent = AFFINIMATH_SAME, .rank = 2, .signal = {9, 10}, .kernel = {3, 4},
   .batch = 2, .scale = 1},
  {.operation = AFFINIMATH_CORRELATION, .extent = AFFINIMATH_FULL, .rank = 3, .signal = {3, 4, 5},
   .kernel = {2, 2, 3}, .batch = 1, .scale = -1},
};
enum { CASE_COUNT = sizeof CASES / sizeof *CASES };

static const char *name(const affinimath_convolution_descriptor *d)
{
  static char text[160];
  snprintf(text, sizeof text, "operation %d, extent %d, precision %d, complex %d, rank %d, n %ld, m %ld, batch %ld",
           d->operation, d->extent, d->precision, d->complex_numbers, d->rank, (long)d->signal[0], (long)d->kernel[0],
           (long)d->batch);
  return text;
}

static affinimath_convolution_descriptor describe(int number, int precision, int complex_numbers)
{
  affinimath_convolution_descriptor d = CASES[number];
  d.precision = precision;
  d.complex_numbers = complex_numbers;
  return d;
}

#define REFUSED(call, status, text) \
  CHECK((call) == (status) && strstr(affinimathLastError(), text) != NULL, #call)

#endif
