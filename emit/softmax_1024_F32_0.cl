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
    const int v2 = (int)(long)get_local_id(0);
    const int v3 = v1 < rows_2 ? length_2 : 0;
    float4 acc = (float4)((-(float)INFINITY));
    const int v4 = v2 * 4;
    for (int j = v4; j < v3; j += 256) {
        const float4 v5 = *(__global const float4 *)(x0 + (offset0 + v1 * stride0_0 + j));
        const float4 v6 = acc;
        acc = select(v5, v6, (v6 > v5) | (v6 != v6));
    }
    const float4 v7 = acc;
    float4 sum = v7;
    const int v8 = v0 * 64;
    const int v9 = (v8 + v2) * 4;
    vstore4(v7, 0, values + v9);
    barrier(CLK_LOCAL_MEM_FENCE);
    const bool v10 = v2 < 32;
    if (v10) {
        const float4 v11 = sum;
        const float4 v12 = vload4(0, values + (v8 + (v2 + 32)) * 4);
        const float4 v13 = select(v12, v11, (v11 > v12) | (v11 != v11));
        sum = v13;
        vstore4(v13, 0, values + v9);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const bool v14 = v2 < 16;
    if (v14) {
        const float4 v15 = sum;
        const float4 v16 = vload4(0, values + (v8 + (v2 + 16)) * 4);
        const float4 v17 = select(v16, v15, (v15 > v16) | (v15 != v15));
        sum = v17;
        vstore4(v17, 0, values + v9);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const bool v18 = v2 < 8;
    if (v18) {
        const float4 v19 = sum;
        const float4 v20 = vload4(0, values + (v8 + (v2 + 8)) * 4);
        const float4 v21 = select(v20, v19, (v19 > v20) | (v19 != v19));
        sum = v21;
        vstore4(v21, 0, values + v9);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const bool v22 = v2 < 4;
    if (v22) {
        const float4 v23 = sum;
        const float4 v24 = vload4(0, values + (v8 + (v2 + 4)) * 4);
        const float4 v25 = select(v24, v23, (v23 > v24) | (v23 != v23));
        sum = v25;
        vstore4(v25, 0, values + v9);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const bool v26 = v2 < 2;
    if (v26) {
        const float4 v27 = sum;
        const float4 v28 = vload4(0, values + (v8 + (v2 + 2)) * 4);
        const float4 v29 = select(v28, v27, (v27 > v28) | (v27 != v27));
        sum = v29;
        vstore4(v29, 0, values + v9);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const bool v30 = v2 < 1;
    if (v30) {
        const float4 v31 = sum;
        const float4 v32 = vload4(0, values + (v8 + (v2 + 1)) * 4);
        const float4 v33 = select(v32, v31, (v31 > v32) | (v31 != v31));
        sum = v33;
        vstore4(v33, 0, values + v9);
    }
    const float4 v34 = sum;
    const float2 v35 = v34.s01;
    const float2 v36 = v34.s23;
    const float2 v37 = select(v36, v35, (v35 > v36) | (v35 != v35));
    const float v38 = v37.x > v37.y || v37.x != v37.x ? v37.x : v37.y;
    const int v39 = v8 * 4;
    const bool v40 = v2 == 0;
    if (v40) {
        values[v39] = v38;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    float joined = values[v39];
    const float v41 = joined;
    barrier(CLK_LOCAL_MEM_FENCE);
    float4 acc_2 = (float4)(-0.0f);
    for (int j_2 = v4; j_2 < v3; j_2 += 256) {
        const float4 v42 = *(__global const float4 *)(x0 + (offset0 + v1 * stride0_0 + j_2)) - (float4)(v41);
        const float4 v43 = fma(v42, (float4)(1.442695f), (float4)(12582912.0f));
        const float4 v44 = v43 - (float4)(12582912.0f);
        const uint4 v45 = as_uint4(v43) - (uint4)(1262485504u);
        const float4 v46 = fma(v44, (float4)(-1.4286068e-6f), fma(v44, (float4)(-0.69314575f), v42));
        const float4 v47 = fma(fma((float4)(0.0013821642f), v46, (float4)(0.008368667f)), v46, (float4)(0.041668255f));
        const float4 v48 = fma(v46, fma(fma(v47, v46, (float4)(0.16666521f)), v46, (float4)(0.49999994f)), (float4)(1.0f));
        const float4 v49 = fma(v46, v48, (float4)(1.0f));
        const int4 v50 = ~(fabs(v42) < (float4)(87.0f));
        const float4 v51 = as_float4(as_uint4(v49) + (v45 << (uint4)(23u)));
        float4 result = v51;
        if (any(v50)) {
            const uint4 v52 = as_uint4(as_int4(v45) >> (int4)(1));
            const float4 v53 = v49 * as_float4((v52 + (uint4)(127u)) << (uint4)(23u)) * as_float4((v45 - v52 + (uint4)(127u)) << (uint4)(23u));
            const float4 v54 = select(select(v53, (float4)(((float)INFINITY)), (float4)(89.0f) < v42), (float4)(0.0f), v42 < (float4)(-104.0f));
            result = select(v51, v54, v50);
        }
        acc_2 = acc_2 + result;
    }
    const float4 v55 = acc_2;
    float4 sum_2 = v55;
    vstore4(v55, 0, values + v9);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (v10) {
        const float4 v56 = sum_2 + vload4(0, values + (v8 + (v2 + 32)) * 4);
        sum_2 = v56;
        vstore4(v56, 0, values + v9);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (v14) {
        const float4 v57 = sum_2 + vload4(0, values + (v8 + (v2 + 16)) * 4);
        sum_2 = v57;
        vstore4(v57, 0, values + v9);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (v18) {
        const float4 v58 = sum_2 + vload4(0, values + (v8 + (v2 + 8)) * 4);
        sum_2 = v58;
        vstore4(v58, 0, values + v9);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (v22) {
        const float4 v59 = sum_2 + vload4(0, values + (v8 + (v2 + 4)) * 4);
        sum_2 = v59;
        vstore4(v59, 0, values + v9);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (v26) {
        const float4 v60 = sum_2 + vload4(0, values + (v8 + (v2 + 2)) * 4);
        sum_2 = v60;
        vstore4(v60, 0, values + v9);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (v30) {
        const float4 v61 = sum_2 + vload4(0, values + (v8 + (v2 + 1)) * 4);
        sum_2 = v61;
        vstore4(v61, 0, values + v9);
    }
    const float4 v62 = sum_2;
    const float2 v63 = v62.s01 + v62.s23;
    const float v64 = v63.x + v63.y;
    if (v40) {
        values[v39] = v64;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    float joined_2 = values[v39];
    const float v65 = joined_2;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int j_3 = v4; j_3 < v3; j_3 += 256) {
        const float4 v66 = *(__global const float4 *)(x0 + (offset0 + v1 * stride0_0 + j_3)) - (float4)(v41);
        const float4 v67 = fma(v66, (float4)(1.442695f), (float4)(12582912.0f));
        const float4 v68 = v67 - (float4)(12582912.0f);
        const uint4 v69 = as_uint4(v67) - (uint4)(1262485504u);
        const float4 v70 = fma(v68, (float4)(-1.4286068e-6f), fma(v68, (float4)(-0.69314575f), v66));
        const float4 v71 = fma(fma((float4)(0.0013821642f), v70, (float4)(0.008368667f)), v70, (float4)(0.041668255f));
        const float4 v72 = fma(v70, fma(fma(v71, v70, (float4)(0.16666521f)), v70, (float4)(0.49999994f)), (float4)(1.0f));
        const float4 v73 = fma(v70, v72, (float4)(1.0f));
        const int4 v74 = ~(fabs(v66) < (float4)(87.0f));
        const float4 v75 = as_float4(as_uint4(v73) + (v69 << (uint4)(23u)));
        float4 result_2 = v75;
        if (any(v74)) {
            const uint4 v76 = as_uint4(as_int4(v69) >> (int4)(1));
            const float4 v77 = v73 * as_float4((v76 + (uint4)(127u)) << (uint4)(23u)) * as_float4((v69 - v76 + (uint4)(127u)) << (uint4)(23u));
            const float4 v78 = select(select(v77, (float4)(((float)INFINITY)), (float4)(89.0f) < v66), (float4)(0.0f), v66 < (float4)(-104.0f));
            result_2 = select(v75, v78, v74);
        }
        *(__global float4 *)(x1 + (offset1 + v1 * stride1_0 + j_3)) = result_2 / (float4)(v65);
    }
}
