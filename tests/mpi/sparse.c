/* libaffinimath_mpi.so: sparse matrices and solvers in all four types, and errors that all ranks return.
 *
 *   mpirun -np 4 sparse FILE [device]
 *
 * FILE is written and read. With a second argument, matrices that are made of rows lie on the ranks' devices. */

#define AFFINIMATH_NATIVE_COMPLEX
#include <complex.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mpi.h>

#include <affinimath_mpi.h>

#include "check.h"

enum { N = 40 };

/* This rank's rows. On two ranks and more the first one has none. */
static int64_t start, own;
static int on_devices;

#define T float
#define R float
#define F(name) affinimathMpiS##name
#define NAME(name) s_##name
#define CONJ(x) (x)
#define ABS(x) fabs((double)(x))
#define REAL(x) (x)
#define IMAG(x) 0
#define UNIT 0
#define EPS FLT_EPSILON
#define IS_COMPLEX 0
#include "sparse_type.h"

#define T double
#define R double
#define F(name) affinimathMpiD##name
#define NAME(name) d_##name
#define CONJ(x) (x)
#define ABS(x) fabs(x)
#define REAL(x) (x)
#define IMAG(x) 0
#define UNIT 0
#define EPS DBL_EPSILON
#define IS_COMPLEX 0
#include "sparse_type.h"

#define T float _Complex
#define R float
#define F(name) affinimathMpiC##name
#define NAME(name) c_##name
#define CONJ(x) conjf(x)
#define ABS(x) cabs((double _Complex)(x))
#define REAL(x) crealf(x)
#define IMAG(x) cimagf(x)
#define UNIT I
#define EPS FLT_EPSILON
#define IS_COMPLEX 1
#include "sparse_type.h"

#define T double _Complex
#define R double
#define F(name) affinimathMpiZ##name
#define NAME(name) z_##name
#define CONJ(x) conj(x)
#define ABS(x) cabs(x)
#define REAL(x) creal(x)
#define IMAG(x) cimag(x)
#define UNIT I
#define EPS DBL_EPSILON
#define IS_COMPLEX 1
#include "sparse_type.h"

