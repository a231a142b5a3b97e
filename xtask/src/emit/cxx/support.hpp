using std::int32_t;
using std::int64_t;

namespace detail {

/** The facts about the last operand that this header refused. */
struct Refusal {
  /** Empty where the library's own error is a later one. */
  char text[192];
  /** The beginning of the library's last error at that time. */
  char before[64];
  int64_t needed;
  int64_t given;
};
inline thread_local Refusal refusal = {{0}, {0}, 0, 0};

/** True where the library has had no error since the refusal: C functions may have been called directly. */
inline bool refused_last() noexcept
{
  return refusal.text[0] != 0 && std::strncmp(refusal.before, affinimathLastError(), sizeof refusal.before - 1) == 0;
}

/** Keeps the library's last error beside a refusal's text. */
inline void refuse() noexcept
{
  std::snprintf(refusal.before, sizeof refusal.before, "%s", affinimathLastError());
}

} // namespace detail

/** The facts about the calling thread's last error, also where this header found it. */
inline const char *lastError() noexcept
{
  return detail::refused_last() ? detail::refusal.text : affinimathLastError();
}

/* A program without exceptions has the namespace nothrow alone. */
#ifdef __cpp_exceptions

/** Thrown by every function outside of affinimath::nothrow: a status, and the facts as text. */
class Error : public std::runtime_error {
public:
  Error(int status, const char *text) : std::runtime_error(text), status_(status) {}

  /** -i for the i-th argument, more than 0 for LAPACK's info, -1000 and below for the library's own errors. */
  int status() const noexcept { return status_; }

private:
  int status_;
};

/** Throws an Error for any status but 0. It serves the C functions too. */
inline void check(int status)
{
  if (status == AFFINIMATH_SUCCESS) return;
  const char *text = lastError();
  throw Error(status, *text != 0 ? text : affinimathStatusString(status));
}

#endif // __cpp_exceptions

namespace detail {

/** Defined where a container has adjacent elements of type T: data() and size(). */
template <class Container, class T>
using container_of = std::enable_if_t<
    std::is_convertible_v<std::remove_pointer_t<decltype(std::declval<Container &>().data())> (*)[], T (*)[]> &&
    std::is_convertible_v<decltype(std::declval<Container &>().size()), int64_t>>;

} // namespace detail

/** Adjacent elements of a container: a pointer and a count. std::vector, std::array and std::span convert to it. */
template <class T>
class Span {
public:
  template <class Container, class = detail::container_of<Container, T>>
  Span(Container &&container) noexcept
      : data_(container.data()), size_(static_cast<int64_t>(container.size()))
  {
  }

  T *data() const noexcept { return data_; }
  int64_t size() const noexcept { return size_; }

private:
  T *data_;
  int64_t size_;
};

/** An operand: a pointer, whose elements nobody counts, or a container, whose size is checked before the call. */
template <class T>
class Elements {
public:
  Elements(T *data) noexcept : data_(data) {}
  Elements(std::nullptr_t) noexcept : data_(nullptr) {}
  template <class Container, class = detail::container_of<Container, T>>
  Elements(Container &&container) noexcept
      : data_(container.data()), size_(static_cast<int64_t>(container.size()))
  {
  }

  T *data() const noexcept { return data_; }
  /** Elements of the container, or -1 of a pointer. */
  int64_t size() const noexcept { return size_; }
  /** True of a container. An empty one without memory is a null pointer, which the library judges. */
  bool counted() const noexcept { return size_ >= 0 && data_ != nullptr; }

private:
  T *data_;
  int64_t size_ = -1;
};

