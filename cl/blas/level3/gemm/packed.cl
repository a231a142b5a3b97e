// C := alpha*A*B + beta*C on a CPU: A and B are packed into panels that are read once and in order, and one work-item
// computes a block of C with all sums of a tile in vector registers. No local memory, no barriers.
//
// A panel holds PANEL rows of A (columns of B) over the whole depth: for each p of the depth PANEL reals, or PANEL real
// parts and PANEL imaginary parts. Panels are filled up with zeros, so that the tile never has an edge.
//
// Parameters: VECTOR_WIDTH (reals in a vector: 4, 8, 16), TILE_VECTORS (vectors in a column of the tile), TILE_COLUMNS,
// PACK_WIDTH (4 or 8, divides TILE_ROWS and TILE_COLUMNS), DEPTH_BLOCK (depth of a panel's part that stays in the cache).

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define vector JOIN(real, VECTOR_WIDTH)
#define load_vector(p) JOIN(vload, VECTOR_WIDTH)(0, p)
#define store_vector(v, p) JOIN(vstore, VECTOR_WIDTH)(v, 0, p)

#if SCALAR_IS_DOUBLE
typedef double4 real4;
typedef double8 real8;
typedef double16 real16;
#else
typedef float4 real4;
typedef float8 real8;
typedef float16 real16;
#endif

#if SCALAR_IS_COMPLEX
#define PARTS 2
#else
#define PARTS 1
#endif
#define TILE_ROWS (TILE_VECTORS * VECTOR_WIDTH)

#define pack_vector JOIN(real, PACK_WIDTH)
#define load_pack(p) JOIN(vload, PACK_WIDTH)(0, p)
#define store_pack(v, p) JOIN(vstore, PACK_WIDTH)(v, 0, p)
#if PACK_WIDTH == 8
#define pack_pair real16
#define load_pair(p) vload16(0, p)
#else
#define pack_pair real8
#define load_pair(p) vload8(0, p)
#endif

// The elements of PACK_WIDTH adjacent scalars: their real parts, and with complex their imaginary parts, negated if the
// operand is conjugated.
inline void load_parts(__global const scalar *x, int conjugate, pack_vector part[PARTS])
{
#if SCALAR_IS_COMPLEX
    const pack_pair pair = load_pair((__global const real *)x);
    part[0] = pair.even;
    part[1] = conjugate ? -pair.odd : pair.odd;
#else
    part[0] = load_pack(x);
#endif
}

// The transpose of a square of PACK_WIDTH vectors, by halving: each pass interleaves the first half with the second.
inline void transpose_square(pack_vector v[PACK_WIDTH])
{
    #pragma unroll
    for (int pass = 1; pass < PACK_WIDTH; pass *= 2) {
        pack_vector next[PACK_WIDTH];
        #pragma unroll
        for (int i = 0; i < PACK_WIDTH / 2; i++) {
            next[2 * i].even = v[i].lo;
            next[2 * i].odd = v[i + PACK_WIDTH / 2].lo;
            next[2 * i + 1].even = v[i].hi;
            next[2 * i + 1].odd = v[i + PACK_WIDTH / 2].hi;
        }
        #pragma unroll
        for (int i = 0; i < PACK_WIDTH; i++) v[i] = next[i];
    }
}

// Packs rows [0, rows) and depths [depth_begin, depth_end) of x into a panel of `panel` rows that begins at depth 0.
inline void pack_elements(const int panel, long row, long rows, long depth_begin, long depth_end,
                          __global const scalar *x, long row_stride, long depth_stride, int conjugate,
                          __global real *packed)
{
    for (long p = depth_begin; p < depth_end; p++)
        for (int i = row; i < panel; i++) {
            scalar value = SCALAR_ZERO;
            if (i < rows) value = x[i * row_stride + p * depth_stride];
#if SCALAR_IS_COMPLEX
            packed[(p * 2) * panel + i] = value.x;
            packed[(p * 2 + 1) * panel + i] = conjugate ? -value.y : value.y;
#else
            packed[p * panel + i] = value;
#endif
        }
}

