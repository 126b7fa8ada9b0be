//! Tests that uninstalling restores every file byte for byte, for every client and every file that
//! a user may have.

use crate::agents::change_plan::{ChangePlan, ReplaceForeign, plan_install, plan_uninstall};
use crate::agents::client_table::{AgentClient, ClientTable, ConfigFormat, PartKind};
use crate::agents::file_changes::FileChange;
use crate::agents::install_record::{InstallRecord, RecordFile};
use crate::agents::path_template::UserFolders;
use crate::agents::wanted_items::{InstallScope, WantedItem, list_wanted_items};
use expect_test::expect;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// Every kind of part.
const ALL_KINDS: [PartKind; 5] =
    [PartKind::Server, PartKind::Skill, PartKind::Hooks, PartKind::Subagent, PartKind::Lsp];

/// A temporary home folder, and a record outside of it.
struct ScratchHome {
    folder: TempDir,
}

impl ScratchHome {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("home")).unwrap();
        Self { folder }
    }

    fn home(&self) -> PathBuf {
        self.folder.path().join("home")
    }

    fn record_file(&self) -> RecordFile {
        RecordFile::in_data_home(&self.folder.path().join("data"))
    }

    fn record(&self) -> InstallRecord {
        self.record_file().read_record().unwrap()
    }

    fn items(&self, client: &AgentClient, command: &str, kinds: &[PartKind]) -> Vec<WantedItem> {
        let scope = InstallScope {
            command: command.to_owned(),
            workspace: None,
            kinds: kinds.iter().copied().collect(),
            project: None,
        };
        list_wanted_items(client, &scope, &UserFolders::new(&self.home(), &|_| None)).unwrap()
    }

    fn plan(&self, items: &[WantedItem], replace: ReplaceForeign) -> ChangePlan {
        plan_install(items, &self.record(), None, replace).unwrap()
    }

    fn install(&self, client: &AgentClient, command: &str, kinds: &[PartKind]) {
        let items = self.items(client, command, kinds);
        self.plan(&items, ReplaceForeign::No).apply_changes(&self.record_file()).unwrap();
        let again = self.plan(&items, ReplaceForeign::No);
        assert!(again.is_empty(), "{}: {:?}", client.name, again.files);
    }

    fn uninstall(&self, client: &AgentClient) -> ChangePlan {
        let names = BTreeSet::from([client.name.as_str()]);
        let known = self.items(client, "kenning", &ALL_KINDS);
        let plan = plan_uninstall(&names, &self.record(), None, &known).unwrap();
        plan.apply_changes(&self.record_file()).unwrap();
        plan
    }

    /// Returns all files with their bytes, and all folders.
    fn tree(&self) -> BTreeMap<PathBuf, Option<Vec<u8>>> {
        let mut tree = BTreeMap::new();
        let mut folders = vec![self.home()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(&folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path.clone());
                    tree.insert(path, None);
                } else {
                    let bytes = fs::read(&path).unwrap();
                    tree.insert(path, Some(bytes));
                }
            }
        }
        tree
    }
}

