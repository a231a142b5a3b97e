// A work-item's sums on the tensor cores: those of FRAGMENTS_M fragments of 16 rows and FRAGMENTS_N of 8 columns, of which it has the rows g and
// g + 8 and the columns 2*t and 2*t + 1.

typedef struct {
    real value[FRAGMENTS_M][FRAGMENTS_N][PARTS][4];
} tile_sums;

inline void clear_sums(tile_sums *sums)
{
    UNROLL
    for (int i = 0; i < FRAGMENTS_M; i++)
        UNROLL
        for (int j = 0; j < FRAGMENTS_N; j++)
            UNROLL
            for (int part = 0; part < PARTS; part++)
                UNROLL
                for (int r = 0; r < 4; r++) sums->value[i][j][part][r] = 0;
}

// The sum of a work-item's q-th row and, of its two columns in the j-th fragment, the one or the other.
inline scalar sum_of(const tile_sums *sums, const int q, const int j, const int second)
{
    return from_parts(sums->value[q / 2][j][0][q % 2 * 2 + second], sums->value[q / 2][j][PARTS - 1][q % 2 * 2 + second]);
}

#if GUARD
// Whether the sums of a work-item are not all finite: they may have become so in halves.
inline bool any_not_finite(const tile_sums *sums)
{
    bool any = false;
    UNROLL
    for (int i = 0; i < FRAGMENTS_M; i++)
        UNROLL
        for (int j = 0; j < FRAGMENTS_N; j++)
            UNROLL
            for (int part = 0; part < PARTS; part++)
                UNROLL
                for (int r = 0; r < 4; r++) any |= !(fabs(sums->value[i][j][part][r]) <= FLT_MAX);
    return any;
}
#endif
