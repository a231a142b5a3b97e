/* The soak's sparse matrices for one type, after dense_type.h. A matrix is a list of entries here; its handle comes and
   goes. C99. */

typedef struct T(entries) {
  int64_t n, count;
  int32_t *rows, *columns;
  NUMBER *values;
} T(entries);

/* A Hermitian matrix whose diagonal dominates, with entries in no order and some twice in one place. Indefinite, every
   other diagonal is negative. */
static T(entries) T(system)(worker *w, int64_t most, int indefinite)
{
  const int64_t n = size_up_to(w, 4 * most), pairs = 2 * n;
  T(entries) a = {n, 0, NULL, NULL, NULL};
  double *sums = T(sizes)(n);
  a.rows = room((size_t)(2 * pairs + n) * sizeof *a.rows);
  a.columns = room((size_t)(2 * pairs + n) * sizeof *a.columns);
  a.values = room((size_t)(2 * pairs + n) * sizeof *a.values);
  for (int64_t p = 0; p < pairs; ++p) {
    const int32_t i = (int32_t)below(w, n), j = (int32_t)below(w, n);
    const NUMBER value = T(any)(w);
    if (i == j) {
      continue;
    }
    a.rows[a.count] = i, a.columns[a.count] = j, a.values[a.count++] = value;
    a.rows[a.count] = j, a.columns[a.count] = i, a.values[a.count++] = (NUMBER)CONJUGATE((WIDE)value);
    sums[i] += MODULUS((WIDE)value), sums[j] += MODULUS((WIDE)value);
  }
  for (int32_t i = 0; i < n; ++i) {
    a.rows[a.count] = a.columns[a.count] = i;
    a.values[a.count++] = (NUMBER)((indefinite && i % 2 == 1 ? -1 : 1) * (1 + 1.5 * sums[i]));
  }
  discard(sums);
  return a;
}

static void T(discard_entries)(T(entries) *a) { discard(a->rows), discard(a->columns), discard(a->values); }

/* y := y + alpha op(A) x; `size` grows by the sum of the moduli. */
static void T(add_entries)(WIDE alpha, const T(entries) *a, int op, const NUMBER *x, WIDE *y, double *size)
{
  for (int64_t e = 0; e < a->count; ++e) {
    const int64_t to = op == AFFINIMATH_NO_TRANS ? a->rows[e] : a->columns[e];
    const int64_t from = op == AFFINIMATH_NO_TRANS ? a->columns[e] : a->rows[e];
    const WIDE value = a->values[e], term = alpha * (op == AFFINIMATH_CONJ_TRANS ? CONJUGATE(value) : value) * x[from];
    y[to] += term;
    size[to] += MODULUS(term);
  }
}

/* True if y = alpha op(A) x + beta y0. */
static int T(is_sparse_product)(NUMBER alpha, const T(entries) *a, int op, const NUMBER *x, NUMBER beta,
                                const NUMBER *before, const NUMBER *y)
{
  WIDE *left = T(zeros)(a->n);
  double *size = T(sizes)(a->n);
  int good;
  T(add_entries)(alpha, a, op, x, left, size);
  for (int64_t i = 0; i < a->n; ++i) {
    const WIDE old = beta == 0 ? 0 : (WIDE)beta * before[i];
    left[i] += old - y[i];
    size[i] += MODULUS(old) + MODULUS((WIDE)y[i]);
  }
  good = T(vanishes)(left, size, a->n, 40);
  discard(left), discard(size);
  return good;
}

/* The handle, made from the list. */
static affinimath_csr *T(handle)(worker *w, T(entries) *a)
{
  affinimath_csr *matrix = NULL;
  operand *pr = bring(w, a->rows, (size_t)a->count * sizeof *a->rows, sizeof *a->rows);
  operand *pc = bring(w, a->columns, (size_t)a->count * sizeof *a->columns, sizeof *a->columns);
  operand *pv = bring(w, a->values, (size_t)a->count * sizeof *a->values, sizeof *a->values);
  EITHER(w, csrFromCoo, (a->n, a->n, a->count, a->rows, a->columns, (PASSED *)a->values, &matrix),
    (w->queue, a->n, a->n, a->count, PLACE(pr), PLACE(pc), PLACE(pv), &matrix, &w->event), 0);
  (void)pr, (void)pc, (void)pv;
  await(w);
  settle(w);
  return matrix;
}

