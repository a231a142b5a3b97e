//! Random kernels, whose every operation is exact or rounded correctly on every target, so that results agree to the
//! last bit.

use proptest::prelude::*;

use affinimath_kernel::{Array, Builder, Expr, Kernel, Launch, Pair, ReadWrite, Real, Var, Vector, f16};

/// Work-items in a group, and groups.
pub const ITEMS: usize = 8;
pub const GROUPS: usize = 3;
/// Numbers that each work-item reads and writes, of each type.
pub const WIDTH: usize = 4;

/// One step of a random kernel. Numbers choose among the values there are.
#[derive(Clone, Debug)]
pub enum Step {
    Real(u8, usize, usize, i8),
    Integer(u8, usize, usize, i8),
    Vector(u8, usize, usize),
    Mask(u8, usize, usize),
    Long(u8, usize, usize, i8),
    Short(u8, usize, usize),
    Half(usize, usize),
    Set(usize, usize),
    Array(usize, usize),
    When(usize, Vec<Step>, Vec<Step>),
    Switch(usize, Vec<Step>, Vec<Step>),
    Loop(u8, bool, Vec<Step>),
    Countdown(u8, Vec<Step>),
    /// Every work-item gives a number to another one: not within a branch.
    Exchange(usize, usize),
    /// Exchanges in a loop that the whole group goes round.
    ExchangeLoop(u8, usize),
}

pub fn steps() -> impl Strategy<Value = Vec<Step>> {
    let (any_value, small) = (0..64_usize, any::<i8>());
    let flat = prop_oneof![
        4 => (0..9_u8, any_value.clone(), any_value.clone(), small).prop_map(|(op, a, b, c)| Step::Real(op, a, b, c)),
        3 => (0..14_u8, any_value.clone(), any_value.clone(), small)
            .prop_map(|(op, a, b, c)| Step::Integer(op, a, b, c)),
        1 => (0..4_u8, any_value.clone(), any_value.clone()).prop_map(|(op, a, b)| Step::Vector(op, a, b)),
        2 => (0..6_u8, any_value.clone(), any_value.clone()).prop_map(|(op, a, b)| Step::Mask(op, a, b)),
        2 => (0..9_u8, any_value.clone(), any_value.clone(), small).prop_map(|(op, a, b, c)| Step::Long(op, a, b, c)),
        2 => (0..9_u8, any_value.clone(), any_value.clone()).prop_map(|(op, a, b)| Step::Short(op, a, b)),
        1 => (any_value.clone(), any_value.clone()).prop_map(|(a, b)| Step::Half(a, b)),
        2 => (0..2_usize, any_value.clone()).prop_map(|(variable, value)| Step::Set(variable, value)),
        1 => (any_value.clone(), any_value.clone()).prop_map(|(index, value)| Step::Array(index, value)),
    ];
    let nested = flat.prop_recursive(3, 24, 4, |inner| {
        let some = || prop::collection::vec(inner.clone(), 1..5);
        prop_oneof![
            (0..64_usize, some(), prop::collection::vec(inner.clone(), 0..3)).prop_map(|(c, a, b)| Step::When(c, a, b)),
            (0..64_usize, some(), some()).prop_map(|(selector, a, b)| Step::Switch(selector, a, b)),
            (0..5_u8, any::<bool>(), some()).prop_map(|(n, unroll, body)| Step::Loop(n, unroll, body)),
            (0..5_u8, some()).prop_map(|(n, body)| Step::Countdown(n, body)),
        ]
    });
    let top = prop_oneof![
        6 => nested,
        1 => (any_value.clone(), 0..ITEMS).prop_map(|(value, by)| Step::Exchange(value, by)),
        1 => (0..4_u8, 0..ITEMS).prop_map(|(rounds, by)| Step::ExchangeLoop(rounds, by)),
    ];
    prop::collection::vec(top, 1..24)
}

/// The values there are in a block.
#[derive(Clone)]
struct Values<'k, R> {
    reals: Vec<Expr<'k, R>>,
    integers: Vec<Expr<'k, i32>>,
    vectors: Vec<Expr<'k, Vector<R, 4>>>,
    masks: Vec<Expr<'k, Vector<bool, 4>>>,
    longs: Vec<Expr<'k, u64>>,
    shorts: Vec<Expr<'k, i16>>,
}

#[derive(Clone, Copy)]
struct Rest<'k, R> {
    k: Builder<'k>,
    variables: [Var<'k, R>; 2],
    array: Array<'k, R, ReadWrite>,
    shared: Array<'k, R, ReadWrite>,
    halves: Array<'k, f16, ReadWrite>,
}

