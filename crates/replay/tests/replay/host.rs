//! Cases of the interpreter.

use affinimath_kernel::{Kernel, f16};
use affinimath_replay::{Case, Error, Tolerance, Value};

use super::{mix, scale};

const X: [f32; 6] = [1.0, 2.5, -3.0, 0.0, f32::INFINITY, 7.0];

fn arguments() -> [Value; 3] {
    [3_i64.into(), (&X).into(), (&[0.0_f32; 6]).into()]
}

#[test]
fn a_case_that_is_recorded_is_checked_and_a_changed_kernel_fails_with_the_element_and_ulps() {
    let outer = tempfile::tempdir().unwrap();
    let folder = outer.path().join("scale");
    Case::record(&folder, &scale(2.0), [1, 2, 1], [4, 1, 1], arguments()).unwrap();
    let case = Case::load(&folder).unwrap();
    assert_eq!(case.kernel().unwrap(), Some(scale(2.0)));
    let check = case.check(&scale(2.0)).unwrap();
    assert!(check.within(Tolerance::Exact), "{check}");
    assert_eq!(check.arguments.len(), 2);

    let changed = scale(f32::from_bits(2.0_f32.to_bits() + 1));
    let check = case.check(&changed).unwrap();
    assert!(!check.within(Tolerance::Ulps(1)) && check.within(Tolerance::Ulps(2)), "{check}");
    assert!(check.within(Tolerance::Relative(2e-7)) && !check.within(Tolerance::Relative(0.0)));
    let worst = check.first_beyond(Tolerance::Exact).unwrap();
    assert_eq!((worst.argument, worst.comparison.different), (2, 4));
    let text = worst.to_string();
    assert!(text.starts_with("'y' (argument 2): 4 of 6 elements differ"), "{text}");
    assert!(text.contains("element 0 is 2.0000002 instead of 2.0, 1 ulp"), "{text}");
    // A case that is recorded again replaces the old one.
    Case::record(&folder, &changed, [1, 2, 1], [4, 1, 1], arguments()).unwrap();
    assert!(Case::load(&folder).unwrap().check(&changed).unwrap().within(Tolerance::Exact));
}

#[test]
fn all_element_types_are_recorded_and_checked() {
    macro_rules! check {
        ($($type:ident)*) => { $({
            let kernel = Kernel::build("copy", |k| {
                let (x, y) = (k.input::<$type>("x"), k.output::<$type>("y"));
                y.store(k.global_id(0), x.at(k.global_id(0)));
            })
            .unwrap();
            let (x, y) = ([$type::MAX, $type::MIN, $type::default()], [$type::default(); 3]);
            let folder = tempfile::tempdir().unwrap();
            let case = Case::record(folder.path().join("c"), &kernel, [3, 1, 1], [1; 3], [(&x).into(), (&y).into()]);
            let check = case.unwrap().check(&kernel).unwrap();
            assert!(check.within(Tolerance::Exact), "{}: {check}", stringify!($type));
            let again = Case::load(folder.path().join("c")).unwrap();
            assert_eq!(again.launch().memories[1].changed, Some(true));
        })* };
    }
    check!(i8 u8 i16 u16 i32 u32 i64 u64 f16 f32 f64);
}

#[test]
fn memory_that_two_arguments_share_is_one_file() {
    let outer = tempfile::tempdir().unwrap();
    let folder = outer.path().join("blend");
    let x = [1.0_f32, 2.0, 4.0];
    let arguments = [3_i64.into(), (&x).into(), (&x).into(), (&[0.0_f32; 3]).into()];
    Case::record(&folder, &mix(0.5), [3, 1, 1], [1; 3], arguments).unwrap();
    let launch = folder.join("launch.json");
    let text = std::fs::read_to_string(&launch).unwrap();
    // As a program records it that gives one buffer twice.
    let mut value: serde_json::Value = serde_json::from_str(&text).unwrap();
    value["arguments"][2]["memory"] = 0.into();
    value["arguments"][3]["memory"] = 1.into();
    value["memories"].as_array_mut().unwrap().remove(1);
    std::fs::write(&launch, value.to_string()).unwrap();
    let check = Case::load(&folder).unwrap().check(&mix(0.5)).unwrap();
    assert!(check.within(Tolerance::Exact) && check.arguments.len() == 2, "{check}");
    assert!(!Case::load(&folder).unwrap().check(&mix(0.75)).unwrap().within(Tolerance::Ulps(1000)));
}

#[test]
fn what_does_not_fit_is_refused_with_a_reason() {
    let outer = tempfile::tempdir().unwrap();
    let folder = outer.path().join("case");
    let record = |arguments: Vec<Value>| Case::record(&folder, &scale(2.0), [1; 3], [4, 1, 1], arguments);
    for (arguments, reason) in [
        (vec![3_i64.into()], "1 arguments for the 3"),
        (vec![3_i32.into(), (&X).into(), (&X).into()], "argument 0"),
        (vec![3_i64.into(), 1.0_f32.into(), (&X).into()], "argument 1"),
        (vec![3_i64.into(), (&X).into(), (&[0.0_f64; 6]).into()], "argument 2"),
        (vec![9_i64.into(), (&X).into(), (&[0.0_f32; 2]).into()], "interpreter"),
    ] {
        let error = record(arguments).unwrap_err().to_string();
        assert!(error.contains(reason), "{error}");
        assert!(!folder.exists(), "nothing is written");
    }
    let case = record(arguments().to_vec()).unwrap();
    let error = case.check(&mix(0.5)).unwrap_err();
    assert!(matches!(&error, Error::Unfit(reason) if reason.contains("takes 4 arguments")), "{error}");
    assert!(Case::load(outer.path()).unwrap_err().is_malformed());
    std::fs::write(folder.join("kernel.json"), "{}").unwrap();
    assert!(Case::load(&folder).unwrap().kernel().unwrap_err().is_malformed());
}
