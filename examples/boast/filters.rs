//! Filters of wavelet codes along the lines of an array, with a transposition: BigDFT's magic filter, and the analysis
//! and synthesis of Daubechies' wavelets with 16 taps. One kernel for all of them.

use affinimath::kernel::dynamic::{BinaryOp, Builder, Memory, Query, Value};
use affinimath::kernel::{Access, BuildError, Kernel, ScalarType, ValueType};
use affinimath::tuner::space::{Configuration, Space, SpaceError};
use rayon::prelude::*;

/// Taps of a filter.
pub const TAPS: usize = 16;

/// BigDFT's magic filter (Genovese and others 2008): from coefficients of Daubechies' scaling functions to values at
/// grid points. Tap k is of the element i - 7 + k.
pub const MAGIC: [f64; TAPS] = [
    8.433424733352934e-7,
    -1.290557201342061e-5,
    8.762984476210559e-5,
    -3.0158038132690463e-4,
    1.747_237_136_729_939e-3,
    -9.420470302010804e-3,
    2.373821463724942_4e-2,
    6.126_258_958_312_08e-2,
    0.994041569783400_4,
    -6.048952891969835e-2,
    -2.103025160930381_4e-2,
    1.337263414854794_8e-2,
    -3.4412814449349386e-3,
    4.944322768868992e-4,
    -5.185986881173433e-5,
    2.727344929119796_6e-6,
];

/// Daubechies' least asymmetric low-pass filter with 8 vanishing moments (Daubechies 1992, table 6.3).
pub const LOW_PASS: [f64; TAPS] = [
    -0.003_382_415_951_005_002_6,
    -0.000_542_132_331_800_010_7,
    0.031_695_087_811_525_99,
    0.007_607_487_324_976_608,
    -0.143_294_238_351_272_66,
    -0.061_273_359_067_811_08,
    0.481_359_651_259_053_4,
    0.777_185_751_699_628,
    0.364_441_894_836_178_94,
    -0.051_945_838_107_881_8,
    -0.027_219_029_917_103_486,
    0.049_137_179_673_730_28,
    0.003_808_752_013_894_489_6,
    -0.014_952_258_337_062_2,
    -0.000_302_920_514_724_133_1,
    0.001_889_950_332_767_689,
];

/// The high-pass filter of the same wavelets.
pub fn high_pass() -> [f64; TAPS] {
    std::array::from_fn(|k| if k % 2 == 0 { LOW_PASS[TAPS - 1 - k] } else { -LOW_PASS[TAPS - 1 - k] })
}

/// Values beyond the ends of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Boundary {
    /// The line goes on with its own beginning.
    Periodic,
    /// Zeros. Magic filter and analysis give all results that are not zero, and the synthesis of those is the line.
    Free,
}

/// A filter along lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Filter {
    Magic,
    /// From n values to the low-pass and behind them the high-pass results. Lines have an even length.
    Analysis,
    /// The inverse of the analysis.
    Synthesis,
}

impl Filter {
    pub const ALL: [Filter; 3] = [Filter::Magic, Filter::Analysis, Filter::Synthesis];

    pub const fn name(self) -> &'static str {
        match self {
            Filter::Magic => "magic_filter",
            Filter::Analysis => "analysis",
            Filter::Synthesis => "synthesis",
        }
    }
}

/// A filter as data: result i of output o is the sum of taps(o, s, t) source(s, step i + low + t) over sources s and
/// window elements t. A source is a half of the line, or all of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Pass {
    pub filter: Filter,
    pub boundary: Boundary,
    pub step: usize,
    pub sources: usize,
    pub outputs: usize,
    pub low: i64,
    pub width: usize,
    taps: Vec<Vec<Vec<f64>>>,
}

