// P A = L U for each matrix of a batch, or for a panel of its columns: a team of TEAM work-items has a row each, in registers, from
// the beginning to the end. `place` says where a row belongs, and only when all columns are done does it go there.
//
// STEP columns at a time are eliminated one by one; then a row's elements move up by STEP, so that the next columns stand first in
// the registers, and what is done comes last.
//
// Pivots count from 1 + `base`. The info becomes the number of the first one that is zero, or 0; of a panel that is not a matrix's
// first one, only if it was 0 before.
// Parameters: TEAM (a power of two, at least 4: rows, at most), TEAMS (of a group), WIDTH (columns, at most: a multiple of STEP), STEP.

#define THREADS (TEAM * TEAMS)
// Candidates that a work-item compares first, and the number of results that it compares then.
#define JUDGED (TEAM <= 8 ? TEAM : TEAM <= 32 ? 4 : TEAM <= 64 ? 8 : 16)
#define RESULTS (TEAM / JUDGED)

// What a team's search needs in local memory.
typedef struct {
    real keys[TEAM], better_keys[RESULTS];
    int rows[TEAM], better_rows[RESULTS];
} search_room;

// The row of the best candidate of a team, from each work-item's own: the same for all of them.
inline int best_in_team(candidate own, __local search_room *room)
{
    const int item = get_local_id(0) % TEAM, judge = item % RESULTS;
    room->keys[item] = own.key;
    room->rows[item] = own.row;
    barrier(CLK_LOCAL_MEM_FENCE);
    candidate best = {room->keys[judge], room->rows[judge]};
    #pragma unroll
    for (int i = 1; i < JUDGED; i++) {
        const candidate other = {room->keys[judge + i * RESULTS], room->rows[judge + i * RESULTS]};
        best = better_of(best, other);
    }
    if (item < RESULTS) {
        room->better_keys[item] = best.key;
        room->better_rows[item] = best.row;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    best.key = room->better_keys[0];
    best.row = room->better_rows[0];
    #pragma unroll
    for (int i = 1; i < RESULTS; i++) {
        const candidate other = {room->better_keys[i], room->better_rows[i]};
        best = better_of(best, other);
    }
    return best.row;
}

__kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void lu_batched(
    int rows, int columns, __global scalar *a, long a_offset, long row_stride, long column_stride, int base,
    __global int *pivots, long pivot_offset, long pivot_stride, __global int *info, long info_offset, BATCH_PARAMETERS,
    long a_spacing)
{
    __local search_room rooms[TEAMS];
    __local scalar pivot_rows[TEAMS][WIDTH];
    const int team = get_local_id(0) / TEAM, row = get_local_id(0) % TEAM;
    const long matrix = (long)get_group_id(0) * TEAMS + team;
    const bool is_there = matrix < count;
    const int height = is_there ? rows : 0, steps = min(height, columns);
    __local scalar *pivot_row = pivot_rows[team];
    if (is_there) a += a_offset + place_in_batch(matrix, a_spacing);

    scalar x[WIDTH];
    #pragma unroll
    for (int c = 0; c < WIDTH; c++)
        x[c] = row < height && c < columns ? a[row * row_stride + c * column_stride] : SCALAR_ZERO;
    int place = row, found = 0;
    #pragma unroll 1
    for (int done = 0; done < WIDTH; done += STEP) {
        #pragma unroll
        for (int s = 0; s < STEP; s++) {
            const int j = done + s;
            const bool is_step = j < steps, is_live = place >= j && place < height;
            const candidate own = {is_live ? pivot_key(x[s], place == j) : (real)-2, is_live ? place : INT_MAX};
            const int best = best_in_team(own, &rooms[team]);
            if (is_step && place == best) {
                #pragma unroll
                for (int g = 0; g < WIDTH; g += STEP) {
                    if (done + g < WIDTH) {
                        #pragma unroll
                        for (int c = g; c < g + STEP; c++) pivot_row[c] = x[c];
                    }
                }
            }
            // What all have read of the matrix is read before any of it is written.
            barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
            if (is_step) {
                const scalar pivot = pivot_row[s];
                const bool is_singular = is_zero(pivot);
                const scalar inverse = reciprocal_of(pivot);
                if (is_singular && found == 0) found = base + j + 1;
                if (row == 0) pivots[pivot_offset + matrix * pivot_stride + j] = base + best + 1;
                place = place == best ? j : place == j ? best : place;
                if (place > j && place < height) {
                    if (!is_singular) x[s] = divided(x[s], pivot, inverse);
                    #pragma unroll
                    for (int c = s + 1; c < STEP; c++) x[c] = multiply_add(-x[s], pivot_row[c], x[c]);
                    #pragma unroll
                    for (int g = STEP; g < WIDTH; g += STEP) {
                        if (done + g < columns) {
                            #pragma unroll
                            for (int c = g; c < g + STEP; c++) x[c] = multiply_add(-x[s], pivot_row[c], x[c]);
                        }
                    }
                }
            }
        }
        scalar first[STEP];
        #pragma unroll
        for (int c = 0; c < STEP; c++) first[c] = x[c];
        #pragma unroll
        for (int c = 0; c < WIDTH - STEP; c++) x[c] = x[c + STEP];
        #pragma unroll
        for (int c = 0; c < STEP; c++) x[WIDTH - STEP + c] = first[c];
    }
    #pragma unroll
    for (int c = 0; c < WIDTH; c++)
        if (row < height && c < columns) a[place * row_stride + c * column_stride] = x[c];
    if (is_there && row == 0 && (base == 0 || info[info_offset + matrix] == 0)) info[info_offset + matrix] = found;
}
