// How a warp multiplies two slices of floats, as tensor_halves.cl has them.

// Products need no local memory of their own.
#define PRODUCT_ROOM

inline void multiply_slices(__local const chunk *a, __local const chunk *b, int a_conjugate, int b_conjugate, int item,
                            __local real *room, tile_sums *sums)
{
    const int g = place_g(item), t = place_t(item);
    UNROLL
    for (int plane = 0; plane < PLANES; plane++) {
        split_columns columns;
        UNROLL
        for (int j = 0; j < FRAGMENTS_N; j += CHUNK) {
            scalar rows[CHUNK * CHUNK];
            load_rows(TILE_N, B_ALONG_N, b, plane, warp_column(item), j, g, t, rows);
            UNROLL
            for (int r = 0; r < CHUNK; r++) split_column(&columns, j + r, rows + r * CHUNK, b_conjugate);
        }
        UNROLL
        for (int i = 0; i < FRAGMENTS_M; i += CHUNK / 2) {
            scalar rows[CHUNK * CHUNK];
            load_rows(TILE_M, A_ALONG_M, a, plane, warp_row(item), 2 * i, g, t, rows);
            UNROLL
            for (int f = 0; f < CHUNK / 2; f++)
                add_products(rows + 2 * f * CHUNK, a_conjugate, &columns, item, room, sums->value[i + f]);
        }
    }
}

// Sums all slices.
#define SUM_PRODUCTS SUM_SLICES(MULTIPLY_SLICES)
