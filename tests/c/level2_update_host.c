/* Level 2's updates on host pointers: a result each with exact values, quick returns, and every wrong argument. */

#include "count.h"

enum { ROWS = AFFINIMATH_ROW_MAJOR, COLS = AFFINIMATH_COL_MAJOR, UP = AFFINIMATH_UPPER, LOW = AFFINIMATH_LOWER };

#define GIVES(call, found, expected) \
  CHECK((call) == AFFINIMATH_SUCCESS && memcmp(found, expected, sizeof(expected)) == 0, #call)

/* x = (1, 2) and y = (3, 5); what is nobody's holds -7. */
static void real_updates(void)
{
  static const double X[2] = {1, 2}, Y[3] = {5, -7, 3};
  static const double GER[5] = {31, 51, -7, 61, 101}, GER_TURNED[4] = {31, 61, 51, 101};
  static const double SYR[4] = {11, 21, -7, 41}, SYR2[4] = {61, -7, 111, 201};
  static const double SPR[3] = {11, 21, 41}, SPR2[3] = {61, 111, 201};
  double a[5] = {1, 1, -7, 1, 1}, b[4] = {1, 1, 1, 1}, s[4] = {1, 1, -7, 1}, t[4] = {1, -7, 1, 1};
  double p[3] = {1, 1, 1}, q[3] = {1, 1, 1};
  GIVES(affinimathDger(ROWS, 2, 2, 10, X, 1, Y, -2, a, 3), a, GER);
  GIVES(affinimathDger(COLS, 2, 2, 10, X, 1, Y, -2, b, 2), b, GER_TURNED);
  GIVES(affinimathDsyr(COLS, LOW, 2, 10, X, 1, s, 2), s, SYR);
  GIVES(affinimathDsyr2(COLS, UP, 2, 10, X, 1, Y, -2, t, 2), t, SYR2);
  GIVES(affinimathDspr(ROWS, UP, 2, 10, X, 1, p), p, SPR);
  GIVES(affinimathDspr2(COLS, UP, 2, 10, X, 1, Y, -2, q), q, SPR2);
}

/* x = (1 + i, 2) and y = (i, 3). The diagonals of Hermitian matrices begin with imaginary parts, which are not read. */
static void complex_updates(void)
{
  static const affinimath_c64 X[2] = {{1, 1}, {2, 0}}, Y[2] = {{0, 1}, {3, 0}}, ONE = {1, 0}, I = {0, 1};
  static const affinimath_c64 GERU[4] = {{-1, 1}, {0, 2}, {3, 3}, {6, 0}}, GERC[4] = {{1, -1}, {0, -2}, {3, 3}, {6, 0}};
  static const affinimath_c64 SYR[4] = {{0, 2}, {2, 2}, {-7, -7}, {4, 0}}, SPR[3] = {{0, 2}, {2, 2}, {4, 0}};
  static const affinimath_c64 SYR2[4] = {{-2, 2}, {3, 5}, {-7, -7}, {12, 0}}, SPR2[3] = {{-2, 2}, {3, 5}, {12, 0}};
  /* Twice x times its conjugate transpose; and i (x yH) - i (y xH), in row 1: 2, in row 2: 2 (-i) i - 3 i (1 - i). */
  static const affinimath_c64 HER[4] = {{4, 0}, {4, -4}, {-7, -7}, {8, 0}}, HPR[3] = {{4, 0}, {4, -4}, {8, 0}};
  static const affinimath_c64 HER2[4] = {{2, 0}, {-1, -3}, {-7, -7}, {0, 0}}, HPR2[3] = {{2, 0}, {-1, -3}, {0, 0}};
  affinimath_c64 zeros[4] = {{0, 0}, {0, 0}, {0, 0}, {0, 0}}, full[4] = {{0, 0}, {0, 0}, {-7, -7}, {0, 0}};
  affinimath_c64 hermitian[4] = {{0, 9}, {0, 0}, {-7, -7}, {0, 9}}, packed[3] = {{0, 9}, {0, 0}, {0, 9}}, a[4];
  memcpy(a, zeros, sizeof a);
  GIVES(affinimathZgeru(COLS, 2, 2, ONE, X, 1, Y, 1, a, 2), a, GERU);
  memcpy(a, zeros, sizeof a);
  GIVES(affinimathZgerc(COLS, 2, 2, ONE, X, 1, Y, 1, a, 2), a, GERC);
  memcpy(a, full, sizeof a);
  GIVES(affinimathZsyr(COLS, LOW, 2, ONE, X, 1, a, 2), a, SYR);
  memcpy(a, full, sizeof a);
  GIVES(affinimathZsyr2(COLS, LOW, 2, ONE, X, 1, Y, 1, a, 2), a, SYR2);
  memcpy(a, zeros, sizeof a);
  GIVES(affinimathZspr(COLS, LOW, 2, ONE, X, 1, a), a, SPR);
  memcpy(a, zeros, sizeof a);
  GIVES(affinimathZspr2(COLS, LOW, 2, ONE, X, 1, Y, 1, a), a, SPR2);
  memcpy(a, hermitian, sizeof a);
  GIVES(affinimathZher(COLS, LOW, 2, 2, X, 1, a, 2), a, HER);
  memcpy(a, hermitian, sizeof a);
  GIVES(affinimathZher2(COLS, LOW, 2, I, X, 1, Y, 1, a, 2), a, HER2);
  memcpy(a, packed, sizeof packed);
  GIVES(affinimathZhpr(COLS, LOW, 2, 2, X, 1, a), a, HPR);
  memcpy(a, packed, sizeof packed);
  GIVES(affinimathZhpr2(COLS, LOW, 2, I, X, 1, Y, 1, a), a, HPR2);
}

#define REFUSED(call, index, name) CHECK((call) == -(index) && strstr(affinimathLastError(), name) != NULL, #call)
#define NOTHING(call) CHECK((call) == AFFINIMATH_SUCCESS && a[0] == 3, #call)

static void wrong_arguments(void)
{
  float x[6] = {1, 1, 1, 1, 1, 1}, y[6] = {2, 2, 2, 2, 2, 2}, a[6] = {3, 3, 3, 3, 3, 3};
  affinimath_c32 z[4] = {{1, 1}, {1, 1}, {1, 1}, {1, 1}}, one = {1, 0}, zero = {0, 0};
  REFUSED(affinimathSger(0, 2, 3, 1, x, 1, y, 1, a, 2), 1, "layout");
  REFUSED(affinimathSger(COLS, -2, 3, 1, x, 1, y, 1, a, 2), 2, "m");
  REFUSED(affinimathSger(COLS, 2, -3, 1, x, 1, y, 1, a, 2), 3, "n");
  REFUSED(affinimathSger(COLS, 2, 3, 1, NULL, 1, y, 1, a, 2), 5, "x");
  REFUSED(affinimathSger(COLS, 2, 3, 1, x, 0, y, 1, a, 2), 6, "incx");
  REFUSED(affinimathSger(COLS, 2, 3, 1, x, 1, NULL, 1, a, 2), 7, "y");
  REFUSED(affinimathSger(COLS, 2, 3, 1, x, 1, y, 0, a, 2), 8, "incy");
  REFUSED(affinimathSger(COLS, 2, 3, 1, x, 1, y, 1, NULL, 2), 9, "a");
  REFUSED(affinimathSger(COLS, 2, 3, 1, x, 1, y, 1, a, 1), 10, "lda");
  REFUSED(affinimathSger(ROWS, 2, 3, 1, x, 1, y, 1, a, 2), 10, "lda");
  REFUSED(affinimathCgeru(COLS, 2, 2, one, z, 1, z, 0, z, 2), 8, "incy");
  REFUSED(affinimathCgerc(COLS, 2, 2, one, z, 1, z, 1, z, 1), 10, "lda");
  REFUSED(affinimathSsyr(0, UP, 2, 1, x, 1, a, 2), 1, "layout");
  REFUSED(affinimathSsyr(COLS, 0, 2, 1, x, 1, a, 2), 2, "uplo");
  REFUSED(affinimathSsyr(COLS, UP, -2, 1, x, 1, a, 2), 3, "n");
  REFUSED(affinimathSsyr(COLS, UP, 2, 1, NULL, 1, a, 2), 5, "x");
  REFUSED(affinimathSsyr(COLS, UP, 2, 1, x, 0, a, 2), 6, "incx");
  REFUSED(affinimathSsyr(COLS, UP, 2, 1, x, 1, NULL, 2), 7, "a");
  REFUSED(affinimathSsyr(COLS, UP, 2, 1, x, 1, a, 1), 8, "lda");
  REFUSED(affinimathCher(COLS, 0, 2, 1, z, 1, z, 2), 2, "uplo");
  REFUSED(affinimathCher(COLS, UP, 2, 1, z, 1, z, 1), 8, "lda");
  REFUSED(affinimathSsyr2(COLS, 0, 2, 1, x, 1, y, 1, a, 2), 2, "uplo");
  REFUSED(affinimathSsyr2(COLS, UP, -2, 1, x, 1, y, 1, a, 2), 3, "n");
  REFUSED(affinimathSsyr2(COLS, UP, 2, 1, x, 0, y, 1, a, 2), 6, "incx");
  REFUSED(affinimathSsyr2(COLS, UP, 2, 1, x, 1, NULL, 1, a, 2), 7, "y");
  REFUSED(affinimathSsyr2(COLS, UP, 2, 1, x, 1, y, 0, a, 2), 8, "incy");
  REFUSED(affinimathSsyr2(COLS, UP, 2, 1, x, 1, y, 1, a, 1), 10, "lda");
  REFUSED(affinimathCher2(COLS, UP, 2, one, z, 1, z, 0, z, 2), 8, "incy");
  REFUSED(affinimathSspr(1, UP, 2, 1, x, 1, a), 1, "layout");
  REFUSED(affinimathSspr(COLS, 1, 2, 1, x, 1, a), 2, "uplo");
  REFUSED(affinimathSspr(COLS, UP, -1, 1, x, 1, a), 3, "n");
  REFUSED(affinimathSspr(COLS, UP, 2, 1, x, 0, a), 6, "incx");
  REFUSED(affinimathSspr(COLS, UP, 2, 1, x, 1, NULL), 7, "ap");
  REFUSED(affinimathChpr(COLS, UP, 2, 1, z, 0, z), 6, "incx");
  REFUSED(affinimathSspr2(COLS, UP, 2, 1, x, 1, y, 0, a), 8, "incy");
  REFUSED(affinimathSspr2(COLS, UP, 2, 1, x, 1, y, 1, NULL), 9, "ap");
  REFUSED(affinimathChpr2(COLS, 7, 2, one, z, 1, z, 1, z), 2, "uplo");
  /* BLAS: with alpha = 0 or an empty matrix nothing changes, not even a Hermitian diagonal. */
  NOTHING(affinimathSger(COLS, 0, 3, 1, NULL, 1, NULL, 1, NULL, 1));
  NOTHING(affinimathSger(COLS, 2, 3, 0, NULL, 1, NULL, 1, NULL, 2));
  NOTHING(affinimathSsyr(COLS, UP, 0, 1, NULL, 1, NULL, 1));
  NOTHING(affinimathSspr2(COLS, UP, 2, 0, NULL, 1, NULL, 1, NULL));
  CHECK(affinimathCher(COLS, UP, 2, 0, z, 1, z, 2) == AFFINIMATH_SUCCESS && z[0].im == 1, "alpha = 0");
  CHECK(affinimathChpr2(COLS, UP, 2, zero, z, 1, z, 1, z) == AFFINIMATH_SUCCESS && z[0].im == 1, "alpha = 0");
  /* A leading dimension is looked at all the same. */
  REFUSED(affinimathSger(COLS, 2, 3, 0, x, 1, y, 1, a, 1), 10, "lda");
}

int main(void)
{
  real_updates();
  complex_updates();
  wrong_arguments();
  return report("level2_update_host");
}
