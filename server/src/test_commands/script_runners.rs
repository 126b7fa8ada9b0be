//! Chooses the runner of a test in JavaScript or TypeScript.
//!
//! A workspace often has several runners, each for some of its files. The choice follows, in this
//! order:
//!
//! 1. what the test imports (`import { test } from "vitest"`, `node:test`);
//! 2. for each folder above the test with a `package.json`, the nearest first: the patterns with
//!    which a script or a configuration file names the tests of a runner; then a runner that is
//!    configured and selects the file by default, first one without patterns;
//! 3. a package that some manifest depends on, unless its runner names other files.
//!
//! Configuration files are programs. They are not run: patterns are the texts after keys such as
//! `include`.

use super::path_glob::matches_glob;
use super::{RUNNERS, TestRunner};
use kenning_graph::paths::{join_path, parent_folder};
use kenning_indexing::named_file::{LinkRule, MAX_MANIFEST, read_text};
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// Maximum number of patterns that are read from one file.
const MAX_PATTERNS: usize = 200;

/// The part of a row of the table that selects the runner of a script.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct ScriptSelection {
    /// The modules that a test of this runner imports.
    imports: Vec<String>,
    /// The command in scripts: `vitest`, `node --test`.
    command: String,
    /// The names of configuration files.
    config_files: Vec<String>,
    /// The key of the configuration in `package.json`.
    config_key: String,
    /// The keys in a configuration after which patterns of test files are.
    pattern_keys: Vec<String>,
    /// The files that the runner selects without configuration.
    default_patterns: Vec<String>,
    /// The text of a script that runs all tests once and ends. With it, only such a script is run.
    script_option: String,
}

/// The choice of a runner for a test.
#[derive(Clone)]
pub(super) struct ChosenRunner {
    /// The row of the table.
    pub runner: &'static TestRunner,
    /// The folder in which the command runs; `None` if the files of the row decide.
    pub project: Option<String>,
    /// The script of the `package.json` there that runs the runner; may be empty.
    pub script: String,
}

/// The statements of a `package.json` and the files next to it about one runner.
struct RunnerClaim {
    runner: &'static TestRunner,
    patterns: Vec<String>,
    script: String,
}

/// The runners that the folders of a workspace configure, read on demand.
pub(super) struct ScriptRunners {
    root: PathBuf,
    folders: Mutex<BTreeMap<String, Arc<[RunnerClaim]>>>,
}

impl ScriptRunners {
    /// Creates the runners of the workspace at `root`, without reading a file.
    pub(super) fn new(root: &Path) -> Self {
        Self { root: root.to_owned(), folders: Mutex::default() }
    }

