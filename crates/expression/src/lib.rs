//! Text expressions of arrays, such as `d = x*exp(-r*t); s*normcdf(a) - d*normcdf(b)`.
//!
//! A text is parsed once to an [`Expression`], which then builds graphs of [`affinimath_array`] for operands of any
//! types and shapes. Names, operators and functions mean what they mean in Python with NumPy.
//!
//! ```text
//!   text     = statement ((";" | newline) statement)*
//!   statement = [target "="] value                 target = name | name "[" items "]"
//!   value    = or [("<" | "<=" | ">" | ">=" | "==" | "!=") or]
//!   or       = xor ("|" xor)*            xor     = and ("^" and)*       and = shift ("&" shift)*
//!   shift    = sum (("<<" | ">>") sum)*  sum     = product (("+" | "-") product)*
//!   product  = signed (("*" | "/" | "//" | "%" | "@") signed)*
//!   signed   = ("+" | "-" | "~") signed | power    power = postfix ["**" signed]
//!   postfix  = atom ("[" items "]" | "." name ["(" arguments ")"])*
//!   atom     = number | name ["(" arguments ")"] | "(" value ("," value)* ")" | "[" values "]"
//! ```
//!
//! As in Python, `&`, `|` and `^` bind more tightly than comparisons: `(x > 0) & (x < 1)`.

mod build;
mod error;
mod functions;
mod index;
mod operators;
mod parse;
mod syntax;
#[cfg(test)]
mod tests;
mod token;
mod types;
mod value;

pub use build::{Built, Output, Target};
pub use error::TextError;
pub use types::common as common_type;

use affinimath_array::{Node, Number};
use syntax::Statement;
use value::Weak;

/// The longest text, in bytes.
pub const MAX_BYTES: usize = 1 << 16;
/// The deepest nesting of parentheses, calls and operators.
pub const MAX_DEPTH: usize = 200;

/// A parsed text.
#[derive(Clone, Debug)]
pub struct Expression {
    text: String,
    statements: Vec<Statement>,
    names: Vec<String>,
    /// Names that stand for numbers.
    numbers: Vec<(String, Weak)>,
}

impl Expression {
    /// Parses a text.
    ///
    /// # Errors
    /// A text that is no expression, longer than [`MAX_BYTES`], or nested deeper than [`MAX_DEPTH`].
    pub fn parse(text: &str) -> Result<Self, TextError> {
        let statements = parse::statements(text)?;
        let names = syntax::free_names(&statements);
        Ok(Expression { text: text.to_owned(), statements, names, numbers: Vec::new() })
    }

    /// The text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The names that it reads before it assigns them, in order: operands and constants.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Sets a name to a number, such as `3.5`, `-2j` or `pi/4`. It takes the type of the arrays that it meets, as a
    /// number of the text does.
    ///
    /// # Errors
    /// A name that is none or a word of the language, and a value that is no number.
    pub fn set_number(&mut self, name: &str, value: &str) -> Result<(), TextError> {
        let letters =
            |(index, c): (usize, char)| c == '_' || c.is_ascii_alphabetic() || index > 0 && c.is_ascii_digit();
        if name.is_empty() || !name.chars().enumerate().all(letters) {
            return Err(TextError::at(name, 0, "a name has letters, digits and _, and begins with no digit"));
        }
        let statements = parse::statements(value)?;
        let number = build::number(value, &statements)?;
        self.names.retain(|other| other != name);
        self.numbers.retain(|(other, _)| other != name);
        self.numbers.push((name.to_owned(), number));
        Ok(())
    }

    /// The graphs of the text's results for operands by name. Nothing is computed.
    ///
    /// # Errors
    /// A name that is no operand, and operations that are not legal for the operands' types and shapes.
    pub fn build(&self, operands: &[(&str, Node)]) -> Result<Built, TextError> {
        self.build_with(operands, &[])
    }

    /// The same with numbers for some names. They take the type of the arrays that they meet, as numbers of the text
    /// do; an operand of the same name is not read.
    ///
    /// # Errors
    /// Those of [`Expression::build`].
    pub fn build_with(&self, operands: &[(&str, Node)], numbers: &[(&str, Number)]) -> Result<Built, TextError> {
        let own = self.numbers.iter().map(|(name, number)| (name.as_str(), *number));
        let given = numbers.iter().map(|(name, number)| (*name, Weak::of(*number)));
        build::build(&self.text, &self.statements, own.chain(given), operands)
    }
}
