//! Every case on the host, and the libraries of Python that are here.

use std::time::Duration;

use affinimath::ScalarKind;

use super::case::{Case, Subject};
use super::peers::{ON_GPU, ON_HOST, PROGRAM, entrant};
use super::program::Program;
use super::{Roofs, bytes_of_copy, ours};
use crate::options::PeerSpec;
use crate::python::{Peers, Python};
use crate::target::{MemoryChoice, Target};

const HOST: Target = Target { device: None, memory: MemoryChoice::Host, automatic: false };

const KINDS: [ScalarKind; 2] = [ScalarKind::S, ScalarKind::D];

fn cases(steps: u64) -> Vec<Case> {
    let of = |subject: &Subject| KINDS.map(|kind| subject.case(kind, 12, steps, &[], None).expect("a case"));
    Subject::default_ones().iter().flat_map(of).collect()
}

#[test]
fn every_case_is_right_on_the_host() {
    for case in cases(3) {
        let mut ours = ours::entrant(&case, &HOST).expect("grids");
        assert!(ours.run(2).expect("steps") > Duration::ZERO);
        let accuracy = ours.accuracy().expect("steps");
        assert!(accuracy.holds(), "{}: {accuracy:?}", case.report().describe());
    }
}

#[test]
fn rates_count_points_and_the_bytes_of_a_step() {
    let case = Subject::named("hyperthermia").and_then(|subject| subject.case(ScalarKind::D, 20, 4, &[], None));
    let case = case.expect("a case");
    let report = case.report();
    assert_eq!((report.work, report.traffic), (4.0 * 8000.0, Some(4.0 * 8000.0 * 11.0 * 8.0)));
    assert_eq!((report.describe(), case.shape().unwrap()), ("Dhyperthermia 4 steps 20".to_owned(), vec![20, 20, 20]));
    assert_eq!(bytes_of_copy(&case), 8000 * 11 * 4);
    let roofs = Roofs { copy: 88.0, cache: 880.0, flops: vec![(ScalarKind::D, 40.0)] }.over(&case).roofs;
    let rates: Vec<_> = roofs.iter().map(|roof| (roof.name.as_str(), roof.rate)).collect();
    assert_eq!(rates, [("copy", 1.0), ("copy in caches", 10.0), ("multiply-adds", 40.0 / case.flops as f64)]);
}

#[test]
fn lower_ends_that_are_sizes_are_1() {
    let subject = Subject::named("uxx1").expect("a stencil");
    let case = subject.case(ScalarKind::S, 20, 1, &[], None).expect("a case");
    assert_eq!(case.shape().unwrap(), [20, 20, 20]);
    assert!(case.sizes.contains(&("nxb".to_owned(), 1)) && case.sizes.contains(&("nxt".to_owned(), 20)));
}

#[test]
fn subjects_that_are_not_there_or_stop_are_refused() {
    let refused = |name: &str| match Subject::named(name).and_then(|subject| subject.stencil(ScalarKind::S)) {
        Ok(_) => panic!("{name} is there"),
        Err(error) => error.to_string(),
    };
    assert!(refused("laplace").starts_with("there is no case laplace: give laplacian, "));
    assert!(refused("no/such.stc").starts_with("cannot read no/such.stc: "));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("iteration.stc");
    let text = "stencil iteration {
      domainsize = (1 .. n);
      operation (double grid u, double result change) { u[x; t+1] = u[x-1; t]; change = max(u[x; t]); }
      stop { when change < 1e-6; }
    }";
    std::fs::write(&path, text).unwrap();
    assert_eq!(
        refused(path.to_str().unwrap()),
        "iteration: a stencil with a stop criterion has no fixed number of steps"
    );
}

#[test]
fn the_libraries_have_the_names_that_options_know() {
    for name in ON_HOST.into_iter().chain(ON_GPU) {
        assert_eq!(name.parse::<PeerSpec>().unwrap().python_library(), Some(name));
    }
}

#[test]
fn programs_have_the_operations_in_order() {
    let text = "stencil mixed {
      domainsize = (1 .. nx, 1 .. ny);
      operation (float grid u, float grid v, float param a, float table c[1 .. 2] = { 3, 5 }) {
        float w = a * u[x-1,y+2; t]^3;
        u[x,y; t+1] = w > 0.5 ? c[2] : -w;
        v[x,y; t] = max(u[x,y; t+1], sqrt(abs(u[x,y; t])));
      }
    }";
    let stencil = affinimath::stencil::Stencil::parse(text).expect("a stencil");
    let program = Program::new(&stencil, &[("a".to_owned(), 0.25)]).expect("a program");
    let text = serde_json::to_string(&program.code).unwrap();
    assert!(text.contains(r#"["tap",0,0,0,[2,-1]]"#) && text.contains(r#"["number",5.0]"#), "{text}");
    let outputs: Vec<_> = program.outputs.iter().map(|[grid, component, _]| (*grid, *component)).collect();
    assert_eq!((outputs, program.radius), (vec![(0, 0), (1, 0)], 2));
    // A value that was assigned is not read again.
    assert!(!text.contains(r#"["tap",0,0,1"#), "{text}");
    for (from, to, reason) in [
        ("max(u[x,y; t+1]", "max(u[x,y; t+1] * t", "coordinates, the time, or integers"),
        ("}", "  boundary { u: x = 0; }\n", "boundary conditions"),
        ("sqrt(", "sin(", "functions beyond sqrt, exp, abs, min and max"),
    ] {
        let stencil = affinimath::stencil::Stencil::parse(&text_with(&stencil, from, to)).expect("a stencil");
        assert_eq!(Program::new(&stencil, &[]), Err(reason));
    }
}

fn text_with(stencil: &affinimath::stencil::Stencil, from: &str, to: &str) -> String {
    let text = stencil.to_string();
    let at = if from.trim() == "}" { text.rfind('}').expect("an end") } else { text.find(from).expect(from) };
    let rest = if from.trim() == "}" { "}" } else { &text[at + from.len()..] };
    format!("{}{to}{rest}", &text[..at])
}

/// The libraries of this machine compute what NumPy does in double precision.
#[test]
fn libraries_of_python_agree_with_numpy_where_they_are() {
    let python = Python { path: "python3".into(), program: PROGRAM, limit: Duration::from_secs(120) };
    let peers = Peers::start(&python, &ON_HOST, &HOST);
    assert_eq!(peers.libraries.len() + peers.notes.len(), ON_HOST.len());
    peers.notes.iter().for_each(|note| println!("not tested, {note}"));
    for (number, peer) in peers.libraries.iter().enumerate() {
        // Each library has every stencil in one of the types.
        let in_turn = cases(2).into_iter().enumerate().filter(|(index, _)| (index + index / 2 + number) % 2 == 0);
        for (_, case) in in_turn {
            let outcome = entrant(peer, &case).and_then(|mut contender| {
                assert!(contender.run(2)? > Duration::ZERO);
                contender.accuracy()
            });
            let what = format!("{} {}", peer.name(), case.report().describe());
            match outcome {
                Ok(accuracy) => assert!(accuracy.holds(), "{what}: {accuracy:?}"),
                // The library lacks a function, or is not asked.
                Err(error) => assert!(error.to_string().contains(" has "), "{what}: {error}"),
            }
        }
    }
}
