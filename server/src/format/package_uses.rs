//! The uses of a package of a registry: which manifests need it, in which versions, and which files
//! import it.

use kenning_graph::packages::{ManifestPackage, PackageEcosystem, WorkspacePackages};
use kenning_graph::{EdgeKind, Snapshot, SymbolId, SymbolKind};
use kenning_indexing::languages::LanguageRegistry;
use kenning_retrieval::pack::code_span;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt::Write;

/// The number of entries per list that the text form shows.
const MAX_LISTED: usize = 40;

/// The uses of a package.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "PackageUses")]
pub struct PackageUsesJson {
    /// The manifests that need the package, by path.
    declarations: Vec<DeclarationJson>,
    /// The files that import it, by path. Empty for registries whose packages are not recognizable
    /// by the paths of imports (Maven, Composer, Hex).
    importers: Vec<ImporterJson>,
}

/// A declaration of a dependency in a manifest.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "PackageDeclaration")]
struct DeclarationJson {
    /// The path of the manifest, relative to the workspace, with `/` as the separator.
    file: String,
    /// 1-based line of the declaration.
    line: u32,
    /// The accepted versions, as written; empty if the manifest accepts any.
    requirement: String,
    /// The version in the lock file; empty if unknown.
    locked: String,
}

/// A file that imports a package.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "PackageImporter")]
struct ImporterJson {
    /// The path of the file, relative to the workspace, with `/` as the separator.
    file: String,
    /// 1-based line of the first import.
    line: u32,
}

/// Returns the uses of the package that a symbol stands for; `None` for other symbols.
pub fn list_package_uses(
    snapshot: &Snapshot,
    packages: &WorkspacePackages,
    symbol: SymbolId,
) -> Option<PackageUsesJson> {
    let symbol = snapshot.symbol(symbol).filter(|symbol| symbol.kind == SymbolKind::Resource)?;
    let ecosystem = PackageEcosystem::parse(symbol.path)?;
    let of_ecosystem = packages.dependencies.iter().filter(|package| package.ecosystem == ecosystem);
    let declared =
        of_ecosystem.clone().filter(|package| package.name == symbol.name && package.local.is_empty());
    let declarations =
        declared.map(|ManifestPackage { manifest, line, requirement, locked, .. }| DeclarationJson {
            file: manifest.clone(),
            line: line + 1,
            requirement: requirement.clone(),
            locked: locked.clone(),
        });
    let mut names: Vec<&str> = of_ecosystem.map(|package| package.name.as_str()).collect();
    names.dedup();
    let importers = find_importers(snapshot, ecosystem, symbol.name, &names);
    Some(PackageUsesJson {
        declarations: declarations.collect(),
        importers: importers.into_iter().map(|(file, line)| ImporterJson { file, line }).collect(),
    })
}

/// Returns the files that import the package, with the line of the first import. `names` are the
/// packages that manifests of the workspace need.
fn find_importers(
    snapshot: &Snapshot,
    ecosystem: PackageEcosystem,
    package: &str,
    names: &[&str],
) -> BTreeMap<String, u32> {
    let is_of_package = |import: &str| {
        let Some(length) = ecosystem.match_import(package, import) else { return false };
        let longest = names.iter().filter_map(|name| ecosystem.match_import(name, import)).max();
        longest.is_none_or(|longest| longest <= length)
    };
    let mut importers: BTreeMap<String, u32> = BTreeMap::new();
    for file in snapshot.files().into_iter().filter_map(|id| snapshot.file(id)) {
        let Some(&symbol) = snapshot.file_symbols(file.id).first() else { continue };
        if !imports_from(file.language, ecosystem) {
            continue;
        }
        snapshot.for_each_out_edge(symbol, |edge| {
            let target = snapshot.symbol(edge.target).filter(|_| edge.kind == EdgeKind::Imports);
            if target.is_some_and(|target| target.kind == SymbolKind::External && is_of_package(target.path))
            {
                let line = edge.line.map_or(1, |line| line + 1);
                let first = importers.entry(file.path.to_owned()).or_insert(line);
                *first = line.min(*first);
            }
        });
    }
    importers
}

/// Whether the imports of a language name packages of a registry.
fn imports_from(language: &str, ecosystem: PackageEcosystem) -> bool {
    LanguageRegistry::get()
        .find_by_id(language)
        .is_some_and(|language| language.row.packages == Some(ecosystem))
}

/// Writes the sections for people.
pub fn write_sections(out: &mut String, uses: &PackageUsesJson) {
    if !uses.declarations.is_empty() {
        out.push_str("\n## Versions\n\n");
    }
    for declaration in uses.declarations.iter().take(MAX_LISTED) {
        let requirement = match declaration.requirement.as_str() {
            "" => "any version".to_owned(),
            requirement => code_span(requirement),
        };
        let locked = match declaration.locked.as_str() {
            "" => String::new(),
            locked => format!(", locked at {}", code_span(locked)),
        };
        let place = format!("{}:{}", declaration.file, declaration.line);
        let _ = writeln!(out, "- {} needs {requirement}{locked}", code_span(&place));
    }
    write_rest(out, uses.declarations.len());
    if !uses.importers.is_empty() {
        out.push_str("\n## Imported by\n\n");
    }
    for importer in uses.importers.iter().take(MAX_LISTED) {
        let _ = writeln!(out, "- {}", code_span(&format!("{}:{}", importer.file, importer.line)));
    }
    write_rest(out, uses.importers.len());
}

fn write_rest(out: &mut String, count: usize) {
    if let Some(more) = count.checked_sub(MAX_LISTED).filter(|&more| more > 0) {
        let _ = writeln!(out, "- … and {more} more");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::symbol_names::find_symbol;
    use crate::test_workspace::index_files;

    #[test]
    fn a_package_has_versions_and_importers() {
        let shop = index_files(&[
            (
                "package.json",
                "{\n  \"dependencies\": {\n    \"react\": \"^18.2.0\",\n    \"react-dom\": \"*\"\n  }\n}\n",
            ),
            ("yarn.lock", "react@^18.2.0:\n  version \"18.3.1\"\n"),
            ("src/a.ts", "import { useState } from 'react';\nexport const a = useState;\n"),
            ("src/b.tsx", "\nimport { jsx } from 'react/jsx-runtime';\nexport const b = jsx;\n"),
            ("src/c.ts", "import { render } from 'react-dom';\nexport const c = render;\n"),
            ("src/d.py", "import react\n"),
        ]);
        let snapshot = shop.workspace.current_snapshot();
        let symbol = find_symbol(&snapshot, "npm::react").expect("the package is a node");
        let project = shop.workspace.current_project();
        let mut text = String::new();
        write_sections(
            &mut text,
            &list_package_uses(&snapshot, &project.packages, symbol).expect("a package"),
        );
        expect_test::expect![[r#"

            ## Versions

            - `package.json:3` needs `^18.2.0`, locked at `18.3.1`

            ## Imported by

            - `src/a.ts:1`
            - `src/b.tsx:2`
        "#]]
        .assert_eq(&text);
    }
}
