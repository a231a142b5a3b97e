/* Sparse matrices and solvers in one type: T with its real type R, F(name) for the functions, CONJ(x), IS_COMPLEX. */

/* A band with two far entries in a row, of which the Hermitian kind has none. */
static T NAME(sparse)(int hermitian, int64_t i, int64_t j)
{
  const T off = (R)-1 + (IS_COMPLEX ? (R)0.25 * UNIT : (T)0);
  if (i == j) return (R)3 + (R)(i % 5) * (R)0.1;
  if (j == i + 1) return off;
  if (j == i - 1) return CONJ(off);
  return !hermitian && j == (i + 7) % N ? (R)0.5 + (R)0.125 * UNIT : (T)0;
}

static T NAME(known)(int64_t i)
{
  return (R)cos(3.0 * (double)i + 1) + (R)sin((double)i) * UNIT;
}

/* The matrix of this rank's rows, with indices of 32 or 64 bits. */
static affinimath_mpi_csr *NAME(rows)(int hermitian, int wide)
{
  affinimath_mpi_csr *a = NULL;
  int32_t pointers[N + 1] = {0}, indices[4 * N];
  int64_t wide_pointers[N + 1] = {0}, wide_indices[4 * N], i, j;
  T values[4 * N];
  int entries = 0;
  for (i = 0; i < own; ++i) {
    /* Columns from the last one to the first. */
    for (j = N - 1; j >= 0; --j) {
      T value = NAME(sparse)(hermitian, start + i, j);
      if (ABS(value) == 0) continue;
      indices[entries] = (int32_t)j, wide_indices[entries] = j, values[entries++] = value;
    }
    pointers[i + 1] = entries, wide_pointers[i + 1] = entries;
  }
  if (wide) {
    CHECK_STATUS(F(csrCreate64)(grid, own, own, wide_pointers, wide_indices, values, &a));
  } else {
    CHECK_STATUS(F(csrCreate)(grid, own, own, pointers, indices, values, &a));
  }
  if (on_devices) CHECK_STATUS(affinimathMpiCsrToDevice(a));
  return a;
}

/* The same matrix, of entries that ranks have in turn, each as two halves. */
static affinimath_mpi_csr *NAME(list)(int wide)
{
  affinimath_mpi_csr *a = NULL;
  int32_t places[2][8 * N];
  int64_t wide_places[2][8 * N], i, j;
  T values[8 * N];
  int entries = 0, all = 0, half;
  for (i = 0; i < N; ++i) {
    for (j = 0; j < N; ++j) {
      T value = NAME(sparse)(0, i, j);
      for (half = 0; half < 2; ++half) {
        if (ABS(value) == 0 || all++ % size != rank) continue;
        places[0][entries] = (int32_t)i, places[1][entries] = (int32_t)j;
        wide_places[0][entries] = i, wide_places[1][entries] = j;
        values[entries++] = value * (R)0.5;
      }
    }
  }
  if (wide) {
    CHECK_STATUS(F(csrFromCoo64)(grid, own, own, entries, wide_places[0], wide_places[1], values, &a));
  } else {
    CHECK_STATUS(F(csrFromCoo)(grid, own, own, entries, places[0], places[1], values, &a));
  }
  return a;
}

