// Memory objects from C++: each family on the application's queue, for the types that the device has. Exits with 77
// without an OpenCL device.

extern "C" {
#include "../c/opencl_device.h"
}

#include "check.hpp"

using am::Layout;
using am::Op;

static opencl_device device;

/** Elements in a memory object of the device's context. */
template <class T>
class Memory {
public:
  explicit Memory(std::vector<T> elements) : size_(elements.size())
  {
    memory_ = clCreateBuffer(device.context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, size_ * sizeof(T),
        elements.data(), nullptr);
  }
  Memory(const Memory &) = delete;
  Memory &operator=(const Memory &) = delete;
  ~Memory() { clReleaseMemObject(memory_); }

  operator cl_mem() const { return memory_; }

  std::vector<T> read() const
  {
    std::vector<T> elements(size_);
    check(clEnqueueReadBuffer(device.queue, memory_, CL_TRUE, 0, size_ * sizeof(T), elements.data(), 0, nullptr,
              nullptr) == CL_SUCCESS,
        "read");
    return elements;
  }

private:
  cl_mem memory_;
  std::size_t size_;
};

template <class T>
void dense()
{
  const std::size_t m = 5, n = 4, k = 3;
  const std::vector<T> a = random<T>(m * k + 1), b = random<T>(k * n), c = random<T>(m * n);
  const T alpha = random<T>(1)[0], beta = random<T>(1)[0];
  const Memory<T> da(a), db(b), dc(c);
  const Memory<real_t<T>> norm({real_t<T>(0)});
  cl_event event = nullptr;
  am::gemmCL<T>(device.queue, Layout::ColMajor, Op::NoTrans, Op::NoTrans, m, n, k, alpha, da, 1, m, db, 0, k, beta,
      dc, 0, m, &event);
  check(event != nullptr && clWaitForEvents(1, &event) == CL_SUCCESS, "the event");
  clReleaseEvent(event);
  const std::vector<T> offset(a.begin() + 1, a.end());
  const auto expected = product(Op::NoTrans, Op::NoTrans, m, n, k, alpha, offset, m, b, k, beta, c, m);
  check(near(dc.read(), expected, 100), "gemmCL");
  am::nrm2CL<T>(device.queue, m * n, dc, 0, 1, norm, 0);
  const std::vector<real_t<T>> norms = {am::nrm2(expected)};
  check(near(norm.read(), norms, 100), "nrm2CL");
  check(throws([&] { am::scalCL<T>(device.queue, m * n + 1, 2, dc, 0, 1); }, -4, "x"), "a memory object too small");

  std::vector<T> square = random<T>(n * n), x = random<T>(n);
  for (std::size_t i = 0; i < n; ++i) square[i + i * n] += real_t<T>(n);
  const auto right = product(Op::NoTrans, Op::NoTrans, n, 1, n, T(1), square, n, x, n, T(0), x, n);
  const Memory<T> ds(square), dx(right);
  const Memory<std::int32_t> pivots{std::vector<std::int32_t>(n)}, info{std::vector<std::int32_t>(1, 9)};
  am::gesvCL<T>(device.queue, Layout::ColMajor, n, 1, ds, 0, n, pivots, 0, dx, 0, n, info, 0);
  check(near(dx.read(), x, 400) && info.read()[0] == 0, "gesvCL");
}

template <class T>
void sparse()
{
  const std::vector<std::int32_t> pointers = {0, 1, 3}, indices = {0, 0, 1};
  const std::vector<T> values = {T(2), T(1), T(4)}, x = random<T>(2);
  const Memory<std::int32_t> dp(pointers), di(indices);
  const Memory<T> dv(values), dx(x), dy(std::vector<T>(2));
  const am::Csr<T> a = am::csrCreateCL<T>(device.queue, 2, 2, dp, 0, di, 0, dv, 0);
  check(a.entries() == 3, "csrCreateCL");
  am::csrmvCL<T>(device.queue, Op::NoTrans, 1, a, dx, 0, 1, 0, dy, 0, 1);
  check(near(dy.read(), {T(2) * x[0], x[0] + T(4) * x[1]}, 8), "csrmvCL");
}

template <class R>
void transforms()
{
  using C = std::complex<R>;
  const std::size_t n = 8;
  const std::vector<C> x = random<C>(n);
  std::vector<C> expected(n);
  am::fft(am::Transform::Forward, x, expected);
  const Memory<C> dx(x), dy(x), dz(x);
  am::fftCL<C>(device.queue, am::Transform::Forward, n, dx, 0, dy, 0);
  check(near(dy.read(), expected, 40), "fftCL");
  const am::Precision precision = sizeof(R) == 4 ? am::Precision::Single : am::Precision::Double;
  const auto descriptor =
      am::fftDescriptor(am::Transform::Forward, precision, 1, std::vector<std::int64_t>{std::int64_t(n)});
  const am::FftPlan plan = am::fftPlanCreate(&descriptor);
  check(am::fftScratchBytes(plan, device.queue) >= 0, "fftScratchBytes");
  am::fftExecuteCL(plan, device.queue, dx, 0, dz, 0, nullptr);
  check(near(dz.read(), expected, 40), "a plan on the queue");
}

template <class T>
void texts(am::ElementType element)
{
  const std::int64_t n = 7;
  const std::vector<T> x = random<T>(n), y = random<T>(n + 1);
  const Memory<T> dx(x), dy(y);
  const int type = static_cast<int>(element);
  const affinimath_operand_cl operands[] = {{"x", dx, n - 1, type, 1, {n}, {-1}}, {"y", dy, 1, type, 1, {n}, {1}}};
  const am::Expression text = am::expressionCreate("y = y + 2*x");
  cl_event event = nullptr;
  am::expressionRunCL(text, device.queue, 2, operands, &event);
  check(clWaitForEvents(1, &event) == CL_SUCCESS && clReleaseEvent(event) == CL_SUCCESS, "a text's event");
  std::vector<T> expected = y;
  for (std::size_t i = 0; i < x.size(); ++i) expected[i + 1] += T(2) * x[x.size() - 1 - i];
  check(near(dy.read(), expected, 4), "a text on the queue");
  check(am::nothrow::expressionRunCL(text, device.queue, 1, operands) != AFFINIMATH_SUCCESS, "a text without y");
}

int main()
{
  if (!open_device(&device)) {
    std::printf("no OpenCL device\n");
    return 77;
  }
  dense<float>();
  dense<std::complex<float>>();
  sparse<float>();
  sparse<std::complex<float>>();
  transforms<float>();
  texts<float>(am::ElementType::Float);
  texts<std::complex<float>>(am::ElementType::ComplexFloat);
  if (device.fp64 != 0) {
    dense<double>();
    dense<std::complex<double>>();
    sparse<double>();
    sparse<std::complex<double>>();
    transforms<double>();
    texts<double>(am::ElementType::Double);
    texts<std::complex<double>>(am::ElementType::ComplexDouble);
  }
  affinimathShutdown();
  close_device(&device);
  return finish("memory objects in C++");
}
