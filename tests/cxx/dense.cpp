// BLAS from C++: each level for four types against loops, on containers and on pointers.

#include "check.hpp"

using am::Diag;
using am::Layout;
using am::Op;
using am::Side;
using am::Uplo;

constexpr Layout COLUMNS = Layout::ColMajor;
constexpr bool is_complex(float) { return false; }
constexpr bool is_complex(double) { return false; }
template <class R>
constexpr bool is_complex(std::complex<R>)
{
  return true;
}

template <class T>
void vectors()
{
  const std::size_t n = 37;
  const std::vector<T> x = random<T>(n), y = random<T>(n);
  const T alpha = random<T>(1)[0], beta = random<T>(1)[0];
  std::vector<T> z = y, expected(n);
  for (std::size_t i = 0; i < n; ++i) expected[i] = alpha * x[i] + y[i];
  am::axpy(alpha, x, z);
  check(near(z, expected, 4), "axpy of containers");

  z = y;
  am::axpy(n / 2, alpha, x.data() + 1, 2, z, 2);
  expected = y;
  for (std::size_t i = 0; i < n / 2; ++i) expected[2 * i] += alpha * x[1 + 2 * i];
  check(near(z, expected, 4), "axpy of a pointer and a container, with increments");

  z = y;
  am::axpby(alpha, x, beta, z);
  for (std::size_t i = 0; i < n; ++i) expected[i] = alpha * x[i] + beta * y[i];
  check(near(z, expected, 8), "axpby");

  z = y;
  am::scal(2, z);
  for (std::size_t i = 0; i < n; ++i) expected[i] = real_t<T>(2) * y[i];
  check(near(z, expected, 0), "scal by a real number");
  am::copy(x, z);
  check(z == x, "copy");
  std::vector<T> w = y;
  am::swap(z, w);
  check(z == y && w == x, "swap");

  double squares = 0, sum = 0;
  std::int64_t largest = 0;
  const auto magnitude = [](T v) { return std::abs(std::real(v)) + std::abs(std::imag(v)); };
  for (std::size_t i = 0; i < n; ++i) {
    squares += static_cast<double>(std::norm(x[i]));
    sum += static_cast<double>(magnitude(x[i]));
    if (magnitude(x[i]) > magnitude(x[static_cast<std::size_t>(largest)])) largest = static_cast<std::int64_t>(i);
  }
  const double epsilon = std::numeric_limits<real_t<T>>::epsilon();
  check(std::abs(static_cast<double>(am::nrm2(x)) - std::sqrt(squares)) <= 20 * epsilon * std::sqrt(squares), "nrm2");
  check(std::abs(static_cast<double>(am::asum(x)) - sum) <= 40 * epsilon * sum, "asum");
  check(am::iamax(x) == largest, "iamax");
  check(am::iamax(static_cast<std::int64_t>(n), x, 1) == largest, "iamax with a length");
}

template <class T>
T conjugated_dot(const std::vector<T> &x, const std::vector<T> &y)
{
  if constexpr (is_complex(T())) {
    return am::dotc(x, y);
  } else {
    return am::dot(x, y);
  }
}

template <class T>
void dots()
{
  const std::vector<T> x = random<T>(29), y = random<T>(29);
  T sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) sum += conjugate(x[i]) * y[i];
  check(near(std::vector<T>{conjugated_dot(x, y)}, {sum}, 60), "dot, dotc");

  std::vector<T> a = x, b = y;
  const real_t<T> c = real_t<T>(0.6), s = real_t<T>(0.8);
  am::rot(a, b, c, s);
  std::vector<T> expected(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) expected[i] = c * x[i] + s * y[i];
  check(near(a, expected, 4), "rot");
}

