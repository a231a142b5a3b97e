// A step of A = L Lᴴ for the lower triangle of a block of columns, panel by panel, in one launch, of which no work-group needs what
// another one does:
// - The first one brings the block on the diagonal of the next panel up to date with the panel before, finds its factor and that
//   one's inverse.
// - The next ones have WIDTH rows below each. They multiply those of the panel before, whose columns are not divided yet, with the
//   inverse of its factor, and bring those of the next panel up to date. What they need of the rows beside the diagonal's block,
//   each of them computes for itself; the first one writes them down.
// - The others have a block of WIDTH x WIDTH elements right of the next panel each, which loses the product of the last panel but
//   one: that one is complete. The first of these blocks is the next launch's diagonal, and also loses the panel before's.
// Without a next panel all work-groups have rows of the panel before.
//
// The rows beside the diagonal's block, and those beside the next launch's, are still read while they are computed, so that they are
// written with the next launch.
//
// Where a pivot is not positive, the info becomes its number, counted from 1 + `base`, and nothing on the diagonal is written any
// more. The inverse is then zero, which makes what is computed from it harmless.
// Parameters: WIDTH (columns of a panel: a multiple of INNER), DEPTH (of these, what a product takes at once: half of them at
// least, and INNER), INNER (16).

// Writes WIDTH columns, or as many of their rows as there are, where they belong.
inline void put_back(matrix from, matrix to, int rows)
{
    scalar owed[SIZE / THREADS];
    #pragma unroll
    for (int n = 0; n < SIZE / THREADS; n++) owed[n] = from.elements[get_local_id(0) + n * THREADS];
    #pragma unroll
    for (int n = 0; n < SIZE / THREADS; n++) {
        const int e = get_local_id(0) + n * THREADS;
        if (e % WIDTH < rows) *at(to, e % WIDTH, e / WIDTH) = owed[n];
    }
}

__kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void cholesky_step(
    int rows, int width, int columns, int is_after, int owes, __global scalar *a, long a_offset, long row_stride,
    long column_stride, __global scalar *scratch, int turn, int base, __global int *info, long info_place)
{
    __local scalar room[2 * DEPTH][PITCH] __attribute__((aligned(64))), corner[INNER][INNER], found[INNER][FOUND];
    __local inner_room inner;
    __local int right;
    const int item = get_local_id(0), group = get_group_id(0), blocks = (rows + WIDTH - 1) / WIDTH;
    // Whether the pivots of all panels before are ordinary numbers; and with those of the next one.
    __global int *ordinary = (__global int *)(scratch + 6 * SIZE);
    const int were_ordinary = is_after ? ordinary[1 - turn] : 1;
    const int top = side_down(item) * SIDE, left = side_across(item) * SIDE;
    // The panel that is next, the one before and the last but one: from the next one's diagonal on.
    const matrix next = {a + a_offset, row_stride, column_stride};
    const matrix before = shifted(next, 0, -WIDTH), last = shifted(next, 0, -2 * WIDTH);
    const matrix inverses[2] = {{scratch + turn * SIZE, 1, WIDTH}, {scratch + (1 - turn) * SIZE, 1, WIDTH}};
    const matrix tops[2] = {{scratch + (2 + turn) * SIZE, 1, WIDTH}, {scratch + (3 - turn) * SIZE, 1, WIDTH}};
    const matrix nexts[2] = {{scratch + (4 + turn) * SIZE, 1, WIDTH}, {scratch + (5 - turn) * SIZE, 1, WIDTH}};

    if (owes && group == (blocks > 1)) {
        put_back(tops[1], shifted(last, -WIDTH, 0), WIDTH);
        if (width > 0) put_back(nexts[1], last, rows);
    }
    if (group == 0 && width > 0) {
        const bool has_failed = info[info_place] != 0;
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
            solve(room, before, rows, inverses[1], were_ordinary, beside);
            // Nobody else reads what has nothing below.
            if (blocks == 1) store(room, beside, before, rows, false, false);
            clear(sums);
            add_square(room, beside, were_ordinary, sums);
            subtract_sums(room, sums, x);
        }
        const bool is_right = factor_block(
            room, corner, found, &inner, &right, x, width, next, base, has_failed, info + info_place, were_ordinary, ordinary + turn);
        #pragma unroll
        for (int c = 0; c < SIDE; c++) {
            scalar elements[SIDE];
            #pragma unroll
            for (int r = 0; r < SIDE; r++) elements[r] = is_right ? x[r][c] : SCALAR_ZERO;
            *(__global side_vector *)at(inverses[0], top, left + c) = side_of(elements);
        }
    } else if (group < blocks) {
        const int first = group * WIDTH, count = min(rows - first, WIDTH);
        const matrix own = shifted(next, first, 0), own_before = shifted(before, first, 0), own_last = shifted(last, first, 0);
        scalar divided[SIDE][SIDE], beside[SIDE][SIDE], sums[SIDE][SIDE];
        if (width > 0) {
            solve(room, before, WIDTH, inverses[1], were_ordinary, beside);
            if (group == 1) store(room, beside, tops[0], WIDTH, false, false);
        }
        solve(room, own_before, count, inverses[1], were_ordinary, divided);
        store(room, divided, group == 1 && columns > WIDTH ? nexts[0] : own_before, count, false, false);
        if (width == 0) return;
        clear(sums);
        if (owes) add_product(room, own_last, count, nexts[1], WIDTH, false, were_ordinary, sums);
        add_shared(room, divided, beside, were_ordinary, sums);
        store(room, sums, own, count, true, false);
    } else {
        // Blocks column by column.
        int place = group - blocks, column = 1;
        while (place >= blocks - column) {
            place -= blocks - column;
            column++;
        }
        const int row = column + place, count = min(rows - row * WIDTH, WIDTH);
        scalar sums[SIDE][SIDE];
        clear(sums);
        if (owes) {
            const int across = min(rows - column * WIDTH, WIDTH);
            add_product(room, shifted(last, row * WIDTH, 0), count, shifted(last, column * WIDTH, 0), across, false, were_ordinary, sums);
        }
        if (row == 1) {
            scalar divided[SIDE][SIDE];
            solve(room, shifted(before, WIDTH, 0), count, inverses[1], were_ordinary, divided);
            add_square(room, divided, were_ordinary, sums);
        }
        store(room, sums, shifted(next, row * WIDTH, column * WIDTH), count, true, row == column);
    }
}
