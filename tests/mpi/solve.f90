! The distributed functions from Fortran: a definite system, a transform, and an error. Run it under mpirun.
program solve
  use, intrinsic :: iso_c_binding
  use mpi
  use affinimath_mpi
  implicit none
  integer, parameter :: lower = 122, n = 50, block = 8
  integer :: ranks, rank, ierr, i, j
  integer(c_int64_t) :: rows, columns, row, column, m, k, gi, gj
  integer(c_int32_t) :: desca(9), descb(9)
  real(c_double), allocatable :: a(:, :), b(:, :), field(:), back(:)
  complex(c_double_complex), allocatable :: spectrum(:)
  type(affinimath_mpi_fft_blocks) :: blocks
  type(c_ptr) :: grid, plan

  call MPI_Init(ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  rows = ranks
  columns = 1
  call check(affinimathMpiGridCreate(MPI_COMM_WORLD, rows, columns, grid), 0)
  call check(affinimathMpiGridPosition(grid, row, column), 0)

  m = affinimathMpiNumroc(int(n, c_int64_t), int(block, c_int64_t), row, 0_c_int64_t, rows)
  k = n
  allocate (a(m, k), b(m, 1))
  do i = 1, int(m)
    gi = ((i - 1) / block * rows + row) * block + mod(i - 1, block)
    do j = 1, n
      gj = j - 1
      a(i, j) = merge(2.0d0 * n, 1.0d0, gi == gj)
    end do
    b(i, 1) = 3.0d0 * n - 1
  end do
  desca = [1, 0, n, n, block, block, 0, 0, max(1, int(m))]
  descb = [1, 0, n, 1, block, block, 0, 0, max(1, int(m))]
  call check(affinimathMpiDposv(grid, lower, a, desca, b, descb), 0)
  if (any(abs(b - 1) > 1d-12)) stop 1

  call check(affinimathMpiDfftPlanCreate(grid, 2_c_int64_t, [6_c_int64_t, 10_c_int64_t], 0_c_int64_t, 0_c_int64_t, &
    0_c_int64_t, 0_c_int64_t, 1 / 60.0d0, plan), 0)
  call check(affinimathMpiFftBlocks(plan, blocks), 0)
  allocate (field(product(blocks%input_shape(:2))), spectrum(product(blocks%output_shape(:2))))
  back = field
  field = [(sin(real(i * (rank + 1), c_double)), i=1, size(field))]
  call check(affinimathMpiFftForward(plan, field, spectrum), 0)
  call check(affinimathMpiFftBackward(plan, spectrum, back), 0)
  if (any(abs(back - field) > 1d-14)) stop 2
  call check(affinimathMpiFftPlanDestroy(plan), 0)

  call check(affinimathMpiDposv(grid, 7, a, desca, b, descb), -2)
  call check(affinimathMpiGridDestroy(grid), 0)
  call MPI_Finalize(ierr)
  if (rank == 0) print '(a)', "from Fortran"

contains

  subroutine check(returned, expected)
    integer, intent(in) :: returned, expected
    if (returned == expected) return
    print *, "rank", rank, "status", returned
    call MPI_Abort(MPI_COMM_WORLD, 1, ierr)
  end subroutine check
end program solve
