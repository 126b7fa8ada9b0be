//! The configuration of a session's folders: what each source said last, and what holds.

use super::progress::{Event, Events};
use super::{Change, Folder, Session, servers};
use crate::config::effective::{Effective, combine};
use crate::config::file::File;
use crate::config::options::LogLevel;
use crate::config::statement::{Issue, Source, Statement};
use crate::config::trust::TrustStore;
use crate::config::{Config, index_options};
use kenning_indexing::workspace::WorkspaceOptions;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Told of the level at which the client wants the log.
pub type SetLogLevel = Arc<dyn Fn(LogLevel) + Send + Sync>;

/// The sources of all folders.
pub(super) struct Settings {
    inner: Mutex<Inner>,
    trust: Option<TrustStore>,
    log_level: Option<SetLogLevel>,
}

struct Inner {
    /// `initializationOptions`. They hold until the editor states its settings.
    start: Statement,
    /// What `workspace/didChangeConfiguration` said of all folders.
    said: Option<Statement>,
    /// The editor's last word on trust.
    trusted: Option<bool>,
    folders: BTreeMap<PathBuf, FolderSettings>,
    /// Without any file of a workspace.
    common: Arc<Config>,
    /// What the person was told, as long as it is so.
    told: BTreeSet<Issue>,
    pulls: u64,
}

struct FolderSettings {
    file: File,
    /// What the editor answered for this folder, and the number of the question.
    answered: Option<Statement>,
    answered_pull: u64,
    config: Arc<Config>,
}

/// A question to the editor for its settings.
#[derive(Clone, Copy, Debug)]
pub struct Pull {
    number: u64,
    /// An answer that says nothing takes back what was said before.
    takes_back: bool,
}

impl Settings {
    pub fn new(trust: Option<TrustStore>, log_level: Option<SetLogLevel>) -> Self {
        let inner = Inner {
            start: Statement::empty(Source::InitializationOptions),
            said: None,
            trusted: None,
            folders: BTreeMap::new(),
            common: Arc::default(),
            told: BTreeSet::new(),
            pulls: 0,
        };
        Self { inner: Mutex::new(inner), trust, log_level }
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Options for a folder that is being added.
    pub fn add(&self, root: &Path, options: WorkspaceOptions) -> WorkspaceOptions {
        let mut inner = self.lock();
        if !inner.folders.contains_key(root) {
            let (file, config) = (File::read(root), Arc::default());
            let settings = FolderSettings { file, answered: None, answered_pull: 0, config };
            inner.folders.insert(root.to_owned(), settings);
        }
        let config = Arc::new(inner.effective(root, self.trust.as_ref()).config);
        if let Some(folder) = inner.folders.get_mut(root) {
            folder.config = Arc::clone(&config);
        }
        index_options(&config, options)
    }

    pub fn remove(&self, root: &Path) {
        self.lock().folders.remove(root);
    }
}

impl Inner {
    fn effective(&self, root: &Path, trust: Option<&TrustStore>) -> Effective {
        let folder = self.folders.get(root);
        let file = folder.map(|folder| {
            let (trusted, problem) = self.trust(root, trust);
            let mut statement = folder.file.statement().clone().restricted(trusted, root);
            if let Some(problem) = problem {
                let source = statement.source.clone();
                statement.issues.push(Issue { source, key: String::new(), problem });
            }
            statement
        });
        let editor = folder.and_then(|folder| folder.answered.as_ref()).or(self.said.as_ref());
        combine(file.as_ref().into_iter().chain([editor.unwrap_or(&self.start)]))
    }

    /// Whether a workspace is trusted: the editor's word, else what the person stored.
    fn trust(&self, root: &Path, store: Option<&TrustStore>) -> (bool, Option<String>) {
        match (self.trusted, store) {
            (Some(word), _) => (word, None),
            (None, None) => (false, None),
            (None, Some(store)) => match store.trusts(root) {
                Ok(trusted) => (trusted, None),
                Err(error) => (false, Some(format!("the workspace counts as not trusted: {error}"))),
            },
        }
    }

    fn hear(&mut self, statement: &Statement) {
        if let Some(Value::Bool(word)) = statement.value(&["workspaceTrust"]) {
            self.trusted = Some(*word);
        }
    }
}

impl Session {
    /// The configuration of what belongs to no folder: the first folder's, or the editor's word where none is open.
    pub fn config(&self) -> Arc<Config> {
        match self.folders().first() {
            Some(first) => self.config_of(first),
            None => Arc::clone(&self.settings.lock().common),
        }
    }

    /// The configuration of a folder.
    pub fn config_of(&self, folder: &Folder) -> Arc<Config> {
        let inner = self.settings.lock();
        Arc::clone(inner.folders.get(folder.root()).map_or(&inner.common, |folder| &folder.config))
    }

