! A heat equation's implicit step in a rod, over the ranks of an MPI program, by conjugate gradients.
!
!   mpif90 -c affinimath.f90 affinimath_mpi.f90
!   mpif90 mpi_sparse.f90 affinimath_mpi.o -laffinimath_mpi -o mpi_sparse && mpirun -np 4 ./mpi_sparse
program mpi_sparse
  use, intrinsic :: iso_c_binding
  use mpi
  use affinimath_sparse, only: AFFINIMATH_CONVERGED
  use affinimath_fft, only: AFFINIMATH_DOUBLE
  use affinimath_mpi
  implicit none
  integer, parameter :: n = 1000
  real(c_double), parameter :: step = 10
  integer :: ranks, rank, ierr, i
  integer(c_int64_t) :: start, own, row, entries
  integer(c_int32_t), allocatable :: pointers(:), indices(:)
  real(c_double), allocatable :: values(:), before(:), after(:)
  real(c_double) :: heat(2), sums(2)
  type(affinimath_mpi_solve_options) :: options
  type(affinimath_mpi_solve_outcome) :: outcome
  type(c_ptr) :: grid, a, jacobi

  call MPI_Init(ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call check(affinimathMpiGridCreate(MPI_COMM_WORLD, int(ranks, c_int64_t), 1_c_int64_t, grid))

  ! This rank's rows of 1 - step times the second difference, with insulated ends. Indices begin with 0.
  call check(affinimathMpiEvenRange(int(n, c_int64_t), int(rank, c_int64_t), int(ranks, c_int64_t), start, own))
  allocate (pointers(own + 1), indices(3 * own), values(3 * own), before(own), after(own))
  entries = 0
  do i = 1, int(own)
    row = start + i - 1
    pointers(i) = int(entries, c_int32_t)
    if (row > 0) call add(row - 1, -step)
    call add(row, 1 + step * merge(1, 2, row == 0 .or. row == n - 1))
    if (row < n - 1) call add(row + 1, -step)
    before(i) = merge(1.0d0, 0.0d0, row >= n / 4 .and. row < n / 2)
  end do
  pointers(own + 1) = int(entries, c_int32_t)
  call check(affinimathMpiDcsrCreate(grid, own, own, pointers, indices, values, a))

  call check(affinimathMpiJacobiCreate(a, jacobi))
  call check(affinimathMpiSolveOptions(options, AFFINIMATH_DOUBLE))
  options%rtol = 1d-12
  options%preconditioner = jacobi
  after = before
  call check(affinimathMpiDcg(a, before, after, options, outcome))
  if (outcome%reason /= AFFINIMATH_CONVERGED) stop 1

  ! No heat is lost.
  heat = [sum(before), sum(after)]
  call MPI_Allreduce(heat, sums, 2, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr)
  if (rank == 0) print '(i0, a, i0, a, i0, a, f0.6)', n, " points on ", ranks, " ranks: ", outcome%iterations, &
    " iterations, heat ", sums(2)
  if (abs(sums(2) - sums(1)) > 1d-8) stop 2

  call check(affinimathMpiPreconditionerDestroy(jacobi))
  call check(affinimathMpiCsrDestroy(a))
  call check(affinimathMpiGridDestroy(grid))
  call MPI_Finalize(ierr)

contains

  subroutine add(column, value)
    integer(c_int64_t), intent(in) :: column
    real(c_double), intent(in) :: value
    entries = entries + 1
    indices(entries) = int(column, c_int32_t)
    values(entries) = value
  end subroutine add

  subroutine check(status)
    integer(c_int), intent(in) :: status
    if (status == 0) return
    print *, "rank", rank, "status", status
    call MPI_Abort(MPI_COMM_WORLD, 1, ierr)
  end subroutine check
end program mpi_sparse
