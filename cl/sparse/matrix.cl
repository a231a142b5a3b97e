// A matrix in CSR. Kernels take it as MATRIX_PARAMETERS, and begin with MATRIX_BEGIN, which adds the offsets of its
// arrays.
#pragma once

// Row pointers have 64 bits.
#ifndef POINTER_IS_LONG
#define POINTER_IS_LONG 0
#endif

#include "common/scalar.cl"

#if POINTER_IS_LONG
typedef long pointer;
#else
typedef int pointer;
#endif

#define MATRIX_PARAMETERS                                                                                           \
    long rows, __global const pointer *restrict row_ptr, long row_ptr_offset, __global const int *restrict indices, \
        long indices_offset, __global const scalar *restrict values, long values_offset
#define MATRIX_BEGIN           \
    row_ptr += row_ptr_offset; \
    indices += indices_offset; \
    values += values_offset
