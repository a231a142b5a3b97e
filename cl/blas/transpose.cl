// Loads and transposes squares of PACK_WIDTH x PACK_WIDTH elements in registers.
#pragma once

// Rows and columns of a square: 4 or 8.
#ifndef PACK_WIDTH
#define PACK_WIDTH 4
#endif

#include "common/vectors.cl"

#define pack_vector JOIN(real, PACK_WIDTH)
#define load_pack(p) JOIN(vload, PACK_WIDTH)(0, p)
#define store_pack(v, p) JOIN(vstore, PACK_WIDTH)(v, 0, p)
#if PACK_WIDTH == 8
#define pack_pair real16
#define load_pair(p) vload16(0, p)
#else
#define pack_pair real8
#define load_pair(p) vload8(0, p)
#endif

// The elements of PACK_WIDTH adjacent scalars: their real parts, and with complex their imaginary parts, negated if the
// operand is conjugated.
inline void load_parts(__global const scalar *x, int conjugate, pack_vector part[PARTS])
{
#if SCALAR_IS_COMPLEX
    const pack_pair pair = load_pair((__global const real *)x);
    part[0] = pair.even;
    part[1] = conjugate ? -pair.odd : pair.odd;
#else
    part[0] = load_pack(x);
#endif
}

// The transpose of a square of PACK_WIDTH vectors, by halving: each pass interleaves the first half with the second.
inline void transpose_square(pack_vector v[PACK_WIDTH])
{
    #pragma unroll
    for (int pass = 0; pass < PACK_WIDTH / 4 + 1; pass++) { // log2 of 4 or 8 passes
        pack_vector next[PACK_WIDTH];
        #pragma unroll
        for (int i = 0; i < PACK_WIDTH / 2; i++) {
            next[2 * i].even = v[i].lo;
            next[2 * i].odd = v[i + PACK_WIDTH / 2].lo;
            next[2 * i + 1].even = v[i].hi;
            next[2 * i + 1].odd = v[i + PACK_WIDTH / 2].hi;
        }
        #pragma unroll
        for (int i = 0; i < PACK_WIDTH; i++) v[i] = next[i];
    }
}
