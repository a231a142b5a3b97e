//! Values of sizes, parameters and grids from the command line, and newest levels as arrays.

use std::collections::BTreeMap;

use affinimath::Context;
use affinimath::array::{AnyArray, ElementType, from_vec};
use affinimath::stencil::definition::{AXES, Size};
use affinimath::stencil::emit::{Fill, FillValues};
use affinimath::stencil::run::Levels;
use affinimath::stencil::{Argument, Bound, Field, Layout, Outcome, Slice, Span, Stencil, Type, sizes_of_shapes};
use affinimath_bench::Failure;
use affinimath_bench::random::Random;

use super::failed;
use crate::eval::input;
use crate::eval::output::Output;

/// A `--grid` of the command line.
pub struct Given {
    text: String,
    grid: usize,
    /// The level relative to the first step; all that hold values without one.
    time: Option<i32>,
    value: Value,
}

enum Value {
    Zero,
    Random(u64),
    File(String),
    Expression(String),
}

/// Numbers of an array.
pub enum Numbers {
    Integers(Vec<i64>),
    Reals(Vec<f64>),
}

/// An array of a file, with the number of the `--grid` that names it.
pub struct Array {
    given: usize,
    shape: Vec<usize>,
    numbers: Numbers,
}

/// The two sides of `NAME=VALUE`.
fn pair<'a>(option: &str, given: &'a str) -> Result<(&'a str, &'a str), Failure> {
    given.split_once('=').ok_or_else(|| Failure(format!("{option} {given} is no NAME=VALUE")))
}

/// The value names a file.
fn is_file(value: &str) -> bool {
    let path = value.rsplit_once(':').map_or(value, |(path, _)| path);
    [value, path]
        .iter()
        .any(|path| path.ends_with(".npy") || path.ends_with(".npz") || std::path::Path::new(path).is_file())
}

impl Given {
    /// The grid, the level and the value of `NAME=VALUE` or `NAME[t-1]=VALUE`.
    pub fn parse(given: &str, stencil: &Stencil) -> Result<Self, Failure> {
        let wrong = |reason: String| Failure(format!("--grid {given}: {reason}"));
        let (target, value) = pair("--grid", given)?;
        let (name, level) = match target.strip_suffix(']').and_then(|target| target.split_once("[t")) {
            Some((name, "")) => (name, Some(0)),
            Some((name, level)) => match level.parse() {
                Ok(level) => (name, Some(level)),
                Err(_) => return Err(wrong(format!("t{level} is no level"))),
            },
            None => (target, None),
        };
        let names = || stencil.grids().iter().map(|grid| grid.name.as_str()).collect::<Vec<_>>().join(", ");
        let grid = stencil.grids().iter().position(|grid| grid.name == name);
        let grid = grid.ok_or_else(|| wrong(format!("there is no grid {name} among {}", names())))?;
        let value = match value {
            "zero" => Value::Zero,
            "random" => Value::Random(0),
            value if is_file(value) => Value::File(value.to_owned()),
            value => match value.strip_prefix("random:").map(str::parse) {
                Some(Ok(seed)) => Value::Random(seed),
                Some(Err(_)) => return Err(wrong("the seed is no whole number".to_owned())),
                None => Value::Expression(value.to_owned()),
            },
        };
        Ok(Given { text: given.to_owned(), grid, time: level, value })
    }

    fn failure(&self, reason: impl std::fmt::Display) -> Failure {
        Failure(format!("--grid {}: {reason}", self.text))
    }
}

/// The stencil with expressions of the command line as initial values, after its own.
pub fn with_expressions(stencil: Stencil, given: &[Given]) -> Result<Stencil, Failure> {
    let mut stencil = stencil;
    for given in given {
        let Value::Expression(value) = &given.value else { continue };
        stencil = stencil.with_initial(given.grid, given.time, value).map_err(|error| given.failure(error))?;
    }
    Ok(stencil)
}

/// The arrays of files.
pub fn arrays(given: &[Given]) -> Result<Vec<Array>, Failure> {
    let mut arrays = Vec::new();
    for (index, given) in given.iter().enumerate() {
        let Value::File(file) = &given.value else { continue };
        let (shape, numbers) = read(file)?;
        arrays.push(Array { given: index, shape, numbers });
    }
    Ok(arrays)
}

