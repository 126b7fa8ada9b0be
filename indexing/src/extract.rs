//! Text to [`FileFacts`]: parses a file, runs its language's patterns and counts its words.

mod arguments;
mod bare_names;
mod bindings;
mod children;
mod collector;
mod constants;
mod declaration;
pub(crate) mod dialects;
mod doc_comments;
pub(crate) mod doc_links;
mod env_and_processes;
mod error_recovery;
mod expressions;
mod feature_flags;
mod parallel_scan;
mod patterns;
mod raw_facts;
mod references;
mod render;
pub(crate) mod routes;
mod sketches;
pub(crate) mod source_text;
mod symbols;
mod text_terms;
mod tree_eq;
mod tree_scan;
mod type_bounds;
mod value_inference;

pub(crate) use dialects::Dialect;
pub(crate) use patterns::LanguagePatterns;
pub use render::render_facts;

use crate::builtins;
use crate::languages::{Language, LanguageRegistry, LanguageRow};
use collector::Collector;
use constants::StringConstants;
use declaration::DeclarationReader;
use expressions::ExpressionReader;
use kenning_graph::FileFacts;
use kenning_graph::analysis::ANALYSIS_VERSION;
use kenning_graph::credentials;
use kenning_graph::facts::{ParseQuality, SymbolFact};
use kenning_graph::positions::LineIndex;
use raw_facts::RawFacts;
use rustc_hash::{FxHashMap, FxHashSet};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use symbols::FileSymbols;
use text_terms::{TermCounter, WordTokens};
use tree_sitter::{ParseOptions, ParseState, Parser, Tree};

/// Raise when facts change: facts made with another number are extracted again. The analysis of words and the masking of
/// credentials count in.
pub const EXTRACTOR_VERSION: u32 = (10 << 8) + (credentials::MASK_VERSION << 4) + ANALYSIS_VERSION;

/// Steps that a file may take before it is given up. A step is what tree-sitter's parser does between two calls of its
/// progress callback, about 100 operations, or 100 nodes visited for patterns; a count and not a time, so that the same
/// text gives the same facts on a busy machine. Ordinary source takes 4 to 20 for a kilobyte.
const STEP_LIMIT: u64 = 500_000;

/// Bytes that the parser is given at a time.
const BLOCK: usize = 4096;

/// Steps that a block takes each time when the parser asks for it. A grammar may look from every token to the end of the text
/// (comments that are not closed; comment lines in Python), of which the parser's own steps say nothing: 24 kB took half
/// a minute. 100 000 blocks, as many as there are, take some seconds.
const STEPS_OF_A_BLOCK: u64 = 5;

/// Levels of a syntax tree past which a file is given up: tree-sitter finds the parent of a node from the root, so that
/// the time of reading grows with the square of the depth (a chain of 4 500 calls takes seconds). A long concatenation
/// has a few hundred.
const MAX_DEPTH: u32 = 2_500;

/// Bytes of a text from which a second thread helps: the walk takes a millisecond then, many times what starting a thread takes.
const WORTH_A_THREAD: usize = 8 * 1024;

/// The steps that are left for one file. One thread takes them at a time.
pub(crate) struct StepBudget(AtomicU64);

impl StepBudget {
    /// So many.
    pub fn with_limit(limit: u64) -> Self {
        Self(AtomicU64::new(limit))
    }

    /// Takes so many; breaks when there are not as many, and then there are none.
    pub fn take_steps(&self, count: u64) -> ControlFlow<()> {
        let left = self.0.load(Relaxed).checked_sub(count);
        self.0.store(left.unwrap_or(0), Relaxed);
        if left.is_some() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }

    /// Whether none is left.
    fn is_used_up(&self) -> bool {
        self.0.load(Relaxed) == 0
    }
}

/// Extracts facts from files, one after the other; each thread has its own.
pub struct Extractor {
    parsers: FxHashMap<String, Parser>,
    words: WordTokens,
    step_limit: u64,
    is_awaited: bool,
}

impl Default for Extractor {
    fn default() -> Self {
        Self::new()
    }
}

/// What an extraction gives: the facts, and the syntax tree for the next, incremental parse.
pub struct Extraction {
    /// The facts.
    pub facts: FileFacts,
    /// The syntax tree that the facts were read from; `None` when parsing was given up.
    pub tree: Option<Tree>,
    /// The tree is that of the text, so that the next parse may start from it. Where a grammar cannot read what is right,
    /// the tree is that of a text with separators of ours.
    pub reusable: bool,
    /// The text has errors and was parsed from the tree of an earlier one: read alone it may say something else.
    pub provisional: bool,
}

