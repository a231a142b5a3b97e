// Vectors of fp16 elements, converted by integers. PoCL wants vload_halfn's and vstore_halfn's memory aligned to a
// whole vector, which OpenCL promises nobody, and compiles them to slower code.
#pragma once

#include "common/vectors.cl"

#define ushorts JOIN(ushort, VECTOR_WIDTH)
#define uints JOIN(uint, VECTOR_WIDTH)
#define to_uints(v) JOIN(convert_uint, VECTOR_WIDTH)(v)
#define to_floats(v) JOIN(convert_float, VECTOR_WIDTH)(v)
#define as_uints(v) JOIN(as_uint, VECTOR_WIDTH)(v)
#define as_floats(v) JOIN(as_float, VECTOR_WIDTH)(v)

// Exact.
inline vector load_halves(__global const half *p)
{
    const uints bits = to_uints(JOIN(vload, VECTOR_WIDTH)(0, (__global const ushort *)p));
    // The exponent and the fraction where a float has them. A float's exponents are 112 larger, that of infinity and
    // NaN 224.
    const uints size = (bits & 0x7fffu) << 13, sign = (bits & 0x8000u) << 16;
    const uints normal = size + select((uints)(112u << 23), (uints)(224u << 23), size >= 31u << 23);
    const uints subnormal = as_uints(to_floats(size >> 13) * 0x1p-24f);
    return as_floats(sign | select(normal, subnormal, size < 1u << 23));
}

// Rounded to the nearest half, halfway to the even one.
inline void store_halves(vector v, __global half *p)
{
    const uints bits = as_uints(v), size = bits & 0x7fffffffu, sign = bits >> 16 & 0x8000u;
    // What is rounded up beyond the largest half is infinity already.
    uints rounded = (size + 0xfffu + (size >> 13 & 1u)) >> 13;
    rounded -= 112u << 10;
    // Below 2^-14 a half counts steps of 2^-24.
    rounded = select(rounded, to_uints(rint(as_floats(size) * 0x1p24f)), size < 113u << 23);
    rounded = select(rounded, (uints)(31u << 10), size >= 143u << 23);
    rounded = select(rounded, (uints)(63u << 9), size > 255u << 23);
    JOIN(vstore, VECTOR_WIDTH)(JOIN(convert_ushort, VECTOR_WIDTH)(sign | rounded), 0, (__global ushort *)p);
}
