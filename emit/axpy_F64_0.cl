#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL FP_CONTRACT OFF

__kernel
void map(
    __global const double *restrict x0,
    const int offset0,
    __global const double *restrict x1,
    const int offset1,
    __global double *restrict x2,
    const int offset2,
    const double a0,
    const int n0
) {
    const int v0 = (int)(long)get_global_id(0) * 2;
    if (v0 < n0) {
        const int v1 = n0 - v0;
        const bool v2 = 2 <= v1;
        const int v3 = min(v1, 2);
        const int v4 = offset0 + v0;
        const int v5 = offset1 + v0;
        double2 x = (double2)(0.0);
        double2 x_2 = (double2)(0.0);
        if (v2) {
            x = *(__global const double2 *)(x0 + v4);
            x_2 = *(__global const double2 *)(x1 + v5);
        } else {
            const int v6 = v3 - 1;
            const int v7 = min(0, v6);
            const int v8 = min(1, v6);
            x = (double2)(x0[v4 + v7], x0[v4 + v8]);
            x_2 = (double2)(x1[v5 + v7], x1[v5 + v8]);
        }
        const double2 v9 = fma((double2)(a0), x, sqrt(fabs(x_2)));
        const int v10 = offset2 + v0;
        if (v2) {
            *(__global double2 *)(x2 + v10) = v9;
        } else {
            if (0 < v3) {
                x2[v10] = v9.x;
            }
        }
    }
}
