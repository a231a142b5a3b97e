!> Parts of the procedures on assumed-shape arrays. Programs use the module affinimath.
module affinimath_support
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: error_unit
  use affinimath_library
  implicit none
  private

  public :: keeps, need, finish, sized

  !> An array's extents, of 64 bits.
  interface need
    module procedure :: need_length, need_matrix
  end interface need

contains

  !> True of an operation that leaves rows rows.
  pure logical function keeps(op)
    integer(c_int), intent(in) :: op
    keeps = op /= AFFINIMATH_TRANS .and. op /= AFFINIMATH_CONJ_TRANS
  end function keeps

  !> The size of a sparse matrix.
  subroutine sized(a, status, rows, columns)
    type(c_ptr), intent(in) :: a
    integer(c_int), intent(inout) :: status
    integer(c_int64_t), intent(out) :: rows, columns
    integer(c_int64_t) :: entries
    interface
      function shape_of(a, rows, columns, entries) bind(c, name="affinimathCsrShape") result(returned)
        import :: c_int, c_int64_t, c_ptr
        type(c_ptr), value :: a
        integer(c_int64_t), intent(inout) :: rows, columns, entries
        integer(c_int) :: returned
      end function shape_of
    end interface
    rows = 0
    columns = 0
    entries = 0
    if (status == AFFINIMATH_SUCCESS) status = shape_of(a, rows, columns, entries)
  end subroutine sized

  !> Turns a success into AFFINIMATH_SHAPE_MISMATCH where a vector has another length than the others need.
  subroutine need_length(status, text, name, length, needed)
    integer(c_int), intent(inout) :: status
    character(len=*), intent(inout) :: text
    character(len=*), intent(in) :: name
    integer(c_int64_t), intent(in) :: length, needed
    if (status /= AFFINIMATH_SUCCESS .or. length == needed) return
    status = AFFINIMATH_SHAPE_MISMATCH
    write (text, "(2a, i0, a, i0)") name, " has ", length, " elements, and the other arguments need ", needed
  end subroutine need_length

  !> The same of a matrix.
  subroutine need_matrix(status, text, name, rows, columns, needed_rows, needed_columns)
    integer(c_int), intent(inout) :: status
    character(len=*), intent(inout) :: text
    character(len=*), intent(in) :: name
    integer(c_int64_t), intent(in) :: rows, columns, needed_rows, needed_columns
    if (status /= AFFINIMATH_SUCCESS .or. (rows == needed_rows .and. columns == needed_columns)) return
    status = AFFINIMATH_SHAPE_MISMATCH
    write (text, "(2a, i0, a, i0, a, i0, a, i0)") name, " is ", rows, " by ", columns, &
      ", and the other arguments need ", needed_rows, " by ", needed_columns
  end subroutine need_matrix

  !> Gives the status and its text to who asks for them. A failure that nobody asks for ends the program.
  subroutine finish(procedure, status, text, stat, errmsg)
    character(len=*), intent(in) :: procedure, text
    integer(c_int), intent(in) :: status
    integer(c_int), intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    character(len=:), allocatable :: facts
    if (present(stat)) stat = status
    if (status == AFFINIMATH_SUCCESS) return
    if (status == AFFINIMATH_SHAPE_MISMATCH .and. text /= "") then
      facts = procedure // ": " // trim(text)
    else
      facts = affinimathText(affinimathLastError())
      if (facts == "") facts = procedure // ": " // affinimathText(affinimathStatusString(status))
    end if
    if (present(errmsg)) errmsg = facts
    if (present(stat)) return
    write (error_unit, "(a)") facts
    error stop 1
  end subroutine finish
end module affinimath_support
