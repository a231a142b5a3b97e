! The Fortran module: all types against matmul, statuses and texts, without a line of C.
program gemm
  use, intrinsic :: iso_c_binding
  use affinimath
  implicit none

  integer :: failures = 0
  integer(c_int64_t) :: devices

  call check(affinimathInitialize() == AFFINIMATH_SUCCESS, "initialize")
  call check(affinimathDeviceCount(devices) == AFFINIMATH_SUCCESS .and. devices >= 0, "device count")
  call check(affinimathText(affinimathVersion()) /= "", "version")
  call check(affinimathText(affinimathLastError()) == "", "no error yet")
  call names
  call reals
  call doubles
  call complexes
  call double_complexes
  call halves
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

  subroutine names
    character(kind=c_char, len=8) :: name
    call check(affinimathDeviceName(-1_c_int64_t, name, 8_c_int64_t) == AFFINIMATH_SUCCESS, "device name")
    call check(name(1:5) == "host" // c_null_char, "the host's name")
  end subroutine names

  subroutine reals
    integer(c_int64_t), parameter :: m = 7, n = 5, k = 9
    real(c_float) :: a(m, k), b(n, k), c(m, n), before(m, n)
    call random_number(a)
    call random_number(b)
    call random_number(c)
    before = c
    call check(affinimathSgemm(AFFINIMATH_COL_MAJOR, AFFINIMATH_NO_TRANS, AFFINIMATH_TRANS, m, n, k, &
      2.0_c_float, a, m, b, n, -1.0_c_float, c, m) == AFFINIMATH_SUCCESS, "sgemm")
    call check(maxval(abs(c - (2 * matmul(a, transpose(b)) - before))) < 10 * k * epsilon(1.0_c_float) * k, &
      "sgemm's product")
  end subroutine reals

  subroutine doubles
    integer(c_int64_t), parameter :: m = 4, n = 6, k = 3
    real(c_double) :: a(k, m), b(k, n), c(m, n)
    call random_number(a)
    call random_number(b)
    c = huge(1.0_c_double)
    ! The generic name finds the type.
    call check(affinimathGemm(AFFINIMATH_COL_MAJOR, AFFINIMATH_TRANS, AFFINIMATH_NO_TRANS, m, n, k, &
      1.0_c_double, a, k, b, k, 0.0_c_double, c, m) == AFFINIMATH_SUCCESS, "dgemm")
    call check(maxval(abs(c - matmul(transpose(a), b))) < 10 * k * epsilon(1.0_c_double), "dgemm's product")
  end subroutine doubles

  subroutine complexes
    integer(c_int64_t), parameter :: n = 3
    complex(c_float_complex) :: a(n, n), b(n, n), c(n, n)
    complex(c_float_complex), parameter :: alpha = (1.0, -2.0), beta = (0.0, 0.0)
    real(c_float) :: parts(n, n, 4)
    call random_number(parts)
    a = cmplx(parts(:, :, 1), parts(:, :, 2), c_float)
    b = cmplx(parts(:, :, 3), parts(:, :, 4), c_float)
    c = 1
    call check(affinimathGemm(AFFINIMATH_COL_MAJOR, AFFINIMATH_CONJ_TRANS, AFFINIMATH_NO_TRANS, n, n, n, &
      alpha, a, n, b, n, beta, c, n) == AFFINIMATH_SUCCESS, "cgemm")
    call check(maxval(abs(c - alpha * matmul(conjg(transpose(a)), b))) < 100 * epsilon(1.0_c_float), "cgemm's product")
  end subroutine complexes

  subroutine double_complexes
    integer(c_int64_t), parameter :: n = 2
    complex(c_double_complex) :: a(n, n), b(n, n), c(n, n)
    complex(c_double_complex), parameter :: alpha = (0.5d0, 1.0d0), beta = (1.0d0, 1.0d0)
    a = reshape([(1.0d0, 2.0d0), (3.0d0, -1.0d0), (0.0d0, 1.0d0), (2.0d0, 2.0d0)], [2, 2])
    b = a + (1.0d0, 1.0d0)
    c = a
    call check(affinimathZgemm(AFFINIMATH_COL_MAJOR, AFFINIMATH_NO_TRANS, AFFINIMATH_CONJ_NO_TRANS, n, n, n, &
      alpha, a, n, b, n, beta, c, n) == AFFINIMATH_SUCCESS, "zgemm")
    call check(maxval(abs(c - (alpha * matmul(a, conjg(b)) + beta * a))) < 1000 * epsilon(1.0d0), "zgemm's product")
  end subroutine double_complexes

  ! Half precision, by its bits: 15360 is 1, 16384 is 2, 16896 is 3, 17408 is 4, and 21504 is 64.
  subroutine halves
    integer(c_int64_t), parameter :: n = 2
    integer(c_int16_t) :: a(n, n), b(n, n), c(n, n)
    a = 15360
    b = reshape([16384_c_int16_t, 15360_c_int16_t, 15360_c_int16_t, 15360_c_int16_t], [2, 2])
    c = 21504
    call check(affinimathHgemm(AFFINIMATH_COL_MAJOR, AFFINIMATH_NO_TRANS, AFFINIMATH_NO_TRANS, n, n, n, &
      1.0_c_float, a, n, b, n, 0.015625_c_float, c, n) == AFFINIMATH_SUCCESS, "hgemm")
    call check(all(c(:, 1) == 17408) .and. all(c(:, 2) == 16896), "hgemm's product")
  end subroutine halves

  subroutine wrong_arguments
    integer(c_int64_t), parameter :: n = 2
    real(c_double) :: a(n, n), c(n, n)
    type(c_ptr) :: event
    a = 1
    c = 3
    call check(affinimathDgemm(AFFINIMATH_COL_MAJOR, AFFINIMATH_TRANS, AFFINIMATH_TRANS, n, n, n, &
      1.0_c_double, a, 1_c_int64_t, a, n, 0.0_c_double, c, n) == -9, "a leading dimension too small")
    call check(all(abs(c - 3) <= 0), "nothing is touched")
    call check(index(affinimathText(affinimathLastError()), "lda") > 0, "the last error names it")
    call check(affinimathText(affinimathStatusString(AFFINIMATH_NO_DEVICE)) == "no OpenCL device found", &
      "a status's text")
    event = c_null_ptr
    call check(affinimathDgemmCL(c_null_ptr, AFFINIMATH_COL_MAJOR, AFFINIMATH_TRANS, AFFINIMATH_TRANS, n, n, n, &
      1.0_c_double, c_null_ptr, 0_c_int64_t, n, c_null_ptr, 0_c_int64_t, n, 0.0_c_double, c_null_ptr, 0_c_int64_t, n, &
      event) == -1, "a null queue")
    call check(affinimathDgemmCL(c_null_ptr, AFFINIMATH_COL_MAJOR, AFFINIMATH_TRANS, AFFINIMATH_TRANS, n, n, n, &
      1.0_c_double, c_null_ptr, 0_c_int64_t, n, c_null_ptr, 0_c_int64_t, n, 0.0_c_double, c_null_ptr, 0_c_int64_t, n) &
      == -1, "a null queue, and no event asked for")
  end subroutine wrong_arguments
end program gemm
