// The sum of a product's parts, and a copy of a vector with adjacent elements.

#include "common/blocks.cl"
#include "common/scalar.cl"

#define AHEAD 8

// y := alpha*(sum of parts) + beta*y over n elements, always in the same order. Where `reach` is less than
// parts - 1, element i has the parts i / tile - reach to i / tile + reach only. Part p lies in slot p % slots.
__kernel void product_finish(long n, long block, long parts, long slots, long tile, long reach, scalar alpha,
                             scalar beta,
                             __global const scalar *restrict partial, __global scalar *restrict y, long y_first,
                             long y_step)
{
    FOR_EACH_ELEMENT(i) {
        long part = 0, end = parts, slot = 0;
        if (reach + 1 < parts) {
            part = max(0L, i / tile - reach);
            end = min(parts, i / tile + reach + 1);
            slot = part % slots;
        }
        scalar sum = SCALAR_ZERO;
        // Several parts are on their way at a time.
        for (; part + AHEAD <= end; part += AHEAD) {
            scalar value[AHEAD];
            #pragma unroll
            for (int k = 0; k < AHEAD; k++) {
                value[k] = partial[slot * n + i];
                slot = slot + 1 == slots ? 0 : slot + 1;
            }
            #pragma unroll
            for (int k = 0; k < AHEAD; k++) sum += value[k];
        }
        for (; part < end; part++) {
            sum += partial[slot * n + i];
            slot = slot + 1 == slots ? 0 : slot + 1;
        }
        __global scalar *const element = y + y_first + i * y_step;
        *element = accumulate(scale_by(alpha, sum), beta, element);
    }
}

// gathered[i] := x[x_first + i*x_step] over n elements.
__kernel void product_gather(long n, long block, __global const scalar *restrict x, long x_first, long x_step,
                             __global scalar *restrict gathered)
{
    FOR_EACH_ELEMENT(i) gathered[i] = x[x_first + i * x_step];
}
