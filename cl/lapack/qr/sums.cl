// Sums over a work-group, WIDTH of them at a time, in local memory. Turns are counted for sums_nvidia.cl.
// Parameters: THREADS (a multiple of SUMMED), WIDTH, PANEL.

#define SUMMED 8
// Work-items that add so many numbers each for a sum, and those that add so many of their results.
#define FIRST_SUMMERS (THREADS / SUMMED)
#define LAST_SUMMERS ((FIRST_SUMMERS + SUMMED - 1) / SUMMED)

typedef struct {
    scalar parts[WIDTH * THREADS], fewer[WIDTH * FIRST_SUMMERS], last[WIDTH * LAST_SUMMERS], totals[WIDTH];
} sum_room;

// All of them; and the one whose number is the work-item's, of the first WIDTH.
typedef __local const scalar *group_sums;
#define sum_of(sums, c) (sums)[c]
#define own_sum(sums) (sums)[get_local_id(0)]

inline group_sums sum_in_group(const scalar *own, __local sum_room *room, int turn)
{
    const int item = get_local_id(0);
    #pragma unroll
    for (int c = 0; c < WIDTH; c++) room->parts[c * THREADS + item] = own[c];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int e = item; e < WIDTH * FIRST_SUMMERS; e += THREADS) {
        __local const scalar *its = room->parts + e / FIRST_SUMMERS * THREADS + e % FIRST_SUMMERS;
        scalar sum = its[0];
        #pragma unroll
        for (int i = 1; i < SUMMED; i++) sum += its[i * FIRST_SUMMERS];
        room->fewer[e] = sum;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int e = item; e < WIDTH * LAST_SUMMERS; e += THREADS) {
        __local const scalar *its = room->fewer + e / LAST_SUMMERS * FIRST_SUMMERS;
        scalar sum = its[e % LAST_SUMMERS];
        for (int i = e % LAST_SUMMERS + LAST_SUMMERS; i < FIRST_SUMMERS; i += LAST_SUMMERS) sum += its[i];
        room->last[e] = sum;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item < WIDTH) {
        scalar sum = room->last[item * LAST_SUMMERS];
        for (int i = 1; i < LAST_SUMMERS; i++) sum += room->last[item * LAST_SUMMERS + i];
        room->totals[item] = sum;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    return room->totals;
}

// The sums of PANEL times WIDTH numbers, BATCH times WIDTH of them at a time: the work-items' own become those from this number
// times WIDTH on. It is written where it is used, since PoCL 3.1 gets barriers in functions of functions wrong.
typedef struct {
    scalar totals[PANEL * WIDTH];
} beside_room;

#define BATCH 1
#define UNROLL_BESIDE
#define SUM_BESIDE(own, number)                                                                                       \
    {                                                                                                                 \
        const group_sums its = sum_in_group(own, &room, 0);                                                           \
        for (int i = item; i < WIDTH; i += THREADS) beside.totals[(number) * WIDTH + i] = its[i];                     \
    }

// The first of them, for all work-items.
inline void join_sums(__local beside_room *beside, int count)
{
    barrier(CLK_LOCAL_MEM_FENCE);
}
