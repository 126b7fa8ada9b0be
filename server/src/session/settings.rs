//! The configuration of a session's folders: the last statement of each source, and the options
//! that result.
//!
//! The options of a folder come from two layers. The lower one is its `kenning.toml`, restricted if
//! the workspace is not trusted. The upper one is the editor's: the answer for that folder to the
//! last `workspace/configuration` request, else the last `workspace/didChangeConfiguration`, else
//! `initializationOptions`. `Session::apply_settings` merges the layers again after every change
//! and notifies the parts that are affected.

use super::index_progress::{EventSender, SessionEvent};
use super::{FolderChange, ServedFolder, Session, folder_servers};
use crate::config::config_layer::{ConfigIssue, ConfigLayer, ConfigSource};
use crate::config::effective::{EffectiveConfig, merge_layers};
use crate::config::file::ConfigFile;
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

struct SettingsState {
    /// The `initializationOptions`, which apply until the editor sends its settings.
    start: ConfigLayer,
    /// The settings that `workspace/didChangeConfiguration` sent for all folders.
    said: Option<ConfigLayer>,
    /// The last statement of the editor on trust; `None` if it made none.
    trusted: Option<bool>,
    folders: BTreeMap<PathBuf, FolderSettings>,
    /// The configuration without the file of any workspace.
    common: Arc<Config>,
    /// The issues that were last reported to the user, so that only new ones are reported.
    told: BTreeSet<ConfigIssue>,
    pulls: u64,
}

struct FolderSettings {
    file: ConfigFile,
    /// The editor's answer for this folder.
    answered: Option<ConfigLayer>,
    answered_pull: u64,
    config: Arc<Config>,
}

/// A request to the editor for its settings.
#[derive(Clone, Copy, Debug)]
pub struct SettingsRequest {
    number: u64,
    /// Whether an empty answer revokes the settings that the editor sent before.
    takes_back: bool,
}

