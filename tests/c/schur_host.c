/* Hessenberg and Schur forms, pencils and bands on host pointers: four types, both layouts, nothing to do, and wrong
   arguments. */

#include <math.h>
#include <string.h>

#include "count.h"

enum {
  ROW = AFFINIMATH_ROW_MAJOR,
  COL = AFFINIMATH_COL_MAJOR,
  NT = AFFINIMATH_NO_TRANS,
  NO = AFFINIMATH_NO_VECTORS,
  YES = AFFINIMATH_VECTORS,
  N = 6
};

/* NaN where `scale` is 0: C89 has no name for it. */
static double not_finite(double scale)
{
  const volatile double zero = 0;
  return scale / zero;
}

/* Of real types eigenvalues are two vectors. */
#define T float
#define R float
#define NAME(routine) affinimathS##routine
#define FUNCTION(name) s_##name
#define COMPLEX 0
#define VALUES(w) w, w + N
#include "schur_host_type.h"

#define T double
#define R double
#define NAME(routine) affinimathD##routine
#define FUNCTION(name) d_##name
#define COMPLEX 0
#define VALUES(w) w, w + N
#include "schur_host_type.h"

#define T affinimath_c32
#define R float
#define NAME(routine) affinimathC##routine
#define FUNCTION(name) c_##name
#define COMPLEX 1
#define VALUES(w) w
#include "schur_host_type.h"

#define T affinimath_c64
#define R double
#define NAME(routine) affinimathZ##routine
#define FUNCTION(name) z_##name
#define COMPLEX 1
#define VALUES(w) w
#include "schur_host_type.h"

static void exchanges(void)
{
  /* A pair of eigenvalues behind 3. */
  double t[9] = {3, 0, 0, 1, 1, -2, 1, 2, 1}, q[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  affinimath_c64 c[4] = {{1, 0}, {0, 0}, {5, 0}, {2, 1}};
  int32_t from = 3, to = 1;
  CHECK(affinimathDtrexc(COL, YES, 3, t, 3, q, 3, &from, &to) == 0 && from == 2 && to == 1, "trexc of a pair");
  CHECK(fabs(t[0] - 1) < 1e-13 && fabs(t[8] - 3) < 1e-13 && t[1] != 0, "it is in front");
  from = 4;
  CHECK(affinimathDtrexc(COL, YES, 3, t, 3, q, 3, &from, &to) == -8, "a wrong row");
  CHECK(affinimathZtrexc(COL, NO, 2, c, 2, NULL, 1, 2, 1) == 0 && fabs(c[0].re - 2) < 1e-13 &&
          fabs(c[0].im - 1) < 1e-13,
        "trexc of complex numbers");
}

int main(void)
{
  s_all();
  d_all();
  c_all();
  z_all();
  exchanges();
  return report("schur_host");
}
