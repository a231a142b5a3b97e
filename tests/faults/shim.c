/* A libOpenCL.so.1 that hands every call to the real one, counts calls and objects, and fails the calls that it is told
   to fail: by a program (faults.h), or for any program by the environment:

     FAULT_LIBRARY=/usr/lib/.../libOpenCL.so.1   the real loader, by its path (needed)
     FAULT_CALL=clCreateBuffer FAULT_NTH=3 FAULT_CODE=-4 [FAULT_ALL=1]
     FAULT_REPORT=1                              calls, and objects that are left, at the end of the process

   gcc -shared -fPIC -Wl,-soname,libOpenCL.so.1 -o folder/libOpenCL.so.1 shim.c -ldl -lpthread;
   LD_LIBRARY_PATH=folder */

#define _GNU_SOURCE
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "faults.h"

/* Every function that can fail. What releases objects cannot: OpenCL lets it fail for an invalid handle only. */
#define FUNCTIONS(F)                                                                                                  \
  F(clGetPlatformIDs) F(clGetPlatformInfo) F(clGetDeviceIDs) F(clGetDeviceInfo) F(clCreateContext)                    \
  F(clRetainContext) F(clGetContextInfo) F(clCreateCommandQueue) F(clRetainCommandQueue) F(clGetCommandQueueInfo)     \
  F(clCreateBuffer) F(clRetainMemObject) F(clGetMemObjectInfo) F(clCreateProgramWithSource)                           \
  F(clCreateProgramWithBinary) F(clBuildProgram) F(clGetProgramInfo) F(clGetProgramBuildInfo) F(clCreateKernel)       \
  F(clGetKernelInfo) F(clGetKernelWorkGroupInfo) F(clSetKernelArg) F(clEnqueueNDRangeKernel)                          \
  F(clEnqueueReadBuffer) F(clEnqueueReadBufferRect) F(clEnqueueWriteBuffer) F(clEnqueueWriteBufferRect)               \
  F(clEnqueueCopyBuffer) F(clEnqueueCopyBufferRect) F(clEnqueueFillBuffer) F(clEnqueueMapBuffer)                      \
  F(clEnqueueUnmapMemObject) F(clEnqueueNativeKernel) F(clEnqueueMarkerWithWaitList)                                  \
  F(clEnqueueBarrierWithWaitList) F(clWaitForEvents) F(clGetEventInfo) F(clRetainEvent) F(clFlush) F(clFinish)

#define NUMBER(name) NUMBER_##name,
enum { FUNCTIONS(NUMBER) COUNT };
#define NAME(name) #name,
static const char *const NAMES[] = {FUNCTIONS(NAME) NULL};

static struct {
  int number, code, all;
  long nth, fired;
} armed = {-1, 0, 0, 0, 0};
static long calls[COUNT], live[FAULT_KINDS];
static void *library;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int number_of(const char *function)
{
  int number = 0;
  while (NAMES[number] != NULL && strcmp(NAMES[number], function) != 0) {
    ++number;
  }
  if (NAMES[number] == NULL) {
    fprintf(stderr, "faults: the shim has no function '%s' that can fail\n", function);
    abort();
  }
  return number;
}

/* ---- What programs ask. */

const char *fault_function(int number) { return number >= 0 && number < COUNT ? NAMES[number] : NULL; }

void fault_arm(const char *function, long nth, int code, int all)
{
  int number = number_of(function);
  pthread_mutex_lock(&lock);
  armed.number = number;
  armed.nth = nth;
  armed.code = code;
  armed.all = all;
  armed.fired = 0;
  pthread_mutex_unlock(&lock);
}

long fault_disarm(void)
{
  long fired;
  pthread_mutex_lock(&lock);
  armed.number = -1;
  fired = armed.fired;
  pthread_mutex_unlock(&lock);
  return fired;
}

long fault_calls(const char *function)
{
  int number = number_of(function);
  return __atomic_load_n(&calls[number], __ATOMIC_SEQ_CST);
}

