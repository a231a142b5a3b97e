! FFTW's interface of Fortran 2003, whose names are those of C.
program modern
  use, intrinsic :: iso_c_binding
  implicit none
  include 'fftw3.f03'
  integer(c_int), parameter :: n = 10, m = 6
  type(c_ptr) :: plan, memory
  complex(c_double_complex), pointer :: z(:, :)
  complex(c_double_complex) :: w(n, m)
  complex(c_float_complex) :: c(n), d(n)
  real(c_double) :: x(n), y(n)
  integer :: i, j, failures
  failures = 0
  memory = fftw_alloc_complex(int(n * m, c_size_t))
  call c_f_pointer(memory, z, [n, m])
  do j = 1, m
    do i = 1, n
      z(i, j) = cmplx(sin(1.1d0 * i * j), cos(0.7d0 * i + j), c_double_complex)
    end do
  end do
  w = z
  plan = fftw_plan_dft_2d(m, n, z, z, FFTW_FORWARD, FFTW_ESTIMATE)
  call fftw_execute_dft(plan, z, z)
  call fftw_destroy_plan(plan)
  call check(abs(z(1, 1) - sum(w)), 1d-12)
  plan = fftw_plan_dft_2d(m, n, z, z, FFTW_BACKWARD, FFTW_ESTIMATE)
  call fftw_execute_dft(plan, z, z)
  call fftw_destroy_plan(plan)
  call check(maxval(abs(z / (n * m) - w)), 1d-14)
  call fftw_free(memory)

  x = [(1d0 / i, i = 1, n)]
  plan = fftw_plan_r2r_1d(n, x, y, FFTW_RODFT00, FFTW_ESTIMATE)
  call fftw_execute_r2r(plan, x, y)
  call fftw_execute_r2r(plan, y, x)
  call fftw_destroy_plan(plan)
  call check(maxval(abs(x / (2 * (n + 1)) - [(1d0 / i, i = 1, n)])), 1d-14)

  c = cmplx(w(:, 1), kind=c_float_complex)
  plan = fftwf_plan_dft_1d(n, c, d, FFTW_FORWARD, FFTW_ESTIMATE)
  call fftwf_execute_dft(plan, c, d)
  call fftwf_destroy_plan(plan)
  call check(real(abs(d(1) - sum(c)), c_double), 1d-5)
  if (failures > 0) error stop
contains
  subroutine check(difference, bound)
    real(c_double), intent(in) :: difference, bound
    if (.not. difference <= bound) then
      print *, 'difference', difference, 'bound', bound
      failures = failures + 1
    end if
  end subroutine check
end program modern
