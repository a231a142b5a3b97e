#!/usr/bin/env python3
"""Draws the results of the case studies as SVG.

    python3 examples/boast/plot.py docs/src/images RESULTS.json...

Each file is what `boast ... --json` wrote, or lines of the output of elastic.cu. One picture for each study:
case-laplace.svg, case-filters.svg and case-elastic.svg. Nothing besides Python is needed.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

WIDTH = 720
LEFT, RIGHT, TOP, ROW, GAP = 250, 90, 62, 17, 12
COLOURS = ["#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee", "#aa3377"]
TEXT = 'font-family="sans-serif" fill="#333333"'

Group = tuple[str, Sequence[tuple[str, float]]]


def bars(title: str, unit: str, groups: Sequence[Group], goal: float | None = None) -> str:
    """Horizontal bars in groups: a group has a name, and values with the names of their series."""
    series = list(dict.fromkeys(name for _, values in groups for name, _ in values))
    most = max([value for _, values in groups for _, value in values] + ([goal] if goal else []))
    scale = (WIDTH - LEFT - RIGHT) / most
    lines: list[str] = []
    y = TOP
    for name, values in groups:
        middle = y + ROW * len(values) / 2 + 4
        place = f'x="{LEFT - 10}" y="{middle:.0f}" text-anchor="end"'
        lines.append(f'<text {place} font-size="12" {TEXT}>{escape(name)}</text>')
        for label, value in values:
            colour = COLOURS[series.index(label) % len(COLOURS)]
            lines.append(
                f'<rect x="{LEFT}" y="{y}" width="{value * scale:.1f}" height="{ROW - 2}" fill="{colour}"/>'
                f'<text x="{LEFT + value * scale + 5:.1f}" y="{y + ROW - 5}" font-size="11" {TEXT}>{value:.3g}</text>'
            )
            y += ROW
        y += GAP
    if goal:
        x = LEFT + goal * scale
        place = f'x1="{x:.1f}" y1="{TOP - 6}" x2="{x:.1f}" y2="{y - GAP + 4}"'
        lines.append(f'<line {place} stroke="#333333" stroke-dasharray="4 3"/>')
    lines.append(f'<line x1="{LEFT}" y1="{TOP - 6}" x2="{LEFT}" y2="{y - GAP + 4}" stroke="#333333"/>')
    key, x = [], 14
    for index, name in enumerate(series):
        key.append(f'<rect x="{x}" y="36" width="12" height="12" fill="{COLOURS[index % len(COLOURS)]}"/>')
        key.append(f'<text x="{x + 17}" y="46" font-size="12" {TEXT}>{escape(name)}</text>')
        x += 17 + 7 * len(name) + 22
    head = f'<text x="14" y="22" font-size="15" font-weight="bold" {TEXT}>{escape(title)}, {escape(unit)}</text>'
    body = "\n".join([head, *key, *lines])
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {y + 8}" width="{WIDTH}" height="{y + 8}">\n'
        f'<rect width="{WIDTH}" height="{y + 8}" fill="#ffffff"/>\n{body}\n</svg>\n'
    )


def short(machine: str) -> str:
    """A device's name without what its maker adds."""
    return "PoCL" if machine.startswith(("cpu", "pthread")) else machine.removeprefix("NVIDIA ")


def laplace(studies: Sequence[dict[str, Any]]) -> str:
    """Speed of the tuned filter as a multiple of the naive one, and copying as one."""
    groups: list[Group] = []
    for study in studies:
        for result in study["results"]:
            naive = result["naive"]
            values = [("tuned", naive / result["tuned"]), ("copy", naive / result["copy"])]
            groups.append((f"{short(study['machine'])}, {result['image']}", values))
    return bars("Laplace filter", "times the naive kernel's speed", groups)


def filters(studies: Sequence[dict[str, Any]]) -> str:
    """Speed of a pass as a part of copying, also of the plain loops."""
    groups: list[Group] = []
    for study in studies:
        for result in study["results"]:
            copy = result["copy"]
            values = [("generated", copy / result["tuned"])]
            plain = result["plain"] or {}
            values += [(name.replace("plain_", "plain, "), copy / seconds) for name, seconds in plain.items()]
            name = result["filter"].replace("_", " ")
            groups.append((f"{short(study['machine'])}, {name}, n = {result['n']}", values))
    return bars("A pass of a wavelet filter", "as a part of the speed of copying", groups)


def elastic(studies: Sequence[dict[str, Any]], cuda: Sequence[dict[str, str]]) -> str:
    """Milliseconds for each limit of registers."""
    best: dict[tuple[str, str], float] = {}
    for study in studies:
        for registers, seconds in study["search"]["by_value"].get("registers", {}).items():
            best[registers, "OpenCL"] = seconds * 1e3
    for line in cuda:
        key = (line["limit"], "CUDA")
        best[key] = min(best.get(key, float("inf")), float(line["ms"]))
    groups: list[Group] = []
    for limit in sorted({limit for limit, _ in best}, key=int):
        values = [(name, best[limit, name]) for name in ("OpenCL", "CUDA") if (limit, name) in best]
        groups.append(("compiler's own choice" if limit == "0" else f"{limit} registers at most", values))
    return bars("Spectral elements", "milliseconds", groups)


def main(folder: str, files: Sequence[str]) -> None:
    """Draws what the files have."""
    studies: dict[str, list[dict[str, Any]]] = {}
    cuda: list[dict[str, str]] = []
    for file in files:
        text = Path(file).read_text(encoding="utf-8")
        if file.endswith(".json"):
            study = json.loads(text)
            studies.setdefault(study["study"], []).append(study)
        else:
            lines = [line.split()[1:] for line in text.splitlines() if line.startswith("cuda ")]
            cuda += [dict(word.split("=") for word in words if "=" in word) for words in lines]
    for name, found in studies.items():
        drawn = laplace(found) if name == "laplace" else filters(found) if name == "filters" else elastic(found, cuda)
        (Path(folder) / f"case-{name}.svg").write_text(drawn, encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
