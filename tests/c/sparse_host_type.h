/* The tests of sparse matrices with host pointers for one type: sparse_host.c includes this with LETTER and ELEMENT. */

#define JOIN_(a, b, c) a##b##c
#define JOIN(a, b, c) JOIN_(a, b, c)
#define CALL(name) JOIN(affinimath, LETTER, name)
#define TEST(name) JOIN(name, _, LETTER)
#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)
#define TYPE (TEXT(LETTER)[0])

static ELEMENT TEST(element)(double re, double im)
{
  ELEMENT x;
  put(TYPE, &x, 0, of_type(TYPE, make(re, im)));
  return x;
}

static affinimath_csr *TEST(small)(void)
{
  affinimath_csr *a = NULL;
  ELEMENT values[ENTRIES];
  for (int e = 0; e < ENTRIES; ++e) {
    put(TYPE, values, e, of_type(TYPE, VALUES[e]));
  }
  CHECK(CALL(csrCreate)(ROWS, COLUMNS, POINTERS, INDICES, values, &a) == 0 && a != NULL, TEXT(LETTER));
  return a;
}

/* True if a matrix is op of the small one, with alpha on it. */
static int TEST(is)(const affinimath_csr *a, int op, number alpha)
{
  const int rows = transposing(op) ? COLUMNS : ROWS, columns = transposing(op) ? ROWS : COLUMNS;
  ELEMENT b[ROWS * 7];
  int good;
  memset(b, 0x5a, sizeof b);
  good = CALL(csrToDense)(AFFINIMATH_ROW_MAJOR, a, b, 7) == 0;
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < columns; ++j) {
      good = good && same(get(TYPE, b, 7 * i + j), product(alpha, dense(TYPE, op, i, j)));
    }
  }
  return good;
}

static void TEST(arrays)(void)
{
  affinimath_csr *a = TEST(small)(), *wide = NULL;
  int32_t pointers[ROWS + 1], indices[ENTRIES];
  int64_t wide_pointers[ROWS + 1], rows, columns, entries;
  ELEMENT values[ENTRIES], again[ENTRIES];
  CHECK(affinimathCsrShape(a, &rows, &columns, &entries) == 0, "shape");
  CHECK(rows == ROWS && columns == COLUMNS && entries == ENTRIES, "shape");
  CHECK(CALL(csrDownload)(a, ENTRIES, pointers, indices, values) == 0, "download");
  CHECK(memcmp(pointers, POINTERS, sizeof pointers) == 0 && memcmp(indices, INDICES, sizeof indices) == 0, "arrays");
  for (int e = 0; e < ENTRIES; ++e) {
    CHECK(same(get(TYPE, values, e), of_type(TYPE, VALUES[e])), "values");
  }
  for (int i = 0; i <= ROWS; ++i) {
    wide_pointers[i] = POINTERS[i];
  }
  CHECK(CALL(csrCreate64)(ROWS, COLUMNS, wide_pointers, INDICES, values, &wide) == 0, "64 bits");
  CHECK(TEST(is)(wide, AFFINIMATH_NO_TRANS, make(1, 0)), "64 bits");
  memset(wide_pointers, 0, sizeof wide_pointers);
  CHECK(CALL(csrDownload64)(wide, ENTRIES, wide_pointers, indices, again) == 0, "64 bits");
  CHECK(wide_pointers[ROWS] == ENTRIES && memcmp(values, again, sizeof values) == 0, "64 bits");
  REFUSED(CALL(csrDownload)(wide, ENTRIES, pointers, indices, values), -1, "64 bits");
  REFUSED(CALL(csrDownload64)(a, ENTRIES, wide_pointers, indices, values), -1, "32 bits");
  CHECK(affinimathCsrDestroy(a) == 0 && affinimathCsrDestroy(wide) == 0, "destroy");
}

