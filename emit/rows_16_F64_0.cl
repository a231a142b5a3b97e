#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL FP_CONTRACT OFF

__kernel
void rows(
    __global const double *restrict x0,
    const int offset0,
    const int stride0_0,
    __global double *restrict x1,
    const int offset1,
    const int stride1_0,
    const int n0,
    const int n1,
    const int rows_2,
    const int length_2
) {
    const int v0 = (int)(long)get_group_id(0) * 256 + (int)(long)get_local_id(1);
    const bool v1 = v0 < rows_2;
    double acc = -0.0;
    const int v2 = v1 ? length_2 : 0;
    for (int j = 0; j < v2; j++) {
        const double v3 = x0[offset0 + v0 * stride0_0 + j];
        acc = acc + v3 * v3;
    }
    const double v4 = acc;
    if (v1) {
        x1[offset1 + v0 * stride1_0] = sqrt(v4);
    }
}