impl SessionSettings {
    pub fn new(trust: Option<TrustStore>, log_level: Option<SetLogLevel>) -> Self {
        let inner = SettingsState {
            start: ConfigLayer::empty(ConfigSource::InitializationOptions),
            said: None,
            trusted: None,
            folders: BTreeMap::new(),
            common: Arc::default(),
            told: BTreeSet::new(),
            pulls: 0,
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
            let settings = FolderSettings { file, answered: None, answered_pull: 0, config };
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
    fn effective_config(&self, root: &Path, trust: Option<&TrustStore>) -> EffectiveConfig {
        let folder = self.folders.get(root);
        let file = folder.map(|folder| {
            let (trusted, problem) = self.resolve_trust(root, trust);
            let mut statement = folder.file.file_layer().clone().restrict_by_trust(trusted, root);
            if let Some(problem) = problem {
                let source = statement.source.clone();
                statement.issues.push(ConfigIssue { source, key: String::new(), problem });
            }
            statement
        });
        let editor = folder.and_then(|folder| folder.answered.as_ref()).or(self.said.as_ref());
        merge_layers(file.as_ref().into_iter().chain([editor.unwrap_or(&self.start)]))
    }

    /// Whether a workspace is trusted, and why the stored list cannot be read if so. A statement of
    /// the editor has priority over the stored list.
    fn resolve_trust(&self, root: &Path, store: Option<&TrustStore>) -> (bool, Option<String>) {
        match (self.trusted, store) {
            (Some(word), _) => (word, None),
            (None, None) => (false, None),
            (None, Some(store)) => match store.is_trusted(root) {
                Ok(trusted) => (trusted, None),
                Err(error) => (false, Some(format!("the workspace is treated as untrusted: {error}"))),
            },
        }
    }

    fn record_trust(&mut self, statement: &ConfigLayer) {
        if let Some(Value::Bool(word)) = statement.value_at(&["workspaceTrust"]) {
            self.trusted = Some(*word);
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
            let statement = settings.map(|settings| {
                let former = inner.said.as_ref().unwrap_or(&inner.start);
                ConfigLayer::from_json(ConfigSource::Editor, settings, Some(former))
            });
            if let Some(statement) = &statement {
                inner.record_trust(statement);
            }
            inner.said = statement;
            // Answers to earlier requests are older than this message.
            let pulls = inner.pulls;
            for folder in inner.folders.values_mut() {
                (folder.answered, folder.answered_pull) = (None, pulls);
            }
        }
        self.apply_settings();
    }

    /// Starts a request to the editor for its settings. If `takes_back` is true, an empty answer
    /// revokes the settings that the editor sent before.
    pub fn begin_settings_request(&self, takes_back: bool) -> SettingsRequest {
        let mut inner = self.settings.lock_state();
        inner.pulls += 1;
        SettingsRequest { number: inner.pulls, takes_back }
    }

    /// Applies the editor's answer for each folder. A null answer states no settings. Answers to
    /// earlier requests than the last answered one are ignored.
    pub fn take_settings_answers(
        &self,
        pull: SettingsRequest,
        answers: impl IntoIterator<Item = (PathBuf, Value)>,
    ) {
        {
            let mut inner = self.settings.lock_state();
            let mut said_nothing = false;
            for (root, answer) in answers {
                let former = inner.said.clone();
                let start = inner.start.clone();
                let Some(folder) = inner.folders.get_mut(&root) else { continue };
                if folder.answered_pull >= pull.number {
                    continue;
                }
                folder.answered_pull = pull.number;
                if answer.is_null() {
                    folder.answered = None;
                    said_nothing = true;
                    continue;
                }
                let former = folder.answered.as_ref().or(former.as_ref()).unwrap_or(&start);
                let statement = ConfigLayer::from_json(ConfigSource::Editor, &answer, Some(former));
                folder.answered = Some(statement.clone());
                inner.record_trust(&statement);
            }
            if said_nothing && pull.takes_back {
                inner.said = None;
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
        // This comes before the lock, because folders are added and removed under a lock of their
        // own.
        let folders = self.served_folders();
        let mut inner = self.settings.lock_state();
        let mut issues: BTreeSet<ConfigIssue> = BTreeSet::new();
        let common = inner.effective_config(Path::new(""), None);
        issues.extend(common.issues);
        inner.common = Arc::new(common.config);
        let mut lenses = false;
        for folder in &folders {
            let effective = inner.effective_config(folder.root_path(), self.settings.trust.as_ref());
            issues.extend(effective.issues);
            let Some(known) = inner.folders.get_mut(folder.root_path()) else { continue };
            if *known.config == effective.config {
                continue;
            }
            let (old, new) = (&known.config, Arc::new(effective.config));
            lenses |= old.code_lens != new.code_lens;
            if old.index != new.index {
                folder.push_change(FolderChange::Configure(index_options(&new, self.options.clone())));
            }
            known.config = new;
        }
        let level = match folders.first().and_then(|first| inner.folders.get(first.root_path())) {
            Some(first) => first.config.log.level,
            None => inner.common.log.level,
        };
        if let Some(set) = &self.settings.log_level {
            set(level);
        }
        report_new_issues(&self.events, &mut inner.told, issues);
        drop(inner);
        if lenses {
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

/// Reports new issues to the user in one message, and each of them in the log.
fn report_new_issues(events: &EventSender, told: &mut BTreeSet<ConfigIssue>, issues: BTreeSet<ConfigIssue>) {
    let new: Vec<String> = issues.difference(told).map(ToString::to_string).collect();
    for issue in &new {
        tracing::warn!("{issue}");
    }
    *told = issues;
    if !new.is_empty() {
        let _ = events.send(SessionEvent::Warning(format!("Kenning: {}", new.join("\n"))));
    }
}

#[cfg(test)]
mod tests;
