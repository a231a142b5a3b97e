/* Sparse matrices and iterative solvers on the application's memory objects and queues. Exits with 77 without an OpenCL
   device. C99. */

#include <pthread.h>

#include "opencl_device.h"

#include "sparse.h"

enum { CANARY = 0x5a, OFFSET = 1 };

/* A memory object with bytes behind `offset` of them that hold canaries. */
static struct _cl_mem *upload(const opencl_device *device, const void *data, size_t bytes, size_t offset)
{
  unsigned char *all = malloc(offset + bytes);
  memset(all, CANARY, offset);
  memcpy(all + offset, data, bytes);
  struct _cl_mem *memory =
      clCreateBuffer(device->context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, offset + bytes, all, NULL);
  free(all);
  return memory;
}

/* True if the queue reads the bytes behind `offset` canaries. */
static int download(cl_command_queue queue, struct _cl_mem *memory, void *data, size_t bytes, size_t offset)
{
  unsigned char *all = malloc(offset + bytes);
  int good = clEnqueueReadBuffer(queue, memory, CL_TRUE, 0, offset + bytes, all, 0, NULL, NULL) == CL_SUCCESS;
  for (size_t i = 0; i < offset; ++i) {
    good = good && all[i] == CANARY;
  }
  memcpy(data, all + offset, bytes);
  free(all);
  return good;
}

static int complete(cl_event event)
{
  return event != NULL && clWaitForEvents(1, &event) == CL_SUCCESS && clReleaseEvent(event) == CL_SUCCESS;
}

#define LETTER S
#define ELEMENT float
#include "sparse_device_type.h"

#define LETTER D
#define ELEMENT double
#include "sparse_device_type.h"

#define LETTER C
#define ELEMENT affinimath_c32
#include "sparse_device_type.h"

#define LETTER Z
#define ELEMENT affinimath_c64
#include "sparse_device_type.h"

