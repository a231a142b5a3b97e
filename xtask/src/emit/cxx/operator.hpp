
#ifdef __cpp_exceptions

/**
 * A callable as the matrix of a solver: y := op(A) x, called as f(x, y) or f(op, x, y) with pointers to adjacent
 * elements. What it throws ends the solve and arrives at the caller.
 */
template <class T>
class Operator {
public:
  template <class Callable, class = std::enable_if_t<std::is_invocable_v<Callable &, const T *, T *> ||
                                std::is_invocable_v<Callable &, Op, const T *, T *>>>
  Operator(Callable callable)
      : callable_([call = std::move(callable)](Op op, const T *x, T *y) mutable {
          if constexpr (std::is_invocable_v<Callable &, Op, const T *, T *>) {
            call(op, x, y);
          } else {
            static_cast<void>(op);
            call(x, y);
          }
        })
  {
  }

  /** The callback of the C function, and its argument. */
  affinimath_operator function() const noexcept { return &apply; }
  void *user() const noexcept { return const_cast<Operator *>(this); }

  /** Throws what the callable threw, or an Error for any status but 0. */
  void check(int status) const
  {
    if (thrown_) std::rethrow_exception(std::exchange(thrown_, nullptr));
    affinimath::check(status);
  }

private:
  static int apply(void *user, int op, const void *x, void *y) noexcept
  {
    const Operator &self = *static_cast<const Operator *>(user);
    try {
      self.callable_(static_cast<Op>(op), static_cast<const T *>(x), static_cast<T *>(y));
      return AFFINIMATH_SUCCESS;
    } catch (...) {
      self.thrown_ = std::current_exception();
      return AFFINIMATH_INTERNAL;
    }
  }

  std::function<void(Op, const T *, T *)> callable_;
  mutable std::exception_ptr thrown_;
};

#endif // __cpp_exceptions
