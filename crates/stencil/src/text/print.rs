//! The printer: a text that parses to an equal stencil.

use std::collections::HashSet;
use std::fmt::{self, Write};

use crate::definition::*;
use crate::definition::{Node, precedence};

/// The whole text, in the language's canonical form: comprehensions and folded constants are written out, and every
/// conversion between types is shown.
impl fmt::Display for Stencil {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Printer::new(self).stencil(f)
    }
}

pub(super) struct Printer<'a> {
    stencil: &'a Stencil,
    /// Names that hide an axis of the same name.
    hidden: HashSet<&'a str>,
}

impl<'a> Printer<'a> {
    pub(super) fn new(stencil: &'a Stencil) -> Self {
        let mut hidden: HashSet<&str> = stencil.symbols().into_iter().collect();
        hidden.extend(stencil.grids.iter().map(|grid| grid.name.as_str()));
        hidden.extend(stencil.parameters.iter().map(|parameter| parameter.name.as_str()));
        hidden.extend(stencil.results.iter().map(|result| result.name.as_str()));
        hidden.extend(stencil.temporaries.iter().map(|temporary| temporary.name.as_str()));
        Printer { stencil, hidden }
    }

    fn stencil(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let stencil = self.stencil;
        writeln!(f, "stencil {} {{", stencil.name)?;
        if stencil.options.reassociate {
            writeln!(f, "  options {{ reassociate = yes; }}")?;
        }
        writeln!(f, "  domainsize = ({});", ranges(&stencil.domain))?;
        if let Some(steps) = &stencil.steps {
            writeln!(f, "  t_max = {};", size(steps, 0))?;
        }
        self.operation(f)?;
        if !stencil.initial.is_empty() {
            writeln!(f, "  initial {{")?;
            stencil.initial.iter().try_for_each(|initial| self.initial(f, initial))?;
            writeln!(f, "  }}")?;
        }
        self.boundaries(f)?;
        if !stencil.filter.is_empty() {
            writeln!(f, "  filter {{")?;
            stencil.filter.iter().try_for_each(|filter| self.filter(f, filter))?;
            writeln!(f, "  }}")?;
        }
        if let Some(stop) = stencil.stop {
            writeln!(f, "  stop {{ when {} every {}; }}", self.expression(stop.condition), stop.every)?;
        }
        writeln!(f, "}}")
    }

    fn operation(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let grids = self.stencil.grids.iter().map(|grid| self.grid(grid));
        let parameters = self.stencil.parameters.iter().map(parameter);
        let results = self.stencil.results.iter().map(|result| format!("{} result {}", result.kind, result.name));
        let declarations: Vec<String> = grids.chain(parameters).chain(results).collect();
        write!(f, "  operation (\n    {}\n  ) ", declarations.join(",\n    "))?;
        match &self.stencil.stages[..] {
            [stage] if stage.name.is_none() => {
                if stage.sweep == Sweep::RedBlack {
                    f.write_str("sweep red_black ")?;
                }
                writeln!(f, "{{")?;
                self.statements(f, stage, "    ")?;
            }
            stages => {
                writeln!(f, "{{\n    sequence {{")?;
                for stage in stages {
                    f.write_str("      stage ")?;
                    if let Some(name) = &stage.name {
                        write!(f, "{name} ")?;
                    }
                    if stage.sweep == Sweep::RedBlack {
                        f.write_str("sweep red_black ")?;
                    }
                    writeln!(f, "{{")?;
                    self.statements(f, stage, "        ")?;
                    writeln!(f, "      }}")?;
                }
                writeln!(f, "    }}")?;
            }
        }
        writeln!(f, "  }}")
    }

