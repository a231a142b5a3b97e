//! `affinimath replay --from clintercept`, and `--tune`, as their users run them.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use affinimath_opencl::device::for_tests;
use serde_json::Value;

use super::text;

const SOURCE: &str = "
#ifndef block_size_x
#define block_size_x 0
#endif
kernel void scaled(int n, float a, global float *x, local float *tile, global const float *same)
{
  int i = get_global_id(0);
  tile[get_local_id(0)] = a * same[i] + (float)get_global_offset(0) + (OFFSET);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (i < n && (block_size_x == 0 || block_size_x == get_local_size(0)))
    x[i] = tile[get_local_id(0)];
}
";

fn replay(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_affinimath"));
    command.current_dir(folder).arg("replay").args(arguments).env("AFFINIMATH_TRACE", "");
    command.env("AFFINIMATH_TUNING_DIR", folder.join("database")).env("AFFINIMATH_CACHE", "off");
    command.output().unwrap()
}

fn bytes(numbers: impl IntoIterator<Item = f32>) -> Vec<u8> {
    numbers.into_iter().flat_map(f32::to_le_bytes).collect()
}

/// A launch as the intercept layer captures it: x := 2 x + 3 from the fifth of 12 elements on, plus an option's 3.
fn dump(folder: &Path) {
    let launch = folder.join("dumps/Replay/Enqueue_7_scaled");
    for part in ["Pre", "Post"] {
        fs::create_dir_all(launch.join(part)).unwrap();
    }
    let write = |name: &str, content: &[u8]| fs::write(launch.join(name), content).unwrap();
    write("kernelName.txt", b"scaled");
    write("enqueueNumber.txt", b"7\n");
    write("kernel.cl", format!("{SOURCE}\0").as_bytes());
    write("buildOptions.txt", b"-DOFFSET=3\n");
    write("worksizes.txt", b"8 \n4 \n4 \n");
    write("ArgumentDataTypes.txt", b"int\nfloat\nfloat*\nfloat*\nfloat*\n");
    write("Argument0.bin", &12_i32.to_le_bytes());
    write("Argument1.bin", &2_f32.to_le_bytes());
    for index in [2, 4] {
        write(&format!("Argument{index}.bin"), &77_u64.to_le_bytes());
        write(&format!("SVM_Arg_Offset_{index}.txt"), b"0\n");
        let name = format!("Enqueue_0007_Kernel_scaled_Arg_{index}_Buffer_0003.bin");
        write(&format!("Pre/{name}"), &bytes((0..12).map(|i| i as f32)));
        let after = |i: i32| if i < 4 { i as f32 } else { (2 * i + 7) as f32 };
        write(&format!("Post/{name}"), &bytes((0..12).map(after)));
    }
    write("Local3.txt", b"16");
}

