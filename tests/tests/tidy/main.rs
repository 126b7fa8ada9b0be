//! The rules of the code base, checked on the sources: what a crate may depend on and use, sizes, left-overs.
//!
//! Every finding names file and line and says how to mend it. The unit tests of the modules show on made-up
//! sources that each check can fail.

mod packages;
mod rules;
mod rust_text;
mod tree;

use std::fmt;

/// One broken rule.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Finding {
    file: String,
    /// From 1.
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
fn sources_keep_the_rules() {
    let sources = tree::rust_sources();
    assert!(sources.len() > 10, "only {} sources found", sources.len());
    assert_none(sources.iter().flat_map(rules::check_source).collect());
}

#[test]
fn no_committed_text_names_a_folder_of_a_machine() {
    let texts = tree::texts();
    assert!(texts.iter().any(|text| text.path == "Cargo.toml"));
    assert_none(texts.iter().flat_map(rules::machine_paths).collect());
}
