! Solves a system of linear equations by LU factorisation, and shows what is left of its right-hand side.
!
!   gfortran -I$PREFIX/include solve.f90 -L$PREFIX/lib -laffinimath_fortran -laffinimath -o solve && ./solve
program solve
  use, intrinsic :: iso_c_binding
  use affinimath
  implicit none
  integer(c_int64_t), parameter :: n = 3, one = 1
  ! A parabola through (1, 2), (2, 3) and (3, 6), by columns: 1, t and t**2 at the three points.
  real(c_double), parameter :: a(n, n) = reshape([real(c_double) :: 1, 1, 1, 1, 2, 3, 1, 4, 9], [n, n])
  real(c_double), parameter :: b(n, one) = reshape([real(c_double) :: 2, 3, 6], [n, one])
  real(c_double) :: factors(n, n), x(n, one), residual(n, one)
  integer(c_int32_t) :: pivots(n)

  ! The factors take the place of the matrix, and the solution that of the right-hand side.
  factors = a
  x = b
  call check(affinimathGesv(AFFINIMATH_COL_MAJOR, n, one, factors, n, pivots, x, n))
  print "(a, 3f8.4)", "coefficients:", x

  residual = b
  call check(affinimathGemm(AFFINIMATH_COL_MAJOR, AFFINIMATH_NO_TRANS, AFFINIMATH_NO_TRANS, n, one, n, &
    -1.0_c_double, a, n, x, n, 1.0_c_double, residual, n))
  print "(a, es9.1)", "largest residual:", maxval(abs(residual))

contains

  subroutine check(status)
    integer(c_int), intent(in) :: status
    if (status == AFFINIMATH_SUCCESS) return
    if (status > 0) then
      print "(a, i0, a)", "The matrix is singular: pivot ", status, " is zero."
    else
      print "(a)", affinimathText(affinimathLastError())
    end if
    error stop 1
  end subroutine check
end program solve
