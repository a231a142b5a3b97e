// Products of warpgroups, four warps each (wgmma, PTX ISA 8.0, compute capability 9.0a). A slice of B lies in local
// memory, in blocks of 8 columns by 4 values of k, 128 bytes each. A is in registers.
//
// The compiler's target does not have these instructions. It sees comments, which the library turns into instructions
// in the PTX that the compiler gives (crates/opencl/src/program/ptx_patch.rs).
#pragma once

#include "blas/level3/gemm/tensor/tile.cl"

// Accumulators as operands: a part of four blocks of the fragment's columns, and of all that it has.
#define ACC_4(part_acc, j, part) "+f"((part_acc)[j][part][0]), "+f"((part_acc)[j][part][1]), \
    "+f"((part_acc)[j][part][2]), "+f"((part_acc)[j][part][3])
#define ACC_16(part_acc, j, part) ACC_4(part_acc, j, part), ACC_4(part_acc, (j) + 1, part), \
    ACC_4(part_acc, (j) + 2, part), ACC_4(part_acc, (j) + 3, part)
#define ACC_32(part_acc, j, part) ACC_16(part_acc, j, part), ACC_16(part_acc, (j) + 4, part)
#define OPERANDS_32                                                                                                  \
    "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, " \
    "%24, %25, %26, %27, %28, %29, %30, %31"
#define OPERANDS_64                                                                                  \
    OPERANDS_32 ", %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, " \
              "%48, %49, %50, %51, "                                                                 \
              "%52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
#if WARP_N == 128
#define GROUP_ACC(part_acc, part) ACC_32(part_acc, 0, part), ACC_32(part_acc, 8, part)
#define GROUP_PRODUCT                                                          \
    "//sm_90a { .reg .pred p; setp.eq.b32 p, %69, 0; "                         \
    "wgmma.mma_async.sync.aligned.m64n128k8.f32.tf32.tf32 {" OPERANDS_64 "}, " \
    "{%64, %65, %66, %67}, %68, p, %70, 1; }"
#elif WARP_N == 64
#define GROUP_ACC(part_acc, part) ACC_32(part_acc, 0, part)
#define GROUP_PRODUCT                                                         \
    "//sm_90a { .reg .pred p; setp.eq.b32 p, %37, 0; "                        \
    "wgmma.mma_async.sync.aligned.m64n64k8.f32.tf32.tf32 {" OPERANDS_32 "}, " \
    "{%32, %33, %34, %35}, %36, p, %38, 1; }"
#endif

// Begins to add sign*a*b to a part of the accumulators, or to set it to that if `is_first`, for fragments of 64 x 8 and
// 8 x WARP_N. The accumulators are truncated.
#define multiply_group(part_acc, part, sign, a, b, is_first, item, exchange) \
    __asm__ volatile(GROUP_PRODUCT : GROUP_ACC(part_acc, part)               \
                     : "r"((a)[0]), "r"((a)[1]), "r"((a)[2]), "r"((a)[3]), "l"(descriptor(b)), "n"(is_first), "n"(sign))

// The descriptor of a fragment of B: its address, and the distances of its blocks along k and along its columns, in
// units of 16 bytes.
inline ulong descriptor(__local const uint *b)
{
    const ulong along_k = BLOCKS_N * 128 / 16, along_n = 128 / 16;
    return (((uint)(ulong)b & 0x3ffff) >> 4) | along_k << 16 | along_n << 32;
}

// Makes stores to local memory before the next barrier visible to the warpgroups' products after it.
#define publish_to_groups() __asm__ volatile("fence.proxy.async.shared::cta;" : : : "memory")
// Around the products of a fragment: its registers are computed before the first line, and unchanged up to the second.
#define AS_OPERANDS(a)                                                                                       \
    "+r"(a[0][0]), "+r"(a[0][1]), "+r"(a[0][2]), "+r"(a[0][3]), "+r"(a[1][0]), "+r"(a[1][1]), "+r"(a[1][2]), \
        "+r"(a[1][3])
#define begin_group(hi, lo) \
    __asm__ volatile("//sm_90a wgmma.fence.sync.aligned;" : AS_OPERANDS(hi), AS_OPERANDS(lo) : : "memory")
#define commit_group() __asm__ volatile("//sm_90a wgmma.commit_group.sync.aligned;" : : : "memory")
// Waits for the products in flight.
#if SCALAR_IS_COMPLEX
#define wait_for_group(part_acc)                                                           \
    __asm__ volatile("//sm_90a wgmma.wait_group.sync.aligned 0;" : GROUP_ACC(part_acc, 0), \
                     GROUP_ACC(part_acc, 1) : : "memory")
#else
#define wait_for_group(part_acc) __asm__ volatile("//sm_90a wgmma.wait_group.sync.aligned 0;" \
                                                  : GROUP_ACC(part_acc, 0) : : "memory")
#endif
