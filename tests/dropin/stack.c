/* Stack use of calls: no routine more than 32 KiB of its caller's, whatever the size, so that threads with
   small stacks may call.

   The stack below the call is painted, and the lowest byte that has changed tells how deep the call went. The threads
   that the library works with have stacks of their own. */

#include "program.h"

#include <pthread.h>
#include <sys/mman.h>

enum { STACK = 1 << 20, MOST = 32 << 10, PAINT = 0xA5, NEAR = 512 };

static unsigned char *stack;
static size_t deepest;
static char deepest_call[64];

/* Paints what lies below this function's frame. Not inlined, so that its frame ends before the call that is measured.
   */
static __attribute__((noinline)) void paint(void)
{
  volatile unsigned char *at = (unsigned char *)__builtin_frame_address(0) - NEAR;
  while (at > stack) *--at = PAINT;
}

/* Bytes below this function's frame down to the last one that has changed. */
static __attribute__((noinline)) size_t depth(void)
{
  volatile unsigned char *top = (unsigned char *)__builtin_frame_address(0), *at = stack;
  while (at < top && *at == PAINT) ++at;
  return (size_t)(top - at);
}

static void take(const char *name, int n, size_t bytes)
{
  if (bytes > deepest) {
    deepest = bytes;
    snprintf(deepest_call, sizeof deepest_call, "%s, n = %d", name, n);
  }
  if (bytes > MOST) printf("%s, n = %d: %zu bytes of stack\n", name, n, bytes);
  CHECK(bytes <= MOST);
}

#define MEASURE(name, n, call)                                                                     \
  do {                                                                                             \
    paint();                                                                                       \
    call;                                                                                          \
    take(name, n, depth());                                                                        \
  } while (0)

#define T float
#define R float
#define NAME(routine) s##routine##_
#define TEXT "s"
#define ROUTINES measure_s
#define ORTHOGONAL(routine) sor##routine##_
#define SYMMETRIC(routine) ssy##routine##_
#define PACKED(routine) ssp##routine##_
#define BAND(routine) ssb##routine##_
#define ADJOINT "T"
#include "stack_type.h"

#define T double
#define R double
#define NAME(routine) d##routine##_
#define TEXT "d"
#define ROUTINES measure_d
#define HAS_GEMM
#define ORTHOGONAL(routine) dor##routine##_
#define SYMMETRIC(routine) dsy##routine##_
#define PACKED(routine) dsp##routine##_
#define BAND(routine) dsb##routine##_
#define ADJOINT "T"
#include "stack_type.h"

#define T float complex
#define R float
#define COMPLEX
#define NAME(routine) c##routine##_
#define TEXT "c"
#define ROUTINES measure_c
#define ORTHOGONAL(routine) cun##routine##_
#define SYMMETRIC(routine) che##routine##_
#define PACKED(routine) chp##routine##_
#define BAND(routine) chb##routine##_
#define ADJOINT "C"
#include "stack_type.h"

#define T double complex
#define R double
#define COMPLEX
#define NAME(routine) z##routine##_
#define TEXT "z"
#define ROUTINES measure_z
#define ORTHOGONAL(routine) zun##routine##_
#define SYMMETRIC(routine) zhe##routine##_
#define PACKED(routine) zhp##routine##_
#define BAND(routine) zhb##routine##_
#define ADJOINT "C"
#include "stack_type.h"

static void *work(void *unused)
{
  /* Odd ones, and on both sides of the sizes at which the routines change their ways. */
  static const int sizes[] = {1, 2, 7, 20, 33, 66, 130, 300, 530};
  size_t i;
  (void)unused;
  for (i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
    measure_s(sizes[i]);
    measure_d(sizes[i]);
    measure_c(sizes[i]);
    measure_z(sizes[i]);
  }
  return NULL;
}

int main(void)
{
  pthread_t thread;
  pthread_attr_t attributes;
  stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (stack == MAP_FAILED) return EXIT_FAILURE;
  CHECK(pthread_attr_init(&attributes) == 0 && pthread_attr_setstack(&attributes, stack, STACK) == 0);
  CHECK(pthread_create(&thread, &attributes, work, NULL) == 0 && pthread_join(thread, NULL) == 0);
  printf("at most %zu bytes of stack: %s\n", deepest, deepest_call);
  return report("stack");
}
