"""The libraries, and steps of a stencil in each of them, for `affinimath bench stencil`.

A step is a list of operations: those of later ones are on the results of earlier ones. A grid's memory has a border of
`radius` points on each side of each axis. Its levels go from the oldest to the newest.
"""

import functools
import operator


# Operators that arrays, symbols and numbers have.
OPERATORS = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv, "negative": operator.neg,
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip


def values(step, functions, tap, number=float):
    """The values of all operations; `tap` and `number` give those of taps and constants."""
    results = []
    for name, *operands in step["code"]:
        if name == "tap":
            results.append(tap(*operands))
        elif name == "number":
            results.append(number(operands[0]))
        else:
            call = OPERATORS.get(name) or functions.get(name)
            if call is None:
                raise Unfit(f"it has no {name}")
            results.append(call(*(results[operand] for operand in operands)))
    return results


def text(step, language, tap):
    """Lines of text, one for each operation, in a language that has the operators of C."""
    lines = []
    for number, (name, *operands) in enumerate(step["code"]):
        if name == "tap":
            value = tap(*operands)
        elif name == "number":
            value = language["number"](repr(float(operands[0])))
        elif name in OPERATORS and name != "negative":
            value = f"e{operands[0]} {name} e{operands[1]}"
        else:
            value = language[name].format(*(f"e{operand}" for operand in operands))
        lines.append((f"e{number}", value))
    return lines


def level_of(step, grid, time):
    """The position of a level, relative to the time of the step, among those in memory."""
    return step["grids"][grid]["levels"] - 1 - (step["grids"][grid]["newest"] - time)


def view(step, shape, offsets):
    """The slices of the domain, shifted."""
    radius = step["radius"]
    return tuple(slice(radius + offset, radius + offset + length) for length, offset in zip(shape, offsets))


def slices(step, functions, grids, shape):
    """The new values of one step, by slices of arrays."""
    def tap(grid, component, time, offsets):
        return grids[grid][component][level_of(step, grid, time)][view(step, shape, offsets)]

    return values(step, functions, tap)


def rotated(step, grids):
    """Levels behind a step: the oldest one is the next to be written."""
    return [
        [levels[1:] + levels[:1] if facts["newest"] == 1 else levels for levels in components]
        for facts, components in zip(step["grids"], grids)
    ]


def flat(grids):
    """All arrays, with their names."""
    return {
        f"a{grid}_{component}_{level}": array
        for grid, components in enumerate(grids)
        for component, levels in enumerate(components)
        for level, array in enumerate(levels)
    }


class Library:
    """A library that changes arrays in place. `stepper` gives a function of the grids that does one step."""

    threads = None

    def release(self):
        """Gives unused memory of the library's pool back."""

    def upload(self, array):
        return array.copy()

    def download(self, array):
        return array

    def wait(self, grids):
        pass

    def runner(self, step, shape, grids):
        """A function that does so many steps on the grids and gives those behind them."""
        once = self.stepper(step, shape)

        def run(grids, steps):
            for _ in range(steps):
                once(grids)
                grids = rotated(step, grids)
            return grids

        return run


class NumPy(Library):
    """The reference."""

    def stepper(self, step, shape):
        import numpy as np

        functions = {
            "sqrt": np.sqrt, "exp": np.exp, "abs": np.abs, "min": np.minimum, "max": np.maximum, "select": np.where,
        }  # fmt: skip

        def once(grids):
            results = slices(step, functions, grids, shape)
            for grid, component, number in step["outputs"]:
                grids[grid][component][-1][view(step, shape, [0] * len(shape))] = results[number]

        return once


class Numba(Library):
    """Loops in parallel."""

    LANGUAGE = {
        "number": "real({})".format, "negative": "-{}", "sqrt": "math.sqrt({})", "exp": "math.exp({})",
        "abs": "abs({})", "min": "min({}, {})", "max": "max({}, {})", "select": "{1} if {0} else {2}",
    }  # fmt: skip

    def __init__(self, gpu):
        import numba

        self.numba, self.version, self.threads = numba, numba.__version__, numba.get_num_threads()

    def source(self, step, shape, names):
        radius = step["radius"]
        def place(offsets):
            return ", ".join(f"i{axis} + {radius + offset}" for axis, offset in enumerate(offsets))

        def tap(grid, component, time, offsets):
            return f"a{grid}_{component}_{level_of(step, grid, time)}[{place(offsets)}]"

        lines = [f"def once({', '.join(names)}):"]
        for axis, length in enumerate(shape):
            loop = "numba.prange" if axis == 0 else "range"
            lines.append("    " * (axis + 1) + f"for i{axis} in {loop}({length}):")
        inner = "    " * (len(shape) + 1)
        lines += [f"{inner}{name} = {value}" for name, value in text(step, self.LANGUAGE, tap)]
        for grid, component, number in step["outputs"]:
            newest = step["grids"][grid]["levels"] - 1
            lines.append(f"{inner}a{grid}_{component}_{newest}[{place([0] * len(shape))}] = e{number}")
        return "\n".join(lines)

    def runner(self, step, shape, grids):
        import math

        import numpy as np

        names = {"numba": self.numba, "math": math, "real": np.dtype(step["element"]).type}
        exec(self.source(step, shape, flat(grids)), names)
        once = self.numba.njit(parallel=True)(names["once"])

        def run(grids, steps):
            for _ in range(steps):
                once(**flat(grids))
                grids = rotated(step, grids)
            return grids

        return run


