//! Parses a text with tree-sitter within limits of work and memory.
//!
//! [`parse_text`] is the only way to a syntax tree in this crate. Work is counted in the steps of a
//! [`StepBudget`], which the parser reports after about 100 operations and whenever it reads.
//! Memory is limited in proportion to the text, because the error recovery of tree-sitter can
//! allocate gigabytes within one operation, and the library aborts the process when an allocation
//! fails. `parse.c` has the mechanism.
//!
//! Both limits are counts, so that the same text gives the same facts on a busy machine, and both
//! are far above what real source takes (`bench/results/parse-costs.csv`).

use std::ffi::{c_char, c_void};
use std::ops::ControlFlow;
use std::ptr::{from_mut, null_mut};
use std::sync::Once;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use tree_sitter::{Language, Tree, ffi};

/// Number of bytes that the parse of any text may be charged, however short. It is charged the bytes
/// that it allocates, freed memory included, and 16 bytes for each call of the allocator.
const ALLOCATED_FOR_ANY_TEXT: u64 = 32 << 20;

/// Number of bytes that a parse may be charged for each byte of its text, up to
/// [`ALLOCATED_PER_FILE`]. Source takes 50 to 150, and Dart up to 700, because its grammar tries
/// several readings of a statement.
const ALLOCATED_PER_BYTE: u64 = 1024;

/// Number of bytes from which on a parse is only granted [`ALLOCATED_PER_LATER_BYTE`].
const ALLOCATED_PER_FILE: u64 = 200 << 20;

/// Number of bytes per byte of a long text, for users who raise `index.maxFileSize`.
const ALLOCATED_PER_LATER_BYTE: u64 = 128;

/// Number of bytes that the parser receives at a time.
const BLOCK_BYTES: usize = 4096;

/// Number of steps charged each time the parser requests a block. A grammar may scan from every
/// token to the end of the text (unclosed comments; comment lines in Python). The progress callback
/// of the parser does not count these scans: a file of 24 kB took half a minute. The limit allows
/// 100,000 blocks, which take a few seconds.
const STEPS_PER_BLOCK: u64 = 5;

/// The steps that are left for one file. Only one thread at a time takes steps.
pub(crate) struct StepBudget(AtomicU64);

impl StepBudget {
    /// Creates a budget of `limit` steps.
    pub fn with_limit(limit: u64) -> Self {
        Self(AtomicU64::new(limit))
    }

    /// Takes `count` steps. Breaks if fewer are left, and sets the budget to zero.
    pub fn take_steps(&self, count: u64) -> ControlFlow<()> {
        let remaining = self.0.load(Relaxed).checked_sub(count);
        self.0.store(remaining.unwrap_or(0), Relaxed);
        if remaining.is_some() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }

    /// Returns the number of steps that are left.
    pub fn remaining_steps(&self) -> u64 {
        self.0.load(Relaxed)
    }

    /// Sets the number of steps that are left.
    pub fn set_remaining(&self, steps: u64) {
        self.0.store(steps, Relaxed);
    }

    /// Whether no steps are left.
    pub fn is_used_up(&self) -> bool {
        self.remaining_steps() == 0
    }
}

/// The result of a parse.
pub(crate) struct BoundedParse {
    /// The tree; `None` if the parse exceeded a limit.
    pub tree: Option<Tree>,
    /// Number of bytes that the parse was charged.
    pub charged_bytes: u64,
}

/// Makes tree-sitter count what it allocates. Called before anything else is done with the library:
/// all languages come from the registry, and loading the registry calls this.
pub(crate) fn bound_allocations() {
    static BOUNDED: Once = Once::new();
    // SAFETY: the new functions never return null, take memory from the functions that they
    // replace, and are installed once, before other threads can have a language.
    BOUNDED.call_once(|| unsafe { kenning_bound_allocations() });
}

/// Parses a text, starting from an earlier tree if there is one. Takes the steps of the parser from
/// `steps`.
pub(crate) fn parse_text(
    language: &Language,
    text: &[u8],
    old: Option<&Tree>,
    steps: &StepBudget,
) -> BoundedParse {
    let limit = allocation_limit(text.len());
    let mut input = SteppedText { text, steps };
    let payload = from_mut(&mut input).cast::<c_void>();
    let source = ffi::TSInput {
        payload,
        read: Some(SteppedText::read_block),
        encoding: ffi::TSInputEncodingUTF8,
        decode: None,
    };
    let options = ffi::TSParseOptions { payload, progress_callback: Some(SteppedText::take_step) };
    let (mut exceeded, mut charged_bytes) = (false, 0);
    let language = language.clone().into_raw();
    let old_tree = old.map_or(null_mut(), |tree| tree.clone().into_raw());
    // SAFETY: all pointers are valid until the call returns, and the callbacks get the `payload`
    // that they expect. The function returns null or a tree without another owner. `language` and
    // `old_tree` are the clones from above, which this function owns.
    let tree = unsafe {
        let tree = kenning_parse(
            language,
            old_tree,
            source,
            options,
            limit,
            &raw mut exceeded,
            &raw mut charged_bytes,
        );
        drop(Language::from_raw(language));
        drop((!old_tree.is_null()).then(|| Tree::from_raw(old_tree)));
        (!tree.is_null()).then(|| Tree::from_raw(tree))
    };
    debug_assert!(!exceeded || tree.is_none(), "a parse over its limit has no tree");
    BoundedParse { tree: tree.filter(|_| !steps.is_used_up()), charged_bytes }
}

