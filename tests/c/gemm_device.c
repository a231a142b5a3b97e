/* gemm on the application's memory objects and queue: all types and half precision, offsets, events, and every wrong
   argument. Exits with 77 without an OpenCL device. */

#include "opencl_device.h"

#include "check.h"

/* Value of the canaries around the matrices. */
enum { FRONT = 7, BACK = 5 };

static int gemm(char type, const gemm_call *p)
{
  struct _cl_mem *a = p->a, *b = p->b, *c = p->c;
  switch (type) {
  case 'H':
    return affinimathHgemmCL(p->queue, p->layout, p->transa, p->transb, p->m, p->n, p->k, (float)p->alpha.re, a,
                             p->offa, p->lda, b, p->offb, p->ldb, (float)p->beta.re, c, p->offc, p->ldc, p->event);
  case 'S':
    return affinimathSgemmCL(p->queue, p->layout, p->transa, p->transb, p->m, p->n, p->k, (float)p->alpha.re, a,
                             p->offa, p->lda, b, p->offb, p->ldb, (float)p->beta.re, c, p->offc, p->ldc, p->event);
  case 'D':
    return affinimathDgemmCL(p->queue, p->layout, p->transa, p->transb, p->m, p->n, p->k, p->alpha.re, a, p->offa,
                             p->lda, b, p->offb, p->ldb, p->beta.re, c, p->offc, p->ldc, p->event);
  case 'C':
    return affinimathCgemmCL(p->queue, p->layout, p->transa, p->transb, p->m, p->n, p->k, c32(p->alpha), a, p->offa,
                             p->lda, b, p->offb, p->ldb, c32(p->beta), c, p->offc, p->ldc, p->event);
  default:
    return affinimathZgemmCL(p->queue, p->layout, p->transa, p->transb, p->m, p->n, p->k, c64(p->alpha), a, p->offa,
                             p->lda, b, p->offb, p->ldb, c64(p->beta), c, p->offc, p->ldc, p->event);
  }
}

/* A matrix on the host and on the device. */
typedef struct mirror {
  void *host;
  int64_t length;
  cl_mem device;
} mirror;

static mirror new_mirror(char type, cl_context context, int64_t length)
{
  mirror x;
  size_t bytes = (size_t)length * element_size(type);
  x.length = length;
  x.host = malloc(bytes);
  fill(type, x.host, length);
  x.device = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, bytes, x.host, NULL);
  return x;
}

static void *read_back(char type, cl_command_queue queue, const mirror *x)
{
  size_t bytes = (size_t)x->length * element_size(type);
  void *host = malloc(bytes);
  CHECK(clEnqueueReadBuffer(queue, x->device, CL_TRUE, 0, bytes, host, 0, NULL, NULL) == CL_SUCCESS, "read back");
  return host;
}

static void release(mirror *x)
{
  clReleaseMemObject(x->device);
  free(x->host);
}

static void product(char type, opencl_device *device, int layout, int transa, int transb, int64_t m, int64_t n,
                    int64_t k, number alpha, number beta)
{
  gemm_call p;
  mirror a, b, c;
  void *after;
  cl_event event = NULL;
  cl_int state = -1;
  char what[100];
  int64_t rows_a = transposes(transa) ? k : m, columns_a = transposes(transa) ? m : k;
  int64_t rows_b = transposes(transb) ? n : k, columns_b = transposes(transb) ? k : n;
  int column_major = layout == AFFINIMATH_COL_MAJOR;
  p.queue = device->queue;
  p.layout = layout;
  p.transa = transa;
  p.transb = transb;
  p.m = m;
  p.n = n;
  p.k = k;
  p.alpha = is_complex(type) ? alpha : make(alpha.re, 0);
  p.beta = is_complex(type) ? beta : make(beta.re, 0);
  p.lda = (column_major ? rows_a : columns_a) + 2;
  p.ldb = (column_major ? rows_b : columns_b) + 1;
  p.ldc = (column_major ? m : n) + 3;
  p.offa = 3;
  p.offb = 11;
  p.offc = FRONT;
  a = new_mirror(type, device->context, p.offa + extent(layout, rows_a, columns_a, p.lda));
  b = new_mirror(type, device->context, p.offb + extent(layout, rows_b, columns_b, p.ldb));
  c = new_mirror(type, device->context, FRONT + extent(layout, m, n, p.ldc) + BACK);
  p.a = a.device;
  p.b = b.device;
  p.c = c.device;
  p.event = &event;
  sprintf(what, "%cgemmCL %d %d %d, %ld x %ld x %ld", type, layout, transa, transb, (long)m, (long)n, (long)k);
  CHECK(gemm(type, &p) == AFFINIMATH_SUCCESS, what);
  CHECK(event != NULL && clWaitForEvents(1, &event) == CL_SUCCESS, what);
  CHECK(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL) == CL_SUCCESS, what);
  CHECK(state == CL_COMPLETE, what);
  CHECK(clReleaseEvent(event) == CL_SUCCESS, what);
  after = read_back(type, device->queue, &c);
  check_product(type, &p, a.host, b.host, c.host, after, c.length, what);
  free(after);
  release(&a);
  release(&b);
  release(&c);
}

