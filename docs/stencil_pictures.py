#!/usr/bin/env python3
"""Draws the gallery of stencils: docs/stencil_pictures.py [PROGRAM] writes docs/src/images/stencil-NAME.svg.

PROGRAM is `affinimath`, or the path of another build of it. The commands are those of docs/src/stencil-gallery.md.
"""

import shlex
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/src/stencil-gallery.md"


def commands(page):
    """The commands of the page's blocks for the shell, with their continued lines."""
    blocks = page.read_text(encoding="utf-8").split("```sh\n")[1:]
    lines = "\n".join(block.split("```")[0] for block in blocks).replace("\\\n", " ").splitlines()
    return [shlex.split(line) for line in lines if " --plot " in line]


def main():
    program = str(Path(sys.argv[1]).resolve()) if len(sys.argv) > 1 else "affinimath"
    for _, *arguments in commands(PAGE):
        # The page's pictures have plain names; those of the book begin with `stencil-`.
        name, equals, file = arguments[-1].rpartition("=")
        arguments[-1] = f"{name}{equals}{ROOT}/docs/src/images/stencil-{file}"
        subprocess.run([program, *arguments], check=True, cwd=ROOT / "examples/stencils", stdout=subprocess.DEVNULL)
        print(f"stencil-{file}: {(ROOT / 'docs/src/images' / f'stencil-{file}').stat().st_size} bytes")


if __name__ == "__main__":
    main()
