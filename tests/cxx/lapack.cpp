// LAPACK from C++: solutions, factorisations, norms and batches for four types.

#include "check.hpp"

using am::Diag;
using am::Layout;
using am::Op;
using am::Side;
using am::Uplo;

constexpr Layout COLUMNS = Layout::ColMajor;
constexpr std::size_t N = 12, LD = 13, RHS = 3;

/** A random matrix with a heavy diagonal, so that bounds do not depend on its condition. */
template <class T>
std::vector<T> matrix()
{
  std::vector<T> a = random<T>(LD * N);
  for (std::size_t i = 0; i < N; ++i) a[i + i * LD] += real_t<T>(N);
  return a;
}

/** A^H A + I: Hermitian and positive definite. */
template <class T>
std::vector<T> positive_definite()
{
  const std::vector<T> a = random<T>(LD * N);
  std::vector<T> identity(LD * N);
  for (std::size_t i = 0; i < N; ++i) identity[i + i * LD] = 1;
  return product(Op::ConjTrans, Op::NoTrans, N, N, N, T(1), a, LD, a, LD, T(1), identity, LD);
}

/** A X, of which the solution is to be X. */
template <class T>
std::vector<T> times(const std::vector<T> &a, const std::vector<T> &x)
{
  return product(Op::NoTrans, Op::NoTrans, N, RHS, N, T(1), a, LD, x, N, T(0), std::vector<T>(N * RHS), N);
}

template <class T>
void solutions()
{
  const std::vector<T> a = matrix<T>(), x = random<T>(N * RHS), b = times(a, x);
  std::vector<T> factors = a, solution = b;
  std::vector<std::int32_t> pivots(N);
  am::gesv(COLUMNS, N, RHS, factors, LD, pivots, solution, N);
  check(near(solution, x, 400), "gesv");
  solution = b;
  am::getrs(COLUMNS, Op::NoTrans, N, RHS, factors, LD, pivots, solution, N);
  check(near(solution, x, 400), "getrs with gesv's factors");
  am::getri(COLUMNS, N, factors, LD, pivots);
  check(near(times(factors, b), x, 400), "getri");

  const real_t<T> norm = am::lange(COLUMNS, am::Norm::One, N, N, a, LD);
  double sums = 0;
  for (std::size_t j = 0; j < N; ++j) {
    double sum = 0;
    for (std::size_t i = 0; i < N; ++i) sum += static_cast<double>(std::abs(a[i + j * LD]));
    sums = std::max(sums, sum);
  }
  check(std::abs(static_cast<double>(norm) - sums) <= 100 * std::numeric_limits<real_t<T>>::epsilon() * sums, "lange");
  factors = a;
  am::getrf(COLUMNS, N, N, factors, LD, pivots);
  const real_t<T> condition = am::gecon(COLUMNS, am::Norm::One, N, factors, LD, norm);
  check(condition > real_t<T>(0.01) && condition <= 1, "gecon");
}

template <class T>
void positive_definite_solutions()
{
  const std::vector<T> a = positive_definite<T>(), x = random<T>(N * RHS), b = times(a, x);
  for (Uplo uplo : {Uplo::Upper, Uplo::Lower}) {
    std::vector<T> factor = a, solution = b;
    am::posv(COLUMNS, uplo, N, RHS, factor, LD, solution, N);
    check(near(solution, x, 4000), "posv");
  }
  std::vector<T> indefinite = a;
  indefinite[2 + 2 * LD] = -1;
  check(throws([&] { am::potrf(COLUMNS, Uplo::Lower, N, indefinite, LD); }, 3, "potrf"), "potrf throws LAPACK's info");
  indefinite = a;
  indefinite[2 + 2 * LD] = -1;
  check(am::nothrow::potrf(COLUMNS, Uplo::Lower, N, indefinite, LD) == 3, "potrf returns LAPACK's info");
}

template <class T>
void least_squares()
{
  const std::size_t m = 10, n = 4;
  const std::vector<T> a = random<T>(m * n), x = random<T>(n);
  std::vector<T> b = product(Op::NoTrans, Op::NoTrans, m, 1, n, T(1), a, m, x, n, T(0), std::vector<T>(m), m);
  std::vector<T> factors = a, solution = b;
  am::gels(COLUMNS, Op::NoTrans, m, n, 1, factors, m, solution, m);
  solution.resize(n);
  check(near(solution, x, 1000), "gels");

  factors = a;
  solution = b;
  std::vector<std::int32_t> columns(n);
  const std::int32_t rank = am::gelsy(COLUMNS, m, n, 1, factors, m, solution, m, columns, real_t<T>(1e-4));
  solution.resize(n);
  check(rank == 4 && near(solution, x, 1000), "gelsy returns the rank");

  // Q R is A again.
  std::vector<T> q = a, tau(n), r(n * n);
  am::geqrf(COLUMNS, m, n, q, m, tau);
  for (std::size_t j = 0; j < n; ++j) std::copy(&q[j * m], &q[j * m] + j + 1, &r[j * n]);
  am::orgqr(COLUMNS, m, n, n, q, m, tau);
  check(near(product(Op::NoTrans, Op::NoTrans, m, n, n, T(1), q, m, r, n, T(0), std::vector<T>(m * n), m), a, 200),
      "geqrf and orgqr");
}

template <class T>
void batches()
{
  const std::size_t count = 3;
  std::vector<T> all, b, x = random<T>(N * RHS);
  for (std::size_t i = 0; i < count; ++i) {
    const std::vector<T> a = matrix<T>(), right = times(a, x);
    all.insert(all.end(), a.begin(), a.end());
    b.insert(b.end(), right.begin(), right.end());
  }
  std::vector<std::int32_t> pivots(N * count), info(count, 9);
  am::gesvStridedBatched(COLUMNS, N, RHS, all, LD, LD * N, pivots, N, b, N, N * RHS, info, count);
  check(info == std::vector<std::int32_t>(count), "gesvStridedBatched's infos");
  for (std::size_t i = 0; i < count; ++i) {
    check(near(std::vector<T>(&b[i * N * RHS], &b[i * N * RHS] + N * RHS), x, 400), "gesvStridedBatched");
  }
  all.pop_back();
  all.resize(LD * N * count - 2);
  check(am::nothrow::potrfStridedBatched(COLUMNS, Uplo::Lower, N, all, LD, LD * N, info, count) == -4,
      "a batch that reaches past its container");
}

template <class T>
void mixed()
{
  const std::vector<T> a = matrix<T>(), x = random<T>(N * RHS), b = times(a, x);
  std::vector<T> factors = a, solution(N * RHS);
  std::vector<std::int32_t> pivots(N);
  const std::int32_t iterations = am::gesv(COLUMNS, N, RHS, factors, LD, pivots, b, N, solution, N);
  check(iterations >= 0 && near(solution, x, 400), "gesv in mixed precision returns its refinements");
}

int main()
{
  FOR_EACH_TYPE(solutions);
  FOR_EACH_TYPE(positive_definite_solutions);
  FOR_EACH_TYPE(least_squares);
  FOR_EACH_TYPE(batches);
  mixed<double>();
  mixed<std::complex<double>>();
  return finish("LAPACK in C++");
}