class Pystencils(Library):
    """pystencils: C++ with OpenMP and vector instructions."""

    def __init__(self, gpu):
        import pystencils

        if int(pystencils.__version__.split(".")[0]) < 2:
            raise Unfit("pystencils 2 or later is needed")
        self.pystencils, self.version = pystencils, pystencils.__version__
        self.threads = int(os.environ.get("OMP_NUM_THREADS", os.cpu_count()))

    def runner(self, step, shape, grids):
        import sympy

        ps, element, dimension = self.pystencils, step["element"], len(shape)
        names = flat(grids)
        fields = dict(zip(names, ps.fields(f"{', '.join(names)}: {element}[{dimension}D]", layout="c")))

        def tap(grid, component, time, offsets):
            field = fields[f"a{grid}_{component}_{level_of(step, grid, time)}"]
            return field[tuple(offsets)] if any(offsets) else field.center

        functions = {
            "sqrt": sympy.sqrt, "exp": sympy.exp, "abs": sympy.Abs, "min": sympy.Min, "max": sympy.Max,
            "select": lambda condition, a, b: sympy.Piecewise((a, condition), (b, True)),
        }  # fmt: skip
        results = values(step, functions, tap, sympy.Float)
        outputs = [
            ps.Assignment(fields[f"a{grid}_{component}_{step['grids'][grid]['levels'] - 1}"].center, results[number])
            for grid, component, number in step["outputs"]
        ]
        config = ps.CreateKernelConfig(
            target=ps.Target.CurrentCPU, ghost_layers=step["radius"], default_dtype=element
        )  # fmt: skip
        config.cpu.openmp.enable = config.cpu.vectorize.enable = config.cpu.vectorize.assume_inner_stride_one = True
        kernel = ps.create_kernel(outputs, config).compile()
        used = {access.field.name for output in outputs for access in output.atoms(ps.Field.Access)}

        def run(grids, steps):
            for _ in range(steps):
                kernel(**{name: array for name, array in flat(grids).items() if name in used})
                grids = rotated(step, grids)
            return grids

        return run


class Devito(Library):
    """Devito: C with OpenMP, whose blocks it tunes at the first call."""

    def __init__(self, gpu):
        import devito

        devito.configuration["language"] = "openmp"
        devito.configuration["log-level"] = "ERROR"
        self.devito, self.version = devito, devito.__version__
        self.threads = int(os.environ.get("OMP_NUM_THREADS", os.cpu_count()))

    def runner(self, step, shape, grids):
        import numpy as np
        import sympy

        devito, radius = self.devito, step["radius"]
        grid_of = devito.Grid(shape=tuple(shape), dtype=np.dtype(step["element"]).type)
        # The halo is as wide as the order.
        options = {"grid": grid_of, "space_order": radius}
        functions = {}
        for grid, facts in enumerate(step["grids"]):
            for component in range(facts["components"]):
                name = f"f{grid}_{component}"
                if facts["newest"] == 1:
                    made = devito.TimeFunction(name=name, time_order=facts["levels"] - 1, **options)
                else:
                    made = devito.Function(name=name, **options)
                functions[grid, component] = made
        time = grid_of.stepping_dim

        def tap(grid, component, level, offsets):
            made = functions[grid, component]
            shifts = {d: d + offset * d.spacing for d, offset in zip(grid_of.dimensions, offsets) if offset}
            if level and step["grids"][grid]["newest"] == 1:
                shifts[time] = time + level * time.spacing
            return made.subs(shifts) if shifts else made

        # Devito has conditions on whole equations alone.
        calls = {
            "sqrt": sympy.sqrt, "exp": sympy.exp, "abs": sympy.Abs, "min": sympy.Min, "max": sympy.Max,
        }  # fmt: skip
        results = values(step, calls, tap, sympy.Float)
        equations = []
        for grid, component, number in step["outputs"]:
            made = functions[grid, component]
            target = made.forward if step["grids"][grid]["newest"] == 1 else made
            equations.append(devito.Eq(target, results[number]))
        program = devito.Operator(equations)
        steppers = [made for made in functions.values() if made.is_TimeFunction]
        first = max((made.time_order for made in steppers), default=1) - 1
        for (grid, component), made in functions.items():
            levels = grids[grid][component]
            for level, array in enumerate(levels):
                if made.is_TimeFunction:
                    made.data_with_halo[(first + level + 2 - len(levels)) % len(levels)] = array
                else:
                    made.data_with_halo[:] = array
        state = {"time": 0, "tuned": False}

        def run(grids, steps):
            if steppers:
                start = first + state["time"]
                bounds = {"time_m": start, "time_M": start + steps - 1}
                if not state["tuned"]:
                    program.apply(autotune="aggressive", **bounds)
                    state["tuned"] = True
                else:
                    program.apply(**bounds)
                state["time"] += steps
            else:
                for _ in range(steps):
                    program.apply()
            return Rings(step, functions, first + state["time"])

        return run


