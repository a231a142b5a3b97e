// Packing into panels. A template: OpenCL C 1.2 has no pointers to any address space, so that packed.cl includes it for
// panels in global and for panels in private memory, with
// PACKED_SPACE (the address space) and PACK_NAME(name) (the functions' names for it).

#ifndef PACKED_SPACE
#define PACKED_SPACE __global
#endif

#ifndef PACK_NAME
#define PACK_NAME(name) name##_global
#endif

#include "blas/transpose.cl"

// Packs rows [0, rows) of x for k in [k_begin, k_end) into a panel of `panel` rows that begins at k = 0.
inline void PACK_NAME(pack_elements)(const int panel, long row, long rows, long k_begin, long k_end,
                          __global const scalar *x, long row_stride, long k_stride, int conjugate,
                          PACKED_SPACE real *packed)
{
    for (long p = k_begin; p < k_end; p++)
        for (int i = row; i < panel; i++) {
            scalar value = SCALAR_ZERO;
            if (i < rows) value = x[i * row_stride + p * k_stride];
#if SCALAR_IS_COMPLEX
            packed[(p * 2) * panel + i] = value.x;
            packed[(p * 2 + 1) * panel + i] = conjugate ? -value.y : value.y;
#else
            packed[p * panel + i] = value;
#endif
        }
}

inline void PACK_NAME(pack_panel)(const int panel, long rows, long k_begin, long k_end, __global const scalar *x,
                       long row_stride, long k_stride, int conjugate, PACKED_SPACE real *packed)
{
    const int whole_rows = (int)(min(rows, (long)panel) / PACK_WIDTH) * PACK_WIDTH;
    if (row_stride == 1) {
        for (long p = k_begin; p < k_end; p++)
            for (int i = 0; i < whole_rows; i += PACK_WIDTH) {
                pack_vector part[PARTS];
                load_parts(x + i + p * k_stride, conjugate, part);
                #pragma unroll
                for (int c = 0; c < PARTS; c++) store_pack(part[c], packed + (p * PARTS + c) * panel + i);
            }
    } else {
        const long whole_end = k_begin + (k_end - k_begin) / PACK_WIDTH * PACK_WIDTH;
        for (int i = 0; i < whole_rows; i += PACK_WIDTH)
            for (long p = k_begin; p < whole_end; p += PACK_WIDTH) {
                pack_vector square[PARTS][PACK_WIDTH];
                #pragma unroll
                for (int r = 0; r < PACK_WIDTH; r++) {
                    pack_vector part[PARTS];
                    load_parts(x + (i + r) * row_stride + p, conjugate, part);
                    #pragma unroll
                    for (int c = 0; c < PARTS; c++) square[c][r] = part[c];
                }
                #pragma unroll
                for (int c = 0; c < PARTS; c++) {
                    transpose_square(square[c]);
                    #pragma unroll
                    for (int q = 0; q < PACK_WIDTH; q++)
                        store_pack(square[c][q], packed + ((p + q) * PARTS + c) * panel + i);
                }
            }
        // k past the last whole square, for the rows that squares cover.
        if (whole_end < k_end && whole_rows > 0)
            PACK_NAME(pack_elements)(panel, 0, min(rows, (long)panel), whole_end, k_end, x, row_stride, k_stride,
                          conjugate, packed);
        k_end = whole_rows > 0 ? whole_end : k_end;
    }
    if (whole_rows < panel)
        PACK_NAME(pack_elements)(panel, whole_rows, rows, k_begin, k_end, x, row_stride, k_stride, conjugate, packed);
}

#undef PACKED_SPACE
#undef PACK_NAME
