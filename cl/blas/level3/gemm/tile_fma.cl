// How a work-group multiplies two slices: with multiply-adds. A work-item has WORK_M x WORK_N elements of the tile.
//
// An arithmetic (this file, or another in its place) defines: tile_sums, a work-item's sums, RESULTS of them, with
// result_row, result_column and result_value; clear_sums; multiply_slices; PITCH_PADDING, the elements by which a row of
// a slice in local memory is longer than the tile, so that no two work-items wait for the same bank.

#define WORK_M (TILE_M / THREADS_M)
#define WORK_N (TILE_N / THREADS_N)

// A chunk is 16 bytes of scalars: what one work-item reads from local memory at a time.
#if SCALAR_IS_DOUBLE
#define CHUNK (SCALAR_IS_COMPLEX ? 1 : 2)
typedef double2 chunk;
#else
#define CHUNK (SCALAR_IS_COMPLEX ? 2 : 4)
typedef float4 chunk;
#endif

#define PITCH_PADDING CHUNK
#define PITCH_A (TILE_M + PITCH_PADDING)
#define PITCH_B (TILE_N + PITCH_PADDING)

// Where in the tile the work-item's i-th row lies: chunks of neighbouring work-items are neighbours.
#define tile_row(item, i) (((i) / CHUNK) * THREADS_M * CHUNK + (item) * CHUNK + (i) % CHUNK)
#define tile_column(item, j) (((j) / CHUNK) * THREADS_N * CHUNK + (item) * CHUNK + (j) % CHUNK)

inline void load_chunk(__local const scalar *from, scalar *to)
{
    const chunk value = *(__local const chunk *)from;
#if SCALAR_IS_COMPLEX && SCALAR_IS_DOUBLE
    to[0] = value;
#elif SCALAR_IS_COMPLEX
    to[0] = value.lo;
    to[1] = value.hi;
#elif SCALAR_IS_DOUBLE
    to[0] = value.x;
    to[1] = value.y;
#else
    to[0] = value.x;
    to[1] = value.y;
    to[2] = value.z;
    to[3] = value.w;
#endif
}

typedef struct {
    scalar value[WORK_M][WORK_N];
} tile_sums;

inline void clear_sums(tile_sums *sums)
{
    #pragma unroll
    for (int i = 0; i < WORK_M; i++)
        #pragma unroll
        for (int j = 0; j < WORK_N; j++) sums->value[i][j] = SCALAR_ZERO;
}

inline void multiply_slices(__local const scalar *a, __local const scalar *b, int item, tile_sums *sums)
{
    const int item_m = item % THREADS_M, item_n = item / THREADS_M;
    #pragma unroll
    for (int p = 0; p < TILE_K; p++) {
        scalar a_value[WORK_M], b_value[WORK_N];
        #pragma unroll
        for (int i = 0; i < WORK_M; i += CHUNK) load_chunk(a + p * PITCH_A + tile_row(item_m, i), a_value + i);
        #pragma unroll
        for (int j = 0; j < WORK_N; j += CHUNK) load_chunk(b + p * PITCH_B + tile_column(item_n, j), b_value + j);
        #pragma unroll
        for (int i = 0; i < WORK_M; i++)
            #pragma unroll
            for (int j = 0; j < WORK_N; j++)
                sums->value[i][j] = multiply_add(a_value[i], b_value[j], sums->value[i][j]);
    }
}

#define RESULTS (WORK_M * WORK_N)
#define result_row(item, r) tile_row((item) % THREADS_M, (r) % WORK_M)
#define result_column(item, r) tile_column((item) / THREADS_M, (r) / WORK_M)
#define result_value(sums, r) (sums).value[(r) % WORK_M][(r) / WORK_M]

