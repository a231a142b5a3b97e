/* The tests of sparse matrices on memory objects for one type: sparse_device.c includes this with LETTER and
   ELEMENT. */

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

/* The small matrix, of memory objects that are gone when the call is over. */
static affinimath_csr *TEST(small)(const opencl_device *device)
{
  affinimath_csr *a = NULL;
  ELEMENT values[ENTRIES];
  for (int e = 0; e < ENTRIES; ++e) {
    put(TYPE, values, e, of_type(TYPE, VALUES[e]));
  }
  struct _cl_mem *p = upload(device, POINTERS, sizeof POINTERS, 4), *i = upload(device, INDICES, sizeof INDICES, 4);
  struct _cl_mem *v = upload(device, values, sizeof values, sizeof(ELEMENT));
  CHECK(CALL(csrCreateCL)(device->queue, ROWS, COLUMNS, p, OFFSET, i, OFFSET, v, OFFSET, &a, NULL) == 0, TEXT(LETTER));
  clReleaseMemObject(p);
  clReleaseMemObject(i);
  clReleaseMemObject(v);
  return a;
}

static affinimath_csr *TEST(system)(const opencl_device *device)
{
  int32_t pointers[UNKNOWNS + 1], indices[SYSTEM_ENTRIES];
  ELEMENT values[SYSTEM_ENTRIES];
  affinimath_csr *a = NULL;
  fill_system(TYPE, 0, pointers, indices, values);
  struct _cl_mem *p = upload(device, pointers, sizeof pointers, 4), *i = upload(device, indices, sizeof indices, 4);
  struct _cl_mem *v = upload(device, values, sizeof values, sizeof(ELEMENT));
  CHECK(CALL(csrCreateCL)(device->queue, UNKNOWNS, UNKNOWNS, p, OFFSET, i, OFFSET, v, OFFSET, &a, NULL) == 0,
        "a system");
  clReleaseMemObject(p);
  clReleaseMemObject(i);
  clReleaseMemObject(v);
  return a;
}

/* True if a matrix is op of the small one, with alpha on it. */
static int TEST(is)(const opencl_device *device, const affinimath_csr *a, int op, number alpha)
{
  const int rows = transposing(op) ? COLUMNS : ROWS, columns = transposing(op) ? ROWS : COLUMNS;
  ELEMENT b[ROWS * ROWS];
  cl_event event = NULL;
  memset(b, 0x5a, sizeof b);
  struct _cl_mem *m = upload(device, b, sizeof b, sizeof(ELEMENT));
  int good = CALL(csrToDenseCL)(device->queue, AFFINIMATH_ROW_MAJOR, a, m, OFFSET, columns, &event) == 0;
  good = complete(event) && good && download(device->queue, m, b, sizeof b, sizeof(ELEMENT));
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < columns; ++j) {
      good = good && same(get(TYPE, b, columns * i + j), product(alpha, dense(TYPE, op, i, j)));
    }
  }
  clReleaseMemObject(m);
  return good;
}

