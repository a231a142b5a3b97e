"""The examples of the documentation, which every public name has."""

import doctest
import inspect
import os

import numpy as np
import pytest

import affinimath as am

MODULES = [am, am.linalg, am.fft, am.sparse, am.sparse.linalg, am.array_api, am.array_api.linalg, am.array_api.fft]


def public():
    """Functions, classes and methods by their names, each once."""
    found = {}
    for module in MODULES:
        for name in module.__all__:
            thing = getattr(module, name)
            if isinstance(thing, (float, str, np.dtype)) or thing is None:
                continue
            found.setdefault(id(thing), (f"{module.__name__}.{name}", thing))
            if inspect.isclass(thing):
                own = [base for base in thing.__mro__ if base.__module__.startswith("affinimath")]
                for method, function in (pair for base in own for pair in vars(base).items()):
                    if not method.startswith("_") and isinstance(function, (type(public), classmethod)):
                        found[id(function)] = (f"{module.__name__}.{name}.{method}", getattr(thing, method))
    return sorted(found.values(), key=lambda pair: pair[0])


@pytest.fixture(autouse=True)
def environment():
    """After an example the environment's choices hold again."""
    yield
    am.set_route(os.environ.get("AFFINIMATH_ROUTE") or "auto")
    am.set_math_mode(os.environ.get("AFFINIMATH_MATH_MODE") or "default")


@pytest.mark.parametrize("name, thing", public(), ids=lambda value: value if isinstance(value, str) else "")
def test_examples_are_right(name, thing):
    text = inspect.getdoc(thing) or ""
    for method, module in (("tocsr", "scipy.sparse"), ("register_threadpoolctl", "threadpoolctl")):
        if name.endswith(method):
            pytest.importorskip(module)
    examples = doctest.DocTestParser().get_doctest(text, {}, name, None, 0)
    assert examples.examples, "no example"
    said = []
    with np.printoptions(legacy=False):
        failed, _ = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(examples, out=said.append)
    assert failed == 0, "".join(said)
