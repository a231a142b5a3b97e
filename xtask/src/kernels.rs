//! Kernel files compile alone.

mod host {
    use std::path::{Path, PathBuf};
    use std::process::Command;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::{env, fs, thread};

    /// Options for any device, and for NVIDIA's, whose assembler other targets do not know.
    const TARGETS: [&[&str]; 2] = [&[], &["-target", "nvptx64", "-DNVIDIA=1", "-DHIDDEN_PTX=1"]];

    /// The compiler: `$CLANG`, or the newest one. PoCL's package depends on one with a number.
    fn clang() -> Option<String> {
        let numbered = (14..30).rev().map(|version| format!("clang-{version}"));
        let names = env::var("CLANG").into_iter().chain(["clang".to_owned()]).chain(numbered);
        names.into_iter().find(|name| Command::new(name).arg("--version").output().is_ok())
    }

    fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).expect("the folder of kernels is readable") {
            let path = entry.expect("the folder of kernels is readable").path();
            if path.is_dir() {
                collect(&path, files);
            } else if path.extension().is_some_and(|extension| extension == "cl") {
                files.push(path);
            }
        }
    }

    /// The compiler's messages, or nothing.
    fn messages(clang: &str, root: &Path, file: &Path, target: &[&str]) -> String {
        let output = Command::new(clang)
            .args(["-fsyntax-only", "-x", "cl", "-cl-std=CL1.2", "-Xclang", "-finclude-default-header", "-w"])
            .args(target)
            .arg("-I")
            .arg(root)
            .arg(file)
            .output()
            .expect("the compiler starts");
        if output.status.success() { String::new() } else { String::from_utf8_lossy(&output.stderr).into_owned() }
    }

    #[test]
    fn every_kernel_file_compiles_alone() {
        let Some(clang) = clang() else {
            assert!(env::var_os("AFFINIMATH_TEST_CLANG").is_none(), "clang is demanded, and there is none");
            eprintln!("skipped: there is no clang");
            return;
        };
        let root = crate::root().join("cl");
        let mut files = Vec::new();
        collect(&root, &mut files);
        files.sort();
        let next = AtomicUsize::new(0);
        let work = || {
            let mut found = Vec::new();
            while let Some(file) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
                let text = fs::read_to_string(file).expect("a kernel file is readable");
                let is_nvidia = file.to_string_lossy().contains("_nvidia");
                let targets = match (is_nvidia, text.contains("NVIDIA")) {
                    (true, _) => &TARGETS[1..],
                    (false, true) => &TARGETS[..],
                    (false, false) => &TARGETS[..1],
                };
                found.extend(targets.iter().map(|target| messages(&clang, &root, file, target)));
            }
            found.retain(|message| !message.is_empty());
            found
        };
        let threads = thread::available_parallelism().map_or(1, usize::from);
        let found: Vec<String> = thread::scope(|scope| {
            let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
            workers.into_iter().flat_map(|worker| worker.join().expect("a worker ends")).collect()
        });
        assert!(found.is_empty(), "{}", found.join("\n"));
    }
}
