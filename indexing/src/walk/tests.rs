//! Tests of walks over small temporary folders.
#![allow(clippy::needless_raw_string_hashes, reason = "expect_test writes them")]

use super::*;
use expect_test::{Expect, expect};

/// Writes the `//- path` sections of a fixture as files to a new folder.
fn write_fixture(fixture: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let mut current: Option<PathBuf> = None;
    for line in fixture.lines() {
        let line = line.trim_start();
        if let Some(path) = line.strip_prefix("//- ") {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, "").unwrap();
            current = Some(path);
        } else if let Some(path) = &current {
            let text = std::fs::read_to_string(path).unwrap();
            std::fs::write(path, format!("{text}{line}\n")).unwrap();
        }
    }
    folder
}

fn render_walk(walk: &WalkResult) -> String {
    let files = walk.files.iter().map(|file| match file.derived {
        Some(reason) => format!("{} ({})\n", file.path, reason.as_str()),
        None => format!("{}\n", file.path),
    });
    let skipped = walk.skipped.iter().map(|file| format!("- {}: {}\n", file.path, file.reason.as_str()));
    files.chain(skipped).collect()
}

fn check_walk(fixture: &str, expected: Expect) {
    let folder = write_fixture(fixture);
    let candidate = |path: &str| [".go", ".js"].iter().any(|e| path.ends_with(e));
    let walk = walk_tree(folder.path(), &WalkOptions::new(&candidate)).unwrap();
    expected.assert_eq(&render_walk(&walk));
}

