// Sparse matrices, preconditioners and solvers from C++, for four types.

#include "check.hpp"

using am::Csr;
using am::Layout;
using am::Op;

constexpr std::size_t N = 30;

/** The second difference in one dimension, with a heavier diagonal, as a list of entries. */
template <class T>
Csr<T> tridiagonal()
{
  std::vector<std::int32_t> rows, columns;
  std::vector<T> values;
  const auto add = [&](std::size_t i, std::size_t j, double value) {
    rows.push_back(static_cast<std::int32_t>(i));
    columns.push_back(static_cast<std::int32_t>(j));
    values.push_back(RealOf<T>::element(value, i < j ? 0.5 : i > j ? -0.5 : 0));
  };
  for (std::size_t i = 0; i < N; ++i) {
    add(i, i, 4);
    if (i > 0) add(i, i - 1, -1);
    if (i + 1 < N) add(i, i + 1, -1);
  }
  return am::csrFromCoo(N, N, static_cast<std::int64_t>(values.size()), rows, columns, values);
}

template <class T>
std::vector<T> dense(const Csr<T> &a)
{
  std::vector<T> elements(static_cast<std::size_t>(a.rows() * a.columns()));
  am::csrToDense(Layout::ColMajor, a, elements, a.rows());
  return elements;
}

/** Factors that solve with A and with its conjugate transpose, and take other values. */
template <class T>
void factors()
{
  Csr<T> a = tridiagonal<T>();
  am::SparseFactors f = am::sparseFactorsCreate(a, am::SparseMethod::Auto);
  const std::vector<T> b = random<T>(N);
  std::vector<T> x(N), y(N);
  am::sparseFactorsSolve(Layout::ColMajor, Op::NoTrans, N, N, 1, f, b, N, x, N);
  am::csrmv(Op::NoTrans, T(1), a, x, 1, T(0), y, 1);
  for (std::size_t i = 0; i < N; ++i) check(std::abs(y[i] - b[i]) < 1e-4, "sparseFactorsSolve");
  double condition = 0;
  am::sparseFactorsCondition(f, &condition);
  check(condition > 1, "sparseFactorsCondition");
  am::csrScale(T(2), a);
  am::sparseFactorsUpdate(f, a);
  am::sparseFactorsSolve(Layout::ColMajor, Op::ConjTrans, N, N, 1, f, b, N, y, N);
  for (std::size_t i = 0; i < N; ++i) check(std::abs(T(2) * y[i] - x[i]) < 1e-4, "sparseFactorsUpdate");
  std::vector<T> small(N - 1);
  check(am::nothrow::sparseFactorsSolve(Layout::ColMajor, Op::NoTrans, N, N, 1, f, b, N, small, N) == -9, "a short x");
}

template <class T>
void matrices()
{
  const Csr<T> a = tridiagonal<T>();
  check(a.rows() == N && a.columns() == N && a.entries() == 3 * N - 2, "the shape");
  const std::vector<T> elements = dense(a);
  check(elements[1 + 1 * N] == T(4) && elements[2 + 0 * N] == T(0), "csrToDense");

  std::vector<std::int32_t> pointers(N + 1), indices(3 * N - 2);
  std::vector<T> values(3 * N - 2);
  am::csrDownload(a, pointers, indices, values);
  const Csr<T> again = am::csrCreate(N, N, pointers, indices, values);
  check(dense(again) == elements, "csrDownload and csrCreate");
  const std::vector<std::int64_t> wide(pointers.begin(), pointers.end());
  check(dense(am::csrCreate64(N, N, wide, indices, values)) == elements, "csrCreate64");
  check(dense(am::csrFromDense(Layout::ColMajor, N, N, elements, N)) == elements, "csrFromDense");
  values.pop_back();
  Csr<T> none;
  check(am::nothrow::csrCreate(N, N, pointers, indices, values, none) == -5 && !none, "fewer values than entries");

  const std::vector<T> x = random<T>(N), y = random<T>(N);
  const T alpha = random<T>(1)[0], beta = random<T>(1)[0];
  for (Op op : {Op::NoTrans, Op::ConjTrans}) {
    std::vector<T> z = y;
    am::csrmv(op, alpha, a, x, beta, z);
    check(near(z, product(op, Op::NoTrans, N, 1, N, alpha, elements, N, x, N, beta, y, N), 40), "csrmv");
  }
  std::vector<T> z = y;
  am::csrmm(Layout::ColMajor, Op::NoTrans, 1, alpha, a, x, N, beta, z, N);
  check(near(z, product(Op::NoTrans, Op::NoTrans, N, 1, N, alpha, elements, N, x, N, beta, y, N), 40), "csrmm");

  const Csr<T> transpose = am::csrTranspose(a);
  check(dense(transpose)[0 + 1 * N] == elements[1 + 0 * N], "csrTranspose");
  check(dense(am::csrSum(1, a, -1, a)) == std::vector<T>(N * N), "csrSum");
  const Csr<T> square = am::csrProduct(a, a);
  const std::vector<T> none_before(N * N);
  check(near(dense(square), product(Op::NoTrans, Op::NoTrans, N, N, N, T(1), elements, N, elements, N, T(0),
                                none_before, N), 40),
      "csrProduct");
  Csr<T> scaled = am::csrSorted(a);
  am::csrScale(2, scaled);
  std::vector<T> diagonal(N);
  am::csrDiagonal(scaled, diagonal);
  check(diagonal == std::vector<T>(N, T(8)), "csrScale and csrDiagonal");
  Csr<T> moved = std::move(scaled);
  check(!scaled && scaled.rows() == 0 && moved.rows() == N, "a matrix moves");
}

