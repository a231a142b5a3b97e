//! Runs of plans beside the reference, on all devices.
#![allow(dead_code)] // Each test program uses a part.

use affinimath_opencl::context::DeviceContext;
use affinimath_opencl::device::for_tests;
use affinimath_stencil::definition::Range;
use affinimath_stencil::reference::evaluate;
use affinimath_stencil::{
    Argument, Bound, Field, GridSlices, Layout, Outcome, Plan, Slice, Span, Stencil, Target, Value,
};

use super::noise;

/// The contexts of all devices, and the host.
pub fn targets() -> Vec<Target> {
    let devices = for_tests().iter().map(|device| DeviceContext::for_device(device).expect("a context"));
    devices.map(Target::Device).chain([Target::Host]).collect()
}

/// The device computes in no double precision.
pub fn lacks_doubles(target: &Target) -> bool {
    matches!(target, Target::Device(context) if !context.device().info().fp64)
}

/// The layout of tests: plain, or scattered with the last axis contiguous, gaps, and an offset.
pub fn layout_of(bound: &Bound, grid: usize, scatter: bool) -> Layout {
    let layout = bound.layout(grid).expect("memory");
    if !scatter {
        return layout;
    }
    let reversed: Vec<usize> = layout.lengths.iter().rev().copied().collect();
    let strides = Layout::contiguous(vec![0; reversed.len()], reversed).strides;
    Layout { strides: strides.into_iter().rev().map(|stride| 3 * stride).collect(), offset: 5, ..layout }
}

/// Fields with noise at all points in memory.
pub fn fields(bound: &Bound, scatter: bool) -> Vec<Field> {
    let each = bound.stencil().grids().iter().enumerate().map(|(grid, definition)| {
        let (components, levels) = (definition.component_count(), bound.levels(grid));
        let layout = layout_of(bound, grid, scatter);
        let mut field = Field::zeros(definition.kind, layout, components, levels).expect("memory");
        for component in 0..components {
            for level in 0..levels {
                let seed = (grid * 64 + component * 8 + level) as u64 + 1;
                let scale = if definition.kind.is_real() { 1.0 } else { 100.0 };
                field.fill(component, level, |cell| scale * (noise(seed, cell) + 1.5));
            }
        }
        field
    });
    each.collect()
}

/// Parameters between 0 and 2, integers of 2.
pub fn arguments(bound: &Bound) -> Vec<Argument> {
    let parameters = bound.stencil().parameters().iter().filter(|parameter| parameter.values.is_none());
    let each = parameters.enumerate().map(|(number, parameter)| {
        let length = |range: &Range| {
            let sizes = bound.sizes();
            range.upper.value(sizes).expect("a size") - range.lower.value(sizes).expect("a size") + 1
        };
        let count = parameter.ranges.iter().map(length).product::<i64>();
        match parameter.kind.is_real() {
            true => Argument::Reals((0..count).map(|index| noise(number as u64 + 50, &[index]) + 1.0).collect()),
            false => Argument::Integers(vec![2; count as usize]),
        }
    });
    each.collect()
}

/// The bits of a number; those of NaN are one number.
pub fn bits(value: Value) -> u64 {
    let number = value.as_f64();
    if number.is_nan() { u64::MAX } else { number.to_bits() }
}

fn get(slice: &Slice<'_>, index: usize) -> Value {
    match slice {
        Slice::I32(values) => Value::I32(values[index]),
        Slice::I64(values) => Value::I64(values[index]),
        Slice::F32(values) => Value::F32(values[index]),
        Slice::F64(values) => Value::F64(values[index]),
    }
}

/// All elements of all levels, also those between points.
pub fn contents(field: &mut Field) -> Vec<u64> {
    let extent = field.layout().extent().expect("a size");
    let grid = field.slices();
    grid.slices
        .iter()
        .flatten()
        .flat_map(|slice| (0..extent).map(|at| bits(get(slice, at))).collect::<Vec<_>>())
        .collect()
}

pub fn result_bits(outcome: &Outcome) -> Vec<Option<u64>> {
    outcome.results.iter().map(|value| value.map(bits)).collect()
}

/// A run of the reference, and all that it leaves.
pub fn expected(
    bound: &Bound,
    scatter: bool,
    span: Span,
) -> Result<(Outcome, Vec<Vec<u64>>), affinimath_stencil::Error> {
    let mut fields = fields(bound, scatter);
    let mut grids: Vec<GridSlices<'_>> = fields.iter_mut().map(Field::slices).collect();
    let outcome = evaluate(bound, &mut grids, &arguments(bound), span)?;
    Ok((outcome, fields.iter_mut().map(contents).collect()))
}

/// A plan's run on the host's memory has the reference's bits, in plain and in scattered memory.
pub fn check(stencil: &Stencil, sizes: &[(&str, i64)], span: Span, name: &str) {
    check_in(stencil, sizes, span, name, &[false, true]);
}

/// The same in some memories: scattered or not.
pub fn check_in(stencil: &Stencil, sizes: &[(&str, i64)], span: Span, name: &str, scattered: &[bool]) {
    for target in targets() {
        let plan = Plan::new(stencil, target.clone(), sizes).unwrap_or_else(|error| panic!("{name}: {error}"));
        for &scatter in scattered {
            let case = format!("{name}, {sizes:?}, scattered: {scatter}, {target:?}");
            let wanted = expected(plan.bound(), scatter, span);
            let mut fields = fields(plan.bound(), scatter);
            let mut grids: Vec<GridSlices<'_>> = fields.iter_mut().map(Field::slices).collect();
            match (wanted, plan.run(&mut grids, &arguments(plan.bound()), span)) {
                (Ok((wanted, memory)), Ok(outcome)) => {
                    assert_eq!(result_bits(&outcome), result_bits(&wanted), "{case}");
                    let facts = |outcome: &Outcome| (outcome.steps, outcome.has_stopped, outcome.newest.clone());
                    assert_eq!(facts(&outcome), facts(&wanted), "{case}");
                    for (grid, (field, wanted)) in fields.iter_mut().zip(memory).enumerate() {
                        assert!(contents(field) == wanted, "{case}: grid {grid} differs");
                    }
                }
                (Err(wanted), Err(error)) => {
                    let both = [&wanted.reason, &error.reason];
                    assert!(both.iter().all(|reason| reason.contains("reads outside")), "{case}: {both:?}");
                }
                (wanted, outcome) => panic!("{case}: {outcome:?} instead of {wanted:?}"),
            }
        }
    }
}
