#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL FP_CONTRACT OFF

__kernel
void join(
    __global double *restrict x1,
    const int offset1,
    __global const double *restrict values_from0,
    const int n0,
    const int rows,
    const int length_2,
    const int row_stride,
    const int chunk_stride
) {
    __local double chunk_values0[256];
    __local double values[256];
    const int v0 = (int)(long)get_group_id(0);
    const int v1 = (int)(long)get_local_id(0);
    const int v2 = (length_2 + 16383) / 16384;
    for (int chunk = 0; chunk < v2; chunk++) {
        const int v3 = chunk * 16384;
        double acc = -0.0;
        const int v4 = min(v3 + 16384, length_2);
        for (int j = v3 + v1; j < v4; j += 256) {
            acc = acc + values_from0[v0 * row_stride + j * chunk_stride];
        }
        const double v5 = acc;
        double sum = v5;
        values[v1] = v5;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (v1 < 128) {
            const double v6 = sum + values[v1 + 128];
            sum = v6;
            values[v1] = v6;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (v1 < 64) {
            const double v7 = sum + values[v1 + 64];
            sum = v7;
            values[v1] = v7;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (v1 < 32) {
            const double v8 = sum + values[v1 + 32];
            sum = v8;
            values[v1] = v8;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (v1 < 16) {
            const double v9 = sum + values[v1 + 16];
            sum = v9;
            values[v1] = v9;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (v1 < 8) {
            const double v10 = sum + values[v1 + 8];
            sum = v10;
            values[v1] = v10;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (v1 < 4) {
            const double v11 = sum + values[v1 + 4];
            sum = v11;
            values[v1] = v11;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (v1 < 2) {
            const double v12 = sum + values[v1 + 2];
            sum = v12;
            values[v1] = v12;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (v1 < 1) {
            const double v13 = sum + values[v1 + 1];
            sum = v13;
            values[v1] = v13;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        double joined = values[0];
        const double v14 = joined;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (v1 == 0) {
            chunk_values0[chunk] = v14;
        }
    }
    for (int rest = v2 + v1; rest < 256; rest += 256) {
        chunk_values0[rest] = -0.0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = v1; i < 128; i += 256) {
        chunk_values0[i] = chunk_values0[i] + chunk_values0[i + 128];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i_2 = v1; i_2 < 64; i_2 += 256) {
        chunk_values0[i_2] = chunk_values0[i_2] + chunk_values0[i_2 + 64];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i_3 = v1; i_3 < 32; i_3 += 256) {
        chunk_values0[i_3] = chunk_values0[i_3] + chunk_values0[i_3 + 32];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i_4 = v1; i_4 < 16; i_4 += 256) {
        chunk_values0[i_4] = chunk_values0[i_4] + chunk_values0[i_4 + 16];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i_5 = v1; i_5 < 8; i_5 += 256) {
        chunk_values0[i_5] = chunk_values0[i_5] + chunk_values0[i_5 + 8];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i_6 = v1; i_6 < 4; i_6 += 256) {
        chunk_values0[i_6] = chunk_values0[i_6] + chunk_values0[i_6 + 4];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i_7 = v1; i_7 < 2; i_7 += 256) {
        chunk_values0[i_7] = chunk_values0[i_7] + chunk_values0[i_7 + 2];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i_8 = v1; i_8 < 1; i_8 += 256) {
        chunk_values0[i_8] = chunk_values0[i_8] + chunk_values0[i_8 + 1];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    double joined_2 = chunk_values0[0];
    const double v15 = joined_2;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (v1 == 0) {
        x1[offset1] = sqrt(v15);
    }
}
