//! `--set KEY=VALUE`: overrides constants of the ranking configuration for one run.

use anyhow::{Context, bail};
use kenning_retrieval::RankConfig;
use serde_json::Value;

/// Returns the configuration with each `key=value` of `settings` applied. Keys are dotted paths;
/// values are JSON, or plain strings if they do not parse as JSON.
///
/// # Errors
/// Returns an error if the configuration has no such key or if a value has the wrong type.
pub fn apply_settings(config: &RankConfig, settings: &[String]) -> anyhow::Result<RankConfig> {
    let mut tree = serde_json::to_value(config)?;
    for setting in settings {
        let (key, value) =
            setting.split_once('=').with_context(|| format!("`{setting}` is not KEY=VALUE"))?;
        let value = serde_json::from_str(value).unwrap_or_else(|_| Value::String(value.to_owned()));
        set_value(&mut tree, key, value).with_context(|| format!("--set {setting}"))?;
    }
    serde_json::from_value(tree).with_context(|| format!("--set {}", settings.join(" --set ")))
}

fn set_value(tree: &mut Value, key: &str, value: Value) -> anyhow::Result<()> {
    let Some((first, rest)) = key.split_once('.') else {
        match tree {
            // A map of weights accepts new names; all other keys must exist.
            Value::Object(map) if map.contains_key(key) || map.values().all(Value::is_f64) => {
                map.insert(key.to_owned(), value);
            }
            Value::Array(list) => *list_entry(list, key)? = value,
            _ => bail!("the configuration has no `{key}` there"),
        }
        return Ok(());
    };
    let next = match tree {
        Value::Object(map) => {
            map.get_mut(first).with_context(|| format!("the configuration has no `{first}` there"))?
        }
        Value::Array(list) => list_entry(list, first)?,
        _ => bail!("the configuration has no `{first}` there"),
    };
    set_value(next, rest, value)
}

fn list_entry<'a>(list: &'a mut [Value], key: &str) -> anyhow::Result<&'a mut Value> {
    let at: usize = key.parse().with_context(|| format!("`{key}` is not the number of an entry"))?;
    let length = list.len();
    list.get_mut(at).with_context(|| format!("there are {length} entries"))
}

#[cfg(test)]
mod tests {
    use super::apply_settings;
    use kenning_retrieval::RankConfig;

    fn set(setting: &str) -> Result<RankConfig, String> {
        apply_settings(&RankConfig::default(), &[setting.to_owned()]).map_err(|error| format!("{error:#}"))
    }

    #[test]
    fn a_constant_is_changed_for_one_run() {
        assert!((set("walk.restart=0.5").unwrap().walk.restart - 0.5).abs() < 1e-9);
        assert!((set("text.bm25.fields.0.weight=2").unwrap().text.bm25.fields[0].weight - 2.0).abs() < 1e-9);
        assert_eq!(set("rerank=null").unwrap().rerank, None);
    }

    #[test]
    fn unknown_keys_and_wrong_types_are_errors() {
        for setting in ["walk.restrt=1", "walk.restart=much", "walk", "text.bm25.fields.99.b=1"] {
            assert!(set(setting).unwrap_err().contains(setting), "{setting}");
        }
    }
}
