//! Kernels in the interpreter, which finds races and indices out of bounds, against the reference: equal to the bit.

use std::sync::Arc;

use affinimath_kernel::{Argument as KernelValue, Launch};

use super::*;
use crate::data::{Argument, Field, GridSlices, Layout, Slice};
use crate::definition::{Range, Stencil};
use crate::executor::{Executor, Kernels, LaunchArgument, Launcher};
use crate::reference::evaluate;
use crate::run::{Levels, Outcome, Passes, Span, run};
use crate::strategy::Strategy;
use crate::value::Value;

/// Numbers in the memory of the interpreter.
enum Numbers {
    I32(Vec<i32>),
    I64(Vec<i64>),
    F32(Vec<f32>),
    F64(Vec<f64>),
}

impl Numbers {
    fn zeros(kind: Type, length: usize) -> Self {
        match kind {
            Type::I32 => Numbers::I32(vec![i32::MIN; length]),
            Type::I64 => Numbers::I64(vec![i64::MIN; length]),
            Type::F32 => Numbers::F32(vec![f32::NAN; length]),
            _ => Numbers::F64(vec![f64::NAN; length]),
        }
    }

    fn of(values: &[Value]) -> Self {
        match values[0] {
            Value::I32(_) => Numbers::I32(values.iter().map(|value| value.as_f64() as i32).collect()),
            Value::I64(_) => Numbers::I64(values.iter().map(|value| whole(*value)).collect()),
            Value::F32(_) => Numbers::F32(values.iter().map(|value| value.as_f64() as f32).collect()),
            _ => Numbers::F64(values.iter().map(|value| value.as_f64()).collect()),
        }
    }

    fn first(&self) -> Value {
        match self {
            Numbers::I32(values) => Value::I32(values[0]),
            Numbers::I64(values) => Value::I64(values[0]),
            Numbers::F32(values) => Value::F32(values[0]),
            Numbers::F64(values) => Value::F64(values[0]),
        }
    }
}

fn whole(value: Value) -> i64 {
    match value.converted(Type::I64) {
        Value::I64(value) => value,
        other => panic!("{other:?}"),
    }
}

/// The interpreter as a device.
struct Interpreter<'r, 'd> {
    grids: &'r mut [GridSlices<'d>],
    /// Slices in the middle of a run, by grid and component.
    more: Vec<Vec<Vec<Numbers>>>,
    elements: Vec<Option<Numbers>>,
    values: Vec<Numbers>,
    partials: Vec<Numbers>,
    flag: Vec<i32>,
    /// Indices have 64 bits.
    is_wide: bool,
}

fn numbers<'a>(numbers: &'a mut Numbers) -> KernelValue<'a> {
    match numbers {
        Numbers::I32(values) => values.into(),
        Numbers::I64(values) => values.into(),
        Numbers::F32(values) => values.into(),
        Numbers::F64(values) => values.into(),
    }
}

fn slice<'a>(slice: &'a mut Slice<'_>) -> KernelValue<'a> {
    match slice {
        Slice::I32(values) => (&mut **values).into(),
        Slice::I64(values) => (&mut **values).into(),
        Slice::F32(values) => (&mut **values).into(),
        Slice::F64(values) => (&mut **values).into(),
    }
}

impl Launcher for Interpreter<'_, '_> {
    fn offset(&self, _: usize, _: usize, _: usize) -> usize {
        0
    }

    fn largest_offset(&self) -> usize {
        if self.is_wide { 1 << 40 } else { 0 }
    }

    fn add_slices(&mut self, grid: usize, count: usize, elements: usize) -> bool {
        let kind = self.grids[grid].slices[0][0].kind();
        let components = 0..self.grids[grid].slices.len();
        self.more[grid] = components.map(|_| (0..count).map(|_| Numbers::zeros(kind, elements)).collect()).collect();
        true
    }

