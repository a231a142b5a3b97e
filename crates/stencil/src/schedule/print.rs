//! The normal text of a strategy.

use std::fmt::{Display, Formatter, Result, Write};

use super::syntax::{
    Access, Border, Condition, Definition, Expr, Item, Iterator, Kind, Node, Operator, Part, Range, ScaledBorder,
    Shape, Statement, Values,
};

/// Operators with the levels at which they bind.
const SUM: u8 = 1;
const PRODUCT: u8 = 2;
const UNARY: u8 = 3;

impl Display for Definition {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        write!(f, "strategy {} (domain {}", self.name, self.domain)?;
        for parameter in &self.parameters {
            write!(f, ", auto {} {}", parameter.kind, parameter.name)?;
            match &parameter.sets[..] {
                [] => {}
                [one] => write!(f, " = {}", set(one))?,
                several => write!(f, " = ({})", several.iter().map(|own| set(own)).collect::<Vec<_>>().join(", "))?,
            }
        }
        f.write_str(") ")?;
        block(f, &self.body, 0)?;
        f.write_str("\n")
    }
}

impl Display for Kind {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Kind::Int => f.write_str("int"),
            Kind::Dim => f.write_str("dim"),
            Kind::Codim(missing) => write!(f, "codim({missing})"),
        }
    }
}

fn set(all: &[Values]) -> String {
    let each: Vec<String> = all.iter().map(values).collect();
    match &all {
        // A bracket would begin a list of sets.
        [Values::Range { .. }] if !each[0].starts_with('(') => each.concat(),
        _ => format!("{{{}}}", each.join(", ")),
    }
}

fn values(values: &Values) -> String {
    match values {
        Values::One(value) => value.to_string(),
        Values::Range { first, step: None, last, .. } => format!("{first} : {last}"),
        Values::Range { first, step: Some(step), is_geometric, last } => {
            format!("{first} : {}{step} : {last}", if *is_geometric { "*" } else { "" })
        }
    }
}

fn indent(f: &mut Formatter<'_>, depth: usize) -> Result {
    (0..depth).try_for_each(|_| f.write_str("  "))
}

fn block(f: &mut Formatter<'_>, statements: &[Statement], depth: usize) -> Result {
    f.write_str("{\n")?;
    for own in statements {
        indent(f, depth + 1)?;
        statement(f, own, depth + 1)?;
        f.write_str("\n")?;
    }
    indent(f, depth)?;
    f.write_str("}")
}

/// A statement on the line that has begun, or on a line of its own.
fn inner(f: &mut Formatter<'_>, own: &Statement, depth: usize) -> Result {
    if let Statement::Block(_) = own {
        f.write_str(" ")?;
        return statement(f, own, depth);
    }
    f.write_str("\n")?;
    indent(f, depth + 1)?;
    statement(f, own, depth + 1)
}

fn statement(f: &mut Formatter<'_>, own: &Statement, depth: usize) -> Result {
    match own {
        Statement::Block(all) => block(f, all, depth),
        Statement::Declare { kind, name, value: None, .. } => write!(f, "{kind} {name};"),
        Statement::Declare { kind, name, value: Some(value), .. } => write!(f, "{kind} {name} = {value};"),
        Statement::Domain { name, ranges, .. } => {
            let ranges: Vec<String> = ranges.iter().map(range).collect();
            write!(f, "domain {name}({});", ranges.join("; "))
        }
        Statement::Assign { name, value, .. } => write!(f, "{name} = {value};"),
        Statement::Apply { to, from, .. } => write!(f, "{to} = stencil({from});"),
        Statement::Copy { to, from, is_call: true, .. } => write!(f, "memcpy({to}, {from});"),
        Statement::Copy { to, from, .. } => write!(f, "{to} = {from};"),
        Statement::If { condition, then, otherwise } => {
            write!(f, "if ({condition})")?;
            // An if within another one would take its else.
            match (&**then, otherwise) {
                (Statement::Block(_), _) | (_, None) => inner(f, then, depth)?,
                (then, Some(_)) => {
                    f.write_str(" ")?;
                    block(f, std::slice::from_ref(then), depth)?;
                }
            }
            let Some(otherwise) = otherwise else { return Ok(()) };
            f.write_str(" else")?;
            inner(f, otherwise, depth)
        }
        Statement::Loop { iterator, parallel, body, .. } => {
            write!(f, "for {iterator}")?;
            if let Some(parallel) = parallel {
                f.write_str(" parallel")?;
                for (word, value) in [(" ", &parallel.threads), (" schedule ", &parallel.chunk)] {
                    let Some(value) = value else { continue };
                    f.write_str(word)?;
                    let is_short = match &value.node {
                        Node::Number(_) => true,
                        Node::Name(_, components) => components.is_none() && word != " ",
                        _ => false,
                    };
                    if is_short { write!(f, "{value}")? } else { write!(f, "({value})")? }
                }
            }
            inner(f, body, depth)
        }
    }
}

