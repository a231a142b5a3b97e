//! Strategies of plans on devices: the bits of naive kernels, and clear refusals.

mod common;

use affinimath_stencil::{Plan, Span, Stencil, Strategy, Target};
use common::devices::{arguments, bits, fields, targets};
use common::parse;

fn star(kind: &str, boundary: &str) -> Stencil {
    parse(&format!(
        "stencil star {{
           domainsize = (1 .. n, 1 .. n, 1 .. n);
           operation ({kind} grid u, {kind} param a) {{
             u[x,y,z; t+1] = a * u[x,y,z; t] + 0.125 * (u[x-1,y,z; t] + u[x+1,y,z; t] + u[x,y-1,z; t] + u[x,y+1,z; t]
               + u[x,y,z-1; t] + u[x,y,z+1; t]);
           }}
           boundary {{ u: x = {boundary}; y = {boundary}; z = {boundary}; }}
         }}"
    ))
}

/// The newest level after a run on the plan's grids, as numbers.
fn run(plan: &Plan, steps: u64) -> Vec<u64> {
    let mut fields = fields(plan.bound(), false);
    let mut grids = plan.grids().expect("memory");
    let layout = fields[0].layout().clone();
    grids.upload(0, 0, 0, &layout, &fields[0].slices().slices[0][0]).expect("a copy");
    let span = Span { steps: Some(steps), ..Span::default() };
    plan.run_on(&mut grids, &arguments(plan.bound()), span).expect("a run");
    let newest = grids.newest(0);
    grids.download(0, 0, newest, &layout, &mut fields[0].slices().slices[0][0]).expect("a copy");
    let mut all = Vec::new();
    for z in 0..layout.lengths[2] as i64 {
        for y in 0..layout.lengths[1] as i64 {
            for x in 0..layout.lengths[0] as i64 {
                all.push(bits(fields[0].get(0, 0, &[x, y, z]).expect("a point")));
            }
        }
    }
    all
}

#[test]
fn strategies_of_devices_have_one_result() {
    let strategies = [
        "stream:items=16x4,points=4x1,planes=7,unroll=2",
        "stream:items=16x4,points=1x3,planes=64",
        "stream-local:items=4x4,points=4x1,planes=7,unroll=3",
        "overlap:steps=2,items=16x8,points=1x2,planes=11,unroll=2",
        "overlap:steps=4,items=32x8,points=1x4,planes=64",
        "overlap:steps=3,items=16x8,points=1x2,planes=64,unroll=3,prefetch=4",
    ];
    for (kind, boundary) in
        [("float", "keep"), ("double", "periodic"), ("float", "neumann(0)"), ("double", "antireflect")]
    {
        let stencil = star(kind, boundary);
        for target in targets() {
            let Target::Device(context) = &target else { continue };
            let plan = || Plan::new(&stencil, Target::Device(context.clone()), &[("n", 28)]).expect("a plan");
            let wanted = run(&plan().with_strategy(Strategy::Naive).expect("a strategy"), 9);
            for strategy in strategies {
                let strategy: Strategy = strategy.parse().expect("a strategy");
                // CPU devices have rows.
                if let Ok(plan) = plan().with_strategy(strategy.clone()) {
                    assert!(run(&plan, 9) == wanted, "{strategy}, {kind}, {boundary}, {target:?}");
                    assert!(plan.explain().contains(&strategy.to_string()), "{}", plan.explain());
                }
            }
        }
    }
}

#[test]
fn strategies_that_do_not_fit_are_refused() {
    let stencil = star("double", "keep");
    let strategy: Strategy = "stream".parse().expect("a strategy");
    let plan = Plan::new(&stencil, Target::Host, &[("n", 8)]).expect("a plan");
    let error = plan.with_strategy(strategy).err().expect("no strategy of the host");
    assert!(error.reason.contains("does not fit 'star'"), "{error}");
    let wide =
        Strategy::Stream(affinimath_stencil::Tile { items: [0, 1], points: [1, 1], planes: 1, unroll: 1, prefetch: 1 });
    let plan = Plan::new(&stencil, Target::Host, &[("n", 8)]).expect("a plan");
    assert!(plan.with_strategy(wide).err().expect("a wrong tile").reason.contains("0 x 1 work-items"));
}
