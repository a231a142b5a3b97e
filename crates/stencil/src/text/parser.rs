//! The parser's state. It builds the definition as it reads: the body of a comprehension is read once for each term.

use std::collections::{HashMap, HashSet};

use super::expressions::type_named;
use super::lexer::{Located, Token, tokens};
use crate::definition::{Draft, ExprId, Part, Stencil, Tap, Type};
use crate::error::{Error, Result};

/// The most brackets and operators of one operand within each other.
const MAX_DEPTH: usize = 250;
/// The most tokens that are read, those of comprehensions for each of their terms.
const MAX_READ: usize = 2_000_000;

/// A variable of a comprehension.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Variable {
    Axis(usize),
    Number(i64),
}

/// Where an expression stands: it decides about times that are left out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Context {
    Operation,
    Boundary,
    Other,
}

pub(super) struct Parser<'a> {
    pub(super) text: &'a str,
    /// The type that all real ones become.
    real: Option<Type>,
    tokens: Vec<Located<'a>>,
    next: usize,
    depth: usize,
    read: usize,
    pub(super) draft: Draft,
    pub(super) stencil: Stencil,
    /// Where parts of the stencil stand, for faults that are found at the end.
    positions: HashMap<Part, usize>,
    /// The byte at which the part that is read begins, and where parts access grids first, by that byte.
    start: usize,
    accesses: HashMap<(usize, Tap), usize>,
    /// Variables of comprehensions, inner ones last.
    pub(super) variables: Vec<(&'a str, Variable)>,
    /// Temporaries of the stage.
    pub(super) temporaries: HashMap<&'a str, usize>,
    pub(super) symbols: HashSet<String>,
    /// Grids whose axes the first access tells.
    pub(super) open: HashSet<usize>,
    pub(super) context: Context,
}

impl Stencil {
    /// Reads a stencil from a text, such as those of the folder `examples/stencils`.
    ///
    /// # Errors
    /// The first fault, with its line and column.
    pub fn parse(text: &str) -> Result<Stencil> {
        Self::read(text, None)
    }

    /// Reads a stencil whose real types are all one: `float` and `double` of grids, parameters, tables, results,
    /// temporaries and conversions become `real`. Integers stay, and their quotients are of `double`.
    ///
    /// # Errors
    /// Those of [`Stencil::parse`], or the type is not real.
    pub fn parse_as(text: &str, real: Type) -> Result<Stencil> {
        match real.is_real() {
            true => Self::read(text, Some(real)),
            false => Err(Error::new(format!("'{real}' is no real type"))),
        }
    }

    fn read(text: &str, real: Option<Type>) -> Result<Stencil> {
        let mut parser = Parser::new(text)?;
        parser.real = real;
        parser.specification()?;
        let Parser { positions, accesses, stencil, draft, .. } = parser;
        stencil.finish(draft).map_err(|fault| {
            let at = positions.get(&fault.part).or_else(|| positions.get(&Part::Stencil)).copied().unwrap_or(0);
            let access = fault.tap.and_then(|tap| accesses.get(&(at, tap))).copied();
            Error::at(text, access.unwrap_or(at), fault.reason)
        })
    }
}

impl<'a> Parser<'a> {
    fn new(text: &'a str) -> Result<Self> {
        Ok(Parser {
            text,
            real: None,
            tokens: tokens(text)?,
            next: 0,
            depth: 0,
            read: 0,
            draft: Draft::default(),
            stencil: Stencil::default(),
            positions: HashMap::new(),
            start: 0,
            accesses: HashMap::new(),
            variables: Vec::new(),
            temporaries: HashMap::new(),
            symbols: HashSet::new(),
            open: HashSet::new(),
            context: Context::Other,
        })
    }

    /// The type that a keyword stands for.
    pub(super) fn kind_named(&self, name: &str) -> Option<Type> {
        type_named(name).map(|kind| self.real.filter(|_| kind.is_real()).unwrap_or(kind))
    }

    /// A part of the stencil begins at a byte: faults that are found at the end are told there.
    pub(super) fn begin(&mut self, part: Part, at: usize) {
        self.positions.insert(part, at);
        self.start_at(at);
    }

    /// A part whose numbers are known at its end begins at a byte.
    pub(super) fn start_at(&mut self, at: usize) {
        self.start = at;
    }

    /// The part that is read accesses a grid at a byte.
    pub(super) fn note_access(&mut self, tap: Tap, at: usize) {
        self.accesses.entry((self.start, tap)).or_insert(at);
    }

    pub(super) fn peek(&self) -> Token<'a> {
        self.tokens[self.next].token
    }

    pub(super) fn peek_at(&self, ahead: usize) -> Token<'a> {
        self.tokens[(self.next + ahead).min(self.tokens.len() - 1)].token
    }

    /// The byte of the next token.
    pub(super) fn at(&self) -> usize {
        self.tokens[self.next].at
    }

    /// The index of the next token, to come back to.
    pub(super) fn mark(&self) -> usize {
        self.next
    }

    pub(super) fn go_to(&mut self, mark: usize) {
        self.next = mark;
    }

    pub(super) fn advance(&mut self) -> Result<Token<'a>> {
        let token = self.peek();
        self.read += 1;
        if self.read > MAX_READ {
            return self.fail(format!("comprehensions are longer than {MAX_READ} tokens in all"));
        }
        self.next = (self.next + 1).min(self.tokens.len() - 1);
        Ok(token)
    }

    pub(super) fn fail<T>(&self, reason: impl Into<String>) -> Result<T> {
        Err(Error::at(self.text, self.at(), reason))
    }

    pub(super) fn fail_at<T>(&self, at: usize, reason: impl Into<String>) -> Result<T> {
        Err(Error::at(self.text, at, reason))
    }

    /// An expression, or its error at a byte.
    pub(super) fn built(&self, at: usize, built: std::result::Result<ExprId, String>) -> Result<ExprId> {
        built.map_err(|reason| Error::at(self.text, at, reason))
    }

    /// The next token is a symbol or a word.
    pub(super) fn is(&self, wanted: &str) -> bool {
        matches!(self.peek(), Token::Symbol(found) | Token::Name(found) if found == wanted)
    }

    /// Takes a symbol or a word, if it is next.
    pub(super) fn accept(&mut self, symbol: &str) -> Result<bool> {
        let found = self.is(symbol);
        if found {
            self.advance()?;
        }
        Ok(found)
    }

    pub(super) fn expect(&mut self, symbol: &str) -> Result<()> {
        if self.accept(symbol)? { Ok(()) } else { self.fail(format!("'{symbol}' expected, not {}", self.found())) }
    }

    /// The next token for messages.
    pub(super) fn found(&self) -> String {
        match self.peek() {
            Token::Name(name) => format!("'{name}'"),
            Token::Number(value) => format!("{value}"),
            Token::Symbol(symbol) => format!("'{symbol}'"),
            Token::End => "the end of the text".to_owned(),
        }
    }

    pub(super) fn name(&mut self, what: &str) -> Result<&'a str> {
        match self.peek() {
            Token::Name(name) => {
                self.advance()?;
                Ok(name)
            }
            _ => self.fail(format!("{what} expected, not {}", self.found())),
        }
    }

    /// Runs a part of the grammar one level deeper.
    pub(super) fn deeper<T>(&mut self, part: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        if self.depth == MAX_DEPTH {
            return self.fail(format!("more than {MAX_DEPTH} levels of brackets"));
        }
        self.depth += 1;
        let result = part(self);
        self.depth -= 1;
        result
    }
}