/* The file of the matrix, in even ranges. */
static affinimath_mpi_csr *NAME(file)(const char *path)
{
  affinimath_mpi_csr *a = NULL;
  if (rank == 0) {
    FILE *file = fopen(path, "w");
    int64_t i, j;
    int entries = 0;
    CHECK(file != NULL);
    for (i = 0; i < N * N; ++i) entries += ABS(NAME(sparse)(0, i / N, i % N)) != 0;
    fprintf(file, "%%%%MatrixMarket matrix coordinate %s general\n%% a comment\n%d %d %d\n",
            IS_COMPLEX ? "complex" : "real", N, N, entries);
    for (i = 0; i < N; ++i) {
      for (j = 0; j < N; ++j) {
        T value = NAME(sparse)(0, i, j);
        if (ABS(value) == 0) continue;
        fprintf(file, "%d %d %.9g", (int)i + 1, (int)j + 1, (double)REAL(value));
        if (IS_COMPLEX) fprintf(file, " %.9g", (double)IMAG(value));
        fputc('\n', file);
      }
    }
    fclose(file);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  CHECK_STATUS(F(csrRead)(grid, path, &a));
  return a;
}

/* Compares y := alpha op(A) x + beta y with sums of all elements, which every rank knows. */
static void NAME(product)(const affinimath_mpi_csr *a, int64_t first, int64_t count)
{
  static const int ops[] = {AFFINIMATH_NO_TRANS, AFFINIMATH_TRANS, AFFINIMATH_CONJ_TRANS, AFFINIMATH_CONJ_NO_TRANS};
  const T alpha = (R)1.5 + (R)0.5 * UNIT, beta = (R)-0.5;
  T x[N + 1], y[N + 1];
  int op;
  int64_t i, j;
  for (op = 0; op < 4; ++op) {
    for (i = 0; i < count; ++i) x[i] = NAME(known)(first + i), y[i] = (R)(first + i);
    CHECK_STATUS(F(csrmv)(ops[op], alpha, a, count > 0 ? x : NULL, beta, count > 0 ? y : NULL));
    for (i = 0; i < count; ++i) {
      T sum = 0;
      for (j = 0; j < N; ++j) {
        T value = op == 0 || op == 3 ? NAME(sparse)(0, first + i, j) : NAME(sparse)(0, j, first + i);
        sum += (op < 2 ? value : CONJ(value)) * NAME(known)(j);
      }
      CHECK(ABS(y[i] - (alpha * sum + beta * (R)(first + i))) < 400 * EPS);
    }
  }
  /* With beta = 0, y is not read. */
  for (i = 0; i < count; ++i) y[i] = (R)NAN;
  CHECK_STATUS(F(csrmv)(AFFINIMATH_NO_TRANS, 1, a, x, 0, y));
  for (i = 0; i < count; ++i) CHECK(ABS(y[i]) < 100);
}

typedef int (*NAME(solver))(const affinimath_mpi_csr *, const T *, T *, const affinimath_mpi_solve_options *,
                            affinimath_mpi_solve_outcome *);

/* Solves A x = b for a known x. */
static void NAME(solve)(NAME(solver) solver, int hermitian, const affinimath_mpi_csr *a, int preconditioner)
{
  affinimath_mpi_solve_options options;
  affinimath_mpi_solve_outcome outcome = {0, -1, -1, -1};
  affinimath_mpi_preconditioner *m = NULL;
  T b[N + 1], x[N + 1] = {0};
  int64_t i, j;
  CHECK_STATUS(affinimathMpiSolveOptions(&options, EPS < 1e-10 ? AFFINIMATH_DOUBLE : AFFINIMATH_SINGLE));
  CHECK(options.max_iterations == -1 && options.restart == 30 && options.preconditioner == NULL);
  if (preconditioner == 1) CHECK_STATUS(affinimathMpiJacobiCreate(a, &m));
  if (preconditioner == 2) CHECK_STATUS(affinimathMpiBlockJacobiCreate(a, &m));
  if (preconditioner == 3) CHECK_STATUS(affinimathMpiIc0Create(a, &m));
  if (preconditioner == 4) CHECK_STATUS(affinimathMpiIlu0Create(a, &m));
  options.preconditioner = m;
  for (i = 0; i < own; ++i) {
    b[i] = 0;
    for (j = 0; j < N; ++j) b[i] += NAME(sparse)(hermitian, start + i, j) * NAME(known)(j);
  }
  CHECK_STATUS(solver(a, b, x, preconditioner == 0 ? NULL : &options, &outcome));
  CHECK(outcome.reason == AFFINIMATH_CONVERGED && outcome.iterations > 0 && outcome.iterations < N);
  CHECK(outcome.relative_residual <= 2 * options.rtol && outcome.residual > 0);
  for (i = 0; i < own; ++i) CHECK(ABS(x[i] - NAME(known)(start + i)) < 100 * options.rtol);

  /* From the solution nothing is left to do, and few iterations are a limit. */
  CHECK_STATUS(solver(a, b, x, NULL, &outcome));
  CHECK(outcome.reason == AFFINIMATH_CONVERGED && outcome.iterations <= 3);
  /* One block of all rows solves at once, also by incomplete factors of three diagonals, which have no fill. */
  if ((preconditioner != 2 && preconditioner != 3) || size > 2) {
    options.max_iterations = 1;
    for (i = 0; i < own; ++i) x[i] = 0;
    CHECK_STATUS(solver(a, b, x, &options, &outcome));
    CHECK(outcome.reason == AFFINIMATH_LIMIT && outcome.iterations == 1);
  }
  CHECK_STATUS(affinimathMpiPreconditionerDestroy(m));
}

static void NAME(all)(const char *path)
{
  int64_t numbers[4], first, count;
  int wide, m;
  affinimath_mpi_csr *a;
  for (wide = 0; wide < 2; ++wide) {
    a = NAME(rows)(0, wide);
    NAME(product)(a, start, own);
    CHECK_STATUS(affinimathMpiCsrShape(a, numbers, numbers + 1, numbers + 2));
    CHECK(numbers[0] == N && numbers[1] == N && numbers[2] == 4 * N - 2);
    CHECK_STATUS(affinimathMpiCsrRanges(a, numbers, numbers + 1, numbers + 2, numbers + 3));
    CHECK(numbers[0] == start && numbers[1] == own && numbers[2] == start && numbers[3] == own);
    CHECK_STATUS(affinimathMpiCsrDestroy(a));
    a = NAME(list)(wide);
    NAME(product)(a, start, own);
    CHECK_STATUS(affinimathMpiCsrShape(a, numbers, numbers + 1, numbers + 2));
    CHECK(numbers[2] == 4 * N - 2);
    CHECK_STATUS(affinimathMpiCsrDestroy(a));
  }
  a = NAME(file)(path);
  CHECK_STATUS(affinimathMpiEvenRange(N, rank, size, &first, &count));
  CHECK_STATUS(affinimathMpiCsrRanges(a, numbers, numbers + 1, numbers + 2, numbers + 3));
  CHECK(numbers[0] == first && numbers[1] == count && numbers[2] == first && numbers[3] == count);
  NAME(product)(a, first, count);
  CHECK_STATUS(affinimathMpiCsrDestroy(a));

  a = NAME(rows)(1, 0);
  for (m = 0; m <= 3; ++m) {
    NAME(solve)(F(cg), 1, a, m);
    NAME(solve)(F(minres), 1, a, m);
  }
  CHECK_STATUS(affinimathMpiCsrDestroy(a));
  a = NAME(rows)(0, 1);
  for (m = 0; m <= 4; m += m == 2 ? 2 : 1) {
    NAME(solve)(F(bicgstab), 0, a, m);
    NAME(solve)(F(gmres), 0, a, m);
  }
  CHECK_STATUS(affinimathMpiCsrDestroy(a));
}

#undef T
#undef R
#undef F
#undef NAME
#undef CONJ
#undef ABS
#undef REAL
#undef IMAG
#undef UNIT
#undef EPS
#undef IS_COMPLEX
