#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL FP_CONTRACT OFF

__kernel
void map(
    __global const double *restrict x0,
    const int offset0,
    __global const double *restrict x1,
    const int offset1,
    __global const double *restrict x2,
    const int offset2,
    __global double *restrict x3,
    const int offset3,
    __global double *restrict x4,
    const int offset4,
    const double a0,
    const double a1,
    const int n0
) {
    const int v0 = (int)(long)get_global_id(0) * 2;
    if (v0 < n0) {
        const int v1 = n0 - v0;
        const bool v2 = 2 <= v1;
        const int v3 = min(v1, 2);
        const int v4 = offset0 + v0;
        const int v5 = offset1 + v0;
        const int v6 = offset2 + v0;
        double2 x = (double2)(0.0);
        double2 x_2 = (double2)(0.0);
        double2 x_3 = (double2)(0.0);
        if (v2) {
            x = *(__global const double2 *)(x0 + v4);
            x_2 = *(__global const double2 *)(x1 + v5);
            x_3 = *(__global const double2 *)(x2 + v6);
        } else {
            const int v7 = v3 - 1;
            const int v8 = min(0, v7);
            const int v9 = min(1, v7);
            x = (double2)(x0[v4 + v8], x0[v4 + v9]);
            x_2 = (double2)(x1[v5 + v8], x1[v5 + v9]);
            x_3 = (double2)(x2[v6 + v8], x2[v6 + v9]);
        }
        const double2 v10 = x;
        const double2 v11 = x_2;
        const double2 v12 = x_3;
        const double2 v13 = v10 / v11;
        const long2 v14 = ((double2)(2.2250738585072014e-308) <= v13) & (v13 < (double2)(((double)INFINITY)));
        const long2 v15 = ~v14;
        const ulong2 v16 = as_ulong2(v13) + (ulong2)(2638147582215219UL);
        const double2 v17 = as_double2((v16 & (ulong2)(4503599627370495UL)) + (ulong2)(4604544271217802189UL));
        const double2 v18 = as_double2((v16 >> (ulong2)(52UL)) + (ulong2)(4843621399236968448UL)) - (double2)(6755399441056767.0);
        const double2 v19 = v17 - (double2)(1.0);
        const double2 v20 = fma(v18, (double2)(0.6931471805598903), v19);
        const double2 v21 = fma(v18, (double2)(5.497923018708371e-14), fma(v18, (double2)(0.6931471805598903), -v20) + v19);
        const double2 v22 = fma((double2)(0.02616942329879392), v19, (double2)(-0.06003182522121821));
        const double2 v23 = fma(fma(v22, v19, (double2)(0.06526674900580814)), v19, (double2)(-0.05678180645962158));
        const double2 v24 = fma(fma(v23, v19, (double2)(0.05660030651427826)), v19, (double2)(-0.061946021245791225));
        const double2 v25 = fma(fma(v24, v19, (double2)(0.06685779831670811)), v19, (double2)(-0.07149883929465199));
        const double2 v26 = fma(fma(v25, v19, (double2)(0.07691444594849703)), v19, (double2)(-0.08332869525035355));
        const double2 v27 = fma(fma(v26, v19, (double2)(0.09090927001270846)), v19, (double2)(-0.10000017633278006));
        const double2 v28 = fma(fma(v27, v19, (double2)(0.11111111106572716)), v19, (double2)(-0.12499999614381568));
        const double2 v29 = fma(fma(v28, v19, (double2)(0.14285714279620942)), v19, (double2)(-0.16666666671178382));
        const double2 v30 = fma(fma(v29, v19, (double2)(0.20000000000083765)), v19, (double2)(-0.24999999999976472));
        const double2 v31 = fma(fma(v30, v19, (double2)(0.3333333333333304)), v19, (double2)(-0.5000000000000003));
        const double2 v32 = v20 + fma(v19 * v19, v31, v21);
        double2 result = v32;
        if (any(v15)) {
            const ulong2 v33 = as_ulong2(v13 * (double2)(1.8014398509481984e16)) + (ulong2)(2638147582215219UL);
            const double2 v34 = as_double2((v33 & (ulong2)(4503599627370495UL)) + (ulong2)(4604544271217802189UL));
            const double2 v35 = as_double2((v33 >> (ulong2)(52UL)) + (ulong2)(4843621399236968448UL)) - (double2)(6755399441056821.0);
            const double2 v36 = v34 - (double2)(1.0);
            const double2 v37 = fma(v35, (double2)(0.6931471805598903), v36);
            const double2 v38 = fma(v35, (double2)(5.497923018708371e-14), fma(v35, (double2)(0.6931471805598903), -v37) + v36);
            const double2 v39 = fma((double2)(0.02616942329879392), v36, (double2)(-0.06003182522121821));
            const double2 v40 = fma(fma(v39, v36, (double2)(0.06526674900580814)), v36, (double2)(-0.05678180645962158));
            const double2 v41 = fma(fma(v40, v36, (double2)(0.05660030651427826)), v36, (double2)(-0.061946021245791225));
            const double2 v42 = fma(fma(v41, v36, (double2)(0.06685779831670811)), v36, (double2)(-0.07149883929465199));
            const double2 v43 = fma(fma(v42, v36, (double2)(0.07691444594849703)), v36, (double2)(-0.08332869525035355));
            const double2 v44 = fma(fma(v43, v36, (double2)(0.09090927001270846)), v36, (double2)(-0.10000017633278006));
            const double2 v45 = fma(fma(v44, v36, (double2)(0.11111111106572716)), v36, (double2)(-0.12499999614381568));
            const double2 v46 = fma(fma(v45, v36, (double2)(0.14285714279620942)), v36, (double2)(-0.16666666671178382));
            const double2 v47 = fma(fma(v46, v36, (double2)(0.20000000000083765)), v36, (double2)(-0.24999999999976472));
            const double2 v48 = fma(fma(v47, v36, (double2)(0.3333333333333304)), v36, (double2)(-0.5000000000000003));
            const double2 v49 = select(v13, v37 + fma(v36 * v36, v48, v38), v13 < (double2)(2.2250738585072014e-308));
            const double2 v50 = select(select(v49, (double2)((-(double)INFINITY)), v13 == (double2)(0.0)), (double2)(((double)NAN)), v13 < (double2)(0.0));
            result = select(v32, v50, v15);
        }
        const double2 v51 = (double2)(a1) * sqrt(v12);
        const double2 v52 = fma((double2)(fma(0.5, a1 * a1, a0)), v12, result) / v51;
        const double2 v53 = v52 - v51;
        const double2 v54 = fabs(v52);
        const double2 v55 = select(v54, (double2)(38.7), (double2)(38.7) < v54);
        const double2 v56 = v55 * (double2)(-0.5);
        const double2 v57 = v55 * v56;
        const double2 v58 = v55 + (double2)(6.25);
        const double2 v59 = (double2)(1.0) / v58;
        const double2 v60 = -v59;
        const double2 v61 = fma(fma(v59, (double2)(22.6875), (double2)(0.442626953125)), fma(v60, v55 - (v58 - (double2)(6.25)), fma(v60, v58, (double2)(1.0))), fma(v55, v56, -v57));
        const double2 v62 = fma(v57, (double2)(1.4426950408889634), (double2)(6755399441055744.0));
        const double2 v63 = v62 - (double2)(6755399441055744.0);
        const double2 v64 = fma(v63, (double2)(-0.6931471805598903), v57) + fma(v63, (double2)(-5.497923018708371e-14), v61);
        const double2 v65 = fma((double2)(2.5007721103217978e-8), v64, (double2)(2.7630218619887306e-7));
        const double2 v66 = fma(fma(v65, v64, (double2)(2.7557557132897743e-6)), v64, (double2)(2.480149309667262e-5));
        const double2 v67 = fma(fma(v66, v64, (double2)(0.00019841269547140675)), v64, (double2)(0.0013888888943777056));
        const double2 v68 = fma(fma(v67, v64, (double2)(0.008333333333470435)), v64, (double2)(0.04166666666652854));
        const double2 v69 = fma(fma(v68, v64, (double2)(0.16666666666666463)), v64, (double2)(0.5000000000000011));
        const double2 v70 = fma((double2)(2.899614331954399e18), v59, (double2)(-2.145257214806317e18));
        const double2 v71 = fma(fma(v70, v59, (double2)(6.237935073904346e17)), v59, (double2)(-9.570508108044936e16));
        const double2 v72 = fma(fma(v71, v59, (double2)(1.0438302336013196e16)), v59, (double2)(-1571979168601329.3));
        const double2 v73 = fma(fma(v72, v59, (double2)(337306671439003.8)), v59, (double2)(-63692328207469.055));
        const double2 v74 = fma(fma(v73, v59, (double2)(9651507512488.088)), v59, (double2)(-1192204819880.4395));
        const double2 v75 = fma(fma(v74, v59, (double2)(121577377810.8222)), v59, (double2)(-10111448372.911983));
        const double2 v76 = fma(fma(v75, v59, (double2)(744279458.6800517)), v59, (double2)(-33876840.31051574));
        const double2 v77 = fma(fma(v76, v59, (double2)(3770268.145431738)), v59, (double2)(305144.3784154111));
        const double2 v78 = fma(fma(v77, v59, (double2)(81255.50707786038)), v59, (double2)(15275.736311140518));
        const double2 v79 = fma(fma(v78, v59, (double2)(2869.4289633057365)), v59, (double2)(516.4098679579837));
        const double2 v80 = fma(fma(v79, v59, (double2)(89.91811877409103)), v59, (double2)(15.184738298015848));
        const double2 v81 = fma(fma(v80, v59, (double2)(2.4933892642379485)), v59, (double2)(0.39894228037280327));
        const double2 v82 = v59 * v81;
        const ulong2 v83 = (as_ulong2(v62) - (ulong2)(4843621399236968448UL) + (ulong2)(500UL)) << (ulong2)(52UL);
        const double2 v84 = as_double2(as_ulong2(fma(v82, fma(v64 * v64, v69, v64), v82)) + v83) * (double2)(3.054936363499605e-151);
        const double2 v85 = select(v84, (double2)(1.0) - v84, (double2)(0.0) < v52);
        const double2 v86 = fabs(v53);
        const double2 v87 = select(v86, (double2)(38.7), (double2)(38.7) < v86);
        const double2 v88 = v87 * (double2)(-0.5);
        const double2 v89 = v87 * v88;
        const double2 v90 = v87 + (double2)(6.25);
        const double2 v91 = (double2)(1.0) / v90;
        const double2 v92 = -v91;
        const double2 v93 = fma(fma(v91, (double2)(22.6875), (double2)(0.442626953125)), fma(v92, v87 - (v90 - (double2)(6.25)), fma(v92, v90, (double2)(1.0))), fma(v87, v88, -v89));
        const double2 v94 = fma(v89, (double2)(1.4426950408889634), (double2)(6755399441055744.0));
        const double2 v95 = v94 - (double2)(6755399441055744.0);
        const double2 v96 = fma(v95, (double2)(-0.6931471805598903), v89) + fma(v95, (double2)(-5.497923018708371e-14), v93);
        const double2 v97 = fma((double2)(2.5007721103217978e-8), v96, (double2)(2.7630218619887306e-7));
        const double2 v98 = fma(fma(v97, v96, (double2)(2.7557557132897743e-6)), v96, (double2)(2.480149309667262e-5));
        const double2 v99 = fma(fma(v98, v96, (double2)(0.00019841269547140675)), v96, (double2)(0.0013888888943777056));
        const double2 v100 = fma(fma(v99, v96, (double2)(0.008333333333470435)), v96, (double2)(0.04166666666652854));
        const double2 v101 = fma(fma(v100, v96, (double2)(0.16666666666666463)), v96, (double2)(0.5000000000000011));
        const double2 v102 = fma((double2)(2.899614331954399e18), v91, (double2)(-2.145257214806317e18));
        const double2 v103 = fma(fma(v102, v91, (double2)(6.237935073904346e17)), v91, (double2)(-9.570508108044936e16));
        const double2 v104 = fma(fma(v103, v91, (double2)(1.0438302336013196e16)), v91, (double2)(-1571979168601329.3));
        const double2 v105 = fma(fma(v104, v91, (double2)(337306671439003.8)), v91, (double2)(-63692328207469.055));
        const double2 v106 = fma(fma(v105, v91, (double2)(9651507512488.088)), v91, (double2)(-1192204819880.4395));
        const double2 v107 = fma(fma(v106, v91, (double2)(121577377810.8222)), v91, (double2)(-10111448372.911983));
        const double2 v108 = fma(fma(v107, v91, (double2)(744279458.6800517)), v91, (double2)(-33876840.31051574));
        const double2 v109 = fma(fma(v108, v91, (double2)(3770268.145431738)), v91, (double2)(305144.3784154111));
        const double2 v110 = fma(fma(v109, v91, (double2)(81255.50707786038)), v91, (double2)(15275.736311140518));
        const double2 v111 = fma(fma(v110, v91, (double2)(2869.4289633057365)), v91, (double2)(516.4098679579837));
        const double2 v112 = fma(fma(v111, v91, (double2)(89.91811877409103)), v91, (double2)(15.184738298015848));
        const double2 v113 = fma(fma(v112, v91, (double2)(2.4933892642379485)), v91, (double2)(0.39894228037280327));
        const double2 v114 = v91 * v113;
        const ulong2 v115 = (as_ulong2(v94) - (ulong2)(4843621399236968448UL) + (ulong2)(500UL)) << (ulong2)(52UL);
        const double2 v116 = as_double2(as_ulong2(fma(v114, fma(v96 * v96, v101, v96), v114)) + v115) * (double2)(3.054936363499605e-151);
        const double2 v117 = select(v116, (double2)(1.0) - v116, (double2)(0.0) < v53);
        const double2 v118 = -((double2)(a0) * v12);
        const double2 v119 = fma(v118, (double2)(1.4426950408889634), (double2)(6755399441055744.0));
        const double2 v120 = v119 - (double2)(6755399441055744.0);
        const ulong2 v121 = as_ulong2(v119) - (ulong2)(4843621399236968448UL);
        const double2 v122 = fma(v120, (double2)(-5.497923018708371e-14), fma(v120, (double2)(-0.6931471805598903), v118));
        const double2 v123 = fma((double2)(2.5007721103217978e-8), v122, (double2)(2.7630218619887306e-7));
        const double2 v124 = fma(fma(v123, v122, (double2)(2.7557557132897743e-6)), v122, (double2)(2.480149309667262e-5));
        const double2 v125 = fma(fma(v124, v122, (double2)(0.00019841269547140675)), v122, (double2)(0.0013888888943777056));
        const double2 v126 = fma(fma(v125, v122, (double2)(0.008333333333470435)), v122, (double2)(0.04166666666652854));
        const double2 v127 = fma(fma(v126, v122, (double2)(0.16666666666666463)), v122, (double2)(0.5000000000000011));
        const double2 v128 = fma(v122, fma(v122, v127, (double2)(1.0)), (double2)(1.0));
        const long2 v129 = ~(fabs(v118) < (double2)(708.0));
        const double2 v130 = as_double2(as_ulong2(v128) + (v121 << (ulong2)(52UL)));
        double2 result_2 = v130;
        if (any(v129)) {
            const ulong2 v131 = as_ulong2(as_long2(v121) >> (long2)(1L));
            const double2 v132 = v128 * as_double2((v131 + (ulong2)(1023UL)) << (ulong2)(52UL)) * as_double2((v121 - v131 + (ulong2)(1023UL)) << (ulong2)(52UL));
            const double2 v133 = select(select(v132, (double2)(((double)INFINITY)), (double2)(710.0) < v118), (double2)(0.0), v118 < (double2)(-746.0));
            result_2 = select(v130, v133, v129);
        }
        const double2 v134 = v11 * result_2;
        const double2 v135 = v10 * v85 - v134 * v117;
        const double2 v136 = v134 * ((double2)(1.0) - v117) - v10 * ((double2)(1.0) - v85);
        const int v137 = offset3 + v0;
        const int v138 = offset4 + v0;
        if (v2) {
            *(__global double2 *)(x3 + v137) = v136;
            *(__global double2 *)(x4 + v138) = v135;
        } else {
            if (0 < v3) {
                x3[v137] = v136.x;
                x4[v138] = v135.x;
            }
        }
    }
}