/// How a text with errors is parsed. How the parser recovers from an error depends on the tree that it starts from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorRecovery {
    /// Alone, whatever that takes: equal texts give equal facts.
    Whole,
    /// From the tree of the text before: a tenth of the time, nearly always the same, and [`Extraction::provisional`].
    AtOnce,
}

impl Extractor {
    /// An extractor with the default limit of steps for each file.
    pub fn new() -> Self {
        Self {
            parsers: FxHashMap::default(),
            words: WordTokens::default(),
            step_limit: STEP_LIMIT,
            is_awaited: false,
        }
    }

    /// Sets how many steps of the parser and of looking for patterns one file may take before it is given up.
    pub fn set_step_limit(&mut self, limit: u64) {
        self.step_limit = limit;
    }

    /// Whether somebody waits for each text, so that a second thread helps with a long one. The facts are the same.
    pub fn set_parallel(&mut self, is_awaited: bool) {
        self.is_awaited = is_awaited;
    }

    /// The facts of a file. A language that is not registered gives facts with text tokens only.
    pub fn extract_file(&mut self, language: &str, bytes: &[u8]) -> FileFacts {
        self.extract_with_tree(language, bytes, None).facts
    }

    /// The facts of a file, parsed incrementally when `old` is given: the tree of an earlier version of the text
    /// to which every edit since has been applied by [`Tree::edit`]. With [`ErrorRecovery::Whole`] it gives the same facts as
    /// [`Self::extract_file`].
    pub fn extract_with_tree(
        &mut self,
        language: &str,
        bytes: &[u8],
        old: Option<(&Tree, ErrorRecovery)>,
    ) -> Extraction {
        self.extract_text(language, LanguageRegistry::get().find_by_id(language), bytes, old)
    }

    /// Whether a text that is read alone gives this very tree, so that what was read from the tree holds.
    pub fn reproduces_tree(&mut self, language: &str, bytes: &[u8], tree: &Tree) -> bool {
        let Some(known) = LanguageRegistry::get().find_by_id(language) else { return false };
        let (text, _) = source_text::decode_utf8(bytes);
        let whole = self.parse_text(known, &text, None, &StepBudget::with_limit(self.step_limit));
        whole.is_some_and(|whole| tree_eq::trees_equal(&whole, tree))
    }

    /// The facts of a file in a language that need not be registered.
    #[cfg(test)]
    pub(crate) fn extract_with_language(&mut self, language: &Language, bytes: &[u8]) -> FileFacts {
        self.extract_text(language.language_id(), Some(language), bytes, None).facts
    }