    fn grid(&self, grid: &Grid) -> String {
        let mut text = String::new();
        if grid.constant {
            text.push_str("const ");
        }
        let _ = write!(text, "{} grid {}", grid.kind, grid.name);
        let axes = grid.axes.iter().map(|&axis| AXES[axis]);
        let is_full = grid.axes.len() == self.stencil.dimension();
        match &grid.memory {
            Some(memory) if is_full => {
                let _ = write!(text, "({})", ranges(memory));
            }
            Some(memory) => {
                let each: Vec<String> =
                    axes.zip(memory).map(|(axis, own)| format!("{axis} = {}", range(own))).collect();
                let _ = write!(text, "({})", each.join(", "));
            }
            None if is_full => {}
            None => {
                let _ = write!(text, "({})", axes.collect::<Vec<_>>().join(", "));
            }
        }
        if !grid.shift.is_empty() {
            let shift = grid.shift.iter().map(|half| match half {
                0 => "0",
                1 => "1/2",
                _ => "-1/2",
            });
            let _ = write!(text, " at ({})", shift.collect::<Vec<_>>().join(", "));
        }
        if !grid.components.is_empty() {
            let _ = write!(text, "[{}]", listed(&grid.components));
        }
        text
    }

    fn statements(&self, f: &mut fmt::Formatter<'_>, stage: &Stage, indent: &str) -> fmt::Result {
        for statement in &stage.statements {
            match statement {
                Statement::Let { temporary, value } => {
                    let Temporary { name, kind } = &self.stencil.temporaries[*temporary];
                    writeln!(f, "{indent}{kind} {name} = {};", self.expression(*value))?;
                }
                Statement::Assign { target, value } => {
                    writeln!(f, "{indent}{} = {};", self.target(target, None), self.expression(*value))?;
                }
                Statement::Reduce { result, reduction, value } => {
                    let name = &self.stencil.results[*result].name;
                    writeln!(f, "{indent}{name} = {}({});", reduction.name(), self.expression(*value))?;
                }
            }
        }
        Ok(())
    }

    /// An access to the current point, or to one at given coordinates.
    pub(super) fn target(&self, target: &Target, point: Option<&[ExprId]>) -> String {
        let coordinates: Vec<String> = match point {
            Some(point) => point
                .iter()
                .enumerate()
                // A bare axis would mean every point.
                .map(|(position, &coordinate)| {
                    let text = self.expression(coordinate);
                    if position == 0 { format!("({text})") } else { text }
                })
                .collect(),
            None => self.stencil.grids[target.grid].axes.iter().map(|&axis| self.axis(axis)).collect(),
        };
        let grid = &self.stencil.grids[target.grid];
        let mut text = format!("{}[{}", grid.name, coordinates.join(", "));
        if !grid.constant {
            let _ = write!(text, "; {}", time(target.time));
        }
        text + &self.component(target.grid, target.component) + "]"
    }

    /// `; 1, 2` of an array of grids.
    fn component(&self, grid: usize, component: usize) -> String {
        let lengths = &self.stencil.grids[grid].components;
        if lengths.is_empty() {
            return String::new();
        }
        let mut rest = component;
        let mut indices: Vec<usize> = Vec::new();
        for length in lengths.iter().rev() {
            indices.push(rest % length);
            rest /= length;
        }
        indices.reverse();
        format!("; {}", listed(&indices))
    }

    /// The name of an axis that nothing hides.
    fn axis(&self, axis: usize) -> String {
        let numbered = format!("x{axis}");
        if !self.hidden.contains(AXES[axis]) {
            AXES[axis].to_owned()
        } else if !self.hidden.contains(numbered.as_str()) {
            numbered
        } else {
            format!("axis({axis})")
        }
    }

    fn initial(&self, f: &mut fmt::Formatter<'_>, initial: &Initial) -> fmt::Result {
        let grid = &self.stencil.grids[initial.grid];
        let axes: Vec<String> = grid.axes.iter().map(|&axis| self.axis(axis)).collect();
        write!(f, "    {}[{}", grid.name, axes.join(", "))?;
        if let Some(level) = initial.time.filter(|_| !grid.constant) {
            write!(f, "; {}", time(level))?;
        }
        f.write_str(&self.component(initial.grid, initial.component))?;
        if let Some(condition) = initial.condition {
            write!(f, " : {}", self.expression(condition))?;
        }
        writeln!(f, "] = {};", self.expression(initial.value))
    }

