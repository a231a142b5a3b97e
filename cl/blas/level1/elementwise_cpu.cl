// Elementwise routines on a CPU, for vectors of adjacent elements: one work-item per block, wide vectors of reals.
// A block is a multiple of VECTOR_WIDTH elements. Only the last one has a remainder, done element by element.

#include "common/vectors.cl"

// Reals from `i` on, of the work-item's block; `end` is the block's end.
#define BLOCK_BEGIN ((long)get_group_id(0) * block * PARTS)
#define BLOCK_END (min(n, (long)(get_group_id(0) + 1) * block) * PARTS)
#define FOR_EACH_VECTOR for (; i + VECTOR_WIDTH <= end; i += VECTOR_WIDTH)
#define FOR_THE_REST for (; i < end; i += PARTS)

// The element that begins at real number i.
#define ELEMENT(v) (*((__global scalar *)(v + i)))
#define ELEMENT_READ(v) (*((__global const scalar *)(v + i)))

__kernel void set(long n, long block, scalar alpha, __global scalar *restrict y_memory, long y_first)
{
    __global real *restrict y = (__global real *)(y_memory + y_first);
    long i = BLOCK_BEGIN;
    const long end = BLOCK_END;
    const vector value = every_element(alpha);
    FOR_EACH_VECTOR store_vector(value, y + i);
    FOR_THE_REST ELEMENT(y) = alpha;
}

__kernel void scal(long n, long block, scalar alpha, __global scalar *restrict y_memory, long y_first)
{
    __global real *restrict y = (__global real *)(y_memory + y_first);
    long i = BLOCK_BEGIN;
    const long end = BLOCK_END;
    FOR_EACH_VECTOR store_vector(multiply_vector(alpha, load_vector(y + i)), y + i);
    FOR_THE_REST ELEMENT(y) = multiply(alpha, ELEMENT(y));
}

__kernel void scal_real(long n, long block, real alpha, __global scalar *restrict y_memory, long y_first)
{
    __global real *restrict y = (__global real *)(y_memory + y_first);
    long i = BLOCK_BEGIN;
    const long end = BLOCK_END;
    FOR_EACH_VECTOR store_vector(alpha * load_vector(y + i), y + i);
    FOR_THE_REST ELEMENT(y) *= alpha;
}

__kernel void copy(long n, long block, __global const scalar *restrict x_memory, long x_first,
                   __global scalar *restrict y_memory, long y_first)
{
    __global const real *restrict x = (__global const real *)(x_memory + x_first);
    __global real *restrict y = (__global real *)(y_memory + y_first);
    long i = BLOCK_BEGIN;
    const long end = BLOCK_END;
    FOR_EACH_VECTOR store_vector(load_vector(x + i), y + i);
    FOR_THE_REST ELEMENT(y) = ELEMENT_READ(x);
}

__kernel void swap(long n, long block, __global scalar *restrict x_memory, long x_first,
                   __global scalar *restrict y_memory, long y_first)
{
    __global real *restrict x = (__global real *)(x_memory + x_first);
    __global real *restrict y = (__global real *)(y_memory + y_first);
    long i = BLOCK_BEGIN;
    const long end = BLOCK_END;
    FOR_EACH_VECTOR {
        const vector old = load_vector(x + i);
        store_vector(load_vector(y + i), x + i);
        store_vector(old, y + i);
    }
    FOR_THE_REST {
        const scalar old = ELEMENT(x);
        ELEMENT(x) = ELEMENT(y);
        ELEMENT(y) = old;
    }
}

__kernel void axpy(long n, long block, scalar alpha, __global const scalar *restrict x_memory, long x_first,
                   __global scalar *restrict y_memory, long y_first)
{
    __global const real *restrict x = (__global const real *)(x_memory + x_first);
    __global real *restrict y = (__global real *)(y_memory + y_first);
    long i = BLOCK_BEGIN;
    const long end = BLOCK_END;
    FOR_EACH_VECTOR store_vector(scale_vector(alpha, load_vector(x + i)) + load_vector(y + i), y + i);
    FOR_THE_REST ELEMENT(y) = scale_and_add(alpha, ELEMENT_READ(x), ELEMENT(y));
}

__kernel void axpby(long n, long block, scalar alpha, scalar beta, __global const scalar *restrict x_memory,
                    long x_first, __global scalar *restrict y_memory, long y_first)
{
    __global const real *restrict x = (__global const real *)(x_memory + x_first);
    __global real *restrict y = (__global real *)(y_memory + y_first);
    long i = BLOCK_BEGIN;
    const long end = BLOCK_END;
    const bool replace = is_zero(beta);
    FOR_EACH_VECTOR {
        vector sum = scale_vector(alpha, load_vector(x + i));
        if (!replace) sum += scale_vector(beta, load_vector(y + i));
        store_vector(sum, y + i);
    }
    FOR_THE_REST ELEMENT(y) = accumulate(scale_by(alpha, ELEMENT_READ(x)), beta, &ELEMENT(y));
}
