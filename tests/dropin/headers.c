/* CBLAS and LAPACKE by the installed headers, as C99 and as C++: products, and systems of linear equations. */

#include <cblas.h>
#include <lapacke.h>
#include <stdio.h>

/* A header that is included twice declares nothing twice. */
#include <cblas.h>
#include <lapacke.h>

#define CHECK(condition)                                     \
  if (!(condition)) {                                        \
    printf("%s:%d: %s\n", __FILE__, __LINE__, #condition);   \
    return 1;                                                \
  }

static int products(void)
{
  const double a[] = {1, 2, 3, 4}, b[] = {5, 6, 7, 8}, one = 1, zero = 0;
  /* [i, 1 + i; 2, 0]: complex numbers are behind pointers without a type. */
  const double m[] = {0, 1, 1, 1, 2, 0, 0, 0}, one_complex[] = {1, 0}, zero_complex[] = {0, 0};
  const CBLAS_TRANSPOSE plain = CblasNoTrans;
  const CBLAS_INT order = 2, matrices = 1;
  const double *as[1], *bs[1];
  double *cs[1];
  double c[4], z[8], sum[2];

  cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, 2, 2, 2, one, a, 2, b, 2, zero, c, 2);
  CHECK(c[0] == 19 && c[1] == 22 && c[2] == 43 && c[3] == 50);
  CHECK(cblas_ddot(4, a, 1, b, 1) == 70 && cblas_idamax(4, a, 1) == 3);

  cblas_zgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, 2, 2, 2, one_complex, m, 2, m, 2, zero_complex, z, 2);
  CHECK(z[0] == 1 && z[1] == 2 && z[2] == -1 && z[3] == 1 && z[4] == 0 && z[5] == 2 && z[6] == 2 && z[7] == 2);
  cblas_zdotu_sub(2, m, 1, m + 4, 1, sum);
  CHECK(sum[0] == 0 && sum[1] == 2);

  as[0] = b;
  bs[0] = a;
  cs[0] = c;
  cblas_dgemm_batch(CblasRowMajor, &plain, &plain, &order, &order, &order, &one, as, &order, bs, &order, &zero, cs,
                    &order, 1, &matrices);
  CHECK(c[0] == 23 && c[1] == 34 && c[2] == 31 && c[3] == 46);
  return 0;
}

static int systems(void)
{
  double a[] = {4, 2, 2, 1.5}, x[] = {10, 5.5};
  lapack_complex_double z[] = {2, 0, 0, 4}, y[] = {2, 8};
  lapack_int pivots[2];

  CHECK(LAPACKE_dlange(LAPACK_ROW_MAJOR, 'M', 2, 2, a, 2) == 4);
  CHECK(LAPACKE_dgesv(LAPACK_ROW_MAJOR, 2, 1, a, 2, pivots, x, 1) == 0 && x[0] == 2 && x[1] == 1 && pivots[0] == 1);
  CHECK(LAPACKE_zgesv(LAPACK_COL_MAJOR, 2, 1, z, 2, pivots, y, 2) == 0 && y[0] == 1.0 && y[1] == 2.0);
  return 0;
}

int main(void)
{
  return products() || systems();
}
