#!/usr/bin/env python3
"""Draws the conditions of boundaries: docs/stencil_boundaries.py writes docs/src/images/stencil-boundaries.svg.

Each panel has the last points of a domain, and the values that a condition gives to the points beyond its face. All of
it stands on a white card, so that it can be read on a light page and on a dark one.
"""

from pathlib import Path

INK, PALE, LINE, BEYOND = "#1d2733", "#51606f", "#0072b2", "#d55e00"
INSIDE = [0.35, 0.15, 0.45, 0.8, 0.62]  # of the points -4 to 0 from the face, which is the last one
OTHER_END = [0.9, 0.3, 0.55]  # of the first points of the domain
OLD = [0.2, 0.5, 0.3]  # beyond the face, on the level before


def inner(k):
    """u(k): k points from the face, within the domain."""
    return INSIDE[-1 - k]


def neumann(g):
    values = []
    for k in (1, 2, 3):
        values.append(inner(k - 1) + (2 * k - 1) * g)
    return values


CONDITIONS = [
    # its text, what it means, the values beyond, the place of its mirror
    ("keep", "the values of the level before", OLD, None),
    ("0.4", "a value, or an expression of x, y, z and t", [0.4] * 3, None),
    ("periodic", "the first points of the domain", OTHER_END, None),
    ("neumann(0.1)", "a derivative outwards, about the face", neumann(0.1), 0.5),
    ("symmetric", "mirrored about the face", [inner(k - 1) for k in (1, 2, 3)], 0.5),
    ("reflect", "mirrored about the last point", [inner(k) for k in (1, 2, 3)], 0),
    ("antireflect", "odd about the last point", [2 * inner(0) - inner(k) for k in (1, 2, 3)], 0),
    ("clamp", "the last value goes on", [inner(0)] * 3, None),
    ("0.5 * u[x-1]", "an expression of its neighbours", [inner(0) * 0.5**k for k in (1, 2, 3)], None),
]
WIDTH, HEIGHT, COLUMNS, GAP = 310, 196, 3, 14
STEP, FACE = 36, 166  # between points; the last point's place in a panel
LOW, HIGH = 158, 84  # the places of 0 and 1


def text(x, y, what, size, ink=INK, weight="normal", family="sans-serif"):
    return (
        f'<text x="{x:.0f}" y="{y:.0f}" font-size="{size}" fill="{ink}" font-weight="{weight}" '
        f'font-family="{family}">{what}</text>'
    )


def line(x0, y0, x1, y1, colour, width=1.0, dashes=""):
    dashes = f' stroke-dasharray="{dashes}"' if dashes else ""
    return (
        f'<line x1="{x0:.1f}" y1="{y0:.1f}" x2="{x1:.1f}" y2="{y1:.1f}" stroke="{colour}" '
        f'stroke-width="{width}"{dashes}/>'
    )


def panel(left, top, condition):
    name, meaning, beyond, mirror = condition

    def at(point, value):
        return left + FACE + STEP * point, top + LOW + (HIGH - LOW) * value

    parts = [
        f'<rect x="{left}" y="{top}" width="{WIDTH}" height="{HEIGHT}" rx="8" fill="#ffffff" stroke="{PALE}" '
        'stroke-width="0.8"/>',
        text(left + 16, top + 28, f"x+ = {name};", 16, INK, "bold", "monospace"),
        text(left + 16, top + 50, meaning, 14, PALE),
        line(left + 16, top + LOW, left + WIDTH - 16, top + LOW, PALE, 0.8),
        line(left + FACE + STEP / 2, top + 64, left + FACE + STEP / 2, top + LOW + 8, PALE, 1.2, "5 4"),
    ]
    if mirror == 0:
        parts.append(line(left + FACE, top + 64, left + FACE, top + LOW + 8, BEYOND, 1.2, "1 3"))
    points = [(point, value, LINE, True) for point, value in zip(range(-4, 1), INSIDE)]
    points += [(point, value, BEYOND, False) for point, value in zip(range(1, 4), beyond)]
    for point, value, colour, is_inside in points:
        x, y = at(point, value)
        parts.append(line(x, top + LOW, x, y, colour, 1.6))
        fill = colour if is_inside else "#ffffff"
        parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5" fill="{fill}" stroke="{colour}" stroke-width="2"/>')
        label = f"u({-point})" if is_inside and point > -3 else f"u(-{point})" if not is_inside else ""
        if label:
            parts.append(text(x - 13, top + LOW + 20, label, 12, colour))
    return "".join(parts)


def main():
    rows = -(-len(CONDITIONS) // COLUMNS)
    width, height = COLUMNS * (WIDTH + GAP) - GAP + 2, rows * (HEIGHT + GAP) - GAP + 2
    panels = [
        panel(1 + (WIDTH + GAP) * (index % COLUMNS), 1 + (HEIGHT + GAP) * (index // COLUMNS), condition)
        for index, condition in enumerate(CONDITIONS)
    ]
    target = Path(__file__).parent / "src/images/stencil-boundaries.svg"
    target.write_text(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        'role="img" aria-label="Values beyond the face of a domain, for each boundary condition">\n'
        + "\n".join(panels)
        + "\n</svg>\n",
        encoding="utf-8",
    )


if __name__ == "__main__":
    main()
