// Preparation of the operands of a product. CHECK: their floats are checked, whether they can be split in hi + lo for
// the tensor cores. Infinities and the largest floats are found by their products. PAD_A, PAD_B: they are copied to
// lines that begin at multiples of 16 bytes and go on, with zeros, to the ends of the outermost tiles.
//
// An operand's lines are its contiguous rows or columns. Each work-group does some of them.

// Work-items of a group.
#ifndef THREADS
#define THREADS 256
#endif

// Words of a line that a work-item loads before it uses the first.
#ifndef WORDS_PER_ITEM
#define WORDS_PER_ITEM 4
#endif

// Floats are checked.
#ifndef CHECK
#define CHECK 0
#endif

// A is copied to padded lines.
#ifndef PAD_A
#define PAD_A 0
#endif

// B is copied to padded lines.
#ifndef PAD_B
#define PAD_B 0
#endif

#include "common/scalar.cl"
#include "blas/level3/gemm/tensor/too_small.cl"

#define PARTS (SCALAR_IS_COMPLEX ? 2 : 1)
#if SCALAR_IS_DOUBLE
typedef ulong word;
#else
typedef uint word;
#endif

// The lines of an operand, and those of its copy.
#define LINES(x) __global const scalar *restrict x, long x##_offset, long x##_stride, long x##_lines, long x##_length
#define COPIED_LINES(x) , __global word *restrict x##_copy, long x##_copy_lines, long x##_copy_length

// Checks a line, which may be empty, and copies it if there is a copy. Returns the least key of its floats
// (too_small.cl).
inline uint prepare_line(__global const word *restrict from, long length, __global word *restrict to, long to_length)
{
    uint min_key = UINT_MAX;
    const long end = to ? to_length : length, last = max(length - 1, 0L);
    for (long first = get_local_id(0); first < end; first += THREADS * WORDS_PER_ITEM) {
        word words[WORDS_PER_ITEM];
        // Beyond the end, the last one.
        #pragma unroll
        for (int i = 0; i < WORDS_PER_ITEM; i++) words[i] = from[min(first + i * THREADS, last)];
        #pragma unroll
        for (int i = 0; i < WORDS_PER_ITEM; i++) {
            const long at = first + i * THREADS;
#if CHECK
            min_key = min(min_key, key_of(words[i]));
#endif
            if (to && at < to_length) to[at] = at < length ? words[i] : 0;
        }
    }
    return min_key;
}

__kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void prepare_operands(
    LINES(a), LINES(b)
#if PAD_A
    COPIED_LINES(a)
#endif
#if PAD_B
    COPIED_LINES(b)
#endif
#if CHECK
    , __global uint *restrict found
#endif
)
{
#if !PAD_A
    __global word *const a_copy = 0;
    const long a_copy_lines = a_lines, a_copy_length = 0;
#endif
#if !PAD_B
    __global word *const b_copy = 0;
    const long b_copy_lines = b_lines, b_copy_length = 0;
#endif
    uint min_key = UINT_MAX;
    for (long number = get_group_id(0); number < a_copy_lines + b_copy_lines; number += get_num_groups(0)) {
        const bool of_a = number < a_copy_lines;
        const long line = of_a ? number : number - a_copy_lines, lines = of_a ? a_lines : b_lines;
        // Zeros follow the last line, copied from none of it.
        const long from = min(line, lines - 1), length = line < lines ? (of_a ? a_length : b_length) * PARTS : 0;
        __global const scalar *source = of_a ? a + a_offset + from * a_stride : b + b_offset + from * b_stride;
        __global word *copy = of_a ? a_copy : b_copy;
        const long copy_length = (of_a ? a_copy_length : b_copy_length) * PARTS;
        if (copy) copy += line * copy_length;
        min_key = min(min_key, prepare_line((__global const word *)source, length, copy, copy_length));
    }
#if CHECK
    __local uint any;
    if (get_local_id(0) == 0) any = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (min_key < TOO_SMALL) any = 1; // whoever writes, writes the same
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0) found[get_group_id(0)] = any;
#endif
}
