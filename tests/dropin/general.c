/* Hessenberg and Schur forms under LAPACK's and LAPACKE's names: Q H Q^H and Z T Z^H are A again. */
#include <complex.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int (*select2)(const double *, const double *);
typedef int64_t (*wide_select2)(const double *, const double *);
typedef int (*select1)(const double complex *);

void dgebal_(const char *, const int *, double *, const int *, int *, int *, double *, int *);
void dgehrd_(const int *, const int *, const int *, double *, const int *, double *, double *, const int *, int *);
void dorghr_(const int *, const int *, const int *, double *, const int *, const double *, double *, const int *,
             int *);
void dormhr_(const char *, const char *, const int *, const int *, const int *, const int *, const double *,
             const int *, const double *, double *, const int *, double *, const int *, int *);
void dhseqr_(const char *, const char *, const int *, const int *, const int *, double *, const int *, double *,
             double *, double *, const int *, double *, const int *, int *);
void dtrevc_(const char *, const char *, int *, const int *, const double *, const int *, double *, const int *,
             double *, const int *, const int *, int *, double *, int *);
void dtrevc3_(const char *, const char *, int *, const int *, const double *, const int *, double *, const int *,
              double *, const int *, const int *, int *, double *, const int *, int *);
void dtrexc_(const char *, const int *, double *, const int *, double *, const int *, int *, int *, double *, int *);
void dtrsen_(const char *, const char *, const int *, const int *, double *, const int *, double *, const int *,
             double *, double *, int *, double *, double *, double *, const int *, int *, const int *, int *);
void dtrsna_(const char *, const char *, const int *, const int *, const double *, const int *, const double *,
             const int *, const double *, const int *, double *, double *, const int *, int *, double *, const int *,
             int *, int *);
void dgees_(const char *, const char *, select2, const int *, double *, const int *, int *, double *, double *,
            double *, const int *, double *, const int *, int *, int *);
void dgees_64_(const char *, const char *, wide_select2, const int64_t *, double *, const int64_t *, int64_t *,
               double *, double *, double *, const int64_t *, double *, const int64_t *, int64_t *, int64_t *);
void dgeesx_(const char *, const char *, select2, const char *, const int *, double *, const int *, int *, double *,
             double *, double *, const int *, double *, double *, double *, const int *, int *, const int *, int *,
             int *);
int LAPACKE_zgebal(int, char, int, double complex *, int, int *, int *, double *);
int LAPACKE_zgebak(int, char, char, int, int, int, const double *, int, double complex *, int);
int LAPACKE_zgehrd(int, int, int, int, double complex *, int, double complex *);
int LAPACKE_zunghr(int, int, int, int, double complex *, int, const double complex *);
int LAPACKE_zunmhr(int, char, char, int, int, int, int, const double complex *, int, const double complex *,
                   double complex *, int);
int LAPACKE_zhseqr(int, char, char, int, int, int, double complex *, int, double complex *, double complex *, int);
int LAPACKE_ztrevc(int, char, char, const int *, int, double complex *, int, double complex *, int, double complex *,
                   int, int, int *);
int LAPACKE_ztrexc(int, char, int, double complex *, int, double complex *, int, int, int);
int LAPACKE_ztrsen(int, char, char, const int *, int, double complex *, int, double complex *, int, double complex *,
                   int *, double *, double *);
int LAPACKE_ztrsna(int, char, char, const int *, int, const double complex *, int, const double complex *, int,
                   const double complex *, int, double *, double *, int, int *);
int LAPACKE_ztrsyl(int, char, char, int, int, int, const double complex *, int, const double complex *, int,
                   double complex *, int, double *);
int LAPACKE_zgees(int, char, char, select1, int, double complex *, int, int *, double complex *, double complex *, int);
int LAPACKE_zgeesx(int, char, char, select1, char, int, double complex *, int, int *, double complex *,
                   double complex *, int, double *, double *);
int LAPACKE_zgeevx(int, char, char, char, char, int, double complex *, int, double complex *, double complex *, int,
                   double complex *, int, int *, int *, double *, double *, double *, double *);
