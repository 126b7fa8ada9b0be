//! Tests grammars that a user has installed: compiles the library of a grammar that is not built in
//! from its crate, and indexes a file with it.
#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

use expect_test::expect;
use kenning_indexing::extract::{self, Extractor};
use kenning_indexing::languages::{InstalledGrammar, LanguageRegistry};
use kenning_indexing::workspace::{NoProgress, Workspace, WorkspaceOptions};
use std::path::{Path, PathBuf};
use std::process::Command;

/// A Solidity file.
const SOURCE: &str = "\
/// A vault for coins.
contract Vault {
    uint total;

    /// Adds coins.
    function deposit(uint amount) public {
        total += amount;
    }
}
";

/// Returns the folder of a crate's sources.
fn crate_folder(name: &str) -> PathBuf {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["metadata", "--format-version", "1", "--locked", "--manifest-path"])
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml"))
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let packages = metadata["packages"].as_array().unwrap();
    let package = packages.iter().find(|package| package["name"] == name).unwrap();
    Path::new(package["manifest_path"].as_str().unwrap()).parent().unwrap().to_owned()
}

/// Compiles the grammar of a crate into a library in a folder.
fn install_grammar(folder: &Path, crate_name: &str, symbol: &str) {
    let source = crate_folder(crate_name).join("src");
    let library = folder.join(format!(
        "{}tree_sitter_{symbol}{}",
        std::env::consts::DLL_PREFIX,
        std::env::consts::DLL_SUFFIX
    ));
    let status = Command::new("cc")
        .args(["-shared", "-fPIC", "-O0", "-I"])
        .arg(&source)
        .arg(source.join("parser.c"))
        .arg("-o")
        .arg(library)
        .status()
        .unwrap();
    assert!(status.success());
}

/// The process loads its grammars only once, so one test checks everything.
#[test]
fn files_of_an_installed_grammar_have_symbols_and_text() {
    let folder = tempfile::tempdir().unwrap();
    let libraries = folder.path().join("grammars");
    std::fs::create_dir_all(libraries.join("queries/solidity")).unwrap();
    std::fs::copy(
        crate_folder("tree-sitter-solidity").join("queries/tags.scm"),
        libraries.join("queries/solidity/tags.scm"),
    )
    .unwrap();
    install_grammar(&libraries, "tree-sitter-solidity", "solidity");
    std::fs::write(libraries.join("libtree_sitter_gleam.so"), "no library").unwrap();
    // SAFETY: this is the only test of the binary, and no other thread runs yet.
    unsafe { std::env::set_var("TREE_SITTER_LANGUAGE_PACK_LIBS_DIR", &libraries) };

    let registry = LanguageRegistry::get();
    let [gleam, solidity] = registry.installed_grammars() else {
        panic!("{:?}", registry.installed_grammars());
    };
    assert_eq!((gleam.language.as_str(), gleam.problem.is_some()), ("gleam", true));
    assert_eq!(*solidity, InstalledGrammar { language: "solidity".to_owned(), problem: None });
    assert_ne!(extract::extractor_version(), extract::EXTRACTOR_VERSION);
    assert_eq!(registry.find_by_path("a/b.sol").unwrap().language_id(), "solidity");
    assert!(registry.find_by_path("a/b.gleam").is_none());

    let facts = Extractor::new().extract_file("solidity", SOURCE.as_bytes());
    let symbols: Vec<String> = facts
        .symbols
        .iter()
        .map(|symbol| {
            format!("{} {} | {} | {}", symbol.kind, symbol.qualified_name(), symbol.signature, symbol.doc)
        })
        .collect();
    expect![[r#"
        class Vault | contract Vault | A vault for coins.
        method Vault.deposit | function deposit(uint amount) public | Adds coins."#]]
    .assert_eq(&symbols.join("\n"));

    let root = folder.path().join("workspace");
    std::fs::create_dir(&root).unwrap();
    std::fs::write(root.join("vault.sol"), SOURCE).unwrap();
    let options =
        WorkspaceOptions { db: Some(folder.path().join("graph.db")), ..WorkspaceOptions::default() };
    let (workspace, report) = Workspace::open_refreshed(&root, options, &NoProgress).unwrap();
    assert_eq!(report.resolved_files, 1);
    let snapshot = workspace.current_snapshot();
    let names: Vec<&str> = snapshot
        .symbols()
        .into_iter()
        .filter_map(|id| snapshot.symbol(id))
        .map(|symbol| symbol.name)
        .collect();
    assert!(names.contains(&"deposit"), "{names:?}");
}
