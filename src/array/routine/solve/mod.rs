//! Linear systems: X of A X = B by the method that the structure of A allows.
//!
//! ```text
//! structure named, or properties of the values -> SystemPlan -> method -> X, checked to be finite -> report
//! ```

mod band;
mod dense;
mod device_band;
mod finite;
mod properties;

use affinimath_array::library::{MatrixStructure, Solve, SolveMethod, SolveReport, SystemPlan};
use affinimath_array::plan::Operand;

use super::stack::{Stack, last_two};
use super::write_values;
use crate::array::product::Matrices;
use crate::array::steps::Run;
use crate::error::{Error, Result};
use crate::options::{Diag, Op, Symmetry, Triangle};
use crate::refinement::Refinement;
use crate::route::lapack::{gels, trtrs};
use crate::scalar::Scalar;
use dense::Mixed;

/// Solves A X = B for each matrix of the batch, and writes the report where it is asked for.
pub(super) fn run<T: Mixed>(
    run: &Run<'_>,
    solve: Solve,
    [a, b]: [&Operand; 2],
    x: &Operand,
    report: Option<&Operand>,
) -> Result<()> {
    let [m, n] = last_two(a);
    let found = if x.extents.contains(&0) {
        report_of(if m == n { SolveMethod::Lu } else { SolveMethod::LeastSquares })
    } else if m != n {
        let solution = finite::checked(run, solve.structure, [a, b], least_squares::<T>(run, a, b))?;
        solution.store(run, x)?;
        report_of(SolveMethod::LeastSquares)
    } else {
        let mut system = System::<T>::new(run, solve, a, b)?;
        let solved = system.solve().map(|()| system.solution);
        let solution = finite::checked(run, solve.structure, [a, b], solved)?;
        solution.store(run, x)?;
        system.report
    };
    report.map_or(Ok(()), |report| write_values(run, &found.words(), report))
}

const fn report_of(method: SolveMethod) -> SolveReport {
    SolveReport { method, fallback: None, fallbacks: 0, refinement: None }
}

/// Square systems that are being solved.
struct System<'r, T> {
    run: &'r Run<'r>,
    structure: MatrixStructure,
    is_mixed: bool,
    a: &'r Operand,
    b: &'r Operand,
    /// A copy of the matrices, where one was needed to find their structure.
    copy: Option<Stack<T>>,
    /// B, and then X.
    solution: Stack<T>,
    report: SolveReport,
    fallback: Option<SolveMethod>,
}

impl<'r, T: Mixed> System<'r, T> {
    fn new(run: &'r Run<'_>, solve: Solve, a: &'r Operand, b: &'r Operand) -> Result<Self> {
        let solution = Stack::of(run, b)?;
        let (structure, is_mixed) = (solve.structure, solve.is_mixed && T::HAS_MIXED);
        let report = report_of(SolveMethod::Lu);
        Ok(System { run, structure, is_mixed, a, b, copy: None, solution, report, fallback: None })
    }

    fn solve(&mut self) -> Result<()> {
        let plan = self.plan()?;
        (self.report, self.fallback) = (report_of(plan.method), plan.fallback);
        match plan.method {
            SolveMethod::Division => self.divide(),
            SolveMethod::Substitution(triangle, diagonal) => self.substitute(triangle, diagonal),
            SolveMethod::Tridiagonal => self.tridiagonal(),
            SolveMethod::Band { lower, upper } => self.band(lower, upper),
            SolveMethod::BandCholesky { width } => self.band_cholesky(width),
            SolveMethod::Cholesky(triangle) => self.cholesky(triangle),
            SolveMethod::Indefinite(symmetry, triangle) => self.indefinite(symmetry, triangle),
            SolveMethod::Lu => self.lu(),
            SolveMethod::LeastSquares => Err(Error::Internal("least squares of a square matrix".to_owned())),
        }
    }

    /// The method by the structure that is named, or by the properties.
    fn plan(&mut self) -> Result<SystemPlan> {
        let (n, is_on_device) = (self.solution.rows, self.run.is_on_device());
        let last = n.saturating_sub(1);
        Ok(match self.structure {
            MatrixStructure::Unknown => {
                let properties = self.properties()?;
                SystemPlan::choose(&properties, n, self.solution.count, is_on_device)
            }
            MatrixStructure::General => SolveMethod::Lu.into(),
            MatrixStructure::Symmetric(triangle) => {
                SystemPlan::of_indefinite(Symmetry::Symmetric, triangle, is_on_device)
            }
            MatrixStructure::Hermitian(triangle) => {
                SystemPlan::of_hermitian(triangle, self.has_positive_diagonal()?, is_on_device)
            }
            MatrixStructure::PositiveDefinite(triangle) => SolveMethod::Cholesky(triangle).into(),
            MatrixStructure::Triangular(triangle, diagonal) => SolveMethod::Substitution(triangle, diagonal).into(),
            MatrixStructure::Tridiagonal if n == 1 => SolveMethod::Division.into(),
            MatrixStructure::Tridiagonal => SolveMethod::Tridiagonal.into(),
            MatrixStructure::Banded { lower, upper } => {
                SolveMethod::Band { lower: lower.min(last), upper: upper.min(last) }.into()
            }
        })
    }

    /// Substitution, where the matrices lie if BLAS has a form for their strides.
    fn substitute(&mut self, triangle: Triangle, diagonal: Diag) -> Result<()> {
        let matrices = Matrices::new(self.run, self.a)?;
        for index in 0..self.solution.count {
            let matrix = matrices.matrix::<T>(matrices.shape(index)?)?;
            trtrs(triangle, Op::NoTrans, diagonal, matrix, self.solution.matrix(index)?)?;
        }
        Ok(())
    }

    /// Remembers the refinement that took most.
    fn note_refinement(&mut self, refinement: Refinement) {
        let is_worse = match (self.report.refinement, refinement) {
            (None, _) => true,
            (Some(Refinement::Converged { steps }), Refinement::Converged { steps: other }) => other > steps,
            (Some(before), _) => before.converged(),
        };
        if is_worse {
            self.report.refinement = Some(refinement);
        }
    }
}

fn least_squares<T: Scalar>(run: &Run<'_>, a: &Operand, b: &Operand) -> Result<Stack<T>> {
    let [m, n] = last_two(a);
    let mut factors = Stack::<T>::of(run, a)?;
    let mut solution = Stack::<T>::with_rows(run, b, m.max(n))?;
    for index in 0..solution.count {
        gels(Op::NoTrans, factors.matrix(index)?, solution.matrix(index)?)?;
    }
    Ok(solution)
}
