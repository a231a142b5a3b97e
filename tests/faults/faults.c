/* Fails OpenCL's functions one call at a time under each operation, and looks at what becomes of it: a status that
   tells what happened, or a right result; inputs and the memory around outputs as they were; nothing on a queue that
   still uses the host's memory; no object lost; and the same call right afterwards succeeds, with the same bits.

     faults            the last call of each function in each operation, and all of them at once
     faults all        every call
     faults [all] NAME one operation

   Linked with shim.c's libOpenCL.so.1, which needs FAULT_LIBRARY, and run with AFFINIMATH_ROUTE=device. With the cache
   of programs it is for single operations: only the first process finds the program nowhere. */

#define _DEFAULT_SOURCE
#include "operations.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "faults.h"

static const double CANARY = -77.25;
static long failures;

#define FAIL(...)                         \
  do {                                    \
    if (++failures <= 40) {               \
      printf("  FAILED %s: ", where);     \
      printf(__VA_ARGS__);                \
      printf("\n");                       \
    }                                     \
  } while (0)

static char where[200];

/* ---- What each function is failed with, and the status that has to follow unless the result is right all the same. A
   status of 0 stands for any error at all. */

typedef struct injury {
  const char *function;
  int code, status;
} injury;

static const injury INJURIES[] = {
    {"clCreateContext", CL_OUT_OF_RESOURCES, AFFINIMATH_OPENCL - 5},
    {"clCreateContext", CL_OUT_OF_HOST_MEMORY, AFFINIMATH_OUT_OF_HOST_MEMORY},
    {"clRetainContext", CL_INVALID_CONTEXT, AFFINIMATH_OPENCL - 34},
    {"clCreateCommandQueue", CL_OUT_OF_HOST_MEMORY, AFFINIMATH_OUT_OF_HOST_MEMORY},
    {"clRetainCommandQueue", CL_INVALID_COMMAND_QUEUE, AFFINIMATH_OPENCL - 36},
    {"clGetCommandQueueInfo", CL_INVALID_COMMAND_QUEUE, AFFINIMATH_INVALID_QUEUE},
    {"clCreateBuffer", CL_MEM_OBJECT_ALLOCATION_FAILURE, AFFINIMATH_OUT_OF_DEVICE_MEMORY},
    {"clCreateBuffer", CL_INVALID_CONTEXT, AFFINIMATH_OPENCL - 34},
    {"clRetainMemObject", CL_INVALID_MEM_OBJECT, AFFINIMATH_OPENCL - 38},
    {"clGetMemObjectInfo", CL_INVALID_MEM_OBJECT, 0},
    {"clCreateProgramWithSource", CL_OUT_OF_HOST_MEMORY, AFFINIMATH_OUT_OF_HOST_MEMORY},
    {"clCreateProgramWithBinary", CL_INVALID_BINARY, AFFINIMATH_OPENCL - 42},
    {"clBuildProgram", CL_BUILD_PROGRAM_FAILURE, AFFINIMATH_PROGRAM_BUILD},
    {"clBuildProgram", CL_COMPILER_NOT_AVAILABLE, AFFINIMATH_OPENCL - 3},
    {"clGetProgramInfo", CL_OUT_OF_RESOURCES, AFFINIMATH_OPENCL - 5},
    {"clCreateKernel", CL_INVALID_KERNEL_NAME, AFFINIMATH_OPENCL - 46},
    {"clGetKernelInfo", CL_OUT_OF_RESOURCES, AFFINIMATH_OPENCL - 5},
    {"clGetKernelWorkGroupInfo", CL_OUT_OF_RESOURCES, AFFINIMATH_OPENCL - 5},
    {"clSetKernelArg", CL_INVALID_ARG_SIZE, AFFINIMATH_OPENCL - 51},
    {"clEnqueueNDRangeKernel", CL_OUT_OF_RESOURCES, AFFINIMATH_OUT_OF_DEVICE_MEMORY},
    {"clEnqueueNDRangeKernel", CL_INVALID_WORK_GROUP_SIZE, AFFINIMATH_OPENCL - 54},
    {"clEnqueueReadBuffer", CL_OUT_OF_RESOURCES, AFFINIMATH_OPENCL - 5},
    {"clEnqueueReadBufferRect", CL_OUT_OF_RESOURCES, AFFINIMATH_OPENCL - 5},
    {"clEnqueueWriteBuffer", CL_MEM_OBJECT_ALLOCATION_FAILURE, AFFINIMATH_OUT_OF_DEVICE_MEMORY},
    {"clEnqueueWriteBufferRect", CL_MEM_OBJECT_ALLOCATION_FAILURE, AFFINIMATH_OUT_OF_DEVICE_MEMORY},
    {"clEnqueueCopyBuffer", CL_OUT_OF_RESOURCES, AFFINIMATH_OPENCL - 5},
    {"clEnqueueFillBuffer", CL_OUT_OF_RESOURCES, AFFINIMATH_OPENCL - 5},
    {"clEnqueueMapBuffer", CL_MAP_FAILURE, AFFINIMATH_OPENCL - 12},
    {"clEnqueueUnmapMemObject", CL_OUT_OF_RESOURCES, AFFINIMATH_OPENCL - 5},
    {"clEnqueueNativeKernel", CL_OUT_OF_RESOURCES, AFFINIMATH_OPENCL - 5},
    {"clEnqueueMarkerWithWaitList", CL_OUT_OF_RESOURCES, AFFINIMATH_OPENCL - 5},
    {"clEnqueueBarrierWithWaitList", CL_OUT_OF_RESOURCES, AFFINIMATH_OPENCL - 5},
    {"clWaitForEvents", CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, AFFINIMATH_OPENCL - 14},
    {"clGetEventInfo", CL_OUT_OF_RESOURCES, AFFINIMATH_OPENCL - 5},
    {"clRetainEvent", CL_INVALID_EVENT, AFFINIMATH_OPENCL - 58},
    {"clFlush", CL_INVALID_COMMAND_QUEUE, AFFINIMATH_OPENCL - 36},
    {"clFinish", CL_OUT_OF_RESOURCES, AFFINIMATH_OPENCL - 5},
    /* A fact that is not told reads as "cannot": of a device that does not say that it has doubles, for one. */
    {"clGetDeviceInfo", CL_OUT_OF_RESOURCES, 0},
    {"clGetPlatformInfo", CL_OUT_OF_HOST_MEMORY, 0},
    {"clGetContextInfo", CL_OUT_OF_RESOURCES, AFFINIMATH_OPENCL - 5},
};
enum { INJURY_COUNT = sizeof INJURIES / sizeof *INJURIES };