static void TEST(conversions)(void)
{
  affinimath_csr *a = TEST(small)(), *b = NULL, *c = NULL;
  int32_t row_indices[ENTRIES];
  ELEMENT values[ENTRIES], matrix[ROWS * COLUMNS], x[COLUMNS];
  int64_t rows, columns, entries;
  for (int i = 0; i < ROWS; ++i) {
    for (int e = POINTERS[i]; e < POINTERS[i + 1]; ++e) {
      row_indices[e] = i;
      put(TYPE, values, e, of_type(TYPE, VALUES[e]));
    }
  }
  CHECK(TEST(is)(a, AFFINIMATH_NO_TRANS, make(1, 0)), "to dense");
  CHECK(CALL(csrFromCoo)(ROWS, COLUMNS, ENTRIES, row_indices, INDICES, values, &b) == 0, "a list");
  CHECK(TEST(is)(b, AFFINIMATH_NO_TRANS, make(1, 0)), "a list");
  CHECK(affinimathCsrShape(b, &rows, &columns, &entries) == 0 && entries == ENTRIES - 1, "duplicates are added");
  affinimathCsrDestroy(b);
  CHECK(CALL(csrFromCoo64)(ROWS, COLUMNS, ENTRIES, row_indices, INDICES, values, &b) == 0, "a list");
  CHECK(TEST(is)(b, AFFINIMATH_NO_TRANS, make(1, 0)), "a list");
  affinimathCsrDestroy(b);
  CHECK(CALL(csrToDense)(AFFINIMATH_COL_MAJOR, a, matrix, ROWS) == 0, "to dense");
  CHECK(CALL(csrFromDense)(AFFINIMATH_COL_MAJOR, ROWS, COLUMNS, matrix, ROWS, &b) == 0, "from dense");
  CHECK(TEST(is)(b, AFFINIMATH_NO_TRANS, make(1, 0)), "from dense");
  affinimathCsrDestroy(b);
  CHECK(CALL(csrFromDense64)(AFFINIMATH_ROW_MAJOR, COLUMNS, ROWS, matrix, ROWS, &b) == 0, "from dense");
  CHECK(TEST(is)(b, AFFINIMATH_TRANS, make(1, 0)), "from dense");
  affinimathCsrDestroy(b);
  CHECK(affinimathCsrTranspose(a, &b) == 0 && TEST(is)(b, AFFINIMATH_TRANS, make(1, 0)), "transpose");
  affinimathCsrDestroy(b);
  CHECK(affinimathCsrSorted(a, &b) == 0 && TEST(is)(b, AFFINIMATH_NO_TRANS, make(1, 0)), "sorted");
  CHECK(CALL(csrSum)(TEST(element)(3, 0), a, TEST(element)(-1, 0), b, &c) == 0, "sum");
  CHECK(TEST(is)(c, AFFINIMATH_NO_TRANS, make(2, 0)), "sum");
  CHECK(CALL(csrScale)(TEST(element)(-3, 0), c) == 0 && TEST(is)(c, AFFINIMATH_NO_TRANS, make(-6, 0)), "scale");
  affinimathCsrDestroy(c);
  CHECK(CALL(csrDiagonal)(a, x) == 0, "diagonal");
  for (int i = 0; i < COLUMNS; ++i) {
    CHECK(same(get(TYPE, x, i), dense(TYPE, AFFINIMATH_NO_TRANS, i, i)), "diagonal");
  }
  affinimathCsrDestroy(a);
  affinimathCsrDestroy(b);
}

static void TEST(changes)(void)
{
  affinimath_csr *a = TEST(small)();
  ELEMENT rows[ROWS], columns[COLUMNS], values[ENTRIES], b[ROWS * COLUMNS], x[ROWS], y[COLUMNS];
  for (int i = 0; i < ROWS; ++i) {
    put(TYPE, rows, i, of_type(TYPE, make(i + 1, i)));
    put(TYPE, x, i, make(1, 0));
  }
  for (int j = 0; j < COLUMNS; ++j) {
    put(TYPE, columns, j, of_type(TYPE, make(2 * j - 3, 1)));
  }
  /* The transpose that this product keeps has to be made anew. */
  CHECK(CALL(csrmv)(AFFINIMATH_TRANS, TEST(element)(1, 0), a, x, 1, TEST(element)(0, 0), y, 1) == 0, "product");
  CHECK(CALL(csrScaleRows)(a, rows) == 0 && CALL(csrScaleColumns)(a, columns) == 0, "scale");
  CHECK(CALL(csrToDense)(AFFINIMATH_ROW_MAJOR, a, b, COLUMNS) == 0, "to dense");
  CHECK(CALL(csrmv)(AFFINIMATH_TRANS, TEST(element)(1, 0), a, x, 1, TEST(element)(0, 0), y, 1) == 0, "product");
  for (int j = 0; j < COLUMNS; ++j) {
    number sum = make(0, 0);
    for (int i = 0; i < ROWS; ++i) {
      const number scaled =
          product(product(get(TYPE, rows, i), dense(TYPE, AFFINIMATH_NO_TRANS, i, j)), get(TYPE, columns, j));
      CHECK(same(get(TYPE, b, i * COLUMNS + j), scaled), "scaled");
      sum = plus(sum, scaled);
    }
    CHECK(same(get(TYPE, y, j), sum), "product with the transpose of the scaled matrix");
  }
  for (int e = 0; e < ENTRIES; ++e) {
    put(TYPE, values, e, product(make(2, 0), of_type(TYPE, VALUES[e])));
  }
  CHECK(CALL(csrSetValues)(a, ENTRIES, values) == 0 && TEST(is)(a, AFFINIMATH_NO_TRANS, make(2, 0)), "values");
  affinimathCsrDestroy(a);
}