namespace detail {

/** True of the types that a routine exists for. */
template <class T, class... Types>
using among = std::enable_if_t<std::disjunction_v<std::is_same<T, Types>...>, int>;

template <class T>
struct Parts {
  using Real = T;
  using Complex = std::complex<T>;
};
template <class T>
struct Parts<std::complex<T>> {
  using Real = T;
  using Complex = std::complex<T>;
};
/** A type that is not deduced: a call names T. */
template <class T>
struct Named {
  using Type = T;
};
template <class T>
using Scalar = typename Named<T>::Type;
template <class T>
using Real = typename Parts<T>::Real;
template <class T>
using Complex = typename Parts<T>::Complex;

/* Values as the C functions take them. std::complex has the layout of the C types: [complex.numbers.general]. */
inline affinimath_c32 c(std::complex<float> z) noexcept
{
  affinimath_c32 value;
  std::memcpy(&value, &z, sizeof value);
  return value;
}
inline affinimath_c64 c(std::complex<double> z) noexcept
{
  affinimath_c64 value;
  std::memcpy(&value, &z, sizeof value);
  return value;
}
inline affinimath_c32 *c(std::complex<float> *z) noexcept { return reinterpret_cast<affinimath_c32 *>(z); }
inline affinimath_c64 *c(std::complex<double> *z) noexcept { return reinterpret_cast<affinimath_c64 *>(z); }
inline const affinimath_c32 *c(const std::complex<float> *z) noexcept
{
  return reinterpret_cast<const affinimath_c32 *>(z);
}
inline const affinimath_c64 *c(const std::complex<double> *z) noexcept
{
  return reinterpret_cast<const affinimath_c64 *>(z);
}
template <class T>
constexpr T *c(T *x) noexcept
{
  return x;
}
template <class Enumeration, class = std::enable_if_t<std::is_enum_v<Enumeration>>>
constexpr int c(Enumeration x) noexcept
{
  return static_cast<int>(x);
}
inline float c(float x) noexcept { return x; }
inline double c(double x) noexcept { return x; }

/** Of C functions for each of a list of types, that for T. */
template <class T, class First, class... Types, class Function, class... Functions>
constexpr auto of(Function function, Functions... functions) noexcept
{
  if constexpr (std::is_same_v<T, First>) {
    return function;
  } else {
    return of<T, Types...>(functions...);
  }
}

/** A count of elements: at least 0, and at most the largest number, where a sum or a product would be beyond it. */
class Count {
public:
  static constexpr int64_t most = std::numeric_limits<int64_t>::max();

  constexpr Count(int64_t value) noexcept : value_(value < 0 ? 0 : value) {}
  constexpr int64_t value() const noexcept { return value_; }

