// What all elements of a matrix come to, of which each stands for two beside the diagonal of a mirrored triangle. A work-group
// takes a block of `rows` rows of `columns` columns; what it comes to is the result, or one of the partials that finish.cl joins.

__kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void measure(
    long m, long n, long rows, long columns, int triangle, int corner, int mirrored, __global const scalar *restrict a,
    long offset, long ld, __global partial *partials, __global result_type *results, long place)
{
    const long top = get_group_id(0) * rows, bottom = min(m, top + rows);
    const long left = get_group_id(1) * columns, right = min(n, left + columns);
    partial beside = NOTHING, on = NOTHING;
    a += offset;
    for (long j = left; j < right; j++) {
        const long begin = first_row(triangle, j, top), end = last_row(triangle, j, bottom);
        if (begin < end) beside = with_run(beside, a + j * ld + begin, end - begin);
        if (corner != ANY && top <= j && j < bottom && j % THREADS == get_local_id(0))
            on = with_element(on, on_diagonal(corner, a + j * ld + j));
    }
    if (mirrored) beside = joined(beside, beside);

    LOCAL_SUMS
    const partial total = group_total(joined(beside, on));
    if (get_local_id(0) == 0) {
        const long groups = (long)get_num_groups(0) * get_num_groups(1);
        if (groups == 1)
            results[place] = RESULT(total);
        else
            partials[get_group_id(0) + get_group_id(1) * get_num_groups(0)] = total;
    }
}
