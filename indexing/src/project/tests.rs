//! Projects made from `//- path` sections.
#![allow(clippy::needless_raw_string_hashes, reason = "expect_test writes them")]
#![allow(clippy::format_collect, reason = "short lists")]

use super::*;
use expect_test::{Expect, expect};
use std::collections::BTreeMap;

fn project(fixture: &str) -> Project {
    let mut files: BTreeMap<String, String> = BTreeMap::new();
    let mut current = String::new();
    for line in fixture.lines() {
        let line = line.trim_start();
        if let Some(path) = line.strip_prefix("//- ") {
            path.clone_into(&mut current);
            files.insert(current.clone(), String::new());
        } else if let Some(text) = files.get_mut(&current) {
            text.push_str(line);
            text.push('\n');
        }
    }
    let manifest = |path: &str| {
        [".mod", ".work", ".toml", ".json", "setup.py", ".cfg"].iter().any(|end| path.ends_with(end))
    };
    let paths: Vec<String> = files.keys().filter(|path| !manifest(path)).cloned().collect();
    Project::read(&paths, &|path| Ok(files.get(path).filter(|_| manifest(path)).cloned()))
}

fn check(fixture: &str, part: impl Fn(&Project) -> String, expected: Expect) {
    expected.assert_eq(&part(&project(fixture)));
}

fn lines<T: std::fmt::Debug>(items: &[T]) -> String {
    items.iter().map(|item| format!("{item:?}\n")).collect()
}

