/* The soak's dense calls for one type. soak.c defines, for each type: LETTER; NUMBER, C's own type; PASSED, the
   library's; WIDE, in which results are checked; REAL_TYPE; EPSILON; CONJUGATE(x), MODULUS(x); PASS(x), a number as an
   argument; COMPLEX, 0 or 1. Systems are checked by residuals, products by what they do to a vector: errors of single
   elements show, and checks take less time than the calls. C99. */

#ifndef JOIN
#define JOIN_(a, b, c) a##b##c
#define JOIN(a, b, c) JOIN_(a, b, c)
#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)
#define HOST(name) JOIN(affinimath, LETTER, name)
#define DEVICE(name) JOIN(affinimath, LETTER, name##CL)
#define T(name) JOIN(name, _, LETTER)
#define WHAT(name) (name " " TEXT(LETTER))

/* A call in one of its two forms; the arguments come in brackets, those of memory objects with queue and event. */
#ifdef SOAK_DEVICE
#define EITHER(w, name, host, device, status)                                                            \
  expect(w, (w)->on_device ? DEVICE(name) device : HOST(name) host, status, TEXT(LETTER) #name)
#else
#define EITHER(w, name, host, device, status) expect(w, HOST(name) host, status, TEXT(LETTER) #name)
#endif
#define PLACE(o) (o)->memory, (o)->offset
#endif

static NUMBER T(any)(worker *w)
{
#if COMPLEX
  const double re = uniform(w);
  return (NUMBER)(re + I * uniform(w));
#else
  return (NUMBER)uniform(w);
#endif
}

static NUMBER *T(numbers)(worker *w, int64_t count)
{
  NUMBER *x = room((size_t)count * sizeof *x);
  for (int64_t i = 0; i < count; ++i) {
    x[i] = T(any)(w);
  }
  return x;
}

/* A matrix in memory, and how it is read. */
typedef struct T(matrix) {
  NUMBER *at;
  int64_t rows, columns, ld;
  int layout;
} T(matrix);

static int64_t T(count)(const T(matrix) *a)
{
  const int64_t lines = a->layout == AFFINIMATH_COL_MAJOR ? a->columns : a->rows;
  const int64_t length = a->layout == AFFINIMATH_COL_MAJOR ? a->rows : a->columns;
  return lines == 0 || length == 0 ? 0 : (lines - 1) * a->ld + length;
}

static NUMBER *T(element)(const T(matrix) *a, int64_t i, int64_t j)
{
  return &a->at[a->layout == AFFINIMATH_COL_MAJOR ? i + j * a->ld : i * a->ld + j];
}

/* Random numbers, in memory that ends with the last one. */
static T(matrix) T(matrix_of)(worker *w, int layout, int64_t rows, int64_t columns)
{
  T(matrix) a = {NULL, rows, columns, 0, layout};
  a.ld = (layout == AFFINIMATH_COL_MAJOR ? rows : columns) + below(w, 3);
  a.ld += a.ld == 0;
  a.at = T(numbers)(w, T(count)(&a));
  return a;
}

static T(matrix) T(duplicate)(const T(matrix) *a)
{
  T(matrix) b = *a;
  b.at = copy_of(a->at, (size_t)T(count)(a) * sizeof *a->at);
  return b;
}

static operand *T(bring_matrix)(worker *w, T(matrix) *a)
{
  return bring(w, a->at, (size_t)T(count)(a) * sizeof *a->at, sizeof *a->at);
}

static int64_t T(op_rows)(const T(matrix) *a, int op) { return op == AFFINIMATH_NO_TRANS ? a->rows : a->columns; }
static int64_t T(op_columns)(const T(matrix) *a, int op) { return op == AFFINIMATH_NO_TRANS ? a->columns : a->rows; }

static WIDE T(op_element)(const T(matrix) *a, int op, int64_t i, int64_t j)
{
  const WIDE value = op == AFFINIMATH_NO_TRANS ? *T(element)(a, i, j) : *T(element)(a, j, i);
  return op == AFFINIMATH_CONJ_TRANS ? CONJUGATE(value) : value;
}

/* y := y + alpha op(A) x; `size` grows by the sum of the moduli. */
static void T(add_product)(WIDE alpha, const T(matrix) *a, int op, const WIDE *x, WIDE *y, double *size)
{
  for (int64_t i = 0; i < T(op_rows)(a, op); ++i) {
    WIDE sum = 0;
    double moduli = 0;
    for (int64_t j = 0; j < T(op_columns)(a, op); ++j) {
      const WIDE term = T(op_element)(a, op, i, j) * x[j];
      sum += term;
      moduli += MODULUS(term);
    }
    y[i] += alpha * sum;
    size[i] += MODULUS(alpha) * moduli;
  }
}

static WIDE *T(signs)(worker *w, int64_t count)
{
  WIDE *x = room((size_t)count * sizeof *x);
  for (int64_t i = 0; i < count; ++i) {
    x[i] = one_in(w, 2) ? 1 : -1;
  }
  return x;
}

static WIDE *T(zeros)(int64_t count)
{
  return memset(room((size_t)count * sizeof(WIDE)), 0, (size_t)count * sizeof(WIDE));
}

static double *T(sizes)(int64_t count)
{
  return memset(room((size_t)count * sizeof(double)), 0, (size_t)count * sizeof(double));
}

/* True if x is 0 but for errors of `steps` operations on numbers of these sizes. Written so that NaN fails. */
static int T(vanishes)(const WIDE *x, const double *size, int64_t count, int64_t steps)
{
  for (int64_t i = 0; i < count; ++i) {
    if (!(MODULUS(x[i]) <= 8 * (double)(steps + 4) * EPSILON * size[i])) {
      return 0;
    }
  }
  return 1;
}

/* Checks C = alpha op(A) op(B) + beta C0 by a product with a vector of ones and minus ones. */
static int T(is_product)(worker *w, NUMBER alpha, const T(matrix) *a, int opa, const T(matrix) *b, int opb, NUMBER beta,
                         const T(matrix) *before, const T(matrix) *c)
{
  const int64_t k = T(op_columns)(a, opa);
  WIDE *x = T(signs)(w, c->columns), *bx = T(zeros)(k), *y = T(zeros)(c->rows);
  double *inner = T(sizes)(k), *size = T(sizes)(c->rows);
  int good;
  T(add_product)(1, b, opb, x, bx, inner);
  T(add_product)(alpha, a, opa, bx, y, size);
  /* The products' own sizes: bx may have cancelled. */
  for (int64_t i = 0; i < c->rows; ++i) {
    for (int64_t l = 0; l < k; ++l) {
      size[i] += MODULUS((WIDE)alpha) * MODULUS(T(op_element)(a, opa, i, l)) * inner[l];
    }
  }
  if (beta != 0) {
    T(add_product)(beta, before, AFFINIMATH_NO_TRANS, x, y, size);
  }
  T(add_product)(-1, c, AFFINIMATH_NO_TRANS, x, y, size);
  good = T(vanishes)(y, size, c->rows, k + c->columns);
  discard(x), discard(bx), discard(y), discard(inner), discard(size);
  return good;
}

static void T(gemm)(worker *w, int64_t most)
{
  const int layout = ONE_OF(w, LAYOUTS), opa = ONE_OF(w, OPS), opb = ONE_OF(w, OPS);
  const int64_t m = size_up_to(w, most), n = size_up_to(w, most), k = size_up_to(w, most);
  T(matrix) a = T(matrix_of)(w, layout, opa == AFFINIMATH_NO_TRANS ? m : k, opa == AFFINIMATH_NO_TRANS ? k : m);
  T(matrix) b = T(matrix_of)(w, layout, opb == AFFINIMATH_NO_TRANS ? k : n, opb == AFFINIMATH_NO_TRANS ? n : k);
  T(matrix) c = T(matrix_of)(w, layout, m, n), before = T(duplicate)(&c);
  const NUMBER alpha = T(any)(w), beta = one_in(w, 2) ? 0 : T(any)(w);
  operand *pa = T(bring_matrix)(w, &a), *pb = T(bring_matrix)(w, &b), *pc = T(bring_matrix)(w, &c);
  const int done = EITHER(w, gemm,
                          (layout, opa, opb, m, n, k, PASS(alpha), (PASSED *)a.at, a.ld, (PASSED *)b.at, b.ld,
                           PASS(beta), (PASSED *)c.at, c.ld),
                          (w->queue, layout, opa, opb, m, n, k, PASS(alpha), PLACE(pa), a.ld, PLACE(pb), b.ld,
                           PASS(beta), PLACE(pc), c.ld, &w->event),
                          0);
  (void)pa, (void)pb, (void)pc;
  await(w);
  settle(w);
  right(w, !done || T(is_product)(w, alpha, &a, opa, &b, opb, beta, &before, &c), WHAT("gemm"));
  discard(a.at), discard(b.at), discard(c.at), discard(before.at);
}

static void T(gemv)(worker *w, int64_t most)
{
  const int layout = ONE_OF(w, LAYOUTS), op = ONE_OF(w, OPS);
  T(matrix) a = T(matrix_of)(w, layout, size_up_to(w, most), size_up_to(w, most));
  const int64_t rows = T(op_rows)(&a, op), columns = T(op_columns)(&a, op);
  T(matrix) x = T(matrix_of)(w, AFFINIMATH_COL_MAJOR, columns, 1), y = T(matrix_of)(w, AFFINIMATH_COL_MAJOR, rows, 1);
  T(matrix) before = T(duplicate)(&y);
  const NUMBER alpha = T(any)(w), beta = one_in(w, 2) ? 0 : T(any)(w);
  operand *pa = T(bring_matrix)(w, &a), *px = T(bring_matrix)(w, &x), *py = T(bring_matrix)(w, &y);
  const int done = EITHER(w, gemv,
                          (layout, op, a.rows, a.columns, PASS(alpha), (PASSED *)a.at, a.ld, (PASSED *)x.at, 1,
                           PASS(beta), (PASSED *)y.at, 1),
                          (w->queue, layout, op, a.rows, a.columns, PASS(alpha), PLACE(pa), a.ld, PLACE(px), 1,
                           PASS(beta), PLACE(py), 1, &w->event),
                          0);
  (void)pa, (void)px, (void)py;
  await(w);
  settle(w);
  right(w, !done || T(is_product)(w, alpha, &a, op, &x, AFFINIMATH_NO_TRANS, beta, &before, &y), WHAT("gemv"));
  discard(a.at), discard(x.at), discard(y.at), discard(before.at);
}

/* Level 1: nrm2 squared is dot with itself, and axpy changes dot by what it must. */
static void T(vectors)(worker *w, int64_t most)
{
  const int64_t n = size_up_to(w, 40 * most);
  NUMBER *x = T(numbers)(w, n), *y = T(numbers)(w, n), *before = copy_of(y, (size_t)n * sizeof *y), dot = 0;
  const NUMBER alpha = T(any)(w);
  REAL_TYPE norm = 0;
  double sum = 0;
  int good;
  good = EXPECT(w, NRM2(n, (PASSED *)x, 1, &norm), 0);
  good = EXPECT(w, HOST(DOT)(n, (PASSED *)x, 1, (PASSED *)x, 1, (PASSED *)&dot), 0) && good;
  good = EXPECT(w, HOST(axpy)(n, PASS(alpha), (PASSED *)x, 1, (PASSED *)y, 1), 0) && good;
  for (int64_t i = 0; i < n; ++i) {
    sum += creal((WIDE)x[i] * CONJUGATE((WIDE)x[i]));
    good = good && MODULUS(before[i] + (WIDE)alpha * x[i] - y[i]) <=
                       8 * EPSILON * (MODULUS(before[i]) + MODULUS((WIDE)alpha * x[i]));
  }
  good = good && fabs((double)norm * norm - sum) <= 8 * (double)(n + 4) * EPSILON * sum;
  good = good && fabs(creal(dot) - sum) <= 8 * (double)(n + 4) * EPSILON * sum;
  right(w, good, WHAT("nrm2, dot, axpy"));
  discard(x), discard(y), discard(before);
}

static void T(copies)(worker *w, int64_t most)
{
  const int layout = ONE_OF(w, LAYOUTS), op = ONE_OF(w, OPS);
  T(matrix) a = T(matrix_of)(w, layout, size_up_to(w, most), size_up_to(w, most));
  T(matrix) b = T(matrix_of)(w, layout, T(op_rows)(&a, op), T(op_columns)(&a, op));
  const NUMBER alpha = T(any)(w);
  operand *pa = T(bring_matrix)(w, &a), *pb = T(bring_matrix)(w, &b);
  int good =
      EITHER(w, omatcopy, (layout, op, a.rows, a.columns, PASS(alpha), (PASSED *)a.at, a.ld, (PASSED *)b.at, b.ld),
             (w->queue, layout, op, a.rows, a.columns, PASS(alpha), PLACE(pa), a.ld, PLACE(pb), b.ld, &w->event), 0);
  (void)pa, (void)pb;
  await(w);
  settle(w);
  for (int64_t i = 0; good && i < b.rows; ++i) {
    for (int64_t j = 0; j < b.columns; ++j) {
      const WIDE exact = (WIDE)alpha * T(op_element)(&a, op, i, j);
      good = good && MODULUS(exact - *T(element)(&b, i, j)) <= 4 * EPSILON * MODULUS(exact);
    }
  }
  right(w, good, WHAT("omatcopy"));
  discard(a.at), discard(b.at);
}

/* Wrong arguments: the status names the argument, and nothing is touched. */
static void T(refusals)(worker *w)
{
  PASSED four[4];
  int32_t pivots[2];
  affinimath_csr *none = NULL;
  const int32_t pointers[] = {0, 1, 2}, outside[] = {0, 2};
  const int column = AFFINIMATH_COL_MAJOR, keep = AFFINIMATH_NO_TRANS;
  memset(four, 0x5a, sizeof four);
  EXPECT(w, HOST(gemm)(0, keep, keep, 2, 2, 2, PASS(1), four, 2, four, 2, PASS(0), four, 2), -1);
  EXPECT(w, HOST(gemm)(column, keep, keep, 2, -2, 2, PASS(1), four, 2, four, 2, PASS(0), four, 2), -5);
  EXPECT(w, HOST(gemv)(column, keep, 2, 2, PASS(1), four, 1, four, 1, PASS(0), four, 1), -7);
  EXPECT(w, HOST(getrf)(column, 2, 2, NULL, 2, pivots), -4);
  EXPECT(w, HOST(potrf)(column, 7, 2, four, 2), -2);
  EXPECT(w, HOST(csrCreate)(2, 2, pointers, outside, four, &none), -4);
  right(w, none == NULL && strlen(affinimathLastError()) > 0, WHAT("a refused csrCreate"));
#ifdef SOAK_DEVICE
  EXPECT(w, DEVICE(gemm)(NULL, column, keep, keep, 2, 2, 2, PASS(1), NULL, 0, 2, NULL, 0, 2, PASS(0), NULL, 0, 2, NULL),
         -1);
#endif
}
