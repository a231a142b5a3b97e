/* Eigenvalues and singular values under LAPACK's and LAPACKE's names: workspace queries, options, wrong arguments. */
#include <complex.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void dsyev_(const char *, const char *, const int *, double *, const int *, double *, double *, const int *, int *);
void dsyevd_(const char *, const char *, const int *, double *, const int *, double *, double *, const int *, int *,
             const int *, int *);
void dsyevd_64_(const char *, const char *, const int64_t *, double *, const int64_t *, double *, double *,
                const int64_t *, int64_t *, const int64_t *, int64_t *);
void zheev_(const char *, const char *, const int *, double complex *, const int *, double *, double complex *,
            const int *, double *, int *);
void zheevd_(const char *, const char *, const int *, double complex *, const int *, double *, double complex *,
             const int *, double *, const int *, int *, const int *, int *);
void dsyevr_(const char *, const char *, const char *, const int *, double *, const int *, const double *,
             const double *, const int *, const int *, const double *, int *, double *, double *, const int *, int *,
             double *, const int *, int *, const int *, int *);
void dsygv_(const int *, const char *, const char *, const int *, double *, const int *, double *, const int *,
            double *, double *, const int *, int *);
void dgesvd_(const char *, const char *, const int *, const int *, double *, const int *, double *, double *,
             const int *, double *, const int *, double *, const int *, int *);
void dgesdd_(const char *, const int *, const int *, double *, const int *, double *, double *, const int *, double *,
             const int *, double *, const int *, int *, int *);
void zgesdd_(const char *, const int *, const int *, double complex *, const int *, double *, double complex *,
             const int *, double complex *, const int *, double complex *, const int *, double *, int *, int *);
void dgeev_(const char *, const char *, const int *, double *, const int *, double *, double *, double *, const int *,
            double *, const int *, double *, const int *, int *);
void zgeev_(const char *, const char *, const int *, double complex *, const int *, double complex *, double complex *,
            const int *, double complex *, const int *, double complex *, const int *, double *, int *);
void dgelsd_(const int *, const int *, const int *, double *, const int *, double *, const int *, double *,
             const double *, int *, double *, const int *, int *, int *);
void zgelsd_(const int *, const int *, const int *, double complex *, const int *, double complex *, const int *,
             double *, const double *, int *, double complex *, const int *, double *, int *, int *);
void dgelss_(const int *, const int *, const int *, double *, const int *, double *, const int *, double *,
             const double *, int *, double *, const int *, int *);
int LAPACKE_dsyev(int, char, char, int, double *, int, double *);
int LAPACKE_dsyevd(int, char, char, int, double *, int, double *);
int LAPACKE_zheevd_work(int, char, char, int, double complex *, int, double *, double complex *, int, double *, int,
                        int *, int);
int LAPACKE_dsyevr(int, char, char, char, int, double *, int, double, double, int, int, double, int *, double *,
                   double *, int, int *);
int LAPACKE_dsygvd(int, int, char, char, int, double *, int, double *, int, double *);
int LAPACKE_dgesvd(int, char, char, int, int, double *, int, double *, double *, int, double *, int, double *);
int LAPACKE_dgesdd(int, char, int, int, double *, int, double *, double *, int, double *, int);
int LAPACKE_zgeev(int, char, char, int, double complex *, int, double complex *, double complex *, int,
                  double complex *, int);
int LAPACKE_dgelss(int, int, int, int, double *, int, double *, int, double *, double, int *);

enum { ROW = 101, COLUMN = 102 };

static void expect(int holds, const char *what)
{
    if (!holds) {
        printf("failed: %s\n", what);
        exit(1);
    }
}

static int near(double x, double y)
{
    return fabs(x - y) < 1e-13;
}

/* The program's own error handler. */
static int told;

void xerbla_(const char *name, const int *info, size_t length)
{
    (void)name;
    (void)length;
    told = *info;
}

