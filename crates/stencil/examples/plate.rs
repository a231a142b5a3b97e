//! The shortest run of a stencil: a text, a plan, memory, steps.

use affinimath_stencil::{Plan, Result, Span, Stencil, Target};

const PLATE: &str = "
    stencil plate {
      domainsize = (1 .. nx, 1 .. ny);
      operation (double grid u, double param k) {
        u[x,y; t+1] = u[x,y; t] + k * (u[x-1,y; t] + u[x+1,y; t] + u[x,y-1; t] + u[x,y+1; t] - 4 * u[x,y; t]);
      }
      initial { u[x,y : (x - 30)^2 + (y - 44)^2 < 100] = 1; }
      boundary { u: x = periodic; y- = 0; y+ = symmetric; }
    }";

fn main() -> Result<()> {
    let plan = Plan::new(&Stencil::parse(PLATE)?, Target::Host, &[("nx", 96), ("ny", 64)])?;
    let mut u = plan.bound().field(0)?;
    let span = Span { steps: Some(200), initial: true, ..Span::default() };
    let outcome = plan.run(&mut [u.slices()], &[0.2.into()], span)?;
    println!("u = {:?} in the middle of the spot", u.get(0, outcome.newest[0], &[30, 44]));
    Ok(())
}
