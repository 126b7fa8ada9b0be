//! Tests of projects that are read from `//- path` sections.
#![allow(clippy::needless_raw_string_hashes, reason = "expect_test writes them")]
#![allow(clippy::format_collect, reason = "short lists")]

use super::*;
use expect_test::{Expect, expect};
use std::collections::BTreeMap;

fn read_project(fixture: &str) -> Project {
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
    let ends = [".mod", ".work", ".toml", ".json", "setup.py", ".cfg", "requirements/dev.txt"];
    let manifest = |path: &str| {
        ends.iter().any(|end| path.ends_with(end)) || is_manifest(path.rsplit('/').next().unwrap())
    };
    let paths: Vec<String> = files.keys().filter(|path| !manifest(path)).cloned().collect();
    let read = |path: &str| Ok(files.get(path).filter(|_| manifest(path)).cloned());
    let names = |folder: &str| {
        let inside = files.keys().filter(|path| parent_folder(path) == folder);
        inside.map(|path| path.rsplit('/').next().unwrap().to_owned()).collect()
    };
    Project::read_from_files(&paths, &ManifestFiles { read: &read, names: &names })
}

fn check(fixture: &str, part: impl Fn(&Project) -> String, expected: Expect) {
    expected.assert_eq(&part(&read_project(fixture)));
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
            GoModule { path: "example.com/app/tools/gen", folder: "tools/gen", replacements: [] }
            GoModule { path: "example.com/app", folder: "", replacements: [ModuleReplacement { path: "example.com/x", folder: "libs/x" }] }
            ProjectIssue { path: "bad/go.mod", message: "no module directive" }
        "#]],
    );
    let project = read_project(fixture);
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
            CargoPackage { name: "my_lib", folder: "crates/my-lib", library: "crates/my-lib/src/lib.rs", roots: ["crates/my-lib/cli/main.rs"], renamed: [RenamedDependency { alias: "short", package: "long_name" }], dependencies: ["short"] }
            crates/bad/Cargo.toml
        "#]],
    );
}

#[test]
fn a_file_belongs_to_the_nearest_cargo_package() {
    let project = read_project(
        "//- a/Cargo.toml
        [package]
        name = \"outer\"
        //- a/b/Cargo.toml
        [package]
        name = \"inner\"
        //- a/src/lib.rs
        //- a/b/src/deep/x.rs
        //- a/bc/x.rs
        //- x.rs",
    );
    let package_of = |path: &str| project.cargo_package(path).map(|package| package.name.as_str());
    assert_eq!(package_of("a/b/src/deep/x.rs"), Some("inner"));
    assert_eq!(package_of("a/src/lib.rs"), Some("outer"));
    assert_eq!(package_of("a/bc/x.rs"), Some("outer"));
    assert_eq!(package_of("x.rs"), None);
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
    assert_eq!(read_project("//- a.go").python_roots, Vec::<String>::new());
}

#[test]
fn script_configs_include_the_options_of_extended_configs() {
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
            NodePackage { name: "@x/server", folder: "packages/server", entries: [PackageEntry { subpath: "", file: "packages/server/src/index.ts" }, PackageEntry { subpath: "adapters/ws", file: "packages/server/src/adapters/ws.ts" }], published: [] }
            NodePackage { name: "ui", folder: "packages/ui", entries: [PackageEntry { subpath: "", file: "packages/ui/index.jsx" }], published: [] }
        "#]],
    );
}

#[test]
fn ruby_load_paths_are_lib_and_app_folders() {
    let project =
        read_project("//- lib/jekyll/site.rb\n//- app/models/user.rb\n//- gems/x/lib/x.rb\n//- library/y.rb");
    assert_eq!(project.ruby_load_paths, ["", "app/models", "gems/x/lib", "lib"]);
}

#[test]
fn the_fingerprint_changes_only_with_the_parts_that_resolution_reads() {
    let one = read_project("//- go.mod\nmodule a\n//- a.go");
    let same = read_project("//- go.mod\nmodule a\n\n//- a.go\n//- b.go");
    let other = read_project("//- go.mod\nmodule b\n//- a.go");
    assert_eq!(one.fingerprint(), same.fingerprint());
    assert_ne!(one.fingerprint(), other.fingerprint());
}

