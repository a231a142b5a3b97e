#pragma OPENCL FP_CONTRACT OFF

__kernel
void chunks(
    __global const float *restrict x0,
    const int offset0,
    __global float *restrict values_to0,
    const int n0,
    const int rows,
    const int length_2,
    const int chunks_2
) {
    __local float values[1024];
    const int v0 = (int)(long)get_local_id(1);
    const int v1 = (int)(long)get_group_id(0) * 4 + v0;
    const int v2 = v1 / chunks_2;
    const int v3 = v1 % chunks_2;
    const bool v4 = v2 < rows;
    const int v5 = (int)(long)get_local_id(0);
    const int v6 = v3 * 16384;
    float4 acc = (float4)(-0.0f);
    const int v7 = v4 ? min(v6 + 16384, length_2) : v6;
    for (int j = v6 + v5 * 4; j < v7; j += 256) {
        const float4 v8 = *(__global const float4 *)(x0 + (offset0 + j));
        acc = acc + v8 * v8;
    }
    const float4 v9 = acc;
    float4 sum = v9;
    const int v10 = v0 * 64;
    const int v11 = (v10 + v5) * 4;
    vstore4(v9, 0, values + v11);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (v5 < 32) {
        const float4 v12 = sum + vload4(0, values + (v10 + (v5 + 32)) * 4);
        sum = v12;
        vstore4(v12, 0, values + v11);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (v5 < 16) {
        const float4 v13 = sum + vload4(0, values + (v10 + (v5 + 16)) * 4);
        sum = v13;
        vstore4(v13, 0, values + v11);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (v5 < 8) {
        const float4 v14 = sum + vload4(0, values + (v10 + (v5 + 8)) * 4);
        sum = v14;
        vstore4(v14, 0, values + v11);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (v5 < 4) {
        const float4 v15 = sum + vload4(0, values + (v10 + (v5 + 4)) * 4);
        sum = v15;
        vstore4(v15, 0, values + v11);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (v5 < 2) {
        const float4 v16 = sum + vload4(0, values + (v10 + (v5 + 2)) * 4);
        sum = v16;
        vstore4(v16, 0, values + v11);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (v5 < 1) {
        const float4 v17 = sum + vload4(0, values + (v10 + (v5 + 1)) * 4);
        sum = v17;
        vstore4(v17, 0, values + v11);
    }
    const float4 v18 = sum;
    const float2 v19 = v18.s01 + v18.s23;
    const float v20 = v19.x + v19.y;
    const int v21 = v10 * 4;
    const bool v22 = v5 == 0;
    if (v22) {
        values[v21] = v20;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    float joined = values[v21];
    const float v23 = joined;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (v22 && v4) {
        values_to0[v2 * chunks_2 + v3] = v23;
    }
}
