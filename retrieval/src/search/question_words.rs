//! Removes words of a question that say nothing about code but are not stop words of the index.

use super::SearchRequest;
use std::borrow::Cow;

/// Pronouns that people use in questions. The index keeps them, because the learned order of packs
/// was trained on unchanged tasks. The search leaves them out (`docs/search.md`).
const PRONOUNS: [&str; 3] = ["he", "she", "they"];

/// Returns a request without the pronouns of its question. Keeps a question that has no other word,
/// because it may be a name.
pub(super) fn remove_pronouns(request: &SearchRequest) -> Cow<'_, SearchRequest> {
    let is_pronoun = |word: &&str| PRONOUNS.iter().any(|pronoun| word.eq_ignore_ascii_case(pronoun));
    let words: Vec<&str> = request.query.split_whitespace().collect();
    let pronouns = words.iter().copied().filter(|word| is_pronoun(word)).count();
    if pronouns == 0 || pronouns == words.len() {
        return Cow::Borrowed(request);
    }
    let rest: Vec<&str> = words.into_iter().filter(|word| !is_pronoun(word)).collect();
    Cow::Owned(SearchRequest { query: rest.join(" "), ..request.clone() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pronouns_are_left_out_unless_they_are_the_question() {
        let query = |text: &str| {
            let request = SearchRequest { query: text.to_owned(), ..SearchRequest::default() };
            remove_pronouns(&request).query.clone()
        };
        assert_eq!(query("where do they log in"), "where do log in");
        assert_eq!(query("how She  signs it"), "how signs it");
        assert_eq!(query("they"), "they");
        assert_eq!(query("is_they  valid"), "is_they  valid");
    }
}
