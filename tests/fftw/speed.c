/* Times of execution beside FFTW's with FFTW_ESTIMATE and one thread, in turns, in one process.

     speed LIBRARY REFERENCE REFERENCE_SINGLE [MAX_LOG2] [SECONDS] [SIZES...] */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fftw3.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef void *(*plan_complex)(int, void *, void *, int, unsigned);
typedef void *(*plan_real)(int, void *, void *, unsigned);
typedef void (*execute)(void *);

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void *load(const char *path) {
  void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!handle) fprintf(stderr, "%s\n", dlerror()), exit(1);
  return handle;
}

static double seconds_of(execute run, void *plan, long repeats) {
  double begin = now();
  for (long i = 0; i < repeats; i++) run(plan);
  return (now() - begin) / (double)repeats;
}

int main(int argc, char **argv) {
  if (argc < 4) return 2;
  void *ours = load(argv[1]), *theirs[2] = {load(argv[2]), load(argv[3])};
  int max = argc > 4 ? atoi(argv[4]) : 20;
  double seconds = argc > 5 ? atof(argv[5]) : 0.02, all = 0;
  int sizes[64], count = 0, cases = 0;
  for (int i = 6; i < argc; i++) sizes[count++] = atoi(argv[i]);
  for (int i = 3; argc <= 6 && i <= max; i++) sizes[count++] = 1 << i;
  static const char *names[] = {"z out", "z in ", "d2z  ", "z2d  ", "c out", "c in ", "s2c  ", "c2s  "};
  for (int kind = 0; kind < 8; kind++) {
    double sum = 0;
    for (int i = 0; i < count; i++) {
      int n = sizes[i], single = kind >= 4, real = kind % 4 >= 2;
      char name[64];
      size_t bytes = (size_t)(n + 2) * 2 * (single ? sizeof(float) : sizeof(double));
      void *plans[2];
      execute run[2];
      for (int side = 0; side < 2; side++) {
        void *library = side ? ours : theirs[single];
        const char *prefix = single ? "fftwf" : "fftw";
        char *in = aligned_alloc(64, (bytes + 63) / 64 * 64), *out = aligned_alloc(64, (bytes + 63) / 64 * 64);
        memset(in, 0, bytes), memset(out, 0, bytes);
        snprintf(name, sizeof name, "%s_plan_dft%s_1d", prefix, kind % 4 == 2 ? "_r2c" : kind % 4 == 3 ? "_c2r" : "");
        void *plan = dlsym(library, name);
        plans[side] = real ? ((plan_real)plan)(n, in, out, FFTW_ESTIMATE)
                           : ((plan_complex)plan)(n, in, kind % 4 == 1 ? in : out, -1, FFTW_ESTIMATE);
        snprintf(name, sizeof name, "%s_execute", prefix);
        run[side] = (execute)dlsym(library, name);
      }
      double best[2] = {1e9, 1e9};
      long repeats[2];
      for (int side = 0; side < 2; side++) {
        double once = seconds_of(run[side], plans[side], 3);
        repeats[side] = (long)fmax(1, seconds / 8 / fmax(once, 1e-9));
      }
      for (int round = 0; round < 8; round++) {
        for (int side = 0; side < 2; side++) {
          best[side] = fmin(best[side], seconds_of(run[side], plans[side], repeats[side]));
        }
      }
      double ratio = best[0] / best[1];
      printf("%s %8d  %10.1f ns  FFTW %10.1f ns  %.2f x\n", names[kind], n, best[1] * 1e9, best[0] * 1e9, ratio);
      sum += log(ratio), all += log(ratio), cases++;
    }
    printf("%s geometric mean %.2f x\n", names[kind], exp(sum / count));
  }
  printf("all: geometric mean %.2f x\n", exp(all / cases));
  return 0;
}
