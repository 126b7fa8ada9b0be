//! `kenning doctor`: runs the checks.

use super::args::DoctorArgs;
use super::{configuration, output, workspace};
use crate::config::Config;
use crate::config::trust::TrustStore;
use crate::doctor::{self, Check, Outcome};
use crate::format::{Format, json};
use kenning_enrichment::servers::{self, LanguageServers, ServerSpec, ServerUnavailable};
use kenning_retrieval::pack::printable;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Prints the checks; 1 when something is broken.
pub fn run(args: &DoctorArgs) -> anyhow::Result<ExitCode> {
    let mut checks = crate::grammars::check();
    checks.extend(check_workspace(args));
    let root = args.root.workspace().root;
    let effective = configuration::of_workspace(&root);
    checks.extend(doctor::configuration(&effective));
    // A list of trusted workspaces that cannot be read trusts nothing.
    let trusted = TrustStore::of_user().and_then(|store| store.trusts(&root)).unwrap_or(false);
    checks.extend(check_servers(&effective.config, trusted));
    checks.push(doctor::watches(inotify_limit().as_deref()));
    output::print(&match args.format {
        Format::Markdown => printable(&doctor::text(&checks)).into_owned(),
        Format::Json => json::text(&checks)?,
    })?;
    Ok(if doctor::is_sound(&checks) { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Which language servers are on the search path and may be started here; nothing is broken without them.
fn check_servers(config: &Config, trusted: bool) -> Vec<Check> {
    let folders: Vec<_> =
        std::env::var_os("PATH").map(|p| std::env::split_paths(&p).collect()).unwrap_or_default();
    servers::all_languages()
        .iter()
        .filter(|row| row.indexed)
        .map(|language| check_language(language, config, &folders, trusted))
        .collect()
}

/// The first server of a language that may be used and is there. Where the workspace is not trusted, those come first that do
/// without trust, as when they are started.
fn check_language(language: &LanguageServers, config: &Config, folders: &[PathBuf], trusted: bool) -> Check {
    let name = format!("language server for {}", language.id);
    let allowed: Vec<_> =
        language.servers.iter().filter(|server| config.server(&server.name).enabled).collect();
    let Some(preferred) = allowed.first() else {
        return Check::ok(name, "turned off by the configuration");
    };
    let find = |server: &&ServerSpec| {
        let said = config.server(&server.name);
        let program = said.command.as_deref().or(server.command.first().map(String::as_str))?;
        let path = servers::find_program(program, folders)?;
        let arguments = said.args.as_deref().or(server.command.get(1..)).unwrap_or_default();
        let command = [path.display().to_string()].into_iter().chain(arguments.iter().cloned());
        Some(format!("{} as {}", server.name, command.collect::<Vec<_>>().join(" ")))
    };
    let may_start = |server: &&&ServerSpec| trusted || server.is_safe_untrusted();
    if let Some(found) = allowed.iter().filter(may_start).find_map(find) {
        return Check::ok(name, found);
    }
    if let Some((found, server)) = allowed.iter().find_map(|server| Some((find(server)?, server))) {
        let what = server.runs_code.clone().unwrap_or_default();
        let absent = ServerUnavailable::RunsCode { server: server.name.clone(), what };
        return Check::bad(
            name,
            Outcome::Warning,
            format!("{found}, {absent}"),
            "kenning trust DIR, if you trust what lies in there",
        );
    }
    match config.server(&preferred.name).command {
        Some(program) => Check::bad(
            name,
            Outcome::Warning,
            format!("{program} is no program that may run"),
            format!("correct servers.{}.command, or take it out of the configuration", preferred.name),
        ),
        None => Check::bad(name, Outcome::Warning, "none on PATH", preferred.install.clone()),
    }
}

fn inotify_limit() -> Option<String> {
    std::fs::read_to_string("/proc/sys/fs/inotify/max_user_watches").ok()
}

/// What Kenning keeps of the workspace, its folder and version control. The files are read before anything is opened: opening
/// mends what is damaged.
fn check_workspace(args: &DoctorArgs) -> Vec<Check> {
    let broken = |error: &dyn std::fmt::Display| {
        let mend = "name a readable folder; choose another place for the index with --db";
        vec![Check::bad("workspace", Outcome::Broken, format!("{error:#}"), mend)]
    };
    let arguments = args.root.workspace();
    let places = match workspace::places(&arguments) {
        Ok(places) => places,
        Err(error) => return broken(&error),
    };
    let files = doctor::check_files(&places);
    if !doctor::is_sound(&files) {
        let mut checks = vec![Check::ok("workspace", arguments.root.display().to_string())];
        checks.extend(check_folder_of(&places.graph));
        checks.extend(files);
        return checks;
    }
    let workspace = match workspace::open(&arguments) {
        Ok(workspace) => workspace,
        Err(error) => return broken(&error),
    };
    let mut checks = vec![Check::ok("workspace", workspace.root().display().to_string())];
    checks.push(match workspace.head() {
        Some(head) => Check::ok("git", format!("at {head}")),
        None => Check::bad(
            "git",
            Outcome::Warning,
            "no repository with a commit holds the workspace",
            "git init and a first commit, if answers are to name the commit they rest on",
        ),
    });
    checks.extend(check_folder_of(&places.graph));
    checks.extend(files);
    let role = if workspace.is_writer() { "this process may write it" } else { "another process writes it" };
    checks.push(Check::ok("writer", format!("{}: {role}", places.graph.display())));
    checks
}

/// The folder of a database, when it is there; the first index makes it.
fn check_folder_of(database: &Path) -> Option<Check> {
    database.parent().filter(|folder| folder.exists()).map(check_folder)
}

fn check_folder(folder: &Path) -> Check {
    let probe = folder.join(format!(".kenning-doctor-{}", std::process::id()));
    let written = std::fs::write(&probe, b"probe").and_then(|()| std::fs::remove_file(&probe));
    let name = "index folder";
    match written {
        Ok(()) => Check::ok(name, format!("{} is writable", folder.display())),
        Err(error) => Check::bad(
            name,
            Outcome::Broken,
            format!("{} cannot be written: {error}", folder.display()),
            "make the folder writable, or choose another place with --db or XDG_CACHE_HOME",
        ),
    }
}
