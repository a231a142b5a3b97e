/* Fourier transforms of any kind and layout against sums of products in long double, for the tests on the host and on a
   device. C99. */

#ifndef FFT_H
#define FFT_H

#include <complex.h>
#include <math.h>

#include "count.h"

typedef long double _Complex wide;

/* Elements behind the last one of every operand, which nothing may touch. */
enum { BEHIND = 4, CANARY = 0x5a, UNREAD = 0xff };

/* e^(2 pi i k / n). */
static wide root(int64_t k, int64_t n)
{
  const long double angle = 2 * 3.14159265358979323846264338327950288L * (long double)(k % n) / (long double)n;
  return cosl(angle) + sinl(angle) * (wide)I;
}

/* One term of a sum: what x_j counts for in y_k, as FFTW's documentation has it. */
static wide factor(int transform, int64_t n, int64_t j, int64_t k)
{
  switch (transform) {
  case AFFINIMATH_FORWARD: return conjl(root(j * k, n));
  case AFFINIMATH_BACKWARD: return root(j * k, n);
  case AFFINIMATH_COSINE_2: return 2 * creall(root((2 * j + 1) * k, 4 * n));
  case AFFINIMATH_COSINE_3: return j == 0 ? 1 : 2 * creall(root(j * (2 * k + 1), 4 * n));
  case AFFINIMATH_SINE_2: return 2 * cimagl(root((2 * j + 1) * (k + 1), 4 * n));
  default: return j == n - 1 ? (k % 2 == 0 ? 1 : -1) : 2 * cimagl(root((j + 1) * (2 * k + 1), 4 * n));
  }
}

static int64_t product(int rank, const int64_t *lengths)
{
  int64_t all = 1;
  for (int axis = 0; axis < rank; ++axis) {
    all *= lengths[axis];
  }
  return all;
}

/* Transforms numbers that lie row after row on every axis, by the definition. */
static void sums(int transform, int rank, const int64_t *lengths, wide *data)
{
  const int64_t all = product(rank, lengths);
  int64_t stride = all;
  for (int axis = 0; axis < rank; ++axis) {
    const int64_t n = lengths[axis];
    wide *line = malloc((size_t)n * sizeof *line);
    stride /= n;
    for (int64_t start = 0; start < all; ++start) {
      if (start / stride % n != 0) {
        continue;
      }
      for (int64_t k = 0; k < n; ++k) {
        line[k] = 0;
        for (int64_t j = 0; j < n; ++j) {
          line[k] += data[start + j * stride] * factor(transform, n, j, k);
        }
      }
      for (int64_t k = 0; k < n; ++k) {
        data[start + k * stride] = line[k];
      }
    }
    free(line);
  }
}

/* One side of a transform: its memory, and where its elements lie. */
typedef struct side {
  int real;
  int64_t sizes[3], strides[3], distance;
  /* Elements from the first to the last, and what each takes. */
  int64_t extent;
  size_t element;
  unsigned char *memory;
} side;

typedef struct problem {
  affinimath_fft_descriptor descriptor;
  side input, output;
  /* The input as it was, and how many bytes both memories have. */
  unsigned char *before;
  size_t input_bytes, output_bytes;
  /* All results, transform after transform, row after row. */
  wide *expected;
} problem;

static wide get(const problem *p, const side *s, int64_t at)
{
  if (p->descriptor.precision == AFFINIMATH_SINGLE) {
    const float *x = (const float *)s->memory;
    return s->real ? (wide)x[at] : x[2 * at] + x[2 * at + 1] * (wide)I;
  } else {
    const double *x = (const double *)s->memory;
    return s->real ? (wide)x[at] : x[2 * at] + x[2 * at + 1] * (wide)I;
  }
}

static void put(const problem *p, const side *s, int64_t at, wide value)
{
  const int64_t first = s->real ? at : 2 * at;
  for (int part = 0; part < (s->real ? 1 : 2); ++part) {
    const long double number = part == 0 ? creall(value) : cimagl(value);
    if (p->descriptor.precision == AFFINIMATH_SINGLE) {
      ((float *)s->memory)[first + part] = (float)number;
    } else {
      ((double *)s->memory)[first + part] = (double)number;
    }
  }
}

