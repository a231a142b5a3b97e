"""Evaluates graphs of array expressions in NumPy's longdouble and compares results with them.

Standard input has a list of cases in JSON: nodes in the order of evaluation, the positions of outputs, and results.
Each value has a bound of its error, which operations carry on (running error analysis: Higham, Accuracy and Stability
of Numerical Algorithms, section 3.3). An infinite bound stands for elements that a rounding can change altogether,
such as a comparison of values that are equal within their bounds, and for those beyond the range: they are not
compared. Integers and booleans are compared exactly.
"""

import json
import math
import sys

import numpy as np

np.seterr(all="ignore")
LONG, CLONG = np.longdouble, np.clongdouble
INTEGERS = {"bool": np.bool_, "u8": np.uint8, "i32": np.int32, "u32": np.uint32, "i64": np.int64}
SINGLE = {"f32", "Complex32"}
COMPLEX = {"Complex32", "Complex64"}
INF = LONG(np.inf)

# Units in the last place that an elementary function may be off.
ULPS = 4


class Value:
    """Elements with the bounds of their errors."""

    def __init__(self, kind, elements, error=None):
        self.kind, self.elements = kind, np.asarray(elements)
        zero = np.zeros(self.elements.shape, LONG)
        self.error = zero if error is None else np.broadcast_to(np.asarray(error, LONG), self.elements.shape).copy()
        self.error[np.isnan(self.error)] = INF
        if kind not in INTEGERS:
            self.error[~(np.abs(self.elements) + self.error < largest(kind))] = INF

    @property
    def is_exact(self):
        return self.kind in INTEGERS


def unit(kind):
    return LONG(2) ** (-24 if kind in SINGLE else -53)


def largest(kind):
    return LONG(np.finfo(np.float32 if kind in SINGLE else np.float64).max) / 2


def rounded(kind, elements, error=0, roundings=1):
    """Elements that carry an error and were rounded."""
    tiny = LONG(2) ** (-148 if kind in SINGLE else -1073)
    return Value(kind, elements, error + roundings * (unit(kind) * np.abs(elements) + tiny))


def decoded(kind, numbers, shape):
    if kind in INTEGERS:
        return np.array(numbers, INTEGERS[kind]).reshape(shape)
    if kind in COMPLEX:
        parts = [[LONG(float(re)), LONG(float(im))] for re, im in numbers]
        parts = np.array(parts, LONG).reshape(tuple(shape) + (2,))
        # A product with 1j would make NaN of infinite parts.
        elements = np.empty(tuple(shape), CLONG)
        elements.real, elements.imag = parts[..., 0], parts[..., 1]
        return elements
    return np.array([LONG(float(x)) for x in numbers], LONG).reshape(shape)


# ---- Functions of reals. The error is what the function changes by within the operand's.


def elementwise(function):
    return lambda x: np.array([LONG(call(function, v)) for v in x.ravel()], LONG).reshape(x.shape)


def call(function, x):
    try:
        return function(float(x))
    except (ValueError, OverflowError):
        return math.nan


FUNCTIONS = {
    "Recip": lambda x: 1 / x, "Square": lambda x: x * x, "Sqrt": np.sqrt, "Cbrt": np.cbrt, "Exp": np.exp,
    "Exp2": np.exp2, "Expm1": np.expm1, "Ln": np.log, "Log2": np.log2, "Log10": np.log10, "Log1p": np.log1p,
    "Sin": np.sin, "Cos": np.cos, "Tan": np.tan, "Asin": np.arcsin, "Acos": np.arccos, "Atan": np.arctan,
    "Sinh": np.sinh, "Cosh": np.cosh, "Tanh": np.tanh,
    "SinPi": lambda x: np.sin(LONG(np.pi) * np.fmod(x, 2)), "CosPi": lambda x: np.cos(LONG(np.pi) * np.fmod(x, 2)),
    "Erf": elementwise(math.erf), "Erfc": elementwise(math.erfc),
    "Normcdf": elementwise(lambda x: 0.5 * math.erfc(-x / math.sqrt(2))),
    "Gamma": elementwise(math.gamma), "Lgamma": elementwise(math.lgamma),
}
# In double precision only, and of the sum of large terms.
IN_DOUBLE = {"Erf", "Erfc", "Normcdf", "Gamma", "Lgamma", "SinPi", "CosPi"}
TWO = {"Pow": np.power, "Atan2": np.arctan2, "Hypot": np.hypot, "Div": np.divide}
STEPS = {"Floor": np.floor, "Ceil": np.ceil, "Trunc": np.trunc, "Round": np.rint, "Sign": np.sign}
COMPARISONS = {
    "Lt": np.less, "Le": np.less_equal, "Gt": np.greater, "Ge": np.greater_equal, "Eq": np.equal, "Ne": np.not_equal,
}


