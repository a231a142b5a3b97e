// A Householder reflection as LAPACK has it: H = I - tau v v^H, v's first element 1, and H^H (alpha, x) = (beta, 0) with a real beta.

typedef struct {
    scalar tau;
    real beta;
    // v's rest is x, scaled up and then divided.
    real scale;
    scalar divisor;
} reflector;

// From alpha and the squares of x. Where there is nothing to do, tau is zero and the divisor one.
inline reflector reflector_of(scalar alpha, squares sum)
{
    // Numbers so small that their norm would not be known to full precision are scaled up before, and those down that are so large
    // that alpha - beta might overflow.
    const real re = real_part(alpha), im = imaginary_part(alpha);
    const bool is_small =
        sum.ordinary == 0 && sum.large == 0 && fabs(re) < SMALLEST_ORDINARY && fabs(im) < SMALLEST_ORDINARY;
    const bool is_large = sum.large > 0 || fabs(re) > LARGEST_ORDINARY || fabs(im) > LARGEST_ORDINARY;
    const real scale = is_small ? SCALE_UP : is_large ? SCALE_DOWN : (real)1;
    // Beside large numbers small ones do not count; of a NaN, which is ordinary, the root is one.
    const real large = sqrt(sum.large + (sum.ordinary * SCALE_DOWN) * SCALE_DOWN);
    const real norm = is_small ? sqrt(sum.small) : is_large ? large : square_root(sum);
    const real scaled_re = re * scale, scaled_im = im * scale;
    if (norm == 0 && im == 0) {
        const reflector none = {SCALAR_ZERO, re, 1, SCALAR_ONE};
        return none;
    }
    const real beta = -copysign(hypot(hypot(scaled_re, scaled_im), norm), re);
    const reflector found = {from_parts((beta - scaled_re) / beta, -scaled_im / beta), beta / scale, scale,
                             from_parts(scaled_re - beta, scaled_im)};
    return found;
}

#if SCALAR_IS_COMPLEX
#define squares_of(sum, v) squares_with(squares_with(sum, (v).x), (v).y)
#else
#define squares_of(sum, v) squares_with(sum, v)
#endif

// Where a work-group has what it shares; a work-item alone has it for itself.
#ifdef THREADS
#define SPACE __local
#else
#define SPACE
#endif

// An element of column j of the triangle of H1 H2 ... = I - V T V^H: -tau (T V^H v)_i, from the products of v with the columns before,
// of which `products` are the conjugates. `row` is row i of T.
inline scalar connected(scalar tau, __global const scalar *row, long stride, int i, int j, SPACE const scalar *products)
{
    scalar sum = SCALAR_ZERO;
    for (int k = i; k < j; k++) sum = multiply_add(row[k * stride], conjugate_if(1, products[k]), sum);
    return -multiply(tau, sum);
}
