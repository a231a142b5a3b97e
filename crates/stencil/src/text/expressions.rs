//! Expressions.

use super::lexer::Token;
use super::names::axis_named;
use super::parser::{Context, Parser, Variable};
use crate::definition::{Binary, ExprId, Function, Node, Offsets, Tap, Type, Unary, count_of_indices};
use crate::error::Result;

/// Precedence of an operator of two operands, weakest first.
fn operator(token: Token<'_>) -> Option<(Binary, u32)> {
    let Token::Symbol(symbol) = token else { return None };
    Some(match symbol {
        "||" => (Binary::Or, 2),
        "&&" => (Binary::And, 3),
        "<" => (Binary::Less, 4),
        "<=" => (Binary::LessEqual, 4),
        ">" => (Binary::Greater, 4),
        ">=" => (Binary::GreaterEqual, 4),
        "==" => (Binary::Equal, 4),
        "!=" => (Binary::NotEqual, 4),
        "+" => (Binary::Add, 5),
        "-" => (Binary::Subtract, 5),
        "*" => (Binary::Multiply, 6),
        "/" => (Binary::Divide, 6),
        "%" => (Binary::Remainder, 6),
        _ => return None,
    })
}

pub(super) fn type_named(name: &str) -> Option<Type> {
    [Type::I32, Type::I64, Type::F32, Type::F64].into_iter().find(|kind| kind.keyword() == name)
}

/// The coordinates, the time and the component of an access.
pub(super) struct Access {
    pub(super) offsets: Offsets,
    pub(super) time: Option<i32>,
    pub(super) component: usize,
}

impl<'a> Parser<'a> {
    /// `condition ? a : b`, or what binds more strongly.
    pub(super) fn expression(&mut self) -> Result<ExprId> {
        let condition = self.operators(2)?;
        let at = self.at();
        if !self.accept("?")? {
            return Ok(condition);
        }
        let a = self.deeper(Self::expression)?;
        self.expect(":")?;
        let b = self.deeper(Self::expression)?;
        let built = self.draft.select(condition, a, b);
        self.built(at, built)
    }

    /// Operators of at least a precedence, from left to right.
    fn operators(&mut self, least: u32) -> Result<ExprId> {
        let mut left = self.unary()?;
        while let Some((binary, precedence)) = operator(self.peek()).filter(|(_, own)| *own >= least) {
            let at = self.at();
            if binary.is_comparison() {
                left = self.comparisons(left)?;
                continue;
            }
            self.advance()?;
            let right = self.operators(precedence + 1)?;
            let built = self.draft.binary(binary, left, right);
            left = self.built(at, built)?;
        }
        Ok(left)
    }

    /// `a < b <= c` is `a < b && b <= c`.
    fn comparisons(&mut self, first: ExprId) -> Result<ExprId> {
        let mut left = first;
        let mut all: Option<ExprId> = None;
        while let Some((binary, precedence)) = operator(self.peek()).filter(|(binary, _)| binary.is_comparison()) {
            let at = self.at();
            self.advance()?;
            let right = self.operators(precedence + 1)?;
            let built = self.draft.binary(binary, left, right);
            let next = self.built(at, built)?;
            all = Some(match all {
                None => next,
                Some(before) => {
                    let built = self.draft.binary(Binary::And, before, next);
                    self.built(at, built)?
                }
            });
            left = right;
        }
        Ok(all.unwrap_or(first))
    }

    /// A sign binds less than `^` and more than `*`.
    fn unary(&mut self) -> Result<ExprId> {
        let at = self.at();
        if self.accept("+")? {
            return self.deeper(Self::unary);
        }
        let unary = match self.peek() {
            Token::Symbol("-") => Unary::Negate,
            Token::Symbol("!") => Unary::Not,
            _ => return self.power(),
        };
        self.advance()?;
        let operand = self.deeper(Self::unary)?;
        let built = self.draft.unary(unary, operand);
        self.built(at, built)
    }

    /// `a ^ b ^ c` is `a ^ (b ^ c)`.
    fn power(&mut self) -> Result<ExprId> {
        let base = self.primary()?;
        let at = self.at();
        if !self.accept("^")? {
            return Ok(base);
        }
        let exponent = self.deeper(Self::unary)?;
        let built = self.draft.power(base, exponent);
        self.built(at, built)
    }

