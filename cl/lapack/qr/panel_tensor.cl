// A = Q R for a panel of columns of real numbers, by one work-group with tensor cores for doubles. As panel_registers.cl; all is
// computed in doubles.
//
// TILE columns are reflected together. From the products of their rows below the tile's own with all columns, which are one sum
// over the group, and from the tile's rows one warp finds the reflections one after the other: norms and products of what is left
// of the columns follow from what they were, as in Cholesky's factorisation. Since these lose what is small beside it, a
// column of which less than FLOOR is left (of the squares) is left to another pass, with new products: it begins one.
//
// Fragments are what work-items hold: with g and q the quotient and the rest of a lane's number by 4, column g of each tile of
// columns, and rows 2q and 2q + 1 of each of a warp's TILES tiles of rows. Tiles of columns go round, so that the one that is worked
// on is in the first place.
// Parameters: THREADS (two warps of 32 or more), TILES (of rows, of a warp), PANEL (columns, at most: 16 or 32), STACKED (as there).

#define WARP 32
#define WARPS (THREADS / WARP)
#define TILE 8
#define PLACES (PANEL / TILE)
#define PAIRS (PLACES / 2)
#define SQUARE (TILE * TILE)
#define SHARE (TILE * PANEL)
#define WARP_ROWS (TILES * TILE)
// What a warp has of local memory: its products, or one tile of columns.
#define ROOM (TILES > PLACES ? TILES * SQUARE : SHARE)
// Tiles of rows of a warp that may be beside the diagonal.
#define TOPMOST (TILES < PLACES ? TILES : PLACES)
#if STACKED
#define place(row) ((row) / PANEL * part_rows + (row) % PANEL)
#define is_stored(row, column) ((row) % PANEL <= (column))
#else
#define place(row) (row)
#define is_stored(row, column) true
#endif
#if SCALAR_IS_DOUBLE
#define FLOOR 0x1p-4
#else
#define FLOOR 0x1p-22
#endif
// Columns are scaled by powers of two to about 1; squares of floats need no scaling. What is less is none.
#define LARGEST_EXPONENT 1000
#define SMALLEST_EXPONENT -1000
#define NEGLIGIBLE 0x1p-700

// What the warp that finds reflections exchanges: products of a column with those after it, and the column, in two turns.
typedef struct {
    double products[2][TILE], column[2][TILE];
    int is_empty[2];
} exchange;

// Of the reflections that a pass has found: T V^H times each column; V in the tile's rows, below the diagonal, and above and on it what
// the rows below are made with; their products before; and factors.
typedef struct {
    double weights[SHARE], square[SQUARE], below[SQUARE], taus[TILE];
    int begin, end;
} found;

