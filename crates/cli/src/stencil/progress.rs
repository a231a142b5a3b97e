//! A run in pieces, with a bar on a terminal: steps that are done, their rate, and the numbers of the stop criterion.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use super::failed;
use affinimath::stencil::definition::Node;
use affinimath::stencil::{Argument, Field, GridSlices, Grids, Outcome, Plan, Slice, Span, Stencil, Target, Value};
use affinimath_bench::Failure;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// The time of a piece of the run, between two looks at the bar.
const PIECE: Duration = Duration::from_millis(150);
/// A piece is at most this many times longer than the one before: the first ones wait for compilers.
const GROWTH: f64 = 8.0;

/// A bar that is drawn where standard error is a terminal, or none.
pub fn bar(is_quiet: bool) -> Option<ProgressBar> {
    let is_shown = !is_quiet && std::io::stderr().is_terminal();
    is_shown.then(|| drawn_on(ProgressDrawTarget::stderr()))
}

fn drawn_on(target: ProgressDrawTarget) -> ProgressBar {
    let style = ProgressStyle::with_template("{bar:30} {pos}/{len} steps, {msg}");
    ProgressBar::with_draw_target(None, target).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

/// Runs steps on fields; with a bar in pieces. The end is that of one run, to the bit, levels in the same slices.
pub fn run(
    plan: &Plan,
    fields: &mut [Field],
    parameters: &[Argument],
    span: Span,
    bar: Option<&ProgressBar>,
) -> Result<Outcome, Failure> {
    let steps = plan.bound().steps(span).map_err(failed)?;
    let every = plan.bound().stencil().stop().map_or(1, |stop| u64::from(stop.every));
    match bar {
        Some(bar) if steps > every => {
            bar.set_length(steps);
            let outcome = in_pieces(plan, fields, parameters, span, |done, outcome, piece| {
                bar.set_message(message(plan, outcome, piece));
                bar.set_position(done);
            });
            bar.finish_and_clear();
            outcome.map_err(failed)
        }
        _ => {
            let mut grids: Vec<_> = fields.iter_mut().map(Field::slices).collect();
            plan.run(&mut grids, parameters, span).map_err(failed)
        }
    }
}

/// The rate of a piece, and the results that the stop criterion looks at.
fn message(plan: &Plan, outcome: &Outcome, piece: Duration) -> String {
    let rate = outcome.steps as f64 / piece.as_secs_f64().max(1e-9);
    let points = rate * plan.bound().points() as f64 / 1e6;
    let stencil = plan.bound().stencil();
    let mut text = format!("{rate:.1} steps/s, {points:.1} million points/s");
    for result in watched(stencil) {
        if let Some(value) = outcome.results[result].map(Value::as_f64) {
            text += &format!(", {} = {value:.3e}", stencil.results()[result].name);
        }
    }
    text
}

/// The results in the stop criterion.
fn watched(stencil: &Stencil) -> Vec<usize> {
    let Some(stop) = stencil.stop() else { return Vec::new() };
    let nodes = stencil.graph().reachable([stop.condition]);
    let results = nodes.into_iter().filter_map(|node| match stencil.graph().node(node) {
        Node::Result(result) => Some(*result),
        _ => None,
    });
    results.collect()
}

/// The grids of a run in pieces: the host's fields, or a device's grids, which stay there between pieces.
enum Memory<'f> {
    Host(&'f mut [Field]),
    Device(Grids, &'f mut [Field]),
}

impl<'f> Memory<'f> {
    fn new(plan: &Plan, fields: &'f mut [Field]) -> affinimath::stencil::Result<Self> {
        if matches!(plan.target(), Target::Host) {
            return Ok(Memory::Host(fields));
        }
        let mut grids = plan.grids()?;
        for (grid, field) in fields.iter_mut().enumerate() {
            let layout = field.layout().clone();
            for (component, levels) in field.slices().slices.iter().enumerate() {
                for (level, slice) in levels.iter().enumerate() {
                    grids.upload(grid, component, level, &layout, slice)?;
                }
            }
        }
        Ok(Memory::Device(grids, fields))
    }

    /// A piece of the run, after some steps.
    fn run(
        &mut self,
        plan: &Plan,
        parameters: &[Argument],
        span: Span,
        done: u64,
    ) -> affinimath::stencil::Result<Outcome> {
        match self {
            Memory::Device(grids, _) => plan.run_on(grids, parameters, span),
            Memory::Host(fields) => {
                let mut grids: Vec<GridSlices<'_>> = fields.iter_mut().map(Field::slices).collect();
                for (grid, data) in grids.iter_mut().enumerate() {
                    let by = rotation(plan, grid, done);
                    data.slices.iter_mut().for_each(|levels| levels.rotate_left(by));
                }
                plan.run(&mut grids, parameters, span)
            }
        }
    }

    /// Brings a device's grids back, each level to the slice where a single run of so many steps leaves it.
    fn finish(self, plan: &Plan, done: u64) -> affinimath::stencil::Result<()> {
        let Memory::Device(mut grids, fields) = self else { return Ok(()) };
        for (grid, field) in fields.iter_mut().enumerate() {
            let (layout, by) = (field.layout().clone(), rotation(plan, grid, done));
            for (component, levels) in field.slices().slices.iter_mut().enumerate() {
                let count = levels.len();
                for level in 0..count {
                    let slice: &mut Slice<'_> = &mut levels[(level + by) % count];
                    grids.download(grid, component, level, &layout, slice)?;
                }
            }
        }
        Ok(())
    }
}

/// Slices by which a grid's levels have moved after some steps.
fn rotation(plan: &Plan, grid: usize, done: u64) -> usize {
    let levels = plan.bound().levels(grid) as u64;
    if plan.bound().facts().grids[grid].is_written { (done % levels) as usize } else { 0 }
}

/// The steps between two looks at the stop criterion are never divided.
fn in_pieces(
    plan: &Plan,
    fields: &mut [Field],
    parameters: &[Argument],
    span: Span,
    mut look: impl FnMut(u64, &Outcome, Duration),
) -> affinimath::stencil::Result<Outcome> {
    let bound = plan.bound();
    let all = bound.steps(span)?;
    let every = bound.stencil().stop().map_or(1, |stop| u64::from(stop.every));
    let mut memory = Memory::new(plan, fields)?;
    let (mut done, mut piece) = (0, every);
    loop {
        let steps = piece.min(all - done);
        let own = Span { first: span.first.saturating_add_unsigned(done), steps: Some(steps), initial: false };
        let start = Instant::now();
        let outcome = memory.run(plan, parameters, own, done)?;
        let taken = start.elapsed();
        done += outcome.steps;
        look(done, &outcome, taken);
        if outcome.has_stopped || done == all {
            memory.finish(plan, done)?;
            let newest = (0..bound.stencil().grids().len()).map(|grid| {
                let levels = bound.levels(grid);
                let before = usize::from(levels > 1 && bound.facts().grids[grid].is_written);
                (levels - 1 - before + rotation(plan, grid, done)) % levels
            });
            return Ok(Outcome { steps: done, newest: newest.collect(), ..outcome });
        }
        let growth = (PIECE.as_secs_f64() / taken.as_secs_f64().max(1e-9)).clamp(1.0 / GROWTH, GROWTH);
        piece = ((steps as f64 * growth) as u64).next_multiple_of(every).max(every);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use affinimath::Context;
    use indicatif::TermLike;

    use super::*;

    const WAVE: &str = "stencil wave {
      domainsize = (1 .. n);
      operation (double grid u, float grid v[2], const double grid k, double param c, double result change) {
        u[x; t+1] = 2 * u[x; t] - u[x; t-1] + c * abs(k[x]) * (u[x-1; t] - 2 * u[x; t] + u[x+1; t]);
        v[x; t+1; 0] = float(u[x; t+1]) + v[x-1; t; 1];
        v[x; t+1; 1] = 0.5 * v[x; t; 0];
        change = max(abs(u[x; t+1]));
      }
      boundary { u: x- = reflect; x+ = 0.01 * t; v[1]: x = clamp; }
      filter { u[3; t+1] += 0.1 * t; }
      stop { when change > 0 && t > 500 every 3; }
    }";

    fn fields(plan: &Plan) -> Vec<Field> {
        let fields = (0..3).map(|grid| {
            let mut field = plan.bound().field(grid).expect("memory");
            for level in 0..plan.bound().levels(grid) {
                field.fill(0, level, |cell| ((cell[0] + grid as i64) as f64 * 0.7).sin() + level as f64 * 0.1);
            }
            field
        });
        fields.collect()
    }

    fn contexts() -> Vec<Context> {
        let devices = affinimath::Device::all().unwrap_or_default();
        let contexts = devices.iter().map(|device| Context::open(device).expect("a context"));
        contexts.chain([Context::host()]).collect()
    }

    #[test]
    fn pieces_are_one_run_to_the_bit() {
        let stencil = Stencil::parse(WAVE).expect("a stencil");
        for context in contexts() {
            let plan = Plan::new(&stencil, &context, &[("n", 70)]).expect("a plan");
            for steps in [1, 3, 4, 47, 1000] {
                let span = Span { first: 2, steps: Some(steps), initial: false };
                let (mut one, mut other) = (fields(&plan), fields(&plan));
                let wanted = run(&plan, &mut one, &[0.3.into()], span, None).expect("a run");
                let mut looks = Vec::new();
                let found = in_pieces(&plan, &mut other, &[0.3.into()], span, |done, _, _| looks.push(done));
                assert_eq!(found.expect("a run"), wanted);
                for (grid, (one, other)) in one.iter().zip(&other).enumerate() {
                    for component in 0..stencil.grids()[grid].component_count() {
                        let level = wanted.newest[grid];
                        assert_eq!(one.values(component, level), other.values(component, level), "{steps} {grid}");
                    }
                }
                assert_eq!(looks.last(), Some(&wanted.steps));
                assert!(steps < 4 || looks.len() > 1);
                assert!(looks.iter().all(|done| done.is_multiple_of(3) || *done == wanted.steps), "{looks:?}");
                // The criterion ends the longest run.
                assert_eq!(wanted.has_stopped, steps == 1000, "{} of {steps} steps", wanted.steps);
            }
        }
    }

    /// A terminal that keeps what is drawn.
    #[derive(Clone, Debug, Default)]
    struct Terminal(Arc<Mutex<String>>);

    impl TermLike for Terminal {
        fn width(&self) -> u16 {
            150
        }
        fn move_cursor_up(&self, _: usize) -> std::io::Result<()> {
            Ok(())
        }
        fn move_cursor_down(&self, _: usize) -> std::io::Result<()> {
            Ok(())
        }
        fn move_cursor_right(&self, _: usize) -> std::io::Result<()> {
            Ok(())
        }
        fn move_cursor_left(&self, _: usize) -> std::io::Result<()> {
            Ok(())
        }
        fn write_line(&self, line: &str) -> std::io::Result<()> {
            self.write_str(line)
        }
        fn write_str(&self, text: &str) -> std::io::Result<()> {
            *self.0.lock().expect("no panic") += text;
            Ok(())
        }
        fn clear_line(&self) -> std::io::Result<()> {
            Ok(())
        }
        fn flush(&self) -> std::io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn the_bar_shows_steps_rates_and_the_numbers_of_the_criterion() {
        let plan = Plan::new(&Stencil::parse(WAVE).expect("a stencil"), &Context::host(), &[("n", 70)]);
        let plan = plan.expect("a plan");
        let terminal = Terminal::default();
        let bar = drawn_on(ProgressDrawTarget::term_like_with_hz(Box::new(terminal.clone()), 255));
        let span = Span { steps: Some(30), ..Span::default() };
        run(&plan, &mut fields(&plan), &[0.3.into()], span, Some(&bar)).expect("a run");
        let shown = terminal.0.lock().expect("no panic").clone();
        for part in ["/30 steps, ", " steps/s, ", " million points/s, change = "] {
            assert!(shown.contains(part), "no '{part}' in {shown:?}");
        }
    }
}
