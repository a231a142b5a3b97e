/* The operations in which calls of OpenCL are failed. Each computes from the same numbers every time, on memory with
   canaries around it, and its result can be checked by plain loops. */

#ifndef OPERATIONS_H
#define OPERATIONS_H

#include <affinimath.h>

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

/* An application's own OpenCL objects, for functions on memory objects. */
typedef struct application {
  cl_device_id device;
  cl_context context;
  cl_command_queue queue;
} application;

/* Doubles in host memory, or in a memory object: what an operation reads, and what it writes. */
enum { INPUTS = 3, CANARIES = 16 };
typedef struct numbers {
  double *host; /* with canaries before and behind */
  long length;
  cl_mem device;
} numbers;

typedef struct operation {
  const char *name;
  int on_memory_objects;
  long inputs[INPUTS], output;
  /* The value of an input's element, or of the output's (`which` = INPUTS) before the operation. */
  double (*value)(int which, long index);
  /* The call or calls, which leave nothing behind. The status is that of the first one that fails. */
  int (*run)(const application *, const numbers *inputs, const numbers *output);
  /* True if the output is right. */
  int (*is_right)(double *const *inputs, const double *output);
} operation;

extern const operation OPERATIONS[];
extern const int OPERATION_COUNT;

#endif
