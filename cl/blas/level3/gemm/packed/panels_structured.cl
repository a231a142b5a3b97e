// Packing of structured operands, into panels in either memory.
#pragma once

#define PACKED_SPACE __global
#define PACK_NAME(name) name##_global
#include "blas/level3/gemm/packed/pack_structured.cl"

#define PACKED_SPACE __private
#define PACK_NAME(name) name##_private
#include "blas/level3/gemm/packed/pack_structured.cl"
