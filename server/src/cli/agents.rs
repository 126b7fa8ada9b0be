//! `kenning agents`: connects Kenning to the clients of AI agents.
//!
//! In: the arguments, the table of clients, and the record of what Kenning has installed. Out:
//! changed configuration files of clients, or a report on them. A command first chooses clients and
//! parts, then plans the changes, shows them, asks, and writes them.
//!
//! Invariants: nothing is written before the user has agreed (`--yes` or an answer). No program
//! that a file of a workspace names is run.

use super::args::{
    AgentsArgs, AgentsCommand, AgentsInstallArgs, AgentsScopeArgs, AgentsStatusArgs, AgentsUninstallArgs,
    ConfirmArgs,
};
use super::delivery::{find_screen, show_text};
use super::{agents_hook, output, target};
use crate::agents::change_plan::{ChangePlan, ReplaceForeign, plan_install, plan_uninstall};
use crate::agents::client_status::{
    is_client_found, parse_version, read_client_status, render_status, status_json,
};
use crate::agents::client_table::{AgentClient, ClientPart, ClientTable, PartKind};
use crate::agents::install_record::RecordFile;
use crate::agents::path_template::UserFolders;
use crate::agents::text_diff::render_diff;
use crate::agents::wanted_items::{InstallScope, WantedItem, list_wanted_items};
use crate::format::json;
use crate::format::wording::render_quantity;
use crate::terminal::Screen;
use anyhow::{Context, bail};
use kenning_enrichment::servers::find_program;
use kenning_retrieval::pack::escape_control_chars;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// The kinds of parts that may be installed.
const ALL_KINDS: [PartKind; 5] =
    [PartKind::Server, PartKind::Skill, PartKind::Hooks, PartKind::Subagent, PartKind::Lsp];

/// The maximum time that another program called `kenning` may take to print its version. A hanging
/// program must not block `kenning agents status`.
const VERSION_TIMEOUT: Duration = Duration::from_secs(2);

/// Installs, shows or removes Kenning's parts of the configuration of clients, or answers a hook.
pub fn run_agents(args: &AgentsArgs) -> anyhow::Result<()> {
    match &args.command {
        AgentsCommand::Install(args) => run_install(args),
        AgentsCommand::Status(args) => run_status(args),
        AgentsCommand::Uninstall(args) => run_uninstall(args),
        AgentsCommand::Hook(args) => {
            agents_hook::answer_hook(&args.words);
            Ok(())
        }
    }
}

fn run_install(args: &AgentsInstallArgs) -> anyhow::Result<()> {
    let folders = UserFolders::for_user()?;
    let mut kinds = BTreeSet::from([PartKind::Server]);
    let chosen = [
        (PartKind::Skill, !args.no_skill),
        (PartKind::Hooks, args.hooks),
        (PartKind::Subagent, args.subagent),
        (PartKind::Lsp, args.lsp),
    ];
    kinds.extend(chosen.into_iter().filter(|(_, is_chosen)| *is_chosen).map(|(kind, _)| kind));
    let scope = InstallScope {
        command: args.program.clone().map_or_else(choose_command, Ok)?,
        workspace: args.workspace.as_deref().map(absolute_workspace).transpose()?,
        kinds,
        project: project_root(&args.scope)?,
    };
    let clients = choose_clients(&args.scope, &folders);
    if clients.is_empty() {
        let names = join_titles(&ClientTable::get().clients.iter().collect::<Vec<_>>());
        bail!("no client was found on this machine; name one to install for it anyway: {names}");
    }
    let items = wanted_items(&clients, &scope, &folders)?;
    if items.is_empty() {
        bail!("{} has no files in a workspace; install without --project", join_titles(&clients));
    }
    if !args.scope.clients.is_empty() {
        report_missing_parts(&clients, &scope);
    }
    let record_file = RecordFile::for_user()?;
    let replace = if args.force { ReplaceForeign::Yes } else { ReplaceForeign::No };
    let record = record_file.read_record()?;
    let plan = plan_install(&items, &record, scope.project.as_deref(), replace)?;
    let done = format!("Connected {} to Kenning.", join_titles(&clients));
    let unchanged = if plan.has_conflict {
        String::new()
    } else {
        format!("Kenning is already connected to {}.", join_titles(&clients))
    };
    let is_written = confirm_and_apply(&plan, &record_file, &args.confirm, &unchanged, &done)?;
    if is_written {
        print_client_notes(&clients, &scope);
        if scope.kinds.contains(&PartKind::Skill) && find_program("kenning", &search_path()).is_none() {
            output::print_note("kenning is not on PATH, where the skill expects it");
        }
    }
    if plan.has_conflict {
        bail!("not everything can be installed; the notes above say why");
    }
    Ok(())
}

