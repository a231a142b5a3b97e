//! Reductions and scans.

use crate::element::{ElementType, Number, Value};
use crate::error::ErrorKind;
use crate::function::Reduction;
use crate::node::{Node, Op, Operands};
use crate::shape::{Axes, Shape};

impl Node {
    /// Joins the elements along the axes, which the result lacks, or has with extent 1 if `keep`.
    ///
    /// `Sum` and `Product` are those of the element type: integers wrap. `Min`, `Max`, `ArgMin` and `ArgMax` need an
    /// ordered type and at least one element; `Any` and `All` need `Bool`.
    #[track_caller]
    pub fn reduce(&self, reduction: Reduction, axes: Axes, keep: bool) -> Node {
        let operation = reduction.name();
        let element = match reduction {
            Reduction::ArgMin | Reduction::ArgMax => ElementType::I64,
            _ => self.element(),
        };
        if self.error().is_some() {
            return self.same_error(element);
        }
        let from = *self.shape();
        if let Err(kind) = reducible(reduction, self.element(), &from, axes) {
            return Node::from_error(kind, element);
        }
        let shape = from.reduced(axes, keep);
        // Without elements, or with one, there is nothing to join.
        match (from.len_of(axes), reduction) {
            (0, _) => Node::scalar(neutral(reduction, element)).in_context_of(self).broadcast_to(&shape),
            (1, Reduction::ArgMin | Reduction::ArgMax) => {
                Node::scalar(Number::Real(Value::I64(0))).in_context_of(self).broadcast_to(&shape)
            }
            (1, _) => self.reshape(&shape),
            _ => Node::build(Operands::One([self.clone()]), operation, element, |_| {
                Ok((Op::Reduce { reduction, axes, keep }, element, shape))
            }),
        }
    }

    /// Running sums or products along the axis: `Sum` or `Product`.
    #[track_caller]
    pub fn scan(&self, reduction: Reduction, axis: i64) -> Node {
        let operation = match reduction {
            Reduction::Sum => "cumsum",
            Reduction::Product => "cumprod",
            _ => {
                let reason = format!("{} is neither a sum nor a product", reduction.name());
                return Node::from_error(ErrorKind::Argument { operation: "scan", reason }, self.element());
            }
        };
        Node::build(Operands::One([self.clone()]), operation, self.element(), |nodes| {
            let (element, shape) = nodes[0].signature();
            let axis = shape.axis(axis)?;
            if !element.is_number() {
                return Err(ErrorKind::Unsupported { operation, element });
            }
            Ok((Op::Scan { reduction, axis }, element, shape))
        })
    }
}

/// The rules of the reduction of an array.
fn reducible(reduction: Reduction, element: ElementType, shape: &Shape, axes: Axes) -> Result<(), ErrorKind> {
    let operation = reduction.name();
    if let Some(axis) = axes.iter().find(|&axis| axis >= shape.rank()) {
        return Err(ErrorKind::Axis { axis: axis as i64, rank: shape.rank() });
    }
    let holds = match reduction {
        Reduction::Sum | Reduction::Product => element.is_number(),
        Reduction::Any | Reduction::All => element == ElementType::Bool,
        _ => element.is_integer() || element.is_real(),
    };
    if !holds {
        return Err(ErrorKind::Unsupported { operation, element });
    }
    let has_neutral = !matches!(reduction, Reduction::Min | Reduction::Max | Reduction::ArgMin | Reduction::ArgMax);
    if !has_neutral && shape.len_of(axes) == 0 && !shape.reduced(axes, false).is_empty() {
        return Err(ErrorKind::Empty { operation, shape: *shape });
    }
    Ok(())
}

/// The result of no elements; of the reductions that have none, any value of the type.
fn neutral(reduction: Reduction, element: ElementType) -> Number {
    match reduction {
        Reduction::Product => Number::of_real(1.0, element),
        Reduction::All => Number::Real(Value::Bool(true)),
        _ => Number::of_real(0.0, element),
    }
}

impl Reduction {
    /// Its name in expressions.
    pub const fn name(self) -> &'static str {
        match self {
            Reduction::Sum => "sum",
            Reduction::Product => "prod",
            Reduction::Min => "min",
            Reduction::Max => "max",
            Reduction::ArgMin => "argmin",
            Reduction::ArgMax => "argmax",
            Reduction::Any => "any",
            Reduction::All => "all",
        }
    }
}