// The tile's reflections from number `start` on, for a warp. Its lanes have the panel's columns, in their places: the numbers in the
// tile's rows, `tops`, and the products with the tile's columns of all rows from `start` on. `later` columns are not done yet.
// It leaves in `tops` what these rows become; and in `changes` what the rows below, in the columns X that are done now, are
// multiplied with: X times that is these columns, and is added to later ones. It returns the number of the first reflection
// that is left to another pass.
inline int reflect_tile(int start, int later, bool writes, __local double *tops, __local const double *products,
                        __local const double *floors, __local const int *empty, __local exchange *room,
                        __local double *changes, __local found *its)
{
    const int p = get_local_id(0) % WARP;
    const bool is_later = p >= start && p < later;
    writes = writes && p < PANEL;
    const bool writes_tops = writes && is_later;
    bool is_empty = p < TILE && empty[p % TILE];
    // Rows from the next reflection's on; after them what has been found of `changes`.
    double x[TILE], with[TILE];
    #pragma unroll
    for (int r = 0; r < TILE; r++) {
        const int i = (start + r) % TILE;
        x[r] = i < start ? 0 : tops[i * PANEL + p % PANEL];
        with[r] = products[i * PANEL + p % PANEL];
        if (writes) changes[r * PANEL + p] = 0;
    }
    int j = start;
    bool goes_on = true;
    #pragma unroll 1
    do {
        __local double *row = room->products[j % 2], *column = room->column[j % 2];
        const bool is_own = p == j;
        if (writes && p >= j && p < TILE) row[p - j] = with[0];
        if (writes && is_own) {
            #pragma unroll
            for (int r = 0; r < TILE; r++) column[r] = x[r];
            room->is_empty[j % 2] = is_empty;
        }
        warp_barrier();
        const double squares = row[0], alpha = column[0];
        const bool none_below = room->is_empty[j % 2];
        goes_on = j == start || squares >= floors[j];
        if (goes_on) {
            double v[TILE];
            bool is_none = none_below;
            #pragma unroll
            for (int r = 1; r < TILE; r++) {
                v[r] = column[r];
                is_none = is_none && (r >= TILE - j || v[r] == 0);
            }
            is_none = is_none || squares < NEGLIGIBLE;
            const double of_beta = -copysign(reciprocal_root(squares), alpha), beta = squares * of_beta;
            const double inverse = is_none ? 1 : reciprocal(alpha - beta);
            // The row of R, and T V^H times the column.
            const bool is_done = p >= start && p < j;
            const double top = is_none ? x[0] : with[0] * of_beta, w = is_done ? 0 : x[0] - top;
            const double factor = inverse * w, times = is_own ? inverse : -factor, kept = x[0];
            if (writes) its->weights[j * PANEL + p] = w;
            if (writes_tops) tops[j * PANEL + p] = top;
            if (writes && is_own) its->taus[j] = is_none ? 0 : (beta - alpha) * of_beta;
            is_empty = is_empty && (none_below || factor == 0);
            #pragma unroll
            for (int r = 1; r < TILE; r++) {
                x[r - 1] = fma(times, v[r], is_own ? 0 : x[r]);
                with[r - 1] = fma(-(row[r] * of_beta), top, with[r]);
            }
            x[TILE - 1] = is_own ? inverse : is_done ? kept : -factor;
            // Products are not brought up to date then.
            goes_on = !is_none;
            j++;
        }
    } while (goes_on && j < TILE);
    #pragma unroll
    for (int r = 0; r < TILE; r++) {
        const int i = (j + r) % TILE;
        if (writes_tops && i >= start) (i >= min(j, p + 1) ? tops : changes)[i * PANEL + p] = x[r];
        if (writes && p < TILE && i >= start) its->square[i * TILE + p] = p >= start ? x[r] : 0;
    }
    return j;
}

// The columns of T for what a pass has found: for what was done before, T there times what the pass does to its vectors. One of the
// `teams` of warps finds T for the pass's own reflections, from V's products with itself.
inline void find_triangle(int team, int teams, int width, __local const found *its, __local double *room,
                          __global scalar *tau, __global scalar *t, long t_stride)
{
    const int lane = get_local_id(0) % WARP, begin = its->begin, first = begin / TILE * TILE, start = begin - first;
    const int end = its->end;
    __local const double *square = its->square;
    if (team == 0 || !(warp_works_alone)) {
        const int i = lane % TILE;
        #pragma unroll
        for (int j = lane / TILE; j < TILE; j += WARP / TILE) {
            double sum = 0;
            #pragma unroll
            for (int k = 0; k < TILE; k++)
                sum = k >= start && k <= j && j < end ? fma(its->below[i * TILE + k], square[k * TILE + j], sum) : sum;
            if (team == 0) room[i * TILE + j] = sum;
        }
        warp_barrier();
        double sums[2];
        #pragma unroll
        for (int s = 0; s < 2; s++) {
            const int j = lane / TILE + s * (WARP / TILE);
            double sum = 0;
            #pragma unroll
            for (int k = 0; k < TILE; k++) {
                const double its_i = square[k * TILE + i], its_j = square[k * TILE + j];
                sum = k >= start && k <= i ? fma(its_i, room[k * TILE + j], sum) : sum;
                // V's rows in the tile.
                const double v_i = k > i ? its_i : k == i, v_j = k > j ? its_j : k == j;
                sum = k >= start ? fma(v_i, v_j, sum) : sum;
            }
            sums[s] = sum;
        }
        warp_barrier();
        #pragma unroll
        for (int s = 0; s < 2; s++)
            if (team == 0) room[i * TILE + lane / TILE + s * (WARP / TILE)] = sums[s];
        warp_barrier();
        double own[TILE];
        #pragma unroll
        for (int j = 0; j < TILE; j++) {
            double sum = 0;
            #pragma unroll
            for (int k = 0; k < j; k++) sum = k >= i && k >= start ? fma(own[k], room[k * TILE + j], sum) : sum;
            const double factor = its->taus[j];
            own[j] = j == i ? factor : -factor * sum;
            if (team == 0 && lane < TILE && j >= start && j < end && i >= start && first + max(i, j) < width) {
                t[first + i + (first + j) * t_stride] = i <= j ? own[j] : 0;
                if (i == j) tau[first + j] = own[j];
            }
        }
    }
    if (team > 0 || !(warp_works_alone)) {
        const int count = teams - warp_works_alone, number = team - warp_works_alone;
        for (int j = start + number; j < end; j += count) {
            const int i = lane, column = first + j;
            // The others' is what is in the tile's rows, from `begin` on.
            const bool is_here = i < begin || i >= first + TILE;
            if (column >= width || i >= width || !is_here) continue;
            double sum = 0;
            #pragma unroll 4
            for (int k = i; k < begin; k++)
                sum = fma(-(double)t[i + k * t_stride], its->weights[j * PANEL + (k - first + PANEL) % PANEL], sum);
            t[i + column * t_stride] = sum;
        }
    }
}