static void wrong_arguments(const opencl_device *device)
{
  cl_command_queue q = device->queue;
  cl_context elsewhere = clCreateContext(NULL, 1, &device->id, NULL, NULL, NULL);
  cl_command_queue other = clCreateCommandQueue(elsewhere, device->id, 0, NULL);
  affinimath_csr *a = small_S(device), *system = system_S(device), *of_host = NULL, *of_device = NULL, *none = NULL;
  affinimath_preconditioner *jacobi = NULL, *host_jacobi = NULL;
  affinimath_solve_options options;
  affinimath_solve_outcome outcome;
  const int32_t pointers[2] = {0, 1}, wrong[2] = {0, 7};
  const int32_t column[1] = {0}, outside[1] = {3};
  const float value[1] = {2};
  float host[UNKNOWNS] = {0};
  struct _cl_mem *x = upload(device, host, sizeof host, 0), *y = upload(device, host, sizeof host, 0);
  struct _cl_mem *p = upload(device, pointers, sizeof pointers, 0), *w = upload(device, wrong, sizeof wrong, 0);
  struct _cl_mem *i = upload(device, column, sizeof column, 0), *o = upload(device, outside, sizeof outside, 0);
  struct _cl_mem *v = upload(device, value, sizeof value, 0);
  CHECK(affinimathSetRoute("host") == 0, "the route");
  CHECK(affinimathScsrCreate(1, 1, pointers, column, value, &of_host) == 0, "a matrix of the host's");
  REFUSED(affinimathScsrCreateCL(NULL, 1, 1, p, 0, i, 0, v, 0, &none, NULL), -1, "queue");
  REFUSED(affinimathScsrCreateCL(q, -1, 1, p, 0, i, 0, v, 0, &none, NULL), -2, "rows");
  REFUSED(affinimathScsrCreateCL(q, 1, 1, NULL, 0, i, 0, v, 0, &none, NULL), -4, "pointers");
  REFUSED(affinimathScsrCreateCL(q, 1, 1, p, -1, i, 0, v, 0, &none, NULL), -5, "offpointers");
  REFUSED(affinimathScsrCreateCL(q, 1, 1, p, 1, i, 0, v, 0, &none, NULL), -4, "pointers needs 3 elements");
  REFUSED(affinimathScsrCreateCL(q, 1, 1, p, 0, NULL, 0, v, 0, &none, NULL), -6, "indices");
  REFUSED(affinimathScsrCreateCL(q, 1, 1, p, 0, i, -1, v, 0, &none, NULL), -7, "offindices");
  REFUSED(affinimathScsrCreateCL(q, 1, 1, w, 0, i, 0, v, 0, &none, NULL), -6, "indices needs 7 elements");
  REFUSED(affinimathScsrCreateCL(q, 1, 1, p, 0, o, 0, v, 0, &none, NULL), -6, "has the column 3");
  REFUSED(affinimathScsrCreateCL(q, 1, 1, p, 0, i, 0, NULL, 0, &none, NULL), -8, "values");
  REFUSED(affinimathScsrCreateCL(q, 1, 1, p, 0, i, 0, v, 1, &none, NULL), -8, "values needs 2 elements");
  REFUSED(affinimathScsrCreateCL(q, 1, 1, p, 0, i, 0, v, 0, NULL, NULL), -10, "matrix");
  REFUSED(affinimathScsrmvCL(NULL, 111, 1, a, x, 0, 1, 0, y, 0, 1, NULL), -1, "queue");
  REFUSED(affinimathScsrmvCL(q, 0, 1, a, x, 0, 1, 0, y, 0, 1, NULL), -2, "trans");
  REFUSED(affinimathScsrmvCL(q, 111, 1, NULL, x, 0, 1, 0, y, 0, 1, NULL), -4, "a");
  REFUSED(affinimathScsrmvCL(q, 111, 1, of_host, x, 0, 1, 0, y, 0, 1, NULL), -4, "it was made from host pointers");
  REFUSED(affinimathScsrmvCL(other, 111, 1, a, x, 0, 1, 0, y, 0, 1, NULL), -4,
          "another OpenCL context than the queue's");
  REFUSED(affinimathScsrmv(111, 1, a, host, 1, 0, host, 1), -3, "it was made from memory objects");
  REFUSED(affinimathScsrmvCL(q, 111, 1, a, NULL, 0, 1, 0, y, 0, 1, NULL), -5, "x");
  REFUSED(affinimathScsrmvCL(q, 111, 1, a, x, -1, 1, 0, y, 0, 1, NULL), -6, "offx");
  REFUSED(affinimathScsrmvCL(q, 111, 1, a, x, 0, 0, 0, y, 0, 1, NULL), -7, "incx");
  REFUSED(affinimathScsrmvCL(q, 111, 1, a, x, 57, 1, 0, y, 0, 1, NULL), -5, "x needs 61 elements");
  REFUSED(affinimathScsrmvCL(q, 111, 1, a, x, 0, 1, 0, y, 56, 1, NULL), -9, "y needs 61 elements");
  REFUSED(affinimathScgCL(q, of_host, x, 0, y, 0, NULL, &outcome, NULL), -2, "it was made from host pointers");
  REFUSED(affinimathScgCL(q, system, x, 1, y, 0, NULL, &outcome, NULL), -3, "b needs 61 elements");
  REFUSED(affinimathScgCL(q, system, x, 0, y, 1, NULL, &outcome, NULL), -5, "x needs 61 elements");
  REFUSED(affinimathScgCL(q, system, x, 0, y, 0, NULL, NULL, NULL), -8, "outcome");
  REFUSED(affinimathScsrSum(1, a, 1, of_host, &none), -4, "made from host pointers");
  CHECK(affinimathSetRoute("device") == 0, "the route");
  CHECK(affinimathScsrCreate(1, 1, pointers, column, value, &of_device) == 0,
        "a matrix of the host's that lies on a device");
  CHECK(affinimathSetRoute("auto") == 0, "the route");
  REFUSED(affinimathScsrSum(1, of_host, 1, of_device, &none), -4, "under one route and device");
  CHECK(affinimathJacobiCreate(of_host, &host_jacobi) == 0 && affinimathJacobiCreate(system, &jacobi) == 0, "jacobi");
  affinimathSolveOptions(&options, AFFINIMATH_SINGLE);
  options.preconditioner = jacobi;
  REFUSED(affinimathScg(of_host, host, host, &options, &outcome), -4, "made from memory objects");
  options.preconditioner = host_jacobi;
  REFUSED(affinimathScgCL(q, system, x, 0, y, 0, &options, &outcome, NULL), -7, "made from host pointers");
  CHECK(none == NULL, "no matrix was made");
  affinimathCsrDestroy(a);
  affinimathCsrDestroy(system);
  affinimathCsrDestroy(of_host);
  affinimathCsrDestroy(of_device);
  affinimathPreconditionerDestroy(jacobi);
  affinimathPreconditionerDestroy(host_jacobi);
  struct _cl_mem *all[] = {x, y, p, w, i, o, v};
  for (int k = 0; k < 7; ++k) {
    clReleaseMemObject(all[k]);
  }
  clReleaseCommandQueue(other);
  clReleaseContext(elsewhere);
}