/// The one array of a file, or of a key of it.
fn read(file: &str) -> Result<(Vec<usize>, Numbers), Failure> {
    let context = Context::host();
    let found = input::arrays(&context, &[format!("array={file}")], &["array".to_owned()])?;
    let (_, array) = found.into_iter().next().ok_or_else(|| Failure(format!("{file}: there is no array")))?;
    let numbers = numbers(&array)?;
    let numbers = numbers.ok_or_else(|| Failure(format!("{file}: its elements are complex, a stencil's are not")))?;
    Ok((array.shape().extents().to_vec(), numbers))
}

/// The elements of an array; none of a complex one.
fn numbers(array: &AnyArray) -> affinimath::Result<Option<Numbers>> {
    AnyArray::evaluate_all(&[array])?;
    macro_rules! elements {
        ($type:ty) => {
            array.to_expr::<$type>().map(|expr| expr.to_vec()).transpose()?.unwrap_or_default().into_iter()
        };
    }
    Ok(Some(match array.element() {
        ElementType::Bool => Numbers::Integers(elements!(bool).map(i64::from).collect()),
        ElementType::U8 => Numbers::Integers(elements!(u8).map(i64::from).collect()),
        ElementType::I32 => Numbers::Integers(elements!(i32).map(i64::from).collect()),
        ElementType::U32 => Numbers::Integers(elements!(u32).map(i64::from).collect()),
        ElementType::I64 => Numbers::Integers(elements!(i64).collect()),
        ElementType::F32 => Numbers::Reals(elements!(f32).map(f64::from).collect()),
        ElementType::F64 => Numbers::Reals(elements!(f64).collect()),
        ElementType::C32 | ElementType::C64 => return Ok(None),
    }))
}

/// All sizes: those that are given, the number of steps where it is one, and those that follow from arrays with the
/// shape of a grid's memory. Where the sizes of the domain are given, arrays may have its shape as well.
pub fn sizes(
    stencil: &Stencil,
    sizes: &[String],
    steps: Option<u64>,
    given: &[Given],
    arrays: &[Array],
) -> Result<BTreeMap<String, i64>, Failure> {
    let mut known = BTreeMap::new();
    for size in sizes {
        let (name, value) = pair("--size", size)?;
        let value = value.parse().map_err(|_| Failure(format!("--size {size}: {value} is no whole number")))?;
        if known.insert(name.to_owned(), value).is_some() {
            return Err(Failure(format!("--size {size}: {name} is given twice")));
        }
    }
    if let (Some(Size::Symbol(name)), Some(steps)) = (stencil.steps(), steps) {
        // Ranges of parameters may depend on it.
        known.entry(name.clone()).or_insert(i64::try_from(steps).unwrap_or(i64::MAX));
    }
    let is_known = |size: &Size| size.value(&known).is_ok();
    if stencil.domain().iter().all(|range| is_known(&range.lower) && is_known(&range.upper)) {
        return Ok(known);
    }
    for array in arrays {
        let given = &given[array.given];
        let shape = lengths(stencil, given, &array.shape)?;
        known = sizes_of_shapes(stencil, &known, &[(given.grid, &shape)]).map_err(|error| given.failure(error))?;
    }
    Ok(known)
}

/// The domain has all its sizes.
pub fn check_sizes(stencil: &Stencil, sizes: &BTreeMap<String, i64>) -> Result<(), Failure> {
    let mut missing: Vec<String> = Vec::new();
    for size in stencil.domain().iter().flat_map(|range| [&range.lower, &range.upper]) {
        size.for_each_symbol(&mut |name| {
            let option = format!("--size {name}=VALUE");
            if !sizes.contains_key(name) && !missing.contains(&option) {
                missing.push(option);
            }
        });
    }
    match &missing[..] {
        [] => Ok(()),
        [one] => Err(Failure(format!("{one} is missing, or an array by --grid"))),
        all => Err(Failure(format!("{} are missing, or an array by --grid", all.join(", ")))),
    }
}

