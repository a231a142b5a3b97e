/* Sparse matrices and iterative solvers with host pointers, against dense matrices. C99. */

#include <pthread.h>
#include <sys/resource.h>

#include "sparse.h"

#define LETTER S
#define ELEMENT float
#include "sparse_host_type.h"

#define LETTER D
#define ELEMENT double
#include "sparse_host_type.h"

#define LETTER C
#define ELEMENT affinimath_c32
#include "sparse_host_type.h"

#define LETTER Z
#define ELEMENT affinimath_c64
#include "sparse_host_type.h"

static void wrong_creations(void)
{
  const int32_t good[3] = {0, 1, 2}, late[3] = {1, 1, 2}, falling[3] = {0, 2, 1}, negative[3] = {0, 1, -1};
  const int32_t indices[2] = {0, 1}, outside[2] = {0, 2}, below[2] = {-1, 0};
  const double values[2] = {1, 2};
  double a[4] = {1, 2, 3, 4};
  affinimath_csr *m = NULL;
  REFUSED(affinimathDcsrCreate(-1, 2, good, indices, values, &m), -1, "rows");
  REFUSED(affinimathDcsrCreate(INT64_MAX, 2, good, indices, values, &m), -3, "address space");
  REFUSED(affinimathDcsrCreate(2, -2, good, indices, values, &m), -2, "columns");
  REFUSED(affinimathDcsrCreate(2, INT64_C(1) << 40, good, indices, values, &m), -2, "2^31");
  REFUSED(affinimathDcsrCreate(2, 2, NULL, indices, values, &m), -3, "pointers");
  REFUSED(affinimathDcsrCreate(2, 2, late, indices, values, &m), -3, "the first one is 1");
  REFUSED(affinimathDcsrCreate(2, 2, falling, indices, values, &m), -3, "row 1 begins at entry 2");
  REFUSED(affinimathDcsrCreate(2, 2, negative, indices, values, &m), -3, "negative");
  REFUSED(affinimathDcsrCreate(2, 2, good, NULL, values, &m), -4, "indices");
  REFUSED(affinimathDcsrCreate(2, 2, good, outside, values, &m), -4, "entry 1, in row 1, has the column 2");
  REFUSED(affinimathDcsrCreate(2, 2, good, below, values, &m), -4, "the column -1");
  REFUSED(affinimathDcsrCreate(2, 2, good, indices, NULL, &m), -5, "values");
  REFUSED(affinimathDcsrCreate(2, 2, good, indices, values, NULL), -6, "matrix");
  REFUSED(affinimathDcsrFromCoo(2, 2, -1, indices, indices, values, &m), -3, "entries");
  REFUSED(affinimathDcsrFromCoo(2, 2, 2, NULL, indices, values, &m), -4, "row_indices");
  REFUSED(affinimathDcsrFromCoo(2, 2, 2, outside, indices, values, &m), -4, "entry 1");
  REFUSED(affinimathDcsrFromCoo(2, 2, 2, indices, below, values, &m), -5, "entry 0");
  REFUSED(affinimathDcsrFromCoo(2, 2, 2, indices, indices, NULL, &m), -6, "values");
  REFUSED(affinimathDcsrFromCoo(2, 2, 2, indices, indices, values, NULL), -7, "matrix");
  REFUSED(affinimathDcsrFromDense(0, 2, 2, a, 2, &m), -1, "layout");
  REFUSED(affinimathDcsrFromDense(AFFINIMATH_COL_MAJOR, -2, 2, a, 2, &m), -2, "m");
  REFUSED(affinimathDcsrFromDense(AFFINIMATH_COL_MAJOR, 2, -2, a, 2, &m), -3, "n");
  REFUSED(affinimathDcsrFromDense(AFFINIMATH_COL_MAJOR, 2, 2, NULL, 2, &m), -4, "a");
  REFUSED(affinimathDcsrFromDense(AFFINIMATH_COL_MAJOR, 2, 2, a, 1, &m), -5, "lda");
  REFUSED(affinimathDcsrFromDense(AFFINIMATH_COL_MAJOR, 2, 2, a, 2, NULL), -6, "matrix");
  REFUSED(affinimathDcsrRead(NULL, &m), -1, "path");
  REFUSED(affinimathDcsrRead("/no/such/file.mtx", &m), -1, "/no/such/file.mtx");
  REFUSED(affinimathDcsrRead("/no/such/file.mtx", NULL), -2, "matrix");
  CHECK(m == NULL, "no matrix was made");
}

