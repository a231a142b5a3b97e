//! Starts the ranks of each test.

use std::process::{Command, Output};
use std::time::{Duration, Instant};

use super::TEST;

/// Grids, as rows x columns.
const GRIDS: [&str; 7] = ["1x1", "1x2", "2x1", "2x2", "1x4", "4x1", "3x2"];

/// Longest time in which ranks must have noticed that one is gone.
const NOTICE: Duration = Duration::from_secs(60);

/// Runs the tests that the arguments ask for. The result is the exit code.
pub fn drive() -> i32 {
    let filters: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    let wanted = |name: &str| filters.is_empty() || filters.iter().any(|filter| name.contains(filter.as_str()));
    let (mut passed, mut failed) = (0, 0);
    let mut report = |name: &str, result: Result<(), String>| match result {
        Ok(()) => {
            println!("test {name} ... ok");
            passed += 1;
        }
        Err(reason) => {
            println!("test {name} ... FAILED\n{reason}");
            failed += 1;
        }
    };
    for grid in GRIDS.into_iter().filter(|grid| wanted(&format!("grid {grid}"))) {
        report(&format!("grid {grid}"), on_grid(grid));
    }
    if let Some(device) = device() {
        for ranks in 1..=4 {
            let name = format!("device {ranks}");
            if wanted(&name) {
                report(&name, on_devices(&name, ranks, &device));
            }
        }
    }
    type Failure = (&'static str, fn() -> Result<(), String>);
    let failures: [Failure; 6] = [
        ("a rank's error is every rank's", || fails("told", "rank 1 of 3: no more paper")),
        ("a rank without memory is every rank's error", || fails("memory", "rank 1 of 3: out of host memory")),
        ("a panic ends all ranks", || fails("panic", "a rank of the test panics")),
        ("a panic that is caught closes the grid", || fails("caught", "rank 1 of 3: it has panicked")),
        ("a rank that leaves is noticed", || {
            fails("left", "rank 0 calls DistMatrix::zeros and rank 1 calls Grid::drop")
        }),
        ("a lost rank is noticed", || fails("lost", "rank 1 of 3 has ended")),
    ];
    for (name, test) in failures.into_iter().filter(|(name, _)| wanted(name)) {
        report(name, test());
    }
    let word = if failed == 0 { "ok" } else { "FAILED" };
    println!("test result: {word}. {passed} passed; {failed} failed");
    i32::from(failed > 0)
}

/// The device that is demanded, or the first one there is.
fn device() -> Option<String> {
    let demanded = std::env::var("AFFINIMATH_TEST_DEVICE").ok().filter(|device| !device.is_empty());
    demanded.or_else(|| affinimath::Device::all().is_ok_and(|devices| !devices.is_empty()).then(|| "0".to_owned()))
}

fn mpirun(test: &str, ranks: usize, options: &[&str]) -> Result<Output, String> {
    mpirun_on("host", test, ranks, options)
}

fn mpirun_on(device: &str, test: &str, ranks: usize, options: &[&str]) -> Result<Output, String> {
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    // As root, in a container, and with more ranks than cores: Open MPI asks for each of these words.
    let open_mpi = ["--allow-run-as-root", "--oversubscribe"];
    let is_open_mpi = Command::new("mpirun").arg("--version").output().map_err(|error| format!("mpirun: {error}"))?;
    let is_open_mpi = String::from_utf8_lossy(&is_open_mpi.stdout).contains("Open MPI");
    let mut command = Command::new("mpirun");
    if is_open_mpi {
        command.args(open_mpi).args(options);
    }
    command.args(["-np", &ranks.to_string()]).arg(program);
    command.env(TEST, test).env("AFFINIMATH_NUM_THREADS", "1").env("AFFINIMATH_DEVICE", device);
    command.output().map_err(|error| format!("mpirun: {error}"))
}

fn on_grid(grid: &str) -> Result<(), String> {
    let ranks = grid.split('x').map(|side| side.parse::<usize>().unwrap_or(1)).product();
    let output = mpirun(grid, ranks, &[])?;
    let text = String::from_utf8_lossy(&output.stdout);
    if output.status.success() && text.lines().filter(|line| line.starts_with("passed ")).count() > 50 {
        return Ok(());
    }
    Err(format!("{}\n{text}\n{}", output.status, String::from_utf8_lossy(&output.stderr)))
}

fn on_devices(test: &str, ranks: usize, device: &str) -> Result<(), String> {
    let output = mpirun_on(device, test, ranks, &[])?;
    let text = String::from_utf8_lossy(&output.stdout);
    // Every device has single precision.
    if output.status.success() && text.contains("solvers on devices") {
        return Ok(());
    }
    Err(format!("{}\n{text}\n{}", output.status, String::from_utf8_lossy(&output.stderr)))
}

/// A run of three ranks that must end in time, not well, and with a text from more than one rank.
fn fails(test: &str, text: &str) -> Result<(), String> {
    let start = Instant::now();
    // A launcher that goes on without a lost rank: the library has to notice.
    let options: &[&str] = if test == "lost" { &["--enable-recovery"] } else { &[] };
    let output = mpirun(test, 3, options)?;
    let (out, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    let told = out.matches(text).count() + errors.matches(text).count();
    let demanded = if test == "panic" { 1 } else { 2 };
    // A launcher that goes on without lost ranks does not count them.
    let ended_badly = !output.status.success() || test == "lost";
    if start.elapsed() < NOTICE && ended_badly && told >= demanded {
        return Ok(());
    }
    Err(format!("{} after {:?}, '{text}' {told} times\n{out}\n{errors}", output.status, start.elapsed()))
}
