// Elementwise routines on any device, with any increments.
// Element i of x is x[x_first + i * x_step]; the same holds for y.

#include "blas/level1/each.cl"

// y := alpha
__kernel void set(long n, long block, scalar alpha, __global scalar *restrict y, long y_first, long y_step)
{
    y += y_first;
    EACH(, y[at(i, y_step)] = alpha)
}

// y := alpha*y
__kernel void scal(long n, long block, scalar alpha, __global scalar *restrict y, long y_first, long y_step)
{
    y += y_first;
    EACH(right[w] = y[at(i, y_step)], y[at(i, y_step)] = multiply(alpha, right[w]))
}

// y := alpha*y for a real alpha.
__kernel void scal_real(long n, long block, real alpha, __global scalar *restrict y, long y_first, long y_step)
{
    y += y_first;
    EACH(right[w] = y[at(i, y_step)], y[at(i, y_step)] = alpha * right[w])
}

// y := x
__kernel void copy(long n, long block, __global const scalar *restrict x, long x_first, long x_step,
                   __global scalar *restrict y, long y_first, long y_step)
{
    x += x_first;
    y += y_first;
    EACH(left[w] = x[at(i, x_step)], y[at(i, y_step)] = left[w])
}

// x <-> y
__kernel void swap(long n, long block, __global scalar *restrict x, long x_first, long x_step,
                   __global scalar *restrict y, long y_first, long y_step)
{
    x += x_first;
    y += y_first;
    EACH(left[w] = x[at(i, x_step)]; right[w] = y[at(i, y_step)],
         x[at(i, x_step)] = right[w]; y[at(i, y_step)] = left[w])
}

// y := alpha*x + y
__kernel void axpy(long n, long block, scalar alpha, __global const scalar *restrict x, long x_first, long x_step,
                   __global scalar *restrict y, long y_first, long y_step)
{
    x += x_first;
    y += y_first;
    EACH(left[w] = x[at(i, x_step)]; right[w] = y[at(i, y_step)],
         y[at(i, y_step)] = scale_and_add(alpha, left[w], right[w]))
}

// y := alpha*x + beta*y. With beta = 0, y is not read.
__kernel void axpby(long n, long block, scalar alpha, scalar beta, __global const scalar *restrict x, long x_first,
                    long x_step, __global scalar *restrict y, long y_first, long y_step)
{
    x += x_first;
    y += y_first;
    EACH(left[w] = x[at(i, x_step)],
         y[at(i, y_step)] = accumulate(scale_by(alpha, left[w]), beta, y + at(i, y_step)))
}
