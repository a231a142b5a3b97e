#pragma OPENCL FP_CONTRACT OFF

__kernel
void tiles(
    __global const float *restrict x0,
    const int offset0,
    const int stride0_0,
    const int stride0_1,
    __global const float *restrict x1,
    const int offset1,
    const int stride1_0,
    __global float *restrict x2,
    const int offset2,
    const int stride2_0,
    const float a0,
    const int n0,
    const int n1
) {
    __local float tile[1056];
    const int v0 = (int)(long)get_group_id(0);
    const int v1 = (n1 + 31) / 32;
    const int v2 = v0 % v1 * 32;
    const int v3 = v0 / v1 % ((n0 + 31) / 32) * 32;
    const int v4 = (int)(long)get_local_id(0);
    const int v5 = (int)(long)get_local_id(1);
    for (int row = v5; row < 32; row += 8) {
        const int v6 = v3 + v4;
        const int v7 = v2 + row;
        if (v6 < n0 && v7 < n1) {
            tile[v4 * 33 + row] = x0[offset0 + v6 * stride0_0 + v7 * stride0_1];
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const int v8 = v2 + v4;
    const int v9 = v3 + v5;
    if (v9 < n0 && v8 < n1) {
        const int v10 = min((n0 - v9 + 7) / 8, 4);
        const bool v11 = v10 == 4;
        const int v12 = offset1 + v9 * stride1_0 + v8;
        const int v13 = stride1_0 * 8;
        float4 x = (float4)(0.0f);
        if (v11) {
            x = (float4)(x1[v12], x1[v12 + v13], x1[v12 + 2 * v13], x1[v12 + 3 * v13]);
        } else {
            const int v14 = v10 - 1;
            const float4 v15 = (float4)(x1[v12 + min(0, v14) * v13], x1[v12 + min(1, v14) * v13], x1[v12 + min(2, v14) * v13], x1[v12 + min(3, v14) * v13]);
            x = v15;
        }
        const float4 v16 = (float4)(tile[v5 * 33 + v4], tile[(v5 + 8) * 33 + v4], tile[(v5 + 16) * 33 + v4], tile[(v5 + 24) * 33 + v4]);
        const float4 v17 = fma((float4)(a0), v16, sqrt(fabs(x)));
        const int v18 = offset2 + v9 * stride2_0 + v8;
        const int v19 = stride2_0 * 8;
        if (v11) {
            x2[v18] = v17.s0;
            x2[v18 + v19] = v17.s1;
            x2[v18 + 2 * v19] = v17.s2;
            x2[v18 + 3 * v19] = v17.s3;
        } else {
            if (0 < v10) {
                x2[v18] = v17.s0;
            }
            if (1 < v10) {
                x2[v18 + v19] = v17.s1;
            }
            if (2 < v10) {
                x2[v18 + 2 * v19] = v17.s2;
            }
        }
    }
}
