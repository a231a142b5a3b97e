// The triangle T of a few reflections' product I - V T Vᴴ, from the products Vᴴ V and the factors. One work-group; a row of T is one
// work-item's.
// Parameter: THREADS.

__kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void qr_connect(
    int width, __global const scalar *restrict g, long g_offset, long g_stride, __global const scalar *restrict tau,
    long tau_offset, __global scalar *t, long t_offset, long t_stride)
{
    for (int i = get_local_id(0); i < width; i += THREADS) {
        __global scalar *row = t + t_offset + i;
        row[i * t_stride] = tau[tau_offset + i];
        for (int j = i + 1; j < width; j++) {
            __global const scalar *column = g + g_offset + j * g_stride;
            scalar sum = SCALAR_ZERO;
            for (int k = i; k < j; k++) sum = multiply_add(row[k * t_stride], column[k], sum);
            row[j * t_stride] = -multiply(tau[tau_offset + j], sum);
        }
    }
}
