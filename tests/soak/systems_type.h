/* The soak's systems and factorisations for one type, after dense_type.h. C99. */

/* Random, with a diagonal that makes it well conditioned; Hermitian on demand. */
static T(matrix) T(dominant)(worker *w, int layout, int64_t n, int hermitian)
{
  T(matrix) a = T(matrix_of)(w, layout, n, n);
  for (int64_t i = 0; i < n; ++i) {
    if (hermitian) {
      for (int64_t j = 0; j < i; ++j) {
        *T(element)(&a, j, i) = (NUMBER)CONJUGATE((WIDE)*T(element)(&a, i, j));
      }
      *T(element)(&a, i, i) = (NUMBER)(2 * (double)n + 1);
    } else {
      *T(element)(&a, i, i) += (NUMBER)(2 * (double)n);
    }
  }
  return a;
}

/* The triangle alone, zeros beside it. */
static T(matrix) T(triangle_of)(const T(matrix) *a, int uplo, int unit)
{
  T(matrix) t = T(duplicate)(a);
  for (int64_t i = 0; i < a->rows; ++i) {
    for (int64_t j = 0; j < a->columns; ++j) {
      if (uplo == AFFINIMATH_UPPER ? i > j : i < j) {
        *T(element)(&t, i, j) = 0;
      } else if (unit && i == j) {
        *T(element)(&t, i, j) = 1;
      }
    }
  }
  return t;
}

static void T(trsm)(worker *w, int64_t most)
{
  const int layout = ONE_OF(w, LAYOUTS), op = ONE_OF(w, OPS), uplo = ONE_OF(w, TRIANGLES), side = ONE_OF(w, SIDES);
  const int64_t m = size_up_to(w, most), n = size_up_to(w, most);
  T(matrix) a = T(dominant)(w, layout, side == AFFINIMATH_LEFT ? m : n, 0), triangle = T(triangle_of)(&a, uplo, 0);
  T(matrix) b = T(matrix_of)(w, layout, m, n), before = T(duplicate)(&b);
  operand *pa = T(bring_matrix)(w, &a), *pb = T(bring_matrix)(w, &b);
  const int done = EITHER(
      w, trsm, (layout, side, uplo, op, AFFINIMATH_NON_UNIT, m, n, PASS(1), (PASSED *)a.at, a.ld, (PASSED *)b.at, b.ld),
      (w->queue, layout, side, uplo, op, AFFINIMATH_NON_UNIT, m, n, PASS(1), PLACE(pa), a.ld, PLACE(pb), b.ld,
       &w->event),
      0);
  (void)pa, (void)pb;
  await(w);
  settle(w);
  right(w, !done || (side == AFFINIMATH_LEFT
    ? T(is_product)(w, 1, &triangle, op, &b, AFFINIMATH_NO_TRANS, 0, &before, &before)
    : T(is_product)(w, 1, &b, AFFINIMATH_NO_TRANS, &triangle, op, 0, &before, &before)), WHAT("trsm"));
  discard(a.at), discard(b.at), discard(before.at), discard(triangle.at);
}

/* LU and a solve with it; now and then a column of zeros, whose pivot info names. */
static void T(lu)(worker *w, int64_t most)
{
  const int layout = ONE_OF(w, LAYOUTS), op = ONE_OF(w, OPS);
  const int64_t n = size_up_to(w, most), columns = size_up_to(w, 8), zero = one_in(w, 8) ? below(w, n) : -1;
  T(matrix) a = T(dominant)(w, layout, n, 0), b = T(matrix_of)(w, layout, n, columns), x = T(duplicate)(&b), factors;
  int32_t *pivots = room((size_t)n * sizeof *pivots), info = 0;
  operand *pa, *pp, *px, *pi;
  int done;
  for (int64_t i = 0; zero >= 0 && i < n; ++i) {
    *T(element)(&a, i, zero) = 0;
  }
  factors = T(duplicate)(&a);
  pa = T(bring_matrix)(w, &factors), px = T(bring_matrix)(w, &x);
  pp = bring(w, pivots, (size_t)n * sizeof *pivots, sizeof *pivots), pi = bring(w, &info, sizeof info, sizeof info);
  done = EITHER(w, getrf, (layout, n, n, (PASSED *)factors.at, factors.ld, pivots),
    (w->queue, layout, n, n, PLACE(pa), factors.ld, PLACE(pp), PLACE(pi), &w->event), w->on_device ? 0 : (int)zero + 1);
  await(w);
  if (zero < 0) {
    done = done &&
           EITHER(w, getrs, (layout, op, n, columns, (PASSED *)factors.at, factors.ld, pivots, (PASSED *)x.at, x.ld),
                  (w->queue, layout, op, n, columns, PLACE(pa), factors.ld, PLACE(pp), PLACE(px), x.ld, &w->event), 0);
    await(w);
  }
  (void)pa, (void)pp, (void)px, (void)pi;
  settle(w);
  if (w->on_device) {
    right(w, info == (int32_t)zero + 1, WHAT("getrf's info"));
  }
  right(w, !done || zero >= 0 || T(is_product)(w, 1, &a, op, &x, AFFINIMATH_NO_TRANS, 0, &b, &b), WHAT("getrf, getrs"));
  discard(a.at), discard(b.at), discard(x.at), discard(factors.at), discard(pivots);
}

