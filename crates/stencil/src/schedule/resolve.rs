//! From statements to the loops of one step, for a stencil with sizes: names, vectors and properties become numbers.

use super::cover::Block;
use super::syntax::{Access, At, Definition, Expr, Iterator, Kind, Node as ExprNode, Part, Range, Shape, Statement};
use super::tree::{Loop, LoopKind, Node, Parallel, Ranges, Scalar, Tree, Truth};
use super::vectors::Component;
use crate::error::{Error, Result};

/// The variable of the loop over time, and the number of steps.
pub(super) const TIME: usize = 0;
pub(super) const STEPS: usize = 1;

/// The meaning of a name.
#[derive(Clone, Debug)]
pub(super) enum Symbol {
    /// A number or a vector.
    Numbers { values: Vec<Scalar>, assignable: Option<usize> },
    /// Points of the stencil's domain.
    Domain(Ranges),
    /// A domain with memory of its own.
    Local,
}

/// The stencil that a strategy is resolved for.
pub(super) struct Scene {
    pub(super) domain: Block,
    /// The least and the greatest offset that the stencil reads, on each axis.
    pub(super) reach: Vec<(i64, i64)>,
}

pub(super) struct Resolver<'a> {
    pub(super) text: &'a str,
    pub(super) scene: &'a Scene,
    pub(super) scopes: Vec<(String, Symbol)>,
    variables: usize,
    loops: usize,
    /// Parallel loops around a statement.
    parallel: usize,
    /// The loop over time has begun, or has ended.
    has_time: bool,
    is_done: bool,
    /// The level that the stencil reads, relative to the loop's variable.
    shift: Option<i64>,
}

/// The loops of a step. `values` are those of parameters, in their order.
pub(super) fn resolve(definition: &Definition, text: &str, scene: &Scene, values: &[Vec<i64>]) -> Result<Tree> {
    let mut resolver = Resolver::new(text, scene, &definition.domain);
    for (parameter, values) in definition.parameters.iter().zip(values) {
        let values = values.iter().map(|&value| Scalar::Number(value)).collect();
        resolver.scopes.push((parameter.name.clone(), Symbol::Numbers { values, assignable: None }));
    }
    let mut nodes = Vec::new();
    resolver.block(&definition.body, &mut nodes)?;
    if !resolver.is_done {
        return Err(Error::at(text, 0, "the strategy has no loop over time: for t = 1 .. stencil.t_max"));
    }
    Ok(Tree { nodes, variables: resolver.variables, covers_all: false, largest: 0 })
}

impl<'a> Resolver<'a> {
    /// The root domain is known.
    pub(super) fn new(text: &'a str, scene: &'a Scene, domain: &str) -> Self {
        let ranges = scene.domain.iter().map(|&(first, last)| (Scalar::Number(first), Scalar::Number(last))).collect();
        Resolver {
            text,
            scene,
            scopes: vec![(domain.to_owned(), Symbol::Domain(ranges))],
            variables: 2,
            loops: 0,
            parallel: 0,
            has_time: false,
            is_done: false,
            shift: None,
        }
    }

    pub(super) fn fail<T>(&self, at: At, reason: impl Into<String>) -> Result<T> {
        Err(Error::at(self.text, at.0, reason))
    }

    pub(super) fn dimension(&self) -> usize {
        self.scene.domain.len()
    }

    pub(super) fn find(&self, name: &str, at: At) -> Result<&Symbol> {
        match self.scopes.iter().rev().find(|(own, _)| own == name) {
            Some((_, symbol)) => Ok(symbol),
            None => self.fail(at, format!("there is no '{name}' here")),
        }
    }

    /// The points of a domain.
    pub(super) fn ranges_of(&self, name: &str, at: At) -> Result<Ranges> {
        match self.find(name, at)? {
            Symbol::Domain(ranges) => Ok(ranges.clone()),
            Symbol::Numbers { .. } => self.fail(at, format!("'{name}' is no domain")),
            Symbol::Local => self.local(name, at),
        }
    }

