#!/usr/bin/env python3
"""Everyday computations in NumPy and SciPy, Octave and R, with and without the drop-in: same results, times beside.

    tests/dropin/everyday.py LIBRARY [N [RUNS]]

LIBRARY is libaffinimath_blas.so.0, N the order of the matrices (500), RUNS how often each program runs both ways in
turn (3). PIP_PYTHON may name a Python with pip's packages. Programs that are not installed are named and left out. It
prints a table for each program, with the median of the seconds, and fails where a result differs.
"""

import os
import shutil
import statistics
import subprocess
import sys
from pathlib import Path

# Differences allowed in results, relative to the largest of the numbers of a line. Inputs are well conditioned.
TOLERANCE = {"product float32": 1e-5, "square root": 1e-6}
USUAL = 1e-7


def run(command, library):
    """Lines of a program by name: seconds, and numbers of the result."""
    environment = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}
    if library:
        environment["LD_PRELOAD"] = library
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True, timeout=1800)
    lines = (line.split("\t") for line in done.stdout.splitlines())
    return {name: (float(seconds), [float(number) for number in numbers.split()]) for name, seconds, numbers in lines}


def differs(name, left, right):
    """Whether two results are not the same within rounding."""
    if len(left) != len(right):
        return True
    scale = max(map(abs, left), default=0.0)
    bound = TOLERANCE.get(name, USUAL) * scale
    return not all(abs(x - y) <= bound for x, y in zip(left, right))


def compare(title, command, library, runs):
    """Prints the table of a program, and returns what differs."""
    pairs = [(run(command, None), run(command, library)) for _ in range(runs)]
    without, over = pairs[0]
    wrong = [name for name in without if differs(name, without[name][1], over[name][1])]
    print(f"\n{title}\n\n| computation | its own, ms | over the drop-in, ms | ratio |\n|---|---|---|---|")
    for name in without:
        own, ours = (statistics.median(pair[side][name][0] for pair in pairs) for side in (0, 1))
        ratio = f"{own / ours:.2f}" if ours > 0 else "-"
        print(f"| {name} | {own * 1e3:.1f} | {ours * 1e3:.1f} | {ratio} |")
    print(f"\n{len(without)} computations, {len(without) - len(wrong)} with the same results")
    return [f"{title}: {name}: {without[name][1]} and {over[name][1]}" for name in wrong]


def main():
    library = str(Path(sys.argv[1]).resolve(strict=True))
    order, runs = ([int(word) for word in sys.argv[2:]] + [500, 3][len(sys.argv) - 2 :])[:2]
    folder = Path(__file__).resolve().parent / "everyday"
    python, octave, r = (str(folder / name) for name in ("python.py", "octave.m", "r.R"))
    programs = [
        ("NumPy and SciPy of Debian", ["/usr/bin/python3", python]),
        ("NumPy and SciPy of pip", [os.environ.get("PIP_PYTHON", "no PIP_PYTHON"), python]),
        ("Octave", ["octave-cli", "--norc", octave]),
        ("R", ["Rscript", "--vanilla", r]),
    ]
    wrong = []
    for title, command in programs:
        if shutil.which(command[0]) is None:
            print(f"\n{title}: not installed, not tried")
        elif "scipy" in title.lower() and subprocess.run([command[0], "-c", "import scipy.linalg"]).returncode:
            print(f"\n{title}: no SciPy, not tried")
        else:
            wrong += compare(title, [*command, str(order)], library, runs)
    sys.exit("\n".join(wrong) or 0)


if __name__ == "__main__":
    main()
