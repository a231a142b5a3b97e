//! Fourier transforms.

use affinimath::{Direction, FftDescriptor, FftPlan, FftReal, Scalar, Transform, VectorMut, VectorRef, VectorShape};
use affinimath_mpi::{Decomposition, DistFft, FftBlock, FftOptions, Grid, Spectrum};

use super::support::{element, nan, real};

/// Both small enough for many plans, and with empty blocks, primes, and axes of one element.
const SHAPES: [&[usize]; 11] = [
    &[0, 3],
    &[1, 1],
    &[7, 5],
    &[8, 12],
    &[1, 9],
    &[3, 0, 4],
    &[1, 1, 1],
    &[4, 6, 10],
    &[7, 5, 3],
    &[2, 13, 9],
    &[6, 1, 8],
];

/// Indices of a block's elements in the whole array of a shape.
fn indices(block: &FftBlock, shape: &[usize]) -> Vec<usize> {
    (0..block.len())
        .map(|mut element| {
            let (mut index, mut step) = (0, 1);
            for axis in (0..shape.len()).rev() {
                let size = block.shape()[axis];
                index += (block.offset()[axis] + element % size) * step;
                element /= size;
                step *= shape[axis];
            }
            index
        })
        .collect()
}

fn at<T: Scalar>(full: &[T], block: &FftBlock, shape: &[usize]) -> Vec<T> {
    indices(block, shape).into_iter().map(|index| full[index]).collect()
}

/// The transform in one process.
fn one_process<T: Scalar<RealScalar: FftReal>>(shape: &[usize], full: &[T]) -> Vec<Spectrum<T>> {
    let kind = match T::KIND.is_complex() {
        true => Transform::Complex(Direction::Forward),
        false => Transform::RealToComplex,
    };
    if full.is_empty() {
        return Vec::new();
    }
    let plan = FftPlan::<T::RealScalar>::new(FftDescriptor::new(kind, shape)).unwrap();
    let mut result = vec![Spectrum::<T>::ZERO; plan.output_length()];
    let vector = |length| VectorShape::new(length, 0, 1).unwrap();
    let to = vector(result.len());
    let (from, to) = (VectorRef::from_slice(full, vector(full.len())), VectorMut::from_slice(&mut result, to));
    plan.execute(from.unwrap(), to.unwrap()).unwrap().wait().unwrap();
    result
}

fn spectrum_shape<T: Scalar>(shape: &[usize]) -> Vec<usize> {
    let mut shape = shape.to_vec();
    if let (false, Some(last @ 1..)) = (T::KIND.is_complex(), shape.last_mut()) {
        *last = *last / 2 + 1;
    }
    shape
}

/// Relative error of the transform: a few roundings for each level of each axis.
fn bound<T: Scalar>(points: usize) -> f64 {
    8.0 * T::EPSILON * (points.max(2) as f64).log2()
}

fn distance<T: Scalar>(x: &[T], y: &[T]) -> f64 {
    x.iter().zip(y).map(|(x, y)| (*x - *y).modulus().powi(2)).sum::<f64>().sqrt()
}

fn norm<T: Scalar>(x: &[T]) -> f64 {
    x.iter().map(|x| x.modulus().powi(2)).sum::<f64>().sqrt()
}

pub fn transforms<T: Scalar<RealScalar: FftReal>>(grid: &Grid) {
    for shape in SHAPES {
        let points: usize = shape.iter().product();
        let value = element::<T>(41);
        let full: Vec<T> = (0..points).map(|index| value(index, points)).collect();
        let expected = one_process(shape, &full);
        let sides = spectrum_shape::<T>(shape);
        let mut decompositions = vec![Decomposition::Auto];
        if shape.len() == 3 {
            decompositions.push(Decomposition::Slabs);
            decompositions.push(Decomposition::Pencils(grid.rows(), grid.columns()));
        }
        for decomposition in decompositions {
            for transposed in [false, true] {
                let mut options =
                    FftOptions::new().decomposition(decomposition).backward_scale(1.0 / points.max(1) as f64);
                if transposed {
                    options = options.transposed();
                }
                let mut plan = DistFft::<T>::new(grid, shape, options).unwrap();
                let input = at(&full, plan.input(), shape);
                let reference = at(&expected, plan.output(), &sides);
                let mut output = vec![nan(); reference.len()];
                plan.forward(&input, &mut output).unwrap();
                let error = distance(&output, &reference);
                let limit = bound::<T>(points) * norm(&expected);
                assert!(error <= limit, "{shape:?} {decomposition:?} {transposed}: {error:e} > {limit:e}");
                assert!(input == at(&full, plan.input(), shape), "the input was changed");
                let mut again = vec![nan(); reference.len()];
                plan.forward(&input, &mut again).unwrap();
                assert!(output == again, "two runs differ");

                let mut back = vec![nan(); input.len()];
                plan.backward(&output, &mut back).unwrap();
                assert!(output == again, "the input of the backward transform was changed");
                let error = distance(&back, &input);
                let limit = 2.0 * bound::<T>(points) * norm(&full);
                assert!(error <= limit, "{shape:?} {decomposition:?} {transposed}, back: {error:e} > {limit:e}");
            }
        }
    }
}

/// A wave with known numbers of periods: its spectrum is known without another transform.
pub fn waves<T: Scalar<RealScalar: FftReal>>(grid: &Grid) {
    let (shape, periods) = ([6, 10, 9], [2, 3, 1]);
    let mut plan = DistFft::<T>::new(grid, &shape, FftOptions::new()).unwrap();
    let wave: Vec<T> = indices(plan.input(), &shape)
        .into_iter()
        .map(|index| {
            let j = [index / 90, index / 9 % 10, index % 9];
            let turns: f64 = (0..3).map(|axis| (j[axis] * periods[axis]) as f64 / shape[axis] as f64).sum();
            let (sine, cosine) = (std::f64::consts::TAU * turns).sin_cos();
            T::from_parts(cosine, sine)
        })
        .collect();
    let sides = spectrum_shape::<T>(&shape);
    let mut spectrum = vec![nan(); plan.output().len()];
    plan.forward(&wave, &mut spectrum).unwrap();
    // A cosine is half a wave in this direction; the other half is a conjugate that is not stored.
    let peak = 540.0 * if T::KIND.is_complex() { 1.0 } else { 0.5 };
    for (value, index) in spectrum.iter().zip(indices(plan.output(), &sides)) {
        let k = [index / (10 * sides[2]), index / sides[2] % 10, index % sides[2]];
        let expected = if k == periods { real::<Spectrum<T>>(peak) } else { Spectrum::<T>::ZERO };
        assert!((*value - expected).modulus() <= 540.0 * bound::<T>(540), "{k:?}: {value:?}");
    }
}
