/* The contract beyond what Netlib's testers look at: extensions, both integers, all spellings, functions that return
   complex numbers, increments of 0, and who is told of wrong arguments. */

#include "program.h"

typedef float complex c32;
typedef double complex c64;

c32 cdotu_(const int *, const c32 *, const int *, const c32 *, const int *);
c64 zdotc_(const int *, const c64 *, const int *, const c64 *, const int *);
c64 scipy_zdotc_64_(const int64_t *, const c64 *, const int64_t *, const c64 *, const int64_t *);
void cblas_zdotc_sub(int, const void *, int, const void *, int, void *);
void zdotcsub_(const int *, const c64 *, const int *, const c64 *, const int *, c64 *);
double ddot_(const int *, const double *, const int *, const double *, const int *);
double cblas_ddot(int, const double *, int, const double *, int);
double scipy_cblas_ddot64_(int64_t, const double *, int64_t, const double *, int64_t);
double cblas_ddot_64(int64_t, const double *, int64_t, const double *, int64_t);
double cblas_ddot64_(int64_t, const double *, int64_t, const double *, int64_t);
double scipy_ddot_64_(const int64_t *, const double *, const int64_t *, const double *, const int64_t *);
double dsdot_(const int *, const float *, const int *, const float *, const int *);
float sdsdot_(const int *, const float *, const float *, const int *, const float *, const int *);
double dnrm2_(const int *, const double *, const int *);
double dasum_(const int *, const double *, const int *);
int idamax_(const int *, const double *, const int *);
int64_t idamax_64_(const int64_t *, const double *, const int64_t *);
size_t cblas_idamax(int, const double *, int);
size_t cblas_idamin(int, const double *, int);
void idamaxsub_(const int *, const double *, const int *, int *);
void daxpy_(const int *, const double *, const double *, const int *, double *, const int *);
void dcopy_(const int *, const double *, const int *, double *, const int *);
void dscal_(const int *, const double *, double *, const int *);
void drot_(const int *, double *, const int *, double *, const int *, const double *, const double *);
void cblas_srotmg(float *, float *, float *, float, float *);
void srotmg_(float *, float *, float *, const float *, float *);
void cblas_daxpby(int, double, const double *, int, double, double *, int);
void daxpby_(const int *, const double *, const double *, const int *, const double *, double *, const int *);
void cblas_zscal(int, const void *, void *, int);
void dgemv_(const char *, const int *, const int *, const double *, const double *, const int *, const double *,
            const int *, const double *, double *, const int *, size_t);
void zsyrk_(const char *, const char *, const int *, const int *, const c64 *, const c64 *, const int *, const c64 *,
            c64 *, const int *, size_t, size_t);
void zherk_(const char *, const char *, const int *, const int *, const double *, const c64 *, const int *,
            const double *, c64 *, const int *, size_t, size_t);
void cblas_dgemm(int, int, int, int, int, int, double, const double *, int, const double *, int, double, double *, int);
void cblas_dgemm64_(int, int, int, int64_t, int64_t, int64_t, double, const double *, int64_t, const double *, int64_t,
                    double, double *, int64_t);
void zgemm3m_(const char *, const char *, const int *, const int *, const int *, const c64 *, const c64 *, const int *,
              const c64 *, const int *, const c64 *, c64 *, const int *, size_t, size_t);
void cblas_dgemmt(int, int, int, int, int, int, double, const double *, int, const double *, int, double, double *,
                  int);
void cblas_domatcopy(int, int, int, int, double, const double *, int, double *, int);
void domatcopy_(const char *, const char *, const int *, const int *, const double *, const double *, const int *,
                double *, const int *);
void cblas_dimatcopy(int, int, int, int, double, double *, int, int);
void cblas_dgemm_batch(int, const int *, const int *, const int *, const int *, const int *, const double *,
                       const double **, const int *, const double **, const int *, const double *, double **,
                       const int *, int, const int *);
void dgemm_batch_(const char *, const char *, const int *, const int *, const int *, const double *, const double **,
                  const int *, const double **, const int *, const double *, double **, const int *, const int *,
                  const int *);
void cblas_dgemm_batch_strided(int, int, int, int, int, int, double, const double *, int, int, const double *, int, int,
                               double, double *, int, int, int);
float scabs1_(const c32 *);
double cblas_dcabs1(const void *);
int lsame_(const char *, const char *, size_t, size_t);
void xerbla_array_(const char *, const int *, const int *);

enum { ROW = 101, COLUMN = 102, PLAIN = 111, TRANSPOSED = 112, UPPER = 121 };

/* The application's own error handlers. */
static int wrong = 0;
static long long wrong_wide = 0;
static char told[32];

void xerbla_(const char *name, const int *info, size_t length)
{
  wrong = *info;
  memset(told, 0, sizeof told);
  memcpy(told, name, length < sizeof told ? length : sizeof told - 1);
}

void cblas_xerbla(int info, const char *name, const char *format, ...)
{
  (void)format;
  wrong = info;
  strncpy(told, name, sizeof told - 1);
}