    fn primary(&mut self) -> Result<ExprId> {
        let at = self.at();
        match self.peek() {
            Token::Number(value) => {
                self.advance()?;
                let built = self.draft.literal(value);
                self.built(at, built)
            }
            Token::Symbol("(") => {
                self.advance()?;
                let inner = self.deeper(Self::expression)?;
                self.expect(")")?;
                Ok(inner)
            }
            Token::Symbol("{") => self.deeper(Self::comprehension),
            Token::Name(name) => {
                self.advance()?;
                match self.peek() {
                    Token::Symbol("(") => self.deeper(|parser| parser.call(at, name)),
                    Token::Symbol("[") => self.deeper(|parser| parser.access(at, name)),
                    _ => self.named_value(at, name),
                }
            }
            _ => self.fail(format!("an expression expected, not {}", self.found())),
        }
    }

    fn call(&mut self, at: usize, name: &str) -> Result<ExprId> {
        self.expect("(")?;
        if name == "axis" {
            let axis = self.axis_number(at)?;
            let built = self.draft.leaf(Node::Coordinate(axis), Type::I64);
            return self.built(at, built);
        }
        let mut arguments = Vec::new();
        while !self.accept(")")? {
            if !arguments.is_empty() {
                self.expect(",")?;
            }
            arguments.push(self.expression()?);
        }
        let built = match (self.kind_named(name), Function::named(name)) {
            (Some(kind), _) if arguments.len() == 1 => self.draft.convert(arguments[0], kind),
            (Some(kind), _) => Err(format!("'{kind}' takes 1 argument, not {}", arguments.len())),
            (None, Some(function)) => self.draft.call(function, arguments),
            (None, None) => Err(format!("unknown function '{name}'")),
        };
        self.built(at, built)
    }

    /// The number of an axis, and its closing bracket: for axes whose names mean something else.
    fn axis_number(&mut self, at: usize) -> Result<usize> {
        let axis = self.whole_number("the number of an axis")?;
        self.expect(")")?;
        match usize::try_from(axis).ok().filter(|&axis| axis < self.stencil.dimension()) {
            Some(axis) => Ok(axis),
            None => self.fail_at(at, "the domain has no such axis"),
        }
    }

    /// A constant integer, such as an offset.
    pub(super) fn whole_number(&mut self, what: &str) -> Result<i64> {
        let at = self.at();
        let value = self.operators(5)?;
        self.as_whole(at, value, what)
    }

    fn as_whole(&self, at: usize, value: ExprId, what: &str) -> Result<i64> {
        let value = self.draft.constant(value).filter(|_| self.draft.kind(value).is_none());
        match value.filter(|value| value.fract() == 0.0 && value.abs() < 1e9) {
            Some(value) => Ok(value as i64),
            None => self.fail_at(at, format!("{what} is a constant integer")),
        }
    }

    /// `name[...]`: a tap or an element of a parameter.
    fn access(&mut self, at: usize, name: &str) -> Result<ExprId> {
        if let Some(grid) = self.grid_named(name) {
            self.expect("[")?;
            let access = self.coordinates(grid)?;
            self.expect("]")?;
            let constant = self.stencil.grids[grid].constant;
            let time = match access.time {
                None if !constant && self.context != Context::Boundary => {
                    return self.fail_at(at, format!("'{name}' changes in time: a level is needed, such as '; t'"));
                }
                time => time.unwrap_or(0),
            };
            let tap = Tap { grid, component: access.component, time, offsets: access.offsets };
            self.note_access(tap, at);
            let built = self.draft.leaf(Node::Tap(tap), self.stencil.grids[grid].kind);
            return self.built(at, built);
        }
        let Some(parameter) = self.parameter_named(name) else {
            return self.fail_at(at, format!("unknown grid or parameter '{name}'"));
        };
        let mut indices = Vec::new();
        // Brackets may also stand for each index: c[1][2].
        while self.accept("[")? {
            loop {
                let at = self.at();
                let index = self.expression()?;
                let built = self.draft.assigned(index, Type::I64);
                indices.push(self.built(at, built)?);
                if !self.accept(",")? {
                    break;
                }
            }
            self.expect("]")?;
        }
        let (kind, wanted) = (self.stencil.parameters[parameter].kind, self.stencil.parameters[parameter].ranges.len());
        if indices.len() != wanted {
            return self.fail_at(at, count_of_indices(name, wanted, indices.len()));
        }
        let built = self.draft.leaf(Node::Parameter { parameter, indices }, kind);
        self.built(at, built)
    }

