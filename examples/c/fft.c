/* Finds the loudest tone of a signal, and filters the columns of a matrix by a plan.
 *
 *   cc fft.c $(pkg-config --cflags --libs affinimath) -lm -o fft && ./fft */

#include <math.h>
#include <stdio.h>

#include <affinimath.h>

enum { SAMPLES = 1000, ROWS = 64, COLUMNS = 3 };

static int failed(int status)
{
  if (status == AFFINIMATH_SUCCESS) {
    return 0;
  }
  fprintf(stderr, "%s\n%s\n", affinimathStatusString(status), affinimathLastError());
  return 1;
}

/* One call: what it needs for this length is kept for the next one. */
static int loudest_tone(void)
{
  static double signal[SAMPLES];
  static affinimath_c64 spectrum[SAMPLES / 2 + 1];
  int loudest = 0;
  for (int i = 0; i < SAMPLES; ++i) {
    signal[i] = sin(i * 0.1) + 2 * cos(2 * 3.14159265358979 * 50 * i / SAMPLES);
  }
  if (failed(affinimathDrfft(SAMPLES, signal, spectrum))) {
    return 1;
  }
  for (int k = 0; k <= SAMPLES / 2; ++k) {
    if (hypot(spectrum[k].re, spectrum[k].im) > hypot(spectrum[loudest].re, spectrum[loudest].im)) {
      loudest = k;
    }
  }
  printf("the loudest tone goes round %d times\n", loudest);
  return loudest != 50;
}

/* Plans: the columns of a matrix that lies row by row, in place, forward and backward again. */
static int smooth_columns(void)
{
  static affinimath_c64 matrix[ROWS][COLUMNS];
  const int64_t length = ROWS;
  affinimath_fft_descriptor columns;
  affinimath_fft_plan *forward = NULL, *backward = NULL;
  int bad;
  for (int i = 0; i < ROWS; ++i) {
    for (int j = 0; j < COLUMNS; ++j) {
      matrix[i][j].re = j + (i % 2 == 0 ? 0.5 : -0.5);
    }
  }
  bad = failed(affinimathFftDescriptor(&columns, AFFINIMATH_FORWARD, AFFINIMATH_DOUBLE, 1, &length));
  columns.in_place = 1;
  columns.batch = COLUMNS;
  columns.input_strides[0] = columns.output_strides[0] = COLUMNS;
  columns.input_distance = columns.output_distance = 1;
  bad = bad || failed(affinimathFftPlanCreate(&columns, &forward));
  columns.transform = AFFINIMATH_BACKWARD;
  columns.scale = 1.0 / ROWS;
  bad = bad || failed(affinimathFftPlanCreate(&columns, &backward));

  bad = bad || failed(affinimathFftExecute(forward, matrix, matrix));
  for (int k = 1; k < ROWS && !bad; ++k) {
    for (int j = 0; j < COLUMNS; ++j) {
      matrix[k][j].re = matrix[k][j].im = 0; /* Only the mean is left. */
    }
  }
  bad = bad || failed(affinimathFftExecute(backward, matrix, matrix));
  printf("the columns' means: %g %g %g\n", matrix[0][0].re, matrix[0][1].re, matrix[0][2].re);
  affinimathFftPlanDestroy(forward);
  affinimathFftPlanDestroy(backward);
  return bad;
}

int main(void)
{
  return loudest_tone() || smooth_columns();
}
