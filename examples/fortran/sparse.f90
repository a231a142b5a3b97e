! Solves a system with a sparse matrix by restarted GMRES, with Jacobi's preconditioner.
!
!   gfortran -I$PREFIX/include sparse.f90 -L$PREFIX/lib -laffinimath_fortran -laffinimath -o sparse && ./sparse
program sparse
  use, intrinsic :: iso_c_binding
  use affinimath
  implicit none
  integer(c_int64_t), parameter :: n = 100
  integer(c_int32_t) :: row_indices(3 * n), column_indices(3 * n)
  real(c_double) :: values(3 * n), b(n), x(n)
  type(c_ptr) :: matrix, jacobi
  type(affinimath_solve_options) :: options
  type(affinimath_solve_outcome) :: outcome
  integer :: i, k

  ! Entries in any order, with rows and columns from 0: a nonsymmetric convection-diffusion matrix.
  k = 0
  do i = 0, int(n) - 1
    call add(i, i, 4.0d0 + mod(i, 5))
    if (i > 0) call add(i, i - 1, -1.5d0)
    if (i < n - 1) call add(i, i + 1, -0.5d0)
  end do
  call check(affinimathCsrFromCoo(n, n, int(k, c_int64_t), row_indices, column_indices, values, matrix))
  call check(affinimathJacobiCreate(matrix, jacobi))

  b = 1
  x = 0
  call check(affinimathSolveOptions(options, AFFINIMATH_DOUBLE))
  options%rtol = 1e-12_c_double
  options%preconditioner = jacobi
  call check(affinimathGmres(matrix, b, x, options, outcome))
  print "(i0, a, es8.1)", outcome%iterations, " iterations, the residual is", outcome%relative_residual

  ! What is left of b, by a product.
  call check(affinimathCsrmv(AFFINIMATH_NO_TRANS, -1.0_c_double, matrix, x, 1_c_int64_t, 1.0_c_double, b, 1_c_int64_t))
  call check(affinimathPreconditionerDestroy(jacobi))
  call check(affinimathCsrDestroy(matrix))
  if (outcome%reason /= AFFINIMATH_CONVERGED .or. norm2(b) > 1e-10_c_double) error stop 1

contains

  subroutine add(row, column, value)
    integer, intent(in) :: row, column
    real(c_double), intent(in) :: value
    k = k + 1
    row_indices(k) = row
    column_indices(k) = column
    values(k) = value
  end subroutine add

  subroutine check(status)
    integer(c_int), intent(in) :: status
    if (status == AFFINIMATH_SUCCESS) return
    print "(a)", affinimathText(affinimathLastError())
    error stop 1
  end subroutine check
end program sparse
