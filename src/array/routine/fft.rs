//! Fourier transforms along the last axes, by the library's plans.

use affinimath_array::library::Fourier;
use affinimath_array::plan::Operand;

use super::row_major;
use crate::array::memory::Block;
use crate::array::steps::{Memory, Run, of_block};
use crate::error::{Error, Result};
use crate::fft::{Direction, FftDescriptor, FftLayout, Transform};
use crate::route::fft::{FftPlan, FftReal, cached_plan};
use crate::scalar::Scalar;
use crate::view::{VectorMut, VectorRef, VectorShape};

/// An operand whose strides a plan has a layout for: itself, or a row-major copy.
struct Signal {
    /// The memory of the copy.
    copy: Option<Block>,
    elements: Operand,
    layout: FftLayout,
}

/// Transforms x to y, of precision `R`.
pub(super) fn run<R: FftReal>(run: &Run<'_>, fourier: Fourier, x: &Operand, y: &Operand) -> Result<()> {
    if y.extents.contains(&0) {
        return Ok(());
    }
    let input = Signal::new(run, x, fourier.axes)?;
    if input.copy.is_some() {
        run.copy_to(x, &input.elements, input.memory(run)?)?;
    }
    let output = Signal::new(run, y, fourier.axes)?;
    let axes = y.extents.len() - fourier.axes;
    let mut lengths = y.extents[axes..].to_vec();
    if let Some(last) = lengths.last_mut() {
        *last = fourier.length;
    }
    let count = y.extents[..axes].iter().product();
    let is_backward = matches!(fourier.transform, Transform::Complex(Direction::Backward) | Transform::ComplexToReal);
    let points: usize = lengths.iter().product();
    let descriptor = FftDescriptor::new(fourier.transform, &lengths)
        .batch(count)
        .input_layout(&input.layout.strides, input.layout.distance)
        .output_layout(&output.layout.strides, output.layout.distance)
        .scale(if is_backward { (points as f64).recip() } else { 1.0 });
    let plan = cached_plan::<R>(&descriptor)?;
    match (fourier.transform.from_real(), fourier.transform.to_real()) {
        (true, _) => execute::<R, R, R::Complex>(run, &plan, &input, &output)?,
        (_, true) => execute::<R, R::Complex, R>(run, &plan, &input, &output)?,
        _ => execute::<R, R::Complex, R::Complex>(run, &plan, &input, &output)?,
    }
    match output.copy.is_some() {
        true => run.copy_from(output.memory(run)?, &output.elements, y),
        false => Ok(()),
    }
}

fn execute<R: FftReal, I: Scalar, O: Scalar>(
    run: &Run<'_>,
    plan: &FftPlan<R>,
    input: &Signal,
    output: &Signal,
) -> Result<()> {
    let from = VectorShape::new(plan.input_length(), input.offset(run), 1)?;
    let to = VectorShape::new(plan.output_length(), output.offset(run), 1)?;
    // SAFETY: the operands' elements lie within their memory, from the first one to the last; those of the output are
    // this evaluation's alone, and apart from those of the input.
    let (x, y) = unsafe { (input_view::<I>(input.memory(run)?, from)?, output_view::<O>(output.memory(run)?, to)?) };
    // The context's own queue is in order: later steps come after it.
    drop(plan.execute(x, y)?);
    Ok(())
}

/// # Safety
/// The memory holds the vector's elements of this type, and nobody writes them meanwhile.
unsafe fn input_view<T: Scalar>(memory: Memory<'_>, shape: VectorShape) -> Result<VectorRef<'_, T>> {
    match memory {
        // SAFETY: by contract.
        Memory::Host(at, _) => Ok(unsafe { VectorRef::from_host_raw(at.cast(), shape) }),
        Memory::Device(buffer, _) => VectorRef::from_device(buffer, shape, "the signal"),
    }
}

/// # Safety
/// The memory holds the vector's elements of this type, and nobody else uses them meanwhile.
unsafe fn output_view<T: Scalar>(memory: Memory<'_>, shape: VectorShape) -> Result<VectorMut<'_, T>> {
    match memory {
        // SAFETY: by contract.
        Memory::Host(at, _) => Ok(unsafe { VectorMut::from_host_raw(at.cast(), shape) }),
        Memory::Device(buffer, _) => VectorMut::from_device(buffer, shape, "the transform"),
    }
}

impl Signal {
    fn new(run: &Run<'_>, operand: &Operand, axes: usize) -> Result<Self> {
        if let Some(layout) = layout(operand, axes) {
            return Ok(Signal { copy: None, elements: operand.clone(), layout });
        }
        let elements = row_major(operand)?;
        let layout = layout(&elements, axes).ok_or_else(|| Error::Internal("a row-major signal".to_owned()))?;
        let copy = Some(run.block(operand.element, operand.extents.iter().product())?);
        Ok(Signal { copy, elements, layout })
    }

    fn memory<'m>(&'m self, run: &'m Run<'_>) -> Result<Memory<'m>> {
        match &self.copy {
            Some(block) => Ok(of_block(block, self.elements.extents.iter().product())),
            None => run.memory(&self.elements),
        }
    }

    /// Elements before the first one.
    fn offset(&self, run: &Run<'_>) -> usize {
        match &self.copy {
            Some(_) => 0,
            None => self.elements.view(run.bindings()).offset,
        }
    }
}

/// The layout of transforms along the last axes, if the axes before them are as one.
fn layout(operand: &Operand, axes: usize) -> Option<FftLayout> {
    if operand.is_conjugate {
        return None;
    }
    let (batch, points) = operand.extents.split_at(operand.extents.len() - axes);
    let (batch_strides, point_strides) = operand.strides.split_at(batch.len());
    let stride = |(&extent, &stride): (&usize, &i64)| match extent {
        1 => Some(1),
        _ => usize::try_from(stride).ok().filter(|&stride| stride > 0),
    };
    let strides: Vec<usize> = points.iter().zip(point_strides).map(stride).collect::<Option<_>>()?;
    let mut distance = None;
    for (&extent, &stride) in batch.iter().zip(batch_strides).rev().filter(|(extent, _)| **extent > 1) {
        let stride = usize::try_from(stride).ok().filter(|&stride| stride > 0)?;
        match distance {
            None => distance = Some((stride, stride.checked_mul(extent)?)),
            Some((first, next)) if next == stride => distance = Some((first, next.checked_mul(extent)?)),
            Some(_) => return None,
        }
    }
    Some(FftLayout { strides, distance: distance.map_or(1, |(first, _)| first) })
}
