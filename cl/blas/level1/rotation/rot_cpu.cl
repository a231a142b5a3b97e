// Plane rotations on a CPU, for vectors of adjacent elements: one work-item per block, wide vectors of reals.

#include "common/vectors.cl"
#include "blas/level1/rotation/modified.cl"

#define BLOCK_BEGIN ((long)get_group_id(0) * block * PARTS)
#define BLOCK_END (min(n, (long)(get_group_id(0) + 1) * block) * PARTS)

// Real factors treat the parts of complex numbers alike.
inline void rotate_reals(long i, long end, real h11, real h12, real h21, real h22, __global real *restrict x,
                         __global real *restrict y)
{
    for (; i + VECTOR_WIDTH <= end; i += VECTOR_WIDTH) {
        const vector left = load_vector(x + i), right = load_vector(y + i);
        store_vector(h11 * left + h12 * right, x + i);
        store_vector(h21 * left + h22 * right, y + i);
    }
    for (; i < end; i++) {
        const real left = x[i], right = y[i];
        x[i] = h11 * left + h12 * right;
        y[i] = h21 * left + h22 * right;
    }
}

__kernel void rot(long n, long block, real h11, real h12, real h21, real h22, __global scalar *restrict x,
                     long x_first, __global scalar *restrict y, long y_first)
{
    rotate_reals(BLOCK_BEGIN, BLOCK_END, h11, h12, h21, h22, (__global real *)(x + x_first),
                 (__global real *)(y + y_first));
}

#if SCALAR_IS_COMPLEX
__kernel void rot_complex(long n, long block, real c, scalar s, __global scalar *restrict x_memory, long x_first,
                             __global scalar *restrict y_memory, long y_first)
{
    const scalar turned = (scalar)(-s.x, s.y);
    __global real *restrict x = (__global real *)(x_memory + x_first);
    __global real *restrict y = (__global real *)(y_memory + y_first);
    long i = BLOCK_BEGIN;
    const long end = BLOCK_END;
    for (; i + VECTOR_WIDTH <= end; i += VECTOR_WIDTH) {
        const vector left = load_vector(x + i), right = load_vector(y + i);
        store_vector(c * left + multiply_vector(s, right), x + i);
        store_vector(c * right + multiply_vector(turned, left), y + i);
    }
    for (; i < end; i += PARTS) {
        __global scalar *at_x = (__global scalar *)(x + i), *at_y = (__global scalar *)(y + i);
        const scalar left = *at_x, right = *at_y;
        *at_x = multiply_add(s, right, c * left);
        *at_y = multiply_add(turned, left, c * right);
    }
}
#else
__kernel void rotm(long n, long block, __global const scalar *restrict parameters, long first,
                              __global scalar *restrict x, long x_first, __global scalar *restrict y, long y_first)
{
    const modified h = read_modified(parameters + first);
    if (h.nothing) return;
    rotate_reals(BLOCK_BEGIN, BLOCK_END, h.h11, h.h12, h.h21, h.h22, x + x_first, y + y_first);
}
#endif
