"""Constants and coefficients as Rust source."""

import subprocess
from dataclasses import dataclass, field

from formats import BINARY32, BINARY64
from mpmath import mp

HEAD = """\
// python3 crates/math/derive/derive.py {name}
//! {summary}

#![allow(clippy::approx_constant)]
"""


@dataclass
class File:
    """A file of `src/tables`: constants of both precisions."""

    name: str
    summary: str
    modules: dict = field(default_factory=lambda: {BINARY32: [], BINARY64: []})

    def constant(self, number_format, name, value, comment):
        """A number, which the format holds exactly."""
        self._add(number_format, name, number_format.rust, number_format.literal(value), comment)

    def table(self, number_format, name, values, comment):
        """An array of numbers, which the format holds exactly."""
        kind = f"[{number_format.rust}; {len(values)}]"
        self._add(number_format, name, kind, f"[{', '.join(number_format.literal(v) for v in values)}]", comment)

    def integer(self, number_format, name, value, comment):
        """An integer of the format's width."""
        self._add(number_format, name, "i32" if number_format is BINARY32 else "i64", str(value), comment)

    def integers(self, number_format, name, values, comment):
        """An array of signed integers of the format's width, given by their bits."""
        width = 32 if number_format is BINARY32 else 64
        signed = (v - 2**width if v >= 2 ** (width - 1) else v for v in values)
        self._add(number_format, name, f"[i{width}; {len(values)}]", f"[{', '.join(map(str, signed))}]", comment)

    def polynomial(self, number_format, name, polynomial, comment):
        """The coefficients of a polynomial, lowest power first."""
        bound = f"{float(mp.log(polynomial.error, 2)):.1f}"
        self.table(number_format, name, polynomial.coefficients, f"{comment} Error 2^{bound}.")

    def _add(self, number_format, name, kind, value, comment):
        self.modules[number_format].append(f"/// {comment}\npub const {name}: {kind} = {value};\n")

    def rust(self):
        """The file's text, as rustfmt lays it out."""
        text = HEAD.format(name=self.name, summary=self.summary)
        for number_format, module in ((BINARY32, "single"), (BINARY64, "double")):
            if self.modules[number_format]:
                text += f"\n/// For `{number_format.rust}`.\npub mod {module} {{\n"
                text += "\n".join(self.modules[number_format]) + "}\n"
        command = ["rustfmt", "--edition", "2024", "--config", "max_width=120,use_small_heuristics=Max"]
        return subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout
