//! The values of a strategy's parameters, for a stencil with sizes.

use super::resolve::{Resolver, Scene};
use super::syntax::{Definition, Expr, Kind, Parameter, Values};
use super::tree::Scalar;
use crate::error::{Error, Result};

/// The most values of a component.
const MAX_VALUES: usize = 10_000;
/// The length of boxes without a value, on axes behind the first.
const LENGTH: i64 = 16;

/// The possible values of a parameter's components.
pub(super) fn possible(definition: &Definition, text: &str, scene: &Scene, own: &Parameter) -> Result<Vec<Vec<i64>>> {
    let mut resolver = Resolver::new(text, scene, &definition.domain);
    let length = resolver.length(own.kind, own.at)?;
    // A strategy for three dimensions is one for two.
    let sets = own.sets.iter().take(length).map(|set| {
        let mut all = Vec::new();
        for values in set {
            extend(&mut resolver, values, &mut all, own)?;
        }
        let mut seen = std::collections::HashSet::new();
        all.retain(|value| seen.insert(*value));
        match all.is_empty() {
            true => resolver.fail(own.at, format!("'{}' has no value", own.name)),
            false => Ok(all),
        }
    });
    let mut sets = sets.collect::<Result<Vec<_>>>()?;
    if let Some(last) = sets.last().cloned() {
        sets.resize(length, last);
        return Ok(sets);
    }
    // Without sets: powers of two, and for vectors the axis' length.
    let each = (0..length).map(|component| {
        let (first, last) = scene.domain[component.min(scene.domain.len() - 1)];
        let all = last - first + 1;
        if own.kind == Kind::Int {
            return (0..7).map(|power| 1 << power).collect();
        }
        let mut values: Vec<i64> = (0..10).map(|power| 1 << power).filter(|&value| value < all).collect();
        values.push(all);
        values
    });
    Ok(each.collect())
}

fn extend(resolver: &mut Resolver<'_>, values: &Values, all: &mut Vec<i64>, own: &Parameter) -> Result<()> {
    let mut number = |value: &Expr| -> Result<i64> {
        match resolver.number(value)? {
            Scalar::Number(number) => Ok(number),
            _ => resolver.fail(value.at, "a value of a parameter depends on variables"),
        }
    };
    match values {
        Values::One(value) => {
            let value = number(value)?;
            all.push(value);
        }
        Values::Range { first, step, is_geometric, last } => {
            let (from, to) = (number(first)?, number(last)?);
            let by = step.as_ref().map_or(Ok(1), &mut number)?;
            let at = step.as_ref().unwrap_or(first).at;
            if by < 1 + i64::from(*is_geometric) || *is_geometric && from < 1 {
                return resolver.fail(at, format!("the values {from} : {by} : {to} have no end"));
            }
            let mut value = Some(from);
            while let Some(own) = value.filter(|own| *own <= to) {
                all.push(own);
                value = if *is_geometric { own.checked_mul(by) } else { own.checked_add(by) };
                if all.len() > MAX_VALUES {
                    break;
                }
            }
        }
    }
    if all.len() > MAX_VALUES {
        return resolver.fail(own.at, format!("'{}' has more than {MAX_VALUES} values", own.name));
    }
    Ok(())
}

/// The values of all parameters, in their order: given ones, or the first of their sets.
pub(super) fn chosen(
    definition: &Definition,
    text: &str,
    scene: &Scene,
    given: &std::collections::BTreeMap<String, Vec<i64>>,
) -> Result<Vec<Vec<i64>>> {
    let each = definition.parameters.iter().map(|own| {
        let resolver = Resolver::new(text, scene, &definition.domain);
        let length = resolver.length(own.kind, own.at)?;
        match given.get(&own.name) {
            Some(values) if values.len() == length => Ok(values.clone()),
            Some(values) if values.len() == 1 => Ok(vec![values[0]; length]),
            Some(values) => {
                let (name, given) = (&own.name, values.len());
                Err(Error::new(format!("the parameter '{name}' has {length} components, and {given} values are given")))
            }
            None if !own.sets.is_empty() => {
                Ok(possible(definition, text, scene, own)?.into_iter().map(|values| values[0]).collect())
            }
            None if own.kind == Kind::Int => Ok(vec![1]),
            // Whole rows.
            None => Ok((0..length).map(|component| default_length(scene, component)).collect()),
        }
    });
    each.collect()
}

fn default_length(scene: &Scene, component: usize) -> i64 {
    let (first, last) = scene.domain[component];
    let length = last - first + 1;
    if component == 0 { length } else { LENGTH.min(length) }
}
