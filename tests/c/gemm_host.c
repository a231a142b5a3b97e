/* gemm on host pointers, all types and half precision, against a plain triple loop; then every wrong argument. C89. */

#include "check.h"

static int gemm(char type, const gemm_call *p)
{
  switch (type) {
  case 'H':
    return affinimathHgemm(p->layout, p->transa, p->transb, p->m, p->n, p->k, (float)p->alpha.re,
                           (const affinimath_half *)p->a, p->lda, (const affinimath_half *)p->b, p->ldb,
                           (float)p->beta.re, (affinimath_half *)p->c, p->ldc);
  case 'S':
    return affinimathSgemm(p->layout, p->transa, p->transb, p->m, p->n, p->k, (float)p->alpha.re,
                           (const float *)p->a, p->lda, (const float *)p->b, p->ldb, (float)p->beta.re,
                           (float *)p->c, p->ldc);
  case 'D':
    return affinimathDgemm(p->layout, p->transa, p->transb, p->m, p->n, p->k, p->alpha.re, (const double *)p->a,
                           p->lda, (const double *)p->b, p->ldb, p->beta.re, (double *)p->c, p->ldc);
  case 'C':
    return affinimathCgemm(p->layout, p->transa, p->transb, p->m, p->n, p->k, c32(p->alpha),
                           (const affinimath_c32 *)p->a, p->lda, (const affinimath_c32 *)p->b, p->ldb,
                           c32(p->beta), (affinimath_c32 *)p->c, p->ldc);
  default:
    return affinimathZgemm(p->layout, p->transa, p->transb, p->m, p->n, p->k, c64(p->alpha),
                           (const affinimath_c64 *)p->a, p->lda, (const affinimath_c64 *)p->b, p->ldb,
                           c64(p->beta), (affinimath_c64 *)p->c, p->ldc);
  }
}

static const int LAYOUTS[] = {AFFINIMATH_ROW_MAJOR, AFFINIMATH_COL_MAJOR};
static const int OPS[] = {AFFINIMATH_NO_TRANS, AFFINIMATH_TRANS, AFFINIMATH_CONJ_TRANS, AFFINIMATH_CONJ_NO_TRANS};

/* A call with matrices of its own, leading dimensions larger than needed, and room behind C. */
static int64_t prepare(char type, gemm_call *p, int64_t m, int64_t n, int64_t k)
{
  int64_t rows_a = transposes(p->transa) ? k : m, columns_a = transposes(p->transa) ? m : k;
  int64_t rows_b = transposes(p->transb) ? n : k, columns_b = transposes(p->transb) ? k : n;
  int column_major = p->layout == AFFINIMATH_COL_MAJOR;
  int64_t length_a, length_b, length_c;
  p->m = m;
  p->n = n;
  p->k = k;
  p->lda = (column_major ? rows_a : columns_a) + 2;
  p->ldb = (column_major ? rows_b : columns_b) + 1;
  p->ldc = (column_major ? m : n) + 3;
  length_a = extent(p->layout, rows_a, columns_a, p->lda);
  length_b = extent(p->layout, rows_b, columns_b, p->ldb);
  length_c = extent(p->layout, m, n, p->ldc) + 5;
  p->a = malloc((size_t)(length_a + 1) * element_size(type));
  p->b = malloc((size_t)(length_b + 1) * element_size(type));
  p->c = malloc((size_t)length_c * element_size(type));
  fill(type, p->a, length_a);
  fill(type, p->b, length_b);
  fill(type, p->c, length_c);
  return length_c;
}

static void release(gemm_call *p)
{
  free(p->a);
  free(p->b);
  free(p->c);
}

static void product(char type, int layout, int transa, int transb, const int64_t *sizes, number alpha, number beta)
{
  gemm_call p;
  int64_t length;
  void *before;
  char what[100];
  memset(&p, 0, sizeof p);
  p.layout = layout;
  p.transa = transa;
  p.transb = transb;
  p.alpha = is_complex(type) ? alpha : make(alpha.re, 0);
  p.beta = is_complex(type) ? beta : make(beta.re, 0);
  length = prepare(type, &p, sizes[0], sizes[1], sizes[2]);
  if (beta.re == 0 && beta.im == 0) {
    /* Elements that are not read are NaN: all bits set. */
    memset(p.c, 0xff, (size_t)length * element_size(type));
  }
  before = malloc((size_t)length * element_size(type));
  memcpy(before, p.c, (size_t)length * element_size(type));
  sprintf(what, "%cgemm %d %d %d, %ld x %ld x %ld", type, layout, transa, transb, (long)sizes[0], (long)sizes[1],
          (long)sizes[2]);
  CHECK(gemm(type, &p) == AFFINIMATH_SUCCESS, what);
  check_product(type, &p, p.a, p.b, before, p.c, length, what);
  free(before);
  release(&p);
}

