! Sparse matrices and iterative solvers by the Fortran module: generic names over the four types, functions of the
! caller's, and wrong arguments.
module multipliers
  use, intrinsic :: iso_c_binding
  implicit none
  integer(c_int64_t), parameter :: unknowns = 40
  integer :: told = 0

contains

  ! y := A x for the matrix with 4 on the diagonal and -1 beside it.
  integer(c_int) function multiply(user, op, x, y) bind(c)
    type(c_ptr), value :: user
    integer(c_int), value :: op
    real(c_double), intent(in) :: x(unknowns)
    real(c_double), intent(out) :: y(unknowns)
    if (.not. c_associated(user)) then
      multiply = op
      return
    end if
    y = 4 * x
    y(2:) = y(2:) - x(:unknowns - 1)
    y(:unknowns - 1) = y(:unknowns - 1) - x(2:)
    multiply = 0
  end function multiply

  subroutine tell(user, iteration, residual) bind(c)
    type(c_ptr), value :: user
    integer(c_int64_t), value :: iteration
    real(c_double), value :: residual
    if (.not. c_associated(user) .and. residual >= 0) told = int(iteration)
  end subroutine tell
end module multipliers

program sparse
  use, intrinsic :: iso_c_binding
  use affinimath
  use multipliers
  implicit none

  ! [ 0 2 0 ]
  ! [ 3 0 4 ]
  integer(c_int32_t), parameter :: pointers(3) = [0, 1, 3], indices(3) = [1, 0, 2]
  integer(c_int64_t), parameter :: one = 1, rows = 2, columns = 3, entries = 3
  integer :: failures = 0

  call reals
  call doubles
  call complex_numbers
  call double_complex_numbers
  call solvers
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

  subroutine reals
    real(c_float) :: y(2) = [1, 1], dense(2, 3), diagonal(2)
    type(c_ptr) :: a
    call check(affinimathCsrCreate(rows, columns, pointers, indices, [2.0, 3.0, 4.0], a) == 0, "create")
    call check(affinimathCsrmv(AFFINIMATH_NO_TRANS, 2.0, a, [1.0, 2.0, 3.0], one, -1.0, y, one) == 0, "csrmv")
    call check(all(abs(y - [7.0, 29.0]) <= 0), "2 A x - y")
    call check(affinimathCsrToDense(AFFINIMATH_COL_MAJOR, a, dense, rows) == 0, "to dense")
    call check(all(abs(dense - reshape([0.0, 3.0, 2.0, 0.0, 0.0, 4.0], [2, 3])) <= 0), "the dense matrix")
    call check(affinimathCsrDiagonal(a, diagonal) == 0 .and. all(abs(diagonal) <= 0), "diagonal")
    call check(affinimathCsrDestroy(a) == 0, "destroy")
  end subroutine reals

  subroutine doubles
    real(c_double) :: values(3), b(3, 2), c(2, 2)
    integer(c_int64_t) :: wide(3), found(3)
    integer(c_int32_t) :: found_indices(3)
    type(c_ptr) :: a, t, square
    call check(affinimathCsrCreate64(rows, columns, int(pointers, c_int64_t), indices, [2.0d0, 3.0d0, 4.0d0], a) == 0, &
      "create")
    call check(affinimathCsrScale(0.5d0, a) == 0, "scale")
    call check(affinimathCsrDownload64(a, entries, wide, found_indices, values) == 0, "download")
    call check(all(wide == pointers) .and. all(found_indices == indices), "arrays")
    call check(all(abs(values - [1.0d0, 1.5d0, 2.0d0]) <= 0), "values")
    b = reshape([1, 2, 3, 4, 5, 6], [3, 2])
    call check(affinimathCsrmm(AFFINIMATH_COL_MAJOR, AFFINIMATH_NO_TRANS, 2_c_int64_t, 1.0d0, a, b, columns, 0.0d0, c, &
      rows) == 0, &
      "csrmm")
    call check(all(abs(c - reshape([2.0d0, 7.5d0, 5.0d0, 18.0d0], [2, 2])) <= 0), "A B")
    call check(affinimathCsrTranspose(a, t) == 0 .and. affinimathCsrProduct(a, t, square) == 0, &
      "the product of sparse matrices")
    call check(affinimathCsrShape(square, found(1), found(2), found(3)) == 0, "shape")
    call check(all(found == [2, 2, 2]), "its shape")
    call check(affinimathCsrDestroy(a) + affinimathCsrDestroy(t) + affinimathCsrDestroy(square) == 0, "destroy")
  end subroutine doubles

  subroutine complex_numbers
    complex(c_float_complex) :: y(3)
    type(c_ptr) :: a
    call check(affinimathCsrFromCoo(rows, columns, entries, [1, 0, 1], [2, 1, 0], &
      [(4.0, 1.0), (2.0, 0.0), (0.0, 3.0)], a) == 0, &
      "a list")
    call check(affinimathCsrmv(AFFINIMATH_CONJ_TRANS, (1.0, 0.0), a, [(1.0, 0.0), (0.0, 1.0)], one, (0.0, 0.0), y, &
      one) == 0, &
      "csrmv")
    call check(all(abs(y - [(3.0, 0.0), (2.0, 0.0), (1.0, 4.0)]) <= 0), "the adjoint times x")
    call check(affinimathCsrDestroy(a) == 0, "destroy")
  end subroutine complex_numbers

  subroutine double_complex_numbers
    complex(c_double_complex) :: dense(2, 2), x(2)
    type(c_ptr) :: a, c
    dense = reshape([(2.0d0, 0.0d0), (0.0d0, 1.0d0), (0.0d0, 0.0d0), (4.0d0, 0.0d0)], [2, 2])
    call check(affinimathCsrFromDense(AFFINIMATH_COL_MAJOR, rows, rows, dense, rows, a) == 0, "from dense")
    call check(affinimathCsrSum((1.0d0, 0.0d0), a, (1.0d0, 0.0d0), a, c) == 0, "sum")
    x = [(4.0d0, 0.0d0), (8.0d0, 2.0d0)]
    call check(affinimathCsrsv(AFFINIMATH_LOWER, AFFINIMATH_NO_TRANS, AFFINIMATH_NON_UNIT, c, x, one) == 0, "csrsv")
    call check(all(abs(x - [(1.0d0, 0.0d0), (1.0d0, 0.0d0)]) <= 1d-15), "the solution")
    call check(affinimathCsrDestroy(a) + affinimathCsrDestroy(c) == 0, "destroy")
  end subroutine double_complex_numbers

  subroutine solvers
    real(c_double) :: b(unknowns), x(unknowns), left(unknowns)
    real(c_double), target :: something = 1
    type(affinimath_solve_options) :: options
    type(affinimath_solve_outcome) :: outcome
    type(c_ptr) :: preconditioner
    integer :: i
    b = [(cos(1.0d0 * i), i = 1, int(unknowns))]
    call check(affinimathSolveOptions(options, AFFINIMATH_DOUBLE) == 0, "options")
    call check(affinimathDpreconditionerCreate(unknowns, c_funloc(multiply), c_loc(something), preconditioner) == 0, &
      "a function")
    options%history = c_funloc(tell)
    do i = 1, 4
      x = 0
      if (i == 4) options%preconditioner = preconditioner
      if (i == 1) then
        call check(affinimathCgOperator(unknowns, c_funloc(multiply), c_loc(something), b, x, options, outcome) == 0, &
          "cg")
      else if (i == 2) then
        call check(affinimathMinresOperator(unknowns, c_funloc(multiply), c_loc(something), b, x, options, &
          outcome) == 0, "minres")
      else
        call check(affinimathGmresOperator(unknowns, c_funloc(multiply), c_loc(something), b, x, options, &
          outcome) == 0, "gmres")
      end if
      call check(multiply(c_loc(something), 0_c_int, x, left) == 0, "the product")
      call check(outcome%reason == AFFINIMATH_CONVERGED .and. told == outcome%iterations, "converged")
      call check(norm2(b - left) <= 2d-8 * norm2(b), "the residual")
    end do
    x = 0
    options%preconditioner = c_null_ptr
    call check(affinimathBicgstabOperator(unknowns, c_funloc(multiply), c_null_ptr, b, x, options, outcome) == &
      AFFINIMATH_NO_TRANS, "what a function returns")
    call check(affinimathPreconditionerDestroy(preconditioner) == 0, "destroy")
  end subroutine solvers

  subroutine wrong_arguments
    real(c_double) :: y(2) = 3
    type(c_ptr) :: a = c_null_ptr
    call check(affinimathCsrCreate(rows, 2_c_int64_t, pointers, indices, [2.0d0, 3.0d0, 4.0d0], a) == -4, "a column")
    call check(index(affinimathText(affinimathLastError()), "has the column 2") > 0, "the last error names it")
    call check(.not. c_associated(a), "nothing is made")
    call check(affinimathCsrmv(AFFINIMATH_NO_TRANS, 1.0d0, a, y, one, 0.0d0, y, one) == -3, "no matrix")
    call check(all(abs(y - 3) <= 0), "nothing is touched")
    call check(affinimathCsrDestroy(c_null_ptr) == 0, "destroy nothing")
  end subroutine wrong_arguments
end program sparse
