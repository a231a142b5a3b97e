//! Spaces of other tuners' kernels, from files in the format T1
//! (<https://github.com/odgaard/TuningSchema>), which Kernel Tuner and KTT read.

use std::fmt;

use serde_json::Value as Json;

use crate::space::{Configuration, Space, SpaceBuilder, Value};

/// A kernel's space, and what its file says of the kernel.
#[derive(Clone, Debug)]
pub struct KernelSpace {
    /// Space of the parameters.
    pub space: Space,
    /// Default values, where each parameter has one.
    pub default: Option<Configuration>,
    /// Name of the kernel.
    pub kernel: Option<String>,
    /// Its source file.
    pub file: Option<String>,
    /// Options of the compiler.
    pub options: String,
    /// Work-items of a group, per dimension: expressions of the parameters.
    pub items: [Option<String>; 3],
    /// Work-groups, per dimension.
    pub groups: [Option<String>; 3],
    /// Work-items of all groups, per dimension, where the file counts these.
    pub global: [Option<String>; 3],
}

/// A text that is no space in T1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct T1Error(String);

impl fmt::Display for T1Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for T1Error {}

fn error<T>(reason: impl Into<String>) -> Result<T, T1Error> {
    Err(T1Error(reason.into()))
}

impl KernelSpace {
    /// Reads a file's text.
    ///
    /// # Errors
    /// Text that is no JSON, has no `ConfigurationSpace`, or whose parameters and conditions make no space.
    pub fn parse(text: &str) -> Result<Self, T1Error> {
        let file: Json = serde_json::from_str(text).or_else(|reason| error(format!("it is no JSON: {reason}")))?;
        let Some(parameters) = file["ConfigurationSpace"]["TuningParameters"].as_array() else {
            return error("it has no list ConfigurationSpace.TuningParameters: it is no space in the format T1");
        };
        let (mut builder, mut defaults) = (Space::builder(), Configuration::default());
        for parameter in parameters {
            let Some(name) = parameter["Name"].as_str() else { return error("a parameter has no Name") };
            let listed = values(&parameter["Values"]);
            let values = listed.or_else(|reason| error(format!("the values of '{name}': {reason}")))?;
            builder = builder.parameter(name, values);
            if let Some(value) = scalar(&parameter["Default"]) {
                defaults.0.insert(name.to_owned(), value);
            }
        }
        let conditions = file["ConfigurationSpace"]["Conditions"].as_array().map_or(&[][..], Vec::as_slice);
        let space = conditions.iter().try_fold(builder, condition)?.build();
        let space = space.or_else(|reason| error(reason.to_string()))?;
        let kernel = &file["KernelSpecification"];
        let text = |name: &str| kernel[name].as_str().map(str::to_owned);
        let counts_groups = kernel["GlobalSizeType"].as_str().is_none_or(|kind| kind.eq_ignore_ascii_case("cuda"));
        let none = || [None, None, None];
        let sizes = axes(&kernel["GlobalSize"]);
        let (groups, global) = if counts_groups { (sizes, none()) } else { (none(), sizes) };
        Ok(KernelSpace {
            default: (defaults.0.len() == parameters.len()).then_some(defaults),
            space,
            kernel: text("KernelName"),
            file: text("KernelFile"),
            options: options(&kernel["CompilerOptions"]),
            items: axes(&kernel["LocalSize"]),
            groups,
            global,
        })
    }
}

fn condition(builder: SpaceBuilder, condition: &Json) -> Result<SpaceBuilder, T1Error> {
    match condition["Expression"].as_str() {
        Some(rule) => Ok(builder.rule(rule)),
        None => error("a condition has no Expression"),
    }
}

fn options(value: &Json) -> String {
    match value {
        Json::Array(all) => all.iter().filter_map(Json::as_str).collect::<Vec<_>>().join(" "),
        _ => value.as_str().unwrap_or_default().to_owned(),
    }
}

/// Expressions of the dimensions.
fn axes(sizes: &Json) -> [Option<String>; 3] {
    ["X", "Y", "Z"].map(|axis| match &sizes[axis] {
        Json::String(text) => Some(text.clone()),
        Json::Number(number) => Some(number.to_string()),
        _ => None,
    })
}

fn scalar(value: &Json) -> Option<Value> {
    match value {
        Json::Bool(value) => Some(Value::Boolean(*value)),
        Json::Number(number) => number.as_i64().map(Value::Integer),
        Json::String(text) => Some(word(text)),
        _ => None,
    }
}

