// Products of warpgroups (warpgroup_nvidia.cl) on any device, so that they can be tested there. It is slow: work-items
// exchange fragments through local memory.
#pragma once

#include "blas/level3/gemm/tensor/mma.cl"
#include "blas/level3/gemm/tensor/tile.cl"

#define publish_to_groups()
#define begin_group(hi, lo)
#define commit_group()
#define wait_for_group(part_acc)

inline void multiply_group(float (*part_acc)[PARTS][4], int part, int sign, const uint *a, __local const uint *b,
                           bool is_first, int item, __local real *exchange)
{
    const int warp = item / 32 * 32, g = item % 32 / 4, t = item % 4;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int s = 0; s < 4; s++) exchange[item * 6 + s] = sign * fragment_value(a[s]);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int j = 0; j < FRAGMENTS_N; j++)
        for (int r = 0; r < 4; r++) {
            float total = is_first ? 0 : part_acc[j][part][r];
            for (int p = 0; p < 8; p++)
                total = fma(exchange[(warp + g * 4 + p % 4) * 6 + p / 4 * 2 + r / 2],
                            fragment_value(b[(p / 4 * BLOCKS_N + j) * 32 + (2 * t + r % 2) * 4 + p % 4]), total);
            part_acc[j][part][r] = total;
        }
}
