// What the kernels of LU's panels share.

#if SCALAR_IS_COMPLEX
#define sum_of_moduli(v) (fabs((v).x) + fabs((v).y))
#else
#define sum_of_moduli(v) fabs(v)
#endif

// x divided by a pivot, whose reciprocal is known: with that, where it is finite.
inline scalar divided(scalar x, scalar pivot, scalar inverse)
{
    return is_finite(inverse) ? multiply(x, inverse) : divide(x, pivot);
}
