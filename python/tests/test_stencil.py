"""Stencils on NumPy's arrays."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import affinimath as am
from affinimath import _lazy

HEAT = """
stencil heat {
  domainsize = (1 .. nx, 1 .. ny);
  t_max = steps;
  operation (double grid u, const float grid k, double param dt, double result change, long result warm) {
    double lap = u[x-1,y; t] + u[x+1,y; t] + u[x,y-1; t] + u[x,y+1; t] - 4 * u[x,y; t];
    u[x,y; t+1] = u[x,y; t] + dt * k[x,y] * lap;
    change = max(abs(dt * k[x,y] * lap));
    warm = count(u[x,y; t+1] > 0);
  }
}"""
WAVE = """
stencil wave {
  domainsize = (0 .. n-1);
  operation (double grid u, double param c) {
    u[x; t+1] = 2 * u[x; t] - u[x; t-1] + c * (u[x-1; t] - 2 * u[x; t] + u[x+1; t]);
  }
  boundary { u: x = 0; }
}"""
PAIR = """
stencil pair {
  domainsize = (1 .. n, 1 .. m);
  operation (float grid v[2], int grid c) {
    v[x,y; t+1; 0] = v[x,y; t; 1];
    v[x,y; t+1; 1] = v[x,y; t; 0] + c[x,y; t];
    c[x,y; t+1] = c[x,y; t] + 1;
  }
}"""


def heat_step(u, k, dt):
    inside = u[1:-1, 1:-1]
    lap = u[1:-1, :-2] + u[1:-1, 2:] + u[:-2, 1:-1] + u[2:, 1:-1] - 4 * inside
    new = u.copy()
    new[1:-1, 1:-1] = inside + dt * k.astype(np.float64) * lap
    return new, np.abs(dt * k.astype(np.float64) * lap).max()


@pytest.fixture
def rng():
    return np.random.default_rng(7)


def test_steps_are_numpys_to_the_bit(rng):
    u, k = rng.random((7, 9)), rng.random((5, 7), np.float32)
    before = u.copy()
    result = am.Stencil(HEAT).run(u=u, k=k, dt=0.1, steps=3)
    expected = u
    for _ in range(3):
        expected, change = heat_step(expected, k, 0.1)
    assert np.array_equal(u, before)
    assert np.array_equal(result["u"], expected)
    assert result.steps == 3 and not result.stopped
    assert result.results["change"] == change and result.results["warm"] == 35
    assert list(result) == ["u"] and len(result) == 1


def test_arrays_have_the_memorys_shape_or_the_domains(rng):
    u, k = rng.random((7, 9)), rng.random((5, 7), np.float32)
    heat = am.Stencil(HEAT)
    whole = heat.run(u=u, k=k, dt=0.1, steps=2)["u"]
    inner = np.zeros((7, 9))
    inner[1:-1, 1:-1] = u[1:-1, 1:-1]
    with_border_of_zeros = heat.run(u=inner, k=k, dt=0.1, steps=2)["u"]
    sizes = {"nx": 7, "ny": 5}
    domain = heat.run({**sizes, "u": u[1:-1, 1:-1], "k": k}, dt=0.1, steps=2)["u"]
    assert whole.shape == (7, 9) and domain.shape == (5, 7)
    assert np.array_equal(domain, with_border_of_zeros[1:-1, 1:-1])
    assert np.array_equal(heat.run(**sizes, u=u, k=k, dt=0.1, steps=2)["u"], whole)


def test_layouts_and_types_of_arrays(rng):
    u, k = rng.random((7, 9)), rng.random((5, 7), np.float32)
    heat = am.Stencil(HEAT)
    expected = heat.run(u=u, k=k, dt=0.1, steps=1)["u"]
    for form in (np.asfortranarray(u), u[::-1, ::-1][::-1, ::-1], np.ascontiguousarray(u.T).T, u.astype(">f8")):
        assert np.array_equal(heat.run(u=form, k=k, dt=0.1, steps=1)["u"], expected)
    ones = heat.run(u=u, k=1, dt=0.1, steps=1)["u"]
    assert np.array_equal(ones, heat.run(u=u, k=np.ones((5, 7), np.float32), dt=0.1, steps=1)["u"])
    with pytest.raises(TypeError, match="'u' is a grid of float64, and an array of complex128"):
        heat.run(u=u + 1j, k=k, dt=0.1, steps=1)


def test_a_run_goes_on_with_the_levels_of_another(rng):
    wave = am.Stencil(WAVE)
    old, new = rng.random(12), rng.random(12)
    old[[0, -1]] = new[[0, -1]] = 0
    at_once = wave.run(u=[old, new], c=0.3, steps=5)
    first = wave.run(u=[old, new], c=0.3, steps=2)
    assert [level.shape for level in first.levels["u"]] == [(12,), (12,)]
    then = wave.run(u=first.levels["u"], c=0.3, steps=3, first=2)
    assert np.array_equal(at_once["u"], then["u"])
    lap = new[:-2] - 2 * new[1:-1] + new[2:]
    assert np.array_equal(wave.run(u=[old, new], c=0.3, steps=1)["u"][1:-1], 2 * new[1:-1] - old[1:-1] + 0.3 * lap)
    with pytest.raises(am.InvalidArgumentError, match="'u' has 2 levels before a step, and 3 are given"):
        wave.run(u=[old, new, new], c=0.3, steps=1)


def test_components_are_the_first_axis(rng):
    pair = am.Stencil(PAIR)
    v = rng.random((2, 3, 4), np.float32)
    c = rng.integers(0, 9, (3, 4), np.int32)
    result = pair.run(v=v, c=c, steps=2)
    assert np.array_equal(result["v"], np.stack([v[0] + c.astype(np.float32), v[1] + (c + 1).astype(np.float32)]))
    assert np.array_equal(result["c"], c + 2) and result["c"].dtype == np.int32
    with pytest.raises(TypeError, match="'c' is a grid of int32"):
        pair.run(v=v, c=c + 0.5, steps=1)
    with pytest.raises(am.InvalidArgumentError, match="components"):
        pair.run(v=np.zeros((3, 3, 4), np.float32), steps=1)


def test_initial_values_and_a_criterion_of_the_text():
    text = """stencil s {
      domainsize = (1 .. n);
      operation (double grid u, const double grid w, double result sum) {
        u[x; t+1] = 0.5 * u[x; t] * w[x];
        sum = sum(u[x; t+1]);
      }
      initial { u = x; w = 1; }
      stop { when sum < 2; }
    }"""
    halved = am.Stencil(text)
    result = halved.run(n=4, steps=10)
    assert result.stopped and result.steps == 3
    assert np.array_equal(result["u"], np.arange(1, 5) / 8)
    given = halved.run(n=4, u=np.ones(4), steps=1)
    assert np.array_equal(given["u"], np.full(4, 0.5)) and given.results["sum"] == 2
    assert halved.run(n=4, steps=0).results == {}


def test_the_number_of_steps_is_a_size():
    text = """stencil source {
      domainsize = (1 .. n);
      t_max = steps;
      operation (double grid u, double param w[steps]) { u[x; t+1] = u[x; t]; }
      filter { u[x; t+1] += w[t]; }
    }"""
    source = am.Stencil(text)
    assert np.array_equal(source.run(u=np.zeros(2), w=[1, 2, 4], steps=3)["u"], [7, 7])
    assert np.array_equal(source.run({"u": np.zeros(2), "w": [1, 2, 4], "steps": 3})["u"], [7, 7])
    with pytest.raises(am.InvalidArgumentError, match="shape"):
        source.run(u=np.zeros(2), w=[1, 2, 4], steps=2)


def test_wrong_names_and_shapes(rng):
    heat = am.Stencil(HEAT)
    u, k = rng.random((7, 9)), rng.random((5, 7), np.float32)
    with pytest.raises(TypeError, match="has no 'v': there are u, k, dt, nx, ny, steps"):
        heat.run(v=u, k=k, dt=0.1, steps=1)
    with pytest.raises(TypeError, match="parameter 'dt' of heat is missing"):
        heat.run(u=u, k=k, steps=1)
    with pytest.raises(am.InvalidArgumentError, match="too (few|many) points"):
        heat.run(u=u, k=k[:-1], dt=0.1, steps=1)
    with pytest.raises(am.InvalidArgumentError, match="axes"):
        heat.run(u=u[0], k=k, dt=0.1, steps=1)
    with pytest.raises(am.InvalidArgumentError, match="steps"):
        heat.run(u=u, k=k, dt=0.1)
    with pytest.raises(am.InvalidArgumentError, match="-2 is negative"):
        heat.run(u=u, k=k, dt=0.1, steps=-2)
    with pytest.raises(am.InvalidArgumentError, match="'nx' is missing"):
        heat.run(dt=0.1, steps=1)
    with pytest.raises(am.InvalidArgumentError, match=r"1:9: .*\n.*\n.*\^"):
        am.Stencil("stencil 1 {}")


def test_facts_and_texts():
    heat = am.Stencil(HEAT)
    assert heat.name == "heat" and repr(heat) == "<Stencil heat: grids u, k>"
    assert heat.facts["grids"][0]["levels"] == 2 and heat.facts["sizes"] == ["nx", "ny", "steps"]
    for language, word in (("opencl", "__kernel"), ("cuda", "__global__"), ("c99", "void")):
        assert word in heat.source(language, nx=64, ny=32)
    with pytest.raises(am.InvalidArgumentError, match="opencl, cuda and c99"):
        heat.source("fortran", nx=4, ny=4)


def test_devices_give_the_same_bits(rng):
    heat = am.Stencil(HEAT)
    u, k = rng.random((40, 33)), rng.random((38, 31), np.float32)
    host = heat.run(u=u, k=k, dt=0.1, steps=4, device="host")
    for device in range(am.device_count()):
        found = heat.run(u=u, k=k, dt=0.1, steps=4, device=device)
        assert np.array_equal(found["u"], host["u"]) and found.results == host.results


STRATEGIES = ["naive", "wavefront:steps=3,width=2", "stream:items=8,planes=8", "overlap:steps=3,items=32,planes=8"]


def test_strategies_give_the_same_bits(rng):
    heat = am.Stencil(HEAT.replace(", double result change, long result warm", "").split("change =")[0] + "}}")
    operands = {"u": rng.random((40, 33)), "k": rng.random((38, 31), np.float32), "dt": 0.1}
    expected = heat.run(operands, steps=7, device="host", strategy="naive")["u"]
    for device in ["host", *range(am.device_count())]:
        fit = []
        for strategy in STRATEGIES:
            try:
                name = heat.strategy(strategy, device=device, nx=31, ny=38)
            except am.InvalidArgumentError as error:
                assert "does not fit" in str(error)
                with pytest.raises(am.InvalidArgumentError, match="does not fit"):
                    heat.run(operands, steps=7, device=device, strategy=strategy)
                continue
            assert name.startswith(strategy.split(",")[0])
            assert np.array_equal(heat.run(operands, steps=7, device=device, strategy=name)["u"], expected)
            fit.append(strategy)
        assert fit[0] == "naive" and (device != "host" or fit == STRATEGIES[:2])
        assert heat.strategy(device=device, nx=31, ny=38).split(":")[0] in {one.split(":")[0] for one in fit}
        assert np.array_equal(heat.run(operands, steps=7, device=device)["u"], expected)


def test_wrong_strategies(rng):
    heat = am.Stencil(HEAT)
    u, k = rng.random((7, 9)), rng.random((5, 7), np.float32)
    for strategy, reason in (("trapezoid", "none of naive"), ("wavefront:steps=1", "2 to 16"), ("", "none of naive")):
        with pytest.raises(am.InvalidArgumentError, match=reason):
            heat.run(u=u, k=k, dt=0.1, steps=3, strategy=strategy)
        with pytest.raises(am.InvalidArgumentError, match=reason):
            heat.source(nx=7, ny=5, strategy=strategy)


def test_arrays_come_back_as_arrays(rng):
    heat = am.Stencil(HEAT)
    u, k = rng.random((7, 9)), rng.random((5, 7), np.float32)
    expected = heat.run(u=u, k=k, dt=0.1, steps=3, device="host")
    for device in ["host", *am.device_names()]:
        lazy = 2 * am.Array(u / 2, device=device)
        result = heat.run(u=lazy, k=am.Array(k, device=device), dt=am.Array(0.1, device=device), steps=3)
        assert isinstance(result["u"], am.Array) and result["u"].device == device
        assert np.array_equal(result["u"].numpy(), expected["u"]) and result.results == expected.results
        assert np.array_equal(lazy.numpy(), u), "an operand has changed"
        assert isinstance(result.levels["u"][0], am.Array)
        then = heat.run(u=result.levels["u"], k=k, dt=0.1, steps=1)
        assert np.array_equal(then["u"].numpy(), heat.run(u=expected["u"], k=k, dt=0.1, steps=1)["u"])
        # A coefficient does not decide about results.
        mixed = heat.run(u=u, k=am.Array(k, device=device), dt=0.1, steps=3)
        assert isinstance(mixed["u"], np.ndarray) and np.array_equal(mixed["u"], expected["u"])
    with pytest.raises(TypeError, match="'u' is a grid of float64, and an array of complex128"):
        heat.run(u=am.Array(u + 1j), k=k, dt=0.1, steps=1)


def test_arrays_stay_where_they_lie(rng, monkeypatch):
    u, k = rng.random((40, 33)), rng.random((38, 31), np.float32)
    heat, wave, pair = am.Stencil(HEAT), am.Stencil(WAVE), am.Stencil(PAIR)
    before, now = rng.random(17), rng.random(17)
    v, c = rng.random((2, 4, 3), np.float32), np.arange(12, dtype=np.int32).reshape(4, 3)
    for device in ["host", *am.device_names()]:
        lies = {"device": device}
        cases = [
            (heat, {"u": u, "k": k, "dt": 0.1}, 4),
            (heat, {"u": u[1:-1, 1:-1], "k": k, "dt": 0.1, "nx": 31, "ny": 38}, 3),
            (wave, {"u": [before, now], "c": 0.3, "n": 17}, 5), (wave, {"u": now, "c": 0.3, "n": 17}, 2),
            (pair, {"v": v, "c": c}, 3), (pair, {"v": v, "n": 3, "m": 4}, 2), (heat, {"u": u, "k": k, "dt": 0.1}, 0),
        ]  # fmt: skip
        for stencil, values, steps in cases:
            expected = stencil.run(values, steps=steps, device="host")
            given = {
                name: [am.Array(level, **lies) for level in value] if isinstance(value, list)
                else am.Array(value, **lies) if isinstance(value, np.ndarray) else value
                for name, value in values.items()
            }  # fmt: skip
            with monkeypatch.context() as patch:
                if all(name in given for name in expected):
                    # No element comes to the host.
                    patch.setattr(_lazy, "download", None)
                found = stencil.run(given, steps=steps)
                # Twice: operands are not written.
                found = stencil.run(given, steps=steps)
            assert found.steps == expected.steps and found.results == expected.results
            for name in expected:
                is_array = name in given
                assert isinstance(found[name], am.Array if is_array else np.ndarray)
                assert np.array_equal(np.asarray(found[name]), expected[name])
                for level, other in zip(found.levels[name], expected.levels[name]):
                    assert np.array_equal(np.asarray(level), other)
            if "u" in expected and "nx" not in values:
                then = stencil.run({**given, "u": found.levels["u"]}, steps=1)["u"]
                again = stencil.run({**values, "u": expected.levels["u"]}, steps=1, device="host")["u"]
                assert np.array_equal(then.numpy(), again)
            for name, value in given.items():
                if isinstance(value, am.Array):
                    assert np.array_equal(value.numpy(), values[name]), "an operand has changed"


def test_grids_may_be_the_same_array(rng):
    text = """stencil s {
      domainsize = (1 .. n);
      operation (double grid u, const double grid a, const double grid b) {
        u[x; t+1] = u[x; t] * a[x] + b[x];
      }
    }"""
    stencil, x = am.Stencil(text), rng.random(6)
    for device in ["host", *am.device_names()]:
        array = am.Array(x, device=device)
        view = am.Array(np.stack([x, x]), device=device)[1]
        for a, b in ((array, array), (array, view), (view, view)):
            found = stencil.run(u=array, a=a, b=b, steps=2)["u"]
            assert np.array_equal(found.numpy(), (x * x + x) * x + x) and np.array_equal(array.numpy(), x)


def test_constant_grids_are_read_where_they_lie(rng):
    text = """stencil s {
      domainsize = (1 .. n, 1 .. m);
      operation (double grid u, const double grid a, const double grid b, const double grid c) {
        u[x,y; t+1] = u[x,y; t] * a[x,y] + b[x,y] - c[x+1,y];
      }
      boundary { c: x = periodic; }
    }"""
    scaled = am.Stencil(text)
    u, a, c = rng.random((3, 4)), rng.random((3, 4)), rng.random((3, 5))
    a.flags.writeable = False
    before = c.copy()
    for b in (a, a[:], np.asfortranarray(a), a[::-1][::-1], np.broadcast_to(a[:1], (3, 4)), a[::-1]):
        found = scaled.run(u=u, a=a, b=b, c=c, steps=2)["u"]
        end = np.concatenate([c[:, 1:4], c[:, :1]], axis=1)
        once = u * a + b - end
        assert np.array_equal(found, once * a + b - end) and np.array_equal(c, before)


def test_threads_share_a_stencil(rng):
    heat = am.Stencil(HEAT)
    k = rng.random((5, 7), np.float32)
    starts = [rng.random((7, 9)) for _ in range(8)]
    expected = [heat.run(u=u, k=k, dt=0.1, steps=20)["u"] for u in starts]
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda u: heat.run(u=u, k=k, dt=0.1, steps=20)["u"], starts * 5))
    assert all(np.array_equal(one, other) for one, other in zip(found, expected * 5))
