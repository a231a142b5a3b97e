/* Sixteen threads multiply at once, from the first call on. */

#include "program.h"

#include <pthread.h>

enum { THREADS = 16, ROUNDS = 20 };

static void *work(void *given)
{
  int thread = *(int *)given, round;
  size_t right = 0;
  for (round = 0; round < ROUNDS; ++round)
    right += (size_t)multiplies(1 + (thread * 37 + round * 61) % 230, thread + round);
  return (void *)right;
}

int main(void)
{
  pthread_t threads[THREADS];
  int numbers[THREADS], i;
  void *right = NULL;
  for (i = 0; i < THREADS; ++i) {
    numbers[i] = i;
    CHECK(pthread_create(&threads[i], NULL, work, &numbers[i]) == 0);
  }
  for (i = 0; i < THREADS; ++i) {
    CHECK(pthread_join(threads[i], &right) == 0);
    CHECK((size_t)right == ROUNDS);
  }
  return report("threads");
}
