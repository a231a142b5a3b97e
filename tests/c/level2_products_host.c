/* Level 2's products on host pointers: one result per routine with exact values, quick returns, and every wrong
   argument. */

#include "level2_products.h"

#define COL AFFINIMATH_COL_MAJOR
#define ROW AFFINIMATH_ROW_MAJOR
#define KEEP AFFINIMATH_NO_TRANS
#define TRANS AFFINIMATH_TRANS
#define UP AFFINIMATH_UPPER
#define LOW AFFINIMATH_LOWER
#define STORED AFFINIMATH_NON_UNIT
#define UNIT AFFINIMATH_UNIT

/* y := 2*op(A)*x - y from y = (1, 1, ...), with increments of both signs. */
static void general(void)
{
  static const double KEPT[2] = {15, 19}, TURNED[5] = {31, -9, 19, -9, 7}, BAND_KEPT[3] = {-3, 17, 15};
  double y[5] = {1, 1, 1, 1, 1}, z[5] = {1, -9, 1, -9, 1};
  CHECK(affinimathDgemv(COL, KEEP, 2, 3, 2, FULL, 3, X, 1, -1, y, 1) == AFFINIMATH_SUCCESS, "dgemv");
  CHECK(equal(y, KEPT, sizeof KEPT), "dgemv");
  CHECK(affinimathDgemv(COL, TRANS, 2, 3, 2, FULL, 3, X, -2, -1, z, -2) == AFFINIMATH_SUCCESS, "dgemv");
  CHECK(equal(z, TURNED, sizeof TURNED), "dgemv of the transpose");
  /* The same memory by rows is the transpose. */
  y[0] = y[1] = 1;
  CHECK(affinimathDgemv(ROW, TRANS, 3, 2, 2, FULL, 3, X, 1, -1, y, 1) == AFFINIMATH_SUCCESS, "dgemv by rows");
  CHECK(equal(y, KEPT, sizeof KEPT), "dgemv by rows");
  y[0] = y[1] = y[2] = 1;
  CHECK(affinimathDgbmv(COL, KEEP, 3, 3, 1, 1, 2, BAND, 3, X, 1, -1, y, 1) == AFFINIMATH_SUCCESS, "dgbmv");
  CHECK(equal(y, BAND_KEPT, sizeof BAND_KEPT), "dgbmv");
}

static void symmetric(void)
{
  static const double WHOLE[3] = {7, 9, 11}, BANDED[3] = {-1, 9, 7};
  double y[3] = {0, 0, 0};
  affinimath_c64 w[2], one = {1, 0}, none = {0, 0};
  CHECK(affinimathDsymv(COL, UP, 3, 1, UPPER, 3, X, 1, 0, y, 1) == AFFINIMATH_SUCCESS, "dsymv");
  CHECK(equal(y, WHOLE, sizeof WHOLE), "dsymv");
  y[0] = y[1] = y[2] = 0;
  CHECK(affinimathDspmv(COL, UP, 3, 1, PACKED, X, 1, 1, y, 1) == AFFINIMATH_SUCCESS, "dspmv");
  CHECK(equal(y, WHOLE, sizeof WHOLE), "dspmv");
  CHECK(affinimathDsbmv(COL, UP, 3, 1, 1, UPPER_BAND, 2, X, 1, 0, y, 1) == AFFINIMATH_SUCCESS, "dsbmv");
  CHECK(equal(y, BANDED, sizeof BANDED), "dsbmv");
  CHECK(affinimathZhemv(COL, UP, 2, one, HERMITIAN, 2, Z, 1, none, w, 1) == AFFINIMATH_SUCCESS, "zhemv");
  CHECK(equal(w, HERMITIAN_PRODUCT, sizeof w), "zhemv");
  memset(w, 0, sizeof w);
  CHECK(affinimathZhpmv(COL, UP, 2, one, HERMITIAN_PACKED, Z, 1, none, w, 1) == AFFINIMATH_SUCCESS, "zhpmv");
  CHECK(equal(w, HERMITIAN_PRODUCT, sizeof w), "zhpmv");
  memset(w, 0, sizeof w);
  CHECK(affinimathZhbmv(COL, UP, 2, 1, one, HERMITIAN_BAND, 2, Z, 1, none, w, 1) == AFFINIMATH_SUCCESS, "zhbmv");
  CHECK(equal(w, HERMITIAN_PRODUCT, sizeof w), "zhbmv");
}

