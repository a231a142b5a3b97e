//! Points beyond faces, by naive loops.

use super::expression::{binary, coordinates, declare};
use super::naive::{Here, Naive, open_loops};
use super::names;
use crate::definition::{Binary, Boundary, ExprId, MAX_AXES, Side};

/// A face of a component at a level that is completed.
#[derive(Clone, Copy)]
struct Face {
    grid: usize,
    component: usize,
    position: usize,
    side: Side,
    time: i32,
    is_initial: bool,
}

impl Naive<'_, '_> {
    /// The statements that complete a level of a grid beyond its faces.
    pub(super) fn complete(&self, grid: usize, time: i32, is_initial: bool) -> String {
        let unit = self.unit;
        let definition = &unit.bound.stencil().grids()[grid];
        let mut text = String::new();
        for component in 0..definition.component_count() {
            for position in 0..definition.axes.len() {
                for side in [Side::Lower, Side::Upper] {
                    let face = Face { grid, component, position, side, time, is_initial };
                    self.face(&mut text, face);
                }
            }
        }
        text
    }

    fn face(&self, text: &mut String, face: Face) {
        let unit = self.unit;
        let bound = unit.bound;
        let definition = &bound.stencil().grids()[face.grid];
        let layout = &unit.plain[face.grid];
        let axis = definition.axes[face.position];
        let (first, length) = (bound.lower()[axis], bound.lengths()[axis] as i64);
        let (low, count) = (layout.lower[face.position], layout.lengths[face.position] as i64);
        let beyond = if face.side == Side::Lower { first - low } else { low + count - (first + length) };
        let boundary = bound.stencil().boundary(face.grid, face.component, axis, face.side);
        let reach = if boundary == Boundary::Keep { 0 } else { bound.reach(face.grid, axis, face.side).min(beyond) };
        let keeps = !face.is_initial && bound.levels(face.grid) > 1 && beyond > reach;
        if reach == 0 && !keeps {
            return;
        }
        let (name, ..) = unit.grid(face.grid);
        let own = unit.position(face.grid, face.time);
        let mut others = Vec::new();
        for (position, &other) in definition.axes.iter().enumerate().filter(|(position, _)| *position != face.position)
        {
            others.push(if position > face.position {
                (other, bound.lower()[other], bound.lengths()[other])
            } else {
                (other, layout.lower[position], layout.lengths[position])
            });
        }
        let sign = if face.side == Side::Lower { '-' } else { '+' };
        let coordinate = names::axis(axis);
        let beyond_face = match face.side {
            Side::Lower => format!("{} - distance", names::whole(first)),
            Side::Upper => format!("{} + distance", names::whole(first + length - 1)),
        };
        let last = if keeps { beyond } else { reach };
        *text += &format!("  /* {}[{}] beyond {coordinate}{sign} */\n", definition.name, face.component);
        *text += &format!("  for (int64_t distance = 1; distance <= {last}; ++distance) {{\n");
        *text += &format!("  const int64_t {coordinate} = {beyond_face};\n");
        open_loops(text, &others);
        let slices = format!("s->{name}[{}]", face.component);
        let at = coordinates(&definition.axes, &[0; MAX_AXES]);
        let copied =
            format!("    {slices}[{own}][at_{name}({at})] = {slices}[{}][at_{name}({at})];\n", own.saturating_sub(1));
        match (reach, keeps) {
            (0, _) => *text += &copied,
            (_, false) => self.beyond(text, face, boundary),
            (_, true) => {
                *text += &format!("    if (distance > {reach}) {{\n  {copied}    }} else {{\n");
                self.beyond(text, face, boundary);
                *text += "    }\n";
            }
        }
        *text += "  }\n  }\n";
    }

    /// Sets a point beyond a face by its condition.
    fn beyond(&self, text: &mut String, face: Face, boundary: Boundary) {
        let unit = self.unit;
        let bound = unit.bound;
        let definition = &bound.stencil().grids()[face.grid];
        let kind = definition.kind;
        let axis = definition.axes[face.position];
        let (first, length) = (bound.lower()[axis], bound.lengths()[axis] as i64);
        let (name, ..) = unit.grid(face.grid);
        let slice = format!("s->{name}[{}][{}]", face.component, unit.position(face.grid, face.time));
        let with = |place: &str| {
            let each = definition.axes.iter().map(|&own| if own == axis { place.to_owned() } else { names::axis(own) });
            format!("{slice}[at_{name}({})]", each.collect::<Vec<_>>().join(", "))
        };
        let inside = |steps: &str| match face.side {
            Side::Lower => with(&format!("{} + {steps}", names::whole(first))),
            Side::Upper => with(&format!("{} - {steps}", names::whole(first + length - 1))),
        };
        let expression = |text: &mut String, value: ExprId| {
            let time = names::whole(i64::from(face.time));
            let here =
                Here { shift: face.time, time: format!("(s->t + {time})"), checks: true, ..self.here(Vec::new()) };
            let term = declare(text, 4, (bound, unit.parameters), value, &here);
            if let Some(known) = &term.known {
                *text += &format!("    if (!({known})) {{\n      s->outside = 1;\n      return;\n    }}\n");
            }
            term.value
        };
        let value = match boundary {
            Boundary::Keep => unreachable!("values that are kept were handled"),
            Boundary::Periodic => {
                let low = names::whole(first);
                with(&format!("{low} + naive_modulo({} - {low}, {length})", names::axis(axis)))
            }
            Boundary::Reflect => inside("distance"),
            Boundary::Symmetric => inside("(distance - 1)"),
            Boundary::Clamp => inside("0"),
            Boundary::Antireflect => {
                let c = names::c_type(kind);
                *text += &format!("    const {c} edge = {};\n", inside("0"));
                *text += &format!("    const {c} twice = {};\n", binary(Binary::Add, kind, "edge", "edge"));
                binary(Binary::Subtract, kind, "twice", &inside("distance"))
            }
            Boundary::Value(value) => expression(text, value),
            Boundary::Neumann(value) => {
                let derivative = expression(text, value);
                let c = names::c_type(kind);
                *text += &format!("    const {c} factor = ({c})(2 * distance - 1);\n");
                *text +=
                    &format!("    const {c} change = {};\n", binary(Binary::Multiply, kind, "factor", &derivative));
                binary(Binary::Add, kind, &inside("(distance - 1)"), "change")
            }
        };
        *text += &format!("    {} = {value};\n", with(&names::axis(axis)));
    }
}