static void TEST(matrices)(const opencl_device *device)
{
  affinimath_csr *a = TEST(small)(device), *b = NULL, *c = NULL;
  cl_command_queue q = device->queue;
  int32_t row_indices[ENTRIES], pointers[ROWS + 1], indices[ENTRIES];
  int64_t wide[ROWS + 1];
  ELEMENT values[ENTRIES], matrix[ROWS * COLUMNS], x[COLUMNS];
  for (int i = 0; i <= ROWS; ++i) {
    wide[i] = POINTERS[i];
    for (int e = POINTERS[i]; i < ROWS && e < POINTERS[i + 1]; ++e) {
      row_indices[e] = i;
    }
  }
  CHECK(sizeof(ELEMENT) == element_size(TYPE), TEXT(LETTER));
  memset(pointers, 0, sizeof pointers);
  memset(indices, 0, sizeof indices);
  memset(values, 0, sizeof values);
  memset(matrix, 0, sizeof matrix);
  memset(x, 0, sizeof x);
  struct _cl_mem *p = upload(device, pointers, sizeof pointers, 4), *j = upload(device, indices, sizeof indices, 4);
  struct _cl_mem *i = upload(device, row_indices, sizeof row_indices, 4), *w = upload(device, wide, sizeof wide, 8);
  struct _cl_mem *v = upload(device, values, sizeof values, sizeof(ELEMENT)),
                 *d = upload(device, x, sizeof x, sizeof(ELEMENT));
  struct _cl_mem *m = upload(device, matrix, sizeof matrix, sizeof(ELEMENT));
  CHECK(TEST(is)(device, a, AFFINIMATH_NO_TRANS, make(1, 0)), "to dense");
  CHECK(CALL(csrDownloadCL)(q, a, ENTRIES, p, OFFSET, j, OFFSET, v, OFFSET, NULL) == 0, "download");
  CHECK(download(q, p, pointers, sizeof pointers, 4) && memcmp(pointers, POINTERS, sizeof pointers) == 0, "pointers");
  CHECK(download(q, j, indices, sizeof indices, 4) && memcmp(indices, INDICES, sizeof indices) == 0, "indices");
  CHECK(download(q, v, values, sizeof values, sizeof(ELEMENT)), "values");
  for (int e = 0; e < ENTRIES; ++e) {
    CHECK(same(get(TYPE, values, e), of_type(TYPE, VALUES[e])), "values");
  }
  CHECK(CALL(csrCreate64CL)(q, ROWS, COLUMNS, w, OFFSET, j, OFFSET, v, OFFSET, &b, NULL) == 0, "64 bits");
  CHECK(TEST(is)(device, b, AFFINIMATH_NO_TRANS, make(1, 0)), "64 bits");
  CHECK(CALL(csrDownload64CL)(q, b, ENTRIES, w, OFFSET, j, OFFSET, v, OFFSET, NULL) == 0, "64 bits");
  affinimathCsrDestroy(b);
  CHECK(CALL(csrFromCooCL)(q, ROWS, COLUMNS, ENTRIES, i, OFFSET, j, OFFSET, v, OFFSET, &b, NULL) == 0, "a list");
  CHECK(TEST(is)(device, b, AFFINIMATH_NO_TRANS, make(1, 0)), "a list");
  CHECK(CALL(csrSum)(TEST(element)(3, 0), a, TEST(element)(-1, 0), b, &c) == 0, "sum");
  CHECK(TEST(is)(device, c, AFFINIMATH_NO_TRANS, make(2, 0)), "sum");
  CHECK(CALL(csrScaleCL)(q, TEST(element)(-3, 0), c, NULL) == 0, "scale");
  CHECK(TEST(is)(device, c, AFFINIMATH_NO_TRANS, make(-6, 0)), "scale");
  CHECK(CALL(csrSetValuesCL)(q, a, ENTRIES, v, OFFSET, NULL) == 0, "values");
  CHECK(TEST(is)(device, a, AFFINIMATH_NO_TRANS, make(1, 0)), "values");
  affinimathCsrDestroy(b);
  affinimathCsrDestroy(c);
  CHECK(CALL(csrToDenseCL)(q, AFFINIMATH_COL_MAJOR, a, m, OFFSET, ROWS, NULL) == 0, "to dense");
  CHECK(CALL(csrFromDenseCL)(q, AFFINIMATH_COL_MAJOR, ROWS, COLUMNS, m, OFFSET, ROWS, &b, NULL) == 0, "from dense");
  CHECK(TEST(is)(device, b, AFFINIMATH_NO_TRANS, make(1, 0)), "from dense");
  affinimathCsrDestroy(b);
  CHECK(affinimathCsrTranspose(a, &b) == 0 && TEST(is)(device, b, AFFINIMATH_TRANS, make(1, 0)), "transpose");
  affinimathCsrDestroy(b);
  CHECK(CALL(csrDiagonalCL)(q, a, d, OFFSET, NULL) == 0 && download(q, d, x, sizeof x, sizeof(ELEMENT)), "diagonal");
  for (int k = 0; k < COLUMNS; ++k) {
    CHECK(same(get(TYPE, x, k), dense(TYPE, AFFINIMATH_NO_TRANS, k, k)), "diagonal");
  }
  /* Powers of two on the columns, and then what undoes them on the rows of the transpose. */
  for (int k = 0; k < COLUMNS; ++k) {
    put(TYPE, x, k, make(k % 2 == 0 ? 2 : 4, 0));
  }
  CHECK(clEnqueueWriteBuffer(q, d, CL_TRUE, OFFSET * sizeof(ELEMENT), sizeof x, x, 0, NULL, NULL) == CL_SUCCESS,
        "write");
  CHECK(CALL(csrScaleColumnsCL)(q, a, d, OFFSET, NULL) == 0 && affinimathCsrTranspose(a, &b) == 0, "scale columns");
  for (int k = 0; k < COLUMNS; ++k) {
    put(TYPE, x, k, make(k % 2 == 0 ? 0.5 : 0.25, 0));
  }
  CHECK(clEnqueueWriteBuffer(q, d, CL_TRUE, OFFSET * sizeof(ELEMENT), sizeof x, x, 0, NULL, NULL) == CL_SUCCESS,
        "write");
  CHECK(CALL(csrScaleRowsCL)(q, b, d, OFFSET, NULL) == 0, "scale rows");
  CHECK(TEST(is)(device, b, AFFINIMATH_TRANS, make(1, 0)), "scaled and back");
  affinimathCsrDestroy(a);
  affinimathCsrDestroy(b);
  struct _cl_mem *all[] = {p, i, j, v, w, d, m};
  for (int k = 0; k < 7; ++k) {
    clReleaseMemObject(all[k]);
  }
}

