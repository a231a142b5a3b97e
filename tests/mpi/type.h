/* Distributed routines in one type: T with its real type R, F(name) for the functions, CONJ(x), IS_COMPLEX. */

static T NAME(element)(int seed, int64_t i, int64_t j)
{
  double re = sin(1.0 + 12.9898 * (double)i + 78.233 * (double)j + seed);
#if IS_COMPLEX
  return (R)re + (R)cos(3.0 * re + (double)(i - j)) * (R)0.5 * I;
#else
  return (R)re;
#endif
}

typedef struct NAME(matrix) {
  int desc[9];
  T *local;
  int64_t rows, columns;
} NAME(matrix);

enum NAME(kind) { NAME(FULL), NAME(DOMINANT), NAME(HERMITIAN), NAME(SYMMETRIC) };

static T NAME(value)(int kind, int seed, int64_t n, int64_t i, int64_t j)
{
  if (kind == NAME(HERMITIAN) || kind == NAME(SYMMETRIC)) {
    T value = i >= j ? NAME(element)(seed, i, j) : NAME(element)(seed, j, i);
    if (kind == NAME(HERMITIAN) && i < j) value = CONJ(value);
    return i == j ? (T)(R)(2 * n) : value;
  }
  return NAME(element)(seed, i, j) + (kind == NAME(DOMINANT) && i == j ? (T)(R)(2 * n) : (T)0);
}

/* A matrix whose elements every rank knows. Leading dimensions are longer than needed. */
static NAME(matrix) NAME(make)(int kind, int seed, int m, int n, int mb, int nb)
{
  NAME(matrix) a = {{1, 0, m, n, mb, nb, 0, 0, 0}, NULL, 0, 0};
  int64_t i, j;
  a.rows = affinimathMpiNumroc(m, mb, row, 0, rows);
  a.columns = affinimathMpiNumroc(n, nb, column, 0, columns);
  a.desc[8] = (int)a.rows + 3;
  a.local = malloc(sizeof(T) * (size_t)(a.desc[8] * (a.columns + 1)));
  for (j = 0; j < a.columns; ++j) {
    for (i = 0; i < a.rows; ++i) {
      int64_t gi = (i / mb * rows + row) * mb + i % mb, gj = (j / nb * columns + column) * nb + j % nb;
      a.local[i + j * a.desc[8]] = NAME(value)(kind, seed, n, gi, gj);
    }
  }
  return a;
}

