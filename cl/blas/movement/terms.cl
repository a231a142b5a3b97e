// What is moved: C := the sum of TERMS terms, each a factor times a matrix X as large as C, conjugated where its flag says
// so. C's columns are contiguous. A term lies along C (its columns are contiguous too) or, where ACROSS_0 and ACROSS_1 say
// so, across it: its rows are contiguous.
// Parameters: TERMS (0, 1 or 2), ACROSS_0, ACROSS_1, IN_PLACE (C is the term itself).

#if IN_PLACE
#define UNALIASED
#else
#define UNALIASED restrict
#endif

#define TERM_PARAMETERS(k)                                                                                         \
    , scalar factor##k, __global const scalar *UNALIASED x##k, long offset##k, long row_stride##k,                 \
        long column_stride##k, int conjugate##k
#if TERMS == 0
#define PARAMETERS_OF_TERMS
#elif TERMS == 1
#define PARAMETERS_OF_TERMS TERM_PARAMETERS(0)
#else
#define PARAMETERS_OF_TERMS TERM_PARAMETERS(0) TERM_PARAMETERS(1)
#endif

// A real factor scales both parts: a factor of one changes no bit, not a zero's sign, and no part next to Inf or NaN.
#define scaled(factor, value) scale_by(factor, value)
#define add_scaled(factor, value, sum) scale_and_add(factor, value, sum)
