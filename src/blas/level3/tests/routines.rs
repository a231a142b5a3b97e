//! Every routine with every flag, on the host and on every device, by the public functions.

use std::sync::Arc;

use super::families::tiny_tiles;
use super::matrix::{Dense, Matrix, Part, Random, canary, compare, nan};
use crate::blas::level3::gemm::{GemmCall, GemmPlan, GemmProblem, PortablePlan};
use crate::blas::level3::trmm;
use crate::context::{DeviceContext, Queue};
use crate::error::Error;
use crate::memory::{Buffer, Context};
use crate::options::{Diag, Layout, Op, Side, Symmetry, Triangle};
use crate::route;
use crate::scalar::Scalar;
use crate::testing::{contexts, devices, for_each_type};

const LAYOUTS: [Layout; 2] = [Layout::ColumnMajor, Layout::RowMajor];
const SYMMETRIES: [Symmetry; 2] = [Symmetry::Symmetric, Symmetry::Hermitian];

/// A routine with its flags.
#[derive(Clone, Copy, Debug)]
enum Routine {
    Symm(Symmetry, Side, Triangle),
    RankK(Symmetry, Triangle, Op),
    Rank2K(Symmetry, Triangle, Op),
    Trmm(Side, Triangle, Op, Diag),
    Gemmt(Triangle, Op, Op),
}

impl Routine {
    fn all() -> Vec<Routine> {
        let mut routines = Vec::new();
        for &triangle in Triangle::ALL {
            for symmetry in SYMMETRIES {
                routines.extend(Side::ALL.iter().map(|&side| Routine::Symm(symmetry, side, triangle)));
                routines.extend(Op::ALL.iter().map(|&op| Routine::RankK(symmetry, triangle, op)));
                routines.extend(Op::ALL.iter().map(|&op| Routine::Rank2K(symmetry, triangle, op)));
            }
            for &op in Op::ALL {
                routines.extend(Op::ALL.iter().map(|&op_b| Routine::Gemmt(triangle, op, op_b)));
                for &side in Side::ALL {
                    routines.extend(Diag::ALL.iter().map(|&diag| Routine::Trmm(side, triangle, op, diag)));
                }
            }
        }
        routines
    }

    /// The sizes and parts of A, B and C. `order` is that of the square matrix. A trmm's B is C here.
    fn operands(self, order: usize, other: usize) -> [([usize; 2], Part); 3] {
        let oriented =
            |oriented: bool, [rows, columns]: [usize; 2]| if oriented { [columns, rows] } else { [rows, columns] };
        let square = [order, order];
        let none = ([0, 0], Part::Whole);
        match self {
            Routine::Symm(symmetry, side, triangle) => {
                let whole = (oriented(side == Side::Right, [order, other]), Part::Whole);
                [(square, Part::Mirrored(triangle, symmetry)), whole, whole]
            }
            Routine::RankK(symmetry, triangle, op) => {
                let a = (oriented(op.transposes(), [order, other]), Part::Whole);
                [a, none, (square, Part::Mirrored(triangle, symmetry))]
            }
            Routine::Rank2K(symmetry, triangle, op) => {
                let a = (oriented(op.transposes(), [order, other]), Part::Whole);
                [a, a, (square, Part::Mirrored(triangle, symmetry))]
            }
            Routine::Trmm(side, triangle, _, diagonal) => {
                let b = (oriented(side == Side::Right, [order, other]), Part::Whole);
                [(square, Part::Triangular(triangle, diagonal)), none, b]
            }
            Routine::Gemmt(triangle, op_a, op_b) => {
                let a = (oriented(op_a.transposes(), [order, other]), Part::Whole);
                let b = (oriented(op_b.transposes(), [other, order]), Part::Whole);
                [a, b, (square, Part::Mirrored(triangle, Symmetry::Symmetric))]
            }
        }
    }

