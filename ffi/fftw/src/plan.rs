//! Plans: a program with its arrays, and the checks of planning.

use std::ffi::c_int;
use std::sync::atomic::AtomicUsize;

use rustfft::{FftDirection, FftNum};

use crate::cache::Cache;
use crate::layout::{Arrays, Layout};
use crate::pass::{Dim, Parts};
use crate::program::{Problem, Program, Transform};
use crate::threads;

/// FFTW's sign of the forward transform.
pub(crate) const FORWARD: c_int = -1;

/// The flag that matters here: planning touches no array, and alignment is free.
const PRESERVE_INPUT: u32 = 1 << 4;

/// `fftw_plan` points to one.
pub struct Plan<R> {
    program: Program<R>,
    problem: Problem,
    arrays: Arrays<R>,
    /// Parts of interleaved arrays are exchanged: the plan is one of split arrays in that order.
    exchanged: bool,
    /// Copies of the pointer that are not destroyed yet.
    pub(crate) references: AtomicUsize,
}

/// Real types of the library.
pub(crate) trait Real: FftNum {
    /// FFTW's prefix of the precision's names, and its index.
    const PREFIX: &'static str;
    const INDEX: usize;

    /// The precision's transforms that plans share.
    fn cache() -> &'static Cache<Self>;
}

impl Real for f64 {
    const PREFIX: &'static str = "fftw_";
    const INDEX: usize = 0;

    fn cache() -> &'static Cache<f64> {
        static CACHE: Cache<f64> = Cache::new();
        &CACHE
    }
}

impl Real for f32 {
    const PREFIX: &'static str = "fftwf_";
    const INDEX: usize = 1;

    fn cache() -> &'static Cache<f32> {
        static CACHE: Cache<f32> = Cache::new();
        &CACHE
    }
}

/// The direction of one of FFTW's signs.
pub(crate) fn direction(sign: c_int) -> FftDirection {
    if sign == FORWARD { FftDirection::Forward } else { FftDirection::Inverse }
}

/// Plans a transform, if it is defined.
pub(crate) fn plan<R: Real>(
    transform: Transform,
    layout: Option<Layout>,
    arrays: Arrays<R>,
    flags: u32,
) -> Option<Plan<R>> {
    let Layout { dims, loops } = layout?;
    if let Transform::RealToReal(kinds) = &transform {
        let defined = kinds.iter().zip(&dims).all(|(kind, dim)| dim.n >= kind.min_length());
        if kinds.len() != dims.len() || !defined {
            return None;
        }
    }
    let problem = Problem {
        in_place: arrays.overlap(&transform),
        same_start: arrays.from.re == arrays.to.re && (transform.is_halved() || arrays.from.im == arrays.to.im),
        interleaved: arrays.are_interleaved(&transform),
        transform,
        dims,
        loops: loops.into_iter().filter(|l| l.n != 1).collect(),
        threads: threads::planned::<R>(),
    };
    if flags & PRESERVE_INPUT != 0 && problem.destroys_input() || !is_addressable::<R>(&problem) || !fits::<R>(&problem)
    {
        return None;
    }
    let exchanged = arrays.split && !problem.interleaved && problem.transform.widths() == [2, 2];
    Some(Plan { program: Program::new(&problem), problem, arrays, exchanged, references: AtomicUsize::new(1) })
}

/// True if the elements, and the offsets of all elements, can be counted in bytes.
fn is_addressable<R>(problem: &Problem) -> bool {
    let limit = isize::MAX as u128 / (4 * size_of::<R>() as u128);
    let all = || problem.dims.iter().chain(&problem.loops);
    let elements = all().fold(1_u128, |elements, dim| elements.saturating_mul(dim.n.max(1) as u128));
    let reach = |stride: fn(&Dim) -> isize| {
        all().map(|dim| dim.n as u128 * stride(dim).unsigned_abs() as u128).fold(0, u128::saturating_add)
    };
    elements <= limit && reach(|dim| dim.from) <= limit && reach(|dim| dim.to) <= limit
}

