// getf2 of a panel of columns by one work-item of a CPU.
#pragma once

#include "lapack/lu/getf2_cpu.cl"

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void getf2_panel(
    int rows, int width, __global scalar *a, long a_offset, long column_stride, int base, __global int *pivots,
    long pivot_offset, __global int *info, long info_index)
{
    info[info_index] =
        getf2_columns(rows, width, a + a_offset, column_stride, base, pivots + pivot_offset, info[info_index]);
}
