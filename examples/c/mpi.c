/* A system of equations over the ranks of an MPI program, in ScaLAPACK's layout.
 *
 *   mpicc mpi.c $(pkg-config --cflags --libs affinimath-mpi) -lm -o mpi && mpirun -np 4 ./mpi */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <mpi.h>

#include <affinimath_mpi.h>

enum { N = 1000, BLOCK = 64 };

static void check(int status)
{
  if (status != AFFINIMATH_SUCCESS) {
    fprintf(stderr, "%s\n%s\n", affinimathMpiStatusString(status), affinimathMpiLastError());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
}

int main(int argc, char **argv)
{
  affinimath_mpi_grid *grid;
  int ranks, pivots[N];
  int64_t rows = 1, columns, row, column, m, n, i, j;
  double *a, *x, largest = 0, all;
  MPI_Init(&argc, &argv);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  while ((rows + 1) * (rows + 1) <= ranks && ranks % (rows + 1) == 0) {
    ++rows;
  }
  columns = ranks / rows;
  check(affinimathMpiGridCreate(MPI_Comm_c2f(MPI_COMM_WORLD), rows, columns, &grid));
  check(affinimathMpiGridPosition(grid, &row, &column));

  /* This rank's parts of A and of b = A (1, ..., 1), by columns. */
  m = affinimathMpiNumroc(N, BLOCK, row, 0, rows);
  n = affinimathMpiNumroc(N, BLOCK, column, 0, columns);
  a = malloc(sizeof *a * (size_t)(m * n + 1));
  x = calloc((size_t)(m + 1), sizeof *x);
  for (i = 0; i < m; ++i) {
    int64_t global_i = (i / BLOCK * rows + row) * BLOCK + i % BLOCK;
    for (j = 0; j < n; ++j) {
      int64_t global_j = (j / BLOCK * columns + column) * BLOCK + j % BLOCK;
      a[i + j * m] = global_i == global_j ? 4 : 1.0 / (double)(1 + global_i + global_j);
    }
    for (j = 0; j < N && column == 0; ++j) {
      x[i] += global_i == j ? 4 : 1.0 / (double)(1 + global_i + j);
    }
  }
  {
    int ld = m > 0 ? (int)m : 1;
    int desca[9] = {1, 0, N, N, BLOCK, BLOCK, 0, 0, 0}, descb[9] = {1, 0, N, 1, BLOCK, BLOCK, 0, 0, 0};
    desca[8] = descb[8] = ld;
    check(affinimathMpiDgesv(grid, a, desca, pivots, x, descb));
  }
  for (i = 0; i < m && column == 0; ++i) {
    largest = fmax(largest, fabs(x[i] - 1));
  }
  MPI_Allreduce(&largest, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  if (row == 0 && column == 0) {
    printf("%d equations on %d x %d ranks: largest error %.1e\n", N, (int)rows, (int)columns, all);
  }
  check(affinimathMpiGridDestroy(grid));
  free(a);
  free(x);
  MPI_Finalize();
  return all < 1e-11 ? 0 : 1;
}
