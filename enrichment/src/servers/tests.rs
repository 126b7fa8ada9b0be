//! Tests that the table is complete and that servers are found only where they may be.

use super::{
    FoundServer, ProjectEnvironment, ProjectRoots, ServerOverride, ServerSearch, ServerSetup, ServerSpec,
    ServerUnavailable, all_languages, find_program, language_by_id, parse_table,
};
use serde_json::json;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

#[test]
fn every_row_is_complete_and_every_server_belongs_to_a_language() {
    let table = parse_table();
    let mut named = BTreeSet::new();
    let mut ids = BTreeSet::new();
    for row in &table.language {
        assert!(!row.root_markers.is_empty() && !row.servers.is_empty(), "{}", row.id);
        for id in std::iter::once(&row.id).chain(&row.also) {
            assert!(ids.insert(id.clone()), "{id} comes twice");
        }
        for server in &row.servers {
            assert!(table.server.contains_key(server), "{server} has no table");
            named.insert(server.clone());
        }
    }
    let defined: BTreeSet<String> = table.server.keys().cloned().collect();
    assert_eq!(named, defined);
    for (name, server) in &table.server {
        assert!(!server.command.is_empty() && !server.install.is_empty() && server.in_flight > 0, "{name}");
    }
    let indexed: BTreeSet<&str> = all_languages()
        .iter()
        .filter(|row| row.indexed)
        .flat_map(|row| std::iter::once(row.id.as_str()).chain(row.also.iter().map(String::as_str)))
        .collect();
    let expected = ["csharp", "go", "java", "javascript", "python", "ruby", "rust", "tsx", "typescript"];
    assert!(indexed.iter().eq(&expected), "{indexed:?}");
}

#[test]
fn every_server_of_an_indexed_language_says_whether_it_is_safe_where_nobody_trusts() {
    for server in all_languages().iter().filter(|row| row.indexed).flat_map(|row| &row.servers) {
        let said = [server.untrusted.is_some(), server.harmless.is_some(), server.runs_code.is_some()]
            .iter()
            .filter(|is| **is)
            .count();
        assert_eq!(said, 1, "{} says one of `untrusted`, `harmless` and `runs_code`", server.name);
        for why in [&server.harmless, &server.runs_code].into_iter().flatten() {
            assert!(why.len() > 20, "{}: {why:?} is no reason", server.name);
        }
        let sets_something =
            server.untrusted.as_ref().is_none_or(|untrusted| *untrusted != ServerSetup::default());
        assert!(sets_something, "{} sets nothing where nobody trusts", server.name);
    }
}

