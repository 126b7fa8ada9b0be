//! The configuration of a session's folders: the last settings of each source, and the effective
//! options.
//!
//! The options of a folder come from two layers. The lower one is its `kenning.toml`, restricted if
//! the workspace is not trusted. The upper one is the editor's: the answer for that folder to the
//! last `workspace/configuration` request, else the last `workspace/didChangeConfiguration`, else
//! `initializationOptions`. `Session::apply_settings` merges the layers again after every change
//! and notifies the parts that are affected.

use super::index_progress::{EventSender, SessionEvent};
use super::{FolderChange, ServedFolder, Session, folder_servers};
use crate::config::config_file::ConfigFile;
use crate::config::config_layer::{ConfigIssue, ConfigLayer, ConfigSource};
use crate::config::effective::{EffectiveConfig, merge_layers};
use crate::config::options::LogLevel;
use crate::config::trust::TrustStore;
use crate::config::{Config, index_options};
use kenning_indexing::workspace::WorkspaceOptions;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A function that sets the log level that the client wants.
pub type SetLogLevel = Arc<dyn Fn(LogLevel) + Send + Sync>;

/// The sources of the settings of all folders.
pub(super) struct SessionSettings {
    inner: Mutex<SettingsState>,
    trust: Option<TrustStore>,
    log_level: Option<SetLogLevel>,
}

/// The settings that the sources named last.
struct SettingsState {
    /// The `initializationOptions`, which apply until the editor sends its settings.
    start: ConfigLayer,
    /// The options that flags of `kenning serve` set. They override every other source.
    flags: ConfigLayer,
    /// The settings that `workspace/didChangeConfiguration` sent for all folders.
    sent: Option<ConfigLayer>,
    /// The last value of `workspaceTrust` that the editor sent; `None` if it sent none.
    trusted: Option<bool>,
    folders: BTreeMap<PathBuf, FolderSettings>,
    /// The configuration without the file of any workspace.
    common: Arc<Config>,
    /// The issues that were last reported to the user, so that only new ones are reported.
    reported: BTreeSet<ConfigIssue>,
    /// Number of requests for settings that were sent to the editor.
    request_count: u64,
}

/// The settings of one folder.
struct FolderSettings {
    file: ConfigFile,
    /// The editor's answer for this folder.
    answered: Option<ConfigLayer>,
    /// The number of the request to which the editor answered.
    answered_request: u64,
    /// The effective options.
    config: Arc<Config>,
}

/// The effect of an answer without settings on the settings that the editor sent before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EmptyAnswer {
    /// The earlier settings no longer apply.
    RevokesSettings,
    /// The earlier settings still apply.
    KeepsSettings,
}

/// A request to the editor for its settings.
#[derive(Clone, Copy, Debug)]
pub struct SettingsRequest {
    number: u64,
    empty_answer: EmptyAnswer,
}

impl SessionSettings {
    pub fn new(trust: Option<TrustStore>, log_level: Option<SetLogLevel>) -> Self {
        let inner = SettingsState {
            start: ConfigLayer::empty(ConfigSource::InitializationOptions),
            flags: ConfigLayer::empty(ConfigSource::CommandLine),
            sent: None,
            trusted: None,
            folders: BTreeMap::new(),
            common: Arc::default(),
            reported: BTreeSet::new(),
            request_count: 0,
        };
        Self { inner: Mutex::new(inner), trust, log_level }
    }

    fn lock_state(&self) -> MutexGuard<'_, SettingsState> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a folder and returns its options for indexing.
    pub fn add_folder(&self, root: &Path, options: WorkspaceOptions) -> WorkspaceOptions {
        let mut inner = self.lock_state();
        if !inner.folders.contains_key(root) {
            let (file, config) = (ConfigFile::read_in_folder(root), Arc::default());
            let settings = FolderSettings { file, answered: None, answered_request: 0, config };
            inner.folders.insert(root.to_owned(), settings);
        }
        let config = Arc::new(inner.effective_config(root, self.trust.as_ref()).config);
        if let Some(folder) = inner.folders.get_mut(root) {
            folder.config = Arc::clone(&config);
        }
        index_options(&config, options)
    }

    pub fn remove_folder(&self, root: &Path) {
        self.lock_state().folders.remove(root);
    }
}

