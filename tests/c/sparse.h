/* Shared by the C tests of sparse matrices: small matrices as dense ones, whose products are exact in every type, and
   systems to solve. C99. */

#ifndef SPARSE_H
#define SPARSE_H

#include <math.h>

#include "numbers.h"

#define REFUSED(call, status, text) \
  CHECK((call) == (status) && strstr(affinimathLastError(), text) != NULL, #call)

/* 5 x 4, with an empty row, columns in no order, and two entries in one place. */
enum { ROWS = 5, COLUMNS = 4, ENTRIES = 9 };
static const int32_t POINTERS[ROWS + 1] = {0, 2, 5, 5, 8, 9};
static const int32_t INDICES[ENTRIES] = {2, 0, 1, 3, 1, 0, 2, 3, 1};
static const number VALUES[ENTRIES] = {{3, 1}, {2, 0}, {-1, 2}, {4, 0}, {5, -1}, {1, 1}, {-2, 0}, {7, -3}, {6, 2}};

/* Unknowns of the systems, and their entries: three diagonals. */
enum { UNKNOWNS = 60, SYSTEM_ENTRIES = 3 * UNKNOWNS - 2 };

/* The number as a type has it. */
static number of_type(char type, number x)
{
  return make(x.re, is_complex(type) ? x.im : 0);
}

static number plus(number x, number y) { return make(x.re + y.re, x.im + y.im); }
static number product(number x, number y) { return make(x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re); }
static number conjugate(number x) { return make(x.re, -x.im); }
static int same(number x, number y) { return x.re == y.re && x.im == y.im; }
static int transposing(int op) { return op == AFFINIMATH_TRANS || op == AFFINIMATH_CONJ_TRANS; }
static int conjugating(int op) { return op == AFFINIMATH_CONJ_TRANS || op == AFFINIMATH_CONJ_NO_TRANS; }
static const int OPS[] = {AFFINIMATH_NO_TRANS, AFFINIMATH_TRANS, AFFINIMATH_CONJ_TRANS, AFFINIMATH_CONJ_NO_TRANS};

/* Element (i, j) of op of the small matrix. */
static number dense(char type, int op, int i, int j)
{
  const int row = transposing(op) ? j : i, column = transposing(op) ? i : j;
  number sum = make(0, 0);
  for (int e = POINTERS[row]; e < POINTERS[row + 1]; ++e) {
    if (INDICES[e] == column) {
      sum = plus(sum, of_type(type, VALUES[e]));
    }
  }
  return conjugating(op) ? conjugate(sum) : sum;
}

/* A Hermitian matrix of three diagonals: positive definite, or, with every other sign turned on the diagonal,
   indefinite. */
static number system_element(char type, int indefinite, int i, int j)
{
  if (i == j) {
    return make(indefinite && i % 2 == 1 ? -4 : 4, 0);
  }
  return i - j == 1 ? of_type(type, make(-1, 0.5)) : j - i == 1 ? of_type(type, make(-1, -0.5)) : make(0, 0);
}

static void fill_system(char type, int indefinite, int32_t *pointers, int32_t *indices, void *values)
{
  int32_t entry = 0;
  for (int i = 0; i < UNKNOWNS; ++i) {
    pointers[i] = entry;
    for (int j = i > 0 ? i - 1 : 0; j <= i + 1 && j < UNKNOWNS; ++j, ++entry) {
      indices[entry] = j;
      put(type, values, entry, system_element(type, indefinite, i, j));
    }
  }
  pointers[UNKNOWNS] = entry;
}

static void fill_right_hand_side(char type, void *b)
{
  for (int i = 0; i < UNKNOWNS; ++i) {
    put(type, b, i, of_type(type, make((37 * i + 11) % 101 / 101.0 - 0.5, (i % 7) / 8.0)));
  }
}

/* ||b - A x|| / ||b||. */
static double relative_residual(char type, int indefinite, const void *b, const void *x)
{
  double above = 0, below = 0;
  for (int i = 0; i < UNKNOWNS; ++i) {
    number sum = get(type, b, i);
    below += sum.re * sum.re + sum.im * sum.im;
    for (int j = i > 0 ? i - 1 : 0; j <= i + 1 && j < UNKNOWNS; ++j) {
      const number term = product(system_element(type, indefinite, i, j), get(type, x, j));
      sum = make(sum.re - term.re, sum.im - term.im);
    }
    above += sum.re * sum.re + sum.im * sum.im;
  }
  return sqrt(above / below);
}

/* Counts calls of a history. */
typedef struct told {
  int64_t calls, last;
} told;

static void count_iteration(void *user, int64_t iteration, double residual)
{
  told *t = user;
  t->calls += residual >= 0;
  t->last = iteration;
}

#endif
