// Fourier transforms and convolutions from C++, against their sums, in both precisions.

#include "check.hpp"

using am::ConvolutionMode;
using am::Precision;
using am::Transform;

template <class R>
std::vector<std::complex<R>> dft(const std::vector<std::complex<R>> &x, int sign)
{
  const std::size_t n = x.size();
  std::vector<std::complex<R>> y(n);
  for (std::size_t k = 0; k < n; ++k) {
    std::complex<double> sum = 0;
    for (std::size_t j = 0; j < n; ++j) {
      const double angle = sign * 2 * std::acos(-1.0) * static_cast<double>(j * k % n) / static_cast<double>(n);
      sum += std::complex<double>(x[j]) * std::polar(1.0, angle);
    }
    y[k] = std::complex<R>(sum);
  }
  return y;
}

template <class R>
void transforms()
{
  using C = std::complex<R>;
  for (std::size_t n : {1, 2, 12, 17, 64}) {
    const std::vector<C> x = random<C>(n);
    std::vector<C> y(n), z(n);
    am::fft(Transform::Forward, x, y);
    check(near(y, dft(x, -1), 40), "fft of containers");
    am::fft(Transform::Backward, static_cast<std::int64_t>(n), y.data(), z.data());
    for (C &element : z) element /= static_cast<R>(n);
    check(near(z, x, 40), "fft of pointers, backward");

    const std::vector<R> real = random<R>(n);
    std::vector<R> back(n);
    std::vector<C> half(n / 2 + 1), whole(n);
    for (std::size_t i = 0; i < n; ++i) whole[i] = real[i];
    am::rfft(real, half);
    whole = dft(whole, -1);
    whole.resize(n / 2 + 1);
    check(near(half, whole, 40), "rfft");
    am::irfft(half, back);
    for (R &element : back) element /= static_cast<R>(n);
    check(near(back, real, 40), "irfft");
  }
  std::vector<C> x(4), y(5);
  check(am::nothrow::fft(Transform::Forward, x, y) == AFFINIMATH_SHAPE_MISMATCH, "an output of another length");
  check(std::string(am::lastError()).find("y has 5 elements") != std::string::npos, "the length in the text");
}

template <class R>
void many()
{
  using C = std::complex<R>;
  const std::size_t m = 3, n = 5;
  const std::vector<C> x = random<C>(m * n);
  std::vector<C> y(m * n), expected, z(m * n), w(m * n);
  for (std::size_t i = 0; i < m; ++i) {
    const auto row = dft(std::vector<C>(&x[i * n], &x[i * n] + n), -1);
    expected.insert(expected.end(), row.begin(), row.end());
  }
  am::fftMany(Transform::Forward, n, m, x, y);
  check(near(y, expected, 40), "fftMany");
  am::fft2(Transform::Forward, m, n, x, z);
  am::fft2(Transform::Backward, m, n, z, w);
  for (C &element : w) element /= static_cast<R>(m * n);
  check(near(w, x, 40), "fft2 forward and backward");

  const Precision precision = std::is_same_v<R, float> ? Precision::Single : Precision::Double;
  auto descriptor = am::fftDescriptor(Transform::Forward, precision, 2, std::vector<std::int64_t>{m, n});
  descriptor.scale = 2;
  am::FftPlan plan = am::fftPlanCreate(&descriptor);
  am::FftPlan moved = std::move(plan);
  check(!plan && moved, "a plan moves");
  am::fftExecute(moved, x.data(), w.data());
  for (C &element : z) element *= R(2);
  check(near(w, z, 40), "a plan with a scale");
  check(throws([&] { am::fftDescriptor(Transform::Forward, precision, 3, std::vector<std::int64_t>{1, 2}); }, -5,
            "lengths"),
      "fewer lengths than axes");
}

template <class T>
void convolutions()
{
  const std::size_t n = 11, m = 4;
  const std::vector<T> x = random<T>(n), h = random<T>(m);
  std::vector<T> full(n + m - 1), expected(n + m - 1), valid(n - m + 1), same(n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < m; ++j) expected[i + j] += x[i] * h[j];
  }
  am::convolve(ConvolutionMode::Full, x, h, full);
  check(near(full, expected, 100), "convolve, all results");
  am::convolve(ConvolutionMode::Valid, x, h, valid);
  check(near(valid, std::vector<T>(&expected[m - 1], &expected[m - 1] + (n - m + 1)), 100), "convolve, valid results");
  am::convolve(ConvolutionMode::Same, n, m, x, h, same);
  check(near(same, std::vector<T>(&expected[(m - 1) / 2], &expected[(m - 1) / 2] + n), 100), "convolve, as many");
  check(throws([&] { am::convolve(ConvolutionMode::Full, x, h, same); }, AFFINIMATH_SHAPE_MISMATCH, "need 14"),
      "too few results");
  check(am::nothrow::convolve(ConvolutionMode::Full, n, m, x, h, same) == -6, "too few results, by index");

  am::correlate(ConvolutionMode::Full, x, h, full);
  std::vector<T> reversed(h.rbegin(), h.rend());
  for (T &element : reversed) element = conjugate(element);
  expected.assign(n + m - 1, T(0));
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < m; ++j) expected[i + j] += x[i] * reversed[j];
  }
  check(near(full, expected, 100), "correlate");

  const Precision precision = sizeof(real_t<T>) == 4 ? Precision::Single : Precision::Double;
  const std::vector<std::int64_t> signal = {static_cast<std::int64_t>(n)}, kernel = {static_cast<std::int64_t>(m)};
  auto descriptor =
      am::convolutionDescriptor(am::ConvolutionKind::Correlation, ConvolutionMode::Full, precision, 1, signal, kernel);
  descriptor.complex_numbers = !std::is_floating_point_v<T>;
  const am::ConvolutionPlan plan = am::convolutionPlanCreate(&descriptor);
  std::vector<T> planned(n + m - 1);
  am::convolutionExecute(plan, x.data(), h.data(), planned.data());
  check(near(planned, expected, 100), "a plan of a correlation");
}

int main()
{
  transforms<float>();
  transforms<double>();
  many<float>();
  many<double>();
  FOR_EACH_TYPE(convolutions);
  return finish("transforms in C++");
}
