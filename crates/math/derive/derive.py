#!/usr/bin/env python3
"""Derives the coefficients of the functions and writes them to `src/tables`.

    python3 crates/math/derive/derive.py [--check] [NAME ...]

Each module in FAMILIES gives one file by its function `derive()`. With --check no file is written: the exit status is 1
if a committed one differs. Needs mpmath (with gmpy2 it is several times faster) and rustfmt.
"""

import argparse
import importlib
import sys
from pathlib import Path

from mpmath import mp

FAMILIES = (
    "exponential",
    "logarithm",
    "power",
    "hyperbolic",
    "estimates",
    "trigonometric",
    "inverse_trigonometric",
    "error",
    "gamma",
)
TABLES = Path(__file__).resolve().parent.parent / "src" / "tables"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(FAMILIES)}; all by default")
    parser.add_argument("--check", action="store_true", help="compare with the committed files")
    arguments = parser.parse_args()
    unknown = set(arguments.names) - set(FAMILIES)
    if unknown:
        parser.error(f"unknown names: {', '.join(sorted(unknown))}")
    # Errors of double precision are near 2^-60, and functions lose digits where they vanish.
    mp.prec = 320
    differing = []
    for name in arguments.names or FAMILIES:
        text = importlib.import_module(name).derive().rust()
        path = TABLES / f"{name}.rs"
        if not arguments.check:
            path.write_text(text)
        elif not path.exists() or path.read_text() != text:
            differing.append(path.name)
    if differing:
        sys.exit(f"not what the derivation gives: {', '.join(differing)}")


if __name__ == "__main__":
    main()