static void wrong_uses(void)
{
  affinimath_csr *a = small_D(), *t = NULL, *f = small_S(), *system = system_D(0), *wide = NULL, *out = NULL;
  affinimath_preconditioner *p = NULL, *other = NULL;
  affinimath_solve_options options;
  affinimath_solve_outcome outcome;
  double x[UNKNOWNS] = {7}, y[UNKNOWNS] = {8};
  float single[UNKNOWNS] = {0};
  int32_t pointers[ROWS + 1], indices[ENTRIES];
  int64_t rows = -5, columns = -5, entries = -5;
  const int32_t none[UNKNOWNS + 1] = {0};
  CHECK(affinimathCsrTranspose(a, &t) == 0, "transpose");
  REFUSED(affinimathCsrShape(NULL, &rows, &columns, &entries), -1, "a");
  REFUSED(affinimathCsrShape(a, NULL, &columns, &entries), -2, "rows");
  REFUSED(affinimathCsrShape(a, &rows, NULL, &entries), -3, "columns");
  REFUSED(affinimathCsrShape(a, &rows, &columns, NULL), -4, "entries");
  REFUSED(affinimathCsrTranspose(NULL, &out), -1, "a");
  REFUSED(affinimathCsrTranspose(a, NULL), -2, "matrix");
  REFUSED(affinimathCsrMirrored(a, AFFINIMATH_SYMMETRIC, &out), -1, "not square");
  REFUSED(affinimathCsrMirrored(system, 0, &out), -2, "symmetry");
  REFUSED(affinimathCsrProduct(a, a, &out), -2, "it has 5 rows, and a has 4 columns");
  REFUSED(affinimathCsrProduct(a, f, &out), -2, "another type");
  REFUSED(affinimathCsrProduct(a, t, NULL), -3, "matrix");
  REFUSED(affinimathDcsrSum(1, a, 1, t, &out), -4, "it is 4 x 5");
  REFUSED(affinimathDcsrSum(1, f, 1, t, &out), -2, "a matrix of float, and the function is for double");
  REFUSED(affinimathDcsrDownload(a, ENTRIES + 1, pointers, indices, x), -2, "the matrix has 9");
  REFUSED(affinimathDcsrDownload(a, ENTRIES, NULL, indices, x), -3, "pointers");
  REFUSED(affinimathDcsrDownload(f, ENTRIES, pointers, indices, x), -1, "float");
  REFUSED(affinimathDcsrToDense(AFFINIMATH_ROW_MAJOR, a, x, 3), -4, "ldb");
  REFUSED(affinimathDcsrSetValues(a, 2, x), -2, "entries");
  REFUSED(affinimathDcsrSetValues(a, ENTRIES, NULL), -3, "values");
  REFUSED(affinimathDcsrScale(2, f), -2, "float");
  REFUSED(affinimathDcsrScaleRows(a, NULL), -2, "x");
  REFUSED(affinimathDcsrDiagonal(a, NULL), -2, "x");
  REFUSED(affinimathDcsrmv(0, 1, a, x, 1, 0, y, 1), -1, "trans");
  REFUSED(affinimathDcsrmv(AFFINIMATH_NO_TRANS, 1, NULL, x, 1, 0, y, 1), -3, "a");
  REFUSED(affinimathDcsrmv(AFFINIMATH_NO_TRANS, 1, f, x, 1, 0, y, 1), -3, "float");
  REFUSED(affinimathDcsrmv(AFFINIMATH_NO_TRANS, 1, a, NULL, 1, 0, y, 1), -4, "x");
  REFUSED(affinimathDcsrmv(AFFINIMATH_NO_TRANS, 1, a, x, 0, 0, y, 1), -5, "incx");
  REFUSED(affinimathDcsrmv(AFFINIMATH_NO_TRANS, 1, a, x, 1, 0, NULL, 1), -7, "y");
  REFUSED(affinimathDcsrmv(AFFINIMATH_NO_TRANS, 1, a, x, 1, 0, y, 0), -8, "incy");
  REFUSED(affinimathDcsrmm(0, AFFINIMATH_NO_TRANS, 1, 1, a, x, 4, 0, y, 5), -1, "layout");
  REFUSED(affinimathDcsrmm(AFFINIMATH_COL_MAJOR, 0, 1, 1, a, x, 4, 0, y, 5), -2, "trans");
  REFUSED(affinimathDcsrmm(AFFINIMATH_COL_MAJOR, AFFINIMATH_NO_TRANS, -1, 1, a, x, 4, 0, y, 5), -3, "n");
  REFUSED(affinimathDcsrmm(AFFINIMATH_COL_MAJOR, AFFINIMATH_NO_TRANS, 1, 1, a, x, 3, 0, y, 5), -7, "ldb");
  REFUSED(affinimathDcsrmm(AFFINIMATH_COL_MAJOR, AFFINIMATH_NO_TRANS, 1, 1, a, x, 4, 0, y, 4), -10, "ldc");
  REFUSED(affinimathDcsrsv(0, AFFINIMATH_NO_TRANS, AFFINIMATH_UNIT, system, x, 1), -1, "uplo");
  REFUSED(affinimathDcsrsv(AFFINIMATH_UPPER, AFFINIMATH_NO_TRANS, 0, system, x, 1), -3, "diag");
  REFUSED(affinimathDcsrsv(AFFINIMATH_UPPER, AFFINIMATH_NO_TRANS, AFFINIMATH_UNIT, a, x, 1), -4, "not square");
  REFUSED(affinimathDcsrsv(AFFINIMATH_UPPER, AFFINIMATH_NO_TRANS, AFFINIMATH_UNIT, system, NULL, 1), -5, "x");

  REFUSED(affinimathSolveOptions(NULL, AFFINIMATH_DOUBLE), -1, "options");
  REFUSED(affinimathSolveOptions(&options, 0), -2, "precision");
  CHECK(affinimathSolveOptions(&options, AFFINIMATH_DOUBLE) == 0 && options.rtol == 1e-8, "options");
  REFUSED(affinimathDcg(NULL, x, y, &options, &outcome), -1, "a");
  REFUSED(affinimathDcg(a, x, y, &options, &outcome), -1, "not square");
  REFUSED(affinimathDcg(system, NULL, y, &options, &outcome), -2, "b");
  REFUSED(affinimathDcg(system, x, NULL, &options, &outcome), -3, "x");
  REFUSED(affinimathDcg(system, x, y, &options, NULL), -5, "outcome");
  REFUSED(affinimathDcgOperator(-1, multiply_D, NULL, x, y, &options, &outcome), -1, "n");
  REFUSED(affinimathDcgOperator(UNKNOWNS, NULL, NULL, x, y, &options, &outcome), -2, "apply");
  REFUSED(affinimathDcgOperator(UNKNOWNS, multiply_D, NULL, NULL, y, &options, &outcome), -4, "b");
  REFUSED(affinimathDcgOperator(UNKNOWNS, multiply_D, NULL, x, y, &options, NULL), -7, "outcome");
  options.rtol = -1;
  REFUSED(affinimathDcg(system, x, y, &options, &outcome), -4, "its rtol, -1");
  options.rtol = 0;
  options.atol = NAN;
  REFUSED(affinimathDcg(system, x, y, &options, &outcome), -4, "its atol");
  options.atol = 0;
  options.restart = 63;
  REFUSED(affinimathDgmres(system, x, y, &options, &outcome), -4, "its restart, 63");
  options.restart = 30;
  options.poll = 0;
  REFUSED(affinimathDcg(system, x, y, &options, &outcome), -4, "its poll");
  options.poll = 16;

  REFUSED(affinimathJacobiCreate(NULL, &p), -1, "a");
  REFUSED(affinimathJacobiCreate(a, &p), -1, "not square");
  REFUSED(affinimathJacobiCreate(system, NULL), -2, "preconditioner");
  REFUSED(affinimathChebyshevCreate(system, -1, &p), -2, "degree");
  REFUSED(affinimathChebyshevCreateBounds(system, 1, 0, 1, &p), -3, "low");
  REFUSED(affinimathChebyshevCreateBounds(system, 1, 2, 1, &p), -4, "high");
  REFUSED(affinimathDpreconditionerCreate(-1, quarter_D, NULL, &p), -1, "n");
  REFUSED(affinimathDpreconditionerCreate(1, NULL, NULL, &p), -2, "apply");
  REFUSED(affinimathDpreconditionerCreate(1, quarter_D, NULL, NULL), -4, "preconditioner");
  CHECK(affinimathDcsrCreate(UNKNOWNS, UNKNOWNS, none, NULL, NULL, &wide) == 0, "a matrix of zeros");
  REFUSED(affinimathJacobiCreate(wide, &p), 1, "pivot 1");
  CHECK(p == NULL && out == NULL && x[0] == 7 && y[0] == 8 && rows == -5, "nothing is touched");
  CHECK(affinimathDpreconditionerCreate(3, quarter_D, NULL, &p) == 0, "a preconditioner");
  options.preconditioner = p;
  REFUSED(affinimathDcg(system, x, y, &options, &outcome), -4, "it is for 3 unknowns, and there are 60");
  CHECK(affinimathSpreconditionerCreate(UNKNOWNS, quarter_S, NULL, &other) == 0, "a preconditioner");
  options.preconditioner = other;
  REFUSED(affinimathDcg(system, x, y, &options, &outcome), -4, "another type than double");
  CHECK(affinimathScgOperator(0, multiply_S, NULL, single, single, NULL, &outcome) == 0, "no unknowns");
  CHECK(outcome.reason == AFFINIMATH_CONVERGED && outcome.iterations == 0, "no unknowns");
  CHECK(affinimathCsrDestroy(NULL) == 0 && affinimathPreconditionerDestroy(NULL) == 0, "destroy nothing");
  affinimathCsrDestroy(a);
  affinimathCsrDestroy(t);
  affinimathCsrDestroy(f);
  affinimathCsrDestroy(system);
  affinimathCsrDestroy(wide);
  affinimathPreconditionerDestroy(p);
  affinimathPreconditionerDestroy(other);
}

