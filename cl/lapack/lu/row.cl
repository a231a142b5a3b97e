// Panels of LU whose columns are in registers, and how a row of such columns stands in local memory.
// Parameters: THREADS, ROWS, WIDTH, HALVES. See step.cl.

// Columns of a panel, at most, and rows of a group.
#define PANEL (HALVES * WIDTH)
#define HEIGHT (ROWS * THREADS)

// The words of 16 bytes, or less, in which a row of a panel stands in local memory.
#if SCALAR_IS_DOUBLE && (SCALAR_IS_COMPLEX || WIDTH % 2 == 0)
typedef double2 word;
#elif !SCALAR_IS_DOUBLE && (SCALAR_IS_COMPLEX ? WIDTH % 2 == 0 : WIDTH % 4 == 0)
typedef float4 word;
#else
typedef scalar word;
#endif
#define WORDS (WIDTH * sizeof(scalar) / sizeof(word))

typedef union {
    word words[WORDS];
    scalar elements[WIDTH];
} row_of_panel;

inline row_of_panel read_row(__local const scalar *from)
{
    row_of_panel row;
    #pragma unroll
    for (int w = 0; w < WORDS; w++) row.words[w] = ((__local const word *)from)[w];
    return row;
}

inline void write_row(__local scalar *to, row_of_panel row)
{
    #pragma unroll
    for (int w = 0; w < WORDS; w++) ((__local word *)to)[w] = row.words[w];
}
