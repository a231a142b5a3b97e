// Packing of structured operands into panels: a template like pack.cl, with the same parameters. Squares of PACK_WIDTH
// elements wholly on one side of the diagonal are read with that side's strides. The others, and those at the edges,
// are read element by element.

#ifndef PACKED_SPACE
#define PACKED_SPACE __global
#endif

#ifndef PACK_NAME
#define PACK_NAME(name) name##_global
#endif

#include "blas/transpose.cl"
#include "blas/level3/gemm/structure.cl"

// Packs a whole square: rows [i, i + PACK_WIDTH) of the panel, k from p on. `from` is its first element.
inline void PACK_NAME(pack_square)(const int panel, long i, long p, __global const scalar *from, long row_stride,
                                   long k_stride, int conjugate, PACKED_SPACE real *packed)
{
    const long step = row_stride == 1 ? k_stride : row_stride;
    pack_vector square[PARTS][PACK_WIDTH];
    #pragma unroll
    for (int r = 0; r < PACK_WIDTH; r++) {
        pack_vector part[PARTS];
        load_parts(from + r * step, conjugate, part);
        #pragma unroll
        for (int c = 0; c < PARTS; c++) square[c][r] = part[c];
    }
    #pragma unroll
    for (int c = 0; c < PARTS; c++) {
        if (row_stride != 1) transpose_square(square[c]);
        #pragma unroll
        for (int q = 0; q < PACK_WIDTH; q++) store_pack(square[c][q], packed + ((p + q) * PARTS + c) * panel + i);
    }
}

// Packs rows [0, rows) of x for k in [k_begin, k_end) into a panel of `panel` rows that begins at k = 0. The diagonal
// of x has row - k = diagonal.
inline void PACK_NAME(pack_structured)(const int structure, const int panel, long rows, long k_begin, long k_end,
                                       __global const scalar *x, long row_stride, long k_stride, int conjugate,
                                       int upper, long diagonal, PACKED_SPACE real *packed)
{
    for (long i = 0; i < panel; i += PACK_WIDTH)
        for (long p = k_begin; p < k_end; p += PACK_WIDTH) {
            const bool whole = i + PACK_WIDTH <= rows && p + PACK_WIDTH <= k_end;
            const bool below = i - (p + PACK_WIDTH - 1) > diagonal, above = i + PACK_WIDTH - 1 - p < diagonal;
            if (whole && (below || above) && (is_mirrored(structure) || above == (upper != 0))) {
                const bool mirror = is_mirrored(structure) && above;
                __global const scalar *from = mirror ? x + (p + diagonal) * row_stride + (i - diagonal) * k_stride
                                                     : x + i * row_stride + p * k_stride;
                PACK_NAME(pack_square)(panel, i, p, from, mirror ? k_stride : row_stride,
                                       mirror ? row_stride : k_stride,
                                       conjugate != (structure == HERMITIAN && mirror), packed);
                continue;
            }
            for (long q = p; q < min(p + PACK_WIDTH, k_end); q++)
                for (long r = i; r < i + PACK_WIDTH; r++) {
                    scalar value = SCALAR_ZERO;
                    if (r < rows)
                        value = structured_element(structure, x, r, q, row_stride, k_stride, conjugate, upper,
                                                   diagonal);
#if SCALAR_IS_COMPLEX
                    packed[(q * 2) * panel + r] = value.x;
                    packed[(q * 2 + 1) * panel + r] = value.y;
#else
                    packed[q * panel + r] = value;
#endif
                }
        }
}

#undef PACKED_SPACE
#undef PACK_NAME
