//! Plans of distributed transforms.

use std::fmt;

use affinimath::{Direction, FftReal, Scalar};

use super::blocks::{AXES, Cut, Decomposition, FftBlock};
use super::exchange::{Exchange, Source, Staging, Target};
use super::local::{Along, LocalTransform};
use crate::agree::Agreement;
use crate::comm::allocate;
use crate::error::{Error, Result};
use crate::grid::Grid;

/// Complex elements of a type's precision.
pub type Spectrum<T> = <<T as Scalar>::RealScalar as FftReal>::Complex;

/// How a distributed transform is done.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FftOptions {
    decomposition: Decomposition,
    transposed: bool,
    backward_scale: f64,
}

impl Default for FftOptions {
    fn default() -> Self {
        Self::new()
    }
}

impl FftOptions {
    /// Input and output cut alike, neither direction scaled.
    pub const fn new() -> Self {
        FftOptions { decomposition: Decomposition::Auto, transposed: false, backward_scale: 1.0 }
    }

    /// How the array is cut.
    #[must_use]
    pub const fn decomposition(self, decomposition: Decomposition) -> Self {
        FftOptions { decomposition, ..self }
    }

    /// Leaves the spectrum cut along other axes than the input, which saves an exchange: of slabs along the second axis
    /// in place of the first one, of pencils along the second and third ones in place of the first and second.
    #[must_use]
    pub const fn transposed(self) -> Self {
        FftOptions { transposed: true, ..self }
    }

    /// Factor of the backward transform's results: 1 over the number of points makes it the inverse.
    #[must_use]
    pub const fn backward_scale(self, factor: f64) -> Self {
        FftOptions { backward_scale: factor, ..self }
    }
}

/// Plan of the transform, in both directions, of an array of two or three dimensions over all ranks of a grid.
///
/// Of complex `T`, both sides have the array's shape. Of real `T`, the spectrum has n/2 + 1 elements on the last axis:
/// the others are conjugates. A rank has the block [`DistFft::input`] of the array, and [`DistFft::output`] of the
/// spectrum. Transforms are unnormalised, as FFTW's. The result has the same bits in every run on the same grid.
///
/// ```no_run
/// # use affinimath_mpi::{DistFft, Environment, FftOptions, Grid};
/// # fn main() -> affinimath_mpi::Result<()> {
/// # let environment = Environment::initialize()?;
/// let grid = Grid::line(&environment.world())?;
/// let options = FftOptions::new().backward_scale(1.0 / 256_f64.powi(3));
/// let mut plan = DistFft::<f64>::new(&grid, &[256, 256, 256], options)?;
/// let mut field = vec![0.0; plan.input().len()]; // this rank's planes
/// let mut spectrum = vec![Default::default(); plan.output().len()];
/// plan.forward(&field, &mut spectrum)?;
/// plan.backward(&spectrum, &mut field)?;
/// # Ok(())
/// # }
/// ```
pub struct DistFft<T: Scalar<RealScalar: FftReal>> {
    grid: Grid,
    lengths: Vec<usize>,
    options: FftOptions,
    input: FftBlock,
    /// This rank's blocks of the spectrum, before each local transform.
    blocks: Vec<FftBlock>,
    forward: Vec<LocalTransform<T::RealScalar>>,
    backward: Vec<LocalTransform<T::RealScalar>>,
    /// From a cut to the next one.
    onward: Vec<Exchange>,
    /// From a cut to the one before.
    returning: Vec<Exchange>,
    /// From the last cut to the first one, and from the first one to the last.
    natural: Option<[Exchange; 2]>,
    work: [Vec<Spectrum<T>>; 2],
    staging: Staging<Spectrum<T>>,
}

impl<T: Scalar<RealScalar: FftReal>> fmt::Debug for DistFft<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = f.debug_struct("DistFft");
        text.field("lengths", &self.lengths).field("options", &self.options);
        text.field("input", &self.input).field("output", self.output()).finish_non_exhaustive()
    }
}

impl<T: Scalar<RealScalar: FftReal>> DistFft<T> {
    /// Plans the transform of an array with two or three axes, the last of which has adjacent elements. All ranks call
    /// it. Workspace is four times a rank's block at most.
    ///
    /// # Errors
    /// [`Error::Argument`] for other numbers of axes and a decomposition that does not fit, [`Error::Mismatch`] if
    /// ranks disagree, and an error on all ranks if one has no memory left.
    pub fn new(grid: &Grid, lengths: &[usize], options: FftOptions) -> Result<Self> {
        let made = grid.guarded(|| Self::make(grid, lengths, options));
        let agreement = agreement::<T>("DistFft::new", lengths, &options);
        grid.agree(agreement, made.as_ref().map(drop).map_err(Clone::clone))?;
        made
    }

