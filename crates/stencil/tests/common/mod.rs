//! Shared by the tests: fields of a stencil with their run.
#![allow(dead_code)] // Each test program uses a part.

pub mod devices;

use std::ops::{Add, Div, Mul, Sub};

use affinimath_stencil::reference::Reference;
use affinimath_stencil::{Argument, Field, Outcome, Plan, Result, Span, Stencil, Value};

/// The text of an example.
pub fn example_text(name: &str) -> String {
    let path = format!("{}/../../examples/stencils/{name}.stc", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

pub fn example(name: &str) -> Stencil {
    parse(&example_text(name))
}

pub fn parse(text: &str) -> Stencil {
    Stencil::parse(text).unwrap_or_else(|error| panic!("{error}"))
}

/// A real type of grids, with the operators of loops written by hand.
pub trait Real:
    Copy
    + Into<f64>
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + std::fmt::Debug
    + PartialEq
{
    /// The language's name.
    const KIND: &'static str;
    const EPSILON: f64;

    /// Rounds a number.
    fn of(value: f64) -> Self;
}

impl Real for f32 {
    const KIND: &'static str = "float";
    const EPSILON: f64 = f32::EPSILON as f64;

    fn of(value: f64) -> Self {
        value as f32
    }
}

impl Real for f64 {
    const KIND: &'static str = "double";
    const EPSILON: f64 = f64::EPSILON;

    fn of(value: f64) -> Self {
        value
    }
}

/// An example whose real grids and parameters have one type.
pub fn in_type<R: Real>(name: &str) -> Stencil {
    parse(&example_text(name).replace("float", R::KIND).replace("double", R::KIND))
}

/// A bound stencil with its memory.
pub struct Case {
    pub reference: Reference,
    pub fields: Vec<Field>,
    pub outcome: Option<Outcome>,
}

impl Case {
    pub fn new(stencil: &Stencil, sizes: &[(&str, i64)]) -> Self {
        let reference = Reference::new(stencil, sizes).unwrap_or_else(|error| panic!("{error}"));
        let fields = (0..stencil.grids().len()).map(|grid| reference.field(grid).expect("memory")).collect();
        Case { reference, fields, outcome: None }
    }

    /// Fills all levels of a grid's first component.
    pub fn fill(&mut self, grid: usize, value: impl Fn(&[i64]) -> f64) -> &mut Self {
        for level in 0..self.reference.levels(grid) {
            self.fields[grid].fill(0, level, &value);
        }
        self
    }

    /// A run of the reference. Plans on all devices have the same bits.
    pub fn try_run(&mut self, arguments: &[Argument], span: Span) -> Result<()> {
        let before = self.fields.clone();
        let mut grids: Vec<_> = self.fields.iter_mut().map(Field::slices).collect();
        let outcome = self.reference.run(&mut grids, arguments, span);
        for target in devices::targets() {
            let sizes: Vec<(&str, i64)> =
                self.reference.sizes().iter().map(|(name, &size)| (&name[..], size)).collect();
            let mut fields = before.clone();
            let mut grids: Vec<_> = fields.iter_mut().map(Field::slices).collect();
            let lacks_doubles = devices::lacks_doubles(&target);
            let plan = Plan::new(self.reference.stencil(), target, &sizes);
            match (plan.and_then(|plan| plan.run(&mut grids, arguments, span)), &outcome) {
                (Ok(found), Ok(wanted)) => {
                    assert_eq!(devices::result_bits(&found), devices::result_bits(wanted));
                    for (field, wanted) in fields.iter_mut().zip(&mut self.fields) {
                        assert!(devices::contents(field) == devices::contents(wanted), "a plan differs");
                    }
                }
                (Err(found), Err(wanted)) => {
                    let both_outside = [&found, wanted].iter().all(|error| error.reason.contains("reads outside"));
                    assert!(both_outside || found == *wanted, "{found} instead of {wanted}");
                }
                (Err(found), _) if lacks_doubles => {
                    assert!(found.reason.contains("has no double precision"), "{found}");
                }
                (found, wanted) => panic!("{found:?} instead of {wanted:?}"),
            }
        }
        self.outcome = Some(outcome?);
        Ok(())
    }

    pub fn run(&mut self, arguments: &[Argument], steps: u64) -> &mut Self {
        let span = Span { steps: Some(steps), ..Span::default() };
        self.try_run(arguments, span).unwrap_or_else(|error| panic!("{error}"));
        self
    }

    pub fn outcome(&self) -> &Outcome {
        self.outcome.as_ref().expect("a run")
    }

    /// The newest number at a point.
    pub fn value(&self, grid: usize, cell: &[i64]) -> Value {
        self.fields[grid].get(0, self.outcome().newest[grid], cell).expect("a point in memory")
    }

    pub fn get(&self, grid: usize, cell: &[i64]) -> f64 {
        self.value(grid, cell).as_f64()
    }

    pub fn result(&self, number: usize) -> f64 {
        self.outcome().results[number].expect("a step was done").as_f64()
    }
}

/// Numbers between -1 and 1 that depend on a point alone.
pub fn noise(seed: u64, cell: &[i64]) -> f64 {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    for &coordinate in cell {
        state = (state ^ coordinate as u64).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        state ^= state >> 29;
    }
    (state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
}

/// All points of a box, the first axis fastest.
pub fn points(ranges: &[std::ops::RangeInclusive<i64>]) -> Vec<Vec<i64>> {
    ranges.iter().rev().fold(vec![Vec::new()], |tails, range| {
        let each =
            |tail: Vec<i64>| range.clone().map(move |first| [vec![first], tail.clone()].concat()).collect::<Vec<_>>();
        tails.into_iter().flat_map(each).collect()
    })
}