    /// The products that are added, by the routine's definition.
    fn products<T: Scalar>(self, alpha: T, a: &Matrix<T>, b: &Matrix<T>, c: &Matrix<T>) -> Vec<(T, Dense, Dense)> {
        match self {
            Routine::Symm(_, Side::Left, _) => vec![(alpha, a.dense(Op::NoTrans), b.dense(Op::NoTrans))],
            Routine::Symm(_, Side::Right, _) => vec![(alpha, b.dense(Op::NoTrans), a.dense(Op::NoTrans))],
            Routine::RankK(symmetry, _, op) => vec![(alpha, a.dense(op), a.dense(turned(symmetry, op)))],
            Routine::Rank2K(symmetry, _, op) => {
                let turned = turned(symmetry, op);
                let second = if symmetry == Symmetry::Hermitian { alpha.conjugate() } else { alpha };
                vec![(alpha, a.dense(op), b.dense(turned)), (second, b.dense(op), a.dense(turned))]
            }
            Routine::Trmm(Side::Left, _, op, _) => vec![(alpha, a.dense(op), c.dense(Op::NoTrans))],
            Routine::Trmm(Side::Right, _, op, _) => vec![(alpha, c.dense(Op::NoTrans), a.dense(op))],
            Routine::Gemmt(_, op_a, op_b) => vec![(alpha, a.dense(op_a), b.dense(op_b))],
        }
    }

    /// Calls it on buffers that hold the matrices.
    fn call<T: Scalar>(self, alpha: T, beta: T, matrices: [&Matrix<T>; 3], buffers: &mut [Buffer<T>; 3]) {
        let [a_buffer, b_buffer, c_buffer] = buffers;
        let [a, b, c] = matrices.map(|matrix| matrix.shape);
        let real = |value: T| T::RealScalar::from_parts(value.re(), 0.0);
        let (a, b, c) = (a_buffer.view(a).unwrap(), b_buffer.view(b).unwrap(), c_buffer.view_mut(c).unwrap());
        let event = match self {
            Routine::Symm(Symmetry::Symmetric, side, triangle) => route::symm(side, triangle, alpha, a, b, beta, c),
            Routine::Symm(Symmetry::Hermitian, side, triangle) => route::hemm(side, triangle, alpha, a, b, beta, c),
            Routine::RankK(Symmetry::Symmetric, triangle, op) => route::syrk(triangle, op, alpha, a, beta, c),
            Routine::RankK(Symmetry::Hermitian, triangle, op) => {
                route::herk(triangle, op, real(alpha), a, real(beta), c)
            }
            Routine::Rank2K(Symmetry::Symmetric, triangle, op) => route::syr2k(triangle, op, alpha, a, b, beta, c),
            Routine::Rank2K(Symmetry::Hermitian, triangle, op) => {
                route::her2k(triangle, op, alpha, a, b, real(beta), c)
            }
            Routine::Trmm(side, triangle, op, diagonal) => route::trmm(side, triangle, op, diagonal, alpha, a, c),
            Routine::Gemmt(triangle, op_a, op_b) => route::gemmt(triangle, op_a, op_b, alpha, a, b, beta, c),
        };
        event.unwrap().wait().unwrap();
    }

    /// Factors of kinds 0, 1 or a general value: real ones where BLAS has real ones.
    fn factors<T: Scalar>(self, which: [usize; 2]) -> (T, T) {
        let general = [T::from_parts(-0.75, 0.5), T::from_parts(1.5, -0.25)];
        let factor = |i: usize| [T::ZERO, T::ONE, general[i]][which[i]];
        let real = |value: T| T::from_parts(value.re(), 0.0);
        let (alpha, beta) = (factor(0), factor(1));
        match self {
            Routine::RankK(Symmetry::Hermitian, ..) => (real(alpha), real(beta)),
            Routine::Rank2K(Symmetry::Hermitian, ..) => (alpha, real(beta)),
            Routine::Trmm(..) => (alpha, T::ZERO),
            _ => (alpha, beta),
        }
    }
}

/// The operation whose result is the transpose, or the adjoint, of op(A).
fn turned(symmetry: Symmetry, op: Op) -> Op {
    match (symmetry, op) {
        (Symmetry::Symmetric, Op::NoTrans) | (Symmetry::Hermitian, Op::ConjNoTrans) => Op::Trans,
        (Symmetry::Symmetric, Op::Trans) | (Symmetry::Hermitian, Op::ConjTrans) => Op::NoTrans,
        (Symmetry::Symmetric, Op::ConjTrans) | (Symmetry::Hermitian, Op::Trans) => Op::ConjNoTrans,
        (Symmetry::Symmetric, Op::ConjNoTrans) | (Symmetry::Hermitian, Op::NoTrans) => Op::ConjTrans,
    }
}