static void products(char type, opencl_device *device)
{
  static const int LAYOUTS[] = {AFFINIMATH_ROW_MAJOR, AFFINIMATH_COL_MAJOR};
  static const int OPS[] = {AFFINIMATH_NO_TRANS, AFFINIMATH_TRANS, AFFINIMATH_CONJ_TRANS, AFFINIMATH_CONJ_NO_TRANS};
  int layout, transa, transb;
  for (layout = 0; layout < 2; ++layout) {
    for (transa = 0; transa < 4; ++transa) {
      for (transb = 0; transb < 4; ++transb) {
        int l = LAYOUTS[layout], ta = OPS[transa], tb = OPS[transb];
        product(type, device, l, ta, tb, 19, 13, 21, make(1.5, -0.5), make(0.5, 2));
        product(type, device, l, ta, tb, 1, 6, 3, make(-1, 0.25), make(0, 0));
      }
    }
  }
  product(type, device, AFFINIMATH_COL_MAJOR, AFFINIMATH_NO_TRANS, AFFINIMATH_NO_TRANS, 130, 70, 90, make(1, 1),
          make(1, 0));
}

/* Without an event the queue's order is what tells: a read on the same queue sees the product. */
static void in_order_without_an_event(opencl_device *device)
{
  mirror a = new_mirror('S', device->context, 4), c = new_mirror('S', device->context, 4);
  void *once, *twice;
  gemm_call p;
  memset(&p, 0, sizeof p);
  p.queue = device->queue;
  p.layout = AFFINIMATH_COL_MAJOR;
  p.transa = p.transb = AFFINIMATH_NO_TRANS;
  p.m = p.n = p.k = p.lda = p.ldb = p.ldc = 2;
  p.alpha = make(1, 0);
  p.a = p.b = a.device;
  p.c = c.device;
  CHECK(gemm('S', &p) == AFFINIMATH_SUCCESS, "no event");
  once = read_back('S', device->queue, &c);
  p.beta = make(1, 0);
  CHECK(gemm('S', &p) == AFFINIMATH_SUCCESS, "no event");
  twice = read_back('S', device->queue, &c);
  CHECK(get('S', twice, 3).re == 2 * get('S', once, 3).re, "A*A + A*A");
  free(once);
  free(twice);
  release(&a);
  release(&c);
}

static cl_event untouched;

/* A device without fp64 refuses D and Z, and touches nothing. */
static void precision_refused(char type, opencl_device *device)
{
  mirror x = new_mirror(type, device->context, 4);
  void *after;
  gemm_call p;
  memset(&p, 0, sizeof p);
  p.queue = device->queue;
  p.layout = AFFINIMATH_COL_MAJOR;
  p.transa = p.transb = AFFINIMATH_NO_TRANS;
  p.m = p.n = p.k = p.lda = p.ldb = p.ldc = 1;
  p.offc = 3;
  p.alpha = make(1, 0);
  p.a = p.b = p.c = x.device;
  CHECK(gemm(type, &p) == AFFINIMATH_PRECISION_NOT_SUPPORTED, "a device without fp64");
  after = read_back(type, device->queue, &x);
  CHECK(memcmp(after, x.host, 4 * element_size(type)) == 0, "a device without fp64");
  free(after);
  release(&x);
}

static void refused(char type, const gemm_call *p, const mirror *c, opencl_device *device, int status, const char *name)
{
  char what[100];
  void *after;
  sprintf(what, "%cgemmCL with a wrong %s", type, name);
  CHECK(gemm(type, p) == status, what);
  CHECK(strstr(affinimathLastError(), name) != NULL, what);
  CHECK(*p->event == untouched, what);
  after = read_back(type, device->queue, c);
  CHECK(memcmp(after, c->host, (size_t)c->length * element_size(type)) == 0, what);
  free(after);
}

#define WRONG(status, name, field, value)                       \
  do {                                                          \
    gemm_call wrong = p;                                        \
    wrong.field = value;                                        \
    refused(type, &wrong, &c, device, status, name);            \
  } while (0)

