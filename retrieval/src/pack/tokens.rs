//! Counts tokens as language models do.

/// Counts the tokens of `text` in the `cl100k_base` encoding, which approximates the tokenizers
/// of current models.
///
/// The first call loads the dictionary, which takes about 20 ms (a third of what its successor
/// `o200k_base` takes). A caller with other work to do can make that call on another thread.
pub fn count_tokens(text: &str) -> usize {
    bpe_openai::cl100k_base().count(text)
}
