// What panel_tensor.cl needs of NVIDIA's instructions, fragments_nvidia.cl, on any device, so that it can be checked where there are
// no tensor cores. It is slow: work-items exchange fragments through local memory, and all warps do what one would.

#pragma OPENCL EXTENSION cl_khr_fp64 : enable

#define UNROLL_FRAGMENTS
#define warp_works_alone false
#define warp_barrier() barrier(CLK_LOCAL_MEM_FENCE)
#define FRAGMENT_ROOM __local double fragment_room[THREADS * 6];

inline void multiply_fragments(double *sum, const double *a, const double *b, __local double *room)
{
    const int item = get_local_id(0), first = item / 32 * 32, g = item % 32 / 4, q = item % 4;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int s = 0; s < 4; s++) room[item * 6 + s] = a[s];
    for (int s = 0; s < 2; s++) room[item * 6 + 4 + s] = b[s];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int s = 0; s < 4; s++) {
        const int row = first + g * 4, column = first + (2 * q + s % 2) * 4;
        for (int depth = 0; depth < 8; depth++)
            sum[s] = fma(room[(row + depth % 4) * 6 + depth / 4 * 2 + s / 2],
                         room[(column + depth % 4) * 6 + 4 + depth / 4], sum[s]);
    }
}

inline double reciprocal(double x) { return 1 / x; }

inline double reciprocal_root(double x) { return 1 / sqrt(x); }
