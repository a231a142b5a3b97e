"""Brings the C library into the wheel: built by cargo, or the one that AFFINIMATH_LIBRARY names."""

import json
import os
import re
import shutil
import subprocess
import sysconfig
import tempfile
from pathlib import Path

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

NAME = "libaffinimath.so"


def platform(library: Path) -> str:
    """The platform tag of a wheel with the library: any Linux with the glibc whose symbols it needs (PEP 600)."""
    here = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    versions = [int(minor) for minor in re.findall(rb"\0GLIBC_2\.(\d+)(?=[.\0])", library.read_bytes())]
    if not here.startswith("linux_") or not versions:
        return here
    return f"manylinux_2_{max(versions)}_{here.removeprefix('linux_')}"


class LibraryHook(BuildHookInterface):
    """Makes a wheel for this platform, and for any Python: the library is not linked to one."""

    def initialize(self, version: str, build_data: dict) -> None:
        """Builds the library, and says where in the wheel it goes."""
        if self.target_name != "wheel":
            raise RuntimeError("the package is built from the repository: there is no source distribution")
        given = os.environ.get("AFFINIMATH_LIBRARY")
        library = Path(given).resolve(strict=True) if given else self.stripped(self.build())
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{platform(library)}"
        if version == "editable":
            shutil.copyfile(library, Path(self.root, "affinimath", NAME))
        else:
            build_data["force_include"][str(library)] = f"affinimath/{NAME}"

    def build(self) -> Path:
        """Runs cargo in the repository around this folder."""
        repository = Path(self.root).parent
        if not shutil.which("cargo"):
            raise RuntimeError(
                "there is no cargo here: building needs a Rust toolchain, 1.89 or newer (https://rustup.rs); "
                "or AFFINIMATH_LIBRARY=/path/libaffinimath.so names a library that there is"
            )
        profile = os.environ.get("AFFINIMATH_CARGO_PROFILE") or "release"
        command = ["cargo", "build", "--profile", profile, "--package", "affinimath-ffi"]
        command += ["--message-format", "json-render-diagnostics"]
        said = subprocess.run(command, cwd=repository, check=True, stdout=subprocess.PIPE, text=True).stdout
        files = [Path(file) for line in said.splitlines() for file in json.loads(line).get("filenames", [])]
        return next(file for file in files if file.name == "libaffinimath_ffi.so")

    def stripped(self, library: Path) -> Path:
        """A copy without the names of internal functions, where there is a program that makes one."""
        program = shutil.which("strip")
        if program is None or not library.name.endswith(".so"):
            return library
        # The wheel is made after this returns; the folder goes with this object.
        self.folder = tempfile.TemporaryDirectory()
        copy = Path(self.folder.name, library.name)
        done = subprocess.run([program, "--strip-unneeded", "-o", copy, library])
        return copy if done.returncode == 0 and copy.exists() else library
