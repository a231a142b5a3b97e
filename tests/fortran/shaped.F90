! The module's calls on arrays, and its generic names with default integers, in four types.
module checks
  use affinimath
  implicit none
  integer :: failures = 0, count = 0

contains

  subroutine check(holds, what)
    logical, intent(in) :: holds
    character(len=*), intent(in) :: what
    count = count + 1
    if (holds) return
    failures = failures + 1
    print "(4a)", what, " failed: ", affinimathText(affinimathLastError())
  end subroutine check
end module checks

#define KIND_ c_float
#define TYPE real(c_float)
#define BOTH(re, im) real(re, c_float)
#define CONJUGATE(x) (x)
module shaped_s
#include "shaped_type.inc"
end module shaped_s
#undef KIND_
#undef TYPE
#undef BOTH

#define KIND_ c_double
#define TYPE real(c_double)
#define BOTH(re, im) real(re, c_double)
module shaped_d
#include "shaped_type.inc"
end module shaped_d
#undef KIND_
#undef TYPE
#undef BOTH
#undef CONJUGATE

#define KIND_ c_float
#define TYPE complex(c_float_complex)
#define BOTH(re, im) cmplx(re, im, c_float)
#define CONJUGATE(x) conjg(x)
module shaped_c
#include "shaped_type.inc"
end module shaped_c
#undef KIND_
#undef TYPE
#undef BOTH

#define KIND_ c_double
#define TYPE complex(c_double_complex)
#define BOTH(re, im) cmplx(re, im, c_double)
module shaped_z
#include "shaped_type.inc"
end module shaped_z

program shaped
  use, intrinsic :: iso_c_binding
  use affinimath
  use checks
  use shaped_s, only: test_s => test
  use shaped_d, only: test_d => test
  use shaped_c, only: test_c => test
  use shaped_z, only: test_z => test
  implicit none

  call test_s
  call test_d
  call test_c
  call test_z
  call transforms
  call mixed
  print "(a, i0, a, i0, a)", "shaped: ", count, " checks, ", failures, " failures"
  if (failures > 0) error stop 1

contains

  subroutine transforms
    integer, parameter :: n = 10, rows = 3
    complex(c_double_complex) :: x(n), y(n), z(n), many(n, rows), plane(n, rows)
    complex(c_double_complex) :: half(n / 2 + 1), halves(n / 2 + 1, rows)
    complex(c_float_complex) :: single(n), transformed(n)
    real(c_double) :: re(n), im(n), back(n), matrix(n, rows), again(n, rows)
    integer :: i, j, status
    call random_number(re)
    call random_number(im)
    x = cmplx(re, im, c_double)
    do i = 1, n
      z(i) = sum([(x(j) * exp(cmplx(0, -2 * acos(-1.0d0) * (i - 1) * (j - 1) / n, c_double)), j=1, n)])
    end do
    call affinimath_fft1(x, y)
    call check(maxval(abs(y - z)) < 1e-13, "fft1")
    single = cmplx(x, kind=c_float)
    call affinimath_fft1(single, transformed)
    call check(maxval(abs(transformed - z)) < 1e-4, "fft1 in single precision")
    call affinimath_fft1(y, z, AFFINIMATH_BACKWARD)
    call check(maxval(abs(z / n - x)) < 1e-14, "fft1 backward")
    many = spread(x, 2, rows)
    call affinimath_fftMany(many, plane)
    call check(maxval(abs(plane - spread(y, 2, rows))) < 1e-13, "fftMany")
    call affinimath_fft2(many, plane)
    call affinimath_fft2(plane, many, AFFINIMATH_BACKWARD)
    call check(maxval(abs(many / (n * rows) - spread(x, 2, rows))) < 1e-13, "fft2")
    call affinimath_rfft(re, half)
    call affinimath_irfft(half, back)
    call check(maxval(abs(back / n - re)) < 1e-14, "rfft and irfft")
    call random_number(matrix)
    call affinimath_rfft2(matrix, halves)
    call affinimath_irfft2(halves, again)
    call check(maxval(abs(again / (n * rows) - matrix)) < 1e-14, "rfft2 and irfft2")
    call affinimath_rfft(re, half(2:), stat=status)
    call check(status == AFFINIMATH_SHAPE_MISMATCH, "rfft into a short vector")
  end subroutine transforms

  !> Factors in single precision, whose solution is another argument.
  subroutine mixed
    integer, parameter :: n = 8
    real(c_double) :: a(n, n), f(n, n), b(n), x(n), y(n)
    integer(c_int32_t) :: iterations
    integer :: i
    call random_number(a)
    call random_number(y)
    do i = 1, n
      a(i, i) = a(i, i) + n
    end do
    f = a
    b = matmul(a, y)
    iterations = -99
    call affinimath_gesv(f, b, x, iter=iterations)
    call check(iterations >= 0 .and. maxval(abs(x - y)) < 1e-13, "gesv in mixed precision")
  end subroutine mixed
end program shaped
