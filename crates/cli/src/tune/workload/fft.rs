//! Fourier transforms.

use affinimath::{
    Buffer, Complex64, Context, Device, DeviceClass, Direction, FftDescriptor, FftPlan, FftReal, Result, Scalar,
    Transform,
};
use affinimath_bench::Random;
use affinimath_tuner::space::Configuration;

use super::Workload;

struct Lines<R: FftReal> {
    length: usize,
    count: usize,
    direction: Direction,
    plan: FftPlan<R>,
    x: Buffer<R::Complex>,
    y: Buffer<R::Complex>,
    expected: Vec<Complex64>,
}

/// Batches of complex transforms of each length that are timed, and one of three lines back that is not: they fill no
/// vector.
pub struct Transforms<R: FftReal> {
    context: Context,
    timed: Vec<Lines<R>>,
    odd: Option<Lines<R>>,
}

impl<R: FftReal> Transforms<R> {
    pub fn new(device: &Device, lengths: &[usize]) -> Result<Self> {
        let context = Context::open(device)?;
        let mut random = Random::new(4);
        let numbers = if device.info().class == DeviceClass::Gpu { 1 << 23 } else { 1 << 18 };
        let mut timed = Vec::new();
        for &length in lengths {
            timed.push(Lines::new(&context, &mut random, length, (numbers / length).max(1), Direction::Forward)?);
        }
        let odd = lengths.first().map(|&length| Lines::new(&context, &mut random, length, 3, Direction::Backward));
        Ok(Transforms { context, timed, odd: odd.transpose()? })
    }
}

fn plan<R: FftReal>(length: usize, count: usize, direction: Direction) -> Result<FftPlan<R>> {
    FftPlan::new(FftDescriptor::new(Transform::Complex(direction), &[length]).batch(count))
}

impl<R: FftReal> Lines<R> {
    fn new(context: &Context, random: &mut Random, length: usize, count: usize, direction: Direction) -> Result<Self> {
        let x: Vec<R::Complex> = random.elements(length * count);
        let host = Context::host();
        let wide: Vec<Complex64> = x.iter().map(|x| Complex64::new(x.re(), x.im())).collect();
        let (from, mut to) = (host.upload(&wide)?, host.zeros::<Complex64>(wide.len())?);
        plan::<f64>(length, count, direction)?.execute(from.vector()?, to.vector_mut()?)?.wait()?;
        Ok(Lines {
            length,
            count,
            direction,
            plan: plan(length, count, direction)?,
            x: context.upload(&x)?,
            y: context.zeros(x.len())?,
            expected: to.download()?,
        })
    }

    fn run(&mut self, repetitions: u32) -> Result<()> {
        for repetition in 1..=repetitions {
            let event = self.plan.execute(self.x.vector()?, self.y.vector_mut()?)?;
            if repetition == repetitions {
                event.wait()?;
            }
        }
        Ok(())
    }

    /// The largest error of a line in the 2-norm, against 3 eps log2 n of its own (Higham, chapter 24, has a larger
    /// constant).
    fn error(&mut self, context: &Context) -> Result<f64> {
        self.y = context.upload(&vec![R::Complex::from_parts(f64::NAN, f64::NAN); self.expected.len()])?;
        self.run(1)?;
        let found: Vec<Complex64> = self.y.download()?.into_iter().map(|y| Complex64::new(y.re(), y.im())).collect();
        let bound = 3.0 * <R::Complex as Scalar>::EPSILON * (self.length as f64).log2().max(1.0);
        let lines = found.chunks_exact(self.length).zip(self.expected.chunks_exact(self.length));
        let errors = lines.map(|(found, expected)| {
            let norm = |numbers: &mut dyn Iterator<Item = Complex64>| numbers.map(|z| z.norm_sqr()).sum::<f64>().sqrt();
            let error = norm(&mut found.iter().zip(expected).map(|(found, expected)| found - expected));
            error / (bound * norm(&mut expected.iter().copied()))
        });
        Ok(errors.fold(0.0, |largest, error| if error <= largest { largest } else { error }))
    }

    fn prepare(&mut self) -> Result<()> {
        self.plan = plan(self.length, self.count, self.direction)?;
        Ok(())
    }
}

impl<R: FftReal> Workload for Transforms<R> {
    fn cases(&self) -> usize {
        self.timed.len()
    }

    /// A plan keeps the passes that it was made with: another one is made.
    fn prepare(&mut self, _: Option<&Configuration>) -> Result<()> {
        self.timed.iter_mut().chain(&mut self.odd).try_for_each(Lines::prepare)
    }

    fn run(&mut self, case: usize, repetitions: u32) -> Result<()> {
        self.timed[case].run(repetitions)
    }

    fn error(&mut self) -> Result<f64> {
        let mut largest = 0.0;
        for lines in self.timed.iter_mut().chain(&mut self.odd) {
            let error = lines.error(&self.context)?;
            largest = if error <= largest { largest } else { error };
        }
        Ok(largest)
    }
}
