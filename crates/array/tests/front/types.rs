//! The type and the shape of each function's result.

use affinimath_array::function::{Binary, Unary};
use affinimath_array::node::Complex;
use affinimath_array::{
    Element, ElementType, Expr, Node, Number, complex, concatenate, from_vec, iota, keep, ones, polar, s, stack,
};
use affinimath_core::{Complex32, Complex64};

const ALL: [Unary; 39] = {
    use Unary::*;
    [
        Neg, Not, Abs, Sign, Recip, Square, Sqrt, Cbrt, Exp, Exp2, Expm1, Ln, Log2, Log10, Log1p, Sin, Cos, Tan, Asin,
        Acos, Atan, Sinh, Cosh, Tanh, Erf, Erfc, Normcdf, Gamma, Lgamma, Floor, Ceil, Trunc, Round, IsNan, IsInfinite,
        IsFinite, SignBit, SinPi, CosPi,
    ]
};

const ALL_BINARY: [Binary; 22] = {
    use Binary::*;
    [Add, Sub, Mul, Div, Rem, Min, Max, Pow, Atan2, Hypot, CopySign, And, Or, Xor, Shl, Shr, Lt, Le, Gt, Ge, Eq, Ne]
};

/// A node of shape [2, 3].
fn node(element: ElementType) -> Node {
    let shape = affinimath_array::Shape::new(&[2, 3]).unwrap();
    Node::scalar(Number::of_real(1.0, element)).broadcast_to(&shape)
}

/// Letters of the types, as `ElementType::ALL` has them: bool u8 i32 u32 i64 f32 f64 Complex32 Complex64.
const LETTERS: &str = "?buUlfdcz";

fn letter(element: ElementType) -> char {
    let index = ElementType::ALL.iter().position(|&other| other == element).unwrap();
    LETTERS.chars().nth(index).unwrap()
}

#[test]
fn functions_of_one_operand_give_these_types() {
    for function in ALL {
        use Unary::*;
        // The result for each type; a dot where the function is not defined.
        let expected = match function {
            Not => "?buUl....",
            Neg | Square => ".buUlfdcz",
            Abs => ".buUlfdfd",
            Sign => ".buUlfd..",
            Recip | Sqrt | Exp | Ln => ".....fdcz",
            IsNan | IsInfinite | IsFinite => ".....????",
            SignBit => ".....??..",
            _ => ".....fd..",
        };
        for (element, expected) in ElementType::ALL.into_iter().zip(expected.chars()) {
            let result = node(element).unary(function);
            match result.error() {
                Some(_) => assert_eq!(expected, '.', "{function:?} {element}"),
                None => {
                    assert_eq!(letter(result.element()), expected, "{function:?} {element}");
                    assert_eq!(result.shape(), &[2, 3]);
                }
            }
        }
    }
}

#[test]
fn functions_of_two_operands_give_these_types() {
    for function in ALL_BINARY {
        use Binary::*;
        let expected = match function {
            Add | Sub | Mul | Div => ".buUlfdcz",
            Rem | Min | Max => ".buUlfd..",
            Pow | Atan2 | Hypot | CopySign => ".....fd..",
            And | Or | Xor => "?buUl....",
            Shl | Shr => ".buUl....",
            Lt | Le | Gt | Ge => ".??????..",
            Eq | Ne => "?????????",
        };
        for (element, expected) in ElementType::ALL.into_iter().zip(expected.chars()) {
            let result = node(element).binary(function, &node(element));
            let found = if result.error().is_some() { '.' } else { letter(result.element()) };
            assert_eq!(found, expected, "{function:?} {element}");
        }
        // Mixed types: a complex operand and one of its part's type.
        for left in ElementType::ALL {
            for right in ElementType::ALL.into_iter().filter(|&right| right != left) {
                let result = node(left).binary(function, &node(right));
                let is_mixed =
                    (left.part() == right || right.part() == left) && matches!(function, Add | Sub | Mul | Div);
                assert_eq!(result.error().is_none(), is_mixed, "{function:?} {left} {right}");
            }
        }
    }
}