    fn extract_text(
        &mut self,
        id: &str,
        known: Option<&Language>,
        bytes: &[u8],
        old: Option<(&Tree, ErrorRecovery)>,
    ) -> Extraction {
        let (text, lossy) = source_text::decode_utf8(bytes);
        let text: &str = &text;
        let quality = ParseQuality { lossy, ..ParseQuality::default() };
        if let Some(known) = known
            && u32::try_from(text.len()).is_ok()
            && !source_text::is_too_deep(text)
        {
            let steps = StepBudget::with_limit(self.step_limit);
            let mut tree = self.parse_text(known, text, old.map(|(old, _)| old), &steps);
            let broken = tree.as_ref().is_none_or(|tree| tree.root_node().has_error());
            // Only the whole text shows which errors need recovery.
            let provisional = broken
                && tree.is_some()
                && old.is_some_and(|(_, recovery)| recovery == ErrorRecovery::AtOnce)
                && error_recovery::insert_separators(text, &known.row.lines_begin_members).is_none();
            if broken && old.is_some() && !provisional {
                steps.0.store(self.step_limit, Relaxed);
                tree = self.parse_text(known, text, None, &steps);
            }
            let mended = tree.as_ref().and_then(|tree| self.reparse_separated(known, text, tree, &steps));
            let reusable = mended.is_none();
            if let Some(tree) = mended.or(tree)
                && let Some(facts) = self.collect_facts(known, text, &tree, quality, &steps)
            {
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
        if !self.parsers.contains_key(language.language_id()) {
            let mut parser = Parser::new();
            parser.set_language(&language.get_or_compile().language).ok()?;
            self.parsers.insert(language.language_id().to_owned(), parser);
        }
        let parser = self.parsers.get_mut(language.language_id())?;
        let bytes = text.as_bytes();
        let mut check = |_: &ParseState| steps.take_steps(1);
        let options = ParseOptions::new().progress_callback(&mut check);
        let mut read = |at: usize, _| match steps.take_steps(STEPS_OF_A_BLOCK) {
            // No character is longer than four bytes.
            ControlFlow::Continue(()) => {
                bytes.get(at..bytes.len().min((at + 4).next_multiple_of(BLOCK))).unwrap_or(&[])
            }
            // As if the text ended here, so that the parser comes to its next look at the steps.
            ControlFlow::Break(()) => &[],
        };
        let tree = parser.parse_with_options(&mut read, old, Some(options));
        if tree.is_none() {
            parser.reset();
        }
        tree.filter(|_| !steps.is_used_up())
    }

    /// The tree of the text as [`error_recovery`] changes it, where the text has errors and the changed text has fewer.
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
        let other = error_recovery::insert_separators(text, &language.row.lines_begin_members)?;
        let other = self.parse_text(language, &other, None, steps)?;
        (error_recovery::count_errors(&other) < error_recovery::count_errors(tree)).then_some(other)
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
        let expressions = ExpressionReader {
            text,
            kinds: &compiled.kinds,
            transparent_types: &row.transparent_types,
            builtins: builtins::for_family(&row.family),
            new_calls: row.new_calls,
            value_types: row.value_types,
            dialect: grammar.dialect,
            depth: 0,
        };
        let collector = Collector { expressions, patterns: &compiled.patterns, row, grammar };
        let mut collected = RawFacts::default();
        let mut matcher = compiled.patterns.matcher_for_tree(tree, text);
        let help = self.is_awaited && text.len() >= WORTH_A_THREAD;
        let leaves = parallel_scan::scan_in_parallel(
            tree,
            (text, &compiled.kinds, MAX_DEPTH),
            help,
            |node, kind, children| {
                collector.collect_at_node((node, kind, children), &mut matcher, steps, &mut collected)
            },
        )?;
        #[cfg(test)]
        patterns::query_oracle::assert_same_matches(language, tree, text);
        let lines = LineIndex::new(text);
        collector.run_dialect_hooks(&mut collected);
        collected.dedup_drafts();
        feature_flags::retain_sure_flags(&mut collected);
        let reader =
            DeclarationReader { expressions, row, dialect: grammar.dialect, leaves: &leaves, lines: &lines };
        let mut symbols = FileSymbols::from_drafts(&collected.drafts, &reader);
        grammar.dialect.finish_symbols(&mut symbols.facts, &collected.marks);
        bare_names::collect_bare_names(text, row, &leaves, &symbols, &mut collected);
        collected.links = doc_links::collect_doc_links(text, row.doc_links, &leaves, &symbols, &lines);
        let constants = StringConstants::new((text, row.family == "script"), &symbols, &collected.bindings);
        let outside = collector.env_and_process_references(&collected, &leaves.sites, (&symbols, &constants));
        let bound = (collected.imports.as_slice(), collected.bindings.as_slice());
        let read =
            routes::collect_routes(&row.family, tree, &leaves, expressions, bound, &symbols, constants);
        (collected.routes, collected.mounts) = (read.routes, read.mounts);
        collected.references.extend(outside);
        let uses = references::resolve_scopes(&mut collected, &mut symbols, &leaves, row);
        mark_tests_by_base(&mut symbols.facts, row);
        let docstring = reader.file_docstring_start(tree.root_node());
        let file_text = TermCounter::new(&mut self.words, symbols.facts.len())
            .count_file(text, &leaves, &symbols, docstring);
        let sketches = sketches::sketch_callables(&symbols, &leaves.tokens);
        quality.syntax_errors = tree.root_node().has_error();
        Some(FileFacts {
            language: language.language_id().to_owned(),
            package: grammar.dialect.declared_package(&collected.packages),
            symbols: symbols.facts,
            references: uses.references,
            imports: uses.imports,
            bindings: uses.bindings,
            routes: uses.routes,
            mounts: collected.mounts,
            strings: uses.strings,
            text: file_text,
            lines: lines.count_lines(text),
            quality,
            sketches,
        })
    }
}

/// Marks the tests that only the bases of their type show: methods with a test prefix of a test case.
fn mark_tests_by_base(symbols: &mut [SymbolFact], row: &LanguageRow) {
    if row.test_bases.is_empty() {
        return;
    }
    let last =
        |name: &str| name.rsplit('.').next().is_some_and(|last| row.test_bases.iter().any(|b| b == last));
    let cases: FxHashSet<u32> = (0..symbols.len())
        .filter(|&at| symbols[at].bases.iter().any(|base| last(&base.name)))
        .map(|at| at as u32)
        .collect();
    for symbol in symbols.iter_mut().filter(|symbol| symbol.kind.is_callable()) {
        let prefixed = row.test_prefixes.iter().any(|prefix| symbol.name.starts_with(prefix.as_str()));
        symbol.is_test |= prefixed && symbol.parent.is_some_and(|parent| cases.contains(&parent));
    }
}

#[cfg(test)]
mod tests;
