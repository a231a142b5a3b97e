! Where a random walk on a ring of places is after 1024 steps: its matrix is squared ten times. Written for any BLAS.
!
!   gfortran walk_blas.f90 -lblas -o walk_blas && ./walk_blas
!   LD_PRELOAD=/path/libaffinimath_blas.so ./walk_blas
program walk_blas
  implicit none
  integer, parameter :: n = 300, double = kind(1d0)
  real(double) :: p(n, n), q(n, n)
  integer :: i
  external :: dgemm

  p = 0
  do i = 1, n
    p(i, i) = 0.5_double ! it stays, or goes to a neighbour
    p(modulo(i, n) + 1, i) = 0.25_double
    p(modulo(i - 2, n) + 1, i) = 0.25_double
  end do
  do i = 1, 10
    call dgemm("N", "N", n, n, n, 1.0_double, p, n, p, n, 0.0_double, q, n)
    p = q
  end do
  print "(a, f9.6)", "where it began:", p(1, 1)
  ! 2048 coins, of which half show heads.
  if (abs(p(1, 1) - 0.0176288_double) > 1e-6_double) error stop 1
end program walk_blas
