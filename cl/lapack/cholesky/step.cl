// A step of A = L Lᴴ for the lower triangle of a block of columns, panel by panel, in one launch, of which no work-group needs what
// another one does:
// - The first one brings the block on the diagonal of the next panel up to date with the panel before, finds its factor and that
//   one's inverse.
// - The next ones have WIDTH rows below each. They multiply those of the panel before, whose columns are not divided yet, with the
//   inverse of its factor, and bring those of the next panel up to date. What they need of the rows beside the diagonal's block,
//   each of them computes for itself. The first of them also does all that the next launch's diagonal needs.
// - The others have a block of WIDTH x WIDTH elements right of the next panel each, which loses the product of the last panel but
//   one: that one is complete.
// Without a next panel all work-groups have rows of the panel before.
//
// The rows beside the diagonal's block are still read while they are computed, so that they are written with the next launch.
//
// Where a pivot is not positive, the info becomes its number, counted from 1 + `base`, and nothing on the diagonal is written any
// more. The inverse is then zero, which makes what is computed from it harmless.
// Parameters: WIDTH (columns of a panel: a multiple of INNER), DEPTH (of these, what a product takes at once: half of them at
// least, and INNER), INNER (16).

__kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void cholesky_step(
    int rows, int width, int columns, int is_after, int owes, __global scalar *a, long a_offset, long row_stride,
    long column_stride, __global scalar *scratch, int turn, int base, __global int *info, long info_place)
{
    __local scalar room[2 * DEPTH][PITCH] __attribute__((aligned(64))), found[INNER][2 * INNER + 1];
    __local inner_room inner;
    __local int right;
    const int item = get_local_id(0), group = get_group_id(0), blocks = (rows + WIDTH - 1) / WIDTH;
    const int top = side_down(item) * SIDE, left = side_across(item) * SIDE;
    // The panel that is next, the one before and the last but one: from the next one's diagonal on.
    const matrix next = {a + a_offset, row_stride, column_stride};
    const matrix before = shifted(next, 0, -WIDTH), last = shifted(next, 0, -2 * WIDTH);
    const matrix inverses[2] = {{scratch + turn * SIZE, 1, WIDTH}, {scratch + (1 - turn) * SIZE, 1, WIDTH}};
    const matrix tops[2] = {{scratch + (2 + turn) * SIZE, 1, WIDTH}, {scratch + (3 - turn) * SIZE, 1, WIDTH}};

    if (group == 0 && owes) {
        for (int e = item; e < SIZE; e += THREADS) *at(last, e % WIDTH - WIDTH, e / WIDTH) = *at(tops[1], e % WIDTH, e / WIDTH);
    }
    if (group == 0 && width > 0) {
        scalar x[SIDE][SIDE];
        #pragma unroll
        for (int r = 0; r < SIDE; r++) {
            #pragma unroll
            for (int c = 0; c < SIDE; c++) {
                const int i = top + r, j = left + c;
                x[r][c] = i == j ? SCALAR_ONE : SCALAR_ZERO;
                if (i < width && j <= i) x[r][c] = *at(next, i, j);
            }
        }
        if (is_after) {
            scalar beside[SIDE][SIDE], sums[SIDE][SIDE];
            solve(room, before, rows, inverses[1], beside);
            // Nobody else reads what has nothing below.
            store(room, beside, blocks == 1 ? before : tops[0], blocks == 1 ? rows : WIDTH, false, false);
            clear(sums);
            add_square(room, beside, sums);
            subtract_sums(room, sums, x);
        }
        const bool is_right = factor_block(room, found, &inner, &right, x, width, next, base, info + info_place);
        #pragma unroll
        for (int c = 0; c < SIDE; c++) {
            #pragma unroll
            for (int r = 0; r < SIDE; r++) *at(inverses[0], top + r, left + c) = is_right ? x[r][c] : SCALAR_ZERO;
        }
    } else if (group < blocks) {
        const int first = group * WIDTH, count = min(rows - first, WIDTH);
        const matrix own = shifted(next, first, 0), own_before = shifted(before, first, 0), own_last = shifted(last, first, 0);
        scalar divided[SIDE][SIDE], beside[SIDE][SIDE], sums[SIDE][SIDE];
        if (width > 0) solve(room, before, WIDTH, inverses[1], beside);
        solve(room, own_before, count, inverses[1], divided);
        store(room, divided, own_before, count, false, false);
        if (width == 0) return;
        clear(sums);
        if (owes) add_product(room, own_last, count, last, WIDTH, sums);
        add_shared(room, divided, beside, sums);
        store(room, sums, own, count, true, false);
        if (group > 1 || columns <= WIDTH) return;
        clear(sums);
        if (owes) add_product(room, own_last, count, own_last, count, sums);
        add_square(room, divided, sums);
        store(room, sums, shifted(own, 0, WIDTH), count, true, true);
    } else {
        // Blocks column by column, without the very first.
        int place = group - blocks + 1, column = 1;
        while (place >= blocks - column) {
            place -= blocks - column;
            column++;
        }
        const int row = column + place, count = min(rows - row * WIDTH, WIDTH);
        scalar sums[SIDE][SIDE];
        clear(sums);
        const int across = min(rows - column * WIDTH, WIDTH);
        add_product(room, shifted(last, row * WIDTH, 0), count, shifted(last, column * WIDTH, 0), across, sums);
        store(room, sums, shifted(next, row * WIDTH, column * WIDTH), count, true, row == column);
    }
}