/// One call to check: the square matrix's order and the other extent, the layouts, and the factors.
#[derive(Clone, Copy, Debug)]
struct Case {
    routine: Routine,
    size: [usize; 2],
    layouts: [Layout; 3],
    gap: usize,
    factors: [usize; 2],
}

impl Case {
    fn matrices<T: Scalar>(&self) -> [Matrix<T>; 3] {
        let mut random = Random((self.size[0] * 31 + self.size[1]) as u64);
        let parts = self.routine.operands(self.size[0], self.size[1]);
        let other = [nan(), nan(), canary()];
        std::array::from_fn(|i| Matrix::new(&mut random, self.layouts[i], parts[i].0, self.gap, parts[i].1, other[i]))
    }
}

fn check<T: Scalar>(context: &Context, case: &Case) {
    let (alpha, beta) = case.routine.factors::<T>(case.factors);
    let [mut a, mut b, mut c] = case.matrices::<T>();
    let is_trmm = matches!(case.routine, Routine::Trmm(..));
    let changes = alpha != T::ZERO && (case.size[1] > 0 || matches!(case.routine, Routine::Symm(..)));
    let products = if alpha == T::ZERO {
        a.spoil();
        b.spoil();
        Vec::new()
    } else {
        case.routine.products(alpha, &a, &b, &c)
    };
    if if is_trmm { alpha == T::ZERO } else { beta == T::ZERO } {
        c.spoil();
    }
    let before = c.clone();
    let mut buffers = [&a, &b, &c].map(|matrix| context.upload(&matrix.data).unwrap());
    case.routine.call(alpha, beta, [&a, &b, &c], &mut buffers);
    c.data = buffers[2].download().unwrap();
    if !changes && beta == T::ONE {
        // BLAS: a quick return, which leaves also imaginary parts on the diagonal as they are.
        let bits = |data: &[T]| data.iter().map(|v| (v.re().to_bits(), v.im().to_bits())).collect::<Vec<_>>();
        assert!(bits(&c.data) == bits(&before.data), "{case:?} changed something");
        return;
    }
    compare(&products, beta, &before, &c, &|| format!("{case:?} {:?} on {:?}", T::KIND, context.device()));
}

/// Every routine with every flag and every layout; each with another size, gap and pair of factors.
fn cases(sizes: &[[usize; 2]]) -> Vec<Case> {
    let mut cases = Vec::new();
    for routine in Routine::all() {
        for layouts in 0..8 {
            let mix = cases.len() + cases.len() / 8;
            cases.push(Case {
                routine,
                size: sizes[mix % sizes.len()],
                layouts: [LAYOUTS[layouts % 2], LAYOUTS[layouts / 2 % 2], LAYOUTS[layouts / 4]],
                gap: [0, 3][mix / 3 % 2],
                factors: [[2, 2], [1, 0], [2, 0], [2, 1], [0, 2], [1, 1], [2, 2], [0, 0], [0, 1]][mix / 2 % 9],
            });
        }
    }
    cases
}

fn check_all<T: Scalar>(cases: &[Case], is_meant: fn(&Context) -> bool) {
    for context in contexts::<T>().iter().filter(|context| is_meant(context)) {
        let simulated = context.device().is_some_and(|device| device.info().platform == "Oclgrind");
        let stride = if simulated { 61 } else { 1 };
        cases.iter().step_by(stride).for_each(|case| check::<T>(context, case));
    }
}

fn contexts_of_devices() -> Vec<Arc<DeviceContext>> {
    devices().iter().map(|device| DeviceContext::for_device(device).unwrap()).collect()
}

mod host {
    use super::*;

    /// Both sides of the host's switches: leaves, blocks, and shared columns.
    #[test]
    fn products_on_the_host_are_what_their_definitions_say() {
        let cases: Vec<Case> =
            cases(&[[64, 65], [65, 3], [257, 129], [320, 5], [70, 600]]).into_iter().step_by(5).collect();
        for_each_type!(check_all(&cases, |context| context.device().is_none()));
    }
}

mod device {
    use super::*;

    #[test]
    fn products_are_what_their_definitions_say() {
        let cases: Vec<Case> = cases(&[[70, 33], [130, 40], [33, 300], [300, 20]]).into_iter().step_by(3).collect();
        for_each_type!(check_all(&cases, |_| true));
    }

