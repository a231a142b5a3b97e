#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL FP_CONTRACT OFF

__kernel
void chunks(
    __global const double *restrict x0,
    const int offset0,
    const int stride0_0,
    const int stride0_1,
    __global double *restrict values_to0,
    const int n0,
    const int n1,
    const int rows,
    const int length_2,
    const int chunks_2
) {
    const int v0 = (int)(long)get_group_id(0);
    const int v1 = v0 / chunks_2;
    const int v2 = v0 % chunks_2;
    const int v3 = (n0 + 255) / 256;
    const int v4 = v1 % v3 * 256 + (int)(long)get_local_id(0);
    const int v5 = v1 / v3 * n0 + v4;
    const bool v6 = v4 < n0;
    const int v7 = v2 * 256;
    double acc = -0.0;
    const int v8 = v6 ? min(v7 + 256, length_2) : v7;
    for (int j = v7; j < v8; j++) {
        const double v9 = x0[offset0 + v4 * stride0_0 + j * stride0_1];
        acc = acc + v9 * v9;
    }
    const double v10 = acc;
    if (v6) {
        values_to0[v2 * rows + v5] = v10;
    }
}
