/* A process multiplies, forks, and both multiply: sizes for one thread and for several. */

#include "program.h"

#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
  int child, status = 0;
  pid_t pid;
  CHECK(multiplies(8, 1));
  CHECK(multiplies(700, 2));
  for (child = 0; child < 3; ++child) {
    fflush(stdout);
    pid = fork();
    if (pid == 0) {
      alarm(600); /* Under valgrind, on a busy machine, it takes minutes. */
      _exit(multiplies(8, 3) && multiplies(700, 4) && multiplies(64, 5) ? 0 : 1);
    }
    CHECK(multiplies(300, 6));
    CHECK(waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
  CHECK(multiplies(700, 7));
  return report("fork");
}
