//! Threads, forks, the order of drops, and memory.

use affinimath::Context;
use affinimath::array::{self, Array, Expr, s};
use std::process::Command;
use std::thread;

const THREADS: usize = 8;

pub fn check(context: &Context) {
    threads_share_arrays_and_expressions(context);
    results_outlive_their_operands(context);
}

fn threads_share_arrays_and_expressions(context: &Context) {
    let n = 3000;
    let a = super::values(n, 21);
    let x = super::array(context, &[n], &a);
    let shared: Expr<f32> = (&x * 2.0).sqrt().is_nan().select(0.0, &x + 1.0);
    let expected = shared.to_vec().unwrap();
    let total = shared.sum(..).value().unwrap();
    thread::scope(|scope| {
        for number in 0..THREADS {
            let (context, x, shared, expected) = (context.clone(), x.clone(), shared.clone(), &expected);
            scope.spawn(move || {
                for round in 0..10 {
                    let own = super::array(&context, &[n], &vec![number as f32; n]);
                    let (sum, result) = array::eval((shared.sum(..), &shared + &own)).unwrap();
                    assert!(sum.value().unwrap().to_bits() == total.to_bits());
                    let found = result.to_vec().unwrap();
                    drop(own);
                    assert!(found.iter().zip(expected).all(|(f, e)| *f == e + number as f32), "{number}, {round}");
                    let mut copy = x.clone();
                    copy.at_mut(s![..]).assign(number as f32).unwrap();
                    assert_eq!(copy.at(s![n - 1]).value().unwrap(), number as f32);
                }
            });
        }
    });
    // Nobody has changed what they shared.
    assert!(x.to_vec().unwrap() == a);
}

fn results_outlive_their_operands(context: &Context) {
    let own = context.clone();
    let x = super::array(&own, &[3], &[1.0_f32, 2.0, 3.0]);
    let expression = 2.0 * &x + 1.0;
    let view = x.at(s![..;-1]);
    drop(x);
    drop(own);
    let result = expression.eval().unwrap();
    drop(expression);
    assert_eq!(result.to_vec().unwrap(), [3.0, 5.0, 7.0]);
    assert_eq!(view.to_vec().unwrap(), [3.0, 2.0, 1.0]);
    let later = &result + view;
    drop(result);
    assert_eq!(later.to_vec().unwrap(), [6.0, 7.0, 8.0]);
}

/// Runs a test in a process of its own, where it is the only one, with settings. True in that process.
pub fn is_alone(test: &str, settings: &[(&str, &str)]) -> bool {
    const ALONE: &str = "AFFINIMATH_TEST_ALONE";
    if std::env::var_os(ALONE).is_some_and(|name| name == test) {
        return true;
    }
    let arguments = ["--exact", test, "--test-threads=1", "--nocapture"];
    let mut command = Command::new(std::env::current_exe().unwrap());
    let output = command.args(arguments).env(ALONE, test).envs(settings.iter().copied()).output().unwrap();
    let text = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
    assert!(output.status.success() && text.contains("1 passed"), "{test} in a process of its own:\n{text}");
    false
}

/// A forked child evaluates on the host, after its parent has evaluated on the context.
#[cfg(unix)]
pub fn a_forked_child_evaluates_on_the_host(context: &Context) {
    let n = 200_000;
    let a = super::values(n, 22);
    let evaluate = |context: &Context| {
        let x = super::array(context, &[n], &a);
        let y = (x.abs().sqrt() + 1.0).eval()?;
        Ok::<_, affinimath::Error>((y.to_vec()?, y.sum(..).value()?, y.cumsum(0).to_vec()?))
    };
    let expected = evaluate(context).unwrap();
    // SAFETY: this process has no other thread that could hold a lock; the child leaves by `_exit` alone.
    let child = unsafe { libc::fork() };
    if child == 0 {
        // SAFETY: it has no conditions. A child that waits for ever ends by the signal.
        unsafe { libc::alarm(60) };
        let is_same = std::panic::catch_unwind(|| evaluate(&Context::host()).is_ok_and(|found| found == expected));
        // SAFETY: it has no conditions.
        unsafe { libc::_exit(i32::from(!is_same.unwrap_or(false))) };
    }
    let mut state = -1;
    // SAFETY: the pointer is to an `int`.
    let waited = unsafe { libc::waitpid(child, &raw mut state, 0) };
    assert_eq!((waited, state), (child, 0), "the child's state");
    assert!(evaluate(context).unwrap() == expected);
}

/// A thousand evaluations, some of which fail, take no more memory than some of them did. For a process of its own.
pub fn memory_does_not_grow(context: &Context) {
    const ELEMENTS: usize = 1 << 18;
    let x = Array::<f32>::ones(context, [ELEMENTS]).unwrap();
    let index = Array::<i64>::from_slice(context, [2], &[0, 7]).unwrap();
    let round = |k: usize| {
        let y = (&x * k as f32 + x.sqrt()).eval().unwrap();
        assert_eq!(y.at(s![-1]).value().unwrap(), k as f32 + 1.0);
        // The product is a temporary when the indices turn out to be wrong.
        let joined = array::concatenate(0, [&y.at(s![..3]), &(&y.at(s![..3]) + 1.0)]);
        assert!((joined.index(&index) * 2.0).eval().is_err());
        assert!((&y + 1.0).reshape([3]).eval().is_err());
    };
    (0..100).for_each(round);
    let before = resident_bytes();
    (0..1000).for_each(round);
    let grown = resident_bytes().saturating_sub(before);
    // Leaked results would be a gigabyte.
    assert!(grown < 32 << 20, "{grown} bytes more");
}

/// The memory of this process; 0 where the system does not tell.
fn resident_bytes() -> usize {
    let text = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages = text.split_whitespace().nth(1).and_then(|pages| pages.parse::<usize>().ok());
    pages.unwrap_or(0) * 4096
}
