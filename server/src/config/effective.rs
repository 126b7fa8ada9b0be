//! Merges the layers of a folder into the effective configuration, and records the source of each
//! value.

use super::config_layer::{ConfigIssue, ConfigLayer, ConfigSource, OptionPath};
use super::option_table;
use super::options::Config;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// The effective configuration of a folder.
#[derive(Clone, Debug, Default)]
pub struct EffectiveConfig {
    /// The effective values.
    pub config: Config,
    /// The source of each value that a layer sets; all other values are defaults.
    pub origins: BTreeMap<OptionPath, ConfigSource>,
    /// The issues of all layers, in the order of the sources.
    pub issues: Vec<ConfigIssue>,
}

/// An option with its effective value.
#[derive(Clone, Debug)]
pub struct ListedOption {
    /// The key with dots; for a named server with the server's name.
    pub key: String,
    /// The effective value.
    pub value: Value,
    /// The source of the value.
    pub source: ConfigSource,
}

/// Merges layers, the weakest first: a later layer overrides an earlier one option by option.
pub fn merge_layers<'a>(layers: impl IntoIterator<Item = &'a ConfigLayer>) -> EffectiveConfig {
    let mut fields = Value::Object(Map::new());
    let (mut origins, mut issues) = (BTreeMap::new(), Vec::new());
    for layer in layers {
        issues.extend(layer.issues.iter().cloned());
        for (path, value) in &layer.values {
            set_value(&mut fields, path, value.clone());
            origins.insert(path.clone(), layer.source.clone());
        }
    }
    let config = serde_json::from_value(fields).expect("each value was checked before");
    EffectiveConfig { config, origins, issues }
}

fn set_value(fields: &mut Value, path: &[String], value: Value) {
    let node = path.iter().fold(fields, |node, part| {
        if !node.is_object() {
            *node = Value::Object(Map::new());
        }
        &mut node[part.as_str()]
    });
    *node = value;
}

impl EffectiveConfig {
    /// Lists every option with its value and source. An option of a named server is listed once per
    /// server that a source configures.
    pub fn list_options(&self) -> Vec<ListedOption> {
        let all = serde_json::to_value(&self.config).expect("the options are plain data");
        let mut listed = Vec::new();
        for option in option_table::all_options() {
            if !option.path.iter().any(|part| part == option_table::ANY) {
                let value = option.path.iter().fold(&all, |value, part| &value[part.as_str()]);
                let source = self.origins.get(&option.path).cloned().unwrap_or(ConfigSource::Default);
                listed.push(ListedOption { key: option.dotted_key(), value: value.clone(), source });
                continue;
            }
            let configured = self.origins.iter().filter(|(path, _)| {
                let parts: Vec<&str> = path.iter().map(String::as_str).collect();
                option.is_at(&parts)
            });
            for (path, source) in configured {
                let value = path.iter().fold(&all, |value, part| &value[part.as_str()]);
                let (key, source) = (path.join("."), source.clone());
                listed.push(ListedOption { key, value: value.clone(), source });
            }
        }
        listed
    }
}