/* Repeatable numbers in [-1, 1]. */
static long double arbitrary(void)
{
  static unsigned long state = 12345;
  state = (state * 1103515245UL + 12345UL) & 0x7fffffffUL;
  return (long double)((long)((state >> 8) % 2000001UL) - 1000000L) / 1000000;
}

/* Index of a side's element, counted transform after transform and row after row. */
static int64_t place(const problem *p, const side *s, int64_t number)
{
  int64_t at = 0;
  for (int axis = p->descriptor.rank - 1; axis >= 0; --axis) {
    at += number % s->sizes[axis] * s->strides[axis];
    number /= s->sizes[axis];
  }
  return at + number * s->distance;
}

/* The layout of a side, given or row after row. `row` is how many elements there are between rows, which tells
   padding. */
static void lay_out(problem *p, side *s, const int64_t *strides, int64_t distance, int64_t row)
{
  const int rank = p->descriptor.rank;
  int given = distance != 0;
  for (int axis = 0; axis < rank; ++axis) {
    given = given || strides[axis] != 0;
  }
  int64_t next = 1;
  for (int axis = rank - 1; axis >= 0; --axis) {
    s->strides[axis] = given ? strides[axis] : next;
    next *= axis == rank - 1 ? row : s->sizes[axis];
  }
  s->distance = given ? distance : next;
  s->element = (p->descriptor.precision == AFFINIMATH_SINGLE ? 4 : 8) * (size_t)(s->real ? 1 : 2);
  s->extent = p->descriptor.batch == 0 ? 0 : place(p, s, p->descriptor.batch * product(rank, s->sizes) - 1) + 1;
}

/* Numbers for the input in its place, and what is to come of them. */
static void fill(problem *p)
{
  const affinimath_fft_descriptor *d = &p->descriptor;
  const int64_t all = product(d->rank, d->lengths), last = d->lengths[d->rank - 1];
  const int64_t read = product(d->rank, p->input.sizes), written = product(d->rank, p->output.sizes);
  wide *data = malloc((size_t)all * sizeof *data);
  if (d->transform != AFFINIMATH_COMPLEX_TO_REAL) {
    for (int64_t i = 0; i < d->batch * read; ++i) {
      put(p, &p->input, place(p, &p->input, i), arbitrary() + arbitrary() * (wide)I);
    }
  }
  for (int64_t b = 0; b < d->batch; ++b) {
    wide *expected = p->expected + b * written;
    if (d->transform == AFFINIMATH_COMPLEX_TO_REAL) {
      /* A spectrum that real numbers have: they come back, so many times as there are. */
      for (int64_t i = 0; i < all; ++i) {
        data[i] = arbitrary();
        expected[i] = data[i] * (long double)all * d->scale;
      }
      sums(AFFINIMATH_FORWARD, d->rank, d->lengths, data);
      for (int64_t i = 0; i < read; ++i) {
        const int64_t half = last / 2 + 1;
        put(p, &p->input, place(p, &p->input, b * read + i), data[i / half * last + i % half]);
      }
      continue;
    }
    for (int64_t i = 0; i < all; ++i) {
      data[i] = get(p, &p->input, place(p, &p->input, b * read + i));
    }
    sums(d->transform == AFFINIMATH_REAL_TO_COMPLEX ? AFFINIMATH_FORWARD : d->transform, d->rank, d->lengths, data);
    for (int64_t i = 0; i < written; ++i) {
      const int64_t row = p->output.sizes[d->rank - 1];
      expected[i] = data[i / row * last + i % row] * d->scale;
    }
  }
  free(data);
}