void cblas_xerbla64_(int64_t info, const char *name, const char *format, ...)
{
  (void)format;
  wrong_wide = info;
  strncpy(told, name, sizeof told - 1);
}

static int is_told(int number, const char *name)
{
  int right = wrong == number && strcmp(told, name) == 0;
  if (!right) printf("told of argument %d of '%s'\n", wrong, told);
  wrong = 0;
  return right;
}

static const int one = 1, two = 2, three = 3, zero = 0, minus = -1;
static const double unit = 1, nothing = 0;

static void numbers(void)
{
  const c64 z[] = {1 + 2 * I, 3 - I};
  const c32 c[] = {1 + 2 * I, 3 - I};
  const double x[] = {3, -4, 0};
  const float s[] = {1, 2};
  const float start = 10;
  const int64_t wide_one = 1, wide_two = 2, wide_three = 3;
  c64 sum = 0;
  int index = -1;
  CHECK(cdotu_(&two, c, &one, c, &one) == (1 + 2 * I) * (1 + 2 * I) + (3 - I) * (3 - I));
  CHECK(zdotc_(&two, z, &one, z, &one) == 15);
  CHECK(scipy_zdotc_64_(&wide_two, z, &wide_one, z, &wide_one) == 15);
  cblas_zdotc_sub(2, z, 1, z, 1, &sum);
  CHECK(sum == 15);
  sum = 0;
  zdotcsub_(&two, z, &one, z, &one, &sum);
  CHECK(sum == 15);
  CHECK(zdotc_(&minus, z, &one, z, &zero) == 0);
  CHECK(ddot_(&two, x, &one, x, &one) == 25 && cblas_ddot(2, x, 1, x, 1) == 25);
  CHECK(scipy_cblas_ddot64_(2, x, 1, x, 1) == 25 && cblas_ddot_64(2, x, 1, x, 1) == 25 &&
        cblas_ddot64_(2, x, 1, x, 1) == 25);
  CHECK(scipy_ddot_64_(&wide_two, x, &wide_one, x, &wide_one) == 25);
  CHECK(dsdot_(&two, s, &one, s, &minus) == 4);
  CHECK(sdsdot_(&two, &start, s, &one, s, &one) == 15 && sdsdot_(&zero, &start, s, &one, s, &one) == 10);
  CHECK(dnrm2_(&two, x, &one) == 5 && dnrm2_(&two, x + 1, &minus) == 4 && dnrm2_(&zero, x, &one) == 0);
  CHECK(dasum_(&two, x, &one) == 7 && dasum_(&two, x, &minus) == 0 && dasum_(&two, x, &zero) == 0);
  CHECK(idamax_(&three, x, &one) == 2 && idamax_64_(&wide_three, x, &wide_one) == 2 && cblas_idamax(3, x, 1) == 1);
  CHECK(idamax_(&zero, x, &one) == 0 && idamax_(&three, x, &minus) == 0 && cblas_idamax(0, x, 1) == 0);
  CHECK(cblas_idamin(3, x, 1) == 2);
  idamaxsub_(&three, x, &one, &index);
  CHECK(index == 2);
  CHECK(scabs1_(c) == 3 && cblas_dcabs1(z + 1) == 4);
  CHECK(lsame_("u", "U", 1, 1) && !lsame_("u", "L", 1, 1));
}

/* The reference takes an increment of 0 for the same element over and over. */
static void increments_of_zero(void)
{
  const double x[] = {2, 3, 5};
  double y[] = {1, 1, 1}, d = 4;
  const double two_halves = 2, cosine = 0, sine = 1;
  daxpy_(&three, &unit, x, &one, y, &zero);
  CHECK(y[0] == 11 && y[1] == 1);
  daxpy_(&three, &two_halves, x, &zero, y, &one);
  CHECK(y[0] == 15 && y[1] == 5 && y[2] == 5);
  dcopy_(&three, x, &one, y, &zero);
  CHECK(y[0] == 5 && y[1] == 5);
  dcopy_(&three, x, &zero, y, &one);
  CHECK(y[0] == 2 && y[2] == 2);
  CHECK(ddot_(&three, x, &zero, x, &one) == 20);
  dscal_(&three, &nothing, &d, &zero);
  CHECK(d == 4);
  CHECK(fabs(dnrm2_(&three, x, &zero) - 2 * sqrt(3)) < 1e-14);
  drot_(&two, y, &one, &d, &zero, &cosine, &sine);
  CHECK(y[0] == 4 && y[1] == -2 && d == -2);
  daxpy_(&minus, &unit, NULL, &zero, NULL, &zero);
}