static void symmetric(void)
{
    const int n = 2, query = -1, one = 1;
    double a[] = {2, 1, 1, 2}, w[2], work[64];
    int info, iwork[32];
    dsyev_("V", "U", &n, a, &n, w, work, &query, &info);
    const int lwork = (int)work[0];
    expect(info == 0 && lwork >= 5 && lwork <= 64, "dsyev's query");
    dsyev_("V", "U", &n, a, &n, w, work, &lwork, &info);
    expect(info == 0 && near(w[0], 1) && near(w[1], 3) && near(fabs(a[0]), sqrt(0.5)), "dsyev");
    dsyev_("X", "U", &n, a, &n, w, work, &lwork, &info);
    expect(info == -1 && told == 1, "dsyev's jobz");
    dsyev_("N", "U", &n, a, &n, w, work, &one, &info);
    expect(info == -8 && told == 8, "dsyev's lwork");

    double b[] = {2, 1, 1, 2};
    dsyevd_("V", "L", &n, b, &n, w, work, &query, iwork, &query, &info);
    const int long_work = (int)work[0], long_iwork = iwork[0];
    expect(info == 0 && long_work >= 1 + 6 * n + 2 * n * n && long_iwork >= 3 + 5 * n, "dsyevd's query");
    dsyevd_("V", "L", &n, b, &n, w, work, &long_work, iwork, &long_iwork, &info);
    expect(info == 0 && near(w[0], 1) && near(w[1], 3), "dsyevd");
    dsyevd_("V", "L", &n, b, &n, w, work, &long_work, iwork, &one, &info);
    expect(info == -10 && told == 10, "dsyevd's liwork");

    double c[] = {2, 1, 1, 2};
    const int64_t wide = 2, many = 64;
    int64_t wide_iwork[32], wide_info;
    dsyevd_64_("N", "L", &wide, c, &wide, w, work, &many, wide_iwork, &many, &wide_info);
    expect(wide_info == 0 && near(w[0], 1) && near(w[1], 3), "dsyevd with 64-bit integers");
    double d[] = {2, NAN, 1, 2};
    expect(LAPACKE_dsyev(ROW, 'N', 'L', 2, d, 2, w) == 0 && near(w[1], 3), "LAPACKE_dsyev, which reads one triangle");
    expect(LAPACKE_dsyev(ROW, 'N', 'U', 2, d, 2, w) > 0, "LAPACKE_dsyev of NaN");
    double e[] = {2, 1, 1, 2};
    expect(LAPACKE_dsyevd(COLUMN, 'V', 'L', 2, e, 2, w) == 0 && near(w[0], 1), "LAPACKE_dsyevd");
}

static void hermitian(void)
{
    const int n = 2, query = -1;
    double complex a[] = {2, -I, I, 2}, work[64];
    double w[2], rwork[64];
    int info, iwork[32];
    zheevd_("V", "L", &n, a, &n, w, work, &query, rwork, &query, iwork, &query, &info);
    const int lwork = (int)creal(work[0]), lrwork = (int)rwork[0], liwork = iwork[0];
    expect(info == 0 && lwork >= 8 && lrwork >= 19 && liwork >= 13, "zheevd's query");
    zheevd_("V", "L", &n, a, &n, w, work, &lwork, rwork, &lrwork, iwork, &liwork, &info);
    expect(info == 0 && near(w[0], 1) && near(w[1], 3), "zheevd");
    double complex b[] = {2, -I, I, 2};
    zheev_("N", "L", &n, b, &n, w, work, &lwork, rwork, &info);
    expect(info == 0 && near(w[0], 1) && near(w[1], 3), "zheev");
    double complex c[] = {2, -I, I, 2};
    expect(LAPACKE_zheevd_work(COLUMN, 'N', 'U', 2, c, 2, w, work, 64, rwork, 64, iwork, 32) == 0 && near(w[1], 3),
           "LAPACKE_zheevd_work");
}

static void ranges(void)
{
    const int n = 3, il = 2, iu = 3, query = -1;
    const double zero = 0, vl = 1, vu = 2;
    double a[] = {3, 0, 0, 0, 1, 0, 0, 0, 2}, w[3], z[9], work[128];
    int m, isuppz[6] = {-7, -7}, iwork[64], info;
    dsyevr_("V", "I", "L", &n, a, &n, &zero, &zero, &il, &iu, &zero, &m, w, z, &n, isuppz, work, &query, iwork,
            &query, &info);
    const int lwork = (int)work[0], liwork = iwork[0];
    expect(info == 0 && lwork >= 26 * n && lwork <= 128 && liwork >= 10 * n && liwork <= 64, "dsyevr's query");
    dsyevr_("V", "I", "L", &n, a, &n, &zero, &zero, &il, &iu, &zero, &m, w, z, &n, isuppz, work, &lwork, iwork,
            &liwork, &info);
    expect(info == 0 && m == 2 && near(w[0], 2) && near(w[1], 3) && near(fabs(z[2]), 1) && near(fabs(z[3]), 1),
           "dsyevr by index");
    expect(isuppz[0] == -7, "LAPACK writes no support of some eigenvalues");
    double all[] = {3, 0, 0, 0, 1, 0, 0, 0, 2};
    dsyevr_("V", "A", "L", &n, all, &n, &zero, &zero, &il, &iu, &zero, &m, w, z, &n, isuppz, work, &lwork, iwork,
            &liwork, &info);
    expect(info == 0 && m == 3 && isuppz[0] == 1 && isuppz[1] == 3, "dsyevr's support");
    double b[] = {3, 0, 0, 0, 1, 0, 0, 0, 2};
    dsyevr_("N", "V", "L", &n, b, &n, &vl, &vu, &il, &iu, &zero, &m, w, z, &n, isuppz, work, &lwork, iwork, &liwork,
            &info);
    expect(info == 0 && m == 1 && near(w[0], 2), "dsyevr by value");
    double c[] = {3, 0, 0, 0, 1, 0, 0, 0, 2};
    expect(LAPACKE_dsyevr(ROW, 'V', 'A', 'U', 3, c, 3, 0, 0, 0, 0, 0, &m, w, z, 3, isuppz) == 0 && m == 3 &&
               near(w[2], 3) && near(fabs(z[2]), 1),
           "LAPACKE_dsyevr");
}

