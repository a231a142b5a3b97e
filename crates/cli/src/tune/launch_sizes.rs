//! Sizes of a tuned kernel's launch, which depend on its parameters and on the recorded launch.

use affinimath::replay::LaunchRecord;
use affinimath_tuner::space::{Configuration, Constraint, Symbol, Term};

/// Axes in names: `block_size_x`, `global_x`, `groups_x`, `items_x`.
const AXES: [char; 3] = ['x', 'y', 'z'];

/// Expressions of a launch's sizes.
#[derive(Clone, Debug)]
pub struct LaunchSizes {
    items: [Option<Term>; 3],
    groups: [Option<Term>; 3],
}

impl LaunchSizes {
    /// Reads expressions. Names are those of parameters, of the launch's integer arguments, and of its recorded sizes.
    ///
    /// # Errors
    /// A text that is no expression, or a name without meaning.
    pub fn parse(
        items: &[Option<String>; 3],
        groups: &[Option<String>; 3],
        is_parameter: &dyn Fn(&str) -> bool,
        record: &LaunchRecord,
    ) -> Result<Self, String> {
        let meaning = |symbol: Symbol<'_>| match symbol {
            Symbol::Name(name) if is_parameter(name) || recorded(record, name).is_some() => Ok(Term::from(name)),
            Symbol::Name(name) => Err(format!(
                "'{name}' is no parameter, no integer argument of the launch, and none of global_x, groups_x, items_x"
            )),
            Symbol::Position(_) | Symbol::Variable(_) => Err("sizes have no names behind a dollar".to_owned()),
        };
        let read = |text: &Option<String>| -> Result<Option<Term>, String> {
            let Some(text) = text else { return Ok(None) };
            match Constraint::parse_with(text, meaning).map_err(|error| error.to_string())? {
                Constraint::Holds(term) => Ok(Some(term)),
                _ => Err(format!("'{text}' is no expression")),
            }
        };
        let [ix, iy, iz] = items;
        let [gx, gy, gz] = groups;
        Ok(LaunchSizes { items: [read(ix)?, read(iy)?, read(iz)?], groups: [read(gx)?, read(gy)?, read(gz)?] })
    }

    /// Work-groups, and work-items of a group, at a point.
    ///
    /// Without expressions a group has `block_size_x`, `block_size_y` and `block_size_z` work-items where the point has
    /// these parameters, and else as many as the recorded one. There are as many groups as cover the recorded
    /// work-items.
    ///
    /// # Errors
    /// A size that is undefined, or not positive.
    pub fn at(&self, point: &Configuration, record: &LaunchRecord) -> Result<([usize; 3], [usize; 3]), String> {
        let meaning = |name: &str| point.value(name).map_or_else(|| recorded(record, name), |value| value.as_integer());
        let (mut groups, mut items) = ([1; 3], [1; 3]);
        for axis in 0..3 {
            let size = |term: &Term, what: &str| {
                let value = term.value(&meaning).and_then(|value| usize::try_from(value).ok()).filter(|size| *size > 0);
                value.ok_or_else(|| format!("{what} along {} are '{term}', which is no positive number", AXES[axis]))
            };
            items[axis] = match &self.items[axis] {
                Some(term) => size(term, "work-items")?,
                None => point.get(&format!("block_size_{}", AXES[axis])).unwrap_or(record.items[axis]),
            };
            if items[axis] == 0 {
                return Err(format!("block_size_{} is 0", AXES[axis]));
            }
            groups[axis] = match &self.groups[axis] {
                Some(term) => size(term, "work-groups")?,
                None => record.global()[axis].div_ceil(items[axis]),
            };
        }
        Ok((groups, items))
    }
}

/// A number of the recorded launch, by its name.
fn recorded(record: &LaunchRecord, name: &str) -> Option<i64> {
    let size = |size: usize| i64::try_from(size).ok();
    if let Some((what, axis)) = name.rsplit_once('_') {
        let axis = AXES.iter().position(|known| axis.len() == 1 && axis.starts_with(*known));
        match (what, axis) {
            ("global", Some(axis)) => return size(record.global()[axis]),
            ("groups", Some(axis)) => return size(record.groups[axis]),
            ("items", Some(axis)) => return size(record.items[axis]),
            _ => {}
        }
    }
    record.integer(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record() -> LaunchRecord {
        LaunchRecord::new(0, "scale", "scale", [10, 4, 1], [64, 2, 1])
    }

    fn sizes(items: Option<&str>, groups: Option<&str>) -> Result<LaunchSizes, String> {
        let of = |text: Option<&str>| [text.map(str::to_owned), None, None];
        LaunchSizes::parse(&of(items), &of(groups), &|name| name == "block" || name == "each", &record())
    }

    #[test]
    fn groups_cover_the_recorded_work_items() {
        let point = Configuration::new([("block_size_x", 48), ("block_size_y", 1)]);
        assert_eq!(sizes(None, None).unwrap().at(&point, &record()), Ok(([14, 8, 1], [48, 1, 1])));
        assert_eq!(sizes(None, None).unwrap().at(&Configuration::default(), &record()), Ok(([10, 4, 1], [64, 2, 1])));
    }

    #[test]
    fn expressions_see_parameters_and_recorded_sizes() {
        let point = Configuration::new([("block", 32), ("each", 4)]);
        let given = sizes(Some("block * 2"), Some("(global_x + block * each - 1) / (block * each)")).unwrap();
        assert_eq!(given.at(&point, &record()), Ok(([5, 4, 1], [64, 2, 1])));
        let zero = sizes(Some("block - 32"), None).unwrap().at(&point, &record()).unwrap_err();
        assert!(zero.contains("no positive number"), "{zero}");
    }

    #[test]
    fn unknown_names_and_broken_expressions_are_refused() {
        assert!(sizes(Some("blok"), None).unwrap_err().contains("'blok' is no parameter"));
        assert!(sizes(None, Some("block +")).is_err());
        assert!(sizes(None, Some("$1")).is_err());
    }
}