/* A file of a symmetric matrix's triangle. */
static void files(void)
{
  static const char PATH[] = "affinimath_sparse_host.mtx";
  static const double WHOLE[4] = {4, -1, -1, 2};
  affinimath_csr *a = NULL;
  double dense[4];
  FILE *file = fopen(PATH, "w");
  CHECK(file != NULL &&
            fputs("%%MatrixMarket matrix coordinate real symmetric\n2 2 3\n1 1 4\n2 1 -1\n2 2 2\n", file) >= 0,
        PATH);
  fclose(file);
  CHECK(affinimathDcsrRead(PATH, &a) == 0 && affinimathDcsrToDense(AFFINIMATH_ROW_MAJOR, a, dense, 2) == 0, PATH);
  CHECK(memcmp(dense, WHOLE, sizeof dense) == 0, PATH);
  affinimathCsrDestroy(a);
  CHECK(affinimathDcsrRead64(PATH, &a) == 0 && affinimathCsrDestroy(a) == 0, PATH);
  a = NULL;
  file = fopen(PATH, "w");
  CHECK(file != NULL && fputs("%%MatrixMarket matrix coordinate real general\n2 2 1\n3 1 4\n", file) >= 0, PATH);
  fclose(file);
  REFUSED(affinimathDcsrRead(PATH, &a), -1, "3");
  CHECK(a == NULL, PATH);
  remove(PATH);
}