    /// Coordinates, time and component, without the brackets.
    pub(super) fn coordinates(&mut self, grid: usize) -> Result<Access> {
        let at = self.at();
        let mut named: Vec<usize> = Vec::new();
        let mut offsets = Offsets::default();
        let mut is_partial = false;
        loop {
            let (axis, is_variable) = self.axis()?;
            is_partial |= is_variable;
            if named.contains(&axis) {
                return self.fail_at(at, "an axis stands twice in the coordinates");
            }
            named.push(axis);
            let offset = self.offset()?;
            offsets[axis] = offset;
            if !self.accept(",")? {
                break;
            }
        }
        if self.open.remove(&grid) && !is_partial {
            self.stencil.grids[grid].axes.clone_from(&named);
        }
        let axes = &self.stencil.grids[grid].axes;
        if !is_partial && *axes != named || named.iter().any(|axis| !axes.contains(axis)) {
            let axes: Vec<&str> = axes.iter().map(|&axis| crate::definition::AXES[axis]).collect();
            let name = &self.stencil.grids[grid].name;
            return self.fail_at(at, format!("the coordinates of '{name}' are [{}]", axes.join(", ")));
        }
        let (time, component) = self.time_and_component(grid)?;
        Ok(Access { offsets, time, component })
    }

    pub(super) fn time_and_component(&mut self, grid: usize) -> Result<(Option<i32>, usize)> {
        let (constant, lengths) = (self.stencil.grids[grid].constant, self.stencil.grids[grid].components.clone());
        let mut time = None;
        let mut component = None;
        while self.accept(";")? {
            let at = self.at();
            if time.is_none() && component.is_none() && self.accept("t")? {
                if constant {
                    let name = &self.stencil.grids[grid].name;
                    return self.fail_at(at, format!("'{name}' is constant: it has no time"));
                }
                time = Some(self.offset()?);
            } else if component.is_none() {
                component = Some(self.component(&lengths)?);
            } else {
                return self.fail_at(at, "the coordinates are followed by a time and a component at most");
            }
        }
        match component {
            None if !lengths.is_empty() => {
                let name = &self.stencil.grids[grid].name;
                self.fail(format!("'{name}' is an array of grids: a component is needed, such as '; 0'"))
            }
            component => Ok((time, component.unwrap_or(0))),
        }
    }

    /// Indices within an array of grids, as one number.
    pub(super) fn component(&mut self, lengths: &[usize]) -> Result<usize> {
        let at = self.at();
        let mut component = 0;
        for (axis, &length) in lengths.iter().enumerate() {
            if axis > 0 {
                self.expect(",")?;
            }
            let at = self.at();
            let index = self.whole_number("the component")?;
            match usize::try_from(index).ok().filter(|&index| index < length) {
                Some(index) => component = component * length + index,
                None => return self.fail_at(at, format!("the component {index} is not within 0 .. {}", length - 1)),
            }
        }
        if lengths.is_empty() {
            return self.fail_at(at, "the grid is no array of grids: it has no components");
        }
        Ok(component)
    }

    /// An axis by name, or a variable that runs over axes.
    fn axis(&mut self) -> Result<(usize, bool)> {
        let at = self.at();
        let name = self.name("the name of an axis")?;
        if let Some(Variable::Axis(axis)) = self.variable_named(name) {
            return Ok((axis, true));
        }
        if name == "axis" && self.accept("(")? {
            let axis = self.axis_number(at)?;
            return Ok((axis, false));
        }
        match axis_named(name, self.stencil.dimension()) {
            Some(axis) => Ok((axis, false)),
            None => self.fail_at(at, format!("'{name}' is no axis of the domain")),
        }
    }

    /// A sum of constants behind a coordinate or `t`.
    fn offset(&mut self) -> Result<i32> {
        let mut sum: i64 = 0;
        while self.is("+") || self.is("-") {
            let sign = if self.accept("+")? { 1 } else { -1 };
            if sign < 0 {
                self.expect("-")?;
            }
            let at = self.at();
            let value = self.operators(6)?;
            sum += sign * self.as_whole(at, value, "an offset")?;
        }
        match i32::try_from(sum) {
            Ok(offset) => Ok(offset),
            Err(_) => self.fail("the offset is too large"),
        }
    }

