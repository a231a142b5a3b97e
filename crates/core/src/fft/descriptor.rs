//! Descriptors of Fourier transforms: plain data, checked once.

use crate::error::{Error, Result};

/// The sign in the exponent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// X_k = sum of x_j e^(-2 pi i j k / n).
    Forward,
    /// X_k = sum of x_j e^(+2 pi i j k / n): after a forward transform, n times the first numbers.
    Backward,
}

/// Kind of a transform. All are unnormalised, like FFTW's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Transform {
    /// The discrete Fourier transform of complex numbers.
    Complex(Direction),
    /// The forward transform of real numbers: of the last axis' results the first n/2 + 1, the others being their
    /// conjugates.
    RealToComplex,
    /// The backward transform to real numbers, from the last axis' first n/2 + 1 numbers. Imaginary parts that would
    /// have to be zero are not looked at.
    ComplexToReal,
    /// DCT-II, FFTW's REDFT10: X_k = 2 sum of x_j cos(pi (j + 1/2) k / n), on every axis.
    Dct2,
    /// DCT-III, FFTW's REDFT01: X_k = x_0 + 2 sum over j > 0 of x_j cos(pi j (k + 1/2) / n), on every axis; 2n times
    /// DCT-II's inverse.
    Dct3,
    /// DST-II, FFTW's RODFT10: X_k = 2 sum of x_j sin(pi (j + 1/2) (k + 1) / n), on every axis.
    Dst2,
    /// DST-III, FFTW's RODFT01: X_k = (-1)^k x_(n-1) + 2 sum over j < n-1 of x_j sin(pi (j + 1) (k + 1/2) / n), on
    /// every axis; 2n times DST-II's inverse.
    Dst3,
}

impl Transform {
    /// True if the input is real.
    pub const fn from_real(self) -> bool {
        !matches!(self, Transform::Complex(_) | Transform::ComplexToReal)
    }

    /// True if the output is real.
    pub const fn to_real(self) -> bool {
        !matches!(self, Transform::Complex(_) | Transform::RealToComplex)
    }
}

/// Strides of each axis and the distance between transforms of a batch, in elements.
///
/// An element of a complex side is a complex number, one of a real side a real number.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FftLayout {
    /// One for each axis.
    pub strides: Vec<usize>,
    /// From one transform of a batch to the next.
    pub distance: usize,
}

/// A transform of one, two or three dimensions, or a batch of them.
///
/// ```
/// use affinimath::{Direction, FftDescriptor, Transform};
///
/// // 100 transforms of 64 numbers, each after the other, divided by 64.
/// let rows = FftDescriptor::new(Transform::Complex(Direction::Backward), &[64]).batch(100).scale(1.0 / 64.0);
/// // The same, of the columns of a matrix of 64 rows and 100 columns that lies row by row.
/// let columns = rows.clone().input_layout(&[100], 1).output_layout(&[100], 1);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct FftDescriptor {
    /// Kind of the transform.
    pub transform: Transform,
    /// Real or complex numbers on each axis, the axis whose neighbours lie nearest last: 1 to 3 of them, none 0.
    pub lengths: Vec<usize>,
    /// How many transforms.
    pub batch: usize,
    /// Layout of the input; `None` for contiguous rows and transforms.
    pub input: Option<FftLayout>,
    /// Layout of the output.
    pub output: Option<FftLayout>,
    /// True if the output overwrites the input. Without layouts, rows of real numbers of [`Transform::RealToComplex`]
    /// and [`Transform::ComplexToReal`] are padded to the length of the complex ones, 2 (n/2 + 1).
    pub in_place: bool,
    /// Factor of all results.
    pub scale: f64,
}

impl FftDescriptor {
    /// One transform, out of place, of numbers that lie row after row, not scaled.
    pub fn new(transform: Transform, lengths: &[usize]) -> Self {
        FftDescriptor {
            transform,
            lengths: lengths.to_vec(),
            batch: 1,
            input: None,
            output: None,
            in_place: false,
            scale: 1.0,
        }
    }

    /// So many transforms.
    #[must_use]
    pub fn batch(self, count: usize) -> Self {
        FftDescriptor { batch: count, ..self }
    }

