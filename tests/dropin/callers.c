/* Workspace that routines of the reference LAPACK read after calls of ours: xLATDF reads xGECON's vector in
   WORK(N+1:2N). */
#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

void dtgsyl_(const char *, const int *, const int *, const int *, const double *, const int *, const double *,
             const int *, double *, const int *, const double *, const int *, const double *, const int *, double *,
             const int *, double *, double *, double *, const int *, int *, int *);
void ztgsyl_(const char *, const int *, const int *, const int *, const double complex *, const int *,
             const double complex *, const int *, double complex *, const int *, const double complex *, const int *,
             const double complex *, const int *, double complex *, const int *, double *, double *, double complex *,
             const int *, int *, int *);

enum { N = 2 };

/* The smallest singular value of [a, -b; 1, -1]: the pencils are diagonal, and D and E unit matrices. */
static double smallest(double a, double b)
{
    double squares = a * a + b * b + 2, determinant = b - a;
    return fabs(determinant) / sqrt((squares + sqrt(squares * squares - 4 * determinant * determinant)) / 2);
}

static int wrong(char type, int ijob, double dif, int info, double exact)
{
    /* An upper bound, off by the ratio of norms of 2 m n unknowns at most, and by the 3 of the estimate. */
    if (info == 0 && dif >= exact * (1 - 1e-12) && dif <= 3 * sqrt(2 * N * N) * exact) return 0;
    printf("failed: %ctgsyl, ijob %d: dif %g, info %d; the singular value is %g\n", type, ijob, dif, info, exact);
    return 1;
}

int main(void)
{
    const int n = N, length = 2 * N * N;
    const double a[] = {1, 0, 0, 2}, b[] = {3, 0, 0, 5}, unit[] = {1, 0, 0, 1};
    const double complex za[] = {1, 0, 0, 2}, zb[] = {3, 0, 0, 5}, zunit[] = {1, 0, 0, 1};
    double exact = smallest(1, 3);
    exact = fmin(exact, fmin(smallest(1, 5), fmin(smallest(2, 3), smallest(2, 5))));
    int failures = 0;
    for (int ijob = 1; ijob <= 4; ijob++) {
        double c[N * N] = {0}, f[N * N] = {0}, scale = 0, dif = NAN, work[2 * N * N];
        double complex zc[N * N] = {0}, zf[N * N] = {0}, zwork[2 * N * N];
        int integers[2 * N + 6], info = -99;
        dtgsyl_("N", &ijob, &n, &n, a, &n, b, &n, c, &n, unit, &n, unit, &n, f, &n, &scale, &dif, work, &length,
                integers, &info);
        failures += wrong('d', ijob, dif, info, exact);
        dif = NAN;
        info = -99;
        ztgsyl_("N", &ijob, &n, &n, za, &n, zb, &n, zc, &n, zunit, &n, zunit, &n, zf, &n, &scale, &dif, zwork, &length,
                integers, &info);
        failures += wrong('z', ijob, dif, info, exact);
    }
    return failures != 0;
}
