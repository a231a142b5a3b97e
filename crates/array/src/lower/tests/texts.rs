//! Texts of kernels, and the compiler's opinion of them.

use super::kernels::{Kernel, axpy, columns, interior, norm, softmax, transposed};
use crate::element::ElementType;
use crate::function::Reduction;
use crate::lower::{DeviceClass, lower};
use std::io::Write;
use std::process::{Command, Stdio};

/// The launches and the texts of their kernels.
fn texts(kernel: &Kernel, device: &DeviceClass) -> Vec<(String, String)> {
    let lowered = lower(&kernel.structure, device).unwrap();
    let launches = lowered.launch(&kernel.arguments).launches;
    let text = |launch: crate::lower::KernelLaunch| {
        let kernel = lowered.kernel(launch.variant).unwrap();
        (format!("{:?} of {:?}\n{:?}", launch.groups, launch.items, launch.arguments), kernel.opencl())
    };
    launches.into_iter().map(text).collect()
}

fn joined(kernel: &Kernel, device: &DeviceClass) -> String {
    let lines = texts(kernel, device).into_iter().map(|(launch, text)| format!("{launch}\n\n{text}"));
    lines.collect::<Vec<_>>().join("\n")
}

const GPU: DeviceClass = DeviceClass::gpu(132);
const CPU: DeviceClass = DeviceClass::cpu(2);

/// Compares a text with that of a file; with `UPDATE_TEXTS` set, writes the file.
fn assert_known(name: &str, text: &str) {
    let path = format!("{}/src/lower/tests/texts/{name}.txt", env!("CARGO_MANIFEST_DIR"));
    if std::env::var_os("UPDATE_TEXTS").is_some() {
        std::fs::write(&path, text).unwrap();
    }
    let known = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(text, known, "another text than in {path}");
}

#[test]
fn texts_are_the_known_ones() {
    assert_known("axpy_gpu", &joined(&axpy(1 << 20), &GPU));
    assert_known("axpy_cpu", &joined(&axpy(1 << 20), &CPU));
    assert_known("interior_gpu", &joined(&interior(1024), &GPU));
    assert_known("transposed_gpu", &joined(&transposed(1024), &GPU));
    assert_known("norm_gpu", &joined(&norm(1 << 20), &GPU));
}

#[test]
fn clang_accepts_the_texts() {
    let kernels = [axpy(1000), interior(100), transposed(100), norm(1 << 20), softmax(1000, 1000), softmax(3, 100_000)];
    let columns = [columns(200, 100, (1, 256)), columns(2000, 100, (8, 64))];
    for kernel in kernels.iter().chain(&columns) {
        for device in [GPU, CPU] {
            for (launch, text) in texts(kernel, &device) {
                let Some(complaint) = syntax(&text) else { return };
                assert_eq!(complaint, "", "{launch}\n{text}");
            }
        }
    }
}

#[test]
fn clang_accepts_the_texts_of_scans() {
    use crate::scan::{Pass, PassLaunch, Pencils};
    for element in [ElementType::F32, ElementType::C64, ElementType::U8] {
        for inner in [1, 300] {
            for device in [GPU, CPU] {
                for pass in [Pass::Totals, Pass::Whole, Pass::Chunks] {
                    let pencils = Pencils { outer: 2, length: 1000, inner };
                    let join = (element, Reduction::Product);
                    let launch = PassLaunch::new(join, pass, pencils, [0, 0], &device);
                    let text = launch.variant.kernel().unwrap().opencl();
                    let Some(complaint) = syntax(&text) else { return };
                    assert_eq!(complaint, "", "{launch:?}\n{text}");
                }
            }
        }
    }
}

/// The compiler's messages; `None` where there is no Clang.
fn syntax(text: &str) -> Option<String> {
    let options = ["-fsyntax-only", "-x", "cl", "-cl-std=CL1.2", "-Xclang", "-finclude-default-header"];
    let mut clang = Command::new("clang")
        .args(options)
        .args(["-target", "spir64", "-"])
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .ok()?;
    clang.stdin.take()?.write_all(text.as_bytes()).ok()?;
    let output = clang.wait_with_output().ok()?;
    Some(String::from_utf8_lossy(&output.stderr).into_owned())
}
