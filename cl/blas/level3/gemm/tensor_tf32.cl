// How a warp multiplies two slices of floats, as tensor_halves.cl has them. The tensor cores truncate their sums: those of a plane's
// depth are made there, the rest in floats.

// Products need no local memory of their own.
#define PRODUCT_ROOM

#define STEPS (CHUNK / 2)
#define NEGATIVE 0x80000000u

// One of the products, of all fragments in turn, so that none waits for the one before.
#define TIMES(part, a, b, b_part) \
    UNROLL for (int j = 0; j < FRAGMENTS_N; j++) multiply_fragments(sum[j][part], a, b[j][b_part] + 2 * step, item, room);
#if SPLIT
#define TIMES_SMALL(part, a_high, a_low, b_part) TIMES(part, a_low, b_high, b_part) TIMES(part, a_high, b_low, b_part)
#else
#define TIMES_SMALL(part, a_high, a_low, b_part)
#endif

inline void multiply_slices(__local const chunk *a, __local const chunk *b, int a_conjugate, int b_conjugate, int item,
                            __local real *room, tile_sums *sums)
{
    const int g = place_g(item), t = place_t(item);
    UNROLL
    for (int plane = 0; plane < PLANES; plane++) {
        uint b_high[FRAGMENTS_N][PARTS][CHUNK], b_low[FRAGMENTS_N][PARTS][CHUNK];
        UNROLL
        for (int j = 0; j < FRAGMENTS_N; j += CHUNK) {
            scalar rows[CHUNK * CHUNK];
            load_rows(TILE_N, B_ALONG_N, b, plane, warp_column(item), j, g, t, rows);
            UNROLL
            for (int r = 0; r < CHUNK; r++)
                UNROLL
                for (int e = 0; e < CHUNK; e++)
                    UNROLL
                    for (int part = 0; part < PARTS; part++) {
                        const halves both = split(part_of(rows[r * CHUNK + e], part, b_conjugate));
                        b_high[j + r][part][e] = both.high;
                        b_low[j + r][part][e] = both.low;
                    }
        }
        UNROLL
        for (int i = 0; i < FRAGMENTS_M; i += CHUNK / 2) {
            scalar rows[CHUNK * CHUNK];
            load_rows(TILE_M, A_ALONG_M, a, plane, warp_row(item), 2 * i, g, t, rows);
            UNROLL
            for (int f = 0; f < CHUNK / 2; f++) {
                float sum[FRAGMENTS_N][PARTS][4];
                UNROLL
                for (int j = 0; j < FRAGMENTS_N; j++)
                    UNROLL
                    for (int part = 0; part < PARTS; part++)
                        UNROLL
                        for (int r = 0; r < 4; r++) sum[j][part][r] = 0;
                UNROLL
                for (int step = 0; step < STEPS; step++) {
                    // In the order of a fragment: both rows at the first depth, then both at the second.
                    uint high[PARTS][4], low[PARTS][4];
                    UNROLL
                    for (int s = 0; s < 4; s++)
                        UNROLL
                        for (int part = 0; part < PARTS; part++) {
                            const scalar value = rows[(2 * f + s % 2) * CHUNK + 2 * step + s / 2];
                            const halves both = split(part_of(value, part, a_conjugate));
                            high[part][s] = both.high;
                            low[part][s] = both.low;
                        }
                    // The small products first.
                    TIMES_SMALL(0, high[0], low[0], 0)
#if SCALAR_IS_COMPLEX
                    uint negative_high[4], negative_low[4];
                    UNROLL
                    for (int s = 0; s < 4; s++) {
                        negative_high[s] = high[1][s] ^ NEGATIVE;
                        negative_low[s] = low[1][s] ^ NEGATIVE;
                    }
                    TIMES_SMALL(1, high[0], low[0], 1)
                    TIMES_SMALL(0, negative_high, negative_low, 1)
                    TIMES_SMALL(1, high[1], low[1], 0)
                    TIMES(0, negative_high, b_high, 1)
                    TIMES(1, high[1], b_high, 0)
                    TIMES(1, high[0], b_high, 1)
#endif
                    TIMES(0, high[0], b_high, 0)
                }
                UNROLL
                for (int j = 0; j < FRAGMENTS_N; j++)
                    UNROLL
                    for (int part = 0; part < PARTS; part++)
                        UNROLL
                        for (int r = 0; r < 4; r++) sums->value[i + f][j][part][r] += sum[j][part][r];
            }
        }
    }
}

// Sums all slices.
#define SUM_PRODUCTS SUM_SLICES(MULTIPLY_SLICES)
