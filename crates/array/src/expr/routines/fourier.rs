//! Discrete Fourier transforms.

use super::outputs;
use crate::element::ElementType;
use crate::error::ErrorKind;
use crate::expr::Expr;
use crate::library::{Fourier, LibraryCall, split_axes};
use crate::node::Node;
use crate::shape::{Axes, IntoAxes};
use crate::types::{ComplexNumber, Floating, Real};
use affinimath_core::fft::{Direction, Transform};
use affinimath_core::{Complex32, Complex64};

/// A type whose Fourier transforms have elements of type `Spectrum`.
pub trait Spectral: Floating {
    /// The complex type of the same precision.
    type Spectrum: ComplexNumber<Part = Self::Part> + Spectral<Spectrum = Self::Spectrum>;
}

macro_rules! spectral {
    ($($element:ty => $spectrum:ty;)*) => {$(
        impl Spectral for $element {
            type Spectrum = $spectrum;
        }
    )*};
}

spectral! {
    f32 => Complex32;
    f64 => Complex64;
    Complex32 => Complex32;
    Complex64 => Complex64;
}

impl<T: Spectral> Expr<T> {
    /// The discrete Fourier transform along the last axis: X_k = sum over j of x_j e^(-2 π i j k / n), of any length.
    ///
    /// ```
    /// let x = affinimath_array::ones::<f32>([4, 100]);
    /// assert_eq!(x.fft().ifft().shape(), &[4, 100]);
    /// assert_eq!(x.rfft().shape(), &[4, 51]);
    /// ```
    #[track_caller]
    pub fn fft(&self) -> Expr<T::Spectrum> {
        self.fft_axes(-1)
    }

    /// The same along these axes; `..` is all of them.
    #[track_caller]
    pub fn fft_axes(&self, axes: impl IntoAxes) -> Expr<T::Spectrum> {
        self.complex_transform(axes, Direction::Forward, "fft")
    }

    /// The inverse transform along the last axis: x_j = 1/n sum over k of X_k e^(2 π i j k / n).
    #[track_caller]
    pub fn ifft(&self) -> Expr<T::Spectrum> {
        self.ifft_axes(-1)
    }

    /// The same along these axes; `..` is all of them.
    #[track_caller]
    pub fn ifft_axes(&self, axes: impl IntoAxes) -> Expr<T::Spectrum> {
        self.complex_transform(axes, Direction::Backward, "ifft")
    }

    #[track_caller]
    fn complex_transform(
        &self,
        axes: impl IntoAxes,
        direction: Direction,
        operation: &'static str,
    ) -> Expr<T::Spectrum> {
        let element = <T::Spectrum as crate::types::Element>::TYPE;
        match axes.into_axes(self.shape(), operation) {
            _ if self.error().is_some() => Expr::new(self.node().same_error(element)),
            Ok(axes) => Expr::new(transformed(&self.node().convert(element), Transform::Complex(direction), axes, 0)),
            Err(kind) => Expr::failed(kind),
        }
    }
}

impl<T: Real> Expr<T> {
    /// The first n/2 + 1 values of the transform along the last axis, of n elements; the others are their conjugates.
    #[track_caller]
    pub fn rfft(&self) -> Expr<T::Complex> {
        self.rfft_axes(-1)
    }

    /// The transform along these axes; along the last one of them the first n/2 + 1 values.
    #[track_caller]
    pub fn rfft_axes(&self, axes: impl IntoAxes) -> Expr<T::Complex> {
        let element = <T::Complex as crate::types::Element>::TYPE;
        match axes.into_axes(self.shape(), "rfft") {
            _ if self.error().is_some() => Expr::new(self.node().same_error(element)),
            Ok(axes) if axes.is_empty() => Expr::failed(no_axis("rfft")),
            Ok(axes) => Expr::new(transformed(self.node(), Transform::RealToComplex, axes, 0)),
            Err(kind) => Expr::failed(kind),
        }
    }
}

impl<T: ComplexNumber> Expr<T> {
    /// The inverse of [`rfft`](Expr::rfft): n real elements along the last axis, of n/2 + 1 values.
    #[track_caller]
    pub fn irfft(&self, n: usize) -> Expr<T::Part> {
        self.irfft_axes(-1, n)
    }

    /// The inverse of [`rfft_axes`](Expr::rfft_axes), with n elements along the last one of the axes.
    #[track_caller]
    pub fn irfft_axes(&self, axes: impl IntoAxes, n: usize) -> Expr<T::Part> {
        let element = <T::Part as crate::types::Element>::TYPE;
        match axes.into_axes(self.shape(), "irfft") {
            _ if self.error().is_some() => Expr::new(self.node().same_error(element)),
            Ok(axes) if axes.is_empty() => Expr::failed(no_axis("irfft")),
            Ok(axes) => Expr::new(transformed(self.node(), Transform::ComplexToReal, axes, n)),
            Err(kind) => Expr::failed(kind),
        }
    }
}

fn no_axis(operation: &'static str) -> ErrorKind {
    ErrorKind::Argument { operation, reason: "there is no axis to transform".into() }
}

/// The transform along the axes; `length` is the last one's, of a transform to real values.
#[track_caller]
fn transformed(node: &Node, transform: Transform, axes: Axes, length: usize) -> Node {
    let (first, last) = split_axes(axes);
    if last.is_empty() {
        return node.clone();
    }
    // A call has three axes at most. The real side of a transform is the outermost one.
    match transform {
        _ if first.is_empty() => call(node, transform, last, length),
        Transform::RealToComplex => {
            let half = call(node, transform, last, length);
            transformed(&half, Transform::Complex(Direction::Forward), first, 0)
        }
        Transform::ComplexToReal => {
            let half = transformed(node, Transform::Complex(Direction::Backward), first, 0);
            call(&half, transform, last, length)
        }
        _ => transformed(&call(node, transform, last, length), transform, first, 0),
    }
}

/// A call of the routine, which transforms last axes: others change places with them before and afterwards.
#[track_caller]
fn call(node: &Node, transform: Transform, axes: Axes, length: usize) -> Node {
    let rank = node.shape().rank();
    let list: Vec<usize> = axes.iter().collect();
    let order: Vec<usize> = (0..rank).filter(|&axis| !axes.contains(axis)).chain(list.iter().copied()).collect();
    let mut back = vec![0; rank];
    for (position, &axis) in order.iter().enumerate() {
        back[axis] = position as i64;
    }
    let order: Vec<i64> = order.into_iter().map(|axis| axis as i64).collect();
    let input = node.permute(&order);
    let length = match transform {
        Transform::ComplexToReal => length,
        _ => input.shape().last().copied().unwrap_or(0),
    };
    let fourier = Fourier { transform, axes: list.len(), length };
    let element = output_type(node.element(), transform);
    let [output] = outputs(LibraryCall::Fft(fourier), &[input], [element]);
    if output.error().is_some() { output } else { output.permute(&back) }
}

fn output_type(element: ElementType, transform: Transform) -> ElementType {
    match (transform, element) {
        (Transform::RealToComplex, ElementType::F32) => ElementType::C32,
        (Transform::RealToComplex, ElementType::F64) => ElementType::C64,
        (Transform::ComplexToReal, _) => element.part(),
        _ => element,
    }
}
