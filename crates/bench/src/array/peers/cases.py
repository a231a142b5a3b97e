"""The cases of `affinimath bench array` with their operands: the second part of the program, after libraries.py.

"prepare" has "case", "element", "operands" (how many), "shape", "extents" (of lengths that change, or null).
"""

import collections

# Results that are compared with NumPy's, and elements of a part of a long sum.
SAMPLES, CHUNK = 1024, 1 << 20


class Prepared:
    """A case with its operands in the library's memory."""

    def __init__(self, library, case, element, operands, shape, extents):
        import numpy as np

        self.library, self.case, self.calls = library, SAME.get(case, case), 0
        self.shape, self.extents = shape, extents
        random = np.random.default_rng(1)
        real = {"complex64": "float32", "complex128": "float64"}.get(element, element)

        def uniform():
            return random.random(shape, dtype=real) - np.dtype(real).type(0.5)

        self.host = [uniform() for _ in range(operands)]
        if element != real:
            self.host = [(x + 1j * uniform()).astype(element) for x in self.host]
        if self.case == "black-scholes":
            factors = ((40, 100), (40, 100), (1.8, 1.1))
            self.host = [(x * a + b).astype(real) for x, (a, b) in zip(self.host, factors)]
        self.call = library.function(self.case)
        self.upload()

    def upload(self):
        self.operands = [self.library.upload(x) for x in self.host]
        self.library.wait(self.operands)

    def once(self):
        if self.extents:
            length = self.extents[0] + self.calls % (self.extents[1] - self.extents[0])
            result = self.call(*(x[:length] for x in self.operands))
        else:
            result = self.call(*self.operands)
        if self.case == "heat":
            self.operands = [result]
        self.calls += 1
        return result

    def run(self, calls):
        results = collections.deque()
        # The heat equation's results give their memory to the next ones.
        in_flight = 1 if self.case == "heat" else self.library.in_flight
        start = time.perf_counter()
        for _ in range(calls):
            results.append(self.once())
            if len(results) > in_flight:
                first = results.popleft()
                if in_flight > 1:
                    self.library.wait(first)
        self.library.wait(list(results))
        return time.perf_counter() - start

    def error(self):
        """The largest error of sampled results, relative to the magnitude of what they are computed from."""
        import numpy as np

        self.upload()
        self.calls = 0
        results = self.once()
        results = results if isinstance(results, tuple) else (results,)
        operands = [x[: self.extents[0]] for x in self.host] if self.extents else self.host
        largest = 0.0
        for number, result in enumerate(results):
            result = np.asarray(self.library.download(result))
            positions = np.unique(np.linspace(0, result.size - 1, SAMPLES).astype(np.int64))
            index = np.unravel_index(positions, result.shape) if result.ndim else ()
            values, scales = expected(self.case, operands, result.shape, index, number)
            found = result[index].astype(values.dtype)
            error = np.max(np.abs(found - values) / scales)
            largest = float(error) if not error <= largest else largest
        return largest


def expected(case, operands, shape, index, number):
    """NumPy's results in double precision at sampled positions, and the magnitudes that errors are relative to."""
    import numpy as np

    x = operands[0]
    wide = np.complex128 if x.dtype.kind == "c" else np.float64
    if case in ("transpose", "rows", "strided"):
        operands = NumExpr.VIEWS[case](*operands)
    if case in ("rowsum", "colsum"):
        lines = np.take(x, index[0], axis=0 if case == "rowsum" else 1).astype(wide)
        axis = 1 if case == "rowsum" else 0
        return lines.sum(axis), np.abs(lines).sum(axis)
    if case == "dot":
        parts = [(x[i : i + CHUNK].astype(wide) * operands[1][i : i + CHUNK]) for i in range(0, len(x), CHUNK)]
        return np.array(sum(p.sum() for p in parts)), np.array(sum(np.abs(p).sum() for p in parts))
    if case == "cumsum":
        return np.cumsum(x, dtype=wide)[index], np.cumsum(np.abs(x), dtype=wide)[index]
    if case == "heat":
        padded = [np.clip(index[0] + a, 0, shape[0] - 1) for a in (-1, 0, 1)]
        across = [np.clip(index[1] + a, 0, shape[1] - 1) for a in (-1, 0, 1)]
        u = x.astype(wide)
        value = 0.25 * (u[padded[0], across[1]] + u[padded[2], across[1]] + u[padded[1], across[0]]
                        + u[padded[1], across[2]])
        edge = (index[0] == 0) | (index[0] == shape[0] - 1) | (index[1] == 0) | (index[1] == shape[1] - 1)
        return np.where(edge, u[index], value), np.ones(len(value))
    if case == "softmax":
        rows, inverse = np.unique(index[0], return_inverse=True)
        lines = x[rows].astype(wide)
        powers = np.exp(lines - lines.max(1, keepdims=True))
        values = (powers / powers.sum(1, keepdims=True))[inverse, index[1]]
        return values, values
    sampled = [x[index].astype(wide) for x in operands]
    if case in ("transpose", "rows", "strided"):
        return sampled[0] + sampled[1], np.ones(len(sampled[0]))
    values = CASES[case](Reference(), *sampled)
    if case == "black-scholes":
        return values[number], np.full(len(sampled[0]), 120.0)
    return values, np.maximum(np.abs(values), 1.0)


class Reference:
    """NumPy's functions, and normcdf by the C library's erfc."""

    def __getattr__(self, name):
        import numpy as np

        if name == "normcdf":
            return np.vectorize(lambda x: 0.5 * math.erfc(-x / math.sqrt(2.0)))
        return getattr(np, name)
