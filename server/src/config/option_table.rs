//! The options as a list, read from the JSON schema of [`Config`]: their paths, the kinds of values
//! they accept, their defaults, and who may set them.
//!
//! In: the schema that the declarations derive. Out: one [`DeclaredOption`] per option, from which
//! values are checked and documentation is generated. Sections become parts of paths; the parts
//! that users choose, such as the name of a server, become [`ANY`].
//!
//! Invariant: every type that the declarations use has a kind, and every default is an allowed
//! value; tests check both.

use super::classes;
use super::options::Config;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value};
use std::fmt::{self, Display, Formatter};
use std::sync::LazyLock;

/// The part of a path that matches any name, as in `servers.*.enabled`.
pub const ANY: &str = "*";

/// The sources that may set an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OptionScope {
    /// The editor, and the `kenning.toml` of any workspace.
    AnySource,
    /// The editor, and the `kenning.toml` of a trusted workspace, because the option names a
    /// program.
    Trusted,
    /// The editor only.
    Editor,
}

/// One of the words that an option accepts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OptionChoice {
    /// The word, as it is written in a configuration.
    pub word: String,
    /// The word's meaning, for the documentation.
    pub meaning: String,
}

/// The kind of value that an option accepts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OptionKind {
    /// `true` or `false`.
    Boolean,
    /// A whole number between two limits, both allowed.
    Integer {
        /// The smallest value.
        min: u64,
        /// The largest value.
        max: u64,
    },
    /// Any non-empty text.
    Text,
    /// The path of a folder in the workspace, or an empty text.
    Folder,
    /// One word out of a fixed set.
    Choice(Vec<OptionChoice>),
    /// A list of texts.
    Texts,
    /// A list of patterns in the syntax of `.gitignore`.
    Patterns,
    /// A list of words out of a fixed set.
    Choices(Vec<OptionChoice>),
    /// A list of equivalence classes.
    Classes,
}

/// An option as declared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeclaredOption {
    /// The option's path: its sections and its name.
    pub path: Vec<String>,
    /// The kind of value that the option accepts.
    pub kind: OptionKind,
    /// The default value; null if it depends on other settings.
    pub default: Value,
    /// The description, for the documentation.
    pub description: String,
    /// The sources that may set the option.
    pub scope: OptionScope,
}

impl DeclaredOption {
    /// Returns the path joined with dots, with `<name>` for `ANY`.
    pub fn dotted_key(&self) -> String {
        self.path.iter().map(|part| if part == ANY { "<name>" } else { part }).collect::<Vec<_>>().join(".")
    }

    /// Whether this is the option at `path`.
    pub fn is_at(&self, path: &[&str]) -> bool {
        self.path.len() == path.len() && self.starts_with(path)
    }

    /// Whether the option is at `path` or somewhere below it.
    pub fn starts_with(&self, path: &[&str]) -> bool {
        self.path.len() >= path.len()
            && self.path.iter().zip(path).all(|(declared, part)| declared == ANY || declared == part)
    }
}

/// Returns every option, in the order of the declarations.
pub fn all_options() -> &'static [DeclaredOption] {
    static OPTIONS: LazyLock<Vec<DeclaredOption>> = LazyLock::new(|| {
        let mut options = Vec::new();
        collect_options(&config_schema(), &mut Vec::new(), &Value::Null, &mut options);
        options
    });
    &OPTIONS
}

/// Returns the description of a section, or an empty string if there is no such section.
pub fn section_description(section: &str) -> String {
    let schema = config_schema();
    schema_description(&schema["properties"][section])
}

/// Returns the JSON schema of [`Config`] as derived from the declarations, with all subschemas
/// inlined.
pub fn config_schema() -> Value {
    let settings = SchemaSettings::draft07().with(|settings| settings.inline_subschemas = true);
    settings.into_generator().into_root_schema_for::<Config>().to_value()
}