fn write_file(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// Returns texts that a user may have in a file whose entries are below `keys`.
fn user_texts(format: ConfigFormat, keys: &[String]) -> Vec<String> {
    let key = &keys[0];
    if format == ConfigFormat::Toml {
        return vec![
            String::new(),
            "model = \"x\"\n".to_owned(),
            "# mine\nmodel = \"x\" # why\n\n[profiles.fast]\na = 1\n".to_owned(),
            format!("[{key}.other]\ncommand = \"x\"\n\n[{key}.other.env]\nA = \"1\"\n\n[z]\nb = 2\n"),
            format!("{key} = {{ other = {{ command = \"x\" }} }}\n"),
            format!("# a\r\n[{key}.other] # b\r\ncommand = \"x\"\r\nargs = [\r\n  \"y\", # c\r\n]\r\n"),
            "a = 1".to_owned(),
            format!("[{key}]\n"),
        ];
    }
    let is_list = keys.len() > 1 && key == "hooks";
    let other = if is_list { "{ \"Other\": [] }" } else { "{ \"other\": { \"command\": \"x\" } }" };
    vec![
        String::new(),
        "{}".to_owned(),
        "{}\n".to_owned(),
        "{ }\n".to_owned(),
        "{\n}\n".to_owned(),
        "{\"a\":1,\"b\":[1,2]}".to_owned(),
        "{\n  \"a\": 1\n}\n".to_owned(),
        format!("{{\n  \"{key}\": {{}}\n}}\n"),
        format!("{{\n\t\"z\": true,\n\t\"{key}\": {other}\n}}"),
        format!("{{\"{key}\": {other}}}"),
        format!("// mine\n{{\n  /* why */ \"{key}\": {other}, // here\n  // end\n}}\n// after\n"),
        format!("{{\n    \"{key}\": {other},\n    \"b\": [\n        1,\n    ],\n}}\n"),
        format!("{{\r\n  \"a\": 1,\r\n  \"{key}\": {other}\r\n}}\r\n"),
        format!("\u{feff}{{\n  \"{key}\": {other}\n}}\n"),
        "{\n  \"é\": \"ü\",\n  \"a\": null\n}\n".to_owned(),
    ]
}

#[test]
fn every_client_is_as_before_after_an_installation_into_an_empty_home() {
    for client in &ClientTable::get().clients {
        let home = ScratchHome::new();
        home.install(client, "kenning", &[PartKind::Server, PartKind::Skill]);
        assert!(home.tree().values().flatten().count() >= 2, "{}", client.name);
        home.install(client, "kenning", &ALL_KINDS);
        let plan = home.uninstall(client);
        assert_eq!(plan.notes, [""; 0], "{}", client.name);
        assert_eq!(home.tree(), BTreeMap::new(), "{}", client.name);
        assert!(home.record().items.is_empty());
    }
}

#[test]
fn every_file_of_a_user_is_as_before() {
    let mut checked = 0;
    for client in &ClientTable::get().clients {
        for part in client.parts.iter().filter(|part| !part.table.is_empty() || !part.items.is_empty()) {
            let keys = part.items.first().map_or(&part.table, |item| &item.list);
            for text in user_texts(part.format, keys) {
                let home = ScratchHome::new();
                let kinds = [part.kind];
                let path = home.items(client, "kenning", &kinds)[0].path.clone();
                write_file(&path, &text);
                let before = home.tree();
                home.install(client, "kenning", &kinds);
                assert_ne!(home.tree(), before, "{} {text:?}", client.name);
                home.uninstall(client);
                let after = fs::read_to_string(&path).unwrap();
                assert_eq!(after, text, "{} {}", client.name, part.kind.as_str());
                assert_eq!(home.tree(), before);
                checked += 1;
            }
        }
    }
    assert!(checked > 150, "{checked}");
}

#[test]
fn an_update_replaces_what_kenning_wrote_and_is_removed_as_a_whole() {
    for client in &ClientTable::get().clients {
        for text in [None, Some("{\n  \"a\": 1 // mine\n}\n")] {
            let home = ScratchHome::new();
            let mut paths: Vec<PathBuf> =
                home.items(client, "kenning", &ALL_KINDS).into_iter().map(|item| item.path).collect();
            paths.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
            if let Some(text) = text {
                for path in &paths {
                    write_file(path, text);
                }
            }
            let before = home.tree();
            home.install(client, "/old/kenning", &ALL_KINDS);
            home.install(client, "/new/kenning", &[PartKind::Server, PartKind::Hooks, PartKind::Lsp]);
            let written: Vec<u8> = home.tree().into_values().flatten().flatten().collect();
            let written = String::from_utf8(written).unwrap();
            assert!(written.contains("/new/kenning") && !written.contains("/old/kenning"), "{written}");
            home.uninstall(client);
            assert_eq!(home.tree(), before, "{}", client.name);
        }
    }
}

#[test]
fn changes_of_the_user_stay() {
    let home = ScratchHome::new();
    let client = ClientTable::get().find_client("cursor").unwrap();
    home.install(client, "kenning", &[PartKind::Server]);
    let path = home.home().join(".cursor/mcp.json");
    let text = fs::read_to_string(&path).unwrap();
    let with_other = text.replace("\"mcpServers\": {", "\"mcpServers\": {\n    \"other\": {},");
    fs::write(&path, &with_other).unwrap();
    home.uninstall(client);
    expect![[r#"
        {
          "mcpServers": {
            "other": {}
          }
        }
    "#]]
    .assert_eq(&fs::read_to_string(&path).unwrap());
}

#[test]
fn without_the_record_only_the_items_are_removed() {
    for client in &ClientTable::get().clients {
        let home = ScratchHome::new();
        home.install(client, "/opt/kenning", &ALL_KINDS);
        let record = home.record();
        home.record_file().write_record(&record, &record.with_items(Vec::new())).unwrap();
        home.uninstall(client);
        let left = home.tree();
        let texts = left.values().flatten().map(|bytes| String::from_utf8_lossy(bytes));
        let texts: Vec<String> = texts.map(|text| text.split_whitespace().collect()).collect();
        assert!(texts.iter().all(|text| ["{}", "", "{\"version\":1}"].contains(&text.as_str())), "{texts:?}");
    }
}

#[test]
fn an_entry_of_the_user_is_replaced_only_by_force_and_then_restored() {
    let home = ScratchHome::new();
    let client = ClientTable::get().find_client("claude").unwrap();
    let path = home.home().join(".claude.json");
    let text = "{\n  \"mcpServers\": {\n    \"kenning\": { \"command\": \"mine\" }\n  }\n}\n";
    write_file(&path, text);
    let items = home.items(client, "kenning", &[PartKind::Server]);
    let plan = home.plan(&items, ReplaceForeign::No);
    assert!(plan.has_conflict && plan.is_empty());
    let expected = format!(
        "{} has another entry mcpServers.kenning, which is left alone; pass --force to replace it until you uninstall",
        path.display()
    );
    assert_eq!(plan.notes, [expected]);
    let plan = home.uninstall(client);
    assert!(plan.files.is_empty() && plan.notes[0].ends_with("which Kenning did not write; it stays"));
    home.plan(&items, ReplaceForeign::Yes).apply_changes(&home.record_file()).unwrap();
    assert!(fs::read_to_string(&path).unwrap().contains("\"mcp\""));
    home.uninstall(client);
    assert_eq!(fs::read_to_string(&path).unwrap(), text);
}

#[test]
fn an_entry_that_works_is_left_as_it_is() {
    let home = ScratchHome::new();
    let client = ClientTable::get().find_client("claude").unwrap();
    let items = home.items(client, "/opt/kenning", &[PartKind::Server]);
    let path = home.home().join(".claude.json");
    let entry = |command: &str| {
        format!(
            "{{\"mcpServers\": {{\"kenning\": {{\"args\": [\"mcp\", \"--root\", \"/w\"], \
             \"command\": \"{command}\", \"type\": \"stdio\"}}}}}}"
        )
    };
    write_file(&path, &entry("kenning"));
    let plan = home.plan(&items, ReplaceForeign::No);
    assert!(plan.is_empty() && !plan.has_conflict);
    let scope = InstallScope {
        command: "kenning".to_owned(),
        workspace: Some("/other".to_owned()),
        kinds: BTreeSet::from([PartKind::Server]),
        project: None,
    };
    let with_workspace =
        list_wanted_items(client, &scope, &UserFolders::new(&home.home(), &|_| None)).unwrap();
    assert!(home.plan(&with_workspace, ReplaceForeign::No).has_conflict);
    write_file(&path, &entry("/gone/kenning"));
    assert!(home.plan(&items, ReplaceForeign::No).has_conflict);
    let plan = home.plan(&items, ReplaceForeign::Yes);
    assert!(plan.files[0].after.as_ref().unwrap().contains("/opt/kenning"));
}

#[test]
fn a_shared_skill_stays_until_its_last_client() {
    let home = ScratchHome::new();
    let table = ClientTable::get();
    let (codex, zed) = (table.find_client("codex").unwrap(), table.find_client("zed").unwrap());
    for client in [codex, zed] {
        home.install(client, "kenning", &[PartKind::Server, PartKind::Skill]);
    }
    let skill = home.home().join(".agents/skills/kenning/SKILL.md");
    home.uninstall(codex);
    assert!(skill.exists());
    home.uninstall(zed);
    assert_eq!(home.tree(), BTreeMap::new());
}

#[test]
fn an_edited_skill_is_left_alone() {
    let home = ScratchHome::new();
    let client = ClientTable::get().find_client("claude").unwrap();
    home.install(client, "kenning", &[PartKind::Skill]);
    let skill = home.home().join(".claude/skills/kenning/SKILL.md");
    fs::write(&skill, "mine").unwrap();
    let plan = home.plan(&home.items(client, "kenning", &[PartKind::Skill]), ReplaceForeign::No);
    assert!(plan.has_conflict && plan.files.is_empty());
    let plan = home.uninstall(client);
    assert_eq!(
        plan.notes,
        [format!("{} was changed since the installation; it is left alone", skill.display())]
    );
    assert_eq!(fs::read_to_string(&skill).unwrap(), "mine");
}

#[test]
fn servers_of_the_second_version_of_opencode_get_a_neighbor() {
    let home = ScratchHome::new();
    let client = ClientTable::get().find_client("opencode").unwrap();
    let path = home.home().join(".config/opencode/opencode.jsonc");
    write_file(&path, "{\n  \"mcp\": {\n    \"servers\": {}\n  }\n}\n");
    home.install(client, "kenning", &[PartKind::Server]);
    expect![[r#"
        {
          "mcp": {
            "servers": {
              "kenning": {
                "type": "local",
                "command": ["kenning", "mcp"]
              }
            }
          }
        }
    "#]]
    .assert_eq(&fs::read_to_string(&path).unwrap());
}

#[test]
fn a_malformed_file_is_an_error_and_nothing_is_planned() {
    let home = ScratchHome::new();
    for client in &ClientTable::get().clients {
        let items = home.items(client, "kenning", &[PartKind::Server]);
        let text = if items[0].format == ConfigFormat::Toml { "a = 1\nb = [\n" } else { "{\n  \"a\": [\n" };
        write_file(&items[0].path, text);
        let error = plan_install(&items, &home.record(), None, ReplaceForeign::Yes).unwrap_err().to_string();
        let start = format!("{}, line ", items[0].path.display());
        assert!(error.starts_with(&start) && error.ends_with("then run the command again"), "{error}");
    }
}

#[test]
fn a_plan_for_another_text_is_not_written() {
    let home = ScratchHome::new();
    let client = ClientTable::get().find_client("gemini").unwrap();
    let plan = home.plan(&home.items(client, "kenning", &[PartKind::Server]), ReplaceForeign::No);
    let FileChange { path, .. } = &plan.files[0];
    write_file(path, "{}");
    let error = plan.apply_changes(&home.record_file()).unwrap_err().to_string();
    assert!(error.contains("changed in the meantime"), "{error}");
    assert_eq!(fs::read_to_string(path).unwrap(), "{}");
}
