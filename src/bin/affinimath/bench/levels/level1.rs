//! Level 1: vectors.

use affinimath::{Scalar, axpby, axpy, copy, scal, swap};

use super::check::worse;
use super::routine::Argument::{At, Factor as By, Size};
use super::routine::{Action, Factor, Form, Letters, Operand, Routine, Work, each};

const READ: Operand = Operand::read(Form::Vector);
const WRITE: Operand = Operand::write(Form::Vector);
const UPDATE: Operand = Operand::update(Form::Vector);

impl<T: Scalar> Routine<T> {
    /// The rows of level 1.
    pub const LEVEL1: &'static [Self] = &[
        Routine {
            names: ["copy"; 2],
            variant: "",
            formula: "y := x",
            letters: Letters::Plain,
            operands: &[READ, WRITE],
            arguments: &[Size, At(0), At(1)],
            work: Work::Bytes,
            action: Action::Update {
                ours: |_, operands| {
                    let [x, y] = each(operands);
                    copy(x.vector()?, y.vector_mut()?)
                },
                check: |seen, i, _| seen.equal(seen.vector(0, i), seen.new_vector(1, i)),
            },
        },
        Routine {
            names: ["swap"; 2],
            variant: "",
            formula: "x <-> y",
            letters: Letters::Plain,
            operands: &[UPDATE, UPDATE],
            arguments: &[Size, At(0), At(1)],
            work: Work::Bytes,
            action: Action::Update {
                ours: |_, operands| {
                    let [x, y] = each(operands);
                    swap(x.vector_mut()?, y.vector_mut()?)
                },
                check: |seen, i, _| {
                    let new_x = seen.equal(seen.vector(1, i), seen.new_vector(0, i));
                    worse(new_x, seen.equal(seen.vector(0, i), seen.new_vector(1, i)))
                },
            },
        },
        Routine {
            names: ["scal"; 2],
            variant: "",
            formula: "x := alpha x",
            letters: Letters::Plain,
            operands: &[UPDATE],
            arguments: &[Size, By(Factor::Turn), At(0)],
            work: Work::Bytes,
            action: Action::Update {
                ours: |_, operands| scal(Factor::Turn.value(), operands[0].vector_mut()?),
                check: |seen, i, _| {
                    seen.compare([(seen.factor(Factor::Turn), seen.vector(0, i))], seen.new_vector(0, i))
                },
            },
        },
        Routine {
            names: ["axpy"; 2],
            variant: "",
            formula: "y := alpha x + y",
            letters: Letters::Plain,
            operands: &[READ, UPDATE],
            arguments: &[Size, By(Factor::Alpha), At(0), At(1)],
            work: Work::Bytes,
            action: Action::Update {
                ours: |_, operands| {
                    let [x, y] = each(operands);
                    axpy(Factor::Alpha.value(), x.vector()?, y.vector_mut()?)
                },
                check: |seen, i, _| {
                    let ax = (seen.factor(Factor::Alpha), seen.vector(0, i));
                    seen.compare([ax, (seen.factor(Factor::One), seen.vector(1, i))], seen.new_vector(1, i))
                },
            },
        },
        Routine {
            names: ["axpby"; 2],
            variant: "",
            formula: "y := alpha x + beta y",
            letters: Letters::Plain,
            operands: &[READ, UPDATE],
            arguments: &[Size, By(Factor::Alpha), At(0), By(Factor::Beta), At(1)],
            work: Work::Bytes,
            action: Action::Update {
                ours: |_, operands| {
                    let [x, y] = each(operands);
                    axpby(Factor::Alpha.value(), x.vector()?, Factor::Beta.value(), y.vector_mut()?)
                },
                check: |seen, i, _| {
                    let ax = (seen.factor(Factor::Alpha), seen.vector(0, i));
                    seen.compare([ax, (seen.factor(Factor::Beta), seen.vector(1, i))], seen.new_vector(1, i))
                },
            },
        },
    ];
}
