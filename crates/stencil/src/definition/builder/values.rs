//! Operands of a program's expressions: taps, values, elements of parameters.

use std::ops;

use super::{Grid, Handle, Operand, Shared, Tap, Value};
use crate::definition::{Binary, ExprId, Function, MAX_AXES, Node, Offsets, Type, Unary};

/// A parameter of a builder.
#[derive(Clone, Copy)]
pub struct Array<'s> {
    shared: &'s Shared,
    parameter: usize,
    kind: Type,
}

impl<'s> Array<'s> {
    pub(super) fn new(shared: &'s Shared, parameter: usize, kind: Type) -> Self {
        Array { shared, parameter, kind }
    }

    /// The element at integer indices; of a scalar, at none.
    pub fn at(self, indices: &[Value<'s>]) -> Value<'s> {
        self.shared.value(|draft| {
            let indices = indices
                .iter()
                .map(|index| draft.assigned(index.id, Type::I64))
                .collect::<std::result::Result<_, String>>()?;
            draft.leaf(Node::Parameter { parameter: self.parameter, indices }, self.kind)
        })
    }
}

impl<'s, const D: usize> Grid<'s, D> {
    /// The grid at the level t + `time`.
    pub fn at_time(self, time: i32) -> Self {
        Grid { time, ..self }
    }

    /// A component of an array of grids.
    pub fn component(self, component: usize) -> Self {
        Grid { component, ..self }
    }
}

impl<'s, const D: usize> ops::Index<[i32; D]> for Grid<'s, D> {
    type Output = Tap<'s>;

    fn index(&self, offsets: [i32; D]) -> &Tap<'s> {
        let mut all = Offsets::default();
        for (axis, offset) in offsets.into_iter().enumerate().take(MAX_AXES) {
            all[axis] = offset;
        }
        let tap = crate::definition::Tap { grid: self.grid, component: self.component, time: self.time, offsets: all };
        self.taps.keep(Tap { shared: self.shared, tap })
    }
}

impl<'s> Operand<'s> for Value<'s> {
    fn id_in(self, _: Handle<'s>) -> ExprId {
        self.id
    }
}

impl<'s> Operand<'s> for Tap<'s> {
    fn id_in(self, _: Handle<'s>) -> ExprId {
        self.value().id
    }
}

macro_rules! numbers {
    ($($T:ty)*) => {$(
        impl<'s> Operand<'s> for $T {
            fn id_in(self, builder: Handle<'s>) -> ExprId {
                builder.0.value(|draft| draft.literal(f64::from(self))).id
            }
        }
    )*};
}

numbers! { f32 f64 i32 }

macro_rules! operators {
    ($($Trait:ident $method:ident $operator:ident,)*) => {$(
        operators! { @with $Trait $method $operator Value }
        operators! { @with $Trait $method $operator Tap }
        operators! { @number $Trait $method $operator f64 }
        operators! { @number $Trait $method $operator i32 }
    )*};
    (@with $Trait:ident $method:ident $operator:ident $Left:ident) => {
        impl<'s, T: Operand<'s>> ops::$Trait<T> for $Left<'s> {
            type Output = Value<'s>;
            fn $method(self, other: T) -> Value<'s> {
                binary(self.shared, Binary::$operator, self, other)
            }
        }
    };
    (@number $Trait:ident $method:ident $operator:ident $T:ty) => {
        impl<'s> ops::$Trait<Value<'s>> for $T {
            type Output = Value<'s>;
            fn $method(self, other: Value<'s>) -> Value<'s> {
                binary(other.shared, Binary::$operator, self, other)
            }
        }
        impl<'s> ops::$Trait<Tap<'s>> for $T {
            type Output = Value<'s>;
            fn $method(self, other: Tap<'s>) -> Value<'s> {
                binary(other.shared, Binary::$operator, self, other)
            }
        }
    };
}

operators! { Add add Add, Sub sub Subtract, Mul mul Multiply, Div div Divide, Rem rem Remainder, }

fn binary<'s>(shared: &'s Shared, operator: Binary, a: impl Operand<'s>, b: impl Operand<'s>) -> Value<'s> {
    let (a, b) = (a.id_in(Handle(shared)), b.id_in(Handle(shared)));
    shared.value(|draft| draft.binary(operator, a, b))
}

impl<'s> ops::Neg for Value<'s> {
    type Output = Value<'s>;
    fn neg(self) -> Value<'s> {
        self.shared.value(|draft| draft.unary(Unary::Negate, self.id))
    }
}

impl<'s> ops::Neg for Tap<'s> {
    type Output = Value<'s>;
    fn neg(self) -> Value<'s> {
        -self.value()
    }
}

impl<'s> ops::Not for Value<'s> {
    type Output = Value<'s>;
    fn not(self) -> Value<'s> {
        self.shared.value(|draft| draft.unary(Unary::Not, self.id))
    }
}

impl<'s> Tap<'s> {
    /// The tap as a value, which has more methods.
    pub fn value(self) -> Value<'s> {
        let kind = self.shared.stencil.borrow().grids[self.tap.grid].kind;
        self.shared.value(|draft| draft.leaf(Node::Tap(self.tap), kind))
    }
}

impl<'s> Value<'s> {
    /// The expression, for [`Boundary::Value`](crate::definition::Boundary::Value) and
    /// [`Boundary::Neumann`](crate::definition::Boundary::Neumann).
    pub fn expression(self) -> ExprId {
        self.id
    }

    /// An operator that Rust's operators do not give: comparisons, `&&` and `||`.
    pub fn with(self, operator: Binary, other: impl Operand<'s>) -> Value<'s> {
        binary(self.shared, operator, self, other)
    }

    /// A function of one argument.
    pub fn call(self, function: Function) -> Value<'s> {
        self.shared.value(|draft| draft.call(function, vec![self.id]))
    }

    /// A function of two arguments.
    pub fn call_with(self, function: Function, other: impl Operand<'s>) -> Value<'s> {
        let other = other.id_in(Handle(self.shared));
        self.shared.value(|draft| draft.call(function, vec![self.id, other]))
    }

    /// `self ^ exponent`
    pub fn power(self, exponent: impl Operand<'s>) -> Value<'s> {
        let exponent = exponent.id_in(Handle(self.shared));
        self.shared.value(|draft| draft.power(self.id, exponent))
    }

    /// One of two values, by this condition.
    pub fn select(self, a: impl Operand<'s>, b: impl Operand<'s>) -> Value<'s> {
        let (a, b) = (a.id_in(Handle(self.shared)), b.id_in(Handle(self.shared)));
        self.shared.value(|draft| draft.select(self.id, a, b))
    }

    /// The value in a type.
    pub fn convert(self, kind: Type) -> Value<'s> {
        self.shared.value(|draft| draft.convert(self.id, kind))
    }
}