    fn make(grid: &Grid, lengths: &[usize], options: FftOptions) -> Result<Self> {
        let dimensions = lengths.len();
        if !(2..=AXES).contains(&dimensions) {
            let rule = format!("there are transforms of 2 and 3 dimensions, not of {dimensions}");
            return Err(Error::argument("lengths", rule));
        }
        if !options.backward_scale.is_finite() {
            let rule = format!("{} is not a number to multiply by", options.backward_scale);
            return Err(Error::argument("backward_scale", rule));
        }
        let mut array = [1; AXES];
        array[AXES - dimensions..].copy_from_slice(lengths);
        let points = array.iter().try_fold(1_usize, |product, length| product.checked_mul(*length));
        if points.is_none_or(|points| points > isize::MAX as usize / size_of::<Spectrum<T>>()) {
            return Err(Error::argument("lengths", "the array has too many elements"));
        }
        let real = (!T::KIND.is_complex()).then_some(array[AXES - 1]);
        let mut spectrum = array;
        if let Some(length @ 1..) = real {
            spectrum[AXES - 1] = length / 2 + 1;
        }

        let (rank, ranks) = (grid.rank(), grid.size());
        let mut cuts = options.decomposition.cuts(spectrum, dimensions, ranks)?;
        let first = AXES - dimensions;
        let whole = ranks == 1;
        if whole {
            cuts.truncate(1);
        }
        let all: Vec<Vec<FftBlock>> = cuts.iter().map(|cut| blocks_of(cut, spectrum, dimensions, ranks)).collect();
        let blocks: Vec<FftBlock> = all.iter().map(|blocks| blocks[rank]).collect();
        let transforms = |direction, scale: f64| {
            let in_place = |number: usize| number > 0 && !(options.transposed && number + 1 == cuts.len());
            let along = |number: usize| match number {
                0 if whole => Along::From(first),
                0 => Along::From(first + cuts.len() - 1),
                number => Along::One(first + cuts.len() - 1 - number),
            };
            let make = |number: usize| {
                let (real, scale) = if number == 0 { (real, scale) } else { (None, 1.0) };
                LocalTransform::new(&blocks[number], along(number), direction, real, in_place(number), scale)
            };
            (0..cuts.len()).map(make).collect::<Result<Vec<_>>>()
        };
        let onward: Vec<Exchange> = all.windows(2).map(|pair| Exchange::new(rank, &pair[0], &pair[1])).collect();
        let returning: Vec<Exchange> = all.windows(2).map(|pair| Exchange::new(rank, &pair[1], &pair[0])).collect();
        let ends = (!whole && !options.transposed).then(|| [&all[all.len() - 1], &all[0]]);
        let natural = ends.map(|[last, first]| [Exchange::new(rank, last, first), Exchange::new(rank, first, last)]);
        let exchanges = || onward.iter().chain(&returning).chain(natural.iter().flatten());
        let [sent, received] =
            [0, 1].map(|side| exchanges().map(|exchange| exchange.staging()[side]).max().unwrap_or(0));
        let work = if whole { 0 } else { blocks.iter().map(FftBlock::len).max().unwrap_or(0) };
        let zeros = |length| allocate(length, Spectrum::<T>::ZERO);
        Ok(DistFft {
            grid: grid.clone(),
            lengths: lengths.to_vec(),
            options,
            input: cuts[0].block(array, dimensions, rank),
            forward: transforms(Direction::Forward, 1.0)?,
            backward: transforms(Direction::Backward, options.backward_scale)?,
            work: [zeros(work)?, zeros(work)?],
            staging: [zeros(sent)?, zeros(received)?],
            blocks,
            onward,
            returning,
            natural,
        })
    }

    /// Lengths of the array's axes.
    pub fn lengths(&self) -> &[usize] {
        &self.lengths
    }

    /// This rank's block of the array.
    pub fn input(&self) -> &FftBlock {
        &self.input
    }

    /// This rank's block of the spectrum.
    pub fn output(&self) -> &FftBlock {
        let cut = if self.options.transposed { self.blocks.len() - 1 } else { 0 };
        &self.blocks[cut]
    }

    /// Its grid.
    pub fn grid(&self) -> &Grid {
        &self.grid
    }

