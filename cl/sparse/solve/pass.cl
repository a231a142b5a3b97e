// What passes over vectors have in common: the kernels themselves are written from a solver's recurrence.
//
// A pass first adds up what the work-groups of the pass before summed, always in the same order and in each of its work-groups, and
// computes its numbers from that; its first work-group stores them for the next pass, in another place than it has them from.
// Vectors begin at whole wide vectors, and have zeros behind their ends, so that `n` and `block` count whole ones.
// Defined before this file: THREADS (work-items of a group, a power of two), NUMBERS (how many there are), STATUS (which one is not 0
// once the solver has stopped); on CPUs, whose groups are one work-item, VECTOR_WIDTH.

#define PASS_PARAMETERS                                                                                                  \
    long n, long block, long slot, long blocks, __global const scalar *restrict numbers, __global scalar *restrict next_numbers, \
        __global const scalar *restrict sums, __global scalar *restrict next_sums, __global scalar *restrict history

#ifdef VECTOR_WIDTH
#define element vector
#define STEP (VECTOR_WIDTH / PARTS)
#define load_element(v, i) (*(__global const vector *)((v) + (i)))
#define store_element(v, i, e) (*(__global vector *)((v) + (i)) = (e))
#define factor_times(a, e) multiply_vector(a, e)
#define no_element ((vector)(0))
#if SCALAR_IS_COMPLEX
inline vector element_product(vector a, vector b)
{
    vector product;
    product.even = a.even * b.even - a.odd * b.odd;
    product.odd = a.even * b.odd + a.odd * b.even;
    return product;
}
// Sums of products of parts: re*re in the even places of `like` and im*im in the odd ones; re*im and im*re in `unlike`.
typedef struct {
    vector like, unlike;
} lanes;

inline lanes no_lanes(void)
{
    const lanes none = {(vector)(0), (vector)(0)};
    return none;
}

inline lanes lanes_with(lanes sum, vector x, vector y)
{
    sum.like = real_multiply_add(x, y, sum.like);
    sum.unlike = real_multiply_add(x, swap_parts(y), sum.unlike);
    return sum;
}

inline scalar lanes_sum(lanes sum)
{
    const real2 like = pair_sum(sum.like), unlike = pair_sum(sum.unlike);
    return (scalar)(like.x + like.y, unlike.x - unlike.y);
}
#else
#define element_product(a, b) ((a) * (b))
typedef vector lanes;
#define no_lanes() ((vector)(0))
#define lanes_with(sum, x, y) real_multiply_add(x, y, sum)

inline scalar lanes_sum(lanes sum)
{
    const real2 pair = pair_sum(sum);
    return pair.x + pair.y;
}
#endif
#else
#define element scalar
#define STEP THREADS
#define load_element(v, i) v[i]
#define store_element(v, i, e) v[i] = (e)
#define factor_times(a, e) multiply(a, e)
#define no_element SCALAR_ZERO
#define element_product(a, b) multiply(a, b)
typedef scalar lanes;
#define no_lanes() SCALAR_ZERO
#define lanes_with(sum, x, y) multiply_add(conjugate_if(1, x), y, sum)
#define lanes_sum(sum) (sum)
#endif

// What a work-group's items have, added up in a tree; every item gets the total.
#if THREADS > 1
#define LOCAL_SUMS __local scalar tree[THREADS];
#define group_total(mine) tree_total(mine, tree)

inline scalar tree_total(scalar mine, __local scalar *tree)
{
    const int item = get_local_id(0);
    barrier(CLK_LOCAL_MEM_FENCE);
    tree[item] = mine;
    for (int half_size = THREADS / 2; half_size > 0; half_size /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item < half_size) tree[item] += tree[item + half_size];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    return tree[0];
}
#else
#define LOCAL_SUMS
#define group_total(mine) (mine)
#endif

// What the work-groups before have of a sum.
inline scalar share_of_sum(__global const scalar *restrict sums, long blocks)
{
    scalar mine = SCALAR_ZERO;
    for (long i = get_local_id(0); i < blocks; i += THREADS) mine += sums[i];
    return mine;
}

// A solver that has stopped: its numbers go on as they are.
#define STOP_IF_STOPPED                                                                            \
    if (real_part(numbers[STATUS]) != 0) {                                                         \
        if (get_group_id(0) == 0)                                                                  \
            for (int i = get_local_id(0); i < NUMBERS; i += THREADS) next_numbers[i] = numbers[i]; \
        return;                                                                                    \
    }

// Numbers that the pass does not compute.
#define KEEP_NUMBERS(changed)                                    \
    if (get_group_id(0) == 0)                                    \
        for (int i = get_local_id(0); i < NUMBERS; i += THREADS) \
            if (!((changed) >> i & 1)) next_numbers[i] = numbers[i]
