/* Random transforms of all interfaces, by FFTW and by the drop-in side by side in one process.

     compare LIBRARY REFERENCE REFERENCE_SINGLE PROBLEMS [SEED] */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <float.h>
#include <fftw3.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DFT, R2C, C2R, R2R };
enum { GURU, GURU64, SPLIT, MANY, BASIC };
enum { ESTIMATE = FFTW_ESTIMATE, UNALIGNED = FFTW_UNALIGNED, DESTROY_INPUT = FFTW_DESTROY_INPUT };
enum { PRESERVE_INPUT = FFTW_PRESERVE_INPUT };

static uint64_t state = 1;

static void seed_random(uint64_t seed) { state = seed * 2 + 1; }

static uint32_t next_random(void) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(state >> 33);
}

static int random_below(int n) { return (int)(next_random() % (uint32_t)n); }

static double random_unit(void) { return next_random() / 2147483648.0; }

static void *symbol(void *handle, const char *name) {
  void *found = dlsym(handle, name);
  if (!found) fprintf(stderr, "%s is missing\n", name), exit(1);
  return found;
}

static void *load(const char *path) {
  void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!handle) fprintf(stderr, "%s\n", dlerror()), exit(1);
  return handle;
}

#define R double
#define X "fftw_"
#define EPSILON DBL_EPSILON
#define NAME(word) word##_double
#include "problem.h"
#include "random.h"
#undef R
#undef X
#undef EPSILON
#undef NAME
#define R float
#define X "fftwf_"
#define EPSILON FLT_EPSILON
#define NAME(word) word##_single
#include "problem.h"
#include "random.h"

int main(int argc, char **argv) {
  if (argc < 5) return 2;
  void *ours = load(argv[1]), *reference = load(argv[2]), *single = load(argv[3]);
  int problems = atoi(argv[4]), bad = 0, planned = 0;
  double worst = 0;
  for (int i = 0; i < problems && bad < 10; i++) {
    seed_random((argc > 5 ? strtoull(argv[5], 0, 10) : 1) * 1000003u + (uint64_t)i);
    for (int j = 0; j < 8; j++) next_random();
    int good = i % 2 ? compare_single((library_single){single}, (library_single){ours}, &worst, &planned)
                     : compare_double((library_double){reference}, (library_double){ours}, &worst, &planned);
    if (!good) fprintf(stderr, "problem %d\n", i), bad++;
  }
  printf("%d problems, %d planned by both, largest error %.2f of its bound\n", problems, planned, worst);
  if (planned < problems * 9 / 10) fprintf(stderr, "too few plans\n"), bad++;
  return bad != 0;
}