fn pick<V: Copy>(values: &[V], number: usize) -> V {
    values[number % values.len()]
}

/// A kernel of the steps. Its arguments are two inputs, real and integer, and two outputs.
pub fn kernel<R: Real>(steps: &[Step], contract: bool) -> Kernel {
    Kernel::build("random", |k| {
        if contract {
            k.contract();
        }
        k.group_size([ITEMS, 1, 1]);
        let reals = k.input::<R>("reals");
        let integers = k.input::<i32>("integers");
        let real_results = k.output::<R>("real_results");
        let integer_results = k.output::<i32>("integer_results");
        let first = k.global_id(0) * WIDTH;
        let mut values = Values {
            reals: (0..WIDTH).map(|j| reals.at(first + j)).collect(),
            integers: (0..WIDTH).map(|j| integers.at(first + j)).collect(),
            vectors: vec![reals.vector_at(first)],
            masks: vec![k.value(Vector([true, false, true, true]))],
            longs: vec![integers.at(first).to::<u64>() * 0x9e37_79b9_7f4a_7c15],
            shorts: vec![integers.at(first).to::<u16>().bitcast()],
        };
        let array = k.private("array", 4);
        (0..4).for_each(|j| array.store(j, values.reals[j]));
        let variables = [k.var("u", values.reals[0]), k.var("w", R::real(1.5))];
        let halves = k.private("halves", 2);
        (0..2).for_each(|j| halves.store(j, values.reals[j].to::<f32>()));
        let rest = Rest { k, variables, array, shared: k.local("shared", ITEMS), halves };
        rest.run(steps, &mut values);
        let last = |j: usize| values.reals[values.reals.len() - 1 - j] + variables[j % 2];
        (0..WIDTH).for_each(|j| real_results.store(first + j, last(j)));
        (0..WIDTH).for_each(|j| integer_results.store(first + j, values.integers[values.integers.len() - 1 - j]));
    })
    .unwrap()
}

impl<'k, R: Real> Rest<'k, R> {
    fn run(self, steps: &[Step], values: &mut Values<'k, R>) {
        for step in steps {
            match step {
                Step::Real(op, a, b, c) => self.real(*op, *a, *b, *c, values),
                Step::Integer(op, a, b, c) => self.integer(*op, *a, *b, *c, values),
                Step::Vector(op, a, b) => self.vector(*op, *a, *b, values),
                Step::Mask(op, a, b) => self.mask(*op, *a, *b, values),
                Step::Long(op, a, b, c) => self.long(*op, *a, *b, *c, values),
                Step::Short(op, a, b) => self.short(*op, *a, *b, values),
                Step::Half(index, value) => {
                    let index = pick(&values.integers, *index) & 1;
                    self.halves.store(index, pick(&values.reals, *value).to::<f32>());
                    values.reals.push(self.halves.at(index ^ 1).to::<R>());
                }
                Step::Set(variable, value) => self.variables[*variable].set(pick(&values.reals, *value)),
                Step::Array(index, value) => {
                    let index = pick(&values.integers, *index) & 3;
                    self.array.store(index, pick(&values.reals, *value));
                    values.reals.push(self.array.at((index + 1) & 3));
                }
                Step::When(condition, then, otherwise) => {
                    let condition = self.condition(*condition, values);
                    let (mut first, mut second) = (values.clone(), values.clone());
                    self.k.if_else(condition, || self.run(then, &mut first), || self.run(otherwise, &mut second));
                }
                Step::Switch(selector, zero, others) => {
                    self.switch(pick(&values.integers, *selector) & 3, zero, others, values);
                }
                Step::Loop(rounds, unroll, body) => {
                    let range = self.k.range::<i32>(0, i32::from(*rounds)).unroll(*unroll);
                    range.each("i", |i| {
                        let mut inner = values.clone();
                        inner.integers.push(i);
                        self.run(body, &mut inner);
                    });
                }
                Step::Countdown(rounds, body) => {
                    let left = self.k.var::<i32>("left", i32::from(*rounds));
                    let mut inner = values.clone();
                    self.k.repeat_while(
                        || (left.get() * 2).gt(1),
                        || {
                            left.set(left - 1);
                            self.run(body, &mut inner);
                        },
                    );
                }
                Step::Exchange(value, by) => self.exchange(pick(&values.reals, *value), *by, values),
                Step::ExchangeLoop(rounds, by) => self.k.range::<i32>(0, i32::from(*rounds)).each("round", |_| {
                    let mut inner = values.clone();
                    self.exchange(self.variables[0].get(), *by, &mut inner);
                    self.variables[0].set(pick(&inner.reals, inner.reals.len() - 1));
                }),
            }
        }
    }

