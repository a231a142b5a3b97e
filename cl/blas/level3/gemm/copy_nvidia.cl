// Asynchronous copies from global into local memory without registers (cp.async, PTX ISA, compute capability 8.0).
// Before this file: `chunk`, 16 bytes of scalars, and CHUNK, its elements. copy_emulated.cl has the same for any
// device.
#pragma once

#include "blas/level3/gemm/copy_chunk.cl"

#define UNROLL _Pragma("unroll")
#define ROLLED _Pragma("unroll 1")

// Copies `bytes` bytes of a chunk, and zeros behind them, in steps of `width` bytes.
inline void copy_chunk(const int width, __local chunk *to, __global const scalar *from, int bytes)
{
    const uint target = (uint)(ulong)to;
    const ulong source = (ulong)from;
    if (width == 16) {
        __asm__ volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" : : "r"(target), "l"(source),
                         "r"(bytes) : "memory");
    } else if (width == 8) {
        UNROLL
        for (int at = 0; at < 16; at += 8)
            __asm__ volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;"
                             : : "r"(target + at), "l"(source + at), "r"(clamp(bytes - at, 0, 8)) : "memory");
    } else {
        UNROLL
        for (int at = 0; at < 16; at += 4)
            __asm__ volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;"
                             : : "r"(target + at), "l"(source + at), "r"(clamp(bytes - at, 0, 4)) : "memory");
    }
}

// Copies a whole chunk, in steps of `width` bytes.
inline void copy_whole_chunk(const int width, __local chunk *to, __global const scalar *from)
{
    const uint target = (uint)(ulong)to;
    const ulong source = (ulong)from;
    if (width == 16) {
        __asm__ volatile("cp.async.cg.shared.global [%0], [%1], 16;" : : "r"(target), "l"(source) : "memory");
    } else {
        UNROLL
        for (int at = 0; at < 16; at += width)
            __asm__ volatile("cp.async.ca.shared.global [%0], [%1], %2;" : : "r"(target + at), "l"(source + at),
                             "n"(width) : "memory");
    }
}

// Copies the first or the second half of a chunk.
inline void copy_half_chunk(__local chunk *to, int second, __global const scalar *from)
{
    __asm__ volatile("cp.async.ca.shared.global [%0], [%1], 8;" : : "r"((uint)(ulong)to + 8 * second),
                     "l"((ulong)from) : "memory");
}

// Copies an element.
inline void copy_whole_element(__local scalar *to, __global const scalar *from)
{
    __asm__ volatile("cp.async.ca.shared.global [%0], [%1], %2;"
                     : : "r"((uint)(ulong)to), "l"((ulong)from), "n"(sizeof(scalar)) : "memory");
}

// Copies an element, or a zero where none is there.
inline void copy_element(__local scalar *to, __global const scalar *from, bool is_there)
{
    __asm__ volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;"
                     : : "r"((uint)(ulong)to), "l"((ulong)from), "n"(sizeof(scalar)),
                     "r"(is_there ? (int)sizeof(scalar) : 0) : "memory");
}

// Copies since the last commit are one group.
#define commit_copies() __asm__ volatile("cp.async.commit_group;" : : : "memory")

// Waits until all but the last `left` groups of this work-item's copies are there.
#define wait_for_copies(left) __asm__ volatile("cp.async.wait_group %0;" : : "n"(left) : "memory")

// Hides how a value was computed from the compiler: it would compute all that the loop needs ahead of it, in registers
// that it does not have.
#define hide_int(x) __asm__ volatile("" : "+r"(x))

// Loads before this line stay before it.
#define loads_stay_here() __asm__ volatile("" : : : "memory")
