//! Wavelet filters: one pass tuned against copying and against plain loops, then three of them.

use std::path::Path;
use std::process::Command;
use std::time::Instant;

use affinimath::kernel::ScalarType;
use serde_json::{Value, json};

use super::{Options, report, worst};
use crate::filters::{Boundary, Filter, Pass, Point, cpu_space, gpu_space, kernel};
use crate::machine::{Bench, Data, Given, Machine, Outcome, Step};

/// The magic filter as a plain loop in C, twice: with a remainder for each tap, and with lines copied between their
/// periodic ends.
const PLAIN: &str = include_str!("../plain.c");

/// A pass over lines of doubles.
pub struct Lines {
    pub bench: Bench,
    pass: Pass,
    n: usize,
    lines: usize,
    exact: Vec<f64>,
    sums: Vec<f64>,
}

/// Values between -1 and 1, always the same.
pub fn values(count: usize) -> Vec<f64> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    };
    (0..count).map(|_| next()).collect()
}

impl Lines {
    pub fn new(machine: &Machine, pass: Pass, n: usize, lines: usize) -> Outcome<Self> {
        let x = values(n * lines);
        let exact = pass.reference(n, lines, &x, false);
        let sums = pass.reference(n, lines, &x, true);
        let y = vec![f64::NAN; exact.len()];
        let bench = Bench::new(machine, vec![Data::F64(x), Data::F64(y)])?;
        Ok(Lines { bench, pass, n, lines, exact, sums })
    }

    pub fn step(&self, point: &Point) -> Outcome<Step> {
        step(&self.bench, &self.pass, point, [self.n, self.lines], [0, 1])
    }

    /// Largest error of a step's results, relative to their bounds.
    pub fn error(&mut self, step: &Step) -> Outcome<f64> {
        self.bench.write(1, Data::F64(vec![f64::NAN; self.exact.len()]))?;
        self.bench.run(std::slice::from_ref(step))?;
        let Data::F64(found) = self.bench.read(1)? else { return Err("doubles are doubles".into()) };
        let unit = f64::EPSILON / 2.0;
        Ok(worst(found, &self.exact, &self.sums, self.pass.roundings(), unit))
    }

    fn measure(&mut self, point: &Point) -> Outcome<Result<f64, String>> {
        let step = self.step(point)?;
        let error = self.error(&step)?;
        if error > 1.0 {
            return Ok(Err(format!("an error of {error} times its bound")));
        }
        Ok(Ok(self.bench.time(&[step])?))
    }
}

/// A pass over `lines` lines of n elements, from one memory to another.
pub fn step(bench: &Bench, pass: &Pass, point: &Point, [n, lines]: [usize; 2], memory: [usize; 2]) -> Outcome<Step> {
    let is_short = n / pass.sources < pass.width;
    let built = bench.build(&kernel(pass, point, ScalarType::F64, is_short)?)?;
    let sizes = [n, lines, pass.count(n)].map(|size| Given::I64(size as i64));
    let given = sizes.into_iter().chain(memory.map(Given::Memory)).collect();
    Ok(Step { built, groups: point.groups(pass, n, lines), items: point.items(), given })
}

