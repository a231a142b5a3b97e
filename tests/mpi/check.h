/* What holds, and calls that succeed; else the job ends. */

static affinimath_mpi_grid *grid;
static int rank, size;

#define CHECK(holds)                                                                  \
  do {                                                                                \
    if (!(holds)) {                                                                   \
      fprintf(stderr, "rank %d, %s:%d: %s\n", rank, __FILE__, __LINE__, #holds);      \
      MPI_Abort(MPI_COMM_WORLD, 1);                                                   \
    }                                                                                 \
  } while (0)

#define CHECK_STATUS(call)                                                                                           \
  do {                                                                                                               \
    int status = (call);                                                                                             \
    if (status != 0) {                                                                                               \
      fprintf(stderr, "rank %d, %s:%d: %d, %s\n", rank, __FILE__, __LINE__, status, affinimathMpiLastError());       \
      MPI_Abort(MPI_COMM_WORLD, 1);                                                                                  \
    }                                                                                                                \
  } while (0)
