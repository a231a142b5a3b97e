// rotmg: the modified Givens rotation H that takes (x1, y1) with squared weights d1 and d2 to (x1', 0). One work-item,
// values in memory: d1, d2 and x1 are updated, and the five parameters are those of rotm.

#include "common/scalar.cl"

#define GAMMA ((real)4096)
#define GAMMA_SQUARED (GAMMA * GAMMA)

typedef struct {
    real flag, h11, h21, h12, h22;
} parameters_type;

// Elements that the flag implies are written out before they are scaled.
inline void write_out(parameters_type *h)
{
    if (h->flag == 0) h->h11 = h->h22 = 1;
    if (h->flag > 0) {
        h->h12 = 1;
        h->h21 = -1;
    }
    h->flag = -1;
}

// Brings |d| between 1/gamma^2 and gamma^2 by powers of gamma^2, and a row of H with it. Returns the powers of gamma
// that H was divided by.
inline real rescale(real *d, parameters_type *h, real *left, real *right)
{
    real factor = 1;
    while (*d != 0 && isfinite(*d) && (fabs(*d) <= 1 / GAMMA_SQUARED || fabs(*d) >= GAMMA_SQUARED)) {
        const bool small = fabs(*d) <= 1 / GAMMA_SQUARED;
        write_out(h);
        *d *= small ? GAMMA_SQUARED : 1 / GAMMA_SQUARED;
        const real step = small ? 1 / GAMMA : GAMMA;
        *left *= step;
        *right *= step;
        factor *= step;
    }
    return factor;
}

__kernel void rotmg(__global real *d1_memory, long d1_index, __global real *d2_memory, long d2_index,
                    __global real *x1_memory, long x1_index, __global const real *y1_memory, long y1_index,
                    __global real *memory, long index)
{
    real d1 = d1_memory[d1_index], d2 = d2_memory[d2_index], x1 = x1_memory[x1_index];
    const real y1 = y1_memory[y1_index], p1 = d1 * x1, p2 = d2 * y1;
    parameters_type h = {-1, 0, 0, 0, 0};
    bool exists = !(d1 < 0);
    memory += index;
    if (exists && p2 == 0) {
        memory[0] = -2;
        return;
    }
    if (exists && fabs(p1 * x1) > fabs(p2 * y1)) {
        h.h21 = -y1 / x1;
        h.h12 = p2 / p1;
        const real u = 1 - h.h12 * h.h21;
        exists = u > 0;
        h.flag = 0;
        d1 /= u;
        d2 /= u;
        x1 *= u;
    } else if (exists) {
        exists = !(p2 * y1 < 0);
        h.h11 = p1 / p2;
        h.h22 = x1 / y1;
        const real u = 1 + h.h11 * h.h22, old = d1;
        h.flag = 1;
        d1 = d2 / u;
        d2 = old / u;
        x1 = y1 * u;
    }
    if (exists) {
        x1 *= rescale(&d1, &h, &h.h11, &h.h12);
        rescale(&d2, &h, &h.h21, &h.h22);
    } else {
        const parameters_type none = {-1, 0, 0, 0, 0};
        h = none;
        d1 = d2 = x1 = 0;
    }
    d1_memory[d1_index] = d1;
    d2_memory[d2_index] = d2;
    x1_memory[x1_index] = x1;
    memory[0] = h.flag;
    // Elements that the flag implies are not written.
    if (h.flag <= 0) {
        memory[2] = h.h21;
        memory[3] = h.h12;
    }
    if (h.flag != 0) {
        memory[1] = h.h11;
        memory[4] = h.h22;
    }
}
