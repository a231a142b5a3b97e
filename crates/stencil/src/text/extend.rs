//! Parts of texts that are added to a stencil.

use crate::definition::Stencil;
use crate::error::{Error, Result};

impl Stencil {
    /// The stencil with an expression as a further initial value of a grid: of all levels that a run reads, or of one
    /// relative to `t`. It depends on coordinates, sizes, parameters and the time.
    ///
    /// # Errors
    /// The expression is none, or no such value.
    pub fn with_initial(&self, grid: usize, time: Option<i32>, value: &str) -> Result<Stencil> {
        let definition = &self.grids()[grid];
        let axes: Vec<String> = definition.axes.iter().map(|axis| format!("axis({axis})")).collect();
        let time = match time {
            _ if definition.constant => String::new(),
            None => String::new(),
            Some(0) => "; t".to_owned(),
            Some(time) => format!("; t{time:+}"),
        };
        let mut rules = String::new();
        for component in 0..definition.component_count() {
            let mut rest = component;
            let mut indices = Vec::new();
            for &length in definition.components.iter().rev() {
                indices.insert(0, (rest % length).to_string());
                rest /= length;
            }
            let indices = if indices.is_empty() { String::new() } else { format!("; {}", indices.join(", ")) };
            rules += &format!("{}[{}{time}{indices}] = {value}; ", definition.name, axes.join(", "));
        }
        let text = self.to_string();
        let body = text.trim_end().strip_suffix('}').unwrap_or(&text);
        let extended = Stencil::parse(&format!("{body}\n  initial {{ {rules} }}\n}}\n"));
        let extended = extended.map_err(|error| Error::new(format!("'{value}': {}", error.reason)))?;
        // Nothing but values was added: without them it is the same text.
        let count = self.initial().len();
        let added = extended.initial().len().checked_sub(count);
        let mut before = extended.clone();
        before.initial.truncate(count);
        if added != Some(definition.component_count()) || before.to_string() != text {
            return Err(Error::new(format!("'{value}' is no expression")));
        }
        Ok(extended)
    }
}