/* Makes the operands of a transform. What is not read is NaN. */
static void make(problem *p, const affinimath_fft_descriptor *descriptor)
{
  const affinimath_fft_descriptor *d = &p->descriptor;
  const int last = descriptor->rank - 1;
  const int64_t n = descriptor->lengths[last], half = n / 2 + 1;
  p->descriptor = *descriptor;
  memcpy(p->input.sizes, d->lengths, sizeof d->lengths);
  memcpy(p->output.sizes, d->lengths, sizeof d->lengths);
  p->input.real = d->transform >= AFFINIMATH_COSINE_2 || d->transform == AFFINIMATH_REAL_TO_COMPLEX;
  p->output.real = d->transform >= AFFINIMATH_COSINE_2 || d->transform == AFFINIMATH_COMPLEX_TO_REAL;
  if (p->input.real != p->output.real) {
    (p->input.real ? &p->output : &p->input)->sizes[last] = half;
  }
  const int padded = d->in_place && p->input.real != p->output.real;
  lay_out(p, &p->input, d->input_strides, d->input_distance,
          padded && p->input.real ? 2 * half : p->input.sizes[last]);
  lay_out(p, &p->output, d->output_strides, d->output_distance,
          padded && p->output.real ? 2 * half : p->output.sizes[last]);
  p->input_bytes = (size_t)(p->input.extent + BEHIND) * p->input.element;
  p->output_bytes = (size_t)(p->output.extent + BEHIND) * p->output.element;
  if (d->in_place) {
    p->input_bytes = p->output_bytes = p->input_bytes > p->output_bytes ? p->input_bytes : p->output_bytes;
  }
  p->input.memory = malloc(p->input_bytes);
  p->output.memory = d->in_place ? p->input.memory : malloc(p->output_bytes);
  p->before = malloc(p->input_bytes);
  p->expected = malloc((size_t)(d->batch * product(d->rank, p->output.sizes) + 1) * sizeof *p->expected);
  memset(p->output.memory, CANARY, p->output_bytes);
  memset(p->input.memory, UNREAD, p->input_bytes);
  fill(p);
  memcpy(p->before, p->input.memory, p->input_bytes);
}

static void discard(problem *p)
{
  if (p->output.memory != p->input.memory) {
    free(p->output.memory);
  }
  free(p->input.memory);
  free(p->before);
  free(p->expected);
}

/* True if the results are right, and nothing besides has changed.
 *
 * Higham, Accuracy and Stability of Numerical Algorithms, theorem 24.2: the error's norm is at most about 6.7 u log2 N
 * times the result's, where u = eps / 2; eps for what rounds once, such as a scale. */
static int right(const problem *p)
{
  const affinimath_fft_descriptor *d = &p->descriptor;
  const int64_t count = d->batch * product(d->rank, p->output.sizes);
  const long double eps = d->precision == AFFINIMATH_SINGLE ? 1.1920928955078125e-07L : 2.220446049250313e-16L;
  const long double levels = 1 + log2l((long double)product(d->rank, d->lengths));
  long double error = 0, norm = 0;
  unsigned char *written = calloc(p->output_bytes, 1);
  int touched = 0;
  for (int64_t i = 0; i < count; ++i) {
    const int64_t at = place(p, &p->output, i);
    const wide difference = get(p, &p->output, at) - p->expected[i];
    error += creall(difference * conjl(difference));
    norm += creall(p->expected[i] * conjl(p->expected[i]));
    memset(written + (size_t)at * p->output.element, 1, p->output.element);
  }
  if (!d->in_place) {
    for (size_t i = 0; i < p->output_bytes; ++i) {
      touched = touched || (!written[i] && p->output.memory[i] != CANARY);
    }
    touched = touched || memcmp(p->before, p->input.memory, p->input_bytes) != 0;
  } else {
    const size_t from = (size_t)p->input.extent * p->input.element, to = (size_t)p->output.extent * p->output.element;
    const size_t pair = d->precision == AFFINIMATH_SINGLE ? 8 : 16, end = from > to ? from : to;
    for (size_t i = (end + pair - 1) / pair * pair; i < p->output_bytes; ++i) {
      touched = touched || p->output.memory[i] != p->before[i];
    }
  }
  free(written);
  /* A NaN makes this false. */
  return !touched && sqrtl(error) <= 4 * eps * levels * sqrtl(norm);
}

