// Rotations of pairs (x_i, y_i), on any device and with any increments. Element i of x is x[x_first + i * x_step].

// x := h11*x + h12*y, y := h21*x + h22*y, with real factors: rot, csrot, zdrot, and rotm with its factors by value.
__kernel void rot(long n, long block, real h11, real h12, real h21, real h22, __global scalar *restrict x,
                     long x_first, long x_step, __global scalar *restrict y, long y_first, long y_step)
{
    x += x_first;
    y += y_first;
    FOR_EACH_ELEMENT(i) {
        const scalar left = x[i * x_step], right = y[i * y_step];
        x[i * x_step] = h11 * left + h12 * right;
        y[i * y_step] = h21 * left + h22 * right;
    }
}

#if SCALAR_IS_COMPLEX
// x := c*x + s*y, y := c*y - conj(s)*x, with a complex sine.
__kernel void rot_complex(long n, long block, real c, scalar s, __global scalar *restrict x, long x_first, long x_step,
                             __global scalar *restrict y, long y_first, long y_step)
{
    const scalar turned = (scalar)(-s.x, s.y);
    x += x_first;
    y += y_first;
    FOR_EACH_ELEMENT(i) {
        const scalar left = x[i * x_step], right = y[i * y_step];
        x[i * x_step] = multiply_add(s, right, c * left);
        y[i * y_step] = multiply_add(turned, left, c * right);
    }
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
    FOR_EACH_ELEMENT(i) {
        const scalar left = x[i * x_step], right = y[i * y_step];
        x[i * x_step] = h.h11 * left + h.h12 * right;
        y[i * y_step] = h.h21 * left + h.h22 * right;
    }
}
#endif