static int tells_facts(const injury *what)
{
  return strcmp(what->function, "clGetDeviceInfo") == 0 || strcmp(what->function, "clGetPlatformInfo") == 0;
}

/* ---- One operation's memory. */

typedef struct bench {
  const operation *operation;
  application app;
  numbers inputs[INPUTS], output;
  double *expected;
  long live[FAULT_KINDS];
} bench;

static double *with_canaries(long length)
{
  double *memory = malloc((size_t)(length + 2 * CANARIES) * sizeof *memory);
  long i;
  for (i = 0; i < CANARIES; ++i) {
    memory[i] = memory[length + CANARIES + i] = CANARY;
  }
  return memory + CANARIES;
}

static void fill(const bench *b, int which, const numbers *to)
{
  long i;
  for (i = 0; i < to->length; ++i) {
    to->host[i] = b->operation->value(which, i);
  }
}

static void push(const bench *b, const numbers *x)
{
  if (x->device != NULL) {
    size_t bytes = (size_t)x->length * sizeof *x->host;
    if (clEnqueueWriteBuffer(b->app.queue, x->device, CL_TRUE, 0, bytes, x->host, 0, NULL, NULL) != CL_SUCCESS) {
      FAIL("the test's own write");
    }
  }
}

static numbers make(const bench *b, int which, long length)
{
  numbers x;
  x.length = length;
  x.host = length > 0 ? with_canaries(length) : NULL;
  x.device = NULL;
  fill(b, which, &x);
  if (length > 0 && b->operation->on_memory_objects) {
    x.device = clCreateBuffer(b->app.context, CL_MEM_READ_WRITE, (size_t)length * sizeof *x.host, NULL, NULL);
    push(b, &x);
  }
  return x;
}

static void unmake(numbers *x)
{
  if (x->device != NULL) {
    clReleaseMemObject(x->device);
  }
  if (x->host != NULL) {
    free(x->host - CANARIES);
  }
}

static void note_live(long *live)
{
  int kind;
  for (kind = 0; kind < FAULT_KINDS; ++kind) {
    live[kind] = fault_live((enum fault_kind)kind);
  }
}

