/* Poisson's equation in the unit square over the ranks of an MPI program, by preconditioned conjugate gradients.
 *
 *   mpicc mpi_sparse.c $(pkg-config --cflags --libs affinimath-mpi) -lm -o mpi_sparse && mpirun -np 4 ./mpi_sparse */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <mpi.h>

#include <affinimath_mpi.h>

enum { N = 100 };

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
  affinimath_mpi_csr *a;
  affinimath_mpi_preconditioner *ic0;
  affinimath_mpi_solve_options options;
  affinimath_mpi_solve_outcome outcome;
  int ranks, rank;
  int64_t start, count, i, k, entries = 0, *pointers, *indices;
  double *values, *b, *x, pi = acos(-1), h = 1.0 / (N + 1), largest = 0, all;
  MPI_Init(&argc, &argv);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  check(affinimathMpiGridCreate(MPI_Comm_c2f(MPI_COMM_WORLD), ranks, 1, &grid));

  /* This rank's rows of the five-point stencil, with the columns of the whole matrix. */
  check(affinimathMpiEvenRange(N * N, rank, ranks, &start, &count));
  pointers = malloc(sizeof *pointers * (size_t)(count + 1));
  indices = malloc(sizeof *indices * (size_t)(5 * count + 1));
  values = malloc(sizeof *values * (size_t)(5 * count + 1));
  b = malloc(sizeof *b * (size_t)(count + 1));
  x = calloc((size_t)(count + 1), sizeof *x);
  pointers[0] = 0;
  for (i = 0; i < count; ++i) {
    int64_t point = start + i, row = point / N, column = point % N;
    const int64_t at[5] = {point - N, point - 1, point, point + 1, point + N};
    const int inside[5] = {row > 0, column > 0, 1, column < N - 1, row < N - 1};
    for (k = 0; k < 5; ++k) {
      if (inside[k]) {
        indices[entries] = at[k];
        values[entries++] = k == 2 ? 4 : -1;
      }
    }
    pointers[i + 1] = entries;
    b[i] = 2 * pi * pi * h * h * sin(pi * (double)(row + 1) * h) * sin(pi * (double)(column + 1) * h);
  }
  check(affinimathMpiDcsrCreate64(grid, count, count, pointers, indices, values, &a));
  check(affinimathMpiIc0Create(a, &ic0));
  check(affinimathMpiSolveOptions(&options, AFFINIMATH_DOUBLE));
  options.preconditioner = ic0;
  check(affinimathMpiDcg(a, b, x, &options, &outcome));

  /* The solution is sin(pi u) sin(pi v), up to the error of the stencil. */
  for (i = 0; i < count; ++i) {
    double u = (double)((start + i) / N + 1) * h, v = (double)((start + i) % N + 1) * h;
    largest = fmax(largest, fabs(x[i] - sin(pi * u) * sin(pi * v)));
  }
  MPI_Allreduce(&largest, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  if (rank == 0) {
    printf("%d unknowns on %d ranks: %d iterations, largest error %.1e\n", N * N, ranks, (int)outcome.iterations, all);
  }
  check(affinimathMpiPreconditionerDestroy(ic0));
  check(affinimathMpiCsrDestroy(a));
  check(affinimathMpiGridDestroy(grid));
  free(pointers), free(indices), free(values), free(b), free(x);
  MPI_Finalize();
  return outcome.reason == AFFINIMATH_CONVERGED && all < 1e-3 ? 0 : 1;
}
