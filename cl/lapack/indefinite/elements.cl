// Lower triangles of symmetric and Hermitian matrices, and what Bunch and Kaufman's pivots are chosen by. An upper
// triangle is the lower one of the matrix in reverse order: its strides are negative.
#pragma once

// A = A^H, and not A^T.
#ifndef HERMITIAN
#define HERMITIAN 0
#endif

#include "common/divide.cl"

#if SCALAR_IS_COMPLEX
#define size_of(v) (fabs((v).x) + fabs((v).y))
#else
#define size_of(v) fabs(v)
#endif

// The element on the other side of the diagonal, and one on it.
#define mirrored(v) conjugate_if(HERMITIAN, v)
#if HERMITIAN
#define on_diagonal(v) from_real(real_part(v))
#else
#define on_diagonal(v) (v)
#endif

// Element (i, j) of a matrix.
#define at(m, i, j) (m)[(i) * m##_row + (j) * m##_column]