static void TEST(products)(void)
{
  affinimath_csr *a = TEST(small)(), *t = NULL, *square = NULL, *whole = NULL;
  for (int o = 0; o < 4; ++o) {
    const int op = OPS[o], rows = transposing(op) ? COLUMNS : ROWS, columns = transposing(op) ? ROWS : COLUMNS;
    const number alpha = of_type(TYPE, make(2, -1)), beta = of_type(TYPE, make(-3, 1));
    ELEMENT x[2 * ROWS], y[ROWS], before[ROWS], b[3 * ROWS], c[3 * ROWS];
    for (int i = 0; i < ROWS; ++i) {
      put(TYPE, x, 2 * i, of_type(TYPE, make(i + 1, 2 - i)));
      put(TYPE, x, 2 * i + 1, make(NAN, NAN));
      put(TYPE, y, i, of_type(TYPE, make(1 - i, i)));
    }
    memcpy(before, y, sizeof y);
    CHECK(CALL(csrmv)(op, TEST(element)(2, -1), a, x, 2, TEST(element)(-3, 1), y, -1) == 0, "csrmv");
    for (int i = 0; i < rows; ++i) {
      number sum = product(beta, get(TYPE, before, rows - 1 - i));
      for (int j = 0; j < columns; ++j) {
        sum = plus(sum, product(alpha, product(dense(TYPE, op, i, j), get(TYPE, x, 2 * j))));
      }
      CHECK(same(get(TYPE, y, rows - 1 - i), sum), "csrmv");
    }
    /* Two columns, in either layout; with beta = 0 what was there is not read. */
    for (int layout = AFFINIMATH_ROW_MAJOR; layout <= AFFINIMATH_COL_MAJOR; ++layout) {
      const int by_rows = layout == AFFINIMATH_ROW_MAJOR;
      const int ldb = by_rows ? 3 : columns, ldc = by_rows ? 2 : rows + 1;
      fill(TYPE, b, 3 * ROWS);
      for (int i = 0; i < 3 * ROWS; ++i) {
        put(TYPE, c, i, make(NAN, NAN));
      }
      CHECK(CALL(csrmm)(layout, op, 2, TEST(element)(2, -1), a, b, ldb, TEST(element)(0, 0), c, ldc) == 0, "csrmm");
      for (int i = 0; i < rows; ++i) {
        for (int k = 0; k < 2; ++k) {
          number sum = make(0, 0);
          for (int j = 0; j < columns; ++j) {
            sum = plus(
                sum, product(alpha, product(dense(TYPE, op, i, j), get(TYPE, b, by_rows ? j * ldb + k : j + k * ldb))));
          }
          CHECK(same(get(TYPE, c, by_rows ? i * ldc + k : i + k * ldc), sum), "csrmm");
        }
      }
    }
    /* With alpha = 0 neither A nor x is read, and x may be null. */
    CHECK(CALL(csrmv)(op, TEST(element)(0, 0), a, NULL, 1, TEST(element)(0, 0), y, 1) == 0, "alpha = 0");
    CHECK(same(get(TYPE, y, rows - 1), make(0, 0)), "alpha = 0");
    for (int i = 0; i < rows; ++i) {
      put(TYPE, y, i, of_type(TYPE, make(i, 1 - i)));
      put(TYPE, c, 2 * i, of_type(TYPE, make(i, 2)));
      put(TYPE, c, 2 * i + 1, of_type(TYPE, make(3, -i)));
    }
    const ELEMENT none = TEST(element)(0, 0), minus = TEST(element)(-3, 1);
    CHECK(CALL(csrmv)(op, none, a, NULL, 1, minus, y, 1) == 0, "alpha = 0");
    CHECK(CALL(csrmm)(AFFINIMATH_ROW_MAJOR, op, 2, none, a, NULL, 2, minus, c, 2) == 0, "alpha = 0");
    for (int i = 0; i < rows; ++i) {
      CHECK(same(get(TYPE, y, i), product(beta, of_type(TYPE, make(i, 1 - i)))), "alpha = 0, csrmv");
      CHECK(same(get(TYPE, c, 2 * i), product(beta, of_type(TYPE, make(i, 2)))), "alpha = 0, csrmm");
      CHECK(same(get(TYPE, c, 2 * i + 1), product(beta, of_type(TYPE, make(3, -i)))), "alpha = 0, csrmm");
    }
  }
  CHECK(affinimathCsrTranspose(a, &t) == 0 && affinimathCsrProduct(a, t, &square) == 0, "product");
  CHECK(affinimathCsrMirrored(square, AFFINIMATH_SYMMETRIC, &whole) == 0, "mirrored");
  ELEMENT s[ROWS * ROWS], w[ROWS * ROWS];
  CHECK(CALL(csrToDense)(AFFINIMATH_ROW_MAJOR, square, s, ROWS) == 0, "to dense");
  CHECK(CALL(csrToDense)(AFFINIMATH_ROW_MAJOR, whole, w, ROWS) == 0, "to dense");
  for (int i = 0; i < ROWS; ++i) {
    for (int j = 0; j < ROWS; ++j) {
      number sum = make(0, 0);
      for (int k = 0; k < COLUMNS; ++k) {
        sum = plus(sum, product(dense(TYPE, AFFINIMATH_NO_TRANS, i, k), dense(TYPE, AFFINIMATH_NO_TRANS, j, k)));
      }
      CHECK(same(get(TYPE, s, i * ROWS + j), sum), "A times its transpose");
      CHECK(same(get(TYPE, w, i * ROWS + j), product(make(i == j ? 1 : 2, 0), sum)), "mirrored");
    }
  }
  affinimathCsrDestroy(a);
  affinimathCsrDestroy(t);
  affinimathCsrDestroy(square);
  affinimathCsrDestroy(whole);
}

