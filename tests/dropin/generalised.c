/* Pencils and bands through LAPACK's and LAPACKE's names: workspace queries, a selection, and wrong arguments. */

#include <complex.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int (*select3)(const double *, const double *, const double *);
typedef int (*select2)(const double complex *, const double complex *);

void dggev_(const char *, const char *, const int *, double *, const int *, double *, const int *, double *, double *,
            double *, double *, const int *, double *, const int *, double *, const int *, int *);
void dgges_(const char *, const char *, const char *, select3, const int *, double *, const int *, double *,
            const int *, int *, double *, double *, double *, double *, const int *, double *, const int *, double *,
            const int *, int *, int *);
void dsbevd_(const char *, const char *, const int *, const int *, double *, const int *, double *, double *,
             const int *, double *, const int *, int *, const int *, int *);
void dsbtrd_(const char *, const char *, const int *, const int *, double *, const int *, double *, double *, double *,
             const int *, double *, int *);
int LAPACKE_zggev3(int, char, char, int, double complex *, int, double complex *, int, double complex *,
                   double complex *, double complex *, int, double complex *, int);
int LAPACKE_zgges(int, char, char, char, select2, int, double complex *, int, double complex *, int, int *,
                  double complex *, double complex *, double complex *, int, double complex *, int);
int LAPACKE_zhbevx(int, char, char, char, int, int, double complex *, int, double complex *, int, double, double, int,
                   int, double, int *, double *, double complex *, int, int *);

enum { ROW = 101, COLUMN = 102, N = 6 };

static void expect(int holds, const char *what)
{
    if (!holds) {
        printf("failed: %s\n", what);
        exit(1);
    }
}

static double element(int i, int j)
{
    return (double)((7 * i + 3 * j + i * j * j + 2 * j * i * i) % 11) - 5.0;
}

static double other(int i, int j)
{
    return (i == j ? 4.0 : 0.0) + (double)((5 * i + 2 * j) % 7) / 4.0;
}

static void fill(double *a, double *b)
{
    for (int j = 0; j < N; j++) {
        for (int i = 0; i < N; i++) a[i + j * N] = element(i, j), b[i + j * N] = other(i, j);
    }
}

/* The largest element of Q T Z^T - A, by columns. */
static double backward(const double *q, const double *t, const double *z, double (*given)(int, int))
{
    double largest = 0;
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++) {
            double sum = -given(i, j);
            for (int k = 0; k < N; k++) {
                for (int l = 0; l < N; l++) sum += q[i + k * N] * t[k + l * N] * z[j + l * N];
            }
            if (fabs(sum) > largest) largest = fabs(sum);
        }
    }
    return largest;
}

static int calls;

static int positive(const double *alphar, const double *alphai, const double *beta)
{
    calls++;
    (void)alphai;
    return *alphar > 0 && *beta > 0;
}

static int leftward(const double complex *alpha, const double complex *beta)
{
    return creal(*alpha) < 0 && creal(*beta) > 0;
}

static void real_pencils(void)
{
    double a[N * N], b[N * N], q[N * N], z[N * N], re[N], im[N], beta[N], best, work[400];
    int n = N, lwork = -1, info = 1, sdim = -1, logical[N];
    fill(a, b);
    dgges_("V", "V", "S", positive, &n, a, &n, b, &n, &sdim, re, im, beta, q, &n, z, &n, &best, &lwork, logical, &info);
    expect(info == 0 && best >= 8 * N && best <= 400, "the workspace of dgges");
    lwork = (int)best;
    dgges_("V", "V", "S", positive, &n, a, &n, b, &n, &sdim, re, im, beta, q, &n, z, &n, work, &lwork, logical, &info);
    expect(info == 0 && calls >= N, "dgges");
    expect(backward(q, a, z, element) < 1e-12 && backward(q, b, z, other) < 1e-12, "Q S Z^T = A, Q P Z^T = B");
    for (int i = 0; i < N; i++) expect((re[i] > 0) == (i < sdim), "the selected eigenvalues come first");
    lwork = 8 * N - 1;
    dgges_("N", "N", "N", NULL, &n, a, &n, b, &n, &sdim, re, im, beta, q, &n, z, &n, work, &lwork, logical,
           &info);
    expect(info == -19, "a workspace of dgges that is too short");
    dgges_("N", "X", "N", NULL, &n, a, &n, b, &n, &sdim, re, im, beta, q, &n, z, &n, work, &lwork, logical,
           &info);
    expect(info == -2, "a wrong option of dgges");
    lwork = 400;
    fill(a, b);
    dggev_("N", "V", &n, a, &n, b, &n, re, im, beta, NULL, &n, z, &n, work, &lwork, &info);
    expect(info == 0, "dggev");
    for (int j = 0; j < N; j++) {
        if (im[j] != 0) continue;
        for (int i = 0; i < N; i++) {
            double sum = 0;
            for (int k = 0; k < N; k++) sum += (beta[j] * element(i, k) - re[j] * other(i, k)) * z[k + j * N];
            expect(fabs(sum) < 1e-11, "beta A v = alpha B v");
        }
    }
    n = 0;
    dggev_("V", "V", &n, a, &n, b, &n, re, im, beta, q, &n, z, &n, work, &lwork, &info);
    expect(info == -5, "a leading dimension of zero");
}

