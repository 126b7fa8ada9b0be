//! Tests of `CODEOWNERS` texts and the owners that they give.
#![allow(clippy::needless_raw_string_hashes, reason = "expect_test writes them")]

use crate::project::Project;
use expect_test::{Expect, expect};
use std::fmt::Write as _;

/// Checks the owners of files, and the issues of the list.
fn check(place: &str, text: &str, files: &[&str], expected: Expect) {
    let text = text.lines().map(str::trim_start).collect::<Vec<_>>().join("\n");
    let project = Project::read_manifests(&[], &|path| Ok((path == place).then(|| text.clone())));
    let mut shown = String::new();
    for file in files {
        writeln!(shown, "{file}: {}", project.owners.owners_of_file(file).join(" ")).unwrap();
    }
    for issue in &project.issues {
        writeln!(shown, "! {}: {}", issue.path, issue.message).unwrap();
    }
    expected.assert_eq(&shown);
}

#[test]
fn the_last_rule_that_matches_counts_and_it_may_name_nobody() {
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
fn a_star_behind_a_folder_does_not_reach_into_the_folders_in_it() {
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
fn sections_own_together_and_give_their_lines_default_owners() {
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
fn the_first_place_counts() {
    let read = |path: &str| match path {
        "CODEOWNERS" => Ok(Some("* @root".to_owned())),
        "docs/CODEOWNERS" => Ok(Some("* @docs".to_owned())),
        _ => Ok(None),
    };
    assert_eq!(Project::read_manifests(&[], &read).owners.owners_of_file("a.c"), ["@root"]);
}

#[test]
fn any_text_is_read_without_a_panic() {
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
fn the_fingerprint_of_the_owners_is_their_own() {
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
    assert_eq!(one.fingerprint(), other.fingerprint(), "resolution reads none of it but the file's own");
}

#[test]
fn rules_over_the_budget_of_patterns_are_named_and_the_others_count() {
    let text = (0..2_000).map(|n| format!("{}{n} @team\n", "*a".repeat(100))).collect::<Vec<_>>().concat();
    let project = Project::read_manifests(&[], &|path| Ok((path == "CODEOWNERS").then(|| text.clone())));
    assert_eq!(project.owners.owners_of_file(&format!("{}7", "xa".repeat(100))), ["@team"]);
    let [issue] = &project.issues[..] else { panic!("{:?}", project.issues) };
    assert!(issue.message.starts_with("the patterns from rule 163 on are ignored: "), "{}", issue.message);
}
