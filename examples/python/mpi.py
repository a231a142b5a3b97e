"""A system of equations, a sparse one and a spectrum, over the ranks of an MPI program.

mpirun -np 4 python3 mpi.py
"""

import numpy as np
from affinimath.mpi import DistCsr, DistFft, DistMatrix, DistVector, Grid, cg, solve

with Grid() as grid:  # as near to a square as the number of ranks allows
    # A dense matrix, of which each rank makes its own elements.
    n = 1000
    a = DistMatrix.from_function(grid, lambda i, j: np.where(i == j, 4.0, 1.0 / (1 + i + j)), (n, n))
    b = DistMatrix.from_function(grid, lambda i, _: 1.0 + i % 7, (n, 1))
    x = solve(a, b)
    residual = (b - a @ x).norm() / b.norm()

    # Poisson's equation in one dimension. Each rank gives its rows with the columns of the whole matrix.
    length = 500
    u = DistVector.zeros(grid, length)
    rows, columns, values = [], [], []
    for i in range(u.start, u.stop):
        for j in range(max(i - 1, 0), min(i + 2, length)):
            rows.append(i), columns.append(j), values.append(2.0 if i == j else -1.0)
    laplace = DistCsr.from_entries(grid, values, rows, columns, (length, length))
    u.local[:] = 1 / length**2
    found = cg(laplace, u, M="ic0", rtol=1e-10)

    # The spectrum of an array in slabs, and back.
    plan = DistFft(grid, (64, 64, 64), np.float64)
    planes = np.random.default_rng(grid.rank).standard_normal(plan.shape(False))
    error = np.abs(plan.backward(plan.forward(planes)) - planes).max(initial=0)

    # All ranks have the same numbers; one of them prints.
    error = max(grid.comm.allgather(error))
    if grid.rank == 0:
        print(f"on {grid.size} ranks: residual {residual:.1e}, {found.iterations} iterations, error {error:.1e}")
    assert residual < 1e-13 and found.converged and error < 1e-13
