//! Extraction: turns the bytes of one file into [`FileFacts`].
//!
//! [`Extractor`] decodes the bytes, parses them with the language's tree-sitter grammar, runs the
//! language's patterns over the tree, and counts the words of the text. The facts depend only on
//! the text, the language and [`EXTRACTOR_VERSION`], so they are cached by content hash. Extraction
//! reads no other file and resolves no name.
//!
//! The phases, in order:
//!
//! 1. Decode the bytes as UTF-8 (`source_text`) and parse them, incrementally if there is an
//!    earlier tree. If the text has errors, parse it again with separators inserted
//!    (`error_recovery`) and keep the tree with fewer errors. If macro calls contain declarations,
//!    parse a text of equal length in which the grammar finds them (`source_rewrites`).
//! 2. Mask credentials, then walk the tree once (`parallel_scan`, `tree_scan`). At each node the
//!    `collector` matches the language's patterns (`patterns`) and adds to `raw_facts`. Afterwards
//!    the language's dialect (`dialects`) reads the nodes that the patterns captured for it.
//! 3. Turn the drafts of symbols into symbols (`symbols`, `declaration`).
//! 4. Collect the facts that depend on the symbols: bare names, doc links, environment variables
//!    and processes, HTTP routes (`routes`).
//! 5. Assign each reference to the symbol around it (`references`), count words (`text_terms`), and
//!    sketch bodies (`sketches`).
//!
//! Documents skip these phases: `documents` reads them without a grammar.
//!
//! A step budget bounds the work for one file, `bounded_parse` its memory, and a depth limit its tree. A file that
//! exceeds one of them, or that is in an unknown language, gets facts with text tokens only and
//! `ParseQuality::abandoned`.

mod arguments;
mod bare_names;
mod bindings;
mod children;
mod collector;
mod component_templates;
mod constants;
mod declaration;
pub(crate) mod dialects;
mod doc_comments;
pub(crate) mod doc_links;
pub(crate) mod documents;
mod env_and_processes;
mod error_recovery;
mod expressions;
pub(crate) mod graphql_text;
pub(crate) mod key_paths;
mod literal_references;
mod named_lookups;
mod parallel_scan;
mod patterns;
mod raw_facts;
mod references;
mod render;
pub(crate) mod routes;
mod sketches;
mod source_rewrites;
pub(crate) mod source_text;
mod sql_text;
mod symbols;
mod text_terms;
mod tree_eq;
mod tree_scan;
mod type_bounds;
mod value_inference;

pub(crate) use dialects::Dialect;
pub(crate) use documents::DocumentFormat;
pub(crate) use patterns::LanguagePatterns;
pub use render::render_facts;

use crate::bounded_parse::{self, StepBudget};
use crate::hidden_values::hide_values;
use crate::languages::{Language, LanguageRegistry, LanguageRow};
use collector::Collector;
use constants::StringConstants;
use declaration::DeclarationReader;
use expressions::ExpressionReader;
use graphql_text::GraphqlSource;
use kenning_graph::FileFacts;
use kenning_graph::analysis::ANALYSIS_VERSION;
use kenning_graph::credentials;
use kenning_graph::facts::{ParseQuality, SymbolFact};
use kenning_graph::positions::LineIndex;
use parallel_scan::ScanThreads;
use raw_facts::{RawFacts, RawReference};
use rustc_hash::FxHashSet;
use std::borrow::Cow;
use symbols::FileSymbols;
use text_terms::{TermCounter, WordTokens};
use tree_scan::TreeScan;
use tree_sitter::Tree;

/// The version of the extracted facts; raise it when facts change. Facts with another version are
/// extracted again. It includes the versions of the word analysis and of credential masking.
pub const EXTRACTOR_VERSION: u32 = (16 << 8) + (credentials::MASK_VERSION << 4) + ANALYSIS_VERSION;

/// Returns the version of the facts of this process: [`EXTRACTOR_VERSION`], combined with the
/// versions of the grammars that the user has installed.
pub fn extractor_version() -> u32 {
    EXTRACTOR_VERSION ^ LanguageRegistry::get().installed_fingerprint()
}