impl Pass {
    pub fn new(filter: Filter, boundary: Boundary) -> Self {
        let is_free = boundary == Boundary::Free;
        let (low_pass, high_pass) = (LOW_PASS.to_vec(), high_pass().to_vec());
        let one = |step, outputs, low, taps: Vec<Vec<Vec<f64>>>| Pass {
            filter,
            boundary,
            step,
            sources: taps[0].len(),
            outputs,
            low,
            width: taps[0][0].len(),
            taps,
        };
        match filter {
            Filter::Magic => one(1, 1, if is_free { 1 - TAPS as i64 } else { -7 }, vec![vec![MAGIC.to_vec()]]),
            Filter::Analysis => one(2, 2, if is_free { -14 } else { -8 }, vec![vec![low_pass], vec![high_pass]]),
            Filter::Synthesis => {
                let phase = |p: usize, taps: &[f64]| (0..8).map(|u| taps[p + 14 - 2 * u]).collect::<Vec<f64>>();
                let of = |p| vec![phase(p, &low_pass), phase(p, &high_pass)];
                one(1, 2, if is_free { 0 } else { -3 }, vec![of(0), of(1)])
            }
        }
    }

    /// Results of each output, for lines of a length.
    pub fn count(&self, n: usize) -> usize {
        match (self.filter, self.boundary) {
            (Filter::Magic, Boundary::Periodic) => n,
            (Filter::Magic, Boundary::Free) => n + TAPS - 1,
            (Filter::Analysis, Boundary::Periodic) | (Filter::Synthesis, Boundary::Periodic) => n / 2,
            (Filter::Analysis, Boundary::Free) => n / 2 + 7,
            (Filter::Synthesis, Boundary::Free) => n / 2 - 7,
        }
    }

    /// Length of the resulting lines.
    pub fn length(&self, n: usize) -> usize {
        self.count(n) * self.outputs
    }

    /// The filter by its definition: y(line, position) from x(element, line), in double precision. With `absolute`,
    /// sums of absolute values, to which bounds of rounding errors are relative.
    pub fn reference(&self, n: usize, lines: usize, x: &[f64], absolute: bool) -> Vec<f64> {
        let (count, half) = (self.count(n), n / self.sources);
        let size = |value: f64| if absolute { value.abs() } else { value };
        let result = |line: usize, i: usize, output: usize| {
            let mut sum = 0.0;
            for (source, taps) in self.taps[output].iter().enumerate() {
                for (t, tap) in taps.iter().enumerate() {
                    let p = (self.step * i) as i64 + self.low + t as i64;
                    let p = match self.boundary {
                        Boundary::Free if p < 0 || p >= half as i64 => continue,
                        _ if p < 0 || p >= half as i64 => p.rem_euclid(half as i64),
                        _ => p,
                    };
                    sum += size(*tap) * size(x[line * n + source * half + p as usize]);
                }
            }
            sum
        };
        let mut y = vec![0.0; self.length(n) * lines];
        y.par_chunks_mut(lines.max(1)).enumerate().for_each(|(position, y)| {
            let (i, output) = if self.filter == Filter::Synthesis {
                (position / self.outputs, position % self.outputs)
            } else {
                (position % count, position / count)
            };
            y.iter_mut().enumerate().for_each(|(line, y)| *y = result(line, i, output));
        });
        y
    }

    /// The most rounding errors of a result, in units of the precision and relative to the sum of absolute values.
    pub fn roundings(&self) -> f64 {
        // A product, its sum with the others, and the rounding of the tap.
        (self.width * self.sources + 2) as f64
    }
}

/// Parameters of the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Point {
    /// Results of a line that a work-item computes side by side.
    pub unroll: usize,
    /// Lines of a work-item: the lanes of its vectors. 1 with local memory.
    pub lines: usize,
    /// True if a group stages its window in local memory.
    pub local: bool,
    /// Lines and parts of lines of a group.
    pub group: [usize; 2],
    /// True if products and sums are rounded together.
    pub fused: bool,
    /// True if lines are loaded by vectors and transposed in registers; else element by element.
    pub vector_loads: bool,
}

impl Point {
    pub fn of(point: &Configuration) -> Option<Self> {
        Some(Point {
            unroll: point.get("unroll")?,
            lines: point.get("lines")?,
            local: point.get("local")? != 0,
            group: [point.get("group_lines")?, point.get("group_parts")?],
            fused: point.get("fused")? != 0,
            vector_loads: point.get("vector_loads")? != 0,
        })
    }

