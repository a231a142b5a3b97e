//! Random kernels over the language, by a seed: types, vectors, control, functions, local memory with barriers, atomic
//! operations. Every operation is exact or rounded correctly on every target, and has a value.

use std::cell::RefCell;

use affinimath_kernel::dynamic::{
    Alignment, AtomicOp, BinaryOp, Builder, Function, Memory, Query, StoreMode, UnaryOp, Value, Variable,
};
use affinimath_kernel::{Access, BuildError, BuildOption, Kernel, ScalarType, ValueType};

/// Work-items in a group, and groups.
pub const ITEMS: usize = 4;
pub const GROUPS: usize = 2;
/// Elements that each work-item has in the buffers of real numbers, of integers, of words and of bytes.
pub const WIDTH: usize = 16;
/// Elements of the buffers of atomic operations: four for each of sums, minima and maxima.
pub const COUNTS: usize = 12;

type Outcome<V> = Result<V, BuildError>;

/// Steele, Lea and Flood's SplitMix64 (2014).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }
}

const INTEGERS: [ScalarType; 8] = [
    ScalarType::I32,
    ScalarType::I64,
    ScalarType::U32,
    ScalarType::U64,
    ScalarType::I8,
    ScalarType::U8,
    ScalarType::I16,
    ScalarType::U16,
];

const fn bool_type(lanes: usize) -> ValueType {
    ValueType::vector(ScalarType::Bool, lanes)
}

/// Types whose sums and products overflow; others wrap around.
const fn overflows(scalar: ScalarType) -> bool {
    matches!(scalar, ScalarType::I32 | ScalarType::I64)
}

const fn unsigned(scalar: ScalarType) -> ScalarType {
    match scalar.bits() {
        8 => ScalarType::U8,
        16 => ScalarType::U16,
        32 => ScalarType::U32,
        _ => ScalarType::U64,
    }
}

/// A kernel under construction.
#[derive(Clone, Copy)]
struct Generator<'k, 'r> {
    k: Builder<'k>,
    random: &'r RefCell<Random>,
    /// The type of its real numbers.
    real: ScalarType,
    arrays: &'r Arrays<'k>,
    /// How deep its blocks are.
    depth: usize,
}

struct Arrays<'k> {
    functions: Vec<(Function<'k>, Vec<ScalarType>, ScalarType)>,
    variables: RefCell<Vec<Variable<'k>>>,
    private: Memory<'k>,
    halves: Memory<'k>,
    shared: Memory<'k>,
    tallies: Memory<'k>,
    counts: Memory<'k>,
    ticks: Memory<'k>,
    argument: Value<'k>,
}

/// The values there are in a block.
type Scope<'k> = Vec<Value<'k>>;

/// The kernel of a seed, of single or of double precision.
///
/// Its arguments: `n` (the number 3), `scale` (real), the inputs `reals` and `integers` (`i32`), and the results
/// `results` (real), `words` (`u64`), `bytes` (`u8`), `halves` (`f16`), `counts` (`i32`), `ticks` (`u32`).
pub fn kernel(name: &str, seed: u64, real: ScalarType) -> Kernel {
    let random = RefCell::new(Random(seed));
    Kernel::build_dynamic(name, |k| build(k, &random, real)).unwrap()
}

