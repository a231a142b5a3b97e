//! The code of a phase as values of the kernel language.

use super::arithmetic::scalar_type;
use super::emit::V;
use super::generator::{Generator, Loads, Point, Slots};
use crate::element::ElementType;
use crate::fused::Instruction;
use affinimath_kernel::ScalarType;
use affinimath_kernel::dynamic::BinaryOp;

impl<'k> Generator<'_, 'k> {
    /// The registers of a phase. Values that are equal in all lanes have one lane.
    pub(super) fn code(&self, phase: usize, point: &Point<'k>, loads: &Loads<'k>, slots: &Slots<'k>) -> Vec<V<'k>> {
        let mut registers = Vec::new();
        for instruction in &self.lowered.structure.phases[phase].code {
            let value = self.instruction(phase, instruction, &registers, point, loads, slots);
            registers.push(value);
        }
        registers
    }

    fn instruction(
        &self,
        phase: usize,
        instruction: &Instruction,
        r: &[V<'k>],
        point: &Point<'k>,
        loads: &Loads<'k>,
        slots: &Slots<'k>,
    ) -> V<'k> {
        let e = self.e;
        let types = &self.lowered.types[phase];
        match *instruction {
            Instruction::Load(access) => loads[&access][0],
            Instruction::LoadImaginary(access) => loads[&access][1],
            Instruction::LoadAt { access, ref indices, imaginary } => {
                let indices: Vec<_> = indices.iter().map(|index| r[*index]).collect();
                self.load_at(access, &indices, imaginary)
            }
            Instruction::Scalar(scalar) => self.scalar(scalar),
            Instruction::Constant(element, bits) => e.bits(element, bits),
            Instruction::Coordinate(axis) => self.coordinate(axis, point),
            Instruction::Slot(slot) => slots[&slot],
            Instruction::Unary(function, x) => self.unary(function, types[x], r[x]),
            Instruction::Binary(function, x, y) => self.binary(function, types[x], r[x], r[y]),
            Instruction::Fma(a, b, c) => e.fma(r[a], r[b], r[c]),
            Instruction::Select(mask, a, b) => e.select(r[mask], r[a], r[b]),
            Instruction::Convert(to, x) => e.convert_as_rust(types[x], to, r[x]),
            Instruction::Bitcast(to, x) => e.bitcast(r[x], scalar_type(to)),
            Instruction::ComplexReal(function, x, y) => self.complex(function, types[x], r[x], r[y]).0,
            Instruction::ComplexImaginary(function, x, y) => self.complex(function, types[x], r[x], r[y]).1,
            Instruction::Philox { word, counter, stream, key } => {
                self.philox([r[counter], r[stream]], r[key])[usize::from(word)]
            }
        }
    }

    fn scalar(&self, scalar: usize) -> V<'k> {
        let value = self.parameter(super::variant::Parameter::Scalar(scalar));
        match self.lowered.structure.scalars[scalar] {
            ElementType::Bool => self.e.is_nonzero(value),
            _ => value,
        }
    }

    /// A coordinate as an `I64`.
    fn coordinate(&self, axis: usize, point: &Point<'k>) -> V<'k> {
        let e = self.e;
        let Some(first) = point.coordinates[axis] else { return e.whole(ScalarType::I64, 0, 1) };
        let first = e.convert(first, ScalarType::I64);
        if point.width == 1 || axis != point.lane_axis {
            return first;
        }
        let lanes: Vec<_> =
            (0..point.width).map(|lane| e.whole(ScalarType::I64, (lane * point.lane_step) as i64, 1)).collect();
        e.binary(BinaryOp::Add, first, e.gather(&lanes))
    }

    /// The four words of Philox 4x32-10 (Salmon et al. 2011).
    fn philox(&self, counter: [V<'k>; 2], key: V<'k>) -> [V<'k>; 4] {
        let e = self.e;
        let word = |value: u32| e.constant(value.into(), 1);
        let words = |value: V<'k>| {
            let value = e.bitcast(value, ScalarType::U64);
            let high = e.binary(BinaryOp::Shr, value, e.whole(ScalarType::U64, 32, 1));
            [value, high].map(|half| e.convert(half, ScalarType::U32))
        };
        let ([mut a, mut b], [mut c, mut d]) = (words(counter[0]), words(counter[1]));
        let [mut k0, mut k1] = words(key);
        let xor = |a, b| e.binary(BinaryOp::Xor, a, b);
        for _ in 0..10 {
            let product = |a: V<'k>, factor: u32| {
                (e.binary(BinaryOp::MulHigh, a, word(factor)), e.binary(BinaryOp::Mul, a, word(factor)))
            };
            let ((p_hi, p_lo), (q_hi, q_lo)) = (product(a, 0xD251_1F53), product(c, 0xCD9E_8D57));
            (a, b, c, d) = (xor(xor(q_hi, b), k0), q_lo, xor(xor(p_hi, d), k1), p_lo);
            k0 = e.binary(BinaryOp::Add, k0, word(0x9E37_79B9));
            k1 = e.binary(BinaryOp::Add, k1, word(0xBB67_AE85));
        }
        [a, b, c, d]
    }
}
