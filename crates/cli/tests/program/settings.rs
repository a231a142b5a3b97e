//! Wrong settings and untrusted folders, as users of the program meet them.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

fn affinimath(arguments: &[&str], variables: &[(&str, &str)]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_affinimath"));
    command.args(arguments);
    for variable in ["AFFINIMATH_DEVICE", "AFFINIMATH_ROUTE", "AFFINIMATH_CACHE", "AFFINIMATH_CACHE_SIZE"] {
        command.env_remove(variable);
    }
    command.envs(variables.iter().copied()).output().unwrap()
}

fn matrix(folder: &Path, order: usize) -> String {
    let path = folder.join(format!("{order}.mtx"));
    let diagonal: String = (1..=order).map(|i| format!("{i} {i} 2.0\n")).collect();
    fs::write(&path, format!("%%MatrixMarket matrix coordinate real general\n{order} {order} {order}\n{diagonal}"))
        .unwrap();
    path.display().to_string()
}

/// The smallest call and a large one fail alike, and say which setting is wrong.
#[test]
fn a_wrong_setting_is_an_error_whatever_the_size() {
    let folder = tempfile::tempdir().unwrap();
    for (variable, value, told) in [
        ("AFFINIMATH_DEVICE", "no-such-device", "no-such-device"),
        ("AFFINIMATH_DEVICE", "99", "99"),
        ("AFFINIMATH_ROUTE", "gpu", "AFFINIMATH_ROUTE='gpu'"),
        ("AFFINIMATH_CACHE_SIZE", "1.5G", "AFFINIMATH_CACHE_SIZE='1.5G'"),
    ] {
        for order in [2, 300] {
            let output = affinimath(&["solve", &matrix(folder.path(), order)], &[(variable, value)]);
            let error = String::from_utf8_lossy(&output.stderr).into_owned();
            assert_eq!(output.status.code(), Some(1), "{variable}={value}, order {order}: {error}");
            assert!(error.contains(told), "{variable}={value}, order {order}: {error}");
        }
    }
}

fn cache(folder: &Path, arguments: &[&str]) -> Output {
    affinimath(&[&["cache"], arguments].concat(), &[("AFFINIMATH_CACHE_DIR", folder.to_str().unwrap())])
}

#[test]
fn the_cache_is_shown_pruned_and_cleared() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["a.program", "b.program", "c.program", "other"] {
        fs::write(folder.path().join(name), [0; 1000]).unwrap();
    }
    let told = |arguments: &[&str]| {
        let output = cache(folder.path(), arguments);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let value: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        (value["programs"].as_u64().unwrap(), value["removed"]["programs"].as_u64())
    };
    assert_eq!(told(&["info", "--json"]), (3, None));
    assert_eq!(told(&["prune", "--json"]), (3, Some(0)));
    assert_eq!(told(&["prune", "--size", "2K", "--json"]), (2, Some(1)));
    assert_eq!(told(&["clear", "--json"]), (0, Some(2)));
    assert!(folder.path().join("other").exists(), "only programs are removed");
    assert_eq!(cache(folder.path(), &["prune", "--size", "much"]).status.code(), Some(2));
}

#[test]
#[cfg(unix)]
fn a_cache_that_others_may_write_to_is_named_and_left_alone() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let planted = folder.path().join("planted.program");
    fs::write(&planted, "planted").unwrap();
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o777)).unwrap();
    let shown = cache(folder.path(), &["info"]);
    assert!(String::from_utf8_lossy(&shown.stdout).contains("others may write to it"));
    for action in ["prune", "clear"] {
        let output = cache(folder.path(), &[action]);
        assert_eq!(output.status.code(), Some(1));
        assert!(String::from_utf8_lossy(&output.stderr).contains("others may write to it"));
    }
    assert!(planted.exists());
}
