//! The arguments of a program: fixed texts and sets of values.

use affinimath_tuner::space::{Configuration, Constraint, RuleError, Symbol, Term, Value};

/// Values of an argument, at most.
const MAX_VALUES: i128 = 1_000_000;

/// An argument.
#[derive(Clone, Debug, PartialEq)]
enum Argument {
    /// A text that is passed on.
    Fixed(String),
    Parameter(Parameter),
}

/// An argument with values.
#[derive(Clone, Debug, PartialEq)]
struct Parameter {
    /// The name for rules and tables.
    name: String,
    /// The text before the value: `--tile=`.
    prefix: String,
    values: Vec<Value>,
    swept: bool,
}

/// The arguments of all candidates.
#[derive(Clone, Debug, PartialEq)]
pub struct Template {
    arguments: Vec<Argument>,
}

impl Template {
    /// Reads arguments.
    ///
    /// # Errors
    /// A range that is none, two parameters of one name, or no parameter at all.
    pub fn read(texts: &[String]) -> Result<Self, String> {
        let numbered = texts.iter().enumerate();
        let arguments = numbered.map(|(index, text)| argument(index + 1, text)).collect::<Result<Vec<_>, _>>()?;
        let template = Template { arguments };
        let names: Vec<&str> = template.parameters().map(|(name, _)| name).collect();
        if names.is_empty() {
            return Err("no argument has several values, as in 4:4:200 or a,b".to_owned());
        }
        match names.iter().enumerate().find(|(index, name)| names[..*index].contains(name)) {
            Some((_, name)) => Err(format!("two arguments have the name '{name}'")),
            None => Ok(template),
        }
    }

    /// The parameters' names and values.
    pub fn parameters(&self) -> impl Iterator<Item = (&str, &[Value])> {
        self.with_values().map(|parameter| (parameter.name.as_str(), parameter.values.as_slice()))
    }

    fn with_values(&self) -> impl Iterator<Item = &Parameter> {
        self.arguments.iter().filter_map(|argument| match argument {
            Argument::Parameter(parameter) => Some(parameter),
            Argument::Fixed(_) => None,
        })
    }

    /// The names of the swept parameters.
    pub fn swept(&self) -> Vec<String> {
        self.with_values().filter(|parameter| parameter.swept).map(|parameter| parameter.name.clone()).collect()
    }

    /// The arguments of a candidate.
    pub fn fill(&self, point: &Configuration) -> Vec<String> {
        let text = |argument: &Argument| match argument {
            Argument::Fixed(text) => text.clone(),
            Argument::Parameter(Parameter { name, prefix, .. }) => {
                format!("{prefix}{}", point.value(name).map(Value::to_string).unwrap_or_default())
            }
        };
        self.arguments.iter().map(text).collect()
    }

    /// The arguments with braces in place of values.
    pub fn shape(&self) -> Vec<String> {
        let text = |argument: &Argument| match argument {
            Argument::Fixed(text) => text.clone(),
            Argument::Parameter(Parameter { prefix, .. }) => format!("{prefix}{{}}"),
        };
        self.arguments.iter().map(text).collect()
    }

    /// Reads a rule, in which `$2` is the second argument, fixed or not, `tile` the one of that name, and `$NAME` an
    /// integer of the environment.
    ///
    /// # Errors
    /// A text that is no rule of these arguments.
    pub fn rule(&self, text: &str) -> Result<Constraint, RuleError> {
        // The notation of PATUS has a C in front.
        let text = text.strip_prefix('C').filter(|rest| rest.starts_with(['(', '$'])).unwrap_or(text);
        Constraint::parse_with(text, |symbol| match symbol {
            Symbol::Position(position) => self.at(position),
            Symbol::Name(name) => match self.parameters().any(|(own, _)| own == name) {
                true => Ok(Term::from(name)),
                false => Err(format!("no argument has the name '{name}'")),
            },
            Symbol::Variable(name) => match std::env::var(name).ok().and_then(|value| value.trim().parse().ok()) {
                Some(value) => Ok(Term::Constant(value)),
                None => Err(format!("the variable '{name}' of the environment is no integer")),
            },
        })
    }

