// Sums of squares over a work-group.
// Parameters: THREADS (a multiple of SUMMERS), SUMMERS.

// The sum over the group: the same for all its work-items.
inline squares squares_in_group(squares sum, __local squares *sums, __local squares *fewer)
{
    const int item = get_local_id(0);
    sums[item] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item < SUMMERS) {
        for (int i = item + SUMMERS; i < THREADS; i += SUMMERS) sum = squares_joined(sum, sums[i]);
        fewer[item] = sum;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    sum = fewer[0];
    for (int i = 1; i < SUMMERS; i++) sum = squares_joined(sum, fewer[i]);
    return sum;
}
