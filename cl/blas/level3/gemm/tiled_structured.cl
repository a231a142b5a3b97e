// The kernel of tiled.cl for structured operands and targets: slices come from where the operands are stored, depths at
// which a triangular operand is zero are left out, and work-groups stand only for the tiles that touch C's triangle.
//
// Parameters: those of tiled.cl and structure.cl. For a triangle of C, tiles are square and the diagonal is C's own; a lower one
// may go on below, where C has more rows than columns, and an upper one to the right.

#if TARGET
// The tile of a lower triangle of tiles, and what is below it, that has a number: along the rows of bands of BAND columns of tiles.
inline void tile_of_triangle(long number, long rows, long columns, long *row, long *column)
{
    long first = 0, width = min((long)BAND, columns);
    // A band's rows are as long as it is wide, but for the first ones, which end at the diagonal.
    for (long count = width * rows - width * (width - 1) / 2; number >= count;
         count = width * (rows - first) - width * (width - 1) / 2) {
        number -= count;
        first += BAND;
        width = min((long)BAND, columns - first);
    }
    long in_band = 0;
    for (; in_band < width && number > in_band; in_band++) number -= in_band + 1;
    if (in_band == width) {
        in_band += number / width;
        number %= width;
    }
    *row = first + in_band;
    *column = first + number;
}
#endif

__kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void gemm_tiled_structured(
    long m, long n, long k, scalar alpha, OPERAND(a), OPERAND(b), scalar beta, __global scalar *restrict c, long c_offset,
    long c_column_stride, int c_upper, long c_diagonal, long part_depth, long part_stride)
{
    __local scalar a_slice[2][TILE_K * PITCH_A] __attribute__((aligned(16)));
    __local scalar b_slice[2][TILE_K * PITCH_B] __attribute__((aligned(16)));
    const int item = get_local_id(0);

    const long tiles_m = (m + TILE_M - 1) / TILE_M, tiles_n = (n + TILE_N - 1) / TILE_N;
#if TARGET
    long along, across;
    tile_of_triangle(get_group_id(0), max(tiles_m, tiles_n), min(tiles_m, tiles_n), &along, &across);
    const long tile_row = c_upper ? across : along, tile_column = c_upper ? along : across;
#else
    const long band = get_group_id(0) / (BAND * tiles_m), in_band = get_group_id(0) % (BAND * tiles_m);
    const long band_width = min((long)BAND, tiles_n - band * BAND);
    long tile_row = in_band / band_width, tile_column = band * BAND + in_band % band_width;
    // The deepest tiles first.
    if (is_triangular(A_STRUCTURE) && !a_upper) tile_row = tiles_m - 1 - tile_row;
    if (is_triangular(B_STRUCTURE) && !b_upper) tile_column = tiles_n - 1 - tile_column;
#endif
    const long row = tile_row * TILE_M, column = tile_column * TILE_N;
    const long part_begin = get_group_id(1) * part_depth, part_end = min(k, part_begin + part_depth);
    const long depth_begin = max(part_begin, max(depth_from(A_STRUCTURE, a_upper, a_diagonal, row),
                                                 depth_from(B_STRUCTURE, b_upper, b_diagonal, column)));
    const long depth_end = min(part_end, min(depth_to(A_STRUCTURE, a_upper, a_diagonal, row + TILE_M, k),
                                             depth_to(B_STRUCTURE, b_upper, b_diagonal, column + TILE_N, k)));

    slice_a a_next = slices_a(a + a_offset, a_along_stride, a_depth_stride, a_conjugate, a_upper, a_diagonal, row, m, item);
    slice_b b_next =
        slices_b(b + b_offset, b_along_stride, b_depth_stride, b_conjugate, b_upper, b_diagonal, column, n, item);
    tile_sums sums;
    clear_sums(&sums);

    // The first slices, which may be of zeros alone; each time round, the next ones are fetched while these are multiplied.
    fetch_a(&a_next, depth_begin, depth_end, item);
    fetch_b(&b_next, depth_begin, depth_end, item);
    int slot = 0;
    for (long at = depth_begin + TILE_K;; at += TILE_K) {
        keep_a(&a_next, a_slice[slot], item);
        keep_b(&b_next, b_slice[slot], item);
        barrier(CLK_LOCAL_MEM_FENCE);
        const bool more = at < depth_end;
        if (more) {
            fetch_a(&a_next, at, depth_end, item);
            fetch_b(&b_next, at, depth_end, item);
        }
        multiply_slices(a_slice[slot], b_slice[slot], item, &sums);
        if (!more) break;
        slot ^= 1;
    }

    c += c_offset + get_group_id(1) * part_stride;
    store_tile(&sums, alpha, beta, c, c_column_stride, row, column, m, n, c_upper, c_diagonal, item);
}
