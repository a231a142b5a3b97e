//! Our library: each call builds its expression and evaluates it.

use std::time::{Duration, Instant};

use affinimath::array::{Array, Expr, eval, eval_into_on, from_vec, keep, s};
use affinimath::{Complex32, Complex64, Context, Pinned, Queue, Scalar, ScalarKind};
use affinimath_array::{ComplexNumber, Element, Operand, Real};

use super::case::{Case, EXTENTS, Operation};
use super::data::{Data, RATE, VOLATILITY, require_memory};
use crate::LAUNCHES_IN_FLIGHT;
use crate::contender::{Accuracy, Contender, Entrant};
use crate::error::BenchError;
use crate::limits;
use crate::target::{MemoryChoice, Target};

/// Our library on the target, while `copies` libraries hold the operands. Operands of the host that a device computes
/// with lie in pinned memory where this is asked for.
pub fn entrant<'a>(case: &Case, target: &Target, copies: usize, pinned: bool) -> Entrant<'a> {
    if case.operation == Operation::Copy {
        require_memory(case, copies)?;
        return limits::copy_entrant(case.elements() * case.element_bytes(), target);
    }
    match case.kind {
        ScalarKind::S => Ours::<f32>::entrant(case, target, (copies, pinned), real_step(case.operation)),
        ScalarKind::D => Ours::<f64>::entrant(case, target, (copies, pinned), real_step(case.operation)),
        ScalarKind::C => Ours::<Complex32>::entrant(case, target, (copies, pinned), complex_step()),
        ScalarKind::Z => Ours::<Complex64>::entrant(case, target, (copies, pinned), complex_step()),
    }
}

/// The context of the target's memory.
fn context(target: &Target) -> affinimath::Result<Context> {
    target.device.map_or_else(|| Ok(Context::host()), Context::open)
}

/// Memory of the operands.
#[derive(Clone, Copy)]
struct Memory {
    choice: MemoryChoice,
    pinned: bool,
}

/// Operands, and results of the last call.
struct State<T: Element> {
    context: Context,
    operands: Vec<Expr<T>>,
    /// The array that a call changes.
    grid: Option<Array<T>>,
    results: Results<T>,
    calls: usize,
}

/// Results where the operands are.
enum Results<T: Element> {
    /// In the context's memory.
    Arrays(Vec<Array<T>>),
    /// In the host's memory, which a device's context brings them to.
    Host(Vec<Vec<T>>),
    /// The same, in pinned memory.
    Pinned(Vec<Pinned<T>>),
}

/// A call: it replaces the results, whose memory the pool has for the next ones.
type Step<T> = fn(&mut State<T>) -> affinimath::Result<()>;

struct Ours<T: Scalar + Element> {
    data: Data<T>,
    context: Context,
    queue: Option<Queue>,
    memory: Memory,
    state: State<T>,
    step: Step<T>,
}

impl<T: Scalar + Element> Ours<T> {
    fn entrant<'a>(case: &Case, target: &Target, (copies, pinned): (usize, bool), step: Step<T>) -> Entrant<'a> {
        let (data, context) = (Data::random(case, copies + usize::from(pinned))?, context(target)?);
        let (queue, memory) = (context.own_queue()?, Memory { choice: target.memory, pinned });
        let state = State::new(&context, &data, memory)?;
        Ok(Box::new(Ours { data, context, queue, memory, state, step }))
    }

    fn finish(&self) -> affinimath::Result<()> {
        self.queue.as_ref().map_or(Ok(()), Queue::finish)
    }
}

impl<T: Scalar + Element> State<T> {
    fn new(context: &Context, data: &Data<T>, Memory { choice, pinned }: Memory) -> affinimath::Result<Self> {
        let (case, context) = (&data.case, context.clone());
        let shape = &case.shape[..];
        let is_streamed = choice == MemoryChoice::Host && context.device().is_some();
        let mut state =
            State { context, operands: Vec::new(), grid: None, results: Results::Arrays(Vec::new()), calls: 0 };
        if is_streamed {
            let (count, length) = (case.outputs(), case.results() / case.outputs());
            if pinned {
                let operand = |operand: &Vec<T>| {
                    let mut memory = state.context.pinned(operand.len())?;
                    memory.copy_from_slice(operand);
                    memory.into_expr(shape)
                };
                state.operands = data.operands.iter().map(operand).collect::<Result<_, _>>()?;
                let results = (0..count).map(|_| state.context.pinned(length)).collect::<Result<_, _>>()?;
                state.results = Results::Pinned(results);
                return Ok(state);
            }
            state.operands = data.operands.iter().map(|operand| from_vec(shape, operand.clone())).collect();
            state.results = Results::Host(vec![vec![T::ZERO; length]; count]);
            return Ok(state);
        }
        let mut arrays = data.operands.iter().map(|operand| Array::from_slice(&state.context, shape, operand));
        match case.operation {
            Operation::Heat => state.grid = arrays.next().transpose()?,
            _ => state.operands = arrays.map(|array| array.map(Expr::from)).collect::<Result<_, _>>()?,
        }
        Ok(state)
    }

