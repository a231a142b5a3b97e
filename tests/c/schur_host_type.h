/* Hessenberg and Schur forms, pencils and bands of one type: T, its real type R, NAME(routine), and COMPLEX, 1 of
   complex types. */

enum { FUNCTION(PARTS) = 1 + COMPLEX };

/* The matrix of the tests, in a layout. */
static void FUNCTION(fill)(T *a, int layout)
{
  R *parts = (R *)a;
  int i, j, at;
  for (i = 0; i < N; ++i) {
    for (j = 0; j < N; ++j) {
      at = FUNCTION(PARTS) * (layout == COL ? i + j * N : i * N + j);
      parts[at] = (R)((7 * i + 3 * j + i * j * j + 2 * j * i * i) % 11 - 5);
      if (COMPLEX) parts[at + 1] = (R)((i + 2 * j) % 3);
    }
  }
}

static double FUNCTION(largest)(const T *a, int count)
{
  const R *parts = (const R *)a;
  double found = 0;
  int i;
  for (i = 0; i < count * FUNCTION(PARTS); ++i) {
    if (!(fabs((double)parts[i]) <= found)) found = fabs((double)parts[i]);
  }
  return found;
}

static T FUNCTION(number)(double value)
{
  T made;
  memset(&made, 0, sizeof made);
  *(R *)&made = (R)value;
  return made;
}

/* The largest element of Z T Z^H - A. */
static double FUNCTION(backward)(int layout, const T *z, const T *t)
{
  T product[N * N], a[N * N];
  const T one = FUNCTION(number)(1), minus = FUNCTION(number)(-1), zero = FUNCTION(number)(0);
  FUNCTION(fill)(a, layout);
  if (NAME(gemm)(layout, NT, NT, N, N, N, one, z, N, t, N, zero, product, N) != 0) {
    return 1e30;
  }
  if (NAME(gemm)(layout, NT, AFFINIMATH_CONJ_TRANS, N, N, N, one, product, N, z, N, minus, a, N) != 0) {
    return 1e30;
  }
  return FUNCTION(largest)(a, N * N);
}

/* Clears what is below the first subdiagonal. */
static void FUNCTION(clear)(T *a, int layout)
{
  int i, j;
  for (i = 0; i < N; ++i) {
    for (j = 0; j + 1 < i; ++j) a[layout == COL ? i + j * N : i * N + j] = FUNCTION(number)(0);
  }
}

