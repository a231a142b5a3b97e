//! Traces of a program on a device, and their replay.

use std::path::Path;
use std::process::{Command, Output};
use std::ptr;
use std::sync::Arc;
use std::time::Duration;

use affinimath_opencl::context::{BufferParts, ContextParts, DeviceBuffer, DeviceContext, Queue};
use affinimath_opencl::device::{Device, for_tests};
use affinimath_opencl::launch::Launch;
use affinimath_opencl::program::GeneratedSource;
use affinimath_replay::{
    Case, CaseMemory, CaseProgram, Code, Error, Outcome, Tolerance, device_seconds, profiling_queue,
};
use affinimath_trace::{Files, Folder, Line, Report, Trace, diff};
use opencl3::memory::{Buffer, CL_MEM_HOST_NO_ACCESS, CL_MEM_READ_WRITE, ClMem, create_buffer};

use super::{mix, scale};

const N: usize = 12;
const ROWS: usize = 3;
/// Variable that makes the test [`program`] the program whose trace is wanted.
const MODE: &str = "AFFINIMATH_REPLAY_TEST";

/// Scales the rows of a matrix, and mixes it with the result. `mode` says what is wrong with it.
fn work(context: &Arc<DeviceContext>, mode: &str) -> affinimath_core::Result<Vec<f32>> {
    let queue = Queue::new(context)?;
    let x: Vec<f32> = (0..N * ROWS).map(|i| i as f32 * 0.5 - 3.0).collect();
    let memory = |data: &[f32]| {
        let buffer = DeviceBuffer::new(context, size_of_val(data), "a test")?;
        buffer.write(&queue, data).map(|()| buffer)
    };
    let (x, y) = (memory(&x)?, memory(&[1.0; N * ROWS])?);
    // Memory that the host may not have.
    let (handle, flags) = (context.handle().get(), CL_MEM_READ_WRITE | CL_MEM_HOST_NO_ACCESS);
    // SAFETY: no host memory is involved.
    let hidden = unsafe { create_buffer(handle, flags, 4 * N * ROWS, ptr::null_mut()) };
    let hidden = Buffer::<u8>::new(hidden.map_err(|code| affinimath_core::Error::opencl("clCreateBuffer", code))?);
    // SAFETY: the handle is that of a memory object.
    let z = unsafe { DeviceBuffer::from_raw(&queue, ClMem::get(&hidden), "z") }?;
    z.copy_from(&queue, 0, &y, 0, 4 * N * ROWS)?.wait()?;
    let scale = scale(if mode == "constant" { 3.0 } else { 2.0 });
    let program = context.generated_program(&GeneratedSource::from(&scale))?;
    let rows = if mode == "dimension" { 1 } else { ROWS };
    let n = if mode == "value" { N - 1 } else { N };
    Launch::new(&queue, &program, "scale").index(n).buffer(&x).buffer(&y).enqueue_step([3, rows, 1], [4, 1, 1])?;
    let program = context.generated_program(&GeneratedSource::from(&mix(0.5)))?;
    let (first, second) = if mode == "swapped" { (&y, &x) } else { (&x, &y) };
    let launch = Launch::new(&queue, &program, "blend").index(N * ROWS).buffer(first).buffer(second).buffer(&z);
    launch.enqueue_step([ROWS, 1, 1], [N, 1, 1])?;
    let copy = DeviceBuffer::new(context, 4 * N * ROWS, "a test")?;
    copy.copy_from(&queue, 0, &z, 0, 4 * N * ROWS)?.wait()?;
    let mut result = vec![0.0; N * ROWS];
    copy.read(&queue, &mut result)?;
    Ok(result)
}

fn device() -> Option<&'static Device> {
    for_tests().first()
}

#[test]
fn program() {
    let (Ok(mode), Some(device)) = (std::env::var(MODE), device()) else { return };
    let context = DeviceContext::for_device(device).unwrap();
    println!("result {:?}", work(&context, &mode).unwrap());
}

/// Runs [`program`] in a process of its own with a trace, unless the settings are empty.
fn trace(mode: &str, settings: &str) -> Output {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "device::program", "--nocapture"]).env(MODE, mode).env("AFFINIMATH_CACHE", "off");
    let output = command.env("AFFINIMATH_TRACE", settings).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    output
}

