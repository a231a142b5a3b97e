/* What FFTW's manual promises, over the drop-in: definitions of all kinds, null plans, in-place layouts, many threads
   with one plan, wisdom, and memory. Built with FFTW's header. */
#define _GNU_SOURCE
#include <complex.h>
#include <fftw3.h>
#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int checks, failures;

#define CHECK(condition)                                                            \
  do {                                                                              \
    checks++;                                                                       \
    if (!(condition)) failures++, fprintf(stderr, "line %d: %s\n", __LINE__, #condition); \
  } while (0)

/* A repeatable number in [-1/2, 1/2). */
static double value(size_t i) {
  return (double)((i * 2654435761u + 12345u) % 1000003u) / 1000003.0 - 0.5;
}

/* The definitions of FFTW's manual. */
static double defined(int kind, int n, const double *x, int k) {
  const long double pi = acosl(-1.0L);
  long double sum = 0;
  for (int j = 0; j < n; j++) {
    long double v = x[j], w = 0, ends = k % 2 ? -1 : 1;
    long double turn = 2 * pi * (long double)((long)j * k % n) / n;
    switch (kind) {
    case FFTW_R2HC: w = k <= n / 2 ? cosl(turn) : -sinl(2 * pi * (long double)((long)j * (n - k) % n) / n); break;
    case FFTW_HC2R:
      w = j == 0 ? 1 : 2 * j == n ? cosl(pi * k) : j < (n + 1) / 2 ? 2 * cosl(turn)
          : -2 * sinl(2 * pi * (long double)((long)(n - j) * k % n) / n);
      break;
    case FFTW_DHT: w = cosl(turn) + sinl(turn); break;
    case FFTW_REDFT00: w = j == 0 ? 1 : j == n - 1 ? ends : 2 * cosl(pi * j * k / (n - 1)); break;
    case FFTW_REDFT10: w = 2 * cosl(pi * (j + 0.5L) * k / n); break;
    case FFTW_REDFT01: w = j == 0 ? 1 : 2 * cosl(pi * j * (k + 0.5L) / n); break;
    case FFTW_REDFT11: w = 2 * cosl(pi * (j + 0.5L) * (k + 0.5L) / n); break;
    case FFTW_RODFT00: w = 2 * sinl(pi * (j + 1) * (k + 1) / (n + 1)); break;
    case FFTW_RODFT10: w = 2 * sinl(pi * (j + 0.5L) * (k + 1) / n); break;
    case FFTW_RODFT01: w = j == n - 1 ? ends : 2 * sinl(pi * (j + 1) * (k + 0.5L) / n); break;
    default: w = 2 * sinl(pi * (j + 0.5L) * (k + 0.5L) / n);
    }
    sum += v * w;
  }
  return (double)sum;
}

static void definitions(void) {
  double x[80], y[80];
  float xs[80], ys[80];
  for (int kind = 0; kind <= 10; kind++) {
    for (int n = kind == FFTW_REDFT00 ? 2 : 1; n <= 72; n++) {
      fftw_plan p = fftw_plan_r2r_1d(n, x, y, (fftw_r2r_kind)kind, FFTW_ESTIMATE);
      fftwf_plan ps = fftwf_plan_r2r_1d(n, xs, ys, (fftwf_r2r_kind)kind, FFTW_MEASURE);
      CHECK(p && ps);
      if (!p || !ps) continue;
      for (int i = 0; i < n; i++) xs[i] = (float)value(i + n), x[i] = xs[i];
      fftw_execute(p);
      fftwf_execute(ps);
      double difference = 0, single = 0, norm = 0;
      for (int k = 0; k < n; k++) {
        double exact = defined(kind, n, x, k);
        difference += pow(y[k] - exact, 2), single += pow(ys[k] - exact, 2), norm += exact * exact;
      }
      double bound = 4 * sqrt(1 + log2(n + 1));
      CHECK(sqrt(difference / norm) < bound * 2.3e-16);
      CHECK(sqrt(single / norm) < bound * 1.2e-7);
      fftw_destroy_plan(p);
      fftwf_destroy_plan(ps);
    }
  }
}

static void null_plans(void) {
  fftw_complex z[64] = {0};
  double x[64] = {0};
  int n[2] = {4, 4}, zero[2] = {4, 0};
  fftw_r2r_kind bad[2] = {FFTW_DHT, (fftw_r2r_kind)11};
  fftw_iodim dim = {0, 1, 1};
  CHECK(!fftw_plan_dft_1d(0, z, z, FFTW_FORWARD, FFTW_ESTIMATE));
  CHECK(!fftw_plan_dft_1d(-3, z, z, FFTW_FORWARD, FFTW_ESTIMATE));
  CHECK(!fftw_plan_dft(-1, n, z, z, FFTW_FORWARD, FFTW_ESTIMATE));
  CHECK(!fftw_plan_dft(2, zero, z, z, FFTW_FORWARD, FFTW_ESTIMATE));
  CHECK(!fftw_plan_many_dft(2, n, -1, z, NULL, 1, 16, z, NULL, 1, 16, FFTW_FORWARD, FFTW_ESTIMATE));
  CHECK(!fftw_plan_r2r_1d(1, x, x, FFTW_REDFT00, FFTW_ESTIMATE));
  CHECK(!fftw_plan_r2r(2, n, x, x, bad, FFTW_ESTIMATE));
  CHECK(!fftw_plan_guru_dft(1, &dim, 0, NULL, z, z, FFTW_FORWARD, FFTW_ESTIMATE));
  CHECK(!fftw_plan_guru_dft(INT_MAX, NULL, 0, NULL, z, z, FFTW_FORWARD, FFTW_ESTIMATE));
  CHECK(!fftw_plan_dft_c2r(2, n, z, x, FFTW_ESTIMATE | FFTW_PRESERVE_INPUT));
  fftw_iodim64 far[3] = {{PTRDIFF_MAX / 2, 1, 1}, {PTRDIFF_MAX / 2, 0, 0}, {4, PTRDIFF_MAX / 2, 1}};
  CHECK(!fftw_plan_guru64_dft(1, far, 1, &far[1], z, z, FFTW_FORWARD, FFTW_ESTIMATE));
  CHECK(!fftw_plan_guru64_dft(1, &far[2], 0, NULL, z, z, FFTW_FORWARD, FFTW_ESTIMATE));
  fftw_plan p = fftw_plan_dft_c2r_1d(16, z, x, FFTW_ESTIMATE | FFTW_PRESERVE_INPUT);
  CHECK(p);
  fftw_destroy_plan(p);
  fftw_destroy_plan(NULL);
  /* No transforms, and no loop: plans that do nothing. */
  z[0] = 7;
  p = fftw_plan_many_dft(2, n, 0, z, NULL, 1, 16, z, NULL, 1, 16, FFTW_FORWARD, FFTW_ESTIMATE);
  CHECK(p);
  fftw_execute(p);
  fftw_destroy_plan(p);
  dim.n = 4;
  p = fftw_plan_guru_dft(1, &dim, INT_MAX, NULL, z, z, FFTW_FORWARD, FFTW_ESTIMATE);
  CHECK(p);
  fftw_execute(p);
  CHECK(z[0] == 7);
  fftw_destroy_plan(p);
}

/* Rank 0 in place is a transposition; so is a transform whose results go to transposed places. */
static void transpositions(void) {
  enum { ROWS = 7, COLUMNS = 12, ALL = ROWS * COLUMNS };
  double x[ALL];
  fftw_iodim loops[2] = {{ROWS, COLUMNS, 1}, {COLUMNS, 1, ROWS}};
  fftw_plan p = fftw_plan_guru_r2r(0, NULL, 2, loops, x, x, NULL, FFTW_ESTIMATE);
  CHECK(p);
  for (int i = 0; i < ALL; i++) x[i] = i;
  fftw_execute(p);
  int right = 1;
  for (int i = 0; i < ROWS; i++)
    for (int j = 0; j < COLUMNS; j++) right &= x[j * ROWS + i] == i * COLUMNS + j;
  CHECK(right);
  fftw_destroy_plan(p);

  fftw_complex z[ALL], y[ALL], t[ALL];
  for (int i = 0; i < ALL; i++) z[i] = y[i] = value(i) + I * value(i + 1000);
  fftw_iodim dim = {COLUMNS, 1, ROWS}, loop = {ROWS, COLUMNS, 1};
  fftw_plan in_place = fftw_plan_guru_dft(1, &dim, 1, &loop, z, z, FFTW_BACKWARD, FFTW_ESTIMATE);
  fftw_plan out = fftw_plan_guru_dft(1, &dim, 1, &loop, y, t, FFTW_BACKWARD, FFTW_ESTIMATE);
  CHECK(in_place && out);
  fftw_execute(in_place);
  fftw_execute(out);
  CHECK(!memcmp(z, t, sizeof z));
  fftw_destroy_plan(in_place);
  fftw_destroy_plan(out);
}

enum { THREADS = 24, ROUNDS = 40, N0 = 30, N1 = 37, POINTS = N0 * N1 };
static fftw_plan shared_plan;
static fftw_complex expected[POINTS];

static void *execute_often(void *wrong) {
  fftw_complex *in = fftw_alloc_complex(POINTS), *out = fftw_alloc_complex(POINTS);
  for (int i = 0; i < POINTS; i++) in[i] = value(i) - I * value(i + 7);
  for (int round = 0; round < ROUNDS; round++) {
    memset(out, 0, sizeof expected);
    fftw_execute_dft(shared_plan, in, out);
    if (memcmp(out, expected, sizeof expected)) *(int *)wrong = 1;
  }
  fftw_free(in);
  fftw_free(out);
  return NULL;
}

static void threads(void) {
  fftw_complex in[POINTS];
  for (int i = 0; i < POINTS; i++) in[i] = value(i) - I * value(i + 7);
  shared_plan = fftw_plan_dft_2d(N0, N1, in, expected, FFTW_FORWARD, FFTW_ESTIMATE);
  fftw_plan copy = shared_plan;
  CHECK(copy);
  fftw_execute(copy);
  pthread_t running[THREADS];
  int wrong[THREADS] = {0};
  for (int i = 0; i < THREADS; i++) pthread_create(&running[i], NULL, execute_often, &wrong[i]);
  for (int i = 0; i < THREADS; i++) {
    pthread_join(running[i], NULL);
    CHECK(!wrong[i]);
  }
  fftw_destroy_plan(shared_plan);

  /* Plans of several threads have the same results. */
  CHECK(fftw_init_threads());
  fftw_make_planner_thread_safe();
  int n[3] = {64, 48, 20}, all = 64 * 48 * 20;
  fftw_complex *x = fftw_alloc_complex(all), *y = fftw_alloc_complex(all), *z = fftw_alloc_complex(all);
  for (int i = 0; i < all; i++) x[i] = value(i) + I * value(i + 3);
  fftw_plan one = fftw_plan_dft(3, n, x, y, FFTW_FORWARD, FFTW_ESTIMATE);
  fftw_plan_with_nthreads(3);
  CHECK(fftw_planner_nthreads() == 3);
  fftw_plan three = fftw_plan_dft(3, n, x, z, FFTW_FORWARD, FFTW_ESTIMATE);
  fftw_plan rows = fftw_plan_many_dft(1, &n[2], 64 * 48, x, NULL, 1, 20, y, NULL, 1, 20, FFTW_FORWARD, FFTW_ESTIMATE);
  CHECK(one && three && rows);
  fftw_execute(one);
  fftw_execute(three);
  double difference = 0, norm = 0;
  for (int i = 0; i < all; i++) difference += pow(cabs(y[i] - z[i]), 2), norm += pow(cabs(y[i]), 2);
  CHECK(sqrt(difference / norm) < 1e-15);
  fftw_execute(rows);
  fftw_destroy_plan(one);
  fftw_destroy_plan(three);
  fftw_destroy_plan(rows);
  fftw_cleanup_threads();
  CHECK(fftw_planner_nthreads() == 1);
  fftw_free(x);
  fftw_free(y);
  fftw_free(z);
}

static void append(char c, void *text) {
  size_t n = strlen(text);
  ((char *)text)[n] = c, ((char *)text)[n + 1] = 0;
}

static void wisdom(void) {
  char *text = fftw_export_wisdom_to_string(), copy[1000] = "", *single = fftwf_export_wisdom_to_string();
  fftw_export_wisdom(append, copy);
  CHECK(text && single && !strcmp(text, copy) && strstr(text, "fftw_wisdom") && strstr(single, "fftwf_wisdom"));
  CHECK(fftw_import_wisdom_from_string(text) && fftwf_import_wisdom_from_string(single));
  CHECK(!fftw_import_wisdom_from_string(single) && !fftw_import_wisdom_from_string("no wisdom"));
  CHECK(!fftw_import_wisdom_from_filename("/no/such/file"));
  FILE *file = tmpfile();
  fftw_export_wisdom_to_file(file);
  fputs("rest", file);
  rewind(file);
  CHECK(fftw_import_wisdom_from_file(file));
  int next = fgetc(file);
  CHECK(next == '\n' || next == 'r');
  fclose(file);
  fftw_forget_wisdom();
  free(text);
  free(single);
}

static void memory_and_texts(void) {
  double *x = fftw_malloc(3);
  CHECK(x && (uintptr_t)x % 16 == 0 && fftw_alignment_of(x) == 0);
  fftw_free(x);
  fftw_free(NULL);
  CHECK(!fftw_alloc_complex(SIZE_MAX / 4) && !fftwf_alloc_real(SIZE_MAX));
  fftw_complex z[36];
  fftw_plan p = fftw_plan_dft_2d(6, 6, z, z, FFTW_FORWARD, FFTW_ESTIMATE);
  char *text = fftw_sprint_plan(p);
  double add, mul, fma;
  fftw_flops(p, &add, &mul, &fma);
  CHECK(text && strstr(text, "6x6") && add + mul + fma > 0 && fftw_cost(p) > 0 && fftw_estimate_cost(p) > 0);
  CHECK(!strncmp(fftw_version, "fftw-3.3", 8) && fftwf_version[0] && fftw_cc[0]);
  free(text);
  fftw_set_timelimit(1.0);
  fftw_destroy_plan(p);
  fftw_cleanup();
  fftwf_cleanup();
}

/* With an argument without the definitions, whose sums need wide numbers: valgrind has none. */
int main(int argc, char **argv) {
  (void)argv;
  if (argc == 1) definitions();
  null_plans();
  transpositions();
  threads();
  wisdom();
  memory_and_texts();
  printf("fftw: %d checks, %d failures\n", checks, failures);
  return failures != 0;
}
