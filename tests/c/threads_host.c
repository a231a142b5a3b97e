/* The count of threads: the first call reports a setting that cannot be read; a function call overrides it.
   */

#define _POSIX_C_SOURCE 200112L

#include <affinimath.h>
#include <stdlib.h>
#include <string.h>

#include "count.h"

int main(void)
{
  double x[1] = {3};
  int64_t threads = 0;
  CHECK(setenv("AFFINIMATH_NUM_THREADS", "abc", 1) == 0, "the environment");
  CHECK(affinimathDscal(1, 2, x, 1) == AFFINIMATH_INVALID_SETTING && x[0] == 3, "the first call");
  CHECK(strstr(affinimathLastError(), "AFFINIMATH_NUM_THREADS") != NULL, "the variable's name");
  CHECK(strstr(affinimathLastError(), "abc") != NULL, "the variable's value");
  CHECK(affinimathDaxpy(1, 2, x, 1, x, 1) == AFFINIMATH_INVALID_SETTING && x[0] == 3, "another one");
  CHECK(affinimathGetNumThreads(&threads) == AFFINIMATH_INVALID_SETTING && threads == 0, "the number of threads");
  CHECK(affinimathInitialize() == AFFINIMATH_INVALID_SETTING, "affinimathInitialize");
  CHECK(affinimathSetNumThreads(0) == -1 && affinimathSetNumThreads(-3) == -1, "no threads");
  CHECK(affinimathGetNumThreads(NULL) == -1, "no place for the number");
  CHECK(affinimathSetNumThreads(1) == 0, "one thread");
  CHECK(affinimathGetNumThreads(&threads) == 0 && threads == 1, "one thread is told");
  CHECK(affinimathDscal(1, 2, x, 1) == 0 && x[0] == 6, "a call with one thread");
  CHECK(affinimathSetNumThreads(INT64_MAX) == 0, "as many as there are");
  CHECK(affinimathGetNumThreads(&threads) == 0 && threads >= 1 && threads < 1 << 20, "as many as there are are told");
  CHECK(affinimathSetNumThreads(0) == -1, "no threads");
  CHECK(affinimathDscal(1, 2, x, 1) == 0 && x[0] == 12, "a call with all threads");
  return report("threads_host");
}
