// The operation of a reduction.
#pragma once

// 0: dot. 1: asum. 2: nrm2. 3: iamax and iamin.
#ifndef OPERATION
#define OPERATION 0
#endif

#if OPERATION == 0
#include "blas/level1/reduction/dot.cl"
#elif OPERATION == 1
#include "blas/level1/reduction/asum.cl"
#elif OPERATION == 2
#include "blas/level1/reduction/nrm2.cl"
#else
#include "blas/level1/reduction/index.cl"
#endif
