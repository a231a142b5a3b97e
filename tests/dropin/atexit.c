/* Multiplies and solves in a handler that runs while the process ends: for the first time with an argument, else after
   a call in main. */

#include "program.h"

#include <unistd.h>

void dgels_(const char *, const int *, const int *, const int *, double *, const int *, double *, const int *, double *,
            const int *, int *);

/* True if least squares find the line 2 + 3 t through enough of its points that the library shares the work among
   threads. */
static int fits_a_line(void)
{
  static double a[2 * 3000], b[3000], work[3000];
  const int m = 3000, n = 2, one = 1, length = 3000;
  int i, info = -1;
  for (i = 0; i < m; i++) {
    a[i] = 1;
    a[m + i] = i / 1000.0;
    b[i] = 2 + 3 * a[m + i];
  }
  dgels_("N", &m, &n, &one, a, &m, b, &m, work, &length, &info);
  return info == 0 && b[0] > 2 - 1e-10 && b[0] < 2 + 1e-10 && b[1] > 3 - 1e-10 && b[1] < 3 + 1e-10;
}

static void at_the_end(void)
{
  CHECK(multiplies(9, 1));
  CHECK(multiplies(600, 2));
  CHECK(fits_a_line());
  report("atexit");
  fflush(stdout);
  if (failures != 0) _exit(EXIT_FAILURE);
}

int main(int argc, char **argv)
{
  (void)argv;
  if (argc == 1) CHECK(multiplies(600, 3));
  CHECK(atexit(at_the_end) == 0);
  return EXIT_SUCCESS;
}
