/* The routines of one type, which wrapped.c defines before it. Arguments are all pointers, as in Fortran. */

#define NAME(name) JOIN(LETTER(name), _64_)
#define OF_TYPE(name) JOIN(name##_, LETTER())
#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)

void NAME(copy)(), NAME(swap)(), NAME(scal)(), NAME(axpy)(), NAME(axpby)();
void NAME(gemv)(), NAME(gbmv)(), NAME(trmv)(), NAME(trsv)(), NAME(tbmv)(), NAME(tbsv)(), NAME(tpmv)(), NAME(tpsv)();
void SYMMETRIC(mv)(), BAND(mv)(), PACKED(mv)(), SYMMETRIC(r)(), SYMMETRIC(r2)(), PACKED(r)(), PACKED(r2)();
R NORM(), SUM();
int64_t INDEX(), INDEX_LEAST();
#ifdef COMPLEX
void NAME(geru)(), NAME(gerc)(), NAME(rot)();
T NAME(dotu)(), NAME(dotc)();
#else
void NAME(ger)(), NAME(rot)(), NAME(rotm)();
T NAME(dot)();
#endif

/* The increment in another form, and the vector's start: that of its first element, but for negative increments that of
   its lowest address, as they say it is. */
static void OF_TYPE(vector)(T *first, int n, int64_t step, int form, T **start, int64_t *given)
{
  const int64_t modulus = (int64_t)((UINT64_C(1) << 63) / sizeof(T)) * 2;
  *given = form == ABOVE ? step + modulus : form == BELOW ? step - modulus : step;
  *start = *given < 0 ? first + (n - 1) * step : first;
}

/* Calls a routine; false for a number that has none. */
static int OF_TYPE(call)(int routine, T *a, T *x, const int64_t *incx, T *y, const int64_t *incy, T *result)
{
  static const int64_t n = N, k = BANDS, band = 2 * BANDS + 1;
  static const T alpha = 2, beta = 3;
  static const R real = 2, cosine = (R)0.6, sine = (R)0.8;
  switch (routine) {
  case 0: NAME(copy)(&n, x, incx, y, incy); return 1;
  case 1: NAME(swap)(&n, x, incx, y, incy); return 1;
  case 2: NAME(axpy)(&n, &alpha, x, incx, y, incy); return 1;
  case 3: NAME(axpby)(&n, &alpha, x, incx, &beta, y, incy); return 1;
  case 4: NAME(gemv)("N", &n, &n, &alpha, a, &n, x, incx, &beta, y, incy); return 1;
  case 5: NAME(gemv)("T", &n, &n, &alpha, a, &n, x, incx, &beta, y, incy); return 1;
  case 6: NAME(gbmv)("N", &n, &n, &k, &k, &alpha, a, &band, x, incx, &beta, y, incy); return 1;
  case 7: NAME(trmv)("U", "N", "N", &n, a, &n, x, incx); return 1;
  case 8: NAME(trsv)("L", "N", "N", &n, a, &n, x, incx); return 1;
  case 9: NAME(tbmv)("U", "N", "N", &n, &k, a, &band, x, incx); return 1;
  case 10: NAME(tbsv)("U", "N", "U", &n, &k, a, &band, x, incx); return 1;
  case 11: NAME(tpmv)("L", "T", "N", &n, a, x, incx); return 1;
  case 12: NAME(tpsv)("L", "N", "U", &n, a, x, incx); return 1;
  case 13: SYMMETRIC(mv)("U", &n, &alpha, a, &n, x, incx, &beta, y, incy); return 1;
  case 14: BAND(mv)("L", &n, &k, &alpha, a, &band, x, incx, &beta, y, incy); return 1;
  case 15: PACKED(mv)("U", &n, &alpha, a, x, incx, &beta, y, incy); return 1;
  case 16: SYMMETRIC(r)("U", &n, &real, x, incx, a, &n); return 1;
  case 17: SYMMETRIC(r2)("L", &n, &alpha, x, incx, y, incy, a, &n); return 1;
  case 18: PACKED(r)("U", &n, &real, x, incx, a); return 1;
  case 19: PACKED(r2)("L", &n, &alpha, x, incx, y, incy, a); return 1;
  case 20: *result = NORM(&n, x, incx); return 1;
#ifdef COMPLEX
  case 21: NAME(geru)(&n, &n, &alpha, x, incx, y, incy, a, &n); return 1;
  case 22: NAME(gerc)(&n, &n, &alpha, x, incx, y, incy, a, &n); return 1;
  case 23: *result = NAME(dotu)(&n, x, incx, y, incy); return 1;
  case 24: *result = NAME(dotc)(&n, x, incx, y, incy); return 1;
  case 25: NAME(rot)(&n, x, incx, y, incy, &cosine, &alpha); return 1;
#else
  case 21: NAME(ger)(&n, &n, &alpha, x, incx, y, incy, a, &n); return 1;
  case 22: *result = NAME(dot)(&n, x, incx, y, incy); return 1;
  case 23: NAME(rot)(&n, x, incx, y, incy, &cosine, &sine); return 1;
  case 24: {
    static const R parameters[] = {-1, 1, 2, 3, 4};
    NAME(rotm)(&n, x, incx, y, incy, parameters);
    return 1;
  }
#endif
  default: (void)sine; return 0;
  }
}

