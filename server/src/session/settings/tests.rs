//! Tests of the settings: which source has priority, and which messages the user sees.

use super::*;
use crate::session::EventSender;
use serde_json::json;
use tempfile::TempDir;
use tokio::sync::mpsc::{self, UnboundedReceiver};

struct Fixture {
    disk: TempDir,
    session: Session,
    events: UnboundedReceiver<SessionEvent>,
}

impl Fixture {
    /// Creates a session with one folder whose threads are not running.
    fn new() -> Self {
        let disk = tempfile::tempdir().unwrap();
        std::fs::create_dir(disk.path().join("work")).unwrap();
        let (sender, events): (EventSender, _) = mpsc::unbounded_channel();
        let trust = TrustStore::in_data_home(&disk.path().join("data"));
        let session = Session::new(WorkspaceOptions::default(), sender, Some(trust), None);
        let fixture = Self { disk, session, events };
        fixture.session.add_folders([fixture.root()]);
        fixture
    }

    fn root(&self) -> PathBuf {
        self.disk.path().join("work")
    }

    fn folder(&self) -> Arc<ServedFolder> {
        self.session.served_folders().remove(0)
    }

    fn write(&self, text: &str) {
        std::fs::write(self.root().join("kenning.toml"), text).unwrap();
        self.session.reload_settings_file(&self.folder());
    }

    fn depth(&self) -> u32 {
        self.session.folder_config(&self.folder()).blast_radius.depth
    }

    fn warnings(&mut self) -> Vec<String> {
        let mut warnings = Vec::new();
        while let Ok(event) = self.events.try_recv() {
            if let SessionEvent::Warning(text) = event {
                warnings.push(text.replace(&self.root().display().to_string(), "<root>"));
            }
        }
        warnings
    }
}

fn depth(n: u32) -> Value {
    json!({ "blastRadius": { "depth": n } })
}

#[test]
fn the_editor_overrides_the_file_and_the_file_the_default() {
    let fixture = Fixture::new();
    assert_eq!(fixture.depth(), 4);
    fixture.write("blastRadius.depth = 2\n[pack]\nbudget = 700\n");
    assert_eq!(fixture.depth(), 2);
    fixture.session.apply_initialization_options(Some(&depth(3)));
    assert_eq!(fixture.depth(), 3);
    fixture.session.replace_settings(Some(&depth(5)));
    assert_eq!(fixture.depth(), 5);
    let config = fixture.session.session_config();
    assert_eq!(
        (config.pack.budget, config.blast_radius.depth),
        (700, 5),
        "the session uses the configuration of the first folder"
    );
    fixture.write("");
    assert_eq!((fixture.depth(), fixture.session.session_config().pack.budget), (5, 8_000));
}

#[test]
fn each_message_of_the_editor_replaces_the_previous_one() {
    let fixture = Fixture::new();
    fixture.session.apply_initialization_options(Some(&depth(6)));
    fixture.session.replace_settings(Some(&json!({ "hover": { "enabled": false } })));
    assert_eq!(fixture.depth(), 4, "sent settings replace initializationOptions");
    assert!(!fixture.session.session_config().hover.enabled);
    fixture.session.replace_settings(Some(&json!({})));
    assert!(fixture.session.session_config().hover.enabled);
    fixture.session.replace_settings(None);
    assert_eq!(fixture.depth(), 6, "without settings, initializationOptions apply again");
}

#[test]
fn the_last_answer_of_the_editor_applies_to_its_folder() {
    let fixture = Fixture::new();
    let other = tempfile::tempdir().unwrap();
    fixture.session.add_folders([other.path().to_owned()]);
    let answer = |request, n| fixture.session.apply_settings_answers(request, [(fixture.root(), depth(n))]);
    let request = |empty_answer| fixture.session.begin_settings_request(empty_answer);
    let (old, new) = (request(EmptyAnswer::KeepsSettings), request(EmptyAnswer::KeepsSettings));
    answer(new, 5);
    answer(old, 2);
    assert_eq!(fixture.depth(), 5, "an outdated answer is dropped");
    assert_eq!(fixture.session.folder_config(&fixture.session.served_folders()[1]).blast_radius.depth, 4);
    let earlier_request = request(EmptyAnswer::KeepsSettings);
    fixture.session.replace_settings(Some(&depth(3)));
    answer(earlier_request, 1);
    assert_eq!(fixture.depth(), 3, "settings sent after the request are newer than its answer");
    let answer_null =
        |request| fixture.session.apply_settings_answers(request, [(fixture.root(), Value::Null)]);
    answer_null(request(EmptyAnswer::KeepsSettings));
    assert_eq!(fixture.depth(), 3);
    answer_null(request(EmptyAnswer::RevokesSettings));
    assert_eq!(fixture.depth(), 4);
}