fn run_uninstall(args: &AgentsUninstallArgs) -> anyhow::Result<()> {
    let folders = UserFolders::for_user()?;
    let scope = full_scope(&args.scope)?;
    let table = ClientTable::get();
    let clients: Vec<&AgentClient> = if args.scope.clients.is_empty() {
        table.clients.iter().collect()
    } else {
        choose_clients(&args.scope, &folders)
    };
    let record_file = RecordFile::for_user()?;
    let record = record_file.read_record()?;
    let names: BTreeSet<&str> = clients.iter().map(|client| client.name.as_str()).collect();
    let known = wanted_items(&clients, &scope, &folders)?;
    let plan = plan_uninstall(&names, &record, scope.project.as_deref(), &known)?;
    let unchanged = "Nothing of Kenning is installed there.";
    confirm_and_apply(&plan, &record_file, &args.confirm, unchanged, "Removed what Kenning had written.")?;
    Ok(())
}

fn run_status(args: &AgentsStatusArgs) -> anyhow::Result<()> {
    let folders = UserFolders::for_user()?;
    let scope = full_scope(&args.scope)?;
    let record = RecordFile::for_user()?.read_record()?;
    let search_path = search_path();
    let is_named =
        |client: &&AgentClient| args.scope.clients.is_empty() || args.scope.clients.contains(&client.name);
    // The workspace may not be trusted, so no program that its files name may run.
    let version = |program: &Path| read_version(program, scope.project.is_none());
    let clients: Vec<_> = ClientTable::get()
        .clients
        .iter()
        .filter(is_named)
        .map(|client| read_client_status(client, &scope, &folders, &record, &search_path, version))
        .collect();
    if args.json {
        return output::print_text(&json::render_json(&status_json(&clients))?);
    }
    match find_screen(&args.scope.root) {
        Some(screen) => show_text(&render_status(&clients, &screen), &screen),
        None => output::print_text(&render_status(&clients, &Screen::plain())),
    }
}

/// Shows the changes, asks, and writes them. Returns whether they were written.
///
/// # Errors
/// Returns an error if there is no terminal to ask on, or if a file cannot be written.
fn confirm_and_apply(
    plan: &ChangePlan,
    record_file: &RecordFile,
    confirm: &ConfirmArgs,
    unchanged: &str,
    done: &str,
) -> anyhow::Result<bool> {
    output::print_text(&escape_control_chars(&render_diff(&plan.files)))?;
    for note in &plan.notes {
        output::print_note(&escape_control_chars(note));
    }
    if confirm.dry_run {
        let text = if plan.files.is_empty() { unchanged } else { "Nothing was written (--dry-run)." };
        print_sentence(text)?;
        return Ok(false);
    }
    if plan.files.is_empty() {
        if !plan.is_empty() {
            plan.apply_changes(record_file)?;
        }
        print_sentence(unchanged)?;
        return Ok(false);
    }
    if !confirm.yes {
        let files = render_quantity(plan.files.len(), "file");
        if !target::can_ask() {
            bail!(
                "{files} would change as shown, but nothing was written: there is no terminal to ask on; pass --yes"
            );
        }
        if !target::ask_yes_or_no(&format!("Change {files} as shown?"))? {
            print_sentence("Nothing was written.")?;
            return Ok(false);
        }
    }
    plan.apply_changes(record_file)?;
    print_sentence(done)?;
    Ok(true)
}

fn print_sentence(text: &str) -> anyhow::Result<()> {
    if text.is_empty() { Ok(()) } else { output::print_text(&format!("{text}\n")) }
}

/// Prints the notes about the clients that apply to the scope.
fn print_client_notes(clients: &[&AgentClient], scope: &InstallScope) {
    for client in clients {
        let is_about_server = client.note_kind == Some(PartKind::Server);
        let applies = match client.note_kind {
            None => scope.project.is_some() || scope.kinds.contains(&PartKind::Hooks),
            Some(kind) => scope.kinds.contains(&kind) && !(is_about_server && scope.workspace.is_some()),
        };
        if let Some(note) = client.note.as_ref().filter(|_| applies) {
            output::print_note(note);
        }
    }
}

