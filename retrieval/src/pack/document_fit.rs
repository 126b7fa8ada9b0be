//! Adds sections of documents to the pack of a task.
//!
//! Packing first fills the budget with code, and documents remove no symbol from the pack. The
//! sections that match the task get the rest of the budget. If the rest is small, the texts of the
//! last symbols give up a few lines (`shorten_last_texts`). Each section shows the lines that the
//! task is about, in at most half of the room, else its first sentence, else its headings.

use super::declaration_text::PackTexts;
use super::excerpt::{LineRelevance, fit_item_text};
use super::rendered_fit::measure_pack;
use super::{DetailLevel, Pack, PackGroup, PackSize, PackSymbol, describe_symbol, measure_tokens};
use crate::query::QueryTerm;
use crate::rank::{CandidateOrigin, RankedSymbol};
use crate::request::PackDocuments;
use crate::score::ScoreComponent;
use kenning_graph::{Snapshot, SymbolId};

/// Maximum share of the budget for documents.
const MAX_SHARE: f64 = 0.1;

/// Share of the budget for documents even if the code could use the whole budget.
const MIN_SHARE: f64 = 0.04;

/// Number of tokens of code for each token of documents. A short answer has few documents.
const CODE_TOKENS_PER_TOKEN: usize = 5;

/// Tokens of the heading above the sections.
const HEADING_TOKENS: usize = 8;

/// Minimum number of lines of an excerpt, with the heading. A shorter excerpt says less than the
/// first sentence.
const MIN_EXCERPT_LINES: u32 = 4;

/// Minimum number of tokens of a shortened text.
const MIN_TEXT_TOKENS: usize = 80;

/// Maximum number of sections in a pack. A common word of the task can match every document.
const MAX_SECTIONS: usize = 4;

/// Longest text of a section, in tokens. Manuals have sections of several pages, which a reader
/// opens.
const MAX_EXCERPT_TOKENS: usize = 250;

/// Number of tokens below which an excerpt says less than the first sentence.
const MIN_EXCERPT_TOKENS: usize = 40;

/// The input for adding documents to a pack.
pub(crate) struct DocumentInput<'a> {
    pub snapshot: &'a Snapshot,
    pub texts: &'a PackTexts<'a>,
    /// The terms of the task with their contributions.
    pub terms: &'a [QueryTerm],
    /// The form of the pack, if it is known.
    pub size: Option<&'a dyn PackSize>,
    pub documents: &'a PackDocuments,
}

/// Adds the best of these sections, each with its score, to a pack.
pub(crate) fn add_documents(
    pack: &mut Pack,
    input: &DocumentInput<'_>,
    sections: impl Iterator<Item = (SymbolId, f64)>,
) {
    let tokens = input.terms.iter().map(|term| (term.token.as_str(), term.contribution));
    let relevance = LineRelevance::new(tokens, pack.symbols.iter().map(|symbol| symbol.name.as_str()));
    let left = pack.budget.saturating_sub(pack.tokens_used);
    let share_of_budget = |share: f64| (share * pack.budget as f64) as usize;
    let most = share_of_budget(MIN_SHARE).max(pack.tokens_used / CODE_TOKENS_PER_TOKEN);
    let room = left.max(share_of_budget(MIN_SHARE)).min(share_of_budget(MAX_SHARE)).min(most);
    let chosen = choose_sections(input, &relevance, sections, room);
    if chosen.is_empty() {
        return;
    }
    let before = (pack.symbols.clone(), pack.tokens_used);
    let tokens: usize = chosen.iter().map(|forms| forms[0].tokens).sum();
    let wanted = (tokens + HEADING_TOKENS).saturating_sub(left);
    if shorten_last_texts(pack, input, &relevance, wanted) > 0 {
        measure_size(pack, input.size);
    }
    for forms in chosen {
        if !forms.into_iter().any(|form| try_form(pack, input.size, form)) {
            break;
        }
    }
    if pack.documents.is_empty() {
        (pack.symbols, pack.tokens_used) = before;
    }
}

/// Chooses the sections that fit into `room` tokens, each with its forms that fit, the most
/// detailed form first.
fn choose_sections(
    input: &DocumentInput<'_>,
    relevance: &LineRelevance,
    sections: impl Iterator<Item = (SymbolId, f64)>,
    mut room: usize,
) -> Vec<Vec<PackSymbol>> {
    let mut chosen: Vec<Vec<PackSymbol>> = Vec::new();
    for (section, score) in sections {
        let Some(item) = describe_section(input, section, score) else { continue };
        if chosen.iter().any(|shown| are_nested(&shown[0], &item)) {
            continue;
        }
        let mut forms = section_forms(input, relevance, item, room);
        forms.retain(|form| form.tokens <= room);
        let Some(first) = forms.first() else { break };
        room -= first.tokens;
        chosen.push(forms);
        if chosen.len() >= MAX_SECTIONS {
            break;
        }
    }
    chosen
}