/// Lengths by a grid's axes, x first, of an array whose last axis is x.
fn lengths(stencil: &Stencil, given: &Given, shape: &[usize]) -> Result<Vec<usize>, Failure> {
    let grid = &stencil.grids()[given.grid];
    let (components, axes) = (&grid.components, grid.axes.len());
    if shape.len() != components.len() + axes || shape[..components.len()] != components[..] {
        let wanted = components.iter().map(usize::to_string);
        let axes = grid.axes.iter().rev().map(|&axis| AXES[axis].to_owned());
        let wanted: Vec<String> = wanted.chain(axes).collect();
        let reason = format!("the array has shape {shape:?}, and '{}' is ({})", grid.name, wanted.join(", "));
        return Err(given.failure(reason));
    }
    Ok(shape[components.len()..].iter().rev().copied().collect())
}

/// The arguments of parameters, in the order of the stencil.
pub fn parameters(bound: &Bound, given: &[String]) -> Result<Vec<Argument>, Failure> {
    let stencil = bound.stencil();
    let mut values = BTreeMap::new();
    for given in given {
        let (name, value) = pair("--param", given)?;
        let parameter = stencil.parameters().iter().find(|it| it.name == name && it.values.is_none());
        let Some(parameter) = parameter else {
            let all = stencil.parameters().iter().filter(|it| it.values.is_none()).map(|it| it.name.as_str());
            let all = all.collect::<Vec<_>>().join(", ");
            let among = if all.is_empty() { "; the stencil has none".to_owned() } else { format!(" among {all}") };
            return Err(Failure(format!("--param {given}: there is no parameter {name}{among}")));
        };
        let argument =
            argument(value, parameter.kind).map_err(|reason| Failure(format!("--param {given}: {reason}")))?;
        if values.insert(name, argument).is_some() {
            return Err(Failure(format!("--param {given}: {name} is given twice")));
        }
    }
    let wanted = stencil.parameters().iter().filter(|parameter| parameter.values.is_none());
    let argument = |name: &str| values.remove(name).ok_or_else(|| Failure(format!("--param {name}=VALUE is missing")));
    wanted.map(|parameter| parameter.name.as_str()).map(argument).collect()
}

/// Numbers with commas, or an array of a file.
fn argument(value: &str, kind: Type) -> Result<Argument, String> {
    if is_file(value) {
        return Ok(match read(value).map_err(|failure| failure.0)?.1 {
            Numbers::Integers(values) => Argument::Integers(values),
            Numbers::Reals(values) => Argument::Reals(values),
        });
    }
    fn numbers<T: std::str::FromStr>(value: &str) -> Result<Vec<T>, String> {
        value.split(',').map(|number| number.trim().parse().map_err(|_| format!("{number} is no number"))).collect()
    }
    match kind.is_integer() {
        true => numbers(value).map(Argument::Integers).map_err(|reason| format!("{reason} of type {kind}")),
        false => numbers(value).map(Argument::Reals),
    }
}

/// The grids before the first step, at the time `first`. `initialize` sets the text's initial values.
pub fn fields(
    bound: &Bound,
    first: i64,
    given: &[Given],
    arrays: &[Array],
    initialize: impl FnOnce(&mut [Field], Span) -> Result<Outcome, Failure>,
) -> Result<Vec<Field>, Failure> {
    let stencil = bound.stencil();
    let fields = (0..stencil.grids().len()).map(|grid| bound.field(grid));
    let mut fields = fields.collect::<affinimath::stencil::Result<Vec<_>>>().map_err(failed)?;
    if !stencil.initial().is_empty() {
        initialize(&mut fields, Span { first, steps: Some(0), initial: true })?;
    }
    for (index, given) in given.iter().enumerate() {
        let layout = fields[given.grid].layout().clone();
        let mut slices = fields[given.grid].slices();
        let inputs = Levels::new(bound).inputs(given.grid);
        let levels = match given.time {
            None => inputs.clone().collect(),
            Some(time) if inputs.contains(&time) => vec![time],
            Some(time) => {
                let (first, last) = (inputs.start(), inputs.end());
                return Err(given.failure(format!("a run reads the levels t{first:+} to t{last:+}, not t{time:+}")));
            }
        };
        let array = arrays.iter().find(|array| array.given == index);
        for (component, levels_of) in slices.slices.iter_mut().enumerate() {
            for &time in &levels {
                let slice = &mut levels_of[(time - inputs.start()) as usize];
                match (&given.value, array) {
                    (Value::Expression(_), _) => {}
                    (Value::Zero, _) => zero(slice),
                    (Value::Random(seed), _) => {
                        // Components have numbers of their own, all levels of one the same.
                        random(slice, &mut Random::new(seed.wrapping_mul(4099).wrapping_add(component as u64)));
                    }
                    (Value::File(_), Some(array)) => copy(bound, given, array, component, &layout, slice)?,
                    (Value::File(_), None) => {}
                }
            }
        }
    }
    Ok(fields)
}

