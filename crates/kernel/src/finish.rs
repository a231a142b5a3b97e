//! Passes over a complete kernel: scope checks, contraction to fma where allowed, and dead-code elimination.

use std::collections::HashSet;

use super::error::BuildError;
use super::ir::{Block, Id, Node, Op, Program, Space, Statement, walk};
use super::operations::UnaryOp;

/// Checks and simplifies a program.
pub(super) fn finish(mut program: Program, contract: bool) -> Result<Program, BuildError> {
    for function in program.functions.iter().filter(|function| function.foreign.is_none()) {
        let mut known: HashSet<Id> = function.parameters.iter().copied().collect();
        let outside = |id: Id| matches!(program.nodes[id].op, Op::Argument(_));
        check_scopes(&program, &function.body, &mut known, &outside)?;
        check_known(&program, &known, function.result, &outside)?;
    }
    check_scopes(&program, &program.body, &mut HashSet::new(), &|_| false)?;
    if contract {
        contract_products(&mut program);
    }
    remove_unused(&mut program);
    Ok(program)
}

fn check_known(
    program: &Program,
    known: &HashSet<Id>,
    id: Id,
    forbidden: &impl Fn(Id) -> bool,
) -> Result<(), BuildError> {
    let node = &program.nodes[id];
    let given = matches!(node.op, Op::Constant(_) | Op::Argument(_));
    if (given && !forbidden(id)) || known.contains(&id) {
        return Ok(());
    }
    let what = node.name.as_ref().map_or_else(|| "a value".to_owned(), |name| format!("'{name}'"));
    Err(BuildError::Scope(what))
}

fn check_scopes(
    program: &Program,
    block: &Block,
    known: &mut HashSet<Id>,
    forbidden: &impl Fn(Id) -> bool,
) -> Result<(), BuildError> {
    for statement in block {
        for id in statement.operands(&program.nodes) {
            check_known(program, known, id, forbidden)?;
        }
        match statement {
            Statement::Let(id) => {
                known.insert(*id);
            }
            Statement::While { test, condition, body } => {
                // Values of the test are in scope in the test only.
                let mut inner = known.clone();
                check_scopes(program, test, &mut inner, forbidden)?;
                check_known(program, &inner, *condition, forbidden)?;
                check_scopes(program, body, &mut known.clone(), forbidden)?;
            }
            _ => {
                for inner in statement.blocks() {
                    let mut known = known.clone();
                    if let Statement::For { counter, .. } = statement {
                        known.insert(*counter);
                    }
                    check_scopes(program, inner, &mut known, forbidden)?;
                }
            }
        }
    }
    Ok(())
}

/// Number of uses of each value.
pub(super) fn uses(program: &Program) -> Vec<usize> {
    let mut uses = vec![0; program.nodes.len()];
    let mut count = |statement: &Statement| {
        statement.operands(&program.nodes).into_iter().for_each(|id| uses[id] += 1);
        if let Statement::While { condition, .. } = statement {
            uses[*condition] += 1;
        }
    };
    for function in &program.functions {
        walk(&function.body, &mut count);
    }
    walk(&program.body, &mut count);
    for function in &program.functions {
        uses[function.result] += 1;
    }
    uses
}

/// Contracts a*b + c, a*b - c and c - a*b to fma, if the product has no other use.
fn contract_products(program: &mut Program) {
    use super::operations::BinaryOp::{Add, Mul, Sub};
    let uses = uses(program);
    let product = |nodes: &[Node], id: Id| match nodes[id].op {
        Op::Binary(Mul, a, b)
            if uses[id] == 1 && nodes[id].value_type.scalar.is_float() && nodes[id].name.is_none() =>
        {
            Some((a, b))
        }
        _ => None,
    };
    let mut negations = Vec::new();
    for id in 0..program.nodes.len() {
        let Op::Binary(op @ (Add | Sub), left, right) = program.nodes[id].op else { continue };
        let (first, second) = (product(&program.nodes, left), product(&program.nodes, right));
        let mut negate = |program: &mut Program, of: Id| {
            let value_type = program.nodes[of].value_type;
            program.nodes.push(Node { op: Op::Unary(UnaryOp::Neg, of), value_type, name: None });
            negations.push((id, program.nodes.len() - 1));
            program.nodes.len() - 1
        };
        program.nodes[id].op = match (op, first, second) {
            (Add, Some((a, b)), _) => Op::Fma(a, b, right),
            (Add, None, Some((a, b))) => Op::Fma(a, b, left),
            (_, Some((a, b)), _) => Op::Fma(a, b, negate(program, right)),
            (_, None, Some((a, b))) => Op::Fma(negate(program, a), b, left),
            (_, None, None) => continue,
        };
    }
    let mut functions = std::mem::take(&mut program.functions);
    for block in functions.iter_mut().map(|function| &mut function.body).chain([&mut program.body]) {
        insert_before(block, &negations);
    }
    program.functions = functions;
}