static affinimath_csr *TEST(system)(int indefinite)
{
  int32_t pointers[UNKNOWNS + 1], indices[SYSTEM_ENTRIES];
  ELEMENT values[SYSTEM_ENTRIES];
  affinimath_csr *a = NULL;
  fill_system(TYPE, indefinite, pointers, indices, values);
  CHECK(CALL(csrCreate)(UNKNOWNS, UNKNOWNS, pointers, indices, values, &a) == 0, "a system");
  return a;
}

static void TEST(triangles)(void)
{
  affinimath_csr *a = TEST(system)(0);
  for (int o = 0; o < 4; ++o) {
    for (int uplo = AFFINIMATH_UPPER; uplo <= AFFINIMATH_LOWER; ++uplo) {
      for (int diag = AFFINIMATH_NON_UNIT; diag <= AFFINIMATH_UNIT; ++diag) {
        ELEMENT b[UNKNOWNS], x[UNKNOWNS];
        const int op = OPS[o], upper = (uplo == AFFINIMATH_UPPER) != transposing(op);
        double worst = 0;
        fill_right_hand_side(TYPE, b);
        memcpy(x, b, sizeof x);
        CHECK(CALL(csrsv)(uplo, op, diag, a, x, 1) == 0, "csrsv");
        for (int i = 0; i < UNKNOWNS; ++i) {
          const int j = upper ? i + 1 : i - 1;
          const number on = diag == AFFINIMATH_UNIT ? make(1, 0) : system_element(TYPE, 0, i, i);
          number rest = product(on, get(TYPE, x, i)), bi = get(TYPE, b, i);
          if (j >= 0 && j < UNKNOWNS) {
            number beside = transposing(op) ? system_element(TYPE, 0, j, i) : system_element(TYPE, 0, i, j);
            beside = conjugating(op) ? conjugate(beside) : beside;
            rest = plus(rest, product(beside, get(TYPE, x, j)));
          }
          const double size = fabs(bi.re) + fabs(bi.im) + 6 * (fabs(get(TYPE, x, i).re) + fabs(get(TYPE, x, i).im)) +
                              (j >= 0 && j < UNKNOWNS ? 2 * (fabs(get(TYPE, x, j).re) + fabs(get(TYPE, x, j).im)) : 0);
          worst = fmax(worst, (fabs(rest.re - bi.re) + fabs(rest.im - bi.im)) / size);
        }
        CHECK(worst <= 8 * epsilon(TYPE), "T x = b, row by row");
      }
    }
  }
  affinimathCsrDestroy(a);
}

