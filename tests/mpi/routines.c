/* libaffinimath_mpi.so: every function in all four types, and errors that all ranks return. Run it under mpirun. */

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

static int64_t rows, columns, row, column;

#define T float
#define R float
#define F(name) affinimathMpiS##name
#define NAME(name) s_##name
#define CONJ(x) (x)
#define ABS(x) fabs((double)(x))
#define EPS FLT_EPSILON
#define IS_COMPLEX 0
#include "type.h"

#define T double
#define R double
#define F(name) affinimathMpiD##name
#define NAME(name) d_##name
#define CONJ(x) (x)
#define ABS(x) fabs(x)
#define EPS DBL_EPSILON
#define IS_COMPLEX 0
#include "type.h"

#define T float _Complex
#define R float
#define F(name) affinimathMpiC##name
#define NAME(name) c_##name
#define CONJ(x) conjf(x)
#define ABS(x) cabs((double _Complex)(x))
#define EPS FLT_EPSILON
#define IS_COMPLEX 1
#include "type.h"

#define T double _Complex
#define R double
#define F(name) affinimathMpiZ##name
#define NAME(name) z_##name
#define CONJ(x) conj(x)
#define ABS(x) cabs(x)
#define EPS DBL_EPSILON
#define IS_COMPLEX 1
#include "type.h"

static void errors(void)
{
  d_matrix a = d_make(d_FULL, 1, 8, 8, 2, 2), b = d_make(d_FULL, 2, 8, 8, 2, 2);
  int pivots[8], status, last = rank + 1 == size, i;
  double value = 7;
  affinimath_mpi_grid *none = NULL;
  CHECK(affinimathMpiGridCreate(MPI_Comm_c2f(MPI_COMM_WORLD), size + 1, 1, &none) == -2 && none == NULL);
  CHECK(affinimathMpiDpotrf(NULL, AFFINIMATH_LOWER, a.local, a.desc) == -1);
  CHECK(affinimathMpiDpotrf(grid, 7, a.local, a.desc) == -2);
  CHECK(strstr(affinimathMpiLastError(), "affinimathMpiDpotrf: argument uplo: 7 is not"));
  status = affinimathMpiDgemm(grid, AFFINIMATH_NO_TRANS, 0, 1, a.local, a.desc, a.local, a.desc, 0, b.local, b.desc);
  CHECK(status == -3);
  CHECK(affinimathMpiDlange(grid, AFFINIMATH_MAX_NORM, a.local, NULL, &value) == -4 && value == 7);
  CHECK(affinimathMpiDlange(grid, AFFINIMATH_MAX_NORM, a.local, a.desc, NULL) == -5);
  a.desc[8] = 0;
  CHECK(affinimathMpiDlange(grid, AFFINIMATH_MAX_NORM, a.local, a.desc, &value) == -4);
  CHECK(strstr(affinimathMpiLastError(), "the leading dimension is 0"));
  a.desc[8] = (int)a.rows + 3;
  {
    /* Ranks have other numbers of rows, and refuse one argument all the same. */
    d_matrix uneven = d_make(d_FULL, 1, 7, 7, 2, 2);
    uneven.desc[8] = 0;
    CHECK(affinimathMpiDlange(grid, AFFINIMATH_MAX_NORM, uneven.local, uneven.desc, &value) == -4);
    CHECK(strstr(affinimathMpiLastError(), "argument desca: the leading dimension is 0, less than the"));
    free(uneven.local);
  }
  CHECK(affinimathMpiGridCreate(MPI_Comm_c2f(MPI_COMM_WORLD), rows, columns, NULL) == -4);

  /* A singular matrix is LAPACK's info, on all ranks, and pivots are there. */
  memset(b.local, 0, sizeof *b.local * (size_t)(b.desc[8] * b.columns));
  CHECK(affinimathMpiDgetrf(grid, b.local, b.desc, pivots) == 1);
  for (i = 0; i < 8; ++i) CHECK(pivots[i] == i + 1);
  CHECK(affinimathMpiDpotrf(grid, AFFINIMATH_LOWER, b.local, b.desc) == 1);

  /* A null grid on all ranks is their wrong argument. On one rank, the others hear of it. */
  CHECK(affinimathMpiDlange(NULL, AFFINIMATH_MAX_NORM, a.local, a.desc, &value) == -1);
  if (size > 1) {
    status = affinimathMpiDlange(last ? NULL : grid, AFFINIMATH_MAX_NORM, a.local, a.desc, &value);
    CHECK(status == AFFINIMATH_MPI_MISMATCH && value == 7);
    CHECK(strstr(affinimathMpiLastError(), "calls affinimathMpiDlange with a null grid"));
  }
  if (size > 1) {
    /* Ranks that disagree, and one rank that has a null pointer. */
    status = affinimathMpiDpotrf(grid, last ? AFFINIMATH_UPPER : AFFINIMATH_LOWER, a.local, a.desc);
    CHECK(status == AFFINIMATH_MPI_MISMATCH);
    CHECK(strstr(affinimathMpiLastError(), "uplo is 122 on rank 0 and 121 on rank"));
    status = last ? affinimathMpiDgetrf(grid, a.local, a.desc, pivots)
                  : affinimathMpiDlange(grid, AFFINIMATH_MAX_NORM, a.local, a.desc, &value);
    CHECK(status == AFFINIMATH_MPI_MISMATCH);
    status = affinimathMpiDgetrf(grid, a.local, a.desc, last ? NULL : pivots);
    CHECK(status == AFFINIMATH_MPI_FAILED);
    CHECK(strstr(affinimathMpiLastError(), "argument ipiv: it is null"));
    status = affinimathMpiDlange(grid, AFFINIMATH_MAX_NORM, a.local, last ? NULL : a.desc, &value);
    CHECK(status == AFFINIMATH_MPI_MISMATCH);
    CHECK(strstr(affinimathMpiLastError(), "desca is 1 on rank 0 and 0 on rank"));
    status = affinimathMpiGridCreate(MPI_Comm_c2f(MPI_COMM_WORLD), rows, columns, last ? NULL : &none);
    CHECK(status == AFFINIMATH_MPI_FAILED && none == NULL);
    CHECK(strstr(affinimathMpiLastError(), "argument grid: it is null"));
  }
  {
    /* Transforms that no plan does. */
    const int64_t lengths[3] = {4, 4, 4}, negative[3] = {4, -1, 4};
    affinimath_mpi_fft_plan *plan = NULL;
    CHECK(affinimathMpiDfftPlanCreate(grid, 1, lengths, AFFINIMATH_MPI_AUTO, 0, 0, 0, 1, &plan) == -2);
    CHECK(affinimathMpiDfftPlanCreate(grid, 3, negative, AFFINIMATH_MPI_AUTO, 0, 0, 0, 1, &plan) == -3);
    CHECK(affinimathMpiDfftPlanCreate(grid, 3, lengths, 3, 0, 0, 0, 1, &plan) == -4);
    CHECK(affinimathMpiDfftPlanCreate(grid, 3, lengths, AFFINIMATH_MPI_PENCILS, size + 1, 1, 0, 1, &plan) == -4);
    CHECK(affinimathMpiDfftPlanCreate(grid, 3, lengths, AFFINIMATH_MPI_AUTO, 0, 0, 0, 1, NULL) == -9);
    CHECK(plan == NULL);
  }
  /* The grid works on. */
  CHECK_STATUS(affinimathMpiDlange(grid, AFFINIMATH_MAX_NORM, a.local, a.desc, &value));
  CHECK(value > 0 && value <= 1);
  CHECK(strstr(affinimathMpiStatusString(AFFINIMATH_MPI_MISMATCH), "disagree"));
  CHECK(strcmp(affinimathMpiStatusString(0), "success") == 0);
  free(a.local), free(b.local);
}