    fn replace<const N: usize>(&mut self, outputs: [Expr<T>; N]) -> affinimath::Result<()> {
        match &mut self.results {
            Results::Arrays(arrays) => {
                arrays.clear();
                arrays.extend(eval(outputs)?);
                Ok(())
            }
            Results::Host(memory) => {
                eval_into_on(&self.context, outputs.iter().zip(memory).map(|(output, memory)| output.to_slice(memory)))
            }
            Results::Pinned(memory) => {
                eval_into_on(&self.context, outputs.iter().zip(memory).map(|(output, memory)| output.to_slice(memory)))
            }
        }
    }

    /// The results of the last call: the grid that it changed, or what it computed.
    fn outputs(&self) -> affinimath::Result<Vec<Vec<T>>> {
        match (&self.grid, &self.results) {
            (Some(grid), _) => Ok(vec![grid.to_vec()?]),
            (None, Results::Arrays(arrays)) => arrays.iter().map(|array| array.to_vec()).collect(),
            (None, Results::Host(memory)) => Ok(memory.clone()),
            (None, Results::Pinned(memory)) => Ok(memory.iter().map(|memory| memory.to_vec()).collect()),
        }
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

    /// That of one call on the first operands.
    fn accuracy(&mut self) -> Result<Accuracy, BenchError> {
        self.state = State::new(&self.context, &self.data, self.memory)?;
        (self.step)(&mut self.state)?;
        Ok(self.data.accuracy(&self.state.outputs()?))
    }
}

fn complex_step<T: Scalar + ComplexNumber + Operand<T, Output = T>>() -> Step<T> {
    |state| {
        let product = &state.operands[0] * &state.operands[1];
        state.replace([product])
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
            state.replace([result])
        },
        Operation::Sqrt | Operation::Small => |state| {
            let result = root_expression(&state.operands[0], &state.operands[1]);
            state.replace([result])
        },
        Operation::NewShape => |state| {
            let length = EXTENTS[0] + state.calls % (EXTENTS[1] - EXTENTS[0]);
            state.calls += 1;
            let [x, y] = [0, 1].map(|operand| state.operands[operand].at(s![..length as i64]));
            state.replace([root_expression(&x, &y)])
        },
        Operation::Exp => |state| state.replace([state.operands[0].exp()]),
        Operation::Sin => |state| state.replace([state.operands[0].sin()]),
        Operation::NormCdf => |state| state.replace([state.operands[0].normcdf()]),
        Operation::Dot => |state| state.replace([(&state.operands[0] * &state.operands[1]).sum(..)]),
        Operation::RowSums => |state| state.replace([state.operands[0].sum(1)]),
        Operation::ColumnSums => |state| state.replace([state.operands[0].sum(0)]),
        Operation::Transpose => |state| state.replace([&state.operands[0] + state.operands[1].t()]),
        Operation::Rows | Operation::Strided => |state| {
            let [x, y] = &state.operands[..] else { unreachable!("it has two operands") };
            let result = x.at(s![..;2]) + y.at(s![1..;2]);
            state.replace([result])
        },
        Operation::CumSum => |state| state.replace([state.operands[0].cumsum(0)]),
        Operation::BlackScholes | Operation::FirstCall => black_scholes,
        Operation::Softmax => |state| {
            let x = &state.operands[0];
            let powers = (x - x.max(keep(1))).exp();
            state.replace([&powers / powers.sum(keep(1))])
        },
        Operation::Heat => heat,
        Operation::Select => |state| {
            let [x, y] = &state.operands[..] else { unreachable!("it has two operands") };
            let mask = x.gt(T::ZERO) & y.lt(number::<T>(0.25));
            state.replace([mask.select(x * y, y)])
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
    state.replace([call, put])
}

fn heat<T: Scalar + Real>(state: &mut State<T>) -> affinimath::Result<()> {
    let u = state.grid.as_mut().expect("the case has a grid");
    let neighbours = u.at(s![..-2, 1..-1]) + u.at(s![2.., 1..-1]) + u.at(s![1..-1, ..-2]) + u.at(s![1..-1, 2..]);
    let next = neighbours * number::<T>(0.25);
    u.at_mut(s![1..-1, 1..-1]).assign(next)
}
