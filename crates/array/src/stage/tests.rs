//! Stages of passes against plain loops.

use affinimath_core::scalar::{Complex32, Complex64, Scalar, ScalarKind};
use affinimath_core::sparse::formula::{Formula, Number, choice, conjugate, finite, less, real, root, sum};
use affinimath_core::sparse::pass::{Operand, Operand::*, Pass, scaled_term, term};

use super::{BoundStage, Chain, Stage, stage_of};
use crate::check::Invalid;
use crate::element::Value;
use crate::reference;
use crate::testing::Random;

const fn own(index: usize) -> Number {
    Number(Number::OWN + index)
}

/// Passes as those of solvers, with each formula and each form of an update.
pub(crate) fn examples() -> Vec<Pass> {
    let [x, y, z] = [0, 1, 2].map(Vector);
    let status = choice(finite(own(0)), choice(less(Number::LIMIT, 0), 3, 0), 5);
    vec![
        Pass::new("clear", 1, 0).update(x, []),
        Pass::new("residual", 2, 0).update(y, [term(1, x), term(-1, y)]).dot(y, y),
        Pass::new("meet", 2, 0).dot(x, y).dot(y, x),
        Pass::new("scalars_alone", 0, 1).set(own(0), root(sum(0))).set(Number::STATUS, status.clone()).record(own(0)),
        Pass::new("descend", 3, 2)
            .set(own(0), real(sum(0)))
            .set(Number::STATUS, status)
            .set(own(1), choice(less(0, own(0)), own(2) / own(0), 0))
            .update(x, [term(1, x), term(-own(1), y)])
            .dot(x, x)
            .update(Own(0), [scaled_term(1, Some(z), x)])
            .dot(x, Own(0)),
        Pass::new("turn", 5, 3)
            .set(own(1), sum(0) / sum(1))
            .set(own(2), conjugate(own(1)) * sum(2) - own(3) * Formula::from(2))
            .set(Number::SAVE, less(0, own(3)))
            .set(Number::BEST, choice(Number::SAVE.into(), Number::BEFORE, Number::BEST))
            .save(Number::SAVE, 0, 3)
            .update(x, [term(1, x), term(own(1), y), term(own(2), z)])
            .update(y, [scaled_term(own(3), Some(Vector(4)), z), term(own(1) + own(2), y)])
            .dot(z, x)
            .record(own(2)),
    ]
}

/// A pass over plain vectors.
fn run_plain<T: Scalar>(pass: &Pass, numbers: &mut [T], vectors: &mut [Vec<T>], sums: &[T]) -> Vec<T> {
    numbers[..pass.sums].copy_from_slice(sums);
    for (number, formula) in &pass.scalars {
        numbers[number.0] = formula.value(numbers);
    }
    let mut totals = vec![T::ZERO; pass.dots.len()];
    for i in 0..vectors.first().map_or(0, Vec::len) {
        let mut own = [T::ZERO; 2];
        if let Some(save) = pass.save.filter(|save| numbers[save.condition.0] != T::ZERO) {
            vectors[save.target][i] = vectors[save.source][i];
        }
        let value = |operand: Operand, vectors: &[Vec<T>], own: &[T]| match operand {
            Vector(vector) => vectors[vector][i],
            Own(index) => own[index],
        };
        for update in &pass.updates {
            let terms = update.terms.iter().map(|term| {
                let diagonal = term.diagonal.map_or(T::ONE, |diagonal| value(diagonal, vectors, &own));
                term.factor.value(numbers) * (diagonal * value(term.vector, vectors, &own))
            });
            let sum = terms.fold(T::ZERO, |sum, term| sum + term);
            match update.target {
                Vector(vector) => vectors[vector][i] = sum,
                Own(index) => own[index] = sum,
            }
        }
        for ((x, y), total) in pass.dots.iter().zip(&mut totals) {
            *total += value(*x, vectors, &own).conjugate() * value(*y, vectors, &own);
        }
    }
    totals
}