    /// `{ i = -1 .. 1, d in axes : condition } sum(...)`: terms from left to right, the last variable first.
    fn comprehension(&mut self) -> Result<ExprId> {
        let at = self.at();
        self.expect("{")?;
        let mut ranges: Vec<(&'a str, Vec<Variable>)> = Vec::new();
        loop {
            let name = self.name("a variable")?;
            ranges.push((name, self.variable_range()?));
            if !self.accept(",")? {
                break;
            }
        }
        let condition = if self.accept(":")? { Some(self.mark()) } else { None };
        if condition.is_some() {
            self.skip_to("}")?;
        }
        self.expect("}")?;
        if !["sum", "product", "min", "max"].into_iter().any(|name| self.is(name)) {
            return self.fail(format!("'sum', 'product', 'min' or 'max' expected, not {}", self.found()));
        }
        let name = self.name("a reduction")?;
        self.expect("(")?;
        let body = self.mark();
        self.skip_to(")")?;
        let end = self.mark();
        let terms = self.terms(&ranges, condition, body)?;
        self.go_to(end);
        self.expect(")")?;
        let mut terms = terms.into_iter();
        let first = match (terms.next(), name) {
            (Some(first), _) => first,
            (None, "sum" | "product") => {
                let built = self.draft.literal(if name == "sum" { 0.0 } else { 1.0 });
                self.built(at, built)?
            }
            (None, _) => return self.fail_at(at, "the comprehension has no term"),
        };
        terms.try_fold(first, |so_far, term| {
            let built = match name {
                "sum" => self.draft.binary(Binary::Add, so_far, term),
                "product" => self.draft.binary(Binary::Multiply, so_far, term),
                "min" => self.draft.call(Function::Min, vec![so_far, term]),
                _ => self.draft.call(Function::Max, vec![so_far, term]),
            };
            self.built(at, built)
        })
    }

    fn variable_range(&mut self) -> Result<Vec<Variable>> {
        if self.accept("in")? {
            self.expect("axes")?;
            return Ok((0..self.stencil.dimension()).map(Variable::Axis).collect());
        }
        self.expect("=")?;
        let lower = self.whole_number("an end of the range")?;
        self.expect("..")?;
        let upper = self.whole_number("an end of the range")?;
        if upper - lower > 10_000 {
            return self.fail("the range has more than 10000 numbers");
        }
        Ok((lower..=upper).map(Variable::Number).collect())
    }

    /// Passes over tokens up to a closing bracket of this level.
    fn skip_to(&mut self, end: &str) -> Result<()> {
        let mut level = 0usize;
        loop {
            match self.peek() {
                Token::Symbol(symbol) if level == 0 && symbol == end => return Ok(()),
                Token::Symbol("(" | "[" | "{") => level += 1,
                Token::Symbol(")" | "]" | "}") if level > 0 => level -= 1,
                Token::Symbol(")" | "]" | "}" | ";") if level == 0 => {
                    return self.fail(format!("'{end}' expected, not {}", self.found()));
                }
                Token::End => return self.fail(format!("'{end}' expected, not the end of the text")),
                _ => {}
            }
            self.advance()?;
        }
    }

    /// The terms of a comprehension, in the order of its variables.
    fn terms(
        &mut self,
        ranges: &[(&'a str, Vec<Variable>)],
        condition: Option<usize>,
        body: usize,
    ) -> Result<Vec<ExprId>> {
        let count = ranges.iter().map(|(_, values)| values.len()).try_fold(1usize, usize::checked_mul);
        let Some(count) = count.filter(|&count| count <= 100_000) else {
            return self.fail("the comprehension has more than 100000 terms");
        };
        let mut terms = Vec::new();
        for number in 0..count {
            let mut rest = number;
            let before = self.variables.len();
            let mut chosen: Vec<(&'a str, Variable)> = Vec::new();
            for (name, values) in ranges.iter().rev() {
                chosen.push((*name, values[rest % values.len()]));
                rest /= values.len();
            }
            self.variables.extend(chosen.into_iter().rev());
            let term = self.term(condition, body);
            self.variables.truncate(before);
            terms.extend(term?);
        }
        Ok(terms)
    }

    fn term(&mut self, condition: Option<usize>, body: usize) -> Result<Option<ExprId>> {
        if let Some(mark) = condition {
            self.go_to(mark);
            let at = self.at();
            let value = self.expression()?;
            if !self.is("}") {
                return self.fail(format!("'}}' expected, not {}", self.found()));
            }
            match self.draft.constant(value).filter(|_| self.draft.kind(value) == Some(Type::Bool)) {
                None => return self.fail_at(at, "the condition of a comprehension depends on its variables alone"),
                Some(0.0) => return Ok(None),
                Some(_) => {}
            }
        }
        self.go_to(body);
        let value = self.expression()?;
        if !self.is(")") {
            return self.fail(format!("')' expected, not {}", self.found()));
        }
        Ok(Some(value))
    }
}
