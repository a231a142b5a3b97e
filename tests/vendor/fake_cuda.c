/* CUDA's driver and cuBLAS on the host's own memory, as far as the tests call them. What stands for the GPU's memory
   has addresses that the host cannot use, so that an operand which was not brought there is noticed. */

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define ON_DEVICE ((uint64_t)1 << 62)

static long calls, allocated;
static int entered;

/* Counts calls of a function of cuBLAS. */
long fake_cublas_calls(void) { return calls; }

/* The blocks of the GPU's memory that are not freed, and the contexts that are not left. */
long fake_cuda_allocated(void) { return allocated; }
long fake_cuda_entered(void) { return entered; }

int cuInit(unsigned flags) { return (int)flags; }
int cuDeviceGetCount(int *count) { return *count = 2, 0; }
int cuDeviceGet(int *device, int ordinal) { return *device = 10 + ordinal, 0; }
int cuDeviceGetName(char *name, int size, int device) {
  strncpy(name, device == 10 ? "Fake GPU" : "Other GPU", (size_t)size);
  return 0;
}
int cuDeviceGetAttribute(int *value, int attribute, int device) { return *value = 100, attribute != 16 || device < 10; }
int cuDevicePrimaryCtxRetain(void **context, int device) { return *context = (void *)(intptr_t)device, 0; }
int cuCtxPushCurrent_v2(void *context) { return entered++, context == NULL; }
int cuCtxPopCurrent_v2(void **context) { return *context = NULL, entered--, 0; }
int cuCtxSynchronize(void) { return entered > 0 ? 0 : 201; }

int cuMemAlloc_v2(uint64_t *pointer, size_t bytes) {
  *pointer = (uint64_t)(uintptr_t)malloc(bytes) | ON_DEVICE;
  return allocated++, 0;
}
static void *memory(uint64_t pointer) { return pointer & ON_DEVICE ? (void *)(uintptr_t)(pointer & ~ON_DEVICE) : NULL; }
int cuMemFree_v2(uint64_t pointer) { return free(memory(pointer)), allocated--, 0; }
int cuMemHostAlloc(void **address, size_t bytes, unsigned flags) { return *address = malloc(bytes), (int)flags; }
int cuMemcpyHtoD_v2(uint64_t to, const void *from, size_t bytes) { return memcpy(memory(to), from, bytes), 0; }
int cuMemcpyDtoH_v2(void *to, uint64_t from, size_t bytes) { return memcpy(to, memory(from), bytes), 0; }
int cuMemcpyHtoDAsync_v2(uint64_t to, const void *from, size_t bytes, void *stream) {
  return stream != NULL ? 1 : cuMemcpyHtoD_v2(to, from, bytes);
}
int cuMemcpyDtoHAsync_v2(void *to, uint64_t from, size_t bytes, void *stream) {
  return stream != NULL ? 1 : cuMemcpyDtoH_v2(to, from, bytes);
}
int cuEventCreate(void **event, unsigned flags) { return *event = &calls, flags != 2; }
int cuEventRecord(void *event, void *stream) { return event != &calls || stream != NULL; }
int cuEventSynchronize(void *event) { return event != &calls; }

#define HANDLE ((void *)0x1234)
#define OPERAND(pointer) ((double *)memory((uint64_t)(uintptr_t)(pointer)))

int cublasCreate_v2(void **handle) { return *handle = HANDLE, entered != 1; }
int cublasGetVersion_v2(void *handle, int *version) { return *version = 120304, handle != HANDLE; }

static ptrdiff_t at(int i, int n, int step) { return (ptrdiff_t)(step < 0 ? i - (n - 1) : i) * step; }

int cublasDgemm_v2(void *handle, int opa, int opb, int m, int n, int k, const double *alpha, const double *a, int lda,
                   const double *b, int ldb, const double *beta, double *c, int ldc) {
  calls++;
  if (handle != HANDLE || entered != 1) return 1;
  a = OPERAND(a), b = OPERAND(b), c = OPERAND(c);
  for (int j = 0; j < n; j++) {
    for (int i = 0; i < m; i++) {
      double sum = 0;
      for (int l = 0; l < k; l++) {
        sum += a[opa ? l + (ptrdiff_t)i * lda : i + (ptrdiff_t)l * lda] *
               b[opb ? j + (ptrdiff_t)l * ldb : l + (ptrdiff_t)j * ldb];
      }
      double *to = c + i + (ptrdiff_t)j * ldc;
      *to = *alpha * sum + (*beta == 0 ? 0 : *beta * *to);
    }
  }
  return 0;
}

/* B := alpha A B with a triangle on the left, from B to C, which may be B. */
int cublasDtrmm_v2(void *handle, int side, int upper, int op, int unit, int m, int n, const double *alpha,
                   const double *a, int lda, const double *b, int ldb, double *c, int ldc) {
  calls++;
  if (handle != HANDLE || op != 0) return 1;
  a = OPERAND(a), b = OPERAND(b), c = OPERAND(c);
  int order = side == 0 ? m : n;
  double *result = malloc(sizeof(double) * (size_t)m * (size_t)n);
  for (int j = 0; j < n; j++) {
    for (int i = 0; i < m; i++) {
      double sum = 0;
      for (int l = 0; l < order; l++) {
        int row = side == 0 ? i : l, column = side == 0 ? l : j;
        if (upper ? row > column : row < column) continue;
        double element = unit && row == column ? 1 : a[row + (ptrdiff_t)column * lda];
        sum += element * (side == 0 ? b[l + (ptrdiff_t)j * ldb] : b[i + (ptrdiff_t)l * ldb]);
      }
      result[i + (ptrdiff_t)j * m] = *alpha * sum;
    }
  }
  for (int j = 0; j < n; j++) memcpy(c + (ptrdiff_t)j * ldc, result + (ptrdiff_t)j * m, sizeof(double) * (size_t)m);
  free(result);
  return 0;
}

int cublasDaxpy_v2(void *handle, int n, const double *alpha, const double *x, int incx, double *y, int incy) {
  calls++;
  if (handle != HANDLE) return 1;
  for (int i = 0; i < n; i++) OPERAND(y)[at(i, n, incy)] += *alpha * OPERAND(x)[at(i, n, incx)];
  return 0;
}

int cublasDdot_v2(void *handle, int n, const double *x, int incx, const double *y, int incy, double *result) {
  calls++;
  *result = 0;
  for (int i = 0; i < n; i++) *result += OPERAND(x)[at(i, n, incx)] * OPERAND(y)[at(i, n, incy)];
  return handle != HANDLE;
}

int cublasIdamax_v2(void *handle, int n, const double *x, int incx, int *result) {
  calls++;
  *result = 1;
  for (int i = 1; i < n; i++) {
    if (fabs(OPERAND(x)[at(i, n, incx)]) > fabs(OPERAND(x)[at(*result - 1, n, incx)])) *result = i + 1;
  }
  return handle != HANDLE;
}

/* One that fails. */
int cublasDasum_v2(void *handle, int n, const double *x, int incx, double *result) {
  return calls++, handle != NULL && n + incx > 0 && x != NULL && result != NULL ? 13 : 0;
}
