//! Draws a sample of call sites from bare syntax trees, so that it includes calls that extraction
//! misses.

use super::repositories::JudgedRepository;
use super::syntax;
use anyhow::Context;
use kenning_graph::hash::HashBuilder;
use kenning_indexing::extract::Extractor;
use kenning_indexing::languages::LanguageRegistry;
use kenning_indexing::walk::{WalkOptions, content_skip_reason, walk_tree};
use std::path::Path;
use tree_sitter::{Node, Tree};

/// The seed of the sites' random numbers, to which the number of the sample is appended. The
/// committed truth files contain the sites that this seed draws, so it must not change.
const SEED: &str = "kenning-calls-";

/// A call site in a sample.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct SampledSite {
    /// Path from the root, with `/` as the separator.
    pub path: String,
    /// Line of the called name, from 0.
    pub line: u32,
    /// Column of the called name in bytes, from 0.
    pub column: u32,
    /// The called name.
    pub name: String,
    /// The id of the file's language.
    pub language: String,
}

/// Returns a sample of a tree, sorted by path and line. Samples with different numbers share no
/// site.
///
/// Each site has a number that depends only on the seed, its path and its position. The sites with
/// the smallest numbers are drawn, so that another tree of the same repository shares most of them.
///
/// # Errors
/// Fails if the tree cannot be read.
pub fn draw_sample(
    repository: &JudgedRepository,
    root: &Path,
    number: u32,
) -> anyhow::Result<Vec<SampledSite>> {
    let mut sites = all_sites(repository, root)?;
    let mut drawn = Vec::new();
    for number in 1..=number {
        sites.retain(|site| !drawn.contains(site));
        drawn = draw_sites(&sites, repository.sites, number);
    }
    Ok(drawn)
}

fn draw_sites(sites: &[SampledSite], size: usize, number: u32) -> Vec<SampledSite> {
    let seed = format!("{SEED}{number}");
    let mut numbered: Vec<(u64, &SampledSite)> = sites
        .iter()
        .map(|site| {
            let mut hasher = HashBuilder::new(&seed);
            hasher.add_text(&site.path).add_number(u64::from(site.line)).add_number(u64::from(site.column));
            (hasher.finish().sort_prefix(), site)
        })
        .collect();
    numbered.sort_unstable();
    let mut drawn: Vec<SampledSite> = numbered.into_iter().take(size).map(|(_, site)| site.clone()).collect();
    drawn.sort_unstable();
    drawn
}

/// Returns all call sites of a tree.
fn all_sites(repository: &JudgedRepository, root: &Path) -> anyhow::Result<Vec<SampledSite>> {
    let mut sites = Vec::new();
    let mut extractor = Extractor::new();
    for SourceFile { path, language, bytes } in read_files(repository, root)? {
        let Some(tree) = extractor.extract_with_tree(&language, &bytes, None).tree else { continue };
        let text = String::from_utf8_lossy(&bytes);
        for name in called_names(&tree, &language, &text) {
            let point = name.start_position();
            sites.push(SampledSite {
                path: path.clone(),
                line: point.row as u32,
                column: point.column as u32,
                name: text[name.byte_range()].to_owned(),
                language: language.clone(),
            });
        }
    }
    Ok(sites)
}

/// A file that the sample is drawn from.
struct SourceFile {
    path: String,
    language: String,
    bytes: Vec<u8>,
}

/// Reads the files that the sample is drawn from.
fn read_files(repository: &JudgedRepository, root: &Path) -> anyhow::Result<Vec<SourceFile>> {
    let candidate =
        |path: &str| repository.includes_path(path) && LanguageRegistry::get().find_by_path(path).is_some();
    let options = WalkOptions::new(&candidate);
    let found = walk_tree(root, &options).map_err(|error| anyhow::anyhow!("{}: {error}", root.display()))?;
    let mut files = Vec::new();
    for file in found.files {
        let bytes = std::fs::read(&file.absolute).with_context(|| file.absolute.display().to_string())?;
        // In a text that is not UTF-8, a server's columns differ from Kenning's.
        if content_skip_reason(&file.path, &bytes, &options).is_none()
            && std::str::from_utf8(&bytes).is_ok()
            && let Some(language) = LanguageRegistry::get().find_by_file(&file.path, &bytes)
            && repository.languages.iter().any(|id| id == language.language_id())
        {
            let language = language.language_id().to_owned();
            files.push(SourceFile { path: file.path, language, bytes });
        }
    }
    Ok(files)
}

/// Returns the names that are called or constructed in a tree.
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
    use super::{SampledSite, called_names, draw_sites};
    use expect_test::{Expect, expect};
    use kenning_indexing::extract::Extractor;

    fn check(language: &str, text: &str, expected: Expect) {
        let tree = Extractor::new()
            .extract_with_tree(language, text.as_bytes(), None)
            .tree
            .expect("the text is parsed");
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
        check("c", "void f(void) { a(b->c(1)); (*d)(2); E(3); g()(4); }", expect!["a c E g"]);
        check(
            "cpp",
            "void f() { a::b<int>(c.d<int>()); auto* e = new g::H<int>(1); this->i(); }",
            expect!["b d H i"],
        );
        check(
            "php",
            "<?php a(b\\c(1)); $d->e()?->f(); G::h(); new I\\J(2); new static(); $k();",
            expect!["a c f e h J static"],
        );
        check("kotlin", "fun f() { a.b(C<D>(1)); e { g() }; h()() }", expect!["b e g h"]);
        check("swift", "func f() { a.b(C(1)); e { g() }; try? h?.i() }", expect!["b C e g i"]);
        check("scala", "def f = { a.b(new C(1)); e { g[Int](2) }; h()() }", expect!["b C e g h"]);
        check("ruby", "a.b(c(1))\nputs d\nE::F.new(g)", expect!["b c puts new"]);
    }

    #[test]
    fn drawn_sites_depend_on_the_number_and_not_on_the_order() {
        let site = |line| SampledSite {
            path: "a.go".to_owned(),
            line,
            column: 0,
            name: "f".to_owned(),
            language: "go".to_owned(),
        };
        let sites: Vec<SampledSite> = (0..200).map(site).collect();
        let backwards: Vec<SampledSite> = sites.iter().rev().cloned().collect();
        assert_eq!(draw_sites(&sites, 20, 1), draw_sites(&backwards, 20, 1));
        assert_ne!(draw_sites(&sites, 20, 1), draw_sites(&sites, 20, 2));
        assert!(draw_sites(&sites, 20, 1).is_sorted());
    }
}
