! Fourier transforms by the Fortran module, without a line of C: functions without a plan by their generic names, and
! plans, against sums of products in a wider type.
program fft
  use, intrinsic :: iso_c_binding
  use affinimath
  implicit none

  integer, parameter :: wide = selected_real_kind(18)
  integer(c_int64_t), parameter :: m = 5, n = 12, half = n / 2 + 1
  integer :: failures = 0

  call functions_of_singles
  call functions_of_doubles
  call columns_by_a_plan
  call cosines_in_place
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

  ! sum of x_j exp(sign 2 pi i j k / n) for each k.
  pure function sums(sign, x) result(y)
    integer, intent(in) :: sign
    complex(wide), intent(in) :: x(:)
    complex(wide) :: y(size(x))
    real(wide) :: angle
    integer :: j, k
    y = 0
    do k = 0, size(x) - 1
      do j = 0, size(x) - 1
        angle = sign * 2 * acos(-1.0_wide) * mod(j * k, size(x)) / size(x)
        y(k + 1) = y(k + 1) + x(j + 1) * cmplx(cos(angle), sin(angle), wide)
      end do
    end do
  end function sums

  ! The same on both axes of a matrix.
  pure function sums2(sign, x) result(y)
    integer, intent(in) :: sign
    complex(wide), intent(in) :: x(:, :)
    complex(wide) :: y(size(x, 1), size(x, 2))
    integer :: i
    do i = 1, size(x, 2)
      y(:, i) = sums(sign, x(:, i))
    end do
    do i = 1, size(x, 1)
      y(i, :) = sums(sign, y(i, :))
    end do
  end function sums2

  ! Higham, Accuracy and Stability of Numerical Algorithms, theorem 24.2: about 6.7 u log2 N, of the norms.
  pure function near(y, expected, points, eps) result(holds)
    complex(wide), intent(in) :: y(:), expected(:)
    integer(c_int64_t), intent(in) :: points
    real(wide), intent(in) :: eps
    logical :: holds
    holds = norm2(abs(y - expected)) <= 4 * eps * (1 + log(real(points, wide)) / log(2.0_wide)) * norm2(abs(expected))
  end function near

  subroutine functions_of_singles
    complex(c_float_complex) :: x(n), y(n), z(n, m), spectra(n, m), spectrum(half)
    real(c_float) :: parts(n, m, 2), signal(n)
    real(wide), parameter :: eps = epsilon(1.0_c_float)
    complex(wide) :: expected(n)
    integer :: i
    call random_number(parts)
    z = cmplx(parts(:, :, 1), parts(:, :, 2), c_float)
    x = z(:, 1)
    call check(affinimathFft(AFFINIMATH_FORWARD, n, x, y) == AFFINIMATH_SUCCESS, "cfft")
    call check(near(cmplx(y, kind=wide), sums(-1, cmplx(x, kind=wide)), n, eps), "cfft's sums")
    call check(affinimathFftMany(AFFINIMATH_BACKWARD, n, m, z, spectra) == AFFINIMATH_SUCCESS, "cfftMany")
    do i = 1, int(m)
      call check(near(cmplx(spectra(:, i), kind=wide), sums(1, cmplx(z(:, i), kind=wide)), n, eps), "cfftMany's sums")
    end do
    call check(affinimathRfft(n, parts(:, 1, 1), spectrum) == AFFINIMATH_SUCCESS, "srfft")
    expected = sums(-1, cmplx(parts(:, 1, 1), kind=wide))
    call check(near(cmplx(spectrum, kind=wide), expected(:half), n, eps), "srfft's sums")
    call check(affinimathIrfft(n, spectrum, signal) == AFFINIMATH_SUCCESS, "sirfft")
    ! Forward and backward: twice the error.
    call check(near(cmplx(signal, kind=wide), cmplx(n * parts(:, 1, 1), kind=wide), n, 2 * eps), "sirfft of srfft")
  end subroutine functions_of_singles

  subroutine functions_of_doubles
    ! m rows of n numbers, row after row: Fortran's columns.
    complex(c_double_complex) :: x(n, m), y(n, m), spectra(half, m)
    real(c_double) :: parts(n, m, 2), back(n, m)
    real(wide), parameter :: eps = epsilon(1.0_c_double)
    complex(wide) :: expected(n, m)
    call random_number(parts)
    x = cmplx(parts(:, :, 1), parts(:, :, 2), c_double)
    call check(affinimathFft2(AFFINIMATH_BACKWARD, m, n, x, y) == AFFINIMATH_SUCCESS, "zfft2")
    expected = sums2(1, cmplx(x, kind=wide))
    call check(near(cmplx([y], kind=wide), [expected], m * n, eps), "zfft2's sums")
    call check(affinimathRfft2(m, n, parts(:, :, 1), spectra) == AFFINIMATH_SUCCESS, "drfft2")
    expected = sums2(-1, cmplx(parts(:, :, 1), kind=wide))
    call check(near(cmplx([spectra], kind=wide), [expected(:half, :)], m * n, eps), "drfft2's sums")
    call check(affinimathIrfft2(m, n, spectra, back) == AFFINIMATH_SUCCESS, "dirfft2")
    call check(near(cmplx([back], kind=wide), cmplx(m * n * [parts(:, :, 1)], kind=wide), m * n, 2 * eps), &
      "dirfft2 of drfft2")
  end subroutine functions_of_doubles

  ! Those of a matrix in C's eyes: Fortran's rows, m elements apart.
  subroutine columns_by_a_plan
    complex(c_float_complex) :: x(m, n), y(n, m)
    real(c_float) :: parts(m, n, 2)
    type(affinimath_fft_descriptor) :: descriptor
    type(c_ptr) :: plan
    integer :: i
    call random_number(parts)
    x = cmplx(parts(:, :, 1), parts(:, :, 2), c_float)
    call check(affinimathFftDescriptor(descriptor, AFFINIMATH_FORWARD, AFFINIMATH_SINGLE, 1_c_int, &
      [n]) == AFFINIMATH_SUCCESS, &
      "a descriptor")
    call check(descriptor%batch == 1 .and. descriptor%lengths(1) == n .and. abs(descriptor%scale - 1) <= 0, &
      "its defaults")
    descriptor%batch = m
    descriptor%input_strides(1) = m
    descriptor%input_distance = 1
    descriptor%scale = -0.5_c_double
    call check(affinimathFftPlanCreate(descriptor, plan) == AFFINIMATH_SUCCESS, "a plan")
    call check(affinimathFftExecute(plan, x, y) == AFFINIMATH_SUCCESS, "execute")
    call check(affinimathFftPlanDestroy(plan) == AFFINIMATH_SUCCESS, "destroy")
    do i = 1, int(m)
      call check(near(cmplx(y(:, i), kind=wide), -0.5_wide * sums(-1, cmplx(x(i, :), kind=wide)), n, &
        real(epsilon(1.0_c_float), wide)), "the plan's sums")
    end do
  end subroutine columns_by_a_plan

  subroutine cosines_in_place
    real(c_double), target :: x(n)
    real(c_double) :: before(n)
    real(wide) :: expected(n)
    type(affinimath_fft_descriptor) :: descriptor
    type(c_ptr) :: plan
    integer :: j, k
    call random_number(x)
    before = x
    call check(affinimathFftDescriptor(descriptor, AFFINIMATH_COSINE_2, AFFINIMATH_DOUBLE, 1_c_int, &
      [n]) == AFFINIMATH_SUCCESS, &
      "a descriptor")
    descriptor%in_place = 1
    call check(affinimathFftPlanCreate(descriptor, plan) == AFFINIMATH_SUCCESS, "a plan in place")
    call check(affinimathFftExecute(plan, x, before) == -3, "another output")
    call check(index(affinimathText(affinimathLastError()), "in place") > 0, "the last error says why")
    call check(affinimathFftExecute(plan, x, x) == AFFINIMATH_SUCCESS, "execute in place")
    call check(affinimathFftPlanDestroy(plan) == AFFINIMATH_SUCCESS, "destroy")
    do k = 0, int(n) - 1
      expected(k + 1) = 2 * sum([(before(j + 1) * cos(acos(-1.0_wide) * (2 * j + 1) * k / (2 * n)), j = 0, int(n) - 1)])
    end do
    call check(near(cmplx(x, kind=wide), cmplx(expected, kind=wide), n, real(epsilon(1.0_c_double), wide)), &
      "DCT-II's sums")
  end subroutine cosines_in_place

  subroutine wrong_arguments
    complex(c_float_complex) :: x(n), y(n)
    type(affinimath_fft_descriptor) :: descriptor
    type(c_ptr) :: plan
    x = 1
    y = 3
    call check(affinimathCfft(0_c_int, n, x, y) == -1, "a direction")
    call check(affinimathCfft(AFFINIMATH_FORWARD, 0_c_int64_t, x, y) == -2, "no numbers")
    call check(all(abs(y - 3) <= 0), "nothing is touched")
    call check(affinimathCfftCL(c_null_ptr, AFFINIMATH_FORWARD, n, c_null_ptr, 0_c_int64_t, c_null_ptr, &
      0_c_int64_t) == -1, &
      "a null queue")
    call check(affinimathFftDescriptor(descriptor, AFFINIMATH_FORWARD, AFFINIMATH_SINGLE, 4_c_int, &
      [n, n, n, n]) == -4, "a rank")
    call check(affinimathFftDescriptor(descriptor, AFFINIMATH_FORWARD, AFFINIMATH_SINGLE, 1_c_int, &
      [n]) == AFFINIMATH_SUCCESS, &
      "a descriptor")
    descriptor%batch = -1
    plan = c_null_ptr
    call check(affinimathFftPlanCreate(descriptor, plan) == -1 .and. .not. c_associated(plan), "a wrong descriptor")
    call check(index(affinimathText(affinimathLastError()), "its batch") > 0, "the last error names the field")
    call check(affinimathFftExecute(c_null_ptr, x, y) == -1, "no plan")
  end subroutine wrong_arguments
end program fft