static void T(spmv)(worker *w, int64_t most)
{
  T(entries) a = T(system)(w, most, 0);
  affinimath_csr *matrix = T(handle)(w, &a), *transposed = NULL;
  const int op = ONE_OF(w, OPS), turned = one_in(w, 4);
  const NUMBER alpha = T(any)(w), beta = one_in(w, 2) ? 0 : T(any)(w);
  NUMBER *x = T(numbers)(w, a.n), *y = T(numbers)(w, a.n), *before = copy_of(y, (size_t)a.n * sizeof *y);
  operand *px = bring(w, x, (size_t)a.n * sizeof *x, sizeof *x), *py = bring(w, y, (size_t)a.n * sizeof *y, sizeof *y);
  int good = matrix != NULL;
  if (good && turned) {
    good = EXPECT(w, affinimathCsrTranspose(matrix, &transposed), 0);
  }
  good = good && EITHER(w, csrmv,
                        (turned ? AFFINIMATH_TRANS : op, PASS(alpha), turned ? transposed : matrix, (PASSED *)x, 1,
                         PASS(beta), (PASSED *)y, 1),
                        (w->queue, turned ? AFFINIMATH_TRANS : op, PASS(alpha), turned ? transposed : matrix, PLACE(px),
                         1, PASS(beta), PLACE(py), 1, &w->event),
                        0);
  (void)px, (void)py;
  await(w);
  settle(w);
  right(w, good && T(is_sparse_product)(alpha, &a, turned ? AFFINIMATH_NO_TRANS : op, x, beta, before, y),
        WHAT("csrmv"));
  if (transposed != NULL) {
    EXPECT(w, affinimathCsrDestroy(transposed), 0);
  }
  EXPECT(w, affinimathCsrDestroy(matrix), 0);
  discard(x), discard(y), discard(before);
  T(discard_entries)(&a);
}

/* Host: to arrays and back, sorted, squared, and by way of a dense matrix. */
static void T(conversions)(worker *w, int64_t most)
{
  const int on_device = w->on_device;
  T(entries) a;
  affinimath_csr *matrix, *sorted = NULL, *again = NULL, *square = NULL, *from_dense = NULL;
  int64_t rows = 0, columns = 0, count = 0;
  int32_t *pointers, *indices;
  NUMBER *values, *x, *y, *z, *dense;
  int good;
  w->on_device = 0;
  a = T(system)(w, most / 4 + 1, 0);
  matrix = T(handle)(w, &a);
  good = EXPECT(w, affinimathCsrSorted(matrix, &sorted), 0) &&
         EXPECT(w, affinimathCsrShape(sorted, &rows, &columns, &count), 0);
  pointers = room((size_t)(a.n + 1) * sizeof *pointers), indices = room((size_t)count * sizeof *indices);
  values = room((size_t)count * sizeof *values), x = T(numbers)(w, a.n), y = T(numbers)(w, a.n), z = T(numbers)(w, a.n);
  dense = T(numbers)(w, a.n * a.n);
  good = good && EXPECT(w, HOST(csrDownload)(sorted, count, pointers, indices, (PASSED *)values), 0);
  good = good && EXPECT(w, HOST(csrCreate)(a.n, a.n, pointers, indices, (PASSED *)values, &again), 0);
  good =
      good && EXPECT(w, HOST(csrmv)(AFFINIMATH_NO_TRANS, PASS(1), again, (PASSED *)x, 1, PASS(0), (PASSED *)y, 1), 0);
  right(w, good && T(is_sparse_product)(1, &a, AFFINIMATH_NO_TRANS, x, 0, y, y),
        WHAT("csrSorted, csrDownload, csrCreate"));
  good = good && EXPECT(w, HOST(csrToDense)(AFFINIMATH_ROW_MAJOR, again, (PASSED *)dense, a.n), 0);
  good = good && EXPECT(w, HOST(csrFromDense)(AFFINIMATH_ROW_MAJOR, a.n, a.n, (PASSED *)dense, a.n, &from_dense), 0);
  good = good &&
         EXPECT(w, HOST(csrmv)(AFFINIMATH_NO_TRANS, PASS(1), from_dense, (PASSED *)x, 1, PASS(0), (PASSED *)y, 1), 0);
  right(w, good && T(is_sparse_product)(1, &a, AFFINIMATH_NO_TRANS, x, 0, y, y), WHAT("csrToDense, csrFromDense"));
  /* By one that lies where the first does: a matrix made later may not, as other threads change the route. */
  good = good && EXPECT(w, affinimathCsrProduct(matrix, sorted, &square), 0);
  good =
      good && EXPECT(w, HOST(csrmv)(AFFINIMATH_NO_TRANS, PASS(1), square, (PASSED *)x, 1, PASS(0), (PASSED *)z, 1), 0);
  if (good) {
    /* A A x is as far from A (A x) as either is from exact. */
    double largest = 0, row = 0, norm = 0, *sums = T(sizes)(a.n);
    WIDE *left = T(zeros)(a.n);
    for (int64_t e = 0; e < a.count; ++e) {
      sums[a.rows[e]] += MODULUS((WIDE)a.values[e]);
      row = sums[a.rows[e]] > row ? sums[a.rows[e]] : row;
    }
    for (int64_t i = 0; i < a.n; ++i) {
      norm = MODULUS((WIDE)x[i]) > norm ? MODULUS((WIDE)x[i]) : norm;
      left[i] = -(WIDE)z[i];
      sums[i] = 0;
    }
    T(add_entries)(1, &a, AFFINIMATH_NO_TRANS, y, left, sums);
    for (int64_t i = 0; i < a.n; ++i) {
      largest = MODULUS(left[i]) > largest ? MODULUS(left[i]) : largest;
    }
    right(w, largest <= 400 * EPSILON * row * row * norm, WHAT("csrProduct"));
    discard(left), discard(sums);
  }
  affinimathCsrDestroy(matrix), affinimathCsrDestroy(sorted), affinimathCsrDestroy(again), affinimathCsrDestroy(square);
  affinimathCsrDestroy(from_dense);
  discard(pointers), discard(indices), discard(values), discard(x), discard(y), discard(z), discard(dense);
  T(discard_entries)(&a);
  w->on_device = on_device;
}

