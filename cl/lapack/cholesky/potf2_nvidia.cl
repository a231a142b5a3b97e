// potf2 and trtri of an INNER x INNER tile, as in potf2.cl, by the 32 work-items of one warp: each has a column of the
// tile augmented with the identity. The other warps work on the trailing update meanwhile.
#pragma once

#include "lapack/cholesky/tiles.cl"

#define WARP 32
// A warp whose register tiles all lie above the diagonal, so that it has no part in the trailing update.
#define POTF2_WARP 6
#define REPORTING_ITEM (POTF2_WARP * WARP)
#define WORKERS (THREADS - WARP)

typedef int potf2_workspace;

inline bool is_factorising_item(int item)
{
    return item / WARP == POTF2_WARP;
}

// Index among the work-items of the other warps.
inline int worker_index(int item)
{
    return item / WARP > POTF2_WARP ? item - WARP : item;
}

inline uint shuffle_word(uint word, int lane)
{
    uint result;
    __asm__ volatile("shfl.sync.idx.b32 %0, %1, %2, 31, 0xffffffff;" : "=r"(result) : "r"(word), "r"(lane));
    return result;
}

inline real shuffle_real(real x, int lane)
{
#if SCALAR_IS_DOUBLE
    const ulong bits = as_ulong(x);
    const uint low = shuffle_word((uint)bits, lane), high = shuffle_word((uint)(bits >> 32), lane);
    return as_double((ulong)high << 32 | low);
#else
    return as_float(shuffle_word(as_uint(x), lane));
#endif
}

// Makes local memory written by the warp's work-items visible to all of them.
inline void warp_barrier(void)
{
    __asm__ volatile("bar.warp.sync 0xffffffff;" ::: "memory");
}

// True for the warp that factorises tiles. The shuffle from lane 0 tells the compiler that the answer is
// uniform.
inline bool is_potf2_warp(void)
{
    return shuffle_word(get_local_id(0) / WARP, 0) == POTF2_WARP;
}

inline scalar shuffle(scalar x, int lane)
{
#if SCALAR_IS_COMPLEX
    return (scalar)(shuffle_real(x.x, lane), shuffle_real(x.y, lane));
#else
    return shuffle_real(x, lane);
#endif
}

// 1 / x and 1 / sqrt(x) for x in range: Newton steps of third order from 20 bits (double), of second order from 22
// bits (float).
inline real newton_reciprocal(real x)
{
    real estimate;
#if SCALAR_IS_DOUBLE
    __asm__ volatile("rcp.approx.ftz.f64 %0, %1;" : "=d"(estimate) : "d"(x));
    const real error = fma(-x, estimate, 1.0);
    return fma(fma(error, error, error), estimate, estimate);
#else
    __asm__ volatile("rcp.approx.ftz.f32 %0, %1;" : "=f"(estimate) : "f"(x));
    return fma(fma(-x, estimate, 1.0f), estimate, estimate);
#endif
}

