//! Level 1: vectors.

use std::any::Any;

use affinimath::{
    Buffer, Complex64, Event, Real, Result, Scalar, asum, asum_on, axpby, axpy, copy, dot, dot_on, dotc, dotc_on,
    iamax, iamax_on, iamin, iamin_on, nrm2, nrm2_on, rot, rot_real, rotm, scal, scal_real, swap,
};

use super::check::worse;
use super::routine::Argument::{self, At, Factor as By, RealFactor, Size};
use super::routine::{Action, Factor, Form, Letters, Number, Operand, ROTATION, Routine, Work, each, wide};

const READ: Operand = Operand::read(Form::Vector);
const WRITE: Operand = Operand::write(Form::Vector);
const UPDATE: Operand = Operand::update(Form::Vector);

/// An index as a scalar.
const fn index(index: usize) -> Complex64 {
    Complex64::new(index as f64, 0.0)
}

/// rotm of vectors of a real type.
fn rotm_of<T: Scalar>(x: &mut Buffer<T>, y: &mut Buffer<T>) -> Result<Event> {
    fn call<R: Real>(x: &mut dyn Any, y: &mut dyn Any) -> Option<Result<Event>> {
        let (x, y) = (x.downcast_mut::<Buffer<R>>()?, y.downcast_mut::<Buffer<R>>()?);
        let parameters = ROTATION.map(|parameter| R::from_parts(parameter, 0.0));
        Some(x.vector_mut().and_then(|x| rotm(x, y.vector_mut()?, &parameters)))
    }
    call::<f32>(x, y).or_else(|| call::<f64>(x, y)).expect("the row's complex types have no name")
}

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
            names: ["", "scal"],
            variant: "real",
            formula: "x := alpha x with a real alpha",
            letters: Letters::FactorsSecond,
            operands: &[UPDATE],
            arguments: &[Size, RealFactor(Factor::Minus), At(0)],
            work: Work::Bytes,
            action: Action::Update {
                ours: |_, operands| scal_real(Factor::Minus.value(), operands[0].vector_mut()?),
                check: |seen, i, _| {
                    seen.compare([(seen.factor(Factor::Minus), seen.vector(0, i))], seen.new_vector(0, i))
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
        Routine {
            names: ["rot"; 2],
            variant: "",
            formula: "(x, y) := (c x + s y, c y - s x)",
            letters: Letters::FactorsSecond,
            operands: &[UPDATE, UPDATE],
            arguments: &[Size, At(0), At(1), RealFactor(Factor::Cosine), RealFactor(Factor::Sine)],
            work: Work::Bytes,
            action: Action::Update {
                ours: |_, operands| {
                    let [x, y] = each(operands);
                    rot_real(x.vector_mut()?, y.vector_mut()?, Factor::Cosine.value(), Factor::Sine.value())
                },
                check: |seen, i, _| {
                    let (c, s) = (seen.factor(Factor::Cosine), seen.factor(Factor::Sine));
                    let (x, y) = (seen.vector(0, i), seen.vector(1, i));
                    let new_x = seen.compare([(c, x), (s, y)], seen.new_vector(0, i));
                    worse(new_x, seen.compare([(c, y), (-s, x)], seen.new_vector(1, i)))
                },
            },
        },
        Routine {
            names: ["", "rot"],
            variant: "complex",
            formula: "(x, y) := (c x + s y, c y - conj(s) x) with a complex s",
            letters: Letters::Plain,
            operands: &[UPDATE, UPDATE],
            arguments: &[Size, At(0), At(1), RealFactor(Factor::Cosine), By(Factor::ComplexSine)],
            work: Work::Bytes,
            action: Action::Update {
                ours: |_, operands| {
                    let [x, y] = each(operands);
                    rot(x.vector_mut()?, y.vector_mut()?, Factor::Cosine.value(), Factor::ComplexSine.value())
                },
                check: |seen, i, _| {
                    let (c, s) = (seen.factor(Factor::Cosine), seen.factor(Factor::ComplexSine));
                    let (x, y) = (seen.vector(0, i), seen.vector(1, i));
                    let new_x = seen.compare([(c, x), (s, y)], seen.new_vector(0, i));
                    worse(new_x, seen.compare([(c, y), (-s.conj(), x)], seen.new_vector(1, i)))
                },
            },
        },
        Routine {
            names: ["rotm", ""],
            variant: "",
            formula: "(x, y) := H (x, y) for a 2 x 2 matrix H",
            letters: Letters::Plain,
            operands: &[UPDATE, UPDATE],
            arguments: &[Size, At(0), At(1), Argument::Rotation],
            work: Work::Bytes,
            action: Action::Update {
                ours: |_, operands| {
                    let [x, y] = each(operands);
                    rotm_of(x, y)
                },
                check: |seen, i, _| {
                    let [_, h11, h21, h12, h22] = ROTATION.map(|element| wide(T::from_parts(element, 0.0)));
                    let (x, y) = (seen.vector(0, i), seen.vector(1, i));
                    let new_x = seen.compare([(h11, x), (h12, y)], seen.new_vector(0, i));
                    worse(new_x, seen.compare([(h21, x), (h22, y)], seen.new_vector(1, i)))
                },
            },
        },
        Routine {
            names: ["", "dotu"],
            variant: "",
            formula: "the sum of x_i y_i",
            letters: Letters::Plain,
            operands: &[READ, READ],
            arguments: &[Size, At(0), At(1), Argument::Result],
            work: Work::Bytes,
            action: Action::Reduce {
                number: Number::Element,
                ours: |operands| Ok(wide(dot(operands[0].vector()?, operands[1].vector()?)?)),
                enqueue: |queue, operands, buffers| {
                    dot_on(queue, operands[0].vector()?, operands[1].vector()?, buffers.element.vector_mut()?)
                },
                check: |seen, dot| seen.compare((0..seen.n).map(|i| (seen.vector(0, i), seen.vector(1, i))), dot),
            },
        },
        Routine {
            names: ["dot", "dotc"],
            variant: "",
            formula: "the sum of conj(x_i) y_i",
            letters: Letters::Plain,
            operands: &[READ, READ],
            arguments: &[Size, At(0), At(1), Argument::Result],
            work: Work::Bytes,
            action: Action::Reduce {
                number: Number::Element,
                ours: |operands| Ok(wide(dotc(operands[0].vector()?, operands[1].vector()?)?)),
                enqueue: |queue, operands, buffers| {
                    dotc_on(queue, operands[0].vector()?, operands[1].vector()?, buffers.element.vector_mut()?)
                },
                check: |seen, dot| {
                    seen.compare((0..seen.n).map(|i| (seen.vector(0, i).conj(), seen.vector(1, i))), dot)
                },
            },
        },
        Routine {
            names: ["nrm2"; 2],
            variant: "",
            formula: "the square root of the sum of |x_i|^2",
            letters: Letters::ResultFirst,
            operands: &[READ],
            arguments: &[Size, At(0), Argument::Result],
            work: Work::Bytes,
            action: Action::Reduce {
                number: Number::Real,
                ours: |operands| Ok(wide(nrm2(operands[0].vector()?)?)),
                enqueue: |queue, operands, buffers| nrm2_on(queue, operands[0].vector()?, buffers.real.vector_mut()?),
                check: |seen, norm| {
                    let squares: f64 = (0..seen.n).map(|i| seen.vector(0, i).norm_sqr()).sum();
                    seen.sample((norm - squares.sqrt()).norm(), squares.sqrt(), seen.n as f64)
                },
            },
        },
        Routine {
            names: ["asum"; 2],
            variant: "",
            formula: "the sum of |re(x_i)| + |im(x_i)|",
            letters: Letters::ResultFirst,
            operands: &[READ],
            arguments: &[Size, At(0), Argument::Result],
            work: Work::Bytes,
            action: Action::Reduce {
                number: Number::Real,
                ours: |operands| Ok(wide(asum(operands[0].vector()?)?)),
                enqueue: |queue, operands, buffers| asum_on(queue, operands[0].vector()?, buffers.real.vector_mut()?),
                check: |seen, sum| {
                    let size = |x: Complex64| Complex64::new(x.re.abs() + x.im.abs(), 0.0);
                    seen.compare((0..seen.n).map(|i| (Complex64::ONE, size(seen.vector(0, i)))), sum)
                },
            },
        },
        Routine {
            names: ["iamax"; 2],
            variant: "",
            formula: "the index of the first element with the largest |re(x_i)| + |im(x_i)|",
            letters: Letters::AfterI,
            operands: &[READ],
            arguments: &[Size, At(0), Argument::Result],
            work: Work::Bytes,
            action: Action::Reduce {
                number: Number::Index,
                ours: |operands| Ok(index(iamax(operands[0].vector()?)?.unwrap_or(0))),
                enqueue: |queue, operands, buffers| iamax_on(queue, operands[0].vector()?, buffers.index.vector_mut()?),
                check: |seen, found| seen.equal(index(seen.first_largest(0)), found),
            },
        },
        Routine {
            names: ["iamin"; 2],
            variant: "",
            formula: "the index of the first element with the smallest |re(x_i)| + |im(x_i)|",
            letters: Letters::AfterI,
            operands: &[READ],
            arguments: &[Size, At(0), Argument::Result],
            work: Work::Bytes,
            action: Action::Reduce {
                number: Number::Index,
                ours: |operands| Ok(index(iamin(operands[0].vector()?)?.unwrap_or(0))),
                enqueue: |queue, operands, buffers| iamin_on(queue, operands[0].vector()?, buffers.index.vector_mut()?),
                check: |seen, found| seen.equal(index(seen.first_smallest(0)), found),
            },
        },
    ];
}