    fn local<T>(&self, name: &str, at: At) -> Result<T> {
        self.fail(
            at,
            format!(
                "'{name}' has memory of its own, which is read and printed, but does not run: the strategies overlap \
                 and wavefront do several steps at once"
            ),
        )
    }

    fn fresh(&mut self, count: usize) -> Vec<usize> {
        self.variables += count;
        (self.variables - count..self.variables).collect()
    }

    fn block(&mut self, statements: &[Statement], nodes: &mut Vec<Node>) -> Result<()> {
        let scope = self.scopes.len();
        statements.iter().try_for_each(|own| self.statement(own, nodes))?;
        self.scopes.truncate(scope);
        Ok(())
    }

    fn inner(&mut self, statement: &Statement) -> Result<Vec<Node>> {
        let mut nodes = Vec::new();
        self.block(std::slice::from_ref(statement), &mut nodes)?;
        Ok(nodes)
    }

    fn statement(&mut self, statement: &Statement, nodes: &mut Vec<Node>) -> Result<()> {
        match statement {
            Statement::Block(all) => self.block(all, nodes),
            Statement::Declare { kind, name, value, at } => self.declare((*kind, name, *at), value.as_ref(), nodes),
            Statement::Domain { name, at, .. } => {
                self.scopes.push((name.clone(), Symbol::Local));
                self.local(name, *at)
            }
            Statement::Assign { name, value, at } => self.assign(name, value, *at, nodes),
            Statement::Apply { to, from, at } => {
                let ranges = self.call(to, from, *at)?;
                nodes.push(Node::Apply { ranges, parallel: None, at: *at });
                Ok(())
            }
            Statement::Copy { to, at, .. } => {
                self.ranges_of(&to.domain, to.at)?;
                self.fail(*at, "values of grids come from the stencil: v[p; t+1] = stencil(v[p; t])")
            }
            Statement::If { condition, then, otherwise } => {
                let condition = self.condition(condition)?;
                let then = self.inner(then)?;
                let otherwise = otherwise.as_ref().map_or(Ok(Vec::new()), |own| self.inner(own))?;
                nodes.push(Node::If { condition, then, otherwise });
                Ok(())
            }
            Statement::Loop { iterator, parallel, body, at } => {
                let parallel = parallel.as_ref().map(|own| self.parallel(own, *at)).transpose()?;
                let scope = self.scopes.len();
                let done = self.repetition((iterator, parallel, *at), body, nodes);
                self.scopes.truncate(scope);
                done
            }
        }
    }

    /// The length of vectors of a type.
    pub(super) fn length(&self, kind: Kind, at: At) -> Result<usize> {
        let dimension = self.dimension();
        match kind {
            Kind::Int => Ok(1),
            Kind::Dim => Ok(dimension),
            Kind::Codim(missing) => match dimension.checked_sub(missing).filter(|&length| length > 0) {
                Some(length) => Ok(length),
                None => self.fail(at, format!("codim({missing}) has no component in {dimension} dimensions")),
            },
        }
    }

    fn declare(
        &mut self,
        (kind, name, at): (Kind, &str, At),
        value: Option<&Expr>,
        nodes: &mut Vec<Node>,
    ) -> Result<()> {
        let length = self.length(kind, at)?;
        let values = match value {
            Some(value) => self.numbers(value, length)?,
            None => vec![Scalar::Number(0); length],
        };
        let own = self.fresh(length);
        nodes.extend(own.iter().zip(values).map(|(&variable, value)| Node::Set { variable, value }));
        let values = own.into_iter().map(Scalar::Variable).collect();
        self.scopes.push((name.to_owned(), Symbol::Numbers { values, assignable: Some(self.parallel) }));
        Ok(())
    }

