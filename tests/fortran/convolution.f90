! Convolutions and correlations by the Fortran module: functions without a plan by their generic names, and a plan,
! against sums of products.
program convolution
  use, intrinsic :: iso_c_binding
  use affinimath
  implicit none

  integer :: failures = 0

  call functions_of_reals
  call functions_of_complex_numbers
  call rows_by_a_plan
  call wrong_arguments
  call check(affinimathShutdown() == AFFINIMATH_SUCCESS, "shutdown")
  print "(a, i0, a)", "fortran: ", failures, " failures"
  if (failures > 0) error stop 1

contains

  subroutine check(holds, what)
    logical, intent(in) :: holds
    character(len=*), intent(in) :: what
    if (holds) return
    failures = failures + 1
    print "(4a)", what, " failed: ", affinimathText(affinimathLastError())
  end subroutine check

  ! All sums of h_j x_(k-j).
  pure function sums(x, h) result(y)
    complex(c_double_complex), intent(in) :: x(:), h(:)
    complex(c_double_complex) :: y(size(x) + size(h) - 1)
    integer :: j
    y = 0
    do j = 1, size(h)
      y(j:j + size(x) - 1) = y(j:j + size(x) - 1) + h(j) * x
    end do
  end function sums

  ! A few roundings for each radix, of the norms' product.
  pure function bound(x, h, eps) result(most)
    complex(c_double_complex), intent(in) :: x(:), h(:)
    real(c_double), intent(in) :: eps
    real(c_double) :: most
    most = 2 * eps * log(real(size(x) + size(h), c_double) + 2) / log(2.0_c_double) * norm2(abs(x)) * norm2(abs(h))
  end function bound

  subroutine functions_of_reals
    integer(c_int64_t), parameter :: n = 50, m = 7
    real(c_float) :: x(n), h(m), y(n + m - 1), z(n - m + 1)
    complex(c_double_complex) :: wide_x(n), wide_h(m), expected(n + m - 1)
    real(c_double) :: most
    integer :: i
    x = [(sin(1.0 * i), i = 1, int(n))]
    h = [(1.0 / i, i = 1, int(m))]
    wide_x = x
    wide_h = h
    most = bound(wide_x, wide_h, real(epsilon(1.0_c_float), c_double))
    expected = sums(wide_x, wide_h)
    call check(affinimathConvolve(AFFINIMATH_FULL, n, m, x, h, y) == AFFINIMATH_SUCCESS, "convolve")
    call check(maxval(abs(y - expected)) <= most, "the sums")
    expected = sums(wide_x, wide_h(m:1:-1))
    call check(affinimathCorrelate(AFFINIMATH_VALID, n, m, x, h, z) == AFFINIMATH_SUCCESS, "correlate")
    call check(maxval(abs(z - expected(m:n))) <= most, "the correlation's sums")
  end subroutine functions_of_reals

  subroutine functions_of_complex_numbers
    integer(c_int64_t), parameter :: n = 20, m = 6
    complex(c_double_complex) :: x(n), h(m), y(n), expected(n + m - 1)
    integer :: i
    x = [(cmplx(sin(1.0d0 * i), cos(2.0d0 * i), c_double_complex), i = 1, int(n))]
    h = [(cmplx(1.0d0 / i, 0.5d0 * i, c_double_complex), i = 1, int(m))]
    expected = sums(x, conjg(h(m:1:-1)))
    call check(affinimathCorrelate(AFFINIMATH_SAME, n, m, x, h, y) == AFFINIMATH_SUCCESS, "correlate")
    call check(maxval(abs(y - expected(3:n + 2))) <= bound(x, h, epsilon(1.0_c_double)), "the sums of conjugates")
  end subroutine functions_of_complex_numbers

  ! The columns of a matrix, each a signal.
  subroutine rows_by_a_plan
    integer(c_int64_t), parameter :: n = 30, m = 4, batch = 3
    real(c_double) :: x(n, batch), h(m), y(n, batch)
    complex(c_double_complex) :: wide_x(n), wide_h(m), expected(n + m - 1)
    type(affinimath_convolution_descriptor) :: descriptor
    type(c_ptr) :: plan
    integer :: i
    x = reshape([(cos(3.0d0 * i), i = 1, int(n * batch))], [n, batch])
    h = [1.0d0, -2.0d0, 4.0d0, 0.5d0]
    call check(affinimathConvolutionDescriptor(descriptor, AFFINIMATH_CONVOLUTION, AFFINIMATH_SAME, AFFINIMATH_DOUBLE, &
      1_c_int, &
      [n], [m]) == AFFINIMATH_SUCCESS, "a descriptor")
    descriptor%batch = batch
    call check(affinimathConvolutionPlanCreate(descriptor, plan) == AFFINIMATH_SUCCESS, "a plan")
    call check(affinimathConvolutionExecute(plan, x, h, y) == AFFINIMATH_SUCCESS, "execute")
    call check(affinimathConvolutionPlanDestroy(plan) == AFFINIMATH_SUCCESS, "destroy")
    do i = 1, int(batch)
      wide_x = x(:, i)
      wide_h = h
      expected = sums(wide_x, wide_h)
      call check(maxval(abs(y(:, i) - expected(2:n + 1))) <= bound(wide_x, wide_h, epsilon(1.0_c_double)), &
        "a column's sums")
    end do
  end subroutine rows_by_a_plan

  subroutine wrong_arguments
    integer(c_int64_t), parameter :: n = 4
    real(c_double) :: x(n), y(n)
    type(affinimath_convolution_descriptor) :: descriptor
    type(c_ptr) :: plan
    x = 1
    y = 3
    call check(affinimathConvolve(0_c_int, n, n, x, x, y) == -1, "an extent")
    call check(affinimathConvolve(AFFINIMATH_SAME, n, 0_c_int64_t, x, x, y) == -3, "no kernel")
    call check(all(abs(y - 3) <= 0), "nothing is touched")
    call check(affinimathConvolutionDescriptor(descriptor, AFFINIMATH_CONVOLUTION, AFFINIMATH_CIRCULAR, &
      AFFINIMATH_DOUBLE, &
      1_c_int, [n], [n + 1]) == AFFINIMATH_SUCCESS, "a descriptor")
    plan = c_null_ptr
    call check(affinimathConvolutionPlanCreate(descriptor, plan) == -1 .and. .not. c_associated(plan), &
      "a wrong descriptor")
    call check(index(affinimathText(affinimathLastError()), "its kernel") > 0, "the last error names the field")
    call check(affinimathConvolutionExecute(c_null_ptr, x, x, y) == -1, "no plan")
  end subroutine wrong_arguments
end program convolution
