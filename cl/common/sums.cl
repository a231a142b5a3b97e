// What sums of reals are kept in: `sum_real`, and vectors of it.
// Defined before this file: SUM_IS_DOUBLE (otherwise the precision is that of the elements).

#if SUM_IS_DOUBLE
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
typedef double sum_real;
#else
typedef real sum_real;
#endif

#ifdef VECTOR_WIDTH
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
