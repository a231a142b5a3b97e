! Differentiates a periodic function on a grid: by its Fourier series, whose terms are multiplied by i k.
!
!   gfortran -I$PREFIX/include fft.f90 -L$PREFIX/lib -laffinimath_fortran -laffinimath -o fft && ./fft
program fft
  use, intrinsic :: iso_c_binding
  use affinimath
  implicit none
  integer(c_int64_t), parameter :: n = 48
  real(c_double), parameter :: step = 2 * acos(-1.0_c_double) / n
  real(c_double) :: x(n), values(n), slopes(n)
  complex(c_double_complex) :: spectrum(n / 2 + 1)
  type(affinimath_fft_descriptor) :: descriptor
  type(c_ptr) :: plan
  integer :: k

  x = [(step * k, k = 0, int(n) - 1)]
  values = exp(sin(x))

  ! One call: what it needs for this length is kept for the next one.
  call check(affinimathRfft(n, values, spectrum))
  spectrum = spectrum * [((0.0_c_double, 1.0_c_double) * k, k = 0, int(n / 2))]
  spectrum(n / 2 + 1) = 0

  ! A plan: back to real numbers, and divided by n on the way.
  call check(affinimathFftDescriptor(descriptor, AFFINIMATH_COMPLEX_TO_REAL, AFFINIMATH_DOUBLE, 1, [n]))
  descriptor%scale = 1.0_c_double / n
  call check(affinimathFftPlanCreate(descriptor, plan))
  call check(affinimathFftExecute(plan, spectrum, slopes))
  call check(affinimathFftPlanDestroy(plan))

  print "(a, es9.1)", "largest error of the derivative:", maxval(abs(slopes - cos(x) * values))
  if (maxval(abs(slopes - cos(x) * values)) > 1e-12_c_double) error stop 1

contains

  subroutine check(status)
    integer(c_int), intent(in) :: status
    if (status == AFFINIMATH_SUCCESS) return
    print "(a)", affinimathText(affinimathLastError())
    error stop 1
  end subroutine check
end program fft