static void products(char type)
{
  static const int64_t SIZES[][3] = {{1, 1, 1}, {2, 3, 4}, {5, 1, 7}, {1, 6, 3}, {17, 9, 33}, {4, 5, 0}};
  size_t layout, transa, transb, size;
  for (layout = 0; layout < 2; ++layout) {
    for (transa = 0; transa < 4; ++transa) {
      for (transb = 0; transb < 4; ++transb) {
        for (size = 0; size < sizeof SIZES / sizeof *SIZES; ++size) {
          const int64_t *s = SIZES[size];
          int l = LAYOUTS[layout], ta = OPS[transa], tb = OPS[transb];
          product(type, l, ta, tb, s, make(1.5, -0.5), make(0, 0));
          product(type, l, ta, tb, s, make(-1, 0.25), make(0.5, 2));
          product(type, l, ta, tb, s, make(1, 0), make(1, 0));
          product(type, l, ta, tb, s, make(0, 0), make(-2, 0));
        }
      }
    }
  }
}

/* One wrong argument: its index comes back, the last error names it, and nothing is touched. */
static void refused(char type, const gemm_call *call, const void *before, int64_t length, int index, const char *name)
{
  char what[100];
  sprintf(what, "%cgemm with a wrong %s", type, name);
  CHECK(gemm(type, call) == -index, what);
  CHECK(strstr(affinimathLastError(), name) != NULL, what);
  CHECK(memcmp(call->c == NULL ? before : call->c, before, (size_t)length * element_size(type)) == 0, what);
}

#define WRONG(index, name, field, value)                       \
  do {                                                         \
    gemm_call wrong = p;                                       \
    wrong.field = value;                                       \
    refused(type, &wrong, before, length, index, name);        \
  } while (0)

static void wrong_arguments(char type)
{
  gemm_call p;
  int64_t length;
  void *before;
  size_t bytes;
  memset(&p, 0, sizeof p);
  p.layout = AFFINIMATH_COL_MAJOR;
  p.transa = AFFINIMATH_NO_TRANS;
  p.transb = AFFINIMATH_TRANS;
  p.alpha = make(1, 0);
  p.beta = make(2, 0);
  length = prepare(type, &p, 4, 3, 5);
  bytes = (size_t)length * element_size(type);
  before = malloc(bytes);
  memcpy(before, p.c, bytes);

  WRONG(1, "layout", layout, 100);
  WRONG(2, "transa", transa, 'N');
  WRONG(3, "transb", transb, 115);
  WRONG(4, "m", m, -1);
  WRONG(5, "n", n, -1);
  WRONG(6, "k", k, -1);
  WRONG(8, "a", a, NULL);
  WRONG(9, "lda", lda, 3);
  WRONG(9, "lda", lda, -7);
  WRONG(10, "b", b, NULL);
  WRONG(11, "ldb", ldb, 2);
  WRONG(13, "c", c, NULL);
  WRONG(14, "ldc", ldc, 3);
  /* No address space holds this one. */
  WRONG(8, "a", lda, (int64_t)1 << 61);

  { /* The first wrong argument is the one that is reported. */
    gemm_call wrong = p;
    wrong.transb = 0;
    wrong.n = -1;
    wrong.ldc = 0;
    refused(type, &wrong, before, length, 3, "transb");
    wrong.transb = p.transb;
    refused(type, &wrong, before, length, 5, "n");
  }
  { /* In row-major layout the leading dimension counts the columns. */
    gemm_call wrong = p;
    wrong.layout = AFFINIMATH_ROW_MAJOR;
    wrong.lda = 4;
    refused(type, &wrong, before, length, 9, "lda");
  }
  { /* A leading dimension of 0 is wrong even where nothing is to be done. */
    gemm_call wrong = p;
    wrong.m = 0;
    wrong.ldc = 0;
    refused(type, &wrong, before, length, 14, "ldc");
  }
  { /* Quick returns look at no pointer. */
    gemm_call quick = p;
    quick.a = quick.b = quick.c = NULL;
    quick.m = 0;
    CHECK(gemm(type, &quick) == AFFINIMATH_SUCCESS, "m = 0");
    quick.m = p.m;
    quick.n = 0;
    CHECK(gemm(type, &quick) == AFFINIMATH_SUCCESS, "n = 0");
    quick.n = p.n;
    quick.k = 0;
    quick.beta = make(1, 0);
    CHECK(gemm(type, &quick) == AFFINIMATH_SUCCESS, "k = 0, beta = 1");
    quick.k = p.k;
    quick.alpha = make(0, 0);
    CHECK(gemm(type, &quick) == AFFINIMATH_SUCCESS, "alpha = 0, beta = 1");
    quick.c = p.c;
    quick.beta = make(0, 0);
    CHECK(gemm(type, &quick) == AFFINIMATH_SUCCESS, "alpha = 0, A and B null");
    CHECK(get(type, p.c, 0).re == 0, "alpha = 0, beta = 0 gives zero");
  }
  free(before);
  release(&p);
}