/// The values of `--grid` for an emitted program; expressions are initial values of the text.
pub fn fills(bound: &Bound, given: &[Given], arrays: &[Array]) -> Result<Vec<Fill>, Failure> {
    let mut fills = Vec::new();
    for (index, given) in given.iter().enumerate() {
        let array = arrays.iter().find(|array| array.given == index);
        let values = match (&given.value, array) {
            (Value::Expression(_), _) | (Value::File(_), None) => continue,
            (Value::Zero, _) => FillValues::Zero,
            (Value::Random(seed), _) => FillValues::Random(*seed),
            (Value::File(_), Some(array)) => {
                let mut field = bound.field(given.grid).map_err(failed)?;
                let layout = field.layout().clone();
                let mut components = Vec::new();
                for (component, levels) in field.slices().slices.iter_mut().enumerate() {
                    copy(bound, given, array, component, &layout, &mut levels[0])?;
                    components.push(levels[0].bytes());
                }
                FillValues::Bytes(components)
            }
        };
        fills.push(Fill { grid: given.grid, time: given.time, values });
    }
    Ok(fills)
}

fn zero(slice: &mut Slice<'_>) {
    match slice {
        Slice::I32(all) => all.fill(0),
        Slice::I64(all) => all.fill(0),
        Slice::F32(all) => all.fill(0.0),
        Slice::F64(all) => all.fill(0.0),
    }
}

/// Real numbers from 0 to 1; 0 or 1 in grids of integers.
fn random(slice: &mut Slice<'_>, random: &mut Random) {
    match slice {
        Slice::I32(all) => all.iter_mut().for_each(|to| *to = random.below(2) as i32),
        Slice::I64(all) => all.iter_mut().for_each(|to| *to = random.below(2) as i64),
        Slice::F32(all) => all.iter_mut().for_each(|to| *to = random.element::<f32>() + 0.5),
        Slice::F64(all) => all.iter_mut().for_each(|to| *to = random.element::<f64>() + 0.5),
    }
}

/// A component of an array with the shape of the grid's memory, or of the domain.
fn copy(
    bound: &Bound,
    given: &Given,
    array: &Array,
    component: usize,
    layout: &Layout,
    slice: &mut Slice<'_>,
) -> Result<(), Failure> {
    let stencil = bound.stencil();
    let lengths = lengths(stencil, given, &array.shape)?;
    let axes = &stencil.grids()[given.grid].axes;
    let domain: Vec<usize> = axes.iter().map(|&axis| bound.lengths()[axis]).collect();
    let points: usize = lengths.iter().product();
    let from = component * points;
    let lower = if lengths == layout.lengths {
        layout.lower.clone()
    } else if lengths == domain {
        axes.iter().map(|&axis| bound.lower()[axis]).collect()
    } else {
        let shape = |lengths: &[usize]| lengths.iter().rev().copied().collect::<Vec<_>>();
        let (own, memory, domain) = (shape(&lengths), shape(&layout.lengths), shape(&domain));
        let name = &stencil.grids()[given.grid].name;
        let reason = format!("the array is {own:?}, the memory of '{name}' {memory:?}, and the domain {domain:?}");
        return Err(given.failure(reason));
    };
    // Rows along the first axis are contiguous in both.
    let row = lengths[0];
    for (number, first) in (0..points).step_by(row.max(1)).enumerate() {
        let (mut rest, mut coordinates) = (number, lower.clone());
        for (axis, &length) in lengths.iter().enumerate().skip(1) {
            coordinates[axis] += (rest % length) as i64;
            rest /= length;
        }
        let to = layout.index(&coordinates).unwrap_or(0);
        copy_row(slice, to, &array.numbers, from + first, row).map_err(|reason| given.failure(reason))?;
    }
    Ok(())
}

