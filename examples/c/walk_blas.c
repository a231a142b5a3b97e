/* Where a random walk on a ring of places is after 1024 steps: its matrix is squared ten times. Written for any CBLAS.
 *
 *   cc walk_blas.c -lcblas -lm -o walk_blas && ./walk_blas
 *   LD_PRELOAD=/path/libaffinimath_blas.so ./walk_blas */

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <cblas.h>

enum { N = 300 };
static double p[N * N], q[N * N];

int main(void)
{
  for (int i = 0; i < N; ++i) {
    p[i * N + i] = 0.5; /* it stays, or goes to a neighbour */
    p[i * N + (i + 1) % N] = p[i * N + (i + N - 1) % N] = 0.25;
  }
  for (int squaring = 0; squaring < 10; ++squaring) {
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, N, N, N, 1.0, p, N, p, N, 0.0, q, N);
    memcpy(p, q, sizeof p);
  }
  printf("where it began: %.6f\n", p[0]);
  /* 2048 coins, of which half show heads. */
  return fabs(p[0] - 0.0176288) < 1e-6 ? 0 : 1;
}
