/* The calls of one type, which stack.c defines before it. Arguments are all pointers, as in Fortran. */

/* gemm has a prototype, with the lengths of its letters. */
#define LENGTHS (size_t)1, (size_t)1

/* Without prototypes: every argument is a pointer. */
void NAME(copy)(), NAME(swap)(), NAME(scal)(), NAME(axpy)(), NAME(axpby)();
void NAME(gemv)(), NAME(gbmv)(), NAME(trmv)(), NAME(trsv)(), NAME(tbmv)(), NAME(tbsv)(), NAME(tpmv)(), NAME(tpsv)();
void SYMMETRIC(mv)(), BAND(mv)(), PACKED(mv)(), SYMMETRIC(r)(), SYMMETRIC(r2)(), PACKED(r)(), PACKED(r2)();
void NAME(symm)(), NAME(syrk)(), NAME(syr2k)(), NAME(trmm)(), NAME(trsm)(), NAME(gemmt)();
void NAME(omatcopy)(), NAME(imatcopy)(), NAME(omatadd)(), NAME(gemm_batch_strided)(), NAME(trsm_batch_strided)();
void NAME(getrf)(), NAME(getrs)(), NAME(gesv)(), NAME(getri)(), NAME(laswp)(), NAME(gecon)();
void NAME(potrf)(), NAME(potrs)(), NAME(posv)(), NAME(potri)(), NAME(pocon)(), NAME(lauum)();
void NAME(geqrf)(), ORTHOGONAL(gqr)(), ORTHOGONAL(mqr)(), NAME(gels)(), NAME(trtri)(), NAME(trtrs)(), NAME(trcon)();
R NAME(lange)(), NAME(lansy)(), NAME(lantr)();
#ifndef HAS_GEMM
void NAME(gemm)();
#endif
#ifdef COMPLEX
void NAME(hemm)(), NAME(herk)(), NAME(her2k)(), NAME(geru)(), NAME(gerc)();
#else
void NAME(ger)();
R NAME(dot)(), NAME(nrm2)(), NAME(asum)();
#endif

