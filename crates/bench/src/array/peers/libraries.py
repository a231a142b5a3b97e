"""The libraries, and the cases as functions of their arrays, for `affinimath bench array`."""

RATE, VOLATILITY = 0.02, 0.3


def d1_d2(m, spot, strike, years):
    spread = VOLATILITY * m.sqrt(years)
    d1 = (m.log(spot / strike) + (RATE + 0.5 * VOLATILITY**2) * years) / spread
    return d1, d1 - spread


def black_scholes(m, spot, strike, years):
    d1, d2 = d1_d2(m, spot, strike, years)
    discounted = strike * m.exp(-RATE * years)
    call = spot * m.normcdf(d1) - discounted * m.normcdf(d2)
    put = discounted * m.normcdf(-d2) - spot * m.normcdf(-d1)
    return call, put


def softmax(m, x):
    powers = m.exp(x - m.row_max(x))
    return powers / m.row_sum(powers)


def select(m, x, y):
    return m.where((x > 0) & (y < 0.25), x * y, y)


def neighbours(u):
    return u[:-2, 1:-1], u[2:, 1:-1], u[1:-1, :-2], u[1:-1, 2:]


def heat_value(m, u):
    above, below, left, right = neighbours(u)
    return 0.25 * (above + below + left + right)


def heat(m, u):
    u[1:-1, 1:-1] = heat_value(m, u)
    return u


# The cases as functions of a library's names and of the operands.
CASES = {
    "copy": lambda m, x: m.copy(x),
    "axpy": lambda m, x, y: 2.5 * x + y,
    "sqrt": lambda m, x, y: 2.5 * x + m.sqrt(m.abs(y)),
    "exp": lambda m, x: m.exp(x),
    "sin": lambda m, x: m.sin(x),
    "normcdf": lambda m, x: m.normcdf(x),
    "dot": lambda m, x, y: (x * y).sum(),
    "rowsum": lambda m, x: x.sum(1),
    "colsum": lambda m, x: x.sum(0),
    "transpose": lambda m, x, y: x + y.T,
    "rows": lambda m, x, y: x[::2] + y[1::2],
    "strided": lambda m, x, y: x[::2] + y[1::2],
    "cumsum": lambda m, x: x.cumsum(0),
    "black-scholes": black_scholes,
    "softmax": softmax,
    "heat": heat,
    "select": select,
    "complex": lambda m, x, y: x * y,
}
# The same operations in other circumstances.
SAME = {"small": "sqrt", "new-shape": "sqrt", "first-call": "black-scholes"}


def scipy_normcdf(library):
    try:
        from scipy.special import ndtr
    except ImportError:
        def ndtr(_):
            raise Unfit(f"{library} has no normcdf, and SciPy is not there")
    return ndtr


class NumPy:
    """NumPy: each operation is a pass over memory."""

    # Results that are held while the next ones are computed.
    in_flight = 1

    def __init__(self, gpu):
        import numpy as np

        self.version, self.threads = np.__version__, 1
        self.exp, self.sin, self.log, self.sqrt, self.abs = np.exp, np.sin, np.log, np.sqrt, np.abs
        self.where, self.copy, self.normcdf = np.where, np.copy, scipy_normcdf("NumPy")
        self.upload = np.copy

    def row_max(self, x):
        return x.max(axis=1, keepdims=True)

    def row_sum(self, x):
        return x.sum(axis=1, keepdims=True)

    def download(self, result):
        return result

    def wait(self, result):
        pass

    def release(self):
        """Gives unused memory of the library's pool back."""

    def function(self, case):
        call = CASES[case]
        return lambda *operands: call(self, *operands)


