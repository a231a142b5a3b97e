#pragma OPENCL FP_CONTRACT OFF

__kernel
void map(
    __global const float *restrict x0,
    const int offset0,
    __global const float *restrict x1,
    const int offset1,
    __global float *restrict x2,
    const int offset2,
    const float a0,
    const int n0
) {
    const int v0 = (int)(long)get_global_id(0) * 4;
    if (v0 < n0) {
        const int v1 = n0 - v0;
        const bool v2 = 4 <= v1;
        const int v3 = min(v1, 4);
        const int v4 = offset0 + v0;
        const int v5 = offset1 + v0;
        float4 x = (float4)(0.0f);
        float4 x_2 = (float4)(0.0f);
        if (v2) {
            x = *(__global const float4 *)(x0 + v4);
            x_2 = *(__global const float4 *)(x1 + v5);
        } else {
            const int v6 = v3 - 1;
            const int v7 = min(0, v6);
            const int v8 = min(1, v6);
            const int v9 = min(2, v6);
            const int v10 = min(3, v6);
            x = (float4)(x0[v4 + v7], x0[v4 + v8], x0[v4 + v9], x0[v4 + v10]);
            x_2 = (float4)(x1[v5 + v7], x1[v5 + v8], x1[v5 + v9], x1[v5 + v10]);
        }
        const float4 v11 = fma((float4)(a0), x, sqrt(fabs(x_2)));
        const int v12 = offset2 + v0;
        if (v2) {
            *(__global float4 *)(x2 + v12) = v11;
        } else {
            if (0 < v3) {
                x2[v12] = v11.s0;
            }
            if (1 < v3) {
                x2[v12 + 1] = v11.s1;
            }
            if (2 < v3) {
                x2[v12 + 2] = v11.s2;
            }
        }
    }
}
