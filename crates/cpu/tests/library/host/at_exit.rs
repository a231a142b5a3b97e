use std::thread;

use affinimath_cpu::at_exit::{on_another_thread, on_living_thread};

#[test]
fn work_is_done_here_or_elsewhere() {
    let mut here = None;
    on_living_thread(|| here = Some(thread::current().id()));
    assert_eq!(here, Some(thread::current().id()));
    let mut elsewhere = None;
    on_another_thread(&mut || elsewhere = Some(thread::current().id()));
    assert!(elsewhere.is_some_and(|id| id != thread::current().id()));
}
