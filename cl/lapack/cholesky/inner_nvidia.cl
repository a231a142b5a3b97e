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

// Numbers made from a pivot: 1 / pivot, 1 / sqrt(pivot) and sqrt(pivot).
typedef struct {
    real inverse, inverse_root, root;
    // Whether the pivot is positive and neither very large nor very small. Otherwise the inverse is not to be used.
    bool is_ordinary;
} pivot_numbers;

inline pivot_numbers numbers_of(real pivot)
{
    pivot_numbers n;
    real guess, inverse_guess;
    // Estimates of some 20 bits, from which a step of third order makes 60; or of 22 and of second order.
#if SCALAR_IS_DOUBLE
    n.is_ordinary = pivot > 0x1p-1000 && pivot < 0x1p1000;
    __asm__("rcp.approx.ftz.f64 %0, %1;" : "=d"(inverse_guess) : "d"(pivot));
    __asm__("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(guess) : "d"(pivot));
    const real error = fma(-pivot, inverse_guess, 1.0), root_error = fma(-pivot * guess, guess, 1.0);
    n.inverse = fma(inverse_guess, fma(error, error, error), inverse_guess);
    n.inverse_root = fma(fma(root_error, 0.375, 0.5), guess * root_error, guess);
#else
    n.is_ordinary = pivot > 0x1p-120f && pivot < 0x1p120f;
    __asm__("rcp.approx.ftz.f32 %0, %1;" : "=f"(inverse_guess) : "f"(pivot));
    __asm__("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(guess) : "f"(pivot));
    n.inverse = fma(inverse_guess, fma(-pivot, inverse_guess, 1.0f), inverse_guess);
    n.inverse_root = fma(guess / 2, fma(-pivot * guess, guess, 1.0f), guess);
#endif
    const real near = pivot * n.inverse_root;
    n.root = fma(n.inverse_root / 2, fma(-near, near, pivot), near);
    return n;
}

// The same for pivots that are not ordinary.
inline pivot_numbers other_numbers_of(real pivot)
{
    pivot_numbers n = {0, 0, sqrt(pivot), false};
    if (pivot > 0) n.inverse_root = 1 / n.root;
    return n;
}

// x / pivot. Nothing comes of a pivot that is not positive.
inline scalar divided(scalar x, pivot_numbers n)
{
    const scalar common = x * n.inverse, other = x * n.inverse_root * n.inverse_root;
    return n.is_ordinary ? common : other;
}

// What a work-item of the warp knows of the elimination.
typedef struct {
    // Its column from the next pivot's row on.
    scalar x[INNER];
    real pivot;
    bad_pivot bad;
} elimination;

// Eliminates with the pivots from `begin` to `end`, for `rows` more rows at most. The rows move up, so that one code does for all
// pivots; and each pivot is computed by all work-items, so that the next one needs not wait for a number of another work-item.
inline __attribute__((always_inline)) void eliminate(
    elimination *e, int begin, int end, int rows, int count, __local scalar (*inverse)[INNER + 1], matrix l)
{
    const int lane = get_local_id(0) % WARP, j = lane % INNER;
    #pragma unroll 1
    for (int k = begin; k < end; k++) {
        const scalar own = e->x[0];
        const real pivot = e->pivot, next = real_of_lane(real_part(e->x[1]), k + 1);
        pivot_numbers numbers = numbers_of(pivot);
        scalar beside[INNER];
        #pragma unroll
        for (int i = 1; i < INNER; i++)
            if (i <= rows) beside[i] = of_lane(own, k + i);
        if (!numbers.is_ordinary) numbers = other_numbers_of(pivot);
        const scalar factor = divided(own, numbers), done = own * numbers.inverse_root;
        e->pivot = real_part(multiply_add(-conjugate_if(1, beside[1]), divided(beside[1], numbers), from_real(next)));
        #pragma unroll
        for (int i = 1; i < INNER; i++)
            if (i <= rows) e->x[i - 1] = multiply_add(-conjugate_if(1, beside[i]), factor, e->x[i]);
        if (k < count && e->bad.number == INNER && !(pivot > 0)) {
            e->bad.number = k;
            e->bad.value = pivot;
        }
        if (lane >= INNER) inverse[k][j] = done;
        else if (j < count && j > k && k < e->bad.number) *at(l, j, k) = conjugate_if(1, done);
        else if (j < count && j == k && k <= e->bad.number)
            *at(l, j, k) = from_real(k == e->bad.number ? pivot : numbers.root);
    }
}

inline bad_pivot factor_inner(
    __local const scalar (*adjoint)[PITCH], int first, int count, __local scalar (*inverse)[INNER + 1], matrix l,
    __local inner_room *room)
{
    const int lane = get_local_id(0) % WARP, j = lane % INNER;
    elimination e = {{SCALAR_ZERO}, 0, {INNER, 0}};
    // Told by one work-item, so that the compiler knows it to be the same for all of the warp.
    if (word_of_lane(get_local_id(0) / WARP, 0) != 0) return e.bad;
    #pragma unroll
    for (int i = 0; i < INNER; i++) {
        const scalar element = adjoint[i][first + j];
        e.x[i] = lane < INNER ? element : i == j ? SCALAR_ONE : SCALAR_ZERO;
    }
    e.pivot = real_of_lane(real_part(e.x[0]), 0);
    eliminate(&e, 0, INNER / 2, INNER - 1, count, inverse, l);
    eliminate(&e, INNER / 2, INNER, INNER / 2 - 1, count, inverse, l);
    if (lane >= INNER && (count == 0 || e.bad.number < INNER)) {
        #pragma unroll
        for (int i = 0; i < INNER; i++) inverse[i][j] = SCALAR_ZERO;
    }
    return e.bad;
}
