/* walk_blas.c by the library's own function: the same arguments, and a status.
 *
 *   cc walk_host.c $(pkg-config --cflags --libs affinimath) -lm -o walk_host && ./walk_host */

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <affinimath.h>

enum { N = 300 };
static double p[N * N], q[N * N];

int main(void)
{
  for (int i = 0; i < N; ++i) {
    p[i * N + i] = 0.5;
    p[i * N + (i + 1) % N] = p[i * N + (i + N - 1) % N] = 0.25;
  }
  for (int squaring = 0; squaring < 10; ++squaring) {
    int status = affinimathDgemm(AFFINIMATH_ROW_MAJOR, AFFINIMATH_NO_TRANS, AFFINIMATH_NO_TRANS, N, N, N, 1.0, p, N, p,
                                 N, 0.0, q, N);
    if (status != AFFINIMATH_SUCCESS) {
      fprintf(stderr, "%s\n", affinimathLastError());
      return 1;
    }
    memcpy(p, q, sizeof p);
  }
  printf("where it began: %.6f\n", p[0]);
  return fabs(p[0] - 0.0176288) < 1e-6 ? 0 : 1;
}