static void TEST(products)(const opencl_device *device)
{
  affinimath_csr *a = TEST(small)(device);
  cl_command_queue q = device->queue, other = clCreateCommandQueue(device->context, device->id, 0, NULL);
  const number alpha = of_type(TYPE, make(2, -1)), beta = of_type(TYPE, make(-3, 1));
  for (int o = 0; o < 4; ++o) {
    const int op = OPS[o], rows = transposing(op) ? COLUMNS : ROWS, columns = transposing(op) ? ROWS : COLUMNS;
    ELEMENT x[2 * ROWS], y[ROWS], before[ROWS], b[3 * ROWS], c[3 * ROWS];
    cl_event event = NULL;
    fill(TYPE, x, 2 * ROWS);
    fill(TYPE, y, ROWS);
    fill(TYPE, b, 3 * ROWS);
    fill(TYPE, c, 3 * ROWS);
    memcpy(before, y, sizeof y);
    struct _cl_mem *mx = upload(device, x, sizeof x, sizeof(ELEMENT)),
                   *my = upload(device, y, sizeof y, sizeof(ELEMENT));
    struct _cl_mem *mb = upload(device, b, sizeof b, sizeof(ELEMENT)),
                   *mc = upload(device, c, sizeof c, sizeof(ELEMENT));
    /* On any queue of the context. */
    cl_command_queue own = o % 2 == 0 ? q : other;
    CHECK(CALL(csrmvCL)(own, op, TEST(element)(2, -1), a, mx, OFFSET, 2, TEST(element)(-3, 1), my, OFFSET, -1,
                        &event) == 0,
          "csrmv");
    CHECK(complete(event) && download(q, my, y, sizeof y, sizeof(ELEMENT)), "csrmv");
    for (int i = 0; i < rows; ++i) {
      number sum = product(beta, get(TYPE, before, rows - 1 - i));
      for (int j = 0; j < columns; ++j) {
        sum = plus(sum, product(alpha, product(dense(TYPE, op, i, j), get(TYPE, x, 2 * j))));
      }
      CHECK(same(get(TYPE, y, rows - 1 - i), sum), "csrmv");
    }
    CHECK(CALL(csrmmCL)(own, AFFINIMATH_COL_MAJOR, op, 2, TEST(element)(2, -1), a, mb, OFFSET, columns,
                        TEST(element)(0, 0), mc, OFFSET, rows, &event) == 0,
          "csrmm");
    CHECK(complete(event) && download(q, mc, c, sizeof c, sizeof(ELEMENT)), "csrmm");
    for (int i = 0; i < rows; ++i) {
      for (int k = 0; k < 2; ++k) {
        number sum = make(0, 0);
        for (int j = 0; j < columns; ++j) {
          sum = plus(sum, product(alpha, product(dense(TYPE, op, i, j), get(TYPE, b, j + k * columns))));
        }
        CHECK(same(get(TYPE, c, i + k * rows), sum), "csrmm");
      }
    }
    struct _cl_mem *all[] = {mx, my, mb, mc};
    for (int k = 0; k < 4; ++k) {
      clReleaseMemObject(all[k]);
    }
  }
  clReleaseCommandQueue(other);
  affinimathCsrDestroy(a);
}

