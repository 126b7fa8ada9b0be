//! Checks one source of the configuration: keeps the valid values of known options, and records an
//! issue for every other value.
//!
//! In: the content of a source as JSON, with nested or flat keys, and the layer that the source had
//! before. Out: the values by option, and the issues. Descends into sections, checks each option by
//! its declaration, and then removes the values that the source may not set.
//!
//! Invariant: every value of a layer can be read into `Config`.

use super::option_table::{self, DeclaredOption, OptionScope};
use super::options::Config;
use kenning_enrichment::servers;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::fmt::{self, Display, Formatter};
use std::path::PathBuf;

/// Keys in the section `kenning` that only the client uses: the server's program, tracing, and
/// everything below `client`.
const CLIENT_KEYS: [&[&str]; 4] = [&["trace"], &["client"], &["server", "path"], &["server", "args"]];

/// The minimum Jaro-Winkler similarity (1 is equal) at which a word is suggested for a misspelled
/// word.
const MIN_SIMILARITY: f64 = 0.85;

/// The source of a value, ordered from the weakest to the strongest.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ConfigSource {
    /// The option's declaration.
    Default,
    /// The workspace's own `kenning.toml`.
    File(PathBuf),
    /// The `initializationOptions` of the language client.
    InitializationOptions,
    /// The editor's settings.
    Editor,
    /// A flag of `kenning serve`.
    CommandLine,
}

impl Display for ConfigSource {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::File(path) => write!(f, "{}", path.display()),
            Self::InitializationOptions => f.write_str("the editor's initializationOptions"),
            Self::Editor => f.write_str("the editor's settings (section kenning)"),
            Self::CommandLine => f.write_str("the command line"),
        }
    }
}

/// A problem in a source. The value with the problem, or the whole source, is ignored at least in
/// part.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ConfigIssue {
    /// The source with the problem.
    pub source: ConfigSource,
    /// The option's dotted key; empty if the issue concerns the whole source.
    pub key: String,
    /// The problem, and the values that are allowed instead.
    pub problem: String,
}

impl Display for ConfigIssue {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.key.as_str() {
            "" => write!(f, "{}: {}", self.source, self.problem),
            key => write!(f, "{}: {key}: {}", self.source, self.problem),
        }
    }
}

/// The path of an option: its sections and its name.
pub type OptionPath = Vec<String>;

/// The checked content of one source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigLayer {
    /// The source that the values come from.
    pub source: ConfigSource,
    /// The valid values.
    pub values: BTreeMap<OptionPath, Value>,
    /// The problems found in the source.
    pub issues: Vec<ConfigIssue>,
}

impl ConfigLayer {
    /// Creates a layer without values, for a source that sets nothing.
    pub fn empty(source: ConfigSource) -> Self {
        Self { source, values: BTreeMap::new(), issues: Vec::new() }
    }

    /// Creates the layer of a source that could not be read: it keeps the values of `former` and
    /// records the problem.
    pub fn from_unreadable(source: ConfigSource, former: Option<&Self>, problem: String) -> Self {
        let values = former.map(|former| former.values.clone()).unwrap_or_default();
        let issue = ConfigIssue { source: source.clone(), key: String::new(), problem };
        Self { source, values, issues: vec![issue] }
    }

    /// Checks the complete content of a source. An option that the source no longer sets is unset.
    /// An option with an invalid value keeps the value that the same source gave it in `former`.
    pub fn from_json(source: ConfigSource, value: &Value, former: Option<&Self>) -> Self {
        let mut layer = Self::empty(source);
        match value {
            Value::Null => {}
            Value::Object(fields) => layer.parse_section(&mut Vec::new(), fields, former),
            _ => layer.record_issue(&[], "must be an object with options".to_owned()),
        }
        layer
    }

    /// Returns the value that the source gives to an option, or `None` if it does not set it.
    pub fn value_at(&self, path: &[&str]) -> Option<&Value> {
        self.values.iter().find(|(key, _)| key.iter().eq(path)).map(|(_, value)| value)
    }

    fn parse_section(&mut self, path: &mut OptionPath, fields: &Map<String, Value>, former: Option<&Self>) {
        for (key, value) in fields {
            // Some editors use flat keys: `"codeLens.enabled": true`.
            let depth = path.len();
            path.extend(key.split('.').map(str::to_owned));
            if depth == 0 && path.first().is_some_and(|first| first == "kenning") && path.len() > 1 {
                path.remove(0);
            }
            self.parse_option(path, value, former);
            path.truncate(depth);
        }
    }

    fn parse_option(&mut self, path: &mut OptionPath, value: &Value, former: Option<&Self>) {
        let parts: Vec<&str> = path.iter().map(String::as_str).collect();
        let is_client_key = CLIENT_KEYS.iter().any(|key| key.starts_with(&parts) || parts.starts_with(key));
        let known = option_table::all_options().iter().find(|option| option.starts_with(&parts));
        match (known, value) {
            // Null leaves the option unset.
            (Some(_), Value::Null) => {}
            (Some(option), _) if let Some(problem) = describe_unknown_server(option, &parts) => {
                self.record_issue(&parts, problem);
            }
            (Some(option), value) if option.is_at(&parts) => match check_option(option, &parts, value) {
                Ok(()) => {
                    let (value, problem) = option.kind.truncate_to_fit(value.clone());
                    if let Some(problem) = problem {
                        self.record_issue(&parts, problem);
                    }
                    self.values.insert(path.clone(), value);
                }
                Err(problem) => {
                    self.record_issue(&parts, problem);
                    if let Some(value) = former.and_then(|former| former.values.get(path)) {
                        self.values.insert(path.clone(), value.clone());
                    }
                }
            },
            (Some(_), Value::Object(fields)) => self.parse_section(path, fields, former),
            (Some(_), _) => self.record_issue(&parts, "must be a section that contains options".to_owned()),
            (None, Value::Object(fields))
                if is_client_key && !matches!(self.source, ConfigSource::File(_)) =>
            {
                // `server.path` belongs to the client, any other key below `server` does not.
                if !CLIENT_KEYS.iter().any(|key| parts.starts_with(key)) {
                    self.parse_section(path, fields, former);
                }
            }
            (None, _) if is_client_key && !matches!(self.source, ConfigSource::File(_)) => {}
            (None, _) => self.record_issue(&parts, describe_unknown_key(&parts)),
        }
    }

