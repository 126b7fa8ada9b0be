//! `--set KEY=VALUE`: overrides constants of a ranking configuration for one run.
//!
//! A key is the dotted path of a field of [`RankConfig`], with numbers for entries of lists. A
//! value is JSON, or a plain string if it is not JSON. The overrides become part of the
//! configuration's name, so that results name them and packs get other roots.

use crate::config::config_layer::closest_word;
use kenning_retrieval::RankConfig;
use serde_json::Value;
use std::str::FromStr;
use thiserror::Error;

/// A constant and its value.
#[derive(Clone, Debug, PartialEq)]
pub struct RankOverride {
    key: String,
    value: Value,
    /// The override as it was written.
    text: String,
}

/// The reason why an override is refused.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum OverrideError {
    /// The text has no `=`.
    #[error("it must be KEY=VALUE, as in walk.restart=0.5")]
    NoValue,
    /// The configuration has no such constant.
    #[error("--set {setting}: the configuration {config} has no constant {key}{hint}")]
    UnknownKey {
        /// The override as it was written.
        setting: String,
        /// The name of the configuration.
        config: String,
        /// The constant.
        key: String,
        /// The suggestion of another constant, as the end of the sentence.
        hint: String,
    },
    /// A constant cannot have the value.
    #[error("--set {settings}: {key} cannot have this value: {problem}")]
    WrongValue {
        /// All overrides as they were written.
        settings: String,
        /// The constant.
        key: String,
        /// The problem.
        problem: String,
    },
    /// A constant of vectors is set, but the workspace has no model.
    #[error(
        "--set {setting}: vectors.model names no model, so {key} has no effect; set vectors.model to the folder of a \
         model2vec model (docs/vectors.md), or leave out this --set"
    )]
    NoModel {
        /// The override as it was written.
        setting: String,
        /// The constant.
        key: String,
    },
}

impl FromStr for RankOverride {
    type Err = OverrideError;

    fn from_str(text: &str) -> Result<Self, OverrideError> {
        let (key, value) =
            text.split_once('=').filter(|(key, _)| !key.trim().is_empty()).ok_or(OverrideError::NoValue)?;
        let value = serde_json::from_str(value).unwrap_or_else(|_| Value::String(value.to_owned()));
        Ok(Self { key: key.trim().to_owned(), value, text: text.to_owned() })
    }
}

impl RankOverride {
    /// Returns the override as it was written.
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

/// Returns the configuration with the overrides applied in their order.
///
/// # Errors
/// Returns an error if the configuration has no such constant, or if the constant cannot have the
/// value.
pub fn apply_overrides(config: RankConfig, overrides: &[RankOverride]) -> Result<RankConfig, OverrideError> {
    if overrides.is_empty() {
        return Ok(config);
    }
    let mut tree = serde_json::to_value(&config).expect("a configuration is plain data");
    let name = tree.as_object_mut().and_then(|fields| fields.shift_remove("name"));
    let unknown = |constant: &RankOverride, tree: &Value| OverrideError::UnknownKey {
        setting: constant.text.clone(),
        config: config.name.clone(),
        key: constant.key.clone(),
        hint: describe_alternatives(tree, &constant.key),
    };
    for constant in overrides {
        if !set_value(&mut tree, &constant.key, &constant.value) {
            return Err(unknown(constant, &tree));
        }
    }
    let settings: Vec<&str> = overrides.iter().map(RankOverride::as_str).collect();
    if let (Some(fields), Some(Value::String(name))) = (tree.as_object_mut(), name) {
        fields.insert("name".to_owned(), Value::String(format!("{name} {}", settings.join(" "))));
    }
    let changed: RankConfig = serde_path_to_error::deserialize(&tree).map_err(|error| {
        let (key, problem) = (error.path().to_string(), error.inner().to_string());
        OverrideError::WrongValue { settings: settings.join(" --set "), key, problem }
    })?;
    // A new name in a map is only known after the map was read: fields of structs are ignored.
    let read = serde_json::to_value(&changed).expect("a configuration is plain data");
    match overrides.iter().find(|constant| find_value(&read, &constant.key).is_none()) {
        Some(constant) => Err(unknown(constant, &read)),
        None => Ok(changed),
    }
}

/// Checks that the constants of vectors have an effect. `model` is the option `vectors.model`.
///
/// # Errors
/// Returns an error if an override changes a constant of vectors, but no model is named.
pub fn check_vector_overrides(overrides: &[RankOverride], model: Option<&str>) -> Result<(), OverrideError> {
    let needs_model = |constant: &&RankOverride| constant.key.split('.').next() == Some("vectors");
    match overrides.iter().find(needs_model).filter(|_| model.is_none()) {
        Some(RankOverride { key, text, .. }) => {
            Err(OverrideError::NoModel { setting: text.clone(), key: key.clone() })
        }
        None => Ok(()),
    }
}

/// Sets the value at a key. Returns whether the tree may have such a key.
fn set_value(tree: &mut Value, key: &str, value: &Value) -> bool {
    let (parent, last) = key.rsplit_once('.').map_or(("", key), |(parent, last)| (parent, last));
    let node = if parent.is_empty() { Some(tree) } else { tree.pointer_mut(&to_json_pointer(parent)) };
    match node {
        // A map of weights accepts new names; all other keys must exist.
        Some(Value::Object(fields)) if fields.contains_key(last) || fields.values().all(Value::is_f64) => {
            fields.insert(last.to_owned(), value.clone());
            true
        }
        Some(Value::Array(list)) => {
            let entry = last.parse().ok().and_then(|at: usize| list.get_mut(at));
            entry.map(|entry| *entry = value.clone()).is_some()
        }
        _ => false,
    }
}

fn find_value<'a>(tree: &'a Value, key: &str) -> Option<&'a Value> {
    tree.pointer(&to_json_pointer(key))
}

