//! Tests that the table is complete, and that the search finds only servers that may run.

use super::{
    FoundServer, ProcessScope, ProjectEnvironment, ProjectRoots, ServerOverride, ServerPermissions,
    ServerSearch, ServerSetup, ServerSpec, ServerUnavailable, all_languages, find_program, language_by_id,
    parse_table,
};
use serde_json::json;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

#[test]
fn every_row_is_complete_and_every_server_belongs_to_a_language() {
    let table = parse_table();
    let mut listed = BTreeSet::new();
    let mut ids = BTreeSet::new();
    for row in &table.language {
        assert!(!row.root_markers.is_empty() && !row.servers.is_empty(), "{}", row.id);
        for id in std::iter::once(&row.id).chain(&row.also) {
            assert!(ids.insert(id.clone()), "{id} occurs twice");
        }
        for server in &row.servers {
            assert!(table.server.contains_key(server), "{server} has no row");
            listed.insert(server.clone());
        }
    }
    let defined: BTreeSet<String> = table.server.keys().cloned().collect();
    assert_eq!(listed, defined);
    for (name, server) in &table.server {
        assert!(!server.command.is_empty() && !server.install.is_empty() && server.in_flight > 0, "{name}");
    }
}

#[test]
fn every_server_states_whether_it_is_safe_in_an_untrusted_workspace() {
    for server in all_languages().iter().flat_map(|row| &row.servers) {
        let statements = [server.untrusted.is_some(), server.harmless.is_some(), server.runs_code.is_some()];
        let count = statements.iter().filter(|is_present| **is_present).count();
        assert_eq!(count, 1, "{} has one of `untrusted`, `harmless` and `runs_code`", server.name);
        for reason in [&server.harmless, &server.runs_code].into_iter().flatten() {
            assert!(reason.len() > 20, "{}: {reason:?} is too short for a reason", server.name);
        }
        let has_setup =
            server.untrusted.as_ref().is_none_or(|untrusted| *untrusted != ServerSetup::default());
        assert!(has_setup, "`untrusted` of {} is empty", server.name);
    }
}

#[test]
fn every_placeholder_has_a_computed_value_and_every_computed_value_is_used() {
    let table = parse_table();
    let mut used = BTreeSet::new();
    for (name, server) in &table.server {
        let setups = [Some(&server.always), Some(&server.offline), server.untrusted.as_ref()];
        for value in setups.into_iter().flatten().flat_map(|setup| setup.environment.values()) {
            if let Some(value) = value.strip_prefix('{').and_then(|value| value.strip_suffix('}')) {
                assert!(table.value.contains_key(value), "{name}: {value}");
                used.insert(value.to_owned());
            }
        }
    }
    assert!(table.value.keys().eq(&used), "{used:?}");
    assert!(table.value.values().all(|value| !value.command.is_empty()));
}

#[test]
fn documents_get_the_language_id_that_servers_expect() {
    let typescript = language_by_id("tsx").unwrap();
    for (path, id) in
        [("a/b.tsx", "typescriptreact"), ("b.mjs", "javascript"), ("c.ts", "typescript"), ("d", "typescript")]
    {
        assert_eq!(typescript.document_id(path), id);
    }
}

fn server_spec(name: &str) -> ServerSpec {
    let all = all_languages().iter().flat_map(|language| &language.servers);
    all.clone().find(|server| server.name == name).unwrap_or_else(|| panic!("{name}")).clone()
}

const TRUSTED: ServerPermissions = ServerPermissions { trusted: true, downloads: true };
const UNTRUSTED: ServerPermissions = ServerPermissions { trusted: false, downloads: true };
const OFFLINE: ServerPermissions = ServerPermissions { trusted: true, downloads: false };

fn found_server(server: ServerSpec) -> FoundServer {
    let (program, search) = (PathBuf::new(), ServerSearch::default());
    FoundServer { server, program, replacement_file: None, search, tools: Vec::new() }
}