void fault_restart(void)
{
  pthread_mutex_lock(&lock);
  memset(calls, 0, sizeof calls);
  pthread_mutex_unlock(&lock);
}

long fault_live(enum fault_kind kind) { return __atomic_load_n(&live[kind], __ATOMIC_SEQ_CST); }

/* ---- Starting and ending. */

static void start(void)
{
  const char *path = getenv("FAULT_LIBRARY"), *function = getenv("FAULT_CALL");
  const char *nth = getenv("FAULT_NTH"), *code = getenv("FAULT_CODE"), *all = getenv("FAULT_ALL");
  library = path != NULL ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
  if (library == NULL) {
    fprintf(stderr, "faults: FAULT_LIBRARY=%s is not a loader: %s\n", path ? path : "",
            path ? dlerror() : "it is not set");
    abort();
  }
  if (function != NULL) {
    fault_arm(function, nth != NULL ? atol(nth) : 1, code != NULL ? atoi(code) : -5, all != NULL);
  }
}

__attribute__((destructor)) static void report(void)
{
  static const char *const KINDS[] = {"contexts", "queues", "buffers", "programs", "kernels", "events"};
  int i;
  if (getenv("FAULT_REPORT") == NULL) {
    return;
  }
  for (i = 0; i < COUNT; ++i) {
    if (calls[i] != 0) {
      fprintf(stderr, "faults: %6ld calls of %s\n", calls[i], NAMES[i]);
    }
  }
  for (i = 0; i < FAULT_KINDS; ++i) {
    fprintf(stderr, "faults: %6ld %s left\n", live[i], KINDS[i]);
  }
}

static void *real(const char *name)
{
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  void *symbol;
  pthread_once(&once, start);
  symbol = dlsym(library, name);
  if (symbol == NULL) {
    fprintf(stderr, "faults: the loader has no %s\n", name);
    abort();
  }
  return symbol;
}

/* The code that this call is to give, or 0. */
static cl_int fault(int number)
{
  cl_int code = CL_SUCCESS;
  pthread_mutex_lock(&lock);
  ++calls[number];
  if (armed.number == number && (--armed.nth == 0 || (armed.all && armed.nth < 0))) {
    ++armed.fired;
    code = armed.code;
  }
  pthread_mutex_unlock(&lock);
  return code;
}

static void count(enum fault_kind kind, long change) { __atomic_add_fetch(&live[kind], change, __ATOMIC_SEQ_CST); }

/* ---- Which work on queues is known to be done. Queues are in-order, so that numbers tell. */

enum { MOST_QUEUES = 256, PLACES = 1 << 14 };
static struct {
  cl_command_queue queue;
  long enqueued, done;
} queues[MOST_QUEUES];
static struct {
  cl_event event;
  int queue;
  long number;
} events[PLACES];

static int queue_number(cl_command_queue queue)
{
  int i = 0;
  while (i < MOST_QUEUES - 1 && queues[i].queue != queue && queues[i].queue != NULL) {
    ++i;
  }
  queues[i].queue = queue;
  return i;
}

static size_t place_of(cl_event event)
{
  size_t place = ((size_t)event >> 4) * 0x9e3779b97f4a7c15u % PLACES, tried = 0;
  while (tried++ < PLACES && events[place].event != event && events[place].event != NULL) {
    place = (place + 1) % PLACES;
  }
  return place;
}

/* A command was enqueued: work, or (a marker) none of its own. */
static void enqueued(cl_command_queue queue, int work, int waited, const cl_event *event)
{
  int i;
  pthread_mutex_lock(&lock);
  i = queue_number(queue);
  queues[i].enqueued += work;
  if (waited) {
    queues[i].done = queues[i].enqueued;
  }
  if (event != NULL) {
    size_t place = place_of(*event);
    events[place].event = *event;
    events[place].queue = i;
    events[place].number = queues[i].enqueued;
    count(EVENTS, 1);
  }
  pthread_mutex_unlock(&lock);
}

