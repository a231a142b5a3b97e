// Sums over a work-group, WIDTH of them at a time, by NVIDIA's shuffles between the 32 work-items of a warp. As sums.cl.
// Parameters: THREADS (a multiple of 32), WIDTH (a power of two, 32 at most), PANEL.

#define WARP 32
#define WARPS (THREADS / WARP)

// Two turns' parts, so that one barrier will do.
typedef struct {
    scalar parts[2 * WARPS * WIDTH];
} sum_room;

inline int word_from(int value, int lane_bits)
{
    int other;
    __asm__ volatile("shfl.sync.bfly.b32 %0, %1, %2, 31, 0xffffffff;" : "=r"(other) : "r"(value), "r"(lane_bits));
    return other;
}

inline int word_at(int value, int lane)
{
    int other;
    __asm__ volatile("shfl.sync.idx.b32 %0, %1, %2, 31, 0xffffffff;" : "=r"(other) : "r"(value), "r"(lane));
    return other;
}

// The value of the work-item whose number in the warp differs in these bits, and of the one with this number.
#if SCALAR_IS_COMPLEX && SCALAR_IS_DOUBLE
#define as_words as_int4
#define WORDS(f, v, n) as_double2((int4)(f((v).x, n), f((v).y, n), f((v).z, n), f((v).w, n)))
#elif SCALAR_IS_COMPLEX
#define as_words as_int2
#define WORDS(f, v, n) as_float2((int2)(f((v).x, n), f((v).y, n)))
#elif SCALAR_IS_DOUBLE
#define as_words as_int2
#define WORDS(f, v, n) as_double((int2)(f((v).x, n), f((v).y, n)))
#endif

inline scalar scalar_from(scalar value, int lane_bits)
{
#ifdef WORDS
    return WORDS(word_from, as_words(value), lane_bits);
#else
    return as_float(word_from(as_int(value), lane_bits));
#endif
}

inline scalar scalar_at(scalar value, int lane)
{
#ifdef WORDS
    return WORDS(word_at, as_words(value), lane);
#else
    return as_float(word_at(as_int(value), lane));
#endif
}

// Work-item i of each warp has sum i % WIDTH.
typedef scalar group_sums;
#define sum_of(sums, c) scalar_at(sums, c)
#define own_sum(sums) (sums)

// Written out for each number of sums that are kept: as a loop over those, the sums would not stay in registers.
#define GIVE_HALF(COUNT, kept)                                                                                        \
    if (COUNT > kept) {                                                                                               \
        _Pragma("unroll") for (int i = 0; i < kept; i++)                                                              \
        {                                                                                                             \
            const scalar lower = own[i], upper = own[(i + kept) % COUNT];                                             \
            own[i] = (lane & kept ? upper : lower) + scalar_from(lane & kept ? lower : upper, kept);                  \
        }                                                                                                             \
    }

// COUNT sums over a warp: work-item i has sum i % COUNT. Half of them go to the other half of work-items, until each has one.
#define SUM_IN_WARP(name, COUNT)                                                                                      \
    inline scalar name(scalar *own)                                                                                   \
    {                                                                                                                 \
        const int lane = get_local_id(0) % WARP;                                                                      \
        GIVE_HALF(COUNT, 16)                                                                                          \
        GIVE_HALF(COUNT, 8)                                                                                           \
        GIVE_HALF(COUNT, 4)                                                                                           \
        GIVE_HALF(COUNT, 2)                                                                                           \
        GIVE_HALF(COUNT, 1)                                                                                           \
        scalar sum = own[0];                                                                                          \
        _Pragma("unroll") for (int bits = COUNT; bits < WARP; bits *= 2) sum += scalar_from(sum, bits);               \
        return sum;                                                                                                   \
    }

SUM_IN_WARP(sum_in_warp, WIDTH)

inline group_sums sum_in_group(scalar *own, __local sum_room *room, int turn)
{
    const int item = get_local_id(0), lane = item % WARP;
    __local scalar *parts = room->parts + (turn & 1) * WARPS * WIDTH;
    scalar sum = sum_in_warp(own);
    if (lane < WIDTH) parts[item / WARP * WIDTH + lane] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    sum = SCALAR_ZERO;
    #pragma unroll
    for (int i = lane / WIDTH; i < WARPS; i += WARP / WIDTH) sum += parts[i * WIDTH + lane % WIDTH];
    #pragma unroll
    for (int bits = WIDTH; bits < WARP; bits *= 2) sum += scalar_from(sum, bits);
    return sum;
}

// The sums of PANEL times WIDTH numbers, BATCH times WIDTH of them at a time: the work-items' own become those from this number
// times WIDTH on. The more they are, the less does one wait for another's shuffles; but they are in registers.
#define SUMS_THAT_FIT ((THREADS > 256 ? 128 : 256) / (int)sizeof(scalar))
#define MOST_SUMS (SUMS_THAT_FIT < 32 ? SUMS_THAT_FIT : 32)
#define BATCH (WIDTH * WIDTH <= MOST_SUMS ? WIDTH : WIDTH <= MOST_SUMS ? MOST_SUMS / WIDTH : 1)

SUM_IN_WARP(sum_batch_in_warp, (BATCH * WIDTH))

typedef struct {
    scalar parts[WARPS * PANEL * WIDTH], totals[PANEL * WIDTH];
} beside_room;

#if RESIDENT
#define UNROLL_BESIDE _Pragma("unroll")
#else
#define UNROLL_BESIDE _Pragma("unroll 1")
#endif
#define SUM_BESIDE(own, number)                                                                                       \
    {                                                                                                                 \
        const scalar sum = sum_batch_in_warp(own);                                                                    \
        if (item % WARP < BATCH * WIDTH)                                                                              \
            beside.parts[(item / WARP * PANEL + (number)) * WIDTH + item % WARP] = sum;                               \
    }

// The first of them, for all work-items.
inline void join_sums(__local beside_room *beside, int count)
{
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int e = get_local_id(0); e < count; e += THREADS) {
        scalar sum = beside->parts[e];
        #pragma unroll
        for (int i = 1; i < WARPS; i++) sum += beside->parts[i * PANEL * WIDTH + e];
        beside->totals[e] = sum;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}
