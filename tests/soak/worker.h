/* Shared by the soak's calls: a worker with its own random numbers, operands in host memory or in memory objects, and
   counts. C99. */

#ifndef WORKER_H
#define WORKER_H

#include <complex.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "affinimath.h"

#ifdef SOAK_DEVICE
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#else
typedef void *cl_command_queue;
typedef void *cl_mem;
typedef void *cl_event;
#endif

/* Operands of one call, at most. */
enum { OPERANDS = 8 };

typedef struct operand {
  cl_mem memory;
  void *host;
  size_t bytes;
  int64_t offset; /* in elements */
} operand;

typedef struct worker {
  uint64_t state;
  int64_t rounds;
  /* True if this round's calls take memory objects; only with a device. */
  int on_device;
#ifdef SOAK_DEVICE
  cl_device_id device;
  cl_context context;
#endif
  cl_command_queue queue;
  cl_event event;
  operand operands[OPERANDS];
  int operand_count;
  /* Results. */
  long calls, refused, wrong, unexpected;
} worker;

/* ---- Numbers. */

/* Marsaglia's xorshift: each worker's own. */
static uint64_t draw(worker *w)
{
  w->state ^= w->state << 13;
  w->state ^= w->state >> 7;
  w->state ^= w->state << 17;
  return w->state;
}

static int64_t below(worker *w, int64_t bound) { return (int64_t)((draw(w) >> 11) % (uint64_t)bound); }
static int one_in(worker *w, int64_t chances) { return below(w, chances) == 0; }
static double uniform(worker *w) { return (double)(draw(w) >> 11) / 4503599627370496.0 - 1; }

/* A size from 1 to most: small ones as often as large ones. */
static int64_t size_up_to(worker *w, int64_t most)
{
  const int64_t scale = one_in(w, 2) ? most : most < 20 ? most : 20;
  return 1 + below(w, scale);
}

static const int LAYOUTS[] = {AFFINIMATH_ROW_MAJOR, AFFINIMATH_COL_MAJOR};
static const int OPS[] = {AFFINIMATH_NO_TRANS, AFFINIMATH_TRANS, AFFINIMATH_CONJ_TRANS};
static const int TRIANGLES[] = {AFFINIMATH_UPPER, AFFINIMATH_LOWER};
static const int SIDES[] = {AFFINIMATH_LEFT, AFFINIMATH_RIGHT};
#define ONE_OF(w, list) ((list)[below(w, (int64_t)(sizeof(list) / sizeof *(list)))])

/* ---- Memory. Blocks have exactly the size that was asked for, so that a tool sees an access behind them. With
   SOAK_FENCES the processor does: pages that nobody may touch lie on both sides, and blocks reach to one of them in
   turn. */

static void *refuse(size_t bytes)
{
  fprintf(stderr, "out of memory for %zu bytes\n", bytes);
  abort();
}

#ifdef SOAK_FENCES

#include <sys/mman.h>

enum { PAGE = 4096 };

/* A page with the mapping's size, a fence, the block's pages, a fence. */
static void *room(size_t bytes)
{
  static __thread unsigned turn;
  const size_t pages = (bytes + PAGE - 1) / PAGE + (bytes == 0), all = (pages + 3) * PAGE;
  char *start = mmap(NULL, all, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (start == MAP_FAILED || mprotect(start, PAGE, PROT_READ | PROT_WRITE) != 0 ||
      mprotect(start + 2 * PAGE, pages * PAGE, PROT_READ | PROT_WRITE) != 0) {
    return refuse(bytes);
  }
  *(size_t *)start = all;
  start += 2 * PAGE;
  return ++turn % 4 == 0 ? start : start + (pages * PAGE - bytes);
}

static void discard(void *block)
{
  if (block != NULL) {
    char *start = (char *)((uintptr_t)block / PAGE * PAGE) - 2 * PAGE;
    munmap(start, *(size_t *)start);
  }
}

#else

static void *room(size_t bytes)
{
  void *memory = malloc(bytes == 0 ? 1 : bytes);
  return memory == NULL ? refuse(bytes) : memory;
}

static void discard(void *block) { free(block); }

#endif

static void *copy_of(const void *from, size_t bytes) { return memcpy(room(bytes), from, bytes); }

/* ---- Operands. On a device, memory becomes an object with its numbers somewhere in it; else it stays where it is. */

#ifdef SOAK_DEVICE
static void demand(cl_int code, const char *call)
{
  if (code != CL_SUCCESS) {
    fprintf(stderr, "%s: OpenCL error %d\n", call, (int)code);
    abort();
  }
}
#endif

/* The operand for `bytes` bytes at `host`, of elements of `size` bytes. */
static operand *bring(worker *w, void *host, size_t bytes, size_t size)
{
  operand *o = &w->operands[w->operand_count++];
  o->host = host;
  o->bytes = bytes;
  o->memory = NULL;
  o->offset = 0;
#ifdef SOAK_DEVICE
  if (w->on_device) {
    cl_int code;
    o->offset = below(w, 4);
    o->memory = clCreateBuffer(w->context, CL_MEM_READ_WRITE, ((size_t)o->offset + 1) * size + bytes, NULL, &code);
    demand(code, "clCreateBuffer");
    if (bytes > 0) {
      demand(clEnqueueWriteBuffer(w->queue, o->memory, CL_TRUE, (size_t)o->offset * size, bytes, host, 0, NULL, NULL),
             "clEnqueueWriteBuffer");
    }
  }
#else
  (void)size;
#endif
  return o;
}

/* The numbers as the calls left them, and the end of the operands. */
static void settle(worker *w)
{
#ifdef SOAK_DEVICE
  if (w->on_device) {
    for (int i = 0; i < w->operand_count; ++i) {
      operand *o = &w->operands[i];
      size_t all = 0;
      demand(clGetMemObjectInfo(o->memory, CL_MEM_SIZE, sizeof all, &all, NULL), "clGetMemObjectInfo");
      if (o->bytes > 0) {
        const size_t element = (all - o->bytes) / ((size_t)o->offset + 1);
        demand(clEnqueueReadBuffer(w->queue, o->memory, CL_TRUE, (size_t)o->offset * element, o->bytes, o->host, 0,
                                   NULL, NULL),
               "clEnqueueReadBuffer");
      }
      demand(clReleaseMemObject(o->memory), "clReleaseMemObject");
    }
  }
#endif
  w->operand_count = 0;
}

/* Waits for the event that the last call gave, if it gave one. */
static void await(worker *w)
{
#ifdef SOAK_DEVICE
  if (w->event != NULL) {
    demand(clWaitForEvents(1, &w->event), "clWaitForEvents");
    demand(clReleaseEvent(w->event), "clReleaseEvent");
  }
#endif
  w->event = NULL;
}

/* ---- Counts. */

/* Counts a call that is to give a status, and tells of another one. */
static int expect(worker *w, int status, int expected, const char *call)
{
  ++w->calls;
  if (status == expected) {
    w->refused += status != AFFINIMATH_SUCCESS;
    return 1;
  }
  ++w->unexpected;
  fprintf(stderr, "UNEXPECTED: %s gave %d, not %d: %s\n", call, status, expected, affinimathLastError());
  return 0;
}

/* Counts a result that is not right. */
static void right(worker *w, int is_right, const char *what)
{
  if (!is_right) {
    ++w->wrong;
    fprintf(stderr, "WRONG: %s%s\n", what, w->on_device ? " on memory objects" : "");
  }
}

#define EXPECT(w, call, status) expect(w, call, status, #call)

#endif
