// A matrix stored by columns of adjacent elements: full, band or packed. Element (i, j) is a[column_start(j) + i], and
// is stored when j - above <= i <= j + below. Kernels take these arguments as STORED_PARAMETERS (the same in every
// kernel, in this order).
#pragma once

#define STORED_PARAMETERS long shift, long linear, long quadratic, long above, long below
#define column_start(j) (shift + (j) * (linear + quadratic * (j)) / 2)
