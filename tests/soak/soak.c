/* Eight threads call what the library has, in every type and in no order, for as long as they are told. Every result is
   checked, and the process's memory is looked at each second: at the end it must not have grown. C99, Linux.

     soak SECONDS [SEED]        for so long
     soak ROUNDSx [SEED]        so many rounds in each thread, the same ones for a seed; memory is not judged

   Compiled with SOAK_DEVICE, half of the calls take memory objects of the first OpenCL device, on queues of the
   threads' own, and the route of the others changes meanwhile. With SOAK_USUAL too no transform has a length that is
   not among a few, so that the programs come to an end. Exit code 0: flat memory, right results, statuses as expected;
   77: no device. */

#define _GNU_SOURCE
#include <malloc.h>
#include <time.h>
#include <unistd.h>

#include "worker.h"

enum { THREADS = 8, MOST_SAMPLES = 200000 };

static double seconds_to_run;
/* Rounds of each thread; 0 when the time ends the soak. */
static int64_t rounds_to_run;
static struct timespec begun;

static double elapsed(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)(now.tv_sec - begun.tv_sec) + (double)(now.tv_nsec - begun.tv_nsec) / 1e9;
}

/* Lengths of transforms: on a device most are among a few, since each new one has programs of its own
   to be built. */
static int64_t length_of_transform(worker *w)
{
  static const int64_t USUAL[] = {1, 2, 3, 8, 17, 30, 64, 97, 128, 360, 500, 601, 1024, 1155, 2048, 3125};
#ifdef SOAK_USUAL
  return ONE_OF(w, USUAL);
#endif
  if (w->on_device && !one_in(w, 200)) {
    return ONE_OF(w, USUAL);
  }
  return size_up_to(w, 3000);
}

#define LETTER S
#define NUMBER float
#define PASSED float
#define WIDE double
#define REAL_TYPE float
#define EPSILON 1.1920928955078125e-07
#define CONJUGATE(x) (x)
#define MODULUS(x) fabs(x)
#define PASS(x) (x)
#define COMPLEX 0
#define SPECTRUM float complex
#define SPECTRUM_PASSED affinimath_c32
#define PRECISION AFFINIMATH_SINGLE
#define NRM2 affinimathSnrm2
#define DOT dot
#include "every_type.h"

#define LETTER D
#define NUMBER double
#define PASSED double
#define WIDE double
#define REAL_TYPE double
#define EPSILON 2.220446049250313e-16
#define CONJUGATE(x) (x)
#define MODULUS(x) fabs(x)
#define PASS(x) (x)
#define COMPLEX 0
#define SPECTRUM double complex
#define SPECTRUM_PASSED affinimath_c64
#define PRECISION AFFINIMATH_DOUBLE
#define NRM2 affinimathDnrm2
#define DOT dot
#include "every_type.h"

#define LETTER C
#define NUMBER float complex
#define PASSED affinimath_c32
#define WIDE double complex
#define REAL_TYPE float
#define EPSILON 1.1920928955078125e-07
#define CONJUGATE(x) conj(x)
#define MODULUS(x) cabs(x)
#define PASS(x) (affinimath_c32){crealf(x), cimagf(x)}
#define COMPLEX 1
#define SPECTRUM float complex
#define SPECTRUM_PASSED affinimath_c32
#define PRECISION AFFINIMATH_SINGLE
#define NRM2 affinimathScnrm2
#define DOT dotc
#include "every_type.h"

#define LETTER Z
#define NUMBER double complex
#define PASSED affinimath_c64
#define WIDE double complex
#define REAL_TYPE double
#define EPSILON 2.220446049250313e-16
#define CONJUGATE(x) conj(x)
#define MODULUS(x) cabs(x)
#define PASS(x) (affinimath_c64){creal(x), cimag(x)}
#define COMPLEX 1
#define SPECTRUM double complex
#define SPECTRUM_PASSED affinimath_c64
#define PRECISION AFFINIMATH_DOUBLE
#define NRM2 affinimathDznrm2
#define DOT dotc
#include "every_type.h"

/* ---- Threads. */

static pthread_mutex_t counts_lock = PTHREAD_MUTEX_INITIALIZER;
static worker total;

static void add_counts(worker *w)
{
  pthread_mutex_lock(&counts_lock);
  total.calls += w->calls, total.refused += w->refused, total.wrong += w->wrong, total.unexpected += w->unexpected;
  pthread_mutex_unlock(&counts_lock);
  w->calls = w->refused = w->wrong = w->unexpected = 0;
}

#ifdef SOAK_DEVICE
static cl_device_id device;
static cl_context context;
static int device_has_doubles;

static int open_device(void)
{
  cl_platform_id platform;
  cl_device_fp_config doubles = 0;
  if (clGetPlatformIDs(1, &platform, NULL) != CL_SUCCESS ||
      clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL) != CL_SUCCESS) {
    return 0;
  }
  context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
  clGetDeviceInfo(device, CL_DEVICE_DOUBLE_FP_CONFIG, sizeof doubles, &doubles, NULL);
  device_has_doubles = doubles != 0;
  return context != NULL;
}
#endif

static int is_over(const worker *w)
{
  return rounds_to_run > 0 ? w->rounds >= rounds_to_run : elapsed() >= seconds_to_run;
}