/// Returns the number of bytes that the parse of a text may be charged.
pub(crate) fn allocation_limit(bytes: usize) -> u64 {
    let bytes = bytes as u64;
    let long_text = ALLOCATED_PER_FILE + bytes * ALLOCATED_PER_LATER_BYTE;
    ALLOCATED_FOR_ANY_TEXT + long_text.min(bytes * ALLOCATED_PER_BYTE)
}

/// A text that charges steps when it is read.
struct SteppedText<'t> {
    text: &'t [u8],
    steps: &'t StepBudget,
}

impl SteppedText<'_> {
    /// The callback by which the parser reads the text from an offset on.
    unsafe extern "C" fn read_block(
        payload: *mut c_void,
        offset: u32,
        _: ffi::TSPoint,
        length: *mut u32,
    ) -> *const c_char {
        // SAFETY: the payload is that of `parse_text`, and the length is a variable of the parser.
        let (input, length) = unsafe { (&*payload.cast::<SteppedText>(), &mut *length) };
        let at = offset as usize;
        let block = match input.steps.take_steps(STEPS_PER_BLOCK) {
            // No character is longer than four bytes.
            ControlFlow::Continue(()) => {
                let end = input.text.len().min((at + 4).next_multiple_of(BLOCK_BYTES));
                input.text.get(at..end).unwrap_or(&[])
            }
            // Pretend that the text ends here, so that the parser reaches its next step check.
            ControlFlow::Break(()) => &[],
        };
        *length = u32::try_from(block.len()).unwrap_or(0);
        block.as_ptr().cast()
    }

    /// The callback by which the parser reports a step. Returns whether the parse is to end.
    unsafe extern "C" fn take_step(state: *mut ffi::TSParseState) -> bool {
        // SAFETY: the parser passes its state, which has the payload of `parse_text`.
        let input = unsafe { &*(*state).payload.cast::<SteppedText>() };
        input.steps.take_steps(1).is_break()
    }
}

unsafe extern "C" {
    fn kenning_bound_allocations();
    fn kenning_parse(
        language: *const ffi::TSLanguage,
        old_tree: *const ffi::TSTree,
        input: ffi::TSInput,
        options: ffi::TSParseOptions,
        limit: u64,
        exceeded: *mut bool,
        charged: *mut u64,
    ) -> *mut ffi::TSTree;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::languages::LanguageRegistry;

    /// Texts whose parse takes all memory or minutes, by language: in error recovery, the parser
    /// collects all paths through its stack.
    fn bombs() -> Vec<(&'static str, String)> {
        let lines =
            |head: &str, opener: &str| format!("{head}{}", format!("{}\n", opener.repeat(35)).repeat(300));
        vec![
            ("python", lines("def f():\n  x = ", "/*")),
            ("java", lines("class A { void f() { var x = ", "a<")),
            ("csharp", lines("class A { void f() { var x = ", "a<")),
            // These take little memory at a time, but minutes within one operation.
            ("typescript", lines("", "} !} !")),
            ("javascript", lines("", "} - ")),
        ]
    }

    fn parse_within_memory(language: &str, text: &str, old: Option<&Tree>) -> BoundedParse {
        let language = LanguageRegistry::get().find_by_id(language).unwrap().tree_sitter_language();
        parse_text(&language, text.as_bytes(), old, &StepBudget::with_limit(u64::MAX))
    }

    #[test]
    fn a_parse_that_would_take_all_memory_or_minutes_ends_at_its_limit() {
        for (language, text) in bombs() {
            let parse = parse_within_memory(language, &text, None);
            assert!(parse.tree.is_none(), "{language}");
            assert!(parse.charged_bytes <= allocation_limit(text.len()), "{language}");
        }
    }

    #[test]
    fn a_thread_parses_other_texts_after_a_parse_that_ended_at_its_limit() {
        let (language, text) = bombs().swap_remove(0);
        let old = parse_within_memory(language, "x = 1\n", None).tree.expect("a tree");
        assert!(parse_within_memory(language, &text, Some(&old)).tree.is_none());
        assert_eq!(
            old.root_node().to_sexp(),
            parse_within_memory(language, "y = 2\n", Some(&old)).tree.expect("a tree").root_node().to_sexp()
        );
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn the_memory_of_a_parse_that_ended_at_its_limit_is_freed() {
        let resident_mib = || {
            let pages = std::fs::read_to_string("/proc/self/statm").unwrap();
            pages.split(' ').nth(1).unwrap().parse::<u64>().unwrap() / 256
        };
        let (language, text) = bombs().swap_remove(1);
        parse_within_memory(language, &text, None);
        let before = resident_mib();
        for _ in 0..30 {
            assert!(parse_within_memory(language, &text, None).tree.is_none());
        }
        // Other tests of this process run meanwhile. Without freeing, this takes 30 times 50 MiB.
        assert!(resident_mib() < before + 600, "{before} MiB before, {} after", resident_mib());
    }

    #[test]
    fn long_texts_get_less_memory_for_each_byte() {
        assert_eq!(allocation_limit(0), 32 << 20);
        assert_eq!(allocation_limit(10 << 10), (32 << 20) + (10 << 20));
        assert_eq!(allocation_limit(2 << 20), (32 + 200 + 2 * 128) << 20);
    }
}
