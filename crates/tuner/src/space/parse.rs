//! The text form of rules: `(n + block - 1) / block >= 2 and unroll != 3`.

use std::fmt;
use std::iter::Peekable;
use std::str::{CharIndices, FromStr};

use super::term::{Constraint, Operator, Term};

/// A rule's text that cannot be used, with the place in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleError {
    text: String,
    /// Characters before the place.
    column: usize,
    message: String,
}

impl RuleError {
    /// An error at a byte of a text.
    pub(super) fn at(text: &str, byte: usize, message: impl Into<String>) -> Self {
        let column = text.char_indices().take_while(|(index, _)| *index < byte).count();
        RuleError { text: text.to_owned(), column, message: message.into() }
    }

    /// The place: characters from the beginning of the text, from 1 on.
    pub const fn column(&self) -> usize {
        self.column + 1
    }

    /// The reason, without the place.
    pub fn message(&self) -> &str {
        &self.message
    }
}

impl fmt::Display for RuleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A caret below the place needs a text of one line.
        let line: String = self.text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        write!(f, "{} in column {}\n  {line}\n  {}^", self.message, self.column(), " ".repeat(self.column))
    }
}

impl std::error::Error for RuleError {}

/// A symbol of a text that is neither a number nor an operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Symbol<'t> {
    /// A word: `block`.
    Name(&'t str),
    /// A number behind a dollar: `$3`.
    Position(usize),
    /// A word behind a dollar: `$OMP_NUM_THREADS`.
    Variable(&'t str),
}

/// Longest text of a rule, in bytes, and deepest nesting: both bound the recursion over a term.
const MAX_LENGTH: usize = 4096;
const MAX_DEPTH: usize = 64;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Token<'t> {
    Number(i64),
    Text(&'t str),
    Symbol(Symbol<'t>),
    Operator(Operator),
    Not,
    /// `!`, which binds closer than `not`.
    Bang,
    Open,
    Close,
    Comma,
}

impl Constraint {
    /// Reads a rule over parameters by their names. Operators: `+ - * / // % < <= == != >= > and or not && || !`, and
    /// the functions `min` and `max`; `/` and `//` are floors of quotients; names of choices are in quotes.
    ///
    /// # Errors
    /// A text that is no rule.
    pub fn parse(text: &str) -> Result<Self, RuleError> {
        Self::parse_with(text, |symbol| match symbol {
            Symbol::Name(name) => Ok(name.into()),
            Symbol::Position(position) => Err(format!("'${position}' stands for no parameter here")),
            Symbol::Variable(name) => Err(format!("'${name}' stands for nothing here")),
        })
    }

    /// As [`Constraint::parse`]; `meaning` gives the term of each symbol, or says why it has none.
    ///
    /// # Errors
    /// A text that is no rule, or a symbol without a meaning.
    pub fn parse_with(text: &str, meaning: impl Fn(Symbol<'_>) -> Result<Term, String>) -> Result<Self, RuleError> {
        if text.len() > MAX_LENGTH {
            return Err(RuleError::at("", 0, format!("the rule is longer than {MAX_LENGTH} bytes")));
        }
        let tokens = tokens(text)?;
        let mut parser = Parser { text, tokens: &tokens, next: 0, depth: 0, meaning: &meaning };
        let term = parser.any()?;
        match parser.peek() {
            None => Ok(Constraint::Holds(term)),
            Some(_) => Err(parser.error("the rule should end or go on with an operator")),
        }
    }
}

impl FromStr for Constraint {
    type Err = RuleError;

    fn from_str(text: &str) -> Result<Self, RuleError> {
        Constraint::parse(text)
    }
}

type Chars<'t> = Peekable<CharIndices<'t>>;

/// Skips characters of a kind; gives the byte behind them.
fn skip(chars: &mut Chars<'_>, end: usize, belongs: impl Fn(char) -> bool) -> usize {
    while chars.next_if(|(_, c)| belongs(*c)).is_some() {}
    chars.peek().map_or(end, |(index, _)| *index)
}

/// The tokens of a text with the bytes at which they begin.
fn tokens(text: &str) -> Result<Vec<(usize, Token<'_>)>, RuleError> {
    let mut chars = text.char_indices().peekable();
    let mut found = Vec::new();
    while let Some((start, first)) = chars.next() {
        let token =
            match first {
                c if c.is_whitespace() => continue,
                '0'..='9' => {
                    let end = skip(&mut chars, text.len(), |c| c.is_alphanumeric() || c == '_');
                    let number = text[start..end].parse();
                    Token::Number(number.map_err(|_| {
                        RuleError::at(text, start, format!("'{}' is no 64-bit integer", &text[start..end]))
                    })?)
                }
                '$' => {
                    let end = skip(&mut chars, text.len(), is_word);
                    let word = &text[start + 1..end];
                    match word.parse() {
                        Ok(position) => Token::Symbol(Symbol::Position(position)),
                        Err(_) if word.starts_with(|c: char| c.is_alphabetic() || c == '_') => {
                            Token::Symbol(Symbol::Variable(word))
                        }
                        Err(_) => return Err(RuleError::at(text, start, "'$' needs a number or a name")),
                    }
                }
                '\'' | '"' => {
                    let end = skip(&mut chars, text.len(), |c| c != first && c != '\\');
                    match chars.next() {
                        Some((_, c)) if c == first => Token::Text(&text[start + 1..end]),
                        Some(_) => return Err(RuleError::at(text, end, "names of choices have no backslash")),
                        None => return Err(RuleError::at(text, start, "the quote is not closed")),
                    }
                }
                c if is_word(c) => word(&text[start..skip(&mut chars, text.len(), is_word)]),
                _ => operator(text, start, &mut chars)?,
            };
        found.push((start, token));
    }
    Ok(found)
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn word(word: &str) -> Token<'_> {
    match word {
        "and" => Token::Operator(Operator::And),
        "or" => Token::Operator(Operator::Or),
        "not" => Token::Not,
        "true" | "True" => Token::Number(1),
        "false" | "False" => Token::Number(0),
        name => Token::Symbol(Symbol::Name(name)),
    }
}

fn operator<'t>(text: &'t str, start: usize, chars: &mut Chars<'t>) -> Result<Token<'t>, RuleError> {
    /// Longer ones first.
    const OPERATORS: [(&str, Token<'static>); 20] = [
        ("//", Token::Operator(Operator::Divide)),
        ("<=", Token::Operator(Operator::AtMost)),
        (">=", Token::Operator(Operator::AtLeast)),
        ("==", Token::Operator(Operator::Equal)),
        ("!=", Token::Operator(Operator::NotEqual)),
        ("&&", Token::Operator(Operator::And)),
        ("||", Token::Operator(Operator::Or)),
        ("+", Token::Operator(Operator::Add)),
        ("-", Token::Operator(Operator::Subtract)),
        ("*", Token::Operator(Operator::Multiply)),
        ("/", Token::Operator(Operator::Divide)),
        ("%", Token::Operator(Operator::Remainder)),
        ("<", Token::Operator(Operator::Less)),
        (">", Token::Operator(Operator::Greater)),
        ("!", Token::Bang),
        ("(", Token::Open),
        (")", Token::Close),
        (",", Token::Comma),
        // Of shells that have these characters.
        ("\u{2264}", Token::Operator(Operator::AtMost)),
        ("\u{2265}", Token::Operator(Operator::AtLeast)),
    ];
    let rest = &text[start..];
    if rest.starts_with("**") {
        return Err(RuleError::at(text, start, "there is no operator '**'"));
    }
    for (symbol, token) in OPERATORS {
        if rest.starts_with(symbol) {
            skip_bytes(chars, start + symbol.len());
            return Ok(token);
        }
    }
    let unknown: String = rest.chars().take(1).collect();
    let hint = if unknown == "=" { "; equality is '=='" } else { "" };
    Err(RuleError::at(text, start, format!("there is no operator '{unknown}'{hint}")))
}

fn skip_bytes(chars: &mut Chars<'_>, end: usize) {
    while chars.next_if(|(index, _)| *index < end).is_some() {}
}

struct Parser<'t, M> {
    text: &'t str,
    tokens: &'t [(usize, Token<'t>)],
    next: usize,
    depth: usize,
    meaning: &'t M,
}

impl<'t, M: Fn(Symbol<'_>) -> Result<Term, String>> Parser<'t, M> {
    fn peek(&self) -> Option<Token<'t>> {
        self.tokens.get(self.next).map(|(_, token)| *token)
    }

    fn offset(&self) -> usize {
        self.tokens.get(self.next).map_or(self.text.len(), |(offset, _)| *offset)
    }

    fn error(&self, message: impl Into<String>) -> RuleError {
        RuleError::at(self.text, self.offset(), message)
    }

    fn take(&mut self, token: Token<'_>) -> bool {
        let found = self.peek() == Some(token);
        self.next += usize::from(found);
        found
    }

    fn take_operator(&mut self, operators: &[Operator]) -> Option<Operator> {
        match self.peek() {
            Some(Token::Operator(operator)) if operators.contains(&operator) => {
                self.next += 1;
                Some(operator)
            }
            _ => None,
        }
    }

    /// Counts the nesting around a part.
    fn nested(&mut self, part: impl FnOnce(&mut Self) -> Result<Term, RuleError>) -> Result<Term, RuleError> {
        if self.depth == MAX_DEPTH {
            return Err(self.error(format!("the rule is nested more than {MAX_DEPTH} deep")));
        }
        self.depth += 1;
        let term = part(self);
        self.depth -= 1;
        term
    }

    /// Operands of one precedence, from left to right.
    fn chain(
        &mut self,
        operators: &[Operator],
        operand: fn(&mut Self) -> Result<Term, RuleError>,
    ) -> Result<Term, RuleError> {
        let mut term = operand(self)?;
        while let Some(operator) = self.take_operator(operators) {
            term = term.with(operator, operand(self)?);
        }
        Ok(term)
    }

    fn any(&mut self) -> Result<Term, RuleError> {
        self.chain(&[Operator::Or], Self::all)
    }

    fn all(&mut self) -> Result<Term, RuleError> {
        self.chain(&[Operator::And], Self::negation)
    }

    fn negation(&mut self) -> Result<Term, RuleError> {
        match self.take(Token::Not) {
            true => Ok(self.nested(Self::negation)?.negated()),
            false => self.comparison(),
        }
    }

    /// Comparisons in a row hold if each one holds: `1 <= x <= 4`.
    fn comparison(&mut self) -> Result<Term, RuleError> {
        use Operator::{AtLeast, AtMost, Equal, Greater, Less, NotEqual};
        let mut left = self.sum()?;
        let mut whole: Option<Term> = None;
        while let Some(operator) = self.take_operator(&[Less, AtMost, Equal, NotEqual, AtLeast, Greater]) {
            let right = self.sum()?;
            let comparison = left.clone().with(operator, right.clone());
            whole = Some(match whole {
                Some(whole) => whole.with(Operator::And, comparison),
                None => comparison,
            });
            left = right;
        }
        Ok(whole.unwrap_or(left))
    }

    fn sum(&mut self) -> Result<Term, RuleError> {
        self.chain(&[Operator::Add, Operator::Subtract], Self::product)
    }

    fn product(&mut self) -> Result<Term, RuleError> {
        self.chain(&[Operator::Multiply, Operator::Divide, Operator::Remainder], Self::factor)
    }

    fn factor(&mut self) -> Result<Term, RuleError> {
        let offset = self.offset();
        let Some(token) = self.peek() else {
            return Err(self.error("the rule ends where a value should be"));
        };
        self.next += 1;
        match token {
            Token::Operator(Operator::Subtract) => Ok(match self.nested(Self::factor)? {
                Term::Constant(value) => Term::Constant(value.saturating_neg()),
                term => Term::Constant(0) - term,
            }),
            Token::Bang => Ok(self.nested(Self::factor)?.negated()),
            Token::Number(value) => Ok(Term::Constant(value)),
            Token::Text(text) => Ok(Term::text(text)),
            Token::Symbol(Symbol::Name("min")) if self.peek() == Some(Token::Open) => self.arguments(Operator::Min),
            Token::Symbol(Symbol::Name("max")) if self.peek() == Some(Token::Open) => self.arguments(Operator::Max),
            Token::Symbol(symbol) => {
                (self.meaning)(symbol).map_err(|message| RuleError::at(self.text, offset, message))
            }
            Token::Open => {
                let term = self.nested(Self::any)?;
                match self.take(Token::Close) {
                    true => Ok(term),
                    false => Err(self.error("the bracket is not closed")),
                }
            }
            _ => Err(RuleError::at(self.text, offset, "there should be a value")),
        }
    }

    /// Two or more arguments in brackets.
    fn arguments(&mut self, operator: Operator) -> Result<Term, RuleError> {
        self.next += 1;
        let mut term = self.nested(Self::any)?;
        while self.take(Token::Comma) {
            term = term.with(operator, self.nested(Self::any)?);
        }
        match self.take(Token::Close) {
            true => Ok(term),
            false => Err(self.error("there should be ',' or ')'")),
        }
    }
}