fn result(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.lines().find_map(|line| line.split_once("result ").map(|(_, result)| result.to_owned())).unwrap()
}

fn load(folder: &Path) -> (Trace, Folder) {
    let files = Folder(folder.to_owned());
    (Trace::load(&files).unwrap(), files)
}

fn difference(a: &Path, b: &Path) -> Report {
    let ((x, left), (y, right)) = (load(a), load(b));
    diff([&x, &y], [&left, &right])
}

#[test]
fn a_traced_program_gives_the_same_result_and_its_launches_replay() {
    let Some(device) = device() else { return };
    let outer = tempfile::tempdir().unwrap();
    let folder = outer.path().join("trace");
    assert_eq!(result(&trace("right", "")), result(&trace("right", folder.to_str().unwrap())));
    let (trace, files) = load(&folder);
    let launches: Vec<_> = trace.launches().collect();
    assert_eq!(launches.iter().map(|launch| &*launch.kernel).collect::<Vec<_>>(), ["scale", "blend"]);
    let names: Vec<_> = launches[1].arguments.iter().map(|argument| &*argument.name).collect();
    assert_eq!(names, ["n", "x", "y", "z"], "the driver tells names");
    assert_eq!(launches[1].arguments[0].value, N * ROWS);
    let count = |is: fn(&Line) -> bool| trace.lines.iter().filter(|line| is(line)).count();
    assert_eq!(count(|line| matches!(line, Line::Context { .. })), 1);
    assert_eq!(count(|line| matches!(line, Line::Write { .. })), 2);
    assert_eq!(count(|line| matches!(line, Line::Copy { .. })), 2);
    assert_eq!(count(|line| matches!(line, Line::Program { .. })), 2);
    let queue = Queue::new(&DeviceContext::for_device(device).unwrap()).unwrap();
    for launch in launches {
        let case = Case::from_files(&*files.folder(launch.folder.as_ref().unwrap()).unwrap()).unwrap();
        assert_eq!(case.launch().device.name, device.info().name);
        let check = case.check_on(&queue, Code::Recorded).unwrap();
        assert!(check.within(Tolerance::Exact) && check.unchecked.is_empty(), "{check}");
        let kernel = case.kernel().unwrap().unwrap();
        assert!(case.check_on(&queue, Code::Kernel(&kernel)).unwrap().within(Tolerance::Exact));
        let check = case.check(&kernel).unwrap();
        assert!(check.within(Tolerance::Exact), "the interpreter: {check}");
        let (_, times) = case.run_times(&queue, Code::Recorded, 3).unwrap();
        assert_eq!(times.len(), 3);
        let wrong = case.source().replace("* 2", "* 4").replace("0.25", "0.75");
        assert!(!case.check_on(&queue, Code::Text(&wrong)).unwrap().within(Tolerance::Relative(0.01)));
    }
}

#[test]
fn two_traces_of_one_program_are_the_same_text_and_do_not_differ() {
    if device().is_none() {
        return;
    }
    let outer = tempfile::tempdir().unwrap();
    let folders = ["a", "b"].map(|name| outer.path().join(name));
    folders.iter().for_each(|folder| drop(trace("right", folder.to_str().unwrap())));
    let [a, b] = folders.each_ref().map(|folder| std::fs::read_to_string(folder.join("trace.jsonl")).unwrap());
    assert_eq!(a, b);
    for other in &folders {
        let report = difference(&folders[0], other);
        assert!(report.is_empty() && report.compared == 2, "{report}");
    }
}

#[test]
fn the_wrong_launch_and_the_argument_are_named() {
    if device().is_none() {
        return;
    }
    let outer = tempfile::tempdir().unwrap();
    let right = outer.path().join("right");
    trace("right", right.to_str().unwrap());
    for (mode, launch, argument, told) in [
        (
            "constant",
            0,
            Some(2),
            "the inputs agree, and 'y' (argument 2) differs after the launch: in 35 of 36 elements",
        ),
        ("dimension", 0, None, "the groups are 3 x 3 x 1 and 3 x 1 x 1"),
        ("value", 0, Some(0), "'n' (argument 0) is 12 and 11"),
        ("swapped", 1, Some(1), "'x' (argument 1) and 'y' (argument 2) are swapped"),
    ] {
        let folder = outer.path().join(mode);
        trace(mode, folder.to_str().unwrap());
        let report = difference(&right, &folder);
        let first = report.first.as_ref().unwrap();
        assert_eq!((first.launches, first.argument), ([launch; 2], argument), "{mode}: {report}");
        assert!(report.to_string().contains(told), "{mode}: {report}");
        if mode == "constant" {
            assert!(first.notes.iter().any(|note| note.starts_with("the sources differ at line")), "{report}");
        }
    }
}

