//! The registry of the formats of packs.
//!
//! [`PackFormat`] lists the formats. The command line, the arguments of the language server's
//! commands and the settings of the editors take their choices from it. Each format has one
//! [`PackCodec`], which renders a whole pack, the difference from a pack that the reader has, and
//! the note that this pack is unchanged.

use super::delta::PackDelta;
use super::sent_pack::SentPack;
use super::{gcb, gcf, json, markdown_codec, xml};
use crate::answer::AnsweredPack;
use crate::freshness::Freshness;
use crate::timings::StageTimings;
use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use clap::ValueEnum;
use kenning_retrieval::pack::count_tokens;
use kenning_retrieval::{DetailLevel, PackSymbol};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The format of a pack.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum PackFormat {
    /// Markdown, for people and chats.
    #[default]
    Markdown,
    /// XML, for agents that prefer elements.
    Xml,
    /// JSON, for programs.
    Json,
    /// GCF, the graph as short lines without code, for agents that read files themselves.
    Gcf,
    /// GCB, the same graph as bytes; base64 where an answer is text.
    Gcb,
}

impl PackFormat {
    /// Returns the codec of this format.
    pub fn codec(self) -> &'static dyn PackCodec {
        match self {
            Self::Markdown => &markdown_codec::MarkdownCodec,
            Self::Xml => &xml::XmlCodec,
            Self::Json => &json::JsonCodec,
            Self::Gcf => &gcf::GcfCodec,
            Self::Gcb => &gcb::GcbCodec,
        }
    }
}

/// Maximum number of times that a pack is rendered to count its tokens. The number is part of the
/// text, and two renderings are enough unless it gets another digit.
const MAX_COUNTS: usize = 8;

impl PackFormat {
    /// Returns the answer of a view with `tokens_used` as its reader counts them: the tokens of the
    /// whole pack in this format, with the number itself and the freshness, and without timings.
    /// `tokens_used` of the view's answer is what the budget counts, which reserves tokens for the
    /// freshness.
    ///
    /// # Errors
    /// Returns an error if serde cannot serialize the pack as JSON.
    pub fn count_used_tokens(self, view: &PackView<'_>) -> Result<AnsweredPack, serde_json::Error> {
        let mut answer = view.answer.clone();
        let count = |answer: &AnsweredPack| {
            let view = PackView { answer, timings: None, ..*view };
            Ok(self.codec().render_pack(&view)?.count_tokens())
        };
        if !self.codec().can_count_itself() {
            answer.pack.tokens_used = answer.pack.budget;
            answer.pack.tokens_used = count(&answer)?;
            return Ok(answer);
        }
        // More digits never take fewer tokens, so the numbers rise or fall until one is right.
        for _ in 0..MAX_COUNTS {
            let tokens = count(&answer)?;
            if answer.pack.tokens_used == tokens {
                break;
            }
            answer.pack.tokens_used = tokens;
        }
        Ok(answer)
    }
}

/// A pack with everything that its forms show.
#[derive(Clone, Copy)]
pub struct PackView<'a> {
    /// The answer.
    pub answer: &'a AnsweredPack,
    /// The freshness of the answer.
    pub freshness: &'a Freshness,
    /// The timings, if the answer has them. Only JSON shows them.
    pub timings: Option<&'a StageTimings>,
    /// Whether to add the basis of the ranking: score components, channels, evidence, whole ids.
    pub explain: bool,
}

/// Whether a form shows the signature and the documentation of a symbol: always with `explain`,
/// otherwise only at the detail level `Signature`. The text of a body contains them, and at lower
/// levels the budget allows only the name.
pub fn shows_signature(symbol: &PackSymbol, explain: bool) -> bool {
    explain || symbol.detail == DetailLevel::Signature
}

/// A pack in one of its formats.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RenderedPack {
    /// Text that ends with a line break.
    Text(String),
    /// Bytes of a binary format.
    Bytes(Vec<u8>),
}

impl RenderedPack {
    /// Returns the text; bytes become base64.
    pub fn into_text(self) -> String {
        match self {
            Self::Text(text) => text,
            Self::Bytes(bytes) => BASE64.encode(bytes),
        }
    }

    /// Returns the tokens that a model reads.
    pub fn count_tokens(&self) -> usize {
        match self {
            Self::Text(text) => count_tokens(text),
            Self::Bytes(bytes) => count_tokens(&BASE64.encode(bytes)),
        }
    }
}

/// Renders packs in one format.
///
/// # Errors
/// Each function returns an error if serde cannot serialize the pack as JSON.
pub trait PackCodec: Sync {
    /// Whether the format shows the texts of symbols.
    fn shows_text(&self) -> bool {
        true
    }

    /// Whether the format has a place for sections of documents.
    fn shows_documents(&self) -> bool {
        true
    }

    /// Whether some number in the place of `tokens_used` is the number of tokens of the text that
    /// has it. If not, the tokens are counted with the budget in its place.
    fn can_count_itself(&self) -> bool {
        true
    }

    /// Renders the whole pack.
    fn render_pack(&self, view: &PackView<'_>) -> Result<RenderedPack, serde_json::Error>;

    /// Renders a difference; `None` if the format has no form for it.
    fn render_delta(&self, delta: &PackDelta<'_>) -> Result<Option<RenderedPack>, serde_json::Error>;

    /// Renders the note that the reader has the current pack; `None` if the format has no form for
    /// it.
    fn render_unchanged(
        &self,
        pack: &SentPack,
        view: &PackView<'_>,
    ) -> Result<Option<RenderedPack>, serde_json::Error>;
}
