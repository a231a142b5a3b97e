// The sum of moduli.
#pragma once

#include "common/modulus.cl"
#ifdef VECTOR_WIDTH
#include "common/sums.cl"
#endif

typedef int option_type;
typedef real partial;

#define NOTHING ((partial)(0))
#define INCLUDE(p, i) p += modulus(x[(i) * x_step])
#define joined(a, b) ((a) + (b))

// Vectors have real elements only.
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
