! Stencils on Fortran's arrays: strategies give the same bits, and wrong ones change nothing.
program stencils
  use, intrinsic :: iso_c_binding
  use affinimath
  implicit none
  integer(c_int64_t), parameter :: n = 20, m = 12
  character(len=*), parameter :: text = "stencil heat { domainsize = (1 .. n, 1 .. m); operation (double grid u) &
    &{ u[x,y; t+1] = 0.25 * (u[x-1,y; t] + u[x+1,y; t] + u[x,y-1; t] + u[x,y+1; t]); } }" // c_null_char
  type(c_ptr) :: stencil = c_null_ptr, plan = c_null_ptr
  character(kind=c_char), target :: names(2, 2)
  type(affinimath_stencil_size) :: sizes(2)
  real(c_double), target :: naive(n + 2, m + 2, 2), tiles(n + 2, m + 2, 2)
  integer :: failures = 0

  names(:, 1) = ["n", c_null_char]
  names(:, 2) = ["m", c_null_char]
  sizes(1) = affinimath_stencil_size(c_loc(names(1, 1)), n)
  sizes(2) = affinimath_stencil_size(c_loc(names(1, 2)), m)
  call check(affinimathStencilCreate(text, stencil) == 0, "a stencil")
  call check(affinimathStencilPlanCreate(stencil, -1_c_int64_t, 2_c_int64_t, sizes, 0_c_int64_t, &
    [affinimath_operand ::], plan) == 0, "a plan")
  call run("naive", naive)
  call run("wavefront:steps=3,width=5", tiles)
  call check(all(abs(naive(:, :, 2) - tiles(:, :, 2)) <= 0) .and. any(naive(:, :, 2) > 0), "the same bits")
  call check(affinimathStencilPlanSetStrategy(plan, "trapezoid" // c_null_char) == -2, "no strategy")
  call check(index(affinimathText(affinimathLastError()), "none of naive") > 0, "the reason")
  call check(affinimathStencilPlanSetStrategy(plan, "overlap" // c_null_char) == -2, "a strategy of GPUs")
  call check(strategy() == "wavefront:steps=3,width=5", "the strategy stays")
  call check(affinimathStencilPlanSetStrategy(plan, "auto" // c_null_char) == 0, "the plan's own strategy")
  call check(affinimathStencilPlanDestroy(plan) == 0, "a plan ends")
  call check(affinimathStencilDestroy(stencil) == 0, "a stencil ends")
  if (failures > 0) error stop 1
  print "(a)", "passed: stencils"

contains

  subroutine check(holds, what)
    logical, intent(in) :: holds
    character(len=*), intent(in) :: what
    if (holds) return
    failures = failures + 1
    print "(4a)", what, " failed: ", affinimathText(affinimathLastError())
  end subroutine check

  ! Five steps with a strategy: the newest level is the second one.
  subroutine run(name, u)
    character(len=*), intent(in) :: name
    real(c_double), target, intent(out) :: u(:, :, :)
    character(kind=c_char), target :: grid(2)
    type(affinimath_operand) :: operands(2)
    type(affinimath_stencil_outcome) :: outcome
    integer(c_int32_t) :: newest(2)
    integer :: i, j
    grid = ["u", c_null_char]
    u = 0
    do concurrent (i = 1:size(u, 1), j = 1:size(u, 2))
      u(i, j, 1) = mod(17 * i + 31 * j, 101) / 7.0d0
    end do
    do i = 1, 2
      operands(i) = affinimath_operand(c_loc(grid), c_null_ptr, c_loc(u(1, 1, i)), AFFINIMATH_TYPE_DOUBLE, 2, &
        [m + 2, n + 2, 0_8, 0_8, 0_8, 0_8, 0_8, 0_8], [n + 2, 1_8, 0_8, 0_8, 0_8, 0_8, 0_8, 0_8])
    end do
    call check(affinimathStencilPlanSetStrategy(plan, name // c_null_char) == 0, name)
    call check(affinimathStencilPlanRun(plan, 2_c_int64_t, operands, 0, 0_c_int64_t, 5_c_int64_t, newest, outcome) == 0, &
      "five steps")
    call check(outcome%steps == 5 .and. newest(2) == 1, "the outcome")
  end subroutine run

  ! The plan's strategy.
  function strategy() result(name)
    character(len=:), allocatable :: name
    character(kind=c_char) :: letters(100)
    integer(c_int64_t) :: length
    integer :: i
    call check(affinimathStencilPlanStrategy(plan, letters, size(letters, kind=c_int64_t), length) == 0, "a strategy")
    allocate(character(len=int(length)) :: name)
    do i = 1, int(length)
      name(i:i) = letters(i)
    end do
  end function strategy
end program stencils