/* Quick returns look at no memory object, and still give an event. */
static void quick_returns(char type, gemm_call p)
{
  cl_event event = NULL;
  p.event = &event;
  p.a = p.b = p.c = NULL;
  p.m = 0;
  CHECK(gemm(type, &p) == AFFINIMATH_SUCCESS, "m = 0");
  CHECK(event != NULL && clWaitForEvents(1, &event) == CL_SUCCESS && clReleaseEvent(event) == CL_SUCCESS, "m = 0");
  p.m = 4;
  p.alpha = make(0, 0);
  p.beta = make(1, 0);
  event = NULL;
  CHECK(gemm(type, &p) == AFFINIMATH_SUCCESS, "alpha = 0, beta = 1");
  CHECK(event != NULL && clReleaseEvent(event) == CL_SUCCESS, "alpha = 0, beta = 1");
  p.event = NULL;
  CHECK(gemm(type, &p) == AFFINIMATH_SUCCESS, "no event, nothing to do");
}

static void wrong_arguments(char type, opencl_device *device)
{
  static char place;
  gemm_call p;
  cl_event event;
  mirror a = new_mirror(type, device->context, 2 + 4 * 5);
  mirror b = new_mirror(type, device->context, 1 + 3 * 5);
  mirror c = new_mirror(type, device->context, FRONT + 4 * 3 + BACK);
  untouched = event = (cl_event)(void *)&place;
  p.queue = device->queue;
  p.layout = AFFINIMATH_COL_MAJOR;
  p.transa = AFFINIMATH_NO_TRANS;
  p.transb = AFFINIMATH_TRANS;
  p.m = 4;
  p.n = 3;
  p.k = 5;
  p.alpha = make(1, 0);
  p.beta = make(2, 0);
  p.a = a.device;
  p.offa = 2;
  p.lda = 4;
  p.b = b.device;
  p.offb = 1;
  p.ldb = 3;
  p.c = c.device;
  p.offc = FRONT;
  p.ldc = 4;
  p.event = &event;

  WRONG(-1, "queue", queue, NULL);
  WRONG(-2, "layout", layout, 0);
  WRONG(-3, "transa", transa, 'T');
  WRONG(-4, "transb", transb, -1);
  WRONG(-5, "m", m, -1);
  WRONG(-6, "n", n, -1);
  WRONG(-7, "k", k, -1);
  WRONG(-9, "a", a, NULL);
  WRONG(-10, "offa", offa, -1);
  WRONG(-11, "lda", lda, 3);
  WRONG(-12, "b", b, NULL);
  WRONG(-13, "offb", offb, -2);
  WRONG(-14, "ldb", ldb, 2);
  WRONG(-16, "c", c, NULL);
  WRONG(-17, "offc", offc, -1);
  WRONG(-18, "ldc", ldc, 0);
  /* Memory objects that are one element too small for their views, or far too small. */
  WRONG(-9, "a needs", offa, 3);
  WRONG(-12, "b needs", offb, 2);
  WRONG(-16, "c needs", offc, FRONT + BACK + 1);
  WRONG(-16, "c needs", ldc, (int64_t)1 << 40);
  WRONG(-16, "c:", ldc, (int64_t)1 << 61);
  WRONG(-9, "a:", offa, INT64_MAX);

  { /* Numbers are checked before memory objects are looked at. */
    gemm_call wrong = p;
    wrong.offa = 1000;
    wrong.ldc = 1;
    refused(type, &wrong, &c, device, -18, "ldc");
  }
  { /* Memory of another context. */
    cl_context context = clCreateContext(NULL, 1, &device->id, NULL, NULL, NULL);
    mirror foreign = new_mirror(type, context, 100);
    WRONG(AFFINIMATH_MIXED_MEMORY, "b", b, foreign.device);
    release(&foreign);
    clReleaseContext(context);
  }
  { /* A queue that executes out of order. */
    cl_int code;
    cl_command_queue queue =
        clCreateCommandQueue(device->context, device->id, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &code);
    if (code == CL_SUCCESS) {
      WRONG(AFFINIMATH_INVALID_QUEUE, "out of order", queue, queue);
      clReleaseCommandQueue(queue);
    }
  }
  quick_returns(type, p);
  release(&a);
  release(&b);
  release(&c);
}

int main(void)
{
  opencl_device device;
  int i;
  if (!open_device(&device)) {
    printf("gemm_device: skipped, no OpenCL device\n");
    return 77;
  }
  in_order_without_an_event(&device);
  for (i = 0; i < 4; ++i) {
    if (device.fp64 || !is_double(TYPES[i])) {
      products(TYPES[i], &device);
      wrong_arguments(TYPES[i], &device);
    } else {
      precision_refused(TYPES[i], &device);
    }
  }
  products('H', &device);
  wrong_arguments('H', &device);
  CHECK(clFinish(device.queue) == CL_SUCCESS, "finish");
  CHECK(affinimathShutdown() == AFFINIMATH_SUCCESS, "shutdown");
  close_device(&device);
  return report("gemm_device");
}