int LAPACKE_dtrsyl(int, char, char, int, int, int, const double *, int, const double *, int, double *, int, double *);
int LAPACKE_dgeevx(int, char, char, char, char, int, double *, int, double *, double *, double *, int, double *, int,
                   int *, int *, double *, double *, double *, double *);

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

/* The largest element of Z T Z^T - A, by columns. */
static double backward(const double *z, const double *t)
{
    double largest = 0;
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++) {
            double sum = -element(i, j);
            for (int k = 0; k < N; k++) {
                for (int l = 0; l < N; l++) sum += z[i + k * N] * t[k + l * N] * z[j + l * N];
            }
            if (fabs(sum) > largest) largest = fabs(sum);
        }
    }
    return largest;
}

static void fill(double *a)
{
    for (int k = 0; k < N * N; k++) a[k] = element(k % N, k / N);
}

/* Steps: Hessenberg form, Schur form, eigenvectors, order. */
static void steps(void)
{
    double a[N * N], q[N * N], t[N * N], tau[N - 1], work[300], wr[N], wi[N], v[N * N], column[N] = {0, 0, 1};
    int n = N, low = 1, info = 1, lwork = -1, one = 1, found = 0, integers[100];
    fill(a);
    dgehrd_(&n, &low, &n, a, &n, tau, work, &lwork, &info);
    expect(info == 0 && work[0] >= N, "the workspace of dgehrd");
    lwork = 300;
    dgehrd_(&n, &low, &n, a, &n, tau, work, &lwork, &info);
    expect(info == 0, "dgehrd");
    dormhr_("L", "N", &n, &one, &low, &n, a, &n, tau, column, &n, work, &lwork, &info);
    expect(info == 0, "dormhr");
    for (int j = 0; j < N; j++) {
        for (int i = 0; i < N; i++) t[i + j * N] = i > j + 1 ? 0 : a[i + j * N];
    }
    memcpy(q, a, sizeof a);
    dorghr_(&n, &low, &n, q, &n, tau, work, &lwork, &info);
    expect(info == 0 && backward(q, t) < 1e-13, "Q H Q^T = A");
    for (int i = 0; i < N; i++) expect(fabs(q[i + 2 * N] - column[i]) < 1e-14, "Q is applied as it is formed");
    dhseqr_("S", "V", &n, &low, &n, t, &n, wr, wi, q, &n, work, &lwork, &info);
    expect(info == 0 && backward(q, t) < 1e-12, "Z T Z^T = A");
    int pair = -1, real = -1;
    for (int i = 0; i < N; i++) {
        if (wi[i] > 0) pair = i;
        if (wi[i] == 0) real = i;
    }
    expect(pair >= 0 && real >= 0, "there are both kinds of eigenvalues");
    int select[N] = {0};
    select[pair + 1] = 1;
    dtrevc_("R", "S", select, &n, t, &n, NULL, &one, v, &n, &n, &found, work, &info);
    expect(info == 0 && found == 2 && select[pair] == 1 && select[pair + 1] == 0, "dtrevc of a pair");
    for (int i = 0; i < N; i++) {
        double re = -wr[pair] * v[i] + wi[pair] * v[i + N], im = -wr[pair] * v[i + N] - wi[pair] * v[i];
        for (int k = 0; k < N; k++) {
            re += t[i + k * N] * v[k];
            im += t[i + k * N] * v[k + N];
        }
        expect(fabs(re) < 1e-12 && fabs(im) < 1e-12, "T v = lambda v");
    }
    dtrevc_("R", "S", select, &n, t, &n, NULL, &one, v, &n, &one, &found, work, &info);
    expect(info == -11, "too few columns of dtrevc");
    lwork = -1;
    dtrevc3_("B", "B", NULL, &n, t, &n, v, &n, v, &n, &n, &found, work, &lwork, &info);
    expect(info == 0 && work[0] >= 3 * N, "the workspace of dtrevc3");
    lwork = 300;
    memcpy(v, q, sizeof q);
    dtrevc3_("R", "B", NULL, &n, t, &n, NULL, &one, v, &n, &n, &found, work, &lwork, &info);
    expect(info == 0 && found == N, "dtrevc3");
    double sum[N] = {0};
    for (int i = 0; i < N; i++) {
        sum[i] = -wr[real] * v[i + real * N];
        for (int k = 0; k < N; k++) sum[i] += element(i, k) * v[k + real * N];
        expect(fabs(sum[i]) < 1e-12, "A v = lambda v");
    }
    double s[N], sep[N], none = 0;
    dtrsna_("B", "A", NULL, &n, t, &n, v, &n, v, &n, s, sep, &n, &found, work, &n, integers, &info);
    expect(info == 0 && found == N && s[real] > 0 && s[real] <= 1.0 + 1e-14 && sep[real] > 0, "dtrsna");
    /* The pair goes to the front, by either of its rows. */
    int from = pair + 2, to = 1;
    dtrexc_("V", &n, t, &n, q, &n, &from, &to, work, &info);
    expect(info == 0 && from == pair + 1 && to == 1 && backward(q, t) < 1e-12, "dtrexc");
    expect(fabs(t[0] - wr[pair]) < 1e-12 && t[1] != 0, "the pair is in front");
    int flags[N] = {0};
    flags[N - 1] = 1;
    int liwork = 100;
    dtrsen_("B", "V", flags, &n, t, &n, q, &n, wr, wi, &found, s, sep, work, &lwork, integers, &liwork, &info);
    expect(info == 0 && (found == 1 || found == 2) && s[0] > 0 && s[0] <= 1 && sep[0] > 0, "dtrsen");
    expect(backward(q, t) < 1e-12, "Z T Z^T = A in another order");
    dgebal_("B", &n, a, &n, &from, &to, s, &info);
    expect(info == 0 && from >= 1 && to <= N, "dgebal");
    dgebal_("X", &n, a, &n, &from, &to, s, &info);
    expect(info == -1, "a wrong job of dgebal");
    to = N + 1;
    dgehrd_(&n, &low, &to, a, &n, tau, work, &lwork, &info);
    expect(info == -3, "a wrong ihi of dgehrd");
    lwork = N - 1;
    dhseqr_("E", "N", &n, &low, &n, t, &n, wr, wi, &none, &one, work, &lwork, &info);
    expect(info == -13, "a short workspace of dhseqr");
}

