//! Redaction: numbers become random ones of the same classes.

use half::f16;

use super::case::Case;
use super::element::ElementKind;
use super::record::{Given, to_hex};

/// Replaces the floating-point numbers of a case, in memory and in values, by random ones of the same classes: finite
/// numbers by finite ones with the same sign, while zeros, NaN and infinities stay. Integers stay: they may be indices.
///
/// Contents after the launch are dropped: they belong to other numbers. It gives the arguments whose type is not known,
/// by index: they stay as they are.
pub fn redact(case: &mut Case, seed: u64) -> Vec<usize> {
    let mut random = Random(seed);
    let mut memories = Vec::new();
    for (index, (record, memory)) in case.record.memories.iter_mut().zip(&mut case.memories).enumerate() {
        (record.after, record.changed, memory.after) = (None, None, None);
        match (&mut memory.before, record.element) {
            (Some(before), kind) if kind.is_float() => replace(before, kind, &mut random),
            (Some(_), ElementKind::U8) => memories.push(index),
            _ => {}
        }
    }
    let mut unknown: Vec<usize> = memories.into_iter().filter_map(|memory| case.record.argument_of(memory)).collect();
    for (index, argument) in case.record.arguments.iter_mut().enumerate() {
        let Given::Value { hex, value } = &mut argument.given else { continue };
        let kind = match value {
            serde_json::Value::Number(number) if number.is_f64() => match hex.len() {
                8 => ElementKind::F32,
                16 => ElementKind::F64,
                _ => continue,
            },
            serde_json::Value::Array(parts) if parts.iter().any(|part| part.is_f64() || part.is_string()) => {
                match hex.len() / parts.len().max(1) {
                    8 => ElementKind::F32,
                    16 => ElementKind::F64,
                    _ => continue,
                }
            }
            serde_json::Value::Null => {
                unknown.push(index);
                continue;
            }
            _ => continue,
        };
        if let Some(mut bytes) = super::record::from_hex(hex) {
            replace(&mut bytes, kind, &mut random);
            let first = if bytes.len() == kind.bytes() {
                kind.first(&bytes, 1).pop().unwrap_or_default()
            } else {
                kind.first(&bytes, 16).into()
            };
            (*hex, *value) = (to_hex(&bytes), first);
        }
    }
    unknown
}

fn replace(bytes: &mut [u8], kind: ElementKind, random: &mut Random) {
    for number in bytes.chunks_exact_mut(kind.part().bytes()) {
        let old = kind.real(number);
        if old == 0.0 || !old.is_finite() {
            continue;
        }
        let new = random.unit().copysign(old);
        match kind.part() {
            ElementKind::F16 => number.copy_from_slice(&f16::from_f64(new).to_le_bytes()),
            ElementKind::F32 => number.copy_from_slice(&(new as f32).to_le_bytes()),
            _ => number.copy_from_slice(&new.to_le_bytes()),
        }
    }
}

/// SplitMix64 (Steele, Lea and Flood 2014).
struct Random(u64);

impl Random {
    /// A number from 1/8 up to 1.
    fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^= bits >> 31;
        0.125 + 0.875 * (bits >> 11) as f64 / (1_u64 << 53) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::LaunchRecord;

    #[test]
    fn numbers_change_and_their_classes_stay() {
        let record = LaunchRecord::new(0, "k", "k", [1; 3], [1; 3]);
        let mut case = Case { record, source: String::new(), kernel: None, memories: Vec::new() };
        let secret = [3.25_f64, -7.5e200, 0.0, -0.0, f64::NAN, f64::INFINITY, 5e-324];
        let bytes: Vec<u8> = secret.iter().flat_map(|x| x.to_le_bytes()).collect();
        case.add_memory("x", "double*", 0, ElementKind::F64, bytes);
        let indices: Vec<u8> = [4_i32, 5].iter().flat_map(|x| x.to_le_bytes()).collect();
        case.add_memory("p", "int*", 1, ElementKind::I32, indices.clone());
        case.add_memory("s", "state*", 2, ElementKind::U8, vec![1, 2, 3]);
        case.add("alpha", "scalar", Given::value(&bytes_of([2.5_f32, -1.0]), Some(ElementKind::C32)));
        case.add("n", "long", Given::value(&9_i64.to_le_bytes(), Some(ElementKind::I64)));
        case.add("state", "state", Given::value(&[1; 6], None));
        case.set_after(case.memories.iter().map(|memory| memory.before.clone().unwrap()).collect());
        let before = case.clone();
        assert_eq!(redact(&mut case, 1), [2, 5]);
        let found = case.memories[0].before.as_ref().unwrap();
        for (index, old) in secret.iter().enumerate() {
            let new = f64::from_le_bytes(found[8 * index..8 * index + 8].try_into().unwrap());
            let changes = old.is_finite() && *old != 0.0;
            assert_eq!(new.to_bits() != old.to_bits(), changes, "{old}");
            assert!(!changes || (0.125..=1.0).contains(&new.abs()) && new.signum() == old.signum());
        }
        assert_eq!(case.memories[1].before.as_ref().unwrap(), &indices);
        assert_ne!(case.record.arguments[3], before.record.arguments[3]);
        assert_eq!(case.record.arguments[4], before.record.arguments[4]);
        assert_eq!((case.expected(0), case.record.memories[0].changed), (None, None));
    }

    fn bytes_of<const N: usize>(numbers: [f32; N]) -> Vec<u8> {
        numbers.iter().flat_map(|x| x.to_le_bytes()).collect()
    }
}