inline void pack_panel(const int panel, long rows, long depth_begin, long depth_end, __global const scalar *x,
                       long row_stride, long depth_stride, int conjugate, __global real *packed)
{
    const int whole_rows = (int)(min(rows, (long)panel) / PACK_WIDTH) * PACK_WIDTH;
    if (row_stride == 1) {
        for (long p = depth_begin; p < depth_end; p++)
            for (int i = 0; i < whole_rows; i += PACK_WIDTH) {
                pack_vector part[PARTS];
                load_parts(x + i + p * depth_stride, conjugate, part);
                #pragma unroll
                for (int c = 0; c < PARTS; c++) store_pack(part[c], packed + (p * PARTS + c) * panel + i);
            }
    } else {
        const long whole_end = depth_begin + (depth_end - depth_begin) / PACK_WIDTH * PACK_WIDTH;
        for (int i = 0; i < whole_rows; i += PACK_WIDTH)
            for (long p = depth_begin; p < whole_end; p += PACK_WIDTH) {
                pack_vector square[PARTS][PACK_WIDTH];
                #pragma unroll
                for (int r = 0; r < PACK_WIDTH; r++) {
                    pack_vector part[PARTS];
                    load_parts(x + (i + r) * row_stride + p, conjugate, part);
                    #pragma unroll
                    for (int c = 0; c < PARTS; c++) square[c][r] = part[c];
                }
                #pragma unroll
                for (int c = 0; c < PARTS; c++) {
                    transpose_square(square[c]);
                    #pragma unroll
                    for (int q = 0; q < PACK_WIDTH; q++)
                        store_pack(square[c][q], packed + ((p + q) * PARTS + c) * panel + i);
                }
            }
        // The depths past the last whole square, for the rows that squares cover.
        if (whole_end < depth_end && whole_rows > 0)
            pack_elements(panel, 0, min(rows, (long)panel), whole_end, depth_end, x, row_stride, depth_stride,
                          conjugate, packed);
        depth_end = whole_rows > 0 ? whole_end : depth_end;
    }
    if (whole_rows < panel)
        pack_elements(panel, whole_rows, rows, depth_begin, depth_end, x, row_stride, depth_stride, conjugate, packed);
}

// Packs x (rows x depth, strides between rows and between depths) into panels of TILE_ROWS or TILE_COLUMNS rows.
// Work-item (g, h): panels g*panels_per_item and following, depths h*depth_chunk and following.
#define PACK_KERNEL(name, panel)                                                                                     \
    __kernel __attribute__((reqd_work_group_size(1, 1, 1))) void name(                                               \
        long rows, long depth, __global const scalar *restrict x, long offset, long row_stride, long depth_stride,   \
        int conjugate, __global real *restrict packed, long panels_per_item, long depth_chunk)                       \
    {                                                                                                                \
        const long depth_begin = get_group_id(1) * depth_chunk;                                                      \
        const long depth_end = min(depth, depth_begin + depth_chunk);                                                \
        const long first = get_group_id(0) * panels_per_item;                                                        \
        const long last = min((rows + panel - 1) / panel, first + panels_per_item);                                  \
        for (long g = first; g < last; g++)                                                                          \
            pack_panel(panel, rows - g * panel, depth_begin, depth_end, x + offset + g * panel * row_stride,         \
                       row_stride, depth_stride, conjugate, packed + g * panel * depth * PARTS);                     \
    }

PACK_KERNEL(gemm_pack_a, TILE_ROWS)
PACK_KERNEL(gemm_pack_b, TILE_COLUMNS)

// Adds the product of two panels to the sums of a tile.
inline void multiply_panels(__global const real *a, __global const real *b, long depth,
                            vector sum[PARTS][TILE_COLUMNS][TILE_VECTORS])
{
    for (long p = 0; p < depth; p++) {
        vector a_value[PARTS][TILE_VECTORS];
        #pragma unroll
        for (int c = 0; c < PARTS; c++)
            #pragma unroll
            for (int v = 0; v < TILE_VECTORS; v++) a_value[c][v] = load_vector(a + c * TILE_ROWS + v * VECTOR_WIDTH);
        #pragma unroll
        for (int j = 0; j < TILE_COLUMNS; j++) {
            const vector b_re = (vector)(b[j]);
            #pragma unroll
            for (int v = 0; v < TILE_VECTORS; v++)
                #pragma unroll
                for (int c = 0; c < PARTS; c++) sum[c][j][v] = real_multiply_add(a_value[c][v], b_re, sum[c][j][v]);
#if SCALAR_IS_COMPLEX
            const vector b_im = (vector)(b[TILE_COLUMNS + j]);
            #pragma unroll
            for (int v = 0; v < TILE_VECTORS; v++) {
                sum[0][j][v] = real_multiply_add(-a_value[1][v], b_im, sum[0][j][v]);
                sum[1][j][v] = real_multiply_add(a_value[0][v], b_im, sum[1][j][v]);
            }
#endif
        }
        a += PARTS * TILE_ROWS;
        b += PARTS * TILE_COLUMNS;
    }
}

