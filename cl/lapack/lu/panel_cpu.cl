// P A = L U for a panel of columns on a CPU, by one work-item. As step.cl.
// Parameters: those of columns_cpu.cl.

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void lu_panel(
    int rows, int width, __global scalar *a, long a_offset, long column_stride, int base, __global int *pivots,
    long pivot_offset, __global int *info, long info_place)
{
    info[info_place] = factor_columns(rows, width, a + a_offset, column_stride, base, pivots + pivot_offset, info[info_place]);
}
