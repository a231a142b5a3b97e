// The matrix H of rotm from its five parameters (BLAS: flag, h11, h21, h12, h22). Flag -1: all four elements are given.
// 0: the diagonal is (1, 1). 1: h12 = 1 and h21 = -1. -2: H is the identity.
#pragma once

#include "common/scalar.cl"

#if !SCALAR_IS_COMPLEX
typedef struct {
    bool nothing;
    real h11, h12, h21, h22;
} modified;

inline modified read_modified(__global const real *parameters)
{
    const real flag = parameters[0];
    modified h;
    h.nothing = flag == -2;
    h.h11 = flag == 0 ? (real)1 : parameters[1];
    h.h21 = flag > 0 ? (real)-1 : parameters[2];
    h.h12 = flag > 0 ? (real)1 : parameters[3];
    h.h22 = flag == 0 ? (real)1 : parameters[4];
    return h;
}
#endif
