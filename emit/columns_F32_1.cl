#pragma OPENCL FP_CONTRACT OFF

__kernel
void join(
    __global float *restrict x1,
    const int offset1,
    const int stride1_0,
    __global const float *restrict values_from0,
    const int n0,
    const int n1,
    const int rows,
    const int length_2,
    const int row_stride,
    const int chunk_stride
) {
    __local float chunk_values0[256];
    const int v0 = (int)(long)get_local_id(1);
    const int v1 = (int)(long)get_group_id(0) * 256 + v0;
    const bool v2 = v1 < rows;
    const int v3 = (length_2 + 255) / 256;
    for (int chunk = 0; chunk < v3; chunk++) {
        const int v4 = chunk * 256;
        float acc = -0.0f;
        const int v5 = v2 ? min(v4 + 256, length_2) : v4;
        for (int j = v4; j < v5; j++) {
            acc = acc + values_from0[v1 * row_stride + j * chunk_stride];
        }
        chunk_values0[v0 + chunk] = acc;
    }
    for (int rest = v3; rest < 1; rest++) {
        chunk_values0[v0 + rest] = -0.0f;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    float joined = chunk_values0[v0];
    const float v6 = joined;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (v2) {
        x1[offset1 + v1 * stride1_0] = sqrt(v6);
    }
}
