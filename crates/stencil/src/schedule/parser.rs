//! From a text to statements: PATUS's grammar of strategies (Christen 2011, appendix B.2), with sets of values.

use super::syntax::{
    Access, At, Definition, Expr, Item, Iterator, Kind, Node, Parallel, Parameter, Part, Shape, Statement, Values,
};
use crate::error::{Error, Result};
use crate::text::lexer::{Located, Token, tokens_with_points};

/// The longest text, in bytes.
const MAX_LENGTH: usize = 64 * 1024;
/// The most brackets and statements within each other.
const MAX_DEPTH: usize = 100;
/// The most operators and brackets of an expression.
pub(super) const MAX_OPERATORS: usize = 500;
/// Words that are no names.
const RESERVED: [&str; 19] = [
    "strategy",
    "domain",
    "auto",
    "int",
    "dim",
    "codim",
    "for",
    "in",
    "by",
    "parallel",
    "schedule",
    "subdomain",
    "plane",
    "point",
    "if",
    "else",
    "stencil",
    "memcpy",
    "grid",
];

pub(super) struct Parser<'a> {
    text: &'a str,
    tokens: Vec<Located<'a>>,
    next: usize,
    depth: usize,
    /// Operators of the expression that is read.
    pub(super) operators: usize,
}

/// Reads a strategy.
pub(super) fn parse(text: &str) -> Result<Definition> {
    if text.len() > MAX_LENGTH {
        return Err(Error::new(format!("the strategy has {} bytes: {MAX_LENGTH} are the most", text.len())));
    }
    let mut parser = Parser { text, tokens: tokens_with_points(text)?, next: 0, depth: 0, operators: 0 };
    let definition = parser.definition()?;
    match parser.peek() {
        Token::End => Ok(definition),
        _ => parser.fail(format!("the end of the text expected, not {}", parser.found())),
    }
}

