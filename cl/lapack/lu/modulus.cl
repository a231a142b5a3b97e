// re| + |im|, by which LAPACK's ixamax compares.
#pragma once

#include "common/scalar.cl"

#if SCALAR_IS_COMPLEX
#define sum_of_moduli(v) (fabs((v).x) + fabs((v).y))
#else
#define sum_of_moduli(v) fabs(v)
#endif
