//! A sample of call sites, taken from bare syntax trees: calls that extraction never saw are among them.

use super::repositories::Repository;
use super::syntax;
use anyhow::Context;
use kenning_graph::hash::Hasher;
use kenning_indexing::extract::Extractor;
use kenning_indexing::languages::Languages;
use kenning_indexing::walk::{WalkOptions, content_skip, walk};
use std::path::Path;
use tree_sitter::{Node, Tree};

/// Changes which sites are drawn. The truth files hold the sites that this seed draws.
pub const SEED: &str = "kenning-calls-1";

/// A call site.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Site {
    /// Path from the root, with `/`.
    pub path: String,
    /// Line of the called name, from 0.
    pub line: u32,
    /// Column of the called name in bytes, from 0.
    pub column: u32,
    /// The called name.
    pub name: String,
    /// Id of the file's language.
    pub language: String,
}

/// The sample of a tree, in the order of paths and lines. Each site has a number that depends on the seed, its path and its place
/// only; the sites with the smallest numbers are taken, so that another tree of the same repository shares most of them.
///
/// # Errors
/// When the tree cannot be read.
pub fn sample(repository: &Repository, root: &Path) -> anyhow::Result<Vec<Site>> {
    let mut numbered: Vec<(u64, Site)> = Vec::new();
    let mut extractor = Extractor::new();
    for (path, language, bytes) in files(repository, root)? {
        let Some(tree) = extractor.extract_tree(&language, &bytes, None).tree else { continue };
        let text = String::from_utf8_lossy(&bytes);
        for name in called_names(&tree, &language, &text) {
            let point = name.start_position();
            let mut hasher = Hasher::new(SEED);
            hasher.text(&path).number(point.row as u64).number(point.column as u64);
            let site = Site {
                path: path.clone(),
                line: point.row as u32,
                column: point.column as u32,
                name: text[name.byte_range()].to_owned(),
                language: language.clone(),
            };
            numbered.push((hasher.finish().prefix(), site));
        }
    }
    numbered.sort_unstable();
    numbered.truncate(repository.sites);
    let mut sites: Vec<Site> = numbered.into_iter().map(|(_, site)| site).collect();
    sites.sort_unstable();
    Ok(sites)
}

/// The files that are sampled: path, language, bytes.
fn files(repository: &Repository, root: &Path) -> anyhow::Result<Vec<(String, String, Vec<u8>)>> {
    let language = |path: &str| {
        let language = Languages::get().of_path(path).filter(|_| repository.takes(path));
        language.map(|language| language.id().to_owned()).filter(|id| repository.languages.contains(id))
    };
    let candidate = |path: &str| language(path).is_some();
    let options = WalkOptions::new(&candidate);
    let found = walk(root, &options).map_err(|error| anyhow::anyhow!("{}: {error}", root.display()))?;
    let mut files = Vec::new();
    for file in found.files {
        let bytes = std::fs::read(&file.absolute).with_context(|| file.absolute.display().to_string())?;
        // A text that is not UTF-8 has other columns for a server than for us.
        if content_skip(&file.path, &bytes, &options).is_none()
            && std::str::from_utf8(&bytes).is_ok()
            && let Some(language) = language(&file.path)
        {
            files.push((file.path, language, bytes));
        }
    }
    Ok(files)
}

/// The names that are called or constructed in a tree.
fn called_names<'t>(tree: &'t Tree, language: &str, text: &str) -> Vec<Node<'t>> {
    let mut names = Vec::new();
    let mut cursor = tree.walk();
    loop {
        let node = cursor.node();
        names.extend(syntax::called_name(language, node, text));
        if cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return names;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::called_names;
    use expect_test::{Expect, expect};
    use kenning_indexing::extract::Extractor;

    fn check(language: &str, text: &str, expected: Expect) {
        let tree = Extractor::new().extract_tree(language, text.as_bytes(), None).tree.expect("parses");
        let names = called_names(&tree, language, text);
        let shown: Vec<&str> = names.into_iter().map(|name| &text[name.byte_range()]).collect();
        expected.assert_eq(&shown.join(" "));
    }

    #[test]
    fn every_call_with_a_name_is_a_site() {
        check(
            "go",
            "package p\nfunc f() { a.B(c()); go d(1); _ = e.T{}; g()(); hs[0](); (h)() }",
            expect!["B c d T g h"],
        );
        check("python", "a.b(c())(1)\n@d(1)\nclass E(F): g = h[0]()", expect!["b c d"]);
        check("typescript", "a?.b(new C<D>(), e!(), super.f());\nimport('g')", expect!["b C e f"]);
        check("rust", "fn f() { a::b::<u8>(c.d(), E { x: 1 }); g!(h()); }", expect!["b d E g"]);
        check(
            "java",
            "class A extends B { A() { super(1); this.c(); new D.E<F>() {}; g(H::i); } }",
            expect!["super c E g"],
        );
        check(
            "csharp",
            "class A { void F() { b.C<int>(); d?.E(); new G.H(); nameof(x); } }",
            expect!["C E H nameof"],
        );
        check("ruby", "a.b(c(1))\nputs d\nE::F.new(g)", expect!["b c puts new"]);
    }
}