    /// Returns the runner of the test file at `path`, which imports these modules. `used` are the
    /// rows whose packages some manifest depends on.
    pub(super) fn choose_runner(
        &self,
        path: &str,
        imports: &[&str],
        used: &[&'static TestRunner],
    ) -> Option<ChosenRunner> {
        let rows = || RUNNERS.iter().filter_map(|runner| Some((runner, runner.script.as_ref()?)));
        let imported = rows()
            .find(|(_, selection)| selection.imports.iter().any(|module| imports.contains(&module.as_str())));
        let mut named_elsewhere: Vec<*const TestRunner> = Vec::new();
        let mut folder = parent_folder(path);
        loop {
            let inner = if folder.is_empty() { path } else { path.get(folder.len() + 1..).unwrap_or(path) };
            let claims = self.claims_in_folder(folder);
            let wanted =
                |claim: &&RunnerClaim| imported.is_none_or(|(runner, _)| std::ptr::eq(runner, claim.runner));
            let by_pattern =
                |claim: &&RunnerClaim| claim.patterns.iter().any(|pattern| matches_glob(pattern, inner));
            let by_default = |claim: &&RunnerClaim| {
                let defaults = claim.runner.script.as_ref().map_or(&[][..], |row| &row.default_patterns);
                imported.is_some() || defaults.iter().any(|pattern| matches_glob(pattern, inner))
            };
            let has_no_patterns = |claim: &&RunnerClaim| claim.patterns.is_empty();
            let wanted_claims = || claims.iter().filter(wanted);
            let found = wanted_claims()
                .find(by_pattern)
                .or_else(|| wanted_claims().filter(has_no_patterns).find(by_default))
                // The patterns may be those of one of several projects.
                .or_else(|| wanted_claims().find(by_default));
            if let Some(claim) = found {
                let (runner, script) = (claim.runner, claim.script.clone());
                return Some(ChosenRunner { runner, project: Some(folder.to_owned()), script });
            }
            let with_patterns = claims.iter().filter(|claim| !claim.patterns.is_empty());
            named_elsewhere.extend(with_patterns.map(|claim| std::ptr::from_ref(claim.runner)));
            if folder.is_empty() {
                break;
            }
            folder = parent_folder(folder);
        }
        let mut depended = used.iter().filter(|runner| runner.uses.is_some());
        let unnamed = depended.find(|runner| !named_elsewhere.contains(&std::ptr::from_ref(**runner)));
        let runner = imported.map(|(runner, _)| runner).or(unnamed.copied())?;
        let is_runnable = runner.script.as_ref().is_some_and(|row| row.script_option.is_empty());
        is_runnable.then(|| ChosenRunner { runner, project: Some(String::new()), script: String::new() })
    }

    fn claims_in_folder(&self, folder: &str) -> Arc<[RunnerClaim]> {
        let mut folders = self.folders.lock().unwrap_or_else(PoisonError::into_inner);
        let claims = folders.entry(folder.to_owned()).or_insert_with(|| self.read_claims(folder).into());
        Arc::clone(claims)
    }

    fn read_claims(&self, folder: &str) -> Vec<RunnerClaim> {
        let Some(text) = self.read_file(&join_path(folder, "package.json")) else { return Vec::new() };
        let manifest: Value = serde_json::from_str(&text).unwrap_or_default();
        let scripts: Vec<(&str, &str)> = manifest
            .get("scripts")
            .and_then(Value::as_object)
            .into_iter()
            .flatten()
            .filter_map(|(name, script)| Some((name.as_str(), script.as_str()?)))
            .collect();
        let rows = RUNNERS.iter().filter_map(|runner| Some((runner, runner.script.as_ref()?)));
        rows.filter_map(|(runner, row)| self.read_claim(folder, &manifest, &scripts, runner, row)).collect()
    }

    /// Reads what one runner is configured to run; `None` if nothing mentions it.
    fn read_claim(
        &self,
        folder: &str,
        manifest: &Value,
        scripts: &[(&str, &str)],
        runner: &'static TestRunner,
        row: &ScriptSelection,
    ) -> Option<RunnerClaim> {
        let mut claim = RunnerClaim { runner, patterns: Vec::new(), script: String::new() };
        let mut is_configured = false;
        let mut config_files = row.config_files.clone();
        for (name, script) in scripts {
            let Some(arguments) = script_arguments(script, &row.command) else { continue };
            is_configured = true;
            let files = arguments.iter().filter(|word| row.config_files.is_empty() || !is_config_file(word));
            claim.patterns.extend(files.filter(|word| is_path(word)).map(|word| (*word).to_owned()));
            config_files
                .extend(arguments.iter().filter(|word| is_config_file(word)).map(|word| (*word).to_owned()));
            let is_better = |other: &str| other.is_empty() || name.len() < other.len();
            if script.contains(&row.script_option) && is_better(&claim.script) {
                (*name).clone_into(&mut claim.script);
            }
        }
        config_files.dedup();
        for file in &config_files {
            let Some(text) = self.read_file(&join_path(folder, file)) else { continue };
            is_configured = true;
            collect_patterns(&text, &row.pattern_keys, &mut claim.patterns);
        }
        if let Some(config) = manifest.get(&row.config_key).filter(|_| !row.config_key.is_empty()) {
            is_configured = true;
            collect_patterns(&config.to_string(), &row.pattern_keys, &mut claim.patterns);
        }
        // A runner replaces some words by paths: `<rootDir>/src/**`.
        for pattern in &mut claim.patterns {
            *pattern = pattern.replace("<rootDir>/", "");
        }
        let is_runnable = row.script_option.is_empty() || !claim.script.is_empty();
        (is_configured && is_runnable).then_some(claim)
    }

    fn read_file(&self, path: &str) -> Option<String> {
        let read = read_text(&self.root.join(path), MAX_MANIFEST, LinkRule::Inside(&self.root));
        // A file that cannot be read configures nothing, as for the runner.
        read.ok().flatten()
    }
}

/// Returns the words after the command of a runner in a script, up to the end of the command.
fn script_arguments<'s>(script: &'s str, command: &str) -> Option<Vec<&'s str>> {
    let wanted: Vec<&str> = command.split(' ').collect();
    let commands = script.split(['&', ';', '|']);
    commands.into_iter().find_map(|command| {
        let words: Vec<&str> =
            command.split_whitespace().map(|word| word.trim_matches(['"', '\'', '\\'])).collect();
        let (name, options) = wanted.split_first()?;
        let at = words.iter().position(|word| word.rsplit('/').next() == Some(name))?;
        let rest = words.get(at + 1..)?;
        options.iter().all(|option| rest.contains(option)).then(|| rest.to_vec())
    })
}