static void pencils(void)
{
    const int n = 2, itype = 1, lwork = 64, wrong = 4;
    double a[] = {2, 0, 0, 9}, b[] = {1, 0, 0, 3}, w[2], work[64];
    int info;
    dsygv_(&itype, "V", "L", &n, a, &n, b, &n, w, work, &lwork, &info);
    expect(info == 0 && near(w[0], 2) && near(w[1], 3) && near(fabs(a[3]), 1 / sqrt(3)), "dsygv");
    double c[] = {2, 0, 0, 9}, d[] = {1, 0, 0, -3};
    dsygv_(&itype, "V", "L", &n, c, &n, d, &n, w, work, &lwork, &info);
    expect(info == 4, "dsygv of an indefinite B: n + 2");
    dsygv_(&wrong, "V", "L", &n, c, &n, d, &n, w, work, &lwork, &info);
    expect(info == -1 && told == 1, "dsygv's itype");
    double e[] = {2, 0, 0, 9}, f[] = {1, 0, 0, 3};
    expect(LAPACKE_dsygvd(ROW, 3, 'N', 'U', 2, e, 2, f, 2, w) == 0 && near(w[0], 2) && near(w[1], 27),
           "LAPACKE_dsygvd");
}

static void singular(void)
{
    const int m = 3, n = 2, query = -1;
    double a[] = {3, 4, 0, 0, 0, 2}, s[2], u[9], vt[4], work[256], superb[1] = {7};
    int info, iwork[16];
    dgesvd_("O", "S", &m, &n, a, &m, s, u, &m, vt, &n, work, &query, &info);
    const int lwork = (int)work[0];
    expect(info == 0 && lwork >= 10 && lwork <= 256, "dgesvd's query");
    dgesvd_("O", "S", &m, &n, a, &m, s, u, &m, vt, &n, work, &lwork, &info);
    expect(info == 0 && near(s[0], 5) && near(s[1], 2) && near(fabs(a[0]), 0.6) && near(fabs(a[5]), 1), "dgesvd");
    dgesvd_("O", "O", &m, &n, a, &m, s, u, &m, vt, &n, work, &lwork, &info);
    expect(info == -2 && told == 2, "dgesvd's jobvt");
    double b[] = {3, 4, 0, 0, 0, 2};
    dgesdd_("A", &m, &n, b, &m, s, u, &m, vt, &n, work, &query, iwork, &info);
    const int more = (int)work[0];
    expect(info == 0 && more >= 4 * n * n + 7 * n && more <= 256, "dgesdd's query");
    dgesdd_("A", &m, &n, b, &m, s, u, &m, vt, &n, work, &more, iwork, &info);
    expect(info == 0 && near(s[0], 5) && near(fabs(u[7]), 0.6), "dgesdd");
    double c[] = {3, 0, 4, 0, 0, 2};
    expect(LAPACKE_dgesvd(ROW, 'A', 'A', 3, 2, c, 2, s, u, 3, vt, 2, superb) == 0 && near(s[1], 2) && superb[0] == 0,
           "LAPACKE_dgesvd");
    double d[] = {3, 0, 4, 0, 0, 2};
    expect(LAPACKE_dgesdd(ROW, 'N', 3, 2, d, 2, s, NULL, 1, NULL, 2) == 0 && near(s[0], 5), "LAPACKE_dgesdd");
    double complex e[] = {3 * I, 4, 0, 0, 0, 2}, complex_work[64], none[1];
    const int one = 1, long_work = 64;
    double rwork[64];
    zgesdd_("N", &m, &n, e, &m, s, none, &one, none, &one, complex_work, &long_work, rwork, iwork, &info);
    expect(info == 0 && near(s[0], 5) && near(s[1], 2), "zgesdd");
}

