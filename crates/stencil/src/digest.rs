//! Digests of grids where they lie: a reduction of the plan's target, so that no values come to the host.

use crate::data::{GridSlices, Slice};
use crate::definition::{AXES, Stencil, Type};
use crate::device::{DeviceGrid, DeviceSlice};
use crate::error::{Error, Result};
use crate::grids::{Grids, Memory};
use crate::plan::{Plan, Target};
use crate::run::Span;
use crate::value::Value;

/// Points of a launch: a reduction has memory for the values of all its points.
const POINTS: usize = 1 << 24;

/// Odd factors of coordinates in a point's weight.
const WEIGHTS: [i64; 6] = [73_856_093, 19_349_663, 83_492_791, 49_979_687, 86_028_121, 15_485_863];

/// The sum of integers that stand for a grid's values, times an odd weight of each point, modulo 2^64: one value that
/// changes always changes it. The integers are the value times 2^60 and times 2^30, as far as `long` holds them.
fn text(kind: Type, dimension: usize) -> String {
    let axes = &AXES[..dimension];
    let point = axes.join(", ");
    let ranges: Vec<String> = axes.iter().map(|axis| format!("{axis}_first .. {axis}_last")).collect();
    let weight: Vec<String> = axes.iter().zip(WEIGHTS).map(|(axis, factor)| format!("{axis} * {factor}")).collect();
    let number = if kind.is_integer() {
        format!("long(u[{point}])")
    } else {
        format!(
            "long(u[{point}] * 1152921504606846976.0) + long(1000003) * long(u[{point}] * 1073741824.0)
               + (u[{point}] == u[{point}] ? long(0) : long(1))"
        )
    };
    format!(
        "stencil digest {{
           domainsize = ({});
           operation (const {kind} grid u, long result digest) {{
             digest = sum(({number}) * (2 * ({}) + 1));
           }}
         }}",
        ranges.join(", "),
        weight.join(" + ")
    )
}

impl Plan {
    /// A digest of the newest level of a grid, all components and points in memory. Equal values have equal digests.
    ///
    /// # Errors
    /// The grids are those of another plan, or the device fails.
    pub fn digest(&self, grids: &mut Grids, grid: usize) -> Result<u64> {
        grids.fit(self)?;
        let level = grids.newest(grid);
        let layout = grids.layout(grid).clone();
        let definition = &self.bound().stencil().grids()[grid];
        let stencil = Stencil::parse(&text(definition.kind, layout.lengths.len()))?;
        let last = layout.lengths.len() - 1;
        let across = layout.lengths[..last].iter().product::<usize>().max(1);
        let step = (POINTS / across).max(1);
        let mut digest = 0u64;
        for start in (0..layout.lengths[last]).step_by(step) {
            let names: Vec<[String; 2]> =
                AXES[..=last].iter().map(|axis| ["first", "last"].map(|end| format!("{axis}_{end}"))).collect();
            let mut sizes = Vec::new();
            for (axis, [first_name, last_name]) in names.iter().enumerate() {
                let (first, count) = if axis == last {
                    (layout.lower[axis] + start as i64, step.min(layout.lengths[axis] - start))
                } else {
                    (layout.lower[axis], layout.lengths[axis])
                };
                sizes.push((first_name.as_str(), first));
                sizes.push((last_name.as_str(), first + count as i64 - 1));
            }
            let plan = Plan::new(&stencil, self.target().clone(), &sizes)?;
            for component in 0..definition.component_count() {
                let part = plan.sum_of(grids, (grid, component, level))?;
                digest = digest.rotate_left(7).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ part;
            }
        }
        Ok(digest)
    }

    /// The result of a plan for one level of a grid's component.
    fn sum_of(&self, grids: &mut Grids, (grid, component, level): (usize, usize, usize)) -> Result<u64> {
        let layout = grids.layout(grid).clone();
        let span = Span { steps: Some(1), ..Span::default() };
        let outcome = match (&mut grids.memory, self.target()) {
            (Memory::Host(fields), _) => {
                let mut all = fields[grid].slices();
                let slice: Slice<'_> = all.slices.swap_remove(component).swap_remove(level);
                self.run(&mut [GridSlices { layout, slices: vec![vec![slice]] }], &[], span)?
            }
            (Memory::Device(_), Target::Device(_)) => {
                let all = grids.slices();
                let DeviceSlice { buffer, offset } = all[grid].slices[component][level];
                let slices = vec![vec![DeviceSlice { buffer, offset }]];
                self.enqueue(&self.queue()?, &[DeviceGrid { layout, slices }], &[], span)?.wait()?
            }
            (Memory::Device(_), Target::Host) => unreachable!("the grids fit the plan"),
        };
        match outcome.results[..] {
            [Some(Value::I64(sum))] => Ok(sum as u64),
            _ => Err(Error::new("a digest has no value")),
        }
    }
}