static void is_done(cl_event event)
{
  size_t place;
  pthread_mutex_lock(&lock);
  place = place_of(event);
  if (events[place].event == event && queues[events[place].queue].done < events[place].number) {
    queues[events[place].queue].done = events[place].number;
  }
  pthread_mutex_unlock(&lock);
}

int fault_unfinished(void)
{
  int i, unfinished = 0;
  pthread_mutex_lock(&lock);
  for (i = 0; i < MOST_QUEUES && queues[i].queue != NULL; ++i) {
    unfinished += queues[i].done < queues[i].enqueued;
  }
  pthread_mutex_unlock(&lock);
  return unfinished;
}

void fault_settle(void)
{
  int i;
  pthread_mutex_lock(&lock);
  for (i = 0; i < MOST_QUEUES; ++i) {
    queues[i].done = queues[i].enqueued;
  }
  pthread_mutex_unlock(&lock);
}

/* ---- OpenCL's functions. */

#define REAL(name) ((__typeof__(&name))real(#name))
#define PLAIN(name, parameters, arguments)  \
  cl_int name parameters                    \
  {                                         \
    cl_int code = fault(NUMBER_##name);     \
    return code ? code : REAL(name) arguments; \
  }

PLAIN(clGetPlatformIDs, (cl_uint n, cl_platform_id *p, cl_uint *count_out), (n, p, count_out))
PLAIN(clGetPlatformInfo, (cl_platform_id p, cl_platform_info i, size_t s, void *v, size_t *r), (p, i, s, v, r))
PLAIN(clGetDeviceIDs, (cl_platform_id p, cl_device_type t, cl_uint n, cl_device_id *d, cl_uint *c), (p, t, n, d, c))
PLAIN(clGetDeviceInfo, (cl_device_id d, cl_device_info i, size_t s, void *v, size_t *r), (d, i, s, v, r))
PLAIN(clGetContextInfo, (cl_context c, cl_context_info i, size_t s, void *v, size_t *r), (c, i, s, v, r))
PLAIN(clGetCommandQueueInfo, (cl_command_queue q, cl_command_queue_info i, size_t s, void *v, size_t *r),
      (q, i, s, v, r))
PLAIN(clGetMemObjectInfo, (cl_mem m, cl_mem_info i, size_t s, void *v, size_t *r), (m, i, s, v, r))
PLAIN(clGetProgramInfo, (cl_program p, cl_program_info i, size_t s, void *v, size_t *r), (p, i, s, v, r))
PLAIN(clGetProgramBuildInfo,
      (cl_program p, cl_device_id d, cl_program_build_info i, size_t s, void *v, size_t *r), (p, d, i, s, v, r))
PLAIN(clBuildProgram,
      (cl_program p, cl_uint n, const cl_device_id *d, const char *o, void(CL_CALLBACK *f)(cl_program, void *),
       void *u),
      (p, n, d, o, f, u))
PLAIN(clGetKernelInfo, (cl_kernel k, cl_kernel_info i, size_t s, void *v, size_t *r), (k, i, s, v, r))
PLAIN(clGetKernelWorkGroupInfo,
      (cl_kernel k, cl_device_id d, cl_kernel_work_group_info i, size_t s, void *v, size_t *r), (k, d, i, s, v, r))
PLAIN(clSetKernelArg, (cl_kernel k, cl_uint i, size_t s, const void *v), (k, i, s, v))
PLAIN(clFlush, (cl_command_queue q), (q))

cl_int clFinish(cl_command_queue queue)
{
  cl_int code = fault(NUMBER_clFinish);
  code = code ? code : REAL(clFinish)(queue);
  if (code == CL_SUCCESS) {
    enqueued(queue, 0, 1, NULL);
  }
  return code;
}

cl_int clWaitForEvents(cl_uint n, const cl_event *list)
{
  cl_int code = fault(NUMBER_clWaitForEvents);
  cl_uint i;
  code = code ? code : REAL(clWaitForEvents)(n, list);
  for (i = 0; code == CL_SUCCESS && i < n; ++i) {
    is_done(list[i]);
  }
  return code;
}

cl_int clGetEventInfo(cl_event event, cl_event_info what, size_t size, void *value, size_t *used)
{
  cl_int code = fault(NUMBER_clGetEventInfo);
  code = code ? code : REAL(clGetEventInfo)(event, what, size, value, used);
  if (code == CL_SUCCESS && what == CL_EVENT_COMMAND_EXECUTION_STATUS && value != NULL &&
      *(cl_int *)value <= CL_COMPLETE) {
    is_done(event);
  }
  return code;
}

/* Functions that retain and release, and those that create. */
#define RETAIN(name, type, kind)          \
  cl_int name(type object)                \
  {                                       \
    cl_int code = fault(NUMBER_##name);   \
    code = code ? code : REAL(name)(object); \
    count(kind, code == CL_SUCCESS);      \
    return code;                          \
  }
#define COUNTED(name, type, kind, change)       \
  cl_int name(type object)                      \
  {                                             \
    cl_int code = REAL(name)(object);           \
    count(kind, code == CL_SUCCESS ? change : 0); \
    return code;                                \
  }
RETAIN(clRetainContext, cl_context, CONTEXTS)
RETAIN(clRetainCommandQueue, cl_command_queue, QUEUES)
RETAIN(clRetainMemObject, cl_mem, BUFFERS)
RETAIN(clRetainEvent, cl_event, EVENTS)
COUNTED(clRetainProgram, cl_program, PROGRAMS, 1)
COUNTED(clRetainKernel, cl_kernel, KERNELS, 1)
COUNTED(clReleaseContext, cl_context, CONTEXTS, -1)
COUNTED(clReleaseCommandQueue, cl_command_queue, QUEUES, -1)
COUNTED(clReleaseMemObject, cl_mem, BUFFERS, -1)
COUNTED(clReleaseProgram, cl_program, PROGRAMS, -1)
COUNTED(clReleaseKernel, cl_kernel, KERNELS, -1)
COUNTED(clReleaseEvent, cl_event, EVENTS, -1)

#define MAKE(type, name, kind, parameters, arguments) \
  type name parameters                                \
  {                                                   \
    cl_int code = fault(NUMBER_##name);               \
    type made = NULL;                                 \
    if (code == CL_SUCCESS) {                         \
      made = REAL(name) arguments;                    \
      count(kind, made != NULL);                      \
    } else if (status != NULL) {                      \
      *status = code;                                 \
    }                                                 \
    return made;                                      \
  }
MAKE(cl_context, clCreateContext, CONTEXTS,
     (const cl_context_properties *p, cl_uint n, const cl_device_id *d,
      void(CL_CALLBACK *f)(const char *, const void *, size_t, void *), void *u, cl_int *status),
     (p, n, d, f, u, status))
MAKE(cl_command_queue, clCreateCommandQueue, QUEUES,
     (cl_context c, cl_device_id d, cl_command_queue_properties p, cl_int *status), (c, d, p, status))
MAKE(cl_mem, clCreateBuffer, BUFFERS, (cl_context c, cl_mem_flags f, size_t s, void *h, cl_int *status),
     (c, f, s, h, status))
MAKE(cl_program, clCreateProgramWithSource, PROGRAMS,
     (cl_context c, cl_uint n, const char **s, const size_t *l, cl_int *status), (c, n, s, l, status))
MAKE(cl_program, clCreateProgramWithBinary, PROGRAMS,
     (cl_context c, cl_uint n, const cl_device_id *d, const size_t *l, const unsigned char **b, cl_int *each,
      cl_int *status),
     (c, n, d, l, b, each, status))
MAKE(cl_kernel, clCreateKernel, KERNELS, (cl_program p, const char *n, cl_int *status), (p, n, status))

/* Commands end in a wait list and an event: WAITS are their parameters, and W what is handed on. */
#define WAITS cl_uint n, const cl_event *list, cl_event *event
#define W n, list, event
#define COMMAND(name, work, waited, parameters, arguments) \
  cl_int name parameters                                   \
  {                                                        \
    cl_int code = fault(NUMBER_##name);                    \
    code = code ? code : REAL(name) arguments;             \
    if (code == CL_SUCCESS) {                              \
      enqueued(q, work, waited, event);                    \
    }                                                      \
    return code;                                           \
  }
COMMAND(clEnqueueNDRangeKernel, 1, 0,
        (cl_command_queue q, cl_kernel k, cl_uint d, const size_t *o, const size_t *g, const size_t *l, WAITS),
        (q, k, d, o, g, l, W))
COMMAND(clEnqueueReadBuffer, 1, b == CL_TRUE,
        (cl_command_queue q, cl_mem m, cl_bool b, size_t o, size_t s, void *p, WAITS), (q, m, b, o, s, p, W))
COMMAND(clEnqueueWriteBuffer, 1, b == CL_TRUE,
        (cl_command_queue q, cl_mem m, cl_bool b, size_t o, size_t s, const void *p, WAITS), (q, m, b, o, s, p, W))
COMMAND(clEnqueueReadBufferRect, 1, b == CL_TRUE,
        (cl_command_queue q, cl_mem m, cl_bool b, const size_t *o, const size_t *h, const size_t *r, size_t br,
         size_t bs, size_t hr, size_t hs, void *p, WAITS),
        (q, m, b, o, h, r, br, bs, hr, hs, p, W))
COMMAND(clEnqueueWriteBufferRect, 1, b == CL_TRUE,
        (cl_command_queue q, cl_mem m, cl_bool b, const size_t *o, const size_t *h, const size_t *r, size_t br,
         size_t bs, size_t hr, size_t hs, const void *p, WAITS),
        (q, m, b, o, h, r, br, bs, hr, hs, p, W))
COMMAND(clEnqueueCopyBuffer, 1, 0, (cl_command_queue q, cl_mem s, cl_mem d, size_t so, size_t to, size_t c, WAITS),
        (q, s, d, so, to, c, W))
COMMAND(clEnqueueCopyBufferRect, 1, 0,
        (cl_command_queue q, cl_mem s, cl_mem d, const size_t *so, const size_t *to, const size_t *r, size_t sr,
         size_t ss, size_t dr, size_t ds, WAITS),
        (q, s, d, so, to, r, sr, ss, dr, ds, W))
COMMAND(clEnqueueFillBuffer, 1, 0,
        (cl_command_queue q, cl_mem m, const void *p, size_t ps, size_t o, size_t s, WAITS), (q, m, p, ps, o, s, W))
COMMAND(clEnqueueUnmapMemObject, 1, 0, (cl_command_queue q, cl_mem m, void *p, WAITS), (q, m, p, W))
COMMAND(clEnqueueNativeKernel, 1, 0,
        (cl_command_queue q, void(CL_CALLBACK *f)(void *), void *a, size_t s, cl_uint c, const cl_mem *m,
         const void **p, WAITS),
        (q, f, a, s, c, m, p, W))
COMMAND(clEnqueueMarkerWithWaitList, 0, 0, (cl_command_queue q, WAITS), (q, W))
COMMAND(clEnqueueBarrierWithWaitList, 0, 0, (cl_command_queue q, WAITS), (q, W))

void *clEnqueueMapBuffer(cl_command_queue q, cl_mem m, cl_bool b, cl_map_flags f, size_t o, size_t s, WAITS,
                         cl_int *status)
{
  cl_int code = fault(NUMBER_clEnqueueMapBuffer);
  void *mapped = NULL;
  if (code == CL_SUCCESS) {
    mapped = REAL(clEnqueueMapBuffer)(q, m, b, f, o, s, W, &code);
    if (code == CL_SUCCESS) {
      enqueued(q, 1, b == CL_TRUE, event);
    }
  }
  if (status != NULL) {
    *status = code;
  }
  return mapped;
}