class NumExpr(NumPy):
    """numexpr: an expression is one pass over blocks, on all threads."""

    TEXTS = {
        "copy": "x",
        "axpy": "a * x + y",
        "sqrt": "a * x + sqrt(abs(y))",
        "exp": "exp(x)",
        "sin": "sin(x)",
        "dot": "sum(x * y)",
        "rowsum": "sum(x, axis=1)",
        "colsum": "sum(x, axis=0)",
        "transpose": "x + y",
        "rows": "x + y",
        "strided": "x + y",
        "select": "where((x > zero) & (y < quarter), x * y, y)",
        "complex": "x * y",
    }
    VIEWS = {
        "transpose": lambda x, y: (x, y.T),
        "rows": lambda x, y: (x[::2], y[1::2]),
        "strided": lambda x, y: (x[::2], y[1::2]),
    }

    def __init__(self, gpu):
        import numexpr

        super().__init__(gpu)
        self.normcdf = scipy_normcdf("numexpr")
        self.evaluate, self.version, self.threads = numexpr.evaluate, numexpr.__version__, numexpr.nthreads

    def function(self, case):
        if case in ("softmax", "heat", "black-scholes"):
            return getattr(self, case.replace("-", "_"))
        if case == "normcdf":
            return self.normcdf
        if case not in self.TEXTS:
            raise Unfit(f"numexpr has no {case}")
        text, views = self.TEXTS[case], self.VIEWS.get(case, lambda *operands: operands)

        def call(x, y=None):
            if x.dtype.char == "F":
                raise Unfit("numexpr has no complex numbers in single precision")
            x, y = views(x, y) if y is not None else (x, None)
            # Constants of the operands' type: those in the text would be double.
            constant = x.real.dtype.type
            names = {"x": x, "y": y, "a": constant(2.5), "zero": constant(0), "quarter": constant(0.25)}
            return self.evaluate(text, local_dict=names)

        return call

    def softmax(self, x):
        top = self.evaluate("max(x, axis=1)", local_dict={"x": x})[:, None]
        powers = self.evaluate("exp(x - top)", local_dict={"x": x, "top": top})
        total = self.evaluate("sum(x, axis=1)", local_dict={"x": powers})[:, None]
        return self.evaluate("x / total", local_dict={"x": powers, "total": total})

    def heat(self, u):
        names = dict(zip("abcd", neighbours(u)), q=u.dtype.type(0.25))
        u[1:-1, 1:-1] = self.evaluate("q * (a + b + c + d)", local_dict=names)
        return u

    def black_scholes(self, spot, strike, years):
        constant = spot.dtype.type
        names = {"s": spot, "k": strike, "t": years, "v": constant(VOLATILITY), "r": constant(RATE)}
        names["drift"] = constant(RATE + 0.5 * VOLATILITY**2)
        d1 = self.evaluate("(log(s / k) + drift * t) / (v * sqrt(t))", local_dict=names)
        d2 = self.evaluate("d1 - v * sqrt(t)", local_dict={"d1": d1, **names})
        names.update(a=self.normcdf(d1), b=self.normcdf(d2), c=self.normcdf(-d1), d=self.normcdf(-d2))
        call = self.evaluate("s * a - k * exp(-r * t) * b", local_dict=names)
        return call, self.evaluate("k * exp(-r * t) * d - s * c", local_dict=names)


class CuPy:
    """CuPy: ElementwiseKernel, with its functions beside it."""

    in_flight = 1

    BLACK_SCHOLES = f"""
        T spread = (T){VOLATILITY} * sqrt(years);
        T d1 = (log(spot / strike) + (T){RATE + 0.5 * VOLATILITY**2} * years) / spread, d2 = d1 - spread;
        T discounted = strike * exp(-(T){RATE} * years);
        call = spot * normcdf(d1) - discounted * normcdf(d2);
        put = discounted * normcdf(-d2) - spot * normcdf(-d1);
    """
    KERNELS = {
        "axpy": ("T x, T y", "T z", "z = (T)2.5 * x + y"),
        "sqrt": ("T x, T y", "T z", "z = (T)2.5 * x + sqrt(fabs(y))"),
        "exp": ("T x", "T z", "z = exp(x)"),
        "sin": ("T x", "T z", "z = sin(x)"),
        "normcdf": ("T x", "T z", "z = normcdf(x)"),
        "add": ("T x, T y", "T z", "z = x + y"),
        "shifted_exp": ("T x, T top", "T z", "z = exp(x - top)"),
        "black-scholes": ("T spot, T strike, T years", "T call, T put", BLACK_SCHOLES),
        "heat": ("T a, T b, T c, T d", "T z", "z = (T)0.25 * (a + b + c + d)"),
        "select": ("T x, T y", "T z", "z = x > 0 && y < (T)0.25 ? x * y : y"),
        "complex": ("T x, T y", "T z", "z = x * y"),
    }

    def __init__(self, gpu):
        cupy = cupy_on(gpu)
        self.cupy, self.version, self.threads = cupy, cupy.__version__, None
        self.upload, self.download = cupy.asarray, cupy.asnumpy
        self.release = cupy.get_default_memory_pool().free_all_blocks

    def wait(self, result):
        event = self.cupy.cuda.Event()
        event.record()
        event.synchronize()

    def kernel(self, name):
        # By itself the name would be that of a function of CUDA.
        return self.cupy.ElementwiseKernel(*self.KERNELS[name], "kernel_" + name.replace("-", "_"))

    def function(self, case):
        if case in ("transpose", "rows", "strided"):
            add = self.kernel("add")
            views = NumExpr.VIEWS[case]
            return lambda x, y: add(*views(x, y))
        if case == "heat":
            kernel = self.kernel("heat")

            def step(u):
                u[1:-1, 1:-1] = kernel(*neighbours(u))
                return u

            return step
        if case == "softmax":
            kernel = self.kernel("shifted_exp")

            def call(x):
                powers = kernel(x, x.max(axis=1, keepdims=True))
                powers /= powers.sum(axis=1, keepdims=True)
                return powers

            return call
        if case == "dot":
            # Faster than a ReductionKernel, which has too few groups for one sum.
            return lambda x, y: (x * y).sum()
        if case in self.KERNELS:
            return self.kernel(case)
        return {
            "copy": lambda x: x.copy(),
            "rowsum": lambda x: x.sum(1),
            "colsum": lambda x: x.sum(0),
            "cumsum": lambda x: x.cumsum(0),
        }[case]