    /// X_k = sum of x_j exp(-2 pi i j k / n) on each axis, from this rank's block of the array to that of the spectrum.
    ///
    /// # Errors
    /// [`Error::Argument`] or [`Error::Rank`] if a block has another length, [`Error::Mismatch`] if ranks execute
    /// different plans; the output is as it was then. Else the error of the rank that failed.
    pub fn forward(&mut self, input: &[T], output: &mut [Spectrum<T>]) -> Result<()> {
        let own = check("input", input.len(), &self.input).and_then(|()| check("output", output.len(), self.output()));
        let grid = self.grid.clone();
        grid.agree(agreement::<T>("DistFft::forward", &self.lengths, &self.options), own)?;
        grid.together(|| self.run_forward(input, output))
    }

    /// x_j = sum of X_k exp(+2 pi i j k / n) on each axis, times the options' factor.
    ///
    /// # Errors
    /// Those of [`DistFft::forward`].
    pub fn backward(&mut self, input: &[Spectrum<T>], output: &mut [T]) -> Result<()> {
        let own = check("input", input.len(), self.output()).and_then(|()| check("output", output.len(), &self.input));
        let grid = self.grid.clone();
        grid.agree(agreement::<T>("DistFft::backward", &self.lengths, &self.options), own)?;
        grid.together(|| self.run_backward(input, output))
    }

    fn run_forward(&mut self, input: &[T], output: &mut [Spectrum<T>]) -> Result<()> {
        let comm = self.grid.all();
        if self.blocks.len() == 1 {
            return self.forward[0].run(input, output);
        }
        let [mut now, mut next] = std::mem::take(&mut self.work);
        self.forward[0].run(input, &mut now)?;
        for (exchange, transform) in self.onward.iter().zip(&self.forward[1..]) {
            let (from, to) = (Source::Work(now), Target::Work(next));
            [next, now] = exchange.run(comm, from, to, &mut self.staging)?;
            if !transform.is_in_place() {
                transform.run(&now, output)?;
            } else {
                transform.run_in_place(&mut now)?;
            }
        }
        if let Some([exchange, _]) = &self.natural {
            [now, _] = exchange.run(comm, Source::Work(now), Target::Lent(output), &mut self.staging)?;
        }
        self.work = [now, next];
        Ok(())
    }

    fn run_backward(&mut self, input: &[Spectrum<T>], output: &mut [T]) -> Result<()> {
        let comm = self.grid.all();
        if self.blocks.len() == 1 {
            return self.backward[0].run(input, output);
        }
        let [mut now, mut next] = std::mem::take(&mut self.work);
        let last = &self.backward[self.backward.len() - 1];
        match &self.natural {
            Some([_, exchange]) => {
                [_, now] = exchange.run(comm, Source::Lent(input), Target::Work(now), &mut self.staging)?;
                last.run_in_place(&mut now)?;
            }
            None => last.run(input, &mut now)?,
        }
        for (exchange, transform) in self.returning.iter().zip(&self.backward).rev() {
            let (from, to) = (Source::Work(now), Target::Work(next));
            [next, now] = exchange.run(comm, from, to, &mut self.staging)?;
            if transform.is_in_place() {
                transform.run_in_place(&mut now)?;
            } else {
                transform.run(&now, output)?;
            }
        }
        self.work = [now, next];
        Ok(())
    }
}

/// Blocks of all ranks.
fn blocks_of(cut: &Cut, shape: [usize; AXES], dimensions: usize, ranks: usize) -> Vec<FftBlock> {
    (0..ranks).map(|rank| cut.block(shape, dimensions, rank)).collect()
}

/// Arguments on which ranks agree.
fn agreement<T: Scalar>(operation: &'static str, lengths: &[usize], options: &FftOptions) -> Agreement {
    let mut agreement = Agreement::new(operation).integer("type", T::KIND as i64).size("dimensions", lengths.len());
    for (name, length) in ["n0", "n1", "n2"].into_iter().zip(lengths) {
        agreement = agreement.size(name, *length);
    }
    let [rows, columns] = options.decomposition.code();
    agreement
        .integer("the pencils' rows", rows)
        .integer("the pencils' columns", columns)
        .integer("transposed", i64::from(options.transposed))
        .scalar("backward_scale", options.backward_scale)
}

fn check(name: &'static str, length: usize, block: &FftBlock) -> Result<()> {
    if length == block.len() {
        return Ok(());
    }
    Err(Error::argument(name, format!("it has {length} elements, and the rank's block {}", block.len())))
}