    fn at(&self, position: usize) -> Result<Term, String> {
        let argument = position.checked_sub(1).and_then(|index| self.arguments.get(index));
        match argument {
            None => Err(format!("there are {} arguments, and no ${position}", self.arguments.len())),
            Some(Argument::Parameter(parameter)) => Ok(Term::from(parameter.name.as_str())),
            Some(Argument::Fixed(text)) => Ok(text.parse().map_or_else(|_| Term::text(text), Term::Constant)),
        }
    }
}

fn argument(number: usize, text: &str) -> Result<Argument, String> {
    if let Some(literal) = text.strip_prefix('\\') {
        return Ok(Argument::Fixed(literal.to_owned()));
    }
    let (prefix, set) = match text.find('=') {
        Some(equals) => text.split_at(equals + 1),
        None => ("", text),
    };
    let swept = set.ends_with('!');
    let bare = set.strip_suffix('!').unwrap_or(set);
    let wrong = |reason: String| format!("the argument '{text}' is no range: {reason}; \\{text} passes it as it is");
    let values = if bare.contains(',') {
        Some(list(bare).map_err(wrong)?)
    } else if bare.contains(':') && bare.trim_start_matches('-').starts_with(|c: char| c.is_ascii_digit()) {
        Some(range(bare).map_err(wrong)?)
    } else {
        None
    };
    let name = prefix.trim_start_matches('-').trim_end_matches('=');
    let name = if name.is_empty() { format!("${number}") } else { name.to_owned() };
    Ok(match values {
        Some(values) => Argument::Parameter(Parameter { name, prefix: prefix.to_owned(), values, swept }),
        None => Argument::Fixed(text.to_owned()),
    })
}

/// `8,12,20`, or `row,column`: integers if all are.
fn list(text: &str) -> Result<Vec<Value>, String> {
    let words: Vec<&str> = text.split(',').map(str::trim).collect();
    if words.contains(&"") {
        return Err("a value of the list is empty".to_owned());
    }
    let integers: Result<Vec<i64>, _> = words.iter().map(|word| word.parse()).collect();
    Ok(match integers {
        Ok(integers) => integers.into_iter().map(Value::Integer).collect(),
        Err(_) => words.into_iter().map(Value::from).collect(),
    })
}

