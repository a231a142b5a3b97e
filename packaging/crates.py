#!/usr/bin/env python3
"""Lists the crates that are published, in the order in which they are, and fails where one of them is not complete.

    packaging/crates.py

It reads manifests and lists of files, and builds nothing. `cargo publish --dry-run` builds each crate from its package.
"""

import json
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# The registry refuses packages of more.
MOST_BYTES = 10_000_000
NEEDED = ["LICENSE-APACHE", "LICENSE-MIT", "README.md"]
FIELDS = ["description", "license", "keywords", "categories"]
INCLUDED = re.compile(r'include_(?:str|bytes)!\(\s*"([^"]+)"\s*\)')


def cargo(*arguments):
    return subprocess.check_output(["cargo", *arguments], cwd=ROOT, text=True, stderr=subprocess.DEVNULL)


def shipped_dependencies(package):
    """The dependencies of the workspace that a user's build has: those of tests stay behind."""
    return [each for each in package["dependencies"] if each.get("path") and each["kind"] != "dev"]


def in_order(public):
    """Each crate after those that it depends on."""
    ordered = []
    while len(ordered) < len(public):
        ready = [
            name
            for name in sorted(public)
            if name not in ordered
            and all(each["name"] in ordered for each in shipped_dependencies(public[name]) if each["name"] in public)
        ]
        ordered += ready or sys.exit("the crates depend on each other in a circle")
    return ordered


def problems(package, public):
    """Faults of the package, its size in bytes before it is compressed, and its number of files."""
    name = package["name"]
    folder = Path(package["manifest_path"]).parent
    files = set(cargo("package", "--list", "--allow-dirty", "--package", name).splitlines())
    found = [f"no {field} in its manifest" for field in FIELDS if not package[field]]
    found += [f"{file} is not in the package" for file in NEEDED if file not in files]
    for each in shipped_dependencies(package):
        if each["name"] not in public:
            found.append(f"it depends on {each['name']}, which is not published")
        elif each["req"] == "*":
            found.append(f"its dependency {each['name']} has no version")
    for file in sorted(files):
        if file.endswith(".rs") and (folder / file).exists():
            for path in INCLUDED.findall((folder / file).read_text(encoding="utf-8")):
                target = (folder / file).parent.joinpath(path).resolve()
                if not target.is_relative_to(folder) or str(target.relative_to(folder)) not in files:
                    found.append(f"{file} includes {path}, which is not in the package")
    size = sum((folder / file).stat().st_size for file in files if (folder / file).exists())
    if size > MOST_BYTES:
        found.append(f"{size} bytes are more than {MOST_BYTES}")
    return [f"{name}: {problem}" for problem in found], size, len(files)


def main():
    packages = json.loads(cargo("metadata", "--format-version", "1", "--no-deps"))["packages"]
    public = {package["name"]: package for package in packages if package["publish"] != []}
    wrong = []
    for name in in_order(public):
        found, size, files = problems(public[name], public)
        wrong += found
        print(f"{name} {public[name]['version']}: {files} files, {size / 1e6:.1f} MB")
    sys.exit("\n".join(wrong) or 0)


if __name__ == "__main__":
    main()
