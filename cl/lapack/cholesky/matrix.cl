// A matrix in memory, and how a work-group of THREADS work-items has WIDTH x WIDTH elements of it: SIDE x SIDE adjacent ones each.
// Of these sides, 32 work-items have 8 down and 4 across, so that those have nothing to do together for which the triangle is over.
// Parameters: WIDTH (a multiple of INNER), TENSOR (tensor cores multiply).

// Rows that are factorised without a product.
#define INNER 16
#define THREADS (INNER * INNER)
#define SIDE (WIDTH / INNER)
#define SIZE (WIDTH * WIDTH)
// From column to column in local memory: so much more that columns begin in different banks, those of a fragment for tensor cores too,
// and sides stay aligned.
#if TENSOR && !SCALAR_IS_DOUBLE
#define PITCH (WIDTH + 8)
#else
#define PITCH (WIDTH + SIDE)
#endif
// The same of a factor of INNER rows beside its inverse.
#define FOUND (2 * INNER + 2)

#define VECTOR_NAME(type, count) type##count
#define VECTOR(type, count) VECTOR_NAME(type, count)
#if SIDE << SCALAR_IS_COMPLEX == 8
#define SIDE_REALS 8
#elif SIDE << SCALAR_IS_COMPLEX == 4
#define SIDE_REALS 4
#else
#define SIDE_REALS 2
#endif
#if SIDE == 1
typedef scalar side_vector;
#elif SCALAR_IS_DOUBLE
typedef VECTOR(double, SIDE_REALS) side_vector;
#else
typedef VECTOR(float, SIDE_REALS) side_vector;
#endif

inline int side_down(int item)
{
    return item % 8 + item / 32 % 2 * 8;
}

inline int side_across(int item)
{
    return item / 8 % 4 + item / 64 * 4;
}

// SIDE adjacent elements, to be written at once.
inline side_vector side_of(const scalar elements[SIDE])
{
#if SIDE == 4
    return (side_vector)(elements[0], elements[1], elements[2], elements[3]);
#elif SIDE == 2
    return (side_vector)(elements[0], elements[1]);
#else
    return *elements;
#endif
}

inline void put_side(__local scalar *place, const scalar elements[SIDE])
{
    *(__local side_vector *)place = side_of(elements);
}

typedef struct {
    __global scalar *elements;
    long row_stride, column_stride;
} matrix;

inline __global scalar *at(matrix m, long i, long j)
{
    return m.elements + i * m.row_stride + j * m.column_stride;
}

inline matrix shifted(matrix m, long i, long j)
{
    m.elements = at(m, i, j);
    return m;
}

// The elements of WIDTH rows and some columns that a work-item has in turn, so that adjacent work-items have adjacent ones.
typedef struct {
    int row, column;
    // From one to the next.
    int rows, columns;
} walk;

inline walk walk_of(matrix m, int columns)
{
    const int item = get_local_id(0);
    const walk along_rows = {item / columns, item % columns, THREADS / columns, 0};
    const walk along_columns = {item % WIDTH, item / WIDTH, 0, THREADS / WIDTH};
    return m.column_stride < m.row_stride ? along_rows : along_columns;
}

inline void clear(scalar sums[SIDE][SIDE])
{
    #pragma unroll
    for (int r = 0; r < SIDE; r++) {
        #pragma unroll
        for (int c = 0; c < SIDE; c++) sums[r][c] = SCALAR_ZERO;
    }
}

// The number of the first pivot that is not positive, and its value; INNER where there is none. And whether none of all was large or
// small, which is told where somebody needs it.
typedef struct {
    int number;
    real value;
    int are_ordinary;
} pivots;
