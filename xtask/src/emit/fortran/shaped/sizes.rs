//! Sizes in terms of arrays' extents, and the extents that an array needs.

use super::super::super::shapes::{self, Shape, Token};
use super::procedure::Procedure;
use super::roles::Role;

impl Procedure<'_> {
    pub(super) fn is_derived(&self, name: &str) -> bool {
        let at = self.parameters.iter().position(|p| p.name == name);
        at.is_some_and(|i| matches!(self.roles[i], Role::Derived(_)))
    }

    /// True of an array with an axis for the members of a batch.
    fn is_batch(&self, array: &str) -> bool {
        self.parameters.iter().any(|p| p.name.strip_prefix("stride") == Some(array))
    }

    /// The axes of an array.
    pub(super) fn rank(&self, array: &str, shape: Shape) -> usize {
        let of_one = if matches!(shape, Shape::Vector(_)) { 1 } else { 2 };
        of_one + usize::from(self.is_batch(array))
    }

    /// A size in terms of the arrays' extents, where they tell it.
    pub(super) fn size(&self, wanted: &str) -> Option<String> {
        let arrays = || {
            self.parameters.iter().zip(&self.roles).filter_map(|(p, role)| match role {
                Role::Array(shape) => Some((p.name.as_str(), *shape)),
                _ => None,
            })
        };
        let extent = |array: &str, axis: usize| format!("size({array}, {axis}, c_int64_t)");
        if wanted == "batch_count" {
            return arrays().find(|(array, _)| self.is_batch(array)).map(|(a, shape)| extent(a, self.rank(a, shape)));
        }
        if self.vector && wanted == "nrhs" {
            return Some("1".to_owned());
        }
        let plain = arrays().find_map(|(array, shape)| match shape {
            Shape::Vector(length) if length == wanted => Some(extent(array, 1)),
            Shape::Matrix(rows, _) if rows == wanted => Some(extent(array, 1)),
            Shape::Matrix(_, columns) | Shape::Band(_, columns, _) if columns == wanted => Some(extent(array, 2)),
            _ => None,
        });
        let by_op = || {
            arrays().find_map(|(array, shape)| match shape {
                Shape::Op(op, rows, columns) if rows == wanted || columns == wanted => {
                    let (plain, other) = if rows == wanted { (1, 2) } else { (2, 1) };
                    Some(format!("merge({}, {}, keeps({op}_))", extent(array, plain), extent(array, other)))
                }
                _ => None,
            })
        };
        let by_vectors = || {
            let vector =
                |pattern: String| arrays().find(|(_, shape)| matches!(shape, Shape::Vector(l) if *l == pattern));
            let other = if wanted == "m" { "n" } else { "m" };
            let untransposed = vector(format!("op(trans,{wanted},{other})"))?;
            let transposed = vector(format!("op(trans,{other},{wanted})"))?;
            Some(format!("merge({}, {}, keeps(trans_))", extent(untransposed.0, 1), extent(transposed.0, 1)))
        };
        // The diagonals of a band above the main one, which the stored ones tell.
        let by_band = || {
            arrays().find_map(|(array, shape)| {
                let (Shape::Band(_, _, stored) | Shape::Matrix(stored, _)) = shape else { return None };
                let others = match stored.strip_suffix("+1")?.strip_suffix(wanted)? {
                    "" => "",
                    "kl+" => " - kl",
                    "2*kl+" => " - 2 * kl",
                    _ => return None,
                };
                Some(format!("{} - 1{others}", extent(array, 1)))
            })
        };
        plain.or_else(by_op).or_else(by_vectors).or_else(by_band)
    }

    /// The statements that compare an array's extents with what the others need.
    pub(super) fn checks(&self, name: &str, shape: Shape) -> Vec<String> {
        let rank = if matches!(shape, Shape::Vector(_)) { 1 } else { 2 };
        let given: Vec<String> = (1..=rank).map(|axis| format!("size({name}, {axis}, c_int64_t)")).collect();
        let needed = match shape {
            Shape::Vector(length) => self.expression(length),
            Shape::Matrix(rows, columns) | Shape::InPlace(_, rows, columns, _) => {
                format!("{}, {}", self.expression(rows), self.expression(columns))
            }
            Shape::Op(op, rows, columns) => {
                let [rows, columns] = [rows, columns].map(|text| self.expression(text));
                format!("merge({rows}, {columns}, keeps({op}_)), merge({columns}, {rows}, keeps({op}_))")
            }
            Shape::Band(_, columns, diagonals) => {
                format!("{}, {}", self.expression(diagonals), self.expression(columns))
            }
        };
        let check = format!("call need(status, text, \"{name}\", {}, {needed})", given.join(", "));
        if !self.is_batch(name) {
            return vec![check];
        }
        let members = format!("size({name}, {}, c_int64_t), batch_count", self.rank(name, shape));
        vec![check, format!("call need(status, text, \"the last axis of {name}\", {members})")]
    }

    /// A shape's expression in Fortran.
    fn expression(&self, text: &str) -> String {
        let mut out = String::new();
        // What closes each open parenthesis.
        let mut closings: Vec<String> = Vec::new();
        let tokens = shapes::tokens(text);
        let mut i = 0;
        while let Some(&token) = tokens.get(i) {
            match token {
                Token::Function(member @ ("rows" | "columns")) => {
                    out.push_str(member);
                    i += 3;
                }
                Token::Function("op") => {
                    let Some(Token::Name(op)) = tokens.get(i + 2) else { unreachable!("{text} names an operation") };
                    out.push_str("merge(");
                    closings.push(format!(", keeps({op}_))"));
                    i += 3;
                }
                Token::Function("left") => {
                    out.push_str("merge(");
                    closings.push(", side_ == AFFINIMATH_LEFT)".to_owned());
                    i += 1;
                }
                Token::Function("results") => {
                    out.push_str("convolved(extent_");
                    closings.push(")".to_owned());
                    i += 2;
                }
                Token::Function("vectors") => {
                    let Some(Token::Name(job)) = tokens.get(i + 2) else { unreachable!("{text} names vectors") };
                    out.push_str(&format!("wanted({job}_"));
                    closings.push(")".to_owned());
                    i += 2;
                }
                Token::Function(name) => {
                    out.push_str(&format!("{name}("));
                    closings.push(")".to_owned());
                    i += 1;
                }
                Token::Other("(") => {
                    out.push('(');
                    closings.push(")".to_owned());
                }
                Token::Other(")") => out.push_str(&closings.pop().unwrap_or_default()),
                Token::Other(",") => out.push_str(", "),
                // An argument is of the default kind, sizes have 64 bits: functions take one kind.
                Token::Name(name) if !self.is_derived(name) => out.push_str(&format!("int({name}, c_int64_t)")),
                Token::Other(number) if number.parse::<u32>().is_ok() && !closings.is_empty() => {
                    out.push_str(&format!("{number}_c_int64_t"));
                }
                Token::Name(text) | Token::Other(text) => out.push_str(text),
            }
            i += 1;
        }
        out
    }
}
