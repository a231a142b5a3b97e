// As inner.cl, by the 32 work-items of one warp, which tell each other numbers by instructions: each has a column of the matrix or
// of the identity beside it.
// Parameter: INNER (16).

#define WARP 32

typedef int inner_room;

inline uint word_of_lane(uint word, int lane)
{
    uint result;
    __asm__ volatile("shfl.sync.idx.b32 %0, %1, %2, 31, 0xffffffff;" : "=r"(result) : "r"(word), "r"(lane));
    return result;
}

inline real real_of_lane(real x, int lane)
{
#if SCALAR_IS_DOUBLE
    const ulong bits = as_ulong(x);
    const uint low = word_of_lane((uint)bits, lane), high = word_of_lane((uint)(bits >> 32), lane);
    return as_double((ulong)high << 32 | low);
#else
    return as_float(word_of_lane(as_uint(x), lane));
#endif
}

inline scalar of_lane(scalar x, int lane)
{
#if SCALAR_IS_COMPLEX
    return (scalar)(real_of_lane(x.x, lane), real_of_lane(x.y, lane));
#else
    return real_of_lane(x, lane);
#endif
}

// 1 / x and 1 / sqrt(x) of an ordinary number, from an estimate of 20 bits in a step of third order, or of 22 bits and second order.
inline real refined_reciprocal(real x)
{
    real guess;
#if SCALAR_IS_DOUBLE
    __asm__ volatile("rcp.approx.ftz.f64 %0, %1;" : "=d"(guess) : "d"(x));
    const real error = fma(-x, guess, 1.0);
    return fma(fma(error, error, error), guess, guess);
#else
    __asm__ volatile("rcp.approx.ftz.f32 %0, %1;" : "=f"(guess) : "f"(x));
    return fma(fma(-x, guess, 1.0f), guess, guess);
#endif
}

inline real refined_root(real x)
{
    real guess;
#if SCALAR_IS_DOUBLE
    __asm__ volatile("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(guess) : "d"(x));
    const real error = fma(-x * guess, guess, 1.0);
    return fma(fma(error, 0.375, 0.5), guess * error, guess);
#else
    __asm__ volatile("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(guess) : "f"(x));
    return fma(0.5f * guess, fma(-x * guess, guess, 1.0f), guess);
#endif
}

// Positive, and neither very large nor very small: then nothing that matters is lost in the square of what is beside two such pivots, which
// is no more than their product. Without a branch, before which a warp would have to wait for all of itself.
inline int is_ordinary(real pivot)
{
#if SCALAR_IS_DOUBLE
    return (pivot > 0x1p-500) & (pivot < 0x1p500);
#else
    return (pivot > 0x1p-60f) & (pivot < 0x1p60f);
#endif
}

// What a work-item of the warp knows of the elimination.
typedef struct {
    // Its column from the next pivot's row on.
    scalar x[INNER];
    real pivot;
    int all_ordinary;
    bad_pivot bad;
} elimination;

// Eliminates with the pivots from `begin` to `end`, for `rows` more rows at most: with any pivots, or with ordinary ones. The rows
// move up, so that one code does for all pivots; and each pivot is computed by all work-items, so that the next one needs not wait
// for a number of another work-item, nor for a root.
inline __attribute__((always_inline)) void eliminate(
    elimination *e, int begin, int end, int rows, int any, __local scalar (*found)[2 * INNER + 1])
{
    const int lane = get_local_id(0) % WARP;
    #pragma unroll 1
    for (int k = begin; k < end; k++) {
        const scalar own = e->x[0];
        const real pivot = e->pivot, next = real_of_lane(real_part(e->x[1]), k + 1);
        scalar beside[INNER];
        #pragma unroll
        for (int i = 1; i < INNER; i++)
            if (i <= rows) beside[i] = of_lane(own, k + i);
        const real inverse_root = any ? (pivot > 0 ? 1 / sqrt(pivot) : (real)0) : refined_root(pivot);
        const scalar done = own * inverse_root;
        scalar factor;
        if (any) {
            const scalar in_next = beside[1] * inverse_root;
            factor = done * inverse_root;
            e->pivot = real_part(multiply_add(-conjugate_if(1, in_next), in_next, from_real(next)));
        } else {
            const real inverse = refined_reciprocal(pivot);
            factor = own * inverse;
            const real square = real_part(multiply_add(conjugate_if(1, beside[1]), beside[1], SCALAR_ZERO));
            e->pivot = real_multiply_add(-square, inverse, next);
        }
        #pragma unroll
        for (int i = 1; i < INNER; i++)
            if (i <= rows) e->x[i - 1] = multiply_add(-conjugate_if(1, beside[i]), factor, e->x[i]);
        // The diagonal is real, whatever the rounding of its imaginary part was.
        found[k][lane] = lane == k ? from_real(any ? sqrt(pivot) : pivot * inverse_root) : done;
        e->all_ordinary &= is_ordinary(pivot);
        if (any) {
            const int is_bad = (e->bad.number == INNER) & !(pivot > 0);
            e->bad.number = is_bad ? k : e->bad.number;
            e->bad.value = is_bad ? pivot : e->bad.value;
        }
    }
}

inline __attribute__((always_inline)) void eliminate_all(
    elimination *e, __local const scalar (*adjoint)[PITCH], int first, int any, __local scalar (*found)[2 * INNER + 1])
{
    const int lane = get_local_id(0) % WARP, j = lane % INNER;
    e->all_ordinary = 1;
    #pragma unroll
    for (int i = 0; i < INNER; i++) {
        const scalar element = adjoint[i][first + j];
        e->x[i] = lane < INNER ? element : i == j ? SCALAR_ONE : SCALAR_ZERO;
    }
    e->pivot = real_of_lane(real_part(e->x[0]), 0);
    eliminate(e, 0, INNER / 2, INNER - 1, any, found);
    eliminate(e, INNER / 2, INNER, INNER / 2 - 1, any, found);
}

inline bad_pivot factor_inner(
    __local const scalar (*adjoint)[PITCH], int first, __local scalar (*found)[2 * INNER + 1], __local inner_room *room)
{
    elimination e;
    e.bad.number = INNER;
    e.bad.value = 0;
    // Told by one work-item, so that the compiler knows it to be the same for all of the warp.
    if (word_of_lane(get_local_id(0) / WARP, 0) != 0) return e.bad;
    eliminate_all(&e, adjoint, first, 0, found);
    if (word_of_lane(e.all_ordinary, 0) == 0) eliminate_all(&e, adjoint, first, 1, found);
    return e.bad;
}
