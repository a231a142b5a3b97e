! LAPACK by its Fortran names: a system, a workspace query, infos, and an error handler of the program's own.
module told
  implicit none
  character(len=32) :: name = ' '
  integer :: number = 0
end module told

subroutine xerbla(routine, info)
  use told
  implicit none
  character(len=*), intent(in) :: routine
  integer, intent(in) :: info
  name = routine
  number = info
end subroutine xerbla

program lapack
  use told
  implicit none
  integer, parameter :: n = 3
  double precision :: a(n + 1, n), b(n + 1, 2), work(200), tau(n), query(1)
  complex(kind=kind(0d0)) :: z(n, n)
  double precision :: kept(n + 1, n), x(n + 2, 2), rwork(n)
  complex(kind=kind(0d0)) :: zb(n, 1), zx(n, 1), zwork(n, 1)
  complex :: cwork(2 * n * n)
  real :: swork(2 * n * n)
  integer :: ipiv(n), info, i, position, iter
  character(len=32) :: expected
  external :: dsgesv, zcposv, dsposv, dgesv, dgetrf, dgeqrf, dormqr, dpotrf, zpotrf, dgetri, dgels

  call fill(a)
  do i = 1, n
    b(i, 1) = sum(a(i, 1:n))
    b(i, 2) = a(i, 1) - a(i, 2)
  end do
  call dgesv(n, 2, a, n + 1, ipiv, b, n + 1, info)
  call expect(info == 0, 'dgesv')
  call expect(maxval(abs(b(1:n, 1) - 1d0)) < 1d-14, 'the solution')
  call expect(maxval(abs(b(1:n, 2) - [1d0, -1d0, 0d0])) < 1d-14, 'the second solution')

  call fill(a)
  kept = a
  do i = 1, n
    b(i, 1) = sum(a(i, 1:n))
    b(i, 2) = a(i, 1) - a(i, 2)
  end do
  call dsgesv(n, 2, a, n + 1, ipiv, b, n + 1, x, n + 2, work, swork, iter, info)
  call expect(info == 0 .and. iter >= 1 .and. iter <= 3 .and. all(a == kept), 'dsgesv')
  call expect(maxval(abs(x(1:n, 1) - 1d0)) < 1d-14, 'its solution')
  call expect(maxval(abs(x(1:n, 2) - [1d0, -1d0, 0d0])) < 1d-14, 'its second solution')
  call dsposv('L', n, 2, a, n + 1, b, n + 1, x, n + 2, work, swork, iter, info)
  call expect(info == 0 .and. iter >= 1 .and. all(a == kept) .and. maxval(abs(x(1:n, 1) - 1d0)) < 1d-14, 'dsposv')
  z = a(1:n, :)
  zb(:, 1) = b(1:n, 1)
  call zcposv('U', n, 1, z, n, zb, n, zx, n, zwork, cwork, rwork, iter, info)
  call expect(info == 0 .and. iter >= 1 .and. maxval(abs(zx - 1d0)) < 1d-14, 'zcposv')

  call dgeqrf(n, n, a, n + 1, tau, query, -1, info)
  call expect(info == 0 .and. query(1) >= n .and. query(1) <= 200d0, 'a workspace query')
  call dgeqrf(n, n, a, n + 1, tau, work, 200, info)
  call expect(info == 0, 'dgeqrf')

  a = 1d0
  call dgetrf(n, n, a, n + 1, ipiv, info)
  call expect(info == 2, 'the second pivot of a matrix of ones')
  z = 0d0
  z(1, 1) = (4d0, 0d0)
  call zpotrf('u', n, z, n, info)
  call expect(info == 2 .and. abs(z(1, 1) - 2d0) < 1d-15, 'the second minor')

  call wrong('DGETRF', 4)
  call dgetrf(n, n, a, n - 1, ipiv, info)
  call right(info)
  call wrong('DGESV', 1)
  call dgesv(-1, 2, a, n + 1, ipiv, b, n + 1, info)
  call right(info)
  call wrong('DSGESV', 9)
  call dsgesv(n, 2, a, n + 1, ipiv, b, n + 1, x, n - 1, work, swork, iter, info)
  call right(info)
  call wrong('DGEQRF', 7)
  call dgeqrf(n, n, a, n + 1, tau, work, n - 1, info)
  call right(info)
  call wrong('DORMQR', 2)
  call dormqr('L', 'C', n, 1, n, a, n + 1, tau, b, n + 1, work, 200, info)
  call right(info)
  call wrong('DPOTRF', 1)
  call dpotrf('X', n, a, n + 1, info)
  call right(info)
  call wrong('DGETRI', 6)
  call dgetri(n, a, n + 1, ipiv, work, 0, info)
  call right(info)
  call wrong('DGELS', 8)
  call dgels('T', 2, n, 1, a, n + 1, b, 2, work, 200, info)
  call right(info)

contains

  subroutine fill(a)
    double precision, intent(out) :: a(:, :)
    integer :: j
    do j = 1, size(a, 2)
      a(:, j) = [(1d0 / (i + j) + merge(2d0, 0d0, i == j), i = 1, size(a, 1))]
    end do
  end subroutine fill

  ! The call that follows has to tell of this argument.
  subroutine wrong(routine, argument)
    character(len=*), intent(in) :: routine
    integer, intent(in) :: argument
    expected = routine
    position = argument
    number = 0
    name = ' '
  end subroutine wrong

  subroutine right(info)
    integer, intent(in) :: info
    call expect(number == position .and. info == -position .and. name == expected, trim(expected)//' told of '//trim(name))
  end subroutine right

  subroutine expect(holds, what)
    logical, intent(in) :: holds
    character(len=*), intent(in) :: what
    if (.not. holds) then
      print '(a)', 'failed: '//what
      stop 1
    end if
  end subroutine expect
end program lapack