static void FUNCTION(forms)(int layout)
{
  const double bound = sizeof(R) == sizeof(double) ? 1e-12 : 1e-3;
  T a[N * N], q[N * N], c[N * N], d[N * N], tau[N], vl[N * N], vr[N * N], w[2 * N];
  R s, sep, scale, norm, factors[N], conditions[N], separations[N];
  int32_t m = -1, low = -1, high = -1, select[N] = {0, 0, 0, 0, 0, 1};
  int i;
  FUNCTION(fill)(a, layout);
  CHECK(NAME(gehrd)(layout, N, 1, N, a, N, tau) == 0, "gehrd");
  memcpy(q, a, sizeof a);
  for (i = 0; i < N * N; ++i) c[i] = FUNCTION(number)(i % (N + 1) == 0);
  CHECK(NAME(ormhr)(layout, AFFINIMATH_LEFT, NT, N, N, 1, N, a, N, tau, c, N) == 0, "ormhr");
  CHECK(NAME(orghr)(layout, N, 1, N, q, N, tau) == 0, "orghr");
  FUNCTION(clear)(a, layout);
  CHECK(FUNCTION(backward)(layout, q, a) < bound && FUNCTION(backward)(layout, c, a) < bound, "Q H Q^H = A");
  CHECK(NAME(hseqr)(layout, AFFINIMATH_SCHUR_FORM, YES, N, 1, N, a, N, VALUES(w), q, N) == 0 &&
          FUNCTION(backward)(layout, q, a) < bound,
        "hseqr");
  CHECK(NAME(trsna)(layout, AFFINIMATH_SENSE_BOTH, AFFINIMATH_EIGENVECTORS_ALL, NULL, N, a, N, conditions, separations,
                    N, &m) == 0 &&
          m == N && conditions[0] > 0 && conditions[0] < 1.001 && separations[N - 1] > 0,
        "trsna");
  m = -1;
  CHECK(NAME(trsen)(layout, AFFINIMATH_SENSE_BOTH, YES, select, N, a, N, q, N, VALUES(w), &m, &s, &sep) == 0 &&
          m >= 1 && m <= 2 && s > 0 && s < 1.001 && sep > 0 && FUNCTION(backward)(layout, q, a) < bound,
        "trsen");
  memcpy(vr, q, sizeof q);
  m = -1;
  CHECK(NAME(trevc)(layout, AFFINIMATH_RIGHT_VECTORS, AFFINIMATH_EIGENVECTORS_PRODUCT, NULL, N, a, N, NULL, 1, vr, N, N,
                    &m) == 0 &&
          m == N && FUNCTION(largest)(vr, N * N) < 1.001,
        "trevc");
  CHECK(NAME(trevc)(layout, AFFINIMATH_BOTH_VECTORS, AFFINIMATH_EIGENVECTORS_ALL, NULL, N, a, N, vl, N, vr, N, N - 1,
                    &m) == -12,
        "too few columns of trevc");
  /* T X + X T^H = C, which is 0 for a C of 0. */
  memset(c, 0, sizeof c);
  scale = -1;
  CHECK(NAME(trsyl)(layout, NT, AFFINIMATH_CONJ_TRANS, 1, N, N, a, N, a, N, c, N, &scale) >= 0 &&
          scale > 0 && scale <= 1 && FUNCTION(largest)(c, N * N) == 0,
        "trsyl");
  CHECK(NAME(trsyl)(layout, NT, NT, -1, N, N, a, N, a, N, c, N, &scale) == 1,
        "common eigenvalues");
  CHECK(NAME(trsyl)(layout, NT, NT, 2, N, N, a, N, a, N, c, N, &scale) == -4,
        "a wrong sign");
  FUNCTION(fill)(a, layout);
  CHECK(NAME(gees)(layout, YES, N, a, N, VALUES(w), q, N) == 0 && FUNCTION(backward)(layout, q, a) < bound, "gees");
  FUNCTION(fill)(d, layout);
  CHECK(NAME(geevx)(layout, AFFINIMATH_BALANCE_BOTH, YES, YES, AFFINIMATH_SENSE_BOTH, N, d, N, VALUES(w), vl, N, vr, N,
                    &low, &high, factors, &norm, conditions, separations) == 0 &&
          low == 1 && high == N && norm > 1 && conditions[0] > 0 && separations[0] > 0,
        "geevx");
  CHECK(NAME(geevx)(layout, AFFINIMATH_BALANCE_BOTH, NO, NO, AFFINIMATH_SENSE_VALUES, N, d, N, VALUES(w), NULL, 1, NULL,
                    1, &low, &high, factors, &norm, conditions, NULL) == -5,
        "conditions without vectors");
  CHECK(NAME(gebal)(layout, AFFINIMATH_BALANCE_BOTH, N, d, N, &low, &high, factors) == 0 && low == 1 && high == N,
        "gebal");
  CHECK(NAME(gebak)(layout, AFFINIMATH_BALANCE_BOTH, AFFINIMATH_RIGHT, N, 1, N, factors, N, vr, N) == 0, "gebak");
}

/* The largest element of Q S Z^H less a matrix. */
static double FUNCTION(equivalence)(int layout, const T *q, const T *s, const T *z, const T *given)
{
  T product[N * N], a[N * N];
  const T one = FUNCTION(number)(1), minus = FUNCTION(number)(-1), zero = FUNCTION(number)(0);
  memcpy(a, given, sizeof a);
  if (NAME(gemm)(layout, NT, NT, N, N, N, one, q, N, s, N, zero, product, N) != 0) {
    return 1e30;
  }
  if (NAME(gemm)(layout, NT, AFFINIMATH_CONJ_TRANS, N, N, N, one, product, N, z, N, minus, a, N) != 0) {
    return 1e30;
  }
  return FUNCTION(largest)(a, N * N);
}

