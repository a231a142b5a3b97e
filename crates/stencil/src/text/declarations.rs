//! Sizes, grids, parameters, tables and results.

use super::expressions::type_named;
use super::lexer::Token;
use super::names::axis_named;
use super::parser::Parser;
use crate::definition::{Constant, Grid, Parameter, Part, Range, ResultScalar, Size, SizeOperator, Type};
use crate::error::Result;

/// The most operations of a size.
const MAX_OPERATIONS: usize = 64;

impl<'a> Parser<'a> {
    /// Reads a size; its symbols become arguments.
    pub(super) fn size(&mut self) -> Result<Size> {
        let mut operations = 0;
        let size = self.size_sum(&mut operations)?;
        size.for_each_symbol(&mut |name: &str| {
            self.symbols.insert(name.to_owned());
        });
        Ok(size)
    }

    fn size_operation(&self, operations: &mut usize, operator: SizeOperator, a: Size, b: Size) -> Result<Size> {
        *operations += 1;
        if *operations > MAX_OPERATIONS {
            return self.fail(format!("a size has at most {MAX_OPERATIONS} operations"));
        }
        Ok(Size::Operation(operator, Box::new((a, b))))
    }

    fn size_sum(&mut self, operations: &mut usize) -> Result<Size> {
        let mut left = self.size_product(operations)?;
        loop {
            let operator = match self.peek() {
                Token::Symbol("+") => SizeOperator::Add,
                Token::Symbol("-") => SizeOperator::Subtract,
                _ => return Ok(left),
            };
            self.advance()?;
            let right = self.size_product(operations)?;
            left = self.size_operation(operations, operator, left, right)?;
        }
    }

    fn size_product(&mut self, operations: &mut usize) -> Result<Size> {
        let mut left = self.size_factor(operations)?;
        loop {
            let operator = match self.peek() {
                Token::Symbol("*") => SizeOperator::Multiply,
                Token::Symbol("/") => SizeOperator::Divide,
                _ => return Ok(left),
            };
            self.advance()?;
            let right = self.size_factor(operations)?;
            left = self.size_operation(operations, operator, left, right)?;
        }
    }

    fn size_factor(&mut self, operations: &mut usize) -> Result<Size> {
        let at = self.at();
        match self.peek() {
            Token::Symbol("+") => {
                self.advance()?;
                self.deeper(|parser| parser.size_factor(operations))
            }
            Token::Symbol("-") => {
                self.advance()?;
                let is_number = matches!(self.peek(), Token::Number(_));
                Ok(match self.deeper(|parser| parser.size_factor(operations))? {
                    Size::Literal(value) if is_number => Size::Literal(-value),
                    other => Size::Negate(Box::new(other)),
                })
            }
            Token::Symbol("(") => {
                self.advance()?;
                let inner = self.deeper(|parser| parser.size_sum(operations))?;
                self.expect(")")?;
                Ok(inner)
            }
            Token::Number(value) if value.fract() == 0.0 && value < 9.0e15 => {
                self.advance()?;
                Ok(Size::Literal(value as i64))
            }
            Token::Name(name) => {
                self.advance()?;
                if self.is("(") {
                    return self.deeper(|parser| parser.size_call(at, name, operations));
                }
                if type_named(name).is_some() {
                    return self.fail_at(at, format!("'{name}' is no size"));
                }
                Ok(Size::Symbol(name.to_owned()))
            }
            _ => self.fail(format!("a size expected, not {}", self.found())),
        }
    }

    fn size_call(&mut self, at: usize, name: &str, operations: &mut usize) -> Result<Size> {
        let operator = match name {
            "min" => SizeOperator::Min,
            "max" => SizeOperator::Max,
            _ => return self.fail_at(at, format!("sizes know 'min' and 'max', not '{name}'")),
        };
        self.expect("(")?;
        let a = self.size_sum(operations)?;
        self.expect(",")?;
        let b = self.size_sum(operations)?;
        self.expect(")")?;
        self.size_operation(operations, operator, a, b)
    }

    pub(super) fn range(&mut self) -> Result<Range> {
        let lower = self.size()?;
        self.expect("..")?;
        Ok(Range { lower, upper: self.size()? })
    }

    /// Grids, parameters, tables and results, between brackets.
    pub(super) fn declarations(&mut self) -> Result<()> {
        self.expect("(")?;
        while !self.accept(")")? {
            self.declaration()?;
            if !self.accept(",")? && !self.is(")") && !matches!(self.peek(), Token::Name(_)) {
                return self.fail(format!("',' or ')' expected, not {}", self.found()));
            }
        }
        Ok(())
    }

    fn declaration(&mut self) -> Result<()> {
        let constant = self.accept("const")?;
        let at = self.at();
        let name = self.name("a type")?;
        let Some(kind) = self.kind_named(name) else {
            return self.fail_at(at, "a type expected: float, double, int or long");
        };
        let at = self.at();
        match self.name("'grid', 'param', 'table' or 'result'")? {
            "grid" => self.grid(kind, constant),
            _ if constant => self.fail_at(at, "only grids can be constant"),
            "param" => self.parameter(kind, false),
            "table" => self.parameter(kind, true),
            "result" => {
                self.begin(Part::Result(self.stencil.results.len()), self.at());
                let name = self.name("the name of the result")?.to_owned();
                self.stencil.results.push(ResultScalar { name, kind });
                Ok(())
            }
            other => self.fail_at(at, format!("'grid', 'param', 'table' or 'result' expected, not '{other}'")),
        }
    }

