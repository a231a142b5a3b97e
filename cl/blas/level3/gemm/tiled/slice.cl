// The slices of one operand of a tile: global memory, registers, local memory. A template: tiled_structured.cl includes
// it for A and for B. An operand has one dimension along the tile and one along k.
//
// The stored side may be contiguous along the tile and the mirrored one along k, or the other way round: each side is
// loaded in the order of its memory. Only a slice that the diagonal crosses is loaded element by element.
//
// Parameters: SLICE_NAME(name) (names for this operand), SLICE_TILE (the tile's extent), SLICE_PITCH (of a row of the
// slice in local memory), SLICE_STRUCTURE, SLICE_ALONG (the stored side is contiguous along the tile).

// Work-items of a group.
#ifndef THREADS
#define THREADS 64
#endif

#ifndef SLICE_NAME
#define SLICE_NAME(name) name##_a
#endif

#ifndef SLICE_TILE
#define SLICE_TILE TILE_M
#endif

#ifndef SLICE_PITCH
#define SLICE_PITCH PITCH_A
#endif

#ifndef SLICE_STRUCTURE
#define SLICE_STRUCTURE A_STRUCTURE
#endif

#ifndef SLICE_ALONG
#define SLICE_ALONG 1
#endif

#include "blas/level3/gemm/tiled/arithmetic.cl"
#include "blas/level3/gemm/tiled/offset.cl"
#include "blas/level3/gemm/structure.cl"

#define LOADS (SLICE_TILE * TILE_K / THREADS)

// The i-th element of a slice that a work-item loads: its index along the tile and along k.
#define load_along(along, item, i) \
    ((along) ? ((item) + (i) * THREADS) % SLICE_TILE : ((item) + (i) * THREADS) / TILE_K)
#define load_k(along, item, i) \
    ((along) ? ((item) + (i) * THREADS) / SLICE_TILE : ((item) + (i) * THREADS) % TILE_K)

// The sides of the diagonal on which a slice can lie.
#define STORED 0
#define MIRRORED 1
#define CROSSING 2
#define NOWHERE 3

typedef struct {
    __global const scalar *x; // its element (0, 0)
    long along_stride, k_stride, first, count, diagonal;
    int conjugate, upper, side;
    __global const scalar *from; // on this side of the diagonal, the tile's first element at p 0
    long step;                   // between values of k on this side
    slice_offset offsets[LOADS];          // what a work-item loads, relative to a slice's first element
    scalar next[LOADS];
} SLICE_NAME(slice);

// Turns to a side of the diagonal that is loaded with strides.
inline void SLICE_NAME(turn)(SLICE_NAME(slice) *slice, const bool mirror, int item)
{
    const long along_stride = mirror ? slice->k_stride : slice->along_stride;
    const long first = mirror ? slice->first - slice->diagonal : slice->first;
    slice->step = mirror ? slice->along_stride : slice->k_stride;
    slice->from = slice->x + first * along_stride + (mirror ? slice->diagonal * slice->step : 0);
    #pragma unroll
    for (int i = 0; i < LOADS; i++) {
        const int along = mirror ? load_along(!SLICE_ALONG, item, i) : load_along(SLICE_ALONG, item, i);
        const int p = mirror ? load_k(!SLICE_ALONG, item, i) : load_k(SLICE_ALONG, item, i);
        slice->offsets[i] = (slice_offset)min((long)along, slice->count - 1) * (slice_offset)along_stride
                          + (slice_offset)p * (slice_offset)slice->step;
    }
}

inline int SLICE_NAME(side_of)(const SLICE_NAME(slice) *slice, long at)
{
    if (SLICE_STRUCTURE == GENERAL) return STORED;
    const bool below = slice->first - (at + TILE_K - 1) > slice->diagonal;
    const bool above = slice->first + SLICE_TILE - 1 - at < slice->diagonal;
    if (is_mirrored(SLICE_STRUCTURE)) return below ? STORED : above ? MIRRORED : CROSSING;
    return (slice->upper ? above : below) ? STORED : CROSSING;
}

// An operand's slices of the tile that begins at `first`. `extent` is the operand's own along the tile.
inline SLICE_NAME(slice) SLICE_NAME(slices)(__global const scalar *x, long along_stride, long k_stride, int conjugate,
                                            int upper, long diagonal, long first, long extent, int item)
{
    SLICE_NAME(slice) slice;
    slice.x = x;
    slice.along_stride = along_stride;
    slice.k_stride = k_stride;
    slice.conjugate = conjugate;
    slice.upper = upper;
    slice.diagonal = diagonal;
    slice.first = first;
    slice.count = extent - first;
    slice.side = SLICE_STRUCTURE == GENERAL ? STORED : NOWHERE;
    if (SLICE_STRUCTURE == GENERAL) SLICE_NAME(turn)(&slice, false, item);
    return slice;
}

// Loads the slice at `at` along k into registers, with zeros from k_end on.
inline void SLICE_NAME(fetch)(SLICE_NAME(slice) *slice, long at, long k_end, int item)
{
    const int side = SLICE_NAME(side_of)(slice, at);
    if (side == CROSSING) {
        #pragma unroll
        for (int i = 0; i < LOADS; i++) {
            const long along = min((long)load_along(SLICE_ALONG, item, i), slice->count - 1);
            const long p = at + load_k(SLICE_ALONG, item, i);
            slice->next[i] = p < k_end ? structured_element(SLICE_STRUCTURE, slice->x, slice->first + along, p,
                                                                slice->along_stride, slice->k_stride,
                                                                slice->conjugate, slice->upper, slice->diagonal)
                                           : SCALAR_ZERO;
        }
        slice->side = side;
        return;
    }
    if (SLICE_STRUCTURE != GENERAL && side != slice->side) {
        SLICE_NAME(turn)(slice, side == MIRRORED, item);
        slice->side = side;
    }
    __global const scalar *from = slice->from + at * slice->step;
    if (at + TILE_K <= k_end) {
        #pragma unroll
        for (int i = 0; i < LOADS; i++) slice->next[i] = from[slice->offsets[i]];
    } else {
        #pragma unroll
        for (int i = 0; i < LOADS; i++) {
            const int p = side == MIRRORED ? load_k(!SLICE_ALONG, item, i) : load_k(SLICE_ALONG, item, i);
            slice->next[i] = at + p < k_end ? from[slice->offsets[i]] : SCALAR_ZERO;
        }
    }
}

// Stores the loaded slice to local memory.
inline void SLICE_NAME(store)(const SLICE_NAME(slice) *slice, __local scalar *to, int item)
{
    if (slice->side == MIRRORED) {
        const int conjugate = slice->conjugate != (SLICE_STRUCTURE == HERMITIAN);
        #pragma unroll
        for (int i = 0; i < LOADS; i++)
            to[load_k(!SLICE_ALONG, item, i) * SLICE_PITCH + load_along(!SLICE_ALONG, item, i)] =
                conjugate_if(conjugate, slice->next[i]);
    } else {
        const int conjugate = slice->conjugate && slice->side == STORED;
        #pragma unroll
        for (int i = 0; i < LOADS; i++)
            to[load_k(SLICE_ALONG, item, i) * SLICE_PITCH + load_along(SLICE_ALONG, item, i)] =
                conjugate_if(conjugate, slice->next[i]);
    }
}

#undef LOADS
#undef load_along
#undef load_k
#undef SLICE_NAME
#undef SLICE_TILE
#undef SLICE_PITCH
#undef SLICE_STRUCTURE
#undef SLICE_ALONG
