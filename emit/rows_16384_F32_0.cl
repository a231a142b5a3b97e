#pragma OPENCL FP_CONTRACT OFF

__kernel
void rows(
    __global const float *restrict x0,
    const int offset0,
    const int stride0_0,
    __global float *restrict x1,
    const int offset1,
    const int stride1_0,
    const int n0,
    const int n1,
    const int rows_2,
    const int length_2
) {
    __local float values[1024];
    const int v0 = (int)(long)get_local_id(1);
    const int v1 = (int)(long)get_group_id(0) * 4 + v0;
    const bool v2 = v1 < rows_2;
    const int v3 = (int)(long)get_local_id(0);
    float4 acc = (float4)(-0.0f);
    const int v4 = v2 ? length_2 : 0;
    for (int j = v3 * 4; j < v4; j += 256) {
        const float4 v5 = *(__global const float4 *)(x0 + (offset0 + v1 * stride0_0 + j));
        acc = acc + v5 * v5;
    }
    const float4 v6 = acc;
    float4 sum = v6;
    const int v7 = v0 * 64;
    const int v8 = (v7 + v3) * 4;
    vstore4(v6, 0, values + v8);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (v3 < 32) {
        const float4 v9 = sum + vload4(0, values + (v7 + (v3 + 32)) * 4);
        sum = v9;
        vstore4(v9, 0, values + v8);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (v3 < 16) {
        const float4 v10 = sum + vload4(0, values + (v7 + (v3 + 16)) * 4);
        sum = v10;
        vstore4(v10, 0, values + v8);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (v3 < 8) {
        const float4 v11 = sum + vload4(0, values + (v7 + (v3 + 8)) * 4);
        sum = v11;
        vstore4(v11, 0, values + v8);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (v3 < 4) {
        const float4 v12 = sum + vload4(0, values + (v7 + (v3 + 4)) * 4);
        sum = v12;
        vstore4(v12, 0, values + v8);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (v3 < 2) {
        const float4 v13 = sum + vload4(0, values + (v7 + (v3 + 2)) * 4);
        sum = v13;
        vstore4(v13, 0, values + v8);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (v3 < 1) {
        const float4 v14 = sum + vload4(0, values + (v7 + (v3 + 1)) * 4);
        sum = v14;
        vstore4(v14, 0, values + v8);
    }
    const float4 v15 = sum;
    const float2 v16 = v15.s01 + v15.s23;
    const float v17 = v16.x + v16.y;
    const int v18 = v7 * 4;
    const bool v19 = v3 == 0;
    if (v19) {
        values[v18] = v17;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    float joined = values[v18];
    const float v20 = joined;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (v19 && v2) {
        x1[offset1 + v1 * stride1_0] = sqrt(v20);
    }
}