    #[test]
    fn matrices_that_do_not_fit_each_other_are_refused() {
        for context in contexts::<f32>() {
            let memory = context.upload(&[1.0_f32; 20]).unwrap();
            let mut target = context.upload(&[1.0_f32; 20]).unwrap();
            let view = |rows, columns| memory.matrix(rows, columns).unwrap();
            let (left, lower) = (Side::Left, Triangle::Lower);
            let refused = |result: Result<crate::Event, Error>| {
                assert!(matches!(result, Err(Error::ShapeMismatch(_))), "{result:?}");
            };
            refused(route::symm(left, lower, 1.0, view(3, 2), view(3, 2), 0.0, target.matrix_mut(3, 2).unwrap()));
            refused(route::symm(left, lower, 1.0, view(2, 2), view(3, 2), 0.0, target.matrix_mut(3, 2).unwrap()));
            refused(route::hemm(
                Side::Right,
                lower,
                1.0,
                view(3, 3),
                view(3, 2),
                0.0,
                target.matrix_mut(3, 2).unwrap(),
            ));
            refused(route::syrk(lower, Op::NoTrans, 1.0, view(3, 2), 0.0, target.matrix_mut(2, 2).unwrap()));
            refused(route::herk(lower, Op::NoTrans, 1.0, view(3, 2), 0.0, target.matrix_mut(3, 2).unwrap()));
            refused(route::syr2k(
                lower,
                Op::NoTrans,
                1.0,
                view(3, 2),
                view(2, 3),
                0.0,
                target.matrix_mut(3, 3).unwrap(),
            ));
            refused(route::her2k(
                lower,
                Op::ConjTrans,
                1.0,
                view(3, 2),
                view(3, 2),
                0.0,
                target.matrix_mut(3, 3).unwrap(),
            ));
            refused(route::trmm(
                left,
                lower,
                Op::NoTrans,
                Diag::Unit,
                1.0,
                view(3, 3),
                target.matrix_mut(2, 3).unwrap(),
            ));
            refused(route::gemmt(
                lower,
                Op::NoTrans,
                Op::NoTrans,
                1.0,
                view(3, 2),
                view(2, 4),
                0.0,
                target.matrix_mut(3, 4).unwrap(),
            ));
        }
    }
}

mod device_small {
    use super::*;

    #[test]
    fn products_are_what_their_definitions_say() {
        let cases = cases(&[[1, 1], [5, 9], [17, 6], [34, 20], [0, 4], [4, 0]]);
        for_each_type!(check_all(&cases, |_| true));
    }

    /// trmm as devices without packed panels do it, with workspace for a few columns or rows of B at a time.
    #[test]
    fn trmm_by_slabs() {
        let cases = cases(&[[20, 50], [45, 17]]);
        for context in contexts_of_devices() {
            let device_info = context.device().info();
            let stride = if device_info.platform == "Oclgrind" { 29 } else { 1 };
            let trmm_cases = cases.iter().filter(|case| matches!(case.routine, Routine::Trmm(..)));
            for case in trmm_cases.step_by(stride) {
                let Routine::Trmm(side, triangle, op, diagonal) = case.routine else { unreachable!("filtered") };
                let [a, _, mut b] = case.matrices::<f32>();
                let queue = Queue::new(&context).unwrap();
                let (a_buffer, b_buffer) = (a.upload(&context), b.upload(&context));
                let before = b.clone();
                let problem = trmm::problem(f32::KIND, side, (triangle, op, diagonal), &a.shape, &b.shape).unwrap();
                let (left, right) = if side == Side::Left { (&a_buffer, &b_buffer) } else { (&b_buffer, &a_buffer) };
                let call = GemmCall { queue: &queue, alpha: 2.0_f32, a: left, b: right, beta: 0.0, c: &b_buffer };
                let copy_bytes = (problem.k * 4 * 7) as u64;
                let plan = |slab_problem: &GemmProblem| {
                    if case.gap == 0 {
                        tiny_tiles(1, slab_problem)
                    } else {
                        GemmPlan::Portable(PortablePlan::choose(device_info))
                    }
                };
                trmm::run(&call, &problem, copy_bytes, plan).unwrap().wait().unwrap();
                b.download(&b_buffer);
                let products = case.routine.products(2.0, &a, &a, &before);
                compare(&products, 0.0, &before, &b, &|| format!("{case:?} {problem:?}"));
            }
        }
    }
}
