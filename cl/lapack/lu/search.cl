// The pivot of a column, which a work-group looks for together.
// Parameters: THREADS (a multiple of SEARCHERS), SEARCHERS.

#define SHARE (THREADS / SEARCHERS)

// As in LAPACK's ixamax a NaN is never larger; but nothing is larger than one on the diagonal.
inline real pivot_key(scalar value, bool on_diagonal)
{
    const real size = sum_of_moduli(value);
    return size == size ? size : on_diagonal ? (real)INFINITY : (real)-1;
}

// Of equal keys the first row's counts.
#define take_larger(key, row, other_key, other_row)                                           \
    if ((other_key) > key || ((other_key) == key && (other_row) < row)) {                     \
        key = other_key;                                                                      \
        row = other_row;                                                                      \
    }

// The row with the largest key, from each work-item's own: the same for all of them.
inline int largest_in_group(real key, int row, __local real *keys, __local int *rows, __local real *best_keys,
                            __local int *best_rows)
{
    const int item = get_local_id(0);
    keys[item] = key;
    rows[item] = row;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item < SEARCHERS) {
        for (int i = 1; i < SHARE; i++) {
            const int other = item + i * SEARCHERS;
            take_larger(key, row, keys[other], rows[other]);
        }
        best_keys[item] = key;
        best_rows[item] = row;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    key = best_keys[0];
    row = best_rows[0];
    for (int i = 1; i < SEARCHERS; i++) take_larger(key, row, best_keys[i], best_rows[i]);
    return row;
}
