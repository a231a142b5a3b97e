//! `affinimath stencil` refuses texts, files and folders: the reason, exit code 1, and no file that is half written.

use std::fs;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::stencil::Files;
use super::stencil_texts::WRONG;

/// A file of NumPy's format, with a header of its own.
fn npy(header: &str, bytes: &[u8]) -> Vec<u8> {
    let header = format!("{header}\n");
    [b"\x93NUMPY\x01\x00".as_slice(), &(header.len() as u16).to_le_bytes(), header.as_bytes(), bytes].concat()
}

fn doubles(numbers: impl IntoIterator<Item = f64>, encode: fn(f64) -> [u8; 8]) -> Vec<u8> {
    numbers.into_iter().flat_map(encode).collect()
}

#[test]
fn wrong_texts_are_told_with_their_location() {
    let files = Files::new();
    for (text, location, reason) in WRONG {
        fs::write(files.path("s.stc"), text).expect("a temporary file");
        let message = files.refuses(&["s.stc", "--size", "n=4", "--steps", "1", "--out", "u=v.npy", "--json=v.json"]);
        let lines: Vec<&str> = message.lines().collect();
        let [first, source, caret] = lines[..] else { panic!("{text}: {message}") };
        assert!(first.starts_with(&format!("affinimath: s.stc:{location}: ")) && first.contains(reason), "{message}");
        let (line, column) = location.split_once(':').expect("a location");
        let (line, column): (usize, usize) = (line.parse().expect("a line"), column.parse().expect("a column"));
        // Long lines are cut, the caret within.
        let shown = source.strip_prefix("    ").expect("an indentation");
        let whole = text.lines().nth(line - 1).unwrap_or("");
        let start = whole.find(shown).expect("a part of the line");
        assert_eq!(caret.strip_suffix('^').map(|blanks| blanks.len() - 4 + start), Some(column - 1), "{message}");
        assert!(!files.path("v.npy").exists() && !files.path("v.json").exists());
    }
}

#[test]
fn texts_of_standard_input_and_bytes_that_are_none() {
    let files = Files::new();
    fs::write(files.path("bytes.stc"), b"stencil \xff\xfe {").expect("a temporary file");
    assert!(files.refuses(&["bytes.stc"]).contains("cannot read 'bytes.stc'"));
    fs::write(files.path("long.stc"), " ".repeat((1 << 20) + 1)).expect("a temporary file");
    assert!(files.refuses(&["long.stc"]).contains("long.stc: the text has 1048577 bytes"));
    assert!(files.refuses(&["."]).contains("cannot read '.'"));
}

#[test]
fn wrong_grids_are_told() {
    let files = Files::new();
    let zeros = [0_u8; 8 * 40];
    let header =
        |descr: &str, shape: &str| format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}");
    let wrong: [(&str, Vec<u8>, &str); 10] = [
        ("text.npy", b"1 2 3\n".to_vec(), "text.npy"),
        ("empty.npy", Vec::new(), "empty.npy"),
        ("cut.npy", npy(&header("<f8", "(5, 6)"), &zeros[..80]), "cut.npy"),
        ("head.npy", b"\x93NUMPY\x01\x00\xff\xff{'descr'".to_vec(), "head.npy"),
        ("text.npz", b"PK\x03\x04 no archive".to_vec(), "text.npz"),
        ("line.npy", npy(&header("<f8", "(30,)"), &zeros[..240]), "the array has shape [30], and 'u' is (y, x)"),
        ("thin.npy", npy(&header("<f8", "(2, 6)"), &zeros[..96]), "the domain on y: 1 .. 0 is empty"),
        ("complex.npy", npy(&header("<c16", "(2, 10)"), &zeros), "complex.npy: its elements are complex"),
        ("huge.npy", npy(&header("<f8", "(4294967296, 4294967296)"), &zeros), "huge.npy"),
        ("object.npy", npy(&header("|O", "(5, 6)"), &zeros), "object.npy"),
    ];
    for (name, content, reason) in wrong {
        fs::write(files.path(name), content).expect("a temporary file");
        let grid = format!("u={name}");
        let message = files.refuses(&["heat.stc", "--grid", &grid, "--param", "dt=1", "--out", "u=v.npy"]);
        assert!(message.contains(reason), "{name}: {message}");
        assert!(!files.path("v.npy").exists(), "{name}");
    }
    assert!(files.refuses(&["heat.stc", "--grid", "u=none.npy"]).contains("none.npy"));
    let integers = "wave.stc --size n=3 --steps 1 --grid m=m.npy".split(' ').collect::<Vec<_>>();
    fs::write(files.path("m.npy"), npy(&header("<f8", "(3,)"), &zeros[..24])).expect("a temporary file");
    assert!(files.refuses(&integers).contains("the grid holds integers, and the array does not"));
}

