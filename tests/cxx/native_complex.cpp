// std::complex in the C functions themselves, by value and behind pointers, without casts; and the C++ header with it.

#define AFFINIMATH_NATIVE_COMPLEX

#include "affinimath.h"

#include "check.hpp"

template <class R>
struct C;
template <>
struct C<float> {
  static constexpr auto axpby = affinimathCaxpby;
  static constexpr auto gemm = affinimathCgemm;
};
template <>
struct C<double> {
  static constexpr auto axpby = affinimathZaxpby;
  static constexpr auto gemm = affinimathZgemm;
};

template <class R>
void by_value()
{
  using T = std::complex<R>;
  const std::vector<T> a = random<T>(2), b = random<T>(2);
  const T alpha(1, 2), beta(R(-1), R(0.5));
  std::vector<T> y = b, c = b;
  check(C<R>::axpby(2, alpha, a.data(), 1, beta, y.data(), 1) == 0, "axpby");
  check(near(y, {alpha * a[0] + beta * b[0], alpha * a[1] + beta * b[1]}, 8), "axpby's sum");
  check(C<R>::gemm(AFFINIMATH_COL_MAJOR, AFFINIMATH_NO_TRANS, AFFINIMATH_CONJ_TRANS, 2, 1, 1, alpha, a.data(), 2,
            b.data(), 1, beta, c.data(), 2) == 0,
      "gemm");
  std::vector<T> expected = b;
  for (std::size_t i = 0; i < 2; ++i) expected[i] = alpha * a[i] * std::conj(b[0]) + beta * b[i];
  check(near(c, expected, 16), "gemm's product");
  c = b;
  am::gemm(am::Layout::ColMajor, am::Op::NoTrans, am::Op::ConjTrans, 2, 1, 1, alpha, a, 2, b, 1, beta, c, 2);
  check(near(c, expected, 16), "the C++ header's product");
}

int main()
{
  by_value<float>();
  by_value<double>();
  return finish("native complex numbers in C++");
}
