// What panel_tensor.cl needs of NVIDIA's instructions (PTX ISA; compute capability 9.0): products of fragments of doubles, a barrier
// for a warp, reciprocals. fragments_emulated.cl has the same for any device.

#pragma OPENCL EXTENSION cl_khr_fp64 : enable

#define UNROLL_FRAGMENTS _Pragma("unroll")
// Whether a warp may work alone, between barriers of the group.
#define warp_works_alone true
#define warp_barrier() __asm__ volatile("bar.warp.sync 0xffffffff;" : : : "memory")
// What products need of local memory: nothing.
#define FRAGMENT_ROOM
#define fragment_room 0

// sum += a*b for fragments of 16 x 8 and 8 x 8: with g and q the lane's quotient and rest by 4, rows g and g + 8 of a, in columns q
// and then q + 4; rows q and q + 4 of b, in column g; rows g and then g + 8 of the sum, each in columns 2q and 2q + 1.
inline void multiply_fragments(double *sum, const double *a, const double *b, __local double *room)
{
    __asm__("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
            : "+d"(sum[0]), "+d"(sum[1]), "+d"(sum[2]), "+d"(sum[3])
            : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(b[0]), "d"(b[1]));
}

// 1 / x and 1 / sqrt(x), nearly to the last bit, for numbers far from the ends of the range: the instructions' first 20 bits, three
// times as many.
inline double reciprocal(double x)
{
    double y;
    __asm__("rcp.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(x));
    const double e = fma(-x, y, 1.0);
    return fma(fma(e, e, e), y, y);
}

inline double reciprocal_root(double x)
{
    double y;
    __asm__("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(x));
    const double e = fma(-x * y, y, 1.0);
    return fma(fma(0.375, e, 0.5), e * y, y);
}