impl Display for Iterator {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Iterator::Range { variable, first, last, step } => {
                write!(f, "{variable} = {first} .. {last}")?;
                step.as_ref().map_or(Ok(()), |step| write!(f, " by {step}"))
            }
            Iterator::Boxes { shape, name, parent, range: own, time } => {
                match shape {
                    Shape::Point => write!(f, "point {name}")?,
                    Shape::Plane => write!(f, "plane {name}")?,
                    Shape::Subdomain(size) => write!(f, "subdomain {name}({})", range(size))?,
                }
                write!(f, " in {parent}")?;
                match (own, time) {
                    (None, _) => Ok(()),
                    (Some(own), None) => write!(f, "({})", range(own)),
                    (Some(own), Some(time)) => write!(f, "({}; {time})", range(own)),
                }
            }
        }
    }
}

fn range(items: &Range) -> String {
    let mut text = String::new();
    for (number, item) in items.iter().enumerate() {
        if number > 0 {
            text.push_str(", ");
        }
        write!(text, "{item}").expect("a String takes every write");
    }
    text
}

impl Display for Item {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match &self.part {
            Part::All(borders) => {
                f.write_str(":")?;
                borders.iter().try_for_each(|border| write!(f, "{border}"))?;
            }
            Part::One(value) => write!(f, "{value}")?,
            Part::Span(first, last) => write!(f, "{first} .. {last}")?,
        }
        if self.repeats { f.write_str(" ...") } else { Ok(()) }
    }
}

impl Display for ScaledBorder {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        f.write_str(if self.is_negative { " - " } else { " + " })?;
        if let Some(factor) = &self.factor {
            // A bracket and a comma behind it would be a border.
            expression(f, factor, PRODUCT)?;
            f.write_str(" * ")?;
        }
        match &self.border {
            Border::Box(None) => f.write_str("stencil.box"),
            Border::Box(Some(components)) => write!(f, "stencil.box({})", range(components)),
            Border::Literal(lower, upper) => write!(f, "({}), ({})", range(lower), range(upper)),
        }
    }
}

impl Display for Access {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let (open, close) = if self.is_round { ('(', ')') } else { ('[', ']') };
        write!(f, "{}{open}{}", self.domain, range(&self.index))?;
        self.rest.iter().try_for_each(|own| write!(f, "; {own}"))?;
        write!(f, "{close}")
    }
}

impl Display for Expr {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        expression(f, self, 0)
    }
}

/// An expression as an operand of an operator that binds at a level.
fn expression(f: &mut Formatter<'_>, own: &Expr, level: u8) -> Result {
    let with = |f: &mut Formatter<'_>, name: &str, components: &Option<Range>| match components {
        None => f.write_str(name),
        Some(components) => write!(f, "{name}({})", range(components)),
    };
    match &own.node {
        Node::Number(value) => write!(f, "{value}"),
        Node::Name(name, components) => with(f, name, components),
        Node::Property(owner, property, components) => with(f, &format!("{owner}.{}", property.name()), components),
        Node::Vector(items) => write!(f, "({})", range(items)),
        Node::Negative(operand) => {
            f.write_str("-")?;
            expression(f, operand, UNARY)
        }
        Node::Binary(operator, left, right) => binary(f, (*operator, left, right), level),
    }
}

fn binary(f: &mut Formatter<'_>, (operator, left, right): (Operator, &Expr, &Expr), level: u8) -> Result {
    let own = if operator.is_product() { PRODUCT } else { SUM };
    let (open, close) = if own < level { ("(", ")") } else { ("", "") };
    f.write_str(open)?;
    expression(f, left, own)?;
    write!(f, " {} ", operator.symbol())?;
    expression(f, right, own + 1)?;
    f.write_str(close)
}

impl Display for Condition {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Condition::Compare(comparison, left, right) => write!(f, "{left} {} {right}", comparison.symbol()),
            Condition::And(left, right) => {
                for (word, own) in [("", left), (" && ", right)] {
                    let is_bare = matches!(**own, Condition::Compare(..)) || word.is_empty() && !is_or(own);
                    f.write_str(word)?;
                    if is_bare { write!(f, "{own}")? } else { write!(f, "({own})")? }
                }
                Ok(())
            }
            Condition::Or(left, right) if is_or(right) => write!(f, "{left} || ({right})"),
            Condition::Or(left, right) => write!(f, "{left} || {right}"),
        }
    }
}

const fn is_or(condition: &Condition) -> bool {
    matches!(condition, Condition::Or(..))
}
