//! Reads the text of a symbol from its file, and trims it to a number of tokens.

use super::{DetailLevel, PackSymbol, render_item};
use crate::pack::count_tokens;
use crate::text_source::TextSource;
use kenning_graph::{Snapshot, credentials};

/// Returns the lines of a symbol's declaration from the file, with credentials masked and without
/// the line break at the end. Returns `None` if the text is not available or does not match the
/// snapshot.
pub(crate) fn declaration_lines(
    snapshot: &Snapshot,
    source: &dyn TextSource,
    item: &PackSymbol,
) -> Option<String> {
    let symbol = snapshot.symbol(item.symbol)?;
    let file = snapshot.file(symbol.file?)?;
    let text = source.read_text(file.path, &file.content_hash)?;
    let (start, end) = (symbol.span.start as usize, symbol.span.end as usize);
    let body = text.get(start..end)?;
    // Start at the beginning of the line, so that the shown lines are exactly those of the file.
    let before = text.get(..start)?;
    let indentation = &before[before.rfind('\n').map_or(0, |at| at + 1)..];
    let indentation = if indentation.trim().is_empty() { indentation } else { "" };
    let whole = format!("{indentation}{body}");
    let whole = whole.trim_end();
    (!whole.is_empty()).then(|| credentials::mask_credentials(whole).replace("\r\n", "\n"))
}

/// Returns `item` with its whole text, or with the longest prefix of whole lines that keeps the
/// item within `limit` tokens. Returns `None` if not even one line fits.
pub(crate) fn item_with_text(item: &PackSymbol, text: &str, limit: usize) -> Option<PackSymbol> {
    let mut whole = item.clone();
    whole.detail = DetailLevel::Body;
    whole.text = Some(text.to_owned());
    // No token is longer than this, so a much longer text is over the limit without counting.
    const LONGEST_TOKEN: usize = 128;
    if text.len() <= limit.saturating_mul(LONGEST_TOKEN) && measure_tokens(&mut whole) <= limit {
        return Some(whole);
    }
    let ends: Vec<usize> = text.match_indices('\n').map(|(at, _)| at).collect();
    let trimmed = |lines: usize| {
        let mut item = item.clone();
        item.detail = DetailLevel::Trimmed;
        item.text = Some(text[..ends[lines - 1]].to_owned());
        (measure_tokens(&mut item) <= limit).then_some(item)
    };
    // A line has at least one token.
    let (mut fits, mut low, mut high) = (None, 1, ends.len().min(limit));
    while low <= high {
        let middle = usize::midpoint(low, high);
        match trimmed(middle) {
            Some(item) => {
                fits = Some(item);
                low = middle + 1;
            }
            None => high = middle - 1,
        }
    }
    fits
}

/// Counts the tokens of `item` as it is rendered, and stores the number in it.
pub(crate) fn measure_tokens(item: &mut PackSymbol) -> usize {
    item.tokens = count_tokens(&render_item(item));
    item.tokens
}