    /// Whether programs of a folder's workspace may run.
    pub fn trusts(&self, folder: &Folder) -> bool {
        self.settings.lock().trust(folder.root(), self.settings.trust.as_ref()).0
    }

    /// Takes `initializationOptions`.
    pub fn begin_with(&self, options: Option<&Value>) {
        {
            let mut inner = self.settings.lock();
            let options = options.unwrap_or(&Value::Null);
            // Some clients send the section, some what is in it.
            let section = options.get("kenning").filter(|section| section.is_object()).unwrap_or(options);
            inner.start = Statement::read(Source::InitializationOptions, section, None);
            let start = inner.start.clone();
            inner.hear(&start);
        }
        self.apply_settings();
    }

    /// Takes the settings that the editor states for all folders; `None` where its message says nothing of Kenning.
    pub fn take_settings(&self, settings: Option<&Value>) {
        {
            let mut inner = self.settings.lock();
            let statement = settings.map(|settings| {
                let former = inner.said.as_ref().unwrap_or(&inner.start);
                Statement::read(Source::Editor, settings, Some(former))
            });
            if let Some(statement) = &statement {
                inner.hear(statement);
            }
            inner.said = statement;
            // Answers to older questions are older than this.
            let pulls = inner.pulls;
            for folder in inner.folders.values_mut() {
                (folder.answered, folder.answered_pull) = (None, pulls);
            }
        }
        self.apply_settings();
    }

    /// Notes that the editor is asked for its settings. `takes_back`: an answer that says nothing means that what it
    /// said before no longer holds.
    pub fn ask_for_settings(&self, takes_back: bool) -> Pull {
        let mut inner = self.settings.lock();
        inner.pulls += 1;
        Pull { number: inner.pulls, takes_back }
    }

    /// Takes the editor's answer for each of these folders; null says nothing. Answers to older questions than the
    /// last one answered are dropped.
    pub fn take_answers(&self, pull: Pull, answers: impl IntoIterator<Item = (PathBuf, Value)>) {
        {
            let mut inner = self.settings.lock();
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
                let statement = Statement::read(Source::Editor, &answer, Some(former));
                folder.answered = Some(statement.clone());
                inner.hear(&statement);
            }
            if said_nothing && pull.takes_back {
                inner.said = None;
            }
        }
        self.apply_settings();
    }

    /// Looks whether `kenning.toml` of a folder, or the trust in it, changed on the disk.
    pub fn look_at_settings(&self, folder: &Folder) {
        if let Some(folder) = self.settings.lock().folders.get_mut(folder.root()) {
            folder.file.read_again();
        }
        self.apply_settings();
    }

    /// Makes what was said last hold: swaps the configurations and tells whom it concerns.
    pub(super) fn apply_settings(&self) {
        // Before the lock: folders are added and removed under theirs.
        let folders = self.folders();
        let mut inner = self.settings.lock();
        let mut issues: BTreeSet<Issue> = BTreeSet::new();
        let common = inner.effective(Path::new(""), None);
        issues.extend(common.issues);
        inner.common = Arc::new(common.config);
        let mut lenses = false;
        for folder in &folders {
            let effective = inner.effective(folder.root(), self.settings.trust.as_ref());
            issues.extend(effective.issues);
            let Some(known) = inner.folders.get_mut(folder.root()) else { continue };
            if *known.config == effective.config {
                continue;
            }
            let (old, new) = (&known.config, Arc::new(effective.config));
            lenses |= old.code_lens != new.code_lens;
            if old.index != new.index {
                folder.push(Change::Configure(index_options(&new, self.options.clone())));
            }
            known.config = new;
        }
        let level = match folders.first().and_then(|first| inner.folders.get(first.root())) {
            Some(first) => first.config.log.level,
            None => inner.common.log.level,
        };
        if let Some(set) = &self.settings.log_level {
            set(level);
        }
        tell(&self.events, &mut inner.told, issues);
        drop(inner);
        if lenses {
            let _ = self.events.send(Event::LensesChanged);
        }
        if let Some(options) = self.servers.get() {
            for folder in &folders {
                servers::follow_settings(folder, options, &self.config_of(folder), self.trusts(folder));
            }
        }
    }
}

/// Tells of issues that are new, in one message; the log has each.
fn tell(events: &Events, told: &mut BTreeSet<Issue>, issues: BTreeSet<Issue>) {
    let new: Vec<String> = issues.difference(told).map(ToString::to_string).collect();
    for issue in &new {
        tracing::warn!("{issue}");
    }
    *told = issues;
    if !new.is_empty() {
        let _ = events.send(Event::Warning(format!("Kenning: {}", new.join("\n"))));
    }
}

#[cfg(test)]
mod tests;
