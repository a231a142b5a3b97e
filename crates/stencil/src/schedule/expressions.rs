//! Expressions, vectors, ranges and conditions of strategies.

use super::parser::{MAX_OPERATORS, Parser};
use super::syntax::{Border, Comparison, Condition, Expr, Item, Node, Operator, Part, Property, Range, ScaledBorder};
use crate::error::Result;
use crate::text::lexer::Token;

impl Parser<'_> {
    /// An expression from its begin on.
    pub(super) fn expression(&mut self) -> Result<Expr> {
        self.operators = 0;
        self.sum()
    }

    /// An expression, or a list of components without brackets.
    pub(super) fn vector_expression(&mut self) -> Result<Expr> {
        let at = self.at();
        self.operators = 0;
        let mut items = self.items()?;
        match (items.len(), items.pop()) {
            (1, Some(Item { part: Part::One(value), repeats: false })) => Ok(value),
            (_, Some(last)) => {
                items.push(last);
                Ok(Expr { node: Node::Vector(items), at })
            }
            _ => self.fail("a value expected"),
        }
    }

    fn count(&mut self) -> Result<()> {
        self.operators += 1;
        if self.operators > MAX_OPERATORS {
            return self.fail(format!("an expression has more than {MAX_OPERATORS} operators and brackets"));
        }
        Ok(())
    }

    /// The operator that is next, of products or of sums.
    fn operator(&mut self, is_product: bool) -> Result<Option<Operator>> {
        let Token::Symbol(symbol) = self.peek() else { return Ok(None) };
        let found = Operator::ALL.iter().find(|(own, operator)| *own == symbol && operator.is_product() == is_product);
        let Some(&(_, operator)) = found else { return Ok(None) };
        self.advance();
        self.count()?;
        Ok(Some(operator))
    }

    fn sum(&mut self) -> Result<Expr> {
        let mut left = self.product()?;
        while let Some(operator) = self.operator(false)? {
            let (right, at) = (self.product()?, left.at);
            left = Expr { node: Node::Binary(operator, Box::new(left), Box::new(right)), at };
        }
        Ok(left)
    }

    fn product(&mut self) -> Result<Expr> {
        let mut left = self.unary()?;
        while let Some(operator) = self.operator(true)? {
            let (right, at) = (self.unary()?, left.at);
            left = Expr { node: Node::Binary(operator, Box::new(left), Box::new(right)), at };
        }
        Ok(left)
    }

    fn unary(&mut self) -> Result<Expr> {
        let at = self.at();
        if self.accept("+") {
            self.count()?;
            return self.deeper(Self::unary);
        }
        if self.accept("-") {
            self.count()?;
            let operand = self.deeper(Self::unary)?;
            return Ok(Expr { node: Node::Negative(Box::new(operand)), at });
        }
        self.primary()
    }

    fn primary(&mut self) -> Result<Expr> {
        let at = self.at();
        match self.peek() {
            Token::Number(_) => Ok(Expr { node: Node::Number(self.whole()?), at }),
            Token::Symbol("(") => {
                self.count()?;
                self.advance();
                let mut items = self.deeper(Self::items)?;
                self.expect(")")?;
                match items.pop() {
                    Some(Item { part: Part::One(value), repeats: false }) if items.is_empty() => Ok(value),
                    last => {
                        items.extend(last);
                        Ok(Expr { node: Node::Vector(items), at })
                    }
                }
            }
            Token::Name(name) => {
                if self.is_at(1, ".") {
                    return self.property();
                }
                if name == "stencil" {
                    return self.fail("'stencil' stands before a property, or is called in an assignment");
                }
                let name = self.name("a value")?;
                let components = self.components()?;
                Ok(Expr { node: Node::Name(name, components), at })
            }
            _ => self.fail(format!("a value expected, not {}", self.found())),
        }
    }

    /// `v.size`, `stencil.box(1 .. 2)`.
    fn property(&mut self) -> Result<Expr> {
        let at = self.at();
        let owner = if self.accept("stencil") { "stencil".to_owned() } else { self.name("a domain")? };
        self.expect(".")?;
        let Token::Name(name) = self.peek() else {
            return self.fail(format!("a property expected, not {}", self.found()));
        };
        let Some(&(_, property)) = Property::ALL.iter().find(|(own, _)| *own == name) else {
            let known: Vec<&str> = Property::ALL.iter().map(|(name, _)| *name).collect();
            return self.fail(format!("the property '{name}' is none of {}", known.join(", ")));
        };
        self.advance();
        let components = self.components()?;
        Ok(Expr { node: Node::Property(owner, property, components), at })
    }

    fn components(&mut self) -> Result<Option<Range>> {
        if !self.is("(") {
            return Ok(None);
        }
        self.count()?;
        self.advance();
        let items = self.deeper(Self::items)?;
        self.expect(")")?;
        Ok(Some(items))
    }

    /// A vector or a range from its begin on.
    pub(super) fn range(&mut self) -> Result<Range> {
        self.operators = 0;
        self.items()
    }

    fn items(&mut self) -> Result<Range> {
        let mut items = Vec::new();
        loop {
            let part = self.part()?;
            let repeats = self.is_ellipsis();
            if repeats {
                self.advance();
            }
            items.push(Item { part, repeats });
            // A comma behind dots may be left out.
            let goes_on = self.accept(",") || repeats && !matches!(self.peek(), Token::Symbol(")" | "]" | ";"));
            if !goes_on {
                return Ok(items);
            }
            self.count()?;
        }
    }

    fn part(&mut self) -> Result<Part> {
        if self.accept(":") {
            let mut borders = Vec::new();
            while self.is("+") || self.is("-") {
                borders.push(self.border()?);
            }
            return Ok(Part::All(borders));
        }
        let first = self.sum()?;
        if !self.is("..") || self.is_ellipsis() {
            return Ok(Part::One(first));
        }
        self.advance();
        Ok(Part::Span(first, self.sum()?))
    }

    /// `+ k * stencil.box(1 .. 2)`, `- (1, 0), (1, 0)`.
    fn border(&mut self) -> Result<ScaledBorder> {
        let at = self.at();
        let is_negative = self.is("-");
        self.advance();
        self.count()?;
        let (mut factor, mut border) = (None, None);
        loop {
            if border.is_none() && self.is("stencil") && self.is_at(2, "box") {
                for _ in 0..3 {
                    self.advance();
                }
                border = Some(Border::Box(self.components()?));
            } else if border.is_none() && self.is_literal() {
                border = Some(self.literal()?);
            } else {
                let (own, at) = (self.unary()?, self.at());
                factor = Some(match factor {
                    None => own,
                    Some(left) => Expr { node: Node::Binary(Operator::Multiply, Box::new(left), Box::new(own)), at },
                });
            }
            if !self.accept("*") {
                break;
            }
            self.count()?;
        }
        match border {
            Some(border) => Ok(ScaledBorder { is_negative, factor, border, at }),
            None => self.fail("a border expected: stencil.box, or two vectors in brackets"),
        }
    }

    /// Two vectors in brackets are next.
    fn is_literal(&self) -> bool {
        let behind = self.is("(").then(|| self.bracket().0).filter(|&close| close < usize::MAX);
        behind.is_some_and(|close| self.is_at(close + 1, ",") && self.is_at(close + 2, "("))
    }

    fn literal(&mut self) -> Result<Border> {
        self.expect("(")?;
        let lower = self.deeper(Self::items)?;
        self.expect(")")?;
        self.expect(",")?;
        self.expect("(")?;
        let upper = self.deeper(Self::items)?;
        self.expect(")")?;
        Ok(Border::Literal(lower, upper))
    }

    /// `&&` binds before `||`.
    pub(super) fn condition(&mut self) -> Result<Condition> {
        let mut left = self.conjunction()?;
        while self.accept("||") {
            self.count()?;
            left = Condition::Or(Box::new(left), Box::new(self.conjunction()?));
        }
        Ok(left)
    }

    fn conjunction(&mut self) -> Result<Condition> {
        let mut left = self.comparison()?;
        while self.accept("&&") {
            self.count()?;
            left = Condition::And(Box::new(left), Box::new(self.comparison()?));
        }
        Ok(left)
    }

    fn comparison(&mut self) -> Result<Condition> {
        if self.is("(") && self.bracket().1 {
            self.count()?;
            self.advance();
            let inner = self.deeper(Self::condition)?;
            self.expect(")")?;
            return Ok(inner);
        }
        let left = self.sum()?;
        let found = Comparison::ALL.iter().find(|(symbol, _)| self.is(symbol));
        let Some(&(_, comparison)) = found else {
            return self.fail(format!("a comparison expected, not {}", self.found()));
        };
        self.advance();
        self.count()?;
        Ok(Condition::Compare(comparison, left, self.sum()?))
    }
}
