"""The type hints, by mypy where it is installed."""

from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1]


def test_the_package_is_strictly_typed():
    api = pytest.importorskip("mypy.api")
    said, errors, status = api.run(
        ["--strict", "--config-file", str(PACKAGE / "pyproject.toml"), str(PACKAGE / "affinimath")]
    )
    assert status == 0, said + errors


def test_a_program_that_uses_the_package_is_strictly_typed(tmp_path, monkeypatch):
    api = pytest.importorskip("mypy.api")
    monkeypatch.setenv("MYPYPATH", str(PACKAGE))
    program = tmp_path / "program.py"
    program.write_text(
        "import numpy as np\n"
        "import affinimath as am\n"
        "a = np.eye(3)\n"
        "q, r = am.qr(a)\n"
        "p, l, u = am.lu(a)\n"
        "x: np.ndarray = am.solve(a, np.ones(3)) + am.cholesky(a).solve(np.ones(3)) + q @ r @ u[0]\n"
        "found = am.cg(am.CsrMatrix(a), x, rtol=1e-8)\n"
        "converged: bool = found.converged\n"
        "spectrum: np.ndarray = am.fft.rfft(x)\n"
        "rank: int = am.lstsq(a, x).rank\n"
        "y, info = am.sparse.linalg.gmres(a, x)\n"
        "am.linalg.norm(x)\n"
        "import affinimath.array_api as xp\n"
        "w: am.Array = am.solve(am.Array(a), xp.ones(3)) + xp.sum(xp.asarray(a), axis=0)\n"
        "w[1:] += 2\n"
        "parts: tuple[am.Array, ...] = xp.unstack(w) + xp.nonzero(w > 1)\n"
        "am.qr(a).wrong  # type: ignore[attr-defined]\n"
    )
    options = ["--strict", "--follow-imports=silent", "--config-file", str(PACKAGE / "pyproject.toml")]
    said, errors, status = api.run([*options, str(program)])
    assert status == 0, said + errors