static void triangular(void)
{
  static const double KEPT[3] = {7, 7, 12}, TURNED[3] = {1, 1, 1}, BANDED[3] = {-1, 7, 12};
  double x[3];
  memcpy(x, X, sizeof x);
  CHECK(affinimathDtrmv(COL, UP, KEEP, STORED, 3, UPPER, 3, x, 1) == AFFINIMATH_SUCCESS, "dtrmv");
  CHECK(equal(x, KEPT, sizeof x), "dtrmv");
  memcpy(x, X, sizeof x);
  CHECK(affinimathDtpmv(COL, UP, TRANS, UNIT, 3, PACKED, x, 1) == AFFINIMATH_SUCCESS, "dtpmv");
  CHECK(equal(x, TURNED, sizeof x), "dtpmv");
  memcpy(x, X, sizeof x);
  CHECK(affinimathDtbmv(COL, UP, KEEP, STORED, 3, 1, UPPER_BAND, 2, x, 1) == AFFINIMATH_SUCCESS, "dtbmv");
  CHECK(equal(x, BANDED, sizeof x), "dtbmv");
}

#define REFUSED(call, index, name) \
  CHECK((call) == -(index) && strstr(affinimathLastError(), name) != NULL, #call)
#define NOTHING(call) CHECK((call) == AFFINIMATH_SUCCESS && x[0] == 1 && y[0] == 2, #call)

static void wrong_general(void)
{
  float a[9] = {0}, x[3] = {1, 1, 1}, y[3] = {2, 2, 2};
  REFUSED(affinimathSgemv(0, KEEP, 2, 3, 1, a, 2, x, 1, 1, y, 1), 1, "layout");
  REFUSED(affinimathSgemv(COL, 0, 2, 3, 1, a, 2, x, 1, 1, y, 1), 2, "trans");
  REFUSED(affinimathSgemv(COL, KEEP, -1, 3, 1, a, 2, x, 1, 1, y, 1), 3, "m");
  REFUSED(affinimathSgemv(COL, KEEP, 2, -1, 1, a, 2, x, 1, 1, y, 1), 4, "n");
  REFUSED(affinimathSgemv(COL, KEEP, 2, 3, 1, NULL, 2, x, 1, 1, y, 1), 6, "a");
  REFUSED(affinimathSgemv(COL, KEEP, 2, 3, 1, a, 1, x, 1, 1, y, 1), 7, "lda");
  REFUSED(affinimathSgemv(ROW, KEEP, 2, 3, 1, a, 2, x, 1, 1, y, 1), 7, "lda");
  REFUSED(affinimathSgemv(COL, KEEP, 2, 3, 1, a, 2, NULL, 1, 1, y, 1), 8, "x");
  REFUSED(affinimathSgemv(COL, KEEP, 2, 3, 1, a, 2, x, 0, 1, y, 1), 9, "incx");
  REFUSED(affinimathSgemv(COL, KEEP, 2, 3, 1, a, 2, x, 1, 1, NULL, 1), 11, "y");
  REFUSED(affinimathSgemv(COL, KEEP, 2, 3, 1, a, 2, x, 1, 1, y, 0), 12, "incy");
  REFUSED(affinimathSgbmv(COL, KEEP, 3, 3, -1, 1, 1, a, 3, x, 1, 1, y, 1), 5, "kl");
  REFUSED(affinimathSgbmv(COL, KEEP, 3, 3, 1, -1, 1, a, 3, x, 1, 1, y, 1), 6, "ku");
  REFUSED(affinimathSgbmv(COL, KEEP, 3, 3, 1, 1, 1, NULL, 3, x, 1, 1, y, 1), 8, "a");
  REFUSED(affinimathSgbmv(COL, KEEP, 3, 3, 1, 1, 1, a, 2, x, 1, 1, y, 1), 9, "lda");
  REFUSED(affinimathSgbmv(ROW, KEEP, 3, 3, 1, 1, 1, a, 2, x, 1, 1, y, 1), 9, "lda");
  REFUSED(affinimathSgbmv(COL, KEEP, 3, 3, 1, 1, 1, a, 3, x, 0, 1, y, 1), 11, "incx");
  REFUSED(affinimathSgbmv(COL, KEEP, 3, 3, 1, 1, 1, a, 3, x, 1, 1, y, 0), 14, "incy");
  /* The first wrong argument is the one that is reported, and numbers are checked where nothing is to be done. */
  REFUSED(affinimathSgemv(COL, KEEP, 2, 3, 1, a, 1, x, 0, 1, NULL, 0), 7, "lda");
  REFUSED(affinimathSgemv(COL, KEEP, 0, 3, 1, a, 1, x, 1, 1, y, 0), 12, "incy");
  /* Quick returns look at no pointer; gemv of an empty matrix leaves y as it is, whatever beta. */
  NOTHING(affinimathSgemv(COL, KEEP, 2, 0, 1, NULL, 2, NULL, 1, 0, NULL, 1));
  NOTHING(affinimathSgemv(COL, KEEP, 3, 0, 1, a, 3, x, 1, 0, y, 1));
  NOTHING(affinimathSgemv(COL, KEEP, 2, 3, 0, NULL, 2, NULL, 1, 1, NULL, 1));
  NOTHING(affinimathSgbmv(COL, KEEP, 0, 3, 1, 1, 1, NULL, 3, NULL, 1, 5, NULL, 1));
  CHECK(affinimathSgemv(COL, KEEP, 2, 3, 0, NULL, 2, NULL, 1, 2, y, 1) == AFFINIMATH_SUCCESS && y[1] == 4 && y[2] == 2,
        "sgemv without a product");
}

static void wrong_triangles(void)
{
  float a[9] = {0}, x[3] = {1, 1, 1}, y[3] = {2, 2, 2};
  REFUSED(affinimathSsymv(0, UP, 3, 1, a, 3, x, 1, 1, y, 1), 1, "layout");
  REFUSED(affinimathSsymv(COL, 0, 3, 1, a, 3, x, 1, 1, y, 1), 2, "uplo");
  REFUSED(affinimathSsymv(COL, UP, -3, 1, a, 3, x, 1, 1, y, 1), 3, "n");
  REFUSED(affinimathSsymv(COL, UP, 3, 1, NULL, 3, x, 1, 1, y, 1), 5, "a");
  REFUSED(affinimathSsymv(COL, UP, 3, 1, a, 2, x, 1, 1, y, 1), 6, "lda");
  REFUSED(affinimathSsymv(COL, UP, 3, 1, a, 3, NULL, 1, 1, y, 1), 7, "x");
  REFUSED(affinimathSsymv(COL, UP, 3, 1, a, 3, x, 1, 1, y, 0), 11, "incy");
  REFUSED(affinimathSsbmv(COL, UP, 3, -1, 1, a, 2, x, 1, 1, y, 1), 4, "k");
  REFUSED(affinimathSsbmv(COL, UP, 3, 1, 1, a, 1, x, 1, 1, y, 1), 7, "lda");
  REFUSED(affinimathSsbmv(COL, LOW, 3, 1, 1, a, 2, x, 1, 1, NULL, 1), 11, "y");
  REFUSED(affinimathSspmv(COL, 0, 3, 1, a, x, 1, 1, y, 1), 2, "uplo");
  REFUSED(affinimathSspmv(COL, UP, 3, 1, NULL, x, 1, 1, y, 1), 5, "ap");
  REFUSED(affinimathSspmv(COL, UP, 3, 1, a, x, 0, 1, y, 1), 7, "incx");
  REFUSED(affinimathSspmv(COL, UP, 3, 1, a, x, 1, 1, y, 0), 10, "incy");
  REFUSED(affinimathStrmv(COL, 0, KEEP, UNIT, 3, a, 3, x, 1), 2, "uplo");
  REFUSED(affinimathStrmv(COL, UP, 0, UNIT, 3, a, 3, x, 1), 3, "trans");
  REFUSED(affinimathStrmv(COL, UP, KEEP, 0, 3, a, 3, x, 1), 4, "diag");
  REFUSED(affinimathStrmv(COL, UP, KEEP, UNIT, -3, a, 3, x, 1), 5, "n");
  REFUSED(affinimathStrmv(COL, UP, KEEP, UNIT, 3, NULL, 3, x, 1), 6, "a");
  REFUSED(affinimathStrmv(COL, UP, KEEP, UNIT, 3, a, 2, x, 1), 7, "lda");
  REFUSED(affinimathStrmv(COL, UP, KEEP, UNIT, 3, a, 3, NULL, 1), 8, "x");
  REFUSED(affinimathStrmv(COL, UP, KEEP, UNIT, 3, a, 3, x, 0), 9, "incx");
  REFUSED(affinimathStbmv(COL, UP, KEEP, UNIT, 3, -1, a, 3, x, 1), 6, "k");
  REFUSED(affinimathStbmv(COL, UP, KEEP, UNIT, 3, 2, a, 2, x, 1), 8, "lda");
  REFUSED(affinimathStpmv(COL, UP, KEEP, UNIT, 3, NULL, x, 1), 6, "ap");
  REFUSED(affinimathStpmv(COL, UP, KEEP, UNIT, 3, a, x, 0), 8, "incx");
  NOTHING(affinimathSsymv(COL, UP, 0, 1, NULL, 1, NULL, 1, 0, NULL, 1));
  NOTHING(affinimathSspmv(COL, UP, 3, 0, NULL, NULL, 1, 1, NULL, 1));
  NOTHING(affinimathStrmv(COL, UP, KEEP, UNIT, 0, NULL, 1, NULL, 1));
  NOTHING(affinimathStpmv(COL, UP, KEEP, UNIT, 0, NULL, NULL, 1));
}

int main(void)
{
  general();
  symmetric();
  triangular();
  wrong_general();
  wrong_triangles();
  return report("level2_products_host");
}
