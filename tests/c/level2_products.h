/* Matrices and vectors of level 2's products in numbers that are exact, for the tests on host pointers and on memory
   objects alike. C89. */

#ifndef LEVEL2_PRODUCTS_H
#define LEVEL2_PRODUCTS_H

#include "count.h"

/* [1 3 5; 2 4 6], by columns with a gap. */
static const double FULL[8] = {1, 2, -9, 3, 4, -9, 5, 6};
/* [1 2 0; 3 4 5; 0 6 7], the band by columns. */
static const double BAND[9] = {-9, 1, 3, 2, 4, 6, 5, 7, -9};
/* The upper triangle [1 2 4; 3 5; 6], whole, packed, and with one diagonal beside the main one as a band. */
static const double UPPER[9] = {1, -9, -9, 2, 3, -9, 4, 5, 6};
static const double PACKED[6] = {1, 2, 3, 4, 5, 6};
static const double UPPER_BAND[6] = {-9, 1, 2, 3, 5, 6};
static const double X[3] = {1, -1, 2};

/* The Hermitian matrix [1 2+i; 2-i 3] and vectors (1, i): A x = (0 + 2i, 2 + 2i). Imaginary parts on the diagonal are
   not read. */
static const affinimath_c64 HERMITIAN[4] = {{1, 7}, {-9, -9}, {2, 1}, {3, 7}};
static const affinimath_c64 HERMITIAN_PACKED[3] = {{1, 7}, {2, 1}, {3, 7}};
static const affinimath_c64 HERMITIAN_BAND[4] = {{-9, -9}, {1, 7}, {2, 1}, {3, 7}};
static const affinimath_c64 Z[2] = {{1, 0}, {0, 1}};
static const affinimath_c64 HERMITIAN_PRODUCT[2] = {{0, 2}, {2, 2}};

static int equal(const void *found, const void *expected, size_t bytes) { return memcmp(found, expected, bytes) == 0; }

#endif
