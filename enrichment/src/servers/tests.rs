//! The table is complete, and servers are found where they may be.

use super::{
    Absent, Found, Override, Project, Roots, Search, Server, Setup, find_program, languages, of_language,
    table,
};
use serde_json::json;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

#[test]
fn every_row_is_complete_and_every_server_belongs_to_a_language() {
    let table = table();
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
    let indexed: BTreeSet<&str> = languages()
        .iter()
        .filter(|row| row.indexed)
        .flat_map(|row| std::iter::once(row.id.as_str()).chain(row.also.iter().map(String::as_str)))
        .collect();
    let expected = ["csharp", "go", "java", "javascript", "python", "ruby", "rust", "tsx", "typescript"];
    assert!(indexed.iter().eq(&expected), "{indexed:?}");
}

#[test]
fn every_server_of_an_indexed_language_says_whether_it_is_safe_where_nobody_trusts() {
    for server in languages().iter().filter(|row| row.indexed).flat_map(|row| &row.servers) {
        let said = [server.untrusted.is_some(), server.harmless.is_some(), server.runs_code.is_some()]
            .iter()
            .filter(|is| **is)
            .count();
        assert_eq!(said, 1, "{} says one of `untrusted`, `harmless` and `runs_code`", server.name);
        for why in [&server.harmless, &server.runs_code].into_iter().flatten() {
            assert!(why.len() > 20, "{}: {why:?} is no reason", server.name);
        }
        let sets_something = server.untrusted.as_ref().is_none_or(|untrusted| *untrusted != Setup::default());
        assert!(sets_something, "{} sets nothing where nobody trusts", server.name);
    }
}

#[test]
fn every_value_in_braces_is_known_and_every_known_value_is_used() {
    let table = table();
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
    let script = of_language("tsx").unwrap();
    for (path, id) in
        [("a/b.tsx", "typescriptreact"), ("b.mjs", "javascript"), ("c.ts", "typescript"), ("d", "typescript")]
    {
        assert_eq!(script.document_id(path), id);
    }
}

fn server(name: &str) -> Server {
    let all = languages().iter().flat_map(|language| &language.servers);
    all.clone().find(|server| server.name == name).unwrap_or_else(|| panic!("{name}")).clone()
}

fn found(server: Server) -> Found {
    let (program, search) = (PathBuf::new(), Search::default());
    Found { server, program, instead: None, search, tools: Vec::new() }
}

#[test]
fn in_an_untrusted_workspace_nothing_of_it_runs_and_nothing_is_downloaded() {
    let found = |server: &Server| Found { instead: Some("/lib/tsserver.js".into()), ..found(server.clone()) };
    let go = found(&server("gopls")).setup(false, true, &Project::default()).environment;
    assert_eq!(
        (go["GOPROXY"].as_str(), go["GOTOOLCHAIN"].as_str(), go["GOFLAGS"].as_str()),
        ("off", "local", "-mod=readonly")
    );
    assert!(
        !found(&server("gopls")).setup(true, true, &Project::default()).environment.contains_key("GOPROXY")
    );
    assert_eq!(found(&server("gopls")).setup(true, false, &Project::default()).environment["GOPROXY"], "off");
    // What the user says of a server does not take its restrictions away.
    let said = Override {
        options: json!({"procMacro": {"enable": true}, "lens": {"enable": true}}),
        ..Override::default()
    };
    let rust = server("rust-analyzer").with(&said);
    let untrusted = found(&rust).setup(false, true, &Project::default()).options;
    assert_eq!(untrusted["procMacro"]["enable"], false);
    assert_eq!(untrusted["cargo"]["buildScripts"]["enable"], false);
    assert_eq!(untrusted["lens"]["enable"], true);
    assert_eq!(found(&rust).setup(true, true, &Project::default()).options["procMacro"]["enable"], true);
    let script = found(&server("typescript-language-server"));
    let options = script.setup(false, true, &Project::default()).options;
    assert_eq!(options["disableAutomaticTypingAcquisition"], true);
    assert_eq!(options["tsserver"], json!({"useSyntaxServer": "never", "path": "/lib/tsserver.js"}));
    assert_eq!(
        script.setup(true, true, &Project::default()).options["tsserver"],
        json!({"useSyntaxServer": "never"})
    );
}

#[test]
fn what_is_installed_for_a_project_is_read_and_its_interpreter_runs_only_where_it_is_trusted() {
    let project = tempfile::tempdir().unwrap();
    let python = of_language("python").unwrap();
    let pyright = found(server("pyright"));
    let told = |trusted: bool| {
        let setup = pyright.setup(trusted, true, &python.project(project.path()));
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
        let search = Search { path, root: root.path().to_owned(), trusted, ..Search::default() };
        of_language("typescript").unwrap().search(&search, &|_| Override::default())
    };
    assert_eq!(search(true).unwrap().instead, None);
    let module = "typescript/lib/tsserver.js".to_owned();
    let alone = Absent::Alone { server: "typescript-language-server".to_owned(), module };
    assert_eq!(search(false).unwrap_err(), alone);
    put(home.path(), "lib/node_modules/typescript/lib/tsserver.js", 0o644);
    let beside = home.path().canonicalize().unwrap().join("lib/node_modules/typescript/lib/tsserver.js");
    assert_eq!(search(false).unwrap().instead, Some(beside));
}

