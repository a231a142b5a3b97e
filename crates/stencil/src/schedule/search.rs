//! Searches for the parameters of a strategy that is a text.

use affinimath_tuner::space::{Configuration, Space, Value};

use super::Schedule;
use crate::bound::Bound;
use crate::error::{Error, Result};

/// The name of a component in a space.
fn component(name: &str, index: usize, length: usize) -> String {
    if length == 1 { name.to_owned() } else { format!("{name}_{}", index + 1) }
}

impl Schedule {
    /// The space of a search for a stencil with sizes: `cb_1`, `cb_2` and so on are the components of `cb`. Parameters
    /// that were given keep their values.
    ///
    /// # Errors
    /// Those of [`Schedule::possible`]; the strategy has no parameters, or two of them have one name in the space.
    pub fn space(&self, bound: &Bound) -> Result<Space> {
        let mut builder = Space::builder();
        for (name, chosen) in self.values(bound)? {
            let possible = match self.values.contains_key(&name) {
                true => chosen.iter().map(|&value| vec![value]).collect(),
                false => self.possible(&name, bound)?,
            };
            for (index, values) in possible.into_iter().enumerate() {
                builder = builder.values(&component(&name, index, chosen.len()), values);
            }
        }
        if self.definition.parameters.is_empty() {
            return Err(Error::new(format!("the strategy '{}' has no parameters to choose", self.name())));
        }
        builder.build().map_err(|error| Error::new(format!("the parameters of '{}': {error}", self.name())))
    }

    /// The point of a space that has the values of [`Schedule::values`].
    ///
    /// # Errors
    /// Those of [`Schedule::values`].
    pub fn configuration(&self, bound: &Bound) -> Result<Configuration> {
        let values = self.values(bound)?;
        let each = values.iter().flat_map(|(name, all)| {
            all.iter().enumerate().map(|(index, &value)| (component(name, index, all.len()), Value::Integer(value)))
        });
        Ok(Configuration(each.collect()))
    }

    /// The strategy with the values of a point for a stencil with sizes.
    ///
    /// # Errors
    /// A value is missing.
    pub fn at(&self, point: &Configuration, bound: &Bound) -> Result<Self> {
        let mut own = self.clone();
        for (name, chosen) in self.values(bound)? {
            let values = (0..chosen.len()).map(|index| {
                let name = component(&name, index, chosen.len());
                let value = point.value(&name).and_then(|value| value.as_integer());
                value.ok_or_else(|| Error::new(format!("the point '{point}' has no value of '{name}'")))
            });
            own = own.with(&name, &values.collect::<Result<Vec<i64>>>()?)?;
        }
        Ok(own)
    }
}
