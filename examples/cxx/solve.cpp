// Solves a system of linear equations, transforms a signal, and shows an error.
//
//   c++ -std=c++17 solve.cpp $(pkg-config --cflags --libs affinimath) -o solve && ./solve

#include <complex>
#include <cstdint>
#include <cstdio>
#include <vector>

#include <affinimath.hpp>

namespace am = affinimath;

int main()
{
  // A parabola through (1, 2), (2, 3) and (3, 6): a row for each point, with 1, t and t^2.
  const std::int64_t n = 3;
  std::vector<double> a = {1, 1, 1, 1, 2, 4, 1, 3, 9}, x = {2, 3, 6};
  std::vector<std::int32_t> pivots(3);
  try {
    am::gesv(am::Layout::RowMajor, n, 1, a, n, pivots, x, 1);
    std::printf("coefficients: %g %g %g\n", x[0], x[1], x[2]);

    const std::vector<std::complex<float>> signal = {1, 0, -1, 0};
    std::vector<std::complex<float>> spectrum(4);
    am::fft(am::Transform::Forward, signal, spectrum);
    std::printf("spectrum: %g %g %g %g\n", spectrum[0].real(), spectrum[1].real(), spectrum[2].real(),
        spectrum[3].real());
    std::printf("norm: %g\n", am::nrm2(x));
  } catch (const am::Error &error) {
    std::printf("%d: %s\n", error.status(), error.what());
    return 1;
  }

  // The same calls with a status in place of exceptions.
  std::vector<double> singular(9, 1.0);
  const int status = am::nothrow::gesv(am::Layout::RowMajor, n, 1, singular, n, pivots, x, 1);
  std::printf("status %d: %s\n", status, am::lastError());
  return status == 2 ? 0 : 1;
}
