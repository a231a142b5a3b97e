// The pivot of a column, which a work-group looks for together.
// Parameter: THREADS (a multiple of JUDGED).

#define JUDGED 8
// Work-items that compare so many candidates each, and those that compare so many of their results.
#define FIRST_JUDGES (THREADS / JUDGED)
#define LAST_JUDGES ((FIRST_JUDGES + JUDGED - 1) / JUDGED)

// How many rows are offered as the pivot's, and which of them a row is: one, which is the group's best already.
#define OFFERS 1
#define offer_of(row) 0

// See search_nvidia.cl.
#define keep_apart(row)

// The best of some of `count` candidates, `step` apart, from the work-item's own on. They are all read before they are compared.
inline candidate best_of(__local const real *keys, __local const int *rows, int own, int step, int count)
{
    candidate found[JUDGED];
    #pragma unroll
    for (int i = 0; i < JUDGED; i++) {
        const int place = own + i * step < count ? own + i * step : own;
        found[i].key = keys[place];
        found[i].row = rows[place];
    }
    const candidate first = better_of(better_of(found[0], found[1]), better_of(found[2], found[3]));
    const candidate second = better_of(better_of(found[4], found[5]), better_of(found[6], found[7]));
    return better_of(first, second);
}

// What the search needs in local memory.
typedef struct {
    real keys[THREADS], better_keys[FIRST_JUDGES], best_keys[LAST_JUDGES];
    int rows[THREADS], better_rows[FIRST_JUDGES], best_rows[LAST_JUDGES];
} search_room;

// The row of the best candidate, from each work-item's own: the same for all of them. Turns are counted for search_nvidia.cl.
inline int row_to_offer(candidate own, __local search_room *room, int turn)
{
    const int item = get_local_id(0);
    room->keys[item] = own.key;
    room->rows[item] = own.row;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item < FIRST_JUDGES) {
        const candidate better = best_of(room->keys, room->rows, item, FIRST_JUDGES, THREADS);
        room->better_keys[item] = better.key;
        room->better_rows[item] = better.row;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item < LAST_JUDGES) {
        const candidate best = best_of(room->better_keys, room->better_rows, item, LAST_JUDGES, FIRST_JUDGES);
        room->best_keys[item] = best.key;
        room->best_rows[item] = best.row;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    return best_of(room->best_keys, room->best_rows, 0, 1, LAST_JUDGES).row;
}

// The best of the rows that were offered, after a barrier.
inline int best_offered(int offered, __local const search_room *room, int turn)
{
    return offered;
}