/// True if memory holds the tables and the workspace of a transform; small ones are not asked for.
fn fits<R>(problem: &Problem) -> bool {
    /// Bytes that are not asked for.
    const SMALL: usize = 1 << 26;
    /// Copies of an axis in tables and workspace, with those of a padded convolution.
    const COPIES: usize = 16;
    let longest = problem.dims.iter().map(|dim| dim.n).max().unwrap_or(1);
    let bytes = longest.saturating_mul(COPIES * size_of::<R>());
    bytes <= SMALL || Vec::<u8>::new().try_reserve_exact(bytes).is_ok()
}

impl<R: Real> Plan<R> {
    pub(crate) fn arrays(&self) -> Arrays<R> {
        self.arrays
    }

    pub(crate) fn transform(&self) -> &Transform {
        &self.problem.transform
    }

    /// # Safety
    /// The arrays hold the plan's input and output, and no other thread accesses them.
    #[inline]
    pub(crate) unsafe fn execute(&self, from: Parts<R>, to: Parts<R>) {
        // SAFETY: the contracts are the same.
        unsafe { self.program.execute(from, to) };
    }

    /// Parts of an interleaved array of a complex transform.
    #[inline]
    pub(crate) fn interleaved(&self, array: *mut R) -> Parts<R> {
        let (re, im) = (array, array.wrapping_add(1));
        if self.exchanged { Parts { re: im, im: re } } else { Parts { re, im } }
    }

    /// Parts of split arrays: FFTW's backward transform exchanges them, so that its forward one is exchanged back.
    #[inline]
    pub(crate) fn split(&self, re: *mut R, im: *mut R) -> Parts<R> {
        match self.problem.transform {
            Transform::Complex(FftDirection::Inverse) => Parts { re: im, im: re },
            _ => Parts { re, im },
        }
    }

    /// Estimated additions and multiplications.
    pub(crate) fn operations(&self) -> [f64; 2] {
        let points: f64 = self.problem.dims.iter().chain(&self.problem.loops).map(|dim| dim.n as f64).product();
        let logarithm: f64 = self.problem.dims.iter().map(|dim| (dim.n.max(1) as f64).log2()).sum();
        let complex = self.problem.transform.widths() == [2, 2];
        let factor = if complex { 1.0 } else { 0.5 };
        [3.0 * factor * points * logarithm, 2.0 * factor * points * logarithm]
    }

    /// FFTW's notation has a tree of solvers; here it is the problem and the number of passes.
    pub(crate) fn describe(&self) -> String {
        let name = match &self.problem.transform {
            Transform::Complex(FftDirection::Forward) => "dft-forward".to_owned(),
            Transform::Complex(FftDirection::Inverse) => "dft-backward".to_owned(),
            Transform::RealToComplex => "r2c".to_owned(),
            Transform::ComplexToReal => "c2r".to_owned(),
            Transform::RealToReal(kinds) => {
                let kinds: Vec<_> = kinds.iter().map(|kind| format!("{kind:?}").to_lowercase()).collect();
                format!("r2r-{}", kinds.join("-"))
            }
        };
        let lengths = |dims: &[Dim]| dims.iter().map(|dim| dim.n.to_string()).collect::<Vec<_>>().join("x");
        let loops = if self.problem.loops.is_empty() { "1".to_owned() } else { lengths(&self.problem.loops) };
        let (n, passes) = (lengths(&self.problem.dims), self.program.passes());
        format!("(affinimath-{name} n={n} howmany={loops} passes={passes} threads={})", self.problem.threads)
    }
}

impl<R: FftNum> Arrays<R> {
    /// True if the input and the output have memory in common.
    fn overlap(&self, transform: &Transform) -> bool {
        let [before, after] = transform.widths();
        let starts = |parts: Parts<R>, width: usize| [parts.re, if width == 2 { parts.im } else { parts.re }];
        starts(self.from, before).iter().any(|start| starts(self.to, after).contains(start))
    }

    fn are_interleaved(&self, transform: &Transform) -> bool {
        let [before, after] = transform.widths();
        let pairs = |parts: Parts<R>, width: usize| width == 1 || parts.im == parts.re.wrapping_add(1);
        pairs(self.from, before) && pairs(self.to, after)
    }
}
