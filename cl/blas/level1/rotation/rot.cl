// Plane rotations of pairs (x_i, y_i), on any device, with any increments. Element i of x is x[x_first + i * x_step].

#include "blas/level1/each.cl"
#include "blas/level1/rotation/modified.cl"

// x := h11*x + h12*y, y := h21*x + h22*y, with real factors: rot, csrot, zdrot, and rotm with its factors by value.
__kernel void rot(long n, long block, real h11, real h12, real h21, real h22, __global scalar *restrict x,
                     long x_first, long x_step, __global scalar *restrict y, long y_first, long y_step)
{
    x += x_first;
    y += y_first;
    EACH(left[w] = x[at(i, x_step)]; right[w] = y[at(i, y_step)],
         x[at(i, x_step)] = h11 * left[w] + h12 * right[w];
         y[at(i, y_step)] = h21 * left[w] + h22 * right[w])
}

#if SCALAR_IS_COMPLEX
// x := c*x + s*y, y := c*y - conj(s)*x, with a complex sine.
__kernel void rot_complex(long n, long block, real c, scalar s, __global scalar *restrict x, long x_first, long x_step,
                             __global scalar *restrict y, long y_first, long y_step)
{
    const scalar turned = (scalar)(-s.x, s.y);
    x += x_first;
    y += y_first;
    EACH(left[w] = x[at(i, x_step)]; right[w] = y[at(i, y_step)],
         x[at(i, x_step)] = multiply_add(s, right[w], c * left[w]);
         y[at(i, y_step)] = multiply_add(turned, left[w], c * right[w]))
}
#else
// The same by rotm's five parameters in memory: a flag, then h11, h21, h12, h22, of which the flag implies some.
__kernel void rotm(long n, long block, __global const scalar *restrict parameters, long first,
                              __global scalar *restrict x, long x_first, long x_step, __global scalar *restrict y,
                              long y_first, long y_step)
{
    const modified h = read_modified(parameters + first);
    if (h.nothing) return;
    x += x_first;
    y += y_first;
    EACH(left[w] = x[at(i, x_step)]; right[w] = y[at(i, y_step)],
         x[at(i, x_step)] = h.h11 * left[w] + h.h12 * right[w];
         y[at(i, y_step)] = h.h21 * left[w] + h.h22 * right[w])
}
#endif
