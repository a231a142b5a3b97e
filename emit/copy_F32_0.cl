#pragma OPENCL FP_CONTRACT OFF

__kernel
void map(
    __global const float *restrict x0,
    const int offset0,
    __global float *restrict x1,
    const int offset1,
    const int n0
) {
    const int v0 = (int)(long)get_global_id(0) * 4;
    if (v0 < n0) {
        const int v1 = n0 - v0;
        const bool v2 = 4 <= v1;
        const int v3 = min(v1, 4);
        const int v4 = offset0 + v0;
        float4 x = (float4)(0.0f);
        if (v2) {
            x = *(__global const float4 *)(x0 + v4);
        } else {
            const int v5 = v3 - 1;
            const float4 v6 = (float4)(x0[v4 + min(0, v5)], x0[v4 + min(1, v5)], x0[v4 + min(2, v5)], x0[v4 + min(3, v5)]);
            x = v6;
        }
        const float4 v7 = x;
        const int v8 = offset1 + v0;
        if (v2) {
            *(__global float4 *)(x1 + v8) = v7;
        } else {
            if (0 < v3) {
                x1[v8] = v7.s0;
            }
            if (1 < v3) {
                x1[v8 + 1] = v7.s1;
            }
            if (2 < v3) {
                x1[v8 + 2] = v7.s2;
            }
        }
    }
}