static void the_library_itself(void)
{
  char name[200];
  int64_t count = -5, device = -5;
  CHECK(affinimathInitialize() == AFFINIMATH_SUCCESS, "initialize");
  CHECK(affinimathDeviceCount(&count) == AFFINIMATH_SUCCESS && count >= 0, "device count");
  CHECK(affinimathDeviceCount(NULL) == -1, "device count without a place");
  CHECK(affinimathGetDevice(NULL) == -1, "get device without a place");
  CHECK(affinimathDeviceName(-1, name, 200) == AFFINIMATH_SUCCESS && strcmp(name, "host") == 0, "the host's name");
  CHECK(affinimathDeviceName(-1, name, 3) == AFFINIMATH_SUCCESS && strcmp(name, "ho") == 0, "a name that is cut");
  CHECK(affinimathDeviceName(-1, NULL, 3) == -2, "no place for the name");
  CHECK(affinimathDeviceName(-1, name, 0) == -3, "no room for the name");
  CHECK(affinimathDeviceName(count, name, 200) <= -1000, "a device that is not there");
  CHECK(affinimathSetDevice(count) <= -1000, "a device that is not there");
  CHECK(affinimathSetDevice(-2) == AFFINIMATH_UNKNOWN_DEVICE, "a device that cannot be");
  CHECK(affinimathSetDevices(NULL) == -1, "no devices");
  CHECK(affinimathSetDevices("no such device,0") == AFFINIMATH_UNKNOWN_DEVICE, "devices that are not there");
  CHECK(affinimathGetDevice(&device) == AFFINIMATH_SUCCESS, "the device so far");
  CHECK(affinimathSetDevices("all") == AFFINIMATH_SUCCESS, "all devices");
  CHECK(affinimathSetDevice(device) == AFFINIMATH_SUCCESS, "the device again");
  CHECK(affinimathSetMathMode(NULL) == -1, "no mode");
  CHECK(affinimathSetMathMode("exact") == -1, "a mode that is none");
  CHECK(strstr(affinimathLastError(), "strict") != NULL, "which modes there are");
  CHECK(affinimathSetMathMode("strict") == 0 && affinimathSetMathMode("default") == 0, "modes");
  CHECK(affinimathSetRoute(NULL) == -1, "no route");
  CHECK(affinimathSetRoute("elsewhere") == -1, "a route that is none");
  CHECK(affinimathSetCblas("/no/such/library.so") == AFFINIMATH_VENDOR_LIBRARY, "a CBLAS that is not there");
  CHECK(affinimathSetRoute("vendor") == AFFINIMATH_VENDOR_LIBRARY, "no vendor's library");
  CHECK(affinimathSetCublas("off") == AFFINIMATH_SUCCESS, "no cuBLAS");
  CHECK(strlen(affinimathLastError()) > 0, "the last error");
  CHECK(affinimathLDMultipleS() == 1 && affinimathLDMultipleD() == 1, "leading dimensions");
  CHECK(affinimathLDMultipleC() == 1 && affinimathLDMultipleZ() == 1, "leading dimensions");
  CHECK(strcmp(affinimathStatusString(0), "success") == 0, "status 0");
  CHECK(strlen(affinimathStatusString(-1007)) > 0 && strlen(affinimathStatusString(12345)) > 0, "statuses");
  CHECK(strncmp(affinimathVersion(), "0.", 2) == 0, "version");
  CHECK(affinimathGetDevice(&device) == AFFINIMATH_SUCCESS && device >= -1, "get device");
  printf("%ld device(s), calls may use number %ld\n", (long)count, (long)device);
}

int main(void)
{
  int i;
  CHECK(strcmp(affinimathLastError(), "") == 0, "no error yet");
  the_library_itself();
  for (i = 0; i < 4; ++i) {
    products(TYPES[i]);
    wrong_arguments(TYPES[i]);
  }
  products('H');
  wrong_arguments('H');
  CHECK(affinimathShutdown() == AFFINIMATH_SUCCESS, "shutdown");
  { /* The library can be used again. */
    static const int64_t SIZE[3] = {3, 3, 3};
    product('D', AFFINIMATH_ROW_MAJOR, AFFINIMATH_NO_TRANS, AFFINIMATH_NO_TRANS, SIZE, make(1, 0), make(0, 0));
  }
  return report("gemm_host");
}
