/* Increments of the names with 64-bit integers that wrap around: a caller that divides a negative stride by the
   element's size without its sign, such as NumPy, gives 2^61 - 2 for two doubles backwards, and the address computed
   from it is sound. Every routine does with them what it does with the increment that has the same addresses. */

#include "program.h"

enum { N = 5, BANDS = 1, LENGTH = 64, MIDDLE = 30 };

/* Increments with the same addresses: as they are, and around either end of the integers. */
enum { AS_IT_IS, ABOVE, BELOW, FORMS };

#define T float
#define R float
#define LETTER(name) s##name
#define SYMMETRIC(name) ssy##name##_64_
#define BAND(name) ssb##name##_64_
#define PACKED(name) ssp##name##_64_
#define INDEX isamax_64_
#define INDEX_LEAST isamin_64_
#define NORM snrm2_64_
#define SUM sasum_64_
#include "wrapped_type.h"

#define T double
#define R double
#define LETTER(name) d##name
#define SYMMETRIC(name) dsy##name##_64_
#define BAND(name) dsb##name##_64_
#define PACKED(name) dsp##name##_64_
#define INDEX idamax_64_
#define INDEX_LEAST idamin_64_
#define NORM dnrm2_64_
#define SUM dasum_64_
#include "wrapped_type.h"

#define T float complex
#define R float
#define COMPLEX
#define LETTER(name) c##name
#define SYMMETRIC(name) che##name##_64_
#define BAND(name) chb##name##_64_
#define PACKED(name) chp##name##_64_
#define INDEX icamax_64_
#define INDEX_LEAST icamin_64_
#define NORM scnrm2_64_
#define SUM scasum_64_
#include "wrapped_type.h"

#define T double complex
#define R double
#define COMPLEX
#define LETTER(name) z##name
#define SYMMETRIC(name) zhe##name##_64_
#define BAND(name) zhb##name##_64_
#define PACKED(name) zhp##name##_64_
#define INDEX izamax_64_
#define INDEX_LEAST izamin_64_
#define NORM dznrm2_64_
#define SUM dzasum_64_
#include "wrapped_type.h"

void scipy_dcopy_64_(const int64_t *, const double *, const int64_t *, double *, const int64_t *);
void cblas_dcopy64_(int64_t, const double *, int64_t, double *, int64_t);
void cblas_dcopy_64(int64_t, const double *, int64_t, double *, int64_t);
void scipy_cblas_dcopy64_(int64_t, const double *, int64_t, double *, int64_t);
void dlaswp_64_(const int64_t *, double *, const int64_t *, const int64_t *, const int64_t *, const int64_t *,
                const int64_t *);

/* The increment that NumPy computes for a stride of -16 bytes. */
static void spellings(void)
{
  const size_t size = sizeof(double);
  const int64_t stride = -16, step = (int64_t)((size_t)stride / size), one = 1, three = 3;
  const double x[] = {1, 2, 3, 4, 5};
  double y[4][3];
  int spelling, i;
  CHECK(step == (INT64_C(1) << 61) - 2);
  memset(y, 0, sizeof y);
  scipy_dcopy_64_(&three, x + 4, &step, y[0], &one);
  cblas_dcopy64_(3, x + 4, step, y[1], 1);
  cblas_dcopy_64(3, x + 4, step, y[2], 1);
  scipy_cblas_dcopy64_(3, x + 4, step, y[3], 1);
  for (spelling = 0; spelling < 4; ++spelling)
    for (i = 0; i < 3; ++i) CHECK(y[spelling][i] == 5 - 2 * i);
}

/* Pivots have increments, too: here those of three rows from the last one down. */
static void pivots(void)
{
  const int64_t down = (INT64_C(1) << 61) - 1, up = 1, one = 1, two = 2, three = 3, four = 4;
  const int64_t forwards[] = {3, 3, 4}, backwards[] = {4, 3, 3};
  double a[] = {1, 2, 3, 4, 5, 6, 7, 8}, b[] = {1, 2, 3, 4, 5, 6, 7, 8};
  dlaswp_64_(&two, a, &four, &one, &three, forwards, &up);
  dlaswp_64_(&two, b, &four, &one, &three, backwards + 2, &down);
  CHECK(memcmp(a, b, sizeof a) == 0 && a[0] == 3);
}

int main(void)
{
  wraps_s();
  wraps_d();
  wraps_c();
  wraps_z();
  spellings();
  pivots();
  return report("wrapped");
}