#[test]
fn no_code_of_an_untrusted_workspace_runs_and_nothing_is_downloaded() {
    let found = |server: &ServerSpec| FoundServer {
        replacement_file: Some("/lib/tsserver.js".into()),
        ..found_server(server.clone())
    };
    let go =
        found(&server_spec("gopls")).setup_for_project(UNTRUSTED, &ProjectEnvironment::default()).environment;
    assert_eq!(
        (go["GOPROXY"].as_str(), go["GOTOOLCHAIN"].as_str(), go["GOFLAGS"].as_str()),
        ("off", "local", "-mod=readonly")
    );
    assert!(
        !found(&server_spec("gopls"))
            .setup_for_project(TRUSTED, &ProjectEnvironment::default())
            .environment
            .contains_key("GOPROXY")
    );
    assert_eq!(
        found(&server_spec("gopls")).setup_for_project(OFFLINE, &ProjectEnvironment::default()).environment["GOPROXY"],
        "off"
    );
    // The user's settings for a server do not remove its restrictions.
    let settings = ServerOverride {
        options: json!({"procMacro": {"enable": true}, "lens": {"enable": true}}),
        ..ServerOverride::default()
    };
    let rust = server_spec("rust-analyzer").with_override(&settings);
    let untrusted = found(&rust).setup_for_project(UNTRUSTED, &ProjectEnvironment::default()).options;
    assert_eq!(untrusted["procMacro"]["enable"], false);
    assert_eq!(untrusted["cargo"]["buildScripts"]["enable"], false);
    assert_eq!(untrusted["lens"]["enable"], true);
    assert_eq!(
        found(&rust).setup_for_project(TRUSTED, &ProjectEnvironment::default()).options["procMacro"]["enable"],
        true
    );
    let typescript = found(&server_spec("typescript-language-server"));
    let options = typescript.setup_for_project(UNTRUSTED, &ProjectEnvironment::default()).options;
    assert_eq!(options["disableAutomaticTypingAcquisition"], true);
    assert_eq!(options["tsserver"], json!({"useSyntaxServer": "never", "path": "/lib/tsserver.js"}));
    assert_eq!(
        typescript.setup_for_project(TRUSTED, &ProjectEnvironment::default()).options["tsserver"],
        json!({"useSyntaxServer": "never"})
    );
}

#[test]
fn installed_packages_are_found_and_their_interpreter_runs_only_in_a_trusted_workspace() {
    let project = tempfile::tempdir().unwrap();
    let python = language_by_id("python").unwrap();
    let pyright = found_server(server_spec("pyright"));
    let python_settings = |trusted: bool| {
        let permissions = ServerPermissions { trusted, downloads: true };
        let setup = pyright.setup_for_project(permissions, &python.read_project(project.path()));
        let python = &setup.settings["python"];
        format!("{} {} {}", python["pythonPath"], python["venvPath"], python["analysis"]["extraPaths"])
            .replace(project.path().to_str().unwrap(), "PROJECT")
    };
    assert_eq!(
        [python_settings(true), python_settings(false)],
        ["null null null", "\"\" \"PROJECT\" []"],
        "nothing is installed"
    );
    for folder in ["venv/lib/python3.9/site-packages", "venv/lib/python3.12/site-packages", "venv/bin"] {
        std::fs::create_dir_all(project.path().join(folder)).unwrap();
    }
    std::fs::write(project.path().join("venv/bin/python"), "").unwrap();
    let packages = "\"\" \"PROJECT\" [\"PROJECT/venv/lib/python3.9/site-packages\"]";
    assert_eq!(
        [python_settings(true).as_str(), &python_settings(false)],
        ["\"PROJECT/venv/bin/python\" null null", packages]
    );
}

