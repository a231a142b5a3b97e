// A X = B for one large tridiagonal system: the kernels of all steps.
#pragma once

#include "lapack/tridiagonal/reduce.cl"
#include "lapack/tridiagonal/substitute.cl"
#include "lapack/tridiagonal/residual.cl"
