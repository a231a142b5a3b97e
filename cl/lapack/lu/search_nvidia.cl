// The best candidate of a work-group, by NVIDIA's comparison of the 32 work-items of a warp in one instruction. As search.cl.
// Parameter: THREADS (a multiple of 32, 1024 at most).

#define WARP 32
#define WARPS (THREADS / WARP)

// Keeps the compiler from making one branch of those for different rows, which would take the rows' elements from memory.
#define keep_apart(row) __asm__ volatile("// %0" : : "n"(row))

// Two turns' candidates, so that one barrier will do.
typedef struct {
    real keys[2][WARPS];
    int rows[2][WARPS];
} search_room;

#define REDUCED(name, type, instruction)                                                            \
    inline type name(type value)                                                                    \
    {                                                                                               \
        type result;                                                                                \
        __asm__ volatile("redux.sync." instruction " %0, %1, 0xffffffff;" : "=r"(result) : "r"(value)); \
        return result;                                                                              \
    }
REDUCED(largest_in_warp, int, "max.s32")
REDUCED(largest_word_in_warp, uint, "max.u32")
REDUCED(smallest_in_warp, int, "min.s32")

// Bits of numbers that are not negative compare as integers. A pivot never has a negative key: the row on the diagonal has none.
inline candidate best_in_warp(candidate own)
{
#if SCALAR_IS_DOUBLE
    const long bits = own.key < 0 ? -1L : as_long(own.key);
    const int high = (int)(bits >> 32), best_high = largest_in_warp(high);
    const uint best_low = largest_word_in_warp(high == best_high ? (uint)bits : 0u);
    const bool is_best = high == best_high && (uint)bits == best_low;
    const real key = best_high < 0 ? -1.0 : as_double(((long)best_high << 32) | best_low);
#else
    const int bits = own.key < 0 ? -1 : as_int(own.key), best_bits = largest_in_warp(bits);
    const bool is_best = bits == best_bits;
    const real key = best_bits < 0 ? -1.0f : as_float(best_bits);
#endif
    const candidate best = {key, smallest_in_warp(is_best ? own.row : INT_MAX)};
    return best;
}

// How many rows are offered as the pivot's, and which of them a row is: each warp's best.
#define OFFERS WARPS
#define offer_of(row) ((uint)(row) % THREADS / WARP)

// The row of the warp's best candidate, from each work-item's own.
inline int row_to_offer(candidate own, __local search_room *room, int turn)
{
    const int item = get_local_id(0);
    const candidate best = best_in_warp(own);
    if (item % WARP == 0) {
        room->keys[turn & 1][item / WARP] = best.key;
        room->rows[turn & 1][item / WARP] = best.row;
    }
    return best.row;
}

// The best of the rows that were offered, after a barrier.
inline int best_offered(int offered, __local const search_room *room, int turn)
{
    const int lane = get_local_id(0) % WARP;
    const bool is_judge = lane < WARPS;
    const real key = room->keys[turn & 1][lane % WARPS];
    const int row = room->rows[turn & 1][lane % WARPS];
    const candidate other = {is_judge ? key : (real)-1, is_judge ? row : INT_MAX};
    return best_in_warp(other).row;
}
