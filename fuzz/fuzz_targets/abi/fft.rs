//! Descriptors of Fourier transforms, and the transforms of those that can be planned.

use std::ptr;

use affinimath_ffi::generated::fft_plans::{
    FftDescriptor, affinimathFftDescriptor, affinimathFftExecute, affinimathFftPlanCreate, affinimathFftPlanDestroy,
};
use libfuzzer_sys::arbitrary::{Result, Unstructured};

use super::{Guarded, MAX_ELEMENTS, code, factor, last_error, size};

const TRANSFORMS: &[i32] = &[-1, 1, 301, 302, 303, 304, 305, 306];

/// Lengths and strides: small, as they are multiplied.
fn short(u: &mut Unstructured<'_>) -> Result<i64> {
    if u.ratio(1, 24)? { size(u) } else { u.int_in_range(0..=20) }
}

fn strides(u: &mut Unstructured<'_>) -> Result<([i64; 3], i64)> {
    if u.arbitrary()? {
        return Ok(([0; 3], 0));
    }
    Ok(([short(u)?, short(u)?, short(u)?], short(u)?))
}

/// Real values or complex ones of a side.
struct Side {
    lengths: Vec<i64>,
    complex: bool,
}

fn sides(d: &FftDescriptor) -> [Side; 2] {
    let lengths = d.lengths[..d.rank as usize].to_vec();
    let mut half = lengths.clone();
    if let Some(last) = half.last_mut() {
        *last = *last / 2 + 1;
    }
    let side = |lengths: &[i64], complex| Side { lengths: lengths.to_vec(), complex };
    match d.transform {
        301 => [side(&lengths, false), side(&half, true)],
        302 => [side(&half, true), side(&lengths, false)],
        -1 | 1 => [side(&lengths, true), side(&lengths, true)],
        _ => [side(&lengths, false), side(&lengths, false)],
    }
}

/// Reals that a side reaches over.
fn extent(d: &FftDescriptor, side: &Side, other: &Side, strides: &[i64; 3], distance: i64) -> i128 {
    let rank = side.lengths.len();
    let numbers = if side.complex { 2 } else { 1 };
    if distance != 0 || strides[..rank].iter().any(|stride| *stride != 0) {
        let axes = side.lengths.iter().zip(strides);
        let last: i128 = axes.map(|(n, stride)| (i128::from(*n) - 1) * i128::from(*stride)).sum();
        return (last + (i128::from(d.batch) - 1) * i128::from(distance) + 1) * numbers;
    }
    let mut row = i128::from(side.lengths[rank - 1]);
    if d.in_place != 0 && !side.complex && other.complex {
        row = 2 * (row / 2 + 1);
    }
    side.lengths[..rank - 1].iter().map(|n| i128::from(*n)).product::<i128>() * row * i128::from(d.batch) * numbers
}

fn describe(u: &mut Unstructured<'_>) -> Result<Option<FftDescriptor>> {
    let transform = code(u, TRANSFORMS)?;
    let precision = code(u, &[211, 212])?;
    let rank = code(u, &[1, 1, 2, 3])?;
    let lengths = [short(u)?, short(u)?, short(u)?];
    let mut described = std::mem::MaybeUninit::<FftDescriptor>::zeroed();
    // SAFETY: the lengths are as many as any rank that is taken.
    let status =
        unsafe { affinimathFftDescriptor(described.as_mut_ptr(), transform, precision, rank, lengths.as_ptr()) };
    let known = TRANSFORMS.contains(&transform) && [211, 212].contains(&precision) && (1..=3).contains(&rank);
    let valid = known && lengths[..rank as usize].iter().all(|length| *length >= 1);
    assert_eq!(valid, status == 0, "descriptor: {status}: {}", last_error());
    if !valid {
        assert!((-5..0).contains(&status), "descriptor: wrong arguments give {status}");
        return Ok(None);
    }
    // SAFETY: all bit patterns are valid values.
    let mut d = unsafe { described.assume_init() };
    d.in_place = i32::from(u.arbitrary::<bool>()?);
    d.batch = if u.arbitrary()? { 1 } else { short(u)? };
    (d.input_strides, d.input_distance) = strides(u)?;
    (d.output_strides, d.output_distance) = strides(u)?;
    d.scale = factor(u)?;
    if u.ratio(1, 32)? {
        d.transform = u.arbitrary()?;
        d.precision = u.arbitrary()?;
        d.rank = u.arbitrary()?;
        d.lengths = u.arbitrary()?;
    }
    Ok(Some(d))
}

pub fn fft(u: &mut Unstructured<'_>) -> Result<()> {
    let Some(d) = describe(u)? else { return Ok(()) };
    let mut plan = ptr::null_mut();
    // SAFETY: both pointers are valid.
    let status = unsafe { affinimathFftPlanCreate(&d, &mut plan) };
    if status != 0 {
        assert!(status == -1, "a wrong descriptor gives {status}: {}", last_error());
        return Ok(());
    }
    let [input, output] = sides(&d);
    let from = extent(&d, &input, &output, &d.input_strides, d.input_distance);
    let to = extent(&d, &output, &input, &d.output_strides, d.output_distance);
    let numbers: i128 = d.lengths[..d.rank as usize].iter().map(|n| i128::from(*n)).product();
    if from.max(to) <= MAX_ELEMENTS && numbers.saturating_mul(i128::from(d.batch)) <= MAX_ELEMENTS {
        let reals = |count: i128| count.max(0) as usize * if d.precision == 211 { 4 } else { 8 };
        let input = Guarded::new(reals(if d.in_place != 0 { from.max(to) } else { from }) / 4, |_| 0_u32);
        let output = Guarded::new(reals(to) / 4, |_| 0_u32);
        let start = input.start();
        let end = if d.in_place != 0 { start } else { output.start() };
        // SAFETY: the buffers have the sizes that the descriptor claims.
        let status = unsafe { affinimathFftExecute(plan, start.cast(), end.cast()) };
        assert_eq!(status, 0, "{d:?}: {}", last_error());
    }
    // SAFETY: this is the last use of the plan.
    assert_eq!(unsafe { affinimathFftPlanDestroy(plan) }, 0);
    Ok(())
}