/* Errors keep nothing: these would be gigabytes. */
static void errors_keep_nothing(void)
{
  enum { LONG = 200000, ROUNDS = 400 };
  int32_t *pointers = malloc((LONG + 1) * sizeof *pointers), *indices = malloc(LONG * sizeof *indices);
  double *values = malloc(LONG * sizeof *values);
  struct rusage before, after;
  affinimath_csr *a = NULL, *sum = NULL;
  affinimath_solve_outcome outcome;
  for (int i = 0; i < LONG; ++i) {
    pointers[i] = indices[i] = i;
    values[i] = i == LONG - 1 ? 0 : 1;
  }
  pointers[LONG] = LONG;
  CHECK(affinimathDcsrCreate(LONG, LONG, pointers, indices, values, &a) == 0, "a matrix");
  affinimath_preconditioner *p = NULL;
  for (int round = 0; round < ROUNDS; ++round) {
    multiplier_D m = {a, 0, 1, 3};
    indices[LONG - 1] = LONG;
    CHECK(affinimathDcsrCreate(LONG, LONG, pointers, indices, values, &sum) == -4, "a wrong index");
    CHECK(affinimathDcsrFromCoo(LONG, LONG, LONG, pointers, indices, values, &sum) == -5, "a wrong index");
    indices[LONG - 1] = LONG - 1;
    CHECK(affinimathJacobiCreate(a, &p) == LONG, "a zero on the diagonal");
    CHECK(affinimathDcgOperator(LONG, multiply_D, &m, values, values, NULL, &outcome) == 3, "a function that fails");
    if (round == ROUNDS / 10) {
      getrusage(RUSAGE_SELF, &before);
    }
  }
  getrusage(RUSAGE_SELF, &after);
  CHECK(after.ru_maxrss - before.ru_maxrss < 100 * 1024, "kilobytes");
  affinimathCsrDestroy(a);
  free(pointers);
  free(indices);
  free(values);
}

