/* Smooths a signal by one call, and several rows by a plan.
 *
 *   cc convolution.c $(pkg-config --cflags --libs affinimath) -lm -o convolution && ./convolution */

#include <math.h>
#include <stdio.h>

#include <affinimath.h>

enum { SAMPLES = 1000, TAPS = 5, ROWS = 3 };

static int failed(int status)
{
  if (status == AFFINIMATH_SUCCESS) {
    return 0;
  }
  fprintf(stderr, "%s\n%s\n", affinimathStatusString(status), affinimathLastError());
  return 1;
}

int main(void)
{
  static double signal[ROWS][SAMPLES], smooth[ROWS][SAMPLES];
  const double taps[TAPS] = {0.2, 0.2, 0.2, 0.2, 0.2};
  const int64_t samples = SAMPLES, count = TAPS;
  affinimath_convolution_descriptor rows;
  affinimath_convolution_plan *plan = NULL;
  int bad;
  for (int i = 0; i < ROWS; ++i) {
    for (int j = 0; j < SAMPLES; ++j) {
      signal[i][j] = i + (j % 5 == 0 ? 4.0 : -1.0);
    }
  }

  /* One call: what it needs for these lengths is kept for the next one. */
  bad = failed(affinimathDconvolve(AFFINIMATH_SAME, SAMPLES, TAPS, signal[0], taps, smooth[0]));
  printf("the first row's mean: %.3f\n", smooth[0][SAMPLES / 2]);
  bad = bad || fabs(smooth[0][SAMPLES / 2]) > 1e-12;

  bad = bad || failed(affinimathConvolutionDescriptor(&rows, AFFINIMATH_CONVOLUTION, AFFINIMATH_SAME, AFFINIMATH_DOUBLE,
                                                      1, &samples, &count));
  rows.batch = ROWS;
  bad = bad || failed(affinimathConvolutionPlanCreate(&rows, &plan));
  bad = bad || failed(affinimathConvolutionExecute(plan, signal, taps, smooth));
  bad = failed(affinimathConvolutionPlanDestroy(plan)) || bad;
  for (int i = 0; i < ROWS; ++i) {
    printf("row %d: %.3f\n", i, smooth[i][SAMPLES / 2]);
    bad = bad || fabs(smooth[i][SAMPLES / 2] - i) > 1e-12;
  }
  return bad;
}