    fn grid(&mut self, kind: Type, constant: bool) -> Result<()> {
        let at = self.at();
        let name = self.name("the name of the grid")?.to_owned();
        let dimension = self.stencil.dimension();
        let mut grid = Grid {
            name,
            kind,
            constant,
            axes: (0..dimension).collect(),
            memory: None,
            components: Vec::new(),
            shift: Vec::new(),
        };
        let has_axes = self.is("(");
        if has_axes {
            self.advance()?;
            self.memory(at, &mut grid)?;
        }
        if self.accept("at")? {
            self.expect("(")?;
            grid.shift.push(self.half()?);
            while self.accept(",")? {
                grid.shift.push(self.half()?);
            }
            self.expect(")")?;
        }
        while self.accept("[")? {
            loop {
                let at = self.at();
                let length = self.whole_number("the number of grids")?;
                match usize::try_from(length).ok().filter(|&length| length > 0) {
                    Some(length) => grid.components.push(length),
                    None => return self.fail_at(at, "an array of grids has 1 grid or more"),
                }
                if !self.accept(",")? {
                    break;
                }
            }
            self.expect("]")?;
        }
        let index = self.stencil.grids.len();
        if !has_axes {
            self.open.insert(index);
        }
        self.begin(Part::Grid(index), at);
        self.stencil.grids.push(grid);
        Ok(())
    }

    /// `(0 .. n)`, `(z = 0 .. n)` or `(z)`: the memory, the axes, or both.
    fn memory(&mut self, at: usize, grid: &mut Grid) -> Result<()> {
        let mut ranges = Vec::new();
        let mut axes = Vec::new();
        loop {
            let axis = match (self.peek(), self.peek_at(1)) {
                (Token::Name(name), Token::Symbol("=" | "," | ")")) => axis_named(name, self.stencil.dimension()),
                _ => None,
            };
            if let Some(axis) = axis {
                axes.push(axis);
                self.advance()?;
            }
            if axis.is_none() || self.accept("=")? {
                ranges.push(self.range()?);
            }
            if !self.accept(",")? {
                break;
            }
        }
        self.expect(")")?;
        let dimension = self.stencil.dimension();
        if axes.is_empty() && ranges.len() != dimension {
            let given = ranges.len();
            return self.fail_at(at, format!("the memory has {given} ranges, the domain {dimension}: name its axes"));
        }
        if !axes.is_empty() {
            if !ranges.is_empty() && ranges.len() != axes.len() {
                return self.fail_at(at, "either all axes of a grid have ranges or none");
            }
            grid.axes = axes;
        }
        grid.memory = (!ranges.is_empty()).then_some(ranges);
        Ok(())
    }

    /// 0, 1/2 or -1/2, in halves.
    fn half(&mut self) -> Result<i8> {
        let at = self.at();
        let value = self.expression()?;
        match self.draft.constant(value) {
            Some(0.0) => Ok(0),
            Some(0.5) => Ok(1),
            Some(-0.5) => Ok(-1),
            _ => self.fail_at(at, "a shift is 0, 1/2 or -1/2"),
        }
    }

    fn parameter(&mut self, kind: Type, is_table: bool) -> Result<()> {
        let at = self.at();
        let name = self.name("the name of the parameter")?.to_owned();
        let mut ranges = Vec::new();
        while self.accept("[")? {
            loop {
                let first = self.size()?;
                ranges.push(if self.accept("..")? {
                    Range { lower: first, upper: self.size()? }
                } else {
                    let upper = match first {
                        Size::Literal(length) => Size::Literal(length.saturating_sub(1)),
                        symbol => symbol - 1,
                    };
                    Range::new(0, upper)
                });
                if !self.accept(",")? {
                    break;
                }
            }
            self.expect("]")?;
        }
        let values = if is_table { Some(self.values(kind)?) } else { None };
        self.begin(Part::Parameter(self.stencil.parameters.len()), at);
        self.stencil.parameters.push(Parameter { name, kind, ranges, values });
        Ok(())
    }

    /// `= { 1, -2, 1 }`, with brackets within at will.
    fn values(&mut self, kind: Type) -> Result<Vec<Constant>> {
        self.expect("=")?;
        self.expect("{")?;
        let mut values = Vec::new();
        let mut level = 1usize;
        while level > 0 {
            if self.accept("{")? {
                level += 1;
            } else if self.accept("}")? {
                level -= 1;
            } else if !self.accept(",")? {
                let at = self.at();
                let value = self.expression()?;
                let built = self.draft.assigned(value, kind);
                let typed = self.built(at, built)?;
                match self.draft.constant(typed) {
                    Some(value) => values.push(Constant(value)),
                    None => return self.fail_at(at, "a table holds constants"),
                }
            }
        }
        Ok(values)
    }
}