impl SettingsState {
    /// Merges the settings of all sources for the folder at `root`.
    fn effective_config(&self, root: &Path, trust: Option<&TrustStore>) -> EffectiveConfig {
        let folder = self.folders.get(root);
        let file = folder.map(|folder| {
            let (trusted, problem) = self.resolve_trust(root, trust);
            let mut layer = folder.file.file_layer().clone().restrict_by_trust(trusted, root);
            if let Some(problem) = problem {
                let source = layer.source.clone();
                layer.issues.push(ConfigIssue { source, key: String::new(), problem });
            }
            layer
        });
        let editor = folder.and_then(|folder| folder.answered.as_ref()).or(self.sent.as_ref());
        merge_layers(file.as_ref().into_iter().chain([editor.unwrap_or(&self.start), &self.flags]))
    }

    /// Whether a workspace is trusted, and why the stored list cannot be read if so. A value from
    /// the editor has priority over the stored list.
    fn resolve_trust(&self, root: &Path, store: Option<&TrustStore>) -> (bool, Option<String>) {
        match (self.trusted, store) {
            (Some(trusted), _) => (trusted, None),
            (None, None) => (false, None),
            (None, Some(store)) => match store.is_trusted(root) {
                Ok(trusted) => (trusted, None),
                Err(error) => (false, Some(format!("the workspace is treated as untrusted: {error}"))),
            },
        }
    }

    /// Records the value of `workspaceTrust` in settings of the editor.
    fn record_trust(&mut self, layer: &ConfigLayer) {
        if let Some(Value::Bool(trusted)) = layer.value_at(&["workspaceTrust"]) {
            self.trusted = Some(*trusted);
        }
    }
}

impl Session {
    /// Returns the configuration for everything that belongs to no folder: that of the first
    /// folder, or the editor's settings if no folder is open.
    pub fn session_config(&self) -> Arc<Config> {
        match self.served_folders().first() {
            Some(first) => self.folder_config(first),
            None => Arc::clone(&self.settings.lock_state().common),
        }
    }

    /// Returns the configuration of a folder.
    pub fn folder_config(&self, folder: &ServedFolder) -> Arc<Config> {
        let inner = self.settings.lock_state();
        Arc::clone(inner.folders.get(folder.root_path()).map_or(&inner.common, |folder| &folder.config))
    }

    /// Whether programs of a folder's workspace may run.
    pub fn is_folder_trusted(&self, folder: &ServedFolder) -> bool {
        self.settings.lock_state().resolve_trust(folder.root_path(), self.settings.trust.as_ref()).0
    }

    /// Sets the options that no other source overrides, before any folder is added.
    pub fn use_flags(&self, options: &Value) {
        self.settings.lock_state().flags = ConfigLayer::from_json(ConfigSource::CommandLine, options, None);
    }

    /// Applies `initializationOptions`.
    pub fn apply_initialization_options(&self, options: Option<&Value>) {
        {
            let mut inner = self.settings.lock_state();
            let options = options.unwrap_or(&Value::Null);
            // Some clients send the section, others only its content.
            let section = options.get("kenning").filter(|section| section.is_object()).unwrap_or(options);
            inner.start = ConfigLayer::from_json(ConfigSource::InitializationOptions, section, None);
            let start = inner.start.clone();
            inner.record_trust(&start);
        }
        self.apply_settings();
    }

    /// Replaces the settings that the editor sent for all folders; `None` if its message contains
    /// no settings of Kenning.
    pub fn replace_settings(&self, settings: Option<&Value>) {
        {
            let mut inner = self.settings.lock_state();
            let layer = settings.map(|settings| {
                let former = inner.sent.as_ref().unwrap_or(&inner.start);
                ConfigLayer::from_json(ConfigSource::Editor, settings, Some(former))
            });
            if let Some(layer) = &layer {
                inner.record_trust(layer);
            }
            inner.sent = layer;
            // Answers to earlier requests are older than this message.
            let request_count = inner.request_count;
            for folder in inner.folders.values_mut() {
                (folder.answered, folder.answered_request) = (None, request_count);
            }
        }
        self.apply_settings();
    }

