// Floats as the tensor cores take them. With SPLIT each number is split in two of 11 bits, high + low, and
// high*high + high*low + low*high are products for the tensor cores (Ootomo and Yokota, 2022); without, the nearest
// numbers of 11 bits are multiplied.
//
// high is the nearest number of 11 bits and low what is left, of at most 12. What is left out, low*low and the last bit of low, is
// below 2^-21 of a product.

typedef struct {
    uint high, low;
} halves;

inline halves split(float x)
{
#if SPLIT
    // As to_tf32(x), but for an infinity and what is next to it, with which the sums are not finite.
    const uint high = (as_uint(x) + 0x1000) & 0xffffe000;
    const halves both = {high, as_uint(x - as_float(high))};
#else
    const halves both = {to_tf32(x), 0};
#endif
    return both;
}
