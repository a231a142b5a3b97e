// Whether the numbers of two matrices of floats can be split in halves for the tensor cores: each work-group looks at some of their lines
// and says whether any of their numbers is too small. Infinities and the largest numbers are found by their products.
//
// Parameters: THREADS, AT_ONCE (numbers of a line that a work-item has on their way together).

#define PARTS (SCALAR_IS_COMPLEX ? 2 : 1)

__kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void find_too_small(
    __global const scalar *restrict a, long a_offset, long a_stride, long a_lines, long a_length,
    __global const scalar *restrict b, long b_offset, long b_stride, long b_lines, long b_length, __global uint *restrict found)
{
    __local uint any;
    if (get_local_id(0) == 0) any = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    uint least = UINT_MAX;
    for (long line = get_group_id(0); line < a_lines + b_lines; line += get_num_groups(0)) {
        const bool of_a = line < a_lines;
        __global const uint *from = of_a ? (__global const uint *)(a + a_offset + line * a_stride)
                                         : (__global const uint *)(b + b_offset + (line - a_lines) * b_stride);
        const long last = (of_a ? a_length : b_length) * PARTS - 1;
        for (long first = get_local_id(0); first <= last; first += THREADS * AT_ONCE) {
            uint bits[AT_ONCE];
            // Beyond the end, the last one.
            #pragma unroll
            for (int i = 0; i < AT_ONCE; i++) bits[i] = from[min(first + i * THREADS, last)];
            #pragma unroll
            for (int i = 0; i < AT_ONCE; i++) least = min(least, key_of(bits[i]));
        }
    }
    if (least < TOO_SMALL) any = 1; // whoever writes, writes the same
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0) found[get_group_id(0)] = any;
}