/// `4:200`, `4:4:200` or `1:*2:16`.
fn range(text: &str) -> Result<Vec<Value>, String> {
    let integer = |part: &str| part.trim().parse::<i64>().map_err(|_| format!("'{part}' is no integer"));
    let parts: Vec<&str> = text.split(':').collect();
    let (start, step, end) = match parts[..] {
        [start, end] => (start, "1", end),
        [start, step, end] => (start, step, end),
        _ => return Err("it has more than three parts".to_owned()),
    };
    let (start, end) = (integer(start)?, integer(end)?);
    if end < start {
        return Err(format!("{end} is less than {start}"));
    }
    let mut values = Vec::new();
    if let Some(factor) = step.strip_prefix('*') {
        let factor = integer(factor)?;
        if factor < 2 || start < 1 {
            return Err("a geometric range starts at 1 or above, with a factor of 2 or more".to_owned());
        }
        let mut value = Some(start);
        while let Some(next) = value.filter(|value| *value <= end) {
            values.push(Value::Integer(next));
            value = next.checked_mul(factor);
        }
    } else {
        let step = integer(step)?;
        if step < 1 {
            return Err("the step is less than 1".to_owned());
        }
        // Of 128 bits: the ends may be the least and the largest integer.
        let count = (i128::from(end) - i128::from(start)) / i128::from(step) + 1;
        if count > MAX_VALUES {
            return Err(format!("it has {count} values, and {MAX_VALUES} are allowed"));
        }
        values.extend((0..count as i64).map(|index| Value::Integer(start + index * step)));
    }
    Ok(values)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(texts: &[&str]) -> Result<Template, String> {
        Template::read(&texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>())
    }

    fn values(text: &str) -> Vec<String> {
        let template = read(&[text]).unwrap();
        template.parameters().flat_map(|(_, values)| values.iter().map(Value::to_string)).collect()
    }

    #[test]
    fn ranges_and_lists_have_their_values() {
        assert_eq!(values("1:10").len(), 10);
        assert_eq!(
            values("2:2:41"),
            [
                "2", "4", "6", "8", "10", "12", "14", "16", "18", "20", "22", "24", "26", "28", "30", "32", "34", "36",
                "38", "40"
            ]
        );
        assert_eq!(values("1:*2:128"), ["1", "2", "4", "8", "16", "32", "64", "128"]);
        assert_eq!(values("3:*10:9223372036854775807").len(), 19);
        assert_eq!(values("-4:3:4"), ["-4", "-1", "2"]);
        assert_eq!(values("9,3,5!"), ["9", "3", "5"]);
        assert_eq!(values("--order=row,column"), ["row", "column"]);
    }

    #[test]
    fn a_candidate_has_fixed_texts_and_its_values() {
        let template = read(&["200", "4:4:200", "--mode=a,b!", "-v", "\\1:2", "C:\\x", "--n=3"]).unwrap();
        let names: Vec<&str> = template.parameters().map(|(name, _)| name).collect();
        assert_eq!((names, template.swept()), (vec!["$2", "mode"], vec!["mode".to_owned()]));
        let mut point = Configuration::new([("$2", 8)]);
        point.0.insert("mode".to_owned(), "b".into());
        assert_eq!(template.fill(&point), ["200", "8", "--mode=b", "-v", "1:2", "C:\\x", "--n=3"]);
        assert_eq!(template.shape(), ["200", "{}", "--mode={}", "-v", "1:2", "C:\\x", "--n=3"]);
    }

    #[test]
    fn rules_name_arguments_by_place_and_name() {
        let template = read(&["200", "4:4:200", "--tile=1:*2:16", "row,column"]).unwrap();
        let text = |rule: &str| template.rule(rule).map(|rule| rule.to_string());
        assert_eq!(text("($1+$2-1)/$2>=2").unwrap(), "(((200 + $2) - 1) // $2) >= 2");
        assert_eq!(text("C$2<=$3").unwrap(), "$2 <= tile");
        assert_eq!(text("tile * $2 < 99 and $4 == 'row'").unwrap(), "((tile * $2) < 99) and ($4 == 'row')");
        for (rule, told) in [
            ("$5 < 2", "4 arguments"),
            ("$0 < 2", "4 arguments"),
            ("tiles < 2", "'tiles'"),
            ("$AFFINIMATH_NOT_THERE < 2", "'AFFINIMATH_NOT_THERE'"),
        ] {
            assert!(text(rule).unwrap_err().to_string().contains(told), "{rule}");
        }
    }

    #[test]
    fn a_wrong_range_is_told_with_a_way_out() {
        for (text, told) in [
            ("4:x:8", "'x' is no integer"),
            ("4:0:8", "less than 1"),
            ("4:-1:8", "less than 1"),
            ("8:4", "less than 8"),
            ("0:*2:8", "starts at 1"),
            ("1:*1:8", "starts at 1"),
            ("1:2:3:4", "more than three"),
            ("a,,b", "empty"),
            ("0:9223372036854775807", "allowed"),
            ("-9223372036854775808:9223372036854775807", "allowed"),
            ("1:99999999999999999999", "no integer"),
        ] {
            let message = read(&[text]).unwrap_err();
            assert!(message.contains(told) && message.contains("passes it as it is"), "{text}: {message}");
        }
        assert!(read(&["200", "-v"]).unwrap_err().contains("no argument has several values"));
        assert!(read(&["--a=1:2", "-a=1:2"]).unwrap_err().contains("two arguments"));
    }
}
