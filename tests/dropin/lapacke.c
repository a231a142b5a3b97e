/* LAPACKE's functions, in both layouts, and LAPACK's with 64-bit integers. */
#include <complex.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LAPACKE_dgesv(int, int, int, double *, int, int *, double *, int);
int LAPACKE_dgetrf(int, int, int, double *, int, int *);
int LAPACKE_zpotrf(int, char, int, double complex *, int);
int LAPACKE_dgels(int, char, int, int, int, double *, int, double *, int);
int LAPACKE_dgelsy(int, int, int, int, double *, int, double *, int, int *, double, int *);
int64_t LAPACKE_zgelsy64_(int, int64_t, int64_t, int64_t, double complex *, int64_t, double complex *, int64_t,
                          int64_t *, double, int64_t *);
int LAPACKE_dgeqp3(int, int, int, double *, int, int *, double *);
int LAPACKE_dgeqrf_work(int, int, int, double *, int, double *, double *, int);
int64_t LAPACKE_dgetrf64_(int, int64_t, int64_t, double *, int64_t, int64_t *);
int LAPACKE_dgttrf(int, double *, double *, double *, double *, int *);
int LAPACKE_dgttrs_work(int, char, int, int, const double *, const double *, const double *, const double *,
                        const int *, double *, int);
int LAPACKE_zpttrs(int, char, int, int, const double *, const double complex *, double complex *, int);
int LAPACKE_zpttrf(int, double *, double complex *);
int LAPACKE_dgbsv(int, int, int, int, int, double *, int, int *, double *, int);
int LAPACKE_dsysv(int, char, int, int, double *, int, int *, double *, int);
int64_t LAPACKE_dsytrf_work64_(int, char, int64_t, double *, int64_t, int64_t *, double *, int64_t);
int LAPACKE_dsytri(int, char, int, double *, int, const int *);
void dgesv_64_(const int64_t *, const int64_t *, double *, const int64_t *, int64_t *, double *, const int64_t *,
               int64_t *);
void scipy_dgesv_64_(const int64_t *, const int64_t *, double *, const int64_t *, int64_t *, double *, const int64_t *,
                     int64_t *);

double LAPACKE_dlange(int, char, int, int, const double *, int);
double LAPACKE_dlange_work(int, char, int, int, const double *, int, double *);
int LAPACKE_dgecon(int, char, int, const double *, int, double, double *);
int LAPACKE_dsgesv(int, int, int, double *, int, int *, double *, int, double *, int, int *);
int LAPACKE_zcposv_work(int, char, int, int, double complex *, int, double complex *, int, double complex *, int,
                        double complex *, float complex *, double *, int *);
void dsgesv_64_(const int64_t *, const int64_t *, double *, const int64_t *, int64_t *, const double *, const int64_t *,
                double *, const int64_t *, double *, float *, int64_t *, int64_t *);
double dlange_64_(const char *, const int64_t *, const int64_t *, const double *, const int64_t *, double *);

enum { ROW = 101, COLUMN = 102 };

static void expect(int holds, const char *what)
{
    if (!holds) {
        printf("failed: %s\n", what);
        exit(1);
    }
}

/* The program's own error handlers, which are called instead of the library's. */
static int told, told_wide;

void LAPACKE_xerbla(const char *name, int info)
{
    told = info;
    if (!strstr(name, "dgetrf")) told = 0;
}

void LAPACKE_xerbla64_(const char *name, int64_t info)
{
    told_wide = (int)info;
    if (!strstr(name, "dgetrf")) told_wide = 0;
}

static int near(double x, double y)
{
    return fabs(x - y) < 1e-14;
}