// One vector's worth of results: re and im (complex: interleaved into two vectors) times alpha, plus beta times what is
// there.
inline void store_results(vector re, vector im, scalar alpha, scalar beta, __global scalar *c)
{
    __global real *target = (__global real *)c;
#if SCALAR_IS_COMPLEX
    const vector x = re * alpha.x - im * alpha.y, y = re * alpha.y + im * alpha.x;
    vector low, high;
    low.even = x.lo;
    low.odd = y.lo;
    high.even = x.hi;
    high.odd = y.hi;
    if (!is_zero(beta)) {
        const vector c_low = load_vector(target), c_high = load_vector(target + VECTOR_WIDTH);
        low.even += beta.x * c_low.even - beta.y * c_low.odd;
        low.odd += beta.x * c_low.odd + beta.y * c_low.even;
        high.even += beta.x * c_high.even - beta.y * c_high.odd;
        high.odd += beta.x * c_high.odd + beta.y * c_high.even;
    }
    store_vector(low, target);
    store_vector(high, target + VECTOR_WIDTH);
#else
    vector x = re * alpha;
    if (beta != 0) x += beta * load_vector(target);
    store_vector(x, target);
#endif
}

// The same for the first `rows` elements of a column of the tile.
inline void store_some_results(vector re, vector im, int rows, scalar alpha, scalar beta, __global scalar *c)
{
    real x[VECTOR_WIDTH], y[VECTOR_WIDTH];
    store_vector(re, x);
    store_vector(im, y);
    for (int i = 0; i < rows; i++) {
#if SCALAR_IS_COMPLEX
        const scalar value = (scalar)(x[i], y[i]);
#else
        const scalar value = x[i];
#endif
        c[i] = accumulate(multiply(alpha, value), beta, c + i);
    }
}

inline void store_tile(vector sum[PARTS][TILE_COLUMNS][TILE_VECTORS], long rows, long columns, scalar alpha,
                       scalar beta, __global scalar *c, long c_column_stride)
{
    #pragma unroll
    for (int j = 0; j < TILE_COLUMNS; j++) {
        if (j < columns) {
            #pragma unroll
            for (int v = 0; v < TILE_VECTORS; v++) {
                __global scalar *target = c + j * c_column_stride + v * VECTOR_WIDTH;
                const long left = rows - v * VECTOR_WIDTH;
                if (left >= VECTOR_WIDTH)
                    store_results(sum[0][j][v], sum[PARTS - 1][j][v], alpha, beta, target);
                else if (left > 0)
                    store_some_results(sum[0][j][v], sum[PARTS - 1][j][v], (int)left, alpha, beta, target);
            }
        }
    }
}

// Work-item (g, h, s): rows g*block_rows and following, columns h*block_columns and following, and of the depth the
// s-th part of part_depth, whose product goes to C displaced by s*part_stride.
__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void gemm_packed(
    long m, long n, long k, scalar alpha, __global const real *restrict packed_a, __global const real *restrict packed_b,
    scalar beta, __global scalar *restrict c, long c_offset, long c_column_stride, long block_rows, long block_columns,
    long part_depth, long part_stride)
{
    const long row_begin = get_group_id(0) * block_rows, row_end = min(m, row_begin + block_rows);
    const long column_begin = get_group_id(1) * block_columns, column_end = min(n, column_begin + block_columns);
    const long depth_begin = get_group_id(2) * part_depth, depth_end = min(k, depth_begin + part_depth);
    c += c_offset + get_group_id(2) * part_stride;
    for (long p = depth_begin; p < depth_end; p += DEPTH_BLOCK) {
        const long depth = min((long)DEPTH_BLOCK, depth_end - p);
#if SCALAR_IS_COMPLEX
        const scalar block_beta = p == depth_begin ? beta : (scalar)(1, 0);
#else
        const scalar block_beta = p == depth_begin ? beta : 1;
#endif
        for (long j = column_begin; j < column_end; j += TILE_COLUMNS)
            for (long i = row_begin; i < row_end; i += TILE_ROWS) {
                vector sum[PARTS][TILE_COLUMNS][TILE_VECTORS];
                #pragma unroll
                for (int q = 0; q < PARTS; q++)
                    #pragma unroll
                    for (int jj = 0; jj < TILE_COLUMNS; jj++)
                        #pragma unroll
                        for (int v = 0; v < TILE_VECTORS; v++) sum[q][jj][v] = (vector)(0);
                multiply_panels(packed_a + (i * k + p * TILE_ROWS) * PARTS, packed_b + (j * k + p * TILE_COLUMNS) * PARTS,
                                depth, sum);
                store_tile(sum, m - i, n - j, alpha, block_beta, c + i + j * c_column_stride, c_column_stride);
            }
    }
}
