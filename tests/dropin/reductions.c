/* Reductions to tridiagonal and bidiagonal form under LAPACK's and LAPACKE's names: Q T Q^H and Q B P^H are A again. */
#include <complex.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void dsytrd_(const char *, const int *, double *, const int *, double *, double *, double *, double *, const int *,
             int *);
void dorgtr_(const char *, const int *, double *, const int *, const double *, double *, const int *, int *);
void dormtr_(const char *, const char *, const char *, const int *, const int *, const double *, const int *,
             const double *, double *, const int *, double *, const int *, int *);
void dsteqr_(const char *, const int *, double *, double *, double *, const int *, double *, int *);
void dstedc_(const char *, const int *, double *, double *, double *, const int *, double *, const int *, int *,
             const int *, int *);
void dstedc_64_(const char *, const int64_t *, double *, double *, double *, const int64_t *, double *, const int64_t *,
                int64_t *, const int64_t *, int64_t *);
void dsterf_(const int *, double *, double *, int *);
void dormbr_(const char *, const char *, const char *, const int *, const int *, const int *, const double *,
             const int *, const double *, double *, const int *, double *, const int *, int *);
void dorgbr_(const char *, const int *, const int *, const int *, double *, const int *, const double *, double *,
             const int *, int *);
void dsyevx_(const char *, const char *, const char *, const int *, double *, const int *, const double *,
             const double *, const int *, const int *, const double *, int *, double *, double *, const int *, double *,
             const int *, int *, int *, int *);
void dsyevr_(const char *, const char *, const char *, const int *, double *, const int *, const double *,
             const double *, const int *, const int *, const double *, int *, double *, double *, const int *, int *,
             double *, const int *, int *, const int *, int *);
int LAPACKE_zhetrd(int, char, int, double complex *, int, double *, double *, double complex *);
int LAPACKE_zungtr(int, char, int, double complex *, int, const double complex *);
int LAPACKE_zsteqr(int, char, int, double *, double *, double complex *, int);
int LAPACKE_zgebrd(int, int, int, double complex *, int, double *, double *, double complex *, double complex *);
int LAPACKE_zungbr(int, char, int, int, int, double complex *, int, const double complex *);
int LAPACKE_zbdsqr(int, char, int, int, int, int, double *, double *, double complex *, int, double complex *, int,
                   double complex *, int);
int LAPACKE_dsterf(int, double *, double *);
int LAPACKE_dstev(int, char, int, double *, double *, double *, int);
int LAPACKE_dstevr(int, char, char, int, double *, double *, double, double, int, int, double, int *, double *,
                   double *, int, int *);
int LAPACKE_zheevx(int, char, char, char, int, double complex *, int, double, double, int, int, double, int *, double *,
                   double complex *, int, int *);
int LAPACKE_dsygvx(int, int, char, char, char, int, double *, int, double *, int, double, double, int, int, double,
                   int *, double *, double *, int, int *);

enum { ROW = 101, COLUMN = 102, N = 6, M = 4 };

static void expect(int holds, const char *what)
{
    if (!holds) {
        printf("failed: %s\n", what);
        exit(1);
    }
}

static double element(int i, int j)
{
    return (double)((3 * i + 3 * j + i * j * j + j * i * i) % 11) - 5.0;
}

/* A Hermitian matrix with an imaginary part. */
static double complex hermitian(int i, int j)
{
    return element(i, j) + I * (i == j ? 0.0 : (i < j ? 1.0 : -1.0) * (double)((i + j) % 3));
}

