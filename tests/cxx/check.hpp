// What the programs over affinimath.hpp share: checks, random elements, and loops to compare with.

#ifndef CHECK_HPP
#define CHECK_HPP

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdio>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "affinimath.hpp"

namespace am = affinimath;

inline int failures = 0, checks = 0;

inline void check(bool holds, const char *what)
{
  ++checks;
  if (holds) return;
  ++failures;
  std::printf("%s failed: %s\n", what, am::lastError());
}

inline int finish(const char *program)
{
  std::printf("%s: %d checks, %d failures\n", program, checks, failures);
  return failures == 0 ? 0 : 1;
}

template <class T>
struct RealOf {
  using Type = T;
  static T element(double re, double) { return static_cast<T>(re); }
};
template <class R>
struct RealOf<std::complex<R>> {
  using Type = R;
  static std::complex<R> element(double re, double im) { return {static_cast<R>(re), static_cast<R>(im)}; }
};
template <class T>
using real_t = typename RealOf<T>::Type;

inline float conjugate(float x) { return x; }
inline double conjugate(double x) { return x; }
template <class R>
std::complex<R> conjugate(std::complex<R> x)
{
  return std::conj(x);
}

/** Elements between -1 and 1: a linear congruential generator, the same on every machine. */
template <class T>
std::vector<T> random(std::size_t count)
{
  static unsigned long long state = 1;
  const auto next = [] {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return static_cast<double>(state >> 33) / 1073741824.0 - 1.0;
  };
  std::vector<T> elements(count);
  for (T &element : elements) {
    const double re = next(), im = next();
    element = RealOf<T>::element(re, im);
  }
  return elements;
}

/** True where two vectors agree within `bound` units of rounding of the largest element. */
template <class T>
bool near(const std::vector<T> &a, const std::vector<T> &b, double bound)
{
  double largest = 1, difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    largest = std::max(largest, static_cast<double>(std::abs(b[i])));
    const double d = static_cast<double>(std::abs(a[i] - b[i]));
    difference = d > difference || std::isnan(d) ? d : difference;
  }
  return a.size() == b.size() && difference <= bound * largest * std::numeric_limits<real_t<T>>::epsilon();
}

/** op(A)'s element (i, j) of a column-major matrix. */
template <class T>
T at(const std::vector<T> &a, std::size_t ld, am::Op op, std::size_t i, std::size_t j)
{
  const bool transposes = op == am::Op::Trans || op == am::Op::ConjTrans;
  const bool conjugates = op == am::Op::ConjTrans || op == am::Op::ConjNoTrans;
  const T element = transposes ? a[j + i * ld] : a[i + j * ld];
  return conjugates ? conjugate(element) : element;
}

/** C := alpha op(A) op(B) + beta C by a loop; m x n, column-major. */
template <class T>
std::vector<T> product(am::Op opa, am::Op opb, std::size_t m, std::size_t n, std::size_t k, T alpha,
    const std::vector<T> &a, std::size_t lda, const std::vector<T> &b, std::size_t ldb, T beta, std::vector<T> c,
    std::size_t ldc)
{
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t i = 0; i < m; ++i) {
      T sum = 0;
      for (std::size_t l = 0; l < k; ++l) sum += at(a, lda, opa, i, l) * at(b, ldb, opb, l, j);
      c[i + j * ldc] = alpha * sum + beta * c[i + j * ldc];
    }
  }
  return c;
}

/** Runs a test for each element type. */
#define FOR_EACH_TYPE(test)                                                                                           \
  test<float>();                                                                                                      \
  test<double>();                                                                                                     \
  test<std::complex<float>>();                                                                                        \
  test<std::complex<double>>()

/** True where a call throws an Error with this status, whose text has a word. */
template <class Call>
bool throws(Call call, int status, const char *word)
{
  try {
    call();
  } catch (const am::Error &error) {
    return error.status() == status && std::string(error.what()).find(word) != std::string::npos;
  }
  return false;
}

#endif // CHECK_HPP
