"""The program `affinimath` of the wheel."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

NAME = "affinimath"
#: The program in the wheel, which some have not: those made from a library alone.
OWN = Path(__file__).with_name("program")


def program() -> str:
    """Path of the program: that of AFFINIMATH_PROGRAM, else the wheel's own, else the first in PATH.

    Raises
    ------
    FileNotFoundError
        There is none.
    """
    given = os.environ.get("AFFINIMATH_PROGRAM")
    found = given or (str(OWN) if OWN.is_file() else shutil.which(NAME))
    if found and os.access(found, os.X_OK):
        return found
    where = f"AFFINIMATH_PROGRAM names '{given}', which is no program" if given else "PATH has none"
    raise FileNotFoundError(
        f"the program '{NAME}' is needed: this wheel was made without it, and {where}. It comes with other wheels, "
        "with the library's packages and archives, or by `cargo install --path crates/cli` in a clone of the "
        "repository; AFFINIMATH_PROGRAM may name it"
    )


def main() -> None:
    """Becomes the program, with the caller's arguments."""
    if not OWN.is_file():
        sys.exit(f"{NAME}: this wheel was made without the program")
    os.execv(OWN, [NAME, *sys.argv[1:]])
