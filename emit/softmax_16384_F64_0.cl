#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL FP_CONTRACT OFF

__kernel
void rows(
    __global const double *restrict x0,
    const int offset0,
    const int stride0_0,
    __global double *restrict x1,
    const int offset1,
    const int stride1_0,
    const int n0,
    const int n1,
    const int rows_2,
    const int length_2
) {
    __local double values[512];
    const int v0 = (int)(long)get_local_id(1);
    const int v1 = (int)(long)get_group_id(0) * 2 + v0;
    const int v2 = (int)(long)get_local_id(0);
    const int v3 = v1 < rows_2 ? length_2 : 0;
    double2 acc = (double2)((-(double)INFINITY));
    const int v4 = v2 * 2;
    for (int j = v4; j < v3; j += 256) {
        const double2 v5 = *(__global const double2 *)(x0 + (offset0 + v1 * stride0_0 + j));
        const double2 v6 = acc;
        acc = select(v5, v6, (v6 > v5) | (v6 != v6));
    }
    const double2 v7 = acc;
    double2 sum = v7;
    const int v8 = v0 * 128;
    const int v9 = (v8 + v2) * 2;
    vstore2(v7, 0, values + v9);
    barrier(CLK_LOCAL_MEM_FENCE);
    const bool v10 = v2 < 64;
    if (v10) {
        const double2 v11 = sum;
        const double2 v12 = vload2(0, values + (v8 + (v2 + 64)) * 2);
        const double2 v13 = select(v12, v11, (v11 > v12) | (v11 != v11));
        sum = v13;
        vstore2(v13, 0, values + v9);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const bool v14 = v2 < 32;
    if (v14) {
        const double2 v15 = sum;
        const double2 v16 = vload2(0, values + (v8 + (v2 + 32)) * 2);
        const double2 v17 = select(v16, v15, (v15 > v16) | (v15 != v15));
        sum = v17;
        vstore2(v17, 0, values + v9);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const bool v18 = v2 < 16;
    if (v18) {
        const double2 v19 = sum;
        const double2 v20 = vload2(0, values + (v8 + (v2 + 16)) * 2);
        const double2 v21 = select(v20, v19, (v19 > v20) | (v19 != v19));
        sum = v21;
        vstore2(v21, 0, values + v9);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const bool v22 = v2 < 8;
    if (v22) {
        const double2 v23 = sum;
        const double2 v24 = vload2(0, values + (v8 + (v2 + 8)) * 2);
        const double2 v25 = select(v24, v23, (v23 > v24) | (v23 != v23));
        sum = v25;
        vstore2(v25, 0, values + v9);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const bool v26 = v2 < 4;
    if (v26) {
        const double2 v27 = sum;
        const double2 v28 = vload2(0, values + (v8 + (v2 + 4)) * 2);
        const double2 v29 = select(v28, v27, (v27 > v28) | (v27 != v27));
        sum = v29;
        vstore2(v29, 0, values + v9);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const bool v30 = v2 < 2;
    if (v30) {
        const double2 v31 = sum;
        const double2 v32 = vload2(0, values + (v8 + (v2 + 2)) * 2);
        const double2 v33 = select(v32, v31, (v31 > v32) | (v31 != v31));
        sum = v33;
        vstore2(v33, 0, values + v9);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const bool v34 = v2 < 1;
    if (v34) {
        const double2 v35 = sum;
        const double2 v36 = vload2(0, values + (v8 + (v2 + 1)) * 2);
        const double2 v37 = select(v36, v35, (v35 > v36) | (v35 != v35));
        sum = v37;
        vstore2(v37, 0, values + v9);
    }
    const double2 v38 = sum;
    const double v39 = v38.x > v38.y || v38.x != v38.x ? v38.x : v38.y;
    const int v40 = v8 * 2;
    const bool v41 = v2 == 0;
    if (v41) {
        values[v40] = v39;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    double joined = values[v40];
    const double v42 = joined;
    barrier(CLK_LOCAL_MEM_FENCE);
    double2 acc_2 = (double2)(-0.0);
    for (int j_2 = v4; j_2 < v3; j_2 += 256) {
        const double2 v43 = *(__global const double2 *)(x0 + (offset0 + v1 * stride0_0 + j_2)) - (double2)(v42);
        const double2 v44 = fma(v43, (double2)(1.4426950408889634), (double2)(6755399441055744.0));
        const double2 v45 = v44 - (double2)(6755399441055744.0);
        const ulong2 v46 = as_ulong2(v44) - (ulong2)(4843621399236968448UL);
        const double2 v47 = fma(v45, (double2)(-5.497923018708371e-14), fma(v45, (double2)(-0.6931471805598903), v43));
        const double2 v48 = fma((double2)(2.5007721103217978e-8), v47, (double2)(2.7630218619887306e-7));
        const double2 v49 = fma(fma(v48, v47, (double2)(2.7557557132897743e-6)), v47, (double2)(2.480149309667262e-5));
        const double2 v50 = fma(fma(v49, v47, (double2)(0.00019841269547140675)), v47, (double2)(0.0013888888943777056));
        const double2 v51 = fma(fma(v50, v47, (double2)(0.008333333333470435)), v47, (double2)(0.04166666666652854));
        const double2 v52 = fma(fma(v51, v47, (double2)(0.16666666666666463)), v47, (double2)(0.5000000000000011));
        const double2 v53 = fma(v47, fma(v47, v52, (double2)(1.0)), (double2)(1.0));
        const long2 v54 = ~(fabs(v43) < (double2)(708.0));
        const double2 v55 = as_double2(as_ulong2(v53) + (v46 << (ulong2)(52UL)));
        double2 result = v55;
        if (any(v54)) {
            const ulong2 v56 = as_ulong2(as_long2(v46) >> (long2)(1L));
            const double2 v57 = v53 * as_double2((v56 + (ulong2)(1023UL)) << (ulong2)(52UL)) * as_double2((v46 - v56 + (ulong2)(1023UL)) << (ulong2)(52UL));
            const double2 v58 = select(select(v57, (double2)(((double)INFINITY)), (double2)(710.0) < v43), (double2)(0.0), v43 < (double2)(-746.0));
            result = select(v55, v58, v54);
        }
        acc_2 = acc_2 + result;
    }
    const double2 v59 = acc_2;
    double2 sum_2 = v59;
    vstore2(v59, 0, values + v9);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (v10) {
        const double2 v60 = sum_2 + vload2(0, values + (v8 + (v2 + 64)) * 2);
        sum_2 = v60;
        vstore2(v60, 0, values + v9);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (v14) {
        const double2 v61 = sum_2 + vload2(0, values + (v8 + (v2 + 32)) * 2);
        sum_2 = v61;
        vstore2(v61, 0, values + v9);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (v18) {
        const double2 v62 = sum_2 + vload2(0, values + (v8 + (v2 + 16)) * 2);
        sum_2 = v62;
        vstore2(v62, 0, values + v9);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (v22) {
        const double2 v63 = sum_2 + vload2(0, values + (v8 + (v2 + 8)) * 2);
        sum_2 = v63;
        vstore2(v63, 0, values + v9);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (v26) {
        const double2 v64 = sum_2 + vload2(0, values + (v8 + (v2 + 4)) * 2);
        sum_2 = v64;
        vstore2(v64, 0, values + v9);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (v30) {
        const double2 v65 = sum_2 + vload2(0, values + (v8 + (v2 + 2)) * 2);
        sum_2 = v65;
        vstore2(v65, 0, values + v9);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (v34) {
        const double2 v66 = sum_2 + vload2(0, values + (v8 + (v2 + 1)) * 2);
        sum_2 = v66;
        vstore2(v66, 0, values + v9);
    }
    const double2 v67 = sum_2;
    const double v68 = v67.x + v67.y;
    if (v41) {
        values[v40] = v68;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    double joined_2 = values[v40];
    const double v69 = joined_2;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int j_3 = v4; j_3 < v3; j_3 += 256) {
        const double2 v70 = *(__global const double2 *)(x0 + (offset0 + v1 * stride0_0 + j_3)) - (double2)(v42);
        const double2 v71 = fma(v70, (double2)(1.4426950408889634), (double2)(6755399441055744.0));
        const double2 v72 = v71 - (double2)(6755399441055744.0);
        const ulong2 v73 = as_ulong2(v71) - (ulong2)(4843621399236968448UL);
        const double2 v74 = fma(v72, (double2)(-5.497923018708371e-14), fma(v72, (double2)(-0.6931471805598903), v70));
        const double2 v75 = fma((double2)(2.5007721103217978e-8), v74, (double2)(2.7630218619887306e-7));
        const double2 v76 = fma(fma(v75, v74, (double2)(2.7557557132897743e-6)), v74, (double2)(2.480149309667262e-5));
        const double2 v77 = fma(fma(v76, v74, (double2)(0.00019841269547140675)), v74, (double2)(0.0013888888943777056));
        const double2 v78 = fma(fma(v77, v74, (double2)(0.008333333333470435)), v74, (double2)(0.04166666666652854));
        const double2 v79 = fma(fma(v78, v74, (double2)(0.16666666666666463)), v74, (double2)(0.5000000000000011));
        const double2 v80 = fma(v74, fma(v74, v79, (double2)(1.0)), (double2)(1.0));
        const long2 v81 = ~(fabs(v70) < (double2)(708.0));
        const double2 v82 = as_double2(as_ulong2(v80) + (v73 << (ulong2)(52UL)));
        double2 result_2 = v82;
        if (any(v81)) {
            const ulong2 v83 = as_ulong2(as_long2(v73) >> (long2)(1L));
            const double2 v84 = v80 * as_double2((v83 + (ulong2)(1023UL)) << (ulong2)(52UL)) * as_double2((v73 - v83 + (ulong2)(1023UL)) << (ulong2)(52UL));
            const double2 v85 = select(select(v84, (double2)(((double)INFINITY)), (double2)(710.0) < v70), (double2)(0.0), v70 < (double2)(-746.0));
            result_2 = select(v82, v85, v81);
        }
        *(__global double2 *)(x1 + (offset1 + v1 * stride1_0 + j_3)) = result_2 / (double2)(v69);
    }
}
