//! Token counts as a model sees them.

/// Tokens of `text` in the `o200k_base` encoding, a stand-in for the tokenizers of current models. The dictionary is
/// loaded at the first call.
pub fn count_tokens(text: &str) -> usize {
    bpe_openai::o200k_base().count(text)
}