def spread(function, *operands):
    """The value, and how far it moves within the operands' errors."""
    center = function(*[x.elements for x in operands])
    moved = np.zeros(center.shape, LONG)
    signs = np.array(np.meshgrid(*[[-1, -0.5, 0.5, 1]] * len(operands))).reshape(len(operands), -1).T
    for corner in signs:
        other = function(*[x.elements + s * x.error for x, s in zip(operands, corner)])
        moved = np.maximum(moved, np.abs(other - center))
    error = LONG(1.5) * moved
    # Between the samples there may be a pole or another period.
    for x in operands:
        error = np.where((x.error > 0) & (x.error > LONG(0.01) * np.abs(x.elements)), INF, error)
        error = np.where((x.error > LONG(0.01)) & (len(operands) == 1), INF, error)
    exact = np.all([np.broadcast_to(x.error, center.shape) == 0 for x in operands], axis=0)
    return center, np.where(exact, 0, error)


def real_function(name, kind, x):
    if name in STEPS:
        low, high = STEPS[name](x.elements - x.error), STEPS[name](x.elements + x.error)
        return Value(kind, STEPS[name](x.elements), np.where(low == high, 0, INF))
    center, error = spread(FUNCTIONS[name], x)
    extra = 0
    if name in IN_DOUBLE:
        # The argument's square scales the relative error of tails; lgamma's terms cancel near its zeros.
        scale = np.abs(center) * (4 + x.elements * x.elements) + (1 if name in ("Lgamma", "SinPi", "CosPi") else 0)
        extra = 8 * LONG(2) ** -53 * scale + 8 * unit(kind) * scale
    return rounded(kind, center, error + extra, ULPS)


def integer_function(name, kind, x):
    element = INTEGERS[kind]
    if name == "Not":
        return np.logical_not(x) if kind == "bool" else np.invert(x)
    if name == "Neg":
        return (0 - x.astype(np.int64)).astype(element)
    if name == "Square":
        return x * x
    return {"Abs": np.abs, "Sign": np.sign}[name](x).astype(element)


def integer_binary(name, kind, x, y):
    x, y = np.broadcast_arrays(x, y)
    bits = np.dtype(INTEGERS[kind]).itemsize * 8
    if name in ("Div", "Rem"):
        # Python's integers have no range; the quotient is truncated, and 0 for the divisor 0.
        pairs = [(int(a), int(b)) for a, b in zip(x.ravel(), y.ravel())]
        quotients = [0 if b == 0 else abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1) for a, b in pairs]
        numbers = quotients if name == "Div" else [0 if b == 0 else a - q * b for (a, b), q in zip(pairs, quotients)]
        return wrapped(kind, numbers).reshape(x.shape)
    if name in ("Shl", "Shr"):
        pairs = [(int(a), int(b) % bits) for a, b in zip(x.ravel(), y.ravel())]
        return wrapped(kind, [a << b if name == "Shl" else a >> b for a, b in pairs]).reshape(x.shape)
    functions = {
        "Add": np.add, "Sub": np.subtract, "Mul": np.multiply, "Min": np.minimum, "Max": np.maximum,
        "And": np.bitwise_and, "Or": np.bitwise_or, "Xor": np.bitwise_xor,
    }
    return functions[name](x, y)


def wrapped(kind, numbers):
    bits = np.dtype(INTEGERS[kind]).itemsize * 8
    numbers = [n % (1 << bits) for n in numbers]
    if np.dtype(INTEGERS[kind]).kind == "i":
        numbers = [n - (1 << bits) if n >> (bits - 1) else n for n in numbers]
    return np.array(numbers, INTEGERS[kind])


def joined_error(*operands):
    """Infinite where an operand is not known."""
    return sum(np.where(np.isinf(x.error), INF, LONG(0)) for x in operands)


