// Conversions of fp16 matrices around a product in floats. vload_half and vstore_half_rte are part of OpenCL: a device
// needs no fp16 arithmetic for them. On CPUs common/fp16.cl has vectors of them.
//
// A matrix is lines of adjacent elements. A work-group takes PIECE elements of a line. Groups stand in one dimension,
// since devices limit the number in others.

// Work-items of a group.
#ifndef THREADS
#define THREADS 64
#endif

// Elements of a group.
#ifndef PIECE
#define PIECE 1024
#endif

// Adjacent elements that a work-item takes at a time: 1, or the width of a vector.
#ifndef VECTOR_WIDTH
#define VECTOR_WIDTH 1
#endif

#include "common/scalar.cl"
#if VECTOR_WIDTH > 1
#include "common/fp16.cl"
#endif

// The elements `first` to `end` of a line are this group's. Whole vectors end at `whole`.
#define DECLARE_PIECE(length)                            \
    const long pieces = ((length) + PIECE - 1) / PIECE;  \
    const long line = get_group_id(0) / pieces;          \
    const long first = get_group_id(0) % pieces * PIECE; \
    const long end = min((long)(length), first + PIECE); \
    const long whole = first + (end - first) / VECTOR_WIDTH * VECTOR_WIDTH;

// Each work-item's vectors, and then its single elements.
#define FOR_VECTORS(i) for (long i = first + get_local_id(0) * VECTOR_WIDTH; i < whole; i += THREADS * VECTOR_WIDTH)
#define FOR_THE_REST(i) for (long i = whole + get_local_id(0); i < end; i += THREADS)

#if VECTOR_WIDTH == 1
typedef float floats;
#define load_floats(p) (*(p))
#define store_floats(v, p) (*(p) = (v))
#define load_halves(p) vload_half(0, p)
#define store_halves(v, p) vstore_half_rte(v, 0, p)
#else
typedef vector floats;
#define load_floats(p) load_vector(p)
#define store_floats(v, p) store_vector(v, p)
#endif

// Floats := fp16 elements: exact, subnormal ones and NaN, too.
__kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void widen(
    long length, __global const half *restrict from, long from_offset, long from_pitch, __global float *restrict to,
    long to_offset, long to_pitch)
{
    DECLARE_PIECE(length)
    from += from_offset + line * from_pitch;
    to += to_offset + line * to_pitch;
    FOR_VECTORS(i) store_floats(load_halves(from + i), to + i);
    FOR_THE_REST(i) to[i] = vload_half(0, from + i);
}

// C := acc + beta*C, rounded to fp16. With beta = 0, C is not read: NaN and Inf in it vanish.
__kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void narrow(
    long length, __global const float *restrict sums, long sums_offset, long sums_pitch, float beta,
    __global half *restrict c, long c_offset, long c_pitch)
{
    DECLARE_PIECE(length)
    sums += sums_offset + line * sums_pitch;
    c += c_offset + line * c_pitch;
    if (beta == 0) {
        FOR_VECTORS(i) store_halves(load_floats(sums + i), c + i);
        FOR_THE_REST(i) vstore_half_rte(sums[i], 0, c + i);
    } else {
        FOR_VECTORS(i) store_halves(load_floats(sums + i) + beta * load_halves(c + i), c + i);
        FOR_THE_REST(i) vstore_half_rte(sums[i] + beta * vload_half(0, c + i), 0, c + i);
    }
}

// C := beta*C, where there is no product. With beta = 0, C is not read.
__kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void scale(
    long length, float beta, __global half *restrict c, long c_offset, long c_pitch)
{
    DECLARE_PIECE(length)
    c += c_offset + line * c_pitch;
    if (beta == 0) {
        FOR_VECTORS(i) store_halves((floats)0, c + i);
        FOR_THE_REST(i) vstore_half_rte(0.0f, 0, c + i);
    } else {
        FOR_VECTORS(i) store_halves(beta * load_halves(c + i), c + i);
        FOR_THE_REST(i) vstore_half_rte(beta * vload_half(0, c + i), 0, c + i);
    }
}
