/* CL/cl.h and affinimath.h in the order that AFFINIMATH_FIRST tells: OpenCL's types pass without a cast. */

#define CL_TARGET_OPENCL_VERSION 120

#ifdef AFFINIMATH_FIRST
#include "affinimath.h"
#endif
#include <CL/cl.h>
#ifndef AFFINIMATH_FIRST
#include "affinimath.h"
#endif

int call(cl_command_queue queue, cl_mem matrix, cl_event *event);

int call(cl_command_queue queue, cl_mem matrix, cl_event *event)
{
  return affinimathSgemmCL(queue, AFFINIMATH_ROW_MAJOR, AFFINIMATH_NO_TRANS, AFFINIMATH_NO_TRANS, 1, 1, 1, 1.0f, matrix,
                           0, 1, matrix, 1, 1, 0.0f, matrix, 2, 1, event);
}