    /// The input's layout.
    #[must_use]
    pub fn input_layout(self, strides: &[usize], distance: usize) -> Self {
        FftDescriptor { input: Some(FftLayout { strides: strides.to_vec(), distance }), ..self }
    }

    /// The output's layout.
    #[must_use]
    pub fn output_layout(self, strides: &[usize], distance: usize) -> Self {
        FftDescriptor { output: Some(FftLayout { strides: strides.to_vec(), distance }), ..self }
    }

    /// The output in the input's place.
    #[must_use]
    pub fn in_place(self) -> Self {
        FftDescriptor { in_place: true, ..self }
    }

    /// All results times a number.
    #[must_use]
    pub fn scale(self, factor: f64) -> Self {
        FftDescriptor { scale: factor, ..self }
    }
}

/// A descriptor that makes sense: what plans are made of.
#[derive(Clone, Debug, PartialEq)]
pub struct Problem {
    pub transform: Transform,
    /// In the order of the descriptor: the last one is halved by the transforms between real and complex numbers.
    pub axes: Vec<Axis>,
    pub batch: Batch,
    pub in_place: bool,
    pub scale: f64,
}

/// An axis: its logical length, and the strides in elements of each side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Axis {
    pub length: usize,
    pub input_stride: usize,
    pub output_stride: usize,
}

/// How many transforms, and how far apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Batch {
    pub count: usize,
    pub input_distance: usize,
    pub output_distance: usize,
}

/// Numbers on an axis, and from one to the next.
type Extent = (usize, usize);

impl Problem {
    /// # Errors
    /// [`Error::InvalidArgument`], which names the field and what is wrong with it.
    pub fn new(descriptor: &FftDescriptor) -> Result<Self> {
        let FftDescriptor { transform, ref lengths, batch, in_place, scale, .. } = *descriptor;
        if !(1..=3).contains(&lengths.len()) {
            let reason = format!("there are transforms of 1, 2 and 3 dimensions, not of {}", lengths.len());
            return Err(Error::argument("lengths", reason));
        }
        if let Some(axis) = lengths.iter().position(|length| *length == 0) {
            return Err(Error::argument("lengths", format!("that of axis {axis} is 0")));
        }
        if !scale.is_finite() {
            return Err(Error::argument("scale", format!("{scale} is not a number to multiply by")));
        }
        let (inputs, outputs) = (stored(lengths, transform, Stored::Input), stored(lengths, transform, Stored::Output));
        let padded = |sizes: &[usize], real: bool| {
            let pad =
                in_place && real && (transform == Transform::RealToComplex || transform == Transform::ComplexToReal);
            dense(sizes, pad)
        };
        let layout = |given: &Option<FftLayout>, sizes: &[usize], real, name| match given {
            None => padded(sizes, real).ok_or_else(|| too_large(name)),
            Some(given) if given.strides.len() == lengths.len() => Ok(given.clone()),
            Some(given) => {
                let reason = format!("{} strides are given for {} axes", given.strides.len(), lengths.len());
                Err(Error::argument(name, reason))
            }
        };
        let input = layout(&descriptor.input, &inputs, transform.from_real(), "input")?;
        let output = layout(&descriptor.output, &outputs, transform.to_real(), "output")?;
        let extents = |sizes: &[usize], layout: &FftLayout| -> Vec<Extent> {
            sizes.iter().copied().zip(layout.strides.iter().copied()).chain([(batch, layout.distance)]).collect()
        };
        let (read, written) = (extents(&inputs, &input), extents(&outputs, &output));
        end(&read).ok_or_else(|| too_large("input"))?;
        end(&written).ok_or_else(|| too_large("output"))?;
        refuse_overlap("output", written)?;
        if in_place {
            // It is written, too.
            refuse_overlap("input", read)?;
        }
        let axis =
            |i: usize| Axis { length: lengths[i], input_stride: input.strides[i], output_stride: output.strides[i] };
        let problem = Problem {
            transform,
            axes: (0..lengths.len()).map(axis).collect(),
            batch: Batch { count: batch, input_distance: input.distance, output_distance: output.distance },
            in_place,
            scale,
        };
        problem.check_place()?;
        Ok(problem)
    }

