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
    const int v0 = (int)(long)get_global_id(0);
    if (v0 < n0) {
        x2[offset2 + v0] = fma(a0, x0[offset0 + v0], sqrt(fabs(x1[offset1 + v0])));
    }
}