template <class T>
void matrix_times_vector()
{
  const std::size_t m = 9, n = 7, lda = 11;
  const std::vector<T> a = random<T>(lda * n), x = random<T>(m), y = random<T>(n);
  const T alpha = random<T>(1)[0], beta = random<T>(1)[0];
  std::vector<T> z = y;
  am::gemv(COLUMNS, Op::ConjTrans, m, n, alpha, a, lda, x, 1, beta, z, 1);
  check(near(z, product(Op::ConjTrans, Op::NoTrans, n, 1, m, alpha, a, lda, x, m, beta, y, n), 40), "gemv");

  // A unit triangle multiplies and is solved with.
  z = y;
  am::trmv(COLUMNS, Uplo::Lower, Op::Trans, Diag::Unit, n, a, lda, z, 1);
  check(!near(z, y, 4), "trmv changes its vector");
  am::trsv(COLUMNS, Uplo::Lower, Op::Trans, Diag::Unit, n, a, lda, z, 1);
  check(near(z, y, 400), "trsv undoes trmv");

  // A band of all diagonals is the matrix.
  const std::size_t kl = m - 1, ku = n - 1, ldb = kl + ku + 1;
  std::vector<T> band(ldb * n);
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t i = 0; i < m; ++i) band[ku + i - j + j * ldb] = a[i + j * lda];
  }
  std::vector<T> u(m), v(m);
  am::gbmv(COLUMNS, Op::NoTrans, m, n, kl, ku, alpha, band, ldb, y, 1, 0, u, 1);
  am::gemv(COLUMNS, Op::NoTrans, m, n, alpha, a, lda, y, 1, 0, v, 1);
  check(near(u, v, 40), "gbmv");

  // A packed triangle is the matrix's.
  std::vector<T> packed;
  for (std::size_t j = 0; j < n; ++j) packed.insert(packed.end(), &a[j * lda], &a[j + j * lda] + 1);
  u.assign(n, T(0));
  v = u;
  am::spmv(COLUMNS, Uplo::Upper, n, alpha, packed, y, 1, beta, u, 1);
  am::symv(COLUMNS, Uplo::Upper, n, alpha, a, lda, y, 1, beta, v, 1);
  check(near(u, v, 40), "spmv and symv");
  u.assign(n, T(0));
  am::spmv(COLUMNS, Uplo::Upper, alpha, packed, y, beta, u);
  check(near(u, v, 40), "spmv of containers");

  std::vector<T> updated = a, expected = a;
  am::syr(COLUMNS, Uplo::Upper, n, alpha, y, 1, updated, lda);
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t i = 0; i <= j; ++i) expected[i + j * lda] += alpha * y[i] * y[j];
  }
  check(near(updated, expected, 8), "syr");
}

template <class T>
void matrix_times_matrix()
{
  const std::size_t m = 13, n = 9, k = 11, lda = 14, ldb = 12, ldc = 15;
  const std::vector<T> a = random<T>(lda * m), b = random<T>(ldb * k), c = random<T>(ldc * n);
  const T alpha = random<T>(1)[0], beta = random<T>(1)[0];
  for (Op opa : {Op::NoTrans, Op::Trans, Op::ConjTrans, Op::ConjNoTrans}) {
    std::vector<T> z = c;
    am::gemm(COLUMNS, opa, Op::NoTrans, m, n, k, alpha, a, lda, b, ldb, beta, z, ldc);
    check(near(z, product(opa, Op::NoTrans, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc), 100), "gemm");
    z = c;
    check(am::nothrow::gemm(COLUMNS, opa, Op::NoTrans, m, n, k, alpha, a.data(), lda, b.data(), ldb, beta, z.data(),
              ldc) == 0,
        "gemm's status");
    check(near(z, product(opa, Op::NoTrans, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc), 100), "gemm of pointers");
  }

  std::vector<T> z = c, square = c;
  am::syrk(COLUMNS, Uplo::Lower, Op::NoTrans, n, k, alpha, a, lda, beta, z, ldc);
  square = product(Op::NoTrans, Op::Trans, n, n, k, alpha, a, lda, a, lda, beta, square, ldc);
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t i = 0; i < j; ++i) square[i + j * ldc] = c[i + j * ldc];
  }
  check(near(z, square, 100), "syrk");

  z = c;
  am::trmm(COLUMNS, Side::Left, Uplo::Upper, Op::NoTrans, Diag::Unit, m, n, 1, a, lda, z, ldc);
  am::trsm(COLUMNS, Side::Left, Uplo::Upper, Op::NoTrans, Diag::Unit, m, n, 1, a, lda, z, ldc);
  check(near(z, c, 4000), "trsm undoes trmm");

  std::vector<T> symmetric = a, left = c, right = c;
  for (std::size_t j = 0; j < m; ++j) {
    for (std::size_t i = 0; i < j; ++i) symmetric[j + i * lda] = symmetric[i + j * lda];
  }
  am::symm(COLUMNS, Side::Left, Uplo::Upper, m, n, alpha, a, lda, c, ldc, 0, left, ldc);
  right = product(Op::NoTrans, Op::NoTrans, m, n, m, alpha, symmetric, lda, c, ldc, T(0), right, ldc);
  check(near(left, right, 100), "symm");
}