fn build(k: Builder<'_>, random: &RefCell<Random>, real: ScalarType) -> Outcome<()> {
    if random.borrow_mut().next().is_multiple_of(2) {
        k.typed().contract();
    }
    k.typed().group_size([ITEMS, 1, 1]);
    k.typed().build_option(BuildOption::CorrectlyRoundedDivideSqrt);
    let of = ValueType::scalar;
    let argument = k.argument("n", ScalarType::I64)?;
    let scale = k.argument("scale", real)?;
    let reals = k.buffer("reals", of(real), Access::Read)?;
    let integers = k.buffer("integers", of(ScalarType::I32), Access::Read)?;
    let results = k.buffer("results", of(real), Access::Write)?;
    let words = k.buffer("words", of(ScalarType::U64), Access::ReadWrite)?;
    let bytes = k.buffer("bytes", of(ScalarType::U8), Access::ReadWrite)?;
    let halves = k.buffer("halves", of(ScalarType::F16), Access::ReadWrite)?;
    let counts = k.buffer("counts", of(ScalarType::I32), Access::ReadWrite)?;
    let ticks = k.buffer("ticks", of(ScalarType::U32), Access::ReadWrite)?;
    let mut arrays = Arrays {
        functions: Vec::new(),
        variables: RefCell::default(),
        private: k.private("private_array", of(real), 4)?,
        halves: k.private("half_array", of(ScalarType::F16), 4)?,
        shared: k.local("shared", of(real), ITEMS)?,
        tallies: k.local("tallies", of(ScalarType::U32), ITEMS)?,
        counts,
        ticks,
        argument,
    };
    let functions = {
        let generator = Generator { k, random, real, arrays: &arrays, depth: 0 };
        (0..2).map(|number| generator.function(number)).collect::<Outcome<_>>()?
    };
    arrays.functions = functions;
    let generator = Generator { k, random, real, arrays: &arrays, depth: 0 };
    let item = k.query(Query::GlobalId, 0)?;
    let first = item.binary(BinaryOp::Mul, k.index(WIDTH as i64))?;
    let at = |offset: i64| first.binary(BinaryOp::Add, k.index(offset));
    let mut scope = vec![scale, argument];
    for offset in 0..3 {
        scope.push(reals.load(at(offset)?)?);
        scope.push(integers.load(at(offset)?)?);
    }
    let word = words.load(at(0)?)?;
    scope.extend([word, bytes.load(at(1)?)?, halves.load(at(2)?)?.convert(real)?]);
    scope.push(reals.load_vector(at(3)?, 4, Alignment::Element)?);
    scope.push(reals.load_vector(at(8)?, 8, Alignment::Vector)?);
    scope.push(integers.load_vector(at(5)?, 2, Alignment::Element)?);
    scope.push(bytes.load_vector(at(0)?, 16, Alignment::Vector)?);
    scope.push(halves.load_vector(at(4)?, 4, Alignment::Element)?.convert(real)?);
    for index in 0..4 {
        arrays.private.store(k.index(index), scope[0])?;
        arrays.halves.store(k.index(index), scope[2].convert(ScalarType::F32)?)?;
    }
    for scalar in [real, ScalarType::U16, ScalarType::I64] {
        let initial = generator.pick(&scope, ValueType::scalar(scalar))?;
        arrays.variables.borrow_mut().push(k.variable("changing", initial));
    }
    let vector = generator.pick(&scope, ValueType::vector(real, 4))?;
    arrays.variables.borrow_mut().push(k.variable("lanes", vector));
    for _ in 0..6 + generator.below(8) {
        generator.statement(&mut scope)?;
    }
    // Everything that there is goes into results.
    let vector = generator.pick(&scope, ValueType::vector(real, 16))?;
    let streaming = generator.below(2) == 0;
    results.store_with(first, vector, StoreMode { alignment: Alignment::Vector, streaming })?;
    results.store(at(3)?, generator.pick(&scope, of(real))?)?;
    halves.store_with(
        at(0)?,
        generator.pick(&scope, ValueType::vector(real, 8))?.convert(ScalarType::F32)?,
        StoreMode::default(),
    )?;
    for lanes in [1, 2, 4, 8] {
        let scalar = generator.integer_type();
        let value = generator.bits(generator.pick(&scope, ValueType::vector(scalar, lanes))?, ScalarType::U64)?;
        words.store(at(lanes as i64)?, value)?;
    }
    let mask = generator.pick(&scope, bool_type(8))?.convert(ScalarType::U8)?;
    bytes.store(at(1)?, mask)?;
    for (offset, variable) in (10..).zip(arrays.variables.borrow().iter()) {
        let value = variable.get();
        if value.value_type().scalar.is_float() {
            results.store(at(offset)?, value.lane(value.value_type().lanes - 1)?)?;
        } else {
            words.store(at(offset)?, generator.bits(value, ScalarType::U64)?.lane(0)?)?;
        }
    }
    Ok(())
}

