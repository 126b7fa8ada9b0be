//! Dependencies of manifests: on packages of a registry, and on packages of the workspace.

use super::incremental::apply_edit;
use super::{check, format_edges, parse_fixture, read_project, resolve_workspace};
use expect_test::expect;
use kenning_graph::EdgeKind::*;
use std::fmt::Write as _;

const WORKSPACE: &str = include_str!("packages.fixture");

#[test]
fn manifests_depend_on_packages_and_on_manifests_of_the_workspace() {
    check(
        WORKSPACE,
        &[DependsOn],
        expect![[r#"
        depends_on Cargo.toml -> cargo::serde
        depends_on Cargo.toml -> core/Cargo.toml
        depends_on cli/Cargo.toml -> cargo::serde
        depends_on cli/Cargo.toml -> core/Cargo.toml
        depends_on core/Cargo.toml -> cargo::serde
        depends_on dart/pubspec.yaml -> dart/kit/pubspec.yaml
        depends_on dart/pubspec.yaml -> pub::http
        depends_on ex/mix.exs -> ex/kit/mix.exs
        depends_on ex/mix.exs -> hex::plug
        depends_on examples/package.json -> npm::@shop/core
        depends_on examples/package.json -> packages/web/package.json
        depends_on go/go.mod -> go::github.com/spf13/cobra
        depends_on go/go.mod -> kit/go.mod
        depends_on gradle/app/build.gradle.kts -> gradle/model/build.gradle.kts
        depends_on gradle/app/build.gradle.kts -> maven::io.ktor:ktor-server-core
        depends_on gradle/app/build.gradle.kts -> maven::org.apache.kafka:kafka-clients
        depends_on gradle/gradle/libs.versions.toml -> maven::org.apache.kafka:kafka-clients
        depends_on jvm/app/pom.xml -> jvm/model/pom.xml
        depends_on jvm/app/pom.xml -> maven::org.junit.jupiter:junit-jupiter
        depends_on jvm/pom.xml -> maven::org.junit.jupiter:junit-jupiter
        depends_on net/Directory.Packages.props -> nuget::serilog
        depends_on net/app/App.csproj -> net/model/Model.csproj
        depends_on net/app/App.csproj -> nuget::microsoft.net.sdk
        depends_on net/app/App.csproj -> nuget::serilog
        depends_on package.json -> npm::typescript
        depends_on packages/core/package.json -> npm::react
        depends_on packages/web/package.json -> npm::react
        depends_on packages/web/package.json -> packages/core/package.json
        depends_on php/composer.json -> composer::guzzlehttp/guzzle
        depends_on py/pyproject.toml -> pykit/setup.py
        depends_on py/pyproject.toml -> pypi::flask
        depends_on pykit/setup.py -> pypi::requests
        depends_on rb/Gemfile -> gem::rails
        depends_on rb/Gemfile -> rb/kit/kit.gemspec
    "#]],
    );
}

#[test]
fn versions_come_from_manifests_and_lock_files() {
    let mut text = String::new();
    let project = read_project(&parse_fixture(WORKSPACE));
    for package in project.packages.dependencies.iter().filter(|package| package.local.is_empty()) {
        let location = format!("{}:{}", package.manifest, package.line + 1);
        let requirement = &package.requirement;
        let locked =
            if package.locked.is_empty() { String::new() } else { format!(" at {}", package.locked) };
        writeln!(
            text,
            "{} {} {requirement:?}{locked} ({location})",
            package.ecosystem.as_str(),
            package.name
        )
        .unwrap();
    }
    expect![[r#"
        pypi flask ">=2,<4" at 3.0.3 (py/pyproject.toml:4)
        pypi requests "~= 2.31" (pykit/setup.py:4)
        npm @shop/core "1.0.0" (examples/package.json:1)
        npm react "^18.0.0" at 18.3.1 (packages/core/package.json:1)
        npm react "^18.2.0" at 18.3.1 (packages/web/package.json:5)
        npm typescript "^5.4.0" at 5.4.5 (package.json:4)
        cargo serde "1.0" at 1.0.200 (Cargo.toml:4)
        cargo serde "1.0" at 1.0.200 (cli/Cargo.toml:6)
        cargo serde "1.0" at 1.0.200 (core/Cargo.toml:4)
        go github.com/spf13/cobra "v1.8.0" (go/go.mod:4)
        maven io.ktor:ktor-server-core "2.3.9" (gradle/app/build.gradle.kts:4)
        maven org.apache.kafka:kafka-clients "3.7.0" (gradle/app/build.gradle.kts:2)
        maven org.apache.kafka:kafka-clients "3.7.0" (gradle/gradle/libs.versions.toml:4)
        maven org.junit.jupiter:junit-jupiter "5.10.2" (jvm/app/pom.xml:6)
        maven org.junit.jupiter:junit-jupiter "5.10.2" (jvm/pom.xml:7)
        nuget microsoft.net.sdk "" (net/app/App.csproj:1)
        nuget serilog "3.1.1" (net/Directory.Packages.props:1)
        nuget serilog "3.1.1" (net/app/App.csproj:3)
        gem rails "~> 7.0, >= 7.0.3" at 7.0.4 (rb/Gemfile:1)
        composer guzzlehttp/guzzle "^7.8" (php/composer.json:1)
        pub http "^1.2.0" (dart/pubspec.yaml:5)
        hex plug "~> 1.16" (ex/mix.exs:8)
    "#]]
    .assert_eq(&text);
}

#[test]
fn an_edit_of_a_manifest_changes_the_edges_of_all_manifests_that_need_it() {
    let mut files = parse_fixture(WORKSPACE);
    let before = resolve_workspace(&files);
    let renamed = "{ \"name\": \"@shop/kernel\", \"dependencies\": {\n\"vue\": \"3\" } }";
    let after = apply_edit(&before, &mut files, "packages/core/package.json", Some(renamed));
    assert_eq!(after.source_root(), resolve_workspace(&files).source_root());
    let edges = format_edges(&after, |kind| kind == DependsOn);
    let about_core: String = edges
        .lines()
        .filter(|line| line.contains("packages/"))
        .fold(String::new(), |text, line| text + line + "\n");
    expect![[r#"
        depends_on examples/package.json -> packages/web/package.json
        depends_on packages/core/package.json -> npm::vue
        depends_on packages/web/package.json -> npm::@shop/core
        depends_on packages/web/package.json -> npm::react
    "#]]
    .assert_eq(&about_core);
}
