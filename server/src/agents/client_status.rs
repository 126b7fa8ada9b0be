//! Reports which parts of Kenning are installed for each client.
//!
//! [`read_client_status`] compares the files of one client with the wanted items and looks for the
//! program that the client's entry starts. A file that cannot be read becomes the problem of that
//! client only. [`render_status`] and [`status_json`] show the result.

use super::AgentError;
use super::ENTRY_NAME;
use super::change_plan::{InstalledState, inspect_item};
use super::client_table::{AgentClient, PartKind};
use super::config_document::ConfigText;
use super::file_changes::read_config_text;
use super::install_record::InstallRecord;
use super::path_template::{PlatformPath, UserFolders};
use super::wanted_items::{InstallScope, ItemContent, WantedItem, list_wanted_items};
use crate::terminal::screen::{DIM_STYLE, GOOD_STYLE, HEADING_STYLE, NAME_STYLE, Screen, WARNING_STYLE};
use anstyle::Style;
use kenning_enrichment::servers::find_program;
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// The program that a client starts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ProgramStatus {
    /// The program, as the client's configuration names it.
    pub command: String,
    /// Its path; absent if there is no such program.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<PathBuf>,
    /// Its version, if it reports one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
}

/// The state of one part of a client's configuration.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PartStatus {
    /// The part: `server`, `skill`, `hooks`, `subagent` or `lsp`.
    pub part: &'static str,
    /// The file.
    pub file: PathBuf,
    /// The state.
    pub state: InstalledState,
}

/// The parts of Kenning that are installed for a client.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ClientStatus {
    /// The name of the client on the command line.
    pub client: String,
    /// The name of the client in texts.
    pub title: String,
    /// Whether the client is on this machine.
    pub found: bool,
    /// The parts that the client supports.
    pub parts: Vec<PartStatus>,
    /// The program that the client starts, if it is configured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub program: Option<ProgramStatus>,
    /// The reason why a file cannot be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

/// Whether a client is on this machine: one of its folders exists, or one of its programs is on the
/// search path.
pub fn is_client_found(client: &AgentClient, folders: &UserFolders<'_>, search_path: &[PathBuf]) -> bool {
    let has_folder = |path: &PlatformPath| folders.expand_path(path.template()).is_dir();
    client.folders.iter().any(has_folder)
        || client.programs.iter().any(|program| find_program(program, search_path).is_some())
}

/// Reads the status of a client. `read_version` returns the version of a program.
pub fn read_client_status(
    client: &AgentClient,
    scope: &InstallScope,
    folders: &UserFolders<'_>,
    record: &InstallRecord,
    search_path: &[PathBuf],
    read_version: impl Fn(&Path) -> Option<String>,
) -> ClientStatus {
    let mut status = ClientStatus {
        client: client.name.clone(),
        title: client.title.clone(),
        found: is_client_found(client, folders, search_path),
        parts: Vec::new(),
        program: None,
        problem: None,
    };
    if let Err(error) = read_parts(client, scope, folders, record, &mut status) {
        status.problem = Some(error.to_string());
    }
    if let Some(program) = &mut status.program {
        program.path = find_program(&program.command, search_path);
        program.version = program.path.as_deref().and_then(read_version);
    }
    status
}

/// Reads the state of every part, and the program of the server's entry, into `status`.
fn read_parts(
    client: &AgentClient,
    scope: &InstallScope,
    folders: &UserFolders<'_>,
    record: &InstallRecord,
    status: &mut ClientStatus,
) -> Result<(), AgentError> {
    for kind in [PartKind::Server, PartKind::Skill, PartKind::Hooks, PartKind::Subagent, PartKind::Lsp] {
        let scope = InstallScope { kinds: BTreeSet::from([kind]), ..scope.clone() };
        let items = list_wanted_items(client, &scope, folders)?;
        let mut paths: Vec<&PathBuf> = items.iter().map(|item| &item.path).collect();
        paths.dedup();
        for path in paths {
            // If a file has several hooks, a missing or different hook determines the state.
            let states = items.iter().filter(|item| item.path == *path);
            let states: Vec<InstalledState> = states
                .map(|item| inspect_item(item, record, scope.project.as_deref()))
                .collect::<Result<_, _>>()?;
            let is_not_installed = |state: &&InstalledState| **state != InstalledState::Installed;
            let state = states.iter().find(is_not_installed).copied().unwrap_or(InstalledState::Installed);
            status.parts.push(PartStatus { part: kind.as_str(), file: path.clone(), state });
        }
        if kind == PartKind::Server && status.program.is_none() {
            for item in &items {
                let command = read_command(item, scope.project.as_deref())?;
                status.program = command.map(|command| ProgramStatus { command, path: None, version: None });
            }
        }
    }
    Ok(())
}