class Rings:
    """Grids in Devito's memory, of whose levels the newest is at the time."""

    def __init__(self, step, functions, time):
        self.step, self.functions, self.time = step, functions, time

    def newest(self, grid, component):
        made = self.functions[grid, component]
        if self.step["grids"][grid]["newest"] != 1:
            return made.data_with_halo
        return made.data_with_halo[self.time % self.step["grids"][grid]["levels"]]


class CuPy(Library):
    """CuPy: an ElementwiseKernel on slices."""

    LANGUAGE = {
        "number": "(T)({})".format, "negative": "-{}", "sqrt": "sqrt({})", "exp": "exp({})", "abs": "fabs({})",
        "min": "min({}, {})", "max": "max({}, {})", "select": "{0} ? {1} : {2}",
    }  # fmt: skip

    def __init__(self, gpu):
        cupy = cupy_on(gpu)
        self.cupy, self.version = cupy, cupy.__version__
        self.upload, self.download = cupy.asarray, cupy.asnumpy
        self.release = cupy.get_default_memory_pool().free_all_blocks

    def wait(self, grids):
        self.cupy.cuda.Device().synchronize()

    def stepper(self, step, shape):
        taps = []

        def tap(*place):
            taps.append(place)
            return f"t{len(taps) - 1}"

        lines = text(step, self.LANGUAGE, tap)
        comparisons = {f"e{n}" for n, (name, *_) in enumerate(step["code"]) if name in ("<", "<=", ">", ">=")}
        body = [f"{'bool' if name in comparisons else 'T'} {name} = {value};" for name, value in lines]
        outputs = step["outputs"]
        body += [f"r{n} = e{number};" for n, (_, _, number) in enumerate(outputs)]
        inputs = ", ".join(f"T t{n}" for n in range(len(taps)))
        results = ", ".join(f"T r{n}" for n in range(len(outputs)))
        kernel = self.cupy.ElementwiseKernel(inputs, results, "\n".join(body), "stencil_step")
        middle = view(step, shape, [0] * len(shape))

        def once(grids):
            read = [
                grids[grid][component][level_of(step, grid, time)][view(step, shape, offsets)]
                for grid, component, time, offsets in taps
            ]
            kernel(*read, *(grids[grid][component][-1][middle] for grid, component, _ in outputs))

        return once


class Torch(Library):
    """torch.compile."""

    def __init__(self, gpu):
        torch, self.device = torch_on(gpu)
        self.torch, self.version = torch, torch.__version__
        self.threads = torch.get_num_threads() if gpu is None else None

    def upload(self, array):
        return self.torch.tensor(array, device=self.device)

    def download(self, array):
        return array.cpu().numpy()

    def wait(self, grids):
        if self.device == "cuda":
            self.torch.cuda.synchronize()

    def release(self):
        self.torch.compiler.reset()
        if self.device == "cuda":
            self.torch.cuda.empty_cache()

    def stepper(self, step, shape):
        torch = self.torch
        functions = {
            "sqrt": torch.sqrt, "exp": torch.exp, "abs": torch.abs, "min": torch.minimum, "max": torch.maximum,
            "select": torch.where,
        }  # fmt: skip
        middle = view(step, shape, [0] * len(shape))

        @torch.compile
        def once(grids):
            results = slices(step, functions, grids, shape)
            for grid, component, number in step["outputs"]:
                grids[grid][component][-1][middle] = results[number]

        return once


class Jax(Library):
    """jax.jit: a loop over the steps, in memory that is donated."""

    def __init__(self, gpu):
        jax, self.device = jax_on(gpu)
        self.jax, self.version, self.threads = jax, jax.__version__, os.cpu_count() if gpu is None else None
        self.wait = jax.block_until_ready

    def upload(self, array):
        return self.jax.device_put(array, self.device)

    def download(self, array):
        import numpy as np

        return np.asarray(array)

    def runner(self, step, shape, grids):
        jnp = self.jax.numpy
        functions = {
            "sqrt": jnp.sqrt, "exp": jnp.exp, "abs": jnp.abs, "min": jnp.minimum, "max": jnp.maximum,
            "select": jnp.where,
        }  # fmt: skip
        middle = view(step, shape, [0] * len(shape))

        def once(_, grids):
            results = slices(step, functions, grids, shape)
            grids = [[list(levels) for levels in components] for components in grids]
            for grid, component, number in step["outputs"]:
                newest = grids[grid][component][-1]
                grids[grid][component][-1] = newest.at[middle].set(results[number])
            return rotated(step, grids)

        @functools.partial(self.jax.jit, donate_argnums=0, static_argnums=1)
        def run(grids, steps):
            return self.jax.lax.fori_loop(0, steps, once, grids) if steps > 1 else once(0, grids)

        return run


LIBRARIES = {
    "cupy": CuPy,
    "devito": Devito,
    "jax": Jax,
    "numba": Numba,
    "pystencils": Pystencils,
    "torch": Torch,
}
