/* Shared by the C tests of gemm: calling gemm of any type by one set of arguments. C89. */

#ifndef CHECK_H
#define CHECK_H

#include "numbers.h"

/* The arguments of gemm. Host calls use the pointers, device calls the handles and offsets. */
typedef struct gemm_call {
  struct _cl_command_queue *queue;
  int layout, transa, transb;
  int64_t m, n, k;
  number alpha;
  void *a;
  int64_t offa, lda;
  void *b;
  int64_t offb, ldb;
  number beta;
  void *c;
  int64_t offc, ldc;
  struct _cl_event **event;
} gemm_call;

static affinimath_c32 c32(number x)
{
  affinimath_c32 y;
  y.re = (float)x.re;
  y.im = (float)x.im;
  return y;
}

static affinimath_c64 c64(number x)
{
  affinimath_c64 y;
  y.re = x.re;
  y.im = x.im;
  return y;
}

static int transposes(int op) { return op == AFFINIMATH_TRANS || op == AFFINIMATH_CONJ_TRANS; }
static int conjugates(int op) { return op == AFFINIMATH_CONJ_TRANS || op == AFFINIMATH_CONJ_NO_TRANS; }

/* Elements that a matrix of the given stored size reaches over. */
static int64_t extent(int layout, int64_t rows, int64_t columns, int64_t ld)
{
  int64_t adjacent = layout == AFFINIMATH_COL_MAJOR ? rows : columns;
  int64_t apart = layout == AFFINIMATH_COL_MAJOR ? columns : rows;
  return rows == 0 || columns == 0 ? 0 : (apart - 1) * ld + adjacent;
}

static int64_t element(int layout, int64_t i, int64_t j, int64_t ld)
{
  return layout == AFFINIMATH_COL_MAJOR ? i + j * ld : i * ld + j;
}

static number op_element(char type, const void *x, int layout, int op, int64_t offset, int64_t ld, int64_t i, int64_t j)
{
  number value = transposes(op) ? get(type, x, offset + element(layout, j, i, ld))
                                : get(type, x, offset + element(layout, i, j, ld));
  return conjugates(op) ? make(value.re, -value.im) : value;
}

static number times(number x, number y) { return make(x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re); }
static double size_of_number(number x) { return (x.re < 0 ? -x.re : x.re) + (x.im < 0 ? -x.im : x.im); }

/* Compares every element of C with a plain triple loop over A, B and C as it was (all in host memory), and everything
   between the elements with what was there. `length` elements of C's memory are looked at. */
static void check_product(char type, const gemm_call *p, const void *a, const void *b, const void *before,
                          const void *after, int64_t length, const char *what)
{
  size_t size = element_size(type);
  char *is_element = (char *)calloc((size_t)length + 1, 1);
  int64_t i, j, l;
  for (i = 0; i < p->m; ++i) {
    for (j = 0; j < p->n; ++j) {
      int64_t at = p->offc + element(p->layout, i, j, p->ldc);
      number sum = make(0, 0), old = make(0, 0), found = get(type, after, at);
      double bound = 0;
      for (l = 0; l < p->k; ++l) {
        number x = op_element(type, a, p->layout, p->transa, p->offa, p->lda, i, l);
        number y = op_element(type, b, p->layout, p->transb, p->offb, p->ldb, l, j);
        number xy = times(x, y);
        sum = make(sum.re + xy.re, sum.im + xy.im);
        bound += size_of_number(x) * size_of_number(y);
      }
      sum = times(p->alpha, sum);
      bound *= size_of_number(p->alpha);
      if (size_of_number(p->beta) != 0) {
        old = get(type, before, at);
        bound += size_of_number(p->beta) * size_of_number(old);
        old = times(p->beta, old);
      }
      sum = make(sum.re + old.re, sum.im + old.im);
      bound *= 4 * (double)(p->k + 2) * epsilon(type);
      /* Half precision is rounded to at the end: to 11 bits, or among its subnormal numbers. */
      if (type == 'H') bound += (size_of_number(sum) + bound) / 2048 + 1.0 / 33554432;
      /* Written so that NaN fails. */
      CHECK(size_of_number(make(found.re - sum.re, found.im - sum.im)) <= bound, what);
      is_element[at] = 1;
    }
  }
  for (i = 0; i < length; ++i) {
    if (!is_element[i]) {
      CHECK(memcmp((const char *)before + (size_t)i * size, (const char *)after + (size_t)i * size, size) == 0, what);
    }
  }
  free(is_element);
}

#endif