enum { THREADS = 3, ROUNDS = 30 };

typedef struct worker {
  affinimath_csr *a;
  affinimath_preconditioner *p;
  int changes, wrong;
} worker;

/* Products and solves, while another thread gives the entries the values that they have. */
static void *work(void *argument)
{
  worker *w = argument;
  int32_t pointers[UNKNOWNS + 1], indices[SYSTEM_ENTRIES];
  double values[SYSTEM_ENTRIES], b[UNKNOWNS], x[UNKNOWNS], y[UNKNOWNS];
  affinimath_solve_options options;
  affinimath_solve_outcome outcome;
  fill_system('D', 0, pointers, indices, values);
  fill_right_hand_side('D', b);
  affinimathSolveOptions(&options, AFFINIMATH_DOUBLE);
  options.preconditioner = w->p;
  for (int round = 0; round < ROUNDS; ++round) {
    if (w->changes) {
      w->wrong += affinimathDcsrSetValues(w->a, SYSTEM_ENTRIES, values) != 0;
      continue;
    }
    memset(x, 0, sizeof x);
    w->wrong += affinimathDcg(w->a, b, x, &options, &outcome) != 0 || outcome.reason != AFFINIMATH_CONVERGED;
    w->wrong += !(relative_residual('D', 0, b, x) <= 2e-8);
    w->wrong += affinimathDcsrmv(AFFINIMATH_TRANS, 1, w->a, x, 1, 0, y, 1) != 0;
    for (int i = 0; i < UNKNOWNS; ++i) {
      w->wrong += !(fabs(y[i] - b[i]) <= 1e-6);
    }
  }
  return NULL;
}

static void threads(void)
{
  affinimath_csr *a = system_D(0);
  affinimath_preconditioner *p = NULL;
  pthread_t threads[THREADS];
  worker workers[THREADS];
  CHECK(affinimathChebyshevCreate(a, 2, &p) == 0, "a preconditioner for threads");
  for (int i = 0; i < THREADS; ++i) {
    const worker w = {a, p, i == THREADS - 1, 0};
    workers[i] = w;
    CHECK(pthread_create(&threads[i], NULL, work, &workers[i]) == 0, "a thread");
  }
  for (int i = 0; i < THREADS; ++i) {
    CHECK(pthread_join(threads[i], NULL) == 0 && workers[i].wrong == 0, "a thread's solves");
  }
  affinimathCsrDestroy(a);
  affinimathPreconditionerDestroy(p);
}

int main(void)
{
  all_S();
  all_D();
  all_C();
  all_Z();
  wrong_creations();
  wrong_uses();
  files();
  errors_keep_nothing();
  threads();
  CHECK(affinimathShutdown() == AFFINIMATH_SUCCESS, "shutdown");
  all_S();
  return report("sparse_host");
}
