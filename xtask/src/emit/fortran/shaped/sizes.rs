//! Sizes in terms of arrays' extents, and the extents that an array needs.

use super::super::super::shapes::{self, Shape, Token};
use super::procedure::Procedure;
use super::roles::Role;

impl Procedure<'_> {
    pub(super) fn is_derived(&self, name: &str) -> bool {
        let at = self.parameters.iter().position(|p| p.name == name);
        at.is_some_and(|i| matches!(self.roles[i], Role::Derived(_)))
    }

    /// A size in terms of the arrays' extents.
    pub(super) fn size(&self, wanted: &str) -> Result<String, String> {
        let arrays = || {
            self.parameters.iter().zip(&self.roles).filter_map(|(p, role)| match role {
                Role::Array(shape) => Some((p.name.as_str(), *shape)),
                _ => None,
            })
        };
        let extent = |array: &str, axis: u32| format!("size({array}, {axis}, c_int64_t)");
        if self.vector && wanted == "nrhs" {
            return Ok("1".to_owned());
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
        let by_band = || {
            arrays().find_map(|(array, shape)| match shape {
                Shape::Band(_, _, "k+1") if wanted == "k" => Some(format!("{} - 1", extent(array, 1))),
                Shape::Band(_, _, "kl+ku+1") if wanted == "ku" => Some(format!("{} - 1 - kl", extent(array, 1))),
                _ => None,
            })
        };
        plain.or_else(by_op).or_else(by_vectors).or_else(by_band).ok_or_else(|| {
            format!("no array of {} tells {wanted} (xtask/src/emit/fortran/shaped.rs)", self.routine.name)
        })
    }

    /// The statement that compares an array's extents with what the others need.
    pub(super) fn check(&self, name: &str, shape: Shape) -> String {
        let rank = if matches!(shape, Shape::Vector(_)) { 1 } else { 2 };
        let given: Vec<String> = (1..=rank).map(|axis| format!("size({name}, {axis}, c_int64_t)")).collect();
        let needed = match shape {
            Shape::Vector(length) => expression(length),
            Shape::Matrix(rows, columns) | Shape::InPlace(_, rows, columns, _) => {
                format!("{}, {}", expression(rows), expression(columns))
            }
            Shape::Op(op, rows, columns) => {
                let [rows, columns] = [rows, columns].map(expression);
                format!("merge({rows}, {columns}, keeps({op}_)), merge({columns}, {rows}, keeps({op}_))")
            }
            Shape::Band(_, columns, diagonals) => format!("{}, {}", expression(diagonals), expression(columns)),
        };
        format!("call need(status, text, \"{name}\", {}, {needed})", given.join(", "))
    }
}

/// A shape's expression in Fortran.
pub(super) fn expression(text: &str) -> String {
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
            Token::Name(text) | Token::Other(text) => out.push_str(text),
        }
        i += 1;
    }
    out
}
