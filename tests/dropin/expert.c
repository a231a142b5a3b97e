/* Expert drivers, rook pivoting and auxiliaries under LAPACK's and LAPACKE's names, with 32 and 64 bits. */
#include <complex.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void dgesvx_(const char *, const char *, const int *, const int *, double *, const int *, double *, const int *, int *,
             char *, double *, double *, double *, const int *, double *, const int *, double *, double *, double *,
             double *, int *, int *, size_t, size_t, size_t);
void zgesvx_64_(const char *, const char *, const int64_t *, const int64_t *, double complex *, const int64_t *,
                double complex *, const int64_t *, int64_t *, char *, double *, double *, double complex *,
                const int64_t *, double complex *, const int64_t *, double *, double *, double *, double complex *,
                double *, int64_t *, size_t, size_t, size_t);
int LAPACKE_dgesvx(int, char, char, int, int, double *, int, double *, int, int *, char *, double *, double *, double *,
                   int, double *, int, double *, double *, double *, double *);
void dsysvx_(const char *, const char *, const int *, const int *, const double *, const int *, double *, const int *,
             int *, const double *, const int *, double *, const int *, double *, double *, double *, double *,
             const int *, int *, int *, size_t, size_t);
void dsycon_(const char *, const int *, const double *, const int *, const int *, const double *, double *, double *,
             int *, int *, size_t);
void zhecon_(const char *, const int *, const double complex *, const int *, const int *, const double *, double *,
             double complex *, int *, size_t);
int LAPACKE_dsysv_rook(int, char, int, int, double *, int, int *, double *, int);
int LAPACKE_dgtcon(char, int, const double *, const double *, const double *, const double *, const int *, double,
                   double *);
int LAPACKE_dlacpy(int, char, int, int, const double *, int, double *, int);
int LAPACKE_dlarfb_work(int, char, char, char, char, int, int, int, const double *, int, const double *, int, double *,
                        int, double *, int);
void dlarfg_(const int *, double *, double *, const int *, double *);
void dlartg_(const double *, const double *, double *, double *, double *);
double dlamch_(const char *, size_t);
float slamch_(const char *, size_t);
void dlascl_(const char *, const int *, const int *, const double *, const double *, const int *, const int *, double *,
             const int *, int *, size_t);

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

/* The application's own handler. */
static int told;

void xerbla_(const char *name, const int *position, size_t length)
{
    told = *position;
    if (length < 6 || (memcmp(name, "DGESVX", 6) && memcmp(name, "DSYSVX", 6) && memcmp(name, "DLASCL", 6))) told = 0;
}