/* Tridiagonal, band and indefinite systems. */
static void structured(void)
{
    double dl[] = {4, 1}, d[] = {1, 1, 3}, du[] = {2, 1}, du2[1], b[] = {3, 6, 4};
    int pivots[3];
    expect(LAPACKE_dgttrf(3, dl, d, du, du2, pivots) == 0 && pivots[0] == 2, "dgttrf, which has no layout");
    expect(LAPACKE_dgttrs_work(ROW, 'N', 3, 1, dl, d, du, du2, pivots, b, 1) == 0, "dgttrs");
    expect(near(b[0], 1) && near(b[1], 1) && near(b[2], 1), "its solution");
    expect(LAPACKE_dgttrf(-1, dl, d, du, du2, pivots) == -1, "a negative size is its first argument");

    double p[] = {2, 2};
    double complex e[] = {I}, z[] = {2 + I, 2 - I}; /* 2 i; -i 2 */
    expect(LAPACKE_zpttrf(2, p, e) == 0 && near(p[1], 1.5), "zpttrf");
    expect(LAPACKE_zpttrs(COLUMN, 'U', 2, 1, p, e, z, 2) == 0, "zpttrs");
    expect(cabs(z[0] - 1) + cabs(z[1] - 1) < 1e-14, "its solution");

    /* 0 1; 1 2 by rows: fill, above, on and below the diagonal. */
    double band[] = {NAN, NAN, NAN, 1, 0, 2, 1, NAN}, c[] = {1, 3};
    expect(LAPACKE_dgbsv(ROW, 2, 1, 1, 1, band, 2, pivots, c, 1) == 0 && pivots[0] == 2, "dgbsv");
    expect(near(c[0], 1) && near(c[1], 1), "its solution");

    double a[] = {0, 2, NAN, 0}, f[] = {2, 4}, g[] = {0, 2, NAN, 0}, work[1];
    int64_t wide[2];
    expect(LAPACKE_dsysv(ROW, 'U', 2, 1, a, 2, pivots, f, 1) == 0 && pivots[0] == -1 && pivots[1] == -1, "dsysv");
    expect(near(f[0], 2) && near(f[1], 1) && isnan(a[2]), "its solution");
    expect(LAPACKE_dsytri(ROW, 'U', 2, a, 2, pivots) == 0 && near(a[1], 0.5), "dsytri");
    expect(LAPACKE_dsytrf_work64_(COLUMN, 'L', 2, g, 2, wide, work, -1) == 0 && work[0] >= 1, "a workspace query");
    expect(LAPACKE_dsytrf_work64_(COLUMN, 'L', 2, g, 2, wide, work, 1) == 0 && wide[0] == -2, "dsytrf");
}