/* Factors of each kind, with two right-hand sides by rows. */
static void TEST(factors)(void)
{
  affinimath_csr *a = TEST(system)(0), *indefinite = TEST(system)(1);
  affinimath_sparse_factors *f = NULL;
  ELEMENT b[UNKNOWNS], both[2 * UNKNOWNS], x[3 * UNKNOWNS], column[UNKNOWNS];
  double condition = 0;
  int32_t method = 0;
  int64_t rows = 0, columns = 0, entries = 0;
  fill_right_hand_side(TYPE, b);
  for (int i = 0; i < UNKNOWNS; ++i) {
    put(TYPE, both, 2 * i, get(TYPE, b, i));
    put(TYPE, both, 2 * i + 1, product(make(2, 0), get(TYPE, b, i)));
  }
  for (int kind = AFFINIMATH_FACTORS_AUTO; kind <= AFFINIMATH_FACTORS_QR; ++kind) {
    CHECK(affinimathSparseFactorsCreate(a, kind, &f) == 0 && f != NULL, "factors");
    CHECK(affinimathSparseFactorsInfo(f, &method, &rows, &columns, &entries) == 0, "info");
    CHECK(method == (kind == AFFINIMATH_FACTORS_AUTO ? AFFINIMATH_FACTORS_CHOLESKY : kind), "the method");
    CHECK(rows == UNKNOWNS && columns == UNKNOWNS && entries >= 2 * UNKNOWNS - 1, "sizes");
    CHECK(affinimathSparseFactorsCondition(f, &condition) == 0 && condition >= 1 && condition <= 16, "condition");
    /* The matrix is Hermitian: its conjugate transpose is itself. */
    for (int adjoint = 0; adjoint <= (kind != AFFINIMATH_FACTORS_QR); ++adjoint) {
      const int op = adjoint ? AFFINIMATH_CONJ_TRANS : AFFINIMATH_NO_TRANS;
      memset(x, 0x5a, sizeof x);
      CHECK(CALL(sparseFactorsSolve)(AFFINIMATH_ROW_MAJOR, op, UNKNOWNS, UNKNOWNS, 2, f, both, 2, x, 3) == 0, "solve");
      for (int i = 0; i < UNKNOWNS; ++i) {
        put(TYPE, column, i, get(TYPE, x, 3 * i));
      }
      CHECK(relative_residual(TYPE, 0, b, column) <= 100 * epsilon(TYPE), "the residual");
      for (int i = 0; i < UNKNOWNS; ++i) {
        put(TYPE, column, i, product(make(0.5, 0), get(TYPE, x, 3 * i + 1)));
      }
      CHECK(relative_residual(TYPE, 0, b, column) <= 100 * epsilon(TYPE), "the residual of another column");
    }
    if (kind == AFFINIMATH_FACTORS_QR) {
      REFUSED(CALL(sparseFactorsSolve)(AFFINIMATH_COL_MAJOR, AFFINIMATH_TRANS, UNKNOWNS, UNKNOWNS, 1, f, b, UNKNOWNS, x,
                                       UNKNOWNS), -2, "QR");
    }
    CHECK(affinimathSparseFactorsDestroy(f) == 0, "destroy");
  }
  /* Other values: what is not positive definite leaves Cholesky's factors as they are. */
  CHECK(affinimathSparseFactorsCreate(indefinite, AFFINIMATH_FACTORS_CHOLESKY, &f) > 0, "not positive definite");
  CHECK(affinimathSparseFactorsCreate(a, AFFINIMATH_FACTORS_CHOLESKY, &f) == 0, "factors");
  CHECK(affinimathSparseFactorsUpdate(f, indefinite) > 0 && affinimathSparseFactorsUpdate(f, a) == 0, "update");
  CHECK(CALL(sparseFactorsSolve)(AFFINIMATH_COL_MAJOR, AFFINIMATH_NO_TRANS, UNKNOWNS, UNKNOWNS, 1, f, b, UNKNOWNS, x,
                                 UNKNOWNS) == 0 && relative_residual(TYPE, 0, b, x) <= 100 * epsilon(TYPE), "solve");
  REFUSED(CALL(sparseFactorsSolve)(AFFINIMATH_COL_MAJOR, AFFINIMATH_NO_TRANS, UNKNOWNS, 2, 1, f, b, UNKNOWNS, x,
                                   UNKNOWNS), -4, "A has");
  REFUSED(CALL(sparseFactorsSolve)(AFFINIMATH_COL_MAJOR, AFFINIMATH_NO_TRANS, UNKNOWNS, UNKNOWNS, 1, f, b, 2, x,
                                   UNKNOWNS), -8, "ldb");
  REFUSED(affinimathSparseFactorsCreate(a, 7, &f), -2, "method");
  REFUSED(affinimathSparseFactorsCreate(NULL, AFFINIMATH_FACTORS_LU, &f), -1, "a");
  CHECK(affinimathSparseFactorsDestroy(f) == 0 && affinimathSparseFactorsDestroy(NULL) == 0, "destroy");
  CHECK(affinimathSparseFactorsCreate(indefinite, AFFINIMATH_FACTORS_AUTO, &f) == 0, "indefinite");
  CHECK(affinimathSparseFactorsInfo(f, &method, &rows, &columns, &entries) == 0, "info");
  CHECK(method == AFFINIMATH_FACTORS_LDL, "the method");
  CHECK(CALL(sparseFactorsSolve)(AFFINIMATH_COL_MAJOR, AFFINIMATH_NO_TRANS, UNKNOWNS, UNKNOWNS, 1, f, b, UNKNOWNS, x,
                                 UNKNOWNS) == 0 && relative_residual(TYPE, 1, b, x) <= 100 * epsilon(TYPE), "solve");
  affinimathSparseFactorsDestroy(f);
  affinimathCsrDestroy(a);
  affinimathCsrDestroy(indefinite);
}

