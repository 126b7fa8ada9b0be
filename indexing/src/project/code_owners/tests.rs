//! Tests of `CODEOWNERS` texts and the owners that they give.
#![allow(clippy::needless_raw_string_hashes, reason = "expect_test writes them")]

use crate::project::Project;
use expect_test::{Expect, expect};
use std::fmt::Write as _;

/// Checks the owners of files, and the issues of the list.
fn check(owners_path: &str, text: &str, files: &[&str], expected: Expect) {
    let text = text.lines().map(str::trim_start).collect::<Vec<_>>().join("\n");
    let project = Project::read_manifests(&[], &|path| Ok((path == owners_path).then(|| text.clone())));
    let mut output = String::new();
    for file in files {
        writeln!(output, "{file}: {}", project.owners.owners_of_file(file).join(" ")).unwrap();
    }
    for issue in &project.issues {
        writeln!(output, "! {}: {}", issue.path, issue.message).unwrap();
    }
    expected.assert_eq(&output);
}

#[test]
fn the_last_matching_rule_counts_even_if_it_names_nobody() {
    check(
        ".github/CODEOWNERS",
        "# the examples of GitHub's documentation
        *       @global-owner1 @global-owner2
        *.js    @js-owner # an inline comment
        *.go docs@example.com
        /build/logs/ @doctocat
        docs/*  docs@example.com
        apps/ @octocat
        /docs/ @doctocat
        /scripts/ @doctocat @octocat
        **/logs @octocat
        /apps/github
        /with\\ space/ @spaced
        /nobody/ nothing
        !/scripts/x.rb @never",
        &[
            "a.rb",
            "lib/a.js",
            "build/logs/a.rb",
            "docs/a.rb",
            "x/docs/a.rb",
            "x/docs/deeper/a.rb",
            "apps/a.js",
            "x/apps/y/a.js",
            "scripts/x.rb",
            "deep/logs/a.rb",
            "apps/github",
            "apps/github/a.rb",
            "with space/a.rb",
            "nobody/a.rb",
        ],
        expect![[r#"
            a.rb: @global-owner1 @global-owner2
            lib/a.js: @js-owner
            build/logs/a.rb: @octocat
            docs/a.rb: @doctocat
            x/docs/a.rb: @global-owner1 @global-owner2
            x/docs/deeper/a.rb: @global-owner1 @global-owner2
            apps/a.js: @octocat
            x/apps/y/a.js: @octocat
            scripts/x.rb: @doctocat @octocat
            deep/logs/a.rb: @octocat
            apps/github: 
            apps/github/a.rb: 
            with space/a.rb: @spaced
            nobody/a.rb: @global-owner1 @global-owner2
            ! .github/CODEOWNERS: '/nobody/ nothing' names no owner and is skipped
        "#]],
    );
}

#[test]
fn a_star_after_a_folder_does_not_match_in_its_subfolders() {
    check(
        "docs/CODEOWNERS",
        "docs/* @docs",
        &["docs/a.md", "docs/b/c.md"],
        expect![[r#"
            docs/a.md: @docs
            docs/b/c.md: 
        "#]],
    );
}

#[test]
fn all_matching_sections_own_a_file_and_lines_use_the_default_owners() {
    check(
        "CODEOWNERS",
        "* @all
        [Docs] @writers
        *.md
        README.md @lead
        ^[Backend][2] @back
        /server/
        !/server/generated/
        [docs]
        /handbook/ @people
        [Dd]ata/ @data",
        &["a.rb", "x/a.md", "README.md", "server/a.go", "server/generated/a.go", "handbook/a.md", "Data/x.c"],
        expect![[r#"
            a.rb: @all
            x/a.md: @all @writers
            README.md: @all @lead
            server/a.go: @all @back
            server/generated/a.go: @all
            handbook/a.md: @all @people
            Data/x.c: @all @data
        "#]],
    );
}

#[test]
fn the_first_existing_file_counts() {
    let read = |path: &str| match path {
        "CODEOWNERS" => Ok(Some("* @root".to_owned())),
        "docs/CODEOWNERS" => Ok(Some("* @docs".to_owned())),
        _ => Ok(None),
    };
    assert_eq!(Project::read_manifests(&[], &read).owners.owners_of_file("a.c"), ["@root"]);
}

#[test]
fn no_text_causes_a_panic() {
    for text in [
        "",
        "[",
        "]",
        "^[",
        "[]",
        "[a][",
        "[a][x] @b",
        "\\",
        "\\ ",
        "/*",
        "*",
        "**",
        "{a,b @c",
        "[z-a] @c",
        "! @c",
    ] {
        let project = Project::read_manifests(&[], &|_| Ok(Some(text.to_owned())));
        for path in ["", "/", "a", "a/b", "a//b", "ä/\u{0}"] {
            project.owners.owners_of_file(path);
        }
    }
}

#[test]
fn owners_change_only_their_own_fingerprint() {
    let project = |text: &str| {
        Project::read_manifests(&[], &|path| Ok((path == "CODEOWNERS").then(|| text.to_owned())))
    };
    let (one, same, other) = (project("* @a"), project("# x\n*  @a"), project("* @b"));
    assert_eq!(
        (&one.owners, one.owners.owners_fingerprint()),
        (&same.owners, same.owners.owners_fingerprint())
    );
    assert_ne!(one.owners.owners_fingerprint(), other.owners.owners_fingerprint());
    assert_ne!(one.owners, other.owners);
    assert_eq!(
        one.fingerprint(),
        other.fingerprint(),
        "the fingerprint of the project does not include owners"
    );
}

#[test]
fn rules_over_the_pattern_budget_are_reported_and_the_others_apply() {
    let text = (0..2_000).map(|n| format!("{}{n} @team\n", "*a".repeat(100))).collect::<Vec<_>>().concat();
    let project = Project::read_manifests(&[], &|path| Ok((path == "CODEOWNERS").then(|| text.clone())));
    assert_eq!(project.owners.owners_of_file(&format!("{}7", "xa".repeat(100))), ["@team"]);
    let [issue] = &project.issues[..] else { panic!("{:?}", project.issues) };
    assert!(issue.message.starts_with("the patterns from rule 163 on are ignored: "), "{}", issue.message);
}
