/* Counting checks, for all C tests. C89. */

#ifndef COUNT_H
#define COUNT_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "affinimath.h"

static long checks = 0;
static long failures = 0;

#define CHECK(condition, what)                                                                     \
  do {                                                                                             \
    ++checks;                                                                                      \
    if (!(condition)) {                                                                            \
      ++failures;                                                                                  \
      printf("%s:%d: %s failed for %s; last error: %s\n", __FILE__, __LINE__, #condition, (what),  \
             affinimathLastError());                                                               \
    }                                                                                              \
  } while (0)

/* The program's last line, and its exit code. */
static int report(const char *program)
{
  printf("%s: %ld checks, %ld failures\n", program, checks, failures);
  return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

#endif