    fn assign(&mut self, name: &str, value: &Expr, at: At, nodes: &mut Vec<Node>) -> Result<()> {
        let targets = match self.find(name, at)? {
            Symbol::Numbers { assignable: None, .. } => {
                return self.fail(at, format!("'{name}' is a parameter or a loop's variable, which keeps its value"));
            }
            Symbol::Numbers { assignable: Some(level), .. } if *level < self.parallel => {
                return self.fail(at, format!("'{name}' belongs to no single iteration of the parallel loop"));
            }
            Symbol::Numbers { values, .. } => values.clone(),
            _ => return self.fail(at, format!("'{name}' is a domain: v[p; t+1] = stencil(v[p; t])")),
        };
        let values = self.numbers(value, targets.len())?;
        // All values are those before the assignment.
        let copies = if targets.len() > 1 { self.fresh(targets.len()) } else { Vec::new() };
        let values: Vec<Scalar> = match copies.is_empty() {
            true => values,
            false => {
                let set = |(&variable, value): (&usize, Scalar)| Node::Set { variable, value };
                nodes.extend(copies.iter().zip(values).map(set));
                copies.into_iter().map(Scalar::Variable).collect()
            }
        };
        for (target, value) in targets.into_iter().zip(values) {
            let Scalar::Variable(variable) = target else { unreachable!("what is assigned is a variable") };
            nodes.push(Node::Set { variable, value });
        }
        Ok(())
    }

    fn parallel(&mut self, own: &super::syntax::Parallel, at: At) -> Result<Parallel> {
        let mut positive = |value: &Option<Expr>, what: &str| -> Result<Option<usize>> {
            let Some(value) = value else { return Ok(None) };
            match self.number(value)? {
                Scalar::Number(number) if number > 0 => Ok(usize::try_from(number).ok()),
                Scalar::Number(number) => self.fail(value.at, format!("{what} is {number}: it is positive")),
                _ => self.fail(at, format!("{what} depends on variables")),
            }
        };
        let threads = positive(&own.threads, "the number of threads")?;
        let chunk = positive(&own.chunk, "the number of consecutive iterations")?;
        Ok(Parallel { threads, chunk: chunk.unwrap_or(1) })
    }

    fn repetition(
        &mut self,
        (iterator, parallel, at): (&Iterator, Option<Parallel>, At),
        body: &Statement,
        nodes: &mut Vec<Node>,
    ) -> Result<()> {
        let (kind, name) = match iterator {
            Iterator::Range { variable, first, last, step } => {
                let (first, last) = (self.number_in_time(first)?, self.number_in_time(last)?);
                let step = step.as_ref().map(|step| self.number(step).map(|value| (value, step.at))).transpose()?;
                let step = match step {
                    None => 1,
                    Some((Scalar::Number(step), _)) if step > 0 => step,
                    Some((Scalar::Number(step), at)) => {
                        return self.fail(at, format!("the step {step} is not positive"));
                    }
                    Some((_, at)) => return self.fail(at, "the step depends on variables"),
                };
                if last.depends_on(&|own| own == STEPS) {
                    return self.time((variable, &first, &last, step), (body, parallel.is_some(), at), nodes);
                }
                self.without_time(&first, at)?;
                self.without_time(&last, at)?;
                let own = self.fresh(1)[0];
                let values = vec![Scalar::Variable(own)];
                self.scopes.push((variable.clone(), Symbol::Numbers { values, assignable: None }));
                (LoopKind::Counter { variable: own, first, last, step }, variable)
            }
            Iterator::Boxes { shape, name, parent, range, time } => {
                let outer = self.ranges_of(parent, at)?;
                let ranges = match range {
                    Some(range) => self.ranges(range, &outer, at)?,
                    None => outer,
                };
                time.as_ref().map_or(Ok(()), |time| self.at_level(time, 0))?;
                if let (Shape::Point, Statement::Apply { to, from, at }) = (shape, body)
                    && is_name(&to.index, name)
                {
                    self.scopes.push((name.clone(), Symbol::Domain(ranges)));
                    let ranges = self.call(to, from, *at)?;
                    nodes.push(Node::Apply { ranges, parallel, at: *at });
                    return Ok(());
                }
                (self.boxes(shape, name, ranges, at)?, name)
            }
        };
        self.loops += 1;
        let number = self.loops;
        self.parallel += usize::from(parallel.is_some());
        let body = self.inner(body)?;
        self.parallel -= usize::from(parallel.is_some());
        nodes.push(Node::Loop(Loop { number, kind, parallel, body, name: name.clone(), at }));
        Ok(())
    }

