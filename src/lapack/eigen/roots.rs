//! Roots of secular equations, 1 + rho sum z² / (d - lambda) = 0, on a device (Gu and Eisenstat, SIAM J. Matrix Anal.
//! Appl. 16, 1995; LAPACK: xLAED4).

use std::sync::Arc;

use super::plan::MAX_LEAF;
use crate::context::{BufferParts, ContextParts, DeviceBuffer, Queue, QueueParts};
use crate::error::Result;
use crate::launch::Launch;
use crate::program::{Program, ProgramSource, source};
use crate::scalar::Scalar;

/// Work-items of a group that has a root.
pub(super) const THREADS: usize = 64;

/// A root: the pole `origin`, the nearer one, plus `tau`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Root {
    pub(super) origin: usize,
    pub(super) tau: f64,
}

/// Kernels of divide and conquer in a real type.
pub(super) fn program<R: Scalar>(queue: &Queue) -> Result<Arc<Program>> {
    let (kind, root) = (R::KIND, source("lapack/eigen/stedc.cl"));
    let definitions = vec![("THREADS", THREADS as i64), ("MAX_LEAF", MAX_LEAF as i64)];
    queue.context().program(&ProgramSource { name: "eigen merge", kind, root, definitions })
}

/// Equations in n positions of a device's memory. Position p belongs to the poles from firsts[2 p] on, of which there
/// are firsts[2 p + 1], ascending; positions after these have no root. The squares of z have a sum of 1 at most.
pub(super) struct Equations<'e> {
    pub(super) firsts: &'e DeviceBuffer,
    pub(super) poles: &'e DeviceBuffer,
    pub(super) z: &'e DeviceBuffer,
    pub(super) n: usize,
}

/// The roots of equations, in their positions: the origins' indices, counted from the first pole, and distances.
pub(super) struct DeviceRoots {
    pub(super) origins: DeviceBuffer,
    pub(super) taus: DeviceBuffer,
    n: usize,
}

impl DeviceRoots {
    /// Roots for the rho of each position.
    pub(super) fn find<R: Scalar>(
        queue: &Queue,
        program: &Program,
        equations: &Equations<'_>,
        rhos: &[R],
    ) -> Result<Self> {
        let Equations { firsts, poles, z, n } = *equations;
        let given = DeviceBuffer::for_step(queue, n * size_of::<R>())?;
        given.write(queue, rhos)?;
        let origins = DeviceBuffer::for_step(queue, n * size_of::<i32>())?;
        let taus = DeviceBuffer::for_step(queue, n * size_of::<R>())?;
        Launch::new(queue, program, "stedc_roots")
            .buffer(firsts)
            .buffer(poles)
            .buffer(z)
            .buffer(&given)
            .buffer(&origins)
            .buffer(&taus)
            .enqueue_step([n, 1, 1], [THREADS, 1, 1])?;
        Ok(DeviceRoots { origins, taus, n })
    }

