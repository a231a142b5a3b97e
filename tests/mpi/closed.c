/* A null grid on one rank that has two: all ranks get an error, and none waits. Run it under mpirun: the job is aborted
 * at its end, as MPI cannot be finalised after a failure. */

#include <stdio.h>
#include <string.h>

#include <mpi.h>

#include <affinimath_mpi.h>

#include "check.h"

int main(int argc, char **argv)
{
  affinimath_mpi_grid *other;
  double element = 1, value = 7;
  int desc[9] = {1, 0, 1, 1, 1, 1, 0, 0, 1}, last, status;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  CHECK_STATUS(affinimathMpiGridCreate(MPI_Comm_c2f(MPI_COMM_WORLD), size, 1, &grid));
  CHECK_STATUS(affinimathMpiGridCreate(MPI_Comm_c2f(MPI_COMM_WORLD), 1, size, &other));
  last = rank + 1 == size;
  status = affinimathMpiDlange(last ? NULL : other, AFFINIMATH_MAX_NORM, &element, desc, &value);
  CHECK(status == (last ? -1 : AFFINIMATH_MPI_FAILED) && value == 7);
  CHECK(strstr(affinimathMpiLastError(), "argument grid: it is null"));
  CHECK(affinimathMpiDlange(other, AFFINIMATH_MAX_NORM, &element, desc, &value) == AFFINIMATH_MPI_FAILED);
  CHECK(affinimathMpiGridStatus(other) == AFFINIMATH_MPI_FAILED);
  CHECK_STATUS(affinimathMpiGridDestroy(other));
  CHECK_STATUS(affinimathMpiGridDestroy(grid));
  printf("rank %d: closed on all ranks\n", rank);
  fflush(stdout);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Abort(MPI_COMM_WORLD, 3);
  return 0;
}