int main(int argc, char **argv)
{
  CHECK(affinimathMpiGridCreate(0, 1, 1, &grid) == -1);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  rows = size % 2 == 0 ? 2 : 1, columns = size / rows;
  CHECK_STATUS(affinimathMpiGridCreate(MPI_Comm_c2f(MPI_COMM_WORLD), rows, columns, &grid));
  CHECK_STATUS(affinimathMpiGridPosition(grid, &row, &column));
  CHECK(row * columns + column == rank);
  s_all();
  d_all();
  c_all();
  z_all();
  errors();
  CHECK_STATUS(affinimathMpiGridDestroy(grid));
  if (size == 1) {
    /* A grid that is closed, without a reason. MPI could not be finalised on more ranks. */
    double value, element = 1;
    int desc[9] = {1, 0, 1, 1, 1, 1, 0, 0, 1};
    CHECK_STATUS(affinimathMpiGridCreate(MPI_Comm_c2f(MPI_COMM_WORLD), 1, 1, &grid));
    CHECK_STATUS(affinimathMpiGridStatus(grid));
    CHECK(affinimathMpiGridFail(grid, NULL) == AFFINIMATH_MPI_FAILED);
    CHECK(affinimathMpiGridStatus(grid) == AFFINIMATH_MPI_FAILED && affinimathMpiGridStatus(NULL) == -1);
    CHECK(affinimathMpiDlange(grid, AFFINIMATH_MAX_NORM, &element, desc, &value) == AFFINIMATH_MPI_FAILED);
    CHECK(strstr(affinimathMpiLastError(), "rank 0 of 1"));
    CHECK_STATUS(affinimathMpiGridDestroy(grid));
  }
  MPI_Finalize();
  if (rank == 0) printf("all functions on %d ranks\n", size);
  return 0;
}