fn collect_options(
    schema: &Value,
    path: &mut Vec<String>,
    default: &Value,
    options: &mut Vec<DeclaredOption>,
) {
    if let Some(properties) = schema["properties"].as_object() {
        for (name, property) in properties {
            path.push(name.clone());
            let default = property.get("default").unwrap_or(&default[name]).clone();
            collect_options(property, path, &default, options);
            path.pop();
        }
    } else if schema["additionalProperties"].is_object() {
        path.push(ANY.to_owned());
        collect_options(&schema["additionalProperties"], path, &Value::Null, options);
        path.pop();
    } else {
        options.push(DeclaredOption {
            path: path.clone(),
            kind: option_kind(schema)
                .unwrap_or_else(|| panic!("{path:?} has a type that an option cannot have")),
            default: default.clone(),
            description: schema_description(schema),
            scope: match schema["x-scope"].as_str() {
                Some("trusted") => OptionScope::Trusted,
                Some("editor") => OptionScope::Editor,
                _ => OptionScope::AnySource,
            },
        });
    }
}

fn schema_description(schema: &Value) -> String {
    schema["description"].as_str().unwrap_or_default().replace('\n', " ")
}

fn option_kind(schema: &Value) -> Option<OptionKind> {
    if let Some(choices) = option_choices(schema) {
        return Some(OptionKind::Choice(choices));
    }
    let limit = |name: &str| schema[name].as_u64();
    match type_name(schema)? {
        "boolean" => Some(OptionKind::Boolean),
        "integer" => Some(OptionKind::Integer { min: limit("minimum")?, max: limit("maximum")? }),
        "string" if schema["format"] == "workspace-folder" => Some(OptionKind::Folder),
        "string" => Some(OptionKind::Text),
        "array" => {
            let items = &schema["items"];
            if items["properties"]["phrases"].is_object() {
                return Some(OptionKind::Classes);
            }
            match (option_choices(items), items["format"].as_str()) {
                (Some(choices), _) => Some(OptionKind::Choices(choices)),
                (None, Some("gitignore")) => Some(OptionKind::Patterns),
                (None, _) => (type_name(items)? == "string").then_some(OptionKind::Texts),
            }
        }
        _ => None,
    }
}

/// Returns the schema's type other than null.
fn type_name(schema: &Value) -> Option<&str> {
    match &schema["type"] {
        Value::String(name) => Some(name),
        Value::Array(names) => names.iter().filter_map(Value::as_str).find(|name| *name != "null"),
        _ => None,
    }
}

fn option_choices(schema: &Value) -> Option<Vec<OptionChoice>> {
    let choice = |variant: &Value| {
        Some(OptionChoice {
            word: variant["const"].as_str()?.to_owned(),
            meaning: schema_description(variant),
        })
    };
    schema["oneOf"].as_array()?.iter().map(choice).collect()
}

impl OptionKind {
    /// Truncates a list of patterns that exceeds the budget for matching them. Returns the value
    /// that fits, and a message if something was removed. Values of other kinds are returned
    /// unchanged.
    pub fn truncate_to_fit(&self, mut value: Value) -> (Value, Option<String>) {
        let (Self::Patterns, Some(patterns)) = (self, value.as_array_mut()) else { return (value, None) };
        let (fitting, problem) =
            kenning_indexing::walk::fitting_excludes(patterns.iter().filter_map(Value::as_str));
        patterns.truncate(fitting);
        (value, problem)
    }

    /// Checks a value of the option.
    ///
    /// # Errors
    /// Returns a message that states the allowed values.
    pub fn check_value(&self, value: &Value) -> Result<(), String> {
        let list = |fits: &dyn Fn(&str) -> bool| {
            value.as_array().is_some_and(|items| items.iter().all(|item| item.as_str().is_some_and(fits)))
        };
        let fits = match self {
            Self::Boolean => value.is_boolean(),
            Self::Integer { min, max } => value.as_u64().is_some_and(|n| (*min..=*max).contains(&n)),
            Self::Text => value.as_str().is_some_and(is_text),
            Self::Folder => value.as_str().is_some_and(|path| path.is_empty() || is_inner_path(path)),
            Self::Choice(choices) => value.as_str().is_some_and(|word| is_allowed_word(choices, word)),
            Self::Texts => list(&|text| !text.contains('\0')),
            Self::Patterns => {
                if list(&|_| true) {
                    let mut patterns = value.as_array().into_iter().flatten().filter_map(Value::as_str);
                    return patterns.try_for_each(check_pattern);
                }
                false
            }
            Self::Choices(choices) => list(&|word| is_allowed_word(choices, word)),
            Self::Classes => return classes::check_classes(value),
        };
        if fits { Ok(()) } else { Err(format!("must be {self}, not {}", shorten_value(value))) }
    }
}

