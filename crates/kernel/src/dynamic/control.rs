//! Branches, loops, barriers and functions of values of run-time types.

use std::sync::Arc;

use super::super::constant::Constant;
use super::super::error::BuildError;
use super::super::foreign::ForeignBody;
use super::super::ir::{Arm, Function as FunctionBody, Id, Op, Statement};
use super::super::types::{ScalarType, ValueType};
use super::{Builder, Result, Value, types};

/// A pure function of scalars.
#[derive(Clone, Copy)]
pub struct Function<'k> {
    builder: super::super::Builder<'k>,
    function: usize,
}

impl<'k> Builder<'k> {
    fn condition(value: Value<'k>) -> Result<Id> {
        let value_type = value.value_type();
        if value_type != ValueType::scalar(ScalarType::Bool) {
            return Err(BuildError::Type { what: "a condition".to_owned(), value_type });
        }
        Ok(value.id)
    }

    /// `if` without `else`.
    ///
    /// # Errors
    /// [`BuildError::Type`] for a condition that is no `bool`; those of `then`.
    pub fn when(self, condition: Value<'k>, then: impl FnOnce() -> Result<()>) -> Result<()> {
        self.if_else(condition, then, || Ok(()))
    }

    /// `if` with `else`.
    ///
    /// # Errors
    /// [`BuildError::Type`] for a condition that is no `bool`; those of the blocks.
    pub fn if_else(
        self,
        condition: Value<'k>,
        then: impl FnOnce() -> Result<()>,
        otherwise: impl FnOnce() -> Result<()>,
    ) -> Result<()> {
        let condition = Self::condition(condition)?;
        let (then, first) = self.builder.block(false, then);
        let (otherwise, second) = self.builder.block(false, otherwise);
        first.and(second)?;
        self.builder.push(Statement::If { condition, then, otherwise });
        Ok(())
    }

    /// A switch over an integer: `arm` makes the block of each case, by its number, and of `None` the default.
    ///
    /// # Errors
    /// [`BuildError::Type`] for a selector that is no integer; [`BuildError::Constant`] for a case that its type does
    /// not hold; those of the blocks.
    pub fn switch(
        self,
        selector: Value<'k>,
        cases: &[&[i128]],
        mut arm: impl FnMut(Option<usize>) -> Result<()>,
    ) -> Result<()> {
        let value_type = selector.value_type();
        if !value_type.scalar.is_integer() || value_type.lanes > 1 {
            return Err(BuildError::Type { what: "a switch's selector".to_owned(), value_type });
        }
        let scalar = value_type.scalar;
        let constant = |value: &i128| {
            let constant = Constant::wrapped(*value, scalar);
            let held = constant.wide() == Some(*value);
            held.then_some(constant).ok_or_else(|| BuildError::Constant { scalar, value: value.to_string() })
        };
        let mut arms = Vec::new();
        for (number, values) in cases.iter().enumerate() {
            let values = values.iter().map(constant).collect::<Result<_>>()?;
            let (body, outcome) = self.builder.block(false, || arm(Some(number)));
            outcome?;
            arms.push(Arm { values, body });
        }
        let (default, outcome) = self.builder.block(false, || arm(None));
        outcome?;
        self.builder.push_switch(selector.id, arms, default);
        Ok(())
    }

    /// A `while` loop. Values that change between iterations are in variables.
    ///
    /// # Errors
    /// [`BuildError::Type`] for a condition that is no `bool`; those of the blocks.
    pub fn repeat_while(
        self,
        condition: impl FnOnce() -> Result<Value<'k>>,
        body: impl FnOnce() -> Result<()>,
    ) -> Result<()> {
        self.builder.forget_memory();
        let (test, condition) = self.builder.block(false, condition);
        let condition = Self::condition(condition?)?;
        let (body, outcome) = self.builder.block(false, body);
        outcome?;
        self.builder.forget_memory();
        self.builder.push(Statement::While { test, condition, body });
        Ok(())
    }

