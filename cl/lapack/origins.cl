// Where rows come from that interchanges move, one after another, each with a partner: for every COUNT of them the rows that change,
// and the rows whose elements these get.
//
// Of the i-th COUNT interchanges `moves` gets 2 COUNT rows and then their origins, from 4 COUNT i on. A row is -1 where there is none.
// `pivots` count rows from 1 + `base`; one that is none of the `rows` there are is passed over.
//
// Work-groups: a row of them for the rows of COUNT interchanges, as many rows of groups as there are such.
// Parameters: THREADS, COUNT (interchanges that one launch of interchange_columns.cl makes, at most).

#define ROWS (2 * COUNT)

// The row whose element is in row `row` after the interchanges of `first` and what follows it with their partners.
inline int origin(int row, int first, int backward, __local const int *partner)
{
    #pragma unroll 8
    for (int s = 0; s < COUNT; s++) {
        const int i = backward ? s : COUNT - 1 - s;
        const int other = partner[i];
        row = row == first + i ? other : row == other ? first + i : row;
    }
    return row;
}

__kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void origins(
    int rows, int first, int count, int backward, __global const int *restrict pivots, long pivot_offset, long pivot_step,
    int base, __global int *restrict moves)
{
    // Beyond the last interchange each row is its own partner.
    __local int partner[COUNT];
    const int item = get_local_id(0), piece = get_group_id(1), s = get_group_id(0) * THREADS + item;
    const long done = (long)piece * COUNT;
    first += (int)done;
    for (int i = item; i < COUNT; i += THREADS) {
        const int row = done + i < count ? pivots[pivot_offset + (done + i) * pivot_step] - 1 - base : -1;
        partner[i] = row >= 0 && row < rows ? row : first + i;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (s < ROWS) {
        int row = first + s;
        if (s >= COUNT) {
            // A row that is among the interchanged ones, or the partner of several, has its place already.
            row = partner[s - COUNT];
            int is_known = row >= first && row < first + COUNT;
            for (int i = 0; i < s - COUNT; i++) is_known |= partner[i] == row;
            row = is_known ? -1 : row;
        }
        const int from = origin(row, first, backward, partner);
        moves += piece * (2L * ROWS);
        moves[s] = from == row ? -1 : row;
        moves[ROWS + s] = from;
    }
}