    pub const fn items(&self) -> [usize; 3] {
        [self.group[0], self.group[1], 1]
    }

    /// Groups for lines of a length.
    pub fn groups(&self, pass: &Pass, n: usize, lines: usize) -> [usize; 3] {
        let parts = pass.count(n).div_ceil(self.unroll * self.group[1]);
        [lines.div_ceil(self.lines * self.group[0]), parts, 1]
    }
}

/// Points for CPUs: vectors of lines, without local memory.
pub fn cpu_space() -> Result<Space, SpaceError> {
    Space::builder()
        .values("unroll", [1, 2, 4, 6, 8, 12, 16])
        .values("lines", [1, 2, 4, 8, 16])
        .flag("fused")
        .flag("vector_loads")
        .values("group_lines", [1, 4])
        .values("group_parts", [1, 8])
        .parameter("local", vec![false.into()])
        .rule("unroll * lines <= 128")
        .build()
}

/// Points for GPUs: local memory or not, and the group's shape.
pub fn gpu_space() -> Result<Space, SpaceError> {
    Space::builder()
        .values("unroll", [1, 2, 4, 8, 16])
        .values("lines", [1, 2])
        .flag("local")
        .values("group_lines", [8, 16, 32, 64])
        .values("group_parts", [2, 4, 8, 16])
        .flag("fused")
        .parameter("vector_loads", vec![false.into()])
        .rule("not local or lines == 1")
        .rule("group_lines * group_parts <= 512 and group_lines * group_parts >= 32")
        .rule("not local or (2 * group_parts * unroll + 16) * group_lines <= 6000")
        .build()
}

type Built<T> = Result<T, BuildError>;

/// y(line, position) := a filter of x(element, line), for `lines` lines of n elements.
///
/// `short` is for lines whose sources are shorter than a window, which wrap around more than once.
pub fn kernel(pass: &Pass, point: &Point, scalar: ScalarType, short: bool) -> Result<Kernel, BuildError> {
    Kernel::build_dynamic(pass.filter.name(), |k| {
        let int = |name| k.argument(name, ScalarType::I64);
        let (n, lines, count) = (int("n")?, int("lines")?, int("count")?);
        let x = k.buffer("x", ValueType::scalar(scalar), Access::Read)?;
        let y = k.buffer("y", ValueType::scalar(scalar), Access::Write)?;
        let half = if pass.sources == 1 { n } else { n.binary(BinaryOp::Div, k.index(pass.sources as i64))? };
        let part = Part { k, pass, point: *point, scalar, short, n, lines, count, half, x, y };
        if point.local { part.staged() } else { part.direct() }
    })
}

/// Results of a work-item.
struct Part<'k, 'p> {
    k: Builder<'k>,
    pass: &'p Pass,
    point: Point,
    scalar: ScalarType,
    short: bool,
    n: Value<'k>,
    lines: Value<'k>,
    count: Value<'k>,
    half: Value<'k>,
    x: Memory<'k>,
    y: Memory<'k>,
}