    fn boxes(&mut self, shape: &Shape, name: &str, ranges: Ranges, at: At) -> Result<LoopKind> {
        let lengths: Vec<i64> = self.scene.domain.iter().map(|(first, last)| last - first + 1).collect();
        let sizes = match shape {
            Shape::Point => vec![Scalar::Number(1); lengths.len()],
            Shape::Plane => {
                let mut sizes: Vec<Scalar> = lengths.iter().map(|&length| Scalar::Number(length)).collect();
                *sizes.last_mut().expect("a stencil has an axis") = Scalar::Number(1);
                sizes
            }
            Shape::Subdomain(size) => {
                let sizes = self.vector(size, Some(lengths.len()), at)?;
                let sizes = sizes.into_iter().map(|own| self.plain(own, at)).collect::<Result<Vec<Scalar>>>()?;
                if let Some(wrong) = sizes.iter().find(|size| matches!(size, Scalar::Number(size) if *size < 1)) {
                    let Scalar::Number(wrong) = wrong else { unreachable!("it is a number") };
                    return self.fail(at, format!("the size of '{name}' is {wrong}: sizes are positive"));
                }
                // No box is larger than the domain.
                let cut = |(size, &length): (Scalar, &i64)| match size {
                    Scalar::Number(size) => Scalar::Number(size.min(length)),
                    size => size,
                };
                sizes.into_iter().zip(&lengths).map(cut).collect()
            }
        };
        let (first, last) = (self.fresh(lengths.len()), self.fresh(lengths.len()));
        let own = first.iter().zip(&last).map(|(&a, &b)| (Scalar::Variable(a), Scalar::Variable(b))).collect();
        self.scopes.push((name.to_owned(), Symbol::Domain(own)));
        Ok(LoopKind::Boxes { ranges, sizes, first, last })
    }

    /// The loop over time: its body is a step.
    fn time(
        &mut self,
        (variable, first, last, step): (&str, &Scalar, &Scalar, i64),
        (body, is_parallel, at): (&Statement, bool, At),
        nodes: &mut Vec<Node>,
    ) -> Result<()> {
        if self.has_time || self.is_done {
            return self.fail(at, "there is a loop over time already");
        }
        if self.loops > 0 || self.parallel > 0 {
            return self.fail(at, "the loop over time is within no other one");
        }
        if is_parallel {
            return self.fail(at, "steps follow one another: the loop over time is not parallel");
        }
        if step != 1 {
            return self.fail(
                at,
                format!(
                    "a loop over time goes by 1, not {step}: \
                 overlap and wavefront do several steps at once"
                ),
            );
        }
        let steps = last.clone().minus(first.clone()).plus(Scalar::Number(1));
        let is_all = [1, 2, 7].iter().all(|&count| steps.value(&[0, count]) == Some(count));
        if first.depends_on(&|_| true) || last.depends_on(&|own| own != STEPS) || !is_all {
            return self.fail(at, "the loop over time has stencil.t_max iterations: for t = 1 .. stencil.t_max");
        }
        self.has_time = true;
        let values = vec![Scalar::Variable(TIME)];
        self.scopes.push((variable.to_owned(), Symbol::Numbers { values, assignable: None }));
        let step = self.inner(body)?;
        nodes.extend(step);
        (self.has_time, self.is_done) = (false, true);
        Ok(())
    }