/// The parts of a number as values.
fn values<T: Scalar>(number: T) -> Vec<Value> {
    let real = |x: f64| if T::KIND.is_double() { Value::F64(x) } else { Value::F32(x as f32) };
    let parts = [real(number.re()), real(number.im())];
    parts[..if T::KIND.is_complex() { 2 } else { 1 }].to_vec()
}

/// The bytes of numbers.
pub(crate) fn bytes<T: Scalar>(numbers: &[T]) -> Vec<u8> {
    let parts = numbers.iter().flat_map(|number| values(*number));
    let put = |value: Value| {
        let mut bytes = vec![0; value.element_type().bytes()];
        reference::write(value, &mut bytes);
        bytes
    };
    parts.flat_map(put).collect()
}

fn difference<T: Scalar>(expected: &[T], found: &[Value]) -> f64 {
    let parts = expected.iter().flat_map(|number| values(*number));
    let number = |value: Value| match value {
        Value::F32(x) => f64::from(x),
        Value::F64(x) => x,
        other => panic!("{other:?} is no real"),
    };
    let difference =
        |e: f64, f: f64| if e.is_nan() && f.is_nan() || e == f { 0.0 } else { (e - f).abs() / (1.0 + e.abs()) };
    let differences = parts.zip(found).map(|(e, f)| difference(number(e), number(*f)));
    // A NaN on one side alone is a difference.
    differences.fold(0.0, |most, one| if one > most || one.is_nan() { one } else { most })
}

fn read(stage: &Stage, bytes: &[u8]) -> Vec<Value> {
    bytes.chunks(stage.element.bytes()).map(|part| reference::read(stage.element, part).unwrap()).collect()
}

fn random<T: Scalar>(random: &mut Random) -> T {
    let mut part = || random.below(17) as f64 / 8.0 - 1.0;
    T::from_parts(part(), if T::KIND.is_complex() { part() } else { 0.0 })
}

fn check_pass<T: Scalar>(pass: &Pass, seed: u64) {
    let mut source = Random::new(seed);
    let n = if pass.vectors == 0 { 0 } else { 100 };
    let mut numbers: Vec<T> = (0..Number::COUNT).map(|_| random(&mut source)).collect();
    numbers[Number::STATUS.0] = T::ZERO;
    let mut vectors: Vec<Vec<T>> = (0..pass.vectors).map(|_| (0..n).map(|_| random(&mut source)).collect()).collect();
    let partial: Vec<Vec<T>> = (0..pass.sums).map(|_| (0..3).map(|_| random(&mut source)).collect()).collect();
    let sums: Vec<T> = partial.iter().map(|parts| parts.iter().fold(T::ZERO, |sum, part| sum + *part)).collect();
    let BoundStage { stage, vectors: bound } = stage_of(pass, T::KIND);
    stage.check().unwrap_or_else(|error| panic!("{}: {error}\n{stage:#?}", pass.name));
    let width = if T::KIND.is_complex() { 2 } else { 1 };
    let part_sums = partial.iter().flat_map(|parts| {
        (0..width).map(|part| parts.iter().map(|value| values(*value)[part]).collect::<Vec<_>>()).collect::<Vec<_>>()
    });
    let mut chain = Chain {
        state: numbers.iter().flat_map(|number| values(*number)).collect(),
        sums: part_sums.collect(),
        records: Vec::new(),
    };
    let mut memory: Vec<Vec<u8>> = bound.iter().map(|vector| bytes(&vectors[*vector])).collect();
    chain.run(&stage, n, 32, &mut memory).unwrap();
    let totals = run_plain(pass, &mut numbers, &mut vectors, &sums);
    numbers[..pass.sums].copy_from_slice(&vec![T::ZERO; pass.sums]);
    let bound_size = 500.0 * T::EPSILON;
    let state: Vec<Value> = chain.state[pass.sums * width..].to_vec();
    let name = format!("{} {:?}", pass.name, T::KIND);
    assert!(difference(&numbers[pass.sums..], &state) <= bound_size, "{name}: {numbers:?} {state:?}");
    for (memory, vector) in memory.iter().zip(&bound) {
        assert!(difference(&vectors[*vector], &read(&stage, memory)) < bound_size, "{name}: vector {vector}");
    }
    let totals: Vec<f64> = totals.into_iter().flat_map(|total| [total.re(), total.im()][..width].to_vec()).collect();
    let add = |sum: f64, part: &Value| sum + if let Value::F32(x) = part { f64::from(*x) } else { f64_of(part) };
    let found: Vec<f64> = chain.sums.iter().map(|parts| parts.iter().fold(0.0, add)).collect();
    assert_eq!(totals.len(), found.len(), "{name}");
    for (total, found) in totals.iter().zip(found) {
        let is_near = (total - found).abs() <= bound_size * (1.0 + total.abs()) || total.is_nan() && found.is_nan();
        assert!(is_near, "{name}: {total} {found}");
    }
    if let Some(number) = pass.records {
        assert!(difference(&[numbers[number.0]], &chain.records) < bound_size, "{name}: records");
    }
}

