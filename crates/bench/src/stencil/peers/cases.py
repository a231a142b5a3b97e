"""The cases of `affinimath bench stencil`: the second part of the program, after libraries.py.

"prepare" has "element", "shape" (of the domain, x last), "steps" (of a call), and the step: "code", "outputs", "grids"
(each with "components", "levels" and "newest") and "radius".
"""

# Steps that are compared with NumPy's.
CHECKED = 3

# First values repeat after so many points: random numbers take longer than copies. No row or plane has this length.
PERIOD = 1_000_003


def first_grids(step, shape, library):
    """Values from 0 to 0.1, each level's own."""
    import numpy as np

    random = np.random.default_rng(1)
    extents = [length + 2 * step["radius"] for length in shape]
    real = np.dtype(step["element"]).type

    def array():
        values = random.random(min(PERIOD, math.prod(extents)), dtype=step["element"]) * real(0.1)
        return library.upload(np.resize(values, extents))

    return [
        [[array() for _ in range(facts["levels"])] for _ in range(facts["components"])] for facts in step["grids"]
    ]


class Prepared:
    """A case with its grids in the library's memory."""

    def __init__(self, library, shape, steps, **step):
        self.library, self.shape, self.steps, self.step = library, shape, steps, step
        self.grids = first_grids(step, shape, library)
        self.call = library.runner(step, shape, self.grids)

    def run(self, calls):
        start = time.perf_counter()
        for _ in range(calls):
            self.grids = self.call(self.grids, self.steps)
        self.library.wait(self.grids)
        return time.perf_counter() - start

    def error(self):
        """The largest error of steps on a small domain, against NumPy's in double precision."""
        import numpy as np

        step, shape = self.step, [2 * self.step["radius"] + 5 + axis for axis in range(len(self.shape))]
        del self.grids, self.call
        grids = first_grids(step, shape, self.library)
        found = self.library.runner(step, shape, grids)(grids, CHECKED)
        self.library.wait(found)
        double = [
            [[array.astype(np.float64) for array in levels] for levels in components]
            for components in first_grids(step, shape, NumPy())
        ]
        expected = NumPy().runner(step, shape, double)(double, CHECKED)
        largest = 0.0
        for grid, component, _ in step["outputs"]:
            newest = step["grids"][grid]["levels"] - 1 - step["grids"][grid]["newest"]
            if isinstance(found, Rings):
                theirs = np.asarray(found.newest(grid, component))
            else:
                theirs = np.asarray(self.library.download(found[grid][component][newest]))
            middle = view(step, shape, [0] * len(shape))
            values = expected[grid][component][newest][middle]
            error = np.max(np.abs(theirs[middle] - values)) / max(1.0, np.max(np.abs(values)))
            largest = float(error) if not error <= largest else largest
        return largest