// There are as many rows as columns, at least.
__kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void qr_panel(
    int rows, int part_rows, int width, __global scalar *a, long a_offset, long row_stride, long column_stride,
    __global scalar *tau, long tau_offset, __global scalar *t, long t_offset, long t_stride, int above,
    __global scalar *whole, long whole_offset, long whole_stride)
{
    FRAGMENT_ROOM
    __local exchange room;
    __local found finds[2];
    __local double shares[WARPS * ROOM], products[SHARE], tops[SHARE], changes[SHARE], square_room[SQUARE], floors[TILE];
    __local int empty[TILE], exponents[PANEL], ends[1];
    const int item = get_local_id(0), warp = item / WARP, lane = item % WARP, g = lane / 4, q = lane % 4;
    const int part = get_group_id(0), begin = part * part_rows;
    __local double *share = shares + warp * ROOM;
    // This work-item's numbers in a tile there, as fragments and in a column.
    __local double *own = share + g * TILE + 2 * q, *listed = share + lane / TILE * SQUARE + lane % TILE;
    if (!STACKED) rows = min(part_rows, rows - begin);
    a += a_offset + begin * row_stride;
    tau += tau_offset + part * PANEL;
    t += t_offset + part * PANEL * t_stride;
    whole += whole_offset + begin;
    for (int e = item; e < above * width; e += THREADS) whole[e % above + e / above * whole_stride] = SCALAR_ZERO;
    whole += above;

    double x[TILES][PLACES][2];
#if SCALAR_IS_DOUBLE
    for (int c = item; c < PANEL; c += THREADS) exponents[c] = SMALLEST_EXPONENT;
    barrier(CLK_LOCAL_MEM_FENCE);
#endif
    #pragma unroll 1
    for (int first = 0; first < PANEL; first += TILE) {
        warp_barrier();
        #pragma unroll
        for (int r = 0; r < WARP_ROWS; r += WARP) {
            const int row = warp * WARP_ROWS + r + lane;
            const bool has_row = r + lane < WARP_ROWS && row < rows;
            __global const scalar *source = a + place(row) * row_stride + first * column_stride;
            #pragma unroll
            for (int c = 0; c < TILE; c++) {
                const bool is_there = has_row && first + c < width && is_stored(row, first + c);
                if (r + lane < WARP_ROWS) listed[r * TILE + c * TILE] = is_there ? source[c * column_stride] : SCALAR_ZERO;
            }
        }
        warp_barrier();
#if SCALAR_IS_DOUBLE
        double largest = 0;
#endif
        #pragma unroll
        for (int r = 0; r < TILES; r++) {
            #pragma unroll
            for (int e = 0; e < 2; e++) {
                #pragma unroll
                for (int k = 1; k < PLACES; k++) x[r][k - 1][e] = x[r][k][e];
                x[r][PLACES - 1][e] = own[r * SQUARE + e];
#if SCALAR_IS_DOUBLE
                largest = fmax(largest, fabs(x[r][PLACES - 1][e]));
#endif
            }
        }
#if SCALAR_IS_DOUBLE
        // As ilogb, but for what is out of the exponents' range in any case.
        atomic_max(&exponents[first + g], min((int)(as_ulong(largest) >> 52) - 1023, LARGEST_EXPONENT));
#endif
    }
#if SCALAR_IS_DOUBLE
    barrier(CLK_LOCAL_MEM_FENCE);
    #pragma unroll
    for (int k = 0; k < PLACES; k++) {
        const double scale = as_double((ulong)(1023 - exponents[k * TILE + g]) << 52);
        #pragma unroll
        for (int r = 0; r < TILES; r++) {
            x[r][k][0] *= scale;
            x[r][k][1] *= scale;
        }
    }
#endif

    // Nothing is found yet.
    if (item == 0) finds[1].begin = finds[1].end = 0;
    int done = 0, pass = 0;
    #pragma unroll 1
    do {
        const int start = done % TILE, tile = done / TILE, first = tile * TILE, later = PANEL - first;
        __local found *its = finds + pass % 2;
        // Products of the tile's columns, below its rows, with all columns.
        double sums[PAIRS][4];
        #pragma unroll
        for (int k = 0; k < PAIRS; k++) sums[k][0] = sums[k][1] = sums[k][2] = sums[k][3] = 0;
        UNROLL_FRAGMENTS
        for (int r = 0; r < TILES; r++) {
            const bool is_below = warp * TILES + r > tile;
            const double below[2] = {is_below ? x[r][0][0] : 0, is_below ? x[r][0][1] : 0};
            UNROLL_FRAGMENTS
            for (int k = 0; k < PAIRS; k++) {
                const double columns[4] = {x[r][2 * k][0], x[r][2 * k + 1][0], x[r][2 * k][1], x[r][2 * k + 1][1]};
                multiply_fragments(sums[k], columns, below, fragment_room);
            }
        }
        warp_barrier();
        #pragma unroll
        for (int k = 0; k < PAIRS; k++) {
            #pragma unroll
            for (int s = 0; s < 4; s++) share[(k * 4 + s) * WARP + lane] = sums[k][s];
        }
        #pragma unroll
        for (int r = 0; r < TOPMOST; r++) {
            if (warp * TILES + r == tile) {
                #pragma unroll
                for (int k = 0; k < PLACES; k++) {
                    #pragma unroll
                    for (int e = 0; e < 2; e++) tops[(2 * q + e) * PANEL + k * TILE + g] = x[r][k][e];
                }
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
        for (int e = item; e < SHARE; e += THREADS) {
            const int s = e / WARP % 4, i = 2 * (e % 4) + s % 2, p = e / WARP / 4 * 2 * TILE + s / 2 * TILE + e % WARP / 4;
            double below[2] = {0, 0}, beside[2] = {0, 0};
            #pragma unroll
            for (int w = 0; w < WARPS; w++) below[w % 2] += shares[w * ROOM + e];
            #pragma unroll
            for (int r = 0; r < TILE; r++)
                beside[r % 2] = fma(r < start ? 0 : tops[r * PANEL + i], tops[r * PANEL + p], beside[r % 2]);
            const double of_rows = below[0] + below[1], sum = of_rows + (beside[0] + beside[1]);
            products[i * PANEL + p] = sum;
            if (p < TILE) its->below[i * TILE + p] = of_rows;
            if (i == p) {
                empty[i] = of_rows == 0;
                floors[i] = FLOOR * sum;
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (warp == 0 || !warp_works_alone) {
            const int last = reflect_tile(start, later, warp == 0, tops, products, floors, empty, &room, changes, its);
            if (item == 0) {
                ends[0] = its->end = last;
                its->begin = done;
            }
        }
        if (warp > 0 || !warp_works_alone)
            find_triangle(warp - warp_works_alone, WARPS - warp_works_alone, width, finds + (pass + 1) % 2, square_room,
                          tau, t, t_stride);
        #pragma unroll
        for (int r = 0; r < TILES; r++) {
            const bool is_below = warp * TILES + r > tile;
            own[r * SQUARE] = is_below ? x[r][0][0] : 0;
            own[r * SQUARE + 1] = is_below ? x[r][0][1] : 0;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        const int end = ends[0];

        double factors[PAIRS][4];
        #pragma unroll
        for (int k = 0; k < PAIRS; k++) {
            #pragma unroll
            for (int s = 0; s < 4; s++)
                factors[k][s] = changes[(q + s / 2 * 4) * PANEL + (2 * k + s % 2) * TILE + g];
        }
        const bool is_new = g >= start && g < end, takes[2] = {q >= start && q < end, q + 4 >= start && q + 4 < end};
        UNROLL_FRAGMENTS
        for (int r = 0; r < TILES; r++) {
            const bool is_set = is_new && warp * TILES + r > tile;
            __local const double *turned = share + r * SQUARE + q * TILE + g;
            const double columns[2] = {takes[0] ? turned[0] : 0, takes[1] ? turned[4 * TILE] : 0};
            UNROLL_FRAGMENTS
            for (int k = 0; k < PAIRS; k++) {
                if (2 * k * TILE >= later) continue;
                double changed[4] = {k == 0 && is_set ? 0 : x[r][2 * k][0], k == 0 && is_set ? 0 : x[r][2 * k][1],
                                     x[r][2 * k + 1][0], x[r][2 * k + 1][1]};
                multiply_fragments(changed, factors[k], columns, fragment_room);
                #pragma unroll
                for (int e = 0; e < 2; e++) {
                    if (k > 0 || g >= start) x[r][2 * k][e] = changed[e];
                    if ((2 * k + 1) * TILE < later) x[r][2 * k + 1][e] = changed[2 + e];
                }
            }
        }
        #pragma unroll
        for (int r = 0; r < TOPMOST; r++) {
            if (warp * TILES + r == tile) {
                #pragma unroll
                for (int k = 0; k < PLACES; k++) {
                    #pragma unroll
                    for (int e = 0; e < 2; e++) x[r][k][e] = tops[(2 * q + e) * PANEL + k * TILE + g];
                }
            }
        }
        done = first + end;
        pass++;
        if (end == TILE || done >= width) {
            // The tile's columns are stored, and others go round.
            warp_barrier();
            #pragma unroll
            for (int r = 0; r < TILES; r++) {
                #pragma unroll
                for (int e = 0; e < 2; e++) {
                    const double its_x = x[r][0][e];
                    own[r * SQUARE + e] = its_x;
                    #pragma unroll
                    for (int k = 1; k < PLACES; k++) x[r][k - 1][e] = x[r][k][e];
                    x[r][PLACES - 1][e] = its_x;
                }
            }
            warp_barrier();
            #pragma unroll
            for (int r = 0; r < WARP_ROWS; r += WARP) {
                const int row = warp * WARP_ROWS + r + lane;
                if (r + lane < WARP_ROWS && row < rows) {
                    __global scalar *target = a + place(row) * row_stride + first * column_stride;
                    __global scalar *vector = whole + row + first * whole_stride;
                    #pragma unroll
                    for (int c = 0; c < TILE; c++) {
                        const int column = first + c;
                        if (column < width) {
                            const double element = listed[r * TILE + c * TILE];
                            vector[c * whole_stride] = row > column ? element : row == column ? 1 : 0;
#if SCALAR_IS_DOUBLE
                            const double stored = row > column ? element : ldexp(element, exponents[column]);
#else
                            const double stored = element;
#endif
                            // Where triangles lie, only the last one is R's.
                            if (!STACKED || row <= column) target[c * column_stride] = stored;
                        }
                    }
                }
            }
        }
    } while (done < width);
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    find_triangle(warp, WARPS, width, finds + (pass + 1) % 2, square_room, tau, t, t_stride);
}
