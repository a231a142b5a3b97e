/* C's own complex numbers as arguments, by value and behind pointers, without casts. */

#define AFFINIMATH_NATIVE_COMPLEX

#include <complex.h>
#include <stdio.h>

#include "affinimath.h"

static int failures = 0;

static void check(int holds, const char *what)
{
  if (holds) return;
  ++failures;
  printf("%s failed: %s\n", what, affinimathLastError());
}

static int near(double complex a, double complex b)
{
  return cabs(a - b) < 1e-5;
}

/* Scalars by value alone, then behind others that take registers. */
static void singles(void)
{
  const float complex alpha = 1 + 2 * I, beta = -1 + 0.5f * I;
  const float complex a[2] = {3 - I, 2 + 4 * I}, b[2] = {1 + I, -2 - 3 * I};
  float complex c[2] = {5 + I, 7 - 2 * I}, x[2], y[2], dot;
  int i;
  y[0] = b[0], y[1] = b[1];
  check(affinimathCaxpy(2, alpha, a, 1, y, 1) == 0 && near(y[1], alpha * a[1] + b[1]), "caxpy");
  y[0] = b[0], y[1] = b[1];
  check(affinimathCaxpby(2, alpha, a, 1, beta, y, 1) == 0 && near(y[0], alpha * a[0] + beta * b[0]), "caxpby");
  check(affinimathCdotc(2, a, 1, b, 1, &dot) == 0 && near(dot, conjf(a[0]) * b[0] + conjf(a[1]) * b[1]), "cdotc");
  check(affinimathCgemm(AFFINIMATH_COL_MAJOR, AFFINIMATH_NO_TRANS, AFFINIMATH_CONJ_TRANS, 2, 1, 1, alpha, a, 2, b, 1,
                        beta, c, 2) == 0,
        "cgemm");
  check(near(c[1], alpha * a[1] * conjf(b[0]) + beta * (7 - 2 * I)), "cgemm's product");
  for (i = 0; i < 2; ++i) x[i] = a[i], y[i] = b[i];
  check(affinimathCrot(2, x, 1, y, 1, 0.6f, 0.8f * I) == 0 && near(x[1], 0.6f * a[1] + 0.8f * I * b[1]), "crot");
}

static void doubles(void)
{
  const double complex alpha = 1 + 2 * I, beta = -1 + 0.5 * I;
  const double complex a[2] = {3 - I, 2 + 4 * I}, b[2] = {1 + I, -2 - 3 * I};
  double complex c[2] = {5 + I, 7 - 2 * I}, y[2];
  y[0] = b[0], y[1] = b[1];
  check(affinimathZaxpby(2, alpha, a, 1, beta, y, 1) == 0 && near(y[1], alpha * a[1] + beta * b[1]), "zaxpby");
  check(affinimathZgemm(AFFINIMATH_COL_MAJOR, AFFINIMATH_NO_TRANS, AFFINIMATH_CONJ_TRANS, 2, 1, 1, alpha, a, 2, b, 1,
                        beta, c, 2) == 0,
        "zgemm");
  check(near(c[0], alpha * a[0] * conj(b[0]) + beta * (5 + I)), "zgemm's product");
  c[0] = 2;
  check(affinimathZher2k(AFFINIMATH_COL_MAJOR, AFFINIMATH_UPPER, AFFINIMATH_NO_TRANS, 1, 1, alpha, a, 1, b, 1, 0.5, c,
                         1) == 0,
        "zher2k");
  check(near(c[0], alpha * a[0] * conj(b[0]) + conj(alpha) * b[0] * conj(a[0]) + 1), "zher2k's product");
}

int main(void)
{
  singles();
  doubles();
  printf("native complex numbers: %d failures\n", failures);
  return failures != 0;
}