int main(void)
{
    const int two = 2, one = 1, minus = -1, six = 6;
    int info = -9, pivots[2], integers[2];
    char equed = '?';
    double a[] = {1e9, 3, 2e9, 4}, af[4], b[] = {3e9, 7}, x[2], r[2], c[2], rcond, ferr, berr, work[8];
    dgesvx_("E", "N", &two, &one, a, &two, af, &two, pivots, &equed, r, c, b, &two, x, &two, &rcond, &ferr, &berr, work,
            integers, &info, 1, 1, 1);
    expect(info == 0 && equed == 'R' && near(x[0], 1) && near(x[1], 1), "dgesvx");
    expect(work[0] > 0.5 && work[0] < 2 && fabs(x[0] - 1) <= ferr && berr < 1e-15, "its growth and bounds");
    dgesvx_("f", "T", &two, &one, a, &two, af, &two, pivots, &equed, r, c, b, &one, x, &two, &rcond, &ferr, &berr, work,
            integers, &info, 1, 1, 1);
    expect(info == -14 && told == 14, "ldb of dgesvx");
    equed = 'Q';
    dgesvx_("F", "N", &two, &one, a, &two, af, &two, pivots, &equed, r, c, b, &two, x, &two, &rcond, &ferr, &berr, work,
            integers, &info, 1, 1, 1);
    expect(info == -10 && told == 10, "equed of dgesvx");

    const int64_t wide_two = 2, wide_one = 1;
    int64_t wide_info = -9, wide_pivots[2];
    double complex z[] = {2 * I, 0, 0, 4}, zf[4], zb[] = {2, 8}, zx[2], zwork[4];
    double rwork[4];
    zgesvx_64_("N", "C", &wide_two, &wide_one, z, &wide_two, zf, &wide_two, wide_pivots, &equed, r, c, zb, &wide_two,
               zx, &wide_two, &rcond, &ferr, &berr, zwork, rwork, &wide_info, 1, 1, 1);
    expect(wide_info == 0 && cabs(zx[0] - I) < 1e-14 && cabs(zx[1] - 2) < 1e-14 && equed == 'N', "zgesvx_64_");
    expect(wide_pivots[1] == 2 && near(rwork[0], 1) && near(rcond, 0.5), "its pivots, growth and condition");

    double rows[] = {1, 2, 3, 4}, right[] = {3, 7}, growth = -1;
    expect(LAPACKE_dgesvx(ROW, 'N', 'N', 2, 1, rows, 2, af, 2, pivots, &equed, NULL, NULL, right, 1, x, 1, &rcond,
                          &ferr, &berr, &growth) == 0, "LAPACKE_dgesvx");
    expect(near(x[0], 1) && near(x[1], 1) && growth > 0.5, "its solution and growth");

    double s[] = {0, 7, 2, 0}, sb[] = {2, 4};
    dsysvx_("N", "U", &two, &one, s, &two, af, &two, pivots, sb, &two, x, &two, &rcond, &ferr, &berr, work, &minus,
            integers, &info, 1, 1);
    expect(info == 0 && work[0] >= 6, "a workspace query");
    dsysvx_("N", "U", &two, &one, s, &two, af, &two, pivots, sb, &two, x, &two, &rcond, &ferr, &berr, work, &one,
            integers, &info, 1, 1);
    expect(info == -18 && told == 18, "lwork of dsysvx");
    dsysvx_("N", "U", &two, &one, s, &two, af, &two, pivots, sb, &two, x, &two, &rcond, &ferr, &berr, work, &six,
            integers, &info, 1, 1);
    expect(info == 0 && near(x[0], 2) && near(x[1], 1) && near(rcond, 1), "dsysvx");
    const double norm = 2;
    dsycon_("U", &two, af, &two, pivots, &norm, &rcond, work, integers, &info, 1);
    expect(info == 0 && near(rcond, 1), "dsycon");
    double complex h[] = {2, 0, 0, 4}, hwork[4];
    const int diagonal[] = {1, 2};
    const double four = 4;
    zhecon_("L", &two, h, &two, diagonal, &four, &rcond, hwork, &info, 1);
    expect(info == 0 && near(rcond, 0.5), "zhecon");
    double rook[] = {0, 2, 7, 0};
    expect(LAPACKE_dsysv_rook(ROW, 'U', 2, 1, rook, 2, pivots, sb, 1) == 0 && near(sb[0], 2), "LAPACKE_dsysv_rook");

    double dl[] = {0}, d[] = {2, 4}, du[] = {0};
    expect(LAPACKE_dgtcon('1', 2, dl, d, du, NULL, diagonal, 4, &rcond) == 0 && near(rcond, 0.5), "LAPACKE_dgtcon");

    double copy[4] = {7, 7, 7, 7};
    expect(LAPACKE_dlacpy(ROW, 'U', 2, 2, rows, 2, copy, 2) == 0 && copy[1] == 2 && copy[2] == 7, "LAPACKE_dlacpy");
    double alpha = 3, y = 4, tau = -1;
    dlarfg_(&two, &alpha, &y, &one, &tau);
    expect(near(alpha, -5) && near(tau, 1.6) && near(y, 0.5), "dlarfg");
    double v[] = {1, 0.5}, target[] = {3, 4};
    expect(LAPACKE_dlarfb_work(COLUMN, 'L', 'T', 'F', 'C', 2, 1, 1, v, 2, &tau, 1, target, 2, work, 1) == 0, "dlarfb");
    expect(near(target[0], -5) && near(target[1], 0), "its reflection");
    const double f = 3, g = 4;
    double cosine, sine, length;
    dlartg_(&f, &g, &cosine, &sine, &length);
    expect(near(cosine, 0.6) && near(sine, 0.8) && near(length, 5), "dlartg");
    expect(dlamch_("E", 1) == 1.0 / 9007199254740992.0 && slamch_("o", 1) > 3e38f, "lamch");
    const double tiny = 1e-200;
    double scaled[] = {1e-210, 2};
    dlascl_("G", &one, &one, &tiny, &f, &one, &one, scaled, &one, &info, 1);
    expect(info == 0 && fabs(scaled[0] / 3e-10 - 1) < 1e-14 && scaled[1] == 2, "dlascl");
    dlascl_("X", &one, &one, &tiny, &f, &one, &one, scaled, &one, &info, 1);
    expect(info == -1 && told == 1, "a kind of dlascl");
    return 0;
}