/// Whether a word of a script is a path or a pattern of paths.
fn is_path(word: &str) -> bool {
    // A word with only a star may be the value of an option: `--project unit*`.
    !word.starts_with('-') && !word.contains(['=', ':', '$']) && word.contains(['/', '.'])
}

fn is_config_file(word: &str) -> bool {
    is_path(word)
        && word.rsplit('/').next().is_some_and(|name| name.contains(".conf") || name.contains("rc."))
}

/// Adds the texts after the keys in a configuration: `include: ["a", "b"]`, `spec: a`.
fn collect_patterns(text: &str, keys: &[String], patterns: &mut Vec<String>) {
    for key in keys {
        for (at, _) in text.match_indices(key.as_str()) {
            let before = text[..at].chars().next_back();
            if before.is_some_and(|c| c.is_alphanumeric() || matches!(c, '_' | '$' | '.' | '-')) {
                continue;
            }
            let after = text[at + key.len()..].trim_start_matches(['"', '\'']).trim_start_matches(' ');
            let Some(value) = after.strip_prefix(':') else { continue };
            patterns.extend(texts_of_value(value));
            if patterns.len() > MAX_PATTERNS {
                patterns.truncate(MAX_PATTERNS);
                return;
            }
        }
    }
}

/// Returns the quoted texts of a value, which ends with its closing bracket, or the plain text of a
/// value in YAML, which ends with the line, or with the list of lines with a dash.
fn texts_of_value(value: &str) -> Vec<String> {
    let value = value.trim_start_matches(' ');
    let (mut texts, mut depth) = (Vec::new(), 0_u32);
    let mut rest = value;
    if value.starts_with(['[', '{', '"', '\'', '`']) {
        while let Some(c) = rest.chars().next() {
            rest = &rest[c.len_utf8()..];
            match c {
                '[' | '{' => depth += 1,
                ']' | '}' => depth = depth.saturating_sub(1),
                '"' | '\'' | '`' => {
                    let Some((text, after)) = rest.split_once(c) else { break };
                    texts.push(text.to_owned());
                    rest = after;
                }
                _ => {}
            }
            if depth == 0 || texts.len() >= MAX_PATTERNS {
                break;
            }
        }
    } else {
        let (line, below) = value.split_once('\n').unwrap_or((value, ""));
        let items = below.lines().map(str::trim).take_while(|line| line.starts_with("- "));
        let listed = items.map(|line| line.trim_start_matches("- "));
        let plain = |text: &str| text.trim().trim_matches(['"', '\'', ',']).to_owned();
        texts.extend(std::iter::once(line).chain(listed).take(MAX_PATTERNS).map(plain));
    }
    texts.retain(|text| text.contains(['/', '*', '.']) && !text.starts_with('!'));
    texts
}