/* The matrix may go when its work is enqueued. */
static void destroyed_early(const opencl_device *device)
{
  affinimath_csr *a = system_S(device);
  float x[UNKNOWNS], y[UNKNOWNS] = {0};
  fill_right_hand_side('S', x);
  struct _cl_mem *mx = upload(device, x, sizeof x, 0), *my = upload(device, y, sizeof y, 0);
  CHECK(affinimathScsrmvCL(device->queue, AFFINIMATH_TRANS, 1, a, mx, 0, 1, 0, my, 0, 1, NULL) == 0, "enqueued");
  CHECK(affinimathCsrDestroy(a) == 0, "destroy");
  CHECK(download(device->queue, my, y, sizeof y, 0), "the product");
  for (int i = 1; i + 1 < UNKNOWNS; ++i) {
    CHECK(fabs(y[i] - (4 * x[i] - x[i - 1] - x[i + 1])) <= 8 * epsilon('S'), "the product");
  }
  clReleaseMemObject(mx);
  clReleaseMemObject(my);
}

enum { THREADS = 2, ROUNDS = 10 };

typedef struct worker {
  opencl_device device;
  affinimath_csr *a;
  int wrong;
} worker;

/* The matrix that both threads have, each on its own queue. */
static void *work(void *argument)
{
  worker *w = argument;
  float x[UNKNOWNS], y[UNKNOWNS] = {0};
  affinimath_solve_outcome outcome;
  fill_right_hand_side('S', x);
  struct _cl_mem *mx = upload(&w->device, x, sizeof x, 0), *my = upload(&w->device, y, sizeof y, 0);
  for (int round = 0; round < ROUNDS; ++round) {
    w->wrong += affinimathScsrmvCL(w->device.queue, AFFINIMATH_TRANS, 1, w->a, mx, 0, 1, 0, my, 0, 1, NULL) != 0;
    w->wrong += affinimathScgCL(w->device.queue, w->a, mx, 0, my, 0, NULL, &outcome, NULL) != 0;
    w->wrong += outcome.reason != AFFINIMATH_CONVERGED || !download(w->device.queue, my, y, sizeof y, 0);
    w->wrong += !(relative_residual('S', 0, x, y) <= 2e-5);
  }
  clReleaseMemObject(mx);
  clReleaseMemObject(my);
  return NULL;
}

static void threads(const opencl_device *device)
{
  affinimath_csr *a = system_S(device);
  pthread_t threads[THREADS];
  worker workers[THREADS];
  for (int i = 0; i < THREADS; ++i) {
    workers[i].device = *device;
    workers[i].device.queue = clCreateCommandQueue(device->context, device->id, 0, NULL);
    workers[i].a = a;
    workers[i].wrong = 0;
    CHECK(pthread_create(&threads[i], NULL, work, &workers[i]) == 0, "a thread");
  }
  for (int i = 0; i < THREADS; ++i) {
    CHECK(pthread_join(threads[i], NULL) == 0 && workers[i].wrong == 0, "a thread's products and solves");
    clReleaseCommandQueue(workers[i].device.queue);
  }
  affinimathCsrDestroy(a);
}

/* Matrices of doubles on a device that has none are refused with a status. */
static void doubles_refused(const opencl_device *device)
{
  const int32_t pointers[2] = {0, 1}, column[1] = {0};
  const double value[1] = {2};
  affinimath_csr *a = NULL;
  struct _cl_mem *p = upload(device, pointers, sizeof pointers, 0), *i = upload(device, column, sizeof column, 0);
  struct _cl_mem *v = upload(device, value, sizeof value, 0);
  REFUSED(affinimathDcsrCreateCL(device->queue, 1, 1, p, 0, i, 0, v, 0, &a, NULL), AFFINIMATH_PRECISION_NOT_SUPPORTED,
          "fp64");
  CHECK(a == NULL, "nothing is made");
  clReleaseMemObject(p);
  clReleaseMemObject(i);
  clReleaseMemObject(v);
}

int main(void)
{
  opencl_device device;
  if (!open_device(&device)) {
    printf("sparse_device: skipped, no OpenCL device\n");
    return 77;
  }
  matrices_S(&device);
  products_S(&device);
  solves_S(&device, 4);
  matrices_C(&device);
  products_C(&device);
  solves_C(&device, 1);
  if (device.fp64) {
    matrices_D(&device);
    products_D(&device);
    solves_D(&device, 1);
    matrices_Z(&device);
    products_Z(&device);
    solves_Z(&device, 1);
  } else {
    doubles_refused(&device);
  }
  wrong_arguments(&device);
  destroyed_early(&device);
  threads(&device);
  CHECK(clFinish(device.queue) == CL_SUCCESS, "finish");
  CHECK(affinimathShutdown() == AFFINIMATH_SUCCESS, "shutdown");
  close_device(&device);
  return report("sparse_device");
}
