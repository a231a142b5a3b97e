"""Brings the C library and the program into the wheel.

Cargo builds them, or AFFINIMATH_LIBRARY and AFFINIMATH_PROGRAM name those that there are.
"""

import json
import os
import re
import shutil
import subprocess
import sysconfig
import tempfile
from pathlib import Path

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

LIBRARY, PROGRAM = "libaffinimath.so", "program"


def platform(files: list[Path]) -> str:
    """The platform tag of a wheel with the files: any Linux with the glibc whose symbols they need (PEP 600)."""
    here = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    names = [name for file in files for name in re.findall(rb"\0GLIBC_2\.(\d+)(?=[.\0])", file.read_bytes())]
    versions = [int(minor) for minor in names]
    if not here.startswith("linux_") or not versions:
        return here
    return f"manylinux_2_{max(versions)}_{here.removeprefix('linux_')}"


class LibraryHook(BuildHookInterface):
    """Makes a wheel for this platform, and for any Python: the library is not linked to one."""

    def initialize(self, version: str, build_data: dict) -> None:
        """Builds the library and the program, and says where in the wheel they go."""
        if self.target_name != "wheel":
            raise RuntimeError("the package is built from the repository: there is no source distribution")
        files = self.given() or self.built()
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{platform(list(files.values()))}"
        for name, file in files.items():
            if version == "editable":
                shutil.copy(file, Path(self.root, "affinimath", name))
            else:
                build_data["force_include"][str(file)] = f"affinimath/{name}"

    def given(self) -> dict[str, Path]:
        """Files of the caller's: the library, and the program where it is named."""
        library, program = os.environ.get("AFFINIMATH_LIBRARY"), os.environ.get("AFFINIMATH_PROGRAM")
        if not library:
            return {}
        named = {LIBRARY: library} | ({PROGRAM: program} if program else {})
        return {name: Path(file).resolve(strict=True) for name, file in named.items()}

    def built(self) -> dict[str, Path]:
        """Runs cargo in the repository around this folder."""
        repository = Path(self.root).parent
        if not shutil.which("cargo"):
            raise RuntimeError(
                "there is no cargo here: building needs a Rust toolchain, 1.89 or newer (https://rustup.rs); "
                "or AFFINIMATH_LIBRARY=/path/libaffinimath.so names a library that there is"
            )
        profile = os.environ.get("AFFINIMATH_CARGO_PROFILE") or "release"
        command = ["cargo", "build", "--profile", profile, "--package", "affinimath-ffi", "--package", "affinimath-cli"]
        command += ["--message-format", "json-render-diagnostics"]
        said = subprocess.run(command, cwd=repository, check=True, stdout=subprocess.PIPE, text=True).stdout
        artifacts = [json.loads(line) for line in said.splitlines()]
        files = [Path(file) for artifact in artifacts for file in artifact.get("filenames", [])]
        programs = [Path(artifact["executable"]) for artifact in artifacts if artifact.get("executable")]
        library = next(file for file in files if file.name == "libaffinimath_ffi.so")
        program = next(file for file in programs if file.name == "affinimath")
        return {LIBRARY: self.stripped(library), PROGRAM: self.stripped(program)}

    def stripped(self, file: Path) -> Path:
        """A copy without the names of internal functions, where there is a program that makes one."""
        program = shutil.which("strip")
        if program is None:
            return file
        # The wheel is made after this returns; the folders go with this object.
        self.folders = [*getattr(self, "folders", []), tempfile.TemporaryDirectory()]
        copy = Path(self.folders[-1].name, file.name)
        done = subprocess.run([program, "--strip-unneeded", "-o", copy, file])
        return copy if done.returncode == 0 and copy.exists() else file