#[test]
fn go_modules_come_from_go_mod_and_go_work() {
    let fixture = "//- go.mod
        // comment
        module example.com/app // trailing
        require (
            example.com/x v1.0.0
        )
        replace (
            example.com/x v1.0.0 => ./libs/x
            example.com/y => example.com/z v1
        )
        //- go.work
        use (
            .
            ./tools/gen
        )
        //- tools/gen/go.mod
        module \"example.com/app/tools/gen\"
        //- bad/go.mod
        go 1.22
        //- cmd/main.go
        //- bad/a.go";
    check(
        fixture,
        |p| lines(&p.go_modules) + &lines(&p.issues),
        expect![[r#"
            GoModule { path: "example.com/app/tools/gen", folder: "tools/gen", replaced: [] }
            GoModule { path: "example.com/app", folder: "", replaced: [("example.com/x", "libs/x")] }
            ProjectIssue { path: "bad/go.mod", message: "no module directive" }
        "#]],
    );
    let project = project(fixture);
    assert_eq!(project.go_modules[1].folder_of_package("example.com/app/cmd").as_deref(), Some("cmd"));
    assert_eq!(project.go_modules[1].folder_of_package("example.com/application"), None);
}

#[test]
fn cargo_packages_have_crate_names_and_roots() {
    check(
        "//- Cargo.toml
        [workspace]
        members = [\"crates/*\"]
        //- crates/my-lib/Cargo.toml
        [package]
        name = \"my-lib\"
        [dependencies]
        short = { package = \"long-name\", version = \"1\" }
        [[bin]]
        name = \"b\"
        path = \"cli/main.rs\"
        //- crates/core/Cargo.toml
        [package]
        name = \"core-x\"
        [lib]
        name = \"corex\"
        path = \"lib.rs\"
        //- crates/bad/Cargo.toml
        [package
        //- crates/my-lib/src/lib.rs
        //- crates/core/lib.rs
        //- crates/bad/src/lib.rs",
        |p| lines(&p.cargo_packages) + &p.issues.iter().map(|i| format!("{}\n", i.path)).collect::<String>(),
        expect![[r#"
            CargoPackage { name: "corex", folder: "crates/core", library: "crates/core/lib.rs", roots: [], renamed: [], dependencies: [] }
            CargoPackage { name: "my_lib", folder: "crates/my-lib", library: "crates/my-lib/src/lib.rs", roots: ["crates/my-lib/cli/main.rs"], renamed: [("short", "long_name")], dependencies: ["short"] }
            crates/bad/Cargo.toml
        "#]],
    );
}

#[test]
fn python_roots_are_above_packages_and_at_manifests() {
    check(
        "//- pyproject.toml
        //- src/flask/__init__.py
        //- src/flask/json/__init__.py
        //- tests/test_a.py
        //- tools/setup.py
        //- tools/run.py",
        |p| lines(&p.python_roots),
        expect![[r#"
            "src"
            "tools"
            ""
        "#]],
    );
    assert_eq!(project("//- a.go").python_roots, Vec::<String>::new());
}

#[test]
fn script_configs_extend_one_another() {
    check(
        "//- tsconfig.json
        { // comment
          \"extends\": \"./base\",
          \"compilerOptions\": { \"paths\": { \"@/*\": [\"src/*\"], \"@/exact\": [\"src/e.ts\"], }, },
        }
        //- base.json
        { \"compilerOptions\": { \"baseUrl\": \"./lib\" /* x */, \"paths\": { \"no\": [\"no\"] } } }
        //- packages/a/tsconfig.json
        { \"extends\": \"../../tsconfig.json\", \"url\": \"http://x\" }
        //- packages/b/tsconfig.json
        { \"extends\": \"./tsconfig.json\" }
        //- packages/c/tsconfig.json
        { \"extends\":
        //- packages/a/x.ts
        //- packages/b/x.ts
        //- packages/c/x.ts",
        |p| lines(&p.script_configs) + &p.issues.iter().map(|i| format!("{}\n", i.path)).collect::<String>(),
        expect![[r#"
            ScriptConfig { folder: "packages/a", base_url: Some("lib"), paths: [("@/exact", ["src/e.ts"]), ("@/*", ["src/*"])] }
            ScriptConfig { folder: "", base_url: Some("lib"), paths: [("@/exact", ["src/e.ts"]), ("@/*", ["src/*"])] }
            packages/c/tsconfig.json
        "#]],
    );
}

#[test]
fn npm_packages_lead_to_source_files() {
    check(
        "//- packages/server/package.json
        { \"name\": \"@x/server\", \"main\": \"dist/index.js\",
          \"exports\": { \".\": { \"import\": { \"types\": \"./dist/index.d.ts\", \"default\": \"./dist/index.mjs\" } },
                       \"./adapters/ws\": \"./dist/adapters/ws.js\", \"./*\": \"./dist/*.js\" } }
        //- packages/server/src/index.ts
        //- packages/server/src/adapters/ws.ts
        //- packages/ui/package.json
        { \"name\": \"ui\" }
        //- packages/ui/index.jsx
        //- package.json
        { \"private\": true }",
        |p| lines(&p.node_packages),
        expect![[r#"
            NodePackage { name: "@x/server", folder: "packages/server", entries: [("", "packages/server/src/index.ts"), ("adapters/ws", "packages/server/src/adapters/ws.ts")] }
            NodePackage { name: "ui", folder: "packages/ui", entries: [("", "packages/ui/index.jsx")] }
        "#]],
    );
}

#[test]
fn ruby_load_paths_are_lib_and_app_folders() {
    let project =
        project("//- lib/jekyll/site.rb\n//- app/models/user.rb\n//- gems/x/lib/x.rb\n//- library/y.rb");
    assert_eq!(project.ruby_load_paths, ["", "app/models", "gems/x/lib", "lib"]);
}

#[test]
fn the_fingerprint_changes_with_what_resolution_reads() {
    let one = project("//- go.mod\nmodule a\n//- a.go");
    let same = project("//- go.mod\nmodule a\n\n//- a.go\n//- b.go");
    let other = project("//- go.mod\nmodule b\n//- a.go");
    assert_eq!(one.fingerprint(), same.fingerprint());
    assert_ne!(one.fingerprint(), other.fingerprint());
}

#[test]
fn any_manifest_text_is_read_without_a_panic() {
    for text in ["", "\u{feff}", "\"", "{\"a\": \"\\", "/*", "[", "{,}", "module", "replace =>", "use ("] {
        let paths = ["a/b.ts".to_owned(), "a/b.py".to_owned()];
        Project::read(&paths, &|_| Ok(Some(text.to_owned())));
        Project::read(&paths, &|_| Err("no".to_owned()));
    }
}
