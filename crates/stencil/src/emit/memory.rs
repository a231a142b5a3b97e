//! The memory of a run: slices with padded rows, and copies from and to the driver's grids.

use super::launches::Launches;
use super::names::{self, call};
use crate::data::Layout;
use crate::reduce::STRIP;

impl Launches<'_, '_> {
    /// The memory of a run.
    pub(super) fn state(&self) -> String {
        let unit = self.unit;
        let mut text = String::from("typedef struct {\n");
        for grid in unit.grids() {
            let (name, kind, components, levels) = unit.grid(grid);
            let slices = unit.record.slices[grid];
            let more = if slices > levels { ", and slices without one" } else { "" };
            text += &format!(
                "  {}{name}[{components}][{slices}]; /* components, levels: the oldest first{more} */\n",
                self.pointer(kind)
            );
        }
        for result in unit.results() {
            let kind = names::c_type(unit.bound.stencil().results()[result].kind);
            let name = names::result(unit.bound, result);
            let pointer = self.pointer(kind);
            text += &format!("  {kind} {name};\n  {pointer}{name}_values;\n  {pointer}{name}_partials;\n");
        }
        if self.is_opencl() {
            for parameter in self.tables() {
                text += &format!("  cl_mem {};\n", names::parameter(unit.bound, parameter));
            }
            text += "  cl_mem flag;\n";
        } else {
            text += "  int32_t flag;\n";
        }
        text + "  int64_t t;\n  int reduces;\n  int outside; /* a value outside a range was needed */\n} state;\n\n"
    }

    /// Parameters with elements.
    fn tables(&self) -> Vec<usize> {
        let parameters = self.unit.bound.stencil().parameters();
        (0..parameters.len()).filter(|&parameter| !parameters[parameter].ranges.is_empty()).collect()
    }

    /// Copies of a level between the driver's memory and the run's: rows along the first axis.
    pub(super) fn copies(&self) -> String {
        let unit = self.unit;
        let mut text = String::new();
        for grid in unit.grids() {
            let (name, kind, ..) = unit.grid(grid);
            let (plain, padded) = (&unit.plain[grid], &unit.record.layouts[grid]);
            let row = plain.lengths[0];
            let rows: usize = plain.lengths[1..].iter().product();
            let pitch = pitch(padded);
            let offset = padded.offset;
            if self.is_opencl() {
                for (verb, constant) in [("write", "const "), ("read", "")] {
                    text += &format!(
                        "static void {verb}_{name}({constant}{kind} *data, cl_mem buffer)\n{{\n  \
                         opencl_{verb}(buffer, {offset} * sizeof *data, {pitch} * sizeof *data, data, \
                         {row} * sizeof *data,\n      {row} * sizeof *data, {rows});\n}}\n\n"
                    );
                }
                continue;
            }
            text += &format!(
                "static void write_{name}(const {kind} *data, {kind} *slice)\n{{\n  int64_t row;\n  \
                 #pragma omp parallel for\n  for (row = 0; row < {rows}; ++row) {{\n    \
                 memset(slice + {offset} + row * {pitch}, 0, {pitch} * sizeof *slice);\n    \
                 memcpy(slice + {offset} + row * {pitch}, data + row * {row}, {row} * sizeof *data);\n  }}\n}}\n\n\
                 static void read_{name}({kind} *data, const {kind} *slice)\n{{\n  int64_t row;\n  \
                 #pragma omp parallel for\n  for (row = 0; row < {rows}; ++row) {{\n    \
                 memcpy(data + row * {row}, slice + {offset} + row * {pitch}, {row} * sizeof *data);\n  }}\n}}\n\n"
            );
        }
        text
    }

    /// Elements of a slice, with room behind the last row.
    fn elements(&self, grid: usize) -> usize {
        let layout = &self.unit.record.layouts[grid];
        let rows: usize = layout.lengths[1..].iter().product();
        (layout.offset + rows * pitch(layout)).max(layout.extent().unwrap_or(0))
    }

