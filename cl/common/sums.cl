// Accumulators of sums of reals: `sum_real`, and where VECTOR_WIDTH is defined, vectors of it.
#pragma once

// Accumulators are doubles, whatever the elements are.
#ifndef SUM_IS_DOUBLE
#define SUM_IS_DOUBLE 0
#endif

#include "common/scalar.cl"

#if SUM_IS_DOUBLE
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
typedef double sum_real;
#else
typedef real sum_real;
#endif

#ifdef VECTOR_WIDTH
#include "common/vectors.cl"

#if SUM_IS_DOUBLE
#define SUM_VECTOR(width) JOIN(double, width)
#define widened(v) JOIN(convert_double, VECTOR_WIDTH)(v)
#else
#define SUM_VECTOR(width) JOIN(real, width)
#define widened(v) (v)
#endif
#define sum_vector SUM_VECTOR(VECTOR_WIDTH)

#if VECTOR_WIDTH == 4
#define quarter_sum(v) (v)
#elif VECTOR_WIDTH == 8
#define quarter_sum(v) ((v).lo + (v).hi)
#else
#define quarter_sum(v) (((v).lo.lo + (v).lo.hi) + ((v).hi.lo + (v).hi.hi))
#endif

// The sums of a vector's even places and of its odd ones.
inline SUM_VECTOR(2) pair_sum(sum_vector v)
{
    const SUM_VECTOR(4) four = quarter_sum(v);
    return four.lo + four.hi;
}
#endif
