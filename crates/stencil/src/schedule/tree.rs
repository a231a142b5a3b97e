//! A strategy's loops for one step of a stencil with sizes: numbers instead of vectors and properties.

use super::syntax::{At, Comparison, Operator};

/// A number that depends on variables.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Scalar {
    Number(i64),
    /// A variable of loops.
    Variable(usize),
    Binary(Function, Box<(Scalar, Scalar)>),
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Function {
    Operator(Operator),
    Min,
    Max,
}

/// A condition on numbers.
#[derive(Clone, Debug)]
pub(crate) enum Truth {
    Compare(Comparison, Scalar, Scalar),
    And(Box<(Truth, Truth)>),
    Or(Box<(Truth, Truth)>),
}

/// The first and the last coordinate on each axis.
pub(crate) type Ranges = Vec<(Scalar, Scalar)>;

/// Iterations may run at the same time: at most so many threads, and consecutive iterations of one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Parallel {
    pub(crate) threads: Option<usize>,
    pub(crate) chunk: usize,
}

#[derive(Clone, Debug)]
pub(crate) enum Node {
    /// A variable gets a value.
    Set {
        variable: usize,
        value: Scalar,
    },
    If {
        condition: Truth,
        then: Vec<Node>,
        otherwise: Vec<Node>,
    },
    Loop(Loop),
    /// The stencil at all points of a box.
    Apply {
        ranges: Ranges,
        parallel: Option<Parallel>,
        at: At,
    },
}

#[derive(Clone, Debug)]
pub(crate) struct Loop {
    /// The number of the loop in the tree.
    pub(crate) number: usize,
    pub(crate) kind: LoopKind,
    pub(crate) parallel: Option<Parallel>,
    pub(crate) body: Vec<Node>,
    pub(crate) name: String,
    pub(super) at: At,
}

#[derive(Clone, Debug)]
pub(crate) enum LoopKind {
    /// From a number to another one, inclusive.
    Counter { variable: usize, first: Scalar, last: Scalar, step: i64 },
    /// Boxes of sizes in ranges, cut at their ends. The first axis is the fastest. Variables have the first and
    /// the last coordinate of a box.
    Boxes { ranges: Ranges, sizes: Vec<Scalar>, first: Vec<usize>, last: Vec<usize> },
}

/// The loops of one step.
#[derive(Clone, Debug)]
pub(crate) struct Tree {
    pub(crate) nodes: Vec<Node>,
    /// The number of variables.
    pub(crate) variables: usize,
    /// The loops cover domains of all sizes, by their structure.
    pub(crate) covers_all: bool,
    /// The greatest absolute value of all numbers.
    pub(crate) largest: i64,
}

impl Scalar {
    pub(crate) fn binary(function: Function, a: Scalar, b: Scalar) -> Self {
        if let (Scalar::Number(a), Scalar::Number(b)) = (&a, &b)
            && let Some(value) = function.value(*a, *b)
        {
            return Scalar::Number(value);
        }
        // What tiles of one point make of their ends.
        if let (Function::Operator(Operator::Add | Operator::Subtract), Scalar::Number(0)) = (function, &b) {
            return a;
        }
        Scalar::Binary(function, Box::new((a, b)))
    }

    pub(crate) fn plus(self, other: Scalar) -> Self {
        Self::binary(Function::Operator(Operator::Add), self, other)
    }

    pub(crate) fn minus(self, other: Scalar) -> Self {
        Self::binary(Function::Operator(Operator::Subtract), self, other)
    }

    /// The value; none where it has none: beyond 64 bits, or a quotient by 0.
    pub(crate) fn value(&self, variables: &[i64]) -> Option<i64> {
        match self {
            Scalar::Number(value) => Some(*value),
            Scalar::Variable(variable) => Some(variables[*variable]),
            Scalar::Binary(function, operands) => {
                function.value(operands.0.value(variables)?, operands.1.value(variables)?)
            }
        }
    }