def unary(name, kind, x):
    if name in ("IsNan", "IsInfinite", "IsFinite", "SignBit"):
        functions = {"IsNan": np.isnan, "IsInfinite": np.isinf, "IsFinite": np.isfinite}
        signs = lambda v: np.signbit(v)
        crosses = (np.abs(x.elements) <= x.error) & (x.error > 0)
        error = joined_error(x) + (np.where(crosses, INF, 0) if name == "SignBit" else 0)
        return Value(kind, functions.get(name, signs)(x.elements), error)
    if x.is_exact:
        return Value(kind, integer_function(name, kind, x.elements), joined_error(x))
    if name == "Neg":
        return Value(kind, -x.elements, x.error)
    if name == "Abs":
        return rounded(kind, np.abs(x.elements), x.error, ULPS if x.kind in COMPLEX else 0)
    return complex_function(name, kind, x) if kind in COMPLEX else real_function(name, kind, x)


def complex_function(name, kind, z):
    u, size, error = unit(kind), np.abs(z.elements), z.error
    if name == "Square":
        return product(kind, z, z)
    if name == "Recip":
        return Value(kind, 1 / z.elements, error / (size * np.maximum(size - error, 0)) + 16 * u / size)
    near_cut = np.where((z.elements.real < 0) & (np.abs(z.elements.imag) <= error) & (error > 0), INF, LONG(0))
    near_zero = np.where((error > 0) & (size <= 4 * error), INF, near_cut)
    if name == "Exp":
        value = np.exp(z.elements)
        return Value(kind, value, np.abs(value) * (np.expm1(error) + 16 * u))
    if name == "Ln":
        value = np.log(z.elements)
        return Value(kind, value, 2 * error / size + 16 * u * (1 + np.abs(value)) + near_zero)
    value = np.sqrt(z.elements)
    return Value(kind, value, np.where(error > 0, error / np.abs(value), 0) + 16 * u * np.abs(value) + near_zero)


def product(kind, x, y):
    a, b = np.abs(x.elements), np.abs(y.elements)
    error = a * y.error + b * x.error + x.error * y.error
    return rounded(kind, x.elements * y.elements, np.where((x.error == 0) & (y.error == 0), 0, error)
                   + (4 * unit(kind) * a * b if kind in COMPLEX else 0))


def binary(name, kind, x, y):
    if name in COMPARISONS:
        distance = np.abs(x.elements - y.elements) if not x.is_exact else LONG(1)
        error = x.error + y.error
        error = np.where((error > 0) & (distance <= error), INF, LONG(0)) + joined_error(x, y)
        return Value(kind, COMPARISONS[name](x.elements, y.elements), error)
    if x.is_exact:
        return Value(kind, integer_binary(name, kind, x.elements, y.elements), joined_error(x, y))
    if name in ("Add", "Sub"):
        result = x.elements + y.elements if name == "Add" else x.elements - y.elements
        return rounded(kind, result, x.error + y.error)
    if name == "Mul":
        return product(kind, x, y)
    if kind in COMPLEX:
        size = np.abs(y.elements)
        error = (x.error + np.abs(x.elements / y.elements) * y.error) / np.maximum(size - y.error, 0)
        value = x.elements / y.elements
        return Value(kind, value, error + 32 * unit(kind) * np.abs(value))
    if name in ("Min", "Max"):
        function = np.minimum if name == "Min" else np.maximum
        return Value(kind, function(x.elements, y.elements), np.maximum(x.error, y.error))
    if name == "Rem":
        corners = [(s, t) for s in (-1, 1) for t in (-1, 1)]
        quotients = [np.trunc((x.elements + s * x.error) / (y.elements + t * y.error)) for s, t in corners]
        same = np.all([q == quotients[0] for q in quotients], axis=0)
        error = x.error + np.abs(quotients[0]) * y.error
        return Value(kind, np.fmod(x.elements, y.elements), np.where(same & np.isfinite(quotients[0]), error, INF))
    if name == "CopySign":
        unsure = (np.abs(y.elements) <= y.error) & (y.error > 0)
        return Value(kind, np.copysign(x.elements, y.elements), np.where(unsure, INF, x.error + 0 * y.error))
    center, error = spread(TWO[name], x, y)
    return rounded(kind, center, error, ULPS)