    fn launch(
        &mut self,
        kernel: &Arc<Lowered>,
        groups: [usize; 3],
        items: [usize; 3],
        arguments: &[LaunchArgument],
    ) -> crate::Result<()> {
        // Each slice is an argument of its own; they are taken from the grids one by one.
        let mut slices: Vec<((usize, usize, usize), KernelValue<'_>)> = Vec::new();
        for ((grid, data), more) in self.grids.iter_mut().enumerate().zip(&mut self.more) {
            let mut more = more.iter_mut();
            for (component, levels) in data.slices.iter_mut().enumerate() {
                let more = more.next().into_iter().flatten().map(numbers);
                let all = levels.iter_mut().map(slice).chain(more).enumerate();
                slices.extend(all.map(|(slot, slice)| ((grid, component, slot), slice)));
            }
        }
        let mut elements: Vec<Option<&mut Numbers>> = self.elements.iter_mut().map(Option::as_mut).collect();
        let mut values: Vec<Option<&mut Numbers>> = self.values.iter_mut().map(Some).collect();
        let mut partials: Vec<Option<&mut Numbers>> = self.partials.iter_mut().map(Some).collect();
        let mut flag = Some(&mut self.flag);
        let mut given: Vec<KernelValue<'_>> = Vec::new();
        for argument in arguments {
            given.push(match *argument {
                LaunchArgument::Slice { grid, component, slot } => {
                    let index = slices.iter().position(|each| each.0 == (grid, component, slot));
                    slices.swap_remove(index.expect("one argument for a slice")).1
                }
                LaunchArgument::Elements(parameter) => numbers(elements[parameter].take().expect("elements")),
                LaunchArgument::Values(result) => numbers(values[result].take().expect("values")),
                LaunchArgument::Partials(result) => numbers(partials[result].take().expect("partials")),
                LaunchArgument::Flag => flag.take().expect("a flag").into(),
                LaunchArgument::Number(Value::I32(number)) => number.into(),
                LaunchArgument::Number(Value::I64(number)) => number.into(),
                LaunchArgument::Number(Value::F32(number)) => number.into(),
                LaunchArgument::Number(Value::F64(number)) => number.into(),
                LaunchArgument::Number(Value::Bool(_)) => panic!("a condition"),
            });
        }
        let fault = Launch::new(&kernel.kernel, groups, items).run(given);
        fault.map_err(|fault| Error::new(format!("{}: {fault}\n{}", kernel.kernel.name(), kernel.kernel.opencl())))
    }

    fn partial(&mut self, result: usize) -> crate::Result<Value> {
        Ok(self.partials[result].first())
    }

    fn flag(&mut self) -> crate::Result<i32> {
        Ok(self.flag[0])
    }
}

/// A run in the interpreter.
fn interpret(
    bound: &Bound,
    (device, is_wide): (Abilities, bool),
    strategy: Strategy,
    grids: &mut [GridSlices<'_>],
    arguments: &[Argument],
    span: Span,
) -> crate::Result<Outcome> {
    bound.check(grids)?;
    let parameters = bound.parameters(arguments)?;
    let layouts: Vec<Layout> = grids.iter().map(|grid| grid.layout.clone()).collect();
    let stencil = bound.stencil();
    let has_elements = |parameter: usize| {
        let parameter = &stencil.parameters()[parameter];
        !parameter.ranges.is_empty() || parameter.values.is_some()
    };
    let elements = (0..stencil.parameters().len())
        .map(|parameter| has_elements(parameter).then(|| Numbers::of(parameters.values(parameter))));
    let buffers = |length: usize| stencil.results().iter().map(|result| Numbers::zeros(result.kind, length)).collect();
    let launcher = Interpreter {
        elements: elements.collect(),
        values: buffers(bound.points()),
        partials: buffers(bound.points()),
        flag: vec![0],
        is_wide,
        more: grids.iter().map(|_| Vec::new()).collect(),
        grids,
    };
    let mut kernels = Kernels::new(device);
    if let Strategy::Schedule(schedule) = &strategy {
        kernels.schedule = Some(Arc::new(schedule.bind(bound)?));
    }
    let mut executor = Executor::new(bound, &kernels, &parameters, &layouts, launcher, strategy);
    let progress = run(bound, &parameters, &mut executor, span)?;
    let results = executor.results()?;
    Ok(progress.with(results))
}

const fn device(form: Form, rounds_divisions: bool) -> Abilities {
    Abilities { form, has_doubles: true, rounds_divisions, local_bytes: 1 << 20, max_items: 1024, units: 2 }
}

/// Devices, and indices of 64 bits.
const DEVICES: [(Abilities, bool); 4] = [
    (device(Form::Points, true), false),
    (device(Form::Points, false), true),
    (device(Form::Rows, true), true),
    (device(Form::Rows, false), false),
];

fn noise(seed: u64, cell: &[i64]) -> f64 {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    for &coordinate in cell {
        state = (state ^ coordinate as u64).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        state ^= state >> 29;
    }
    (state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
}

/// The fields of a stencil with noise, in the plain layout or scattered.
fn fields(bound: &Bound, scatter: bool) -> Vec<Field> {
    fields_in(bound, |_, layout| if scatter { scattered(&layout) } else { layout })
}

fn fields_in(bound: &Bound, layout: impl Fn(usize, Layout) -> Layout) -> Vec<Field> {
    let each = bound.stencil().grids().iter().enumerate().map(|(grid, definition)| {
        let layout = layout(grid, bound.layout(grid).expect("memory"));
        let (components, levels) = (definition.component_count(), bound.levels(grid));
        let mut field = Field::zeros(definition.kind, layout, components, levels).expect("memory");
        for component in 0..components {
            for level in 0..levels {
                let seed = (grid * 64 + component * 8 + level) as u64 + 1;
                let scale = if definition.kind.is_real() { 1.0 } else { 100.0 };
                field.fill(component, level, |cell| scale * (noise(seed, cell) + 1.5));
            }
        }
        field
    });
    each.collect()
}

/// The last axis contiguous, gaps, and an offset.
fn scattered(layout: &Layout) -> Layout {
    let reversed: Vec<usize> = layout.lengths.iter().rev().copied().collect();
    let strides = Layout::contiguous(vec![0; reversed.len()], reversed).strides;
    Layout { strides: strides.into_iter().rev().map(|stride| 3 * stride).collect(), offset: 5, ..layout.clone() }
}

/// Parameters between 0 and 2, integers of 2.
fn arguments(bound: &Bound) -> Vec<Argument> {
    let parameters = bound.stencil().parameters().iter().filter(|parameter| parameter.values.is_none());
    let each = parameters.enumerate().map(|(number, parameter)| {
        let length = |range: &Range| {
            let sizes = bound.sizes();
            range.upper.value(sizes).expect("a size") - range.lower.value(sizes).expect("a size") + 1
        };
        let count = parameter.ranges.iter().map(length).product::<i64>();
        match parameter.kind.is_real() {
            true => Argument::Reals((0..count).map(|index| noise(number as u64 + 50, &[index]) + 1.0).collect()),
            false => Argument::Integers(vec![2; count as usize]),
        }
    });
    each.collect()
}

fn bits(value: Value) -> (u64, bool) {
    let number = value.as_f64();
    // NaN have many bits.
    if number.is_nan() { (u64::MAX, true) } else { (number.to_bits(), false) }
}

/// All numbers in memory of all levels.
fn contents(field: &mut Field) -> Vec<(u64, bool)> {
    let grid = field.slices();
    let slices = grid.slices.iter().flatten();
    slices.flat_map(|slice| (0..slice.len()).map(|index| bits(slice.get(index))).collect::<Vec<_>>()).collect()
}

/// All levels and results are the reference's, or both runs read outside a range. True for a complete run.
fn check(stencil: &Stencil, sizes: &[(&str, i64)], first: i64, name: &str) -> bool {
    let bound = Bound::new(stencil, sizes).unwrap_or_else(|error| panic!("{name}: {error}"));
    let span = Span { first, steps: Some(2), initial: true };
    let mut is_complete = true;
    for scatter in [false, true] {
        let mut wanted = fields(&bound, scatter);
        let mut grids: Vec<GridSlices<'_>> = wanted.iter_mut().map(Field::slices).collect();
        let expected = evaluate(&bound, &mut grids, &arguments(&bound), span);
        is_complete &= expected.is_ok();
        for device in DEVICES {
            let mut found = fields(&bound, scatter);
            let mut grids: Vec<GridSlices<'_>> = found.iter_mut().map(Field::slices).collect();
            let outcome = interpret(&bound, device, Strategy::Naive, &mut grids, &arguments(&bound), span);
            let case = format!("{name}, {sizes:?}, scattered: {scatter}, {device:?}");
            match (&expected, outcome) {
                (Ok(expected), Ok(outcome)) => {
                    assert_eq!(
                        (outcome.steps, outcome.has_stopped, &outcome.newest),
                        (expected.steps, expected.has_stopped, &expected.newest),
                        "{case}"
                    );
                    let all = |outcome: &Outcome| outcome.results.iter().map(|each| each.map(bits)).collect::<Vec<_>>();
                    assert_eq!(all(&outcome), all(expected), "{case}");
                    for (grid, (found, wanted)) in found.iter_mut().zip(&mut wanted).enumerate() {
                        assert_eq!(contents(found), contents(wanted), "{case}: grid {grid}");
                    }
                }
                (Err(expected), Err(error)) => assert!(
                    error.reason.contains("reads outside") && expected.reason.contains("reads outside"),
                    "{case}: {error} instead of {expected}"
                ),
                (expected, outcome) => panic!("{case}: {outcome:?} instead of {expected:?}"),
            }
        }
    }
    is_complete
}

fn parse(text: &str) -> Stencil {
    Stencil::parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

mod schedules;
mod tiles;

#[test]
fn kernels_of_all_examples_have_the_reference_s_bits() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/stencils");
    let mut count = 0;
    for entry in std::fs::read_dir(folder).expect("the folder of examples") {
        let path = entry.expect("an entry").path();
        if path.extension().is_none_or(|extension| extension != "stc") {
            continue;
        }
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        let stencil = parse(&std::fs::read_to_string(&path).expect("a text"));
        let value = |name: &str| match name {
            "nxb" | "nyb" | "nzb" => 1,
            "steps" => 2,
            _ => 6,
        };
        let sizes: Vec<(&str, i64)> = stencil.symbols().into_iter().map(|name| (name, value(name))).collect();
        assert!(check(&stencil, &sizes, 0, &name), "{name}");
        count += 1;
    }
    assert!(count >= 24, "{count} examples");
}

/// Random numbers of a fixed sequence.
struct Random {
    state: u64,
    /// Expressions know the temporary `e`.
    has_temporary: bool,
}

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.state = self.state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.state >> 33) as usize) % end
    }

    fn of<'a>(&mut self, words: &[&'a str]) -> &'a str {
        words[self.below(words.len())]
    }

    fn number(&mut self, depth: usize) -> String {
        let leaf = depth == 0 || self.below(5) == 0;
        match self.below(if leaf { 8 } else { 16 }) {
            0 => format!("{}.5", self.below(9)),
            1 => format!("{}", self.below(7)),
            2 => format!("u[x{},y{}; t]", self.of(&["-2", "-1", "", "+1"]), self.of(&["-1", "", "+2"])),
            3 => format!("v[x{},y; t{}]", self.of(&["-1", "", "+1"]), self.of(&["", "-1"])),
            4 => format!("i[x,y{}]", self.of(&["-1", ""])),
            5 => format!("k[{}{}]", self.of(&["y"]), self.of(&["", "+1"])),
            6 => {
                let last = if self.has_temporary { "e" } else { "ny" };
                self.of(&["a", "m", "x", "y", "t", "nx", last]).to_owned()
            }
            7 => format!("c[{} % 3]", self.of(&["x", "y", "t", "i[x,y]"])),
            8 => format!("-({})", self.number(depth - 1)),
            9 | 10 => {
                let operator = self.of(&["+", "-", "*", "/", "%"]);
                format!("({} {operator} {})", self.number(depth - 1), self.number(depth - 1))
            }
            11 => format!("({})^{}", self.number(depth - 1), self.of(&["2", "3", "-2", "0", "7"])),
            12 => format!("{}({})", self.of(&["sqrt", "abs", "floor", "exp", "sin"]), self.number(depth - 1)),
            13 => format!("{}({}, {})", self.of(&["min", "max"]), self.number(depth - 1), self.number(depth - 1)),
            14 => format!("{}({})", self.of(&["float", "double", "int", "long"]), self.number(depth - 1)),
            _ => format!("({} ? {} : {})", self.condition(depth - 1), self.number(depth - 1), self.number(depth - 1)),
        }
    }

    fn condition(&mut self, depth: usize) -> String {
        let comparison = |random: &mut Random| {
            let operator = random.of(&["<", "<=", ">", ">=", "==", "!="]);
            let depth = depth.min(1);
            format!("{} {operator} {}", random.number(depth), random.number(depth))
        };
        match self.below(4) {
            0 => format!("({} && {})", comparison(self), comparison(self)),
            1 => format!("({} || c[x] > 1)", comparison(self)),
            2 => format!("!({})", comparison(self)),
            _ => comparison(self),
        }
    }

    /// A stencil of several types, with all parts of the language.
    fn stencil(&mut self) -> String {
        let kinds = ["float", "double", "int", "long"];
        let (u, v) = (self.of(&kinds), self.of(&kinds));
        let faces = ["keep", "periodic", "reflect", "symmetric", "antireflect", "clamp", "2 * t + x", "neumann(y)"];
        let (first, second) = (self.of(&faces), self.of(&faces));
        let sweep = self.of(&["", "sweep red_black"]);
        self.has_temporary = false;
        let first_temporary = self.number(2);
        self.has_temporary = true;
        let own = |text: String| text.replace("u[x-2,", "u[x-1,").replace("y+2;", "y;").replace("y-1;", "y;");
        let value = if sweep.is_empty() { self.number(4) } else { own(self.number(4)) };
        format!(
            "stencil random {{
               domainsize = (-1 .. nx, 0 .. ny);
               operation ({u} grid u, {v} grid v, const int grid i, const double grid k(y), float param a, int param m,
                          double param c[0 .. 2], double result sum_of, {v} result most, long result times) {{
                 sequence {{
                   stage {sweep} {{
                     double e = {};
                     u[x,y; t+1] = {u}({value});
                     sum_of = sum(u[x,y; t+1] * 0.5);
                   }}
                   stage {{
                     double e = u[x-1,y+1; t+1];
                     v[x,y; t+1] = {v}({});
                     v[x,y; t+1] = {v}(v[x,y; t+1] + {});
                     most = max({v}({}));
                     times = count({});
                   }}
                 }}
               }}
               initial {{ u[x,y : x % 2 == 0] = {u}(x * a); v[x,y; t-1] = {v}(y - m); }}
               boundary {{ u: x = {first}; y = {second}; v: y = {second}; k: y = clamp; }}
               filter {{ u[x,y; t+1] += {u}(k[y] * 0.5); u[t % 3, div(ny, 2); t+1] = {u}(7 + a); }}
             }}",
            first_temporary,
            self.number(4),
            self.number(3),
            self.number(2),
            self.condition(2),
        )
    }
}