/// Converts a dotted key to a JSON pointer.
fn to_json_pointer(key: &str) -> String {
    format!("/{}", key.replace('~', "~0").replace('/', "~1").replace('.', "/"))
}

/// Suggests another key for an unknown one, as the end of a sentence.
fn describe_alternatives(tree: &Value, key: &str) -> String {
    let parts: Vec<&str> = key.split('.').collect();
    let (mut node, mut known) = (tree, 0);
    while let Some(next) = parts.get(known).and_then(|part| find_child(node, part)) {
        (node, known) = (next, known + 1);
    }
    let section = parts[..known].join(".");
    if node.is_null() && known > 0 {
        return format!(", because {section} is off in it");
    }
    if let Value::Array(list) = node {
        return format!("; {section} has the entries 0 to {}", list.len().saturating_sub(1));
    }
    let Value::Object(fields) = node else { return format!("; {section} has no parts") };
    let join = |name: &str| if section.is_empty() { name.to_owned() } else { format!("{section}.{name}") };
    let wanted = parts.get(known).copied().unwrap_or_default();
    let in_section = closest_word(wanted, fields.keys().map(String::as_str)).map(join);
    let nearest = in_section.or_else(|| {
        let mut keys = Vec::new();
        collect_keys(tree, "", &mut keys);
        let last_part = |key: &str| key.rsplit('.').next().unwrap_or_default().to_owned();
        let names: Vec<String> = keys.iter().map(|key| last_part(key)).collect();
        let name = closest_word(parts.last()?, names.iter().map(String::as_str))?;
        keys.iter().find(|key| last_part(key) == name).cloned()
    });
    match nearest {
        Some(key) => {
            // The rest of the key may be right, as in `wlak.restart`.
            let whole = [&[key.as_str()], parts.get(known + 1..).unwrap_or_default()].concat().join(".");
            format!("; did you mean {}?", if find_value(tree, &whole).is_some() { whole } else { key })
        }
        None => {
            let all: Vec<String> = fields.keys().map(|name| join(name)).collect();
            format!("; choose one of {}", all.join(", "))
        }
    }
}

fn find_child<'a>(node: &'a Value, part: &str) -> Option<&'a Value> {
    match node {
        Value::Object(fields) => fields.get(part),
        Value::Array(list) => part.parse().ok().and_then(|at: usize| list.get(at)),
        _ => None,
    }
}

