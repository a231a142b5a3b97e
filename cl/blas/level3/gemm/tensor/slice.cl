// Slices of operands for tensor cores: their layout in local memory, copies to them, and loads of fragments.
//
// A slice is kept in chunks of 16 bytes, laid out as in global memory: across (chunks of neighbouring rows of the tile)
// or along k. Copies go from memory to memory without registers, and fill up with zeros at the edges.
//
// A fragment of the mma instructions has 16 or 8 rows by 4 or 8 values of k. Work-item 4*g + t of a warp has the rows g
// and g + 8 and the values t and t + 4 of k. Any rows and values of k of the tile may stand in for them, if both
// operands agree on k. A work-item's rows are 8*CHUNK*(q/CHUNK) + CHUNK*g + q%CHUNK for q = 0, 1 ...: whole chunks of a
// slice across. Its values of k in a plane are K_PER_ITEM*t + e for e below K_PER_ITEM: in floats whole chunks of a
// slice along k, in doubles one, so that loaded elements lie in registers in the instructions' order. Chunks are
// permuted (swizzled) within 128 bytes so that work-items that read at a time read from different banks.
#pragma once

// Rows of a work-group's tile of C.
#ifndef TILE_M
#define TILE_M 128
#endif

// Columns of a work-group's tile of C.
#ifndef TILE_N
#define TILE_N 64
#endif

// K-tile: columns of a slice of A, rows of a slice of B.
#ifndef TILE_K
#define TILE_K 16
#endif

// Rows of a warp's part of the tile.
#ifndef WARP_M
#define WARP_M 32
#endif

// Columns of a warp's part of the tile.
#ifndef WARP_N
#define WARP_N 64
#endif

// Work-items of a group: 32 for each warp.
#ifndef THREADS
#define THREADS 128
#endif

#include "blas/level3/gemm/tensor/chunk.cl"
#include "blas/level3/gemm/copy.cl"

// Values of k of a plane that a work-item has, and all of them.
#if SCALAR_IS_DOUBLE
#define K_PER_ITEM 1
#else
#define K_PER_ITEM CHUNK
#endif
#define PLANE_K (4 * K_PER_ITEM)
#define PLANES (TILE_K / PLANE_K)

// A warp's fragments.
#define FRAGMENTS_M (WARP_M / 16)
#define FRAGMENTS_N (WARP_N / 8)

#define lane_group(item) ((item) % 32 / 4)
#define lane_in_group(item) ((item) % 4)
// The row of a work-item's q-th in its warp's part of a tile.
#define row_of(q, g) ((q) / CHUNK * 8 * CHUNK + CHUNK * (g) + (q) % CHUNK)

// The index of the chunk of rows CHUNK*c ... at k = p, in a slice whose chunks are across.
inline int chunk_across(const int tile, int p, int c) { return p * (tile / CHUNK) + (c ^ p / K_PER_ITEM % 4 * 2); }

// The index of the chunk of a row at k = CHUNK*c ..., in a slice whose chunks are along k.
inline int chunk_along(const int tile, int row, int c)
{
#if SCALAR_IS_DOUBLE && !SCALAR_IS_COMPLEX
    // Four values of k at a time.
    const int four = row * (TILE_K / 4) + c / 2;
    return (four ^ row / 2 % 4) * 2 + c % 2;
#else
    const int second = CHUNK > 1 ? (row ^ row / CHUNK) & 1 : row & 1;
    return c / 4 * (tile * 4) + row / 2 * 8 + second * 4 + c % 4;
#endif
}

// A work-item copies pieces: chunks, in steps of the lines' alignment, or, where that is 8 bytes, half chunks, so that
// neighbours copy adjacent bytes. The line of a slice that has the i-th piece of a work-item, and the piece's number in
// the line:
#define piece_bytes(width) ((width) == 8 ? 8 : 16)
#define pieces_per_line(tile, across, width) (((across) ? (tile) : TILE_K) / CHUNK * (16 / piece_bytes(width)))
#define copied_line(per_line, item, i) ((item) / (per_line) + (i) * THREADS / (per_line))
#define copied_piece(per_line, item, i) ((item) % (per_line) + (i) * THREADS % (per_line))
// Elements of a piece.
#define piece(width) (CHUNK * piece_bytes(width) / 16)

// The index of the chunk with the i-th piece.
inline int copied_chunk(const int tile, const bool across, const int width, int item, int i)
{
    const int per_line = pieces_per_line(tile, across, width);
    const int line = copied_line(per_line, item, i), c = copied_piece(per_line, item, i) / (16 / piece_bytes(width));
    return across ? chunk_across(tile, line, c) : chunk_along(tile, line, c);
}

// Begins to copy a slice: `rows` rows of the tile and `k_count` of k are the operand's, the rest is zero. A loop with
// branches, since few slices need it: unrolled, its addresses would be computed for the others as well.
inline void copy_slice(const int tile, const bool across, const int width, __local chunk *to,
                       __global const scalar *from, long stride, int rows, int k_count, int item)
{
    const int per_line = pieces_per_line(tile, across, 16);
    ROLLED
    for (int i = 0; i < tile * TILE_K / CHUNK / THREADS; i++) {
        const int line = copied_line(per_line, item, i), c = copied_piece(per_line, item, i) * CHUNK;
        const int count = line < (across ? k_count : rows) ? clamp((across ? rows : k_count) - c, 0, CHUNK) : 0;
        // Addresses of elements that are not copied are not formed.
        copy_chunk(width, to + copied_chunk(tile, across, 16, item, i), count > 0 ? from + line * stride + c : from,
                   count * (int)sizeof(scalar));
    }
}

// The offset in a slice of the operand of a work-item's first piece.
inline long first_copied(const int tile, const bool across, const int width, long stride, int item)
{
    const int per_line = pieces_per_line(tile, across, width);
    return copied_line(per_line, item, 0) * stride + copied_piece(per_line, item, 0) * piece(width);
}

// Begins to copy a slice inside the operand, from the work-item's first piece on: most are, and there is little to
// compute.
inline void copy_whole_slice(const int tile, const bool across, const int width, __local chunk *to,
                             __global const scalar *from, long stride, int item)
{
    const int per_line = pieces_per_line(tile, across, width);
    UNROLL
    for (int i = 0; i < tile * TILE_K / piece(width) / THREADS; i++) {
        __local chunk *target = to + copied_chunk(tile, across, width, item, i);
        __global const scalar *piece_from = from + copied_line(per_line, 0, i) * stride
            + copied_piece(per_line, 0, i) * piece(width);
        if (width == 8)
            copy_half_chunk(target, copied_piece(per_line, item, i) % 2, piece_from);
        else
            copy_whole_chunk(width, target, piece_from);
    }
}

#if !SCALAR_IS_DOUBLE
// The elements of CHUNK rows (q = first ... first + CHUNK - 1) of a work-item, at its k of a plane: to[r * CHUNK + e].
// The warp's rows begin at `warp`.
inline void load_rows(const int tile, const bool across, __local const chunk *slice, int plane, int warp,
                      const int first, int g, int t, scalar *to)
{
    if (across) {
        UNROLL
        for (int e = 0; e < CHUNK; e++)
            unpack(slice[chunk_across(tile, plane * PLANE_K + CHUNK * t + e, warp / CHUNK + first / CHUNK * 8 + g)],
                   to + e,
                   CHUNK);
    } else {
        UNROLL
        for (int r = 0; r < CHUNK; r++)
            unpack(slice[chunk_along(tile, warp + row_of(first + r, g), plane * 4 + t)], to + r * CHUNK, 1);
    }
}
#endif