#[test]
fn files_without_extension_are_accepted_by_their_first_line() {
    let folder = write_fixture(
        "//- .gitignore
         /out
         //- a.go
         //- bin/tool
         #!/usr/bin/env lang
         //- bin/other
         #!/bin/sh
         //- bin/late
         text
         #!/usr/bin/env lang
         //- bin/empty
         //- bin/tool.sh
         #!/usr/bin/env lang
         //- out
         #!/usr/bin/env lang",
    );
    let (candidate, script) = (
        |path: &str| path == "a.go",
        |_: &str, text: &[u8]| text.starts_with(b"#!") && text.ends_with(b" lang\n"),
    );
    let mut options = WalkOptions::new(&candidate);
    options.first_bytes = Some(&script);
    expect![[r#"
        a.go
        bin/tool
    "#]]
    .assert_eq(&render_walk(&walk_tree(folder.path(), &options).unwrap()));
    let accepted = ["bin/tool", "bin/other", "bin/tool.sh", "out", "bin/new", "bin/new.sh"];
    let accepted = accepted.map(|path| accepts_path(folder.path(), &options, path));
    assert_eq!(
        accepted,
        [true, false, false, false, true, false],
        "a missing file without an extension may become a script"
    );
    options.first_bytes = None;
    assert_eq!(render_walk(&walk_tree(folder.path(), &options).unwrap()), "a.go\n");
}

#[test]
fn files_of_unknown_kinds_are_counted_by_extension() {
    let folder = write_fixture(
        "//- .gitignore
         out.jl
         //- a.go
         //- b.jl
         //- c/d.JL
         //- e.f90
         //- README
         //- out.jl",
    );
    let candidate = |path: &str| path == "a.go";
    let walk = walk_tree(folder.path(), &WalkOptions::new(&candidate)).unwrap();
    let expected = [("jl", 2), ("f90", 1)].map(|(extension, count)| (extension.to_owned(), count));
    assert_eq!(walk.other_extensions, expected.into_iter().collect());
}

#[test]
fn ignored_files_hidden_files_and_other_kinds_are_left_out() {
    check_walk(
        "//- .gitignore
         /out/
         *.gen.go
         //- .hidden/a.go
         //- a.go
         //- b.txt
         //- out/c.go
         //- build/d.go
         //- target/e.go
         //- sub/x.gen.go
         //- sub/.ignore
         y.go
         //- sub/y.go
         //- sub/z.go",
        expect![[r#"
            a.go
            build/d.go
            sub/z.go
            target/e.go
        "#]],
    );
}

#[test]
fn nested_repositories_are_part_of_the_workspace() {
    check_walk(
        "//- .git/HEAD
         ref: refs/heads/main
         //- a.go
         //- inner/.git/HEAD
         ref: refs/heads/main
         //- inner/b.go
         //- module/.git
         gitdir: ../.git/modules/module
         //- module/c.go",
        expect![[r#"
            a.go
            inner/b.go
            module/c.go
        "#]],
    );
}

#[test]
fn derived_files_are_marked_and_the_nearest_attribute_decides() {
    check_walk(
        "//- .gitattributes
         gen/** linguist-generated=true
         \"lib/a b.js\" linguist-vendored
         third_party/** linguist-vendored
         *.js text
         //- gen/a.go
         //- gen/keep/.gitattributes
         *.go -linguist-generated
         //- gen/keep/b.go
         //- lib/a b.js
         //- third_party/c.js
         //- dist/mapped.js
         //- dist/mapped.js.map
         //- dist/written.js
         //- vendor/tracked.js
         //- go/vendor/modules.txt
         //- go/vendor/x/d.go
         //- myvendor/e.go",
        expect![[r#"
            dist/mapped.js (built)
            dist/written.js
            gen/a.go (generated)
            gen/keep/b.go
            lib/a b.js (vendored)
            myvendor/e.go
            third_party/c.js (vendored)
            vendor/tracked.js
            - go/vendor/x/d.go: vendored
        "#]],
    );
}

#[test]
fn large_and_excluded_files_are_left_out() {
    let folder = write_fixture("//- a.go\npackage a\n//- b.go\n//- c/d.go");
    let candidate = |_: &str| true;
    let mut options = WalkOptions::new(&candidate);
    options.max_file_bytes = 3;
    options.exclude = vec!["/c".to_owned()];
    assert_eq!(render_walk(&walk_tree(folder.path(), &options).unwrap()), "b.go\n- a.go: too_large\n");
    options.exclude = vec!["a{".to_owned()];
    assert!(walk_tree(folder.path(), &options).unwrap_err().to_string().contains("exclude pattern"));
}

#[cfg(unix)]
#[test]
fn links_are_not_followed_so_loops_end() {
    let folder = write_fixture("//- a/b.go\n//- notes.txt");
    std::os::unix::fs::symlink(folder.path(), folder.path().join("a/loop")).unwrap();
    std::os::unix::fs::symlink("/", folder.path().join("outside")).unwrap();
    std::os::unix::fs::symlink("b.go", folder.path().join("a/c.go")).unwrap();
    std::os::unix::fs::symlink("../notes.txt", folder.path().join("a/notes.txt")).unwrap();
    std::os::unix::fs::symlink("nowhere.go", folder.path().join("dangling.go")).unwrap();
    let socket = std::os::unix::net::UnixListener::bind(folder.path().join("socket.go")).unwrap();
    let walk = walk_tree(folder.path(), &WalkOptions::new(&|path| path.contains(".go"))).unwrap();
    drop(socket);
    let expected = "a/b.go
- a/c.go: symbolic_link
- a/loop: symbolic_link
- dangling.go: symbolic_link
- outside: symbolic_link
- socket.go: not_a_file
";
    assert_eq!(render_walk(&walk), expected);
    assert_eq!((walk.files[0].size, walk.files[0].mtime_ns > 0), (0, true));
}

#[cfg(target_os = "linux")]
#[test]
fn a_path_that_is_not_utf8_is_reported() {
    use std::os::unix::ffi::OsStrExt;
    let folder = write_fixture("//- a.go");
    std::fs::write(folder.path().join(std::ffi::OsStr::from_bytes(b"\xff.go")), "").unwrap();
    let walk = walk_tree(folder.path(), &WalkOptions::new(&|_| true)).unwrap();
    assert_eq!(render_walk(&walk), "a.go\n- \u{fffd}.go: not_utf8_path\n");
}

#[test]
fn the_error_about_a_bad_root_is_one_sentence() {
    let folder = write_fixture("//- a.go");
    let options = WalkOptions::new(&|_| true);
    let missing = walk_tree(&folder.path().join("no"), &options).unwrap_err();
    let file = walk_tree(&folder.path().join("a.go"), &options).unwrap_err();
    assert!(missing.to_string().starts_with("the folder "), "{missing}");
    assert!(file.to_string().ends_with("is a file: pass the folder of the workspace"), "{file}");
}

fn content_reason(path: &str, text: &str) -> Option<&'static str> {
    content_skip_reason(path, text.as_bytes(), &WalkOptions::new(&|_| true)).map(|reason| reason.as_str())
}

#[test]
fn binary_and_minified_content_is_recognized() {
    let long = format!("var a={};\n", "x".repeat(300)).repeat(20);
    let data = format!("{}const table = \"{}\";\n", "let x = 1;\n".repeat(9000), "A".repeat(21_000));
    let prose =
        format!("const text = \"{}\";\n{}", "some words here ".repeat(1400), "let x = 1;\n".repeat(9000));
    assert_eq!(content_reason("a.js", "a\0b"), Some("binary"));
    assert_eq!(content_reason("a.min.js", "a"), Some("minified"));
    assert_eq!(content_reason("a.js", &long), Some("minified"));
    assert_eq!(content_reason("a.md", &long), None);
    assert_eq!(content_reason("a.js", &data), Some("minified"));
    assert_eq!(content_reason("a.js", &prose), None);
    assert_eq!(content_reason("a.js", &"x".repeat(4000)), None);
    assert_eq!(content_reason("a.js", ""), None);
}

/// Returns a function that returns pseudo-random numbers below a bound (Knuth's MMIX generator).
fn random_numbers(mut seed: u64) -> impl FnMut(usize) -> usize {
    move |bound| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize % bound
    }
}

#[test]
fn a_missing_path_is_accepted_if_the_walk_would_find_the_file() {
    const RULES: &[&str] = &[
        "*.py",
        "!keep.py",
        "build/",
        "/a",
        "a/b.py",
        "**/x",
        "out",
        "!out/keep.py",
        "a/**",
        "b",
        "!b/",
        "*.go",
        "!/a/x.go",
        "#",
        "a/x*",
        "x/",
    ];
    const PATHS: &[&str] = &[
        "keep.py",
        "x.go",
        "a/b.py",
        "a/x.go",
        "a/b/keep.py",
        "build/x.py",
        "out/keep.py",
        "b/x/y.go",
        "a/x/y/z.py",
    ];
    let mut random = random_numbers(9);
    let candidate = |path: &str| matches!(path.rsplit_once('.'), Some((_, "py" | "go")));
    for round in 0..150 {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap().join("outer/work");
        std::fs::create_dir_all(&root).unwrap();
        if round % 2 == 0 {
            std::fs::create_dir_all(root.join(".git/info")).unwrap();
            std::fs::write(root.join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
            std::fs::create_dir_all(root.join(".git/objects")).unwrap();
            std::fs::create_dir_all(root.join(".git/refs")).unwrap();
        }
        let mut rule_files = String::new();
        for file in [
            "../.ignore",
            "../.gitignore",
            ".gitignore",
            ".ignore",
            "a/.gitignore",
            "b/.ignore",
            ".git/info/exclude",
        ] {
            if random(3) > 0 || (file.starts_with(".git/") && round % 2 == 1) {
                continue;
            }
            let rules: Vec<&str> = (0..=random(3)).map(|_| RULES[random(RULES.len())]).collect();
            let text = rules.join("\n");
            rule_files.extend([file, ": ", &text.replace('\n', " | "), "\n"]);
            let file = root.join(file);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, text).unwrap();
        }
        let mut options = WalkOptions::new(&candidate);
        if random(4) == 0 {
            options.exclude = vec!["/a/x/".to_owned()];
        }
        for path in PATHS {
            let accepted = accepts_path(&root, &options, path);
            let file = root.join(path);
            let existed: Vec<_> =
                file.ancestors().skip(1).filter(|folder| folder.exists()).map(Path::to_owned).collect();
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(&file, "x = 1\n").unwrap();
            let walked = walk_tree(&root, &options).unwrap().files.iter().any(|f| f.path == *path);
            assert_eq!(accepted, walked, "round {round}, {path} without a file:\n{rule_files}");
            assert_eq!(
                accepts_path(&root, &options, path),
                walked,
                "round {round}, {path} with a file:\n{rule_files}"
            );
            std::fs::remove_file(&file).unwrap();
            for folder in file.ancestors().skip(1).filter(|folder| !existed.iter().any(|e| e == folder)) {
                std::fs::remove_dir(folder).unwrap();
            }
        }
    }
}

/// Returns the files that the walker of the crate `ignore` finds by the same rules. It reads ignore
/// files without limits.
fn files_found_by_library(root: &Path, excludes: &[String]) -> Vec<String> {
    let mut overrides = ignore::overrides::OverrideBuilder::new(root);
    for pattern in excludes {
        overrides.add(&format!("!{pattern}")).unwrap();
    }
    let in_repository = root.ancestors().any(|folder| folder.join(".git").exists());
    let mut builder = ignore::WalkBuilder::new(root);
    builder.require_git(in_repository).overrides(overrides.build().unwrap());
    let files =
        builder.build().flatten().filter(|entry| entry.file_type().is_some_and(|kind| kind.is_file()));
    let mut files: Vec<String> = files
        .map(|entry| with_slashes(&entry.path().strip_prefix(root).unwrap().to_string_lossy()))
        .collect();
    files.sort();
    files
}

#[test]
fn the_walk_finds_the_same_files_as_the_ignore_library() {
    const RULES: &[&str] = &[
        "*.py",
        "!keep.py",
        "build/",
        "/a",
        "a/b.py",
        "**/x",
        "out",
        "a/**",
        "!b/",
        "*.go",
        "/x*",
        "a/*/c",
        "!.hidden",
        ".h*",
        "[ab].py",
        "\\!odd",
        "x y",
        "c/ ",
        "#no",
        "",
        "*.{py,go}",
        "deep/**/z.go",
        "!*/",
        "*",
    ];
    const FILES: &[&str] = &[
        "keep.py",
        "x.go",
        "a/b.py",
        "a/x.go",
        "a/b/keep.py",
        "build/x.py",
        "out/keep.py",
        "b/x/y.go",
        ".hidden/a.py",
        ".h.py",
        "deep/1/2/z.go",
        "sub/a.py",
        "sub/x/b.py",
        "sub/.hidden/c.py",
        "!odd",
        "x y",
        "c/d.py",
        "tree/a.py",
    ];
    const IGNORE_FILES: &[&str] = &[
        "../.ignore",
        "../.gitignore",
        ".gitignore",
        ".ignore",
        "a/.gitignore",
        "a/b/.ignore",
        "sub/.gitignore",
        "sub/.ignore",
        ".git/info/exclude",
        "sub/.git/info/exclude",
        "deep/1/.gitignore",
        "c/.gitignore",
        "modules/tree/info/exclude",
    ];
    let mut random = random_numbers(28);
    for round in 0..400 {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap().join("outer/work");
        let write = |path: &str, text: &str| {
            let path = root.join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        for path in FILES {
            write(path, "x\n");
        }
        let (outer, nested) = (random(3) > 0, random(2) > 0);
        if outer {
            write(".git/HEAD", "ref: refs/heads/main\n");
            // A working tree whose repository is in another folder.
            write("tree/.git", &format!("gitdir: {}\n", root.join("modules/tree").display()));
            write("modules/tree/commondir", "../tree\n");
        }
        if nested {
            write("sub/.git/HEAD", "ref: refs/heads/main\n");
        }
        let mut rule_files = format!("repository {outer}, nested {nested}\n");
        for file in IGNORE_FILES {
            let absent = (file.starts_with(".git/") && !outer) || (file.starts_with("sub/.git/") && !nested);
            if absent || random(3) > 0 {
                continue;
            }
            let rules: Vec<&str> = (0..=random(4)).map(|_| RULES[random(RULES.len())]).collect();
            let text =
                ["", "\u{feff}"][random(8) / 7].to_owned() + &rules.join(["\n", "\r\n"][random(4) / 3]);
            rule_files.extend([file, ": ", &text.escape_debug().to_string(), "\n"]);
            write(file, &text);
        }
        let mut options = WalkOptions::new(&|_| true);
        if random(3) == 0 {
            options.exclude = vec![["/a/b/", "*.go", "#no", "sub"][random(4)].to_owned()];
        }
        let found = walk_tree(&root, &options).unwrap();
        let found: Vec<String> = found.files.into_iter().map(|file| file.path).collect();
        assert_eq!(found, files_found_by_library(&root, &options.exclude), "round {round}:\n{rule_files}");
    }
}

#[cfg(unix)]
#[test]
fn irregular_pattern_files_are_reported_and_the_others_apply() {
    let outside = write_fixture("//- patterns\n*.js");
    let folder = write_fixture(
        "//- .gitignore\n/left.js\n//- left.js\n//- a/x.js\n//- b/x.js\n//- c/x.js\n//- d/x.js\n//- d/patterns\n*.js\n//- e/x.js\n//- f/x.js\n//- g/x.js",
    );
    let path = |name: &str| folder.path().join(name);
    let link = |to: &str, name: &str| std::os::unix::fs::symlink(to, path(name)).unwrap();
    link("/dev/zero", "a/.gitignore");
    link("../.gitignore", "a/.gitattributes");
    link("/dev/zero", "b/.ignore");
    link("patterns", "d/.ignore");
    link(outside.path().join("patterns").to_str().unwrap(), "e/.ignore");
    for pipe in ["c/.gitignore", "c/.gitattributes"] {
        assert!(std::process::Command::new("mkfifo").arg(path(pipe)).status().unwrap().success());
    }
    std::fs::create_dir(path("f/.gitignore")).unwrap();
    std::fs::File::create(path("g/.gitignore")).unwrap().set_len(5 << 20).unwrap();
    let walk = walk_tree(folder.path(), &WalkOptions::new(&|path| path.contains(".js"))).unwrap();
    assert_eq!(render_walk(&walk), "a/x.js\nb/x.js\nc/x.js\ne/x.js\nf/x.js\ng/x.js\n");
    let problems = walk.problems.iter().map(|problem| format!("{problem}\n")).collect::<Vec<_>>().concat();
    expect![[r#"
        a/.gitattributes: is a symbolic link, which Kenning does not follow here; its attributes are ignored
        a/.gitignore: is a symbolic link, which Kenning does not follow here; its patterns are ignored
        b/.ignore: is a symbolic link that leads out of the workspace; its patterns are ignored
        c/.gitattributes: is a pipe, a socket or a device; its attributes are ignored
        c/.gitignore: is a pipe, a socket or a device; its patterns are ignored
        e/.ignore: is a symbolic link that leads out of the workspace; its patterns are ignored
        g/.gitignore: is larger than 4 MiB; its patterns are ignored
    "#]]
    .assert_eq(&problems);
}

#[test]
fn patterns_over_the_budget_are_reported_and_sibling_folders_share_no_budget() {
    let many = (0..500)
        .map(|n| format!("{}{n}.js linguist-vendored\n", "*b".repeat(90)))
        .collect::<Vec<_>>()
        .concat();
    let folder = write_fixture(
        "//- .gitignore\n/left.js\n//- left.js\n//- a/x.js\n//- b/x.js\n//- b/y.js\n//- c-d/x.js",
    );
    std::fs::write(folder.path().join("a/.gitattributes"), &many).unwrap();
    std::fs::write(folder.path().join("b/.gitattributes"), "x*.js linguist-generated\n").unwrap();
    std::fs::write(folder.path().join("b/.gitignore"), many.replace(" linguist-vendored", "") + "y.js\n")
        .unwrap();
    let walk = walk_tree(folder.path(), &WalkOptions::new(&|path| path.contains(".js"))).unwrap();
    assert_eq!(render_walk(&walk), "a/x.js\nb/x.js (generated)\nb/y.js\nc-d/x.js\n");
    let found: Vec<String> = walk.problems.iter().map(ToString::to_string).collect();
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(
        found[0].starts_with("a/.gitattributes: the patterns from line 353 on are ignored: "),
        "{found:?}"
    );
    assert!(found[1].starts_with("b/.gitignore: the patterns from line 353 on are ignored: "), "{found:?}");
    assert!(found.iter().all(|problem| problem.len() < 300));
    assert!(accepts_path(folder.path(), &WalkOptions::new(&|_| true), "b/y.js"));
}

#[test]
fn listed_hidden_paths_are_walked_and_every_query_agrees() {
    let folder = write_fixture(
        "//- .gitignore
         .env.local
         !.config
         //- .env
         //- .env.local
         //- .envrc
         //- .github/CODEOWNERS.yml
         //- .github/scripts/a.yml
         //- .github/workflows/ci.yml
         //- .github/workflows/.b.yml
         //- .gitlab-ci.yml
         //- .gitlab/c.yml
         //- .gitlab/ci/deep/d.yml
         //- .config/tool/e.yml
         //- .config/.f.yml
         //- .cache/g.yml
         //- module/.github/actions/h/action.yml
         //- module/.env.test",
    );
    let candidate = |path: &str| path.contains(".yml") || path.contains(".env");
    let options = WalkOptions::new(&candidate);
    let walk = walk_tree(folder.path(), &options).unwrap();
    expect![[r#"
        .config/tool/e.yml
        .env
        .github/workflows/ci.yml
        .gitlab-ci.yml
        .gitlab/ci/deep/d.yml
        module/.env.test
        module/.github/actions/h/action.yml
    "#]]
    .assert_eq(&render_walk(&walk));
    let root = folder.path().canonicalize().unwrap();
    let folders = walked_folders(&root, &options, &root).unwrap();
    let relative = folders.iter().map(|path| path.strip_prefix(&root).unwrap().display().to_string() + "\n");
    expect![[r#"

        .config
        .config/tool
        .github
        .github/workflows
        .gitlab
        .gitlab/ci
        .gitlab/ci/deep
        module
        module/.github
        module/.github/actions
        module/.github/actions/h
    "#]]
    .assert_eq(&relative.collect::<String>());
    let all = [
        ".env",
        ".env.local",
        ".envrc",
        ".github/CODEOWNERS.yml",
        ".github/scripts/a.yml",
        ".github/workflows/ci.yml",
        ".github/workflows/.b.yml",
        ".gitlab-ci.yml",
        ".gitlab/c.yml",
        ".gitlab/ci/deep/d.yml",
        ".config/tool/e.yml",
        ".config/.f.yml",
        ".cache/g.yml",
        "module/.github/actions/h/action.yml",
        "module/.env.test",
    ];
    for path in all {
        let is_walked = walk.files.iter().any(|file| file.path == path);
        assert_eq!(accepts_path(folder.path(), &options, path), is_walked, "{path}");
        // The rules for a file that does not exist yet are the same.
        std::fs::remove_file(folder.path().join(path)).unwrap();
        assert_eq!(accepts_path(folder.path(), &options, path), is_walked, "missing {path}");
    }
    for missing in [".gitlab/ci/new/x.yml", "new/.github/workflows/x.yml"] {
        assert!(accepts_path(folder.path(), &options, missing), "{missing}");
    }
    assert!(!accepts_path(folder.path(), &options, "new/.github/x.yml"));
}

#[test]
fn files_of_every_kind_are_listed() {
    let folder = write_fixture(
        "//- .gitignore
         out/
         //- a.go
         //- docs/guide.txt
         //- out/x.bin
         //- .hidden/y
         //- vendor/z.json",
    );
    let list = |exclude: &[&str]| {
        let exclude: Vec<String> = exclude.iter().map(|&pattern| pattern.to_owned()).collect();
        list_files(folder.path(), &exclude).unwrap()
    };
    assert_eq!(list(&[]), ["a.go", "docs/guide.txt", "vendor/z.json"]);
    assert_eq!(list(&["vendor"]), ["a.go", "docs/guide.txt"]);
    assert!(list_files(&folder.path().join("missing"), &[]).is_err());
}