/* CG, with or without a preconditioner, or MINRES: it converges, and the residual is as small as it says. */
static void T(solve)(worker *w, int64_t most)
{
  const int indefinite = one_in(w, 2), preconditioned = !indefinite && one_in(w, 2);
  T(entries) a = T(system)(w, most, indefinite);
  affinimath_csr *matrix = T(handle)(w, &a);
  affinimath_preconditioner *preconditioner = NULL;
  affinimath_solve_options options;
  affinimath_solve_outcome outcome;
  NUMBER *b = T(numbers)(w, a.n), *x = room((size_t)a.n * sizeof *x);
  WIDE *left = T(zeros)(a.n);
  double *size = T(sizes)(a.n), above = 0, under = 0;
  operand *pb, *px;
  int good = matrix != NULL && EXPECT(w, affinimathSolveOptions(&options, PRECISION), 0);
  memset(x, 0, (size_t)a.n * sizeof *x);
  memset(&outcome, 0, sizeof outcome);
  pb = bring(w, b, (size_t)a.n * sizeof *b, sizeof *b), px = bring(w, x, (size_t)a.n * sizeof *x, sizeof *x);
  options.rtol = PRECISION == AFFINIMATH_DOUBLE ? 1e-9 : 1e-4;
  if (good && preconditioned) {
    good = one_in(w, 2) ? EXPECT(w, affinimathJacobiCreate(matrix, &preconditioner), 0)
                        : EXPECT(w, affinimathIc0Create(matrix, &preconditioner), 0);
    options.preconditioner = preconditioner;
  }
  if (good && indefinite) {
    good = EITHER(w, minres, (matrix, (PASSED *)b, (PASSED *)x, &options, &outcome),
      (w->queue, matrix, PLACE(pb), PLACE(px), &options, &outcome, &w->event), 0);
  } else if (good) {
    good = EITHER(w, cg, (matrix, (PASSED *)b, (PASSED *)x, &options, &outcome),
      (w->queue, matrix, PLACE(pb), PLACE(px), &options, &outcome, &w->event), 0);
  }
  (void)pb, (void)px;
  await(w);
  settle(w);
  T(add_entries)(-1, &a, AFFINIMATH_NO_TRANS, x, left, size);
  for (int64_t i = 0; i < a.n; ++i) {
    above += pow(MODULUS(left[i] + b[i]), 2);
    under += pow(MODULUS((WIDE)b[i]), 2);
  }
  right(w, good && outcome.reason == AFFINIMATH_CONVERGED && sqrt(above) <= 1.5 * options.rtol * sqrt(under),
        indefinite ? WHAT("minres") : WHAT("cg"));
  if (preconditioner != NULL) {
    EXPECT(w, affinimathPreconditionerDestroy(preconditioner), 0);
  }
  EXPECT(w, affinimathCsrDestroy(matrix), 0);
  discard(b), discard(x), discard(left), discard(size);
  T(discard_entries)(&a);
}