/// Maximum number of steps for one file. Beyond it, the file is abandoned. One step is the work of
/// tree-sitter's parser between two calls to its progress callback, about 100 operations, or 100
/// nodes visited for patterns. The limit is a count and not a time, so that the same text gives the
/// same facts on a busy machine.
const STEP_LIMIT: u64 = 500_000;

/// Maximum number of steps for a short file, in addition to [`STEPS_PER_KILOBYTE`].
const STEPS_FOR_ANY_TEXT: u64 = 10_000;

/// Maximum number of steps for each kilobyte of a file. Source takes 4 to 20 (`bench/README.md`).
const STEPS_PER_KILOBYTE: u64 = 400;

/// Maximum number of levels of a syntax tree. Beyond it, the file is abandoned. Tree-sitter finds
/// the parent of a node from the root, so the time to read a tree grows with the square of its
/// depth: a chain of 4,500 calls takes seconds. A long concatenation has a few hundred levels.
const MAX_TREE_DEPTH: u32 = 2_500;

/// Minimum size of a text, in bytes, for which a second thread helps. The walk of such a text takes
/// a millisecond, many times longer than starting a thread.
const MIN_PARALLEL_BYTES: usize = 8 * 1024;

/// An extractor of the facts of files, one file at a time. Each thread has its own extractor.
pub struct Extractor {
    words: WordTokens,
    step_limit: u64,
    cost: ExtractionCost,
    parallel: bool,
}

impl Default for Extractor {
    fn default() -> Self {
        Self::new()
    }
}

/// The work and the memory that one file took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ExtractionCost {
    /// Number of steps of parsing and pattern matching.
    pub steps: u64,
    /// Number of steps after which the file would have been abandoned.
    pub step_limit: u64,
    /// The largest number of bytes that one parse of the file was charged: the bytes that it
    /// allocated, freed memory included, and a charge for each call of the allocator.
    pub charged_bytes: u64,
    /// Number of bytes after which the parse would have been abandoned.
    pub charge_limit: u64,
}

/// The result of an extraction: the facts, and the syntax tree for the next, incremental parse.
pub struct Extraction {
    /// The facts.
    pub facts: FileFacts,
    /// The syntax tree that the facts were read from. `None` if parsing was abandoned.
    pub tree: Option<Tree>,
    /// Whether the next parse may start from the tree. It may not if the tree was parsed from a
    /// rewritten text: with inserted separators, or with rewritten macro calls.
    pub reusable: bool,
    /// Whether the text has errors and was parsed from the tree of an earlier text. Parsed from
    /// scratch, it may give other facts.
    pub provisional: bool,
}

/// The handling of a text with errors. The parser's error recovery depends on the tree that it
/// starts from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorRecovery {
    /// Parses the text from scratch, even if that takes long. Equal texts give equal facts.
    FromScratch,
    /// Parses from the tree of the earlier text. This takes a tenth of the time and nearly always
    /// gives the same facts; the result is [`Extraction::provisional`].
    Incremental,
}

/// A tree from which a parse starts.
#[derive(Clone, Copy)]
pub struct EditedTree<'t> {
    /// The tree of an earlier version of the text, to which every edit since has been applied by
    /// [`Tree::edit`].
    pub tree: &'t Tree,
    /// The handling of errors in the new text.
    pub recovery: ErrorRecovery,
}

impl Extractor {
    /// Creates an extractor with the default step limit for each file.
    pub fn new() -> Self {
        Self {
            words: WordTokens::default(),
            step_limit: STEP_LIMIT,
            cost: ExtractionCost::default(),
            parallel: false,
        }
    }

    /// Sets the number of steps that parsing and pattern matching may take for one file before it
    /// is abandoned.
    pub fn set_step_limit(&mut self, limit: u64) {
        self.step_limit = limit;
    }

    /// Returns what the last extracted file took.
    pub fn last_cost(&self) -> ExtractionCost {
        self.cost
    }

    /// Returns the number of steps that a text may take.
    fn step_limit_for(&self, text: &str) -> u64 {
        let kilobytes = text.len() as u64 / 1024;
        self.step_limit.min(STEPS_FOR_ANY_TEXT + kilobytes * STEPS_PER_KILOBYTE)
    }