#[test]
fn an_issue_is_reported_once_and_again_when_it_recurs() {
    let mut fixture = Fixture::new();
    fixture.write("hover.enabled = 7\nindex.exclude = [\"a[\"]\n");
    let warnings = fixture.warnings();
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    let start = "Kenning: <root>/kenning.toml: hover.enabled: must be true or false, not 7\n<root>/kenning.toml: index";
    assert!(warnings[0].starts_with(start), "{warnings:?}");
    fixture.write("hover.enabled = 7\nindex.exclude = [\"a[\"]\n# the same\n");
    fixture.session.replace_settings(Some(&depth(2)));
    assert_eq!(fixture.warnings(), [""; 0]);
    fixture.write("");
    fixture.write("hover.enabled = 7\n");
    assert_eq!(fixture.warnings().len(), 1);
}

#[test]
fn only_a_trusted_workspace_may_name_programs() {
    let mut fixture = Fixture::new();
    let command = |fixture: &Fixture| fixture.session.session_config().server_config("gopls").command;
    fixture.write("servers.gopls.command = \"tools/gopls\"\n");
    assert_eq!(command(&fixture), None);
    let warnings = fixture.warnings();
    assert!(warnings[0].contains("run: kenning trust"), "{warnings:?}");

    let store = TrustStore::in_data_home(&fixture.disk.path().join("data"));
    store.trust_workspace(&fixture.root()).unwrap();
    fixture.session.reload_settings_file(&fixture.folder());
    assert_eq!(command(&fixture).as_deref(), Some("tools/gopls"));
    // The editor's restricted mode has priority over the stored trust.
    fixture.session.apply_initialization_options(Some(&json!({ "workspaceTrust": false })));
    assert_eq!(command(&fixture), None);
    fixture.session.replace_settings(Some(&depth(3)));
    assert_eq!(command(&fixture), None, "settings without workspaceTrust leave trust unchanged");
    store.untrust_workspace(&fixture.root()).unwrap();
    fixture.session.replace_settings(Some(&json!({ "workspaceTrust": true })));
    assert_eq!(command(&fixture).as_deref(), Some("tools/gopls"));
}

#[test]
fn an_unreadable_trust_list_trusts_no_workspace_and_is_reported() {
    let mut fixture = Fixture::new();
    std::fs::create_dir_all(fixture.disk.path().join("data/kenning")).unwrap();
    std::fs::write(fixture.disk.path().join("data/kenning/trusted.toml"), "nonsense").unwrap();
    fixture.write("servers.gopls.command = \"tools/gopls\"\n");
    assert_eq!(fixture.session.session_config().server_config("gopls").command, None);
    assert!(fixture.warnings()[0].contains("the workspace is treated as untrusted: "));
}

#[test]
fn every_change_that_may_concern_the_settings_file_is_reported() {
    let mut fixture = Fixture::new();
    let mut requests_reload = |change| {
        fixture.folder().push_change(change);
        std::iter::from_fn(|| fixture.events.try_recv().ok())
            .any(|e| matches!(e, SessionEvent::SettingsFileChanged(_)))
    };
    assert!(requests_reload(FolderChange::Refresh { path: None }));
    assert!(requests_reload(FolderChange::Refresh { path: Some("kenning.toml".into()) }));
    assert!(!requests_reload(FolderChange::Refresh { path: Some("sub/kenning.toml".into()) }));
    assert!(!requests_reload(FolderChange::Close { path: "kenning.toml".into() }));
}

#[test]
fn the_log_level_follows_the_settings() {
    let disk = tempfile::tempdir().unwrap();
    let (sender, _events) = mpsc::unbounded_channel();
    let level = Arc::new(Mutex::new(LogLevel::Off));
    let received = Arc::clone(&level);
    let set: SetLogLevel = Arc::new(move |level| *received.lock().unwrap() = level);
    let session = Session::new(WorkspaceOptions::default(), sender, None, Some(set));
    session.apply_initialization_options(None);
    assert_eq!(*level.lock().unwrap(), LogLevel::Info);
    session.add_folders([disk.path().to_owned()]);
    session.replace_settings(Some(&json!({ "log": { "level": "debug" } })));
    assert_eq!(*level.lock().unwrap(), LogLevel::Debug);
}