/* Measures every routine at order n, on a matrix that is positive definite and far from singular. */
static void ROUTINES(int n)
{
  const int one = 1, few = n < 3 ? n - 1 : 2, band = 2 * few + 1, columns = n < 9 ? n : 9, lwork = n * n + 2 * n;
  const T alpha = 1, beta = 1;
  const R ralpha = 1, anorm = 1;
  const size_t count = (size_t)n * (size_t)n, square = count * sizeof(T);
  T *definite = malloc(4 * square), *a = definite + count, *b = a + count, *c = b + count;
  T *work = malloc(((size_t)lwork + (size_t)n) * sizeof *work), *tau = work + lwork;
  R *rwork = malloc(2 * (size_t)n * sizeof *rwork), rcond = 0;
  int *pivots = malloc((size_t)n * sizeof *pivots), info = 0, i;
  size_t k;
  CHECK(definite != NULL && work != NULL && rwork != NULL && pivots != NULL);
  for (k = 0; k < count; ++k) {
    long apart = labs((long)(k % (size_t)n) - (long)(k / (size_t)n));
    definite[k] = apart == 0 ? 2 : (R)0.25 / (R)(apart * apart);
  }
#define TRY(routine, call)                                                                         \
  do {                                                                                             \
    memcpy(a, definite, square);                                                                   \
    memcpy(b, definite, square);                                                                   \
    memcpy(c, definite, square);                                                                   \
    MEASURE(TEXT routine, n, call);                                                                \
  } while (0)
  TRY("copy", NAME(copy)(&n, a, &one, b, &one));
  TRY("swap", NAME(swap)(&n, a, &one, b, &one));
  TRY("scal", NAME(scal)(&n, &alpha, a, &one));
  TRY("axpy", NAME(axpy)(&n, &alpha, a, &one, b, &one));
  TRY("axpby", NAME(axpby)(&n, &alpha, a, &one, &beta, b, &one));
#ifdef COMPLEX
  TRY("geru", NAME(geru)(&n, &n, &alpha, a, &one, b, &one, c, &n));
  TRY("gerc", NAME(gerc)(&n, &n, &alpha, a, &one, b, &one, c, &n));
  TRY("hemm", NAME(hemm)("L", "U", &n, &n, &alpha, a, &n, b, &n, &beta, c, &n));
  TRY("herk", NAME(herk)("U", "N", &n, &n, &ralpha, a, &n, &ralpha, c, &n));
  TRY("her2k", NAME(her2k)("L", "C", &n, &n, &alpha, a, &n, b, &n, &ralpha, c, &n));
#else
  TRY("ger", NAME(ger)(&n, &n, &alpha, a, &one, b, &one, c, &n));
  TRY("dot", NAME(dot)(&n, a, &one, b, &one));
  TRY("nrm2", NAME(nrm2)(&n, a, &one));
  TRY("asum", NAME(asum)(&n, a, &one));
#endif
  TRY("gemv", NAME(gemv)("N", &n, &n, &alpha, a, &n, b, &one, &beta, c, &one));
  TRY("gemv", NAME(gemv)("T", &n, &n, &alpha, a, &n, b, &one, &beta, c, &one));
  TRY("gbmv", NAME(gbmv)("N", &n, &n, &few, &few, &alpha, a, &band, b, &one, &beta, c, &one));
  TRY("trmv", NAME(trmv)("U", "N", "N", &n, a, &n, b, &one));
  TRY("trsv", NAME(trsv)("L", "T", "N", &n, a, &n, b, &one));
  TRY("tbmv", NAME(tbmv)("U", "N", "N", &n, &few, a, &band, b, &one));
  TRY("tbsv", NAME(tbsv)("L", "N", "U", &n, &few, a, &band, b, &one));
  TRY("tpmv", NAME(tpmv)("U", "N", "N", &n, a, b, &one));
  TRY("tpsv", NAME(tpsv)("L", "N", "U", &n, a, b, &one));
  TRY("symv", SYMMETRIC(mv)("U", &n, &alpha, a, &n, b, &one, &beta, c, &one));
  TRY("sbmv", BAND(mv)("L", &n, &few, &alpha, a, &band, b, &one, &beta, c, &one));
  TRY("spmv", PACKED(mv)("U", &n, &alpha, a, b, &one, &beta, c, &one));
  TRY("syr", SYMMETRIC(r)("U", &n, &ralpha, a, &one, c, &n));
  TRY("syr2", SYMMETRIC(r2)("L", &n, &alpha, a, &one, b, &one, c, &n));
  TRY("spr", PACKED(r)("U", &n, &ralpha, a, &one, c));
  TRY("spr2", PACKED(r2)("L", &n, &alpha, a, &one, b, &one, c));
  TRY("gemm", NAME(gemm)("N", "N", &n, &n, &n, &alpha, a, &n, b, &n, &beta, c, &n, LENGTHS));
  TRY("gemm", NAME(gemm)("T", ADJOINT, &n, &n, &n, &alpha, a, &n, b, &n, &beta, c, &n, LENGTHS));
  TRY("gemm", NAME(gemm)("T", "N", &n, &columns, &n, &alpha, a, &n, b, &n, &beta, c, &n, LENGTHS));
  TRY("gemmt", NAME(gemmt)("U", "N", "T", &n, &n, &alpha, a, &n, b, &n, &beta, c, &n));
  TRY("symm", NAME(symm)("R", "L", &n, &n, &alpha, a, &n, b, &n, &beta, c, &n));
  TRY("syrk", NAME(syrk)("U", "N", &n, &n, &alpha, a, &n, &beta, c, &n));
  TRY("syr2k", NAME(syr2k)("L", "T", &n, &n, &alpha, a, &n, b, &n, &beta, c, &n));
  TRY("trmm", NAME(trmm)("L", "U", "N", "N", &n, &n, &alpha, a, &n, b, &n));
  TRY("trmm", NAME(trmm)("R", "L", ADJOINT, "U", &n, &n, &alpha, a, &n, b, &n));
  TRY("trsm", NAME(trsm)("L", "L", "N", "N", &n, &n, &alpha, a, &n, b, &n));
  TRY("trsm", NAME(trsm)("R", "U", ADJOINT, "U", &n, &columns, &alpha, a, &columns, b, &n));
  TRY("omatcopy", NAME(omatcopy)("C", "T", &n, &n, &alpha, a, &n, b, &n));
  TRY("imatcopy", NAME(imatcopy)("C", "T", &n, &n, &alpha, a, &n, &n));
  TRY("omatadd", NAME(omatadd)("C", "T", "N", &n, &n, &alpha, a, &n, &beta, b, &n, c, &n));
  TRY("gemm_batch_strided", NAME(gemm_batch_strided)("N", "N", &one, &one, &one, &alpha, a, &one, &one, b, &one, &one,
                                                     &beta, c, &one, &one, &n));
  TRY("trsm_batch_strided",
      NAME(trsm_batch_strided)("L", "U", "N", "N", &one, &one, &alpha, a, &one, &one, b, &one, &one, &n));
  TRY("gesv", NAME(gesv)(&n, &n, a, &n, pivots, b, &n, &info));
  TRY("getrf", NAME(getrf)(&n, &n, a, &n, pivots, &info));
  memcpy(c, a, square);
  MEASURE(TEXT "getrs", n, NAME(getrs)("T", &n, &columns, c, &n, pivots, b, &n, &info));
  MEASURE(TEXT "gecon", n, NAME(gecon)("1", &n, c, &n, &anorm, &rcond, work, rwork, &info));
  MEASURE(TEXT "laswp", n, NAME(laswp)(&n, b, &n, &one, &n, pivots, &one));
  MEASURE(TEXT "getri", n, NAME(getri)(&n, c, &n, pivots, work, &lwork, &info));
  CHECK(info == 0);
  TRY("posv", NAME(posv)("L", &n, &n, a, &n, b, &n, &info));
  TRY("potrf", NAME(potrf)("U", &n, a, &n, &info));
  memcpy(c, a, square);
  MEASURE(TEXT "potrs", n, NAME(potrs)("U", &n, &n, c, &n, b, &n, &info));
  MEASURE(TEXT "pocon", n, NAME(pocon)("U", &n, c, &n, &anorm, &rcond, work, rwork, &info));
  MEASURE(TEXT "potri", n, NAME(potri)("U", &n, c, &n, &info));
  TRY("potrf", NAME(potrf)("L", &n, a, &n, &info));
  CHECK(info == 0);
  TRY("gels", NAME(gels)("N", &n, &n, &n, a, &n, b, &n, work, &lwork, &info));
  TRY("gels", NAME(gels)(ADJOINT, &n, &columns, &columns, a, &n, b, &n, work, &lwork, &info));
  TRY("geqrf", NAME(geqrf)(&n, &n, a, &n, tau, work, &lwork, &info));
  memcpy(c, a, square);
  MEASURE(TEXT "ormqr", n, ORTHOGONAL(mqr)("L", ADJOINT, &n, &n, &n, c, &n, tau, b, &n, work, &lwork, &info));
  MEASURE(TEXT "ormqr", n, ORTHOGONAL(mqr)("R", "N", &n, &n, &n, c, &n, tau, b, &n, work, &lwork, &info));
  MEASURE(TEXT "orgqr", n, ORTHOGONAL(gqr)(&n, &n, &n, c, &n, tau, work, &lwork, &info));
  CHECK(info == 0);
  TRY("trtri", NAME(trtri)("U", "N", &n, a, &n, &info));
  TRY("trtrs", NAME(trtrs)("L", "N", "N", &n, &n, a, &n, b, &n, &info));
  TRY("lauum", NAME(lauum)("L", &n, a, &n, &info));
  TRY("trcon", NAME(trcon)("1", "U", "N", &n, a, &n, &rcond, work, rwork, &info));
  for (i = 0; i < 4; ++i) {
    const char *norm = "M1IF" + i;
    TRY("lange", NAME(lange)(norm, &n, &n, a, &n, rwork));
    TRY("lansy", NAME(lansy)(norm, "U", &n, a, &n, rwork));
    TRY("lantr", NAME(lantr)(norm, "L", "U", &n, &n, a, &n, rwork));
  }
  CHECK(info == 0);
  free(definite);
  free(work);
  free(rwork);
  free(pivots);
}

#undef TRY
#undef LENGTHS
#undef T
#undef R
#undef COMPLEX
#undef HAS_GEMM
#undef ROUTINES
#undef TEXT
#undef NAME
#undef ORTHOGONAL
#undef SYMMETRIC
#undef PACKED
#undef BAND
#undef ADJOINT
