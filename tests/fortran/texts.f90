! Text expressions on Fortran's arrays of each type and rank: values, parts, strides, scalars and errors.
program texts
  use, intrinsic :: iso_c_binding
  use affinimath
  implicit none
  integer :: failures = 0

  call vectors
  call matrices
  call types
  call ranks
  call strides
  call parts
  call errors
  if (failures > 0) error stop 1
  print "(a)", "passed: text expressions"

contains

  subroutine check(holds, what)
    logical, intent(in) :: holds
    character(len=*), intent(in) :: what
    if (holds) return
    failures = failures + 1
    print "(4a)", what, " failed: ", affinimathText(affinimathLastError())
  end subroutine check

  subroutine vectors
    real(c_double), target :: x(1000), y(1000), z(1000)
    real(c_double) :: total
    integer :: i
    x = [(0.5d0 * i, i = 1, 1000)]
    y = [(1.0d0 * mod(i, 7) - 3, i = 1, 1000)]
    call affinimath_evaluate("2.5*x + sqrt(abs(y))", [affinimath_variable("x", x), affinimath_variable("y", y)], z)
    call check(all(abs(z - (2.5d0 * x + sqrt(abs(y)))) < 1d-12), "a fused expression")
    call affinimath_evaluate("sum(s*x)", [affinimath_variable("x", x), affinimath_variable("s", 2.0d0)], total)
    call check(abs(total - 2 * sum(x)) < 1d-9 * total, "a sum, and a scalar as an operand")
    call affinimath_evaluate("x", [affinimath_variable("x", x(1000:1:-1))], z)
    call check(all(abs(z - x(1000:1:-1)) <= 0), "elements backwards")
    call affinimath_evaluate("uniform(1, 1000)", [affinimath_variable ::], z)
    call check(all(z >= 0 .and. z < 1) .and. any(z > 0.9d0), "random numbers without an operand")
    call affinimath_evaluate("x + 1", [affinimath_variable("x", x(1:0))], z(1:0))
    call check(.true., "arrays without elements")
  end subroutine vectors

  subroutine matrices
    real(c_float), target :: a(3, 4), b(4, 2), c(3, 2), row(4)
    integer :: i
    a = reshape([(real(i, c_float), i = 1, 12)], [3, 4])
    b = reshape([(real(i, c_float), i = 1, 8)], [4, 2])
    call affinimath_evaluate("a @ b - 1", [affinimath_variable("a", a), affinimath_variable("b", b)], c)
    call check(all(abs(c - matmul(a, b) + 1) <= 0), "a product of matrices")
    call affinimath_evaluate("a.max(axis=0)", [affinimath_variable("a", a)], row)
    call check(all(abs(row - maxval(a, 1)) <= 0), "the first axis is Fortran's first dimension")
    call affinimath_evaluate("a[1]", [affinimath_variable("a", a)], row)
    call check(all(abs(row - a(2, :)) <= 0), "indices begin at 0")
  end subroutine matrices

  subroutine types
    logical(c_bool), target :: l(3), m(3)
    integer(c_int32_t), target :: i(3), j(3)
    integer(c_int64_t), target :: k(3), n(3)
    complex(c_float_complex), target :: c(3), d(3)
    complex(c_double_complex), target :: z(3), w(3)
    complex(c_double_complex) :: s
    l = [.true., .false., .true.]
    i = [1, 2, 3]
    k = [10_c_int64_t, 20_c_int64_t, 30_c_int64_t]
    c = [(1.0, 2.0), (0.0, -1.0), (3.0, 0.0)]
    z = c
    s = (0.0d0, 1.0d0)
    call affinimath_evaluate("~x", [affinimath_variable("x", l)], m)
    call check(all(logical(m .neqv. l)), "logical")
    call affinimath_evaluate("x*x", [affinimath_variable("x", i)], j)
    call check(all(j == i * i), "integers of 32 bits")
    call affinimath_evaluate("x - y", [affinimath_variable("x", k), affinimath_variable("y", i)], n)
    call check(all(n == k - i), "integers of 64 bits")
    call affinimath_evaluate("conj(x)", [affinimath_variable("x", c)], d)
    call check(all(abs(d - conjg(c)) <= 0), "complex")
    call affinimath_evaluate("s*x", [affinimath_variable("x", z), affinimath_variable("s", s)], w)
    call check(all(abs(w - s * z) <= 0), "double complex")
    call affinimath_evaluate("x[1]", [affinimath_variable("x", z)], s)
    call check(abs(s - z(2)) <= 0, "a double complex scalar")
    call affinimath_evaluate("any(x)", [affinimath_variable("x", l)], m(1))
    call check(logical(m(1)), "a logical scalar")
    call affinimath_evaluate("n + 1", [affinimath_variable("n", 41_c_int32_t)], j(1))
    call check(j(1) == 42, "an integer scalar")
  end subroutine types

  subroutine ranks
    real(c_double), target :: x(2, 3, 4), y(2, 3, 4), w(2, 3, 2, 2), v(2, 3, 2, 2), reduced(2, 4)
    integer :: i
    x = reshape([(1.0d0 * i, i = 1, 24)], [2, 3, 4])
    w = reshape(x, [2, 3, 2, 2])
    call affinimath_evaluate("-x", [affinimath_variable("x", x)], y)
    call check(all(abs(y + x) <= 0), "rank 3")
    call affinimath_evaluate("2*w", [affinimath_variable("w", w)], v)
    call check(all(abs(v - 2 * w) <= 0), "rank 4")
    call affinimath_evaluate("x.sum(axis=1)", [affinimath_variable("x", x)], reduced)
    call check(all(abs(reduced - sum(x, 2)) <= 0), "a sum along the second dimension")
  end subroutine ranks

  subroutine strides
    real(c_double), target :: x(6, 6), y(3, 2)
    integer :: i
    x = reshape([(1.0d0 * i, i = 1, 36)], [6, 6])
    call affinimath_evaluate("x", [affinimath_variable("x", x(1:6:2, 6:2:-3))], y)
    call check(all(abs(y - x(1:6:2, 6:2:-3)) <= 0), "a part with strides")
    y = 0
    call affinimath_evaluate("x", [affinimath_variable("x", y)], x(2:6:2, 1:2))
    call check(all(abs(x(2:6:2, 1:2)) <= 0), "a result with strides")
    call check(abs(x(1, 1) - 1) <= 0 .and. abs(x(3, 2) - 9) <= 0, "elements between strides")
  end subroutine strides

  subroutine parts
    real(c_double), target :: x(5), y(5)
    x = [1, 2, 3, 4, 5]
    y = 0
    call affinimath_assign("y = 2*x; x[1:-1] = -1", [affinimath_variable("x", x), affinimath_variable("y", y)])
    call check(all(abs(x - [1, -1, -1, -1, 5]) <= 0), "a text that assigns a part of an operand")
    call check(all(abs(y - [2, 4, 6, 8, 10]) <= 0), "a text that assigns an operand")
  end subroutine parts

  subroutine errors
    real(c_double), target :: x(3), y(4)
    character(len=300) :: message
    integer(c_int) :: status
    x = 1
    y = 7
    call affinimath_evaluate("x + w", [affinimath_variable("x", x)], y(:3), status, message)
    call check(status /= AFFINIMATH_SUCCESS .and. index(message, 'no operand is called "w"') > 0, "an unknown name")
    call affinimath_evaluate("x +", [affinimath_variable("x", x)], y(:3), stat=status, errmsg=message)
    call check(status /= AFFINIMATH_SUCCESS .and. index(message, "line 1, column 4") > 0, "a text that ends early")
    call affinimath_evaluate("x", [affinimath_variable("x", x)], y, stat=status, errmsg=message)
    call check(status /= AFFINIMATH_SUCCESS .and. index(message, "broadcast") > 0, "a result of another shape")
    call check(all(abs(y - 7) <= 0), "an error changes nothing")
    call affinimath_evaluate("x[0]", [affinimath_variable("x", x)], y(1), stat=status)
    call check(status == AFFINIMATH_SUCCESS .and. abs(y(1) - 1) <= 0, "a success with stat")
  end subroutine errors
end program texts