/// Prints the wanted parts that a client does not support.
fn report_missing_parts(clients: &[&AgentClient], scope: &InstallScope) {
    let place = if scope.project.is_some() { "in a workspace" } else { "for all workspaces" };
    for client in clients {
        for kind in &scope.kinds {
            let has_file = |part: &ClientPart| {
                let path = if scope.project.is_some() { &part.project } else { &part.user };
                part.kind == *kind && path.is_some()
            };
            if !client.parts.iter().any(has_file) {
                output::print_note(&format!("{} has no {} {place}", client.title, describe_kind(*kind)));
            }
        }
    }
}

fn describe_kind(kind: PartKind) -> &'static str {
    match kind {
        PartKind::Server => "configuration of MCP servers",
        PartKind::Skill => "skills",
        PartKind::Hooks => "hooks that Kenning can use",
        PartKind::Subagent => "sub-agents that Kenning can add",
        PartKind::Lsp => "configuration of language servers",
    }
}

/// Returns the scope of commands about everything that may be installed.
fn full_scope(args: &AgentsScopeArgs) -> anyhow::Result<InstallScope> {
    Ok(InstallScope {
        command: choose_command()?,
        workspace: None,
        kinds: BTreeSet::from(ALL_KINDS),
        project: project_root(args)?,
    })
}

fn project_root(args: &AgentsScopeArgs) -> anyhow::Result<Option<PathBuf>> {
    if !args.project {
        return Ok(None);
    }
    let root = args.root.canonicalize();
    let root =
        root.with_context(|| format!("{} is not a folder; pass it with --root", args.root.display()))?;
    Ok(Some(root))
}

/// Returns the clients that the user names, or all clients that are on this machine.
fn choose_clients(args: &AgentsScopeArgs, folders: &UserFolders<'_>) -> Vec<&'static AgentClient> {
    let search_path = search_path();
    let is_chosen = |client: &&AgentClient| {
        if args.clients.is_empty() {
            is_client_found(client, folders, &search_path)
        } else {
            args.clients.contains(&client.name)
        }
    };
    ClientTable::get().clients.iter().filter(is_chosen).collect()
}

fn wanted_items(
    clients: &[&AgentClient],
    scope: &InstallScope,
    folders: &UserFolders<'_>,
) -> anyhow::Result<Vec<WantedItem>> {
    let mut items = Vec::new();
    for client in clients {
        items.extend(list_wanted_items(client, scope, folders)?);
    }
    Ok(items)
}

fn join_titles(clients: &[&AgentClient]) -> String {
    clients.iter().map(|client| client.title.as_str()).collect::<Vec<_>>().join(", ")
}

fn search_path() -> Vec<PathBuf> {
    std::env::var_os("PATH").map(|path| std::env::split_paths(&path).collect()).unwrap_or_default()
}

/// Returns the program that clients start: `kenning` if that name leads to this program, otherwise
/// the path of this program.
fn choose_command() -> anyhow::Result<String> {
    let program = std::env::current_exe().context("cannot find the path of this program; pass --program")?;
    let on_path = find_program("kenning", &search_path());
    let is_same =
        |path: &PathBuf| path.canonicalize().is_ok_and(|path| program.canonicalize().ok() == Some(path));
    if on_path.as_ref().is_some_and(is_same) {
        return Ok("kenning".to_owned());
    }
    let text = program.to_str().map(str::to_owned);
    text.context("the path of this program is not UTF-8; pass --program")
}

/// Returns the absolute path of a workspace, or a variable of the client (`${...}`) unchanged.
fn absolute_workspace(text: &str) -> anyhow::Result<String> {
    if text.starts_with("${") {
        return Ok(text.to_owned());
    }
    let path = Path::new(text).canonicalize();
    let path = path.with_context(|| format!("{text} is not a folder; pass the workspace's folder"))?;
    path.to_str().map(str::to_owned).context("the path of the workspace is not UTF-8")
}

/// Returns the version of `program` if it is this program, or the version that it prints if it is
/// another program called `kenning` and may run. Returns `None` for all other programs.
fn read_version(program: &Path, may_run: bool) -> Option<String> {
    let is_current =
        || Some(std::env::current_exe().ok()?.canonicalize().ok()? == program.canonicalize().ok()?);
    if is_current() == Some(true) {
        return Some(env!("CARGO_PKG_VERSION").to_owned());
    }
    if !may_run || program.file_stem()? != "kenning" {
        return None;
    }
    let mut command = Command::new(program);
    command.arg("--version").stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().ok()?;
    let deadline = Instant::now() + VERSION_TIMEOUT;
    while child.try_wait().ok()?.is_none() {
        if Instant::now() > deadline {
            let _ = child.kill();
            let _ = child.wait();
            return None;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    parse_version(&String::from_utf8(child.wait_with_output().ok()?.stdout).ok()?)
}
