//! Tests the answers of real language servers about every reference of small workspaces. The
//! expected texts follow the rules of the languages. If a server deviates from the rules, the text
//! notes the deviation.
//!
//! `scripts/test-servers` runs these tests: it installs the servers and names their folders in
//! `KENNING_SERVERS`.
#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

mod answer_text;
mod hostile;
mod installed;

use expect_test::{ExpectFile, expect_file};
use hostile::{c_php_shell, plants};
use installed::InstalledFixture;
use std::fmt::Write;
use std::path::Path;

/// Runs one server on a fixture workspace, compares all results, and runs it again: the second run
/// must not repeat a question.
fn check(fixture: &InstalledFixture, server: &str, expected: &ExpectFile) {
    let report = fixture.enrich(&["--server", server]);
    let mut text = answer_text::render_counts(&report);
    let workspace = fixture.open_workspace();
    let _ = write!(text, "\n{}", answer_text::render_answers(&workspace));
    let _ = write!(text, "\n{}", answer_text::render_edges(&workspace.current_snapshot()));
    drop(workspace);
    show_difference(expected, &text);
    expected.assert_eq(&text);
    let again = fixture.enrich(&["--server", server]);
    let repeated = answer_text::compare_reports(&report, &again);
    assert_eq!(repeated, Vec::<String>::new(), "the second run repeats questions of the first one");
}

/// Prints the lines in which a text differs from the expected one, before the whole texts are
/// printed, because reports keep only the beginning of a long output.
fn show_difference(expected: &ExpectFile, text: &str) {
    let folder = Path::new(file!()).parent().unwrap();
    let known = std::fs::read_to_string(
        Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(folder).join(&expected.path),
    );
    let known = known.unwrap_or_default();
    let (expected_lines, actual_lines): (Vec<&str>, Vec<&str>) =
        (known.lines().collect(), text.lines().collect());
    for line in expected_lines.iter().filter(|line| !actual_lines.contains(line)) {
        println!("expected: {line}");
    }
    for line in actual_lines.iter().filter(|line| !expected_lines.contains(line)) {
        println!("actual:   {line}");
    }
}

#[test]
fn gopls_on_two_modules_with_interfaces_embedding_and_generics() {
    check(&InstalledFixture::copy_of("go"), "gopls", &expect_file!["../servers/expected/gopls.txt"]);
}

#[test]
fn pyright_on_a_package_with_inheritance_decorators_re_exports_and_a_virtual_environment() {
    let fixture = InstalledFixture::copy_of("python");
    let ran = fixture.create_virtual_environment();
    check(&fixture, "pyright", &expect_file!["../servers/expected/pyright.txt"]);
    assert!(!ran.exists(), "the interpreter of a workspace that is not trusted ran");
}

#[test]
#[ignore = "scripts/test-servers --all installs basedpyright"]
fn basedpyright_on_the_same_package() {
    let fixture = InstalledFixture::copy_of("python");
    let ran = fixture.create_virtual_environment();
    check(&fixture, "basedpyright", &expect_file!["../servers/expected/basedpyright.txt"]);
    assert!(!ran.exists(), "the interpreter of a workspace that is not trusted ran");
}

#[test]
#[ignore = "scripts/test-servers --all installs ty"]
fn ty_on_the_same_package() {
    let fixture = InstalledFixture::copy_of("python");
    fixture.create_virtual_environment();
    check(&fixture, "ty", &expect_file!["../servers/expected/ty.txt"]);
}

#[test]
#[ignore = "scripts/test-servers --all installs rust-analyzer"]
fn rust_analyzer_on_two_crates_with_traits_generics_closures_and_a_macro() {
    check(
        &InstalledFixture::copy_of("rust"),
        "rust-analyzer",
        &expect_file!["../servers/expected/rust-analyzer.txt"],
    );
}

#[test]
fn typescript_language_server_on_path_aliases_re_exports_interfaces_and_overloads() {
    let fixture = InstalledFixture::copy_of("typescript");
    check(&fixture, "typescript-language-server", &expect_file!["../servers/expected/typescript.txt"]);
}

#[test]
fn clangd_on_headers_overloads_and_templates() {
    check(&InstalledFixture::copy_of("c"), "clangd", &expect_file!["../servers/expected/clangd.txt"]);
}

#[test]
fn clangd_refutes_nothing_if_it_does_not_find_the_headers() {
    let fixture = InstalledFixture::copy_of("c");
    std::fs::remove_file(fixture.root().join("compile_flags.txt")).unwrap();
    fixture.enrich(&["--server", "clangd"]);
    let edges = answer_text::render_edges(&fixture.open_workspace().current_snapshot());
    let (_, refuted) = edges.split_once("edges of the text that are refuted\n").unwrap();
    assert_eq!(refuted.lines().count(), 1, "only the counts follow: {refuted}");
}

#[test]
fn intelephense_on_namespaces_traits_aliases_and_chains() {
    let fixture = InstalledFixture::copy_of("php");
    check(&fixture, "intelephense", &expect_file!["../servers/expected/intelephense.txt"]);
}

#[test]
fn bash_language_server_on_sourced_functions() {
    let fixture = InstalledFixture::copy_of("bash");
    check(&fixture, "bash-language-server", &expect_file!["../servers/expected/bash.txt"]);
}

#[test]
fn no_code_of_an_untrusted_workspace_runs_while_its_servers_answer() {
    hostile::check(&[
        ("cargo configuration", "rust-analyzer", plants::cargo_configuration),
        ("cargo compiler", "rust-analyzer", plants::cargo_compiler),
        ("cargo flags", "rust-analyzer", plants::cargo_flags),
        ("cargo variables", "rust-analyzer", plants::cargo_variables),
        ("toolchain in a folder", "rust-analyzer", plants::toolchain_folder),
        ("toolchain to download", "rust-analyzer", plants::toolchain_download),
        ("build script and macro", "rust-analyzer", plants::rust_code),
        ("Go", "gopls", plants::go),
        ("git configuration", "gopls", plants::git),
        ("Python", "pyright", plants::python),
        ("TypeScript", "typescript-language-server", plants::typescript),
        ("C", "clangd", c_php_shell::c),
        ("PHP", "intelephense", c_php_shell::php),
        ("shell", "bash-language-server", c_php_shell::shell),
    ]);
}

#[test]
#[ignore = "scripts/test-servers --all installs the servers"]
fn no_code_of_an_untrusted_workspace_runs_with_other_servers() {
    hostile::check_enrich(&[
        ("Python", "basedpyright", plants::python),
        ("Python", "ty", plants::python),
        ("TypeScript", "vtsls", plants::typescript),
    ]);
}
