//! `cargo xtask merge-tuning`: parameters that users sent, into those that come with the library.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::Value;

/// The file that the library takes in.
const SHIPPED: &str = "crates/tuner/src/parameters.jsonl";

/// Device, family, type and class.
type Key = [String; 4];

/// Adds the lines of the files to those that are there. Of the same device and subject, the one counts that gained most
/// over the default parameters, both measured in the same rounds.
pub fn run(root: &Path, files: &[&str]) -> Result<(), String> {
    let path = root.join(SHIPPED);
    let read = |path: &Path| fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()));
    let mut records = BTreeMap::new();
    add(&mut records, &read(&path)?).map_err(|reason| format!("{SHIPPED}: {reason}"))?;
    for file in files {
        add(&mut records, &read(Path::new(file))?).map_err(|reason| format!("{file}: {reason}"))?;
    }
    let text: String = records.values().map(|record| format!("{record}\n")).collect();
    fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))?;
    println!("{SHIPPED} has {} records", records.len());
    Ok(())
}

fn add(records: &mut BTreeMap<Key, Value>, text: &str) -> Result<(), String> {
    for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let wrong = |reason: String| format!("line {}: {reason}", number + 1);
        let record: Value = serde_json::from_str(line).map_err(|error| wrong(error.to_string()))?;
        let key = key(&record).ok_or_else(|| wrong("it is no record of parameters".to_owned()))?;
        let gained = gain(&record).ok_or_else(|| wrong("its times are none".to_owned()))?;
        if records.get(&key).and_then(gain).is_none_or(|before| gained > before) {
            records.insert(key, record);
        }
    }
    Ok(())
}

fn key(record: &Value) -> Option<Key> {
    let text = |name: &str| record[name].as_str().filter(|text| !text.is_empty()).map(str::to_owned);
    let values = record["configuration"].as_object().filter(|values| !values.is_empty())?;
    if !values.values().all(Value::is_i64) {
        return None;
    }
    (text("driver").is_some() && text("library").is_some()).then_some(())?;
    Some([text("device")?, text("family")?, text("kind")?, text("class")?])
}

/// The speedup over the default parameters.
fn gain(record: &Value) -> Option<f64> {
    let seconds = |name: &str| record[name].as_f64().filter(|seconds| seconds.is_finite() && *seconds > 0.0);
    Some(seconds("default_seconds")? / seconds("seconds")?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(device: &str, class: &str, value: i64, seconds: f64) -> String {
        let subject = format!(r#""device":"{device}","driver":"1","family":"gemm-tiled","kind":"S","class":"{class}""#);
        let found = format!(r#""configuration":{{"tile_m":{value}}},"seconds":{seconds},"default_seconds":2.0"#);
        format!(r#"{{"library":"0.1.0",{subject},{found},"evaluations":9}}"#)
    }

    #[test]
    fn the_largest_gain_of_a_device_and_subject_counts() {
        let mut records = BTreeMap::new();
        let sent = [
            line("a", "large", 1, 1.5),
            line("a", "large", 2, 1.0),
            line("a", "large", 3, 1.9),
            line("b", "large", 4, 1.0),
        ];
        add(&mut records, &sent.join("\n")).unwrap();
        add(&mut records, &line("a", "small", 5, 1.8)).unwrap();
        let tiles: Vec<i64> =
            records.values().map(|record| record["configuration"]["tile_m"].as_i64().unwrap()).collect();
        assert_eq!(tiles, [2, 5, 4]);
    }

    #[test]
    fn lines_that_are_no_records_are_named() {
        let mut records = BTreeMap::new();
        for wrong in ["nonsense", "{}", &line("", "large", 1, 1.0), &line("a", "large", 1, -1.0)] {
            let text = format!("{}\n{wrong}", line("a", "large", 1, 1.0));
            assert!(add(&mut records, &text).unwrap_err().starts_with("line 2: "), "{wrong}");
        }
    }
}
