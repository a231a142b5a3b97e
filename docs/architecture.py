#!/usr/bin/env python3
"""Draws the floors of the library: docs/architecture.py writes docs/src/images/architecture.svg.

All text stands on filled boxes, so that it can be read on a light page and on a dark one.
"""

from pathlib import Path

INK, PALE = "#1d2733", "#51606f"
FLOORS = [
    # number, what it is, its boxes (name, a line about it, share of the width), its colour
    ("8", "the shell", [("affinimath", "the program: crates/cli/", 1)], "#cfe3f7"),
    ("7", "who calls", [
        ("libaffinimath.so", "C, Fortran, Python: ffi/", 3), ("libaffinimath_blas.so", "BLAS's names: ffi/blas/", 3),
        ("the crate", "Rust: src/lib.rs", 2), ("benchmarks", "crates/bench/", 2)], "#cfe3f7"),
    ("6", "where it runs", [("src/route/", "one decision for a call on host memory: host, device or vendor's library", 1)], "#d8e6c4"),
    ("5", "the host", [
        ("src/host/", "faer, rustfft, rayon", 3), ("src/vendor/", "CBLAS, cuBLAS", 2),
        ("src/transfer/", "host memory, to a device and back", 4), ("src/tunable.rs", "what can be tuned", 2)], "#fbe2bd"),
    ("4", "on a device", [("src/lapack/", "LU, Cholesky, QR, inverses, norms", 1), ("src/sparse/", "products, conversions, solvers", 1)], "#f6d2cf"),
    ("3", "on a device", [("src/blas/", "problems, plans and launches, by level", 1), ("src/fft/", "recipes, and kernels of their passes", 1)], "#f6d2cf"),
    ("2", "kernels", [
        ("src/program/", "sources, cache, build", 2), ("crates/kernel/", "the kernel language", 2), ("src/launch.rs", "the one launch site", 2),
        ("src/tuning/", "costs, parameters", 2)], "#e3d7f1"),
    ("1", "memory", [("src/context/", "queues, scratch memory, programs", 1), ("src/view/", "matrices in anybody's memory, checked once", 1)], "#d3e8e6"),
    ("0", "facts", [
        ("src/scalar.rs", "S, D, C, Z", 1), ("src/device.rs", "facts, class", 1), ("src/options.rs", "Layout, Op, ...", 1),
        ("src/error.rs", "errors, statuses", 1)], "#e2e5e9"),
]
WIDTH, HEIGHT, GAP, LABEL = 1000, 62, 8, 132


def text(x, y, what, size, ink=INK, weight="normal", anchor="middle"):
    return (f'<text x="{x:.0f}" y="{y:.0f}" font-size="{size}" fill="{ink}" font-weight="{weight}" '
            f'text-anchor="{anchor}">{what}</text>')


def box(x, y, width, colour):
    return (f'<rect x="{x:.0f}" y="{y:.0f}" width="{width:.0f}" height="{HEIGHT}" rx="6" fill="{colour}" '
            f'stroke="{PALE}" stroke-width="0.8"/>')


def drawing():
    tall = len(FLOORS) * (HEIGHT + GAP) + GAP
    yield "<!-- docs/architecture.py -->"
    yield (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {tall}" role="img" '
           'font-family="system-ui, \'DejaVu Sans\', Arial, sans-serif">')
    yield ("<title>The floors of the library, from its callers (8 and 7) to facts (0): "
           "each uses only those below it</title>")
    for row, (number, label, boxes, colour) in enumerate(FLOORS):
        y = GAP + row * (HEIGHT + GAP)
        yield box(GAP, y, LABEL - GAP, colour)
        yield text(26, y + 40, number, 22, PALE, "bold")
        yield text(42, y + 37, label, 13, INK, anchor="start")
        room = WIDTH - LABEL - GAP * (len(boxes) + 1)
        share = room / sum(part for *_, part in boxes)
        x = LABEL + GAP
        for name, about, part in boxes:
            width = share * part
            yield box(x, y, width, colour)
            yield text(x + width / 2, y + 26, name, 16, INK, "bold")
            yield text(x + width / 2, y + 47, about, 12.5)
            x += width + GAP
    yield "</svg>"


target = Path(__file__).parent / "src/images/architecture.svg"
target.write_text("\n".join(drawing()) + "\n")