    /// Functions that make the memory of a run, and end it.
    pub(super) fn memory(&self) -> String {
        let unit = self.unit;
        let grids = unit.grid_parameters().into_iter().map(|parameter| format!("const {parameter}"));
        let parameters: Vec<String> = ["state *s".to_owned()].into_iter().chain(grids).collect();
        let mut text = call(0, "static int open_run", &parameters, "") + "{\n  int c, l;\n  memset(s, 0, sizeof *s);\n";
        if self.is_opencl() {
            text += "  opencl_open();\n";
        }
        for grid in unit.grids() {
            let (name, kind, components, levels) = unit.grid(grid);
            let (slices, elements, upper) = (unit.record.slices[grid], self.elements(grid), name.to_uppercase());
            let allocate = if self.is_opencl() {
                format!("      s->{name}[c][l] = opencl_buffer({elements} * sizeof({kind}), NULL);\n")
            } else {
                format!("      if ((s->{name}[c][l] = aligned({elements} * sizeof({kind}))) == NULL) return 2;\n")
            };
            let condition = if slices > levels { format!("if (l < {levels}) ") } else { String::new() };
            text += &format!(
                "  for (c = 0; c < {components}; ++c) {{\n    for (l = 0; l < {slices}; ++l) {{\n{allocate}      \
                 {condition}write_{name}({name} + (c * {levels} + l) * {upper}_ELEMENTS, s->{name}[c][l]);\n    \
                 }}\n  }}\n"
            );
        }
        let points = unit.bound.points();
        let row = unit.bound.lengths()[0];
        let strips = row.div_ceil(STRIP) * (points / row);
        for result in unit.results() {
            let kind = names::c_type(unit.bound.stencil().results()[result].kind);
            let name = names::result(unit.bound, result);
            for (array, count) in [("values", points), ("partials", strips)] {
                text += &if self.is_opencl() {
                    format!("  s->{name}_{array} = opencl_buffer({count} * sizeof({kind}), NULL);\n")
                } else {
                    format!("  if ((s->{name}_{array} = aligned({count} * sizeof({kind}))) == NULL) return 2;\n")
                };
            }
        }
        if self.is_opencl() {
            for parameter in self.tables() {
                let name = names::parameter(unit.bound, parameter);
                text += &format!("  s->{name} = opencl_buffer(sizeof {name}, {name});\n");
            }
            text += "  s->flag = opencl_buffer(sizeof(int32_t), NULL);\n";
        }
        text + "  return 0;\n}\n\n" + &self.close()
    }

    fn close(&self) -> String {
        let unit = self.unit;
        let parameters: Vec<String> = ["state *s".to_owned()].into_iter().chain(unit.grid_parameters()).collect();
        let mut text = call(0, "static void close_run", &parameters, "") + "{\n  int c, l;\n";
        let free = if self.is_opencl() { "clReleaseMemObject" } else { "free" };
        for grid in unit.grids() {
            let (name, _, components, levels) = unit.grid(grid);
            let (slices, upper) = (unit.record.slices[grid], name.to_uppercase());
            let condition = if slices > levels { format!("if (l < {levels}) ") } else { String::new() };
            text += &format!(
                "  for (c = 0; c < {components}; ++c) {{\n    for (l = 0; l < {slices}; ++l) {{\n      \
                 {condition}read_{name}({name} + (c * {levels} + l) * {upper}_ELEMENTS, s->{name}[c][l]);\n      \
                 {free}(s->{name}[c][l]);\n    }}\n  }}\n"
            );
        }
        for result in unit.results() {
            let name = names::result(unit.bound, result);
            text += &format!("  {free}(s->{name}_values);\n  {free}(s->{name}_partials);\n");
        }
        if self.is_opencl() {
            for parameter in self.tables() {
                text += &format!("  {free}(s->{});\n", names::parameter(unit.bound, parameter));
            }
            text += &format!("  {free}(s->flag);\n");
        }
        text + "}\n\n"
    }
}

/// Elements from a row to the next.
fn pitch(layout: &Layout) -> usize {
    layout.strides.get(1).copied().unwrap_or(layout.lengths[0])
}
