//! Indices between brackets.

use super::types::array_of;
use super::value::{Value, Weak};
use affinimath_array::{ElementType, Node, Slice};

type Result<T> = std::result::Result<T, String>;

/// An evaluated item.
#[derive(Clone, Debug)]
pub(crate) enum Item {
    Slice(Slice),
    /// Indices along one axis.
    Indices(Node),
}

impl Item {
    /// An index: a number, or an array of integers.
    pub(crate) fn of(value: &Value) -> Result<Item> {
        match value {
            Value::Number(_) => Ok(Item::Slice(Slice::Index(integer(value, "an index")?))),
            Value::Array(node) if node.element().is_integer() => Ok(Item::Indices(array_of(value, ElementType::I64)?)),
            Value::Array(node) if node.element() == ElementType::Bool => {
                Err("the elements that a mask selects have no fixed shape: write where(mask, x, y)".to_owned())
            }
            other => Err(format!("an index is an integer or an array of integers, not {}", other.describe())),
        }
    }
}

/// A whole number.
pub(crate) fn integer(value: &Value, name: &str) -> Result<i64> {
    match value {
        Value::Number(Weak::Integer(value)) => Ok(*value),
        Value::Number(Weak::Real(value)) => Err(format!("{name} is a whole number, not {value}")),
        other => Err(format!("{name} is a whole number, not {}", other.describe())),
    }
}

/// The elements of an array: slices first, then one array of indices along its axis.
pub(crate) fn get(node: &Node, items: &[Item]) -> Result<Node> {
    let mut gathered = None;
    let mut slices = Vec::with_capacity(items.len());
    for (position, item) in items.iter().enumerate() {
        match item {
            Item::Slice(slice) => slices.push(*slice),
            Item::Indices(_) if gathered.is_some() => {
                return Err("one item of an index may be an array".to_owned());
            }
            Item::Indices(indices) => {
                gathered = Some((position, indices.clone()));
                slices.push(Slice::FULL);
            }
        }
    }
    let view = node.slice(&slices);
    let Some((position, indices)) = gathered else { return Ok(view) };
    // The axis of the view at the item: before it, indices take an axis away, and the ellipsis adds those left over.
    let taken = slices.iter().filter(|slice| !matches!(slice, Slice::NewAxis | Slice::Ellipsis)).count();
    let rest = node.shape().rank().saturating_sub(taken);
    let axis: usize = slices[..position]
        .iter()
        .map(|slice| match slice {
            Slice::Index(_) => 0,
            Slice::Ellipsis => rest,
            _ => 1,
        })
        .sum();
    Ok(view.gather(axis as i64, &indices))
}

/// The slices of a part that is assigned.
pub(crate) fn slices(items: &[Item]) -> Result<Vec<Slice>> {
    let slice = |item: &Item| match item {
        Item::Slice(slice) => Ok(*slice),
        Item::Indices(_) => Err("a part that is assigned has no arrays as indices".to_owned()),
    };
    items.iter().map(slice).collect()
}