#[test]
fn complex_functions_give_these_types() {
    for (element, part) in [(ElementType::C32, ElementType::F32), (ElementType::C64, ElementType::F64)] {
        for function in [Complex::Re, Complex::Im, Complex::Arg, Complex::NormSquared] {
            assert_eq!(node(element).complex(function).element(), part);
            assert!(node(part).complex(function).error().is_some());
        }
        assert_eq!(node(element).complex(Complex::Conj).element(), element);
        for function in [Complex::FromParts, Complex::Polar] {
            assert_eq!(node(part).complex_of(function, &node(part)).element(), element);
            assert!(node(element).complex_of(function, &node(element)).error().is_some());
            assert!(node(element).complex(function).error().is_some());
        }
        assert!(node(part).complex_of(Complex::Re, &node(part)).error().is_some());
    }
}

#[test]
fn casts_go_everywhere_but_from_complex_to_real() {
    for from in ElementType::ALL {
        for to in ElementType::ALL {
            let result = node(from).convert(to);
            assert_eq!(result.element(), to);
            assert_eq!(result.error().is_none(), to.is_complex() || !from.is_complex(), "{from} {to}");
        }
    }
}

/// Type and shape of an expression without an error.
#[track_caller]
fn of<T: Element>(expr: Expr<T>) -> (ElementType, Vec<usize>) {
    assert!(expr.error().is_none(), "{expr:?}");
    assert_eq!(expr.node().element(), T::TYPE);
    (T::TYPE, expr.shape().to_vec())
}

#[test]
fn typed_real_functions_have_the_types_of_their_nodes() {
    let x = ones::<f32>([2, 3]);
    let z = complex(&x, &x);
    for e in [
        x.cbrt(),
        x.exp2(),
        x.expm1(),
        x.log2(),
        x.log10(),
        x.log1p(),
        x.sin(),
        x.cos(),
        x.tan(),
        x.asin(),
        x.acos(),
        x.atan(),
        x.sinh(),
        x.cosh(),
        x.tanh(),
        x.erf(),
        x.erfc(),
        x.normcdf(),
        x.gamma(),
        x.lgamma(),
        x.floor(),
        x.ceil(),
        x.trunc(),
        x.round(),
        x.sin_pi(),
        x.cos_pi(),
        x.abs(),
        x.sign(),
        x.recip(),
        x.square(),
        x.sqrt(),
        x.exp(),
        x.ln(),
        x.pow(2.0),
        x.atan2(&x),
        x.hypot(1.0),
        x.copysign(-1.0),
        x.minimum(&x),
        x.maximum(0.0),
        x.clamp(0.0, 1.0),
        x.fma(2.0, &x),
        x.powi(5),
        z.re(),
        z.im(),
        z.arg(),
        z.abs(),
        z.norm_squared(),
    ] {
        assert_eq!(of(e), (ElementType::F32, vec![2, 3]));
    }
}

#[test]
fn typed_functions_of_other_types_have_the_types_of_their_nodes() {
    use ElementType::*;
    let (x, n) = (ones::<f32>([2, 3]), ones::<i32>([2, 3]));
    let z = complex(&x, &x);
    let full = vec![2, 3];
    for e in [z.conj(), z.exp(), z.ln(), z.sqrt(), z.recip(), z.square(), z.powi(3), polar(&x, 1.0), -&z] {
        assert_eq!(of(e), (C32, full.clone()));
    }
    for e in [x.is_nan(), x.is_infinite(), z.is_finite(), x.sign_bit(), n.gt(0), z.equal(&z)] {
        assert_eq!(of(e), (Bool, full.clone()));
    }
    for e in [n.abs(), n.sign(), n.square(), n.powi(0), -&n] {
        assert_eq!(of(e), (I32, full.clone()));
    }
    assert_eq!(of(z.h()), (C32, vec![3, 2]));
    assert_eq!(of(n.cast::<Complex64>()), (C64, full));
    assert_eq!(of(polar(1.0, iota(4).cast::<f64>())), (C64, vec![4]));
    let _: Expr<Complex32> = z;
}