#[test]
fn no_manifest_text_causes_a_panic() {
    for text in ["", "\u{feff}", "\"", "{\"a\": \"\\", "/*", "[", "{,}", "module", "replace =>", "use ("] {
        let paths = ["a/b.ts".to_owned(), "a/b.py".to_owned()];
        Project::read_manifests(&paths, &|_| Ok(Some(text.to_owned())));
        Project::read_manifests(&paths, &|_| Err("no".to_owned()));
    }
}

/// A manifest of every kind, with texts that must not be mistaken for packages.
const MANIFESTS: &str = r#"//- pyproject.toml
        [project]
        name = "My_App"
        dependencies = ["Flask[async]>=2 ; python_version > '3.8'", "./local"]
        optional-dependencies = { db = ["SQLAlchemy ~= 2.0"] }
        [dependency-groups]
        tests = ["pytest", { include-group = "x" }]
        [tool.poetry.group.dev.dependencies]
        python = "^3"
        black = "*"
        //- requirements/dev.txt
        # a comment
        celery==5 # another
        -r base.txt
        https://example.com/x.whl
        //- old/setup.cfg
        [metadata]
        name = old
        [options]
        install_requires = jinja2
        //- old/setup.py
        setup(name="old", install_requires=["click>=8", 'werkzeug'])
        //- web/package.json
        { "name": "@me/web", "dependencies": { "react": "1" }, "devDependencies": { "jest": "2" } }
        //- core/Cargo.toml
        [package]
        name = "my_core"
        [dependencies]
        serde_json = "1"
        rt = { package = "tokio", version = "1" }
        [workspace.dependencies]
        clap = "4"
        //- go.mod
        module example.com/me/tool/v2
        require (
        github.com/spf13/cobra v1.8.0
        github.com/gin-gonic/gin/v2 v2.0.0
        gopkg.in/yaml.v3 v3.0.1 // indirect
        )
        //- java/pom.xml
        <?xml version="1.0"?>
        <project><!-- <artifactId>no</artifactId> -->
        <parent><groupId>com.me</groupId><artifactId>parent</artifactId></parent>
        <artifactId>app</artifactId>
        <dependencies>
        <dependency><groupId>org.springframework.boot</groupId><artifactId>spring-boot-starter</artifactId>
        <exclusions><exclusion><groupId>a.b</groupId><artifactId>c</artifactId></exclusion></exclusions></dependency>
        <dependency><groupId>${project.groupId}</groupId><artifactId>other</artifactId></dependency>
        </dependencies></project>
        //- lib/build.gradle.kts
        group = "com.me"
        implementation("org.apache.kafka:kafka-clients:3.0")
        // implementation("no.such:thing:1")
        //- gradle/libs.versions.toml
        junit = { group = "org.junit.jupiter", name = "junit-jupiter", version = "5" }
        //- net/App.csproj
        <Project Sdk="Microsoft.NET.Sdk.Web">
        <ItemGroup><PackageReference Include="Ocelot" Version="1" /></ItemGroup>
        </Project>
        //- rb/my.gemspec
        Gem::Specification.new do |s|
        s.name = "my"
        s.add_runtime_dependency("jekyll", ">= 4")
        end
        //- rb/Gemfile
        gem "sidekiq", "~> 7"
        # gem "rails"
        //- a.py
        //- old/a.py
        //- web/a.ts
        //- core/a.rs
        //- a.go
        //- java/A.java
        //- lib/A.java
        //- net/A.cs
        //- rb/a.rb"#;

