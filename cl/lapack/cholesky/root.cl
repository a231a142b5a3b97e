// The root of a positive number, and its reciprocal.
inline real root_of(real x, real *inverse)
{
    const real estimate = rsqrt(x), near = x * estimate;
    const real root = real_multiply_add(estimate / 2, real_multiply_add(-near, near, x), near);
    const bool is_ordinary = isfinite(root) && root > 0;
    *inverse = is_ordinary ? real_multiply_add(estimate, real_multiply_add(-root, estimate, (real)1), estimate) : 1 / sqrt(x);
    return is_ordinary ? root : sqrt(x);
}