    /// An expression is the level that the stencil reads, or some levels later.
    fn at_level(&mut self, time: &Expr, later: i64) -> Result<()> {
        let level = self.number_in_time(time)?;
        let value = |t: i64| level.value(&[t, 0]).filter(|_| !level.depends_on(&|own| own != TIME));
        let shift = match (value(0), value(1), value(1000)) {
            (Some(shift), Some(one), Some(far))
                if one.checked_sub(shift) == Some(1) && far.checked_sub(shift) == Some(1000) =>
            {
                shift.wrapping_sub(later)
            }
            _ => return self.fail(time.at, "a level is the variable of the loop over time, or a number more"),
        };
        match self.shift.replace(shift) {
            Some(other) if other != shift => {
                let what = if later == 0 { "reads another level" } else { "does not write the level behind it" };
                self.fail(time.at, format!("the step {what}: v[p; t+1] = stencil(v[p; t])"))
            }
            _ => Ok(()),
        }
    }

    /// The points of a call of the stencil.
    fn call(&mut self, to: &Access, from: &Access, at: At) -> Result<Ranges> {
        let (outer, _) = (self.ranges_of(&to.domain, to.at)?, self.ranges_of(&from.domain, from.at)?);
        if !self.has_time {
            return self.fail(at, "the stencil is called outside of the loop over time");
        }
        for access in [from, to] {
            match &access.rest[..] {
                [time] => self.at_level(time, i64::from(access.at.0 == to.at.0))?,
                [] => return self.fail(access.at, "the level is missing: v[p; t]"),
                [_, more, ..] => return self.fail(more.at, "grids have no further index here"),
            }
        }
        if to.index != from.index || to.domain != from.domain && !self.is_domain(&to.index) {
            return self.fail(from.at, "the stencil is read and written at the same points");
        }
        self.ranges(&to.index, &outer, at)
    }

    /// An index is the name of a domain.
    fn is_domain(&self, index: &Range) -> bool {
        match &index[..] {
            [own] => match &own.part {
                Part::One(Expr { node: ExprNode::Name(name, None), at }) => {
                    matches!(self.find(name, *at), Ok(Symbol::Domain(_)))
                }
                _ => false,
            },
            _ => false,
        }
    }

    /// The number of an expression.
    pub(super) fn number(&mut self, value: &Expr) -> Result<Scalar> {
        Ok(self.numbers(value, 1)?.swap_remove(0))
    }

    fn number_in_time(&mut self, value: &Expr) -> Result<Scalar> {
        let mut found = self.quantity(value)?;
        match found.len() {
            1 => self.plain(found.swap_remove(0), value.at),
            length => self.fail(value.at, format!("a vector of {length} components is no number")),
        }
    }

    /// The components of a vector.
    pub(super) fn numbers(&mut self, value: &Expr, length: usize) -> Result<Vec<Scalar>> {
        let found: Vec<Component> = match &value.node {
            ExprNode::Vector(items) => self.vector(items, Some(length), value.at)?,
            _ => self.quantity(value)?,
        };
        if found.len() != length {
            let given = found.len();
            return self.fail(value.at, format!("the vector has {given} components, and {length} are wanted"));
        }
        let all = found.into_iter().map(|own| self.plain(own, value.at)).collect::<Result<Vec<_>>>()?;
        all.iter().try_for_each(|own| self.without_time(own, value.at))?;
        Ok(all)
    }

    /// A number does not depend on the step.
    pub(super) fn without_time(&self, own: &Scalar, at: At) -> Result<()> {
        match own.depends_on(&|variable| variable == TIME || variable == STEPS) {
            true => self.fail(at, "loops within a step are the same in all steps: they cannot depend on time"),
            false => Ok(()),
        }
    }

    fn condition(&mut self, own: &super::syntax::Condition) -> Result<Truth> {
        use super::syntax::Condition;
        Ok(match own {
            Condition::Compare(comparison, a, b) => Truth::Compare(*comparison, self.number(a)?, self.number(b)?),
            Condition::And(a, b) => Truth::And(Box::new((self.condition(a)?, self.condition(b)?))),
            Condition::Or(a, b) => Truth::Or(Box::new((self.condition(a)?, self.condition(b)?))),
        })
    }
}

fn is_name(index: &Range, wanted: &str) -> bool {
    let [own] = &index[..] else { return false };
    !own.repeats && matches!(&own.part, Part::One(Expr { node: ExprNode::Name(name, None), .. }) if name == wanted)
}
