#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL FP_CONTRACT OFF

__kernel
void chunks(
    __global const double *restrict x0,
    const int offset0,
    __global double *restrict values_to0,
    const int n0,
    const int rows,
    const int length_2,
    const int chunks_2
) {
    __local double values[512];
    const int v0 = (int)(long)get_local_id(1);
    const int v1 = (int)(long)get_group_id(0) * 2 + v0;
    const int v2 = v1 / chunks_2;
    const int v3 = v1 % chunks_2;
    const bool v4 = v2 < rows;
    const int v5 = (int)(long)get_local_id(0);
    const int v6 = v3 * 16384;
    double2 acc = (double2)(-0.0);
    const int v7 = v4 ? min(v6 + 16384, length_2) : v6;
    for (int j = v6 + v5 * 2; j < v7; j += 256) {
        const double2 v8 = *(__global const double2 *)(x0 + (offset0 + j));
        acc = acc + v8 * v8;
    }
    const double2 v9 = acc;
    double2 sum = v9;
    const int v10 = v0 * 128;
    const int v11 = (v10 + v5) * 2;
    vstore2(v9, 0, values + v11);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (v5 < 64) {
        const double2 v12 = sum + vload2(0, values + (v10 + (v5 + 64)) * 2);
        sum = v12;
        vstore2(v12, 0, values + v11);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (v5 < 32) {
        const double2 v13 = sum + vload2(0, values + (v10 + (v5 + 32)) * 2);
        sum = v13;
        vstore2(v13, 0, values + v11);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (v5 < 16) {
        const double2 v14 = sum + vload2(0, values + (v10 + (v5 + 16)) * 2);
        sum = v14;
        vstore2(v14, 0, values + v11);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (v5 < 8) {
        const double2 v15 = sum + vload2(0, values + (v10 + (v5 + 8)) * 2);
        sum = v15;
        vstore2(v15, 0, values + v11);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (v5 < 4) {
        const double2 v16 = sum + vload2(0, values + (v10 + (v5 + 4)) * 2);
        sum = v16;
        vstore2(v16, 0, values + v11);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (v5 < 2) {
        const double2 v17 = sum + vload2(0, values + (v10 + (v5 + 2)) * 2);
        sum = v17;
        vstore2(v17, 0, values + v11);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (v5 < 1) {
        const double2 v18 = sum + vload2(0, values + (v10 + (v5 + 1)) * 2);
        sum = v18;
        vstore2(v18, 0, values + v11);
    }
    const double2 v19 = sum;
    const double v20 = v19.x + v19.y;
    const int v21 = v10 * 2;
    const bool v22 = v5 == 0;
    if (v22) {
        values[v21] = v20;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    double joined = values[v21];
    const double v23 = joined;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (v22 && v4) {
        values_to0[v2 * chunks_2 + v3] = v23;
    }
}