/* A matrix, or a function of the caller's that multiplies by it. */
typedef struct TEST(multiplier) {
  const affinimath_csr *a;
  int calls, fails_at;
} TEST(multiplier);

static int TEST(multiply)(void *user, int op, cl_command_queue queue, struct _cl_mem *x, int64_t offx,
                          struct _cl_mem *y, int64_t offy)
{
  TEST(multiplier) *m = user;
  if (++m->calls == m->fails_at) {
    return 5;
  }
  return CALL(csrmvCL)(queue, op, TEST(element)(1, 0), m->a, x, offx, 1, TEST(element)(0, 0), y, offy, 1, NULL);
}

static int TEST(identity)(void *user, int op, cl_command_queue queue, struct _cl_mem *x, int64_t offx,
                          struct _cl_mem *y, int64_t offy)
{
  const size_t size = sizeof(ELEMENT);
  (void)op;
  ++*(int *)user;
  return clEnqueueCopyBuffer(queue, x, y, (size_t)offx * size, (size_t)offy * size, UNKNOWNS * size, 0, NULL, NULL);
}

static int TEST(solve)(cl_command_queue q, int method, const affinimath_csr *a, TEST(multiplier) *m, struct _cl_mem *b,
                       struct _cl_mem *x, const affinimath_solve_options *options, affinimath_solve_outcome *outcome)
{
  const int64_t o = OFFSET;
  switch (method + (m != NULL ? 4 : 0)) {
  case 0: return CALL(cgCL)(q, a, b, o, x, o, options, outcome, NULL);
  case 1: return CALL(minresCL)(q, a, b, o, x, o, options, outcome, NULL);
  case 2: return CALL(bicgstabCL)(q, a, b, o, x, o, options, outcome, NULL);
  case 3: return CALL(gmresCL)(q, a, b, o, x, o, options, outcome, NULL);
  case 4: return CALL(cgOperatorCL)(q, UNKNOWNS, TEST(multiply), m, b, o, x, o, options, outcome, NULL);
  case 5: return CALL(minresOperatorCL)(q, UNKNOWNS, TEST(multiply), m, b, o, x, o, options, outcome, NULL);
  case 6: return CALL(bicgstabOperatorCL)(q, UNKNOWNS, TEST(multiply), m, b, o, x, o, options, outcome, NULL);
  default: return CALL(gmresOperatorCL)(q, UNKNOWNS, TEST(multiply), m, b, o, x, o, options, outcome, NULL);
  }
}