/* Cholesky and a solve with it; now and then a negative diagonal, whose minor info names. */
static void T(cholesky)(worker *w, int64_t most)
{
  const int layout = ONE_OF(w, LAYOUTS), uplo = ONE_OF(w, TRIANGLES);
  const int64_t n = size_up_to(w, most), columns = size_up_to(w, 8), negative = one_in(w, 8) ? below(w, n) : -1;
  T(matrix) a = T(dominant)(w, layout, n, 1), b = T(matrix_of)(w, layout, n, columns), x = T(duplicate)(&b), factor;
  int32_t info = 0;
  operand *pa, *px, *pi;
  int done;
  if (negative >= 0) {
    *T(element)(&a, negative, negative) = -1;
  }
  factor = T(duplicate)(&a);
  pa = T(bring_matrix)(w, &factor), px = T(bring_matrix)(w, &x), pi = bring(w, &info, sizeof info, sizeof info);
  done = EITHER(w, potrf, (layout, uplo, n, (PASSED *)factor.at, factor.ld),
    (w->queue, layout, uplo, n, PLACE(pa), factor.ld, PLACE(pi), &w->event), w->on_device ? 0 : (int)negative + 1);
  await(w);
  if (negative < 0) {
    done = done && EITHER(w, potrs, (layout, uplo, n, columns, (PASSED *)factor.at, factor.ld, (PASSED *)x.at, x.ld),
      (w->queue, layout, uplo, n, columns, PLACE(pa), factor.ld, PLACE(px), x.ld, &w->event), 0);
    await(w);
  }
  (void)pa, (void)px, (void)pi;
  settle(w);
  if (w->on_device) {
    right(w, info == (int32_t)negative + 1, WHAT("potrf's info"));
  }
  right(w, !done || negative >= 0 || T(is_product)(w, 1, &a, AFFINIMATH_NO_TRANS, &x, AFFINIMATH_NO_TRANS, 0, &b, &b),
        WHAT("potrf, potrs"));
  discard(a.at), discard(b.at), discard(x.at), discard(factor.at);
}

/* A symmetric system by Bunch and Kaufman's factorisation, whose diagonal is now and then zero. */
static void T(indefinite)(worker *w, int64_t most)
{
  const int layout = ONE_OF(w, LAYOUTS), uplo = ONE_OF(w, TRIANGLES), hollow = one_in(w, 4);
  const int64_t n = size_up_to(w, most), columns = size_up_to(w, 8);
  T(matrix) a = T(dominant)(w, layout, n, 0), b = T(matrix_of)(w, layout, n, columns), x = T(duplicate)(&b), factors;
  int32_t *pivots = room((size_t)n * sizeof *pivots), info = 0;
  operand *pa, *pp, *px, *pi;
  int done;
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j < i; ++j) {
      *T(element)(&a, j, i) = *T(element)(&a, i, j);
    }
  }
  /* Pairs of zeros on the diagonal, with large numbers beside them. */
  for (int64_t i = 0; hollow && i + 1 < n; i += 2) {
    *T(element)(&a, i, i + 1) = *T(element)(&a, i + 1, i) = *T(element)(&a, i, i);
    *T(element)(&a, i, i) = *T(element)(&a, i + 1, i + 1) = 0;
  }
  factors = T(duplicate)(&a);
  pa = T(bring_matrix)(w, &factors), px = T(bring_matrix)(w, &x);
  pp = bring(w, pivots, (size_t)n * sizeof *pivots, sizeof *pivots), pi = bring(w, &info, sizeof info, sizeof info);
  done = EITHER(w, sysv, (layout, uplo, n, columns, (PASSED *)factors.at, factors.ld, pivots, (PASSED *)x.at, x.ld),
    (w->queue, layout, uplo, n, columns, PLACE(pa), factors.ld, PLACE(pp), PLACE(px), x.ld, PLACE(pi), &w->event), 0);
  (void)pa, (void)pp, (void)px, (void)pi;
  await(w);
  settle(w);
  right(w, info == 0, WHAT("sysv's info"));
  right(w, !done || T(is_product)(w, 1, &a, AFFINIMATH_NO_TRANS, &x, AFFINIMATH_NO_TRANS, 0, &b, &b), WHAT("sysv"));
  discard(a.at), discard(b.at), discard(x.at), discard(factors.at), discard(pivots);
}