/// Lists the dotted keys of all fields of objects below `node`.
fn collect_keys(node: &Value, prefix: &str, keys: &mut Vec<String>) {
    let Value::Object(fields) = node else { return };
    for (name, child) in fields {
        let key = if prefix.is_empty() { name.clone() } else { format!("{prefix}.{name}") };
        collect_keys(child, &key, keys);
        keys.push(key);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::{AnswerSources, PackQuestion, QuestionSubject, answer_question};
    use crate::cancel::CancelToken;
    use crate::test_workspace::{TestWorkspace, index_files};
    use crate::timings::StageTimings;
    use expect_test::expect;
    use std::sync::Arc;

    fn set_all(config: RankConfig, settings: &[&str]) -> Result<RankConfig, String> {
        let overrides: Result<Vec<RankOverride>, OverrideError> =
            settings.iter().map(|setting| setting.parse()).collect();
        overrides.and_then(|overrides| apply_overrides(config, &overrides)).map_err(|error| error.to_string())
    }

    fn set(setting: &str) -> Result<RankConfig, String> {
        set_all(RankConfig::default(), &[setting])
    }

    #[test]
    fn a_constant_is_changed_for_one_run() {
        assert!((set("walk.restart=0.5").unwrap().walk.restart - 0.5).abs() < 1e-9);
        assert!((set("text.bm25.fields.0.weight=2").unwrap().text.bm25.fields[0].weight - 2.0).abs() < 1e-9);
        let linear =
            set_all(RankConfig::linear_preset(), &["rerank=null", "names.channel.weight=0"]).unwrap();
        assert_eq!((linear.rerank, linear.names.channel.weight), (None, 0.0));
        let strategy = set("pack.strategy=density").unwrap().pack.strategy;
        assert_eq!(strategy, RankConfig::seeds_preset().pack.strategy);
        let weights = set("walk.edges.kinds.similar_to=0.9").unwrap().walk.edges;
        assert_eq!(weights.kinds[&kenning_graph::EdgeKind::SimilarTo], 0.9);
    }

    #[test]
    fn the_name_says_what_is_overridden() {
        let changed = set_all(RankConfig::default(), &["walk.restart=0.5", "learned=null"]).unwrap();
        assert_eq!(changed.name, "default walk.restart=0.5 learned=null");
        assert_eq!(set_all(RankConfig::default(), &[]).unwrap(), RankConfig::default());
    }

    #[test]
    fn unknown_keys_and_wrong_types_are_errors() {
        let mut problems = String::new();
        for setting in [
            "walk.restrt=1",
            "restart=1",
            "wlak.restart=1",
            "walk.restart=much",
            "walk",
            "text.bm25.fields.99.b=1",
            "text.bm25.fields.0.weigth=1",
            "rerank.file_vote=0",
            "walk.restart.x=1",
            "pack.strategy=best",
            "name=x",
            "walk.edges.kinds.xyz=1",
            "=1",
            "zzz=1",
        ] {
            problems.push_str(&(set(setting).unwrap_err() + "\n"));
        }
        expect![[r#"
            --set walk.restrt=1: the configuration default has no constant walk.restrt; did you mean walk.restart?
            --set restart=1: the configuration default has no constant restart; did you mean walk.restart?
            --set wlak.restart=1: the configuration default has no constant wlak.restart; did you mean walk.restart?
            --set walk.restart=much: walk.restart cannot have this value: invalid type: string "much", expected f64
            it must be KEY=VALUE, as in walk.restart=0.5
            --set text.bm25.fields.99.b=1: the configuration default has no constant text.bm25.fields.99.b; text.bm25.fields has the entries 0 to 8
            --set text.bm25.fields.0.weigth=1: the configuration default has no constant text.bm25.fields.0.weigth; did you mean text.bm25.fields.0.weight?
            --set rerank.file_vote=0: the configuration default has no constant rerank.file_vote, because rerank is off in it
            --set walk.restart.x=1: the configuration default has no constant walk.restart.x; walk.restart has no parts
            --set pack.strategy=best: pack.strategy cannot have this value: unknown variant `best`, expected one of `rank`, `density`, `file-grouped`, `top-k`
            --set name=x: the configuration default has no constant name; did you mean names?
            --set walk.edges.kinds.xyz=1: walk.edges.kinds.? cannot have this value: unknown variant `xyz`, expected one of `calls`, `implements`, `implements_rpc`, `overrides`, `handles_route`, `extends`, `tests`, `consumes_rpc`, `imports`, `depends_on`, `consumes_endpoint`, `tested_by`, `references`, `throws`, `deployed_by`, `gated_by_flag`, `decorates`, `documents`, `co_tested_with`, `type_hint_of`, `similar_to`, `owned_by`, `authored_by`, `accesses_field`, `reads_env`, `executes_process`, `contains`, `member_of`, `inherits`, `covers`, `runtime_calls`, `defined_by`
            it must be KEY=VALUE, as in walk.restart=0.5
            --set zzz=1: the configuration default has no constant zzz; choose one of query, names, text, classes, path_context, locations, test_ids, literals, editor, history, vectors, fusion, seeds, walk, hits, score, evidence, fallback, rerank, learned, task_match, noise, pack
        "#]].assert_eq(&problems);
    }

    #[test]
    fn a_constant_of_vectors_needs_a_model() {
        let check = |setting: &str, model| {
            let overrides = [setting.parse().unwrap()];
            check_vector_overrides(&overrides, model).map_err(|error| error.to_string())
        };
        for setting in ["vectors.channel.weight=1", "vectors.rerank_top=50"] {
            assert_eq!(check(setting, Some("model")), Ok(()));
        }
        assert_eq!(check("walk.restart=0.5", None), Ok(()));
        assert_eq!(
            check("vectors.channel.weight=1", None).unwrap_err(),
            "--set vectors.channel.weight=1: vectors.model names no model, so vectors.channel.weight has no effect; \
             set vectors.model to the folder of a model2vec model (docs/vectors.md), or leave out this --set"
        );
    }

    /// Lists the dotted keys of all numbers below `node`.
    fn collect_numbers(node: &Value, prefix: &str, keys: &mut Vec<String>) {
        let join = |part: &str| if prefix.is_empty() { part.to_owned() } else { format!("{prefix}.{part}") };
        match node {
            Value::Number(_) => keys.push(prefix.to_owned()),
            Value::Object(fields) => {
                fields.iter().for_each(|(name, child)| collect_numbers(child, &join(name), keys));
            }
            Value::Array(list) => {
                let entries = list.iter().enumerate();
                entries.for_each(|(at, child)| collect_numbers(child, &join(&at.to_string()), keys));
            }
            _ => {}
        }
    }

    #[test]
    fn no_value_of_a_constant_makes_an_answer_panic() {
        let text = "class Cart:\n    def add_item(self, item):\n        return item\n\n\n\
                    def test_add_item():\n    Cart().add_item(1)\n";
        let TestWorkspace { workspace, .. } = &index_files(&[("app/cart.py", text), ("app/x.py", text)]);
        let (snapshot, provider) = (workspace.current_snapshot(), workspace.text_source());
        let sources = AnswerSources { text: Some(&provider), ..AnswerSources::default() };
        let task = "fix `add_item` in app/cart.py:2 \"item\" of the cart";
        for config in [RankConfig::default(), RankConfig::seeds_preset()] {
            let mut keys = Vec::new();
            collect_numbers(&serde_json::to_value(&config).unwrap(), "", &mut keys);
            // A walk with so many iterations would not end.
            keys.retain(|key| !["walk.min_iterations", "hits.iterations"].contains(&key.as_str()));
            assert!(keys.len() > 100, "{keys:?}");
            for key in keys {
                for value in ["0", "-1e300", "1000000000000000000"] {
                    let setting = format!("{key}={value}");
                    // Constants that are whole numbers cannot have every value.
                    let Ok(config) = set_all(config.clone(), &[&setting]) else { continue };
                    let question = PackQuestion {
                        config: Arc::new(config),
                        ..PackQuestion::new(QuestionSubject::Task(task.to_owned()))
                    };
                    let (mut timings, cancel) = (StageTimings::start_now(), CancelToken::default());
                    let answer = answer_question(&snapshot, sources, &question, &mut timings, &cancel);
                    assert!(answer.is_ok(), "{setting}");
                }
            }
        }
    }
}
