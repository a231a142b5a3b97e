/* Workspace queries look at sizes and leading dimensions alone: they answer for matrices that no memory holds, and what
   they answer is no less than what the call then asks for, also where the type does not hold the number. */

#include "program.h"

#define T float
#define R float
#define NAME(name) s##name
#define ORTHOGONAL(name) sor##name
#define ADJOINT "T"
#define SIZES sizes_s
#include "queries_type.h"

#define T double
#define R double
#define NAME(name) d##name
#define ORTHOGONAL(name) dor##name
#define ADJOINT "T"
#define SIZES sizes_d
#include "queries_type.h"

#define T float complex
#define R float
#define NAME(name) c##name
#define ORTHOGONAL(name) cun##name
#define ADJOINT "C"
#define SIZES sizes_c
#include "queries_type.h"

#define T double complex
#define R double
#define NAME(name) z##name
#define ORTHOGONAL(name) zun##name
#define ADJOINT "C"
#define SIZES sizes_z
#include "queries_type.h"

int64_t LAPACKE_dgeqrf_work64_(int, int64_t, int64_t, double *, int64_t, double *, double *, int64_t);

int main(void)
{
  const int64_t large = (INT64_C(1) << 32) + 1;
  double size = 0;
  int layout;
  sizes_s();
  sizes_d();
  sizes_c();
  sizes_z();
  for (layout = 101; layout <= 102; ++layout) {
    CHECK(LAPACKE_dgeqrf_work64_(layout, large, large, NULL, large, NULL, &size, -1) == 0 && size >= (double)large);
    CHECK(LAPACKE_dgeqrf_work64_(layout, large, large, NULL, large - 1, NULL, &size, -1) == -5);
  }
  return report("queries");
}