static void extensions(void)
{
  const double a[] = {1, 2, 3, 4, 5, 6};
  double b[6] = {0}, c[4] = {NAN, NAN, NAN, NAN}, pair[2] = {NAN, 1};
  float d1 = 1, d2 = 2, x1 = 3, p[5] = {0}, e1 = 1, e2 = 2, f1 = 3, q[5] = {0};
  const float y1 = 4;
  const c64 i = I, z0 = 0;
  c64 z[1] = {2}, w[1] = {NAN};
  const int counts[] = {2, 1}, ops[] = {PLAIN, TRANSPOSED}, sizes[] = {1, 1}, leads[] = {1, 1};
  const double factors[] = {1, 2}, zeros[] = {0, 0};
  const double *as[] = {a, a + 1, a + 2}, *bs[] = {a + 3, a + 4, a + 5};
  double results[3] = {NAN, NAN, NAN}, *cs[] = {results, results + 1, results + 2};
  cblas_domatcopy(ROW, TRANSPOSED, 2, 3, 2, a, 3, b, 2);
  CHECK(b[0] == 2 && b[1] == 8 && b[2] == 4 && b[5] == 12);
  domatcopy_("R", "t", &two, &three, &unit, a, &three, b, &two);
  CHECK(b[1] == 4 && b[4] == 3);
  cblas_dimatcopy(ROW, TRANSPOSED, 3, 2, 1, b, 2, 3);
  CHECK(memcmp(a, b, sizeof a) == 0);
  cblas_daxpby(1, 2, a, 1, 0, pair, 1);
  CHECK(pair[0] == 2);
  daxpby_(&one, &unit, a, &one, &unit, pair, &one);
  CHECK(pair[0] == 3);
  cblas_dgemmt(COLUMN, UPPER, PLAIN, PLAIN, 2, 1, 1, a, 2, a, 1, 0, c, 2);
  CHECK(c[0] == 1 && isnan(c[1]) && c[2] == 2 && c[3] == 4);
  cblas_zscal(1, &i, z, 1);
  CHECK(z[0] == 2 * I);
  zgemm3m_("c", "N", &one, &one, &one, &i, z, &one, z, &one, &z0, w, &one, 1, 1);
  CHECK(w[0] == 4 * I);
  cblas_srotmg(&d1, &d2, &x1, 4, p);
  srotmg_(&e1, &e2, &f1, &y1, q);
  CHECK(d1 == e1 && d2 == e2 && x1 == f1 && x1 != 3 && memcmp(p, q, sizeof p) == 0);
  cblas_dgemm_batch(COLUMN, ops, ops, sizes, sizes, sizes, factors, as, leads, bs, leads, zeros, cs, leads, 2, counts);
  CHECK(results[0] == 4 && results[1] == 10 && results[2] == 36);
  results[1] = NAN;
  dgemm_batch_("nt", "nt", sizes, sizes, sizes, factors, as, leads, bs, leads, zeros, cs, leads, &two, counts);
  CHECK(results[1] == 10 && results[2] == 36);
  cblas_dgemm_batch_strided(COLUMN, PLAIN, PLAIN, 1, 1, 1, 1, a, 1, 1, a + 3, 1, 1, 0, results, 1, 1, 3);
  CHECK(results[0] == 4 && results[1] == 10 && results[2] == 18);
}

static void wrong_arguments(void)
{
  double c[4] = {7, 7, 7, 7};
  c64 z[1] = {7};
  const int large = 9;
  dgemm_("x", "N", &one, &one, &one, &unit, c, &one, c, &one, &unit, c, &one, 1, 1);
  CHECK(is_told(1, "DGEMM "));
  dgemm_("N", "N", &two, &one, &one, &unit, c, &one, c, &one, &unit, c, &two, 1, 1);
  CHECK(is_told(8, "DGEMM "));
  dgemv_("N", &one, &one, &unit, c, &one, c, &zero, &unit, c, &one, 1);
  CHECK(is_told(8, "DGEMV "));
  zsyrk_("U", "C", &one, &one, z, z, &one, z, z, &one, 1, 1);
  CHECK(is_told(2, "ZSYRK "));
  zherk_("U", "T", &one, &one, &unit, z, &one, &unit, z, &one, 1, 1);
  CHECK(is_told(2, "ZHERK "));
  cblas_dgemm(7, PLAIN, PLAIN, 1, 1, 1, 1, c, 1, c, 1, 0, c, 1);
  CHECK(is_told(1, "cblas_dgemm"));
  cblas_dgemm(COLUMN, PLAIN, PLAIN, -1, 1, 1, 1, c, 1, c, 1, 0, c, 1);
  CHECK(is_told(4, "cblas_dgemm"));
  /* In row-major layout the reference computes the transposed product, and numbers what is wrong there. */
  cblas_dgemm(ROW, PLAIN, PLAIN, -1, 1, 1, 1, c, 1, c, 1, 0, c, 1);
  CHECK(is_told(5, "cblas_dgemm"));
  cblas_dgemm64_(COLUMN, PLAIN, PLAIN, 1, 1, -1, 1, c, 1, c, 1, 0, c, 1);
  CHECK(wrong_wide == 6 && wrong == 0);
  xerbla_array_("MYNAME", &(int){6}, &large);
  CHECK(is_told(9, "MYNAME"));
  CHECK(c[0] == 7 && c[3] == 7 && z[0] == 7);
}

int main(void)
{
  numbers();
  increments_of_zero();
  extensions();
  wrong_arguments();
  return report("contract");
}
