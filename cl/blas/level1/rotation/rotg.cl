// rotg: the Givens rotation that takes (a, b) to (r, 0). One work-item, values in memory: a becomes r.
//
// Powers of two bring values near 1, which is exact: no square overflows or underflows. On a device that flushes
// subnormal values to zero they count as zero.

#include "common/scalar.cl"

// The exponent of a finite number other than 0; 0 for the rest, which need no scaling.
inline int exponent(real v)
{
    return v != 0 && isfinite(v) ? ilogb(v) : 0;
}

#if SCALAR_IS_COMPLEX
typedef struct {
    scalar near_one;
    real modulus;
    int exponent;
} scaled_number;

// v = near_one * 2^exponent, and the modulus of near_one.
inline scaled_number scaled(scalar v)
{
    scaled_number s;
    s.exponent = exponent(fmax(fabs(v.x), fabs(v.y)));
    s.near_one = (scalar)(ldexp(v.x, -s.exponent), ldexp(v.y, -s.exponent));
    s.modulus = sqrt(s.near_one.x * s.near_one.x + s.near_one.y * s.near_one.y);
    return s;
}

// c = |a|/h, s = (a/|a|) conj(b)/h, r = (a/|a|) h, with h = sqrt(|a|^2 + |b|^2); c = 1 where b is 0, and where only a
// is, c = 0, s = conj(b)/|b|, r = |b|. b stays.
__kernel void rotg(__global scalar *a, long a_index, __global const scalar *b, long b_index, __global real *c,
                   long c_index, __global scalar *s, long s_index)
{
    const scalar g = b[b_index];
    const scaled_number first = scaled(a[a_index]), second = scaled(g);
    if (second.modulus == 0) {
        c[c_index] = 1;
        s[s_index] = SCALAR_ZERO;
        return;
    }
    if (first.modulus == 0) {
        c[c_index] = 0;
        s[s_index] = (scalar)(second.near_one.x, -second.near_one.y) / second.modulus;
        a[a_index] = (scalar)(ldexp(second.modulus, second.exponent), 0);
        return;
    }
    const int common = max(first.exponent, second.exponent);
    const real u = ldexp(first.modulus, first.exponent - common), v = ldexp(second.modulus, second.exponent - common);
    const real h = sqrt(u * u + v * v);
    const scalar phase = first.near_one / first.modulus;
    const scalar turned = multiply(phase, (scalar)(second.near_one.x, -second.near_one.y)) / h;
    c[c_index] = ldexp(first.modulus / h, first.exponent - common);
    s[s_index] = (scalar)(ldexp(turned.x, second.exponent - common), ldexp(turned.y, second.exponent - common));
    a[a_index] = (scalar)(ldexp(phase.x * h, common), ldexp(phase.y * h, common));
}
#else
// r = sqrt(a^2 + b^2) with the sign of the larger of both, c = a/r, s = b/r; b becomes z, from which c and s can be had
// again: s where |a| > |b|, else 1/c, or 1 where c is 0.
__kernel void rotg(__global real *a, long a_index, __global real *b, long b_index, __global real *c, long c_index,
                   __global real *s, long s_index)
{
    const real f = a[a_index], g = b[b_index];
    real cosine = 1, sine = 0, r = f, z = 0;
    if (g != 0 && f == 0) {
        cosine = 0;
        sine = 1;
        r = g;
        z = 1;
    } else if (g != 0) {
        const bool first_is_larger = fabs(f) > fabs(g);
        const int common = exponent(fmax(fabs(f), fabs(g)));
        const real u = ldexp(f, -common), v = ldexp(g, -common);
        const real h = copysign(sqrt(u * u + v * v), first_is_larger ? f : g);
        if (h != 0) {
            cosine = u / h;
            sine = v / h;
            r = ldexp(h, common);
            z = first_is_larger ? sine : cosine != 0 ? 1 / cosine : (real)1;
        }
    }
    a[a_index] = r;
    b[b_index] = z;
    c[c_index] = cosine;
    s[s_index] = sine;
}
#endif