/* The largest difference of two matrices of one layout over all ranks; of the lower triangle alone where it is said. */
static double NAME(difference)(const NAME(matrix) *a, const NAME(matrix) *b, int lower)
{
  double largest = 0, all = 0;
  int64_t i, j;
  for (j = 0; j < a->columns; ++j) {
    for (i = 0; i < a->rows; ++i) {
      int64_t gi = (i / a->desc[4] * rows + row) * a->desc[4] + i % a->desc[4];
      int64_t gj = (j / a->desc[5] * columns + column) * a->desc[5] + j % a->desc[5];
      double d = ABS(a->local[i + j * a->desc[8]] - b->local[i + j * b->desc[8]]);
      if ((!lower || gi >= gj) && !(d <= largest)) largest = d;
    }
  }
  MPI_Allreduce(&largest, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return all;
}

static void NAME(products)(void)
{
  enum { M = 23, N = 17, K = 19 };
  const T alpha = (R)1.5, beta = (R)-0.5;
  NAME(matrix) a = NAME(make)(NAME(FULL), 1, M, K, 4, 3), b = NAME(make)(NAME(FULL), 2, K, N, 3, 5);
  NAME(matrix) c = NAME(make)(NAME(FULL), 3, M, N, 4, 5), d = NAME(make)(NAME(FULL), 3, M, N, 4, 5);
  NAME(matrix) s = NAME(make)(NAME(SYMMETRIC), 4, M, M, 4, 4), at = NAME(make)(NAME(FULL), 9, K, M, 2, 2);
  NAME(matrix) u = NAME(make)(NAME(FULL), 5, M, M, 4, 4), v = NAME(make)(NAME(FULL), 5, M, M, 4, 4);
  int64_t i, j, k;
  CHECK_STATUS(F(gemm)(grid, AFFINIMATH_NO_TRANS, AFFINIMATH_NO_TRANS, alpha, a.local, a.desc, b.local, b.desc, beta,
                       c.local, c.desc));
  for (j = 0; j < d.columns; ++j) {
    for (i = 0; i < d.rows; ++i) {
      int64_t gi = (i / 4 * rows + row) * 4 + i % 4, gj = (j / 5 * columns + column) * 5 + j % 5;
      T sum = 0;
      for (k = 0; k < K; ++k) sum += NAME(element)(1, gi, k) * NAME(element)(2, k, gj);
      d.local[i + j * d.desc[8]] = alpha * sum + beta * d.local[i + j * d.desc[8]];
    }
  }
  CHECK(NAME(difference)(&c, &d, 0) < 200 * EPS);

  /* op(A) in another layout gives the same product. */
  CHECK_STATUS(F(redistribute)(grid, AFFINIMATH_CONJ_TRANS, a.local, a.desc, at.local, at.desc));
  CHECK_STATUS(F(gemm)(grid, AFFINIMATH_CONJ_TRANS, AFFINIMATH_NO_TRANS, alpha, at.local, at.desc, b.local, b.desc, 0,
                       d.local, d.desc));
  CHECK_STATUS(F(gemm)(grid, AFFINIMATH_NO_TRANS, AFFINIMATH_NO_TRANS, alpha, a.local, a.desc, b.local, b.desc, 0,
                       c.local, c.desc));
  CHECK(NAME(difference)(&c, &d, 0) < 200 * EPS);

  CHECK_STATUS(F(symm)(grid, AFFINIMATH_LEFT, AFFINIMATH_LOWER, alpha, s.local, s.desc, c.local, c.desc, 0, d.local,
                       d.desc));
  {
    NAME(matrix) e = NAME(make)(NAME(FULL), 6, M, N, 4, 5);
    CHECK_STATUS(F(gemm)(grid, AFFINIMATH_NO_TRANS, AFFINIMATH_NO_TRANS, alpha, s.local, s.desc, c.local, c.desc, 0,
                         e.local, e.desc));
    CHECK(NAME(difference)(&d, &e, 0) < 20000 * EPS);
    free(e.local);
  }
  CHECK_STATUS(F(syrk)(grid, AFFINIMATH_LOWER, AFFINIMATH_NO_TRANS, alpha, a.local, a.desc, beta, u.local, u.desc));
  CHECK_STATUS(F(gemm)(grid, AFFINIMATH_NO_TRANS, AFFINIMATH_TRANS, alpha, a.local, a.desc, a.local, a.desc, beta,
                       v.local, v.desc));
  CHECK(NAME(difference)(&u, &v, 1) < 200 * EPS);
#if IS_COMPLEX
  {
    NAME(matrix) h = NAME(make)(NAME(HERMITIAN), 4, M, M, 4, 4), w = NAME(make)(NAME(HERMITIAN), 4, M, M, 4, 4);
    NAME(matrix) e = NAME(make)(NAME(FULL), 6, M, N, 4, 5);
    CHECK_STATUS(F(hemm)(grid, AFFINIMATH_LEFT, AFFINIMATH_UPPER, alpha, h.local, h.desc, c.local, c.desc, 0, d.local,
                         d.desc));
    CHECK_STATUS(F(gemm)(grid, AFFINIMATH_NO_TRANS, AFFINIMATH_NO_TRANS, alpha, h.local, h.desc, c.local, c.desc, 0,
                         e.local, e.desc));
    CHECK(NAME(difference)(&d, &e, 0) < 20000 * EPS);
    CHECK_STATUS(F(herk)(grid, AFFINIMATH_LOWER, AFFINIMATH_NO_TRANS, (R)1.5, a.local, a.desc, (R)-0.5, h.local,
                         h.desc));
    CHECK_STATUS(F(gemm)(grid, AFFINIMATH_NO_TRANS, AFFINIMATH_CONJ_TRANS, alpha, a.local, a.desc, a.local, a.desc,
                         beta, w.local, w.desc));
    CHECK(NAME(difference)(&h, &w, 1) < 200 * EPS);
    free(h.local), free(w.local), free(e.local);
  }
#endif
  free(a.local), free(b.local), free(c.local), free(d.local), free(s.local), free(at.local), free(u.local);
  free(v.local);
}

/* B - A X, in units of |A| |X| n eps. */
static double NAME(ratio)(const NAME(matrix) *a, const NAME(matrix) *x, NAME(matrix) b)
{
  double residual = 1e30, norm_a = 0, norm_x = 0;
  CHECK_STATUS(F(gemm)(grid, AFFINIMATH_NO_TRANS, AFFINIMATH_NO_TRANS, -1, a->local, a->desc, x->local, x->desc, 1,
                       b.local, b.desc));
  CHECK_STATUS(F(lange)(grid, AFFINIMATH_MAX_NORM, b.local, b.desc, &residual));
  CHECK_STATUS(F(lange)(grid, AFFINIMATH_ONE_NORM, a->local, a->desc, &norm_a));
  CHECK_STATUS(F(lange)(grid, AFFINIMATH_MAX_NORM, x->local, x->desc, &norm_x));
  free(b.local);
  return residual / (norm_a * norm_x * a->desc[2] * EPS);
}

static void NAME(systems)(void)
{
  enum { N = 29, RHS = 5 };
  const NAME(matrix) whole = NAME(make)(NAME(FULL), 1, N, N, 4, 4), spd = NAME(make)(NAME(HERMITIAN), 2, N, N, 4, 4);
  NAME(matrix) a = NAME(make)(NAME(FULL), 1, N, N, 4, 4), b = NAME(make)(NAME(FULL), 3, N, RHS, 4, 2);
  int pivots[N], again[N], i;
  T tau[N];
  CHECK_STATUS(F(gesv)(grid, a.local, a.desc, pivots, b.local, b.desc));
  CHECK(NAME(ratio)(&whole, &b, NAME(make)(NAME(FULL), 3, N, RHS, 4, 2)) < 30);
  free(a.local), free(b.local);

  a = NAME(make)(NAME(FULL), 1, N, N, 4, 4), b = NAME(make)(NAME(FULL), 3, N, RHS, 4, 2);
  CHECK_STATUS(F(getrf)(grid, a.local, a.desc, again));
  for (i = 0; i < N; ++i) CHECK(pivots[i] == again[i] && pivots[i] > i && pivots[i] <= N);
  CHECK_STATUS(F(getrs)(grid, AFFINIMATH_NO_TRANS, a.local, a.desc, again, b.local, b.desc));
  CHECK(NAME(ratio)(&whole, &b, NAME(make)(NAME(FULL), 3, N, RHS, 4, 2)) < 30);
  free(a.local), free(b.local);

  a = NAME(make)(NAME(HERMITIAN), 2, N, N, 4, 4), b = NAME(make)(NAME(FULL), 3, N, RHS, 4, 2);
  CHECK_STATUS(F(posv)(grid, AFFINIMATH_UPPER, a.local, a.desc, b.local, b.desc));
  CHECK(NAME(ratio)(&spd, &b, NAME(make)(NAME(FULL), 3, N, RHS, 4, 2)) < 30);
  free(a.local), free(b.local);

  a = NAME(make)(NAME(HERMITIAN), 2, N, N, 4, 4), b = NAME(make)(NAME(FULL), 3, N, RHS, 4, 2);
  CHECK_STATUS(F(potrf)(grid, AFFINIMATH_LOWER, a.local, a.desc));
  CHECK_STATUS(F(potrs)(grid, AFFINIMATH_LOWER, a.local, a.desc, b.local, b.desc));
  CHECK(NAME(ratio)(&spd, &b, NAME(make)(NAME(FULL), 3, N, RHS, 4, 2)) < 30);
  /* The factor's triangle by itself. */
  free(b.local);
  b = NAME(make)(NAME(FULL), 3, N, RHS, 4, 2);
  CHECK_STATUS(F(trsm)(grid, AFFINIMATH_LEFT, AFFINIMATH_LOWER, AFFINIMATH_NO_TRANS, AFFINIMATH_NON_UNIT, 1, a.local,
                       a.desc, b.local, b.desc));
  CHECK_STATUS(F(trsm)(grid, AFFINIMATH_LEFT, AFFINIMATH_LOWER, AFFINIMATH_CONJ_TRANS, AFFINIMATH_NON_UNIT, 1, a.local,
                       a.desc, b.local, b.desc));
  CHECK(NAME(ratio)(&spd, &b, NAME(make)(NAME(FULL), 3, N, RHS, 4, 2)) < 30);
  free(a.local), free(b.local);

  /* Q^H A is R, and Q R is A. */
  a = NAME(make)(NAME(FULL), 1, N, N, 4, 4), b = NAME(make)(NAME(FULL), 1, N, N, 4, 4);
  CHECK_STATUS(F(geqrf)(grid, a.local, a.desc, tau));
  CHECK_STATUS(F(ormqr)(grid, AFFINIMATH_CONJ_TRANS, a.local, a.desc, tau, b.local, b.desc));
  {
    NAME(matrix) lower = NAME(make)(NAME(FULL), 1, N, N, 4, 4), upper = NAME(make)(NAME(FULL), 1, N, N, 4, 4);
    int64_t j, k;
    for (j = 0; j < b.columns; ++j) {
      for (k = 0; k < b.rows; ++k) {
        int64_t gi = (k / 4 * rows + row) * 4 + k % 4, gj = (j / 4 * columns + column) * 4 + j % 4;
        T *r = &a.local[k + j * a.desc[8]];
        lower.local[k + j * lower.desc[8]] = gi > gj ? (T)0 : b.local[k + j * b.desc[8]];
        upper.local[k + j * upper.desc[8]] = gi > gj ? b.local[k + j * b.desc[8]] : *r;
      }
    }
    CHECK(NAME(difference)(&lower, &b, 0) < 400 * EPS);
    CHECK(NAME(difference)(&upper, &b, 0) < 400 * EPS);
    free(lower.local), free(upper.local);
  }
  CHECK_STATUS(F(ormqr)(grid, AFFINIMATH_NO_TRANS, a.local, a.desc, tau, b.local, b.desc));
  CHECK(NAME(difference)(&whole, &b, 0) < 400 * EPS);
  free(a.local), free(b.local), free(whole.local), free(spd.local);
}

/* Indices of a block's element on three axes, of which the last ones are the array's. */
static void NAME(indices)(int axes, const int64_t *offset, const int64_t *shape, int64_t element, int64_t *index)
{
  int axis;
  index[0] = 0;
  for (axis = axes; axis-- > 0; element /= shape[axis]) {
    index[3 - axes + axis] = offset[axis] + element % shape[axis];
  }
}

/* One element of the spectrum, by its definition; the sum of the array's moduli. */
static double _Complex NAME(dft)(const int64_t *n, const int64_t *k, double *moduli)
{
  const double turn = 2 * acos(-1.0);
  double _Complex sum = 0;
  int64_t i, j, l;
  *moduli = 0;
  for (i = 0; i < n[0]; ++i) {
    for (j = 0; j < n[1]; ++j) {
      for (l = 0; l < n[2]; ++l) {
        double angle = turn * ((double)(i * k[0] % n[0]) / (double)n[0] + (double)(j * k[1] % n[1]) / (double)n[1] +
                               (double)(l * k[2] % n[2]) / (double)n[2]);
        T x = NAME(element)(7, i * n[1] + j, l);
        sum += (double _Complex)x * (cos(angle) - I * sin(angle));
        *moduli += ABS(x);
      }
    }
  }
  return sum;
}

/* Both directions of one plan, element by element. */
static void NAME(transform)(int axes, const int64_t *lengths, int decomposition, int64_t p, int64_t q, int transposed)
{
  affinimath_mpi_fft_plan *plan = NULL;
  affinimath_mpi_fft_blocks blocks;
  int64_t n[3] = {1, 1, 1}, k[3], count = 1, spectral = 1, counts[2], all[2], i;
  double points = 1, moduli;
  T *field, *back;
  R _Complex *spectrum;
  for (i = 0; i < axes; ++i) n[3 - axes + i] = lengths[i], points *= (double)lengths[i];
  CHECK_STATUS(F(fftPlanCreate)(grid, axes, lengths, decomposition, p, q, transposed, 1 / points, &plan));
  CHECK_STATUS(affinimathMpiFftBlocks(plan, &blocks));
  for (i = 0; i < axes; ++i) count *= blocks.input_shape[i], spectral *= blocks.output_shape[i];
  if (decomposition == AFFINIMATH_MPI_PENCILS && count > 0) {
    CHECK(blocks.input_shape[0] <= (n[0] + p - 1) / p && blocks.input_shape[1] <= (n[1] + q - 1) / q);
  }
  /* The ranks' blocks have all elements. */
  counts[0] = count, counts[1] = spectral;
  MPI_Allreduce(counts, all, 2, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  CHECK(all[0] == n[0] * n[1] * n[2] && all[1] == n[0] * n[1] * (IS_COMPLEX ? n[2] : n[2] / 2 + 1));

  field = malloc(sizeof *field * (size_t)(count + 1)), back = malloc(sizeof *back * (size_t)(count + 1));
  spectrum = malloc(sizeof *spectrum * (size_t)(spectral + 1));
  for (i = 0; i < count; ++i) {
    NAME(indices)(axes, blocks.input_offset, blocks.input_shape, i, k);
    field[i] = NAME(element)(7, k[0] * n[1] + k[1], k[2]);
  }
  /* A rank without elements may have null. */
  CHECK_STATUS(affinimathMpiFftForward(plan, count > 0 ? field : NULL, spectral > 0 ? spectrum : NULL));
  for (i = 0; i < spectral; ++i) {
    double _Complex expected;
    NAME(indices)(axes, blocks.output_offset, blocks.output_shape, i, k);
    expected = NAME(dft)(n, k, &moduli);
    CHECK(cabs((double _Complex)spectrum[i] - expected) <= 10 * EPS * moduli);
  }
  CHECK_STATUS(affinimathMpiFftBackward(plan, spectral > 0 ? spectrum : NULL, count > 0 ? back : NULL));
  for (i = 0; i < count; ++i) CHECK(ABS(back[i] - field[i]) < 100 * EPS);
  CHECK_STATUS(affinimathMpiFftPlanDestroy(plan));
  free(field), free(back), free(spectrum);
}

static void NAME(transforms)(void)
{
  /* Even blocks, uneven ones, and more ranks than planes: some are empty. */
  const int64_t even[3] = {8, 4, 6}, uneven[3] = {6, 5, 7}, few[3] = {1, 3, 5};
  int transposed;
  for (transposed = -1; transposed < 2; ++transposed) {
    NAME(transform)(3, even, AFFINIMATH_MPI_AUTO, 0, 0, transposed);
    NAME(transform)(3, uneven, AFFINIMATH_MPI_SLABS, 0, 0, transposed);
    NAME(transform)(3, uneven, AFFINIMATH_MPI_PENCILS, rows, columns, transposed);
    NAME(transform)(3, uneven, AFFINIMATH_MPI_PENCILS, 1, size, transposed);
    NAME(transform)(3, few, AFFINIMATH_MPI_AUTO, 0, 0, transposed);
    NAME(transform)(3, few, AFFINIMATH_MPI_SLABS, 0, 0, transposed);
    NAME(transform)(3, few, AFFINIMATH_MPI_PENCILS, columns, rows, transposed);
    NAME(transform)(2, uneven, AFFINIMATH_MPI_AUTO, 0, 0, transposed);
    NAME(transform)(2, few, AFFINIMATH_MPI_SLABS, 0, 0, transposed);
  }
}

static void NAME(all)(void)
{
  NAME(products)();
  NAME(systems)();
  NAME(transforms)();
}

#undef T
#undef R
#undef F
#undef NAME
#undef CONJ
#undef ABS
#undef EPS
#undef IS_COMPLEX