def complex_parts(name, kind, args):
    z = args[0]
    if name in ("FromParts", "Polar"):
        x, y = np.broadcast_arrays(args[0].elements, args[1].elements)
        value = np.empty(x.shape, CLONG)
        value.real, value.imag = (x, y) if name == "FromParts" else (x * np.cos(y), x * np.sin(y))
        if name == "FromParts":
            return Value(kind, value, args[0].error + args[1].error)
        return Value(kind, value, args[0].error + np.abs(x) * args[1].error + 16 * unit(kind) * np.abs(x))
    if name in ("Re", "Im"):
        return Value(kind, z.elements.real if name == "Re" else z.elements.imag, z.error)
    if name == "Conj":
        return Value(kind, np.conj(z.elements), z.error)
    size = np.abs(z.elements)
    if name == "NormSquared":
        return rounded(kind, size * size, 2 * size * z.error + z.error * z.error, ULPS)
    unsure = (z.error > 0) & ((size <= 2 * z.error) | (z.elements.real < 0) & (np.abs(z.elements.imag) <= z.error))
    error = np.where(z.error > 0, 2 * z.error / size, 0)
    return rounded(kind, np.angle(z.elements), np.where(unsure, INF, error), ULPS)


def convert(kind, x):
    if kind == "bool":
        nonzero = x.elements != 0
        unsure = (np.abs(x.elements) <= x.error) & (x.error > 0) if not x.is_exact else np.zeros(x.error.shape, bool)
        return Value(kind, nonzero, np.where(unsure, INF, 0) + joined_error(x))
    if kind in INTEGERS:
        if x.is_exact:
            return Value(kind, x.elements.astype(INTEGERS[kind]), joined_error(x))
        bounds = np.iinfo(INTEGERS[kind])
        ends = [np.trunc(x.elements + s * x.error) for s in (-1, 1)]
        numbers = [0 if np.isnan(v) else int(np.clip(np.trunc(v), bounds.min, bounds.max)) for v in x.elements.ravel()]
        elements = np.array(numbers, INTEGERS[kind]).reshape(x.elements.shape)
        return Value(kind, elements, np.where(ends[0] == ends[1], 0, INF) + joined_error(x))
    if x.is_exact:
        return rounded(kind, x.elements.astype(CLONG if kind in COMPLEX else LONG), joined_error(x))
    return rounded(kind, x.elements.astype(CLONG if kind in COMPLEX else LONG), x.error)


def reduce(name, kind, x, axes, keep):
    axes = tuple(axes)
    count = int(np.prod([x.elements.shape[axis] for axis in axes]))
    worst = np.max(x.error, axis=axes, keepdims=keep)
    unknown = np.where(np.isinf(worst), INF, LONG(0))
    if name.startswith("Arg"):
        # Equal within bounds: any of them.
        unknown = np.where(worst > 0, INF, unknown)
        order = [axis for axis in range(x.elements.ndim) if axis not in axes] + list(axes)
        kept = [x.elements.shape[axis] for axis in order[: x.elements.ndim - len(axes)]]
        rows = np.transpose(x.elements, order).reshape(kept + [count])
        value = (np.argmin if name == "ArgMin" else np.argmax)(rows, axis=-1)
        return Value(kind, value.reshape(worst.shape), unknown)
    functions = {
        "Sum": np.sum, "Product": np.prod, "Min": np.min, "Max": np.max, "Any": np.any, "All": np.all,
    }
    arguments = {"axis": axes, "keepdims": keep}
    if x.is_exact:
        if name in ("Sum", "Product"):
            arguments["dtype"] = INTEGERS[kind]
        return Value(kind, functions[name](x.elements, **arguments), unknown)
    value = functions[name](x.elements, **arguments)
    if name in ("Min", "Max"):
        return Value(kind, value, worst)
    size = np.abs(x.elements)
    if name == "Sum":
        error = np.sum(x.error, axis=axes, keepdims=keep)
        return rounded(kind, value, error + count * unit(kind) * np.sum(size + x.error, axis=axes, keepdims=keep))
    whole = np.prod(size + x.error, axis=axes, keepdims=keep)
    error = whole - np.prod(size, axis=axes, keepdims=keep) + 6 * count * unit(kind) * whole
    # A partial product may leave the range that the whole one is in.
    large = np.prod(np.maximum(size, 1), axis=axes, keepdims=keep)
    small = np.prod(np.minimum(size, 1), axis=axes, keepdims=keep)
    lost = (large > largest(kind)) | (small < 1 / largest(kind)) & (value != 0)
    return rounded(kind, value, np.where(lost, INF, error))