    /// A variable is among its operands.
    pub(super) fn depends_on(&self, is_sought: &dyn Fn(usize) -> bool) -> bool {
        match self {
            Scalar::Number(_) => false,
            Scalar::Variable(variable) => is_sought(*variable),
            Scalar::Binary(_, operands) => operands.0.depends_on(is_sought) || operands.1.depends_on(is_sought),
        }
    }

    /// The greatest absolute value among its operands and results.
    pub(super) fn magnitude(&self, variables: &[i64]) -> i64 {
        let own = self.value(variables).map_or(i64::MAX, i64::saturating_abs);
        match self {
            Scalar::Binary(_, operands) => {
                own.max(operands.0.magnitude(variables)).max(operands.1.magnitude(variables))
            }
            _ => own,
        }
    }
}

impl Function {
    /// Quotients are rounded towards 0, as in C.
    fn value(self, a: i64, b: i64) -> Option<i64> {
        match self {
            Function::Operator(Operator::Add) => a.checked_add(b),
            Function::Operator(Operator::Subtract) => a.checked_sub(b),
            Function::Operator(Operator::Multiply) => a.checked_mul(b),
            Function::Operator(Operator::Divide) => a.checked_div(b),
            Function::Operator(Operator::Remainder) => a.checked_rem(b),
            Function::Min => Some(a.min(b)),
            Function::Max => Some(a.max(b)),
        }
    }
}

impl Truth {
    pub(crate) fn value(&self, variables: &[i64]) -> Option<bool> {
        Some(match self {
            Truth::Compare(comparison, a, b) => comparison.holds(a.value(variables)?, b.value(variables)?),
            // Both sides are evaluated, as devices do.
            Truth::And(both) => both.0.value(variables)? & both.1.value(variables)?,
            Truth::Or(both) => both.0.value(variables)? | both.1.value(variables)?,
        })
    }

    pub(super) fn scalars(&self) -> Vec<&Scalar> {
        match self {
            Truth::Compare(_, a, b) => vec![a, b],
            Truth::And(both) | Truth::Or(both) => [both.0.scalars(), both.1.scalars()].concat(),
        }
    }
}

/// The iterations of a loop with values for the variables around it.
#[derive(Clone, Debug)]
pub(crate) enum Iterations<'l> {
    Counter { variable: usize, first: i64, step: i64, count: usize },
    Boxes { first: &'l [usize], last: &'l [usize], ranges: Vec<(i64, i64)>, sizes: Vec<i64>, counts: Vec<usize> },
}

/// A loop that has no iterations: a number has no value, or a size is not positive.
#[derive(Clone, Copy, Debug)]
pub(super) enum Fault {
    NoValue,
    Size(i64),
    TooMany,
}

/// The coordinates of a box; none where a number has no value.
pub(crate) fn values(ranges: &Ranges, variables: &[i64]) -> Option<Vec<(i64, i64)>> {
    ranges.iter().map(|(first, last)| Some((first.value(variables)?, last.value(variables)?))).collect()
}