    /// In place, each row must take the place of its own input, or it would be overwritten before it is read.
    fn check_place(&self) -> Result<()> {
        if !self.in_place {
            return Ok(());
        }
        let (from, to) = match self.transform {
            Transform::RealToComplex => (1, 2),
            Transform::ComplexToReal => (2, 1),
            _ => (1, 1),
        };
        let last = self.axes.len() - 1;
        let batch = (self.batch.count, self.batch.input_distance, self.batch.output_distance);
        let outer =
            self.axes[..last].iter().map(|axis| (axis.length, axis.input_stride, axis.output_stride)).chain([batch]);
        let rows = outer.filter(|(count, ..)| *count > 1).all(|(_, input, output)| input * from == output * to);
        let row = &self.axes[last];
        let same = row.length == 1 || row.input_stride == row.output_stride && (from == to || row.input_stride == 1);
        if rows && same {
            return Ok(());
        }
        let reason = "in place, output and input have one layout; of a transform between real and complex numbers, the \
         last axis' strides are 1 and the others' are twice as many real numbers as complex ones";
        Err(Error::argument("output", reason))
    }

    /// Elements of the input on each axis.
    pub fn input_lengths(&self) -> Vec<usize> {
        stored(&self.lengths(), self.transform, Stored::Input)
    }

    /// Elements of the output on each axis.
    pub fn output_lengths(&self) -> Vec<usize> {
        stored(&self.lengths(), self.transform, Stored::Output)
    }

    pub fn lengths(&self) -> Vec<usize> {
        self.axes.iter().map(|axis| axis.length).collect()
    }

    /// Elements from the input's first to its last, both included; 0 for an empty batch.
    pub fn input_extent(&self) -> usize {
        let strides = self.axes.iter().map(|axis| axis.input_stride);
        let batch = (self.batch.count, self.batch.input_distance);
        end(&self.input_lengths().into_iter().zip(strides).chain([batch]).collect::<Vec<_>>()).unwrap_or(0)
    }

    /// The same of the output.
    pub fn output_extent(&self) -> usize {
        let strides = self.axes.iter().map(|axis| axis.output_stride);
        let batch = (self.batch.count, self.batch.output_distance);
        end(&self.output_lengths().into_iter().zip(strides).chain([batch]).collect::<Vec<_>>()).unwrap_or(0)
    }

    /// Numbers that one transform has, complex or real.
    pub fn points(&self) -> usize {
        self.axes.iter().map(|axis| axis.length).product()
    }
}

enum Stored {
    Input,
    Output,
}

/// The elements that are stored on each axis: half a row, of the complex side of a transform between real and complex
/// numbers.
fn stored(lengths: &[usize], transform: Transform, side: Stored) -> Vec<usize> {
    let mut lengths = lengths.to_vec();
    if let (Transform::RealToComplex, Stored::Output) | (Transform::ComplexToReal, Stored::Input) = (transform, side)
        && let Some(last) = lengths.last_mut()
    {
        *last = *last / 2 + 1;
    }
    lengths
}

/// Row after row; `padded`, rows of real numbers are as long as the complex ones that take their place.
fn dense(sizes: &[usize], padded: bool) -> Option<FftLayout> {
    let mut strides = vec![0; sizes.len()];
    let mut next = 1_usize;
    for (axis, size) in sizes.iter().enumerate().rev() {
        strides[axis] = next;
        let room = if padded && axis + 1 == sizes.len() { 2 * (size / 2 + 1) } else { *size };
        next = next.checked_mul(room)?;
    }
    Some(FftLayout { strides, distance: next })
}

/// One more than the index of the last element, if the address space has it.
fn end(extents: &[Extent]) -> Option<usize> {
    // An empty batch's layout has to fit, too: sums over it are taken without looking for overflows from here on.
    let end = extents
        .iter()
        .try_fold(1_usize, |end, (count, stride)| end.checked_add(count.saturating_sub(1).checked_mul(*stride)?))?;
    let empty = extents.iter().any(|(count, _)| *count == 0);
    end.checked_mul(16).filter(|bytes| *bytes <= i64::MAX as usize).map(|_| if empty { 0 } else { end })
}

fn too_large(name: &'static str) -> Error {
    Error::argument(name, "it does not fit in the address space")
}