/* Transforms of every kind, to be taken in both precisions: the last six members may be left out, for one transform
   that lies row after row, whose results are not multiplied. */
typedef struct layout {
  int transform, rank;
  int64_t lengths[3];
  int in_place;
  int64_t batch;
  int64_t input_strides[3], input_distance, output_strides[3], output_distance;
  double scale;
} layout;

static const layout LAYOUTS[] = {
    {.transform = AFFINIMATH_FORWARD, .rank = 1, .lengths = {1}},
    {.transform = AFFINIMATH_FORWARD, .rank = 1, .lengths = {8}},
    {.transform = AFFINIMATH_BACKWARD, .rank = 1, .lengths = {60}, .scale = 1.0 / 60},
    {.transform = AFFINIMATH_FORWARD, .rank = 1, .lengths = {97}},
    {.transform = AFFINIMATH_BACKWARD, .rank = 1, .lengths = {384}},
    /* Batches: close together, none at all, of the columns of a matrix, and windows that overlap. */
    {.transform = AFFINIMATH_FORWARD, .rank = 1, .lengths = {12}, .batch = 5},
    {.transform = AFFINIMATH_FORWARD, .rank = 1, .lengths = {12}, .batch = -1},
    {.transform = AFFINIMATH_FORWARD,
     .rank = 1,
     .lengths = {16},
     .batch = 3,
     .input_strides = {3},
     .input_distance = 1,
     .output_strides = {1},
     .output_distance = 17},
    {.transform = AFFINIMATH_BACKWARD,
     .rank = 1,
     .lengths = {10},
     .batch = 2,
     .input_strides = {2},
     .input_distance = 25,
     .output_strides = {3},
     .output_distance = 1},
    {.transform = AFFINIMATH_FORWARD, .rank = 1, .lengths = {8}, .batch = 4, .input_strides = {1}, .input_distance = 2},
    /* Two and three dimensions, with longer rows, and transposed. */
    {.transform = AFFINIMATH_FORWARD, .rank = 2, .lengths = {6, 10}},
    {.transform = AFFINIMATH_FORWARD, .rank = 2, .lengths = {4, 6}, .input_strides = {8, 1}, .output_strides = {1, 5}},
    {.transform = AFFINIMATH_BACKWARD, .rank = 3, .lengths = {3, 4, 5}, .batch = 2, .scale = -0.5},
    /* In place. */
    {.transform = AFFINIMATH_FORWARD, .rank = 1, .lengths = {30}, .batch = 2, .in_place = 1},
    {.transform = AFFINIMATH_BACKWARD, .rank = 2, .lengths = {4, 6}, .in_place = 1},
    {.transform = AFFINIMATH_FORWARD,
     .rank = 1,
     .lengths = {9},
     .batch = 3,
     .in_place = 1,
     .input_strides = {3},
     .input_distance = 1,
     .output_strides = {3},
     .output_distance = 1},
    /* Real numbers. */
    {.transform = AFFINIMATH_REAL_TO_COMPLEX, .rank = 1, .lengths = {1}},
    {.transform = AFFINIMATH_REAL_TO_COMPLEX, .rank = 1, .lengths = {9}},
    {.transform = AFFINIMATH_REAL_TO_COMPLEX, .rank = 1, .lengths = {16}, .batch = 3, .scale = -2.5},
    {.transform = AFFINIMATH_REAL_TO_COMPLEX, .rank = 2, .lengths = {6, 7}},
    {.transform = AFFINIMATH_REAL_TO_COMPLEX, .rank = 3, .lengths = {2, 3, 4}},
    {.transform = AFFINIMATH_REAL_TO_COMPLEX,
     .rank = 1,
     .lengths = {14},
     .batch = 2,
     .input_strides = {2},
     .input_distance = 29,
     .output_strides = {3},
     .output_distance = 1},
    {.transform = AFFINIMATH_REAL_TO_COMPLEX, .rank = 1, .lengths = {9}, .batch = 2, .in_place = 1},
    {.transform = AFFINIMATH_REAL_TO_COMPLEX, .rank = 2, .lengths = {4, 6}, .in_place = 1},
    {.transform = AFFINIMATH_COMPLEX_TO_REAL, .rank = 1, .lengths = {9}},
    {.transform = AFFINIMATH_COMPLEX_TO_REAL, .rank = 1, .lengths = {16}, .batch = 3, .scale = 0.0625},
    {.transform = AFFINIMATH_COMPLEX_TO_REAL, .rank = 2, .lengths = {6, 7}},
    {.transform = AFFINIMATH_COMPLEX_TO_REAL, .rank = 3, .lengths = {2, 3, 5}},
    {.transform = AFFINIMATH_COMPLEX_TO_REAL, .rank = 2, .lengths = {4, 7}, .in_place = 1},
    /* Cosines and sines. */
    {.transform = AFFINIMATH_COSINE_2, .rank = 1, .lengths = {8}},
    {.transform = AFFINIMATH_COSINE_2, .rank = 1, .lengths = {7}, .batch = 3, .input_strides = {3},
     .input_distance = 1},
    {.transform = AFFINIMATH_COSINE_3, .rank = 2, .lengths = {4, 6}},
    {.transform = AFFINIMATH_SINE_2, .rank = 1, .lengths = {9}, .in_place = 1},
    {.transform = AFFINIMATH_SINE_3, .rank = 1, .lengths = {10}, .batch = 3, .scale = 0.05},
};

