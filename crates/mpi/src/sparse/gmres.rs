//! Restarted GMRES (Saad and Schultz 1986), preconditioned from the right, with classical Gram-Schmidt twice: two
//! reductions for each iteration.

use affinimath::Scalar;
use affinimath::sparse::{Outcome, Reason};

use super::csr::DistCsr;
use super::device;
use super::solve::{SolveOptions, System, axpy, dots, real};
use super::vector::DistVector;
use crate::error::Result;
use crate::memory::Memory;

/// Solves A x = b for any square A, from the x that is there: GMRES, with as many vectors between restarts as the
/// options say.
///
/// The result has the same bits in every run on the same grid. If A lies on the ranks' devices, the solver runs there
/// as [`affinimath::gmres`]. Vectors in host memory are copied to the devices then.
///
/// # Errors
/// Those of [`super::cg()`].
pub fn gmres<T: Scalar>(
    a: &DistCsr<T>,
    b: &DistVector<T>,
    x: &mut DistVector<T>,
    options: &SolveOptions<'_, T>,
) -> Result<Outcome> {
    if a.memory() == Memory::Device {
        return device::solve("gmres", affinimath::gmres, a, b, x, options);
    }
    let system = System::new("gmres", a, b, x, options)?;
    a.grid().together(|| iterate(&system, x.local_mut()))
}

fn iterate<T: Scalar>(system: &System<'_, T>, x: &mut [T]) -> Result<Outcome> {
    let mut r = vec![T::ZERO; x.len()];
    let mut iterations = 0;
    let mut before = f64::INFINITY;
    let reason = loop {
        let residual = system.residual(x, &mut r)?;
        if residual <= system.target {
            break Reason::Converged;
        }
        if iterations >= system.max_iterations {
            break Reason::Limit;
        }
        if !residual.is_finite() {
            break Reason::Breakdown;
        }
        if residual >= before {
            break Reason::Stagnated;
        }
        before = residual;
        let steps = system.restart.min(system.max_iterations - iterations);
        let cycle = Cycle::run(system, &r, residual, steps)?;
        if cycle.broken {
            break Reason::Breakdown;
        }
        iterations += cycle.columns.len();
        cycle.correct(system, x)?;
    };
    system.outcome(reason, iterations, x)
}

/// One cycle: an orthonormal basis, and the triangular factor of the Hessenberg matrix.
struct Cycle<T> {
    basis: Vec<Vec<T>>,
    /// Columns of the triangle.
    columns: Vec<Vec<T>>,
    /// The right-hand side, rotated as the matrix.
    rhs: Vec<T>,
    broken: bool,
}

impl<T: Scalar> Cycle<T> {
    fn run(system: &System<'_, T>, r: &[T], residual: f64, steps: usize) -> Result<Self> {
        let first: Vec<T> = r.iter().map(|element| *element * real::<T>(1.0 / residual)).collect();
        let mut cycle = Cycle { basis: vec![first], columns: Vec::new(), rhs: vec![real(residual)], broken: false };
        let mut rotations: Vec<(f64, T)> = Vec::new();
        let mut z = vec![T::ZERO; r.len()];
        for step in 0..steps {
            let mut w = vec![T::ZERO; r.len()];
            system.precondition(&cycle.basis[step], &mut z)?;
            system.multiply(&z, &mut w)?;
            let (mut column, norm) = orthogonalise(system, &cycle.basis, &mut w)?;
            if !norm.is_finite() {
                cycle.broken = cycle.columns.is_empty();
                break;
            }
            for (row, (cosine, sine)) in rotations.iter().enumerate() {
                let (upper, lower) = (column[row], column[row + 1]);
                column[row] = upper * real::<T>(*cosine) + *sine * lower;
                column[row + 1] = lower * real::<T>(*cosine) - sine.conjugate() * upper;
            }
            // The rotation that takes the norm below the diagonal away.
            let diagonal = column[step];
            let length = diagonal.modulus().hypot(norm);
            if length == 0.0 {
                cycle.broken = cycle.columns.is_empty();
                break;
            }
            let modulus = diagonal.modulus();
            let phase = if modulus == 0.0 { T::ONE } else { diagonal * real::<T>(1.0 / modulus) };
            let (cosine, sine) = (modulus / length, phase * real::<T>(norm / length));
            column.truncate(step + 1);
            column[step] = phase * real::<T>(length);
            rotations.push((cosine, sine));
            cycle.columns.push(column);
            let last = cycle.rhs[step];
            cycle.rhs[step] = last * real::<T>(cosine);
            cycle.rhs.push(-(sine.conjugate() * last));
            if norm == 0.0 || cycle.rhs[step + 1].modulus() <= system.target {
                break;
            }
            w.iter_mut().for_each(|element| *element *= real::<T>(1.0 / norm));
            cycle.basis.push(w);
        }
        Ok(cycle)
    }

    /// x += M V y, where the triangle times y is the rotated right-hand side.
    fn correct(&self, system: &System<'_, T>, x: &mut [T]) -> Result<()> {
        let count = self.columns.len();
        let mut y = self.rhs[..count].to_vec();
        for row in (0..count).rev() {
            y[row] /= self.columns[row][row];
            for above in 0..row {
                let product = self.columns[row][above] * y[row];
                y[above] -= product;
            }
        }
        let mut sum = vec![T::ZERO; x.len()];
        y.iter().zip(&self.basis).for_each(|(factor, vector)| axpy(*factor, vector, &mut sum));
        let mut correction = vec![T::ZERO; x.len()];
        system.precondition(&sum, &mut correction)?;
        axpy(T::ONE, &correction, x);
        Ok(())
    }
}

/// Takes the basis out of w, twice. The results are the coefficients, with a zero after them, and w's norm.
fn orthogonalise<T: Scalar>(system: &System<'_, T>, basis: &[Vec<T>], w: &mut [T]) -> Result<(Vec<T>, f64)> {
    let mut column = vec![T::ZERO; basis.len() + 1];
    let mut square = 0.0;
    for _ in 0..2 {
        let mut pairs: Vec<(&[T], &[T])> = basis.iter().map(|vector| (vector.as_slice(), &*w)).collect();
        pairs.push((&*w, &*w));
        let sums = dots(system.comm(), &pairs)?;
        square = sums[basis.len()].re();
        for (index, vector) in basis.iter().enumerate() {
            axpy(-sums[index], vector, w);
            column[index] += sums[index];
            square -= sums[index].modulus().powi(2);
        }
    }
    // Of the second pass the coefficients are small: the difference is accurate unless w lies in the basis's space.
    let largest = column.iter().fold(0.0, |largest: f64, value| largest.max(value.modulus()));
    let norm = square.max(0.0).sqrt();
    Ok((column, if norm <= T::EPSILON * largest { 0.0 } else { norm }))
}
