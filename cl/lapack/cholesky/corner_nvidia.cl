// As inner.cl's, by the warp that finds factors: each half of it has half of the rows above, and then half of the corner's.
inline void update_corner(__local scalar (*corner)[INNER], __local const scalar (*above)[PITCH], int first)
{
    const int lane = get_local_id(0) % WARP, j = lane % INNER, begin = lane / INNER * (INNER / 2);
    if (!is_inner_warp()) return;
    scalar sums[INNER];
    #pragma unroll
    for (int i = 0; i < INNER; i++) sums[i] = SCALAR_ZERO;
    #pragma unroll
    for (int k = 0; k < INNER / 2; k++) {
        __local const scalar *row = &above[begin + k][first];
        const scalar factor = row[j];
        #pragma unroll
        for (int i = 0; i < INNER; i++) sums[i] = multiply_add(conjugate_if(1, row[i]), factor, sums[i]);
    }
    #pragma unroll
    for (int i = 0; i < INNER / 2; i++) {
        // Each half sends what the other one has rows for.
        const scalar upper = sums[i], lower = sums[i + INNER / 2];
        const scalar own = begin == 0 ? upper : lower, sent = begin == 0 ? lower : upper;
        corner[begin + i][j] = corner[begin + i][j] - own - of_lane(sent, lane ^ INNER);
    }
}
