// The matrix that skinny products stream: of scalars, or of fp16, converted to floats by its loads. On CPUs after
// vectors.cl.
#pragma once

// The streamed matrix is fp16.
#ifndef A_IS_FP16
#define A_IS_FP16 0
#endif

#include "common/scalar.cl"

#if A_IS_FP16
#define streamed half
#define streamed_element(p) vload_half(0, p)
#define streamed_vector(p) load_halves(p)
#else
#define streamed scalar
#define streamed_element(p) (*(p))
#define streamed_vector(p) load_vector((__global const real *)(p))
#endif
