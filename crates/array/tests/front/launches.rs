//! Launches on a device.

use affinimath_array::lower::{DeviceClass, DeviceKind, Functions, lower};
use affinimath_array::plan::{Limits, Output, Plan, Step};
use affinimath_array::{Node, from_vec, keep};

/// Launches of the expressions, evaluated together.
fn launches(kind: DeviceKind, nodes: &[&Node]) -> usize {
    let class =
        DeviceClass { kind, functions: Functions::Own, has_doubles: true, rounds_divisions: true, compute_units: 8 };
    let outputs: Vec<_> = nodes.iter().map(|&node| Output { node: node.clone(), target: None }).collect();
    let (plan, bindings) = Plan::new(&outputs, &Limits::default()).unwrap();
    let of_step = |step: &Step| match step {
        Step::Fused(fused) => {
            lower(&fused.structure, &class).unwrap().launch(&fused.arguments(&bindings)).launches.len()
        }
        step => panic!("{:?}", step.operands()),
    };
    plan.steps.iter().map(of_step).sum()
}

const KINDS: [DeviceKind; 2] = [DeviceKind::Gpu, DeviceKind::Cpu];

#[test]
fn softmax_along_rows_takes_two_launches_at_most() {
    for (rows, columns) in [(3, 5), (64, 1000), (2000, 30), (7, 70_000)] {
        let x = from_vec([rows, columns], vec![0.5_f32; rows * columns]);
        let powers = (&x - x.max(keep(1))).exp();
        let softmax = &powers / powers.sum(keep(1));
        for kind in KINDS {
            let count = launches(kind, &[softmax.node()]);
            let is_long = columns > 10_000;
            assert!(count <= if is_long { 5 } else { 2 }, "{rows} x {columns} on {kind:?}: {count} launches");
        }
    }
}

#[test]
fn a_call_and_a_put_are_one_launch() {
    let strike = from_vec([1000], (0..1000).map(|k| 80.0 + 0.04 * k as f32).collect());
    let d1 = ((100.0 / &strike).ln() + 0.07) / 0.2;
    let (d2, discounted) = (&d1 - 0.2, &strike * 0.95);
    let call = 100.0 * d1.normcdf() - &discounted * d2.normcdf();
    let put = &discounted * (-&d2).normcdf() - 100.0 * (-&d1).normcdf();
    for kind in KINDS {
        assert_eq!(launches(kind, &[call.node(), put.node()]), 1, "{kind:?}");
    }
}