impl<'k> Part<'k, '_> {
    /// Elements of a source that the results of a work-item need.
    const fn window(&self) -> usize {
        (self.point.unroll - 1) * self.pass.step + self.pass.width
    }

    fn sum(&self, a: Value<'k>, b: i64) -> Built<Value<'k>> {
        if b == 0 { Ok(a) } else { a.binary(BinaryOp::Add, self.k.index(b)) }
    }

    fn times(&self, a: Value<'k>, b: usize) -> Built<Value<'k>> {
        if b == 1 { Ok(a) } else { a.binary(BinaryOp::Mul, self.k.index(b as i64)) }
    }

    /// All results of a work-item, [output][i], from its window, which `load` gives element by element.
    fn results(&self, load: impl Fn(usize, usize) -> Built<Value<'k>>) -> Built<Vec<Vec<Value<'k>>>> {
        let Pass { step, width, outputs, sources, .. } = *self.pass;
        let mut sums: Vec<Vec<Option<Value<'k>>>> = vec![vec![None; self.point.unroll]; outputs];
        for source in 0..sources {
            for p in 0..self.window() {
                let value = load(source, p)?;
                for (output, sums) in sums.iter_mut().enumerate() {
                    for (i, sum) in sums.iter_mut().enumerate() {
                        let Some(t) = p.checked_sub(i * step).filter(|t| *t < width) else { continue };
                        let tap = self.k.number(self.scalar, self.pass.taps[output][source][t])?;
                        let tap =
                            if value.value_type().lanes == 1 { tap } else { tap.splat(value.value_type().lanes)? };
                        *sum = Some(match *sum {
                            None => value.binary(BinaryOp::Mul, tap)?,
                            Some(sum) if self.point.fused => value.mul_add(tap, sum)?,
                            Some(sum) => sum.binary(BinaryOp::Add, value.binary(BinaryOp::Mul, tap)?)?,
                        });
                    }
                }
            }
        }
        let whole = |sums: Vec<Option<Value<'k>>>| sums.into_iter().collect::<Option<Vec<_>>>();
        sums.into_iter().map(whole).collect::<Option<Vec<_>>>().ok_or(BuildError::Unroll)
    }

    /// Index of a result in y.
    fn result_index(&self, i: Value<'k>, output: usize, line: Value<'k>) -> Built<Value<'k>> {
        let position = if self.pass.filter == Filter::Synthesis {
            self.sum(self.times(i, self.pass.outputs)?, output as i64)?
        } else if output == 0 {
            i
        } else {
            i.binary(BinaryOp::Add, self.times(self.count, output)?)?
        };
        position.binary(BinaryOp::Mul, self.lines)?.binary(BinaryOp::Add, line)
    }

    /// An element of a source, and whether it is one: a periodic line has every element.
    fn element(&self, p: Value<'k>) -> Built<(Value<'k>, Option<Value<'k>>)> {
        let zero = self.k.index(0);
        let below = p.binary(BinaryOp::Lt, zero)?;
        let beyond = p.binary(BinaryOp::Ge, self.half)?;
        if self.pass.boundary == Boundary::Free {
            let inside = below.binary(BinaryOp::Or, beyond)?.unary(affinimath::kernel::dynamic::UnaryOp::Not)?;
            let last = self.half.binary(BinaryOp::Sub, self.k.index(1))?;
            return Ok((p.binary(BinaryOp::Max, zero)?.binary(BinaryOp::Min, last)?, Some(inside)));
        }
        if self.short {
            let rest = p.binary(BinaryOp::Rem, self.half)?;
            let wrapped = rest.binary(BinaryOp::Add, self.half)?;
            return Ok((rest.binary(BinaryOp::Lt, zero)?.select(wrapped, rest)?, None));
        }
        // Windows of results behind the last one go farther; what they load is not used.
        let less = p.binary(BinaryOp::Sub, self.half)?;
        let less = less.binary(BinaryOp::Min, self.half.binary(BinaryOp::Sub, self.k.index(1))?)?;
        let more = p.binary(BinaryOp::Add, self.half)?;
        Ok((below.select(more, beyond.select(less, p)?)?, None))
    }

    /// Begin of a source in x, for a line.
    fn source(&self, line: Value<'k>, source: usize) -> Built<Value<'k>> {
        let first = line.binary(BinaryOp::Mul, self.n)?;
        if source == 0 { Ok(first) } else { first.binary(BinaryOp::Add, self.times(self.half, source)?) }
    }

    /// Vectors of lines, straight from global memory.
    fn direct(&self) -> Built<()> {
        let Point { unroll, lines: lanes, .. } = self.point;
        let line = self.times(self.k.query(Query::GlobalId, 0)?, lanes)?.named("line");
        let i = self.times(self.k.query(Query::GlobalId, 1)?, unroll)?.named("i");
        let is_work =
            line.binary(BinaryOp::Lt, self.lines)?.binary(BinaryOp::And, i.binary(BinaryOp::Lt, self.count)?)?;
        self.k.when(is_work, || {
            let start = self.sum(self.times(i, self.pass.step)?, self.pass.low)?;
            let end = self.sum(start, self.window() as i64)?;
            let inside = [
                start.binary(BinaryOp::Ge, self.k.index(0))?,
                end.binary(BinaryOp::Le, self.half)?,
                self.sum(i, unroll as i64)?.binary(BinaryOp::Le, self.count)?,
                self.sum(line, lanes as i64)?.binary(BinaryOp::Le, self.lines)?,
            ];
            let inside = inside[1..].iter().try_fold(inside[0], |all, one| all.binary(BinaryOp::And, *one))?;
            self.k.if_else(inside, || self.inner(line, i, start), || self.outer(line, i, start))
        })
    }

    /// All elements and results exist.
    fn inner(&self, line: Value<'k>, i: Value<'k>, start: Value<'k>) -> Built<()> {
        let lanes = self.point.lines;
        let first = |source: usize, lane: usize| {
            self.source(self.sum(line, lane as i64)?, source)?.binary(BinaryOp::Add, start)
        };
        let firsts = (0..self.pass.sources)
            .map(|source| (0..lanes).map(|lane| first(source, lane)).collect::<Built<Vec<_>>>())
            .collect::<Built<Vec<_>>>()?;
        // With vector loads: the window of a line, in vectors of as many lanes, and single elements behind them.
        let whole = if self.point.vector_loads && lanes > 1 { self.window() / lanes * lanes } else { 0 };
        let mut windows: Vec<Vec<Vec<Value<'k>>>> = Vec::new();
        for firsts in &firsts {
            let mut vectors = Vec::new();
            for p in (0..whole).step_by(lanes) {
                let of_line = |first: &Value<'k>| {
                    let at = self.sum(*first, p as i64)?;
                    self.x.load_vector(at, lanes, affinimath::kernel::dynamic::Alignment::Element)
                };
                vectors.push(firsts.iter().map(of_line).collect::<Built<Vec<_>>>()?);
            }
            windows.push(vectors);
        }
        let load = |source: usize, p: usize| {
            let one = |lane: usize| {
                if p < whole {
                    windows[source][p / lanes][lane].lane(p % lanes)
                } else {
                    self.x.load(self.sum(firsts[source][lane], p as i64)?)
                }
            };
            let all = (0..lanes).map(one).collect::<Built<Vec<_>>>()?;
            if lanes == 1 { Ok(all[0]) } else { self.k.gather(&all) }
        };
        for (output, results) in self.results(load)?.into_iter().enumerate() {
            for (number, result) in results.into_iter().enumerate() {
                self.y.store(self.result_index(self.sum(i, number as i64)?, output, line)?, result)?;
            }
        }
        Ok(())
    }

    /// Elements beyond the ends, and lines and results that do not exist.
    fn outer(&self, line: Value<'k>, i: Value<'k>, start: Value<'k>) -> Built<()> {
        let lanes = self.point.lines;
        let last = self.lines.binary(BinaryOp::Sub, self.k.index(1))?;
        let line_of = |lane: usize| self.sum(line, lane as i64)?.binary(BinaryOp::Min, last);
        let zero = self.k.number(self.scalar, 0.0)?;
        let load = |source: usize, p: usize| {
            let (p, is_element) = self.element(self.sum(start, p as i64)?)?;
            let one = |lane: usize| {
                let value = self.x.load(self.source(line_of(lane)?, source)?.binary(BinaryOp::Add, p)?)?;
                is_element.map_or(Ok(value), |is_element| is_element.select(value, zero))
            };
            let all = (0..lanes).map(one).collect::<Built<Vec<_>>>()?;
            if lanes == 1 { Ok(all[0]) } else { self.k.gather(&all) }
        };
        let results = self.results(load)?;
        for (number, i) in (0..self.point.unroll).map(|number| (number, self.sum(i, number as i64))) {
            let i = i?;
            self.k.when(i.binary(BinaryOp::Lt, self.count)?, || {
                for lane in 0..lanes {
                    let line = self.sum(line, lane as i64)?;
                    self.k.when(line.binary(BinaryOp::Lt, self.lines)?, || {
                        for (output, results) in results.iter().enumerate() {
                            self.y.store(self.result_index(i, output, line)?, results[number].lane(lane)?)?;
                        }
                        Ok(())
                    })?;
                }
                Ok(())
            })?;
        }
        Ok(())
    }

    /// By way of local memory: loads are adjacent along lines, stores across them.
    fn staged(&self) -> Built<()> {
        let Point { unroll, group: [lines, parts], .. } = self.point;
        let Pass { step, width, sources, .. } = *self.pass;
        self.k.typed().group_size([lines, parts, 1]);
        let window = (lines_window(parts * unroll, step, width), lines);
        // An odd pitch keeps lines in different banks.
        let pitch = window.0 | 1;
        let tile = self.k.local("tile", ValueType::scalar(self.scalar), sources * lines * pitch)?;
        let item = self.k.query(Query::LocalId, 0)?.convert(ScalarType::I32)?;
        let part = self.k.query(Query::LocalId, 1)?.convert(ScalarType::I32)?;
        let int = |number: usize| self.k.integer(ScalarType::I32, number as i128);
        let number = part.binary(BinaryOp::Mul, int(lines)?)?.binary(BinaryOp::Add, item)?;
        let first_line = self.times(self.k.query(Query::GroupId, 0)?, lines)?;
        let first = self.times(self.k.query(Query::GroupId, 1)?, parts * unroll)?;
        let start = self.sum(self.times(first, step)?, self.pass.low)?.named("start");
        let all = window.0 * lines;
        let last = self.lines.binary(BinaryOp::Sub, self.k.index(1))?;
        let zero = self.k.number(self.scalar, 0.0)?;
        for round in 0..all.div_ceil(lines * parts) {
            let e = number.binary(BinaryOp::Add, int(round * lines * parts)?)?;
            let copy = || {
                let (line, p) = (e.binary(BinaryOp::Div, int(window.0)?)?, e.binary(BinaryOp::Rem, int(window.0)?)?);
                let own =
                    first_line.binary(BinaryOp::Add, line.convert(ScalarType::I64)?)?.binary(BinaryOp::Min, last)?;
                let (at, is_element) = self.element(start.binary(BinaryOp::Add, p.convert(ScalarType::I64)?)?)?;
                for source in 0..sources {
                    let value = self.x.load(self.source(own, source)?.binary(BinaryOp::Add, at)?)?;
                    let value = is_element.map_or(Ok(value), |is_element| is_element.select(value, zero))?;
                    let index = line.binary(BinaryOp::Mul, int(pitch)?)?.binary(BinaryOp::Add, p)?;
                    tile.store(index.binary(BinaryOp::Add, int(source * lines * pitch)?)?, value)?;
                }
                Ok(())
            };
            if (round + 1) * lines * parts <= all {
                copy()?;
            } else {
                self.k.when(e.binary(BinaryOp::Lt, int(all)?)?, copy)?;
            }
        }
        self.k.barrier(false);
        let line = first_line.binary(BinaryOp::Add, item.convert(ScalarType::I64)?)?;
        let own = item.binary(BinaryOp::Mul, int(pitch)?)?;
        let own = own.binary(BinaryOp::Add, part.binary(BinaryOp::Mul, int(unroll * step)?)?)?;
        let load = |source: usize, p: usize| tile.load(own.binary(BinaryOp::Add, int(source * lines * pitch + p)?)?);
        let results = self.results(load)?;
        let i = first.binary(BinaryOp::Add, self.times(part.convert(ScalarType::I64)?, unroll)?)?;
        for number in 0..unroll {
            let i = self.sum(i, number as i64)?;
            let exists =
                i.binary(BinaryOp::Lt, self.count)?.binary(BinaryOp::And, line.binary(BinaryOp::Lt, self.lines)?)?;
            self.k.when(exists, || {
                for (output, results) in results.iter().enumerate() {
                    self.y.store(self.result_index(i, output, line)?, results[number])?;
                }
                Ok(())
            })?;
        }
        Ok(())
    }
}

/// Elements of a source that so many results need.
const fn lines_window(results: usize, step: usize, width: usize) -> usize {
    (results - 1) * step + width
}
