/* Multiplies two matrices on the host or on the preferred device.
 *
 *   cc gemm.c $(pkg-config --cflags --libs affinimath) -o gemm && ./gemm */

#include <stdio.h>

#include <affinimath.h>

int main(void)
{
  /* Row-major: rows one after the other, as in C. */
  const double a[2][3] = {{1, 2, 3}, {4, 5, 6}};
  const double b[3][2] = {{7, 8}, {9, 10}, {11, 12}};
  double c[2][2];

  int status = affinimathDgemm(AFFINIMATH_ROW_MAJOR, AFFINIMATH_NO_TRANS, AFFINIMATH_NO_TRANS, 2, 2, 3, 1.0, &a[0][0],
                               3, &b[0][0], 2, 0.0, &c[0][0], 2);
  if (status != AFFINIMATH_SUCCESS) {
    fprintf(stderr, "%s\n%s\n", affinimathStatusString(status), affinimathLastError());
    return 1;
  }
  printf("%5g %5g\n%5g %5g\n", c[0][0], c[0][1], c[1][0], c[1][1]);
  return 0;
}
