// asum: the sum of |re(x_i)| + |im(x_i)|. See walk.cl and walk_cpu.cl for the names.
#pragma once

#include "common/sums.cl"

typedef int option_type;
typedef real partial;
typedef real result_type;

#if SCALAR_IS_COMPLEX
#define sum_of_moduli(v) (fabs((v).x) + fabs((v).y))
#else
#define sum_of_moduli(v) fabs(v)
#endif

#define NOTHING ((partial)(0))
#define INCLUDE(p, i) p += sum_of_moduli(x[(i) * x_step])
#define joined(a, b) ((a) + (b))
#define shared_partial(p) (*(p))
#define RESULT(p) (p)

#ifdef VECTOR_WIDTH
typedef vector lanes;
#define no_lanes() ((lanes)(0))
#define lanes_with(sum, p) ((sum) + fabs(load_vector(p)))
#define lanes_joined(a, b) ((a) + (b))

inline partial lanes_sum(lanes sum, option_type option)
{
    const real2 pair = pair_sum(sum);
    return pair.x + pair.y;
}
#endif