    /// Starts a request to the editor for its settings.
    pub fn begin_settings_request(&self, empty_answer: EmptyAnswer) -> SettingsRequest {
        let mut inner = self.settings.lock_state();
        inner.request_count += 1;
        SettingsRequest { number: inner.request_count, empty_answer }
    }

    /// Applies the editor's answer for each folder. A null answer contains no settings. Answers to
    /// earlier requests than the last answered one are ignored.
    pub fn apply_settings_answers(
        &self,
        request: SettingsRequest,
        answers: impl IntoIterator<Item = (PathBuf, Value)>,
    ) {
        {
            let mut inner = self.settings.lock_state();
            let mut has_null_answer = false;
            for (root, answer) in answers {
                let former = inner.sent.clone();
                let start = inner.start.clone();
                let Some(folder) = inner.folders.get_mut(&root) else { continue };
                if folder.answered_request >= request.number {
                    continue;
                }
                folder.answered_request = request.number;
                if answer.is_null() {
                    folder.answered = None;
                    has_null_answer = true;
                    continue;
                }
                let former = folder.answered.as_ref().or(former.as_ref()).unwrap_or(&start);
                let layer = ConfigLayer::from_json(ConfigSource::Editor, &answer, Some(former));
                folder.answered = Some(layer.clone());
                inner.record_trust(&layer);
            }
            if has_null_answer && request.empty_answer == EmptyAnswer::RevokesSettings {
                inner.sent = None;
            }
        }
        self.apply_settings();
    }

    /// Reads `kenning.toml` of a folder and the trust in the workspace again.
    pub fn reload_settings_file(&self, folder: &ServedFolder) {
        if let Some(folder) = self.settings.lock_state().folders.get_mut(folder.root_path()) {
            folder.file.read_again();
        }
        self.apply_settings();
    }

    /// Merges the settings of all sources again, replaces the configurations that changed and
    /// notifies the affected parts.
    pub(super) fn apply_settings(&self) {
        // This comes before the lock, because folders are added and removed under their own lock.
        let folders = self.served_folders();
        let mut inner = self.settings.lock_state();
        let mut issues: BTreeSet<ConfigIssue> = BTreeSet::new();
        let common = inner.effective_config(Path::new(""), None);
        issues.extend(common.issues);
        inner.common = Arc::new(common.config);
        let mut lenses_changed = false;
        for folder in &folders {
            let effective = inner.effective_config(folder.root_path(), self.settings.trust.as_ref());
            issues.extend(effective.issues);
            let Some(current) = inner.folders.get_mut(folder.root_path()) else { continue };
            if *current.config == effective.config {
                continue;
            }
            let (old, new) = (&current.config, Arc::new(effective.config));
            lenses_changed |= old.code_lens != new.code_lens;
            if old.index != new.index {
                folder.push_change(FolderChange::Configure(index_options(&new, self.options.clone())));
            }
            current.config = new;
        }
        let level = match folders.first().and_then(|first| inner.folders.get(first.root_path())) {
            Some(first) => first.config.log.level,
            None => inner.common.log.level,
        };
        if let Some(set_level) = &self.settings.log_level {
            set_level(level);
        }
        report_new_issues(&self.events, &mut inner.reported, issues);
        drop(inner);
        for folder in &folders {
            folder.folder_vectors().follow_settings(&self.folder_config(folder));
        }
        if lenses_changed {
            let _ = self.events.send(SessionEvent::LensesChanged);
        }
        if let Some(options) = self.servers.get() {
            for folder in &folders {
                folder_servers::follow_settings(
                    folder,
                    options,
                    &self.folder_config(folder),
                    self.is_folder_trusted(folder),
                );
            }
        }
    }
}

/// Reports new issues to the user in one message, and writes each to the log.
fn report_new_issues(
    events: &EventSender,
    reported: &mut BTreeSet<ConfigIssue>,
    issues: BTreeSet<ConfigIssue>,
) {
    let new: Vec<String> = issues.difference(reported).map(ToString::to_string).collect();
    for issue in &new {
        tracing::warn!("{issue}");
    }
    *reported = issues;
    if !new.is_empty() {
        let _ = events.send(SessionEvent::Warning(format!("Kenning: {}", new.join("\n"))));
    }
}

#[cfg(test)]
mod tests;