inline real newton_rsqrt(real x)
{
    real estimate;
#if SCALAR_IS_DOUBLE
    __asm__ volatile("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(estimate) : "d"(x));
    const real error = fma(-x * estimate, estimate, 1.0);
    return fma(fma(error, 0.375, 0.5), estimate * error, estimate);
#else
    __asm__ volatile("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(estimate) : "f"(x));
    return fma(0.5f * estimate, fma(-x * estimate, estimate, 1.0f), estimate);
#endif
}

// True for a pivot far from overflow and underflow. An off-diagonal element's square is at most
// the product of its two pivots, and does not overflow. No branch: the warp would wait for it.
inline int is_in_range(real pivot)
{
#if SCALAR_IS_DOUBLE
    return (pivot > 0x1p-500) & (pivot < 0x1p500);
#else
    return (pivot > 0x1p-60f) & (pivot < 0x1p60f);
#endif
}

// Rows of a step. Each work-item factorises their diagonal triangle in its own registers, so that no step waits for a
// shuffle.
#if SCALAR_IS_COMPLEX
#define STEP_ROWS 4
#else
#define STEP_ROWS 8
#endif

// potf2 and trtri of `tile` by one warp. With `checked` any pivots are handled. Without, pivots must be in range:
// otherwise `in_range` becomes 0 and `factor_tile` is undefined.
inline __attribute__((always_inline)) pivot_check potf2_trtri_warp(
    __local const scalar (*tile)[INNER], int checked, __local scalar (*factor_tile)[FACTOR_PITCH])
{
    const int lane = get_local_id(0) % WARP, j = lane % INNER;
    pivot_check result = {INNER, 0, 1};
    #pragma unroll 1
    for (int first = 0; first < INNER; first += STEP_ROWS) {
        scalar own[STEP_ROWS], triangle[STEP_ROWS][STEP_ROWS];
        #pragma unroll
        for (int i = 0; i < STEP_ROWS; i++) {
            const scalar element = tile[first + i][j];
            own[i] = lane < INNER ? element : first + i == j ? SCALAR_ONE : SCALAR_ZERO;
        }
        // Subtracts the products of the rows above.
        #pragma unroll 2
        for (int k = 0; k < first; k++) {
            const scalar factor = factor_tile[k][lane];
            #pragma unroll
            for (int i = 0; i < STEP_ROWS; i++)
                own[i] = multiply_add(-conjugate_if(1, factor_tile[k][first + i]), factor, own[i]);
        }
        #pragma unroll
        for (int i = 0; i < STEP_ROWS; i++) factor_tile[first + i][lane] = own[i];
        warp_barrier();
        #pragma unroll
        for (int i = 0; i < STEP_ROWS; i++) {
            #pragma unroll
            for (int k = i; k < STEP_ROWS; k++) triangle[i][k] = factor_tile[first + i][first + k];
        }
        warp_barrier();
        #pragma unroll
        for (int k = 0; k < STEP_ROWS; k++) {
            const real pivot = real_part(triangle[k][k]);
            const real inverse_root = checked ? (pivot > 0 ? 1 / sqrt(pivot) : (real)0) : newton_rsqrt(pivot);
            const real inverse = checked ? (real)1 : newton_reciprocal(pivot);
            const scalar solved = own[k] * inverse_root, eliminated = checked ? solved : own[k];
            // The diagonal is real, whatever the rounding of its imaginary part.
            factor_tile[first + k][lane] =
                lane == first + k ? from_real(checked ? sqrt(pivot) : pivot * inverse_root) : solved;
            if (checked) {
                #pragma unroll
                for (int i = k + 1; i < STEP_ROWS; i++) triangle[k][i] = triangle[k][i] * inverse_root;
            }
            #pragma unroll
            for (int i = k + 1; i < STEP_ROWS; i++) {
                const scalar factor = -conjugate_if(1, triangle[k][i]) * inverse;
                #pragma unroll
                for (int m = i; m < STEP_ROWS; m++)
                    triangle[i][m] = multiply_add(factor, triangle[k][m], triangle[i][m]);
                own[i] = multiply_add(factor, eliminated, own[i]);
            }
            result.in_range &= is_in_range(pivot);
            if (checked) {
                const int is_failure = (result.index == INNER) & !(pivot > 0);
                result.index = is_failure ? first + k : result.index;
                result.value = is_failure ? pivot : result.value;
            }
        }
        warp_barrier();
    }
    return result;
}

inline pivot_check potf2_trtri(__local const scalar (*tile)[INNER], __local scalar (*factor_tile)[FACTOR_PITCH],
                               __local potf2_workspace *workspace)
{
    pivot_check result = {INNER, 0, 1};
    if (!is_potf2_warp()) return result;
    warp_barrier();
    result = potf2_trtri_warp(tile, 0, factor_tile);
    // The shuffle from lane 0 tells the compiler that the answer is uniform.
    if (shuffle_word(result.in_range, 0) != 0) return result;
    result = potf2_trtri_warp(tile, 1, factor_tile);
    result.in_range = 0;
    return result;
}
