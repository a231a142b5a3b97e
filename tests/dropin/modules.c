/* Modules that are loaded with RTLD_LOCAL: what is wrong with a module's calls is told to its own error handlers, which
   no global name leads to. Given are the modules with handlers; the last one has none, and neither has the program. */

#include "program.h"

#include <dlfcn.h>

int main(int count, char **paths)
{
  int i, k;
  void *modules[8], (*provoke)(void);
  int *told[8];
  CHECK(count >= 3 && count < 8);
  for (i = 1; i < count; ++i) {
    modules[i] = dlopen(paths[i], RTLD_NOW | RTLD_LOCAL);
    if (modules[i] == NULL) printf("%s\n", dlerror());
    CHECK(modules[i] != NULL);
    told[i] = dlsym(modules[i], "told");
    CHECK(told[i] != NULL);
  }
  for (i = 1; i < count; ++i) {
    const int last = i == count - 1;
    const int expected[] = {4, 2, 5, -2};
    *(void **)&provoke = dlsym(modules[i], "provoke");
    provoke();
    for (k = 0; k < 4; ++k) CHECK(told[i][k] == (last ? 0 : expected[k]));
    memset(told[i], 0, 4 * sizeof *told[i]);
    /* Nobody else was told. */
    for (k = 1; k < count; ++k) CHECK(told[k][0] == 0 && told[k][1] == 0 && told[k][2] == 0 && told[k][3] == 0);
  }
  return report("modules");
}