/// Refuses an output of which two elements may be one: sorted by stride, each stride must step over all that the
/// smaller ones reach.
fn refuse_overlap(name: &'static str, mut extents: Vec<Extent>) -> Result<()> {
    extents.retain(|(count, _)| *count > 1);
    extents.sort_by_key(|(_, stride)| *stride);
    let mut reach = 0;
    for (count, stride) in extents {
        if stride <= reach {
            let reason = format!(
                "elements overlap: {count} of them are {stride} apart, where others reach {reach} elements beyond each"
            );
            return Err(Error::argument(name, reason));
        }
        reach += (count - 1) * stride;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const FORWARD: Transform = Transform::Complex(Direction::Forward);

    fn reason(descriptor: &FftDescriptor) -> String {
        Problem::new(descriptor).unwrap_err().to_string()
    }

    #[test]
    fn what_is_not_given_lies_row_after_row() {
        let problem = Problem::new(&FftDescriptor::new(Transform::RealToComplex, &[3, 4, 6]).batch(2)).unwrap();
        let strides: Vec<_> = problem.axes.iter().map(|axis| (axis.input_stride, axis.output_stride)).collect();
        assert_eq!(strides, [(24, 16), (6, 4), (1, 1)]);
        assert_eq!(problem.batch, Batch { count: 2, input_distance: 72, output_distance: 48 });
        assert_eq!((problem.input_extent(), problem.output_extent(), problem.points()), (144, 96, 72));
    }

    #[test]
    fn in_place_rows_of_reals_are_padded() {
        for (transform, expected) in [(Transform::RealToComplex, (6, 3)), (Transform::ComplexToReal, (3, 6))] {
            let problem = Problem::new(&FftDescriptor::new(transform, &[3, 5]).in_place()).unwrap();
            assert_eq!((problem.axes[0].input_stride, problem.axes[0].output_stride), expected);
        }
    }

    #[test]
    fn what_makes_no_sense_is_refused_with_its_reason() {
        assert!(reason(&FftDescriptor::new(FORWARD, &[])).contains("1, 2 and 3 dimensions"));
        assert!(reason(&FftDescriptor::new(FORWARD, &[2; 4])).contains("not of 4"));
        assert!(reason(&FftDescriptor::new(FORWARD, &[4, 0])).contains("axis 1 is 0"));
        assert!(reason(&FftDescriptor::new(FORWARD, &[4]).scale(f64::NAN)).contains("NaN"));
        assert!(
            reason(&FftDescriptor::new(FORWARD, &[4]).input_layout(&[1, 2], 4)).contains("2 strides are given for 1")
        );
        assert!(reason(&FftDescriptor::new(FORWARD, &[4]).batch(2).output_layout(&[1], 3)).contains("overlap"));
        assert!(reason(&FftDescriptor::new(FORWARD, &[4]).output_layout(&[0], 4)).contains("overlap"));
        assert!(reason(&FftDescriptor::new(FORWARD, &[1 << 40, 1 << 40])).contains("address space"));
        let empty = FftDescriptor::new(FORWARD, &[4, 4]).batch(0).output_layout(&[1 << 62, 1 << 63], 1);
        assert!(reason(&empty).contains("address space"));
        let moved = FftDescriptor::new(FORWARD, &[4]).in_place().input_layout(&[1], 4).output_layout(&[2], 8);
        assert!(reason(&moved).contains("in place"));
        let rows = FftDescriptor::new(Transform::ComplexToReal, &[2, 4]).in_place();
        assert!(
            reason(&rows.input_layout(&[2, 1], 4).output_layout(&[4, 1], 8))
                .contains("argument input: elements overlap")
        );
        let dense = FftDescriptor::new(Transform::RealToComplex, &[3, 4]).in_place().input_layout(&[4, 1], 12);
        assert!(reason(&dense).contains("twice as many"));
    }

    #[test]
    fn inputs_may_overlap_and_outputs_may_interleave() {
        let windows = FftDescriptor::new(FORWARD, &[8]).batch(5).input_layout(&[1], 2);
        assert_eq!(Problem::new(&windows).unwrap().input_extent(), 16);
        assert!(Problem::new(&FftDescriptor::new(FORWARD, &[8]).batch(5).output_layout(&[5], 1)).is_ok());
        assert!(Problem::new(&FftDescriptor::new(FORWARD, &[8]).batch(0)).is_ok());
    }
}
