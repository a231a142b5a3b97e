#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL FP_CONTRACT OFF

__kernel
void map(
    __global const double *restrict x0,
    const int offset0,
    const int stride0_0,
    __global const double *restrict x1,
    const int offset1,
    const int stride1_0,
    __global double *restrict x2,
    const int offset2,
    const int stride2_0,
    const double a0,
    const int n0,
    const int n1
) {
    const int v0 = (int)(long)get_global_id(0);
    if (v0 < n1) {
        const int v1 = (int)(long)get_global_size(1);
        for (int i1 = (int)(long)get_global_id(1); i1 < n0; i1 += v1) {
            const double v2 = fma(a0, x0[offset0 + i1 * stride0_0 + v0], sqrt(fabs(x1[offset1 + i1 * stride1_0 + v0])));
            x2[offset2 + i1 * stride2_0 + v0] = v2;
        }
    }
}