    /// The roots on the host; 0 in positions without one.
    pub(super) fn read<R: Scalar>(&self, queue: &Queue) -> Result<Vec<Root>> {
        let (mut origins, mut taus) = (vec![0_i32; self.n], vec![R::ZERO; self.n]);
        self.origins.read(queue, &mut origins)?;
        self.taus.read(queue, &mut taus)?;
        Ok(origins.iter().zip(&taus).map(|(origin, tau)| Root { origin: *origin as usize, tau: tau.re() }).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::Context;
    use crate::testing::contexts;

    /// The residual of a root in units of the precision, relative to the terms' sum of moduli and to what an error of
    /// the root's own precision makes of them.
    fn residual<R: Scalar>(poles: &[f64], squares: &[f64], rho: f64, root: Root) -> f64 {
        let (mut value, mut size, mut slope) = (1.0, 1.0, 0.0);
        for (pole, square) in poles.iter().zip(squares) {
            let delta = (pole - poles[root.origin]) - root.tau;
            let term = rho * square / delta;
            value += term;
            size += term.abs();
            slope += (term / delta).abs();
        }
        value.abs() / (R::EPSILON * (size + slope * root.tau.abs()))
    }

    /// Two equations side by side, and a position without a root after the first: the roots are between their poles.
    fn check<R: Scalar<RealScalar = R>>(context: &Context, poles: &[f64], z: &[f64], rho: f64) {
        let rounded = |values: &[f64]| values.iter().map(|x| R::from_parts(*x, 0.0)).collect::<Vec<R>>();
        let norm = z.iter().map(|z| z * z).sum::<f64>().sqrt();
        let (poles, rho) = (rounded(poles), R::from_parts(rho, 0.0));
        let z = rounded(&z.iter().map(|z| z / norm).collect::<Vec<_>>());
        let (count, n) = (poles.len(), 2 * poles.len() + 1);
        let twice = |values: &[R]| [values, &[R::ZERO], values].concat();
        let of = |start: usize| [start as i32, count as i32].repeat(count + usize::from(start == 0));
        let queue = &context.queue().unwrap().for_steps().unwrap();
        let upload = |values: &[R]| {
            let buffer = DeviceBuffer::for_step(queue, size_of_val(values)).unwrap();
            buffer.write(queue, values).unwrap();
            buffer
        };
        let firsts = DeviceBuffer::for_step(queue, 2 * n * size_of::<i32>()).unwrap();
        firsts.write(queue, &[of(0), of(count + 1)].concat()).unwrap();
        let equations = Equations { firsts: &firsts, poles: &upload(&twice(&poles)), z: &upload(&twice(&z)), n };
        let program = program::<R>(queue).unwrap();
        let found = DeviceRoots::find(queue, &program, &equations, &vec![rho; n]).unwrap().read::<R>(queue).unwrap();
        assert_eq!(found[..count], found[count + 1..]);
        let wide = |values: &[R]| values.iter().map(|x| x.re()).collect::<Vec<f64>>();
        let (poles, z) = (wide(&poles), wide(&z));
        let squares: Vec<f64> = z.iter().map(|z| z * z).collect();
        for (j, found) in found[..count].iter().enumerate() {
            let residual = residual::<R>(&poles, &squares, rho.re(), *found);
            assert!(residual < 10.0 * count as f64, "{j} of {count}: {found:?}, {residual}");
            let above = (poles[found.origin] - poles[j]) + found.tau;
            assert!(above > 0.0, "{j}: {found:?} is not above its pole");
            if j + 1 < count {
                assert!((poles[found.origin] - poles[j + 1]) + found.tau < 0.0, "{j}: {found:?} is above the next");
            }
        }
    }

    fn check_orders<R: Scalar<RealScalar = R>>(orders: &[usize]) {
        let random = |i: usize, k: usize| ((i * 7919 + k * 104_729) as f64 * 0.618_033_988_749).fract();
        for context in contexts::<R>().iter().filter(|context| context.device().is_some()) {
            for &n in orders {
                let even: Vec<f64> = (0..n).map(|i| i as f64 / n as f64 - 0.3).collect();
                let z: Vec<f64> = (0..n).map(|i| random(i, 1) - 0.5 + 1e-3).collect();
                check::<R>(context, &even, &z, 0.7);
                check::<R>(context, &even, &z, 1e-4);
                check::<R>(context, &even, &z, 1e4);
                // Elements of z of all sizes that deflation leaves, and poles that are close to each other.
                let decades = -R::EPSILON.log10().ceil() as i32;
                let power = |i: usize, most: i32| 10_f64.powi(-((i % most as usize) as i32));
                let tiny: Vec<f64> = (0..n).map(|i| power(i, decades) * (0.5 + random(i, 2))).collect();
                check::<R>(context, &even, &tiny, 1.0);
                let mut poles: Vec<f64> = (0..n).map(|i| random(i, 3) * power(i, decades / 2)).collect();
                poles.sort_by(f64::total_cmp);
                poles.dedup_by_key(|pole| R::from_parts(*pole, 0.0));
                check::<R>(context, &poles, &z[..poles.len()], 1.3);
            }
        }
    }

    mod device {
        use super::*;

        #[test]
        fn roots_are_between_their_poles() {
            check_orders::<f32>(&[17, 64, 301]);
            check_orders::<f64>(&[17, 64, 301]);
        }
    }

    mod device_small {
        use super::*;

        #[test]
        fn roots_of_few_poles_are_between_them() {
            check_orders::<f32>(&[1, 2, 3, 4, 5]);
            check_orders::<f64>(&[1, 2, 3, 4, 5]);
        }
    }
}
