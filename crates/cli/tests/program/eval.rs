//! `affinimath eval` as a person runs it: values as NumPy prints them, files, refusals, exit codes.

use std::fs;
use std::io::{Cursor, Write};
use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde_json::Value;
use tempfile::TempDir;

use crate::text;

/// A folder with arrays: `a` and `b` of shape (2, 3), `x` of 2000 elements.
struct Files(TempDir);

impl Files {
    fn new() -> Self {
        let files = Files(tempfile::tempdir().expect("a temporary folder"));
        files.add("a.npy", &array("<f8", "(2, 3)", &bytes((1..=6).map(f64::from))));
        files.add("b.npy", &array("<f8", "(2, 3)", &bytes((1..=6).map(|i| f64::from(i) + 0.5))));
        files.add("x.npy", &array("<f4", "(2000,)", &bytes_of_singles((0..2000).map(|i| i as f32))));
        files
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn add(&self, name: &str, content: &[u8]) {
        fs::write(self.path(name), content).expect("a temporary file");
    }

    /// Exit code, standard output and standard error of a run in the folder.
    fn run(&self, arguments: &[&str], input: &str) -> (Option<i32>, String, String) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_affinimath"));
        command.current_dir(self.0.path()).env("AFFINIMATH_ROUTE", "host").arg("eval").args(arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the program starts");
        // A program that reads nothing has closed its input.
        let _ = child.stdin.take().expect("a pipe").write_all(input.as_bytes());
        let output = child.wait_with_output().expect("the program ends");
        let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
        assert!(!stderr.contains("panicked"), "{stderr}");
        (output.status.code(), stdout, stderr)
    }

    fn prints(&self, arguments: &[&str]) -> String {
        let (code, stdout, stderr) = self.run(arguments, "");
        assert_eq!(code, Some(0), "{arguments:?}: {stderr}");
        stdout
    }

    fn refuses(&self, arguments: &[&str]) -> String {
        let (code, stdout, stderr) = self.run(arguments, "");
        assert_eq!((code, stdout.as_str()), (Some(1), ""), "{arguments:?}: {stderr}");
        stderr
    }
}

fn bytes(elements: impl Iterator<Item = f64>) -> Vec<u8> {
    elements.flat_map(f64::to_le_bytes).collect()
}

fn bytes_of_singles(elements: impl Iterator<Item = f32>) -> Vec<u8> {
    elements.flat_map(f32::to_le_bytes).collect()
}

/// A file in NumPy's format.
fn array(descr: &str, shape: &str, elements: &[u8]) -> Vec<u8> {
    in_order(descr, "False", shape, elements)
}

fn in_order(descr: &str, fortran_order: &str, shape: &str, elements: &[u8]) -> Vec<u8> {
    let text = format!("{{'descr': '{descr}', 'fortran_order': {fortran_order}, 'shape': {shape}, }}\n");
    let start = [b"\x93NUMPY\x01\x00".as_slice(), &(text.len() as u16).to_le_bytes()].concat();
    [&start, text.as_bytes(), elements].concat()
}

/// An archive of arrays, stored or deflated.
fn archive(arrays: &[(&str, Vec<u8>)], method: zip::CompressionMethod) -> Vec<u8> {
    let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in arrays {
        let options = zip::write::SimpleFileOptions::default().compression_method(method);
        archive.start_file(format!("{name}.npy"), options).expect("an entry");
        archive.write_all(content).expect("its bytes");
    }
    archive.finish().expect("an archive").into_inner()
}

#[test]
fn values_are_printed_as_numpy_prints_them() {
    let files = Files::new();
    let both = ["--array", "a=a.npy", "--array", "b=b.npy"];
    let print = |text: &str| files.prints(&[&[text][..], &both].concat());
    assert_eq!(print("sum(a)"), "21.0\n");
    assert_eq!(print("a + b"), "[[ 2.5  4.5  6.5]\n [ 8.5 10.5 12.5]]\n");
    assert_eq!(print("norm(a - b) / norm(a)"), format!("{:?}\n", 1.5_f64.sqrt() / 91.0_f64.sqrt()));
    // Several values, and names where there is no value alone.
    assert_eq!(print("d = b - a; d.max(), a[0, 1:]"), "0.5\n[2. 3.]\n");
    assert_eq!(print("d = b - a; s = d.sum()"), "d = [[0.5 0.5 0.5]\n     [0.5 0.5 0.5]]\ns = 3.0\n");
    assert_eq!(
        files.prints(&["-x", "--array", "x=x.npy"]),
        "[-0.000e+00 -1.000e+00 -2.000e+00 ... -1.997e+03 -1.998e+03 -1.999e+03]\n"
    );
    assert_eq!(files.prints(&["arange(3) ** 2"]), "[0 1 4]\n");
    let (code, stdout, _) = files.run(&["-", "--array", "a=a.npy"], "t = 2*a\nt[1, 2]\n");
    assert_eq!((code, stdout.as_str()), (Some(0), "12.0\n"));
}

#[test]
fn assigned_parts_make_arrays() {
    let files = Files::new();
    let print = |text: &str| files.prints(&[text, "--array", "a=a.npy"]);
    assert_eq!(print("a[1, 1:] = 0"), "a = [[1. 2. 3.]\n     [4. 0. 0.]]\n");
    assert_eq!(print("a[:, ::2] = a[::-1, ::-2]; a[0]"), "[6. 2. 4.]\n");
    assert_eq!(print("a[0] = 1; s = sum(a); a[1] = s"), "s = 18.0\na = [[ 1.  1.  1.]\n     [18. 18. 18.]]\n");
    let before = fs::read(files.path("a.npy")).expect("the file");
    files.prints(&["a[:] = a.T[:2, 0][:, None]", "--array", "a=a.npy", "--out", "a=new.npy"]);
    assert_eq!(files.prints(&["a", "--array", "a=new.npy"]), "[[1. 1. 1.]\n [2. 2. 2.]]\n");
    assert_eq!(fs::read(files.path("a.npy")).expect("the file"), before);
    assert!(print("a[0] = 7; a").starts_with("[[7. 7. 7.]"));
    assert!(files.refuses(&["a[0] = a", "--array", "a=a.npy"]).contains("(line 1, column 2)"));
    assert!(files.refuses(&["a[5] = 0", "--array", "a=a.npy"]).contains("index 5 is outside axis 0"));
    assert!(files.prints(&["a[0] = 7", "--array", "a=a.npy", "--explain"]).contains("kernel"));
}

#[test]
fn numbers_take_the_type_of_the_arrays() {
    let files = Files::new();
    let print = |value: &str| files.prints(&["n*x[:3]", "--array", "x=x.npy", "--let", value]);
    assert_eq!(print("n=2.5"), "[0.  2.5 5. ]\n");
    assert_eq!(print("n=-1"), "[-0. -1. -2.]\n");
    assert!(files.refuses(&["n", "--let", "n=arange(3)"]).contains("--let n=arange(3): "));
    assert!(files.refuses(&["n", "--let", "n"]).contains("is no NAME=NUMBER"));
}

#[test]
fn either_byte_order_and_either_order_of_elements_are_read() {
    let files = Files::new();
    let big: Vec<u8> = (1..=6).flat_map(|i| f64::from(i).to_be_bytes()).collect();
    files.add("big.npy", &array(">f8", "(2, 3)", &big));
    files.add("columns.npy", &in_order("<f8", "True", "(2, 3)", &bytes([1.0, 4.0, 2.0, 5.0, 3.0, 6.0].into_iter())));
    let cube: Vec<f64> = (0..24).map(f64::from).collect();
    files.add("cube.npy", &in_order("<f8", "True", "(2, 3, 4)", &bytes(cube.into_iter())));
    for name in ["big.npy", "columns.npy"] {
        let given = format!("c={name}");
        assert_eq!(files.prints(&["abs(a - c).max()", "--array", "a=a.npy", "--array", &given]), "0.0\n", "{name}");
    }
    assert_eq!(files.prints(&["c[1, 2, 3], c[1, 0, 0], c[0, 1, 0]", "--array", "c=cube.npy"]), "23.0\n1.0\n2.0\n");
    for (descr, elements, printed) in [
        ("|b1", vec![1, 0], "[ true false]"),
        ("|u1", vec![255, 1], "[255   1]"),
        ("<i4", [(-7_i32).to_le_bytes(), 5_i32.to_le_bytes()].concat(), "[-7  5]"),
        (">u4", [7_u32.to_be_bytes(), u32::MAX.to_be_bytes()].concat(), "[         7 4294967295]"),
        ("<i8", [i64::MIN.to_le_bytes(), 0_i64.to_le_bytes()].concat(), "[-9223372036854775808                    0]"),
        (">c8", [1.0_f32, 2.0, -3.0, 0.5].iter().flat_map(|x| x.to_be_bytes()).collect(), "[ 1.+2.i  -3.+0.5i]"),
        ("<c16", bytes([1.0, 2.0, -3.0, 0.5].into_iter()), "[ 1.+2.i  -3.+0.5i]"),
    ] {
        files.add("t.npy", &array(descr, "(2,)", &elements));
        assert_eq!(files.prints(&["t", "--array", "t=t.npy"]), format!("{printed}\n"), "{descr}");
    }
}

#[test]
fn archives_give_all_their_arrays_or_one() {
    let files = Files::new();
    let (a, n) = (fs::read(files.path("a.npy")).unwrap(), array("<f8", "()", &bytes([4.0].into_iter())));
    for method in [zip::CompressionMethod::Stored, zip::CompressionMethod::Deflated] {
        files.add("data.npz", &archive(&[("p", a.clone()), ("n", n.clone())], method));
        files.add("one.npz", &archive(&[("p", a.clone())], method));
        for given in [
            ["n*q[1, 2]", "--array", "q=data.npz:p", "--array", "data.npz:n"],
            ["n*q[1, 2]", "--array", "q=one.npz", "--array", "data.npz"],
        ] {
            assert_eq!(files.prints(&given), "24.0\n");
        }
        assert_eq!(files.prints(&["sum(p)/n", "--array", "data.npz"]), "5.25\n");
    }
    assert!(
        files.refuses(&["q", "--array", "q=data.npz"]).contains("which of its arrays p, n? --array q=data.npz:KEY")
    );
    assert!(files.refuses(&["q", "--array", "q=data.npz:w"]).contains("data.npz: no w among its arrays p, n"));
}

#[test]
fn results_are_written_and_come_back() {
    let files = Files::new();
    let given = ["--array", "a=a.npy", "--array", "x=x.npy"];
    let eval = |text: &str, out: &[&str]| files.prints(&[&[text][..], &given, out].concat());
    assert_eq!(eval("2*a", &["--out", "c.npy"]), "");
    assert_eq!(files.prints(&["c", "--array", "c=c.npy"]), "[[ 2.  4.  6.]\n [ 8. 10. 12.]]\n");
    // A file that is there already is replaced, also one that is read.
    assert_eq!(eval("d = a.T; e = x > 5; d + 0", &["--out", "d=d.npy", "--out", "all.npz", "--out", "a.npy"]), "");
    assert_eq!(files.prints(&["d[2], a[2]", "--array", "d=d.npy", "--array", "a=a.npy"]), "[3. 6.]\n[3. 6.]\n");
    assert_eq!(files.prints(&["count_nonzero(e), arr_0[0, 1]", "--array", "all.npz"]), "1994\n4.0\n");
    let left: Vec<_> = fs::read_dir(files.0.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(left.iter().all(|name| !name.to_string_lossy().ends_with(".part")), "{left:?}");
    assert!(files.refuses(&["1", "--out", "w=w.npy"]).contains("w.npy: the text assigns no w"));
    assert!(files.refuses(&["1", "--out", "no/w.npy"]).contains("cannot write 'no/w.npy'"));
}

#[test]
fn results_are_json_too() {
    let files = Files::new();
    let text = files.prints(&["d = a[0]; s = sqrt(-d[0]); z = 1j*d[1]", "--array", "a=a.npy", "--json"]);
    let document: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(document["schema"], "affinimath/eval/1");
    assert_eq!(document["results"][0]["value"], serde_json::json!([1.0, 2.0, 3.0]));
    assert_eq!(document["results"][0]["type"], "float64");
    assert_eq!(document["results"][0]["shape"], serde_json::json!([3]));
    assert_eq!(document["results"][1]["value"], "nan");
    assert_eq!(document["results"][2]["value"], serde_json::json!([0.0, 2.0]));
    assert_eq!(document["results"][2]["name"], "z");
}

#[test]
fn a_plan_is_shown_and_nothing_is_evaluated() {
    let files = Files::new();
    let plan = files.prints(&["sum(abs(a - b))", "--array", "a=a.npy", "--array", "b=b.npy", "--explain"]);
    assert!(plan.contains("1 steps: reads 96 B, writes 8 B"), "{plan}");
}

#[test]
fn errors_of_a_text_show_the_place() {
    let files = Files::new();
    let error = files.refuses(&["a + w", "--array", "a=a.npy"]);
    assert!(error.contains("no operand is called \"w\""), "{error}");
    assert!(error.ends_with("    a + w\n        ^\n"), "{error}");
    let error = files.refuses(&["a[1:] +", "--array", "a=a.npy"]);
    assert!(error.contains("line 1, column 8"), "{error}");
}

#[test]
fn files_that_are_no_arrays_are_refused_by_name() {
    let files = Files::new();
    let whole = fs::read(files.path("a.npy")).unwrap();
    files.add("cut.npy", &whole[..whole.len() - 1]);
    files.add("header.npy", &whole[..40]);
    files.add("text.npy", b"1 2 3\n");
    files.add("empty.npy", b"");
    files.add("half.npy", &array("<f2", "(2,)", &[0; 4]));
    files.add("strings.npy", &array("<U3", "(2,)", &[0; 24]));
    files.add("objects.npy", &array("|O", "(2,)", &[0; 16]));
    files.add("huge.npy", &array("<f8", "(1000000, 1000000)", &[0; 16]));
    files.add("cut.npz", &archive(&[("t", whole.clone())], zip::CompressionMethod::Deflated)[..100]);
    for (name, reason) in [
        ("cut.npy", "it ends after 47 of 48 bytes of elements"),
        ("header.npy", "it ends within its header"),
        ("text.npy", "no array of NumPy's"),
        ("empty.npy", "no array of NumPy's"),
        ("half.npy", "its elements are float16; a text takes bool, uint8, int32, uint32, int64, float32,"),
        ("strings.npy", "its elements are strings"),
        ("objects.npy", "its elements are objects of Python"),
        ("huge.npy", "it ends after 16 of 8000000000000 bytes"),
        ("cut.npz", "cut.npz"),
        ("missing.npy", "cannot open 'missing.npy'"),
    ] {
        let error = files.refuses(&["t", "--array", &format!("t={name}")]);
        assert!(error.contains(name) && error.contains(reason) && error.lines().count() == 1, "{name}: {error}");
    }
    assert!(files.refuses(&["a", "--array", "a.npy"]).contains("--array NAME=a.npy"));
    assert!(files.refuses(&["a", "--array", "a=a.npy:k"]).contains("a.npy: it is one array, and no archive with a k"));
    assert!(files.refuses(&["a", "--array", "a=a.npy", "--array", "a=b.npy"]).contains("a is given twice"));
}