static void FUNCTION(pencils)(int layout)
{
  const double bound = sizeof(R) == sizeof(double) ? 1e-12 : 1e-3;
  T a[N * N], b[N * N], s[N * N], p[N * N], q[N * N], z[N * N], vl[N * N], vr[N * N], w[2 * N], beta[N];
  int32_t m = -1, select[N] = {0, 0, 0, 0, 0, 1};
  int i;
  FUNCTION(fill)(a, layout);
  for (i = 0; i < N * N; ++i) b[i] = FUNCTION(number)(i % (N + 1) == 0 ? 3 : (i * i) % 5 / 4.0);
  memcpy(s, a, sizeof a);
  memcpy(p, b, sizeof b);
  CHECK(NAME(gges)(layout, YES, YES, N, s, N, p, N, VALUES(w), beta, q, N, z, N) == 0 &&
          FUNCTION(equivalence)(layout, q, s, z, a) < bound && FUNCTION(equivalence)(layout, q, p, z, b) < bound,
        "gges");
  CHECK(NAME(tgsen)(layout, YES, YES, select, N, s, N, p, N, VALUES(w), beta, q, N, z, N, &m) == 0 && m >= 1 &&
          m <= 2 && FUNCTION(equivalence)(layout, q, s, z, a) < bound &&
          FUNCTION(equivalence)(layout, q, p, z, b) < bound,
        "tgsen");
  memcpy(s, a, sizeof a);
  CHECK(NAME(ggev)(layout, YES, YES, N, a, N, b, N, VALUES(w), beta, vl, N, vr, N) == 0 &&
          memcmp(s, a, sizeof a) == 0 && FUNCTION(largest)(vl, N * N) < 1.001 && FUNCTION(largest)(vr, N * N) > 0.5,
        "ggev");
  CHECK(NAME(ggev)(layout, NO, NO, N, a, N, b, N, VALUES(w), beta, NULL, 1, NULL, 1) == 0, "eigenvalues of a pencil");
  CHECK(NAME(ggev)(layout, NO, YES, N, a, N, b, N - 1, VALUES(w), beta, NULL, 1, vr, N) == -8, "a wrong ldb of ggev");
  CHECK(NAME(gges)(layout, 0, NO, N, s, N, p, N, VALUES(w), beta, NULL, 1, NULL, 1) == -2, "a wrong job of gges");
  CHECK(NAME(ggev)(layout, NO, NO, 0, NULL, 1, NULL, 1, VALUES(w), beta, NULL, 1, NULL, 1) == 0, "an empty pencil");
  *(R *)a = (R)not_finite(0);
  CHECK(NAME(ggev)(layout, NO, NO, N, a, N, b, N, VALUES(w), beta, NULL, 1, NULL, 1) == N && *(R *)w != *(R *)w,
        "a NaN of a pencil");
}

static void FUNCTION(bands)(int layout)
{
  /* 2 on the diagonal, 1 beside it: eigenvalues are 2 - 2 cos(k pi / (n + 1)). */
  const double bound = sizeof(R) == sizeof(double) ? 1e-13 : 1e-5, pi = 3.14159265358979323846;
  T ab[2 * N], z[N * N], q[N * N];
  R w[N], some[N], d[N], e[N];
  double sum = 0;
  int32_t m = -1;
  int i, rows = layout == COL ? 2 : N;
  for (i = 0; i < 2 * N; ++i) ab[i] = FUNCTION(number)((layout == COL ? i % 2 == 0 : i < N) ? 2 : -1);
  CHECK(NAME(sbev)(layout, YES, AFFINIMATH_LOWER, N, 1, ab, rows, w, z, N) == 0, "sbev");
  for (i = 0; i < N; ++i) {
    CHECK(fabs((double)w[i] - (2 - 2 * cos((i + 1) * pi / (N + 1)))) < bound, "an eigenvalue of sbev");
  }
  CHECK(NAME(sbevx)(layout, YES, AFFINIMATH_RANGE_INDICES, AFFINIMATH_LOWER, N, 1, ab, rows, q, N, 0, 0, 2, 3, 0, &m,
                    some, z, N) == 0 &&
          m == 2 && fabs((double)some[0] - (double)w[1]) < bound && fabs((double)some[1] - (double)w[2]) < bound,
        "sbevx");
  CHECK(NAME(sbev)(layout, NO, AFFINIMATH_LOWER, N, -1, ab, rows, w, NULL, 1) == -5, "a wrong kd");
  CHECK(NAME(sbtrd)(layout, YES, AFFINIMATH_LOWER, N, 1, ab, rows, d, e, q, N) == 0, "sbtrd");
  for (i = 0; i < N; ++i) sum += (double)d[i];
  CHECK(fabs(sum - 2 * N) < bound * N, "sbtrd's trace");
  CHECK(NAME(sbtrd)(layout, AFFINIMATH_UPDATE_VECTORS, AFFINIMATH_LOWER, N, 1, ab, rows, d, e, q, N) == 0, "an update");
  CHECK(NAME(sbtrd)(layout, AFFINIMATH_THIN_VECTORS, AFFINIMATH_LOWER, N, 1, ab, rows, d, e, q, N) == -2,
        "a wrong job of sbtrd");
}

