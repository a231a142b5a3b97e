"""An error of one rank that it does not catch, in the midst of a call of the others: they raise its message."""

import time

from affinimath.mpi import DistMatrix, Grid

grid = Grid()
matrix = DistMatrix.zeros(grid, (4, 4))
if grid.rank == 1:
    time.sleep(0.3)
    raise ValueError("alone")
matrix.norm()
