//! The sources of a folder put over one another: the values that hold, and where each comes from.

use super::config_layer::{ConfigIssue, ConfigLayer, ConfigSource, OptionPath};
use super::option_table::{self, DeclaredOption};
use super::options::Config;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// What holds.
#[derive(Clone, Debug, Default)]
pub struct EffectiveConfig {
    /// The values.
    pub config: Config,
    /// The source of each value that is not the default.
    pub origins: BTreeMap<OptionPath, ConfigSource>,
    /// What does not count, in the order of the sources.
    pub issues: Vec<ConfigIssue>,
}

/// Puts statements over one another, the weakest first.
pub fn merge_layers<'a>(statements: impl IntoIterator<Item = &'a ConfigLayer>) -> EffectiveConfig {
    let mut fields = Value::Object(Map::new());
    let (mut origins, mut issues) = (BTreeMap::new(), Vec::new());
    for statement in statements {
        issues.extend(statement.issues.iter().cloned());
        for (path, value) in &statement.values {
            set_value(&mut fields, path, value.clone());
            origins.insert(path.clone(), statement.source.clone());
        }
    }
    let config = serde_json::from_value(fields).expect("each value was read by itself before");
    EffectiveConfig { config, origins, issues }
}

fn set_value(fields: &mut Value, path: &[String], value: Value) {
    let place = path.iter().fold(fields, |place, part| {
        if !place.is_object() {
            *place = Value::Object(Map::new());
        }
        &mut place[part.as_str()]
    });
    *place = value;
}

impl EffectiveConfig {
    /// Every option with its value and source: those with any name once for each name that somebody gave.
    pub fn list_options(&self) -> Vec<(&'static DeclaredOption, String, Value, ConfigSource)> {
        let all = serde_json::to_value(&self.config).expect("the options are plain data");
        let mut listed = Vec::new();
        for option in option_table::all_options() {
            if !option.path.iter().any(|part| part == option_table::ANY) {
                let value = option.path.iter().fold(&all, |value, part| &value[part.as_str()]);
                let source = self.origins.get(&option.path).cloned().unwrap_or(ConfigSource::Default);
                listed.push((option, option.dotted_key(), value.clone(), source));
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
