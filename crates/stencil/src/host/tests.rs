//! Inner choices: stores past the caches, and each set of instructions.

use super::passes::Machine;
use crate::bound::Bound;
use crate::data::{Argument, Field, GridSlices};
use crate::definition::Stencil;
use crate::reference;
use crate::run::{Span, run};

const TEXTS: [&str; 3] = [
    "stencil wave {
       domainsize = (1 .. n, 1 .. m);
       operation (float grid u, float param c) {
         u[x,y; t+1] = 2 * u[x,y; t] - u[x,y; t-1] + c * (u[x-1,y; t] + u[x+1,y; t] - 2 * u[x,y; t])
           - sqrt(abs(u[x,y-1; t])) / (1 + u[x,y+1; t]^2) + exp(min(u[x,y; t], 0.5)) * (x % 3);
       }
     }",
    "stencil two {
       domainsize = (1 .. n, 1 .. m);
       operation (double grid u, double grid v, double param c, double result s) {
         double d = c * (u[x-1,y; t] - u[x,y+1; t]);
         u[x,y; t+1] = u[x,y; t] - d;
         v[x,y; t+1] = v[x,y-1; t] * d + u[x,y; t+1];
         s = sum(v[x,y; t+1]);
       }
       boundary { u: x = periodic; y = reflect; v: y = clamp; }
     }",
    "stencil whole {
       domainsize = (1 .. n, 1 .. m);
       operation (int grid u, long grid v, float param c) {
         u[x,y; t+1] = max(u[x-1,y; t], -u[x+1,y; t]) * 3 - u[x,y; t] * u[x,y-1; t];
         v[x,y; t+1] = abs(v[x-1,y; t] - u[x,y; t]) + div(v[x,y+1; t], 3) + x;
       }
       boundary { u: x = periodic; y = 5; v: x = periodic; }
     }",
];

/// All numbers in memory.
fn numbers(fields: &[Field]) -> Vec<u64> {
    let fields = fields.to_vec();
    let mut found = Vec::new();
    for mut field in fields {
        for slice in field.slices().slices.iter().flatten() {
            found.extend((0..slice.len()).map(|index| slice.get(index).as_f64().to_bits()));
        }
    }
    found
}

/// Results of all instruction sets, in caches and past them, are the reference's. Rows of 32, 64 and 256 elements have
/// whole lines of the cache.
#[test]
fn instruction_sets_and_streamed_stores_agree() {
    for text in TEXTS {
        let stencil = Stencil::parse(text).expect("a stencil");
        for (n, m) in [(1, 1), (7, 3), (30, 6), (62, 5), (250, 4), (254, 3), (515, 3), (1102, 2)] {
            let bound = Bound::new(&stencil, &[("n", n), ("m", m)]).expect("sizes");
            let parameters = bound.parameters(&[Argument::from(0.25)]).expect("an argument");
            let span = Span { first: 1, steps: Some(4), initial: false };
            let filled = || {
                let mut fields: Vec<Field> =
                    (0..stencil.grids().len()).map(|grid| bound.field(grid).expect("memory")).collect();
                for (grid, field) in fields.iter_mut().enumerate() {
                    for level in 0..bound.levels(grid) {
                        field.fill(0, level, |cell| ((cell[0] * 7 + cell[1] * 5 + level as i64) % 11) as f64 / 4.0);
                    }
                }
                fields
            };
            let mut expected = filled();
            let mut grids: Vec<GridSlices<'_>> = expected.iter_mut().map(Field::slices).collect();
            if reference::evaluate(&bound, &mut grids, &[Argument::from(0.25)], span).is_err() {
                continue;
            }
            drop(grids);
            for (arch, last_cache) in archs().into_iter().flat_map(|arch| [(arch, 0), (arch, usize::MAX)]) {
                let mut found = filled();
                let mut grids: Vec<GridSlices<'_>> = found.iter_mut().map(Field::slices).collect();
                let mut machine = Machine::new(&bound, &mut grids, &parameters);
                (machine.arch, machine.last_cache) = (arch, last_cache);
                run(&bound, &parameters, &mut machine, span).expect("a run");
                drop(grids);
                assert!(numbers(&expected) == numbers(&found), "{arch:?} {last_cache} {n} {m}\n{text}");
            }
        }
    }
}

/// The sets of instructions that the processor has.
fn archs() -> Vec<pulp::Arch> {
    let mut archs = vec![pulp::Arch::Scalar];
    #[cfg(target_arch = "x86_64")]
    {
        archs.extend(pulp::x86::V3::try_new().map(pulp::Arch::V3));
        archs.extend(pulp::x86::V4::try_new().map(pulp::Arch::V4));
    }
    archs
}