static void tridiagonal(void)
{
    double a[N * N], q[N * N], d[N], e[N - 1], tau[N - 1], work[200], w[N], beside[N - 1];
    int n = N, info = 1, lwork = -1, integers[100];
    for (int k = 0; k < N * N; k++) a[k] = q[k] = element(k % N, k / N);
    dsytrd_("L", &n, q, &n, d, e, tau, work, &lwork, &info);
    expect(info == 0 && work[0] >= 1, "the workspace of dsytrd");
    lwork = 200;
    dsytrd_("L", &n, q, &n, d, e, tau, work, &lwork, &info);
    expect(info == 0 && q[0] == d[0] && q[1] == e[0], "T is in A's place");
    /* A column of Q by applying it to one of the identity. */
    double column[N] = {0, 0, 1};
    int one = 1;
    dormtr_("L", "L", "N", &n, &one, q, &n, tau, column, &n, work, &lwork, &info);
    expect(info == 0, "dormtr");
    dorgtr_("L", &n, q, &n, tau, work, &lwork, &info);
    expect(info == 0, "dorgtr");
    for (int i = 0; i < N; i++) expect(fabs(q[i + 2 * N] - column[i]) < 1e-14, "Q is applied as it is formed");
    memcpy(w, d, sizeof d);
    memcpy(beside, e, sizeof e);
    dsterf_(&n, w, beside, &info);
    expect(info == 0, "dsterf");
    double z[N * N], other_d[N], other_e[N - 1];
    memcpy(z, q, sizeof q);
    memcpy(other_d, d, sizeof d);
    memcpy(other_e, e, sizeof e);
    dsteqr_("V", &n, d, e, z, &n, work, &info);
    expect(info == 0, "dsteqr");
    for (int j = 0; j < N; j++) {
        expect(fabs(d[j] - w[j]) < 1e-12, "values with and without vectors");
        for (int i = 0; i < N; i++) {
            double sum = -d[j] * z[i + j * N];
            for (int k = 0; k < N; k++) sum += a[i + k * N] * z[k + j * N];
            expect(fabs(sum) < 1e-12, "A Z = Z diag(d)");
        }
    }
    int liwork = -1;
    lwork = -1;
    dstedc_("I", &n, other_d, other_e, z, &n, work, &lwork, integers, &liwork, &info);
    expect(info == 0 && work[0] <= 200 && integers[0] <= 100, "the workspaces of dstedc");
    lwork = 200;
    liwork = 100;
    dstedc_("I", &n, other_d, other_e, z, &n, work, &lwork, integers, &liwork, &info);
    expect(info == 0 && fabs(other_d[0] - w[0]) < 1e-12, "dstedc");
    int64_t wide = N, wide_lwork = 200, wide_liwork = 100, wide_info = 1, wide_integers[100];
    dstedc_64_("N", &wide, other_d, other_e, z, &wide, work, &wide_lwork, wide_integers, &wide_liwork, &wide_info);
    expect(wide_info == 0, "dstedc_64_");
    info = 0;
    lwork = 200;
    dormtr_("L", "X", "N", &n, &one, q, &n, tau, column, &n, work, &lwork, &info);
    expect(info == -2, "a wrong uplo of dormtr");
    dsteqr_("Q", &n, d, e, z, &n, work, &info);
    expect(info == -1, "a wrong compz of dsteqr");
}

static void some(void)
{
    double a[N * N], copy[N * N], w[N], z[N * N], work[100], none = 0;
    int n = N, info = 1, first = 2, last = 4, found = 0, lwork = 100, integers[5 * N], failed[N] = {7, 7, 7};
    for (int k = 0; k < N * N; k++) a[k] = copy[k] = element(k % N, k / N);
    dsyevx_("V", "I", "U", &n, copy, &n, &none, &none, &first, &last, &none, &found, w, z, &n, work, &lwork, integers,
            failed, &info);
    expect(info == 0 && found == 3 && failed[0] == 0 && failed[2] == 0, "dsyevx");
    for (int j = 0; j < found; j++) {
        for (int i = 0; i < N; i++) {
            double sum = -w[j] * z[i + j * N];
            for (int k = 0; k < N; k++) sum += a[i + k * N] * z[k + j * N];
            expect(fabs(sum) < 1e-12, "A Z = Z diag(w) of some");
        }
    }
    /* Without vectors Z has no rows, and of some eigenvalues LAPACK writes no isuppz. */
    int one = 1, support[2] = {-7, -7}, lwork_r = 26 * N, liwork_r = 10 * N, integers_r[10 * N];
    double work_r[26 * N];
    memcpy(copy, a, sizeof a);
    dsyevx_("N", "I", "U", &n, copy, &n, &none, &none, &first, &last, &none, &found, w, NULL, &one, work, &lwork,
            integers, failed, &info);
    expect(info == 0 && found == 3, "dsyevx without vectors");
    memcpy(copy, a, sizeof a);
    dsyevr_("V", "I", "U", &n, copy, &n, &none, &none, &first, &last, &none, &found, w, z, &n, support, work_r,
            &lwork_r, integers_r, &liwork_r, &info);
    expect(info == 0 && found == 3 && support[0] == -7 && support[1] == -7, "dsyevr of some eigenvalues");
    memcpy(copy, a, sizeof a);
    dsyevr_("N", "I", "U", &n, copy, &n, &none, &none, &first, &last, &none, &found, w, NULL, &one, support, work_r,
            &lwork_r, integers_r, &liwork_r, &info);
    expect(info == 0 && found == 3, "dsyevr without vectors");
    last = 9;
    dsyevx_("V", "I", "U", &n, copy, &n, &none, &none, &first, &last, &none, &found, w, z, &n, work, &lwork, integers,
            failed, &info);
    expect(info == -10, "a wrong last index of dsyevx");
    double complex h[N * N], y[N * N];
    for (int k = 0; k < N * N; k++) h[k] = hermitian(k / N, k % N);
    info = LAPACKE_zheevx(ROW, 'V', 'V', 'L', N, h, N, -1e3, 1e3, 0, 0, 0, &found, w, y, N, failed);
    expect(info == 0 && found == N, "LAPACKE_zheevx");
    for (int j = 0; j < N; j++) {
        for (int i = 0; i < N; i++) {
            double complex sum = -w[j] * y[i * N + j];
            for (int k = 0; k < N; k++) sum += hermitian(i, k) * y[k * N + j];
            expect(cabs(sum) < 1e-12, "A Z = Z diag(w) by rows");
        }
    }
    double b[N * N];
    for (int k = 0; k < N * N; k++) {
        copy[k] = a[k];
        b[k] = k % (N + 1) == 0 ? 2.0 : 0.0;
    }
    info = LAPACKE_dsygvx(COLUMN, 1, 'V', 'I', 'L', N, copy, N, b, N, 0, 0, 1, 2, 0, &found, w, z, N, failed);
    expect(info == 0 && found == 2, "LAPACKE_dsygvx");
    for (int i = 0; i < N; i++) {
        double sum = -2 * w[1] * z[i + N];
        for (int k = 0; k < N; k++) sum += a[i + k * N] * z[k + N];
        expect(fabs(sum) < 1e-12, "A Z = B Z diag(w)");
    }
}

