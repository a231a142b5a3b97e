// How a warp multiplies two slices in double precision, in which the tensor cores round as fma does.

// Products need no local memory of their own.
#define PRODUCT_ROOM

inline void multiply_slices(__local const chunk *a, __local const chunk *b, int a_conjugate, int b_conjugate, int item,
                            __local real *room, tile_sums *sums)
{
    const int g = place_g(item), t = place_t(item);
    UNROLL
    for (int plane = 0; plane < PLANES; plane++) {
        double b_value[FRAGMENTS_N][PARTS][CHUNK];
        UNROLL
        for (int j = 0; j < FRAGMENTS_N; j += CHUNK) {
            scalar rows[CHUNK * CHUNK];
            load_rows(TILE_N, B_ALONG_N, b, plane, warp_column(item), j, g, t, rows);
            UNROLL
            for (int r = 0; r < CHUNK; r++)
                UNROLL
                for (int e = 0; e < CHUNK; e++)
                    UNROLL
                    for (int part = 0; part < PARTS; part++)
                        b_value[j + r][part][e] = part_of(rows[r * CHUNK + e], part, b_conjugate);
        }
        UNROLL
        for (int i = 0; i < FRAGMENTS_M; i++) {
            scalar rows[2 * CHUNK];
            UNROLL
            for (int q = 0; q < 2; q += CHUNK)
                load_rows(TILE_M, A_ALONG_M, a, plane, warp_row(item), 2 * i + q, g, t, rows + q * CHUNK);
            // In the order of a fragment: both rows at the first depth, then both at the second.
            double a_value[PARTS][2 * CHUNK];
            UNROLL
            for (int s = 0; s < 2 * CHUNK; s++)
                UNROLL
                for (int part = 0; part < PARTS; part++)
                    a_value[part][s] = part_of(rows[s % 2 * CHUNK + s / 2], part, a_conjugate);
            UNROLL
            for (int j = 0; j < FRAGMENTS_N; j++)
                UNROLL
                for (int part = 0; part < PARTS; part++)
                    multiply_fragments(sums->value[i][j][part], a_value[0], b_value[j][part], item, room);
#if SCALAR_IS_COMPLEX
            double a_negative[2 * CHUNK];
            UNROLL
            for (int s = 0; s < 2 * CHUNK; s++) a_negative[s] = -a_value[1][s];
            UNROLL
            for (int j = 0; j < FRAGMENTS_N; j++) {
                multiply_fragments(sums->value[i][j][0], a_negative, b_value[j][1], item, room);
                multiply_fragments(sums->value[i][j][1], a_value[1], b_value[j][0], item, room);
            }
#endif
        }
    }
}
