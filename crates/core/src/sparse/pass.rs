//! Vector operations of Krylov solvers between products, as data. A pass computes scalars from the dot products of the
//! pass before, updates a few vectors, and forms dot products for the next pass.
//!
//! So a solver's recurrence is written once. The host walks a pass in pieces that stay in the nearest cache; a device
//! gets it as one kernel. A pass of a solver that has stopped does nothing: what follows the end changes nothing.

use super::formula::{Formula, Number};

/// A vector of a pass, by its place among the pass's arguments, or a value of the pass's own for the element at hand,
/// which is in no memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Operand {
    Vector(usize),
    Own(usize),
}

/// A number times a vector, or times the product of two vectors, element by element.
#[derive(Clone, Debug)]
pub struct Term {
    pub factor: Formula,
    pub vector: Operand,
    pub diagonal: Option<Operand>,
}

/// target := the sum of the terms.
#[derive(Clone, Debug)]
pub struct Update {
    pub target: Operand,
    pub terms: Vec<Term>,
}

/// target := source before the updates, where a number is not 0. No update reads or writes the target.
#[derive(Clone, Copy, Debug)]
pub struct Save {
    pub condition: Number,
    /// Positions among the pass's vectors.
    pub source: usize,
    pub target: usize,
}

/// A pass over vectors of one length.
#[derive(Clone, Debug)]
pub struct Pass {
    /// Its name among the solver's: also its kernel's.
    pub name: &'static str,
    /// How many vectors it takes.
    pub vectors: usize,
    /// How many sums it takes from the pass before.
    pub sums: usize,
    /// Numbers, computed one after another before the vectors.
    pub scalars: Vec<(Number, Formula)>,
    /// A copy of a vector that is made on a condition, before the updates.
    pub save: Option<Save>,
    /// Updates of each element, one after another.
    pub updates: Vec<Update>,
    /// The sums of conj(x_i) y_i after the updates.
    pub dots: Vec<(Operand, Operand)>,
    /// A number that goes into the history.
    pub records: Option<Number>,
}

impl Pass {
    /// A pass that does nothing yet, over so many vectors, after one with so many sums.
    pub fn new(name: &'static str, vectors: usize, sums: usize) -> Self {
        let (scalars, updates, dots) = (Vec::new(), Vec::new(), Vec::new());
        Pass { name, vectors, sums, scalars, save: None, updates, dots, records: None }
    }

    /// Computes a number.
    pub fn set(mut self, number: Number, formula: impl Into<Formula>) -> Self {
        self.scalars.push((number, formula.into()));
        self
    }

    /// Copies one vector to another before the updates, where a number that the pass computes is not 0.
    pub fn save(mut self, condition: Number, source: usize, target: usize) -> Self {
        debug_assert!(self.scalars.iter().any(|(number, _)| *number == condition));
        self.save = Some(Save { condition, source, target });
        self
    }

    /// target := the sum of the terms.
    pub fn update(mut self, target: Operand, terms: impl Into<Vec<Term>>) -> Self {
        self.updates.push(Update { target, terms: terms.into() });
        self
    }

    /// Sums conj(x_i) y_i.
    pub fn dot(mut self, x: Operand, y: Operand) -> Self {
        debug_assert!(self.dots.len() < Number::SUMS);
        self.dots.push((x, y));
        self
    }

    /// Makes a number that it computes a part of the history.
    pub const fn record(mut self, number: Number) -> Self {
        self.records = Some(number);
        self
    }

    /// All factors, in the order of updates and terms.
    pub fn factors(&self) -> impl Iterator<Item = &Formula> {
        self.updates.iter().flat_map(|update| update.terms.iter().map(|term| &term.factor))
    }

    /// The vectors that it reads before it writes them.
    pub fn read(&self) -> Vec<Operand> {
        let (mut read, mut written) = (Vec::new(), Vec::new());
        let mut visit = |operand: Operand, written: &Vec<Operand>| {
            if !written.contains(&operand) && !read.contains(&operand) {
                read.push(operand);
            }
        };
        for update in &self.updates {
            for term in &update.terms {
                visit(term.vector, &written);
                term.diagonal.iter().for_each(|diagonal| visit(*diagonal, &written));
            }
            written.push(update.target);
        }
        for (x, y) in &self.dots {
            visit(*x, &written);
            visit(*y, &written);
        }
        read
    }

    /// True if an update writes a vector.
    pub fn updates(&self, vector: usize) -> bool {
        self.updates.iter().any(|update| update.target == Operand::Vector(vector))
    }

    /// True if a vector is written.
    pub fn writes(&self, vector: usize) -> bool {
        self.updates(vector) || self.save.is_some_and(|save| save.target == vector)
    }
}

/// factor * vector.
pub fn term(factor: impl Into<Formula>, vector: Operand) -> Term {
    Term { factor: factor.into(), vector, diagonal: None }
}

/// factor * diagonal * vector, element by element; without a diagonal factor * vector.
pub fn scaled_term(factor: impl Into<Formula>, diagonal: Option<Operand>, vector: Operand) -> Term {
    Term { factor: factor.into(), vector, diagonal }
}
