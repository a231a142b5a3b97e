//! Linear algebra and Fourier transforms.

use super::{Function, Result, array, axes, flag, given, numbers, pair_of_numbers, whole};
use crate::operators::{self, constant};
use crate::value::Value;
use affinimath_array::function::{Binary, Reduction};
use affinimath_array::node::Complex;
use affinimath_array::{Axes, ElementType, Expr, Node, Shape, Slice, solve};
use affinimath_core::{Complex32, Complex64, Diag, Triangle};

type Values<'a> = &'a [Option<Value>];

macro_rules! table {
    ($($name:literal ($($parameter:literal)*) $required:literal: $compute:expr;)*) => {
        &[$(Function { name: $name, parameters: &[$($parameter),*], required: $required, compute: $compute }),*]
    };
}

pub(super) const TABLE: &[Function] = table! {
    "matmul"("a" "b") 2: |values| operators::binary("@", given(values, 0)?, given(values, 1)?);
    "dot"("a" "b") 2: |values| dot(values).map(Value::Array);
    "vecdot"("a" "b" "axis") 2: |values| vecdot(values).map(Value::Array);
    "outer"("a" "b") 2: |values| outer(values).map(Value::Array);
    "solve"("a" "b" "lower" "unit_diagonal") 2: |values| solution(values).map(Value::Array);
    "solve_triangular"("a" "b" "trans" "lower" "unit_diagonal") 2:
        |values| triangular_solution(values).map(Value::Array);
    "cholesky"("a" "upper") 1: |values| cholesky(values).map(Value::Array);
    "inv"("a") 1: |values| of_matrix(values, Matrix::Inverse).and_then(one);
    "det"("a") 1: |values| of_matrix(values, Matrix::Determinant).and_then(one);
    "lu"("a") 1: |values| of_matrix(values, Matrix::Lu).map(list);
    "qr"("a") 1: |values| of_matrix(values, Matrix::Qr).map(list);
    "eigh"("a" "upper") 1: |values| of_matrix(values, Matrix::Eigen(true)).map(list);
    "eigvalsh"("a" "upper") 1: |values| of_matrix(values, Matrix::Eigen(false)).and_then(one);
    "svd"("a" "full_matrices") 1: |values| of_matrix(values, Matrix::SingularVectors).map(list);
    "svdvals"("a") 1: |values| of_matrix(values, Matrix::SingularValues).and_then(one);
    "fft"("x" "axis") 1: |values| complex_transform(values, true).map(Value::Array);
    "ifft"("x" "axis") 1: |values| complex_transform(values, false).map(Value::Array);
    "rfft"("x" "axis") 1: |values| real_transform(values).map(Value::Array);
    "irfft"("x" "n" "axis") 1: |values| to_real_transform(values).map(Value::Array);
};

/// A function of a matrix.
#[derive(Clone, Copy)]
enum Matrix {
    Inverse,
    Determinant,
    Lu,
    Qr,
    /// Eigenvalues of a Hermitian matrix, and eigenvectors or none.
    Eigen(bool),
    SingularVectors,
    SingularValues,
}

fn list(nodes: Vec<Node>) -> Value {
    Value::List(nodes.into_iter().map(Value::Array).collect())
}

fn one(mut nodes: Vec<Node>) -> Result<Value> {
    nodes.pop().map(Value::Array).ok_or_else(|| "a result is missing".to_owned())
}

/// Applies an expression to the element type of a node.
macro_rules! with_floating {
    ($node:expr, $element:ident => $value:expr) => {
        match $node.element() {
            ElementType::F32 => {
                type $element = f32;
                $value
            }
            ElementType::C32 => {
                type $element = Complex32;
                $value
            }
            ElementType::C64 => {
                type $element = Complex64;
                $value
            }
            _ => {
                type $element = f64;
                $value
            }
        }
    };
}

