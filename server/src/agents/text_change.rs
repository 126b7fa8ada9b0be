//! One replaced span of a text, from which the earlier text can be restored.

use serde::{Deserialize, Serialize};

/// A change of a text: one span was replaced.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TextChange {
    /// The text of the span before the change.
    pub removed: String,
    /// The text of the span after the change.
    pub inserted: String,
}

impl TextChange {
    /// Returns the smallest change that turns `before` into `after`.
    pub fn from_texts(before: &str, after: &str) -> Self {
        let prefix = common_prefix_len(before, after);
        let (old, new) = (&before[prefix..], &after[prefix..]);
        let suffix = common_suffix_len(old, new);
        Self { removed: old[..old.len() - suffix].to_owned(), inserted: new[..new.len() - suffix].to_owned() }
    }

    /// Returns the text before the change. Returns `None` if the inserted text does not occur
    /// exactly once in `text`.
    pub fn undo_in(&self, text: &str) -> Option<String> {
        if self.inserted.is_empty() {
            return None;
        }
        let (start, end) = text.split_once(&self.inserted)?;
        let is_unique = !end.contains(&self.inserted);
        is_unique.then(|| format!("{start}{}{end}", self.removed))
    }
}

/// Returns the length in bytes of the longest common prefix.
fn common_prefix_len(a: &str, b: &str) -> usize {
    a.chars().zip(b.chars()).take_while(|(a, b)| a == b).map(|(char, _)| char.len_utf8()).sum()
}

/// Returns the length in bytes of the longest common suffix.
fn common_suffix_len(a: &str, b: &str) -> usize {
    a.chars().rev().zip(b.chars().rev()).take_while(|(a, b)| a == b).map(|(char, _)| char.len_utf8()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_change_is_small_and_can_be_undone_among_other_changes() {
        let change = TextChange::from_texts("{\"a\": 1}", "{\"a\": 1, \"kenning\": 2}");
        assert_eq!((change.removed.as_str(), change.inserted.as_str()), ("", ", \"kenning\": 2"));
        let later = "// new\n{\"a\": 1, \"kenning\": 2, \"b\": 3}";
        assert_eq!(change.undo_in(later).as_deref(), Some("// new\n{\"a\": 1, \"b\": 3}"));
        assert_eq!(change.undo_in("{\"kenning\": 2}"), None);
        assert_eq!(change.undo_in(&later.repeat(2)), None, "it is not clear which one was inserted");
    }

    proptest! {
        #[test]
        fn an_insertion_into_any_text_can_be_undone(
            start in "[a-z{é\\n\\r ]{0,12}", end in "[a-z}é\\n ]{0,12}", new in "KEN[a-zé]{1,6}"
        ) {
            let (before, after) = (format!("{start}{end}"), format!("{start}{new}{end}"));
            let undone = TextChange::from_texts(&before, &after).undo_in(&after);
            prop_assert_eq!(undone, Some(before));
        }
    }
}
