//! Heat in a cube over all ranks: `mpirun -np 4 heat 128 200`.

use std::time::Instant;

use affinimath::stencil::{Span, Stencil};
use affinimath_mpi::{DistStencil, Environment, Error, Grid, StencilOptions};

const HEAT: &str = "
    stencil heat {
      domainsize = (1 .. n, 1 .. n, 1 .. n);
      operation (double grid u, double param k, double result change) {
        double flow = k * ({ d in axes } sum(u[d-1; t] + u[d+1; t]) - 6 * u[x,y,z; t]);
        u[x,y,z; t+1] = u[x,y,z; t] + flow;
        change = max(abs(flow));
      }
      boundary { u: x = periodic; y = symmetric; z- = 1; z+ = 0; }
      stop { when change < 1e-9 every 100; }
    }";

fn main() -> Result<(), Error> {
    let environment = Environment::initialize()?;
    let grid = Grid::line(&environment.world())?;
    let number = |index, default| std::env::args().nth(index).and_then(|n| n.parse().ok()).unwrap_or(default);
    let (n, steps) = (number(1, 48), number(2, 100));

    // Ranks are put on the axes so that halos are small. Each fills its own points.
    let heat = Stencil::parse(HEAT).map_err(|error| grid.fail(&error.to_string()))?;
    let mut plan = DistStencil::new(&grid, &heat, &[("n", n)], StencilOptions::new())?;
    plan.fill("u", |point| if point.iter().all(|i| (i - n / 2).abs() <= n / 8) { 1.0 } else { 0.0 })?;
    println!(
        "rank {} of {}: points {:?} from {:?} on",
        grid.rank(),
        grid.size(),
        plan.block().shape(),
        plan.block().lower()
    );

    let start = Instant::now();
    let outcome = plan.run(&[0.1.into()], Span { steps: Some(steps as u64), ..Span::default() })?;
    let seconds = start.elapsed().as_secs_f64();
    if grid.rank() == 0 {
        let rate = (n * n * n) as f64 * outcome.steps as f64 / seconds / 1e6;
        let change = outcome.results[0].map_or(0.0, |change| change.as_f64());
        println!("{} steps: {rate:.1} million points a second, the last change is {change:.1e}", outcome.steps);
        assert!(change > 0.0 && change < 0.1);
    }
    Ok(())
}