/* A lost device is reported once. */
static void compare_live(long *before, const char *when)
{
  static const char *const KINDS[] = {"contexts", "queues", "buffers", "programs", "kernels", "events"};
  int kind;
  for (kind = 0; kind < FAULT_KINDS; ++kind) {
    long now = fault_live((enum fault_kind)kind);
    if (now != before[kind]) {
      FAIL("%ld %s where there were %ld, %s", now, KINDS[kind], before[kind], when);
      before[kind] = now;
    }
  }
}

/* Calls of each function in the last operation. */
enum { MOST_FUNCTIONS = 64 };
static long calls_now[MOST_FUNCTIONS];

static void note_calls(void)
{
  int i;
  for (i = 0; fault_function(i) != NULL; ++i) {
    calls_now[i] = fault_calls(fault_function(i));
  }
}

/* The output as it is at first. */
static void prepare(bench *b)
{
  fill(b, INPUTS, &b->output);
  push(b, &b->output);
  fault_settle();
  fault_restart();
}

/* Runs the operation, and nothing else that could be failed. */
static int call(bench *b)
{
  int status = b->operation->run(&b->app, b->inputs, &b->output);
  note_calls();
  return status;
}

static int run(bench *b)
{
  prepare(b);
  return call(b);
}

/* After fault_disarm: brings the output here, and looks at everything that has to be as it was. */
static void settle(bench *b)
{
  size_t bytes = (size_t)b->output.length * sizeof(double);
  long i;
  int which;
  if (!b->operation->on_memory_objects) {
    if (fault_unfinished() != 0) {
      FAIL("the call has returned, and a queue may still use the host's memory");
    }
  } else if (clFinish(b->app.queue) != CL_SUCCESS || clEnqueueReadBuffer(b->app.queue, b->output.device, CL_TRUE, 0,
                                                                         bytes, b->output.host, 0, NULL, NULL) != 0) {
    FAIL("the application's queue does not work any more");
  }
  for (which = 0; which < INPUTS; ++which) {
    for (i = 0; i < b->inputs[which].length; ++i) {
      if (b->inputs[which].host[i] != b->operation->value(which, i)) {
        FAIL("element %ld of input %d was changed", i, which);
        break;
      }
    }
  }
  for (i = 0; i < CANARIES; ++i) {
    if (b->output.host[-1 - i] != CANARY || b->output.host[b->output.length + i] != CANARY) {
      FAIL("memory beside the output was changed");
    }
  }
}

static int is_expected(const bench *b)
{
  return memcmp(b->output.host, b->expected, (size_t)b->output.length * sizeof(double)) == 0;
}

static int is_right(const bench *b)
{
  double *inputs[INPUTS];
  int i;
  for (i = 0; i < INPUTS; ++i) {
    inputs[i] = b->inputs[i].host;
  }
  return b->operation->is_right(inputs, b->output.host);
}

static void shut_down(void)
{
  if (affinimathShutdown() != AFFINIMATH_SUCCESS) {
    FAIL("affinimathShutdown: %s", affinimathLastError());
  }
}

/* ---- One fault. */

/* True if the fault was absorbed. */
static int inflict(bench *b, const injury *what, long nth, int all)
{
  const char *text;
  int status;
  long fired;
  prepare(b);
  fault_arm(what->function, nth, what->code, all);
  status = call(b);
  fired = fault_disarm();
  text = affinimathLastError();
  if (fired == 0) {
    FAIL("the call did not come: status %d", status);
  }
  settle(b);
  if (status == AFFINIMATH_SUCCESS) {
    if (tells_facts(what) ? !is_right(b) : !is_expected(b)) {
      FAIL("success, and a wrong result");
    }
  } else if (what->status != 0 ? status != what->status : status > 0 || status == AFFINIMATH_INTERNAL) {
    FAIL("status %d instead of %d: %s", status, what->status, text);
  } else if (text == NULL || text[0] == '\0' ||
             (status <= AFFINIMATH_OPENCL && strstr(text, what->function) == NULL) ||
             (status == AFFINIMATH_PROGRAM_BUILD && strstr(text, "did not build") == NULL)) {
    FAIL("status %d, and the last error does not say why: %s", status, text);
  }
  return status == AFFINIMATH_SUCCESS;
}