/// Orders of elements and of bytes that NumPy writes give the same run.
#[test]
fn fortran_s_order_and_big_ends_are_read() {
    let files = Files::new();
    let value = |y: usize, x: usize| (7 * y + x * x) as f64;
    let rows = || (0..5).flat_map(move |y| (0..6).map(move |x| value(y, x)));
    let columns = || (0..6).flat_map(move |x| (0..5).map(move |y| value(y, x)));
    let header =
        |descr: &str, fortran: &str| format!("{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': (5, 6), }}");
    let forms = [
        npy(&header("<f8", "False"), &doubles(rows(), f64::to_le_bytes)),
        npy(&header("<f8", "True"), &doubles(columns(), f64::to_le_bytes)),
        npy(&header(">f8", "False"), &doubles(rows(), f64::to_be_bytes)),
        npy(&header(">f8", "True"), &doubles(columns(), f64::to_be_bytes)),
    ];
    let found = forms.map(|content| {
        fs::write(files.path("u.npy"), content).expect("a temporary file");
        let run = ["heat.stc", "--grid", "u=u.npy", "--grid", "k=1", "--param", "dt=0.25", "--out", "u=v.npy"];
        files.prints(&run);
        fs::read(files.path("v.npy")).expect("a result")
    });
    assert!(found.iter().all(|each| *each == found[0]));
    assert_eq!(files.shown("a[0, 5], a[4, 0]", "v.npy"), "25.0\n28.0");
}

#[test]
fn files_that_cannot_be_written_are_told_before_the_run() {
    let files = Files::new();
    fs::write(files.path("file"), "text").expect("a temporary file");
    // A run of so many steps would take years.
    let run = ["heat.stc", "--size", "nx=9", "--size", "ny=9", "--param", "dt=0", "--steps", "1000000000000"];
    let start = Instant::now();
    for (option, reason) in [
        ("--out=u=none/v.npy", "there is no folder 'none'"),
        ("--out=none/v.npz", "there is no folder 'none'"),
        ("--out=u=file/v.npy", "there is no folder 'file'"),
        ("--out=k=v.npy", "there is no k among the grids that change"),
        ("--plot=u=none/v.svg", "there is no folder 'none'"),
        ("--json=none/v.json", "there is no folder 'none'"),
    ] {
        let message = files.refuses(&[&run[..], &[option]].concat());
        assert!(message.contains(reason), "{option}: {message}");
    }
    assert!(start.elapsed() < Duration::from_secs(60));
    fs::create_dir(files.path("v.npy")).expect("a folder");
    let short = ["heat.stc", "--size", "nx=9", "--size", "ny=9", "--param", "dt=0", "--steps", "1", "--out", "u=v.npy"];
    let (code, _, stderr) = files.program(&[&["stencil"], &short[..]].concat());
    assert!(code == Some(1) && stderr.contains("cannot write 'v.npy'"), "{stderr}");
    assert!(left(&files).is_empty());
}

#[cfg(unix)]
#[test]
fn a_folder_that_nobody_may_write_in_is_told() {
    use std::os::unix::fs::PermissionsExt;
    let files = Files::new();
    let folder = files.path("locked");
    fs::create_dir(&folder).expect("a folder");
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o555)).expect("permissions");
    if fs::write(folder.join("test"), "").is_ok() {
        // The administrator may write everywhere.
        return;
    }
    let run = ["heat.stc", "--size", "nx=9", "--size", "ny=9", "--param", "dt=0", "--steps", "1"];
    for option in ["--out=u=locked/v.npy", "--out=locked/v.npz", "--plot=locked/v.svg", "--json=locked/v.json"] {
        let (code, _, stderr) = files.program(&[&["stencil"], &run[..], &[option]].concat());
        assert!(code == Some(1) && stderr.contains("cannot write"), "{option}: {stderr}");
    }
}

/// Temporary files in the folder.
fn left(files: &Files) -> Vec<String> {
    let entries = fs::read_dir(files.path(".")).expect("the folder");
    let names = entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned());
    names.filter(|name| name.ends_with(".part")).collect()
}

/// A program that is killed while it writes leaves the file as it was: here at once, as soon as it has begun to write,
/// and a little later.
#[test]
fn a_killed_program_leaves_the_old_file() {
    let files = Files::new();
    let run = "stencil heat.stc --size nx=2000 --size ny=1000 --grid u=x --param dt=0.1 --steps 1 --out u=v.npy";
    for file in ["u=v.npy", "v.npz"] {
        let path = files.path(file.trim_start_matches("u="));
        let arguments: Vec<&str> = run.split(' ').map(|word| if word == "u=v.npy" { file } else { word }).collect();
        for delay in [None, Some(0), Some(15)] {
            fs::write(&path, "old").expect("a temporary file");
            let mut child = Command::new(env!("CARGO_BIN_EXE_affinimath"))
                .current_dir(files.path("."))
                .env("AFFINIMATH_ROUTE", "host")
                .args(&arguments)
                .stdout(Stdio::null())
                .spawn()
                .expect("the program runs");
            if let Some(delay) = delay {
                while left(&files).is_empty() && child.try_wait().expect("a state").is_none() {
                    std::thread::sleep(Duration::from_millis(1));
                }
                std::thread::sleep(Duration::from_millis(delay));
            }
            child.kill().expect("the program is killed");
            let ended = child.wait().expect("an end").success();
            let content = fs::read(&path).expect("the file is there");
            // On a fast machine the last one may be complete.
            assert!(
                content == b"old" || ended || content.len() > 2002 * 1002 * 8,
                "{file} has {} bytes",
                content.len()
            );
            assert!(delay.is_some() || content == b"old", "{file} is written before the run");
            for name in left(&files) {
                fs::remove_file(files.path(&name)).expect("a temporary file");
            }
        }
    }
}