#[test]
fn every_value_in_braces_is_known_and_every_known_value_is_used() {
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
fn documents_are_called_as_servers_want_it() {
    let script = language_by_id("tsx").unwrap();
    for (path, id) in
        [("a/b.tsx", "typescriptreact"), ("b.mjs", "javascript"), ("c.ts", "typescript"), ("d", "typescript")]
    {
        assert_eq!(script.document_id(path), id);
    }
}

fn server(name: &str) -> ServerSpec {
    let all = all_languages().iter().flat_map(|language| &language.servers);
    all.clone().find(|server| server.name == name).unwrap_or_else(|| panic!("{name}")).clone()
}

fn found(server: ServerSpec) -> FoundServer {
    let (program, search) = (PathBuf::new(), ServerSearch::default());
    FoundServer { server, program, instead: None, search, tools: Vec::new() }
}

#[test]
fn in_an_untrusted_workspace_nothing_of_it_runs_and_nothing_is_downloaded() {
    let found = |server: &ServerSpec| FoundServer {
        instead: Some("/lib/tsserver.js".into()),
        ..found(server.clone())
    };
    let go =
        found(&server("gopls")).setup_for_project(false, true, &ProjectEnvironment::default()).environment;
    assert_eq!(
        (go["GOPROXY"].as_str(), go["GOTOOLCHAIN"].as_str(), go["GOFLAGS"].as_str()),
        ("off", "local", "-mod=readonly")
    );
    assert!(
        !found(&server("gopls"))
            .setup_for_project(true, true, &ProjectEnvironment::default())
            .environment
            .contains_key("GOPROXY")
    );
    assert_eq!(
        found(&server("gopls")).setup_for_project(true, false, &ProjectEnvironment::default()).environment["GOPROXY"],
        "off"
    );
    // The user's settings for a server do not remove its restrictions.
    let said = ServerOverride {
        options: json!({"procMacro": {"enable": true}, "lens": {"enable": true}}),
        ..ServerOverride::default()
    };
    let rust = server("rust-analyzer").with_override(&said);
    let untrusted = found(&rust).setup_for_project(false, true, &ProjectEnvironment::default()).options;
    assert_eq!(untrusted["procMacro"]["enable"], false);
    assert_eq!(untrusted["cargo"]["buildScripts"]["enable"], false);
    assert_eq!(untrusted["lens"]["enable"], true);
    assert_eq!(
        found(&rust).setup_for_project(true, true, &ProjectEnvironment::default()).options["procMacro"]["enable"],
        true
    );
    let script = found(&server("typescript-language-server"));
    let options = script.setup_for_project(false, true, &ProjectEnvironment::default()).options;
    assert_eq!(options["disableAutomaticTypingAcquisition"], true);
    assert_eq!(options["tsserver"], json!({"useSyntaxServer": "never", "path": "/lib/tsserver.js"}));
    assert_eq!(
        script.setup_for_project(true, true, &ProjectEnvironment::default()).options["tsserver"],
        json!({"useSyntaxServer": "never"})
    );
}

#[test]
fn what_is_installed_for_a_project_is_read_and_its_interpreter_runs_only_where_it_is_trusted() {
    let project = tempfile::tempdir().unwrap();
    let python = language_by_id("python").unwrap();
    let pyright = found(server("pyright"));
    let told = |trusted: bool| {
        let setup = pyright.setup_for_project(trusted, true, &python.read_project(project.path()));
        let python = &setup.settings["python"];
        format!("{} {} {}", python["pythonPath"], python["venvPath"], python["analysis"]["extraPaths"])
            .replace(project.path().to_str().unwrap(), "PROJECT")
    };
    assert_eq!([told(true), told(false)], ["null null null", "\"\" \"PROJECT\" []"], "nothing is installed");
    for folder in ["venv/lib/python3.9/site-packages", "venv/lib/python3.12/site-packages", "venv/bin"] {
        std::fs::create_dir_all(project.path().join(folder)).unwrap();
    }
    std::fs::write(project.path().join("venv/bin/python"), "").unwrap();
    let packages = "\"\" \"PROJECT\" [\"PROJECT/venv/lib/python3.9/site-packages\"]";
    assert_eq!([told(true).as_str(), &told(false)], ["\"PROJECT/venv/bin/python\" null null", packages]);
}

#[cfg(unix)]
#[test]
fn a_server_that_runs_a_module_of_the_workspace_runs_another_one_or_not_at_all() {
    let (root, home) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    put(root.path(), "node_modules/typescript/lib/tsserver.js", 0o644);
    put(home.path(), "lib/node_modules/typescript-language-server/cli.mjs", 0o755);
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
    assert_eq!(search(true).unwrap().instead, None);
    let module = "typescript/lib/tsserver.js".to_owned();
    let alone = ServerUnavailable::Alone { server: "typescript-language-server".to_owned(), module };
    assert_eq!(search(false).unwrap_err(), alone);
    put(home.path(), "lib/node_modules/typescript/lib/tsserver.js", 0o644);
    let beside = home.path().canonicalize().unwrap().join("lib/node_modules/typescript/lib/tsserver.js");
    assert_eq!(search(false).unwrap().instead, Some(beside));
}

#[test]
fn what_the_user_says_is_laid_over_the_table() {
    let go = &language_by_id("python").unwrap().servers[0];
    let said = ServerOverride {
        program: Some("mine".to_owned()),
        settings: json!({"python": {"analysis": {"indexing": true}}}),
        in_flight: Some(0),
        memory_mib: Some(100),
        ..ServerOverride::default()
    };
    let server = go.with_override(&said);
    assert_eq!(server.command, ["mine", "--stdio"]);
    assert_eq!(server.always.settings["python"]["analysis"]["indexing"], true);
    assert_eq!(server.always.settings["python"]["analysis"]["diagnosticMode"], "openFilesOnly");
    assert_eq!((server.in_flight, server.memory_mib), (1, 100));
    let said = ServerOverride { arguments: Some(vec!["a".to_owned()]), ..ServerOverride::default() };
    assert_eq!(go.with_override(&said).command, ["pyright-langserver", "a"]);
}

#[cfg(unix)]
fn put(folder: &Path, name: &str, mode: u32) {
    use std::os::unix::fs::PermissionsExt;
    let file = folder.join(name);
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(&file, "").unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(mode)).unwrap();
}