/* The same call right afterwards. */
static void recover(bench *b)
{
  int status = run(b);
  settle(b);
  if (status != AFFINIMATH_SUCCESS) {
    FAIL("the next call: status %d: %s", status, affinimathLastError());
  } else if (!is_expected(b)) {
    FAIL("the next call gives another result");
  }
}

typedef struct tally {
  long calls, faults, absorbed, failed;
} tally;

/* Calls of a function, in a library that keeps nothing (cold), or all that it keeps: every one, or the last one; then
   all of them at once. */
static void injure(bench *b, const injury *what, long calls, int every, int cold, tally *t)
{
  long nth, failed = failures;
  for (nth = 1; nth <= calls + 1; ++nth) {
    int all = nth == calls + 1;
    if (!every && (nth < calls || (all && !cold))) {
      continue;
    }
    snprintf(where, sizeof where, "%s, %s%s, %s %ld of %ld with %d", b->operation->name, cold ? "cold" : "warm",
             all ? ", every call" : "", what->function, all ? 1 : nth, calls, what->code);
    if (cold) {
      shut_down();
    }
    t->absorbed += inflict(b, what, all ? 1 : nth, all);
    ++t->faults;
    if (tells_facts(what)) {
      shut_down();
    }
    recover(b);
    if (cold) {
      shut_down();
      compare_live(b->live, "after everything was released");
    } else {
      compare_live(b->live, "after the fault and a success");
    }
  }
  t->failed += failures - failed;
}

static void total(const char *name, const tally *t)
{
  printf("%-14s %-30s %7ld %7ld %9ld  %s\n", name, "all", t->calls, t->faults, t->absorbed,
         t->failed ? "FAILED" : "ok");
  fflush(stdout);
}

/* All faults of an operation. */
static void torment(bench *b, int every, int cold, tally *sum)
{
  long calls[MOST_FUNCTIONS];
  int i, j;
  memcpy(calls, calls_now, sizeof calls);
  for (i = 0; fault_function(i) != NULL; ++i) {
    tally t = {0, 0, 0, 0};
    int known = 0;
    if (calls[i] == 0) {
      continue;
    }
    t.calls = calls[i];
    for (j = 0; j < INJURY_COUNT; ++j) {
      if (strcmp(INJURIES[j].function, fault_function(i)) == 0) {
        known = 1;
        injure(b, &INJURIES[j], t.calls, every, cold, &t);
      }
    }
    snprintf(where, sizeof where, "%s", b->operation->name);
    if (!known) {
      FAIL("nobody knows what to fail %s with", fault_function(i));
    }
    printf("%-14s %-30s %7ld %7ld %9ld  %s\n", cold ? b->operation->name : "  warm", fault_function(i), t.calls,
           t.faults, t.absorbed, t.failed ? "FAILED" : "ok");
    fflush(stdout);
    sum->calls += t.calls;
    sum->faults += t.faults;
    sum->absorbed += t.absorbed;
    sum->failed += t.failed;
  }
}

static void examine(const operation *o, const application *app, int every, tally *sum)
{
  bench b;
  int i, status;
  b.operation = o;
  b.app = *app;
  snprintf(where, sizeof where, "%s", o->name);
  for (i = 0; i < INPUTS; ++i) {
    b.inputs[i] = make(&b, i, o->inputs[i]);
  }
  b.output = make(&b, INPUTS, o->output);
  b.expected = malloc((size_t)o->output * sizeof(double));
  shut_down();
  note_live(b.live);
  status = run(&b);
  settle(&b);
  if (status != AFFINIMATH_SUCCESS || !is_right(&b)) {
    FAIL("without any fault: status %d: %s", status, status ? affinimathLastError() : "a wrong result");
    return;
  }
  memcpy(b.expected, b.output.host, (size_t)o->output * sizeof(double));
  shut_down();
  compare_live(b.live, "after everything was released");
  recover(&b);
  torment(&b, every, 1, sum);
  /* Now with all that the library keeps from call to call: as much as before, after each. */
  recover(&b);
  recover(&b);
  note_live(b.live);
  torment(&b, every, 0, sum);
  shut_down();
  for (i = 0; i < INPUTS; ++i) {
    unmake(&b.inputs[i]);
  }
  unmake(&b.output);
  free(b.expected);
}

/* ---- Looking for devices, which a process does once: each fault in a process of its own. */

