//! Our library: each call builds its expression and evaluates it.

use std::time::{Duration, Instant};

use affinimath::array::{Array, Expr, eval, keep, s};
use affinimath::{Complex32, Complex64, Context, Queue, Scalar, ScalarKind};
use affinimath_array::{ComplexNumber, Element, Operand, Real};

use super::case::{Case, EXTENTS, Operation};
use super::data::{Data, RATE, VOLATILITY, require_memory};
use crate::LAUNCHES_IN_FLIGHT;
use crate::contender::{Accuracy, Contender, Entrant};
use crate::error::BenchError;
use crate::limits;
use crate::target::Target;

/// Our library on the target, while `copies` libraries hold the operands.
pub fn entrant<'a>(case: &Case, target: &Target, copies: usize) -> Entrant<'a> {
    if case.operation == Operation::Copy {
        require_memory(case, copies)?;
        return limits::copy_entrant(case.elements() * case.element_bytes(), target);
    }
    match case.kind {
        ScalarKind::S => Ours::<f32>::entrant(case, target, copies, real_step(case.operation)),
        ScalarKind::D => Ours::<f64>::entrant(case, target, copies, real_step(case.operation)),
        ScalarKind::C => Ours::<Complex32>::entrant(case, target, copies, complex_step()),
        ScalarKind::Z => Ours::<Complex64>::entrant(case, target, copies, complex_step()),
    }
}

/// The context of the target's memory.
fn context(target: &Target) -> affinimath::Result<Context> {
    target.device.map_or_else(|| Ok(Context::host()), Context::open)
}

/// Operands, and results of the last call.
struct State<T: Element> {
    operands: Vec<Array<T>>,
    results: Vec<Array<T>>,
    calls: usize,
}

/// A call: it replaces the results, whose memory the pool has for the next ones.
type Step<T> = fn(&mut State<T>) -> affinimath::Result<()>;

struct Ours<T: Scalar + Element> {
    data: Data<T>,
    context: Context,
    queue: Option<Queue>,
    state: State<T>,
    step: Step<T>,
}

impl<T: Scalar + Element> Ours<T> {
    fn entrant<'a>(case: &Case, target: &Target, copies: usize, step: Step<T>) -> Entrant<'a> {
        let (data, context) = (Data::random(case, copies)?, context(target)?);
        let (queue, state) = (context.own_queue()?, State::new(&context, &data)?);
        Ok(Box::new(Ours { data, context, queue, state, step }))
    }

    fn finish(&self) -> affinimath::Result<()> {
        self.queue.as_ref().map_or(Ok(()), Queue::finish)
    }
}

impl<T: Scalar + Element> State<T> {
    fn new(context: &Context, data: &Data<T>) -> affinimath::Result<Self> {
        let upload = |operand: &Vec<T>| Array::from_slice(context, &data.case.shape[..], operand);
        Ok(State {
            operands: data.operands.iter().map(upload).collect::<Result<_, _>>()?,
            results: Vec::new(),
            calls: 0,
        })
    }

    fn replace(&mut self, result: Expr<T>) -> affinimath::Result<()> {
        self.results.clear();
        self.results.push(result.eval()?);
        Ok(())
    }
}

impl<T: Scalar + Element> Contender for Ours<T> {
    fn run(&mut self, repetitions: u32) -> Result<Duration, BenchError> {
        let start = Instant::now();
        for call in 1..=repetitions {
            (self.step)(&mut self.state)?;
            if call % LAUNCHES_IN_FLIGHT == 0 {
                self.finish()?;
            }
        }
        self.finish()?;
        Ok(start.elapsed())
    }

    /// That of one call on the first operands: the heat equation's are its results.
    fn accuracy(&mut self) -> Result<Accuracy, BenchError> {
        self.state = State::new(&self.context, &self.data)?;
        (self.step)(&mut self.state)?;
        let State { operands, results, .. } = &self.state;
        let outputs = if results.is_empty() { operands } else { results };
        let outputs = outputs.iter().map(|output| output.to_vec()).collect::<Result<Vec<_>, _>>()?;
        Ok(self.data.accuracy(&outputs))
    }
}

