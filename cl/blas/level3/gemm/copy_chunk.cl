// A chunk is 16 bytes of scalars: the unit of copies, and of reads from local memory.
#pragma once

#include "common/scalar.cl"

// Elements of a chunk.
#define CHUNK (4 / (SCALAR_IS_DOUBLE ? 2 : 1) / (SCALAR_IS_COMPLEX ? 2 : 1))

#if SCALAR_IS_DOUBLE
typedef double2 chunk;
#else
typedef float4 chunk;
#endif