#[test]
fn launches_of_the_intercept_layer_replay_and_become_cases() {
    let folder = tempfile::tempdir().unwrap();
    dump(folder.path());
    let output = replay(folder.path(), &["--from", "clintercept", "dumps", "--out", "cases"]);
    assert!(output.status.success(), "{output:?}");
    let case = folder.path().join("cases/000007-scaled");
    let launch: Value = serde_json::from_slice(&fs::read(case.join("launch.json")).unwrap()).unwrap();
    assert_eq!((&launch["groups"], &launch["items"]), (&[2, 1, 1].as_slice().into(), &[4, 1, 1].as_slice().into()));
    assert_eq!(launch["range"]["offset"], Value::from([4, 0, 0].as_slice()));
    assert_eq!((&launch["arguments"][3]["local"], &launch["options"]), (&16.into(), &"-DOFFSET=3".into()));
    assert_eq!((&launch["memories"].as_array().unwrap().len(), &launch["memories"][0]["element"]), (&1, &"f4".into()));
    let again = replay(folder.path(), &["--from", "clintercept", "dumps/Replay", "--out", "cases"]);
    assert_eq!((again.status.code(), text(&again.stderr).contains("is there already")), (Some(1), true), "{again:?}");
    if for_tests().is_empty() {
        return;
    }
    for words in [&["--from", "clintercept", "dumps"], &["--from", "clintercept", "dumps/Replay/Enqueue_7_scaled"][..]]
    {
        let output = replay(folder.path(), words);
        assert!(output.status.success() && text(&output.stdout).contains("1 right, 0 wrong"), "{output:?}");
    }
    let source = fs::read_to_string(case.join("source.cl")).unwrap();
    fs::write(folder.path().join("wrong.cl"), source.replace("a * same", "a + same")).unwrap();
    let output = replay(folder.path(), &["--from", "clintercept", "dumps", "--kernel", "wrong.cl"]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(text(&output.stdout).contains("wrong: argument 2: 8 of 12 elements differ"), "{output:?}");
}

/// Changes one file of the dump.
type Change = fn(&Path);

#[test]
fn malformed_dumps_are_refused_with_the_file() {
    let cases: [(Change, &str); 15] = [
        (|launch| fs::remove_file(launch.join("kernelName.txt")).unwrap(), "kernelName.txt: "),
        (|launch| fs::write(launch.join("kernelName.txt"), "../scaled").unwrap(), "no name of a kernel"),
        (|launch| fs::write(launch.join("enqueueNumber.txt"), "x").unwrap(), "enqueueNumber.txt: 'x' is no number"),
        (|launch| fs::write(launch.join("worksizes.txt"), "8\n4\n").unwrap(), "the line of offsets has 0 numbers"),
        (|launch| fs::write(launch.join("worksizes.txt"), "8 1\n4\n0\n").unwrap(), "2, 1 and 1 numbers"),
        (|launch| fs::write(launch.join("worksizes.txt"), "0\n4\n0\n").unwrap(), "worksizes.txt: [0, 1, 1] work-items"),
        (|launch| fs::write(launch.join("worksizes.txt"), "8\n-4\n0\n").unwrap(), "worksizes.txt: '-4' is no number"),
        (|launch| fs::write(launch.join("kernel.cl"), [0xff, 0xfe]).unwrap(), "kernel.cl: it is not UTF-8"),
        (|launch| fs::remove_file(launch.join("Argument1.bin")).unwrap(), "Argument1.bin: there is no file"),
        (|launch| fs::write(launch.join("Argument1.bin"), "").unwrap(), "argument 1 is no value"),
        (|launch| fs::write(launch.join("Argument99999999.bin"), "1").unwrap(), "no kernel has so many arguments"),
        (|launch| fs::write(launch.join("Local3.txt"), "0").unwrap(), "local memory of 0 bytes"),
        (|launch| fs::write(launch.join("Pre/other.bin"), "1").unwrap(), "Pre/other.bin: its name has no argument"),
        (
            |launch| fs::write(launch.join("Post/Enqueue_0007_Kernel_scaled_Arg_2_Buffer_0003.bin"), "1").unwrap(),
            "Post: argument 2 has another size",
        ),
        (
            |launch| fs::write(launch.join("Pre/Enqueue_0007_Kernel_scaled_Arg_0_Buffer_0009.bin"), "1").unwrap(),
            "Post: some of the buffers in Pre are missing",
        ),
    ];
    for (index, (change, told)) in cases.into_iter().enumerate() {
        let folder = tempfile::tempdir().unwrap();
        dump(folder.path());
        change(&folder.path().join("dumps/Replay/Enqueue_7_scaled"));
        let output = replay(folder.path(), &["--from", "clintercept", "dumps", "--out", "cases"]);
        assert_eq!(output.status.code(), Some(2), "{index}: {output:?}");
        assert!(text(&output.stderr).contains(told), "{index}: {told}: {}", text(&output.stderr));
        assert!(!folder.path().join("cases").exists(), "nothing is written");
    }
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir_all(folder.path().join("dumps/memDumpPreEnqueue")).unwrap();
    let output = replay(folder.path(), &["--from", "clintercept", "dumps"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("run the program with CLI_CaptureReplay=1"), "{output:?}");
}

#[test]
fn launches_that_have_an_obstacle_are_skipped_with_it() {
    let folder = tempfile::tempdir().unwrap();
    dump(folder.path());
    let launch = folder.path().join("dumps/Replay/Enqueue_7_scaled");
    fs::write(launch.join("Sampler0.txt"), "CL_FALSE").unwrap();
    let output = replay(folder.path(), &["--from", "clintercept", "dumps", "--out", "cases"]);
    assert!(output.status.success(), "{output:?}");
    if for_tests().is_empty() {
        return;
    }
    let output = replay(folder.path(), &["cases"]);
    assert!(
        text(&output.stdout).contains("skipped: it cannot be run again: argument 0 is an object: sampler"),
        "{output:?}"
    );
}

#[test]
fn a_recorded_launch_is_tuned() {
    if for_tests().is_empty() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    dump(folder.path());
    let space = r#"{
        "ConfigurationSpace": { "TuningParameters": [{ "Name": "block_size_x", "Type": "int", "Values": "[2, 4]" }] },
        "KernelSpecification": { "Language": "OpenCL", "KernelName": "scaled" }
    }"#;
    fs::write(folder.path().join("space.json"), space).unwrap();
    let output = replay(folder.path(), &["--from", "clintercept", "dumps", "--out", "cases"]);
    assert!(output.status.success(), "{output:?}");
    let words = ["--tune", "space.json", "--strategy", "exhaustive", "--device", "0", "--json"];
    for launch in [&["cases"][..], &["cases/000007-scaled"], &["--from", "clintercept", "dumps"]] {
        let output = replay(folder.path(), &[launch, &words].concat());
        assert!(output.status.success(), "{launch:?}: {output:?}");
        let found: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(found["schema"], "affinimath/tune-kernel/1");
        let runs = found["runs"].as_array().unwrap();
        assert_eq!(runs.len(), 2, "{found}");
        assert!(runs.iter().all(|run| run["invalidity"] == "correct"), "with the offset: {found}");
    }
    let output = replay(folder.path(), &["cases", "cases", "--tune", "space.json", "--device", "0"]);
    assert!(text(&output.stderr).contains("--tune takes one launch, and these are 2"), "{output:?}");
    let output = replay(folder.path(), &["cases", "--tune", "space.json", "--budget", "many"]);
    assert!(!output.status.success() && text(&output.stderr).contains("many"), "{output:?}");
}
