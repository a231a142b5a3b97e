/* All of the soak's calls for one type, and a choice among them. soak.c includes this four times. C99. */

#include "dense_type.h"

#include "systems_type.h"

#include "transforms_type.h"

#include "sparse_type.h"

static void T(some_call)(worker *w)
{
  /* Mostly small; now and then large enough for all the host's threads. */
  const int64_t most = one_in(w, 40) ? 300 : 90;
  switch (below(w, 17)) {
  case 0:
  case 1: T(gemm)(w, most); break;
  case 2: T(gemv)(w, 2 * most); break;
  case 3: T(vectors)(w, most); break;
  case 4: T(copies)(w, most); break;
  case 5: T(refusals)(w); break;
  case 6: T(trsm)(w, most); break;
  case 7: T(lu)(w, most); break;
  case 8: T(cholesky)(w, most); break;
  case 9: T(qr)(w, most); break;
  case 10: T(gels)(w, most); break;
  case 11: T(batches)(w, most); break;
  case 12: T(spmv)(w, most); break;
  case 13: T(conversions)(w, most); break;
  case 14: T(solve)(w, most); break;
  case 15: T(indefinite)(w, most); break;
  default:
#if COMPLEX
    if (one_in(w, 2)) {
      T(plan)(w);
      break;
    }
#endif
    T(transform)(w);
  }
}

#undef LETTER
#undef NUMBER
#undef PASSED
#undef WIDE
#undef REAL_TYPE
#undef EPSILON
#undef CONJUGATE
#undef MODULUS
#undef PASS
#undef COMPLEX
#undef SPECTRUM
#undef SPECTRUM_PASSED
#undef PRECISION
#undef DOT
#undef NRM2