impl Loop {
    /// Values of the loop's bounds.
    pub(super) fn check(&self, variables: &[i64]) -> Result<Iterations<'_>, Fault> {
        match &self.kind {
            LoopKind::Counter { variable, first, last, step } => {
                let (from, to) = first.value(variables).zip(last.value(variables)).ok_or(Fault::NoValue)?;
                let distance = to.checked_sub(from).ok_or(Fault::NoValue)?;
                let count = usize::try_from(distance.div_euclid(*step)).ok().and_then(|last| last.checked_add(1));
                let count = if distance < 0 { 0 } else { count.ok_or(Fault::TooMany)? };
                Ok(Iterations::Counter { variable: *variable, first: from, step: *step, count })
            }
            LoopKind::Boxes { ranges, sizes, first, last } => {
                let ranges = values(ranges, variables).ok_or(Fault::NoValue)?;
                let each = sizes.iter().map(|size| match size.value(variables) {
                    None => Err(Fault::NoValue),
                    Some(size) if size < 1 => Err(Fault::Size(size)),
                    Some(size) => Ok(size),
                });
                let sizes = each.collect::<Result<Vec<i64>, Fault>>()?;
                let each = ranges.iter().zip(&sizes).map(|(&(first, last), &size)| {
                    let length = last.checked_sub(first)?.checked_add(1)?.max(0);
                    usize::try_from(length / size + i64::from(length % size > 0)).ok()
                });
                let counts = each.collect::<Option<Vec<usize>>>().ok_or(Fault::NoValue)?;
                let all = counts.iter().try_fold(1usize, |all, &count| all.checked_mul(count));
                all.ok_or(Fault::TooMany)?;
                Ok(Iterations::Boxes { first, last, ranges, sizes, counts })
            }
        }
    }

    /// The iterations. Bounds have values, as the tree was checked.
    pub(crate) fn iterations(&self, variables: &[i64]) -> Iterations<'_> {
        let none = Iterations::Counter { variable: 0, first: 0, step: 1, count: 0 };
        self.check(variables).unwrap_or(none)
    }

    /// The greatest absolute value of its numbers.
    pub(super) fn magnitude(&self, variables: &[i64]) -> i64 {
        let scalars: Vec<&Scalar> = match &self.kind {
            LoopKind::Counter { first, last, .. } => vec![first, last],
            LoopKind::Boxes { ranges, sizes, .. } => {
                ranges.iter().flat_map(|(first, last)| [first, last]).chain(sizes).collect()
            }
        };
        let step = if let LoopKind::Counter { step, .. } = &self.kind { *step } else { 0 };
        scalars.into_iter().map(|own| own.magnitude(variables)).fold(step, i64::max)
    }
}

impl Iterations<'_> {
    pub(crate) fn count(&self) -> usize {
        match self {
            Iterations::Counter { count, .. } => *count,
            Iterations::Boxes { counts, .. } => counts.iter().product(),
        }
    }

    /// Sets the variables of an iteration.
    pub(crate) fn enter(&self, mut number: usize, variables: &mut [i64]) {
        match self {
            Iterations::Counter { variable, first, step, .. } => variables[*variable] = first + number as i64 * step,
            Iterations::Boxes { first, last, ranges, sizes, counts } => {
                for (axis, &count) in counts.iter().enumerate() {
                    let from = ranges[axis].0 + (number % count) as i64 * sizes[axis];
                    number /= count;
                    variables[first[axis]] = from;
                    variables[last[axis]] = ranges[axis].1.min(from.saturating_add(sizes[axis] - 1));
                }
            }
        }
    }
}

impl Node {
    /// Iterations of the node, or of loops within it, may run at the same time.
    pub(crate) fn has_parallel(&self) -> bool {
        match self {
            Node::Set { .. } => false,
            Node::If { then, otherwise, .. } => then.iter().chain(otherwise).any(Node::has_parallel),
            Node::Loop(own) => own.parallel.is_some() || own.body.iter().any(Node::has_parallel),
            Node::Apply { parallel, .. } => parallel.is_some(),
        }
    }
}

impl Tree {
    /// The loop of a number.
    pub(crate) fn find(&self, number: usize) -> Option<&Loop> {
        fn within(nodes: &[Node], number: usize) -> Option<&Loop> {
            nodes.iter().find_map(|node| match node {
                Node::If { then, otherwise, .. } => within(then, number).or_else(|| within(otherwise, number)),
                Node::Loop(own) if own.number == number => Some(own),
                Node::Loop(own) => within(&own.body, number),
                _ => None,
            })
        }
        within(&self.nodes, number)
    }

    /// The outermost parallel loops.
    pub(crate) fn outermost(&self) -> Vec<&Loop> {
        fn within<'t>(nodes: &'t [Node], found: &mut Vec<&'t Loop>) {
            for node in nodes {
                match node {
                    Node::If { then, otherwise, .. } => {
                        within(then, found);
                        within(otherwise, found);
                    }
                    Node::Loop(own) if own.parallel.is_some() => found.push(own),
                    Node::Loop(own) => within(&own.body, found),
                    _ => {}
                }
            }
        }
        let mut found = Vec::new();
        within(&self.nodes, &mut found);
        found
    }
}