#[test]
fn kernels_of_random_stencils_have_the_reference_s_bits() {
    let mut random = Random { state: 7, has_temporary: false };
    let (mut done, mut refused, mut complete) = (0, 0, 0);
    while done < 80 {
        let text = random.stencil();
        match Stencil::parse(&text) {
            Ok(stencil) => {
                complete += usize::from(check(&stencil, &[("nx", 4), ("ny", 5)], 2, &text));
                done += 1;
            }
            Err(error) => {
                refused += 1;
                assert!(refused < 3 * (done + 5), "{refused} texts are refused, such as\n{error}\n{text}");
            }
        }
    }
    assert!(complete > 40, "{complete} of {done} runs are complete");
}

#[test]
fn devices_without_doubles_refuse_kernels_that_need_them() {
    let device = Abilities { has_doubles: false, ..device(Form::Points, false) };
    let variant = Variant { is_wide: false, is_unit: true, alignment: 1 };
    for (kind, is_fine) in [("float", true), ("int", true), ("double", false)] {
        let text = format!(
            "stencil one {{ domainsize = (1 .. 4); operation ({kind} grid u) {{ u[x; t+1] = 3 * u[x-1; t]; }} }}"
        );
        let bound = Bound::new(&parse(&text), &[]).expect("sizes");
        let lowered = lower(&bound, Pass::Sweep { stage: 0, colour: None, reduces: false }, variant, (device, None));
        match lowered {
            Ok(_) => assert!(is_fine, "{kind}"),
            Err(error) => assert_eq!(error.reason, "the device has no double precision, and 'one' needs it"),
        }
    }
}

#[test]
fn plans_are_shared_by_threads() {
    fn is_shared<T: Send + Sync>() {}
    is_shared::<crate::Plan>();
    is_shared::<crate::Bound>();
    fn is_sent<T: Send>() {}
    is_sent::<crate::Grids>();
    is_sent::<crate::Enqueued>();
}
