#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL FP_CONTRACT OFF

__kernel
void map(
    __global const double *restrict x0,
    const int offset0,
    __global double *restrict x1,
    const int offset1,
    const int n0
) {
    const int v0 = (int)(long)get_global_id(0) * 2;
    if (v0 < n0) {
        const int v1 = n0 - v0;
        const bool v2 = 2 <= v1;
        const int v3 = min(v1, 2);
        const int v4 = offset0 + v0;
        double2 x = (double2)(0.0);
        if (v2) {
            x = *(__global const double2 *)(x0 + v4);
        } else {
            const int v5 = v3 - 1;
            x = (double2)(x0[v4 + min(0, v5)], x0[v4 + min(1, v5)]);
        }
        const double2 v6 = x;
        const int v7 = offset1 + v0;
        if (v2) {
            *(__global double2 *)(x1 + v7) = v6;
        } else {
            if (0 < v3) {
                x1[v7] = v6.x;
            }
        }
    }
}