static int calls = 0;

static int positive(const double *re, const double *im)
{
    (void)im;
    calls++;
    return *re > 0;
}

static int64_t wide_positive(const double *re, const double *im)
{
    return positive(re, im);
}

static int leftward(const double complex *w)
{
    return creal(*w) < 0;
}

static void sorted(void)
{
    double a[N * N], z[N * N], wr[N], wi[N], work[300], rconde = 0, rcondv = 0;
    int n = N, sdim = -1, lwork = -1, info = 1, logical[N], integers[100], liwork = 100;
    fill(a);
    dgees_("V", "S", positive, &n, a, &n, &sdim, wr, wi, z, &n, work, &lwork, logical, &info);
    expect(info == 0 && work[0] >= 3 * N, "the workspace of dgees");
    lwork = 300;
    dgees_("V", "S", positive, &n, a, &n, &sdim, wr, wi, z, &n, work, &lwork, logical, &info);
    expect(info == 0 && calls >= N && backward(z, a) < 1e-12, "Z T Z^T = A of dgees");
    for (int i = 0; i < N; i++) expect((wr[i] > 0) == (i < sdim), "the selected eigenvalues come first");
    int first = sdim;
    fill(a);
    dgees_("N", "N", NULL, &n, a, &n, &sdim, wr, wi, NULL, &n, work, &lwork, logical, &info);
    expect(info == 0 && sdim == 0, "dgees without an order");
    fill(a);
    dgeesx_("V", "S", positive, "B", &n, a, &n, &sdim, wr, wi, z, &n, &rconde, &rcondv, work, &lwork, integers, &liwork,
            logical, &info);
    expect(info == 0 && sdim == first && rconde > 0 && rconde <= 1 && rcondv > 0, "dgeesx");
    dgeesx_("V", "N", positive, "B", &n, a, &n, &sdim, wr, wi, z, &n, &rconde, &rcondv, work, &lwork, integers, &liwork,
            logical, &info);
    expect(info == -4, "conditions without an order");
    int64_t wide = N, wide_sdim = -1, wide_lwork = 300, wide_info = 1, wide_logical[N];
    fill(a);
    dgees_64_("V", "S", wide_positive, &wide, a, &wide, &wide_sdim, wr, wi, z, &wide, work, &wide_lwork, wide_logical,
              &wide_info);
    expect(wide_info == 0 && wide_sdim == first, "dgees_64_");
    double b[4] = {NAN, 1, 2, 3};
    n = 2;
    dgees_("N", "N", NULL, &n, b, &n, &sdim, wr, wi, NULL, &n, work, &lwork, logical, &info);
    expect(info > 0 && isnan(wr[0]), "a NaN has no Schur form");
    n = 0;
    dgees_("V", "S", positive, &n, b, &sdim, &sdim, wr, wi, z, &lwork, work, &lwork, logical, &info);
    expect(info == -6 || info == 0, "an empty matrix of dgees");
}

