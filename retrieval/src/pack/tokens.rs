//! Token counts as a model sees them.

/// Tokens of `text` in the `cl100k_base` encoding, a stand-in for the tokenizers of current models.
///
/// The first call loads the dictionary (about 20 ms, a third of what its successor `o200k_base` takes); a caller with
/// something else to do meanwhile may make that call on another thread.
pub fn count_tokens(text: &str) -> usize {
    bpe_openai::cl100k_base().count(text)
}