class Torch:
    """PyTorch, by torch.compile or as it stands."""

    in_flight = 1

    def __init__(self, gpu, compiled):
        torch, self.device = torch_on(gpu)
        self.torch, self.compiled, self.version = torch, compiled, torch.__version__
        self.threads = torch.get_num_threads() if gpu is None else None
        self.exp, self.sin, self.log, self.sqrt, self.abs = torch.exp, torch.sin, torch.log, torch.sqrt, torch.abs
        self.where, self.copy, self.normcdf = torch.where, torch.clone, torch.special.ndtr

    def row_max(self, x):
        return x.amax(1, True)

    def row_sum(self, x):
        return x.sum(1, True)

    def upload(self, operand):
        return self.torch.tensor(operand, device=self.device)

    def download(self, result):
        return result.cpu().numpy()

    def wait(self, result):
        if self.device == "cuda":
            self.torch.cuda.synchronize()

    def release(self):
        # The cases share a function's code, of which torch.compile keeps few variants.
        if self.compiled:
            self.torch.compiler.reset()
        if self.device == "cuda":
            self.torch.cuda.empty_cache()

    def function(self, case):
        operation = CASES[case]

        def call(*operands):
            return operation(self, *operands)

        return self.torch.compile(call) if self.compiled else call


class Jax:
    """jax.jit."""

    def __init__(self, gpu):
        jax, self.device = jax_on(gpu)
        import jax.scipy.special

        self.jax, self.version, self.threads = jax, jax.__version__, os.cpu_count() if gpu is None else None
        jnp = jax.numpy
        self.exp, self.sin, self.log, self.sqrt, self.abs = jnp.exp, jnp.sin, jnp.log, jnp.sqrt, jnp.abs
        self.where, self.copy, self.normcdf = jnp.where, jnp.copy, jax.scipy.special.ndtr
        self.wait = jax.block_until_ready
        # On a CPU, calls may overlap: the last one to end need not be the last one made.
        self.in_flight = 8 if gpu is None else 1

    def release(self):
        pass

    def row_max(self, x):
        return x.max(axis=1, keepdims=True)

    def row_sum(self, x):
        return x.sum(axis=1, keepdims=True)

    def upload(self, operand):
        return self.jax.device_put(operand, self.device)

    def download(self, result):
        import numpy as np

        return np.asarray(result)

    def function(self, case):
        if case == "heat":
            # The memory of the operand becomes that of the result.
            return self.jax.jit(lambda u: u.at[1:-1, 1:-1].set(heat_value(self, u)), donate_argnums=0)
        operation = CASES[case]
        return self.jax.jit(lambda *operands: operation(self, *operands))


LIBRARIES = {
    "numpy": NumPy,
    "numexpr": NumExpr,
    "cupy": CuPy,
    "torch": lambda gpu: Torch(gpu, True),
    "torch-eager": lambda gpu: Torch(gpu, False),
    "jax": Jax,
}
