#pragma OPENCL FP_CONTRACT OFF

__kernel
void map(
    __global const float *restrict x0,
    const int offset0,
    __global const float *restrict x1,
    const int offset1,
    __global const float *restrict x2,
    const int offset2,
    __global float *restrict x3,
    const int offset3,
    __global float *restrict x4,
    const int offset4,
    const float a0,
    const float a1,
    const int n0
) {
    const int v0 = (int)(long)get_global_id(0) * 4;
    if (v0 < n0) {
        const int v1 = n0 - v0;
        const bool v2 = 4 <= v1;
        const int v3 = min(v1, 4);
        const int v4 = offset0 + v0;
        const int v5 = offset1 + v0;
        const int v6 = offset2 + v0;
        float4 x = (float4)(0.0f);
        float4 x_2 = (float4)(0.0f);
        float4 x_3 = (float4)(0.0f);
        if (v2) {
            x = *(__global const float4 *)(x0 + v4);
            x_2 = *(__global const float4 *)(x1 + v5);
            x_3 = *(__global const float4 *)(x2 + v6);
        } else {
            const int v7 = v3 - 1;
            const int v8 = min(0, v7);
            const int v9 = min(1, v7);
            const int v10 = min(2, v7);
            const int v11 = min(3, v7);
            x = (float4)(x0[v4 + v8], x0[v4 + v9], x0[v4 + v10], x0[v4 + v11]);
            x_2 = (float4)(x1[v5 + v8], x1[v5 + v9], x1[v5 + v10], x1[v5 + v11]);
            x_3 = (float4)(x2[v6 + v8], x2[v6 + v9], x2[v6 + v10], x2[v6 + v11]);
        }
        const float4 v12 = x;
        const float4 v13 = x_2;
        const float4 v14 = x_3;
        const float4 v15 = v12 / v13;
        const int4 v16 = ~(((float4)(1.1754944e-38f) <= v15) & (v15 < (float4)(((float)INFINITY))));
        const uint4 v17 = as_uint4(v15) + (uint4)(4913933u);
        const float4 v18 = as_float4((v17 >> (uint4)(23u)) + (uint4)(1262485504u)) - (float4)(12583039.0f);
        const float4 v19 = as_float4((v17 & (uint4)(8388607u)) + (uint4)(1060439283u)) - (float4)(1.0f);
        const float4 v20 = fma(v18, (float4)(0.69314575f), v19);
        const float4 v21 = fma(v18, (float4)(1.4286068e-6f), fma(v18, (float4)(0.69314575f), -v20) + v19);
        const float4 v22 = fma(fma((float4)(-0.076215416f), v19, (float4)(0.12908046f)), v19, (float4)(-0.13244833f));
        const float4 v23 = fma(fma(fma(v22, v19, (float4)(0.14181256f)), v19, (float4)(-0.16608757f)), v19, (float4)(0.20001999f));
        const float4 v24 = fma(fma(fma(v23, v19, (float4)(-0.250016f)), v19, (float4)(0.33333325f)), v19, (float4)(-0.49999988f));
        const float4 v25 = v20 + fma(v19 * v19, v24, v21);
        float4 result = v25;
        if (any(v16)) {
            const uint4 v26 = as_uint4(v15 * (float4)(33554432.0f)) + (uint4)(4913933u);
            const float4 v27 = as_float4((v26 >> (uint4)(23u)) + (uint4)(1262485504u)) - (float4)(12583064.0f);
            const float4 v28 = as_float4((v26 & (uint4)(8388607u)) + (uint4)(1060439283u)) - (float4)(1.0f);
            const float4 v29 = fma(v27, (float4)(0.69314575f), v28);
            const float4 v30 = fma(v27, (float4)(1.4286068e-6f), fma(v27, (float4)(0.69314575f), -v29) + v28);
            const float4 v31 = fma(fma((float4)(-0.076215416f), v28, (float4)(0.12908046f)), v28, (float4)(-0.13244833f));
            const float4 v32 = fma(fma(fma(v31, v28, (float4)(0.14181256f)), v28, (float4)(-0.16608757f)), v28, (float4)(0.20001999f));
            const float4 v33 = fma(fma(fma(v32, v28, (float4)(-0.250016f)), v28, (float4)(0.33333325f)), v28, (float4)(-0.49999988f));
            const float4 v34 = select(v15, v29 + fma(v28 * v28, v33, v30), v15 < (float4)(1.1754944e-38f));
            const float4 v35 = select(select(v34, (float4)((-(float)INFINITY)), v15 == (float4)(0.0f)), (float4)(((float)NAN)), v15 < (float4)(0.0f));
            result = select(v25, v35, v16);
        }
        const float4 v36 = (float4)(a1) * sqrt(v14);
        const float4 v37 = fma((float4)(fma(0.5f, a1 * a1, a0)), v14, result) / v36;
        const float4 v38 = v37 - v36;
        const float4 v39 = fabs(v37);
        const float4 v40 = select(v39, (float4)(14.5f), (float4)(14.5f) < v39);
        const float4 v41 = v40 * (float4)(-0.5f);
        const float4 v42 = v40 * v41;
        const float4 v43 = v40 + (float4)(4.25f);
        const float4 v44 = (float4)(1.0f) / v43;
        const float4 v45 = -v44;
        const float4 v46 = fma(fma(v44, (float4)(10.980469f), (float4)(0.6274414f)), fma(v45, v40 - (v43 - (float4)(4.25f)), fma(v45, v43, (float4)(1.0f))), fma(v40, v41, -v42));
        const float4 v47 = fma(v42, (float4)(1.442695f), (float4)(12582912.0f));
        const float4 v48 = v47 - (float4)(12582912.0f);
        const float4 v49 = fma(v48, (float4)(-0.69314575f), v42) + fma(v48, (float4)(-1.4286068e-6f), v46);
        const float4 v50 = fma(fma((float4)(0.0013821642f), v49, (float4)(0.008368667f)), v49, (float4)(0.041668255f));
        const float4 v51 = fma(v49 * v49, fma(fma(v50, v49, (float4)(0.16666521f)), v49, (float4)(0.49999994f)), v49);
        const float4 v52 = fma(fma((float4)(53470.227f), v44, (float4)(-66381.37f)), v44, (float4)(28828.512f));
        const float4 v53 = fma(fma(fma(v52, v44, (float4)(-5613.764f)), v44, (float4)(1205.2573f)), v44, (float4)(-3.0221443f));
        const float4 v54 = fma(fma(fma(v53, v44, (float4)(31.428389f)), v44, (float4)(6.564855f)), v44, (float4)(1.7012331f));
        const float4 v55 = v44 * fma(v54, v44, (float4)(0.39888296f));
        const uint4 v56 = as_uint4(fma(v55, v51, v55)) + ((as_uint4(v47) - (uint4)(1262485504u) + (uint4)(64u)) << (uint4)(23u));
        const float4 v57 = as_float4(v56) * (float4)(5.421011e-20f);
        const float4 v58 = select(v57, (float4)(1.0f) - v57, (float4)(0.0f) < v37);
        const float4 v59 = fabs(v38);
        const float4 v60 = select(v59, (float4)(14.5f), (float4)(14.5f) < v59);
        const float4 v61 = v60 * (float4)(-0.5f);
        const float4 v62 = v60 * v61;
        const float4 v63 = v60 + (float4)(4.25f);
        const float4 v64 = (float4)(1.0f) / v63;
        const float4 v65 = -v64;
        const float4 v66 = fma(fma(v64, (float4)(10.980469f), (float4)(0.6274414f)), fma(v65, v60 - (v63 - (float4)(4.25f)), fma(v65, v63, (float4)(1.0f))), fma(v60, v61, -v62));
        const float4 v67 = fma(v62, (float4)(1.442695f), (float4)(12582912.0f));
        const float4 v68 = v67 - (float4)(12582912.0f);
        const float4 v69 = fma(v68, (float4)(-0.69314575f), v62) + fma(v68, (float4)(-1.4286068e-6f), v66);
        const float4 v70 = fma(fma((float4)(0.0013821642f), v69, (float4)(0.008368667f)), v69, (float4)(0.041668255f));
        const float4 v71 = fma(v69 * v69, fma(fma(v70, v69, (float4)(0.16666521f)), v69, (float4)(0.49999994f)), v69);
        const float4 v72 = fma(fma((float4)(53470.227f), v64, (float4)(-66381.37f)), v64, (float4)(28828.512f));
        const float4 v73 = fma(fma(fma(v72, v64, (float4)(-5613.764f)), v64, (float4)(1205.2573f)), v64, (float4)(-3.0221443f));
        const float4 v74 = fma(fma(fma(v73, v64, (float4)(31.428389f)), v64, (float4)(6.564855f)), v64, (float4)(1.7012331f));
        const float4 v75 = v64 * fma(v74, v64, (float4)(0.39888296f));
        const uint4 v76 = as_uint4(fma(v75, v71, v75)) + ((as_uint4(v67) - (uint4)(1262485504u) + (uint4)(64u)) << (uint4)(23u));
        const float4 v77 = as_float4(v76) * (float4)(5.421011e-20f);
        const float4 v78 = select(v77, (float4)(1.0f) - v77, (float4)(0.0f) < v38);
        const float4 v79 = -((float4)(a0) * v14);
        const float4 v80 = fma(v79, (float4)(1.442695f), (float4)(12582912.0f));
        const float4 v81 = v80 - (float4)(12582912.0f);
        const uint4 v82 = as_uint4(v80) - (uint4)(1262485504u);
        const float4 v83 = fma(v81, (float4)(-1.4286068e-6f), fma(v81, (float4)(-0.69314575f), v79));
        const float4 v84 = fma(fma((float4)(0.0013821642f), v83, (float4)(0.008368667f)), v83, (float4)(0.041668255f));
        const float4 v85 = fma(v83, fma(fma(v84, v83, (float4)(0.16666521f)), v83, (float4)(0.49999994f)), (float4)(1.0f));
        const float4 v86 = fma(v83, v85, (float4)(1.0f));
        const int4 v87 = ~(fabs(v79) < (float4)(87.0f));
        const float4 v88 = as_float4(as_uint4(v86) + (v82 << (uint4)(23u)));
        float4 result_2 = v88;
        if (any(v87)) {
            const uint4 v89 = as_uint4(as_int4(v82) >> (int4)(1));
            const float4 v90 = v86 * as_float4((v89 + (uint4)(127u)) << (uint4)(23u)) * as_float4((v82 - v89 + (uint4)(127u)) << (uint4)(23u));
            const float4 v91 = select(select(v90, (float4)(((float)INFINITY)), (float4)(89.0f) < v79), (float4)(0.0f), v79 < (float4)(-104.0f));
            result_2 = select(v88, v91, v87);
        }
        const float4 v92 = v13 * result_2;
        const float4 v93 = v12 * v58 - v92 * v78;
        const float4 v94 = v92 * ((float4)(1.0f) - v78) - v12 * ((float4)(1.0f) - v58);
        const int v95 = offset3 + v0;
        const int v96 = offset4 + v0;
        if (v2) {
            *(__global float4 *)(x3 + v95) = v94;
            *(__global float4 *)(x4 + v96) = v93;
        } else {
            if (0 < v3) {
                x3[v95] = v94.s0;
                x4[v96] = v93.s0;
            }
            if (1 < v3) {
                x3[v95 + 1] = v94.s1;
                x4[v96 + 1] = v93.s1;
            }
            if (2 < v3) {
                x3[v95 + 2] = v94.s2;
                x4[v96 + 2] = v93.s2;
            }
        }
    }
}