impl<'a> Parser<'a> {
    pub(super) fn peek(&self) -> Token<'a> {
        self.peek_at(0)
    }

    pub(super) fn peek_at(&self, ahead: usize) -> Token<'a> {
        self.tokens[self.next.saturating_add(ahead).min(self.tokens.len() - 1)].token
    }

    pub(super) fn at(&self) -> At {
        At(self.tokens[self.next].at)
    }

    pub(super) fn advance(&mut self) -> Token<'a> {
        let token = self.peek();
        self.next = (self.next + 1).min(self.tokens.len() - 1);
        token
    }

    pub(super) fn fail<T>(&self, reason: impl Into<String>) -> Result<T> {
        Err(Error::at(self.text, self.at().0, reason))
    }

    fn fail_at<T>(&self, at: At, reason: impl Into<String>) -> Result<T> {
        Err(Error::at(self.text, at.0, reason))
    }

    pub(super) fn is(&self, wanted: &str) -> bool {
        self.is_at(0, wanted)
    }

    pub(super) fn is_at(&self, ahead: usize, wanted: &str) -> bool {
        matches!(self.peek_at(ahead), Token::Symbol(found) | Token::Name(found) if found == wanted)
    }

    /// The next token is `...`, which the lexer gives the meaning of `..`.
    pub(super) fn is_ellipsis(&self) -> bool {
        let rest = &self.text[self.at().0..];
        self.is("..") && (rest.starts_with("...") || rest.starts_with('\u{2026}'))
    }

    pub(super) fn accept(&mut self, wanted: &str) -> bool {
        let found = self.is(wanted);
        if found {
            self.advance();
        }
        found
    }

    pub(super) fn expect(&mut self, wanted: &str) -> Result<()> {
        if self.accept(wanted) { Ok(()) } else { self.fail(format!("'{wanted}' expected, not {}", self.found())) }
    }

    pub(super) fn found(&self) -> String {
        match self.peek() {
            Token::Name(name) => format!("'{name}'"),
            Token::Number(value) => format!("{value}"),
            Token::Symbol(symbol) => format!("'{symbol}'"),
            Token::End => "the end of the text".to_owned(),
        }
    }

    /// A name that is no word of the language.
    pub(super) fn name(&mut self, what: &str) -> Result<String> {
        match self.peek() {
            Token::Name(name) if RESERVED.contains(&name) => {
                self.fail(format!("{what} expected: '{name}' is a word of the language"))
            }
            Token::Name(name) => {
                self.advance();
                Ok(name.to_owned())
            }
            _ => self.fail(format!("{what} expected, not {}", self.found())),
        }
    }

    pub(super) fn deeper<T>(&mut self, part: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        if self.depth == MAX_DEPTH {
            return self.fail(format!("more than {MAX_DEPTH} levels of brackets and statements"));
        }
        self.depth += 1;
        let result = part(self);
        self.depth -= 1;
        result
    }

    /// The number of tokens from an opening bracket to the one that closes it, and whether a comparison is between.
    pub(super) fn bracket(&self) -> (usize, bool) {
        let (mut depth, mut has_comparison) = (0usize, false);
        for ahead in 0..self.tokens.len() - self.next {
            match self.peek_at(ahead) {
                Token::Symbol("(" | "[") => depth += 1,
                Token::Symbol(")" | "]") if depth <= 1 => return (ahead, has_comparison),
                Token::Symbol(")" | "]") => depth -= 1,
                Token::Symbol("<" | "<=" | "==" | ">=" | ">" | "!=") => has_comparison = true,
                Token::Symbol("{" | "}" | ";") => break,
                _ => {}
            }
        }
        (usize::MAX, has_comparison)
    }

    /// A whole number.
    pub(super) fn whole(&mut self) -> Result<i64> {
        match self.peek() {
            Token::Number(value) if value.fract() == 0.0 && value.abs() <= (1u64 << 48) as f64 => {
                self.advance();
                Ok(value as i64)
            }
            Token::Number(value) => self.fail(format!("{value} is no whole number below 2^48")),
            _ => self.fail(format!("a whole number expected, not {}", self.found())),
        }
    }

    fn definition(&mut self) -> Result<Definition> {
        self.expect("strategy")?;
        let name = self.name("the strategy's name")?;
        self.expect("(")?;
        self.expect("domain")?;
        let domain = self.name("the domain's name")?;
        let mut parameters: Vec<Parameter> = Vec::new();
        while self.accept(",") {
            self.expect("auto")?;
            let kind = match self.kind()? {
                Some(kind) => kind,
                None => return self.fail(format!("'int', 'dim' or 'codim' expected, not {}", self.found())),
            };
            let at = self.at();
            let name = self.name("a parameter's name")?;
            if name == domain || parameters.iter().any(|other| other.name == name) {
                return self.fail_at(at, format!("there are two parameters '{name}'"));
            }
            let sets = if self.accept("=") { self.sets()? } else { Vec::new() };
            parameters.push(Parameter { name, kind, sets, at });
        }
        self.expect(")")?;
        let Statement::Block(body) = self.compound()? else { unreachable!("a compound is a block") };
        Ok(Definition { name, domain, parameters, body })
    }

    /// `int`, `dim` or `codim(n)`, if it is next.
    fn kind(&mut self) -> Result<Option<Kind>> {
        if self.accept("int") {
            return Ok(Some(Kind::Int));
        }
        if self.accept("dim") {
            return Ok(Some(Kind::Dim));
        }
        if !self.accept("codim") {
            return Ok(None);
        }
        self.expect("(")?;
        let missing = self.whole()?;
        self.expect(")")?;
        Ok(Some(Kind::Codim(usize::try_from(missing).unwrap_or(usize::MAX))))
    }

    /// One set for all components, or one for each in brackets.
    fn sets(&mut self) -> Result<Vec<Vec<Values>>> {
        let has_several = self.is("(") && {
            let behind = self.bracket().0.saturating_add(1);
            !self.is_at(behind, ":")
        };
        if !has_several {
            return Ok(vec![self.set()?]);
        }
        self.expect("(")?;
        let mut sets = vec![self.set()?];
        while self.accept(",") {
            sets.push(self.set()?);
        }
        self.expect(")")?;
        Ok(sets)
    }

    fn set(&mut self) -> Result<Vec<Values>> {
        if !self.accept("{") {
            return Ok(vec![self.values()?]);
        }
        let mut all = vec![self.values()?];
        while self.accept(",") {
            all.push(self.values()?);
        }
        self.expect("}")?;
        Ok(all)
    }

    fn values(&mut self) -> Result<Values> {
        let first = self.expression()?;
        if !self.accept(":") {
            return Ok(Values::One(first));
        }
        let is_geometric = self.accept("*");
        let second = self.expression()?;
        if !is_geometric && !self.is(":") {
            return Ok(Values::Range { first, step: None, is_geometric, last: second });
        }
        self.expect(":")?;
        let last = self.expression()?;
        Ok(Values::Range { first, step: Some(second), is_geometric, last })
    }

    fn compound(&mut self) -> Result<Statement> {
        self.expect("{")?;
        let mut all = Vec::new();
        while !self.accept("}") {
            all.push(self.deeper(Self::statement)?);
        }
        Ok(Statement::Block(all))
    }

    fn statement(&mut self) -> Result<Statement> {
        let at = self.at();
        if self.is("{") {
            return self.compound();
        }
        if self.accept("if") {
            return self.choice();
        }
        if self.accept("for") {
            return self.repetition(at);
        }
        if self.accept("domain") {
            return self.local(at);
        }
        if self.accept("memcpy") {
            self.expect("(")?;
            let to = self.access()?;
            self.expect(",")?;
            let from = self.access()?;
            self.expect(")")?;
            self.expect(";")?;
            return Ok(Statement::Copy { to, from, is_call: true, at });
        }
        if let Some(kind) = self.kind()? {
            let name = self.name("a variable's name")?;
            let value = if self.accept("=") { Some(self.vector_expression()?) } else { None };
            self.expect(";")?;
            return Ok(Statement::Declare { kind, name, value, at });
        }
        self.assignment(at)
    }

    /// The statement of a loop or a choice. A block of one statement is that statement.
    fn body(&mut self) -> Result<Statement> {
        let mut body = self.deeper(Self::statement)?;
        while let Statement::Block(all) = &mut body {
            match all.pop() {
                Some(only) if all.is_empty() => body = only,
                last => {
                    all.extend(last);
                    break;
                }
            }
        }
        Ok(body)
    }

    fn choice(&mut self) -> Result<Statement> {
        self.expect("(")?;
        self.operators = 0;
        let condition = self.condition()?;
        self.expect(")")?;
        let then = Box::new(self.body()?);
        let otherwise = if self.accept("else") { Some(Box::new(self.body()?)) } else { None };
        Ok(Statement::If { condition, then, otherwise })
    }

    /// `domain w(size; number; ...)`.
    fn local(&mut self, at: At) -> Result<Statement> {
        let name = self.name("the domain's name")?;
        self.expect("(")?;
        let mut ranges = vec![self.range()?];
        while self.accept(";") {
            ranges.push(self.range()?);
        }
        self.expect(")")?;
        self.expect(";")?;
        Ok(Statement::Domain { name, ranges, at })
    }

    fn assignment(&mut self, at: At) -> Result<Statement> {
        if !self.is_at(1, "[") {
            let name = self.name("a statement")?;
            self.expect("=")?;
            let value = self.vector_expression()?;
            self.expect(";")?;
            return Ok(Statement::Assign { name, value, at });
        }
        let to = self.access()?;
        self.expect("=")?;
        let is_stencil = self.accept("stencil");
        if is_stencil {
            self.expect("(")?;
        }
        let from = self.access()?;
        if is_stencil {
            self.expect(")")?;
        }
        self.expect(";")?;
        match is_stencil {
            true => Ok(Statement::Apply { to, from, at }),
            false => Ok(Statement::Copy { to, from, is_call: false, at }),
        }
    }

    /// `v[p; t]`, or in round brackets.
    fn access(&mut self) -> Result<Access> {
        let at = self.at();
        let domain = self.name("a domain")?;
        let (is_round, close) = match self.advance_bracket() {
            Some(is_round) => (is_round, if is_round { ")" } else { "]" }),
            None => {
                let index = vec![Item { part: Part::All(Vec::new()), repeats: false }];
                return Ok(Access { domain, index, rest: Vec::new(), is_round: true, at });
            }
        };
        let index = self.range()?;
        let mut rest = Vec::new();
        while self.accept(";") {
            rest.push(self.expression()?);
        }
        self.expect(close)?;
        Ok(Access { domain, index, rest, is_round, at })
    }

    fn advance_bracket(&mut self) -> Option<bool> {
        match (self.accept("("), self.accept("[")) {
            (true, _) => Some(true),
            (_, true) => Some(false),
            _ => None,
        }
    }

    fn repetition(&mut self, at: At) -> Result<Statement> {
        let iterator = match self.peek() {
            Token::Name("point") => {
                self.advance();
                self.boxes(Shape::Point)?
            }
            Token::Name("plane") => {
                self.advance();
                self.boxes(Shape::Plane)?
            }
            Token::Name("subdomain") => {
                self.advance();
                self.boxes(Shape::Subdomain(Vec::new()))?
            }
            _ => {
                let variable = self.name("a loop's variable, 'point', 'plane' or 'subdomain'")?;
                self.expect("=")?;
                let first = self.expression()?;
                self.expect("..")?;
                let last = self.expression()?;
                let step = if self.accept("by") { Some(self.expression()?) } else { None };
                Iterator::Range { variable, first, last, step }
            }
        };
        let parallel = if self.accept("parallel") {
            let threads = match self.peek() {
                Token::Number(_) | Token::Symbol("(") => Some(self.short()?),
                _ => None,
            };
            let chunk = if self.accept("schedule") { Some(self.short()?) } else { None };
            Some(Parallel { threads, chunk })
        } else {
            None
        };
        let body = Box::new(self.body()?);
        Ok(Statement::Loop { iterator, parallel, body, at })
    }

    /// A number, a name, or an expression in brackets.
    fn short(&mut self) -> Result<Expr> {
        if let Token::Name(_) = self.peek() {
            let at = self.at();
            let name = self.name("a number")?;
            return Ok(Expr { node: Node::Name(name, None), at });
        }
        if self.accept("(") {
            let value = self.expression()?;
            self.expect(")")?;
            return Ok(value);
        }
        let at = self.at();
        Ok(Expr { node: Node::Number(self.whole()?), at })
    }

    fn boxes(&mut self, mut shape: Shape) -> Result<Iterator> {
        let name = self.name("the iterator's name")?;
        if let Shape::Subdomain(size) = &mut shape {
            self.expect("(")?;
            *size = self.range()?;
            self.expect(")")?;
        }
        self.expect("in")?;
        let parent = self.name("a domain")?;
        let (mut range, mut time) = (None, None);
        if self.accept("(") {
            range = Some(self.range()?);
            if self.accept(";") {
                time = Some(self.expression()?);
            }
            self.expect(")")?;
        }
        Ok(Iterator::Boxes { shape, name, parent, range, time })
    }
}
