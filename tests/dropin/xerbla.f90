! A Fortran program over the drop-in: real and complex products, and an error handler of its own.
module handler
  implicit none
  integer :: wrong = 0
  character(len=6) :: told = ' '
end module handler

subroutine xerbla(srname, info)
  use handler
  implicit none
  character(len=*), intent(in) :: srname
  integer, intent(in) :: info
  told = srname
  wrong = info
end subroutine xerbla

program fortran
  use handler
  implicit none
  external :: dgemm, ztrsm
  double precision, external :: ddot
  complex, external :: cdotc
  complex(kind(1d0)), external :: zdotu
  double precision :: a(2, 2), b(2, 2), c(2, 2)
  complex :: u(2)
  complex(kind(1d0)) :: z(2)
  integer :: failures

  failures = 0
  a = reshape([1d0, 2d0, 3d0, 4d0], [2, 2])
  b = reshape([0d0, 1d0, 1d0, 0d0], [2, 2])
  c = 0
  call dgemm('T', 'n', 2, 2, 2, 1d0, a, 2, b, 2, 0d0, c, 2)
  call check(all(c == reshape([2d0, 4d0, 1d0, 3d0], [2, 2])), 'dgemm')
  call check(ddot(4, a, 1, a, -1) == 20d0, 'ddot')
  u = [(1.0, 2.0), (3.0, -1.0)]
  call check(cdotc(2, u, 1, u, 1) == (15.0, 0.0), 'cdotc')
  z = u
  call check(zdotu(2, z, 1, z, 1) == (5d0, -2d0), 'zdotu')
  call ztrsm('L', 'U', 'N', 'Q', 1, 1, (1d0, 0d0), z, 1, z, 1)
  call check(wrong == 4 .and. told == 'ZTRSM', 'the own error handler')
  print '(a, i0, a, i0, a)', 'fortran: ', 5, ' checks, ', failures, ' failures'
  if (failures /= 0) stop 1

contains

  subroutine check(right, what)
    logical, intent(in) :: right
    character(len=*), intent(in) :: what
    if (right) return
    failures = failures + 1
    print '(2a)', 'wrong: ', what
  end subroutine check

end program fortran