/* The memory of a call: a matrix, two vectors and a number. */
struct OF_TYPE(memory) {
  T a[N * N], x[LENGTH], y[LENGTH], result;
};

static void OF_TYPE(fill)(struct OF_TYPE(memory) *memory)
{
  int i;
  memset(memory, 0, sizeof *memory);
  for (i = 0; i < N * N; ++i) memory->a[i] = i % (N + 1) == 0 ? 8 : (R)(i % 3);
  for (i = 0; i < LENGTH; ++i) memory->x[i] = (R)(i + 1), memory->y[i] = (R)(2 * i + 1);
}

/* Every routine with vectors, forwards and backwards, in every form of both increments. */
static void OF_TYPE(pairs)(void)
{
  static const int64_t steps[] = {-2, -1, 1, 3};
  struct OF_TYPE(memory) expected, found;
  int routine, sx, sy, fx, fy;
  for (routine = 0;; ++routine)
    for (sx = 0; sx < 4; ++sx)
      for (sy = 0; sy < 4; ++sy)
        for (fx = 0; fx < FORMS; ++fx)
          for (fy = 0; fy < FORMS; ++fy) {
            T *x, *y;
            int64_t incx, incy;
            OF_TYPE(fill)(&expected);
            OF_TYPE(fill)(&found);
            OF_TYPE(vector)(expected.x + MIDDLE, N, steps[sx], AS_IT_IS, &x, &incx);
            OF_TYPE(vector)(expected.y + MIDDLE, N, steps[sy], AS_IT_IS, &y, &incy);
            if (!OF_TYPE(call)(routine, expected.a, x, &incx, y, &incy, &expected.result)) return;
            OF_TYPE(vector)(found.x + MIDDLE, N, steps[sx], fx, &x, &incx);
            OF_TYPE(vector)(found.y + MIDDLE, N, steps[sy], fy, &y, &incy);
            OF_TYPE(call)(routine, found.a, x, &incx, y, &incy, &found.result);
            if (memcmp(&expected, &found, sizeof found) != 0)
              printf("routine %d, steps %d and %d, forms %d and %d\n", routine, sx, sy, fx, fy);
            CHECK(memcmp(&expected, &found, sizeof found) == 0);
          }
}

/* The routines that do nothing where an increment is not positive: one that is and wraps goes backwards, and one that
   is not and wraps is still none. One that wraps to 0 is none either. */
static void OF_TYPE(forward_only)(void)
{
  static const T three = 3;
  static const int64_t n = N;
  struct OF_TYPE(memory) memory, untouched;
  const int64_t modulus = (int64_t)((UINT64_C(1) << 63) / sizeof(T)) * 2, backwards = modulus - 2, none = 2 - modulus;
  int i;
  OF_TYPE(fill)(&memory);
  OF_TYPE(fill)(&untouched);
  NAME(scal)(&n, &three, memory.x + MIDDLE, &backwards);
  for (i = 0; i < LENGTH; ++i) {
    int scaled = i <= MIDDLE && i > MIDDLE - 2 * N && (MIDDLE - i) % 2 == 0;
    CHECK(memory.x[i] == untouched.x[i] * (scaled ? 3 : 1));
  }
  OF_TYPE(fill)(&memory);
  NAME(scal)(&n, &three, memory.x + MIDDLE, &none);
  NAME(scal)(&n, &three, memory.x + MIDDLE, &modulus);
  CHECK(memcmp(&memory, &untouched, sizeof memory) == 0);
  /* 31 + 29 + 27 + 25 + 23 */
  CHECK(SUM(&n, memory.x + MIDDLE, &backwards) == 135 && SUM(&n, memory.x + MIDDLE, &none) == 0);
  CHECK(INDEX(&n, memory.x + MIDDLE, &backwards) == 1 && INDEX_LEAST(&n, memory.x + MIDDLE, &backwards) == N);
  CHECK(INDEX(&n, memory.x + MIDDLE, &none) == 0);
}

static void OF_TYPE(wraps)(void)
{
  OF_TYPE(pairs)();
  OF_TYPE(forward_only)();
}

#undef T
#undef R
#undef COMPLEX
#undef LETTER
#undef SYMMETRIC
#undef BAND
#undef PACKED
#undef INDEX
#undef INDEX_LEAST
#undef NORM
#undef SUM
#undef NAME
#undef OF_TYPE
#undef JOIN
#undef JOIN_