fn of_matrix(values: Values<'_>, function: Matrix) -> Result<Vec<Node>> {
    let a = numbers(values, 0)?;
    with_floating!(a, T => {
        let matrix = Expr::<T>::from_node(a.clone());
        Ok(match function {
            Matrix::Inverse => vec![matrix.inverse().node().clone()],
            Matrix::Determinant => vec![matrix.det().node().clone()],
            Matrix::Lu => {
                let (rows, lower, upper) = matrix.lu();
                vec![rows.node().clone(), lower.node().clone(), upper.node().clone()]
            }
            Matrix::Qr => {
                let (q, r) = matrix.qr();
                vec![q.node().clone(), r.node().clone()]
            }
            Matrix::Eigen(true) => {
                let (w, z) = matrix.eigh(triangle(values)?);
                vec![w.node().clone(), z.node().clone()]
            }
            Matrix::Eigen(false) => vec![matrix.eigvalsh(triangle(values)?).node().clone()],
            Matrix::SingularVectors => {
                let is_full = values[1].is_none() || flag(values, 1)?;
                let (u, s, vh) = matrix.svd(is_full);
                vec![u.node().clone(), s.node().clone(), vh.node().clone()]
            }
            Matrix::SingularValues => vec![matrix.svdvals().node().clone()],
        })
    })
}

fn cholesky(values: Values<'_>) -> Result<Node> {
    let (a, triangle) = (numbers(values, 0)?, triangle(values)?);
    with_floating!(a, T => Ok(Expr::<T>::from_node(a.clone()).cholesky(triangle).node().clone()))
}

/// The triangle that is read: the lower one without `upper`.
fn triangle(values: Values<'_>) -> Result<Triangle> {
    Ok(if flag(values, 1)? { Triangle::Upper } else { Triangle::Lower })
}

/// The solution of a x = b. `lower` says that a is triangular: its lower triangle where it is true, else its upper one.
fn solution(values: Values<'_>) -> Result<Node> {
    let [a, b] = pair_of_numbers(values)?;
    let diagonal = if flag(values, 3)? { Diag::Unit } else { Diag::NonUnit };
    let triangle = match &values[2] {
        None | Some(Value::None) => None,
        Some(_) => Some(if flag(values, 2)? { Triangle::Lower } else { Triangle::Upper }),
    };
    with_floating!(a, T => {
        let (matrix, b) = (Expr::<T>::from_node(a.clone()), Expr::<T>::from_node(b.clone()));
        Ok(match triangle {
            Some(triangle) => solve(matrix.triangular(triangle, diagonal), b),
            None => solve(matrix, b),
        }
        .node()
        .clone())
    })
}

/// The solution of op(a) x = b for a triangle of a, with SciPy's arguments: `trans` is 0, 1 for the transpose or 2 for
/// the adjoint, and the upper triangle is read unless `lower` is true.
fn triangular_solution(values: Values<'_>) -> Result<Node> {
    let [a, b] = pair_of_numbers(values)?;
    let trans = whole(values, 2, 0)?;
    let is_lower = flag(values, 3)?;
    let diagonal = if flag(values, 4)? { Diag::Unit } else { Diag::NonUnit };
    let a = match trans {
        0 => a,
        1 => a.transpose_last(),
        2 if a.element().is_complex() => a.transpose_last().complex(Complex::Conj),
        2 => a.transpose_last(),
        other => return Err(format!("trans is 0, 1 or 2, and not {other}")),
    };
    let triangle = if is_lower == (trans == 0) { Triangle::Lower } else { Triangle::Upper };
    with_floating!(a, T => {
        let (matrix, b) = (Expr::<T>::from_node(a.clone()), Expr::<T>::from_node(b.clone()));
        Ok(solve(matrix.triangular(triangle, diagonal), b).node().clone())
    })
}

/// The sum of products of vectors, the product of matrices, or with a number.
fn dot(values: Values<'_>) -> Result<Node> {
    let [a, b] = [array(values, 0)?, array(values, 1)?];
    let operator = if a.shape().rank() == 0 || b.shape().rank() == 0 { "*" } else { "@" };
    match operators::binary(operator, &Value::Array(a), &Value::Array(b))? {
        Value::Array(node) => Ok(node),
        other => Err(format!("{} is no array", other.describe())),
    }
}

/// The sum of conj(a) b along an axis.
fn vecdot(values: Values<'_>) -> Result<Node> {
    let [a, b] = super::pair(values)?;
    let a = if a.element().is_complex() { a.complex(Complex::Conj) } else { a };
    let product = a.binary(Binary::Mul, &b);
    if product.error().is_some() {
        return Ok(product);
    }
    let axis = product.shape().axis(whole(values, 2, -1)?).map_err(|error| error.to_string())?;
    Ok(product.reduce(Reduction::Sum, Axes::one(axis), false))
}

