/* A CBLAS of a few functions that counts their calls and computes by plain loops. */

#include <complex.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

enum { ROW_MAJOR = 101, NO_TRANS = 111, CONJ_TRANS = 113 };

static struct {
  const char *name;
  long calls;
} counts[32];

static void count(const char *name) {
  int i = 0;
  while (counts[i].name != NULL && strcmp(counts[i].name, name) != 0) i++;
  counts[i].name = name;
  counts[i].calls++;
}

/* Counts calls of a function, or with a null name of all functions. */
long fake_cblas_calls(const char *name) {
  long calls = 0;
  for (int i = 0; i < 32 && counts[i].name != NULL; i++) {
    if (name == NULL || strcmp(counts[i].name, name) == 0) calls += counts[i].calls;
  }
  return calls;
}

static void (*callback)(void);

/* The function that cblas_dswap calls from now on, like a library that calls the program's BLAS. */
void fake_cblas_set_callback(void (*function)(void)) { callback = function; }

/* The element i of n, as BLAS walks a vector. */
static ptrdiff_t at(int i, int n, int step) { return (ptrdiff_t)(step < 0 ? i - (n - 1) : i) * step; }

/* The place of op(A)'s element (i, j). */
static ptrdiff_t place(int layout, int op, int i, int j, int ld) {
  int swapped = (op != NO_TRANS) != (layout == ROW_MAJOR);
  return swapped ? j + (ptrdiff_t)i * ld : i + (ptrdiff_t)j * ld;
}

#define GEMM(letter, type, conjugate, scalar, value)                                                                 \
  void cblas_##letter##gemm(int layout, int opa, int opb, int m, int n, int k, scalar alpha, const void *a, int lda, \
                            const void *b, int ldb, scalar beta, void *c, int ldc)                                   \
  {                                                                                                                  \
    count("cblas_" #letter "gemm");                                                                                  \
    for (int i = 0; i < m; i++) {                                                                                    \
      for (int j = 0; j < n; j++) {                                                                                  \
        type sum = 0;                                                                                                \
        for (int l = 0; l < k; l++) {                                                                                \
          type x = ((const type *)a)[place(layout, opa, i, l, lda)];                                                 \
          type y = ((const type *)b)[place(layout, opb, l, j, ldb)];                                                 \
          sum += (opa == CONJ_TRANS ? conjugate(x) : x) * (opb == CONJ_TRANS ? conjugate(y) : y);                    \
        }                                                                                                            \
        type *to = (type *)c + place(layout, NO_TRANS, i, j, ldc);                                                   \
        *to = value(type, alpha) * sum + (value(type, beta) == 0 ? 0 : value(type, beta) * *to);                     \
      }                                                                                                              \
    }                                                                                                                \
  }
#define ITSELF(x) (x)
#define BY_VALUE(type, x) (x)
#define BY_ADDRESS(type, x) (*(const type *)(x))
GEMM(s, float, ITSELF, float, BY_VALUE)
GEMM(d, double, ITSELF, double, BY_VALUE)
GEMM(z, double complex, conj, const void *, BY_ADDRESS)

void cblas_daxpy(int n, double alpha, const double *x, int incx, double *y, int incy) {
  count("cblas_daxpy");
  for (int i = 0; i < n; i++) y[at(i, n, incy)] += alpha * x[at(i, n, incx)];
}

void cblas_dswap(int n, double *x, int incx, double *y, int incy) {
  count("cblas_dswap");
  if (callback != NULL) callback();
  for (int i = 0; i < n; i++) {
    double kept = x[at(i, n, incx)];
    x[at(i, n, incx)] = y[at(i, n, incy)];
    y[at(i, n, incy)] = kept;
  }
}

double cblas_ddot(int n, const double *x, int incx, const double *y, int incy) {
  count("cblas_ddot");
  double sum = 0;
  for (int i = 0; i < n; i++) sum += x[at(i, n, incx)] * y[at(i, n, incy)];
  return sum;
}

void cblas_zdotc_sub(int n, const double complex *x, int incx, const double complex *y, int incy,
                     double complex *result) {
  count("cblas_zdotc_sub");
  double complex sum = 0;
  for (int i = 0; i < n; i++) sum += conj(x[at(i, n, incx)]) * y[at(i, n, incy)];
  *result = sum;
}

float cblas_snrm2(int n, const float *x, int incx) {
  count("cblas_snrm2");
  double sum = 0;
  for (int i = 0; i < n; i++) sum += (double)x[at(i, n, incx)] * x[at(i, n, incx)];
  return (float)sqrt(sum);
}

size_t cblas_idamax(int n, const double *x, int incx) {
  count("cblas_idamax");
  int best = 0;
  for (int i = 1; i < n; i++) {
    if (fabs(x[at(i, n, incx)]) > fabs(x[at(best, n, incx)])) best = i;
  }
  return (size_t)best;
}