#[cfg(unix)]
#[test]
fn a_server_that_runs_a_module_of_the_workspace_needs_a_replacement() {
    let (root, home) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    write_file(root.path(), "node_modules/typescript/lib/tsserver.js", 0o644);
    write_file(home.path(), "lib/node_modules/typescript-language-server/cli.mjs", 0o755);
    std::fs::create_dir(home.path().join("bin")).unwrap();
    let program = home.path().join("bin/typescript-language-server");
    std::os::unix::fs::symlink(
        home.path().join("lib/node_modules/typescript-language-server/cli.mjs"),
        &program,
    )
    .unwrap();
    let search = |trusted| {
        let path = vec![home.path().join("bin")];
        let search = ServerSearch { path, root: root.path().to_owned(), trusted, ..ServerSearch::default() };
        language_by_id("typescript").unwrap().find_usable(&search, &|_| ServerOverride::default())
    };
    assert_eq!(search(true).unwrap().replacement_file, None);
    let module = "typescript/lib/tsserver.js".to_owned();
    let unavailable =
        ServerUnavailable::NoReplacement { server: "typescript-language-server".to_owned(), module };
    assert_eq!(search(false).unwrap_err(), unavailable);
    write_file(home.path(), "lib/node_modules/typescript/lib/tsserver.js", 0o644);
    let replacement = home.path().canonicalize().unwrap().join("lib/node_modules/typescript/lib/tsserver.js");
    assert_eq!(search(false).unwrap().replacement_file, Some(replacement));
}

#[test]
fn the_settings_of_the_user_override_the_table() {
    let pyright = &language_by_id("python").unwrap().servers[0];
    let settings = ServerOverride {
        program: Some("mine".to_owned()),
        settings: json!({"python": {"analysis": {"indexing": true}}}),
        in_flight: Some(0),
        memory_mib: Some(100),
        ..ServerOverride::default()
    };
    let server = pyright.with_override(&settings);
    assert_eq!(server.command, ["mine", "--stdio"]);
    assert_eq!(server.always.settings["python"]["analysis"]["indexing"], true);
    assert_eq!(server.always.settings["python"]["analysis"]["diagnosticMode"], "openFilesOnly");
    assert_eq!((server.in_flight, server.memory_mib), (1, 100));
    let settings = ServerOverride { arguments: Some(vec!["a".to_owned()]), ..ServerOverride::default() };
    assert_eq!(pyright.with_override(&settings).command, ["pyright-langserver", "a"]);
}

#[cfg(unix)]
fn write_file(folder: &Path, name: &str, mode: u32) {
    use std::os::unix::fs::PermissionsExt;
    let file = folder.join(name);
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(&file, "").unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(mode)).unwrap();
}

#[cfg(unix)]
#[test]
fn the_search_finds_the_preferred_server_that_is_installed_and_executable() {
    let folder = tempfile::tempdir().unwrap();
    let python = language_by_id("python").unwrap();
    let folders = [folder.path().to_owned()];
    assert!(python.find_installed(&folders).is_none());
    write_file(folder.path(), "pylsp", 0o755);
    write_file(folder.path(), "pyright-langserver", 0o644);
    assert_eq!(
        python.find_installed(&folders).unwrap().0.name,
        "pylsp",
        "a file that is not executable is not a program"
    );
    let absolute = folder.path().join("pylsp");
    assert_eq!(find_program(absolute.to_str().unwrap(), &[]), Some(absolute.clone()));
    assert_eq!(find_program("./pylsp", &folders), None);
    write_file(folder.path(), "ty", 0o755);
    assert_eq!(python.find_installed(&folders).unwrap().0.name, "ty");
}

#[cfg(unix)]
#[test]
fn programs_of_the_workspace_run_only_when_it_is_trusted() {
    let (root, home) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let python = language_by_id("python").unwrap();
    write_file(root.path(), ".venv/bin/pylsp", 0o755);
    let search = |trusted| ServerSearch {
        // The folder is also on the search path. The program still belongs to the workspace.
        path: vec![root.path().join(".venv/bin"), "bin".into()],
        home: Some(home.path().to_owned()),
        root: root.path().to_owned(),
        trusted,
    };
    let no_override = |_: &str| ServerOverride::default();
    let inside = root.path().join(".venv/bin/pylsp");
    let absent = python.find_usable(&search(false), &no_override).unwrap_err();
    assert_eq!(absent, ServerUnavailable::Untrusted { server: "pylsp".to_owned(), program: inside.clone() });
    assert_eq!(python.find_usable(&search(true), &no_override).unwrap().program, inside);
    write_file(home.path(), ".local/bin/ty", 0o755);
    assert_eq!(python.find_usable(&search(false), &no_override).unwrap().server.name, "ty");
    // A link in the workspace to a program outside also belongs to the workspace.
    std::fs::remove_file(&inside).unwrap();
    std::fs::remove_file(home.path().join(".local/bin/ty")).unwrap();
    write_file(home.path(), "elsewhere/pylsp", 0o755);
    std::os::unix::fs::symlink(home.path().join("elsewhere/pylsp"), &inside).unwrap();
    assert!(matches!(
        python.find_usable(&search(false), &no_override),
        Err(ServerUnavailable::Untrusted { .. })
    ));
    let off = |_: &str| ServerOverride { disabled: true, ..ServerOverride::default() };
    assert_eq!(python.find_usable(&search(true), &off).unwrap_err(), ServerUnavailable::Disabled);
    let ruby = language_by_id("ruby").unwrap().find_usable(&search(false), &no_override).unwrap_err();
    assert_eq!(
        ruby,
        ServerUnavailable::Missing {
            server: "ruby-lsp".to_owned(),
            install: "gem install ruby-lsp".to_owned()
        }
    );
}

