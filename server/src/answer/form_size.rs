//! Measures packs in the form of an answer, for which the budget counts.

use super::{AnswerFrame, PackForm};
use crate::format::{PackFormat, PackView};
use crate::freshness::Freshness;
use kenning_retrieval::{Pack, PackSize};

/// The number of tokens that describe the freshness of an answer without language servers: the time
/// of the index and the commit. The budget counts this number instead of the freshness itself, so
/// that the same request always has the same pack.
const FRESHNESS_TOKENS: usize = 64;

/// The share of the tokens of a pack in base64 that is reserved: the same bytes took up to a fiftieth
/// more tokens at another offset.
const BASE64_SHARE: usize = 32;

/// Measures packs in the form of an answer.
pub struct FormSize<'a> {
    /// The form.
    pub form: PackForm,
    /// The answer without its pack.
    pub frame: &'a AnswerFrame,
}

impl PackSize for FormSize<'_> {
    fn count_rendered(&self, pack: &Pack) -> usize {
        let PackForm { format, explain } = self.form;
        let answer = self.frame.clone().with_pack(pack.clone());
        let freshness = Freshness::default();
        let view = PackView { answer: &answer, freshness: &freshness, timings: None, explain };
        // A pack that cannot be rendered fits no budget; rendering the answer reports the error.
        let rendered = format.codec().render_pack(&view);
        let tokens = rendered.map_or(usize::MAX - FRESHNESS_TOKENS, |rendered| rendered.count_tokens());
        let reserve = if format == PackFormat::Gcb { tokens / BASE64_SHARE } else { 0 };
        (tokens + FRESHNESS_TOKENS).saturating_add(reserve)
    }

    fn shows_text(&self) -> bool {
        self.form.format.codec().shows_text()
    }

    fn shows_documents(&self) -> bool {
        self.form.format.codec().shows_documents()
    }
}