    fn record_issue(&mut self, path: &[&str], problem: String) {
        self.issues.push(ConfigIssue { source: self.source.clone(), key: path.join("."), problem });
    }

    /// Removes the values that this source may not set, and records an issue for each. A workspace
    /// file may never set options of the editor; it may name programs only if the workspace is
    /// trusted.
    #[must_use]
    pub fn restrict_by_trust(mut self, trusted: bool, root: &std::path::Path) -> Self {
        if !matches!(self.source, ConfigSource::File(_)) {
            return self;
        }
        let check_scope = |path: &OptionPath| {
            let parts: Vec<&str> = path.iter().map(String::as_str).collect();
            let scope =
                option_table::all_options().iter().find(|o| o.is_at(&parts)).map(|option| option.scope);
            match scope {
                Some(OptionScope::Editor) => Err("can be set only in the editor's settings".to_owned()),
                Some(OptionScope::Trusted) if !trusted => Err(format!(
                    "ignored because it names a {} and this workspace is not trusted; if you trust it, run: \
                     kenning trust {}",
                    if parts.first() == Some(&"servers") { "program" } else { "file to load" },
                    shell_quote(root)
                )),
                _ => Ok(()),
            }
        };
        for path in self.values.keys().cloned().collect::<Vec<_>>() {
            if let Err(problem) = check_scope(&path) {
                self.values.remove(&path);
                self.issues.push(ConfigIssue { source: self.source.clone(), key: path.join("."), problem });
            }
        }
        self
    }
}

/// Quotes a path for a shell if necessary.
fn shell_quote(path: &std::path::Path) -> String {
    let text = path.display().to_string();
    let is_plain = |c: char| c.is_alphanumeric() || "/._-+:\\".contains(c);
    if text.chars().all(is_plain) { text } else { format!("'{}'", text.replace('\'', "'\\''")) }
}

fn check_option(option: &DeclaredOption, path: &[&str], value: &Value) -> Result<(), String> {
    option.kind.check_value(value)?;
    // The declaration should reject every value that the type cannot hold. This check reports a
    // value for which it does not.
    let read = serde_json::from_value::<Config>(option_table::nest_value(path, value.clone()));
    read.map(drop).map_err(|error| format!("must be {}: {error}", option.kind))
}

/// Returns a message if `path` names an unknown language server, else `None`.
fn describe_unknown_server(option: &DeclaredOption, path: &[&str]) -> Option<String> {
    let index = option.path.iter().position(|part| part == option_table::ANY)?;
    let name = path.get(index)?;
    let names: Vec<&str> = servers::all_languages()
        .iter()
        .flat_map(|language| language.servers.iter().map(|server| server.name.as_str()))
        .collect();
    if names.contains(name) {
        return None;
    }
    let suggestion = closest_word(name, names.iter().copied());
    let hint = suggestion.map_or_else(
        || format!("choose one of: {}", names.join(", ")),
        |suggestion| format!("did you mean servers.{suggestion}?"),
    );
    Some(format!("no language server is named {name:?}; {hint}"))
}

/// Describes an unknown key: suggests the most similar option, or lists the options of its section.
fn describe_unknown_key(path: &[&str]) -> String {
    let in_section: Vec<&DeclaredOption> = option_table::all_options()
        .iter()
        .filter(|option| path.len() > 1 && option.path[0] == path[0])
        .collect();
    let Some(name) = path.last().filter(|_| !in_section.is_empty()) else {
        let sections = option_table::all_options().iter().map(|option| option.path[0].as_str());
        return match closest_word(path[0], sections) {
            Some(suggestion) => format!("is not an option; did you mean {suggestion}?"),
            None => "is not an option; kenning config show lists all options".to_owned(),
        };
    };
    let key = |option: &DeclaredOption| option.dotted_key().replace("<name>", path[1]);
    let names = in_section.iter().filter_map(|option| option.path.last().map(String::as_str));
    let suggestion = closest_word(name, names).and_then(|suggestion| {
        in_section.iter().find(|o| o.path.last().is_some_and(|last| last == suggestion))
    });
    match suggestion {
        Some(suggestion) => format!("is not an option; did you mean {}?", key(suggestion)),
        None => {
            let all: Vec<String> = in_section.into_iter().map(key).collect();
            format!("is not an option; the options are {}", all.join(", "))
        }
    }
}

/// Returns the word that `word` most likely misspells; `None` if none is similar.
pub(crate) fn closest_word<'a>(word: &str, words: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let plain = |text: &str| text.to_lowercase().replace(['_', '-'], "");
    let wanted = plain(word);
    let scored = words.map(|word| (strsim::jaro_winkler(&wanted, &plain(word)), word));
    let best = scored
        .filter(|(score, _)| *score >= MIN_SIMILARITY)
        .max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(a.1)));
    best.map(|(_, word)| word)
}

#[cfg(test)]
mod tests;