/* `methods` of the four: the programs of each take seconds to build. */
static void TEST(solves)(const opencl_device *device, int methods)
{
  cl_command_queue q = device->queue;
  affinimath_csr *a = TEST(system)(device);
  affinimath_preconditioner *p[4] = {NULL, NULL, NULL, NULL};
  affinimath_solve_options options;
  affinimath_solve_outcome outcome;
  ELEMENT b[UNKNOWNS], x[UNKNOWNS];
  int applied = 0;
  fill_right_hand_side(TYPE, b);
  CHECK(affinimathJacobiCreate(a, &p[1]) == 0 && affinimathChebyshevCreate(a, 2, &p[2]) == 0, "preconditioners");
  CHECK(CALL(preconditionerCreateCL)(q, UNKNOWNS, TEST(identity), &applied, &p[3], NULL) == 0, "a function");
  struct _cl_mem *mb = upload(device, b, sizeof b, sizeof(ELEMENT));
  for (int method = 0; method < methods; ++method) {
    for (int kind = 0; kind < 4; ++kind) {
      TEST(multiplier) m = {a, 0, -1};
      told t = {0, 0};
      memset(x, 0, sizeof x);
      struct _cl_mem *mx = upload(device, x, sizeof x, sizeof(ELEMENT));
      CHECK(affinimathSolveOptions(&options, is_double(TYPE) ? AFFINIMATH_DOUBLE : AFFINIMATH_SINGLE) == 0, "options");
      options.history = count_iteration;
      options.history_user = &t;
      options.preconditioner = p[kind];
      applied = 0;
      CHECK(TEST(solve)(q, method, a, kind % 2 == 1 ? &m : NULL, mb, mx, &options, &outcome) == 0, "a solve");
      CHECK(outcome.reason == AFFINIMATH_CONVERGED && outcome.iterations > 0 && outcome.iterations == t.last,
            "converged");
      CHECK((kind % 2 == 1) == (m.calls > 0) && (kind == 3) == (applied > 0), "who was asked");
      CHECK(download(q, mx, x, sizeof x, sizeof(ELEMENT)), "x");
      CHECK(relative_residual(TYPE, 0, b, x) <= options.rtol + 100 * epsilon(TYPE), "the residual");
      clReleaseMemObject(mx);
    }
    TEST(multiplier) m = {a, 0, 2};
    memset(&outcome, 0x5a, sizeof outcome);
    memset(x, 0, sizeof x);
    struct _cl_mem *mx = upload(device, x, sizeof x, sizeof(ELEMENT));
    CHECK(TEST(solve)(q, method, a, &m, mb, mx, NULL, &outcome) == 5 && outcome.reason == 0x5a5a5a5a,
          "a function that fails");
    clReleaseMemObject(mx);
  }
  /* A triangle: what is subtracted from b is what the product with the triangle gives. */
  memcpy(x, b, sizeof x);
  struct _cl_mem *mx = upload(device, x, sizeof x, sizeof(ELEMENT));
  cl_event event = NULL;
  CHECK(CALL(csrsvCL)(q, AFFINIMATH_LOWER, AFFINIMATH_NO_TRANS, AFFINIMATH_NON_UNIT, a, mx, OFFSET, 1, &event) == 0,
        "csrsv");
  CHECK(complete(event) && download(q, mx, x, sizeof x, sizeof(ELEMENT)), "csrsv");
  for (int i = 0; i < UNKNOWNS; ++i) {
    number sum = product(make(4, 0), get(TYPE, x, i));
    sum = i > 0 ? plus(sum, product(system_element(TYPE, 0, i, i - 1), get(TYPE, x, i - 1))) : sum;
    const number bi = get(TYPE, b, i);
    CHECK(fabs(sum.re - bi.re) + fabs(sum.im - bi.im) <= 32 * epsilon(TYPE), "T x = b");
  }
  clReleaseMemObject(mx);
  /* Factors lie in the host's memory, right-hand sides and solutions in memory objects. */
  affinimath_sparse_factors *f = NULL;
  memset(x, 0x5a, sizeof x);
  mx = upload(device, x, sizeof x, sizeof(ELEMENT));
  event = NULL;
  CHECK(affinimathSparseFactorsCreate(a, AFFINIMATH_FACTORS_AUTO, &f) == 0, "factors");
  CHECK(CALL(sparseFactorsSolveCL)(q, AFFINIMATH_COL_MAJOR, AFFINIMATH_NO_TRANS, UNKNOWNS, UNKNOWNS, 1, f, mb, OFFSET,
                                   UNKNOWNS, mx, OFFSET, UNKNOWNS, &event) == 0, "a direct solve");
  CHECK(complete(event) && download(q, mx, x, sizeof x, sizeof(ELEMENT)), "a direct solve");
  CHECK(relative_residual(TYPE, 0, b, x) <= 100 * epsilon(TYPE), "the residual of a direct solve");
  REFUSED(CALL(sparseFactorsSolve)(AFFINIMATH_COL_MAJOR, AFFINIMATH_NO_TRANS, UNKNOWNS, UNKNOWNS, 1, f, b, UNKNOWNS, x,
                                   UNKNOWNS), -6, "memory objects");
  CHECK(affinimathSparseFactorsDestroy(f) == 0, "destroy");
  clReleaseMemObject(mx);
  clReleaseMemObject(mb);
  for (int i = 0; i < 4; ++i) {
    CHECK(affinimathPreconditionerDestroy(p[i]) == 0, "destroy");
  }
  affinimathCsrDestroy(a);
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