/* The columns of R are as long as those of A. */
static void T(qr)(worker *w, int64_t most)
{
  const int layout = ONE_OF(w, LAYOUTS);
  const int64_t n = size_up_to(w, most), m = n + below(w, most);
  T(matrix) a = T(matrix_of)(w, layout, m, n), r = T(duplicate)(&a);
  NUMBER *tau = T(numbers)(w, n);
  operand *pa = T(bring_matrix)(w, &r), *pt = bring(w, tau, (size_t)n * sizeof *tau, sizeof *tau);
  int good = EITHER(w, geqrf, (layout, m, n, (PASSED *)r.at, r.ld, (PASSED *)tau),
    (w->queue, layout, m, n, PLACE(pa), r.ld, PLACE(pt), &w->event), 0);
  (void)pa, (void)pt;
  await(w);
  settle(w);
  for (int64_t j = 0; j < n; ++j) {
    double long_a = 0, long_r = 0;
    for (int64_t i = 0; i < m; ++i) {
      long_a += pow(MODULUS((WIDE)*T(element)(&a, i, j)), 2);
      long_r += i <= j ? pow(MODULUS((WIDE)*T(element)(&r, i, j)), 2) : 0;
    }
    good = good && fabs(long_a - long_r) <= 30 * (double)(m + n) * EPSILON * long_a;
  }
  right(w, good, WHAT("geqrf"));
  discard(a.at), discard(r.at), discard(tau);
}

/* Least squares, by gels or with column pivoting by gelsy: the residual is orthogonal to A's columns. */
static void T(gels)(worker *w, int64_t most)
{
  const int layout = ONE_OF(w, LAYOUTS);
  const int64_t n = size_up_to(w, most / 2 + 1), m = n + below(w, most), columns = size_up_to(w, 4);
  T(matrix) a = T(matrix_of)(w, layout, m, n), b = T(matrix_of)(w, layout, m, columns), factors, x = T(duplicate)(&b);
  const int pivoting = one_in(w, 2);
  int32_t info = 0, rank = (int32_t)n, *jpvt = room((size_t)n * sizeof *jpvt);
  operand *pa, *px, *pi;
  int good;
  for (int64_t i = 0; i < n; ++i) {
    *T(element)(&a, i, i) += (NUMBER)(double)m;
  }
  factors = T(duplicate)(&a);
  memset(jpvt, 0, (size_t)n * sizeof *jpvt);
  pa = T(bring_matrix)(w, &factors), px = T(bring_matrix)(w, &x);
  if (pivoting) {
    pi = bring(w, jpvt, (size_t)n * sizeof *jpvt, sizeof *jpvt);
    good = EITHER(
        w, gelsy, (layout, m, n, columns, (PASSED *)factors.at, factors.ld, (PASSED *)x.at, x.ld, jpvt, 0, &rank),
        (w->queue, layout, m, n, columns, PLACE(pa), factors.ld, PLACE(px), x.ld, PLACE(pi), 0, &rank, &w->event), 0);
  } else {
    pi = bring(w, &info, sizeof info, sizeof info);
    good = EITHER(w, gels,
                  (layout, AFFINIMATH_NO_TRANS, m, n, columns, (PASSED *)factors.at, factors.ld, (PASSED *)x.at, x.ld),
                  (w->queue, layout, AFFINIMATH_NO_TRANS, m, n, columns, PLACE(pa), factors.ld, PLACE(px), x.ld,
                   PLACE(pi), &w->event),
                  0);
  }
  (void)pa, (void)px, (void)pi;
  await(w);
  settle(w);
  for (int64_t j = 0; good && j < columns; ++j) {
    WIDE *residual = T(zeros)(m), *ones = T(zeros)(n), *products = T(zeros)(n);
    double *size = T(sizes)(m), *sizes = T(sizes)(n), longest = 0;
    for (int64_t i = 0; i < m; ++i) {
      residual[i] = *T(element)(&b, i, j);
      size[i] = MODULUS(residual[i]);
    }
    for (int64_t i = 0; i < n; ++i) {
      ones[i] = *T(element)(&x, i, j);
    }
    T(add_product)(-1, &a, AFFINIMATH_NO_TRANS, ones, residual, size);
    T(add_product)(1, &a, AFFINIMATH_CONJ_TRANS, residual, products, sizes);
    /* Bounded by norms: a column's errors go into all of them. */
    for (int64_t i = 0; i < m; ++i) {
      longest = size[i] > longest ? size[i] : longest;
    }
    for (int64_t i = 0; i < n; ++i) {
      sizes[i] = 2 * (double)m * longest * sqrt((double)m);
    }
    good = T(vanishes)(products, sizes, n, m + n);
    discard(residual), discard(ones), discard(products), discard(size), discard(sizes);
  }
  right(w, good && info == 0 && rank == n, pivoting ? WHAT("gelsy") : WHAT("gels"));
  discard(a.at), discard(b.at), discard(x.at), discard(factors.at), discard(jpvt);
}