static int first_call_of_a_process(void)
{
  const double a[4] = {1, 2, 3, 4};
  double c[4] = {0, 0, 0, 0};
  int status =
      affinimathDgemm(AFFINIMATH_COL_MAJOR, AFFINIMATH_NO_TRANS, AFFINIMATH_NO_TRANS, 2, 2, 2, 1, a, 2, a, 2, 0, c, 2);
  if (status == AFFINIMATH_SUCCESS) {
    return c[0] == 7 && c[1] == 10 && c[2] == 15 && c[3] == 22 ? 0 : 1;
  }
  return status <= AFFINIMATH_NO_DEVICE && affinimathLastError()[0] != '\0' ? 2 : 1;
}

static void first_calls(const char *self, int every, const long *calls, tally *sum)
{
  int i;
  for (i = 0; fault_function(i) != NULL; ++i) {
    const char *function = fault_function(i);
    tally t = {0, 0, 0, 0};
    long nth;
    t.calls = calls[i];
    if (strncmp(function, "clGetPlatform", 13) != 0 && strncmp(function, "clGetDevice", 11) != 0) {
      continue;
    }
    for (nth = 1; nth <= t.calls; ++nth) {
      pid_t child;
      int state = 0;
      char text[32];
      if (!every && nth != 1 && nth != t.calls) {
        continue;
      }
      ++t.faults;
      snprintf(where, sizeof where, "first call of a process, %s %ld of %ld", function, nth, t.calls);
      snprintf(text, sizeof text, "%ld", nth);
      fflush(stdout);
      child = fork();
      if (child == 0) {
        setenv("FAULT_CALL", function, 1);
        setenv("FAULT_NTH", text, 1);
        setenv("FAULT_CODE", "-6", 1);
        execl(self, self, "--first-call", (char *)NULL);
        _exit(3);
      }
      if (child < 0 || waitpid(child, &state, 0) != child || !WIFEXITED(state) || WEXITSTATUS(state) % 2 == 1) {
        FAIL("neither a right result nor an error: %d", state);
        ++t.failed;
      } else {
        t.absorbed += WEXITSTATUS(state) == 0;
      }
    }
    if (t.calls > 0) {
      printf("%-14s %-30s %7ld %7ld %9ld  %s\n", "first call", function, t.calls, t.faults, t.absorbed,
             t.failed ? "FAILED" : "ok");
      sum->faults += t.faults;
      sum->absorbed += t.absorbed;
      sum->calls += t.calls;
      sum->failed += t.failed;
    }
  }
}

static int open_application(application *app)
{
  cl_platform_id platforms[16];
  cl_uint count = 0, i;
  if (clGetPlatformIDs(16, platforms, &count) != CL_SUCCESS) {
    return 0;
  }
  for (i = 0; i < count; ++i) {
    if (clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 1, &app->device, NULL) == CL_SUCCESS) {
      app->context = clCreateContext(NULL, 1, &app->device, NULL, NULL, NULL);
      app->queue = clCreateCommandQueue(app->context, app->device, 0, NULL);
      return app->context != NULL && app->queue != NULL;
    }
  }
  return 0;
}

int main(int count, char **arguments)
{
  application app;
  tally sum = {0, 0, 0, 0};
  const char *only = NULL;
  int i, every = 0;
  for (i = 1; i < count; ++i) {
    if (strcmp(arguments[i], "--first-call") == 0) {
      return first_call_of_a_process();
    }
    every |= strcmp(arguments[i], "all") == 0;
    only = strcmp(arguments[i], "all") == 0 ? only : arguments[i];
  }
  printf("%-14s %-30s %7s %7s %9s\n", "operation", "function", "calls", "faults", "absorbed");
  if (first_call_of_a_process() != 0) {
    printf("no device for the first call: %s\n", affinimathLastError());
    return 77;
  }
  note_calls();
  if (only == NULL) {
    first_calls(arguments[0], every, calls_now, &sum);
  }
  if (!open_application(&app)) {
    printf("no OpenCL device\n");
    return 77;
  }
  for (i = 0; i < OPERATION_COUNT; ++i) {
    if (only == NULL || strcmp(only, OPERATIONS[i].name) == 0) {
      examine(&OPERATIONS[i], &app, every, &sum);
    }
  }
  total("all", &sum);
  clReleaseCommandQueue(app.queue);
  clReleaseContext(app.context);
  printf("faults: %ld checks, %ld failures\n", sum.faults, failures);
  return failures != 0;
}
