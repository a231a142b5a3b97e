// larfg for scaled columns: no square overflows, and none that matters underflows.
#pragma once

#include "common/divide.cl"

// A column is scaled so that the sum of its moduli, each at most CAPPED, is about 1: its sum of squares does not
// overflow. A column is left alone if its squares are below NEGLIGIBLE: these are not known to full precision.
#if SCALAR_IS_DOUBLE
#define CAPPED 0x1p800
#define LARGEST_EXPONENT 800
#define SMALLEST_EXPONENT -1000
#define NEGLIGIBLE 0x1p-700
#else
#define CAPPED 0x1p100f
#define LARGEST_EXPONENT 100
#define SMALLEST_EXPONENT -120
#define NEGLIGIBLE 0x1p-80f
#endif

#if SCALAR_IS_COMPLEX
#define capped_modulus(v) (fmin(fabs((v).x), CAPPED) + fmin(fabs((v).y), CAPPED))
#else
#define capped_modulus(v) fmin(fabs(v), CAPPED)
#endif

// H = I - tau v v^H maps (alpha, x) to (beta, 0). The rest of v is x times `inverse`.
typedef struct {
    scalar tau, inverse;
    real beta;
} scaled_reflector;

inline scaled_reflector larfg_scaled(scalar alpha, real squares)
{
    const real re = real_part(alpha), im = imaginary_part(alpha), all = squares + re * re + im * im;
    scaled_reflector h = {SCALAR_ZERO, SCALAR_ONE, re};
    if ((squares == 0 && im == 0) || all < NEGLIGIBLE) return h;
    h.beta = -copysign(sqrt(all), re);
    h.tau = from_parts((h.beta - re) / h.beta, -im / h.beta);
    h.inverse = reciprocal_of(from_parts(re - h.beta, im));
    return h;
}
