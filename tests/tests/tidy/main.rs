//! The rules of the code base, checked on the sources: allowed dependencies and words, sizes,
//! left-overs.
//!
//! Every finding names file and line and says how to fix it. The unit tests of each module use
//! made-up sources to show that every check can fail.

mod licences;
mod names;
mod opened_files;
mod packages;
mod rules;
mod rust_text;
mod security;
mod tree;

use std::fmt;

/// A violation of a rule.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Finding {
    file: String,
    /// Line number, from 1.
    line: usize,
    what: String,
    mend: &'static str,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}. {}", self.file, self.line, self.what, self.mend)
    }
}

fn assert_none(mut findings: Vec<Finding>) {
    findings.sort();
    let lines: Vec<String> = findings.iter().map(ToString::to_string).collect();
    assert!(findings.is_empty(), "\n{}\n", lines.join("\n"));
}

#[test]
fn crates_depend_only_on_what_the_architecture_allows() {
    let metadata = cargo_metadata::MetadataCommand::new()
        .manifest_path(tree::root().join("Cargo.toml"))
        .no_deps()
        .other_options(["--offline".to_owned()])
        .exec()
        .expect("cargo metadata of this workspace");
    let dependencies = packages::read(&metadata);
    assert!(dependencies.len() > 40, "the workspace has more dependencies than {}", dependencies.len());
    assert_none(packages::check(&dependencies));
}

#[test]
fn every_crate_has_an_allowed_licence() {
    let deny = std::fs::read_to_string(tree::root().join("deny.toml")).expect("deny.toml");
    // Only the crates for this platform are certain to have been fetched.
    let metadata = cargo_metadata::MetadataCommand::new()
        .manifest_path(tree::root().join("Cargo.toml"))
        .other_options(["--locked".to_owned(), "--filter-platform".to_owned(), host()])
        .exec()
        .expect("cargo metadata of this workspace and its dependencies");
    assert!(metadata.packages.len() > 100, "the tree has more than {} crates", metadata.packages.len());
    assert_none(licences::check(&metadata, &licences::allowed(&deny)));
}

/// Returns the platform that cargo builds for.
fn host() -> String {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = std::process::Command::new(rustc).arg("-vV").output().expect("rustc says its version");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.lines().find_map(|line| line.strip_prefix("host: ")).expect("rustc names its host").to_owned()
}

#[test]
fn sources_keep_the_rules() {
    let sources = tree::rust_sources();
    assert!(sources.len() > 10, "only {} sources found", sources.len());
    assert_none(sources.iter().flat_map(rules::check_source).collect());
}

#[test]
fn names_explain_themselves() {
    let sources = tree::rust_sources();
    for crate_folder in names::CRATES {
        let (counts, findings) = names::check_crate(&names::product_sources(&sources, crate_folder));
        assert!(counts.functions > 100, "{crate_folder}: only {} functions found", counts.functions);
        println!("{crate_folder}: {counts:?}");
        assert_none(findings.into_iter().chain(names::check_counts(crate_folder, &counts)).collect());
    }
}

#[test]
fn what_the_security_page_claims_is_checked_by_tests_that_exist() {
    let texts = tree::texts();
    let page = texts.iter().find(|text| text.path == "SECURITY.md").expect("SECURITY.md");
    assert!(security::named_tests(&page.text).len() > 10, "the page names its tests");
    assert_none(security::check(&page.text, &security::functions(&texts)));
}

#[test]
fn files_of_a_workspace_are_opened_in_one_place() {
    let sources = tree::rust_sources();
    assert_none(sources.iter().flat_map(opened_files::check).collect());
    assert_none(opened_files::stale(&sources));
}

#[test]
fn no_committed_text_names_a_folder_of_a_machine() {
    let texts = tree::texts();
    assert!(texts.iter().any(|text| text.path == "Cargo.toml"));
    assert_none(texts.iter().flat_map(rules::machine_paths).collect());
}
