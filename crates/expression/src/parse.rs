//! Parsing by precedence.

use super::error::TextError;
use super::syntax::{Argument, Item, Kind, Statement, Target, Tree};
use super::token::{Spanned, Token, tokens};
use super::value::Weak;
use super::{MAX_BYTES, MAX_DEPTH};

/// The statements of a text, one at least.
pub(crate) fn statements(text: &str) -> Result<Vec<Statement>, TextError> {
    if text.len() > MAX_BYTES {
        return Err(TextError::at(text, MAX_BYTES, format!("the text is longer than {MAX_BYTES} bytes")));
    }
    let mut parser = Parser { text, tokens: tokens(text)?, next: 0, depth: 0 };
    let mut statements = Vec::new();
    loop {
        while parser.take_end() {}
        if parser.next == parser.tokens.len() {
            return match statements.is_empty() {
                true => Err(TextError::at(text, text.len(), "the text has no expression")),
                false => Ok(statements),
            };
        }
        statements.push(parser.statement()?);
    }
}

/// Binary operators with their precedence; all but `**` join from the left.
const BINARY: [(&str, u8); 19] = [
    ("<", 1),
    ("<=", 1),
    (">", 1),
    (">=", 1),
    ("==", 1),
    ("!=", 1),
    ("|", 2),
    ("^", 3),
    ("&", 4),
    ("<<", 5),
    (">>", 5),
    ("+", 6),
    ("-", 6),
    ("*", 7),
    ("/", 7),
    ("//", 7),
    ("%", 7),
    ("@", 7),
    ("**", POWER),
];
/// The highest tree. Each level of nesting may have an operator, and a function or an index.
const MAX_HEIGHT: usize = 2 * MAX_DEPTH;
const COMPARISON: u8 = 1;
const SIGN: u8 = 8;
const POWER: u8 = 9;

/// Words of Python that have no meaning for arrays, and what to write.
const WORDS: [(&str, &str); 6] = [
    ("and", "write & between conditions in parentheses"),
    ("or", "write | between conditions in parentheses"),
    ("not", "write ~ before a condition in parentheses"),
    ("if", "write where(condition, a, b)"),
    ("else", "write where(condition, a, b)"),
    ("lambda", "an expression has no functions of its own"),
];

struct Parser<'a> {
    text: &'a str,
    tokens: Vec<Spanned>,
    next: usize,
    depth: usize,
}

type Parsed<T> = Result<T, TextError>;