static void FUNCTION(edges)(void)
{
  T a[4], w[2 * N], tau[2];
  R factors[2], norm;
  int32_t low = -1, high = -1, m = -1;
  int i;
  for (i = 0; i < 4; ++i) a[i] = FUNCTION(number)(i + 1);
  CHECK(NAME(gehrd)(COL, 0, 1, 0, NULL, 1, NULL) == 0 && NAME(gehrd)(COL, 1, 1, 1, a, 1, NULL) == 0, "small gehrd");
  CHECK(NAME(gehrd)(COL, 2, 1, 3, a, 2, tau) == -4, "a wrong ihi");
  CHECK(NAME(gehrd)(COL, 2, 0, 2, a, 2, tau) == -3, "a wrong ilo");
  CHECK(NAME(orghr)(COL, 2, 1, 2, a, 1, tau) == -6, "a wrong leading dimension");
  CHECK(NAME(gees)(COL, NO, 0, NULL, 1, VALUES(w), NULL, 1) == 0, "no rows");
  CHECK(NAME(gees)(COL, AFFINIMATH_ALL_VECTORS, 2, a, 2, VALUES(w), NULL, 1) == -2, "a wrong job");
  CHECK(NAME(gees)(COL, YES, 2, NULL, 2, VALUES(w), w, 2) == -4, "no matrix");
  CHECK(NAME(gebal)(COL, AFFINIMATH_BALANCE_BOTH, 0, NULL, 1, &low, &high, NULL) == 0 && low == 1 && high == 0,
        "no rows of gebal");
  CHECK(NAME(gebal)(COL, 0, 2, a, 2, &low, &high, factors) == -2, "a wrong balancing");
  CHECK(NAME(hseqr)(COL, AFFINIMATH_EIGENVALUES, NO, 1, 1, 1, a, 1, VALUES(w), NULL, 1) == 0 && *(R *)w == 1,
        "hseqr of one number");
  CHECK(NAME(trevc)(COL, AFFINIMATH_BOTH_VECTORS, AFFINIMATH_EIGENVECTORS_SELECTED, NULL, 2, a, 2, w, 2, w, 2, 2, &m) ==
          -4,
        "no selection");
  a[0] = FUNCTION(number)(not_finite(0));
  CHECK(NAME(gees)(ROW, NO, 2, a, 2, VALUES(w), NULL, 1) > 0 && *(R *)w != *(R *)w, "NaN of gees");
  CHECK(NAME(geevx)(ROW, AFFINIMATH_BALANCE_NONE, NO, NO, AFFINIMATH_SENSE_NONE, 2, a, 2, VALUES(w), NULL, 1, NULL, 1,
                    &low, &high, factors, &norm, NULL, NULL) > 0,
        "NaN of geevx");
}

static void FUNCTION(all)(void)
{
  FUNCTION(forms)(COL);
  FUNCTION(forms)(ROW);
  FUNCTION(pencils)(COL);
  FUNCTION(pencils)(ROW);
  FUNCTION(bands)(COL);
  FUNCTION(bands)(ROW);
  FUNCTION(edges)();
}

#undef T
#undef R
#undef NAME
#undef FUNCTION
#undef COMPLEX
#undef VALUES
