/* Multiplies in a handler that runs while the process ends: for the first time with an argument, else after a call in main. */

#include "program.h"

#include <unistd.h>

static void at_the_end(void)
{
  CHECK(multiplies(9, 1));
  CHECK(multiplies(600, 2));
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