int main(void)
{
    structured();
    int pivots[3];
    int64_t wide[2];

    /* [1 2; 3 4] x = [5; 11] has the solution [1; 2]. */
    double rows[] = {1, 2, 3, 4}, columns[] = {1, 3, 2, 4}, b[] = {5, 11}, c[] = {5, 11};
    expect(LAPACKE_dgesv(ROW, 2, 1, rows, 2, pivots, b, 1) == 0 && near(b[0], 1) && near(b[1], 2), "by rows");
    expect(LAPACKE_dgesv(COLUMN, 2, 1, columns, 2, pivots, c, 2) == 0 && near(c[0], 1) && near(c[1], 2), "by columns");
    expect(pivots[0] == 2 && pivots[1] == 2, "the pivots");

    /* [1 2; -3 4]: sums of columns 4 and 6, of rows 3 and 7; the inverse's columns have 0.7 and 0.3. */
    double m[] = {1, 2, -3, 4}, rcond = -1;
    expect(LAPACKE_dlange(ROW, 'O', 2, 2, m, 2) == 6 && LAPACKE_dlange(COLUMN, '1', 2, 2, m, 2) == 7, "1-norms");
    expect(LAPACKE_dlange_work(ROW, 'I', 2, 2, m, 2, NULL) == 7 && LAPACKE_dlange(ROW, 'm', 2, 2, m, 2) == 4, "norms");
    expect(near(LAPACKE_dlange(ROW, 'F', 2, 2, m, 2), sqrt(30.0)), "Frobenius's norm");
    expect(LAPACKE_dlange(ROW, 'F', 2, 2, m, 1) == -6, "a wrong leading dimension of a norm");
    expect(LAPACKE_dgetrf(ROW, 2, 2, m, 2, pivots) == 0 && LAPACKE_dgecon(ROW, '1', 2, m, 2, 6, &rcond) == 0, "gecon");
    expect(near(rcond, 1 / (6 * 0.7)), "the reciprocal condition");

    const int64_t n = 2, one = 1;
    int64_t info = -9;
    double d[] = {1, 3, 2, 4}, e[] = {5, 11}, f[] = {1, 3, 2, 4}, g[] = {5, 11};
    dgesv_64_(&n, &one, d, &n, wide, e, &n, &info);
    expect(info == 0 && near(e[0], 1) && near(e[1], 2) && wide[0] == 2 && wide[1] == 2, "64-bit integers");
    info = -9;
    scipy_dgesv_64_(&n, &one, f, &n, wide, g, &n, &info);
    expect(info == 0 && near(g[0], 1) && near(g[1], 2), "the name of Python's packages");
    double zeros[4] = {0};
    expect(LAPACKE_dgetrf64_(ROW, 2, 2, zeros, 2, wide) == 1 && wide[0] == 1 && wide[1] == 2, "a zero pivot");

    /* In mixed precision A is kept, and so is B. */
    double kept[] = {1, 2, 3, 4}, right[] = {5, 11}, x[] = {0, 0};
    int iter = -9;
    expect(LAPACKE_dsgesv(ROW, 2, 1, kept, 2, pivots, right, 1, x, 1, &iter) == 0 && iter >= 0, "mixed precision");
    expect(near(x[0], 1) && near(x[1], 2) && kept[0] == 1 && kept[3] == 4 && right[0] == 5 && pivots[0] == 2,
           "its solution");
    int64_t wide_iter = -9;
    double large[] = {1e100, 3e100, 2e100, 4e100}, large_right[] = {5e100, 11e100};
    dsgesv_64_(&n, &one, large, &n, wide, large_right, &n, x, &n, NULL, NULL, &wide_iter, &info);
    expect(info == 0 && wide_iter == -2 && near(x[0], 1) && near(x[1], 2) && large[0] == 3e100,
           "beyond single precision");
    double complex hermitian[] = {4, 2 * I, NAN, 5}, rights[] = {4 + 2 * I, 5 - 2 * I}, ones[2];
    expect(LAPACKE_zcposv_work(ROW, 'U', 2, 1, hermitian, 2, rights, 1, ones, 1, NULL, NULL, NULL, &iter) == 0,
           "zcposv");
    expect(iter >= 0 && cabs(ones[0] - 1) + cabs(ones[1] - 1) < 1e-14 && hermitian[3] == 5, "its solution");

    expect(LAPACKE_dgetrf(ROW, 2, 2, zeros, 1, pivots) == -5 && told == -5, "lda is too small");
    expect(LAPACKE_dgetrf64_(COLUMN, -1, 2, zeros, 1, wide) == -2 && told_wide == -2, "a negative size");

    double complex z[] = {4, 2 * I, NAN, 5};
    expect(LAPACKE_zpotrf(ROW, 'U', 2, z, 2) == 0, "zpotrf");
    expect(near(creal(z[0]), 2) && near(cimag(z[1]), 1) && near(creal(z[3]), 2) && isnan(creal(z[2])), "its factor");
    z[3] = -1;
    expect(LAPACKE_zpotrf(COLUMN, 'L', 2, z, 2) == 2, "a minor that is not positive");

    /* The line through (0, 1), (1, 3), (2, 5). */
    double points[] = {1, 0, 1, 1, 1, 2}, values[] = {1, 3, 5}, work[1], tau[2];
    expect(LAPACKE_dgeqrf_work(ROW, 3, 2, points, 2, tau, work, -1) == 0 && work[0] >= 2, "a workspace query");
    expect(LAPACKE_dgels(ROW, 'N', 3, 2, 1, points, 2, values, 1) == 0, "dgels");
    expect(near(values[0], 1) && near(values[1], 2), "its solution");

    /* Two columns that are the same: of all a + b = 2 the least is a = b = 1. */
    double same[] = {1, 1, 1, 1, 1, 1}, twos[] = {2, 2, 2};
    int jpvt[] = {0, 0}, rank = -1;
    expect(LAPACKE_dgelsy(ROW, 3, 2, 1, same, 2, twos, 1, jpvt, 1e-10, &rank) == 0 && rank == 1, "dgelsy");
    expect(near(twos[0], 1) && near(twos[1], 1) && jpvt[0] + jpvt[1] == 3, "its solution");
    double complex turned[] = {I, I, I, I}, threes[] = {3 * I, 3 * I};
    int64_t wide_jpvt[] = {0, INT64_C(1) << 40}, wide_rank = -1;
    expect(LAPACKE_zgelsy64_(COLUMN, 2, 2, 1, turned, 2, threes, 2, wide_jpvt, 1e-10, &wide_rank) == 0, "zgelsy");
    expect(wide_rank == 1 && wide_jpvt[0] == 2 && wide_jpvt[1] == 1, "an initial column");
    expect(cabs(threes[0] - 1.5) + cabs(threes[1] - 1.5) < 1e-14, "its solution");
    double lower[] = {0, 3, 1, 4};
    jpvt[0] = jpvt[1] = 0;
    expect(LAPACKE_dgeqp3(ROW, 2, 2, lower, 2, jpvt, tau) == 0 && jpvt[0] == 2 && near(fabs(lower[0]), 5), "dgeqp3");
    rcond = -1;
    expect(LAPACKE_dgecon(ROW, '1', 2, lower, 2, NAN, &rcond) == -6 && isnan(rcond), "gecon of a norm that is NaN");

    fprintf(stderr, "(told of wrong arguments on purpose:\n");
    expect(LAPACKE_dgetrf(ROW, 2, 3, rows, 2, pivots) == -5, "a leading dimension by rows");
    expect(LAPACKE_dgetrf(COLUMN, 3, 2, rows, 2, pivots) == -5, "a leading dimension by columns");
    expect(LAPACKE_dgetrf(7, 2, 2, rows, 2, pivots) == -1, "a layout");
    expect(LAPACKE_dgels(ROW, 'C', 3, 2, 1, points, 2, values, 1) == -2, "an operation");
    fprintf(stderr, ")\n");
    return 0;
}
