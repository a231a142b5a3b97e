/* The queries of one type, which queries.c defines before it, with both integers. Arguments are all pointers, as in
   Fortran. */

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)

/* The queries with integers of one width: `large` is the order of a matrix whose elements no integer counts, and `odd`
   one that a float does not hold. */
#define QUERIES(function, integer, suffix, large, odd)                                             \
  void JOIN(NAME(geqrf), suffix)(), JOIN(NAME(getri), suffix)(), JOIN(NAME(gels), suffix)(),       \
    JOIN(ORTHOGONAL(gqr), suffix)(), JOIN(ORTHOGONAL(mqr), suffix)();                              \
  static void JOIN(SIZES, function)(void)                                                          \
  {                                                                                                \
    static const integer sizes[] = {1, odd, large}, ask = -1, one = 1;                             \
    int i;                                                                                         \
    for (i = 0; i < 3; ++i) {                                                                      \
      const integer n = sizes[i], less = n - 1;                                                    \
      T size[5] = {0};                                                                             \
      integer info[5] = {7, 7, 7, 7, 7}, wrong = 0;                                                \
      int call;                                                                                    \
      JOIN(NAME(geqrf), suffix)(&n, &n, NULL, &n, NULL, size, &ask, info);                         \
      JOIN(NAME(getri), suffix)(&n, NULL, &n, NULL, size + 1, &ask, info + 1);                     \
      JOIN(ORTHOGONAL(gqr), suffix)(&n, &n, &n, NULL, &n, NULL, size + 2, &ask, info + 2);         \
      JOIN(ORTHOGONAL(mqr), suffix)                                                                \
      ("L", ADJOINT, &n, &n, &n, NULL, &n, NULL, NULL, &n, size + 3, &ask, info + 3);              \
      JOIN(NAME(gels), suffix)("N", &n, &n, &one, NULL, &n, NULL, &n, size + 4, &ask, info + 4);   \
      for (call = 0; call < 5; ++call) {                                                           \
        CHECK(info[call] == 0);                                                                    \
        CHECK((long double)(R)size[call] >= (long double)n);                                       \
      }                                                                                            \
      if (less == 0) continue;                                                                     \
      JOIN(NAME(geqrf), suffix)(&n, &n, NULL, &less, NULL, size, &ask, &wrong);                    \
      CHECK(wrong == -4);                                                                          \
    }                                                                                              \
  }

QUERIES(narrow, int, _, INT32_MAX, (1 << 24) + 1)
QUERIES(wide, int64_t, _64_, (INT64_C(1) << 32) + 1, (INT64_C(1) << 32) + 1)

static void SIZES(void)
{
  JOIN(SIZES, narrow)();
  JOIN(SIZES, wide)();
}

#undef QUERIES
#undef JOIN
#undef JOIN_
#undef T
#undef R
#undef NAME
#undef ORTHOGONAL
#undef ADJOINT
#undef SIZES