    /// A loop over the integers from `from` to `to`, exclusive, in steps of at least 1. All are of one type.
    ///
    /// # Errors
    /// [`BuildError::Operands`] for bounds of different types; [`BuildError::Step`]; those of the body.
    pub fn range(
        self,
        name: &str,
        [from, to, step]: [Value<'k>; 3],
        body: impl FnOnce(Value<'k>) -> Result<()>,
    ) -> Result<()> {
        let types = [from, to, step].map(Value::value_type);
        let [first, ..] = types;
        if !first.scalar.is_integer() || first.lanes > 1 || types.iter().any(|other| *other != first) {
            return Err(BuildError::Operands { operation: "a loop".to_owned(), types: types.to_vec() });
        }
        if let Some(step) = self.builder.constant_of(step.id).and_then(Constant::integer).filter(|step| *step < 1) {
            return Err(BuildError::Step(step));
        }
        let counter = self.builder.add_counter(name, first);
        self.builder.forget_memory();
        let (block, outcome) = self.builder.block(false, || body(self.value(counter)));
        outcome?;
        self.builder.forget_memory();
        self.builder.push(Statement::For { counter, from: from.id, to: to.id, step: step.id, body: block });
        Ok(())
    }

    /// A work-group barrier that orders local memory, and global memory too where `global` is true.
    pub fn barrier(self, global: bool) {
        self.builder.push(Statement::Barrier { global });
    }

    fn parameters(self, scalars: &[ScalarType]) -> Result<Vec<Id>> {
        let declare = |scalar: &ScalarType| {
            let value_type = ValueType::scalar(*scalar);
            types::check_value("a parameter", value_type)?;
            Ok(self.builder.emit_as(Op::Parameter, value_type))
        };
        scalars.iter().map(declare).collect()
    }

    /// A pure helper function of scalars.
    ///
    /// # Errors
    /// [`BuildError::Type`] for parameters or a result that no scalar has; those of the body.
    pub fn function(
        self,
        name: &str,
        parameters: &[ScalarType],
        body: impl FnOnce(&[Value<'k>]) -> Result<Value<'k>>,
    ) -> Result<Function<'k>> {
        let name = self.builder.unique(name);
        let parameters = self.parameters(parameters)?;
        let values: Vec<Value<'k>> = parameters.iter().map(|id| self.value(*id)).collect();
        let (body, result) = self.builder.block(true, || body(&values));
        let result = result?;
        if result.value_type().lanes > 1 {
            let what = format!("the result of '{name}'");
            return Err(BuildError::Type { what, value_type: result.value_type() });
        }
        let function = FunctionBody { name, parameters, body, result: result.id, foreign: None };
        Ok(Function { builder: self.builder, function: self.builder.add_function(function) })
    }

    /// A pure function given by its text, with named parameters, and by the closure that the interpreter calls.
    ///
    /// # Errors
    /// [`BuildError::Type`] for parameters or a result that no scalar has.
    pub fn foreign(
        self,
        name: &str,
        parameters: &[(&str, ScalarType)],
        result: ScalarType,
        body: ForeignBody<'_>,
        evaluate: impl Fn(&[Constant]) -> Constant + Send + Sync + 'static,
    ) -> Result<Function<'k>> {
        let result = ValueType::scalar(result);
        types::check_value("a result", result)?;
        let scalars: Vec<ScalarType> = parameters.iter().map(|(_, scalar)| *scalar).collect();
        let names = parameters.iter().map(|(name, _)| (*name).to_owned()).collect();
        let types = (self.parameters(&scalars)?, result);
        let function = self.builder.add_foreign(name, names, types, body, Arc::new(evaluate));
        Ok(Function { builder: self.builder, function })
    }
}

impl<'k> Function<'k> {
    /// Calls the function.
    ///
    /// # Errors
    /// [`BuildError::Arguments`], [`BuildError::Operands`] for arguments of other types.
    pub fn call(self, arguments: &[Value<'k>]) -> Result<Value<'k>> {
        let (name, wanted, result) = self.builder.with(|state| {
            let function = &state.program.functions[self.function];
            let of = |id: &Id| state.program.nodes[*id].value_type;
            let wanted: Vec<ValueType> = function.parameters.iter().map(of).collect();
            (function.name.clone(), wanted, of(&function.result))
        });
        if wanted.len() != arguments.len() {
            return Err(BuildError::Arguments { function: name, wanted: wanted.len(), given: arguments.len() });
        }
        let types: Vec<ValueType> = arguments.iter().map(|argument| argument.value_type()).collect();
        if types != wanted {
            return Err(BuildError::Operands { operation: format!("the function '{name}'"), types });
        }
        let op = Op::Call(self.function, arguments.iter().map(|argument| argument.id).collect());
        Ok(Value { builder: self.builder, id: self.builder.emit_as(op, result) })
    }
}
