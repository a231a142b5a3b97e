// The routines that treat elements apart from each other, on any device and with any increments.
// Element i of x is x[x_first + i * x_step]; the same holds for y.

// y := alpha
__kernel void set(long n, long block, scalar alpha, __global scalar *restrict y, long y_first, long y_step)
{
    y += y_first;
    FOR_EACH_ELEMENT(i) y[i * y_step] = alpha;
}

// y := alpha*y
__kernel void scal(long n, long block, scalar alpha, __global scalar *restrict y, long y_first, long y_step)
{
    y += y_first;
    FOR_EACH_ELEMENT(i) y[i * y_step] = multiply(alpha, y[i * y_step]);
}

// y := alpha*y for a real alpha.
__kernel void scal_real(long n, long block, real alpha, __global scalar *restrict y, long y_first, long y_step)
{
    y += y_first;
    FOR_EACH_ELEMENT(i) y[i * y_step] *= alpha;
}

// y := x
__kernel void copy(long n, long block, __global const scalar *restrict x, long x_first, long x_step,
                   __global scalar *restrict y, long y_first, long y_step)
{
    x += x_first;
    y += y_first;
    FOR_EACH_ELEMENT(i) y[i * y_step] = x[i * x_step];
}

// x <-> y
__kernel void swap(long n, long block, __global scalar *restrict x, long x_first, long x_step,
                   __global scalar *restrict y, long y_first, long y_step)
{
    x += x_first;
    y += y_first;
    FOR_EACH_ELEMENT(i) {
        const scalar old = x[i * x_step];
        x[i * x_step] = y[i * y_step];
        y[i * y_step] = old;
    }
}

// y := alpha*x + y
__kernel void axpy(long n, long block, scalar alpha, __global const scalar *restrict x, long x_first, long x_step,
                   __global scalar *restrict y, long y_first, long y_step)
{
    x += x_first;
    y += y_first;
    FOR_EACH_ELEMENT(i) y[i * y_step] = scale_and_add(alpha, x[i * x_step], y[i * y_step]);
}

// y := alpha*x + beta*y. With beta = 0, y is not read.
__kernel void axpby(long n, long block, scalar alpha, scalar beta, __global const scalar *restrict x, long x_first,
                    long x_step, __global scalar *restrict y, long y_first, long y_step)
{
    x += x_first;
    y += y_first;
    FOR_EACH_ELEMENT(i) y[i * y_step] = accumulate(scale_by(alpha, x[i * x_step]), beta, y + i * y_step);
}