#[cfg(unix)]
#[test]
fn a_server_that_runs_code_of_the_workspace_is_usable_only_when_it_is_trusted() {
    let (root, programs) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let search = |trusted| ServerSearch {
        path: vec![programs.path().to_owned()],
        root: root.path().to_owned(),
        trusted,
        ..ServerSearch::default()
    };
    for (language, name) in [
        ("ruby", "ruby-lsp"),
        ("ruby", "solargraph"),
        ("csharp", "csharp-ls"),
        ("csharp", "OmniSharp"),
        ("python", "pylsp"),
    ] {
        write_file(programs.path(), name, 0o755);
        let only = |other: &str| ServerOverride { disabled: other != name, ..ServerOverride::default() };
        let language = language_by_id(language).unwrap();
        assert_eq!(language.find_usable(&search(true), &only).unwrap().server.name, name);
        let absent = language.find_usable(&search(false), &only).unwrap_err();
        assert_eq!(absent.server_name(), name);
        let message = absent.to_string();
        assert!(
            message.starts_with("not started: it runs code of the workspace, which is not trusted ("),
            "{message}"
        );
        assert!(message.ends_with("; trust the workspace to use it (kenning trust)"), "{message}");
    }
    // A row without a statement about trust counts as one that runs code.
    let unclassified = ServerSpec { untrusted: None, harmless: None, ..server_spec("gopls") };
    assert!(!unclassified.is_safe_untrusted() && server_spec("gopls").is_safe_untrusted());
}

#[cfg(unix)]
#[test]
fn the_search_path_of_tools_excludes_an_untrusted_workspace() {
    let (root, home) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    write_file(home.path(), "programs/rust-analyzer", 0o755);
    let (inside, outside) = (root.path().join("bin"), home.path().join("programs"));
    let tools = |trusted| {
        let search = ServerSearch {
            path: vec![inside.clone(), "relative".into(), outside.clone()],
            home: Some(home.path().to_owned()),
            root: root.path().to_owned(),
            trusted,
        };
        language_by_id("rust").unwrap().find_usable(&search, &|_| ServerOverride::default()).unwrap().tools
    };
    let cargo = home.path().join(".cargo/bin");
    assert_eq!(tools(false), [outside.clone(), cargo.clone()]);
    assert_eq!(tools(true), [inside.clone(), outside.clone(), cargo]);
}

#[test]
fn a_server_is_started_for_the_outermost_project() {
    let folder = tempfile::tempdir().unwrap();
    for file in ["a/Cargo.toml", "a/b/Cargo.toml", "c/Cargo.toml"] {
        let file = folder.path().join(file);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, "").unwrap();
    }
    let mut roots = ProjectRoots::new(folder.path(), language_by_id("rust").unwrap(), ProcessScope::Project);
    assert_eq!(
        ["a/b/src/x.rs", "c/x.rs", "d/x.rs", "x.rs"].map(|path| roots.root_for_path(path)),
        ["a", "c", "", ""]
    );
    let mut roots =
        ProjectRoots::new(folder.path(), language_by_id("rust").unwrap(), ProcessScope::Workspace);
    assert_eq!(roots.root_for_path("a/x.rs"), "");
}
