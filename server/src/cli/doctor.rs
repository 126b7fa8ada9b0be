//! `kenning doctor`: checks the machine and the workspace.

use super::args::DoctorArgs;
use super::delivery::print_report;
use super::{configuration, workspace};
use crate::config::Config;
use crate::config::trust::TrustStore;
use crate::doctor::{self, CheckOutcome, DoctorCheck, ShownChecks};
use crate::hash_prefix::short_digits;
use crate::terminal::Screen;
use kenning_enrichment::servers::{self, LanguageServers, ServerSpec, ServerUnavailable};
use kenning_graph::private_files::create_new_file;
use std::collections::BTreeSet;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Prints the checks. Returns exit status 1 if something is broken.
pub fn run_doctor(args: &DoctorArgs, verbose: bool) -> anyhow::Result<ExitCode> {
    let mut checks = crate::grammars::check_grammars();
    checks.extend(crate::grammars::check_installed_grammars());
    let (found, languages) = check_workspace(args);
    checks.extend(found);
    let root = args.root.workspace_args().root;
    let effective = configuration::effective_config(&root);
    checks.extend(doctor::check_configuration(&effective));
    checks.extend(doctor::report_ranking(&effective));
    if let Ok(paths) = workspace::data_paths(&args.root.workspace_args()) {
        let model = effective.config.vectors.model.as_deref();
        checks.push(doctor::check_vectors(&root, model, &paths.graph));
    }
    // An unreadable list of trusted workspaces counts as empty.
    let trusted = TrustStore::for_user().and_then(|store| store.is_trusted(&root)).unwrap_or(false);
    checks.extend(check_servers(&languages, &effective.config, trusted));
    checks.push(doctor::check_watch_limit(read_inotify_limit().as_deref()));
    let shown = if verbose { ShownChecks::All } else { ShownChecks::WithoutDetails };
    let plain = || doctor::render_checks(&checks, shown, &Screen::plain());
    let on_screen = |screen: &Screen| doctor::render_checks(&checks, shown, screen);
    print_report(&root, args.format, &checks, plain, on_screen)?;
    Ok(if doctor::is_sound(&checks) { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Checks for each language of the workspace whether a server is on the search path and may start.
/// A missing server is a warning: Kenning works without it.
fn check_servers(languages: &BTreeSet<&str>, config: &Config, trusted: bool) -> Vec<DoctorCheck> {
    let folders: Vec<_> =
        std::env::var_os("PATH").map(|p| std::env::split_paths(&p).collect()).unwrap_or_default();
    servers::all_languages()
        .iter()
        .filter(|row| {
            languages.contains(row.id.as_str()) || row.also.iter().any(|id| languages.contains(id.as_str()))
        })
        .map(|language| check_language(language, config, &folders, trusted))
        .collect()
}

/// Checks the first enabled server of a language that is installed. In an untrusted workspace,
/// servers that are safe without trust are preferred, as when the supervisor starts a server.
fn check_language(
    language: &LanguageServers,
    config: &Config,
    folders: &[PathBuf],
    trusted: bool,
) -> DoctorCheck {
    let name = format!("language server for {}", language.id);
    let enabled: Vec<_> =
        language.servers.iter().filter(|server| config.server_config(&server.name).enabled).collect();
    let Some(preferred) = enabled.first() else {
        return DoctorCheck::ok(name, "disabled in the configuration");
    };
    let find = |server: &&ServerSpec| {
        let settings = config.server_config(&server.name);
        let program = settings.command.as_deref().or(server.command.first().map(String::as_str))?;
        let path = servers::find_program(program, folders)?;
        let arguments = settings.args.as_deref().or(server.command.get(1..)).unwrap_or_default();
        let command = [path.display().to_string()].into_iter().chain(arguments.iter().cloned());
        Some(format!("{} as {}", server.name, command.collect::<Vec<_>>().join(" ")))
    };
    let may_start = |server: &&&ServerSpec| trusted || server.is_safe_untrusted();
    if let Some(command) = enabled.iter().filter(may_start).find_map(find) {
        return DoctorCheck::ok(name, command);
    }
    if let Some((command, server)) = enabled.iter().find_map(|server| Some((find(server)?, server))) {
        let what = server.runs_code.clone().unwrap_or_default();
        let unavailable = ServerUnavailable::RunsCode { server: server.name.clone(), what };
        return DoctorCheck::with_problem(
            name,
            CheckOutcome::Warning,
            format!("{command}, {unavailable}"),
            "run kenning trust DIR if you trust the workspace",
        );
    }
    match config.server_config(&preferred.name).command {
        Some(program) => DoctorCheck::with_problem(
            name,
            CheckOutcome::Warning,
            format!("{program} is not an executable program"),
            format!("correct servers.{}.command in the configuration, or remove it", preferred.name),
        ),
        None => DoctorCheck::with_problem(
            name,
            CheckOutcome::Warning,
            "not found on PATH",
            preferred.install.clone(),
        ),
    }
}

fn read_inotify_limit() -> Option<String> {
    std::fs::read_to_string("/proc/sys/fs/inotify/max_user_watches").ok()
}

/// Checks the workspace's data files, its folder and version control, and returns the languages of
/// its files. The data files are checked before anything is opened, because opening repairs damage.
fn check_workspace(args: &DoctorArgs) -> (Vec<DoctorCheck>, BTreeSet<&'static str>) {
    let broken = |error: &dyn std::fmt::Display| {
        let fix = "pass a readable folder, or choose another location for the index with --db";
        let check = DoctorCheck::with_problem("workspace", CheckOutcome::Broken, format!("{error:#}"), fix);
        (vec![check], BTreeSet::new())
    };
    let arguments = args.root.workspace_args();
    let paths = match workspace::data_paths(&arguments) {
        Ok(paths) => paths,
        Err(error) => return broken(&error),
    };
    let files = doctor::check_files(&paths);
    if !doctor::is_sound(&files) {
        let mut checks = vec![DoctorCheck::ok("workspace", arguments.root.display().to_string())];
        checks.extend(check_database_folder(&paths.graph));
        checks.extend(files);
        return (checks, BTreeSet::new());
    }
    let workspace = match workspace::open_workspace(&arguments) {
        Ok(workspace) => workspace,
        Err(error) => return broken(&error),
    };
    let mut checks = vec![DoctorCheck::ok("workspace", workspace.root_path().display().to_string())];
    checks.push(match workspace.head_commit() {
        Some(head) => DoctorCheck::ok("git", format!("at commit {}", short_digits(&head))),
        None => DoctorCheck::with_problem(
            "git",
            CheckOutcome::Warning,
            "the workspace is not in a git repository with a commit",
            "run git init and commit once if answers should name the commit that they are based on",
        ),
    });
    checks.extend(check_database_folder(&paths.graph));
    checks.extend(files);
    let role = if workspace.is_writer() { "this process can write it" } else { "another process writes it" };
    checks.push(DoctorCheck::ok("writer", format!("{}: {role}", paths.graph.display())).as_detail());
    let findings = match workspace.inspect_tree() {
        Ok(findings) => findings,
        Err(error) => return broken(&error),
    };
    if !findings.unknown_extensions.is_empty() {
        let extensions = crate::status::render_extensions(&findings.unknown_extensions);
        checks.push(DoctorCheck::ok("languages", format!("not read, unknown language: {extensions}")));
    }
    (checks, findings.languages)
}

/// Checks that the folder of a database is writable. Returns `None` if the folder does not exist
/// yet; the first index creates it.
fn check_database_folder(database: &Path) -> Option<DoctorCheck> {
    database.parent().filter(|folder| folder.exists()).map(check_folder_writable)
}

fn check_folder_writable(folder: &Path) -> DoctorCheck {
    let probe = folder.join(format!(".kenning-doctor-{}", std::process::id()));
    // Only a file that this function has created is removed.
    let written = create_new_file(&probe).and_then(|mut file| {
        let written = file.write_all(b"probe");
        std::fs::remove_file(&probe).and(written)
    });
    let name = "index folder";
    match written {
        Ok(()) => DoctorCheck::ok(name, format!("{} is writable", folder.display())),
        Err(error) => DoctorCheck::with_problem(
            name,
            CheckOutcome::Broken,
            format!("{} cannot be written: {error}", folder.display()),
            "make the folder writable, or choose another location with --db or XDG_CACHE_HOME",
        ),
    }
}