fn complex_step<T: Scalar + ComplexNumber + Operand<T, Output = T>>() -> Step<T> {
    |state| {
        let product = &state.operands[0] * &state.operands[1];
        state.replace(product)
    }
}

fn number<T: Scalar>(value: f64) -> T {
    T::from_parts(value, 0.0)
}

/// 2.5 x + sqrt|y|
fn root_expression<T: Scalar + Real>(x: &Expr<T>, y: &Expr<T>) -> Expr<T> {
    x * number::<T>(2.5) + y.abs().sqrt()
}

fn real_step<T: Scalar + Real>(operation: Operation) -> Step<T> {
    match operation {
        Operation::Axpy => |state| {
            let result = &state.operands[0] * number::<T>(2.5) + &state.operands[1];
            state.replace(result)
        },
        Operation::Sqrt | Operation::Small => |state| {
            let result = root_expression(&state.operands[0], &state.operands[1]);
            state.replace(result)
        },
        Operation::NewShape => |state| {
            let length = EXTENTS[0] + state.calls % (EXTENTS[1] - EXTENTS[0]);
            state.calls += 1;
            let [x, y] = [0, 1].map(|operand| state.operands[operand].at(s![..length as i64]));
            state.replace(root_expression(&x, &y))
        },
        Operation::Exp => |state| state.replace(state.operands[0].exp()),
        Operation::Sin => |state| state.replace(state.operands[0].sin()),
        Operation::NormCdf => |state| state.replace(state.operands[0].normcdf()),
        Operation::Dot => |state| state.replace((&state.operands[0] * &state.operands[1]).sum(..)),
        Operation::RowSums => |state| state.replace(state.operands[0].sum(1)),
        Operation::ColumnSums => |state| state.replace(state.operands[0].sum(0)),
        Operation::Transpose => |state| state.replace(&state.operands[0] + state.operands[1].t()),
        Operation::Rows | Operation::Strided => |state| {
            let [x, y] = &state.operands[..] else { unreachable!("it has two operands") };
            let result = x.at(s![..;2]) + y.at(s![1..;2]);
            state.replace(result)
        },
        Operation::CumSum => |state| state.replace(state.operands[0].cumsum(0)),
        Operation::BlackScholes | Operation::FirstCall => black_scholes,
        Operation::Softmax => |state| {
            let x = &state.operands[0];
            let powers = (x - x.max(keep(1))).exp();
            state.replace(&powers / powers.sum(keep(1)))
        },
        Operation::Heat => heat,
        Operation::Select => |state| {
            let [x, y] = &state.operands[..] else { unreachable!("it has two operands") };
            let mask = x.gt(T::ZERO) & y.lt(number::<T>(0.25));
            state.replace(mask.select(x * y, y))
        },
        Operation::Copy | Operation::Complex => |_| unreachable!("it is no expression of real numbers"),
    }
}

fn black_scholes<T: Scalar + Real>(state: &mut State<T>) -> affinimath::Result<()> {
    let [spot, strike, years] = &state.operands[..] else { unreachable!("it has three operands") };
    let (rate, volatility) = (number::<T>(RATE), number::<T>(VOLATILITY));
    let drift = number::<T>(RATE + 0.5 * VOLATILITY * VOLATILITY);
    let spread = years.sqrt() * volatility;
    let d1 = ((spot / strike).ln() + years * drift) / &spread;
    let d2 = &d1 - spread;
    let discounted = strike * (-(years * rate)).exp();
    let call = spot * d1.normcdf() - &discounted * d2.normcdf();
    let put = discounted * (-d2).normcdf() - spot * (-d1).normcdf();
    state.results.clear();
    let (call, put) = eval((call, put))?;
    state.results.extend([call, put]);
    Ok(())
}

fn heat<T: Scalar + Real>(state: &mut State<T>) -> affinimath::Result<()> {
    let u = &mut state.operands[0];
    let neighbours = u.at(s![..-2, 1..-1]) + u.at(s![2.., 1..-1]) + u.at(s![1..-1, ..-2]) + u.at(s![1..-1, 2..]);
    let next = neighbours * number::<T>(0.25);
    u.at_mut(s![1..-1, 1..-1]).assign(next)
}
