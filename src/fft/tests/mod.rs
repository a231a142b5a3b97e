//! Transforms against double-double references: interpreted, with checks of indices, barriers and races, and on
//! devices.

mod case;
mod convolution;
mod device;
mod interpreted;
mod properties;
mod recipe;

use case::Case;

use super::{Direction, FftDescriptor, Transform};

const FORWARD: Transform = Transform::Complex(Direction::Forward);
const BACKWARD: Transform = Transform::Complex(Direction::Backward);

const TRANSFORMS: [Transform; 8] = [
    FORWARD,
    BACKWARD,
    Transform::RealToComplex,
    Transform::ComplexToReal,
    Transform::Dct2,
    Transform::Dct3,
    Transform::Dst2,
    Transform::Dst3,
];

/// Dense, padded, interleaved, in-place and scaled layouts of one to three dimensions.
fn layouts(transform: Transform) -> Vec<FftDescriptor> {
    let new = |lengths: &[usize]| FftDescriptor::new(transform, lengths);
    vec![
        new(&[12]).batch(21),
        new(&[9]).batch(5).input_layout(&[3], 40).output_layout(&[2], 31),
        new(&[10]).batch(18).input_layout(&[18], 1).output_layout(&[19], 1).scale(0.1),
        new(&[8]).batch(19).in_place(),
        new(&[15]).batch(17).in_place().scale(-2.0),
        new(&[6, 10]).batch(3),
        new(&[7, 5]).batch(2).in_place(),
        new(&[18, 4]).scale(1.0 / 72.0),
        new(&[3, 4, 6]).batch(2),
        new(&[4, 2, 5]).in_place(),
        new(&[1]).batch(3),
        new(&[17]).batch(3),
        new(&[34]).in_place(),
    ]
}