    /// Sets whether a second thread helps with long texts, because a user waits for the result. The
    /// facts are the same.
    pub fn set_parallel(&mut self, parallel: bool) {
        self.parallel = parallel;
    }

    /// Extracts the facts of a file. For a language that is not registered, the facts have text
    /// tokens only.
    pub fn extract_file(&mut self, language: &str, bytes: &[u8]) -> FileFacts {
        self.extract_with_tree(language, bytes, None).facts
    }

    /// Extracts the facts of a file, parsing incrementally if `old` is given. With
    /// [`ErrorRecovery::FromScratch`] the facts are those of [`Self::extract_file`].
    pub fn extract_with_tree(
        &mut self,
        language: &str,
        bytes: &[u8],
        old: Option<EditedTree<'_>>,
    ) -> Extraction {
        self.extract_text(language, LanguageRegistry::get().find_by_id(language), bytes, old)
    }

    /// Whether parsing the text from scratch gives exactly this tree, so that the facts read from
    /// the tree are valid.
    pub fn reproduces_tree(&mut self, language: &str, bytes: &[u8], tree: &Tree) -> bool {
        let Some(language) = LanguageRegistry::get().find_by_id(language) else { return false };
        let (text, _) = source_text::decode_utf8(bytes);
        let text = hide_values(&language.row, &text);
        let steps = StepBudget::with_limit(self.step_limit_for(&text));
        let reparsed = self.parse_text(language, &text, None, &steps);
        reparsed.is_some_and(|reparsed| tree_eq::trees_equal(&reparsed, tree))
    }

    /// Extracts the facts of a file in a language that need not be registered.
    #[cfg(test)]
    pub(crate) fn extract_with_language(&mut self, language: &Language, bytes: &[u8]) -> FileFacts {
        self.extract_text(language.language_id(), Some(language), bytes, None).facts
    }

    fn extract_text(
        &mut self,
        id: &str,
        language: Option<&Language>,
        bytes: &[u8],
        old: Option<EditedTree<'_>>,
    ) -> Extraction {
        let (text, lossy) = source_text::decode_utf8(bytes);
        let hidden = language.map(|language| hide_values(&language.row, &text));
        let text: &str = hidden.as_deref().unwrap_or(&text);
        // An edit of a text with hidden values can hide or show others.
        let old = old.filter(|_| !matches!(hidden, Some(Cow::Owned(_))));
        let quality = ParseQuality { lossy, ..ParseQuality::default() };
        if language.is_some_and(|language| language.row.unparsed) {
            let lines = LineIndex::new(text).count_lines(text);
            let facts = FileFacts { language: id.to_owned(), lines, quality, ..FileFacts::default() };
            return Extraction { facts, tree: None, reusable: false, provisional: false };
        }
        if let Some(format) = language.and_then(|language| language.row.document)
            && u32::try_from(text.len()).is_ok()
        {
            let masked = credentials::mask_credentials(text);
            let facts = documents::extract_document(&mut self.words, id, format, &masked, quality);
            return Extraction { facts, tree: None, reusable: false, provisional: false };
        }
        if let Some(language) = language
            && u32::try_from(text.len()).is_ok()
            && !source_text::is_too_deep(text)
        {
            let step_limit = self.step_limit_for(text);
            let steps = StepBudget::with_limit(step_limit);
            self.cost = ExtractionCost {
                step_limit,
                charge_limit: bounded_parse::allocation_limit(text.len()),
                ..ExtractionCost::default()
            };
            let mut tree = self.parse_text(language, text, old.map(|old| old.tree), &steps);
            let has_errors = tree.as_ref().is_none_or(|tree| tree.root_node().has_error());
            // Only a parse from scratch shows which errors separators can remove.
            let provisional = has_errors
                && tree.is_some()
                && old.is_some_and(|old| old.recovery == ErrorRecovery::Incremental)
                && error_recovery::insert_separators(text, &language.row.lines_begin_members).is_none();
            if has_errors && old.is_some() && !provisional {
                steps.set_remaining(step_limit);
                tree = self.parse_text(language, text, None, &steps);
            }
            let recovered =
                tree.as_ref().and_then(|tree| self.reparse_separated(language, text, tree, &steps));
            let parsed = recovered.as_ref().or(tree.as_ref());
            let rewritten = parsed.and_then(|tree| self.parse_macro_contents(language, text, tree, &steps));
            let reusable = recovered.is_none() && rewritten.is_none();
            if let Some(tree) = rewritten.or(recovered).or(tree)
                && let Some(facts) = self.collect_facts(language, text, &tree, quality, &steps)
            {
                self.cost.steps = step_limit - steps.remaining_steps();
                return Extraction { facts, tree: Some(tree), reusable, provisional };
            }
        }
        let facts = FileFacts {
            language: id.to_owned(),
            lines: LineIndex::new(text).count_lines(text),
            text: TermCounter::new(&mut self.words, 0).count_unparsed(&credentials::mask_credentials(text)),
            quality: ParseQuality { abandoned: true, ..quality },
            ..FileFacts::default()
        };
        Extraction { facts, tree: None, reusable: false, provisional: false }
    }