/// Seconds of the plain loops for n lines of n n elements each, by the machine's C compiler.
fn plain(n: usize, lines: usize, x: &[f64], expected: &[f64]) -> Outcome<Value> {
    let folder = std::env::temp_dir().join(format!("boast-plain-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let timed = timed_plain(&folder, n, lines, x, expected);
    std::fs::remove_dir_all(&folder)?;
    timed
}

fn timed_plain(folder: &Path, n: usize, lines: usize, x: &[f64], expected: &[f64]) -> Outcome<Value> {
    let (source, library) = (folder.join("plain.c"), folder.join("plain.so"));
    std::fs::write(&source, PLAIN)?;
    let compiler = std::env::var("CC").unwrap_or_else(|_| "cc".to_owned());
    let flags = ["-O3", "-march=native", "-fopenmp", "-fPIC", "-shared", "-o"];
    let status = Command::new(compiler).args(flags).args([&library, &source]).status()?;
    if !status.success() {
        return Err("the plain loops do not compile".into());
    }
    // SAFETY: its initialisers are those of OpenMP's runtime.
    let library = std::mem::ManuallyDrop::new(unsafe { libloading::Library::new(&library) }?);
    let mut times = serde_json::Map::new();
    for name in ["plain_remainder", "plain_padded"] {
        type Loop = unsafe extern "C" fn(i64, i64, *const f64, *const f64, *mut f64);
        // SAFETY: the source has functions of these names and this type.
        let function = unsafe { library.get::<Loop>(name.as_bytes()) }?;
        let (mut best, mut y) = (f64::INFINITY, vec![0.0; expected.len()]);
        for _ in 0..5 {
            let begin = Instant::now();
            // SAFETY: x and y hold n values for each line.
            unsafe {
                function(n as i64, lines as i64, crate::filters::MAGIC.as_ptr(), x.as_ptr(), y.as_mut_ptr());
            }
            best = best.min(begin.elapsed().as_secs_f64());
        }
        let difference = y.iter().zip(expected).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        if difference > 1e-13 {
            return Err(format!("{name} is wrong by {difference}").into());
        }
        times.insert(name.to_owned(), best.into());
    }
    Ok(times.into())
}

/// Tunes each filter, and applies it along three axes.
pub fn run(options: &Options) -> Outcome<Value> {
    let machine = options.machine()?;
    let space = if machine.is_gpu() { gpu_space()? } else { cpu_space()? };
    println!("{} points, on {machine}", space.len());
    let (n, lines) = (options.n, options.n * options.n);
    let mut results = Vec::new();
    for filter in Filter::ALL.into_iter().filter(|filter| options.filter.as_deref().is_none_or(|n| n == filter.name()))
    {
        let pass = Pass::new(filter, Boundary::Periodic);
        let mut study = Lines::new(&machine, pass.clone(), n, lines)?;
        let copy = study.bench.copy_time(0, 1)?;
        let name = format!("{}-{n}", filter.name());
        let found =
            options.search(&space, Vec::new(), &name, |point| study.measure(&Point::of(point).ok_or("no point")?))?;
        let (point, tuned) = found.best.clone().ok_or_else(|| format!("no point works: {:?}", found.runs.first()))?;
        let is_host = !machine.is_gpu() && filter == Filter::Magic;
        let plain = if is_host { plain(n, lines, &values(n * lines), &study.exact)? } else { Value::Null };
        let whole = three_passes(&machine, &pass, &Point::of(&point).ok_or("no point")?, n)?;
        println!(
            "{}, n = {n}: {:.3} ms, copy {:.3} ms, {:.2} of it: {point}; three passes {:.3} ms; plain {plain}",
            filter.name(),
            tuned * 1e3,
            copy * 1e3,
            copy / tuned,
            whole * 1e3
        );
        results.push(json!({
            "filter": filter.name(), "n": n, "tuned": tuned, "copy": copy, "three_passes": whole, "plain": plain,
            "point": point.to_string(), "search": report(&space, &found),
        }));
    }
    Ok(json!({ "study": "filters", "machine": machine.to_string(), "results": results }))
}

/// Seconds of three passes over a cube, each of which transposes; the results are checked.
fn three_passes(machine: &Machine, pass: &Pass, point: &Point, n: usize) -> Outcome<f64> {
    let x = values(n * n * n);
    let once = |x: &[f64], absolute: bool| pass.reference(n, n * n, x, absolute);
    let chain = |absolute: bool| (0..3).fold(x.clone(), |x, _| once(&x, absolute));
    let (exact, sums) = (chain(false), chain(true));
    let empty = Data::F64(vec![f64::NAN; x.len()]);
    let mut bench = Bench::new(machine, vec![Data::F64(x), empty.clone(), empty])?;
    let memory = [[0, 1], [1, 2], [2, 1]];
    let steps = memory.map(|memory| step(&bench, pass, point, [n, n * n], memory));
    let steps = steps.into_iter().collect::<Outcome<Vec<_>>>()?;
    bench.run(&steps)?;
    let Data::F64(found) = bench.read(1)? else { return Err("doubles are doubles".into()) };
    let error = worst(found, &exact, &sums, 3.0 * pass.roundings(), f64::EPSILON / 2.0);
    if error > 1.0 {
        return Err(format!("three passes are wrong by {error} times their bound").into());
    }
    bench.time(&steps)
}