  friend constexpr Count operator+(Count a, Count b) noexcept
  {
    return a.value_ > most - b.value_ ? most : a.value_ + b.value_;
  }
  friend constexpr Count operator-(Count a, Count b) noexcept { return a.value_ - b.value_; }
  friend constexpr Count operator*(Count a, Count b) noexcept
  {
    return b.value_ != 0 && a.value_ > most / b.value_ ? most : a.value_ * b.value_;
  }
  friend constexpr Count operator/(Count a, Count b) noexcept { return a.value_ / b.value_; }

private:
  int64_t value_;
};

constexpr Count min(Count a, Count b) noexcept { return a.value() < b.value() ? a : b; }
constexpr Count max(Count a, Count b) noexcept { return a.value() < b.value() ? b : a; }
constexpr Count abs(int64_t a) noexcept
{
  return a >= 0 ? a : a < -Count::most ? Count::most : -a;
}

constexpr bool transposes(Op op) noexcept { return op == Op::Trans || op == Op::ConjTrans; }
constexpr bool is_one(Op op) noexcept { return transposes(op) || op == Op::NoTrans || op == Op::ConjNoTrans; }

/* Of options that are none, nothing is needed: the library refuses them. */
constexpr Count op(Op op, Count plain, Count transposed) noexcept
{
  return transposes(op) ? transposed : is_one(op) ? plain : Count(0);
}
constexpr Count left(Side side, Count left, Count right) noexcept
{
  return side == Side::Left ? left : side == Side::Right ? right : Count(0);
}

/** Elements of a vector from its first to its last one. */
constexpr Count vector(Count n, int64_t increment = 1) noexcept
{
  return n.value() == 0 ? Count(0) : Count(1) + (n - 1) * abs(increment);
}

/** Elements of `lines` columns (or rows) of `length` elements; 0 for the library to refuse the leading dimension. */
constexpr Count lines(Count lines, Count length, int64_t ld) noexcept
{
  return lines.value() == 0 || length.value() == 0 || ld < length.value() ? Count(0) : (lines - 1) * ld + length;
}

constexpr Count matrix(Layout layout, Count rows, Count columns, int64_t ld) noexcept
{
  if (layout == Layout::RowMajor) return lines(rows, columns, ld);
  return layout == Layout::ColMajor ? lines(columns, rows, ld) : Count(0);
}

constexpr Count matrix(Layout layout, Op op, Count rows, Count columns, int64_t ld) noexcept
{
  if (transposes(op)) return matrix(layout, columns, rows, ld);
  return is_one(op) ? matrix(layout, rows, columns, ld) : Count(0);
}

constexpr Count band(Layout layout, Count rows, Count columns, Count diagonals, int64_t ld) noexcept
{
  if (layout == Layout::RowMajor) return lines(rows, diagonals, ld);
  return layout == Layout::ColMajor ? lines(columns, diagonals, ld) : Count(0);
}

/** Elements of a batch whose members are a stride apart. */
constexpr Count strided(Count one, int64_t stride, int64_t batch) noexcept
{
  return one.value() == 0 || batch <= 0 || stride < 0 ? Count(0) : one + Count(stride) * (Count(batch) - 1);
}

/** Elements of a batch whose members begin at offsets. Nobody asks for those behind a pointer. */
template <class T>
Count at_offsets(Elements<T> operand, Count one, Elements<const int64_t> offsets, int64_t batch) noexcept
{
  const bool readable = offsets.data() != nullptr && (!offsets.counted() || offsets.size() >= batch);
  if (!operand.counted() || !readable || one.value() == 0 || batch <= 0) return 0;
  int64_t last = 0;
  for (int64_t i = 0; i < batch; ++i) last = last < offsets.data()[i] ? offsets.data()[i] : last;
  return one + last;
}

/** Entries of compressed rows, which the last row pointer tells. */
template <class Index>
Count last(Elements<const Index> pointers, int64_t rows) noexcept
{
  const bool readable = rows >= 0 && pointers.data() != nullptr && (!pointers.counted() || rows < pointers.size());
  return readable ? pointers.data()[rows] : 0;
}

/** True of a container with fewer elements than are needed. */
template <class T>
bool lacks(Elements<T> operand, Count needed) noexcept
{
  if (!operand.counted() || operand.size() >= needed.value()) return false;
  refusal.needed = needed.value();
  refusal.given = operand.size();
  return true;
}

/** Keeps the facts about what lacks elements, and returns its index as a status. */
inline int refused(const char *function, int position, const char *name) noexcept
{
  std::snprintf(refusal.text, sizeof refusal.text, "%s: argument %s: %lld elements are needed, and there are %lld",
      function, name, static_cast<long long>(refusal.needed), static_cast<long long>(refusal.given));
  refuse();
  return -position;
}

/** True of a container with more or fewer elements than the others tell. */
template <class T>
bool differs(Span<T> operand, Count needed) noexcept
{
  refusal.needed = needed.value();
  refusal.given = operand.size();
  return refusal.needed != refusal.given;
}

/** Keeps the facts about what differs. */
inline int mismatched(const char *function, const char *name) noexcept
{
  std::snprintf(refusal.text, sizeof refusal.text, "%s: %s has %lld elements, and the other operands need %lld",
      function, name, static_cast<long long>(refusal.given), static_cast<long long>(refusal.needed));
  refuse();
  return AFFINIMATH_SHAPE_MISMATCH;
}

/** A status of the library, whose text is the last error's from then on. */
inline int told(int status) noexcept
{
  if (status != AFFINIMATH_SUCCESS) refusal.text[0] = 0;
  return status;
}

} // namespace detail

/** An object of the library's, ended by its destructor: it can be moved, not copied. */
template <class Raw, int (*Destroy)(Raw *)>
class Unique {
public:
  Unique() noexcept = default;
  /** Takes over what a C function made. */
  explicit Unique(Raw *raw) noexcept : raw_(raw) {}
  Unique(Unique &&other) noexcept : raw_(other.release()) {}
  Unique &operator=(Unique &&other) noexcept
  {
    reset(other.release());
    return *this;
  }
  Unique(const Unique &) = delete;
  Unique &operator=(const Unique &) = delete;
  ~Unique() { reset(); }

  /** The C handle, which stays this object's. */
  Raw *get() const noexcept { return raw_; }
  explicit operator bool() const noexcept { return raw_ != nullptr; }
  /** The C handle, which is the caller's to destroy from then on. */
  Raw *release() noexcept { return std::exchange(raw_, nullptr); }
  /** Ends what it held. */
  void reset(Raw *raw = nullptr) noexcept
  {
    if (raw_ != nullptr) static_cast<void>(Destroy(raw_));
    raw_ = raw;
  }

private:
  Raw *raw_ = nullptr;
};