    fn parse_text(
        &mut self,
        language: &Language,
        text: &str,
        old: Option<&Tree>,
        steps: &StepBudget,
    ) -> Option<Tree> {
        let sections = &language.row.script_sections;
        let scripts = (!sections.is_empty()).then(|| component_templates::keep_scripts(text, sections));
        // An edit of a tag changes the parsed text elsewhere, so the old tree is useless.
        let templates =
            language.row.template_expressions.then(|| key_paths::blank_template_expressions(text));
        let rewritten = scripts.or(templates.flatten());
        let old = old.filter(|_| rewritten.is_none());
        let bytes = rewritten.as_deref().unwrap_or(text).as_bytes();
        let parse = bounded_parse::parse_text(&language.get_or_compile().language, bytes, old, steps);
        self.cost.charged_bytes = self.cost.charged_bytes.max(parse.charged_bytes);
        parse.tree
    }

    /// Parses the text with separators inserted by [`error_recovery`]. Returns the new tree if the
    /// text has errors and the new tree has fewer, else `None`.
    fn reparse_separated(
        &mut self,
        language: &Language,
        text: &str,
        tree: &Tree,
        steps: &StepBudget,
    ) -> Option<Tree> {
        if !tree.root_node().has_error() {
            return None;
        }
        let separated = error_recovery::insert_separators(text, &language.row.lines_begin_members)?;
        let separated = self.parse_text(language, &separated, None, steps)?;
        (error_recovery::count_errors(&separated) < error_recovery::count_errors(tree)).then_some(separated)
    }

    fn scan_threads(&self, text: &str) -> ScanThreads {
        let is_parallel = self.parallel && text.len() >= MIN_PARALLEL_BYTES;
        if is_parallel { ScanThreads::Two } else { ScanThreads::One }
    }