fn is_text(text: &str) -> bool {
    !text.trim().is_empty() && !text.contains('\0')
}

/// Whether a path stays in the folder that it is relative to, whatever the operating system. The
/// folder of git is not allowed.
pub fn is_inner_path(path: &str) -> bool {
    let is_name = |part: &str| !matches!(part, "" | "." | "..") && !part.eq_ignore_ascii_case(".git");
    let path = path.strip_prefix("./").unwrap_or(path);
    let path = path.strip_suffix('/').unwrap_or(path);
    is_text(path) && !path.contains(['\\', ':']) && path.split('/').all(is_name)
}

fn is_allowed_word(choices: &[OptionChoice], word: &str) -> bool {
    choices.iter().any(|choice| choice.word == word)
}

fn check_pattern(pattern: &str) -> Result<(), String> {
    kenning_indexing::walk::check_exclude(pattern).map_err(|reason| {
        format!("the pattern {} is not valid .gitignore syntax ({reason})", shorten_value(&pattern.into()))
    })
}

/// Renders a value for an error message: on one line and at most 60 characters long.
fn shorten_value(value: &Value) -> String {
    let text = value.to_string();
    if text.chars().count() <= 60 { text } else { text.chars().take(59).chain(['…']).collect() }
}

impl Display for OptionKind {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let words = |choices: &[OptionChoice]| {
            choices.iter().map(|choice| format!("\"{}\"", choice.word)).collect::<Vec<_>>().join(", ")
        };
        match self {
            Self::Boolean => f.write_str("true or false"),
            Self::Integer { min, max } => write!(f, "a whole number from {min} to {max}"),
            Self::Text => f.write_str("a non-empty string"),
            Self::Folder => f.write_str("the path of a folder in the workspace, such as \"docs/knowledge\""),
            Self::Choice(choices) => write!(f, "one of {}", words(choices)),
            Self::Texts => f.write_str("a list of strings"),
            Self::Patterns => f.write_str("a list of patterns"),
            Self::Choices(choices) => write!(f, "a list that contains only {}", words(choices)),
            Self::Classes => f.write_str("a list of classes with id, phrases and targets"),
        }
    }
}

