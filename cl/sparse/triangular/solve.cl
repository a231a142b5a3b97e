// Sparse triangular solve, x := T^-1 x, with level scheduling (Anderson and Saad 1989). Entries outside the triangle
// are ignored. Rows are listed level by level: those of a level need only rows of earlier levels.
#pragma once

// Work-items of a group.
#ifndef THREADS
#define THREADS 256
#endif

// The matrix is conj(T).
#ifndef CONJUGATED
#define CONJUGATED 0
#endif

// T is the lower triangle.
#ifndef LOWER
#define LOWER 1
#endif

// The diagonal is ones and is not read.
#ifndef UNIT
#define UNIT 0
#endif

#include "common/divide.cl"
#include "sparse/matrix.cl"

#define SOLVE_PARAMETERS \
    MATRIX_PARAMETERS, __global const int *restrict level_rows, __global scalar *x, long x_offset, long x_step

#define on_side(column, row) (LOWER ? (column) < (row) : (column) > (row))

inline void solve_row(long row, __global const pointer *restrict row_ptr, __global const int *restrict indices,
                      __global const scalar *restrict values, __global scalar *x, long x_step)
{
    scalar sum = x[row * x_step], diagonal = SCALAR_ZERO;
    for (long entry = row_ptr[row]; entry < row_ptr[row + 1]; entry++) {
        const long column = indices[entry];
        const scalar value = conjugate_if(CONJUGATED, values[entry]);
        if (on_side(column, row)) sum = multiply_add(-value, x[column * x_step], sum);
        if (column == row) diagonal += value;
    }
    x[row * x_step] = UNIT ? sum : divide(sum, diagonal);
}

// Rows [begin, end) of the list, `chunk` of them for each work-item: one level, or all levels by a single work-item.
__kernel void solve_rows(SOLVE_PARAMETERS, long begin, long end, long chunk)
{
    MATRIX_BEGIN;
    x += x_offset;
    const long first = begin + (long)get_global_id(0) * chunk, last = min(first + chunk, end);
    for (long i = first; i < last; i++) solve_row(level_rows[i], row_ptr, indices, values, x, x_step);
}

// Levels [first_level, last_level), at least one, by one work-group.
__kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void solve_levels(
    SOLVE_PARAMETERS, __global const int *restrict level_starts, long first_level, long last_level)
{
    MATRIX_BEGIN;
    x += x_offset;
    for (long level = first_level; level < last_level; level++) {
        const int end = level_starts[level + 1];
        for (int i = level_starts[level] + (int)get_local_id(0); i < end; i += THREADS)
            solve_row(level_rows[i], row_ptr, indices, values, x, x_step);
        barrier(CLK_GLOBAL_MEM_FENCE);
    }
}
