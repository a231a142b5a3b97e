/* The magic filter as plain loops: y(line, i) := sum of filter[k] x(i - 7 + k, line), lines are periodic. */
#include <stdint.h>
#include <string.h>

enum { TAPS = 16, BEFORE = 7 };

/* An index for each tap, wrapped by a remainder. */
void plain_remainder(int64_t n, int64_t lines, const double *restrict filter, const double *restrict x,
                     double *restrict y) {
    const int length = (int)n;
#pragma omp parallel for
    for (int64_t line = 0; line < lines; line++) {
        for (int i = 0; i < length; i++) {
            double sum = 0.0;
            for (int k = 0; k < TAPS; k++) {
                sum += filter[k] * x[(i - BEFORE + k + TAPS * length) % length + line * n];
            }
            y[line + i * lines] = sum;
        }
    }
}

/* Each line copied between its periodic ends first. */
void plain_padded(int64_t n, int64_t lines, const double *restrict filter, const double *restrict x,
                  double *restrict y) {
#pragma omp parallel for
    for (int64_t line = 0; line < lines; line++) {
        double padded[n + TAPS];
        const double *own = x + line * n;
        for (int64_t i = 0; i < n + TAPS; i++) {
            padded[i] = own[(i - BEFORE + TAPS * n) % n];
        }
        for (int64_t i = 0; i < n; i++) {
            double sum = 0.0;
            for (int64_t k = 0; k < TAPS; k++) {
                sum += filter[k] * padded[i + k];
            }
            y[line + i * lines] = sum;
        }
    }
}
