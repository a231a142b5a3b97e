// A matrix in compressed rows. Kernels take it as MATRIX_PARAMETERS, and begin with MATRIX_BEGIN.
// Defined before this file: POINTER_IS_LONG (a row's place among the entries has 64 bits).

#if POINTER_IS_LONG
typedef long pointer;
#else
typedef int pointer;
#endif

#define MATRIX_PARAMETERS                                                                                            \
    long rows, __global const pointer *restrict pointers, long pointers_first, __global const int *restrict indices, \
        long indices_first, __global const scalar *restrict values, long values_first
#define MATRIX_BEGIN            \
    pointers += pointers_first; \
    indices += indices_first;   \
    values += values_first
