/* A module that is loaded with RTLD_LOCAL, as Python loads its own. It calls BLAS and LAPACK with wrong arguments, and
   where HANDLERS is defined, it has the error handlers of a program: PREFIX is what its packager has put before
   Fortran's names. */

#include <stddef.h>
#include <stdint.h>

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define NAME(name) JOIN(PREFIX, name)

void NAME(dgetrf_)(const int *, const int *, double *, const int *, int *, int *);
void NAME(dgetrf_64_)(const int64_t *, const int64_t *, double *, const int64_t *, int64_t *, int64_t *);
void NAME(cblas_dtrsv)(int, int, int, int, int, const double *, int, double *, int);
int64_t NAME(LAPACKE_dpotrf64_)(int, char, int64_t, double *, int64_t);

int told[4];

#ifdef HANDLERS
void NAME(xerbla_)(const char *name, const int *info, size_t length)
{
  (void)name, (void)length;
  told[0] = *info;
}

void NAME(xerbla_64_)(const char *name, const int64_t *info, size_t length)
{
  (void)name, (void)length;
  told[1] = (int)*info;
}

void NAME(cblas_xerbla)(int info, const char *name, const char *format, ...)
{
  (void)name, (void)format;
  told[2] = info;
}

void NAME(LAPACKE_xerbla64_)(const char *name, int64_t info)
{
  (void)name;
  told[3] = (int)info;
}
#endif

void provoke(void)
{
  const int m = 1, lda = 0;
  const int64_t wide = 1, negative = -1;
  double a[1] = {1};
  int pivots[1], info;
  int64_t wide_pivots[1], wide_info;
  NAME(dgetrf_)(&m, &m, a, &lda, pivots, &info);
  NAME(dgetrf_64_)(&wide, &negative, a, &wide, wide_pivots, &wide_info);
  NAME(cblas_dtrsv)(102, 121, 111, 131, -1, a, 1, a, 1);
  NAME(LAPACKE_dpotrf64_)(102, 'x', 1, a, 1);
}