def scan(name, kind, x, axis):
    function = np.cumsum if name == "Sum" else np.cumprod
    unknown = np.where(np.cumsum(np.isinf(x.error), axis=axis) > 0, INF, LONG(0))
    if x.is_exact:
        return Value(kind, function(x.elements, axis=axis, dtype=INTEGERS[kind]), unknown)
    value, size = function(x.elements, axis=axis), np.abs(x.elements)
    counts = 2 + np.arange(value.shape[axis]).reshape([-1 if k == axis else 1 for k in range(value.ndim)])
    whole = function(size + x.error, axis=axis)
    error = whole - function(size, axis=axis) + counts * unit(kind) * whole + unknown
    if name == "Product":
        small = np.cumprod(np.minimum(size, 1), axis=axis) < 1 / largest(kind)
        error = np.where(small & (value != 0), INF, error)
    return rounded(kind, value, error)


def view(data, shape, array):
    index = []
    for start, step, axis in data:
        if axis is None:
            index.append(np.array(start))
        else:
            places = start + step * np.arange(shape[axis])
            index.append(places.reshape([-1 if k == axis else 1 for k in range(len(shape))]))
    return np.broadcast_to(array[tuple(index)] if index else array, shape)


def moved(name, data, shape, arrays):
    """Operations that move elements."""
    if name == "View":
        return view(data, shape, arrays[0])
    if name == "Reshape":
        return arrays[0].reshape(shape)
    if name == "Concatenate":
        return np.concatenate(arrays, axis=data)
    return np.take(arrays[0], arrays[1], axis=data)


def evaluate(node, values):
    name, kind, shape, data = node["op"], node["type"], tuple(node["shape"]), node["data"]
    args = [values[arg] for arg in node["args"]]
    if name == "Elements":
        return Value(kind, decoded(kind, data, shape))
    if name == "Iota":
        return Value(kind, np.arange(int(np.prod(shape)), dtype=np.int64).reshape(shape))
    if name in ("View", "Reshape", "Concatenate"):
        parts = [moved(name, data, shape, [getattr(x, part) for x in args]) for part in ("elements", "error")]
        return Value(kind, *parts)
    if name == "Gather":
        index = args[1].elements % args[0].elements.shape[data]
        return Value(kind, *[np.take(part, index, axis=data) for part in (args[0].elements, args[0].error)])
    if name == "Select":
        mask = args[0]
        elements = np.where(mask.elements, args[1].elements, args[2].elements)
        error = np.where(mask.elements, args[1].error, args[2].error) + joined_error(mask)
        return Value(kind, elements, error)
    if name == "Fma":
        a, b, c = args
        error = np.abs(a.elements) * b.error + np.abs(b.elements) * a.error + a.error * b.error + c.error
        return rounded(kind, a.elements * b.elements + c.elements, error, 2)
    if name == "Convert":
        return convert(kind, args[0])
    if name.startswith("Reduce"):
        return reduce(name[len("Reduce"):], kind, args[0], *data)
    if name.startswith("Scan"):
        return scan(name[len("Scan"):], kind, args[0], data)
    if name in ("FromParts", "Polar", "Re", "Im", "Conj", "Arg", "NormSquared"):
        return complex_parts(name, kind, args)
    return unary(name, kind, args[0]) if len(args) == 1 else binary(name, kind, *args)


def main():
    cases = json.load(sys.stdin)
    compared = skipped = failures = 0
    for case in cases:
        values = []
        for node in case["nodes"]:
            value = evaluate(node, values)
            if value.elements.shape != tuple(node["shape"]):
                sys.exit(f"seed {case['seed']}: {node['op']} has the shape {value.elements.shape}: {node['shape']}")
            values.append(value)
        for output, numbers in zip(case["outputs"], case["results"]):
            expected, node = values[output], case["nodes"][output]
            found = decoded(expected.kind, numbers, tuple(node["shape"]))
            known = np.isfinite(expected.error)
            if expected.is_exact:
                wrong = known & (found != expected.elements)
            else:
                wrong = known & ~(np.abs(found - expected.elements) <= expected.error)
            compared += int(known.sum())
            skipped += int((~known).sum())
            for index in np.argwhere(wrong)[:1]:
                failures += 1
                at = tuple(index)
                print(f"seed {case['seed']}, {node['op']} of {expected.kind}, element {at}: {found[at]!r} instead of "
                      f"{expected.elements[at]!r} within {expected.error[at]:.3g}")
    print(f"numpy: {compared} elements within their bounds, {skipped} not compared, {failures} failures")
    if failures or compared < 2 * skipped:
        sys.exit(1)


main()
