// Wrong arguments from C++: exceptions, statuses, texts, and what stays as it was.

#include <array>
#include <thread>
#if __cplusplus >= 202002L
#include <span>
#endif

#include "check.hpp"

using am::Layout;
using am::Op;

template <class T>
void containers()
{
  const std::vector<T> a(6, T(1)), b(6, T(1));
  std::vector<T> c(4, T(7)), small(3, T(7));
  const auto call = [&](std::vector<T> &result, std::int64_t lda) {
    am::gemm(Layout::RowMajor, Op::NoTrans, Op::NoTrans, 2, 2, 3, 1, a, lda, b, 2, 0, result, 2);
  };
  call(c, 3);
  check(c == std::vector<T>(4, T(3)), "the product");
  check(throws([&] { call(small, 3); }, -13, "4 elements are needed, and there are 3"), "a container too small");
  check(small == std::vector<T>(3, T(7)), "nothing is written");
  check(throws([&] { call(c, 4); }, -8, "7 elements"), "rows that are further apart");
  check(throws([&] { call(c, 2); }, -9, "lda"), "a leading dimension too small is the library's error");
  check(am::nothrow::gemm(Layout::RowMajor, Op::NoTrans, Op::NoTrans, -1, 2, 3, 1, a, 3, b, 2, 0, c, 2) == -4,
      "a negative size");
  check(std::string(am::lastError()).find("argument m") != std::string::npos, "the library's text");
  check(am::nothrow::gemm(static_cast<Layout>(0), Op::NoTrans, Op::NoTrans, 2, 2, 3, 1, a, 3, b, 2, 0, c, 2) == -1,
      "a wrong layout");
  // Factors of 0 leave their operands unread: a null pointer will do, and a container without memory.
  am::gemm(Layout::RowMajor, Op::NoTrans, Op::NoTrans, 2, 2, 3, 0, nullptr, 3, std::vector<T>(), 2, 0, c, 2);
  check(c == std::vector<T>(4, T(0)), "operands that are not read");
  const std::int64_t huge = std::numeric_limits<std::int64_t>::max();
  check(throws([&] { am::gemm(Layout::RowMajor, Op::NoTrans, Op::NoTrans, 2, 2, huge, 1, a, huge, b, 2, 0, c, 2); },
            -8, "elements are needed"),
      "sizes whose product is beyond 64 bits");
  check(throws([&] { am::axpy(huge, T(1), c, huge, c, 1); }, -3, "x"), "increments beyond it");
}

template <class T>
void kinds_of_containers()
{
  const std::array<T, 3> x = {T(1), T(2), T(3)};
  const T y[3] = {T(1), T(1), T(1)};
  std::vector<T> z(3);
  am::copy(x, z);
  am::axpy(3, T(1), y, 1, z, 1);
  check(z == std::vector<T>{T(2), T(3), T(4)}, "std::array, std::vector and an array of C");
#ifdef __cpp_lib_span
  const std::span<const T> part = std::span(x).subspan(1);
  std::span<T> whole(z);
  am::axpy(1, part, whole.first(2));
  check(z == std::vector<T>{T(4), T(6), T(4)}, "std::span");
  check(throws([&] { am::axpy(1, part, whole); }, AFFINIMATH_SHAPE_MISMATCH, "y has 3"), "a span of another length");
  am::gemm(Layout::RowMajor, Op::NoTrans, Op::NoTrans, 1, 1, 2, 1, part, 2, part, 1, 0, whole, 1);
  check(z[0] == T(13), "gemm of spans");
  check(am::nothrow::gemm(Layout::RowMajor, Op::NoTrans, Op::NoTrans, 1, 1, 3, 1, part, 3, x, 1, 0, whole, 1) == -8,
      "a span that is too short");
#endif
}

void library()
{
  check(am::deviceCount() >= 0, "deviceCount");
  check(am::deviceName(-1) == "host", "deviceName");
  check(*am::version() != 0 && am::ldMultipleS() == 1, "version, ldMultiple");
  am::setNumThreads(2);
  check(am::getNumThreads() >= 1, "getNumThreads");
  check(throws([] { am::setRoute("nowhere"); }, -1, "nowhere"), "a wrong route");
  const int unknown = am::deviceCount() > 0 ? AFFINIMATH_UNKNOWN_DEVICE : AFFINIMATH_NO_DEVICE;
  check(throws([] { am::deviceName(99999); }, unknown, "affinimathDeviceName"), "a device that there is not");
  check(throws([] { am::check(affinimathSetNumThreads(0)); }, -1, "threads"), "check of a C function's status");
  std::vector<float> none(1);
  check(am::nothrow::scal(2, 1, none, 1) == -3, "a container too small");
  check(std::string(am::lastError()).find("2 elements are needed") != std::string::npos, "its text");
  check(throws([] { am::check(affinimathSetRoute("neither")); }, -1, "neither"), "a later error of a C function");
  // A text belongs to its thread.
  bool empty = false;
  std::thread([&] { empty = *am::lastError() == 0; }).join();
  check(empty, "another thread's last error");
  try {
    am::setNumThreads(0);
  } catch (const std::runtime_error &error) {
    check(std::string(error.what()) == affinimathLastError(), "what() is the last error");
  }
}

/** Functions on memory objects refuse a null queue; CL/cl.h is not needed for that. */
template <class T>
void memory_objects()
{
  check(am::nothrow::gemmCL<T>(nullptr, Layout::ColMajor, Op::NoTrans, Op::NoTrans, 1, 1, 1, 1, nullptr, 0, 1, nullptr,
            0, 1, 0, nullptr, 0, 1) == -1,
      "gemmCL without a queue");
  check(throws([] { am::scalCL<T>(nullptr, 1, 2, nullptr, 0, 1); }, -1, "queue"), "scalCL without a queue");
}

int main()
{
  FOR_EACH_TYPE(containers);
  FOR_EACH_TYPE(kinds_of_containers);
  FOR_EACH_TYPE(memory_objects);
  library();
  return finish("errors in C++");
}