/** y := A x for the same matrix, without it. */
template <class T>
int apply(void *calls, int, const void *from, void *to)
{
  const T *x = static_cast<const T *>(from);
  T *y = static_cast<T *>(to);
  const T above = RealOf<T>::element(-1, 0.5), below = RealOf<T>::element(-1, -0.5);
  for (std::size_t i = 0; i < N; ++i) {
    y[i] = T(4) * x[i];
    if (i > 0) y[i] += below * x[i - 1];
    if (i + 1 < N) y[i] += above * x[i + 1];
  }
  ++*static_cast<int *>(calls);
  return 0;
}

template <class T>
void solvers()
{
  const Csr<T> a = tridiagonal<T>();
  const std::vector<T> x = random<T>(N);
  std::vector<T> b(N), y(N);
  am::csrmv(Op::NoTrans, 1, a, x, 0, b);
  const double bound = sizeof(real_t<T>) == 4 ? 400 : 4e8;
  affinimath_solve_outcome outcome = am::cg(a, b, y);
  check(outcome.reason == AFFINIMATH_CONVERGED && near(y, x, bound), "cg");

  auto options = am::solveOptions(sizeof(real_t<T>) == 4 ? am::Precision::Single : am::Precision::Double);
  const am::Preconditioner preconditioner = am::jacobiCreate(a);
  options.preconditioner = preconditioner.get();
  y.assign(N, T(0));
  outcome = am::gmres(a, b, y, &options);
  check(static_cast<am::Reason>(outcome.reason) == am::Reason::Converged && near(y, x, bound), "gmres with Jacobi's");
  for (auto solve : {1, 2, 3, 4}) {
    y.assign(N, T(0));
    outcome = solve == 1 ? am::minres(a, b, y) : solve == 2 ? am::bicgstab(a, b, y) : solve == 3 ? am::lsqr(a, b, y)
                                                                                                  : am::lsmr(a, b, y);
    check(outcome.relative_residual < 1e-4 && near(y, x, 100 * bound), "minres, bicgstab, lsqr, lsmr");
  }
  int calls = 0;
  y.assign(N, T(0));
  outcome = am::cgOperator(apply<T>, &calls, b, y);
  check(outcome.reason == AFFINIMATH_CONVERGED && near(y, x, bound) && calls > 0, "cgOperator");
  y.assign(N, T(0));
  outcome = am::minresOperator([&](const T *from, T *to) { apply<T>(&calls, 0, from, to); }, b, y);
  check(outcome.reason == AFFINIMATH_CONVERGED && near(y, x, bound), "minresOperator of a lambda");
  y.assign(N, T(0));
  const auto adjoint_too = [&](Op op, const T *from, T *to) {
    check(op == Op::NoTrans || op == Op::ConjTrans, "the operation");
    apply<T>(&calls, 0, from, to);
  };
  outcome = am::lsqrOperator(N, N, adjoint_too, b, y);
  check(near(y, x, 100 * bound), "lsqrOperator of a lambda with its adjoint");
  bool through = false;
  try {
    am::gmresOperator([](const T *, T *) { throw std::out_of_range("row 7"); }, b, y);
  } catch (const std::out_of_range &error) {
    through = std::string(error.what()) == "row 7";
  }
  check(through, "what a lambda throws");
  const am::Preconditioner own = am::preconditionerCreate<T>(N, apply<T>, &calls);
  check(static_cast<bool>(own), "preconditionerCreate");
  y.pop_back();
  check(am::nothrow::cg(a, b, y, nullptr, &outcome) == -3, "a solution that is too short");
  check(throws([&] { am::csrRead<T>("/nowhere.mtx"); }, -1, "nowhere"), "a file that is not there");
}

int main()
{
  FOR_EACH_TYPE(matrices);
  FOR_EACH_TYPE(factors);
  FOR_EACH_TYPE(solvers);
  return finish("sparse in C++");
}
