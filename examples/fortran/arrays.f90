! Solves a system of linear equations without sizes: a, b and what may be left out.
!
!   gfortran -I$PREFIX/include arrays.f90 -L$PREFIX/lib -laffinimath_fortran -laffinimath -o arrays && ./arrays
program arrays
  use affinimath
  implicit none
  integer, parameter :: dp = kind(1.0d0)
  ! A parabola through (1, 2), (2, 3) and (3, 6), by columns: 1, t and t**2 at the three points.
  real(dp), parameter :: a(3, 3) = reshape([real(dp) :: 1, 1, 1, 1, 2, 3, 1, 4, 9], [3, 3])
  real(dp), parameter :: b(3) = [real(dp) :: 2, 3, 6]
  real(dp) :: factors(3, 3), x(3), residual(3)
  character(len=100) :: message
  integer :: status

  factors = a
  x = b
  call affinimath_gesv(factors, x)
  print "(a, 3f8.4)", "coefficients:", x

  residual = b
  call affinimath_gemv(a, x, residual, alpha=-1.0_dp, beta=1.0_dp)
  print "(a, es9.1)", "largest residual:", maxval(abs(residual))

  ! With `stat` the program goes on, and `errmsg` has the reason.
  call affinimath_gesv(factors, x(1:2), stat=status, errmsg=message)
  if (status == AFFINIMATH_SHAPE_MISMATCH) print "(a)", trim(message)
end program arrays
