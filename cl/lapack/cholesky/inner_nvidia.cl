// As inner.cl, by the 32 work-items of one warp, which tell each other numbers by instructions: each has a column of the matrix or
// of the identity beside it.
// Parameter: INNER (16).

#define WARP 32

typedef int inner_room;

typedef struct {
    int number;
    real value;
} bad_pivot;

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

// 1 / sqrt(x) of a number that is neither large nor small.
inline real refined_root(real x)
{
    real y;
#if SCALAR_IS_DOUBLE
    // The estimate has some 20 bits, and a step of third order makes 60 of them.
    __asm__("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(x));
    const real error = fma(-x * y, y, 1.0);
    return fma(fma(error, 0.375, 0.5), y * error, y);
#else
    __asm__("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return fma(0.5f * y, fma(-x * y, y, 1.0f), y);
#endif
}

// 1 / sqrt(pivot); 0 where it is not positive, so that nothing comes of it, and where it is infinite.
inline real inverse_root(real pivot)
{
#if SCALAR_IS_DOUBLE
    const real smallest = 0x1p-1022, raise = 0x1p600, raise_root = 0x1p300;
#else
    const real smallest = 0x1p-126f, raise = 0x1p100f, raise_root = 0x1p50f;
#endif
    const real common = refined_root(pivot), of_small = refined_root(pivot * raise) * raise_root;
    const real other = pivot > 0 && pivot < smallest ? of_small : (real)0;
    return pivot >= smallest && pivot < (real)INFINITY ? common : other;
}

inline bad_pivot factor_inner(
    __local const scalar (*adjoint)[PITCH], int first, int count, __local scalar (*inverse)[INNER + 1], matrix l,
    __local inner_room *room)
{
    const int lane = get_local_id(0) % WARP, j = lane % INNER;
    bad_pivot bad = {INNER, 0};
    // Told by one work-item, so that the compiler knows it to be the same for all of the warp.
    if (word_of_lane(get_local_id(0) / WARP, 0) != 0) return bad;
    const bool is_own = lane < INNER;
    scalar x[INNER];
    #pragma unroll
    for (int i = 0; i < INNER; i++) {
        const scalar element = adjoint[i][first + j];
        x[i] = is_own ? element : i == j ? SCALAR_ONE : SCALAR_ZERO;
    }
    real own_pivot = 0;
    #pragma unroll
    for (int k = 0; k < INNER; k++) {
        const real pivot = real_of_lane(real_part(x[k]), k);
        const real root = inverse_root(pivot);
        const scalar own = x[k] * root;
        #pragma unroll
        for (int i = 0; i < INNER; i++) {
            if (i > k) {
                const scalar factor = of_lane(x[k], i) * root;
                x[i] = multiply_add(-conjugate_if(1, factor), own, x[i]);
            }
        }
        x[k] = own;
        own_pivot = lane == k ? pivot : own_pivot;
        const bool is_bad = k < count && bad.number == INNER && !(pivot > 0);
        bad.number = is_bad ? k : bad.number;
        bad.value = is_bad ? pivot : bad.value;
    }
    const bool is_right = count > 0 && bad.number == INNER;
    if (!is_own) {
        #pragma unroll
        for (int i = 0; i < INNER; i++) inverse[i][j] = is_right ? x[i] : SCALAR_ZERO;
    } else if (j < count) {
        #pragma unroll
        for (int k = 0; k < INNER; k++)
            if (k < j && k < bad.number) *at(l, j, k) = conjugate_if(1, x[k]);
        if (j <= bad.number) *at(l, j, j) = from_real(j == bad.number ? own_pivot : sqrt(own_pivot));
    }
    return bad;
}