/* Arguments that all ranks refuse. */
static void wrong_everywhere(const char *path)
{
  int32_t pointers[N + 1] = {0}, indices[1] = {0};
  int64_t start_of, count, wide[N + 1] = {0};
  double values[1] = {1}, x[N + 1] = {0}, y[N + 1] = {0};
  affinimath_mpi_csr *a = NULL, *d = d_rows(1, 0), *s = s_rows(1, 0);
  affinimath_mpi_preconditioner *m = NULL;
  affinimath_mpi_solve_options options;
  affinimath_mpi_solve_outcome outcome;
  int i;

  CHECK(affinimathMpiDcsrCreate(NULL, 1, 1, pointers, indices, values, &a) == -1);
  CHECK(affinimathMpiDcsrCreate(grid, -1, 1, pointers, indices, values, &a) == -2);
  CHECK(affinimathMpiDcsrCreate(grid, 1, -1, pointers, indices, values, &a) == -3);
  CHECK(affinimathMpiDcsrCreate(grid, 1, INT64_MAX, pointers, indices, values, &a) == -3);
  CHECK(affinimathMpiDcsrCreate(grid, 1, 1, NULL, indices, values, &a) == -4);
  pointers[0] = 1, pointers[1] = 1;
  CHECK(affinimathMpiDcsrCreate(grid, 1, 1, pointers, indices, values, &a) == -4);
  pointers[0] = 0, pointers[1] = -1;
  CHECK(affinimathMpiDcsrCreate(grid, 1, 1, pointers, indices, values, &a) == -4);
  CHECK(strstr(affinimathMpiLastError(), "they do not rise from 0"));
  wide[1] = 1, pointers[1] = 1;
  CHECK(affinimathMpiDcsrCreate64(grid, 1, 1, wide, NULL, values, &a) == -5);
  CHECK(affinimathMpiDcsrCreate(grid, 1, 1, pointers, indices, NULL, &a) == -6);
  indices[0] = -1;
  CHECK(affinimathMpiDcsrCreate(grid, 1, 1, pointers, indices, values, &a) == -5);
  indices[0] = size;
  CHECK(affinimathMpiDcsrCreate(grid, 1, 1, pointers, indices, values, &a) == -5);
  indices[0] = 0;
  CHECK(affinimathMpiDcsrCreate(grid, 1, 1, pointers, indices, values, NULL) == -7);
  CHECK(affinimathMpiDcsrFromCoo(grid, 1, 1, -1, indices, indices, values, &a) == -4);
  CHECK(affinimathMpiDcsrFromCoo(grid, 1, 1, 1, NULL, indices, values, &a) == -5);
  CHECK(affinimathMpiDcsrFromCoo(grid, 1, 1, 1, indices, NULL, values, &a) == -6);
  CHECK(affinimathMpiDcsrFromCoo(grid, 1, 1, 1, indices, indices, NULL, &a) == -7);
  CHECK(affinimathMpiDcsrFromCoo(grid, 1, 1, 1, indices, indices, values, NULL) == -8);
  indices[0] = size;
  CHECK(affinimathMpiDcsrFromCoo(grid, 1, 2, 1, indices, indices, values, &a) == -5);
  CHECK(affinimathMpiDcsrFromCoo(grid, 2, 1, 1, indices, indices, values, &a) == -6);
  CHECK(affinimathMpiDcsrRead(grid, NULL, &a) == -2);
  CHECK(affinimathMpiDcsrRead(grid, "/nowhere/at/all.mtx", &a) == -2);
  CHECK(strstr(affinimathMpiLastError(), "/nowhere/at/all.mtx"));
  /* The file is complex. */
  CHECK(affinimathMpiDcsrRead(grid, path, &a) == -2);
  CHECK(strstr(affinimathMpiLastError(), "it is complex"));
  if (rank == 0) {
    FILE *file = fopen(path, "w");
    fprintf(file, "%%%%MatrixMarket matrix coordinate real general\n3 3 2\n1 1 1\n4 1 1\n");
    fclose(file);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  CHECK(affinimathMpiDcsrRead(grid, path, &a) == -2);
  CHECK(strstr(affinimathMpiLastError(), "line 4"));
  CHECK(a == NULL);

  CHECK(affinimathMpiDcsrmv(7, 1, d, x, 0, y) == -1);
  CHECK(affinimathMpiDcsrmv(AFFINIMATH_TRANS, 1, NULL, x, 0, y) == -3);
  CHECK(affinimathMpiDcsrmv(AFFINIMATH_TRANS, 1, s, x, 0, y) == -3);
  CHECK(strstr(affinimathMpiLastError(), "of another type"));
  CHECK(affinimathMpiCsrShape(NULL, wide, wide, wide) == -1 && affinimathMpiCsrShape(d, wide, NULL, wide) == -3);
  CHECK(affinimathMpiCsrRanges(d, wide, wide, wide, NULL) == -5);
  CHECK(affinimathMpiEvenRange(-1, 0, 1, &start_of, &count) == -1);
  CHECK(affinimathMpiEvenRange(1, 1, 1, &start_of, &count) == -2);
  CHECK(affinimathMpiEvenRange(1, 0, 0, &start_of, &count) == -3);
  CHECK(affinimathMpiEvenRange(1, 0, 1, NULL, &count) == -4);
  CHECK(affinimathMpiSolveOptions(NULL, AFFINIMATH_DOUBLE) == -1 && affinimathMpiSolveOptions(&options, 0) == -2);

  CHECK(affinimathMpiIlu0Create(NULL, &m) == -1 && affinimathMpiIlu0Create(d, NULL) == -2 && m == NULL);
  CHECK_STATUS(affinimathMpiSolveOptions(&options, AFFINIMATH_DOUBLE));
  CHECK(affinimathMpiDcg(NULL, x, y, &options, &outcome) == -1);
  CHECK(affinimathMpiDcg(s, x, y, &options, &outcome) == -1);
  CHECK(affinimathMpiDcg(d, x, y, &options, NULL) == -5);
  for (i = 0; i < 4; ++i) {
    CHECK_STATUS(affinimathMpiSolveOptions(&options, AFFINIMATH_DOUBLE));
    if (i == 0) options.rtol = -1;
    if (i == 1) options.atol = NAN;
    if (i == 2) options.restart = 0;
    if (i == 3) {
      CHECK_STATUS(affinimathMpiJacobiCreate(s, &m));
      options.preconditioner = m;
    }
    CHECK(affinimathMpiDgmres(d, x, y, &options, &outcome) == -4);
  }
  CHECK_STATUS(affinimathMpiPreconditionerDestroy(m));

  /* A matrix whose ranks have other numbers of rows than of columns has products, and no solvers. */
  memset(pointers, 0, sizeof pointers);
  CHECK_STATUS(affinimathMpiDcsrCreate(grid, 1, 2, pointers, indices, values, &a));
  CHECK(affinimathMpiDcg(a, x, y, NULL, &outcome) == -1 && affinimathMpiJacobiCreate(a, &m) == -1);
  CHECK_STATUS(affinimathMpiDcsrmv(AFFINIMATH_TRANS, 1, a, x, 0, y));
  CHECK_STATUS(affinimathMpiCsrDestroy(a));
  /* A diagonal of zeros. */
  CHECK_STATUS(affinimathMpiDcsrCreate(grid, 1, 1, pointers, indices, values, &a));
  CHECK(affinimathMpiJacobiCreate(a, &m) == AFFINIMATH_MPI_FAILED);
  CHECK_STATUS(affinimathMpiCsrDestroy(a));
  CHECK_STATUS(affinimathMpiCsrDestroy(NULL));
  if (!on_devices) {
    /* Ranks without devices. The matrix stays. */
    CHECK(affinimathMpiCsrToDevice(d) < 0 && strstr(affinimathMpiLastError(), "has no device"));
    CHECK_STATUS(affinimathMpiDcsrmv(AFFINIMATH_NO_TRANS, 1, d, x, 0, y));
  }
  CHECK_STATUS(affinimathMpiPreconditionerDestroy(NULL));
  CHECK_STATUS(affinimathMpiCsrDestroy(d));
  CHECK_STATUS(affinimathMpiCsrDestroy(s));
}

/* One rank's error is all ranks' error, and nothing is changed. */
static void wrong_on_one(void)
{
  int last = rank + 1 == size, status;
  int32_t pointers[2] = {0, 1}, indices[1] = {0};
  double values[1] = {2}, x[N + 1] = {0}, y[N + 1];
  affinimath_mpi_csr *a = NULL, *d = d_rows(1, 0);
  affinimath_mpi_preconditioner *m = NULL;
  affinimath_mpi_solve_outcome outcome;
  affinimath_mpi_solve_options options;
  y[0] = 7;
  indices[0] = rank;
  status = affinimathMpiDcsrCreate(grid, 1, 1, last ? NULL : pointers, indices, values, &a);
  CHECK(status == AFFINIMATH_MPI_FAILED && strstr(affinimathMpiLastError(), "argument pointers: it is null"));
  status = affinimathMpiDcsrCreate(grid, last ? -1 : 1, 1, pointers, indices, values, &a);
  CHECK(status == AFFINIMATH_MPI_FAILED && strstr(affinimathMpiLastError(), "argument local_rows: -1"));
  status = last ? affinimathMpiScsrRead(grid, "none", &a) : affinimathMpiDcsrRead(grid, "none", &a);
  CHECK(status == AFFINIMATH_MPI_MISMATCH && a == NULL);
  status = affinimathMpiDcsrmv(AFFINIMATH_NO_TRANS, 1, d, last ? NULL : x, 0, y);
  CHECK(status == AFFINIMATH_MPI_FAILED && y[0] == 7);
  status = affinimathMpiDcsrmv(AFFINIMATH_NO_TRANS, last ? 2 : 1, d, x, 0, y);
  CHECK(status == AFFINIMATH_MPI_MISMATCH && y[0] == 7);
  CHECK(strstr(affinimathMpiLastError(), "alpha is 1 on rank 0 and 2 on rank"));
  status = affinimathMpiDcsrmv(AFFINIMATH_NO_TRANS, 1, last ? NULL : d, x, 0, y);
  CHECK(status == AFFINIMATH_MPI_MISMATCH && y[0] == 7);
  CHECK(strstr(affinimathMpiLastError(), "calls affinimathMpiDcsrmv with a null a"));
  status = affinimathMpiDcg(d, x, last ? NULL : y, NULL, &outcome);
  CHECK(status == AFFINIMATH_MPI_FAILED && y[0] == 7);
  CHECK_STATUS(affinimathMpiSolveOptions(&options, last ? AFFINIMATH_SINGLE : AFFINIMATH_DOUBLE));
  status = affinimathMpiDcg(d, x, y, &options, &outcome);
  CHECK(status == AFFINIMATH_MPI_MISMATCH && strstr(affinimathMpiLastError(), "rtol is"));
  /* One rank's diagonal is zero. */
  values[0] = last ? 0 : 2;
  CHECK_STATUS(affinimathMpiDcsrCreate(grid, 1, 1, pointers, indices, values, &a));
  CHECK(affinimathMpiJacobiCreate(a, &m) == AFFINIMATH_MPI_FAILED && m == NULL);
  CHECK(affinimathMpiBlockJacobiCreate(a, &m) == AFFINIMATH_MPI_FAILED && m == NULL);
  CHECK(affinimathMpiIlu0Create(a, &m) == AFFINIMATH_MPI_FAILED && m == NULL);
  CHECK_STATUS(affinimathMpiCsrDestroy(a));
  /* One rank's row is empty. */
  pointers[1] = !last;
  CHECK_STATUS(affinimathMpiDcsrCreate(grid, 1, 1, pointers, indices, values, &a));
  CHECK(affinimathMpiBlockJacobiCreate(a, &m) == AFFINIMATH_MPI_FAILED && m == NULL);
  CHECK(affinimathMpiIc0Create(a, &m) == AFFINIMATH_MPI_FAILED && m == NULL);
  CHECK_STATUS(affinimathMpiIlu0Create(d, &m));
  CHECK_STATUS(affinimathMpiPreconditionerDestroy(m));
  CHECK_STATUS(affinimathMpiCsrDestroy(a));
  CHECK_STATUS(affinimathMpiCsrDestroy(d));
}

int main(int argc, char **argv)
{
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  CHECK(argc == 2 || argc == 3);
  on_devices = argc == 3;
  CHECK_STATUS(affinimathMpiGridCreate(MPI_Comm_c2f(MPI_COMM_WORLD), size, 1, &grid));
  start = rank <= 1 && size > 1 ? 0 : N * rank * rank / (size * size);
  own = (rank + 1 == size ? N : rank == 0 ? 0 : N * (rank + 1) * (rank + 1) / (size * size)) - start;
  s_all(argv[1]);
  d_all(argv[1]);
  c_all(argv[1]);
  z_all(argv[1]);
  wrong_everywhere(argv[1]);
  if (size > 1) wrong_on_one();
  CHECK_STATUS(affinimathMpiGridDestroy(grid));
  if (size == 1) {
    /* A matrix outlives the grid that is closed. */
    affinimath_mpi_csr *a;
    double x[N] = {0}, y[N];
    CHECK_STATUS(affinimathMpiGridCreate(MPI_Comm_c2f(MPI_COMM_WORLD), 1, 1, &grid));
    a = d_rows(1, 0);
    CHECK(affinimathMpiGridFail(grid, "over") == AFFINIMATH_MPI_FAILED);
    CHECK(affinimathMpiDcsrmv(AFFINIMATH_NO_TRANS, 1, a, x, 0, y) == AFFINIMATH_MPI_FAILED);
    CHECK(strstr(affinimathMpiLastError(), "over"));
    CHECK_STATUS(affinimathMpiCsrDestroy(a));
    CHECK_STATUS(affinimathMpiGridDestroy(grid));
  }
  MPI_Finalize();
  if (rank == 0) printf("sparse functions on %d ranks\n", size);
  return 0;
}
