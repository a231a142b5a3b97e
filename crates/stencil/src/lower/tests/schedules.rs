//! Loops of strategies in the interpreter, which finds races between work-items.

use super::*;
use crate::schedule::Schedule;

fn schedule(name: &str) -> Schedule {
    let path = format!("{}/../../examples/strategies/{name}.stg", env!("CARGO_MANIFEST_DIR"));
    Schedule::parse(&std::fs::read_to_string(path).expect("an example")).expect("a strategy")
}

/// Levels and results after a run are the reference's, on all devices.
fn check_schedule(stencil: &Stencil, sizes: &[(&str, i64)], schedule: &Schedule, name: &str) {
    let bound = Bound::new(stencil, sizes).unwrap_or_else(|error| panic!("{name}: {error}"));
    let span = Span { first: 3, steps: Some(2), initial: true };
    let mut wanted = fields(&bound, false);
    let mut grids: Vec<GridSlices<'_>> = wanted.iter_mut().map(Field::slices).collect();
    let expected = evaluate(&bound, &mut grids, &arguments(&bound), span).expect("a run");
    for device in DEVICES {
        let mut found = fields(&bound, false);
        let mut grids: Vec<GridSlices<'_>> = found.iter_mut().map(Field::slices).collect();
        let case = format!("{name}, {sizes:?}, {}, {device:?}", schedule.label());
        let outcome = interpret(&bound, device, schedule.clone().into(), &mut grids, &arguments(&bound), span);
        let outcome = outcome.unwrap_or_else(|error| panic!("{case}: {error}"));
        assert_eq!((outcome.steps, &outcome.newest), (expected.steps, &expected.newest), "{case}");
        for (grid, (found, wanted)) in found.iter_mut().zip(&mut wanted).enumerate() {
            assert_eq!(contents(found), contents(wanted), "{case}: grid {grid}");
        }
    }
}

#[test]
fn loops_have_the_reference_s_bits_without_races() {
    let cube = parse(
        "stencil cube {
           domainsize = (-1 .. n - 2, 3 .. m + 2, 1 .. l);
           operation (float grid u) { u[x,y,z; t+1] = u[x-1,y+1,z; t] - 2 * u[x,y,z-1; t] + z * u[x+1,y,z+1; t]; }
           boundary { u: x = periodic; y = 3 * t; z = symmetric; }
         }",
    );
    let colours = parse(
        "stencil colours {
           domainsize = (0 .. n, 2 .. m);
           operation (double grid u) sweep red_black { u[x,y; t+1] = u[x-1,y; t] + u[x+1,y; t] - u[x,y+1; t]; }
         }",
    );
    for name in ["points", "compact", "chunked", "thread_blocks", "gpu", "groups", "planes", "rim", "even_odd"] {
        let mut own = schedule(name);
        for parameter in own.clone().parameters() {
            let values: &[i64] = match parameter {
                "chunk" | "cbx" => &[2],
                "tb" | "group" => &[6, 4, 3],
                _ if name == "planes" => &[4, 2],
                _ => &[3, 2, 1],
            };
            own = own.with(parameter, values).expect("a parameter");
        }
        check_schedule(&cube, &[("n", 10), ("m", 5), ("l", 4)], &own, "cube");
        let plane = own.parameters().map(str::to_owned).collect::<Vec<_>>();
        let mut own = schedule(name);
        for parameter in plane {
            let values: &[i64] =
                if matches!(&*parameter, "chunk" | "cbx") || name == "planes" { &[3] } else { &[5, 2] };
            own = own.with(&parameter, values).expect("a parameter");
        }
        check_schedule(&colours, &[("n", 17), ("m", 6)], &own, "colours");
    }
}

#[test]
fn conditions_variables_and_threads_are_those_of_the_host() {
    let line = parse(
        "stencil line {
           domainsize = (1 .. n, 1 .. n);
           operation (int grid u) { u[x,y; t+1] = u[x-1,y; t] + 3 * u[x,y+1; t] + x; }
         }",
    );
    // Rows from both ends, with variables that change in loops and conditions.
    let text = "strategy s (domain u) {
      int count = u.size(2);
      for t = 1 .. stencil.t_max
        for part = 0 .. (count + 1) / 2 - 1 parallel 2 schedule 2 {
          int y = u.min(2) + part;
          for side = 0 .. 1 {
            int left = u.min(1) - 1;
            if (side == 1) { y = u.max(2) - part; } else left = left % 7 + 0 * part;
            if (side == 0 && y < u.max(2) - part || side == 1)
              for x = u.min(1) .. u.max(1) by 3 {
                left = left + 3;
                for point p in u(x .. min(left, u.max(1)), y; t) parallel u[p; t+1] = stencil(u[p; t]);
              }
          }
        }
    }";
    let own = Schedule::parse(text).unwrap_or_else(|error| panic!("{error}"));
    for n in [1, 2, 7, 9] {
        check_schedule(&line, &[("n", n)], &own, "line");
    }
}
