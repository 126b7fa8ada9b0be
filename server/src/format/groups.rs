//! The groups in which the text forms show the symbols of a pack.

use super::wording::no_match_statement;
use crate::answer::AnsweredPack;
use kenning_retrieval::{Pack, PackGroup};

/// The groups of symbols, in the order of the text forms.
pub const GROUPS: [PackGroup; 4] =
    [PackGroup::Pinned, PackGroup::Subject, PackGroup::Related, PackGroup::Tests];

/// The heading of the sections of documents.
pub const DOCUMENTATION_HEADING: &str = "Documentation";

/// Returns the heading of a group, which depends on the kind of request.
pub fn group_heading(answer: &AnsweredPack, group: PackGroup) -> &'static str {
    match group {
        PackGroup::Pinned => "Pinned",
        PackGroup::Subject if answer.change.is_some() => "Changed",
        PackGroup::Subject if answer.pack.task.is_empty() => "In these files",
        PackGroup::Subject if no_match_statement(&answer.pack).is_some() => "Closest",
        PackGroup::Subject => "Change here",
        PackGroup::Related => "Related",
        PackGroup::Tests => "Tests",
        PackGroup::Documentation => DOCUMENTATION_HEADING,
    }
}

/// Returns the indices of a group's symbols, in the order of reading.
pub fn members_of_group(pack: &Pack, group: PackGroup) -> Vec<usize> {
    (0..pack.symbols.len()).filter(|&at| pack.symbols[at].group == group).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::samples::empty_answer;

    #[test]
    fn the_heading_of_the_subject_depends_on_the_request() {
        let mut answer = empty_answer("a task");
        assert_eq!(group_heading(&answer, PackGroup::Subject), "Change here");
        answer.pack.task.clear();
        assert_eq!(group_heading(&answer, PackGroup::Subject), "In these files");
    }
}