/* A matrix, or a function of the caller's that multiplies by it. */
typedef struct TEST(multiplier) {
  const affinimath_csr *a;
  int calls, fails_at, status;
} TEST(multiplier);

static int TEST(multiply)(void *user, int op, const void *x, void *y)
{
  TEST(multiplier) *m = user;
  if (++m->calls == m->fails_at) {
    return m->status;
  }
  return CALL(csrmv)(op, TEST(element)(1, 0), m->a, x, 1, TEST(element)(0, 0), y, 1);
}

static int TEST(quarter)(void *user, int op, const void *x, void *y)
{
  (void)op;
  ++*(int *)user;
  for (int i = 0; i < UNKNOWNS; ++i) {
    put(TYPE, y, i, product(make(0.25, 0), get(TYPE, x, i)));
  }
  return 0;
}

static int TEST(solve)(int method, const affinimath_csr *a, TEST(multiplier) *m, const ELEMENT *b, ELEMENT *x,
                       const affinimath_solve_options *options, affinimath_solve_outcome *outcome)
{
  switch (method + (m != NULL ? 4 : 0)) {
  case 0: return CALL(cg)(a, b, x, options, outcome);
  case 1: return CALL(minres)(a, b, x, options, outcome);
  case 2: return CALL(bicgstab)(a, b, x, options, outcome);
  case 3: return CALL(gmres)(a, b, x, options, outcome);
  case 4: return CALL(cgOperator)(UNKNOWNS, TEST(multiply), m, b, x, options, outcome);
  case 5: return CALL(minresOperator)(UNKNOWNS, TEST(multiply), m, b, x, options, outcome);
  case 6: return CALL(bicgstabOperator)(UNKNOWNS, TEST(multiply), m, b, x, options, outcome);
  default: return CALL(gmresOperator)(UNKNOWNS, TEST(multiply), m, b, x, options, outcome);
  }
}