#[test]
fn manifests_of_every_language_name_packages() {
    check(
        MANIFESTS,
        |project| {
            let line = |package: &kenning_graph::packages::ManifestPackage| {
                let location = format!("{}:{}", package.manifest, package.line + 1);
                let versions = [&package.requirement, &package.locked, &package.local];
                let versions: Vec<&str> = versions.into_iter().map(String::as_str).collect();
                let line =
                    format!("{:?} {} ({location}) {}", package.ecosystem, package.name, versions.join("|"));
                format!("{}\n", line.trim_end_matches(['|', ' ']))
            };
            let own: String = project.packages.defined.iter().map(line).collect();
            let dependencies: String = project.packages.dependencies.iter().map(line).collect();
            format!("own\n{own}dependencies\n{dependencies}")
        },
        expect![[r#"
            own
            Pypi my-app (pyproject.toml:2)
            Pypi old (old/setup.cfg:2)
            Pypi old (old/setup.py:1)
            Npm @me/web (web/package.json:1)
            Cargo my-core (core/Cargo.toml:2)
            Go example.com/me/tool (go.mod:1)
            Maven com.me:app (java/pom.xml:4)
            Maven com.me:lib (lib/build.gradle.kts:1)
            Nuget app (net/App.csproj:1)
            Gem my (rb/my.gemspec:2)
            dependencies
            Pypi black (pyproject.toml:9) *
            Pypi celery (requirements/dev.txt:2) ==5
            Pypi click (old/setup.py:1) >=8
            Pypi flask (pyproject.toml:3) >=2
            Pypi jinja2 (old/setup.cfg:4)
            Pypi pytest (pyproject.toml:6)
            Pypi sqlalchemy (pyproject.toml:4) ~= 2.0
            Pypi werkzeug (old/setup.py:1)
            Npm jest (web/package.json:1) 2
            Npm react (web/package.json:1) 1
            Cargo clap (core/Cargo.toml:7) 4
            Cargo serde-json (core/Cargo.toml:4) 1
            Cargo tokio (core/Cargo.toml:5) 1
            Go github.com/gin-gonic/gin (go.mod:4) v2.0.0
            Go github.com/spf13/cobra (go.mod:3) v1.8.0
            Maven com.me:other (java/pom.xml:8)
            Maven org.apache.kafka:kafka-clients (lib/build.gradle.kts:2) 3.0
            Maven org.junit.jupiter:junit-jupiter (gradle/libs.versions.toml:1) 5
            Maven org.springframework.boot:spring-boot-starter (java/pom.xml:6)
            Nuget microsoft.net.sdk.web (net/App.csproj:1)
            Nuget ocelot (net/App.csproj:2) 1
            Gem jekyll (rb/my.gemspec:3) >= 4
            Gem sidekiq (rb/Gemfile:1) ~> 7
        "#]],
    );
}

#[test]
fn packages_do_not_change_the_fingerprint() {
    let with_packages = read_project("//- requirements.txt\nflask\n//- a.py\n");
    let without_packages = read_project("//- a.py\n");
    assert!(with_packages != without_packages && !with_packages.packages.dependencies.is_empty());
    assert_eq!(with_packages.fingerprint(), without_packages.fingerprint());
}

#[test]
fn malformed_manifests_name_at_most_one_package() {
    for text in [
        "",
        "<",
        "<a",
        "<a b=",
        "<!--",
        "</",
        "<a><b></a>",
        "\"",
        "group =",
        "[",
        "name=\"",
        "gem '",
        "=",
        "é'",
    ] {
        for name in
            ["pom.xml", "A.csproj", "build.gradle", "Gemfile", "requirements.txt", "setup.py", "setup.cfg"]
        {
            let project = read_project(&format!("//- {name}\n{text}\n//- a.py\n"));
            assert!(project.packages.dependencies.len() <= 1, "{name}: {text}");
        }
    }
}

#[test]
fn truncated_manifests_of_every_kind_are_read() {
    let text = include_str!("../resolve/tests/packages.fixture");
    for (start, _) in text.match_indices("//- ") {
        let section = text[start + 4..].split("//- ").next().unwrap();
        let (path, content) = section.split_once('\n').unwrap();
        for end in (0..content.len()).filter(|&end| content.is_char_boundary(end)) {
            let project = read_project(&format!("//- {path}\n{}\n//- a.py\n", &content[..end]));
            for package in &project.packages.dependencies {
                assert!(
                    !package.name.trim().is_empty() && (package.line as usize) < content.len(),
                    "{path} {end}"
                );
            }
        }
    }
}