#[test]
fn settings_choose_launches_and_files() {
    let Some(device) = device() else { return };
    let outer = tempfile::tempdir().unwrap();
    let run = |name: &str, settings: &str| {
        let folder = outer.path().join(name);
        trace("right", &format!("{}{settings}", folder.display()));
        let (trace, files) = load(&folder);
        assert_eq!(trace.launches().count(), 2, "all launches have lines");
        files
            .folders()
            .unwrap()
            .into_iter()
            .map(|name| (Case::load(folder.join(&name)).unwrap(), name))
            .collect::<Vec<_>>()
    };
    let names = |cases: &[(Case, String)]| cases.iter().map(|(_, name)| name.clone()).collect::<Vec<_>>();
    assert_eq!(names(&run("kernel", ",kernel=b*")), ["000001-blend"]);
    assert_eq!(names(&run("count", ",count=1")), ["000000-scale"]);
    assert_eq!(names(&run("from", ",from=1")), ["000001-blend"]);
    assert_eq!(names(&run("bytes", ",bytes=400")), ["000000-scale"]);
    let queue = Queue::new(&DeviceContext::for_device(device).unwrap()).unwrap();
    let none = run("none", ",outputs=none");
    let check = none[0].0.check_on(&queue, Code::Recorded).unwrap();
    assert!(check.arguments.is_empty() && !check.within(Tolerance::Exact), "nothing is recorded to compare with");
    let only = run("only", ",outputs=only");
    let error = only[0].0.check_on(&queue, Code::Recorded).unwrap_err();
    assert!(error.to_string().contains("was not recorded"), "{error}");
    let report = difference(&outer.path().join("only"), &outer.path().join("none"));
    assert!(report.is_empty(), "{report}");
}

#[test]
fn a_trace_that_fails_ends_with_one_warning_and_the_program_goes_on() {
    if device().is_none() {
        return;
    }
    let outer = tempfile::tempdir().unwrap();
    let expected = result(&trace("right", ""));
    let file = outer.path().join("file");
    std::fs::write(&file, "").unwrap();
    // A file in the way of the second launch's folder.
    let blocked = outer.path().join("blocked");
    std::fs::create_dir(&blocked).unwrap();
    #[cfg(unix)]
    std::fs::set_permissions(&blocked, std::os::unix::fs::PermissionsExt::from_mode(0o700)).unwrap();
    std::fs::write(blocked.join("000001-blend"), "").unwrap();
    let folder = outer.path().join("trace");
    for settings in [
        file.join("trace").display().to_string(),
        blocked.display().to_string(),
        format!("{},count=many", folder.display()),
    ] {
        let output = trace("right", &settings);
        assert_eq!(result(&output), expected, "{settings}");
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(errors.matches("no further tracing").count(), 1, "{settings}: {errors}");
    }
    assert_eq!(load(&blocked).0.launches().count(), 1, "the launch before is whole");
    assert!(!folder.exists());
    // A trace is never mixed with another.
    trace("right", folder.to_str().unwrap());
    let before = std::fs::read(folder.join("trace.jsonl")).unwrap();
    let again = trace("right", folder.to_str().unwrap());
    assert!(String::from_utf8_lossy(&again.stderr).contains("has a trace already"));
    assert_eq!(std::fs::read(folder.join("trace.jsonl")).unwrap(), before);
}

#[test]
fn cases_that_do_not_fit_their_kernel_are_refused() {
    let Some(device) = device() else { return };
    let queue = Queue::new(&DeviceContext::for_device(device).unwrap()).unwrap();
    let outer = tempfile::tempdir().unwrap();
    let arguments = [3_i64.into(), (&[1.0_f32; 3]).into(), (&[0.0_f32; 3]).into()];
    let case = Case::record_on(outer.path().join("c"), &queue, &scale(2.0), [3, 1, 1], [1; 3], arguments).unwrap();
    assert!(case.check(&scale(2.0)).unwrap().within(Tolerance::Exact), "the interpreter has the device's results");
    for (text, told) in [
        ("kernel void scale(global float *x) {}", "takes 1 arguments, and the case has 3"),
        ("kernel void scale(global float *n, global float *x, global float *y) {}", "argument 0"),
        ("kernel void scale(long n, long x, global float *y) {}", "argument 1"),
        ("kernel void other(long n, global float *x, global float *y) {}", "clCreateKernel"),
        ("kernel void scale(", "error"),
    ] {
        let error = case.run_on(&queue, Code::Text(text)).unwrap_err().to_string();
        assert!(error.contains(told), "{text}: {error}");
    }
}

