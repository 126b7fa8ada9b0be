//! Tests which source of a setting wins and which messages the user sees.

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
fn the_editor_counts_before_the_file_and_the_file_before_the_default() {
    let fixture = Fixture::new();
    assert_eq!(fixture.depth(), 4);
    fixture.write("blastRadius.depth = 2\n[pack]\nbudget = 700\n");
    assert_eq!(fixture.depth(), 2);
    fixture.session.apply_initialization_options(Some(&depth(3)));
    assert_eq!(fixture.depth(), 3);
    fixture.session.replace_settings(Some(&depth(5)));
    assert_eq!(fixture.depth(), 5);
    let config = fixture.session.session_config();
    assert_eq!((config.pack.budget, config.blast_radius.depth), (700, 5), "the first folder speaks for all");
    fixture.write("");
    assert_eq!((fixture.depth(), fixture.session.session_config().pack.budget), (5, 50_000));
}

#[test]
fn each_message_of_the_editor_is_all_that_it_says() {
    let fixture = Fixture::new();
    fixture.session.apply_initialization_options(Some(&depth(6)));
    fixture.session.replace_settings(Some(&json!({ "hover": { "enabled": false } })));
    assert_eq!(fixture.depth(), 4, "settings that are stated replace initializationOptions");
    assert!(!fixture.session.session_config().hover.enabled);
    fixture.session.replace_settings(Some(&json!({})));
    assert!(fixture.session.session_config().hover.enabled);
    fixture.session.replace_settings(None);
    assert_eq!(fixture.depth(), 6, "an editor that states nothing said what it has to say at its start");
}

#[test]
fn the_last_answer_of_the_editor_holds_for_its_folder() {
    let fixture = Fixture::new();
    let other = tempfile::tempdir().unwrap();
    fixture.session.add_folders([other.path().to_owned()]);
    let answer = |pull, n| fixture.session.take_settings_answers(pull, [(fixture.root(), depth(n))]);
    let (old, new) =
        (fixture.session.begin_settings_request(false), fixture.session.begin_settings_request(false));
    answer(new, 5);
    answer(old, 2);
    assert_eq!(fixture.depth(), 5, "an answer that was overtaken is dropped");
    assert_eq!(fixture.session.folder_config(&fixture.session.served_folders()[1]).blast_radius.depth, 4);
    let asked_before = fixture.session.begin_settings_request(false);
    fixture.session.replace_settings(Some(&depth(3)));
    answer(asked_before, 1);
    assert_eq!(fixture.depth(), 3, "what was stated after the question is newer than its answer");
    let nothing = |pull| fixture.session.take_settings_answers(pull, [(fixture.root(), Value::Null)]);
    nothing(fixture.session.begin_settings_request(false));
    assert_eq!(fixture.depth(), 3);
    nothing(fixture.session.begin_settings_request(true));
    assert_eq!(fixture.depth(), 4);
}

#[test]
fn the_person_is_told_once_and_again_when_it_happens_again() {
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
fn programs_named_by_a_workspace_wait_for_trust() {
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
    assert_eq!(command(&fixture), None, "settings that say nothing of trust leave it");
    store.untrust_workspace(&fixture.root()).unwrap();
    fixture.session.replace_settings(Some(&json!({ "workspaceTrust": true })));
    assert_eq!(command(&fixture).as_deref(), Some("tools/gopls"));
}

#[test]
fn a_list_of_trusted_workspaces_that_cannot_be_read_trusts_nobody_and_says_so() {
    let mut fixture = Fixture::new();
    std::fs::create_dir_all(fixture.disk.path().join("data/kenning")).unwrap();
    std::fs::write(fixture.disk.path().join("data/kenning/trusted.toml"), "nonsense").unwrap();
    fixture.write("servers.gopls.command = \"tools/gopls\"\n");
    assert_eq!(fixture.session.session_config().server_config("gopls").command, None);
    assert!(fixture.warnings()[0].contains("the workspace is treated as untrusted: "));
}

#[test]
fn every_look_at_the_disk_looks_at_the_file() {
    let mut fixture = Fixture::new();
    let mut asks = |change| {
        fixture.folder().push_change(change);
        std::iter::from_fn(|| fixture.events.try_recv().ok())
            .any(|e| matches!(e, SessionEvent::SettingsFile(_)))
    };
    assert!(asks(FolderChange::Refresh { path: None }));
    assert!(asks(FolderChange::Refresh { path: Some("kenning.toml".into()) }));
    assert!(!asks(FolderChange::Refresh { path: Some("sub/kenning.toml".into()) }));
    assert!(!asks(FolderChange::Close { path: "kenning.toml".into() }));
}

#[test]
fn the_level_of_the_log_follows() {
    let disk = tempfile::tempdir().unwrap();
    let (sender, _events) = mpsc::unbounded_channel();
    let level = Arc::new(Mutex::new(LogLevel::Off));
    let seen = Arc::clone(&level);
    let set: SetLogLevel = Arc::new(move |level| *seen.lock().unwrap() = level);
    let session = Session::new(WorkspaceOptions::default(), sender, None, Some(set));
    session.apply_initialization_options(None);
    assert_eq!(*level.lock().unwrap(), LogLevel::Info);
    session.add_folders([disk.path().to_owned()]);
    session.replace_settings(Some(&json!({ "log": { "level": "debug" } })));
    assert_eq!(*level.lock().unwrap(), LogLevel::Debug);
}