/* Batches, column by column: products, and systems by LU or Cholesky. */
static void T(batches)(worker *w, int64_t most)
{
  const int64_t n = size_up_to(w, most < 40 ? most : 40), batch = size_up_to(w, 20), many = n * n * batch;
  const int layout = ONE_OF(w, LAYOUTS), keep = AFFINIMATH_NO_TRANS, hermitian = one_in(w, 2);
  NUMBER *a = room((size_t)many * sizeof *a), *b = T(numbers)(w, many), *c = T(numbers)(w, many), *before, *factors;
  int32_t *pivots = room((size_t)(n * batch) * sizeof *pivots), *info = room((size_t)batch * sizeof *info);
  operand *pa, *pb, *pc;
  int good;
  for (int64_t i = 0; i < batch; ++i) {
    T(matrix) one = T(dominant)(w, layout, n, hermitian);
    for (int64_t j = 0; j < n * n; ++j) {
      a[i * n * n + j] = one.at[j % n + j / n * one.ld];
    }
    discard(one.at);
  }
  factors = copy_of(a, (size_t)many * sizeof *a);
  before = copy_of(b, (size_t)many * sizeof *b);
  pa = bring(w, a, (size_t)many * sizeof *a, sizeof *a), pb = bring(w, b, (size_t)many * sizeof *b, sizeof *b);
  pc = bring(w, c, (size_t)many * sizeof *c, sizeof *c);
  good = EITHER(w, gemmStridedBatched,
                (layout, keep, keep, n, n, n, PASS(1), (PASSED *)a, n, n * n, (PASSED *)b, n, n * n, PASS(0),
                 (PASSED *)c, n, n * n, batch),
                (w->queue, layout, keep, keep, n, n, n, PASS(1), PLACE(pa), n, n * n, PLACE(pb), n, n * n, PASS(0),
                 PLACE(pc), n, n * n, batch, &w->event),
                0);
  (void)pa, (void)pb, (void)pc;
  await(w);
  settle(w);
  good = good && (hermitian ? EXPECT(w,
                                     HOST(posvStridedBatched)(layout, AFFINIMATH_LOWER, n, n, (PASSED *)factors, n,
                                                              n * n, (PASSED *)b, n, n * n, info, batch),
                                     0)
                            : EXPECT(w,
                                     HOST(gesvStridedBatched)(layout, n, n, (PASSED *)factors, n, n * n, pivots, n,
                                                              (PASSED *)b, n, n * n, info, batch),
                                     0));
  for (int64_t i = 0; good && i < batch; ++i) {
    T(matrix) ai = {a + i * n * n, n, n, n, layout}, bi = ai, ci = ai, xi = ai;
    bi.at = before + i * n * n, ci.at = c + i * n * n, xi.at = b + i * n * n;
    good = T(is_product)(w, 1, &ai, keep, &bi, keep, 0, &bi, &ci) &&
           T(is_product)(w, 1, &ai, keep, &xi, keep, 0, &bi, &bi) && info[i] == 0;
  }
  right(w, good, WHAT("batches"));
  discard(a), discard(b), discard(c), discard(before), discard(factors), discard(pivots), discard(info);
}