static void complex_pencils(void)
{
    double complex a[N * N], b[N * N], alpha[N], beta[N], vl[N * N], vr[N * N];
    int sdim = -1;
    for (int k = 0; k < N * N; k++) {
        a[k] = element(k / N, k % N) + I * (double)(k % 3), b[k] = other(k / N, k % N) - I * (double)(k % 2);
    }
    expect(LAPACKE_zggev3(ROW, 'V', 'V', N, a, N, b, N, alpha, beta, vl, N, vr, N) == 0, "LAPACKE_zggev3");
    for (int j = 0; j < N; j++) {
        for (int i = 0; i < N; i++) {
            double complex right = 0, left = 0;
            for (int k = 0; k < N; k++) {
                double complex of_a = element(i, k) + I * (double)((i * N + k) % 3);
                double complex of_b = other(i, k) - I * (double)((i * N + k) % 2);
                right += (beta[j] * of_a - alpha[j] * of_b) * vr[k * N + j];
                of_a = element(k, i) + I * (double)((k * N + i) % 3);
                of_b = other(k, i) - I * (double)((k * N + i) % 2);
                left += conj(vl[k * N + j]) * (beta[j] * of_a - alpha[j] * of_b);
            }
            expect(cabs(right) < 1e-11 && cabs(left) < 1e-11, "eigenvectors of LAPACKE_zggev3");
        }
    }
    expect(LAPACKE_zgges(ROW, 'V', 'V', 'S', leftward, N, a, N, b, N, &sdim, alpha, beta, vl, N, vr, N) == 0,
           "LAPACKE_zgges");
    for (int i = 0; i < N; i++) expect((creal(alpha[i]) < 0) == (i < sdim), "the selected ones come first");
    expect(LAPACKE_zgges(ROW, 'V', 'V', 'S', leftward, N, a, N, b, N - 1, &sdim, alpha, beta, vl, N, vr, N) == -10,
           "a wrong ldb of LAPACKE_zgges");
}

static void bands(void)
{
    /* 2 on the diagonal, -1 beside it. */
    const double pi = acos(-1.0);
    double ab[3 * N], w[N], z[N * N], work[200], d[N], e[N], q[N * N];
    double complex complex_ab[2 * N], complex_z[2 * N], complex_q[N * N];
    int n = N, kd = 2, ldab = 3, lwork = -1, liwork = -1, integers[100], info = 1, found = 0, failed[N];
    for (int j = 0; j < N; j++) ab[3 * j] = 0, ab[3 * j + 1] = -1, ab[3 * j + 2] = 2;
    dsbevd_("V", "U", &n, &kd, ab, &ldab, w, z, &n, work, &lwork, integers, &liwork, &info);
    expect(info == 0 && work[0] >= 1 + 5 * N + 2 * N * N && work[0] <= 200 && integers[0] >= 3 + 5 * N,
           "the workspaces of dsbevd");
    lwork = 200, liwork = 100;
    dsbevd_("V", "U", &n, &kd, ab, &ldab, w, z, &n, work, &lwork, integers, &liwork, &info);
    expect(info == 0, "dsbevd");
    for (int k = 0; k < N; k++) {
        expect(fabs(w[k] - 2 + 2 * cos((k + 1) * pi / (N + 1))) < 1e-14, "eigenvalues of dsbevd");
    }
    lwork = 1;
    dsbevd_("V", "U", &n, &kd, ab, &ldab, w, z, &n, work, &lwork, integers, &liwork, &info);
    expect(info == -11, "a workspace of dsbevd that is too short");
    dsbtrd_("V", "U", &n, &kd, ab, &ldab, d, e, q, &n, work, &info);
    expect(info == 0 && fabs(d[0] - 2) < 1e-14 && fabs(fabs(e[0]) - 1) < 1e-14, "dsbtrd");
    dsbtrd_("X", "U", &n, &kd, ab, &ldab, d, e, q, &n, work, &info);
    expect(info == -1, "a wrong option of dsbtrd");
    for (int j = 0; j < N; j++) complex_ab[j] = 2, complex_ab[N + j] = I;
    expect(LAPACKE_zhbevx(ROW, 'V', 'I', 'L', N, 1, complex_ab, N, complex_q, N, 0, 0, 2, 3, 0, &found, w, complex_z, 2,
                          failed) == 0 &&
             found == 2 && failed[0] == 0,
           "LAPACKE_zhbevx");
    for (int k = 0; k < 2; k++) {
        expect(fabs(w[k] - 2 + 2 * cos((k + 2) * pi / (N + 1))) < 1e-14, "eigenvalues of LAPACKE_zhbevx");
    }
}

int main(void)
{
    real_pencils();
    complex_pencils();
    bands();
    printf("generalised: done\n");
    return 0;
}