    fn collect_facts(
        &mut self,
        language: &Language,
        text: &str,
        tree: &Tree,
        mut quality: ParseQuality,
        steps: &StepBudget,
    ) -> Option<FileFacts> {
        let masked = credentials::mask_credentials(text);
        let text: &str = &masked;
        let compiled = language.get_or_compile();
        let (row, grammar) = (&language.row, language.grammar);
        let expressions = ExpressionReader::for_language(language, text, steps);
        let collector = Collector { expressions, patterns: &compiled.patterns, row, grammar };
        let mut raw_facts = RawFacts::default();
        let mut matcher = compiled.patterns.matcher_for_tree(tree, text);
        let mut tree_scan = parallel_scan::scan_with_threads(
            tree,
            text,
            &compiled.kinds,
            MAX_TREE_DEPTH,
            self.scan_threads(text),
            |node, kind, children| {
                collector.collect_at_node(node, kind, children, &mut matcher, steps, &mut raw_facts)
            },
        )?;
        #[cfg(test)]
        patterns::query_oracle::assert_same_matches(language, tree, text);
        let lines = LineIndex::new(text);
        collector.run_dialect_hooks(tree.root_node(), steps, &mut raw_facts);
        let mut specified =
            key_paths::collect_key_paths(tree.root_node(), &row.key_paths, &expressions, &mut raw_facts);
        if !row.script_sections.is_empty() {
            let sections = &row.script_sections;
            component_templates::read_template(text, sections, &lines, &mut tree_scan, &mut raw_facts);
        }
        raw_facts.dedup_drafts();
        named_lookups::add_lookup_references(&mut raw_facts);
        let reader =
            DeclarationReader { expressions, row, dialect: grammar.dialect, scan: &tree_scan, lines: &lines };
        let mut symbols = FileSymbols::from_drafts(&raw_facts.drafts, &reader);
        grammar.dialect.finish_symbols(&mut symbols.facts, &raw_facts.notes);
        bare_names::collect_bare_names(text, row, &tree_scan, &symbols, &mut raw_facts);
        raw_facts.doc_links = doc_links::collect_doc_links(text, row.doc_links, &tree_scan, &symbols, &lines);
        let constants = StringConstants::new(text, grammar.dialect, &symbols, &raw_facts.bindings);
        let indirect_references =
            collector.env_and_process_references(&raw_facts, &tree_scan.sites, &symbols, &constants);
        let names = routes::BoundNames { imports: &raw_facts.imports, bindings: &raw_facts.bindings };
        let route_facts =
            routes::collect_routes(&row.family, tree, &tree_scan, expressions, names, &symbols, constants);
        (raw_facts.routes, raw_facts.mounts) = (route_facts.routes, route_facts.mounts);
        key_paths::set_route_scopes(&mut specified, &symbols);
        raw_facts.routes.append(&mut specified);
        raw_facts.references.extend(indirect_references);
        raw_facts.references.extend(query_references(text, row, &tree_scan, &lines));
        let uses = references::resolve_scopes(&mut raw_facts, &mut symbols, &tree_scan, row);
        mark_tests_by_base(&mut symbols.facts, row);
        let docstring = reader.file_docstring_start(tree.root_node());
        let file_text = TermCounter::new(&mut self.words, symbols.facts.len())
            .count_file(text, &tree_scan, &symbols, docstring);
        let sketches = sketches::sketch_callables(&symbols, &tree_scan.tokens);
        quality.syntax_errors = tree.root_node().has_error();
        Some(FileFacts {
            language: language.language_id().to_owned(),
            is_document: false,
            package: grammar.dialect.declared_package(&raw_facts.packages),
            symbols: symbols.facts,
            references: uses.references,
            imports: uses.imports,
            bindings: uses.bindings,
            routes: uses.routes,
            mounts: raw_facts.mounts,
            strings: uses.strings,
            text: file_text,
            lines: lines.count_lines(text),
            quality,
            sketches,
        })
    }
}

/// Returns the references in the statements of SQL and the operations of GraphQL in literals.
fn query_references(
    text: &str,
    row: &LanguageRow,
    scan: &TreeScan,
    lines: &LineIndex,
) -> impl Iterator<Item = RawReference> + use<> {
    let statements = sql_text::collect_references(text, scan, lines);
    let source =
        if row.operation_files { GraphqlSource::OperationFile } else { GraphqlSource::StringLiterals };
    statements.into_iter().chain(graphql_text::collect_references(text, source, scan, lines))
}

/// Marks tests that only the bases of their type identify: methods of a test case with a test
/// prefix.
fn mark_tests_by_base(symbols: &mut [SymbolFact], row: &LanguageRow) {
    if row.test_bases.is_empty() {
        return;
    }
    let is_test_base =
        |name: &str| name.rsplit('.').next().is_some_and(|last| row.test_bases.iter().any(|b| b == last));
    let test_cases: FxHashSet<u32> = (0..symbols.len())
        .filter(|&index| symbols[index].bases.iter().any(|base| is_test_base(&base.name)))
        .map(|index| index as u32)
        .collect();
    for symbol in symbols.iter_mut().filter(|symbol| symbol.kind.is_callable()) {
        let has_prefix = row.test_prefixes.iter().any(|prefix| symbol.name.starts_with(prefix.as_str()));
        symbol.is_test |= has_prefix && symbol.parent.is_some_and(|parent| test_cases.contains(&parent));
    }
}

#[cfg(test)]
mod tests;
