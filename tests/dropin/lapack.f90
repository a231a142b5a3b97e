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
  complex(kind=kind(0d0)) :: zb(n, 1), zx(n, 1), zwork(n, 1), zwork2(6 * n)
  double precision :: rwork2(2 * n)
  complex :: cwork(2 * n * n)
  real :: swork(2 * n * n)
  double precision :: rcond, nan, infinity
  integer :: ipiv(n), info, i, position, iter, jpvt(n), rank, iwork(n)
  character(len=32) :: expected
  external :: dsgesv, zcposv, dsposv, dgesv, dgetrf, dgeqrf, dormqr, dpotrf, zpotrf, dgetri, dgels
  external :: dgeqp3, zgeqp3, dgelsy, zgelsy, dgecon, zgecon, dpocon, dtrcon

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

  ! A condition of a norm that is NaN or infinite: LAPACK sets rcond, and tells nobody.
  call fill(a)
  call dgetrf(n, n, a, n + 1, ipiv, info)
  nan = -1d0
  nan = sqrt(nan)
  infinity = huge(infinity)
  infinity = 2d0 * infinity
  number = 0
  rcond = -7d0
  call dgecon('1', n, a, n + 1, nan, rcond, work, iwork, info)
  call expect(info == -5 .and. rcond /= rcond .and. number == 0, 'dgecon with a norm that is NaN')
  call dgecon('I', n, a, n + 1, infinity, rcond, work, iwork, info)
  call expect(info == -5 .and. rcond == 0d0 .and. number == 0, 'dgecon with an infinite norm')
  z = a(1:n, :)
  call zgecon('1', n, z, n, nan, rcond, zwork2, rwork2, info)
  call expect(info == -5 .and. rcond /= rcond .and. number == 0, 'zgecon with a norm that is NaN')
  call dgecon('1', 0, a, n + 1, nan, rcond, work, iwork, info)
  call expect(info == 0 .and. rcond == 1d0, 'dgecon of nothing')
  call dpocon('L', n, a, n + 1, nan, rcond, work, iwork, info)
  call expect(info == 0 .and. rcond /= rcond .and. number == 0, 'dpocon with a norm that is NaN')
  call dpocon('L', n, a, n + 1, infinity, rcond, work, iwork, info)
  call expect(info == 0 .and. rcond == 0d0 .and. number == 0, 'dpocon with an infinite norm')
  a(2, 2) = nan
  call dgecon('1', n, a, n + 1, 1d0, rcond, work, iwork, info)
  call expect(info == 1 .and. rcond /= rcond .and. number == 0, 'dgecon of factors with a NaN')
  call dtrcon('1', 'U', 'N', n, a, n + 1, rcond, work, iwork, info)
  call expect(info == 0 .and. rcond == 0d0 .and. number == 0, 'dtrcon of a NaN')
  call wrong('DGECON', 5)
  call dgecon('1', n, a, n + 1, -1d0, rcond, work, iwork, info)
  call right(info)
  ! U = diag(4, 2, 1) and L = I: the vector is A**(-1) w with the largest part of w at 3.
  a = 0d0
  a(1, 1) = 4d0
  a(2, 2) = 2d0
  a(3, 3) = 1d0
  work = nan
  call dgecon('1', n, a, n + 1, 4d0, rcond, work, iwork, info)
  call expect(info == 0 .and. abs(rcond - 0.25d0) < 1d-15, 'dgecon of a diagonal')
  call expect(all(abs(work(n + 1:2 * n) - [0d0, 0d0, 1d0]) < 1d-15), 'the vector in its workspace')
  work = nan
  call dpocon('U', n, a, n + 1, 16d0, rcond, work, iwork, info)
  call expect(info == 0 .and. abs(rcond - 0.0625d0) < 1d-15, 'dpocon of a diagonal')
  call expect(all(abs(work(n + 1:2 * n) - [0d0, 0d0, 1d0]) < 1d-15), 'the vector in its workspace')
  work = nan
  call dtrcon('I', 'U', 'N', n, a, n + 1, rcond, work, iwork, info)
  call expect(info == 0 .and. all(abs(work(n + 1:2 * n) - [0d0, 0d0, 1d0]) < 1d-15), 'dtrcon''s vector')

  ! Columns of ones, of twos and of zeros: of all solutions of ones = A x the least is (0.2, 0.4, 0).
  a = 0d0
  a(:, 1) = 1d0
  a(:, 2) = 2d0
  b = 1d0
  jpvt = 0
  rank = -1
  call dgelsy(n + 1, n, 2, a, n + 1, b, n + 1, jpvt, 1d-10, rank, query, -1, info)
  call expect(info == 0 .and. query(1) >= 9 .and. query(1) <= 200d0 .and. rank == -1, 'a query of dgelsy''s')
  work = 0d0
  call dgelsy(n + 1, n, 2, a, n + 1, b, n + 1, jpvt, 1d-10, rank, work, 200, info)
  call expect(info == 0 .and. rank == 1 .and. jpvt(1) == 2 .and. work(1) >= 9, 'dgelsy')
  call expect(maxval(abs(b(1:n, 2) - [0.2d0, 0.4d0, 0d0])) < 1d-15, 'the solution of least norm')
  z = (0d0, 1d0)
  zb = (0d0, 3d0)
  jpvt = [0, 0, 1]
  call zgelsy(n, n, 1, z, n, zb, n, jpvt, 1d-10, rank, zwork2, 18, rwork2, info)
  call expect(info == 0 .and. rank == 1 .and. jpvt(1) == 3 .and. maxval(abs(zb - 1d0)) < 1d-15, 'zgelsy')
  call dgelsy(n, n, 0, a, n + 1, b, n + 1, jpvt, 1d-10, rank, work, 200, info)
  call expect(info == 0 .and. rank == 0 .and. jpvt(1) == 3, 'dgelsy without right-hand sides')
  call fill(a)
  kept = a
  jpvt = [0, 0, 1]
  call dgeqp3(n + 1, n, a, n + 1, jpvt, tau, work, 200, info)
  call expect(info == 0 .and. jpvt(1) == 3 .and. abs(abs(a(1, 1)) - norm2(kept(:, 3))) < 1d-14, 'dgeqp3')
  z = kept(1:n, :)
  jpvt = 0
  call zgeqp3(n, n, z, n, jpvt, zb(:, 1), zwork2, 18, rwork2, info)
  call expect(info == 0 .and. abs(z(1, 1)) >= abs(z(2, 2)) .and. abs(z(2, 2)) >= abs(z(3, 3)), 'zgeqp3')
  call wrong('DGELSY', 12)
  call dgelsy(n, n, 1, a, n + 1, b, n + 1, jpvt, 1d-10, rank, work, 8, info)
  call right(info)
  call wrong('DGELSY', 7)
  call dgelsy(n, n, 1, a, n + 1, b, n - 1, jpvt, 1d-10, rank, work, 200, info)
  call right(info)
  call wrong('DGEQP3', 8)
  call dgeqp3(n, n, a, n + 1, jpvt, tau, work, 3 * n, info)
  call right(info)
  call fill(a)

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
    call expect(number == position .and. info == -position .and. name == expected, &
      trim(expected)//' told of '//trim(name))
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