/// Shortens the texts of the last symbols by `wanted` tokens in total, or by as many as they can
/// give up. Keeps the texts of the task's subjects and of pinned symbols. Returns the number of
/// freed tokens.
fn shorten_last_texts(
    pack: &mut Pack,
    input: &DocumentInput<'_>,
    relevance: &LineRelevance,
    wanted: usize,
) -> usize {
    let mut freed = 0;
    let is_minor = |item: &&mut PackSymbol| matches!(item.group, PackGroup::Related | PackGroup::Tests);
    for item in pack.symbols.iter_mut().rev().filter(is_minor) {
        if freed >= wanted {
            break;
        }
        let limit = item.tokens.saturating_sub(wanted - freed).max(MIN_TEXT_TOKENS);
        if item.text.is_none() || limit >= item.tokens {
            continue;
        }
        let Some(text) = input.texts.read_symbol(item.symbol) else { continue };
        let shown = &item.shown_lines;
        let is_hidden = |line: u32| !shown.iter().any(|(first, last)| (*first..=*last).contains(&line));
        // The name alone, from which the excerpt is built.
        let mut name = PackSymbol { detail: DetailLevel::Name, text: None, ..item.clone() };
        measure_tokens(&mut name);
        if let Some(shorter) = fit_item_text(&name, &text, relevance, &is_hidden, limit)
            && shorter.tokens < item.tokens
        {
            freed += item.tokens - shorter.tokens;
            *item = shorter;
        }
    }
    freed
}

/// Counts the tokens of the pack in its form, or of its items if the form is not known.
fn measure_size(pack: &mut Pack, size: Option<&dyn PackSize>) {
    match size {
        Some(size) => {
            measure_pack(pack, size);
        }
        None => {
            let items = pack.symbols.iter().chain(&pack.documents);
            pack.tokens_used = items.map(|item| item.tokens).sum();
        }
    }
}

/// Describes a section by its headings. Returns `None` if the request leaves its document out.
fn describe_section(input: &DocumentInput<'_>, section: SymbolId, score: f64) -> Option<PackSymbol> {
    let ranked = RankedSymbol::new(section, CandidateOrigin::Documents);
    let item = describe_symbol(input.snapshot, &ranked)?;
    if input.documents.leaves_out(&item.file) {
        return None;
    }
    Some(PackSymbol {
        group: PackGroup::Documentation,
        // The headings are the name.
        signature: String::new(),
        score,
        components: vec![ScoreComponent { name: "text", value: score }],
        ..item
    })
}

/// Whether one of two sections contains the other, so that they share lines.
fn are_nested(a: &PackSymbol, b: &PackSymbol) -> bool {
    a.file == b.file && a.text_line <= b.end_line && b.text_line <= a.end_line
}

/// Returns the forms of a section, the most detailed first.
fn section_forms(
    input: &DocumentInput<'_>,
    relevance: &LineRelevance,
    mut name: PackSymbol,
    room: usize,
) -> Vec<PackSymbol> {
    measure_tokens(&mut name);
    let mut forms = Vec::with_capacity(3);
    let limit = (room / 2).min(MAX_EXCERPT_TOKENS);
    if limit >= MIN_EXCERPT_TOKENS
        && let Some(text) = input.texts.read_symbol(name.symbol)
    {
        let inner = inner_sections(input.snapshot, &name);
        let is_hidden = |line: u32| inner.iter().any(|(first, last)| (*first..=*last).contains(&line));
        let excerpt = fit_item_text(&name, &text, relevance, &is_hidden, limit);
        forms.extend(excerpt.filter(|item| item.detail == DetailLevel::Body || shows_enough(item)));
    }
    if !name.doc.is_empty() {
        let mut signature = PackSymbol { detail: DetailLevel::Signature, ..name.clone() };
        measure_tokens(&mut signature);
        forms.push(signature);
    }
    forms.push(name);
    forms
}

/// Returns the 1-based lines of the sections inside a section. An excerpt leaves them out.
fn inner_sections(snapshot: &Snapshot, item: &PackSymbol) -> Vec<(u32, u32)> {
    let file = snapshot.file_of_symbol(item.symbol);
    let sections = file.into_iter().flat_map(|file| snapshot.file_symbol_refs(file));
    let inner = sections.filter(|section| section.id != item.symbol);
    let lines = inner.map(|section| (section.span.start_line + 1, section.span.end_line + 1));
    lines.filter(|(first, last)| *first > item.text_line && *last <= item.end_line).collect()
}

