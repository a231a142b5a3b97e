//! The problems of a subject, with known results.

mod fft;
mod gemm;
pub mod launch;
mod spmv;
pub mod stencil;

use affinimath::{Complex32, Complex64, Device, Result, ScalarKind};
use affinimath_tuner::space::Configuration;
use affinimath_tuner::tuned::{KernelFamily, Subject};

/// Problems of a subject on a device, which run with the parameters that the device's context has.
pub trait Workload {
    /// The count of timed problems.
    fn cases(&self) -> usize;

    /// The weight of a problem's time.
    fn weight(&self, _case: usize) -> f64 {
        1.0
    }

    /// Makes anew what depends on the parameters. Without any, the default ones count.
    fn prepare(&mut self, configuration: Option<&Configuration>) -> Result<()>;

    /// Computes a problem `repetitions` times, and waits.
    fn run(&mut self, case: usize, repetitions: u32) -> Result<()>;

    /// True if launches have times on the device's clock.
    fn has_device_clock(&self) -> bool {
        false
    }

    /// Seconds of a launch on the device's clock, the mean of `repetitions` of a problem's; `None` where it has none.
    fn device_seconds(&mut self, _case: usize, _repetitions: u32) -> Result<Option<f64>> {
        Ok(None)
    }

    /// Computes every problem, and others at the edges, and compares them with the reference: the largest error, where
    /// 1 is as large as the analysis of rounding errors allows.
    fn error(&mut self) -> Result<f64>;

    /// Reason for which results of an error above 1 are wrong.
    fn wrong(&self, error: f64) -> String {
        format!("the error is {error:.1} times as large as it may be")
    }
}

/// The problems of a subject, of these sizes.
pub fn new(device: &Device, subject: &Subject, sizes: &[usize]) -> Result<Box<dyn Workload>> {
    Ok(match subject.family {
        KernelFamily::GemmPacked | KernelFamily::GemmTiled | KernelFamily::GemmTensor => match subject.kind {
            ScalarKind::S => Box::new(gemm::Products::<f32>::new(device, subject.class, sizes)?),
            ScalarKind::D => Box::new(gemm::Products::<f64>::new(device, subject.class, sizes)?),
            ScalarKind::C => Box::new(gemm::Products::<Complex32>::new(device, subject.class, sizes)?),
            ScalarKind::Z => Box::new(gemm::Products::<Complex64>::new(device, subject.class, sizes)?),
        },
        KernelFamily::SpmvSegments | KernelFamily::SpmvGroups => match subject.kind {
            ScalarKind::S => Box::new(spmv::SparseProducts::<f32>::new(device, sizes)?),
            ScalarKind::D => Box::new(spmv::SparseProducts::<f64>::new(device, sizes)?),
            ScalarKind::C => Box::new(spmv::SparseProducts::<Complex32>::new(device, sizes)?),
            ScalarKind::Z => Box::new(spmv::SparseProducts::<Complex64>::new(device, sizes)?),
        },
        KernelFamily::FftLanes | KernelFamily::FftGroups => match subject.kind.is_double() {
            false => Box::new(fft::Transforms::<f32>::new(device, sizes)?),
            true => Box::new(fft::Transforms::<f64>::new(device, sizes)?),
        },
    })
}