template <class T>
void batches()
{
  const std::size_t m = 3, n = 2, k = 4, count = 5;
  const std::vector<T> a = random<T>(m * k * count), b = random<T>(k * n * count);
  std::vector<T> c(m * n * count), expected(m * n * count), other(m * n * count);
  std::vector<std::int64_t> at_a(count), at_b(count), at_c(count);
  for (std::size_t i = 0; i < count; ++i) {
    at_a[i] = static_cast<std::int64_t>(i * m * k);
    at_b[i] = static_cast<std::int64_t>(i * k * n);
    at_c[i] = static_cast<std::int64_t>(i * m * n);
    const std::vector<T> ai(&a[i * m * k], &a[i * m * k] + m * k), bi(&b[i * k * n], &b[i * k * n] + k * n);
    const auto ci = product(Op::NoTrans, Op::NoTrans, m, n, k, T(1), ai, m, bi, k, T(0), std::vector<T>(m * n), m);
    std::copy(ci.begin(), ci.end(), &expected[i * m * n]);
  }
  am::gemmStridedBatched(COLUMNS, Op::NoTrans, Op::NoTrans, m, n, k, 1, a, m, m * k, b, k, k * n, 0, c, m, m * n,
      count);
  check(near(c, expected, 40), "gemmStridedBatched");
  am::gemmBatched(COLUMNS, Op::NoTrans, Op::NoTrans, m, n, k, 1, a, m, at_a, b, k, at_b, 0, other, m, at_c, count);
  check(near(other, expected, 40), "gemmBatched");
  at_a[2] = static_cast<std::int64_t>(a.size()) - 1;
  check(am::nothrow::gemmBatched(COLUMNS, Op::NoTrans, Op::NoTrans, m, n, k, 1, a, m, at_a, b, k, at_b, 0, other, m,
            at_c, count) == -8,
      "an offset that reaches past the container");
}

template <class T>
void movement()
{
  const std::size_t rows = 4, columns = 6;
  const std::vector<T> a = random<T>(rows * columns);
  std::vector<T> b(rows * columns), c = a;
  am::omatcopy(COLUMNS, Op::ConjTrans, rows, columns, 2, a, rows, b, columns);
  bool same = true;
  for (std::size_t j = 0; j < columns; ++j) {
    for (std::size_t i = 0; i < rows; ++i) same &= b[j + i * columns] == real_t<T>(2) * conjugate(a[i + j * rows]);
  }
  check(same, "omatcopy");
  am::imatcopy(COLUMNS, Op::ConjTrans, rows, columns, 2, c, rows, columns);
  check(c == b, "imatcopy");
  am::omatadd(COLUMNS, Op::NoTrans, Op::ConjTrans, rows, columns, 2, a, rows, -1, b, columns, c, rows);
  check(near(c, std::vector<T>(rows * columns), 0), "omatadd");
}

void one_type()
{
  const std::vector<float> x = {1, 2, 3}, y = {4, 5, 6};
  check(am::dsdot(x, y) == 32.0, "dsdot is a double");
  check(am::sdsdot(1, x, y) == 33.0f, "sdsdot");
  float a = 3, b = 4, c = 0, s = 0;
  am::rotg(&a, &b, &c, &s);
  check(std::abs(a - 5) < 1e-6f && std::abs(c - 0.6f) < 1e-6f, "rotg");
  // fp16: 15360 is 1, 16384 is 2.
  const std::vector<affinimath_half> half = {15360, 15360};
  std::vector<affinimath_half> result(1);
  am::gemm(COLUMNS, Op::NoTrans, Op::NoTrans, 1, 1, 2, 1, half, 1, half, 2, 0, result, 1);
  check(result[0] == 16384, "gemm of fp16");
}

int main()
{
  FOR_EACH_TYPE(vectors);
  FOR_EACH_TYPE(dots);
  FOR_EACH_TYPE(matrix_times_vector);
  FOR_EACH_TYPE(matrix_times_matrix);
  FOR_EACH_TYPE(batches);
  FOR_EACH_TYPE(movement);
  one_type();
  return finish("dense in C++");
}
