//! A recipe: the algorithm for each axis of a transform, as plain data. [`lower`](super::lower) turns it into passes.

use std::fmt;

use super::descriptor::{Problem, Transform};
use super::factors;
use super::pencils::{AxisPencils, pencils_of};
use super::planner::Planner;

mod convolution;

pub(crate) use convolution::ConvolutionRecipe;

/// One algorithm for each axis, in the order in which the axes are transformed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Recipe {
    pub(super) axes: Vec<AxisRecipe>,
}

/// The pencils of one axis as complex transforms, and the algorithm for these.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct AxisRecipe {
    /// Number of the axis in the descriptor.
    pub(super) axis: usize,
    pub(super) packing: Packing,
    pub(super) algorithm: Algorithm,
}

/// How the n points of a pencil become a complex transform.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Packing {
    /// n complex points.
    Complex,
    /// n real points as n complex ones without imaginary parts.
    Real,
    /// n real points as n/2 complex ones, x_2j + i x_(2j+1). One more step separates the two spectra, or joins them.
    HalfLength,
    /// Two blocks of a real signal as real and imaginary parts of n complex points.
    BlockPairs,
    /// A cosine or sine transform as a complex transform of the n points in Makhoul's order (1980).
    Makhoul,
}

/// The algorithm for the complex transforms of one length.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Algorithm {
    /// Mixed-radix Stockham autosort in one pass over memory.
    Stockham { radices: Vec<usize> },
    /// The four-step method (Bailey 1990), repeated for more than two factors: a Stockham pass for each factor, given
    /// by its radices, with twiddles between them.
    FourStep { passes: Vec<Vec<usize>> },
    /// A cyclic convolution of `points` points with a chirp (Bluestein 1970). Its last forward pass multiplies by the
    /// chirp's spectrum and begins the inverse transform.
    Bluestein { points: usize, convolution: Box<Algorithm> },
}

impl Recipe {
    /// The recipe of a problem for a planner's device.
    pub(crate) fn choose(problem: &Problem, planner: &Planner) -> Self {
        let last = problem.axes.len() - 1;
        let axis = |pencils: &AxisPencils| {
            let n = problem.axes[pencils.axis].length;
            planner.axis_recipe(problem.transform, n, pencils.axis == last, pencils)
        };
        Recipe { axes: pencils_of(problem).iter().map(axis).collect() }
    }
}

impl Planner {
    /// The recipe of an axis of n points; `halved`, of the one axis whose spectrum is stored by half.
    fn axis_recipe(&self, transform: Transform, n: usize, halved: bool, pencils: &AxisPencils) -> AxisRecipe {
        let packing = self.packing(transform, n, halved, pencils);
        let algorithm = self.algorithm(packing.points(n), pencils);
        AxisRecipe { axis: pencils.axis, packing, algorithm }
    }

    fn packing(&self, transform: Transform, n: usize, halved: bool, pencils: &AxisPencils) -> Packing {
        let passes = |points: usize| self.pass_lengths_of(points, pencils).len();
        let even = n.is_multiple_of(2) && factors::is_smooth(n / 2);
        match transform {
            Transform::RealToComplex if halved && even && passes(n / 2) == 1 => Packing::HalfLength,
            // Two passes of all n points leave half of the work out.
            Transform::ComplexToReal if halved && even && (passes(n / 2) == 1 || passes(n) != 2) => Packing::HalfLength,
            Transform::RealToComplex | Transform::ComplexToReal if halved => Packing::Real,
            Transform::RealToComplex | Transform::ComplexToReal | Transform::Complex(_) => Packing::Complex,
            Transform::Dct2 | Transform::Dct3 | Transform::Dst2 | Transform::Dst3 => Packing::Makhoul,
        }
    }

    fn algorithm(&self, points: usize, pencils: &AxisPencils) -> Algorithm {
        if factors::is_smooth(points) {
            return self.mixed_radix(points, pencils, false);
        }
        let padded = factors::convolution_length(2 * points - 1);
        Algorithm::Bluestein { points: padded, convolution: Box::new(self.mixed_radix(padded, pencils, true)) }
    }

    /// The algorithm for a length that radices make up; `convolve`, the last pass multiplies by a spectrum and
    /// transforms back.
    fn mixed_radix(&self, points: usize, pencils: &AxisPencils, convolve: bool) -> Algorithm {
        let lengths = self.pass_lengths_of(points, pencils);
        let last = lengths.len() - 1;
        let radices = |(pass, length): (usize, &usize)| self.radices(*length, convolve && pass == last);
        let passes: Vec<Vec<usize>> = lengths.iter().enumerate().map(radices).collect();
        match <[Vec<usize>; 1]>::try_from(passes) {
            Ok([radices]) => Algorithm::Stockham { radices },
            Err(passes) => Algorithm::FourStep { passes },
        }
    }

    fn pass_lengths_of(&self, points: usize, pencils: &AxisPencils) -> Vec<usize> {
        self.pass_lengths(points, pencils.largest_count(), pencils.is_strided())
    }
}

impl Packing {
    /// Complex points of a transform of n points.
    pub(super) const fn points(self, n: usize) -> usize {
        match self {
            Packing::HalfLength => n / 2,
            Packing::Complex | Packing::Real | Packing::BlockPairs | Packing::Makhoul => n,
        }
    }
}

impl Algorithm {
    /// The radices of each forward pass.
    pub(super) fn passes(&self) -> &[Vec<usize>] {
        match self {
            Algorithm::Stockham { radices } => std::slice::from_ref(radices),
            Algorithm::FourStep { passes } => passes,
            Algorithm::Bluestein { convolution, .. } => convolution.passes(),
        }
    }
}

/// Factors as they are printed.
fn product(factors: impl Iterator<Item = usize>) -> String {
    factors.map(|factor| factor.to_string()).collect::<Vec<_>>().join(" x ")
}

impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Algorithm::Stockham { radices } => write!(f, "Stockham {{ {} }}", product(radices.iter().copied())),
            Algorithm::FourStep { passes } => {
                let lengths = passes.iter().map(|radices| radices.iter().product());
                write!(f, "FourStep {{ {} }}", product(lengths))
            }
            Algorithm::Bluestein { points, convolution } => write!(f, "Bluestein {{ {points}: {convolution} }}"),
        }
    }
}

impl fmt::Display for AxisRecipe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let AxisRecipe { axis, packing, algorithm } = self;
        match packing {
            Packing::Complex => write!(f, "axis {axis}: {algorithm}"),
            packing => write!(f, "axis {axis}: {packing:?}, {algorithm}"),
        }
    }
}

impl fmt::Display for Recipe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.axes.iter().map(AxisRecipe::to_string).collect::<Vec<_>>().join("\n"))
    }
}
