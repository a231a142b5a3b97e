// A C++ program: std::complex over the library's complex type, and the header together with CL/cl.h's in either order.

#include <cmath>
#include <complex>
#include <cstdio>
#include <vector>

#include "affinimath.h"

namespace {

int failures = 0;

void check(bool holds, const char *what) {
  if (!holds) {
    ++failures;
    std::printf("%s failed: %s\n", what, affinimathLastError());
  }
}

void doubles() {
  // Row-major, so that it reads as it lies: (1 2; 3 4) times (5 6; 7 8).
  const std::vector<double> a = {1, 2, 3, 4}, b = {5, 6, 7, 8};
  std::vector<double> c(4, std::nan(""));
  const int status = affinimathDgemm(AFFINIMATH_ROW_MAJOR, AFFINIMATH_NO_TRANS, AFFINIMATH_NO_TRANS, 2, 2, 2, 1.0,
                                     a.data(), 2, b.data(), 2, 0.0, c.data(), 2);
  check(status == AFFINIMATH_SUCCESS, "dgemm");
  check(c == std::vector<double>{19, 22, 43, 50}, "the product of two matrices of doubles");
}

void complex_numbers() {
  using complex = std::complex<float>;
  static_assert(sizeof(complex) == sizeof(affinimath_c32), "one layout");
  const std::vector<complex> a = {{1, 2}}, b = {{3, -1}};
  std::vector<complex> c = {{10, 10}};
  const affinimath_c32 alpha = {0, 1}, beta = {1, 0};
  const int status =
      affinimathCgemm(AFFINIMATH_COL_MAJOR, AFFINIMATH_CONJ_TRANS, AFFINIMATH_NO_TRANS, 1, 1, 1, alpha,
                      reinterpret_cast<const affinimath_c32 *>(a.data()), 1,
                      reinterpret_cast<const affinimath_c32 *>(b.data()), 1, beta,
                      reinterpret_cast<affinimath_c32 *>(c.data()), 1);
  check(status == AFFINIMATH_SUCCESS, "cgemm");
  const complex expected = complex(0, 1) * std::conj(a[0]) * b[0] + complex(10, 10);
  check(std::abs(c[0] - expected) < 1e-5f, "the product of two complex numbers");
}

}  // namespace

int main() {
  doubles();
  complex_numbers();
  check(affinimathSgemm(0, 0, 0, 0, 0, 0, 0, nullptr, 0, nullptr, 0, 0, nullptr, 0) == -1, "a wrong layout");
  std::printf("cxx: %d failures\n", failures);
  return failures == 0 ? 0 : 1;
}
