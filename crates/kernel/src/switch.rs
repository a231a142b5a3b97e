//! A choice among blocks by an integer.

use std::marker::PhantomData;

use super::builder::Builder;
use super::constant::Constant;
use super::error::BuildError;
use super::expr::{Expr, IntoExpr};
use super::ir::{Arm, Block, Id, Statement};
use super::types::Counter;

/// A switch under construction: [`Switch::otherwise`] ends it.
#[must_use = "a switch ends with `otherwise`"]
pub struct Switch<'k, T> {
    builder: Builder<'k>,
    selector: Id,
    arms: Vec<Arm>,
    selector_type: PhantomData<fn() -> T>,
}

impl<'k> Builder<'k> {
    /// A switch over an integer, with constant cases.
    ///
    /// ```
    /// use affinimath_kernel::{Kernel, Launch};
    ///
    /// let kernel = Kernel::build("chosen", |k| {
    ///     let (x, i) = (k.in_out::<i32>("x"), k.global_id(0));
    ///     k.switch(x.at(i)).case([0, 1], || x.store(i, 10)).case([2], || x.store(i, 20)).otherwise(|| x.store(i, -1));
    /// })
    /// .unwrap();
    /// let mut x = [0, 2, 1, 7];
    /// Launch::new(&kernel, [1; 3], [4, 1, 1]).run([(&mut x).into()]).unwrap();
    /// assert_eq!(x, [10, 20, 10, -1]);
    /// ```
    pub fn switch<T: Counter>(self, selector: impl IntoExpr<'k, T>) -> Switch<'k, T> {
        let selector: Expr<'k, T> = selector.into_expr(self);
        Switch { builder: self, selector: selector.id, arms: Vec::new(), selector_type: PhantomData }
    }

    /// Appends a switch. No two cases are equal, and each arm has one.
    pub(super) fn push_switch(self, selector: Id, arms: Vec<Arm>, default: Block) {
        let mut seen = Vec::new();
        for arm in &arms {
            if arm.values.is_empty() {
                self.fail(BuildError::EmptyCase);
            }
            for value in &arm.values {
                if seen.contains(value) {
                    self.fail(BuildError::RepeatedCase(*value));
                }
                seen.push(*value);
            }
        }
        self.push(Statement::Switch { selector, arms, default });
    }
}

impl<T: Counter> Switch<'_, T> {
    /// The block for some values of the selector.
    pub fn case<V>(mut self, values: impl IntoIterator<Item = T>, body: impl FnOnce() -> V) -> Self {
        let values: Vec<Constant> = values.into_iter().flat_map(T::lanes).collect();
        let (body, _) = self.builder.block(false, body);
        self.arms.push(Arm { values, body });
        self
    }

    /// The block for all other values. It ends the switch.
    pub fn otherwise<V>(self, body: impl FnOnce() -> V) {
        let (default, _) = self.builder.block(false, body);
        self.builder.push_switch(self.selector, self.arms, default);
    }
}