/// Wraps a value in nested objects, so that it is at `path`.
pub fn nest_value(path: &[&str], value: Value) -> Value {
    path.iter().rev().fold(value, |inner, part| Value::Object(Map::from_iter([((*part).to_owned(), inner)])))
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;
    use serde_json::json;

    #[test]
    fn every_option_is_listed_with_its_kind_default_and_scope() {
        let mut listed = String::new();
        for option in all_options() {
            assert!(!option.description.is_empty(), "{}", option.dotted_key());
            let line = match option.scope {
                OptionScope::AnySource => {
                    format!("{}: {} = {}\n", option.dotted_key(), option.kind, option.default)
                }
                scope => {
                    format!("{}: {} = {} ({scope:?})\n", option.dotted_key(), option.kind, option.default)
                }
            };
            listed.push_str(&line);
        }
        expect![[r#"
            hover.enabled: true or false = true
            codeLens.enabled: true or false = true
            codeLens.kinds: a list that contains only "function", "method", "constructor", "class", "struct", "enum", "interface", "trait", "type", "record", "union", "macro", "module" = ["function","method","constructor","class","struct","enum","interface","trait","record","union","macro"]
            codeLens.minimumCallers: a whole number from 0 to 1000000 = 0
            codeLens.minimumDependents: a whole number from 0 to 1000000 = 0
            codeLens.minimumTests: a whole number from 0 to 1000000 = 0
            codeActions.enabled: true or false = true
            callHierarchy.enabled: true or false = false
            pack.budget: a whole number from 100 to 1000000 = 8000
            pack.changeBudget: a whole number from 100 to 1000000 = 8000
            pack.format: one of "markdown", "xml", "json", "gcf", "gcb" = "markdown"
            pack.documents: true or false = true
            ranking.configuration: one of "default", "linear", "seeds", "bm25-bodies" = "default"
            learning.taskMemory: true or false = false
            blastRadius.depth: a whole number from 1 to 6 = 4
            index.maxFileSize: a whole number from 1 to 1073741824 = 2097152
            index.exclude: a list of patterns = []
            index.markDerived: true or false = true
            index.threads: a whole number from 0 to 256 = 0
            index.watch: one of "auto", "client", "own", "off" = "auto"
            index.history: true or false = true
            knowledge.folder: the path of a folder in the workspace, such as "docs/knowledge" = ""
            knowledge.lens: true or false = true
            vectors.model: a non-empty string = null (Trusted)
            log.level: one of "off", "error", "warn", "info", "debug", "trace" = "info"
            class: a list of classes with id, phrases and targets = []
            servers.<name>.enabled: true or false = true
            servers.<name>.command: a non-empty string = null (Trusted)
            servers.<name>.args: a list of strings = null (Trusted)
            workspaceTrust: true or false = null (Editor)
        "#]].assert_eq(&listed);
    }

    #[test]
    fn defaults_are_allowed_values_and_every_allowed_value_can_be_read() {
        let read = |option: &DeclaredOption, value: &Value| {
            let path: Vec<&str> = option.path.iter().map(String::as_str).collect();
            serde_json::from_value::<Config>(nest_value(&path, value.clone()))
        };
        for option in all_options() {
            if !option.default.is_null() {
                assert_eq!(option.kind.check_value(&option.default), Ok(()), "{}", option.dotted_key());
            }
            let samples = match &option.kind {
                OptionKind::Boolean => vec![json!(true), json!(false)],
                OptionKind::Integer { min, max } => vec![json!(min), json!(max)],
                OptionKind::Text => vec![json!("x")],
                OptionKind::Folder => vec![json!(""), json!("docs/knowledge")],
                OptionKind::Choice(choices) => choices.iter().map(|choice| json!(choice.word)).collect(),
                OptionKind::Texts | OptionKind::Patterns => vec![json!([]), json!(["a", "b/*"])],
                OptionKind::Choices(choices) => {
                    vec![json!([]), choices.iter().map(|choice| json!(choice.word)).collect()]
                }
                OptionKind::Classes => {
                    vec![json!([]), json!([{ "id": "a", "phrases": ["b c"], "targets": ["D.e"] }])]
                }
            };
            for sample in samples {
                assert_eq!(option.kind.check_value(&sample), Ok(()), "{} {sample}", option.dotted_key());
                assert!(read(option, &sample).is_ok(), "{} {sample}", option.dotted_key());
            }
        }
    }

    #[test]
    fn an_error_states_the_allowed_values() {
        let problem = |key: &str, value: Value| {
            let option = all_options().iter().find(|option| option.dotted_key() == key).unwrap();
            option.kind.check_value(&value).unwrap_err()
        };
        assert_eq!(problem("hover.enabled", json!("yes")), "must be true or false, not \"yes\"");
        let depth = "must be a whole number from 1 to 6, not ";
        for value in [json!(0), json!(7), json!(-1), json!(2.5), json!("4"), json!(1e300)] {
            assert_eq!(problem("blastRadius.depth", value.clone()), format!("{depth}{value}"));
        }
        assert_eq!(
            problem("index.watch", json!("on")),
            "must be one of \"auto\", \"client\", \"own\", \"off\", not \"on\""
        );
        assert_eq!(problem("index.exclude", json!("*.py")), "must be a list of patterns, not \"*.py\"");
        assert!(
            problem("index.exclude", json!(["ok", "a[b"])).starts_with("the pattern \"a[b\" is not valid")
        );
        assert!(
            problem("codeLens.kinds", json!(["method", "field"]))
                .starts_with("must be a list that contains only")
        );
        for outside in ["/etc", "..", "a/../b", "C:\\x", "a//b", " ", ".git/hooks", "a/.GIT", "."] {
            let message = problem("knowledge.folder", json!(outside));
            assert!(
                message.starts_with("must be the path of a folder in the workspace, such as"),
                "{message}"
            );
        }
        assert_eq!(problem("servers.<name>.command", json!(" ")), "must be a non-empty string, not \" \"");
        assert!(problem("hover.enabled", json!("x".repeat(1000))).chars().count() < 100);
    }
}