    fn switch(self, selector: Expr<'k, i32>, zero: &[Step], others: &[Step], values: &Values<'k, R>) {
        let mut blocks = [values.clone(), values.clone(), values.clone()];
        let [first, second, third] = &mut blocks;
        self.k
            .switch(selector)
            .case([0], || self.run(zero, first))
            .case([2, 1], || self.run(others, second))
            .otherwise(|| self.run(zero, third));
    }

    fn exchange(self, value: Expr<'k, R>, by: usize, values: &mut Values<'k, R>) {
        let item = self.k.local_id(0);
        self.k.barrier();
        self.shared.store(item, value);
        self.k.barrier();
        values.reals.push(self.shared.at((item + by) % ITEMS));
    }

    fn condition(self, number: usize, values: &Values<'k, R>) -> Expr<'k, bool> {
        let (a, b) = (pick(&values.reals, number), pick(&values.reals, number / 3));
        let (i, j) = (pick(&values.integers, number), pick(&values.integers, number / 5));
        match number % 5 {
            0 => a.lt(b),
            1 => i.eq(j) | !a.ge(b),
            2 => i.ge(j) & a.ne(b),
            3 => i.le(j) ^ a.gt(R::real(0.5)),
            _ => self.k.value(i.ne(j)),
        }
    }

    fn real(self, op: u8, a: usize, b: usize, c: i8, values: &mut Values<'k, R>) {
        let constant = R::real(f64::from(c) / 4.0);
        let (x, y) = (pick(&values.reals, a), pick(&values.reals, b));
        values.reals.push(match op {
            0 => x + y,
            1 => x - y,
            2 => x * y,
            3 => x * constant,
            4 => -x + constant,
            5 => x.mul_add(y, constant),
            6 => self.condition(a + b, values).select(x, y),
            7 => x.abs().floor() - y * x,
            _ => pick(&values.integers, a).to::<R>() * y + self.variables[a % 2],
        });
    }

    /// Results are kept within 16 bits, so that nothing overflows.
    fn integer(self, op: u8, a: usize, b: usize, c: i8, values: &mut Values<'k, R>) {
        let (i, j, c) = (pick(&values.integers, a), pick(&values.integers, b), i32::from(c));
        let small = |i: Expr<'k, i32>| i & 0x7fff;
        values.integers.push(
            match op {
                0 => i + j - c,
                1 => small(i) * small(j),
                2 => i / (small(j) + 1),
                3 => i % (small(j) + 3),
                4 => (i ^ j) | (i & !j),
                5 => small(i) << (j & 7),
                6 => i >> (j & 15),
                7 => i.min(j).max(c),
                10 => i.popcount() - (j ^ c).leading_zeros(),
                11 => (i.to::<u32>() * 0x9e37_79b9).rotate_left(j.to::<u32>()).bitcast::<i32>(),
                12 => (i * 99 - j).mul_hi(k_large(c)),
                13 => pick(&self.variables, a).get().to_saturating::<i16>().to::<i32>(),
                8 => ((i.to::<u32>() * 0x9e37_79b9 + j.to::<u32>()) >> 20).to(),
                _ => (i.to::<i64>() * 3 - j.to::<i64>()).to(),
            } & 0xffff,
        );
    }

    fn vector(self, op: u8, a: usize, b: usize, values: &mut Values<'k, R>) {
        let (v, w) = (pick(&values.vectors, a), pick(&values.vectors, b));
        let x = pick(&values.reals, b);
        values.vectors.push(match op {
            0 => v * w + x.splat(),
            1 => v.shuffle(|lane| (lane + b) % 4) - w,
            2 => {
                let halves: [Expr<'k, Pair<R>>; 2] = [v.shuffle(|lane| 2 * lane), w.shuffle(|lane| lane)];
                halves[0].interleave(halves[1])
            }
            _ => Expr::from_lanes([x, v.lane(1), w.lane(2), v.lane(a % 4)]),
        });
        values.reals.push(pick(&values.vectors, values.vectors.len() - 1).lane(a % 4));
    }

    fn mask(self, op: u8, a: usize, b: usize, values: &mut Values<'k, R>) {
        let (v, w) = (pick(&values.vectors, a), pick(&values.vectors, b));
        let (m, n) = (pick(&values.masks, a), pick(&values.masks, b));
        let longs = pick(&values.longs, b).splat::<4>();
        let mask = match op {
            0 => v.lt(w) | n,
            1 => v.ne(w) ^ !m,
            2 => longs.gt(v.to_saturating::<u64>()) & m,
            3 => m.select(n, v.ge(w)),
            4 => v.to_saturating::<i8>().le(w.to_saturating::<i8>()),
            _ => v.sign_bit() & n,
        };
        values.masks.push(mask);
        values.vectors.push(mask.select(v, w + mask.to::<R>()));
        values.integers.push((mask.any() ^ n.all()).to::<i32>());
    }

    fn long(self, op: u8, a: usize, b: usize, c: i8, values: &mut Values<'k, R>) {
        let (x, y, c) = (pick(&values.longs, a), pick(&values.longs, b), c as u64);
        let long = match op {
            0 => x * y + c,
            1 => x.mul_hi(y),
            2 => x.rotate_left(y) ^ c,
            3 => x.rotate_right(y | c),
            4 => x.popcount() * 77 + x.leading_zeros(),
            5 => (x.bitcast::<i64>() >> (y.bitcast::<i64>() & 63)).mul_hi(y.bitcast()).bitcast(),
            6 => x / (y | 1) + x % (y | 3),
            7 => x.clamp(y.min(c), y.max(c)) + x.to_saturating::<u32>().to::<u64>(),
            _ => pick(&values.reals, a).to_saturating::<u64>() - y,
        };
        values.longs.push(long);
        values.integers.push((long >> 40).to::<i32>() & 0xffff);
        // Of few bits, so that sums and products stay small.
        values.reals.push((long & 0xff).to::<R>());
    }

    fn short(self, op: u8, a: usize, b: usize, values: &mut Values<'k, R>) {
        let (x, y) = (pick(&values.shorts, a), pick(&values.shorts, b));
        let bytes = |value: Expr<'k, i16>| value.bitcast::<u16>().to::<u8>();
        let short = match op {
            0 => x + y,
            1 => x * y - x,
            2 => x / (y & 0xff | 1) + x % (y | 1).max(3),
            3 => x << (y & 15),
            4 => -x >> (y & 15),
            5 => (bytes(x) * bytes(y) + bytes(x)).to::<i16>(),
            6 => (bytes(x) - bytes(y)).bitcast::<i8>().to::<i16>().mul_hi(y),
            7 => (x.splat::<4>() * y.splat()).to::<i32>().lane(2).to_saturating::<i16>(),
            _ => x.lt(y).select(!x, y.rotate_left(x)),
        };
        values.shorts.push(short);
        values.integers.push(short.bitcast::<u16>().to());
    }
}

/// A constant of many bits.
const fn k_large(c: i32) -> i32 {
    c.wrapping_mul(0x0123_4567)
}

/// Inputs of one launch, and what the interpreter makes of them.
pub struct Run<R> {
    pub reals: Vec<R>,
    pub integers: Vec<i32>,
    pub real_results: Vec<R>,
    pub integer_results: Vec<i32>,
}

impl<R: Copy> Run<R> {
    pub fn inputs(real: impl Fn(f64) -> R) -> Self {
        let count = ITEMS * GROUPS * WIDTH;
        let reals: Vec<R> = (0..count).map(|i| real(((i * 37 + 11) % 101) as f64 / 8.0 - 6.0)).collect();
        let integers = (0..count as i32).map(|i| (i * 7919) & 0xffff).collect();
        Run { real_results: reals.clone(), integer_results: vec![0; count], reals, integers }
    }
}

macro_rules! interpret {
    ($($name:ident $real:ident),*) => { $(
        /// The interpreter's results.
        pub fn $name(kernel: &Kernel) -> Run<$real> {
            let mut run = Run::inputs(|value| value as $real);
            let Run { reals, integers, real_results, integer_results } = &mut run;
            let arguments = [(&*reals).into(), (&*integers).into(), real_results.into(), integer_results.into()];
            Launch::new(kernel, [GROUPS, 1, 1], [ITEMS, 1, 1]).run(arguments).unwrap();
            run
        }
    )* };
}

interpret!(interpret_f32 f32, interpret_f64 f64);

/// True if two results are the same numbers; every NaN is the same as every other.
pub fn same<R: Copy + Into<f64>>(a: &[R], b: &[R]) -> bool {
    let bits = |value: &R| {
        let value: f64 = (*value).into();
        if value.is_nan() { f64::NAN.to_bits() } else { value.to_bits() }
    };
    a.len() == b.len() && a.iter().map(bits).eq(b.iter().map(bits))
}
