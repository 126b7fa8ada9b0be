//! Checks the sources against the rules of the code base: dependencies between crates, licenses,
//! sizes, names, reserved words, leftovers, files that are opened or removed, what is printed, and
//! machine paths.
//!
//! Each module has one group of rules. It takes the texts of the checkout ([`checkout`]) or cargo's
//! metadata and returns [`Finding`]s with file, line and advice. A test here asserts that there are
//! none. The unit tests of each module use made-up sources to show that every check can fail.

mod checkout;
mod licenses;
mod names;
mod opened_files;
mod packages;
mod removed_files;
mod reviewed_calls;
mod rules;
mod rust_text;
mod security;
mod terminal_output;

use opened_files::OPENED_FILES;
use removed_files::REMOVED_FILES;
use std::fmt;

/// A violation of a rule.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Finding {
    file: String,
    /// Line number, from 1.
    line: usize,
    problem: String,
    /// The advice on how to fix the problem.
    advice: &'static str,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}. {}", self.file, self.line, self.problem, self.advice)
    }
}

fn assert_no_findings(mut findings: Vec<Finding>) {
    findings.sort();
    let lines: Vec<String> = findings.iter().map(ToString::to_string).collect();
    assert!(findings.is_empty(), "\n{}\n", lines.join("\n"));
}

#[test]
fn crates_depend_only_on_what_the_architecture_allows() {
    let metadata = cargo_metadata::MetadataCommand::new()
        .manifest_path(checkout::root().join("Cargo.toml"))
        .no_deps()
        .other_options(["--offline".to_owned()])
        .exec()
        .expect("cargo reads the metadata of this workspace");
    let dependencies = packages::read_dependencies(&metadata);
    assert!(dependencies.len() > 40, "the workspace has more dependencies than {}", dependencies.len());
    assert_no_findings(packages::check(&dependencies));
}

#[test]
fn every_crate_has_an_allowed_license() {
    let deny = std::fs::read_to_string(checkout::root().join("deny.toml")).expect("deny.toml is readable");
    // Cargo may not have fetched the crates for other platforms.
    let metadata = cargo_metadata::MetadataCommand::new()
        .manifest_path(checkout::root().join("Cargo.toml"))
        .other_options(["--locked".to_owned(), "--filter-platform".to_owned(), host_platform()])
        .exec()
        .expect("cargo reads the metadata of this workspace and its dependencies");
    assert!(metadata.packages.len() > 100, "the tree has more than {} crates", metadata.packages.len());
    assert_no_findings(licenses::check(&metadata, &licenses::parse_allowed_licenses(&deny)));
}

/// Returns the platform that cargo builds for.
fn host_platform() -> String {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = std::process::Command::new(rustc).arg("-vV").output().expect("rustc prints its version");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.lines().find_map(|line| line.strip_prefix("host: ")).expect("rustc prints its host").to_owned()
}

#[test]
fn sources_follow_the_rules() {
    let sources = checkout::rust_sources();
    assert!(sources.len() > 10, "only {} sources found", sources.len());
    assert_no_findings(sources.iter().flat_map(rules::check_source).collect());
}

#[test]
fn names_are_specific_and_unique() {
    let sources = checkout::rust_sources();
    for crate_folder in names::CRATES {
        let (counts, findings) = names::check_crate(&names::product_sources(&sources, crate_folder));
        assert!(counts.functions > 100, "{crate_folder}: only {} functions found", counts.functions);
        println!("{crate_folder}: {counts:?}");
        assert_no_findings(findings.into_iter().chain(names::check_counts(crate_folder, &counts)).collect());
    }
}

#[test]
fn every_test_that_the_security_page_names_exists() {
    let texts = checkout::text_files();
    let page = texts.iter().find(|text| text.path == "SECURITY.md").expect("SECURITY.md exists");
    assert!(security::named_tests(&page.text).len() > 10, "the page names its tests");
    assert_no_findings(security::check(&page.text, &security::function_names(&texts)));
}

#[test]
fn files_of_a_workspace_are_opened_in_one_place() {
    let sources = checkout::rust_sources();
    assert_no_findings(sources.iter().flat_map(|source| OPENED_FILES.check_calls(source)).collect());
    assert_no_findings(OPENED_FILES.check_list(&sources));
}

#[test]
fn files_are_removed_only_where_it_is_known_whose_they_are() {
    let sources = checkout::rust_sources();
    assert_no_findings(sources.iter().flat_map(|source| REMOVED_FILES.check_calls(source)).collect());
    assert_no_findings(REMOVED_FILES.check_list(&sources));
}

#[test]
fn standard_output_and_error_are_written_in_one_place() {
    let sources = checkout::rust_sources();
    assert_no_findings(sources.iter().flat_map(terminal_output::check_printing).collect());
    assert_no_findings(terminal_output::check_reviewed_list(&sources));
}

#[test]
fn no_text_contains_a_machine_specific_path() {
    let texts = checkout::text_files();
    assert!(texts.iter().any(|text| text.path == "Cargo.toml"));
    assert_no_findings(texts.iter().flat_map(rules::find_machine_paths).collect());
}