enum { LAYOUT_COUNT = sizeof LAYOUTS / sizeof LAYOUTS[0] };

static affinimath_fft_descriptor describe(const layout *given, int precision)
{
  affinimath_fft_descriptor d;
  CHECK(affinimathFftDescriptor(&d, given->transform, precision, given->rank, given->lengths) == AFFINIMATH_SUCCESS,
        "a descriptor");
  CHECK(d.batch == 1 && d.scale == 1 && !d.in_place && d.input_distance == 0, "a descriptor's defaults");
  d.in_place = given->in_place;
  d.batch = given->batch == 0 ? 1 : given->batch < 0 ? 0 : given->batch;
  d.scale = given->scale == 0 ? 1 : given->scale;
  memcpy(d.input_strides, given->input_strides, sizeof d.input_strides);
  memcpy(d.output_strides, given->output_strides, sizeof d.output_strides);
  d.input_distance = given->input_distance;
  d.output_distance = given->output_distance;
  return d;
}

/* Description of a transform in failed checks. */
static const char *name(const affinimath_fft_descriptor *d)
{
  static char text[160];
  snprintf(text, sizeof text, "transform %d, precision %d, rank %d, %ld x %ld x %ld, batch %ld%s", d->transform,
           d->precision, d->rank, (long)d->lengths[0], (long)d->lengths[1], (long)d->lengths[2], (long)d->batch,
           d->in_place ? ", in place" : "");
  return text;
}

/* The cases of the functions without a plan, in the order of their names: fft (both ways), fftMany, rfft, irfft, fft2,
   rfft2, irfft2. */
static const layout ONE_SHOTS[] = {
    {.transform = AFFINIMATH_FORWARD, .rank = 1, .lengths = {15}},
    {.transform = AFFINIMATH_BACKWARD, .rank = 1, .lengths = {16}},
    {.transform = AFFINIMATH_FORWARD, .rank = 1, .lengths = {11}, .batch = 4},
    {.transform = AFFINIMATH_REAL_TO_COMPLEX, .rank = 1, .lengths = {21}},
    {.transform = AFFINIMATH_COMPLEX_TO_REAL, .rank = 1, .lengths = {20}},
    {.transform = AFFINIMATH_BACKWARD, .rank = 2, .lengths = {5, 8}},
    {.transform = AFFINIMATH_REAL_TO_COMPLEX, .rank = 2, .lengths = {4, 9}},
    {.transform = AFFINIMATH_COMPLEX_TO_REAL, .rank = 2, .lengths = {3, 10}},
};

enum { ONE_SHOT_COUNT = sizeof ONE_SHOTS / sizeof ONE_SHOTS[0] };

#endif