impl<'k> Generator<'k, '_> {
    fn below(self, bound: u64) -> u64 {
        self.random.borrow_mut().next() % bound
    }

    fn integer_type(self) -> ScalarType {
        INTEGERS[self.below(8) as usize]
    }

    fn value_type(self) -> ValueType {
        let scalar = match self.below(10) {
            0..4 => self.real,
            4 => ScalarType::Bool,
            _ => self.integer_type(),
        };
        ValueType::vector(
            scalar,
            [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 4, 4, 4, 8, 16, 1, 1, 1][self.below(20) as usize],
        )
    }

    fn number(self, scalar: ScalarType, number: f64) -> Outcome<Value<'k>> {
        self.k.number(scalar, number)
    }

    /// A constant of a type: small, or of many bits.
    fn constant(self, scalar: ScalarType) -> Outcome<Value<'k>> {
        if scalar == ScalarType::Bool {
            return self.k.constant((self.below(2) == 0).into());
        }
        if scalar.is_float() {
            let numbers = [0.0, -0.0, 0.1, -1.5, 3.0, 1e-3, -77.25, 1.0, 1e-42, 255.5];
            return self.number(scalar, numbers[self.below(10) as usize]);
        }
        let bits = self.random.borrow_mut().next();
        let bits = if self.below(2) == 0 { bits } else { bits % 9 };
        let number = match scalar {
            ScalarType::I8 => i128::from(bits as i8),
            ScalarType::U8 => i128::from(bits as u8),
            ScalarType::I16 => i128::from(bits as i16),
            ScalarType::U16 => i128::from(bits as u16),
            ScalarType::I32 => i128::from(bits as i32),
            ScalarType::U32 => i128::from(bits as u32),
            ScalarType::I64 => i128::from(bits as i64),
            _ => i128::from(bits),
        };
        self.k.integer(scalar, number)
    }

    /// A value of a type: one that there is, or one made of another.
    fn pick(self, scope: &[Value<'k>], value_type: ValueType) -> Outcome<Value<'k>> {
        let same: Vec<&Value<'k>> = scope.iter().filter(|value| value.value_type() == value_type).collect();
        if !same.is_empty() && self.below(8) > 0 {
            return Ok(*same[self.below(same.len() as u64) as usize]);
        }
        if value_type.lanes > 1 {
            let scalar = ValueType::scalar(value_type.scalar);
            // Many lanes make a long text.
            if self.below(3) == 0 || value_type.lanes > 4 {
                return self.pick(scope, scalar)?.splat(value_type.lanes);
            }
            let lanes: Vec<_> = (0..value_type.lanes).map(|_| self.pick(scope, scalar)).collect::<Outcome<_>>()?;
            return self.k.gather(&lanes);
        }
        if self.below(4) == 0 {
            return self.constant(value_type.scalar);
        }
        let other = scope[self.below(scope.len() as u64) as usize];
        let lane = other.lane(self.below(other.value_type().lanes as u64) as usize)?;
        self.converted(lane, value_type.scalar)
    }

    /// A value as another type, whatever it is.
    fn converted(self, value: Value<'k>, to: ScalarType) -> Outcome<Value<'k>> {
        let from = value.value_type().scalar;
        match (from, to) {
            _ if from == to => Ok(value),
            (ScalarType::Bool, _) | (_, ScalarType::Bool) => value.convert(to),
            _ if from.is_float() && to.is_float() => value.convert(to),
            // Few bits, so that sums are exact.
            _ if to.is_float() => self.bits(value, ScalarType::U8)?.convert(to),
            _ if from.is_float() && self.below(2) == 0 => value.convert_saturating(to),
            _ if from.is_float() => {
                let (low, high) = (if to.is_signed() { -100.0 } else { 0.0 }, 100.0);
                value.clamp(self.number(from, low)?, self.number(from, high)?)?.convert(to)
            }
            _ if self.below(3) == 0 => value.convert_saturating(to),
            _ => self.bits(value, to),
        }
    }

    /// The low bits of an integer as another one.
    fn bits(self, value: Value<'k>, to: ScalarType) -> Outcome<Value<'k>> {
        if value.value_type().scalar == ScalarType::Bool {
            return value.convert(to);
        }
        value.convert(unsigned(to))?.bitcast(to)
    }

    fn function(self, number: usize) -> Outcome<(Function<'k>, Vec<ScalarType>, ScalarType)> {
        let scalars: Vec<ScalarType> =
            (0..1 + self.below(3)).map(|_| if self.below(2) == 0 { self.real } else { self.integer_type() }).collect();
        let result = if self.below(2) == 0 { self.real } else { self.integer_type() };
        // Names are those of no other kernel: several are in one text.
        let name = format!("f{}_{number}", self.below(1 << 40));
        let function = self.k.function(&name, &scalars, |parameters| {
            let mut scope = parameters.to_vec();
            for _ in 0..4 {
                let scalar = if self.below(2) == 0 { self.real } else { self.integer_type() };
                let value = self.operation(&scope, ValueType::scalar(scalar), false)?;
                scope.push(value);
            }
            self.pick(&scope, ValueType::scalar(result))
        })?;
        Ok((function, scalars, result))
    }

    /// A new value of a type. Values of memory are those of work-items, not of functions.
    fn operation(self, scope: &[Value<'k>], value_type: ValueType, in_kernel: bool) -> Outcome<Value<'k>> {
        let scalar = value_type.scalar;
        if in_kernel && self.below(10) == 0 {
            return self.read(scope, value_type);
        }
        if value_type.lanes > 1 && self.below(6) == 0 {
            let (a, b) = (self.pick(scope, value_type)?, self.pick(scope, value_type)?);
            let lanes: Vec<_> = (0..value_type.lanes)
                .map(|_| if self.below(2) == 0 { a } else { b }.lane(self.below(value_type.lanes as u64) as usize))
                .collect::<Outcome<_>>()?;
            return self.k.gather(&lanes);
        }
        if self.below(7) == 0 {
            let whole = self.below(2) == 0;
            let condition = self.pick(scope, bool_type(if whole { 1 } else { value_type.lanes }))?;
            return condition.select(self.pick(scope, value_type)?, self.pick(scope, value_type)?);
        }
        match scalar {
            ScalarType::Bool => self.condition(scope, value_type.lanes),
            _ if scalar.is_float() => self.real(scope, value_type),
            _ => self.integer(scope, value_type),
        }
    }

    /// A value of a variable, an array or a function.
    fn read(self, scope: &[Value<'k>], value_type: ValueType) -> Outcome<Value<'k>> {
        let variable = self
            .arrays
            .variables
            .borrow()
            .iter()
            .map(|variable| variable.get())
            .find(|value| value.value_type() == value_type);
        if let Some(value) = variable.filter(|_| self.below(2) == 0) {
            return Ok(value);
        }
        if !self.arrays.functions.is_empty() && self.below(2) == 0 {
            let (function, scalars, _) = &self.arrays.functions[self.below(2) as usize];
            let arguments: Vec<_> =
                scalars.iter().map(|scalar| self.pick(scope, ValueType::scalar(*scalar))).collect::<Outcome<_>>()?;
            return self.converted(function.call(&arguments)?, value_type.scalar)?.splat(value_type.lanes);
        }
        let index = self.bits(self.pick(scope, ValueType::scalar(self.integer_type()))?, ScalarType::U8)?;
        let index = index.binary(BinaryOp::And, self.k.integer(ScalarType::U8, 3)?)?;
        let value =
            if self.below(2) == 0 { self.arrays.private.load(index)? } else { self.arrays.halves.load(index)? };
        self.converted(value, value_type.scalar)?.splat(value_type.lanes)
    }

    fn real(self, scope: &[Value<'k>], value_type: ValueType) -> Outcome<Value<'k>> {
        let scalar = value_type.scalar;
        let number = |number: f64| self.number(scalar, number);
        let (a, b) = (self.pick(scope, value_type)?, self.pick(scope, value_type)?);
        let value = match self.below(14) {
            0 => a.binary(BinaryOp::Add, b)?,
            1 => a.binary(BinaryOp::Sub, b)?,
            2 => a.binary(BinaryOp::Mul, b)?.binary(BinaryOp::Add, self.pick(scope, value_type)?)?,
            3 => a.mul_add(b, self.pick(scope, value_type)?)?,
            4 => {
                let ops = [UnaryOp::Floor, UnaryOp::Ceil, UnaryOp::Trunc, UnaryOp::Rint, UnaryOp::Abs, UnaryOp::Neg];
                a.unary(ops[self.below(6) as usize])?
            }
            5 => a.unary(UnaryOp::Abs)?.unary(UnaryOp::Sqrt)?,
            6 => a.binary(BinaryOp::Div, b.unary(UnaryOp::Abs)?.binary(BinaryOp::Add, number(0.5)?)?)?,
            7 => a.binary(BinaryOp::Rem, b.unary(UnaryOp::Abs)?.binary(BinaryOp::Add, number(0.25)?)?)?,
            8 => a.binary(BinaryOp::Copysign, b)?,
            9 => {
                let exponent = self.k.integer(ScalarType::I32, i128::from(self.below(9)) - 4)?;
                a.binary(BinaryOp::Ldexp, exponent)?
            }
            10 => {
                let words = if scalar == ScalarType::F32 { ScalarType::U32 } else { ScalarType::U64 };
                a.bitcast(words)?.binary(BinaryOp::Xor, self.k.integer(words, 5)?)?.bitcast(scalar)?
            }
            11 => a.convert(ScalarType::F32)?.convert(scalar)?.binary(BinaryOp::Mul, number(0.75)?)?,
            12 => self.converted(self.pick(scope, ValueType { scalar: self.integer_type(), ..value_type })?, scalar)?,
            _ => a.binary(BinaryOp::Sub, number(1.0)?)?.binary(BinaryOp::Mul, b)?,
        };
        // Neither infinities nor NaN, whose signs differ.
        value.clamp(number(-1000.0)?, number(1000.0)?)
    }

    fn integer(self, scope: &[Value<'k>], value_type: ValueType) -> Outcome<Value<'k>> {
        let scalar = value_type.scalar;
        let number = |number: i128| self.k.integer(scalar, number);
        let (a, b) = (self.pick(scope, value_type)?, self.pick(scope, value_type)?);
        let half = i128::from(scalar.bits() / 2);
        let (small, places) = ((1 << (half - 1)) - 1, i128::from(scalar.bits()) - 1);
        let narrow = |value: Value<'k>| {
            if overflows(scalar) { value.binary(BinaryOp::And, number(small)?) } else { Ok(value) }
        };
        let halved = |value: Value<'k>| {
            if overflows(scalar) { value.binary(BinaryOp::Shr, number(2)?) } else { Ok(value) }
        };
        let masked = |value: Value<'k>, mask: i128| value.binary(BinaryOp::And, number(mask)?);
        let divisor = || masked(b, 0x7f)?.binary(BinaryOp::Or, number(1)?);
        Ok(match self.below(22) {
            0 => halved(a)?.binary(BinaryOp::Add, halved(b)?)?,
            1 => halved(a)?.binary(BinaryOp::Sub, halved(b)?)?,
            2 => narrow(a)?.binary(BinaryOp::Mul, narrow(b)?)?,
            3 => halved(a)?.binary(BinaryOp::Div, divisor()?)?,
            4 => halved(a)?.binary(BinaryOp::Rem, divisor()?)?,
            5 => a.binary(BinaryOp::And, b)?,
            6 => a.binary(BinaryOp::Or, b)?,
            7 => a.binary(BinaryOp::Xor, b)?,
            8 => a.unary(UnaryOp::Not)?,
            9 => halved(a)?.unary(UnaryOp::Neg)?,
            10 if overflows(scalar) => masked(a, 0xff)?.binary(BinaryOp::Shl, masked(b, 7)?)?,
            10 => a.binary(BinaryOp::Shl, masked(b, places)?)?,
            11 => a.binary(BinaryOp::Shr, masked(b, places)?)?,
            12 => a.binary(BinaryOp::RotateLeft, b)?,
            13 => a.rotate_right(masked(b, places)?.binary(BinaryOp::Or, number(1)?)?)?,
            14 => a.binary(BinaryOp::MulHigh, b)?,
            15 => a.binary(BinaryOp::Min, b)?,
            16 => a.binary(BinaryOp::Max, b)?,
            17 => a.unary(UnaryOp::Popcount)?,
            18 => a.unary(UnaryOp::LeadingZeros)?,
            19 if scalar.is_signed() => halved(a)?.unary(UnaryOp::Abs)?,
            19 => a.clamp(number(3)?, number(100)?)?,
            20 => {
                let from = ValueType { scalar: self.real, ..value_type };
                self.converted(self.pick(scope, from)?, scalar)?
            }
            _ => self.converted(self.pick(scope, ValueType { scalar: self.integer_type(), ..value_type })?, scalar)?,
        })
    }

    fn condition(self, scope: &[Value<'k>], lanes: usize) -> Outcome<Value<'k>> {
        let ops = [BinaryOp::Lt, BinaryOp::Le, BinaryOp::Gt, BinaryOp::Ge, BinaryOp::Eq, BinaryOp::Ne];
        let (a, b) = (self.pick(scope, bool_type(lanes))?, self.pick(scope, bool_type(lanes))?);
        Ok(match self.below(10) {
            0 => a.binary(BinaryOp::And, b)?,
            1 => a.binary(BinaryOp::Or, b)?,
            2 => a.binary(BinaryOp::Xor, b)?,
            3 => a.unary(UnaryOp::Not)?,
            4 => self.pick(scope, ValueType::vector(self.real, lanes))?.unary(UnaryOp::SignBit)?,
            5 if lanes == 1 => {
                let mask = self.pick(scope, bool_type(4))?;
                if self.below(2) == 0 { mask.any()? } else { mask.all()? }
            }
            6 => {
                let x = self.pick(scope, ValueType::vector(self.real, lanes))?;
                x.binary(BinaryOp::Ne, x)?
            }
            _ => {
                let scalar = if self.below(3) == 0 { self.real } else { self.integer_type() };
                let of = ValueType::vector(scalar, lanes);
                self.pick(scope, of)?.binary(ops[self.below(6) as usize], self.pick(scope, of)?)?
            }
        })
    }

    fn statement(self, scope: &mut Scope<'k>) -> Outcome<()> {
        match self.below(if self.depth == 0 { 20 } else { 15 }) {
            0 => {
                let number = self.below(self.arrays.variables.borrow().len() as u64) as usize;
                let variable = self.arrays.variables.borrow()[number];
                variable.set(self.pick(scope, variable.get().value_type())?)
            }
            1 => {
                let index = self.bits(self.pick(scope, ValueType::scalar(self.integer_type()))?, ScalarType::I32)?;
                let index = index.binary(BinaryOp::And, self.k.integer(ScalarType::I32, 3)?)?;
                let value = self.pick(scope, ValueType::scalar(self.real))?;
                self.arrays.private.store(index, value)?;
                self.arrays.halves.store(index, value.convert(ScalarType::F32)?)
            }
            2 => self.count(scope),
            3 if self.depth < 3 => {
                let condition = self.pick(scope, bool_type(1))?;
                let (first, second) = (1 + self.below(3), self.below(3));
                self.k.if_else(condition, || self.block(scope, first), || self.block(scope, second))
            }
            4 if self.depth < 3 => {
                let scalar = self.integer_type();
                let mask = self.k.integer(scalar, 3)?;
                let selector = self.pick(scope, ValueType::scalar(scalar))?.binary(BinaryOp::And, mask)?;
                self.k.switch(selector, &[&[0], &[2, 1]], |_| self.block(scope, 1))
            }
            5 if self.depth < 3 => self.range(scope),
            6 if self.depth < 3 => self.countdown(scope),
            15..17 => self.exchange(scope),
            17 => {
                // The range and the condition are the same for all work-items.
                let bounds = [self.k.index(0), self.arrays.argument, self.k.index(2)];
                let inner = Generator { depth: 1, ..self };
                self.k.range("round", bounds, |round| {
                    let mut scope = scope.clone();
                    scope.push(round);
                    inner.statement(&mut scope)?;
                    self.exchange(&mut scope)
                })
            }
            18 => {
                let condition = self.arrays.argument.binary(BinaryOp::Gt, self.k.index(self.below(6) as i64))?;
                let inner = |scope: &Scope<'k>| self.exchange(&mut scope.clone());
                self.k.if_else(condition, || inner(scope), || inner(scope))
            }
            19 => self.tally(scope),
            _ => {
                let value_type = self.value_type();
                let value = self.operation(scope, value_type, true)?;
                scope.push(if self.below(12) == 0 { value.named("Value") } else { value });
                Ok(())
            }
        }
    }

    fn block(self, scope: &Scope<'k>, statements: u64) -> Outcome<()> {
        let inner = Generator { depth: self.depth + 1, ..self };
        let mut scope = scope.clone();
        (0..statements).try_for_each(|_| inner.statement(&mut scope))?;
        // A variable holds the result of a block.
        let number = self.below(self.arrays.variables.borrow().len() as u64) as usize;
        let variable = self.arrays.variables.borrow()[number];
        variable.set(self.pick(&scope, variable.get().value_type())?)
    }

    /// A loop of few rounds, whose counter is an integer of any type.
    fn range(self, scope: &Scope<'k>) -> Outcome<()> {
        let scalar = self.integer_type();
        let mask = self.k.integer(scalar, 3)?;
        let to = match self.below(2) {
            0 => self.k.integer(scalar, i128::from(1 + self.below(3)))?,
            _ => self.pick(scope, ValueType::scalar(scalar))?.binary(BinaryOp::And, mask)?,
        };
        let step = self.k.integer(scalar, i128::from(1 + self.below(2)))?;
        self.k.range("counter", [self.k.integer(scalar, 0)?, to, step], |counter| {
            let mut scope = scope.clone();
            scope.push(counter);
            self.block(&scope, 1 + self.below(2))
        })
    }

    fn countdown(self, scope: &Scope<'k>) -> Outcome<()> {
        let one = self.k.integer(ScalarType::U32, 1)?;
        let left = self.k.variable("left", self.k.integer(ScalarType::U32, i128::from(self.below(4)))?);
        let test = || left.get().binary(BinaryOp::Mul, left.get())?.binary(BinaryOp::Ge, one);
        self.k.repeat_while(test, || {
            left.set(left.get().binary(BinaryOp::Sub, one)?)?;
            self.block(scope, 1)
        })
    }

    /// Atomic operations whose order does not matter.
    fn count(self, scope: &Scope<'k>) -> Outcome<()> {
        let index = self.bits(self.pick(scope, ValueType::scalar(ScalarType::I32))?, ScalarType::U16)?;
        let index = index.binary(BinaryOp::And, self.k.integer(ScalarType::U16, 3)?)?;
        let ops = [(AtomicOp::Add, 0), (AtomicOp::Min, 4), (AtomicOp::Max, 8)];
        let (op, first) = ops[self.below(3) as usize];
        let index = index.binary(BinaryOp::Add, self.k.integer(ScalarType::U16, first)?)?;
        let (memory, scalar) = if self.below(2) == 0 {
            (self.arrays.counts, ScalarType::I32)
        } else {
            (self.arrays.ticks, ScalarType::U32)
        };
        memory.atomic(op, index, &[self.pick(scope, ValueType::scalar(scalar))?]).map(|_| ())
    }

    /// Each work-item gives a number to another one.
    fn exchange(self, scope: &mut Scope<'k>) -> Outcome<()> {
        let item = self.k.query(Query::LocalId, 0)?;
        let value = self.pick(scope, ValueType::scalar(self.real))?;
        self.k.barrier(self.below(2) == 0);
        self.arrays.shared.store(item, value)?;
        self.k.barrier(false);
        let other = item.binary(BinaryOp::Add, self.k.index(self.below(ITEMS as u64) as i64))?;
        scope.push(self.arrays.shared.load(other.binary(BinaryOp::Rem, self.k.index(ITEMS as i64))?)?);
        Ok(())
    }

    /// Sums in local memory.
    fn tally(self, scope: &mut Scope<'k>) -> Outcome<()> {
        let item = self.k.query(Query::LocalId, 0)?;
        let value = self.pick(scope, ValueType::scalar(ScalarType::U32))?;
        let index = self.bits(self.pick(scope, ValueType::scalar(self.integer_type()))?, ScalarType::U8)?;
        let index = index.binary(BinaryOp::Rem, self.k.integer(ScalarType::U8, ITEMS as i128)?)?;
        self.k.barrier(false);
        self.arrays.tallies.store(item, self.k.integer(ScalarType::U32, 7)?)?;
        self.k.barrier(false);
        self.arrays.tallies.atomic(AtomicOp::Add, index, &[value])?;
        self.k.barrier(false);
        scope.push(self.arrays.tallies.load(item)?);
        Ok(())
    }
}