fn f64_of(value: &Value) -> f64 {
    if let Value::F64(x) = value { *x } else { panic!("{value:?} is no F64") }
}

#[test]
fn stages_of_passes_do_what_passes_do() {
    for (seed, pass) in (0..40).flat_map(|seed| examples().into_iter().map(move |pass| (seed, pass))) {
        check_pass::<f32>(&pass, seed);
        check_pass::<f64>(&pass, seed);
        check_pass::<Complex32>(&pass, seed);
        check_pass::<Complex64>(&pass, seed);
    }
}

#[test]
fn a_recurrence_that_has_ended_changes_nothing() {
    let pass = Pass::new("stopped", 1, 0).set(Number::STATUS, 0).update(Vector(0), []);
    let stage = stage_of(&pass, ScalarKind::D).stage;
    let mut state = vec![Value::F64(0.0); stage.numbers];
    state[stage.prologue.stop] = Value::F64(2.0);
    let mut chain = Chain { state: state.clone(), ..Chain::default() };
    let mut memory = vec![bytes(&[1.5_f64; 8])];
    chain.run(&stage, 8, 8, &mut memory).unwrap();
    assert_eq!((chain.state, memory), (state, vec![bytes(&[1.5_f64; 8])]));
}

#[test]
fn inconsistent_stages_are_refused() {
    let stage = stage_of(&examples()[5], ScalarKind::Z).stage;
    let refused = |change: &dyn Fn(&mut Stage)| {
        let mut changed = stage.clone();
        change(&mut changed);
        changed.check().unwrap_err()
    };
    let is_kernel = |error: Invalid, reason: &str| assert_eq!(error, Invalid::Kernel(leak(reason)));
    is_kernel(refused(&|stage| stage.prologue.stop = 96), "no such number of the state");
    is_kernel(refused(&|stage| stage.prologue.updates.reverse()), "numbers of the state out of order");
    is_kernel(refused(&|stage| stage.prologue.updates.last_mut().unwrap().0 = 96), "no such number of the state");
    is_kernel(refused(&|stage| stage.prologue.scalars.truncate(1)), "scalars of other types than the prologue's");
    is_kernel(refused(&|stage| stage.guards[0].access = 0), "a guard of no mere store");
    is_kernel(refused(&|stage| stage.guards[0].scalar = 1), "a guard that is no Bool");
    let unfilled = refused(&|stage| stage.prologue.sums = 1);
    assert!(matches!(unfilled, Invalid::Instruction { phase: 1, .. }), "{unfilled}");
    let class = crate::fused::AccessClass::Strided;
    let strided = refused(&|stage| stage.body.accesses[0].class = class);
    assert!(matches!(strided, Invalid::Access { access: 0, .. }), "{strided}");
}

fn leak(text: &str) -> &'static str {
    Box::leak(text.to_owned().into_boxed_str())
}
