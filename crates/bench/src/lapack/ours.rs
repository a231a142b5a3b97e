//! Our own library, on a matrix in the host's or in the device's memory.

use std::sync::Arc;
use std::time::{Duration, Instant};

use affinimath::{
    Buffer, Context, DeviceContext, Diag, Event, Op, Queue, Scalar, SingularVectors, Triangle, VectorMut, VectorRef,
    gels, gels_on, gelsy, gelsy_on, geqp3, geqp3_on, geqrf, geqrf_on, gesvd, gesvd_on, getrf, getrf_on, getri,
    getri_on, heev, heev_on, omatcopy, potrf, potrf_on, potri, potri_on, trtri, trtri_on,
};

use super::data::{Data, Results};
use super::routine::Routine;
use crate::contender::{Accuracy, Contender, Entrant};
use crate::error::BenchError;
use crate::target::{MemoryChoice, Target};

const LOWER: Triangle = Triangle::Lower;

/// Our library on the target.
pub fn entrant<'a, T: Scalar>(data: &Arc<Data<T>>, target: &Target) -> Entrant<'a> {
    let (order, pivots) = (data.m.min(data.n), data.pivots_at_start());
    let (context, device) = match (target.device, target.memory) {
        (Some(device), MemoryChoice::Device) => {
            let context = Context::open(device)?;
            let queue = Queue::new(&DeviceContext::for_device(device)?)?;
            let (tau, info, pivots) = (context.zeros(order)?, context.zeros(1)?, context.upload(&pivots)?);
            let w = context.zeros(order)?;
            (context, Some(OnDevice { queue, pivots, tau, info, w }))
        }
        _ => (Context::host(), None),
    };
    let (start, a) = (context.upload(&data.start)?, context.upload(&data.start)?);
    let (b, tau) = (context.upload(&data.right)?, vec![T::ZERO; order]);
    let w = vec![T::RealScalar::ZERO; order];
    let [u, vt] = data.vector_lengths();
    let vectors = [context.zeros(u)?, context.zeros(vt)?];
    Ok(Box::new(Ours { data: data.clone(), context, start, a, b, pivots, tau, w, vectors, device }))
}

struct Ours<T: Scalar> {
    data: Arc<Data<T>>,
    context: Context,
    start: Buffer<T>,
    a: Buffer<T>,
    b: Buffer<T>,
    pivots: Vec<i32>,
    tau: Vec<T>,
    w: Vec<T::RealScalar>,
    vectors: [Buffer<T>; 2],
    device: Option<OnDevice<T>>,
}

/// Results of a routine except the matrix, in device memory.
struct OnDevice<T: Scalar> {
    queue: Queue,
    pivots: Buffer<i32>,
    tau: Buffer<T>,
    info: Buffer<i32>,
    w: Buffer<T::RealScalar>,
}

impl<T: Scalar> Ours<T> {
    fn call(&mut self) -> affinimath::Result<()> {
        let Data { m, n, routine, .. } = *self.data;
        let a = self.a.matrix_mut(m, n)?;
        let rcond = T::RealScalar::from_parts(m.max(n) as f64 * T::EPSILON, 0.0);
        let [u, vt] = &mut self.vectors;
        let (u, vt) = match routine {
            Routine::Gesdd => {
                (SingularVectors::Into(u.matrix_mut(m, m.min(n))?), SingularVectors::Into(vt.matrix_mut(m.min(n), n)?))
            }
            _ => (SingularVectors::None, SingularVectors::None),
        };
        let Some(OnDevice { queue, pivots, tau, info, w }) = &mut self.device else {
            return match routine {
                Routine::Getrf => getrf(a, &mut self.pivots),
                Routine::Potrf => potrf(LOWER, a),
                Routine::Geqrf => geqrf(a, &mut self.tau),
                Routine::Geqp3 => geqp3(a, &mut self.pivots, &mut self.tau),
                Routine::Gels => gels(Op::NoTrans, a, self.b.matrix_mut(m.max(n), 1)?),
                Routine::Gelsy => gelsy(a, self.b.matrix_mut(m.max(n), 1)?, &mut self.pivots, rcond).map(drop),
                Routine::Getri => getri(a, &self.pivots),
                Routine::Potri => potri(LOWER, a),
                Routine::Trtri => trtri(LOWER, Diag::NonUnit, a),
                Routine::Syev | Routine::SyevValues => heev(LOWER, a, &mut self.w, routine == Routine::Syev),
                Routine::Gesdd | Routine::GesddValues => gesvd(a, &mut self.w, u, vt),
            };
        };
        let info: VectorMut<'_, i32> = info.vector_mut()?;
        let event: Event = match routine {
            Routine::Getrf => getrf_on(queue, a, pivots.vector_mut()?, info)?,
            Routine::Potrf => potrf_on(queue, LOWER, a, info)?,
            Routine::Geqrf => geqrf_on(queue, a, tau.vector_mut()?)?,
            Routine::Geqp3 => geqp3_on(queue, a, pivots.vector_mut()?, tau.vector_mut()?)?,
            Routine::Gels => gels_on(queue, Op::NoTrans, a, self.b.matrix_mut(m.max(n), 1)?, info)?,
            Routine::Gelsy => {
                let b = self.b.matrix_mut(m.max(n), 1)?;
                gelsy_on(queue, a, b, pivots.vector_mut()?, rcond)?.0
            }
            Routine::Getri => {
                let pivots: VectorRef<'_, i32> = pivots.vector()?;
                getri_on(queue, a, pivots, info)?
            }
            Routine::Potri => potri_on(queue, LOWER, a, info)?,
            Routine::Trtri => trtri_on(queue, LOWER, Diag::NonUnit, a, info)?,
            Routine::Syev | Routine::SyevValues => {
                heev_on(queue, LOWER, a, w.vector_mut()?, routine == Routine::Syev, info)?
            }
            Routine::Gesdd | Routine::GesddValues => gesvd_on(queue, a, w.vector_mut()?, u, vt, info)?,
        };
        event.wait()
    }
}

impl<T: Scalar> Contender for Ours<T> {
    fn run(&mut self, repetitions: u32) -> Result<Duration, BenchError> {
        let Data { m, n, .. } = *self.data;
        let mut took = Duration::ZERO;
        for _ in 0..repetitions {
            omatcopy(Op::NoTrans, T::ONE, self.start.matrix(m, n)?, self.a.matrix_mut(m, n)?)?.wait()?;
            if self.data.routine.solves() {
                self.b = self.context.upload(&self.data.right)?;
            }
            if self.data.routine.permutes() {
                // A column whose `jpvt` is not 0 would be moved to the front.
                self.pivots.fill(0);
                if let Some(device) = &mut self.device {
                    device.pivots = self.context.upload(&self.pivots)?;
                }
            }
            let start = Instant::now();
            self.call()?;
            took += start.elapsed();
        }
        Ok(took)
    }

    fn accuracy(&mut self) -> Result<Accuracy, BenchError> {
        self.run(1)?;
        let (mut pivots, mut tau, mut w) = (self.pivots.clone(), self.tau.clone(), self.w.clone());
        if let Some(device) = &self.device {
            (pivots, tau, w) = (device.pivots.download()?, device.tau.download()?, device.w.download()?);
        }
        let w = w.into_iter().map(|w| w.re()).collect();
        let vectors = [self.vectors[0].download()?, self.vectors[1].download()?];
        Ok(self.data.accuracy(&Results { a: self.a.download()?, pivots, tau, x: self.b.download()?, w, vectors }))
    }
}
