//! The sources of a folder put over one another: the values that hold, and where each comes from.

use super::declared::{self, Declared};
use super::options::Config;
use super::statement::{Issue, Path, Source, Statement};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// What holds.
#[derive(Clone, Debug, Default)]
pub struct Effective {
    /// The values.
    pub config: Config,
    /// The source of each value that is not the default.
    pub origins: BTreeMap<Path, Source>,
    /// What does not count, in the order of the sources.
    pub issues: Vec<Issue>,
}

/// Puts statements over one another, the weakest first.
pub fn combine<'a>(statements: impl IntoIterator<Item = &'a Statement>) -> Effective {
    let mut fields = Value::Object(Map::new());
    let (mut origins, mut issues) = (BTreeMap::new(), Vec::new());
    for statement in statements {
        issues.extend(statement.issues.iter().cloned());
        for (path, value) in &statement.values {
            put(&mut fields, path, value.clone());
            origins.insert(path.clone(), statement.source.clone());
        }
    }
    let config = serde_json::from_value(fields).expect("each value was read by itself before");
    Effective { config, origins, issues }
}

fn put(fields: &mut Value, path: &[String], value: Value) {
    let place = path.iter().fold(fields, |place, part| {
        if !place.is_object() {
            *place = Value::Object(Map::new());
        }
        &mut place[part.as_str()]
    });
    *place = value;
}

impl Effective {
    /// Every option with its value and source: those with any name once for each name that somebody gave.
    pub fn listed(&self) -> Vec<(&'static Declared, String, Value, Source)> {
        let all = serde_json::to_value(&self.config).expect("the options are plain data");
        let mut listed = Vec::new();
        for option in declared::options() {
            if !option.path.iter().any(|part| part == declared::ANY) {
                let value = option.path.iter().fold(&all, |value, part| &value[part.as_str()]);
                let source = self.origins.get(&option.path).cloned().unwrap_or(Source::Default);
                listed.push((option, option.key(), value.clone(), source));
                continue;
            }
            let said = self.origins.iter().filter(|(path, _)| {
                let parts: Vec<&str> = path.iter().map(String::as_str).collect();
                option.is_at(&parts)
            });
            for (path, source) in said {
                let value = path.iter().fold(&all, |value, part| &value[part.as_str()]);
                listed.push((option, path.join("."), value.clone(), source.clone()));
            }
        }
        listed
    }
}
