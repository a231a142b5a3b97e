// How groups of four warps multiply slices of floats: A goes from slices to registers and is split there, each element once; B is split
// from slices to local memory, the next slice while one is multiplied, each element once for the work-group.
//
// A warp has FRAGMENTS_M fragments of 16 rows, which the four warps of a group multiply together as fragments of 64. The rows and columns of a
// fragment are those of tensor_slice.cl, and so are the depths: work-item t of a row's four has 4*t + e, of which e = 0 and 1 are the first
// 8 that are multiplied, and e = 2 and 3 the second.

// The words of a part of a slice of B: the high halves, or the low ones.
#define B_PART (TILE_N * TILE_K)
#define B_PARTS (SPLIT ? 2 : 1)
// Two slices of B.
#define PRODUCT_ROOM __local uint b_room[2][B_PARTS * B_PART] __attribute__((aligned(128)));

// Splits a slice of B: each warp 32 columns at a time, each work-item 4 x 4 elements.
inline void split_slice(__local const chunk *b, __local uint *to, int item)
{
    const int g = place_g(item), t = place_t(item);
    UNROLL
    for (int first = 0; first < TILE_N; first += THREADS) {
        const int column = first + item / 32 * 32;
        if (TILE_N % THREADS == 0 || column < TILE_N)
            UNROLL
            for (int plane = 0; plane < PLANES; plane++) {
                __local uint *at = to + (plane * 4 * BLOCKS_N + column / 8) * 32 + item % 32;
                UNROLL
                for (int q = 0; q < CHUNK; q++) {
                    scalar elements[CHUNK];
                    unpack(b[B_ALONG_N ? place_across(TILE_N, plane * PLANE_DEPTH + CHUNK * t + q, column / CHUNK + g)
                                       : place_along(TILE_N, column + row_of(q, g), plane * 4 + t)], elements, 1);
                    UNROLL
                    for (int i = 0; i < CHUNK; i++) {
                        // The element's block along N, and its depth.
                        const int block = B_ALONG_N ? i : q, e = B_ALONG_N ? q : i;
                        const halves both = split(elements[i]);
                        at[(e * BLOCKS_N + block) * 32] = both.high;
                        if (SPLIT) at[(e * BLOCKS_N + block) * 32 + B_PART] = both.low;
                    }
                }
            }
    }
}

// A work-item's rows g and g + 8 of the i-th fragment, at its depths of a plane.
inline void load_fragment(__local const chunk *a, int plane, const int i, int item, scalar (*rows)[CHUNK])
{
    const int g = place_g(item), t = place_t(item), q = 2 * i;
    UNROLL
    for (int e = 0; e < CHUNK; e++) {
        if (A_ALONG_M) {
            const chunk x = a[place_across(TILE_M, plane * PLANE_DEPTH + CHUNK * t + e, warp_row(item) / CHUNK + q / CHUNK * 8 + g)];
            rows[0][e] = q % CHUNK ? x.z : x.x;
            rows[1][e] = q % CHUNK ? x.w : x.y;
        } else if (e < 2) {
            unpack(a[place_along(TILE_M, warp_row(item) + row_of(q + e, g), plane * 4 + t)], rows[e], 1);
        }
    }
}

// Begins the products of the i-th fragment of A and a slice of B in a plane of the depth. Halves' sums begin anew: the tensor cores
// truncate them, so that they are added up in floats.
inline void begin_products(__local const chunk *a, __local const uint *b, int plane, const int i, int item, __local real *room,
                           float (*sum)[4])
{
    scalar rows[2][CHUNK];
    load_fragment(a, plane, i, item, rows);
    uint high[2][4], low[2][4];
    UNROLL
    for (int step = 0; step < 2; step++)
        UNROLL
        for (int s = 0; s < 4; s++) {
            const halves both = split(rows[s % 2][2 * step + s / 2]);
            high[step][s] = both.high;
            low[step][s] = both.low;
        }
    b += plane * 4 * BLOCKS_N * 32;
    begin_group();
#if SPLIT
    // The small products first.
    multiply_group(sum, low[0], b, 1, item, room);
    multiply_group(sum, high[0], b + B_PART, 0, item, room);
    multiply_group(sum, high[0], b, 0, item, room);
    b += 2 * BLOCKS_N * 32;
    multiply_group(sum, low[1], b, 0, item, room);
    multiply_group(sum, high[1], b + B_PART, 0, item, room);
    multiply_group(sum, high[1], b, 0, item, room);
#else
    multiply_group(sum, high[0], b, 0, item, room);
    multiply_group(sum, high[1], b + 2 * BLOCKS_N * 32, 0, item, room);
#endif
    commit_group();
}

inline void add_fragment(float (*sum)[4], float (*to)[PARTS][4])
{
    UNROLL
    for (int j = 0; j < FRAGMENTS_N; j++)
        UNROLL
        for (int r = 0; r < 4; r++) to[j][0][r] += sum[j][r];
}

#if SPLIT
#define SUM_IN float sum[FRAGMENTS_N][4];
#define SUM_OF(i) sum
#define ADD_SUM(i) add_fragment(sum, sums.value[i]);
#else
#define SUM_IN
#define SUM_OF(i) ((float (*)[4])sums.value[i])
#define ADD_SUM(i)
#endif

// Fragments of A that are multiplied one behind the other.
#define TURNS (PLANES * FRAGMENTS_M)

// Sums all slices. While one is multiplied, the next one's B is split, and one more begins to be copied to where the one before was.
#define SUM_PRODUCTS                                                                                                      \
    {                                                                                                                     \
        int stage = 0, before = STAGES - 1, parity = 0;                                                                   \
        BEGIN_COPIES                                                                                                      \
        clear_sums(&sums);                                                                                                \
        UNROLL for (int first = 0; first < STAGES - 1; first++) { COPY_NEXT((long)first * TILE_K, first) }                \
        wait_for_copies(STAGES - 3);                                                                                      \
        barrier(CLK_LOCAL_MEM_FENCE);                                                                                     \
        split_slice(b_slice[0], b_room[0], item);                                                                         \
        publish_to_groups();                                                                                              \
        barrier(CLK_LOCAL_MEM_FENCE);                                                                                     \
        for (long at = 0; at < depth; at += TILE_K) {                                                                     \
            const int behind = stage + 1 == STAGES ? 0 : stage + 1;                                                       \
            SUM_IN                                                                                                        \
            UNROLL for (int turn = 0; turn < TURNS; turn++) {                                                             \
                const int plane = turn / FRAGMENTS_M, i = turn % FRAGMENTS_M;                                             \
                begin_products(a_slice[stage], b_room[parity] + warp_column(item) / 8 * 32, plane, i, item, instruction_room, \
                               SUM_OF(i));                                                                                \
                if (turn == 0) { COPY_NEXT(at + (STAGES - 1) * TILE_K, before) }                                          \
                if (turn == TURNS - 1) split_slice(b_slice[behind], b_room[parity ^ 1], item);                              \
                wait_for_group(SUM_OF(i));                                                                                \
                ADD_SUM(i)                                                                                                \
            }                                                                                                             \
            wait_for_copies(STAGES - 3);                                                                                  \
            publish_to_groups();                                                                                          \
            barrier(CLK_LOCAL_MEM_FENCE);                                                                                 \
            before = stage;                                                                                               \
            stage = behind;                                                                                               \
            parity ^= 1;                                                                                                  \
        }                                                                                                                 \
    }