fn copy_row(slice: &mut Slice<'_>, to: usize, numbers: &Numbers, from: usize, row: usize) -> Result<(), &'static str> {
    macro_rules! row {
        ($to:expr, $from:expr, $type:ty) => {
            $to[to..to + row].iter_mut().zip(&$from[from..from + row]).for_each(|(to, from)| *to = *from as $type)
        };
    }
    match (slice, numbers) {
        (Slice::I32(all), Numbers::Integers(numbers)) => row!(all, numbers, i32),
        (Slice::I64(all), Numbers::Integers(numbers)) => row!(all, numbers, i64),
        (Slice::F32(all), Numbers::Integers(numbers)) => row!(all, numbers, f32),
        (Slice::F64(all), Numbers::Integers(numbers)) => row!(all, numbers, f64),
        (Slice::F32(all), Numbers::Reals(numbers)) => row!(all, numbers, f32),
        (Slice::F64(all), Numbers::Reals(numbers)) => row!(all, numbers, f64),
        (Slice::I32(_) | Slice::I64(_), Numbers::Reals(_)) => {
            return Err("the grid holds integers, and the array does not");
        }
    }
    Ok(())
}

/// The newest levels of grids that change, in the shape of their memory.
pub fn outputs(bound: &Bound, fields: &[Field], outcome: &Outcome) -> Result<Vec<Output>, Failure> {
    let context = Context::host();
    let mut outputs = Vec::new();
    for (index, grid) in bound.stencil().grids().iter().enumerate() {
        if !bound.facts().grids[index].is_written {
            continue;
        }
        let mut field = fields[index].clone();
        let lengths = field.layout().lengths.clone();
        let shape: Vec<usize> = grid.components.iter().copied().chain(lengths.into_iter().rev()).collect();
        let slices = field.slices();
        let newest = slices.slices.iter().map(|levels| &levels[outcome.newest[index]]);
        macro_rules! array {
            ($variant:ident) => {{
                let mut elements = Vec::new();
                for slice in newest {
                    if let Slice::$variant(slice) = slice {
                        elements.extend_from_slice(slice);
                    }
                }
                AnyArray::new(&context, from_vec(&shape[..], elements).node().clone())?
            }};
        }
        let array = match grid.kind {
            Type::I32 | Type::Bool => array!(I32),
            Type::I64 => array!(I64),
            Type::F32 => array!(F32),
            Type::F64 => array!(F64),
        };
        outputs.push((Some(grid.name.clone()), array));
    }
    Ok(outputs)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "stencil s {
      domainsize = (1 .. n);
      operation (double grid u, const int grid k[2]) { u[x; t+1] = u[x-1; t] + u[x; t-1] + k[x; 1]; }
    }";

    #[test]
    fn a_grid_has_a_level_and_a_value() {
        let stencil = Stencil::parse(TEXT).expect("it is a stencil");
        let parse = |given: &str| Given::parse(given, &stencil).map(|given| (given.grid, given.time));
        assert_eq!(parse("u=zero").ok(), Some((0, None)));
        assert_eq!(parse("u[t-1]=random:3").ok(), Some((0, Some(-1))));
        assert_eq!(parse("k[t]=x").ok(), Some((1, Some(0))));
        for (given, reason) in
            [("u", "is no NAME=VALUE"), ("v=1", "there is no grid v among u, k"), ("u[t*2]=1", "no level")]
        {
            let Err(failure) = Given::parse(given, &stencil) else { panic!("{given} is refused") };
            assert!(failure.0.contains(reason), "{failure:?}");
        }
    }

    #[test]
    fn random_numbers_are_those_of_their_seed() {
        let made = |seed| {
            let mut all = [0.0_f32; 1000];
            random(&mut Slice::F32(&mut all), &mut Random::new(seed));
            all
        };
        assert_eq!(made(1), made(1));
        assert_ne!(made(1), made(2));
        assert!(made(1).iter().all(|x| (0.0..=1.0).contains(x)));
        let mean = made(1).iter().sum::<f32>() / 1000.0;
        assert!((mean - 0.5).abs() < 0.05, "{mean}");
    }
}