static void TEST(solves)(void)
{
  affinimath_csr *a[2] = {TEST(system)(0), TEST(system)(1)};
  enum { FUNCTION = 4, KINDS = 10 };
  affinimath_preconditioner *p[KINDS] = {NULL};
  affinimath_solve_options options;
  affinimath_solve_outcome outcome;
  ELEMENT b[UNKNOWNS], x[UNKNOWNS];
  int applied = 0;
  fill_right_hand_side(TYPE, b);
  CHECK(affinimathJacobiCreate(a[0], &p[1]) == 0, "jacobi");
  CHECK(affinimathChebyshevCreate(a[0], 3, &p[2]) == 0, "chebyshev");
  CHECK(affinimathChebyshevCreateBounds(a[0], 2, 1.5, 6.5, &p[3]) == 0, "chebyshev");
  CHECK(CALL(preconditionerCreate)(UNKNOWNS, TEST(quarter), &applied, &p[FUNCTION]) == 0, "a function");
  CHECK(affinimathBlockJacobiCreate(a[0], 7, &p[5]) == 0, "blocks");
  CHECK(affinimathSsorCreate(a[0], 1.2, &p[6]) == 0, "over-relaxation");
  CHECK(affinimathIlu0Create(a[0], &p[7]) == 0, "incomplete factors");
  CHECK(affinimathIc0Create(a[0], &p[8]) == 0, "incomplete Cholesky factors");
  CHECK(affinimathIc0CreateShifted(a[0], 0.5, &p[9]) == 0, "incomplete Cholesky factors of another diagonal");
  for (int method = 0; method < 4; ++method) {
    /* minres without a preconditioner for the indefinite matrix too. */
    for (int kind = 0; kind <= KINDS; ++kind) {
      const int indefinite = kind == KINDS && method > 0;
      for (int by_function = 0; by_function < 2; ++by_function) {
        TEST(multiplier) m = {a[indefinite], 0, -1, 0};
        told t = {0, 0};
        CHECK(affinimathSolveOptions(&options, is_double(TYPE) ? AFFINIMATH_DOUBLE : AFFINIMATH_SINGLE) == 0,
              "options");
        options.history = count_iteration;
        options.history_user = &t;
        options.preconditioner = kind == KINDS ? NULL : p[kind];
        memset(x, 0, sizeof x);
        applied = 0;
        CHECK(TEST(solve)(method, a[indefinite], by_function ? &m : NULL, b, x, &options, &outcome) == 0, "a solve");
        CHECK(outcome.reason == AFFINIMATH_CONVERGED && outcome.iterations > 0, "converged");
        CHECK(outcome.iterations == t.last && t.calls > 0, "history");
        CHECK(by_function == (m.calls > 0) && (kind == FUNCTION) == (applied > 0), "who was asked");
        CHECK(outcome.relative_residual <= options.rtol, "the residual that is told");
        CHECK(relative_residual(TYPE, indefinite, b, x) <= options.rtol + 100 * epsilon(TYPE),
              "the residual that there is");
      }
    }
    /* A function's nonzero value ends the solve, and the call returns it. */
    for (int status = -7; status <= 7; status += 14) {
      TEST(multiplier) m = {a[0], 0, 3, status};
      memset(&outcome, 0x5a, sizeof outcome);
      memset(x, 0, sizeof x);
      CHECK(TEST(solve)(method, a[0], &m, b, x, NULL, &outcome) == status, "a function that fails");
      CHECK(strstr(affinimathLastError(), "the operator of the caller's returned") != NULL, "a function that fails");
      CHECK(m.calls == 3 && outcome.reason == 0x5a5a5a5a, "nothing is written");
    }
    affinimathSolveOptions(&options, AFFINIMATH_DOUBLE);
    options.rtol = 0;
    options.max_iterations = 2;
    memset(x, 0, sizeof x);
    CHECK(TEST(solve)(method, a[0], NULL, b, x, &options, &outcome) == 0, "a limit");
    CHECK(outcome.reason == AFFINIMATH_LIMIT && outcome.iterations == 2, "a limit");
  }
  memset(x, 0, sizeof x);
  CHECK(CALL(cg)(a[1], b, x, NULL, &outcome) == 0 && outcome.reason == AFFINIMATH_NOT_POSITIVE_DEFINITE, "indefinite");
  /* Preconditioners stay when their matrix goes. */
  affinimathCsrDestroy(a[0]);
  a[0] = TEST(system)(0);
  options.preconditioner = p[2];
  options.rtol = 1e-4;
  options.max_iterations = -1;
  memset(x, 0, sizeof x);
  CHECK(CALL(cg)(a[0], b, x, &options, &outcome) == 0 && outcome.reason == AFFINIMATH_CONVERGED, "after its matrix");
  for (int i = 0; i < KINDS; ++i) {
    CHECK(affinimathPreconditionerDestroy(p[i]) == 0, "destroy");
  }
  affinimathCsrDestroy(a[0]);
  affinimathCsrDestroy(a[1]);
}

/* The system twice, below itself. Where the second right-hand side is the negative of the first, the least squares are
 * at x = 0; where it is the same, at the solution. */
