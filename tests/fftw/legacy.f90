! FFTW's legacy subroutines from Fortran, in both precisions. Dimensions are in Fortran's order.
program legacy
  use, intrinsic :: iso_fortran_env, only: real32, real64, int64
  implicit none
  include 'fftw3.f'
  integer, parameter :: n = 12, m = 7
  complex(real64) :: z(n, m), w(n, m), rows(n)
  complex(real32) :: c(n), d(n)
  real(real64) :: x(n, m), back(n, m), wave(n)
  complex(real64) :: half(n / 2 + 1, m)
  integer(int64) :: plan
  integer :: i, j, k, failures, threads
  real(real64), parameter :: pi = acos(-1.0_real64)
  failures = 0
  do j = 1, m
    do i = 1, n
      x(i, j) = sin(1.7_real64 * i + 0.3_real64 * j * j)
      z(i, j) = cmplx(x(i, j), cos(2.3_real64 * i * j), real64)
    end do
  end do

  call dfftw_plan_dft_1d(plan, n, z(:, 1), rows, FFTW_FORWARD, FFTW_ESTIMATE)
  call dfftw_execute_dft(plan, z(:, 1), rows)
  do k = 1, n
    call check(abs(rows(k) - sum(z(:, 1) * [(exp(cmplx(0, -2 * pi * (i - 1) * (k - 1) / n, real64)), i = 1, n)])))
  end do
  call dfftw_destroy_plan(plan)

  call dfftw_plan_dft_2d(plan, n, m, z, w, FFTW_FORWARD, FFTW_ESTIMATE)
  call dfftw_execute(plan)
  call dfftw_destroy_plan(plan)
  call check(abs(w(1, 1) - sum(z)))
  call check(abs(w(2, 1) - sum(sum(z, 2) * [(exp(cmplx(0, -2 * pi * (i - 1) / n, real64)), i = 1, n)])))
  call dfftw_plan_dft(plan, 2, [n, m], w, w, FFTW_BACKWARD, FFTW_ESTIMATE)
  call dfftw_execute_dft(plan, w, w)
  call dfftw_destroy_plan(plan)
  call check(maxval(abs(w / (n * m) - z)))

  call dfftw_plan_dft_r2c_2d(plan, n, m, x, half, FFTW_ESTIMATE)
  call dfftw_execute_dft_r2c(plan, x, half)
  call dfftw_destroy_plan(plan)
  call check(abs(half(1, 1) - sum(x)))
  call dfftw_plan_dft_c2r_2d(plan, n, m, half, back, FFTW_ESTIMATE)
  call dfftw_execute_dft_c2r(plan, half, back)
  call dfftw_destroy_plan(plan)
  call check(maxval(abs(back / (n * m) - x)))

  ! Columns and rows by the many and guru subroutines.
  call dfftw_plan_many_dft(plan, 1, [m], n, z, [m], n, 1, w, [m], n, 1, FFTW_FORWARD, FFTW_ESTIMATE)
  call dfftw_execute(plan)
  call dfftw_destroy_plan(plan)
  call check(maxval(abs(w(:, 1) - sum(z, 2))))
  call dfftw_plan_guru_dft(plan, 1, [m], [n], [n], 1, [n], [1], [1], z, w, FFTW_FORWARD, FFTW_ESTIMATE)
  call dfftw_execute(plan)
  call dfftw_destroy_plan(plan)
  call check(maxval(abs(w(:, 1) - sum(z, 2))))

  call dfftw_plan_r2r_1d(plan, n, x(:, 1), wave, FFTW_REDFT10, FFTW_ESTIMATE)
  call dfftw_execute_r2r(plan, x(:, 1), wave)
  call dfftw_destroy_plan(plan)
  call check(abs(wave(1) - 2 * sum(x(:, 1))))

  c = cmplx(x(:, 1), x(:, 2), real32)
  call sfftw_plan_dft_1d(plan, n, c, d, FFTW_FORWARD, FFTW_ESTIMATE)
  call sfftw_execute(plan)
  call sfftw_destroy_plan(plan)
  call check(real(abs(d(1) - sum(c)), real64) * 1e-8_real64)

  call dfftw_init_threads(threads)
  if (threads == 0) failures = failures + 1
  call dfftw_plan_with_nthreads(2)
  call dfftw_cleanup_threads()
  call dfftw_plan_dft_1d(plan, 0, z, w, FFTW_FORWARD, FFTW_ESTIMATE)
  if (plan /= 0) failures = failures + 1
  call dfftw_cleanup()
  if (failures > 0) then
    print *, failures, 'failures'
    error stop
  end if
contains
  subroutine check(difference)
    real(real64), intent(in) :: difference
    if (difference > 1e-13_real64) then
      print *, 'difference', difference
      failures = failures + 1
    end if
  end subroutine check
end program legacy