/// Inserts each new value before its use.
fn insert_before(block: &mut Block, new: &[(Id, Id)]) {
    let mut result = Vec::with_capacity(block.len());
    for mut statement in std::mem::take(block) {
        if let Statement::Let(id) = statement {
            result.extend(new.iter().filter(|(before, _)| *before == id).map(|(_, value)| Statement::Let(*value)));
        }
        statement.blocks_mut().into_iter().for_each(|inner| insert_before(inner, new));
        result.push(statement);
    }
    *block = result;
}

/// The program without the checks of indices, which only the interpreter makes.
pub(super) fn without_checks(program: &Program) -> Program {
    let mut program = program.clone();
    let checked = |id: Id| match program.nodes[id].op {
        Op::Within(index, ..) => Some(index),
        _ => None,
    };
    if !(0..program.nodes.len()).any(|id| checked(id).is_some()) {
        return program;
    }
    // A check of a check is another one.
    let index_of = |id: Id| std::iter::successors(Some(id), |id| checked(*id)).last().unwrap_or(id);
    let indices: Vec<Id> = (0..program.nodes.len()).map(index_of).collect();
    for node in &mut program.nodes {
        node.op.operands_mut().into_iter().for_each(|id| *id = indices[*id]);
    }
    let mut functions = std::mem::take(&mut program.functions);
    for function in &mut functions {
        replace(&mut function.body, &indices);
        function.result = indices[function.result];
    }
    program.functions = functions;
    replace(&mut program.body, &indices);
    remove_unused(&mut program);
    program
}

fn replace(block: &mut Block, values: &[Id]) {
    for statement in block {
        statement.operands_mut().into_iter().for_each(|id| *id = values[*id]);
        statement.blocks_mut().into_iter().for_each(|inner| replace(inner, values));
    }
}

/// Dead-code elimination: values, variables, arrays and empty blocks. Loops are assumed to terminate.
fn remove_unused(program: &mut Program) {
    let mut needs = Needs {
        values: vec![false; program.nodes.len()],
        variables: vec![false; program.variables.len()],
        memories: program.memories.iter().map(|memory| memory.space == Space::Global).collect(),
        changed: true,
    };
    for function in &program.functions {
        needs.values[function.result] = true;
    }
    while std::mem::take(&mut needs.changed) {
        for body in program.functions.iter().map(|function| &function.body).chain([&program.body]) {
            needs.mark(&program.nodes, body);
        }
    }
    let mut body = std::mem::take(&mut program.body);
    needs.retain(&program.nodes, &mut body);
    program.body = body;
    let mut functions = std::mem::take(&mut program.functions);
    functions.iter_mut().for_each(|function| needs.retain(&program.nodes, &mut function.body));
    program.functions = functions;
}

/// Everything that results depend on.
struct Needs {
    values: Vec<bool>,
    variables: Vec<bool>,
    memories: Vec<bool>,
    changed: bool,
}

impl Needs {
    fn is_needed(&self, nodes: &[Node], statement: &Statement) -> bool {
        match statement {
            Statement::Let(id) => self.values[*id] || matches!(nodes[*id].op, Op::Atomic(..)),
            Statement::Declare(variable, _) | Statement::Assign(variable, _) => self.variables[*variable],
            Statement::Store(memory, ..) => self.memories[*memory],
            Statement::Barrier { .. } => true,
            Statement::If { .. } | Statement::Switch { .. } | Statement::For { .. } | Statement::While { .. } => {
                statement.blocks().into_iter().flatten().any(|inner| self.is_needed(nodes, inner))
            }
        }
    }

    fn mark(&mut self, nodes: &[Node], block: &Block) {
        for statement in block {
            if !self.is_needed(nodes, statement) {
                continue;
            }
            for id in statement.operands(nodes) {
                self.changed |= !std::mem::replace(&mut self.values[id], true);
            }
            match statement {
                Statement::Let(id) => match nodes[*id].op {
                    Op::Read(variable) => self.changed |= !std::mem::replace(&mut self.variables[variable], true),
                    Op::Load(memory, ..) | Op::Atomic(_, memory, ..) => {
                        self.changed |= !std::mem::replace(&mut self.memories[memory], true);
                    }
                    _ => {}
                },
                Statement::While { condition, .. } => {
                    self.changed |= !std::mem::replace(&mut self.values[*condition], true);
                }
                _ => {}
            }
            statement.blocks().into_iter().for_each(|inner| self.mark(nodes, inner));
        }
    }

    fn retain(&self, nodes: &[Node], block: &mut Block) {
        block.retain(|statement| self.is_needed(nodes, statement));
        for statement in block {
            statement.blocks_mut().into_iter().for_each(|inner| self.retain(nodes, inner));
        }
    }
}
