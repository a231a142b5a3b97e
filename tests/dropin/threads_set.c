/* Calls of OpenBLAS's names set the count of threads, which bounds the parallel work.

   With RAYON_NUM_THREADS=8 there may be eight, whatever the machine has. */

#include "program.h"

#include <dirent.h>
#include <unistd.h>

int openblas_get_num_threads(void);
int scipy_openblas_get_num_threads64_(void);
int openblas_get_num_threads_64_(void);
int openblas_get_num_procs(void);
int openblas_get_parallel(void);
const char *openblas_get_config(void);
const char *scipy_openblas_get_corename64_(void);
void openblas_set_num_threads(int);
void scipy_openblas_set_num_threads64_(int);
void openblas_set_num_threads_(const int *);
void openblas_set_num_threads_64_(const int64_t *);
void dgesv_(const int *, const int *, double *, const int *, int *, double *, const int *, int *);

/* The threads of this process. */
static int threads(void)
{
  int count = 0;
  struct dirent *entry;
  DIR *folder = opendir("/proc/self/task");
  CHECK(folder != NULL);
  while (folder != NULL && (entry = readdir(folder)) != NULL) count += entry->d_name[0] != '.';
  if (folder != NULL) closedir(folder);
  return count;
}

/* Threads that are not needed any more end by and by. */
static int come_down_to(int count)
{
  int tries;
  for (tries = 0; tries < 500 && threads() > count; ++tries) usleep(10000);
  return threads() <= count;
}

/* Large enough for every thread: a product, and a system of equations, whose solution is all ones. */
static void work(void)
{
  enum { ORDER = 400 };
  const int n = ORDER, one = 1;
  double *a = malloc((ORDER + 1) * ORDER * sizeof *a), *b = a + ORDER * ORDER, worst = 0;
  int *pivots = malloc(ORDER * sizeof *pivots), info = -1, i, j;
  CHECK(a != NULL && pivots != NULL && multiplies(ORDER, 3));
  for (i = 0; i < ORDER; ++i) {
    b[i] = 0;
    for (j = 0; j < ORDER; ++j) b[i] += a[i + j * ORDER] = i == j ? 2 * ORDER : (i + 2 * j) % 3;
  }
  dgesv_(&n, &one, a, &n, pivots, b, &n, &info);
  for (i = 0; i < ORDER; ++i) worst = fmax(worst, fabs(b[i] - 1));
  /* The matrix' condition is below 4. */
  CHECK(info == 0 && worst <= 8 * ORDER * 1.2e-16);
  free(a);
  free(pivots);
}

int main(int count, char **expected)
{
  const int two = 2;
  const int64_t four = 4;
  const int before = count > 1 ? atoi(expected[1]) : openblas_get_num_threads();
  int others;
  CHECK(openblas_get_num_threads() == before && scipy_openblas_get_num_threads64_() == before);
  work();
  CHECK(threads() <= 1 + before);
  /* All that there may be are those of a pool that stays. */
  others = before == 8 ? threads() - 1 : 0;
  openblas_set_num_threads(3);
  CHECK(openblas_get_num_threads() == 3 && openblas_get_num_threads_64_() == 3);
  work();
  CHECK(come_down_to(1 + others + 3) && threads() == 1 + others + 3);
  openblas_set_num_threads_(&two);
  CHECK(openblas_get_num_threads() == 2);
  work();
  CHECK(come_down_to(1 + others + 2));
  openblas_set_num_threads_64_(&four);
  CHECK(openblas_get_num_threads() == 4);
  scipy_openblas_set_num_threads64_(1);
  CHECK(openblas_get_num_threads() == 1);
  work();
  openblas_set_num_threads(0);
  CHECK(openblas_get_num_threads() == openblas_get_num_procs());
  CHECK(openblas_get_parallel() == 1 && strncmp(openblas_get_config(), "Affinimath ", 11) == 0);
  CHECK(strlen(scipy_openblas_get_corename64_()) > 0);
  return report("threads_set");
}
