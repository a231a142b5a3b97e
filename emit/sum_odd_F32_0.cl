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
    __local float values[256];
    const int v0 = (int)(long)get_group_id(0);
    const int v1 = v0 / chunks_2;
    const int v2 = v0 % chunks_2;
    const int v3 = (int)(long)get_local_id(0);
    const int v4 = v2 * 16384;
    float acc = -0.0f;
    const int v5 = min(v4 + 16384, length_2);
    for (int j = v4 + v3; j < v5; j += 256) {
        const float v6 = x0[offset0 + j];
        acc = acc + v6 * v6;
    }
    const float v7 = acc;
    float sum = v7;
    values[v3] = v7;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (v3 < 128) {
        const float v8 = sum + values[v3 + 128];
        sum = v8;
        values[v3] = v8;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (v3 < 64) {
        const float v9 = sum + values[v3 + 64];
        sum = v9;
        values[v3] = v9;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (v3 < 32) {
        const float v10 = sum + values[v3 + 32];
        sum = v10;
        values[v3] = v10;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (v3 < 16) {
        const float v11 = sum + values[v3 + 16];
        sum = v11;
        values[v3] = v11;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (v3 < 8) {
        const float v12 = sum + values[v3 + 8];
        sum = v12;
        values[v3] = v12;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (v3 < 4) {
        const float v13 = sum + values[v3 + 4];
        sum = v13;
        values[v3] = v13;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (v3 < 2) {
        const float v14 = sum + values[v3 + 2];
        sum = v14;
        values[v3] = v14;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (v3 < 1) {
        const float v15 = sum + values[v3 + 1];
        sum = v15;
        values[v3] = v15;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    float joined = values[0];
    const float v16 = joined;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (v3 == 0) {
        values_to0[v1 * chunks_2 + v2] = v16;
    }
}