#[cfg(unix)]
#[test]
fn the_preferred_server_that_is_there_and_may_run_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let python = language_by_id("python").unwrap();
    let folders = [folder.path().to_owned()];
    assert!(python.find_installed(&folders).is_none());
    put(folder.path(), "pylsp", 0o755);
    put(folder.path(), "pyright-langserver", 0o644);
    assert_eq!(
        python.find_installed(&folders).unwrap().0.name,
        "pylsp",
        "a file that may not run is no program"
    );
    let absolute = folder.path().join("pylsp");
    assert_eq!(find_program(absolute.to_str().unwrap(), &[]), Some(absolute.clone()));
    assert_eq!(find_program("./pylsp", &folders), None);
    put(folder.path(), "ty", 0o755);
    assert_eq!(python.find_installed(&folders).unwrap().0.name, "ty");
}

#[cfg(unix)]
#[test]
fn programs_of_the_workspace_run_only_when_it_is_trusted() {
    let (root, home) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let python = language_by_id("python").unwrap();
    put(root.path(), ".venv/bin/pylsp", 0o755);
    let search = |trusted| ServerSearch {
        // The folder is also on the search path. The program still belongs to the workspace.
        path: vec![root.path().join(".venv/bin"), "bin".into()],
        home: Some(home.path().to_owned()),
        root: root.path().to_owned(),
        trusted,
    };
    let said = |_: &str| ServerOverride::default();
    let inside = root.path().join(".venv/bin/pylsp");
    let absent = python.find_usable(&search(false), &said).unwrap_err();
    assert_eq!(absent, ServerUnavailable::Untrusted { server: "pylsp".to_owned(), program: inside.clone() });
    assert_eq!(python.find_usable(&search(true), &said).unwrap().program, inside);
    put(home.path(), ".local/bin/ty", 0o755);
    assert_eq!(python.find_usable(&search(false), &said).unwrap().server.name, "ty");
    // A link in the workspace to a program outside also belongs to the workspace.
    std::fs::remove_file(&inside).unwrap();
    std::fs::remove_file(home.path().join(".local/bin/ty")).unwrap();
    put(home.path(), "elsewhere/pylsp", 0o755);
    std::os::unix::fs::symlink(home.path().join("elsewhere/pylsp"), &inside).unwrap();
    assert!(matches!(python.find_usable(&search(false), &said), Err(ServerUnavailable::Untrusted { .. })));
    let off = |_: &str| ServerOverride { disabled: true, ..ServerOverride::default() };
    assert_eq!(python.find_usable(&search(true), &off).unwrap_err(), ServerUnavailable::Disabled);
    let ruby = language_by_id("ruby").unwrap().find_usable(&search(false), &said).unwrap_err();
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
fn a_server_that_runs_code_of_the_workspace_is_found_only_where_that_is_trusted() {
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
        put(programs.path(), name, 0o755);
        let only = |other: &str| ServerOverride { disabled: other != name, ..ServerOverride::default() };
        let language = language_by_id(language).unwrap();
        assert_eq!(language.find_usable(&search(true), &only).unwrap().server.name, name);
        let absent = language.find_usable(&search(false), &only).unwrap_err();
        assert_eq!(absent.server_name(), name);
        let said = absent.to_string();
        assert!(
            said.starts_with("not started: it runs code of the workspace, which is not trusted ("),
            "{said}"
        );
        assert!(said.ends_with("; trust the workspace to use it (kenning trust)"), "{said}");
    }
    // A row without a statement about trust counts as one that runs code.
    let silent = ServerSpec { untrusted: None, harmless: None, ..server("gopls") };
    assert!(!silent.is_safe_untrusted() && server("gopls").is_safe_untrusted());
}

#[cfg(unix)]
#[test]
fn tools_of_a_language_are_looked_for_outside_of_a_workspace_that_is_not_trusted() {
    let (root, home) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    put(home.path(), "programs/rust-analyzer", 0o755);
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
    let mut roots = ProjectRoots::new(folder.path(), language_by_id("rust").unwrap(), false);
    assert_eq!(
        ["a/b/src/x.rs", "c/x.rs", "d/x.rs", "x.rs"].map(|path| roots.root_for_path(path)),
        ["a", "c", "", ""]
    );
    let mut one = ProjectRoots::new(folder.path(), language_by_id("rust").unwrap(), true);
    assert_eq!(one.root_for_path("a/x.rs"), "");
}
