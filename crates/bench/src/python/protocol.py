"""The beginning of a peer's program: requests of `affinimath bench`, and answers.

Each line of standard input is a request and each line of standard output its answer, both in JSON:

    {"hello": {"peer": NAME, "gpu": null or NAME}}    {"hello": {"version": TEXT, "threads": N}}
    {"prepare": {...}}                                "ready"
    {"run": CALLS}                                    {"seconds": TIME}
    "check"                                           {"error": ERROR}

A request that cannot be met is answered by {"failure": REASON}. Behind this come `LIBRARIES`, a function of the GPU's
name for each library, and `Prepared`, a library's case with what "prepare" has, which can `run` and tell its `error`.
"""

import json
import math
import os
import sys
import time


class Unfit(Exception):
    """A case that the library has no means for."""


def index_of(names, wanted):
    """The GPU with this name, or else the first one."""
    if not names:
        raise Unfit("it finds no GPU")
    return next((index for index, name in enumerate(names) if wanted in name or name in wanted), 0)


def cupy_on(gpu):
    """CuPy, which uses this GPU."""
    import cupy

    properties = cupy.cuda.runtime.getDeviceProperties
    names = [properties(index)["name"].decode() for index in range(cupy.cuda.runtime.getDeviceCount())]
    cupy.cuda.Device(index_of(names, gpu)).use()
    return cupy


def torch_on(gpu):
    """PyTorch, and its name of the host or of this GPU, which it uses."""
    import torch

    if gpu is None:
        return torch, "cpu"
    if not torch.cuda.is_available():
        raise Unfit("PyTorch finds no GPU")
    names = [torch.cuda.get_device_name(index) for index in range(torch.cuda.device_count())]
    torch.cuda.set_device(index_of(names, gpu))
    return torch, "cuda"


def jax_on(gpu):
    """JAX in double precision too, and its device: the host or this GPU."""
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
    if gpu is None:
        os.environ["JAX_PLATFORMS"] = "cpu"
    import jax

    jax.config.update("jax_enable_x64", True)
    devices = jax.devices()
    if gpu is None:
        return jax, devices[0]
    if devices[0].platform not in ("gpu", "cuda", "rocm"):
        raise Unfit("JAX finds no GPU")
    return jax, devices[index_of([device.device_kind for device in devices], gpu)]


def answer(state, request):
    if request == "check":
        return {"error": state["case"].error()}
    (name, content), = request.items()
    if name == "hello":
        library = LIBRARIES[content["peer"]](content["gpu"])
        state["library"] = library
        return {"hello": {"version": library.version, "threads": library.threads}}
    if name == "prepare":
        # The operands of the case before are freed first.
        state.pop("case", None)
        state["library"].release()
        state["case"] = Prepared(state["library"], **content)
        return "ready"
    return {"seconds": state["case"].run(content)}


def main():
    # Libraries print to standard output what belongs to nobody: it goes to standard error.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    state = {}
    for line in sys.stdin:
        try:
            text = answer(state, json.loads(line))
        except Unfit as error:
            text = {"failure": str(error)}
        except Exception as error:
            reason = (str(error).strip().splitlines() or [""])[0]
            kind = type(error).__name__
            missing = isinstance(error, ImportError)
            text = {"failure": reason if missing else f"{kind}: {reason}".rstrip(": ")}
        # JSON has no NaN.
        if isinstance(text, dict) and text.get("error") is not None and not math.isfinite(text["error"]):
            text = {"error": None}
        print(json.dumps(text), file=answers, flush=True)


