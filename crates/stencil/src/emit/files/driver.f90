contains

  subroutine told(status)
    integer(c_int), intent(in) :: status
    if (status == 0) return
    if (status == 1) write (error_unit, "(a)") "a value outside a range was needed"
    if (status /= 1) write (error_unit, "(a)") "memory is short"
    error stop 1
  end subroutine told

  ! Tells how many values differ from those of the naive loops.
  subroutine tell(name, least, greatest, total, different, apart, allowed)
    character(len=*), intent(in) :: name
    real(c_double), intent(in) :: least, greatest, apart, allowed
    integer(c_int64_t), intent(in) :: total, different
    write (*, "(2a, es24.16e3, a, es24.16e3, a)", advance="no") name, ": ", least, " to ", greatest, ", "
    if (different == 0) then
      print "(i0, a)", total, " values are those of the naive loops"
      return
    end if
    print "(i0, a, i0, a, es8.1, a, es8.1, a)", different, " of ", total, &
      " values differ from the naive loops, at most", apart, ";", allowed, " are allowed"
    if (.not. apart <= allowed) wrong = .true.
  end subroutine tell
end program main