/// Whether an excerpt shows more than a heading.
fn shows_enough(item: &PackSymbol) -> bool {
    item.shown_lines.iter().map(|(first, last)| last - first + 1).sum::<u32>() >= MIN_EXCERPT_LINES
}

/// Adds a section in this form if the pack stays within its budget. Returns whether it added it.
fn try_form(pack: &mut Pack, size: Option<&dyn PackSize>, form: PackSymbol) -> bool {
    let used_before = pack.tokens_used;
    pack.documents.push(form);
    measure_size(pack, size);
    let fits = pack.tokens_used <= pack.budget;
    if !fits {
        pack.documents.pop();
        pack.tokens_used = used_before;
    }
    fits
}

#[cfg(test)]
mod tests {
    use crate::fixture::{SnapshotFixture, build_fixture};
    use crate::{Analysis, DetailLevel, Pack, PackDocuments, RankConfig, RequestOptions, TaskRequest};

    const SHOP: &str = "//- src/cart.py\nclass Cart: The goods that a customer wants.\nmethod Cart.add_item: Adds an item to the cart. { item }\n\
                        //- src/stock.py\nfunction check_stock: Whether goods are in the warehouse. { warehouse shelf }\n";

    const GUIDE: &str = "//- docs/guide.md\nsection Carts: Put every item into the cart of the customer. { add item cart }\n\
                         section Refunds: Money goes back. { refund money }\n";

    fn pack_task(fixture: &SnapshotFixture, budget: usize, documents: Option<PackDocuments>) -> Pack {
        let config = RankConfig::default();
        let options = RequestOptions { budget: Some(budget), documents, ..RequestOptions::default() };
        let request = TaskRequest { task: "add an item to the cart".to_owned(), options };
        Analysis::new(&fixture.snapshot, &config, fixture).pack_task(&request).pack
    }

    #[test]
    fn sections_that_match_are_added_and_symbols_stay() {
        let fixture = build_fixture(&[SHOP, GUIDE].concat());
        let everything = || Some(PackDocuments::default());
        let (with, without) = (pack_task(&fixture, 4_000, everything()), pack_task(&fixture, 4_000, None));
        let names: Vec<&str> = with.documents.iter().map(|section| section.name.as_str()).collect();
        assert_eq!(names, ["Carts"]);
        assert_eq!(with.documents[0].detail, DetailLevel::Body);
        assert_eq!((&with.symbols, &with.edges), (&without.symbols, &without.edges));
        assert!(without.documents.is_empty() && with.pack_root != without.pack_root);
        let folder = Some(PackDocuments { excluded_folder: "docs".to_owned() });
        assert_eq!(pack_task(&fixture, 4_000, folder), without);
        let other = Some(PackDocuments { excluded_folder: "doc".to_owned() });
        assert_eq!(pack_task(&fixture, 4_000, other), with);
    }

    #[test]
    fn a_workspace_without_documents_has_the_same_pack() {
        let fixture = build_fixture(SHOP);
        assert_eq!(
            pack_task(&fixture, 4_000, Some(PackDocuments::default())),
            pack_task(&fixture, 4_000, None)
        );
    }

    #[test]
    fn at_every_budget_the_symbols_stay_and_the_pack_fits() {
        let functions: String = (0..40)
            .map(|n| {
                let lines = format!("  add_item(cart, step_{n})\n").repeat(3 + n % 9);
                format!("function add_item_{n}: Adds an item to the cart. {{ item cart }}\n{lines}")
            })
            .collect();
        let fixture = build_fixture(&format!("//- src/many.py\n{functions}{GUIDE}"));
        let mut shown = 0;
        for budget in (100..6_000).step_by(150) {
            let with = pack_task(&fixture, budget, Some(PackDocuments::default()));
            let without = pack_task(&fixture, budget, None);
            let ids = |pack: &Pack| pack.symbols.iter().map(|symbol| symbol.id).collect::<Vec<_>>();
            assert_eq!(ids(&with), ids(&without), "{budget}");
            assert!(with.tokens_used <= budget, "{budget}: {}", with.tokens_used);
            if with.documents.is_empty() {
                assert_eq!(with, without, "{budget}");
            }
            shown += with.documents.len();
        }
        assert!(shown > 20, "{shown}");
    }
}