#[test]
fn launches_have_times_on_the_devices_clock() {
    let Some(device) = device() else { return };
    let context = DeviceContext::for_device(device).unwrap();
    let (own, profiling) = (Queue::new(&context).unwrap(), profiling_queue(&context).unwrap());
    let arguments = [3_i64.into(), (&[1.0_f32; 3]).into(), (&[0.0_f32; 3]).into()];
    let outer = tempfile::tempdir().unwrap();
    let case = Case::record_on(outer.path().join("c"), &own, &scale(2.0), [1, 1, 1], [3, 1, 1], arguments).unwrap();
    // A loop that takes some milliseconds, whose number of turns the compiler does not know.
    let slow = "kernel void scale(long n, global const float *x, global float *y) {
        float sum = 0;
        for (long i = 0; i < 1000000 * n; ++i) sum = sum * 0.5f + x[i % n];
        y[get_global_id(0)] = sum > 3 ? 0 : 2.0f * x[get_global_id(0)];
    }";
    let memory = CaseMemory::new(&case, &profiling).unwrap();
    let program = CaseProgram::build(&case, &profiling, Code::Text(slow)).unwrap();
    let (mut wall, mut on_device) = (0.0_f64, 0.0);
    for _ in 0..3 {
        memory.fill(&case, &profiling).unwrap();
        let start = std::time::Instant::now();
        let event = program.enqueue(&case, &profiling, &memory).unwrap();
        event.wait().unwrap();
        (wall, on_device) = (start.elapsed().as_secs_f64(), device_seconds(&event).unwrap());
    }
    assert!(wall > 1e-3, "a kernel of {wall} s");
    assert!((0.5 * wall..=wall).contains(&on_device), "{on_device} s on the device's clock, {wall} s on the host's");
    assert!(
        case.compare(&Outcome { memories: memory.contents(&case, &profiling).unwrap(), elapsed: Duration::ZERO })
            .within(Tolerance::Exact)
    );
    let memory = CaseMemory::new(&case, &own).unwrap();
    memory.fill(&case, &own).unwrap();
    let program = CaseProgram::build(&case, &own, Code::Recorded).unwrap();
    let event = program.enqueue(&case, &own, &memory).unwrap();
    event.wait().unwrap();
    assert_eq!(device_seconds(&event), None, "the context's queue has no times");
}

#[test]
fn writes_behind_the_end_of_memory_are_found() {
    let Some(device) = device() else { return };
    let queue = Queue::new(&DeviceContext::for_device(device).unwrap()).unwrap();
    let arguments = [3_i64.into(), (&[1.0_f32; 3]).into(), (&[0.0_f32; 3]).into()];
    let outer = tempfile::tempdir().unwrap();
    let case = Case::record_on(outer.path().join("c"), &queue, &scale(2.0), [1, 1, 1], [3, 1, 1], arguments).unwrap();
    let text = |index: usize, value: &str| {
        format!(
            "kernel void scale(long n, global const float *x, global float *y) {{
                y[get_global_id(0)] = 2.0f * x[get_global_id(0)];
                if (get_global_id(0) == 0) y[{index}] = {value};
            }}"
        )
    };
    assert!(case.check_on(&queue, Code::Text(&text(0, "2.0f"))).unwrap().within(Tolerance::Exact));
    for (index, byte) in [(3, 12), (1000, 4000)] {
        for value in ["0.0f", "NAN", "-1.5f"] {
            let error = case.run_on(&queue, Code::Text(&text(index, value))).unwrap_err();
            let told = error.to_string();
            assert!(matches!(error, Error::OutOfBounds(_)), "{told}");
            assert!(told.contains(&format!("behind the end of 'y' (argument 2), in byte {byte}")), "{told}");
        }
    }
}