static void general(void)
{
    const int n = 2, query = -1, one = 1;
    double a[] = {0, 1, -1, 0}, wr[2], wi[2], vl[1], vr[4], work[64];
    int info;
    dgeev_("N", "V", &n, a, &n, wr, wi, vl, &one, vr, &n, work, &query, &info);
    const int lwork = (int)work[0];
    expect(info == 0 && lwork >= 8 && lwork <= 64, "dgeev's query");
    dgeev_("N", "V", &n, a, &n, wr, wi, vl, &one, vr, &n, work, &lwork, &info);
    expect(info == 0 && near(wr[0], 0) && near(wi[0], 1) && near(wi[1], -1), "dgeev");
    expect(near(hypot(vr[0], vr[2]), sqrt(0.5)) && near(hypot(vr[1], vr[3]), sqrt(0.5)), "dgeev's vectors");
    dgeev_("N", "V", &n, a, &n, wr, wi, vl, &one, vr, &one, work, &lwork, &info);
    expect(info == -11 && told == 11, "dgeev's ldvr");
    double complex b[] = {I, 0, 5, 2}, w[2], none[1], right[4], complex_work[16];
    const int long_work = 16;
    double rwork[4];
    zgeev_("N", "V", &n, b, &n, w, none, &one, right, &n, complex_work, &long_work, rwork, &info);
    expect(info == 0 && near(cabs(w[0] - I), 0) && near(cabs(w[1] - 2), 0), "zgeev");
    double complex c[] = {I, 5, 0, 2};
    expect(LAPACKE_zgeev(ROW, 'N', 'N', 2, c, 2, w, none, 2, none, 2) == 0 && near(cabs(w[1] - 2), 0), "LAPACKE_zgeev");
}

static void least_squares(void)
{
    const int m = 3, n = 2, nrhs = 1, query = -1;
    const double rcond = 1e-14;
    double a[] = {1, 1, 1, 1, 1, 1}, b[] = {2, 2, 2}, s[2], work[4096];
    int rank, info, iwork[64] = {0};
    dgelsd_(&m, &n, &nrhs, a, &m, b, &m, s, &rcond, &rank, work, &query, iwork, &info);
    const int lwork = (int)work[0];
    expect(info == 0 && lwork > 0 && lwork <= 4096 && iwork[0] >= 22 && iwork[0] <= 64, "dgelsd's query");
    dgelsd_(&m, &n, &nrhs, a, &m, b, &m, s, &rcond, &rank, work, &lwork, iwork, &info);
    expect(info == 0 && rank == 1 && near(b[0], 1) && near(b[1], 1) && near(s[0], sqrt(6)), "dgelsd");
    double c[] = {1, 1, 1, 0, 1, 2}, d[] = {1, 3, 5};
    dgelss_(&m, &n, &nrhs, c, &m, d, &m, s, &rcond, &rank, work, &lwork, &info);
    expect(info == 0 && rank == 2 && near(d[0], 1) && near(d[1], 2) && near(d[2], 0), "dgelss");
    double complex e[] = {1, 1, 1, 0, I, 2}, f[] = {1, 1 + 2 * I, 5}, complex_work[4096];
    double rwork[4096] = {0};
    zgelsd_(&m, &n, &nrhs, e, &m, f, &m, s, &rcond, &rank, complex_work, &query, rwork, iwork, &info);
    expect(info == 0 && rwork[0] > 0 && rwork[0] <= 4096 && iwork[0] >= 22, "zgelsd's query");
    const int long_work = 4096;
    zgelsd_(&m, &n, &nrhs, e, &m, f, &m, s, &rcond, &rank, complex_work, &long_work, rwork, iwork, &info);
    expect(info == 0 && rank == 2 && near(cabs(f[0] - 1), 0) && near(cabs(f[1] - 2), 0), "zgelsd");
    double g[] = {1, 0, 1, 1, 1, 2}, h[] = {1, 3, 5};
    expect(LAPACKE_dgelss(ROW, 3, 2, 1, g, 2, h, 1, s, -1, &rank) == 0 && rank == 2 && near(h[1], 2), "LAPACKE_dgelss");
}

int main(void)
{
    symmetric();
    hermitian();
    ranges();
    pencils();
    singular();
    general();
    least_squares();
    return 0;
}
