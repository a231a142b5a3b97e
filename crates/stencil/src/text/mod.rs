//! The text language: lexer, parser and printer. `docs/src/stencil-language.md` is its reference.

mod declarations;
mod expressions;
mod extend;
pub(crate) mod lexer;
mod names;
mod parser;
pub(crate) mod print;
mod sections;
mod statements;
mod tree;
