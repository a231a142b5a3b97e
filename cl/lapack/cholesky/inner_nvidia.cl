// As inner.cl, by the 32 work-items of one warp, while others do something else: each has a column of the matrix or of the identity
// beside it.

#define WARP 32
// One whose elements of a block are all above the diagonal, so that it has nothing else to do.
#define INNER_WARP 6
#define TELLING_ITEM (INNER_WARP * WARP)
#define FREE_ITEMS (THREADS - WARP)

typedef int inner_room;

inline bool is_busy_with_inner(int item)
{
    return item / WARP == INNER_WARP;
}

// Of the others.
inline int free_number(int item)
{
    return item / WARP > INNER_WARP ? item - WARP : item;
}

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

// What the warp's work-items wrote to local memory is there for all of them.
inline void wait_for_warp(void)
{
    __asm__ volatile("bar.warp.sync 0xffffffff;" ::: "memory");
}

// Whether this is the warp that finds factors: told by one work-item, so that the compiler knows it to be the same for all of a warp.
inline bool is_inner_warp(void)
{
    return word_of_lane(get_local_id(0) / WARP, 0) == INNER_WARP;
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

// Rows at a time. Their triangle on the diagonal is in registers, and factorised, by every work-item of the warp, so that none waits for
// a number of another one's before the triangle is done.
#if SCALAR_IS_COMPLEX
#define PIVOTS 4
#else
#define PIVOTS 8
#endif

// Finds the factor and the inverse of the matrix in `corner`, with any pivots, or with ordinary ones: otherwise the result says that not
// all are, and `found` is of no use. A work-item has a column of the matrix or of the identity beside it.
inline __attribute__((always_inline)) pivots eliminate(
    __local const scalar (*corner)[INNER], int any, __local scalar (*found)[FOUND])
{
    const int lane = get_local_id(0) % WARP, j = lane % INNER;
    pivots result = {INNER, 0, 1};
    #pragma unroll 1
    for (int first = 0; first < INNER; first += PIVOTS) {
        scalar own[PIVOTS], triangle[PIVOTS][PIVOTS];
        #pragma unroll
        for (int i = 0; i < PIVOTS; i++) {
            const scalar element = corner[first + i][j];
            own[i] = lane < INNER ? element : first + i == j ? SCALAR_ONE : SCALAR_ZERO;
        }
        // What the rows before leave.
        #pragma unroll 2
        for (int k = 0; k < first; k++) {
            const scalar factor = found[k][lane];
            #pragma unroll
            for (int i = 0; i < PIVOTS; i++) own[i] = multiply_add(-conjugate_if(1, found[k][first + i]), factor, own[i]);
        }
        #pragma unroll
        for (int i = 0; i < PIVOTS; i++) found[first + i][lane] = own[i];
        wait_for_warp();
        #pragma unroll
        for (int i = 0; i < PIVOTS; i++) {
            #pragma unroll
            for (int k = i; k < PIVOTS; k++) triangle[i][k] = found[first + i][first + k];
        }
        wait_for_warp();
        #pragma unroll
        for (int k = 0; k < PIVOTS; k++) {
            const real pivot = real_part(triangle[k][k]);
            const real inverse_root = any ? (pivot > 0 ? 1 / sqrt(pivot) : (real)0) : refined_root(pivot);
            const real inverse = any ? (real)1 : refined_reciprocal(pivot);
            const scalar done = own[k] * inverse_root, eliminated = any ? done : own[k];
            // The diagonal is real, whatever the rounding of its imaginary part was.
            found[first + k][lane] = lane == first + k ? from_real(any ? sqrt(pivot) : pivot * inverse_root) : done;
            if (any) {
                #pragma unroll
                for (int i = k + 1; i < PIVOTS; i++) triangle[k][i] = triangle[k][i] * inverse_root;
            }
            #pragma unroll
            for (int i = k + 1; i < PIVOTS; i++) {
                const scalar factor = -conjugate_if(1, triangle[k][i]) * inverse;
                #pragma unroll
                for (int m = i; m < PIVOTS; m++) triangle[i][m] = multiply_add(factor, triangle[k][m], triangle[i][m]);
                own[i] = multiply_add(factor, eliminated, own[i]);
            }
            result.are_ordinary &= is_ordinary(pivot);
            if (any) {
                const int is_bad = (result.number == INNER) & !(pivot > 0);
                result.number = is_bad ? first + k : result.number;
                result.value = is_bad ? pivot : result.value;
            }
        }
        wait_for_warp();
    }
    return result;
}

inline pivots factor_inner(__local const scalar (*corner)[INNER], __local scalar (*found)[FOUND], __local inner_room *room)
{
    pivots result = {INNER, 0, 1};
    if (!is_inner_warp()) return result;
    wait_for_warp();
    result = eliminate(corner, 0, found);
    // Told by one work-item, so that the compiler knows it to be the same for all of the warp.
    if (word_of_lane(result.are_ordinary, 0) != 0) return result;
    result = eliminate(corner, 1, found);
    result.are_ordinary = 0;
    return result;
}
