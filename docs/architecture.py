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
        ("libaffinimath.so", "C, Fortran, Python: ffi/", 3), ("libaffinimath_blas.so", "and FFTW's names: ffi/", 3),
        ("the crate", "Rust: src/lib.rs", 2), ("benchmarks", "crates/bench/", 2), ("MPI", "crates/mpi/", 2)],
     "#cfe3f7"),
    ("6", "where it runs", [
        ("src/route/", "one decision for a call: host, device or vendor's library", 3),
        ("src/array/", "expressions in a context", 2), ("src/stencil.rs", "stencils in a context", 2)], "#d8e6c4"),
    ("5", "on a device", [
        ("src/lapack/", "LU, Cholesky, QR, inverses", 3), ("src/sparse/", "products, conversions, solvers", 3),
        ("src/vendor/", "CBLAS, cuBLAS", 2)], "#fbe2bd"),
    ("4", "on a device", [
        ("src/fft/", "recipes, and kernels of their passes", 1),
        ("src/transfer/", "host memory, to a device and back", 1)], "#f6d2cf"),
    ("3", "on a device", [
        ("src/blas/", "plans and launches, by level", 3), ("src/memory.rs", "buffers", 1)], "#f6d2cf"),
    ("2", "plans", [
        ("crates/tuner/", "costs, spaces of parameters, searches", 1),
        ("crates/stencil/", "the language of stencils, strategies", 1)], "#e3d7f1"),
    ("1", "machines", [
        ("crates/cpu/", "routines on the host", 4), ("crates/decompositions/", "faer's, in four types", 5),
        ("crates/opencl/", "devices, programs, launches", 5), ("crates/replay/", "launches again", 3.5)], "#d3e8e6"),
    ("0", "facts", [
        ("crates/core/", "types, errors, views", 3), ("crates/kernel/", "the kernel language", 3),
        ("crates/array/", "fused expressions", 3), ("crates/math/", "functions", 2),
        ("crates/trace/", "traces", 2)], "#e2e5e9"),
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
