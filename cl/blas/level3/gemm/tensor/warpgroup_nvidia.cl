// Products of warpgroups, four warps each (wgmma, PTX ISA 8.0, compute capability 9.0a). A slice of B lies in local memory,
// in blocks of 8 columns by 4 values of k, 128 bytes each. A is in registers.
//
// The compiler's target does not have these instructions. It sees comments, which the library turns into instructions in
// the PTX that the compiler gives (crates/opencl/src/program/later.rs).
#pragma once

#include "blas/level3/gemm/tensor/tile.cl"

// Sums as operands: a part of four of the fragment's columns' blocks, and of as many as it has.
#define SUMS_4(sum, j, part) "+f"((sum)[j][part][0]), "+f"((sum)[j][part][1]), "+f"((sum)[j][part][2]), "+f"((sum)[j][part][3])
#define SUMS_16(sum, j, part) SUMS_4(sum, j, part), SUMS_4(sum, (j) + 1, part), SUMS_4(sum, (j) + 2, part), SUMS_4(sum, (j) + 3, part)
#define SUMS_32(sum, j, part) SUMS_16(sum, j, part), SUMS_16(sum, (j) + 4, part)
#define PLACES_32                                                                                                  \
    "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, " \
    "%24, %25, %26, %27, %28, %29, %30, %31"
#define PLACES_64                                                                                                    \
    PLACES_32 ", %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, %48, %49, %50, %51, " \
              "%52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
#if WARP_N == 128
#define GROUP_SUMS(sum, part) SUMS_32(sum, 0, part), SUMS_32(sum, 8, part)
#define GROUP_PRODUCT                                                                                                     \
    "//sm_90a { .reg .pred p; setp.eq.b32 p, %69, 0; wgmma.mma_async.sync.aligned.m64n128k8.f32.tf32.tf32 {" PLACES_64 "}, " \
    "{%64, %65, %66, %67}, %68, p, %70, 1; }"
#elif WARP_N == 64
#define GROUP_SUMS(sum, part) SUMS_32(sum, 0, part)
#define GROUP_PRODUCT                                                                                                    \
    "//sm_90a { .reg .pred p; setp.eq.b32 p, %37, 0; wgmma.mma_async.sync.aligned.m64n64k8.f32.tf32.tf32 {" PLACES_32 "}, " \
    "{%32, %33, %34, %35}, %36, p, %38, 1; }"
#endif

// Begins to add sign*a*b to a part of the sums, or to set it to that if `is_first`, for fragments of 64 x 8 and 8 x WARP_N. The sums are
// truncated.
#define multiply_group(sum, part, sign, a, b, is_first, item, room)                                                 \
    __asm__ volatile(GROUP_PRODUCT : GROUP_SUMS(sum, part)                                                            \
                     : "r"((a)[0]), "r"((a)[1]), "r"((a)[2]), "r"((a)[3]), "l"(descriptor(b)), "n"(is_first), "n"(sign))

// Where a fragment of B begins: how far its blocks are apart along the depth and along its columns is part of it. Units are 16 bytes.
inline ulong descriptor(__local const uint *b)
{
    const ulong along_depth = BLOCKS_N * 128 / 16, along_n = 128 / 16;
    return (((uint)(ulong)b & 0x3ffff) >> 4) | along_depth << 16 | along_n << 32;
}

// What was stored to local memory before the next barrier is seen by the group's products behind it.
#define publish_to_groups() __asm__ volatile("fence.proxy.async.shared::cta;" : : : "memory")
// Around the products of a fragment: what is in its registers is computed before the first line, and left alone up to the second.
#define AS_OPERANDS(a) \
    "+r"(a[0][0]), "+r"(a[0][1]), "+r"(a[0][2]), "+r"(a[0][3]), "+r"(a[1][0]), "+r"(a[1][1]), "+r"(a[1][2]), "+r"(a[1][3])
#define begin_group(high, low) \
    __asm__ volatile("//sm_90a wgmma.fence.sync.aligned;" : AS_OPERANDS(high), AS_OPERANDS(low) : : "memory")
#define commit_group() __asm__ volatile("//sm_90a wgmma.commit_group.sync.aligned;" : : : "memory")
// Waits for the products that were begun.
#if SCALAR_IS_COMPLEX
#define wait_for_group(sum) \
    __asm__ volatile("//sm_90a wgmma.wait_group.sync.aligned 0;" : GROUP_SUMS(sum, 0), GROUP_SUMS(sum, 1) : : "memory")
#else
#define wait_for_group(sum) __asm__ volatile("//sm_90a wgmma.wait_group.sync.aligned 0;" : GROUP_SUMS(sum, 0) : : "memory")
#endif
