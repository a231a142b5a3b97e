// Whether the numbers of two matrices of floats can be split in halves for the tensor cores: each work-group looks at some of their lines
// and says whether any of their numbers is too small. Infinities and the largest numbers are found by their products.
//
// Parameters: THREADS.

#define PARTS (SCALAR_IS_COMPLEX ? 2 : 1)

// Below 2^-100, but not 0: the low half may be too small for what the tensor cores see of it.
inline bool is_too_small(uint bits) { return bits * 2 - 1 < 0x0d800000u * 2 - 1; }

__kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void find_too_small(
    __global const scalar *restrict a, long a_offset, long a_stride, long a_lines, long a_length,
    __global const scalar *restrict b, long b_offset, long b_stride, long b_lines, long b_length, __global uint *restrict found)
{
    __local uint any;
    if (get_local_id(0) == 0) any = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    bool own = false;
    for (long line = get_group_id(0); line < a_lines + b_lines; line += get_num_groups(0)) {
        const bool of_a = line < a_lines;
        __global const uint *from = of_a ? (__global const uint *)(a + a_offset + line * a_stride)
                                         : (__global const uint *)(b + b_offset + (line - a_lines) * b_stride);
        const long length = (of_a ? a_length : b_length) * PARTS;
        for (long i = get_local_id(0); i < length; i += THREADS) own = own || is_too_small(from[i]);
    }
    if (own) any = 1; // whoever writes, writes the same
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0) found[get_group_id(0)] = any;
}