#[test]
fn reductions_have_the_types_and_shapes_of_their_axes() {
    use ElementType::*;
    let x = ones::<f32>([2, 3, 4]);
    assert_eq!(of(x.sum(..)), (F32, vec![]));
    assert_eq!(of(x.sum(1)), (F32, vec![2, 4]));
    assert_eq!(of(x.prod([0, -1])), (F32, vec![3]));
    assert_eq!(of(x.max(keep(1))), (F32, vec![2, 1, 4]));
    assert_eq!(of(x.min(keep(..))), (F32, vec![1, 1, 1]));
    assert_eq!(of(x.argmin(1)), (I64, vec![2, 4]));
    assert_eq!(of(x.argmax(keep([0, 2]))), (I64, vec![1, 3, 1]));
    assert_eq!(of(x.gt(0.0).any(0)), (Bool, vec![3, 4]));
    assert_eq!(of(x.gt(0.0).all(..)), (Bool, vec![]));
    assert_eq!(of(x.gt(0.0).count(2)), (I64, vec![2, 3]));
    assert_eq!(of(x.mean(keep(-1))), (F32, vec![2, 3, 1]));
    assert_eq!(of(x.var(-1)), (F32, vec![2, 3]));
    assert_eq!(of(x.norm()), (F32, vec![]));
    let z = complex(&x, &x);
    assert_eq!(of(z.sum(0)), (C32, vec![3, 4]));
    assert_eq!(of(z.mean(..)), (C32, vec![]));
    assert_eq!(of(z.var_with(0, 1)), (F32, vec![3, 4]));
    assert_eq!(of(z.norm_along([0, 1])), (F32, vec![4]));
    assert_eq!(of(x.cumsum(1)), (F32, vec![2, 3, 4]));
    assert_eq!(of(z.cumprod(-1)), (C32, vec![2, 3, 4]));
}

#[test]
fn views_gathers_and_joins_have_their_shapes() {
    let x = ones::<f64>([2, 3, 4]);
    let shape = |expr: Expr<f64>| of(expr).1;
    assert_eq!(shape(x.t()), [4, 3, 2]);
    assert_eq!(shape(x.permute([1, -1, 0])), [3, 4, 2]);
    assert_eq!(shape(x.reshape([6, 4])), [6, 4]);
    assert_eq!(shape(x.flatten()), [24]);
    assert_eq!(shape(x.reverse([0, 1])), [2, 3, 4]);
    assert_eq!(shape(x.broadcast_to([5, 2, 3, 4])), [5, 2, 3, 4]);
    assert_eq!(shape(x.new_axis(-1)), [2, 3, 4, 1]);
    assert_eq!(shape(x.at(s![.., 0])), [2, 4]);
    assert_eq!(shape(x.index(0)), [3, 4]);
    assert_eq!(shape(x.index(iota([5, 6]))), [5, 6, 3, 4]);
    assert_eq!(shape(x.index_along(-2, from_vec(2, vec![-1, 0]))), [2, 2, 4]);
    assert_eq!(shape(concatenate(1, [&x, &x.at(s![.., 1..]), &x])), [2, 8, 4]);
    assert_eq!(shape(stack(0, [&x, &x])), [2, 2, 3, 4]);
    assert_eq!(shape(stack(-1, vec![x.clone(); 5])), [2, 3, 4, 5]);
    assert_eq!(shape(stack(1, [1.0, 2.0].map(|value| x.at(s![0]) * value))), [3, 2, 4]);
    let one = |n: usize| ones::<f64>([n]);
    assert_eq!(shape(x.matmul(ones([4, 7]))), [2, 3, 7]);
    assert_eq!(shape(x.matmul(one(4))), [2, 3]);
    assert_eq!(shape(one(3).matmul(&x)), [2, 4]);
    assert_eq!(shape(one(3).matmul(one(3))), [0usize; 0]);
    assert_eq!(shape(x.matmul(ones([5, 1, 4, 7]))), [5, 2, 3, 7]);
    assert_eq!(shape(ones::<f64>([3, 0]).matmul(ones([0, 2]))), [3, 2]);
}