impl Parser<'_> {
    fn peek(&self) -> &Token {
        self.tokens.get(self.next).map_or(&Token::End, |spanned| &spanned.token)
    }

    fn at(&self) -> usize {
        self.tokens.get(self.next).map_or(self.text.len(), |spanned| spanned.at)
    }

    fn error<T>(&self, at: usize, reason: impl Into<String>) -> Parsed<T> {
        Err(TextError::at(self.text, at, reason))
    }

    fn is_symbol(&self, symbol: &str) -> bool {
        matches!(self.peek(), Token::Symbol(found) if *found == symbol)
    }

    fn take(&mut self, symbol: &str) -> bool {
        let is_it = self.is_symbol(symbol);
        self.next += usize::from(is_it);
        is_it
    }

    fn take_end(&mut self) -> bool {
        let is_end = self.next < self.tokens.len() && *self.peek() == Token::End;
        self.next += usize::from(is_end);
        is_end
    }

    fn expect(&mut self, symbol: &str, opened: usize) -> Parsed<()> {
        if self.take(symbol) {
            return Ok(());
        }
        match self.peek() {
            Token::End => self.error(opened, format!("the bracket is not closed: {symbol:?} is missing")),
            _ => self.error(self.at(), format!("{} instead of {symbol:?}", self.describe())),
        }
    }

    fn describe(&self) -> String {
        match self.peek() {
            Token::End => "the end of the expression".to_owned(),
            Token::Symbol(symbol) => format!("{symbol:?}"),
            Token::Name(name) => format!("the name {name:?}"),
            Token::Integer(_) | Token::Real(_) | Token::Imaginary(_) => "a number".to_owned(),
        }
    }

    /// `value`, `a = value`, `a, b = value` or `a[items] = value`.
    fn statement(&mut self) -> Parsed<Statement> {
        let at = self.at();
        let first = self.list()?;
        let statement = if self.is_symbol("=") {
            let targets = match first.kind {
                Kind::List(trees) => trees.into_iter().map(|tree| self.target(tree)).collect::<Parsed<_>>()?,
                _ => vec![self.target(first)?],
            };
            self.next += 1;
            let value = self.list()?;
            if self.is_symbol("=") {
                return self.error(self.at(), "a value is assigned once; write == to compare");
            }
            Statement { targets, value, at }
        } else {
            Statement { targets: Vec::new(), value: first, at }
        };
        if self.take_end() {
            return Ok(statement);
        }
        match self.peek() {
            Token::Name(name) if word(name).is_some() => {
                self.error(self.at(), format!("{name:?} is none of the operators: {}", word(name).unwrap_or_default()))
            }
            Token::Symbol(")" | "]") => self.error(self.at(), format!("{} closes no bracket", self.describe())),
            Token::Symbol("!") => self.error(self.at(), "\"!\" is none of the operators: write ~ or !="),
            _ => self.error(self.at(), format!("{} where an operator or the end is expected", self.describe())),
        }
    }

    fn target(&self, tree: Tree) -> Parsed<Target> {
        match tree.kind {
            Kind::Name(name) => Ok(Target { name, items: None, at: tree.at }),
            Kind::Index { of, items } => match of.kind {
                Kind::Name(name) => Ok(Target { name, items: Some(items), at: tree.at }),
                _ => self.error(tree.at, "a part of a named operand is assigned, nothing else"),
            },
            _ => self.error(tree.at, "a name is assigned, or a part of a named operand"),
        }
    }

    /// Values between commas, or one value.
    fn list(&mut self) -> Parsed<Tree> {
        let at = self.at();
        let first = self.value(0)?;
        if !self.is_symbol(",") {
            return Ok(first);
        }
        let mut trees = vec![first];
        while self.take(",") {
            if matches!(self.peek(), Token::End) || self.is_symbol(")") || self.is_symbol("=") {
                break;
            }
            trees.push(self.value(0)?);
        }
        Ok(Tree::new(Kind::List(trees), at))
    }

    /// A value whose operators bind at least as tightly as `least`.
    fn value(&mut self, least: u8) -> Parsed<Tree> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return self.error(self.at(), format!("the expression is nested deeper than {MAX_DEPTH}"));
        }
        let first = self.signed()?;
        let mut others = Vec::new();
        while let Token::Symbol(symbol) = *self.peek() {
            let Some(&(operator, precedence)) = BINARY.iter().find(|(operator, _)| *operator == symbol) else { break };
            if precedence < least || precedence == POWER {
                break;
            }
            let at = self.at();
            self.next += 1;
            let right = self.value(precedence + 1)?;
            others.push((operator, at, right));
            if precedence == COMPARISON
                && let Token::Symbol(next) = self.peek()
                && BINARY.contains(&(next, COMPARISON))
            {
                return self.error(self.at(), "comparisons are not chained: write (a < b) & (b < c)");
            }
        }
        self.depth -= 1;
        if others.is_empty() {
            return Ok(first);
        }
        let at = first.at;
        self.of_height(Tree::new(Kind::Chain(Box::new(first), others), at))
    }

    fn signed(&mut self) -> Parsed<Tree> {
        let at = self.at();
        for operator in ["-", "+", "~"] {
            if self.take(operator) {
                let operand = self.value(SIGN)?;
                return Ok(Tree::new(Kind::Unary(operator, Box::new(operand)), at));
            }
        }
        let base = self.postfix()?;
        let at = self.at();
        if !self.take("**") {
            return Ok(base);
        }
        // The exponent may have a sign, and powers join from the right.
        let exponent = self.value(SIGN)?;
        Ok(Tree::new(Kind::Power(Box::new([base, exponent])), at))
    }

    /// A tree, unless it is too high: functions behind dots and indices nest without brackets.
    fn of_height(&self, tree: Tree) -> Parsed<Tree> {
        match tree.height > MAX_HEIGHT {
            true => self.error(tree.at, format!("the expression is nested deeper than {MAX_DEPTH}")),
            false => Ok(tree),
        }
    }

    fn postfix(&mut self) -> Parsed<Tree> {
        let mut tree = self.atom()?;
        loop {
            let at = self.at();
            if self.take("[") {
                let items = self.items(at)?;
                tree = self.of_height(Tree::new(Kind::Index { of: Box::new(tree), items }, at))?;
            } else if self.take(".") {
                let Token::Name(function) = self.peek().clone() else {
                    return self.error(self.at(), "a name of a function follows a dot");
                };
                let at = self.at();
                self.next += 1;
                let mut arguments = vec![Argument { keyword: None, value: tree }];
                let opened = self.at();
                if self.take("(") {
                    arguments.extend(self.arguments(opened)?);
                }
                tree = self.of_height(Tree::new(Kind::Call { function, arguments }, at))?;
            } else {
                return Ok(tree);
            }
        }
    }

    fn atom(&mut self) -> Parsed<Tree> {
        let at = self.at();
        let token = self.peek().clone();
        let leaf = |kind| Ok(Tree::new(kind, at));
        match token {
            Token::Integer(value) => {
                self.next += 1;
                leaf(Kind::Number(Weak::Integer(value)))
            }
            Token::Real(value) => {
                self.next += 1;
                leaf(Kind::Number(Weak::Real(value)))
            }
            Token::Imaginary(value) => {
                self.next += 1;
                leaf(Kind::Number(Weak::Complex(0.0, value)))
            }
            Token::Name(name) => {
                if let Some(advice) = word(&name) {
                    return self.error(at, format!("{name:?} is none of the operators: {advice}"));
                }
                self.next += 1;
                let opened = self.at();
                if self.take("(") {
                    let arguments = self.arguments(opened)?;
                    return leaf(Kind::Call { function: name, arguments });
                }
                leaf(Kind::Name(name))
            }
            Token::Symbol("(") => {
                self.next += 1;
                if self.take(")") {
                    return leaf(Kind::List(Vec::new()));
                }
                let inner = self.list()?;
                self.expect(")", at)?;
                Ok(inner)
            }
            Token::Symbol("[") => {
                self.next += 1;
                let mut trees = Vec::new();
                while !self.is_symbol("]") {
                    trees.push(self.value(0)?);
                    if !self.take(",") {
                        break;
                    }
                }
                self.expect("]", at)?;
                leaf(Kind::List(trees))
            }
            _ => self.error(at, format!("{} where a value is expected", self.describe())),
        }
    }

    fn arguments(&mut self, opened: usize) -> Parsed<Vec<Argument>> {
        let mut arguments: Vec<Argument> = Vec::new();
        while !self.is_symbol(")") {
            let mut keyword = None;
            if let (Token::Name(name), Some(Token::Symbol("="))) =
                (self.peek().clone(), self.tokens.get(self.next + 1).map(|spanned| &spanned.token))
            {
                self.next += 2;
                keyword = Some(name);
            }
            let value = self.value(0)?;
            if keyword.is_none() && arguments.iter().any(|argument| argument.keyword.is_some()) {
                return self.error(value.at, "an argument without a keyword follows one with a keyword");
            }
            arguments.push(Argument { keyword, value });
            if !self.take(",") {
                break;
            }
        }
        self.expect(")", opened)?;
        Ok(arguments)
    }

    fn items(&mut self, opened: usize) -> Parsed<Vec<Item>> {
        let mut items = Vec::new();
        while !self.is_symbol("]") {
            items.push(self.item()?);
            if !self.take(",") {
                break;
            }
        }
        if items.is_empty() {
            return self.error(opened, "an index has one item at least");
        }
        self.expect("]", opened)?;
        Ok(items)
    }

    fn item(&mut self) -> Parsed<Item> {
        if self.take("...") {
            return Ok(Item::Ellipsis);
        }
        if matches!(self.peek(), Token::Name(name) if name == "None" || name == "newaxis") {
            self.next += 1;
            return Ok(Item::NewAxis);
        }
        let bound = |parser: &mut Self| -> Parsed<Option<Tree>> {
            let is_open = parser.is_symbol(":") || parser.is_symbol("]") || parser.is_symbol(",");
            if is_open { Ok(None) } else { parser.value(0).map(Some) }
        };
        let start = bound(self)?;
        if !self.take(":") {
            return match start {
                Some(tree) => Ok(Item::Value(tree)),
                None => self.error(self.at(), format!("{} where an item is expected", self.describe())),
            };
        }
        let end = bound(self)?;
        let step = if self.take(":") { bound(self)? } else { None };
        Ok(Item::Range { start, end, step })
    }
}

fn word(name: &str) -> Option<&'static str> {
    WORDS.iter().find(|(word, _)| *word == name).map(|(_, advice)| *advice)
}
