//! Wrong shapes, axes, steps and counts give errors: no operator panics, and no plan of what remains.

use affinimath_array::plan::{Limits, Output, Plan};
use affinimath_array::{
    Expr, Slice, arange, complex, concatenate, coordinates, eye, from_vec, full, integers, iota, linspace, normal,
    ones, stack,
};

/// Numbers at which sums, products and casts overflow.
const WILD: [i64; 14] = [0, 1, 2, 3, -1, -2, 8, 9, -9, i32::MAX as i64, 1 << 47, 1 << 62, i64::MAX, i64::MIN];

struct Wild(u64);

impl Wild {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(0x1405_7B7E_F767_814F);
        (self.0 >> 33) as usize % n
    }

    fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    fn number(&mut self) -> i64 {
        if self.chance(50) { self.below(5) as i64 - 1 } else { WILD[self.below(WILD.len())] }
    }

    fn extents(&mut self) -> Vec<usize> {
        let rank = if self.chance(90) { self.below(5) } else { self.below(12) };
        (0..rank).map(|_| if self.chance(85) { self.below(4) } else { self.number() as usize }).collect()
    }

    fn numbers(&mut self) -> Vec<i64> {
        (0..self.below(5)).map(|_| self.number()).collect()
    }

    fn slices(&mut self) -> Vec<Slice> {
        let slice = |wild: &mut Wild| match wild.below(6) {
            0 => Slice::Index(wild.number()),
            1 => Slice::NewAxis,
            2 => Slice::Ellipsis,
            3 => Slice::FULL.by(wild.number()),
            _ => {
                let bound = |wild: &mut Wild| wild.chance(60).then(|| wild.number());
                Slice::Range { start: bound(wild), end: bound(wild), step: wild.number() }
            }
        };
        (0..self.below(5)).map(|_| slice(self)).collect()
    }

    fn generated(&mut self) -> Expr<f64> {
        let (extents, number) = (self.extents(), self.number());
        match self.below(8) {
            0 => full(extents, 2.0),
            1 => iota(extents).cast(),
            2 => coordinates(extents, number).cast(),
            3 => arange(0.0, 1.0, number as usize),
            4 => linspace(0.0, 1.0, number as usize),
            5 => eye(extents, number),
            6 => normal(1, extents) + integers::<i64>(1, self.extents(), number..self.number()).cast(),
            _ => {
                let count = self.below(13);
                from_vec(extents, vec![1.0; count])
            }
        }
    }

    fn of(&mut self, x: &Expr<f64>, y: &Expr<f64>) -> Expr<f64> {
        let number = self.number();
        match self.below(22) {
            0 => x + y,
            1 => (x % y).pow(y),
            2 => x.gt(y).select(x, y),
            3 => x.fma(y, x),
            4 => x.at(self.slices()),
            5 => x.reshape(self.extents()),
            6 => x.broadcast_to(self.extents()),
            7 => x.permute(&self.numbers()[..]),
            8 => x.new_axis(number),
            9 => x.reverse(&self.numbers()[..]),
            10 => x.sum(&self.numbers()[..]),
            11 => x.min(number),
            12 => x.argmax(&self.numbers()[..]).cast(),
            13 => x.var_with(&self.numbers()[..], number as usize),
            14 => x.mean(number) + x.norm_along(&self.numbers()[..]),
            15 => x.cumsum(number),
            16 => x.matmul(y),
            17 => concatenate(number, [x, y]),
            18 => stack(number, [x, y]),
            19 => x.index_along(number, y.cast::<i64>()),
            20 => complex(x, y).h().re().flatten(),
            _ => x.t().cast::<u8>().powi(number as u32).cast(),
        }
    }
}

#[test]
fn no_operator_panics() {
    let (mut values, mut errors) = (0, 0);
    for seed in 0..1000 {
        let mut wild = Wild(seed);
        let mut expressions = vec![ones([2, 3]), wild.generated(), wild.generated()];
        for _ in 0..6 {
            let [x, y] = [0; 2].map(|_| expressions[wild.below(expressions.len())].clone());
            let z = wild.of(&x, &y);
            let _ = format!("{:?} {}", z.shape(), z.explain().len());
            match z.error() {
                // An error stays one: later operations would only hand it on.
                Some(error) => {
                    assert!(error.to_string().contains("panics.rs:"), "{error}");
                    errors += 1;
                }
                None => expressions.push(z),
            }
        }
        let nodes = expressions.iter().filter(|expression| expression.error().is_none());
        let outputs: Vec<_> =
            nodes.map(|expression| Output { node: expression.node().clone(), target: None }).collect();
        values += outputs.len();
        // A graph without a kernel is an error too.
        let _ = Plan::new(&outputs, &Limits::default());
    }
    assert!(values > 1000 && errors > 1000, "{values} values, {errors} errors");
}
