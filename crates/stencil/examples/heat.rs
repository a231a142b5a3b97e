//! A stencil as a text and as a program, its facts, and a run.

use affinimath_stencil::analysis::Analysis;
use affinimath_stencil::definition::{Boundary, Type};
use affinimath_stencil::{Field, Plan, Result, Span, Stencil, Target};

const TEXT: &str = "
    stencil heat {
      domainsize = (1 .. nx, 1 .. ny);
      operation (double grid u, double param k) {
        double neighbours = u[x-1,y; t] + u[x+1,y; t] + u[x,y-1; t] + u[x,y+1; t];
        u[x,y; t+1] = u[x,y; t] + k * (neighbours - 4 * u[x,y; t]);
      }
      boundary { u: x = periodic; y = 0; }
    }";

fn main() -> Result<()> {
    let heat = Stencil::parse(TEXT)?;
    let built = Stencil::build::<2>("heat", Type::F64, |s| {
        let (u, k) = (s.grid("u"), s.parameter("k"));
        let neighbours = s.temporary("neighbours", u[[-1, 0]] + u[[1, 0]] + u[[0, -1]] + u[[0, 1]]);
        s.set(u, u[[0, 0]] + k * (neighbours - 4 * u[[0, 0]]));
        s.boundary_of_axis(u, 0, Boundary::Periodic);
        s.boundary_of_axis(u, 1, Boundary::Value(s.constant(0.0).expression()));
    })?;
    assert_eq!(built, heat);

    let facts = Analysis::new(&heat);
    println!("{} flops and {} elements per point", facts.flops, facts.elements());

    let plan = Plan::new(&heat, Target::Host, &[("nx", 64), ("ny", 32)])?;
    let mut u: Field = plan.bound().field(0)?;
    u.fill(0, 0, |cell| if cell == [20, 16] { 1.0 } else { 0.0 });
    let span = Span { steps: Some(100), ..Span::default() };
    let outcome = plan.run(&mut [u.slices()], &[0.2.into()], span)?;
    println!("u = {:?} at the source", u.get(0, outcome.newest[0], &[20, 16]));
    Ok(())
}