    fn boundaries(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rules = &self.stencil.boundaries;
        if rules.is_empty() {
            return Ok(());
        }
        writeln!(f, "  boundary {{")?;
        let mut last = None;
        for rule in rules {
            if last != Some((rule.grid, rule.component)) {
                let component = self.component(rule.grid, rule.component);
                let component = component.strip_prefix("; ").map_or(String::new(), |inner| format!("[{inner}]"));
                writeln!(f, "    {}{component}:", self.stencil.grids[rule.grid].name)?;
                last = Some((rule.grid, rule.component));
            }
            let side = if rule.side == Side::Lower { '-' } else { '+' };
            let kind = match rule.boundary {
                Boundary::Keep => "keep".to_owned(),
                Boundary::Periodic => "periodic".to_owned(),
                Boundary::Reflect => "reflect".to_owned(),
                Boundary::Symmetric => "symmetric".to_owned(),
                Boundary::Antireflect => "antireflect".to_owned(),
                Boundary::Clamp => "clamp".to_owned(),
                Boundary::Neumann(value) => format!("neumann({})", self.expression(value)),
                // A parameter may have the name of a kind.
                Boundary::Value(value) => format!("({})", self.expression(value)),
            };
            writeln!(f, "      {}{side} = {kind};", AXES[rule.axis])?;
        }
        writeln!(f, "  }}")
    }

    fn filter(&self, f: &mut fmt::Formatter<'_>, filter: &Filter) -> fmt::Result {
        let target = self.target(&filter.target, filter.point.as_deref());
        let operator = filter.operator.map_or("", Binary::symbol);
        writeln!(f, "    {target} {operator}= {};", self.expression(filter.value))
    }

    pub(super) fn expression(&self, expression: ExprId) -> String {
        let mut text = String::new();
        self.write(&mut text, expression);
        text
    }

    /// An operand, in brackets where it binds less than `least`.
    fn operand(&self, text: &mut String, expression: ExprId, least: u32) {
        let is_condition = self.stencil.graph.type_of(expression) == Type::Bool;
        let is_constant = matches!(self.stencil.graph.node(expression), Node::Constant(_));
        if precedence(self.stencil.graph.node(expression)) < least || is_condition && is_constant {
            text.push('(');
            self.write(text, expression);
            text.push(')');
        } else {
            self.write(text, expression);
        }
    }

    fn write(&self, text: &mut String, expression: ExprId) {
        let graph = &self.stencil.graph;
        match graph.node(expression) {
            Node::Constant(value) => text.push_str(&constant(*value, graph.type_of(expression))),
            Node::Size(name) => text.push_str(name),
            Node::Coordinate(axis) => text.push_str(&self.axis(*axis)),
            Node::Time => text.push('t'),
            Node::Result(result) => text.push_str(&self.stencil.results[*result].name),
            Node::Temporary(temporary) => text.push_str(&self.stencil.temporaries[*temporary].name),
            Node::Parameter { parameter, indices } => {
                text.push_str(&self.stencil.parameters[*parameter].name);
                if !indices.is_empty() {
                    self.list(text, '[', indices, ']');
                }
            }
            Node::Tap(tap) => self.tap(text, tap),
            Node::Convert(a) => {
                text.push_str(graph.type_of(expression).keyword());
                self.list(text, '(', &[*a], ')');
            }
            Node::Unary(operator, a) => {
                text.push(if *operator == Unary::Negate { '-' } else { '!' });
                self.operand(text, *a, 8);
            }
            Node::Binary(..) => self.spine(text, expression),
            Node::Power(a, exponent) => {
                self.operand(text, *a, 9);
                let _ = write!(text, " ^ {exponent}");
            }
            Node::Call(function, arguments) => {
                text.push_str(function.name());
                self.list(text, '(', arguments, ')');
            }
            Node::Select(condition, a, b) => {
                self.operand(text, *condition, 2);
                text.push_str(" ? ");
                self.operand(text, *a, 2);
                text.push_str(" : ");
                self.operand(text, *b, 2);
            }
        }
    }

    /// Operators from left to right, without recursion on their left: a sum may have thousands of terms.
    fn spine(&self, text: &mut String, expression: ExprId) {
        let graph = &self.stencil.graph;
        let mut rights = Vec::new();
        let mut first = expression;
        loop {
            let node = graph.node(first);
            let Node::Binary(operator, left, right) = node else { break };
            rights.push((*operator, *right, precedence(node)));
            first = *left;
            // Comparisons of comparisons would be a chain.
            let is_chain = operator.is_comparison();
            if !matches!(graph.node(first), Node::Binary(..))
                || precedence(graph.node(first)) < precedence(node)
                || is_chain
            {
                break;
            }
        }
        let strength = rights.last().map_or(0, |(operator, _, own)| own + u32::from(operator.is_comparison()));
        self.operand(text, first, strength);
        for (operator, right, own) in rights.into_iter().rev() {
            let _ = write!(text, " {} ", operator.symbol());
            self.operand(text, right, own + 1);
        }
    }

