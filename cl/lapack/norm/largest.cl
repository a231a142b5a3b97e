// The maximum norm: the largest modulus.
#pragma once

#include "common/modulus.cl"
#ifdef VECTOR_WIDTH
#include "common/vectors.cl"
#endif

typedef int option_type;
typedef real partial;
typedef real result_type;

#define NOTHING ((partial)(0))
#define RESULT(p) (p)

inline partial joined(partial a, partial b)
{
    return larger(a, b);
}

#define INCLUDE(p, i) p = joined(p, modulus(x[(i) * x_step]))

// Vectors have real elements only.
#ifdef VECTOR_WIDTH
typedef vector lanes;
#define no_lanes() ((lanes)(0))

inline lanes lanes_joined(lanes a, lanes b)
{
    return larger(a, b);
}

#define lanes_with(sum, p) lanes_joined(sum, fabs(load_vector(p)))

inline partial lanes_sum(lanes sum, option_type option)
{
    real elements[VECTOR_WIDTH];
    JOIN(vstore, VECTOR_WIDTH)(sum, 0, elements);
    partial total = NOTHING;
    for (int i = 0; i < VECTOR_WIDTH; i++) total = joined(total, elements[i]);
    return total;
}
#endif