/// The value of a word of Python: an integer, a boolean, or a name in quotes or without.
fn word(text: &str) -> Value {
    let quoted = |quote: char| text.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote));
    match text {
        "True" | "true" => Value::Boolean(true),
        "False" | "false" => Value::Boolean(false),
        _ => match (text.parse(), quoted('"').or_else(|| quoted('\''))) {
            (Ok(number), _) => Value::Integer(number),
            (_, name) => Value::Name(name.unwrap_or(text).to_owned()),
        },
    }
}

/// Values of a list of JSON, or of a list of Python in a text: `[16, 32, 64]`.
fn values(value: &Json) -> Result<Vec<Value>, T1Error> {
    let text = match value {
        Json::Array(all) => {
            let one = |value: &Json| scalar(value).map_or_else(|| error(format!("{value} is no value")), Ok);
            return all.iter().map(one).collect();
        }
        Json::String(text) => text.trim(),
        _ => return error("there is no list"),
    };
    let Some(inner) = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) else {
        return error(format!("{text:?} is no list such as [16, 32, 64]"));
    };
    let known = |text: &str| match word(text) {
        Value::Name(name) if name.is_empty() || (name == text && !is_plain(&name)) => {
            error(format!("{text:?} is neither an integer, nor True or False, nor a text in quotes"))
        }
        value => Ok(value),
    };
    inner.split(',').map(str::trim).filter(|text| !text.is_empty()).map(known).collect()
}

fn is_plain(name: &str) -> bool {
    name.chars().all(|c| c.is_alphanumeric() || c == '_') && name.starts_with(char::is_alphabetic)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = r#"{
        "ConfigurationSpace": {
            "TuningParameters": [
                { "Name": "block", "Type": "int", "Values": "[32, 16, 64]", "Default": 32 },
                { "Name": "order", "Type": "string", "Values": "['rows', \"columns\"]", "Default": "rows" },
                { "Name": "unroll", "Type": "bool", "Values": [false, true], "Default": true }
            ],
            "Conditions": [ { "Expression": "block <= 32 or unroll", "Parameters": ["block", "unroll"] } ]
        },
        "KernelSpecification": {
            "Language": "OpenCL", "KernelName": "scale", "KernelFile": "scale.cl",
            "CompilerOptions": ["-cl-fast-relaxed-math", "-DN=4"],
            "GlobalSizeType": "OpenCL", "GlobalSize": { "X": "4096", "Y": 1 }, "LocalSize": { "X": "block" }
        }
    }"#;

    #[test]
    fn a_space_has_its_parameters_conditions_and_sizes() {
        let read = KernelSpace::parse(TEXT).unwrap();
        assert_eq!(read.space.len(), 3 * 2 * 2 - 2);
        let default = read.default.unwrap();
        assert_eq!(default.to_string(), "block=32 order=rows unroll=true");
        assert!(read.space.find(&default).is_some());
        assert_eq!((read.kernel.as_deref(), read.file.as_deref()), (Some("scale"), Some("scale.cl")));
        assert_eq!(read.options, "-cl-fast-relaxed-math -DN=4");
        assert_eq!(read.items, [Some("block".to_owned()), None, None]);
        assert_eq!(read.global, [Some("4096".to_owned()), Some("1".to_owned()), None]);
        assert_eq!(read.groups, [None, None, None]);
    }

    #[test]
    fn other_texts_are_refused_with_a_reason() {
        for (from, to, reason) in [
            ("{", "[", "no JSON"),
            ("TuningParameters", "Parameters", "no space in the format T1"),
            ("\"Name\": \"block\"", "\"Title\": \"block\"", "no Name"),
            ("[32, 16, 64]", "range(4)", "no list such as"),
            ("[32, 16, 64]", "[2**i, 4]", "neither an integer"),
            ("[32, 16, 64]", "[32, 0.5]", "neither an integer"),
            ("[32, 16, 64]", "[32, 'a']", "neither all integers"),
            ("[32, 16, 64]", "[]", "no values"),
            ("Expression", "Text", "no Expression"),
            ("block <= 32", "blok <= 32", "'blok' is no parameter"),
            ("[false, true]", "[null]", "is no value"),
        ] {
            let text = TEXT.replacen(from, to, 1);
            assert_ne!(text, TEXT);
            let found = KernelSpace::parse(&text).unwrap_err().to_string();
            assert!(found.contains(reason), "{from} -> {to}: {found}");
        }
    }
}