/// Returns the program of an entry.
fn read_command(item: &WantedItem, root: Option<&Path>) -> Result<Option<String>, AgentError> {
    let ItemContent::Entry { table, inner_table, .. } = &item.content else { return Ok(None) };
    let Some(text) = read_config_text(&item.path, root)? else { return Ok(None) };
    let config = ConfigText { path: &item.path, format: item.format, text: &text };
    let outer: Vec<&str> = table.iter().map(String::as_str).collect();
    let nested: Vec<&str> = outer.iter().copied().chain(inner_table.as_deref()).collect();
    for keys in [nested, outer] {
        let entry = config.read_value(&[keys.as_slice(), &[ENTRY_NAME]].concat())?;
        let command = entry.as_ref().map(|entry| &entry["command"]);
        let command = command.and_then(|command| command.as_str().or_else(|| command.get(0)?.as_str()));
        if let Some(command) = command {
            return Ok(Some(command.to_owned()));
        }
    }
    Ok(None)
}

/// Renders the status of clients as a table for people.
pub fn render_status(clients: &[ClientStatus], screen: &Screen) -> String {
    let mut rows = vec![
        ["client", "found", "server", "skill", "hooks", "subagent", "lsp", "program"].map(str::to_owned),
    ];
    for client in clients {
        let part = |name: &str| {
            let states = client.parts.iter().filter(|part| part.part == name).map(|part| part.state);
            states.min().map_or("-", state_word).to_owned()
        };
        let found = if client.found { "yes" } else { "no" };
        let program = match &client.program {
            None => String::new(),
            Some(ProgramStatus { command, path: None, .. }) => format!("{command} (not found)"),
            Some(ProgramStatus { command, version: None, .. }) => command.clone(),
            Some(ProgramStatus { command, version: Some(version), .. }) => format!("{command} {version}"),
        };
        rows.push([
            client.client.clone(),
            found.to_owned(),
            part("server"),
            part("skill"),
            part("hooks"),
            part("subagent"),
            part("lsp"),
            program,
        ]);
    }
    let width = |column: usize| rows.iter().map(|row| row[column].len()).max().unwrap_or_default();
    let widths: Vec<usize> = (0..rows[0].len()).map(width).collect();
    let mut out = String::new();
    for (row_number, row) in rows.iter().enumerate() {
        let last_column = row.iter().rposition(|cell| !cell.is_empty()).unwrap_or_default();
        let cells = row[..=last_column].iter().zip(&widths).enumerate().map(|(column, (cell, width))| {
            let pad = if column == last_column { 0 } else { width - cell.len() };
            screen.paint(cell, cell_style(row_number, column, cell)) + &" ".repeat(pad)
        });
        let _ = writeln!(out, "{}", cells.collect::<Vec<_>>().join("  "));
    }
    for client in clients {
        if let Some(problem) = &client.problem {
            let problem = screen.paint(&format!("{}: {problem}", client.title), WARNING_STYLE);
            let _ = writeln!(out, "{problem}");
        }
    }
    out
}

/// Returns the style of a cell of the table of clients; row 0 is its head.
fn cell_style(row: usize, column: usize, cell: &str) -> Style {
    match cell {
        _ if row == 0 => HEADING_STYLE,
        _ if column == 0 => NAME_STYLE,
        "yes" => GOOD_STYLE,
        "outdated" | "other" => WARNING_STYLE,
        "no" | "-" => DIM_STYLE,
        _ => Style::new(),
    }
}

fn state_word(state: InstalledState) -> &'static str {
    match state {
        InstalledState::Absent => "no",
        InstalledState::Installed => "yes",
        InstalledState::Outdated => "outdated",
        InstalledState::Other => "other",
    }
}

/// Returns the version in the output of `kenning --version`.
pub fn parse_version(output: &str) -> Option<String> {
    let version = output.strip_prefix("kenning ")?.lines().next()?;
    Some(version.to_owned())
}

/// Returns the status of clients as a value for JSON.
pub fn status_json(clients: &[ClientStatus]) -> Value {
    serde_json::json!({ "clients": clients })
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    #[test]
    fn the_table_shows_every_part_and_what_is_wrong() {
        let part = |part, state| PartStatus { part, file: "f".into(), state };
        let claude = ClientStatus {
            client: "claude".to_owned(),
            title: "Claude Code".to_owned(),
            found: true,
            parts: vec![
                part("server", InstalledState::Installed),
                part("skill", InstalledState::Outdated),
                part("hooks", InstalledState::Absent),
            ],
            program: Some(ProgramStatus {
                command: "kenning".to_owned(),
                path: Some("/bin/kenning".into()),
                version: Some("0.1.0".to_owned()),
            }),
            problem: None,
        };
        let zed = ClientStatus {
            client: "zed".to_owned(),
            title: "Zed".to_owned(),
            found: false,
            parts: Vec::new(),
            program: None,
            problem: Some("settings.json, line 3: unexpected comma".to_owned()),
        };
        expect![[r#"
            client  found  server  skill     hooks  subagent  lsp  program
            claude  yes    yes     outdated  no     -         -    kenning 0.1.0
            zed     no     -       -         -      -         -
            Zed: settings.json, line 3: unexpected comma
        "#]]
        .assert_eq(&render_status(&[claude, zed], &Screen::plain()));
        assert_eq!(parse_version("kenning 0.1.0\n").as_deref(), Some("0.1.0"));
        assert_eq!(parse_version("other 1"), None);
    }
}