/* LAPACKE by rows: the same matrix, with an imaginary part. */
static double complex number(int i, int j)
{
    return element(i, j) + I * (double)((i + 2 * j) % 3);
}

static void numbers(double complex *a)
{
    for (int k = 0; k < N * N; k++) a[k] = number(k / N, k % N);
}

static double by_rows(const double complex *z, const double complex *t)
{
    double largest = 0;
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++) {
            double complex sum = -number(i, j);
            for (int k = 0; k < N; k++) {
                for (int l = 0; l < N; l++) sum += z[i * N + k] * t[k * N + l] * conj(z[j * N + l]);
            }
            if (cabs(sum) > largest) largest = cabs(sum);
        }
    }
    return largest;
}

static void complex_by_rows(void)
{
    double complex a[N * N], q[N * N], t[N * N], tau[N - 1], w[N], v[N * N], column[N] = {0, 0, 1}, x[N * N];
    double scale[N], norm, s[N], sep[N];
    int low = 0, high = 0, found = 0, flags[N] = {0, 0, 0, 0, 1, 1};
    numbers(a);
    expect(LAPACKE_zgebal(ROW, 'S', N, a, N, &low, &high, scale) == 0 && low == 1 && high == N, "LAPACKE_zgebal");
    numbers(a);
    expect(LAPACKE_zgehrd(ROW, N, 1, N, a, N, tau) == 0, "LAPACKE_zgehrd");
    expect(LAPACKE_zunmhr(ROW, 'L', 'N', N, 1, 1, N, a, N, tau, column, 1) == 0, "LAPACKE_zunmhr");
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++) t[i * N + j] = i > j + 1 ? 0 : a[i * N + j];
    }
    memcpy(q, a, sizeof a);
    expect(LAPACKE_zunghr(ROW, N, 1, N, q, N, tau) == 0 && by_rows(q, t) < 1e-13, "Q H Q^H = A");
    for (int i = 0; i < N; i++) expect(cabs(q[i * N + 2] - column[i]) < 1e-14, "Q is applied as it is formed");
    expect(LAPACKE_zhseqr(ROW, 'S', 'V', N, 1, N, t, N, w, q, N) == 0 && by_rows(q, t) < 1e-12, "LAPACKE_zhseqr");
    expect(LAPACKE_ztrevc(ROW, 'R', 'S', flags, N, t, N, NULL, 1, v, 2, 2, &found) == 0 && found == 2,
           "LAPACKE_ztrevc");
    for (int i = 0; i < N; i++) {
        double complex sum = -w[5] * v[i * 2 + 1];
        for (int k = 0; k < N; k++) sum += t[i * N + k] * v[k * 2 + 1];
        expect(cabs(sum) < 1e-12, "T v = lambda v");
    }
    expect(LAPACKE_ztrsna(ROW, 'E', 'S', flags, N, t, N, v, 2, v, 2, s, sep, 2, &found) == 0 && found == 2 && s[1] > 0,
           "LAPACKE_ztrsna");
    expect(LAPACKE_ztrexc(ROW, 'V', N, t, N, q, N, N, 1) == 0 && cabs(t[0] - w[5]) < 1e-12, "LAPACKE_ztrexc");
    expect(LAPACKE_ztrsen(ROW, 'B', 'V', flags, N, t, N, q, N, w, &found, s, sep) == 0 && found == 2 && s[0] > 0,
           "LAPACKE_ztrsen");
    expect(by_rows(q, t) < 1e-12, "Z T Z^H = A in another order");
    /* T X + X T^H = C. */
    numbers(x);
    expect(LAPACKE_ztrsyl(ROW, 'N', 'C', 1, N, N, t, N, t, N, x, N, &norm) >= 0 && norm > 0, "LAPACKE_ztrsyl");
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++) {
            double complex sum = -norm * number(i, j);
            for (int k = 0; k < N; k++) sum += t[i * N + k] * x[k * N + j] + x[i * N + k] * conj(t[j * N + k]);
            expect(cabs(sum) < 1e-10, "T X + X T^H = C");
        }
    }
    expect(LAPACKE_ztrsyl(ROW, 'T', 'C', 1, N, N, t, N, t, N, x, N, &norm) == -2, "a transpose of LAPACKE_ztrsyl");
    double one[1] = {1}, minus[1] = {-1}, right[1] = {1};
    expect(LAPACKE_dtrsyl(COLUMN, 'N', 'T', 1, 1, 1, one, 1, minus, 1, right, 1, &norm) == 1, "common eigenvalues");
    expect(LAPACKE_dtrsyl(COLUMN, 'N', 'T', 2, 1, 1, one, 1, minus, 1, right, 1, &norm) == -4, "a wrong isgn");
    numbers(a);
    expect(LAPACKE_zgees(ROW, 'V', 'S', leftward, N, a, N, &found, w, q, N) == 0 && by_rows(q, a) < 1e-12,
           "LAPACKE_zgees");
    for (int i = 0; i < N; i++) expect((creal(w[i]) < 0) == (i < found), "the selected ones come first");
    numbers(a);
    expect(LAPACKE_zgeesx(ROW, 'V', 'S', leftward, 'B', N, a, N, &found, w, q, N, s, sep) == 0 && s[0] > 0,
           "LAPACKE_zgeesx");
    numbers(a);
    double rconde[N], rcondv[N];
    expect(LAPACKE_zgeevx(ROW, 'B', 'V', 'V', 'B', N, a, N, w, q, N, v, N, &low, &high, scale, &norm, rconde, rcondv) ==
             0 && norm > 0 && rconde[0] > 0 && rcondv[0] > 0, "LAPACKE_zgeevx");
    for (int i = 0; i < N; i++) {
        double complex sum = -w[0] * v[i * N];
        for (int k = 0; k < N; k++) sum += number(i, k) * v[k * N];
        expect(cabs(sum) < 1e-12, "A v = lambda v of LAPACKE_zgeevx");
    }
    expect(LAPACKE_zgebak(ROW, 'B', 'R', N, 1, N, scale, N, v, N) == 0, "LAPACKE_zgebak");
    expect(LAPACKE_zgebak(ROW, 'B', 'R', N, 2, N + 1, scale, N, v, N) == -6, "a wrong ihi of LAPACKE_zgebak");
    double real[4] = {1, 2, 3, 4}, wr[2], wi[2];
    expect(LAPACKE_dgeevx(ROW, 'N', 'N', 'N', 'E', 2, real, 2, wr, wi, NULL, 2, NULL, 2, &low, &high, scale, &norm,
                          rconde, rcondv) == -5, "conditions without vectors");
    expect(LAPACKE_dgeevx(ROW, 'N', 'N', 'N', 'V', 2, real, 2, wr, wi, NULL, 2, NULL, 2, &low, &high, scale, &norm,
                          rconde, rcondv) == 0 && rcondv[0] > 0, "separations without vectors");
}

int main(void)
{
    steps();
    sorted();
    complex_by_rows();
    printf("general: done\n");
    return 0;
}