static void TEST(least_squares)(void)
{
  affinimath_csr *a = TEST(system)(0), *both = NULL;
  affinimath_preconditioner *jacobi = NULL;
  affinimath_solve_options options;
  affinimath_solve_outcome outcome;
  int64_t rows, columns, entries;
  CHECK(affinimathCsrShape(a, &rows, &columns, &entries) == 0, "shape");
  int32_t *pointers = malloc(sizeof *pointers * (size_t)(2 * rows + 1));
  int32_t *indices = malloc(sizeof *indices * (size_t)(2 * entries));
  ELEMENT *values = malloc(sizeof *values * (size_t)(2 * entries));
  CHECK(CALL(csrDownload)(a, entries, pointers, indices, values) == 0, "download");
  memcpy(indices + entries, indices, sizeof *indices * (size_t)entries);
  memcpy(values + entries, values, sizeof *values * (size_t)entries);
  for (int64_t row = 1; row <= rows; ++row) {
    pointers[rows + row] = pointers[row] + (int32_t)entries;
  }
  CHECK(CALL(csrCreate)(2 * rows, columns, pointers, indices, values, &both) == 0, "twice");
  affinimathSolveOptions(&options, is_double(TYPE) ? AFFINIMATH_DOUBLE : AFFINIMATH_SINGLE);
  for (int sign = -1; sign <= 1; sign += 2) {
    for (int way = 0; way < 4; ++way) {
      ELEMENT b[2 * UNKNOWNS], x[UNKNOWNS];
      TEST(multiplier) m = {both, 0, -1, 0};
      int status;
      fill_right_hand_side(TYPE, b);
      for (int i = 0; i < UNKNOWNS; ++i) {
        put(TYPE, b, UNKNOWNS + i, product(make(sign, 0), get(TYPE, b, i)));
      }
      memset(x, 0, sizeof x);
      switch (way) {
      case 0: status = CALL(lsqr)(both, b, x, &options, &outcome); break;
      case 1: status = CALL(lsmr)(both, b, x, &options, &outcome); break;
      case 2: status = CALL(lsqrOperator)(2 * UNKNOWNS, UNKNOWNS, TEST(multiply), &m, b, x, &options, &outcome); break;
      default: status = CALL(lsmrOperator)(2 * UNKNOWNS, UNKNOWNS, TEST(multiply), &m, b, x, &options, &outcome); break;
      }
      CHECK(status == 0 && (way < 2) == (m.calls == 0), "least squares");
      CHECK(outcome.normal_residual >= 0, "the residual of the normal equations");
      if (sign > 0) {
        CHECK(outcome.reason == AFFINIMATH_CONVERGED, "a solution");
        CHECK(relative_residual(TYPE, 0, b, x) <= options.rtol + 100 * epsilon(TYPE), "a solution");
      } else {
        /* x = 0 is the solution but for rounding. */
        CHECK(outcome.reason == AFFINIMATH_LEAST_SQUARES, "least squares");
        CHECK(fabs(outcome.relative_residual - 1) <= 1e-4, "no solution");
      }
    }
  }
  ELEMENT b[2 * UNKNOWNS], x[UNKNOWNS];
  fill_right_hand_side(TYPE, b);
  fill_right_hand_side(TYPE, x);
  CHECK(affinimathJacobiCreate(a, &jacobi) == 0, "jacobi");
  options.preconditioner = jacobi;
  CHECK(CALL(lsqr)(a, b, x, &options, &outcome) == -4, "a preconditioner is refused");
  options.preconditioner = NULL;
  options.damping = -1;
  CHECK(CALL(lsqr)(a, b, x, &options, &outcome) == -4, "a negative damping");
  CHECK(CALL(cg)(both, b, x, NULL, &outcome) == -1, "cg wants a square matrix");
  affinimathPreconditionerDestroy(jacobi);
  affinimathCsrDestroy(a);
  affinimathCsrDestroy(both);
  free(pointers);
  free(indices);
  free(values);
}

static void TEST(all)(void)
{
  CHECK(sizeof(ELEMENT) == element_size(TYPE), TEXT(LETTER));
  TEST(arrays)();
  TEST(conversions)();
  TEST(changes)();
  TEST(products)();
  TEST(triangles)();
  TEST(factors)();
  TEST(solves)();
  TEST(least_squares)();
}

#undef JOIN_
#undef JOIN
#undef CALL
#undef TEST
#undef TEXT_
#undef TEXT
#undef TYPE
#undef LETTER
#undef ELEMENT
