//! Tests that the generated table of files in `docs/agents.md` agrees with `clients.toml`.

use crate::agents::client_table::{ClientTable, PartKind};
use crate::agents::path_template::{PathChoice, PlatformPath};
use std::fmt::Write;
use std::path::Path;

/// The command that updates the table.
const UPDATE: &str = "UPDATE_EXPECT=1 cargo test -p kenning --lib page_table";
/// The line before the table.
const START: &str = "<!-- generated from server/src/agents/clients.toml: UPDATE_EXPECT=1 cargo test -p kenning --lib page_table -->\n";
/// The line after the table.
const END: &str = "<!-- end of the generated table -->\n";

/// Renders the table: one row for each part of each client.
fn render_table() -> String {
    let mut out = "| client | part | file of the user | file of a workspace (`--project`) |\n".to_owned();
    out.push_str("|---|---|---|---|\n");
    for client in &ClientTable::get().clients {
        for part in &client.parts {
            let part_name = match part.kind {
                PartKind::Server => "MCP server",
                PartKind::Skill => "skill",
                PartKind::Hooks => "`--hooks`",
                PartKind::Subagent => "`--subagent`",
                PartKind::Lsp => "`--lsp`",
            };
            let (name, user) = (&client.title, render_choice(part.user.as_ref()));
            let project = render_choice(part.project.as_ref());
            let _ = writeln!(out, "| {name} (`{}`) | {part_name} | {user} | {project} |", client.name);
        }
    }
    out
}

/// Renders the Linux paths of a choice, with the variables that change them.
fn render_choice(choice: Option<&PathChoice>) -> String {
    let Some(choice) = choice else { return "-".to_owned() };
    let render = |path: &PlatformPath| {
        let template = path.all_templates()[0];
        let Some((inner, rest)) = template.strip_prefix('{').and_then(|rest| rest.split_once('}')) else {
            return format!("`{template}`");
        };
        match inner.split_once(':') {
            Some(("XDG_CONFIG_HOME", default) | (_, default @ "~")) => format!("`{default}{rest}`"),
            Some((name, default)) => format!("`{default}{rest}` (`{name}`)"),
            None => format!("`{template}`"),
        }
    };
    choice.all_paths().iter().map(render).collect::<Vec<_>>().join(" or ")
}

#[test]
fn the_table_of_files_is_current() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/agents.md");
    let page = std::fs::read_to_string(&path).unwrap();
    let (before, rest) = page.split_once(START).unwrap();
    let (_, after) = rest.split_once(END).unwrap();
    let current = format!("{before}{START}{}{END}{after}", render_table());
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(&path, current).unwrap();
        return;
    }
    assert!(page == current, "docs/agents.md is out of date: {UPDATE}");
}