fn outer(values: Values<'_>) -> Result<Node> {
    let [a, b] = super::pair(values)?;
    Ok(super::shapes::flat(&a).new_axis(1).binary(Binary::Mul, &super::shapes::flat(&b).new_axis(0)))
}

/// A transform between real and complex elements, whose real axis is the last one in the list. `transform` has it as
/// the largest axis.
fn along_listed_axes(
    values: Values<'_>,
    position: usize,
    x: &Node,
    transform: impl FnOnce(&Node, &[i64]) -> Result<Node>,
) -> Result<Node> {
    let axes = transform_axes(values, position, x.shape())?;
    let listed = match &values[position] {
        Some(value) if !matches!(value, Value::None) => super::whole_list(value)?.last().copied(),
        _ => None,
    };
    let (Some(last), Some(&largest)) = (listed, axes.last()) else { return transform(x, &axes) };
    let last = x.shape().axis(last).map_err(|error| error.to_string())?;
    let mut exchanged: Vec<i64> = (0..x.shape().rank() as i64).collect();
    exchanged.swap(last, largest as usize);
    Ok(transform(&x.permute(&exchanged), &axes)?.permute(&exchanged))
}

/// The axes of a transform in ascending order: the last one, or those that are given.
fn transform_axes(values: Values<'_>, position: usize, shape: &Shape) -> Result<Vec<i64>> {
    match &values[position] {
        None => Ok(vec![-1]),
        Some(_) => Ok(axes(values, position, shape)?.iter().map(|axis| axis as i64).collect()),
    }
}

fn complex_transform(values: Values<'_>, is_forward: bool) -> Result<Node> {
    let x = numbers(values, 0)?;
    let axes = transform_axes(values, 1, x.shape())?;
    with_floating!(x, T => {
        let x = Expr::<T>::from_node(x.clone());
        Ok(if is_forward { x.fft_axes(&axes[..]) } else { x.ifft_axes(&axes[..]) }.node().clone())
    })
}

fn real_transform(values: Values<'_>) -> Result<Node> {
    let x = numbers(values, 0)?;
    along_listed_axes(values, 1, &x, |x, axes| match x.element() {
        ElementType::F32 => Ok(Expr::<f32>::from_node(x.clone()).rfft_axes(axes).node().clone()),
        ElementType::F64 => Ok(Expr::<f64>::from_node(x.clone()).rfft_axes(axes).node().clone()),
        other => Err(format!("rfft transforms real elements, not {other}")),
    })
}

fn to_real_transform(values: Values<'_>) -> Result<Node> {
    let x = numbers(values, 0)?;
    let x = if x.element().is_complex() { x } else { x.complex_of(Complex::FromParts, &constant(0.0, &x)) };
    along_listed_axes(values, 2, &x, |x, axes| {
        let last = axes.last().map(|axis| x.shape().axis(*axis).map_err(|error| error.to_string())).transpose()?;
        let stored = last.map_or(0, |last| x.shape()[last]);
        let n = whole(values, 1, 2 * (stored as i64 - 1).max(0))?;
        let n = usize::try_from(n).map_err(|_| format!("n is not negative, and {n} is"))?;
        // A shorter signal has fewer values here; a longer one's are zeros.
        let half = n / 2 + 1;
        let x = match last {
            Some(last) if stored > half => {
                x.slice(&[vec![Slice::FULL; last], vec![Slice::from(..half as i64)]].concat())
            }
            Some(last) if stored < half => {
                let zeros = constant(0.0, x).broadcast_to(&super::shapes::with_extent(x.shape(), last, half - stored)?);
                Node::concatenate(last as i64, &[x.clone(), zeros])
            }
            _ => x.clone(),
        };
        match x.element() {
            ElementType::C32 => Ok(Expr::<Complex32>::from_node(x).irfft_axes(axes, n).node().clone()),
            _ => Ok(Expr::<Complex64>::from_node(x).irfft_axes(axes, n).node().clone()),
        }
    })
}
