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
    __local double values[512];
    const int v0 = (int)(long)get_local_id(1);
    const int v1 = (int)(long)get_group_id(0) * 16 + v0;
    const bool v2 = v1 < rows_2;
    const int v3 = (int)(long)get_local_id(0);
    double2 acc = (double2)(-0.0);
    const int v4 = v2 ? length_2 : 0;
    for (int j = v3 * 2; j < v4; j += 32) {
        const double2 v5 = *(__global const double2 *)(x0 + (offset0 + v1 * stride0_0 + j));
        acc = acc + v5 * v5;
    }
    const double2 v6 = acc;
    double2 sum = v6;
    const int v7 = v0 * 16;
    const int v8 = (v7 + v3) * 2;
    vstore2(v6, 0, values + v8);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (v3 < 8) {
        const double2 v9 = sum + vload2(0, values + (v7 + (v3 + 8)) * 2);
        sum = v9;
        vstore2(v9, 0, values + v8);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (v3 < 4) {
        const double2 v10 = sum + vload2(0, values + (v7 + (v3 + 4)) * 2);
        sum = v10;
        vstore2(v10, 0, values + v8);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (v3 < 2) {
        const double2 v11 = sum + vload2(0, values + (v7 + (v3 + 2)) * 2);
        sum = v11;
        vstore2(v11, 0, values + v8);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (v3 < 1) {
        const double2 v12 = sum + vload2(0, values + (v7 + (v3 + 1)) * 2);
        sum = v12;
        vstore2(v12, 0, values + v8);
    }
    const double2 v13 = sum;
    const double v14 = v13.x + v13.y;
    const int v15 = v7 * 2;
    const bool v16 = v3 == 0;
    if (v16) {
        values[v15] = v14;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    double joined = values[v15];
    const double v17 = joined;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (v16 && v2) {
        x1[offset1 + v1 * stride1_0] = sqrt(v17);
    }
}
