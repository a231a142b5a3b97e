! Multiplies two matrices on the host or on the preferred device.
!
!   gfortran -I$PREFIX/include gemm.f90 -L$PREFIX/lib -laffinimath_fortran -laffinimath -o gemm && ./gemm
program gemm
  use, intrinsic :: iso_c_binding
  use affinimath
  implicit none
  integer(c_int64_t), parameter :: n = 2, k = 3
  real(c_double) :: a(n, k) = reshape([1, 4, 2, 5, 3, 6], [2, 3])
  real(c_double) :: b(k, n) = reshape([7, 9, 11, 8, 10, 12], [3, 2])
  real(c_double) :: c(n, n)
  integer(c_int) :: status

  status = affinimathGemm(AFFINIMATH_COL_MAJOR, AFFINIMATH_NO_TRANS, AFFINIMATH_NO_TRANS, n, n, k, &
    1.0_c_double, a, n, b, k, 0.0_c_double, c, n)
  if (status /= AFFINIMATH_SUCCESS) then
    print *, affinimathText(affinimathLastError())
    error stop 1
  end if
  print "(2f6.1)", c(1, :), c(2, :)
end program gemm
