//! Vectors, ranges and properties of strategies as numbers, for a known number of axes.

use super::resolve::{Resolver, STEPS, Symbol};
use super::syntax::{At, Border, Expr, Item, Node as ExprNode, Operator, Part, Property, Range, ScaledBorder};
use super::tree::{Function, Ranges, Scalar};
use crate::error::Result;

/// The most components of a vector.
const MAX_COMPONENTS: usize = 64;

/// A component of a vector.
#[derive(Clone, Debug)]
pub(super) enum Component {
    Number(Scalar),
    /// Points before and behind a range.
    Border(Scalar, Scalar),
}

impl Resolver<'_> {
    /// A component that is a number.
    pub(super) fn plain(&self, own: Component, at: At) -> Result<Scalar> {
        match own {
            Component::Number(value) => Ok(value),
            Component::Border(..) => self.fail(at, "a border is added to a range or to a size"),
        }
    }

    /// The components of an expression.
    pub(super) fn quantity(&mut self, value: &Expr) -> Result<Vec<Component>> {
        match &value.node {
            ExprNode::Number(number) => Ok(vec![Component::Number(Scalar::Number(*number))]),
            ExprNode::Vector(items) => self.vector(items, None, value.at),
            ExprNode::Negative(operand) => {
                let operand = self.quantity(operand)?;
                let minus = vec![Component::Number(Scalar::Number(-1))];
                self.combine(Function::Operator(Operator::Multiply), (minus, operand), value.at)
            }
            ExprNode::Binary(operator, left, right) => {
                let both = (self.quantity(left)?, self.quantity(right)?);
                self.combine(Function::Operator(*operator), both, value.at)
            }
            ExprNode::Name(name, components) => self.named(name, components.as_ref(), value.at),
            ExprNode::Property(owner, property, components) => {
                let all = self.property(owner, *property, value.at)?;
                match components {
                    Some(components) => self.some_of(all, components, value.at),
                    None => Ok(all),
                }
            }
        }
    }

    fn named(&mut self, name: &str, components: Option<&Range>, at: At) -> Result<Vec<Component>> {
        let function = [("min", Function::Min), ("max", Function::Max)].into_iter().find(|(own, _)| *own == name);
        if let (Some((_, function)), Some(operands)) = (function, components)
            && self.find(name, at).is_err()
        {
            return self.extreme(function, operands, at);
        }
        let all = match self.find(name, at)? {
            Symbol::Numbers { values, .. } => values.iter().cloned().map(Component::Number).collect(),
            _ => {
                return self
                    .fail(at, format!("'{name}' is a domain: {name}.size, {name}.min and {name}.max are numbers"));
            }
        };
        match components {
            Some(components) => self.some_of(all, components, at),
            None => Ok(all),
        }
    }

    /// The least or the greatest of operands.
    fn extreme(&mut self, function: Function, operands: &Range, at: At) -> Result<Vec<Component>> {
        let mut found: Option<Vec<Component>> = None;
        for operand in operands {
            let Part::One(value) = &operand.part else { return self.fail(at, "operands of functions are numbers") };
            let value = self.quantity(value)?;
            found = Some(match found {
                None => value,
                Some(before) => self.combine(function, (before, value), at)?,
            });
        }
        match found {
            Some(found) => Ok(found),
            None => self.fail(at, "the function has no operand"),
        }
    }

    fn property(&self, owner: &str, property: Property, at: At) -> Result<Vec<Component>> {
        let number = |value: i64| Component::Number(Scalar::Number(value));
        if property == Property::Dim && (owner == "stencil" || self.ranges_of(owner, at).is_ok()) {
            return Ok(vec![number(self.dimension() as i64)]);
        }
        if owner == "stencil" {
            let reach = self.scene.reach.iter();
            return Ok(match property {
                Property::Size => reach.map(|(least, greatest)| number(greatest - least + 1)).collect(),
                Property::Min => reach.map(|(least, _)| number(*least)).collect(),
                Property::Max => reach.map(|(_, greatest)| number(*greatest)).collect(),
                Property::Steps => vec![Component::Number(Scalar::Variable(STEPS))],
                _ => {
                    let border = |&(least, greatest): &(i64, i64)| {
                        Component::Border(Scalar::Number(-least), Scalar::Number(greatest))
                    };
                    reach.map(border).collect()
                }
            });
        }
        let ranges = self.ranges_of(owner, at)?.into_iter();
        Ok(match property {
            Property::Size => {
                let size = |(first, last): (Scalar, Scalar)| last.minus(first).plus(Scalar::Number(1));
                ranges.map(|own| Component::Number(size(own))).collect()
            }
            Property::Min => ranges.map(|(first, _)| Component::Number(first)).collect(),
            Property::Max => ranges.map(|(_, last)| Component::Number(last)).collect(),
            _ => return self.fail(at, format!("'{}' is a property of the stencil", property.name())),
        })
    }

    /// The components at some indices, from 1 on.
    fn some_of(&mut self, all: Vec<Component>, indices: &Range, at: At) -> Result<Vec<Component>> {
        let indices = self.vector(indices, None, at)?;
        let each = indices.into_iter().map(|index| match index {
            Component::Number(Scalar::Number(index)) => {
                match index
                    .checked_sub(1)
                    .and_then(|index| usize::try_from(index).ok())
                    .and_then(|index| all.get(index))
                {
                    Some(own) => Ok(own.clone()),
                    None => self.fail(at, format!("there is no component {index}: there are {}", all.len())),
                }
            }
            _ => self.fail(at, "the index of a component depends on variables"),
        });
        each.collect()
    }

    /// An operation on components. One component goes with all of the other operand.
    fn combine(
        &self,
        function: Function,
        (left, right): (Vec<Component>, Vec<Component>),
        at: At,
    ) -> Result<Vec<Component>> {
        let length = left.len().max(right.len());
        if [left.len(), right.len()].iter().any(|&own| own != 1 && own != length) {
            let (left, right) = (left.len(), right.len());
            return self.fail(at, format!("vectors of {left} and {right} components have no {function:?}"));
        }
        let pick = |all: &[Component], index: usize| if all.len() == 1 { all[0].clone() } else { all[index].clone() };
        (0..length).map(|index| self.combined(function, pick(&left, index), pick(&right, index), at)).collect()
    }

    fn combined(&self, function: Function, left: Component, right: Component, at: At) -> Result<Component> {
        use Component::{Border, Number};
        let apply = |a: Scalar, b: Scalar| Scalar::binary(function, a, b);
        let is_sum = matches!(function, Function::Operator(Operator::Add | Operator::Subtract));
        let is_product = function == Function::Operator(Operator::Multiply);
        match (left, right) {
            (Number(a), Number(b)) => match (&a, &b, apply(a.clone(), b.clone())) {
                (Scalar::Number(_), Scalar::Number(_), Scalar::Binary(..)) => {
                    self.fail(at, "a number has no value: it is beyond 64 bits, or a quotient by 0")
                }
                (_, _, value) => Ok(Number(value)),
            },
            (Number(a), Border(lower, upper)) | (Border(lower, upper), Number(a)) if is_product => {
                Ok(Border(apply(a.clone(), lower), apply(a, upper)))
            }
            // A size with its border.
            (Number(a), Border(lower, upper)) if is_sum => Ok(Number(apply(apply(a, lower), upper))),
            (Border(a, b), Border(c, d)) if is_sum => Ok(Border(apply(a, c), apply(b, d))),
            _ => self.fail(at, "a border is added to a size, or multiplied by a number"),
        }
    }

    /// Components that fill a vector: the item with dots, or `:`, gets as many as are missing.
    fn filled<T: Clone>(&self, given: Vec<(Vec<T>, bool)>, length: Option<usize>, at: At) -> Result<Vec<T>> {
        let fills = given.iter().filter(|(_, fills)| *fills).count();
        if fills > 1 {
            return self.fail(at, "dots fill a vector in one place");
        }
        let own: usize = given.iter().map(|(own, fills)| own.len() - usize::from(*fills)).sum();
        let Some(length) = length.or((fills == 0).then_some(own)) else {
            return self.fail(at, "dots fill a vector whose length is known: here it is not");
        };
        if own > length || own < length && fills == 0 {
            return self.fail(at, format!("the vector has {own} components, and {length} are wanted"));
        }
        let mut all = Vec::new();
        for (mut own, fills) in given.iter().cloned() {
            if fills {
                let last = own.pop().expect("an item has a component");
                all.append(&mut own);
                all.extend(std::iter::repeat_n(last, length - own_length(&given)));
            } else {
                all.append(&mut own);
            }
        }
        Ok(all)
    }

    /// The components of a vector.
    pub(super) fn vector(&mut self, items: &Range, length: Option<usize>, at: At) -> Result<Vec<Component>> {
        let mut given = Vec::new();
        for Item { part, repeats } in items {
            let own = match part {
                Part::One(value) => self.quantity(value)?,
                Part::Span(first, last) => self.span(first, last)?,
                Part::All(_) => return self.fail(at, "':' is a range, and no number"),
            };
            if own.is_empty() {
                return self.fail(at, "the vector has no components here");
            }
            given.push((own, *repeats));
        }
        self.filled(given, length, at)
    }

    /// Numbers from one to another.
    fn span(&mut self, first: &Expr, last: &Expr) -> Result<Vec<Component>> {
        let (Scalar::Number(from), Scalar::Number(to)) = (self.number(first)?, self.number(last)?) else {
            return self.fail(first.at, "the components of a vector are known numbers");
        };
        if to.saturating_sub(from) >= MAX_COMPONENTS as i64 {
            return self.fail(first.at, format!("a vector has at most {MAX_COMPONENTS} components"));
        }
        Ok((from..=to).map(|number| Component::Number(Scalar::Number(number))).collect())
    }

    /// Ranges on all axes within a parent, or those of a domain.
    pub(super) fn ranges(&mut self, items: &Range, parent: &Ranges, at: At) -> Result<Ranges> {
        if let [Item { part: Part::One(Expr { node: ExprNode::Name(name, None), .. }), repeats: false }] = &items[..]
            && let Ok(Symbol::Domain(ranges)) = self.find(name, at)
        {
            return Ok(ranges.clone());
        }
        let mut given = Vec::new();
        // The first ':' fills what is missing, unless dots do.
        let mut has_fill = items.iter().any(|item| item.repeats);
        for Item { part, repeats } in items {
            let own = match part {
                Part::All(_) => vec![None],
                Part::One(value) => {
                    let all = self.quantity(value)?.into_iter().map(|own| self.plain(own, value.at));
                    all.map(|own| own.map(|own| Some((own.clone(), own)))).collect::<Result<Vec<_>>>()?
                }
                Part::Span(first, last) => self.zipped(first, last)?.into_iter().map(Some).collect(),
            };
            if own.is_empty() {
                return self.fail(at, "the range has no components here");
            }
            let fills = *repeats || matches!(part, Part::All(_)) && !std::mem::replace(&mut has_fill, true);
            given.push((own, fills));
        }
        let mut all = Vec::new();
        for (axis, own) in self.filled(given, Some(parent.len()), at)?.into_iter().enumerate() {
            all.push(own.unwrap_or_else(|| parent[axis].clone()));
        }
        let borders = items.iter().find_map(|item| match &item.part {
            Part::All(borders) if !borders.is_empty() => Some(borders),
            _ => None,
        });
        for border in borders.into_iter().flatten() {
            self.widen(&mut all, items, border)?;
        }
        all.iter().flat_map(|(first, last)| [first, last]).try_for_each(|own| self.without_time(own, at))?;
        Ok(all)
    }

    /// Ranges between the components of two vectors.
    fn zipped(&mut self, first: &Expr, last: &Expr) -> Result<Ranges> {
        let (from, to) = (self.quantity(first)?, self.quantity(last)?);
        if from.len() != to.len() {
            let (from, to) = (from.len(), to.len());
            return self.fail(first.at, format!("a range from {from} components to {to}"));
        }
        let each = from.into_iter().zip(to);
        each.map(|(from, to)| Ok((self.plain(from, first.at)?, self.plain(to, last.at)?))).collect()
    }

    /// Adds a border to ranges. That of fewer axes belongs to the first of them, where ':' stands before others.
    fn widen(&mut self, ranges: &mut Ranges, items: &Range, own: &ScaledBorder) -> Result<()> {
        let at = own.at;
        let border: Vec<(Scalar, Scalar)> = match &own.border {
            Border::Box(components) => {
                let all = self.property("stencil", Property::Box, at)?;
                let all = match components {
                    Some(components) => self.some_of(all, components, at)?,
                    None => all,
                };
                let each = all.into_iter().map(|own| match own {
                    Component::Border(lower, upper) => (lower, upper),
                    Component::Number(value) => (value.clone(), value),
                });
                each.collect()
            }
            Border::Literal(lower, upper) => {
                let (lower, upper) = (self.vector(lower, None, at)?, self.vector(upper, None, at)?);
                if lower.len() != upper.len() {
                    return self.fail(at, "the vectors of a border have the same number of components");
                }
                let each = lower.into_iter().zip(upper);
                each.map(|(a, b)| Ok((self.plain(a, at)?, self.plain(b, at)?))).collect::<Result<_>>()?
            }
        };
        // ':' begins behind the items before it.
        let before = items.iter().take_while(|item| !matches!(item.part, Part::All(_))).count();
        let most = ranges.len().saturating_sub(items.len() - 1);
        if border.len() != ranges.len() && border.len() != most {
            let given = border.len();
            return self.fail(at, format!("the border has {given} components, and ':' stands for {most} axes"));
        }
        let factor = match &own.factor {
            Some(factor) => self.number(factor)?,
            None => Scalar::Number(1),
        };
        let offset = if border.len() == ranges.len() { 0 } else { before };
        let is_all = border.len() == ranges.len() && items.len() > 1;
        for (axis, (lower, upper)) in border.into_iter().enumerate() {
            let is_own = !is_all || (before..before + most).contains(&axis);
            let Some((first, last)) = ranges.get_mut(axis + offset).filter(|_| is_own) else { continue };
            let times = |own: Scalar| Scalar::binary(Function::Operator(Operator::Multiply), factor.clone(), own);
            let (lower, upper) = (times(lower), times(upper));
            (*first, *last) = match own.is_negative {
                false => (first.clone().minus(lower), last.clone().plus(upper)),
                true => (first.clone().plus(lower), last.clone().minus(upper)),
            };
        }
        Ok(())
    }
}

/// Components apart from those that fill.
fn own_length<T>(given: &[(Vec<T>, bool)]) -> usize {
    given.iter().map(|(own, fills)| own.len() - usize::from(*fills)).sum()
}
