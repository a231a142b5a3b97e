//! Every case on the host, and interpreters of all kinds.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::{Duration, Instant};

use affinimath::ScalarKind;

use super::case::{Case, Operation};
use super::ours;
use super::peers::{ON_GPU, ON_HOST, PROGRAM, entrant};
use crate::options::PeerSpec;
use crate::python::{Peers, Python};
use crate::target::{MemoryChoice, Target};

const HOST: Target = Target { device: None, memory: MemoryChoice::Host, automatic: false };

/// Sizes whose matrices are square, and are not.
const SIZES: [usize; 3] = [16, 1000, 4099];

fn cases() -> impl Iterator<Item = Case> {
    let of_kind = |kind| Operation::all().flat_map(move |operation| Case::of(operation, kind, &SIZES));
    ScalarKind::ALL.into_iter().flat_map(of_kind)
}

#[test]
fn every_case_is_right_on_the_host() {
    for case in cases() {
        let mut ours = ours::entrant(&case, &HOST, 1, false).unwrap();
        assert!(ours.run(3).unwrap() > Duration::ZERO);
        let accuracy = ours.accuracy().unwrap();
        assert!(accuracy.holds(), "{}: {accuracy:?}", case.report().describe());
    }
}

#[test]
fn the_libraries_have_the_names_that_options_know() {
    for name in ON_HOST.into_iter().chain(ON_GPU) {
        assert_eq!(name.parse::<PeerSpec>().unwrap().python_library(), Some(name));
    }
}

fn python(path: impl AsRef<Path>, limit: Duration) -> Python {
    Python { path: path.as_ref().to_owned(), program: PROGRAM, limit }
}

/// The libraries of this machine compute what NumPy does in double precision.
#[test]
fn libraries_of_python_agree_with_numpy_where_they_are() {
    let peers = Peers::start(&python("python3", Duration::from_secs(120)), &ON_HOST, &HOST);
    assert_eq!(peers.libraries.len() + peers.notes.len(), ON_HOST.len());
    peers.notes.iter().for_each(|note| println!("not tested, {note}"));
    for peer in &peers.libraries {
        for case in cases() {
            let outcome = entrant(peer, &case).and_then(|mut contender| {
                assert!(contender.run(2)? > Duration::ZERO);
                contender.accuracy()
            });
            let what = case.report().describe();
            match outcome {
                Ok(accuracy) => assert!(accuracy.holds(), "{what}: {accuracy:?}"),
                // Functions that a library does not have.
                Err(error) => assert!(error.to_string().contains(" has no "), "{what}: {error}"),
            }
        }
    }
}

/// An interpreter that does what a shell script says.
fn script(folder: &Path, name: &str, text: &str) -> std::path::PathBuf {
    let path = folder.join(name);
    fs::write(&path, format!("#!/bin/sh\n{text}\n")).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path
}

#[test]
fn an_interpreter_that_fails_is_a_note_that_says_why() {
    let folder = tempfile::tempdir().unwrap();
    for (text, told) in [
        ("echo Python 2.7 || cat", "its answer is not understood: 'Python 2.7'"),
        ("echo no such option >&2; exit 1", "it ended (exit status: 1): no such option"),
        ("sleep 1000", "it gave no answer within 0.5 s"),
        ("echo '{\"failure\": \"No module named numpy\"}'; cat", "No module named numpy"),
        ("echo '\"ready\"'; cat", "its answer is another one than asked for: Ready"),
    ] {
        let path = script(folder.path(), "python", text);
        let limit = if text.starts_with("sleep") { 0.5 } else { 60.0 };
        let peers = Peers::start(&python(&path, Duration::from_secs_f64(limit)), &["numpy"], &HOST);
        assert!(peers.libraries.is_empty());
        assert!(peers.notes[0].starts_with("without numpy: ") && peers.notes[0].contains(told), "{:?}", peers.notes);
    }
    let peers = Peers::start(&python("/no/such/python", Duration::from_secs(60)), &["jax"], &HOST);
    assert!(peers.notes[0].starts_with("without jax: '/no/such/python' cannot be started"), "{:?}", peers.notes);
}

#[test]
fn an_interpreter_that_ends_in_a_case_is_started_again_but_not_for_ever() {
    let folder = tempfile::tempdir().unwrap();
    let hello = r#"echo '{"hello": {"version": "1.0", "threads": 2}}'"#;
    // The script, the question for the library, the first case.
    let path =
        script(folder.path(), "python", &format!("read a; read b; {hello}; read c; echo out of memory >&2; exit 9"));
    let peers = Peers::start(&python(&path, Duration::from_secs(60)), &["numpy"], &HOST);
    assert_eq!((peers.notes.len(), peers.facts()[0].version.as_deref()), (0, Some("1.0")));
    let case = &Case::of(Operation::Axpy, ScalarKind::S, &[64])[0];
    let refused = || entrant(&peers.libraries[0], case).err().expect("it ends").to_string();
    for _ in 0..3 {
        assert_eq!(refused(), "numpy: it ended (exit status: 9): out of memory");
    }
    let start = Instant::now();
    assert_eq!(refused(), "numpy: it is left out, as it ended 3 times");
    assert!(start.elapsed() < Duration::from_secs(1));
}