/* One thread's life: some hundred calls, with a queue of its own where there is a device. */
static void *live(void *given)
{
  worker *w = given;
  const int64_t rounds = 20 + below(w, 200);
#ifdef SOAK_DEVICE
  cl_int code;
  w->device = device, w->context = context;
  w->queue = clCreateCommandQueue(context, device, 0, &code);
  demand(code, "clCreateCommandQueue");
#endif
  for (int64_t i = 0; i < rounds && !is_over(w); ++i) {
    ++w->rounds;
#ifdef SOAK_DEVICE
    static const char *const ROUTES[] = {"auto", "host", "device"};
    w->on_device = one_in(w, 2);
    if (one_in(w, 50)) {
      EXPECT(w, affinimathSetRoute(ROUTES[below(w, device_has_doubles ? 3 : 2)]), 0);
    }
    switch (below(w, w->on_device && !device_has_doubles ? 2 : 4)) {
#else
    switch (below(w, 4)) {
#endif
    case 0: some_call_S(w); break;
    case 1: some_call_C(w); break;
    case 2: some_call_D(w); break;
    default: some_call_Z(w);
    }
    if (one_in(w, 10)) {
      add_counts(w);
    }
  }
  add_counts(w);
#ifdef SOAK_DEVICE
  clReleaseCommandQueue(w->queue);
#endif
  return NULL;
}

/* Threads follow each other in a place: what the library keeps for a thread has to end with it. */
static void *place(void *given)
{
  worker *w = given;
  while (!is_over(w)) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, live, w) != 0) {
      fprintf(stderr, "pthread_create failed\n");
      abort();
    }
    pthread_join(thread, NULL);
  }
  return NULL;
}

/* ---- Memory. */

static double resident_mebibytes(void)
{
  long size = 0, resident = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  if (file == NULL || fscanf(file, "%ld %ld", &size, &resident) != 2) {
    resident = 0;
  }
  if (file != NULL) {
    fclose(file);
  }
  return (double)resident * (double)sysconf(_SC_PAGESIZE) / 1048576.0;
}

static double heap_mebibytes(void)
{
  const struct mallinfo2 info = mallinfo2();
  return (double)(info.uordblks + info.hblkhd) / 1048576.0;
}

static int ascending(const void *x, const void *y)
{
  const double a = *(const double *)x, b = *(const double *)y;
  return (a > b) - (a < b);
}

static double median(const double *samples, int count)
{
  double sorted[MOST_SAMPLES / 4 + 1], *copy = sorted;
  memcpy(copy, samples, (size_t)count * sizeof *copy);
  qsort(copy, (size_t)count, sizeof *copy, ascending);
  return copy[count / 2];
}

static void tell(void)
{
  pthread_mutex_lock(&counts_lock);
  printf("%6.0f s %12ld calls %8ld refused %4ld wrong %4ld unexpected %8.1f MiB resident %8.1f MiB heap\n", elapsed(),
         total.calls, total.refused, total.wrong, total.unexpected, resident_mebibytes(), heap_mebibytes());
  pthread_mutex_unlock(&counts_lock);
  fflush(stdout);
}

/* The medians of the second and of the last quarter: half a tenth, and slack of allocators, is no growth. */
static int is_flat(const double *samples, int count)
{
  const int quarter = count / 4;
  const double second = median(samples + quarter, quarter), last = median(samples + count - quarter, quarter);
  printf("resident memory, median of the second quarter: %.1f MiB, of the last: %.1f MiB\n", second, last);
  return last <= 1.05 * second + 8;
}

/* Samples the memory until the time is over, and waits for the threads. Returns how many samples there are. */
static int watch(const pthread_t *places, double *samples)
{
  int sampled = 0;
  while (rounds_to_run == 0 && elapsed() < seconds_to_run) {
    sleep(1);
    if (sampled < MOST_SAMPLES) {
      samples[sampled++] = resident_mebibytes();
    }
    if (sampled % 60 == 0) {
      tell();
    }
  }
  for (int i = 0; i < THREADS; ++i) {
    pthread_join(places[i], NULL);
  }
  return sampled;
}

int main(int count, char **arguments)
{
  static double samples[MOST_SAMPLES];
  static worker workers[THREADS];
  pthread_t places[THREADS];
  int sampled, good = 1;
  char *unit;
  if (count < 2 || (seconds_to_run = strtod(arguments[1], &unit)) <= 0) {
    fprintf(stderr, "soak SECONDS|ROUNDSx [SEED]\n");
    return 2;
  }
  if (*unit == 'x') {
    rounds_to_run = (int64_t)seconds_to_run;
  }
#ifdef SOAK_DEVICE
  if (!open_device()) {
    printf("no OpenCL device\n");
    return 77;
  }
#endif
  /* Else each of glibc's arenas, eight for a processor, grows for hours towards its threads' maximum. */
  mallopt(M_ARENA_MAX, 1);
  clock_gettime(CLOCK_MONOTONIC, &begun);
  for (int i = 0; i < THREADS; ++i) {
    workers[i].state = 0x9e3779b97f4a7c15u * (uint64_t)(i + 1 + THREADS * (count > 2 ? atol(arguments[2]) : 0));
    if (pthread_create(&places[i], NULL, place, &workers[i]) != 0) {
      return 2;
    }
  }
  sampled = watch(places, samples);
  tell();
  if (sampled >= 8 && !is_flat(samples, sampled)) {
    printf("FAILED: memory grew\n");
    good = 0;
  }
  affinimathShutdown();
#ifdef SOAK_DEVICE
  clReleaseContext(context);
#endif
  printf("after affinimathShutdown: %.1f MiB resident, %.1f MiB heap\n", resident_mebibytes(), heap_mebibytes());
  if (total.wrong != 0 || total.unexpected != 0) {
    printf("FAILED: %ld wrong results, %ld unexpected statuses\n", total.wrong, total.unexpected);
    good = 0;
  }
  printf("soak: %ld checks, %s\n", total.calls, good ? "0 failures" : "failed");
  return !good;
}
