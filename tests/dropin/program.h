/* Shared by the programs over the drop-in: BLAS's prototypes, counting, and a product to check. C99. */

#ifndef PROGRAM_H
#define PROGRAM_H

#include <complex.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void dgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k, const double *alpha,
            const double *a, const int *lda, const double *b, const int *ldb, const double *beta, double *c,
            const int *ldc, size_t, size_t);

static long checks = 0;
static long failures = 0;

#define CHECK(condition)                                                                           \
  do {                                                                                             \
    ++checks;                                                                                      \
    if (!(condition)) {                                                                            \
      ++failures;                                                                                  \
      printf("%s:%d: %s\n", __FILE__, __LINE__, #condition);                                       \
    }                                                                                              \
  } while (0)

static int report(const char *program)
{
  printf("%s: %ld checks, %ld failures\n", program, checks, failures);
  return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

/* A B, with a_ij = i + 1 and b_ij = j + seed, is n (i + 1) (j + seed): small integers, hence exact. Returns 1 if so. */
static inline int multiplies(int n, int seed)
{
  const double one = 1, zero = 0;
  size_t count = (size_t)n * (size_t)n, i;
  double *a = malloc(3 * count * sizeof *a), *b = a + count, *c = b + count;
  int right = a != NULL;
  for (i = 0; right && i < count; ++i) {
    a[i] = (double)(i % (size_t)n) + 1;
    b[i] = (double)(i / (size_t)n) + seed;
    c[i] = NAN;
  }
  if (right) dgemm_("N", "n", &n, &n, &n, &one, a, &n, b, &n, &zero, c, &n, 1, 1);
  for (i = 0; right && i < count; ++i)
    right = c[i] == n * ((double)(i % (size_t)n) + 1) * ((double)(i / (size_t)n) + seed);
  free(a);
  return right;
}

#endif