#[test]
fn what_the_user_says_is_laid_over_the_table() {
    let go = &of_language("python").unwrap().servers[0];
    let said = Override {
        program: Some("mine".to_owned()),
        settings: json!({"python": {"analysis": {"indexing": true}}}),
        in_flight: Some(0),
        memory_mib: Some(100),
        ..Override::default()
    };
    let server = go.with(&said);
    assert_eq!(server.command, ["mine", "--stdio"]);
    assert_eq!(server.always.settings["python"]["analysis"]["indexing"], true);
    assert_eq!(server.always.settings["python"]["analysis"]["diagnosticMode"], "openFilesOnly");
    assert_eq!((server.in_flight, server.memory_mib), (1, 100));
    let said = Override { arguments: Some(vec!["a".to_owned()]), ..Override::default() };
    assert_eq!(go.with(&said).command, ["pyright-langserver", "a"]);
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
    let python = of_language("python").unwrap();
    let folders = [folder.path().to_owned()];
    assert!(python.find(&folders).is_none());
    put(folder.path(), "pylsp", 0o755);
    put(folder.path(), "pyright-langserver", 0o644);
    assert_eq!(python.find(&folders).unwrap().0.name, "pylsp", "a file that may not run is no program");
    let absolute = folder.path().join("pylsp");
    assert_eq!(find_program(absolute.to_str().unwrap(), &[]), Some(absolute.clone()));
    assert_eq!(find_program("./pylsp", &folders), None);
    put(folder.path(), "ty", 0o755);
    assert_eq!(python.find(&folders).unwrap().0.name, "ty");
}

#[cfg(unix)]
#[test]
fn programs_of_the_workspace_run_only_when_it_is_trusted() {
    let (root, home) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let python = of_language("python").unwrap();
    put(root.path(), ".venv/bin/pylsp", 0o755);
    let search = |trusted| Search {
        // Its folder is on the search path as well: that makes it no less the workspace's.
        path: vec![root.path().join(".venv/bin"), "bin".into()],
        home: Some(home.path().to_owned()),
        root: root.path().to_owned(),
        trusted,
    };
    let said = |_: &str| Override::default();
    let inside = root.path().join(".venv/bin/pylsp");
    let absent = python.search(&search(false), &said).unwrap_err();
    assert_eq!(absent, Absent::Untrusted { server: "pylsp".to_owned(), program: inside.clone() });
    assert_eq!(python.search(&search(true), &said).unwrap().program, inside);
    put(home.path(), ".local/bin/ty", 0o755);
    assert_eq!(python.search(&search(false), &said).unwrap().server.name, "ty");
    // A link in the workspace to a program outside is the workspace's word, too.
    std::fs::remove_file(&inside).unwrap();
    std::fs::remove_file(home.path().join(".local/bin/ty")).unwrap();
    put(home.path(), "elsewhere/pylsp", 0o755);
    std::os::unix::fs::symlink(home.path().join("elsewhere/pylsp"), &inside).unwrap();
    assert!(matches!(python.search(&search(false), &said), Err(Absent::Untrusted { .. })));
    let off = |_: &str| Override { disabled: true, ..Override::default() };
    assert_eq!(python.search(&search(true), &off).unwrap_err(), Absent::Disabled);
    let ruby = of_language("ruby").unwrap().search(&search(false), &said).unwrap_err();
    assert_eq!(
        ruby,
        Absent::Missing { server: "ruby-lsp".to_owned(), install: "gem install ruby-lsp".to_owned() }
    );
}

#[cfg(unix)]
#[test]
fn a_server_that_runs_code_of_the_workspace_is_found_only_where_that_is_trusted() {
    let (root, programs) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let search = |trusted| Search {
        path: vec![programs.path().to_owned()],
        root: root.path().to_owned(),
        trusted,
        ..Search::default()
    };
    for (language, name) in [
        ("ruby", "ruby-lsp"),
        ("ruby", "solargraph"),
        ("csharp", "csharp-ls"),
        ("csharp", "OmniSharp"),
        ("python", "pylsp"),
    ] {
        put(programs.path(), name, 0o755);
        let only = |other: &str| Override { disabled: other != name, ..Override::default() };
        let language = of_language(language).unwrap();
        assert_eq!(language.search(&search(true), &only).unwrap().server.name, name);
        let absent = language.search(&search(false), &only).unwrap_err();
        assert_eq!(absent.server(), name);
        let said = absent.to_string();
        assert!(
            said.starts_with("not started: it runs code of the workspace, which is not trusted ("),
            "{said}"
        );
        assert!(said.ends_with("; trust the workspace to use it (kenning trust)"), "{said}");
    }
    // A row that says nothing of trust counts as one that runs code.
    let silent = Server { untrusted: None, harmless: None, ..server("gopls") };
    assert!(!silent.is_safe_untrusted() && server("gopls").is_safe_untrusted());
}

#[cfg(unix)]
#[test]
fn tools_of_a_language_are_looked_for_outside_of_a_workspace_that_is_not_trusted() {
    let (root, home) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    put(home.path(), "programs/rust-analyzer", 0o755);
    let (inside, outside) = (root.path().join("bin"), home.path().join("programs"));
    let tools = |trusted| {
        let search = Search {
            path: vec![inside.clone(), "relative".into(), outside.clone()],
            home: Some(home.path().to_owned()),
            root: root.path().to_owned(),
            trusted,
        };
        of_language("rust").unwrap().search(&search, &|_| Override::default()).unwrap().tools
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
    let mut roots = Roots::new(folder.path(), of_language("rust").unwrap(), false);
    assert_eq!(["a/b/src/x.rs", "c/x.rs", "d/x.rs", "x.rs"].map(|path| roots.of(path)), ["a", "c", "", ""]);
    let mut one = Roots::new(folder.path(), of_language("rust").unwrap(), true);
    assert_eq!(one.of("a/x.rs"), "");
}