static void of_lapacke(void)
{
    double complex a[N * N], tau[N - 1];
    double d[N], e[N - 1];
    for (int k = 0; k < N * N; k++) a[k] = hermitian(k / N, k % N);
    expect(LAPACKE_zhetrd(ROW, 'U', N, a, N, d, e, tau) == 0, "LAPACKE_zhetrd");
    expect(LAPACKE_zungtr(ROW, 'U', N, a, N, tau) == 0, "LAPACKE_zungtr");
    expect(LAPACKE_zsteqr(ROW, 'V', N, d, e, a, N) == 0, "LAPACKE_zsteqr");
    for (int j = 0; j < N; j++) {
        for (int i = 0; i < N; i++) {
            double complex sum = -d[j] * a[i * N + j];
            for (int k = 0; k < N; k++) sum += hermitian(i, k) * a[k * N + j];
            expect(cabs(sum) < 1e-12, "A Z = Z diag(d), by rows");
        }
    }
    double w[] = {2, 2, 2}, x[] = {1, 1}, z[9], found[3];
    int count, support[6];
    expect(LAPACKE_dstevr(COLUMN, 'V', 'I', 3, w, x, 0, 0, 2, 2, 0, &count, found, z, 3, support) == 0 && count == 1 &&
               fabs(found[0] - 2) < 1e-14,
           "LAPACKE_dstevr");
    expect(LAPACKE_dstev(COLUMN, 'V', 3, w, x, z, 3) == 0 && fabs(w[0] - 2 + sqrt(2)) < 1e-14, "LAPACKE_dstev");
    double v[] = {2, 2, 2}, y[] = {1, 1};
    expect(LAPACKE_dsterf(3, v, y) == 0 && fabs(v[2] - 2 - sqrt(2)) < 1e-14, "LAPACKE_dsterf");
    expect(LAPACKE_dsterf(-1, v, y) == -1, "a wrong n of LAPACKE_dsterf");
}

static void bidiagonal(int rows, int columns)
{
    double complex a[N * N], q[N * N], p[N * N], tauq[N], taup[N];
    double d[N], e[N];
    int order = rows < columns ? rows : columns;
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++) a[i * columns + j] = element(i, j) + I * element(j + 1, i);
    expect(LAPACKE_zgebrd(ROW, rows, columns, a, columns, d, e, tauq, taup) == 0, "LAPACKE_zgebrd");
    /* The first min(m, n) columns of Q, and rows of P^H. */
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < order; j++) q[i * order + j] = a[i * columns + j];
    for (int i = 0; i < order; i++)
        for (int j = 0; j < columns; j++) p[i * columns + j] = a[i * columns + j];
    expect(LAPACKE_zungbr(ROW, 'Q', rows, order, columns, q, order, tauq) == 0, "LAPACKE_zungbr, Q");
    expect(LAPACKE_zungbr(ROW, 'P', order, columns, rows, p, columns, taup) == 0, "LAPACKE_zungbr, P");
    char uplo = rows >= columns ? 'U' : 'L';
    int info = LAPACKE_zbdsqr(ROW, uplo, order, columns, rows, 0, d, e, p, columns, q, order, NULL, 1);
    expect(info == 0, "LAPACKE_zbdsqr");
    for (int i = 0; i < rows; i++) {
        for (int j = 0; j < columns; j++) {
            double complex sum = 0;
            for (int k = 0; k < order; k++) sum += q[i * order + k] * d[k] * p[k * columns + j];
            expect(cabs(sum - (element(i, j) + I * element(j + 1, i))) < 1e-12, "U diag(s) V^H = A");
        }
    }
}

static void wrong_factors(void)
{
    double a[N * N] = {0}, tau[N] = {0}, work[N];
    int m = 3, n = 4, k = 3, ld = N, lwork = N, info = 0;
    dorgbr_("Q", &m, &n, &k, a, &ld, tau, work, &lwork, &info);
    expect(info == -3, "a Q that is wider than tall");
    dorgbr_("X", &m, &n, &k, a, &ld, tau, work, &lwork, &info);
    expect(info == -1, "a wrong factor");
    lwork = 1;
    dormbr_("P", "L", "T", &m, &n, &k, a, &ld, tau, a, &ld, work, &lwork, &info);
    expect(info == -13, "a short workspace of dormbr");
}

int main(void)
{
    tridiagonal();
    some();
    of_lapacke();
    bidiagonal(N, M);
    bidiagonal(M, N);
    bidiagonal(N, N);
    wrong_factors();
    return 0;
}