    fn list(&self, text: &mut String, open: char, expressions: &[ExprId], close: char) {
        text.push(open);
        for (index, &expression) in expressions.iter().enumerate() {
            if index > 0 {
                text.push_str(", ");
            }
            self.write(text, expression);
        }
        text.push(close);
    }

    fn tap(&self, text: &mut String, tap: &Tap) {
        let grid = &self.stencil.grids[tap.grid];
        text.push_str(&grid.name);
        text.push('[');
        for (index, &axis) in grid.axes.iter().enumerate() {
            if index > 0 {
                text.push(',');
            }
            text.push_str(AXES[axis]);
            if tap.offsets[axis] != 0 {
                let _ = write!(text, "{:+}", tap.offsets[axis]);
            }
        }
        if !grid.constant {
            let _ = write!(text, "; {}", time(tap.time));
        }
        text.push_str(&self.component(tap.grid, tap.component));
        text.push(']');
    }
}

fn time(level: i32) -> String {
    if level == 0 { "t".to_owned() } else { format!("t{level:+}") }
}

fn listed<T: ToString>(values: &[T]) -> String {
    values.iter().map(T::to_string).collect::<Vec<_>>().join(", ")
}

fn constant(Constant(value): Constant, kind: Type) -> String {
    match kind {
        Type::Bool => (if value == 0.0 { "1 < 0" } else { "0 < 1" }).to_owned(),
        Type::I32 | Type::I64 => format!("{}", value as i64),
        Type::F32 => {
            let short = format!("{:?}", value as f32);
            // The text is read in double precision and rounded once more.
            let is_exact = short.parse::<f64>().is_ok_and(|read| read as f32 == value as f32);
            if is_exact { short } else { format!("{value:?}") }
        }
        Type::F64 => format!("{value:?}"),
    }
}

fn parameter(parameter: &Parameter) -> String {
    let word = if parameter.values.is_some() { "table" } else { "param" };
    let mut text = format!("{} {word} {}", parameter.kind, parameter.name);
    if !parameter.ranges.is_empty() {
        let _ = write!(text, "[{}]", ranges(&parameter.ranges));
    }
    if let Some(values) = &parameter.values {
        let values: Vec<String> = values.iter().map(|&value| constant(value, parameter.kind)).collect();
        let _ = write!(text, " = {{ {} }}", values.join(", "));
    }
    text
}

fn ranges(all: &[Range]) -> String {
    all.iter().map(range).collect::<Vec<_>>().join(", ")
}

fn range(range: &Range) -> String {
    format!("{} .. {}", size(&range.lower, 0), size(&range.upper, 0))
}

/// A size, in brackets where it binds less than `least`.
pub(crate) fn size(value: &Size, least: u32) -> String {
    let (text, own) = match value {
        Size::Literal(number) => (number.to_string(), if *number < 0 { 2 } else { 3 }),
        Size::Symbol(name) => (name.clone(), 3),
        // A sign before a number belongs to it.
        Size::Negate(a) if matches!(**a, Size::Literal(_)) => (format!("-({})", size(a, 0)), 2),
        Size::Negate(a) => (format!("-{}", size(a, 3)), 2),
        Size::Operation(operator, operands) => {
            let (symbol, own) = match operator {
                SizeOperator::Add => ("+", 0),
                SizeOperator::Subtract => ("-", 0),
                SizeOperator::Multiply => ("*", 1),
                SizeOperator::Divide => ("/", 1),
                SizeOperator::Min => return format!("min({}, {})", size(&operands.0, 0), size(&operands.1, 0)),
                SizeOperator::Max => return format!("max({}, {})", size(&operands.0, 0), size(&operands.1, 0)),
            };
            (format!("{} {symbol} {}", size(&operands.0, own), size(&operands.1, own + 1)), own)
        }
    };
    if own < least { format!("({text})") } else { text }
}
