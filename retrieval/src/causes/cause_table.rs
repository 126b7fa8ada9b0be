//! The causes of a rank, and the table of the features and components that measure them.

use serde::Deserialize;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// Something that raises or lowers the score of a symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RankCause {
    /// Words of the task in the symbol's name.
    Name,
    /// Words of the task in the name around the symbol, such as that of its class.
    Container,
    /// Words of the task in the path of its file.
    Path,
    /// Words of the task in its signature.
    Signature,
    /// Words of the task in its documentation.
    Documentation,
    /// Words of the task in its code.
    Code,
    /// Words of the task in its string literals.
    Strings,
    /// Words of the task in its comments.
    Comments,
    /// Words of the task anywhere in the symbol, if no field accounts for them.
    Words,
    /// The order of the earlier stages, if no channel found the symbol.
    Order,
    /// A file or line that the task names.
    Location,
    /// A test that the task names.
    NamedTest,
    /// A message or value that the task quotes.
    QuotedText,
    /// An equivalence class with a phrase of the task.
    Classes,
    /// A framework's equivalence class that puts its targets first.
    Injection,
    /// The vector of the task.
    Vectors,
    /// Commits with messages like the task.
    Commits,
    /// Changes of the code: how recent and how frequent they are.
    Activity,
    /// A commit within the last 30 days.
    RecentCommit,
    /// A recorded run.
    RecordedRun,
    /// Calls and uses between it and other candidates.
    Connections,
    /// Candidates among its members, its container and their other members.
    Members,
    /// Candidates in its file.
    File,
    /// Symbols of the same name.
    Namesakes,
    /// The symbols that use it.
    Users,
    /// Its kind.
    Kind,
    /// Its length.
    Size,
    /// Its role as test code.
    TestCode,
    /// A path of old, copied or generated code.
    OldCode,
    /// Ratings by readers.
    Feedback,
    /// Uses by readers, such as opening or editing it.
    Usage,
    /// Words that led to it in earlier tasks.
    Vocabulary,
    /// An earlier task like this one.
    TaskMemory,
    /// The session, in which the symbol was shown before.
    Session,
    /// The user's pin.
    Pinned,
    /// The fallback for huge workspaces.
    Fallback,
    /// Signals without a sentence of their own.
    Other,
}

impl RankCause {
    /// All causes, in the order of their numbers.
    pub const ALL: [Self; 37] = {
        use RankCause::{
            Activity, Classes, Code, Comments, Commits, Connections, Container, Documentation, Fallback,
            Feedback, File, Injection, Kind, Location, Members, Name, NamedTest, Namesakes, OldCode, Order,
            Other, Path, Pinned, QuotedText, RecentCommit, RecordedRun, Session, Signature, Size, Strings,
            TaskMemory, TestCode, Usage, Users, Vectors, Vocabulary, Words,
        };
        [
            Name,
            Container,
            Path,
            Signature,
            Documentation,
            Code,
            Strings,
            Comments,
            Words,
            Order,
            Location,
            NamedTest,
            QuotedText,
            Classes,
            Injection,
            Vectors,
            Commits,
            Activity,
            RecentCommit,
            RecordedRun,
            Connections,
            Members,
            File,
            Namesakes,
            Users,
            Kind,
            Size,
            TestCode,
            OldCode,
            Feedback,
            Usage,
            Vocabulary,
            TaskMemory,
            Session,
            Pinned,
            Fallback,
            Other,
        ]
    };

    /// The causes of words in one field, each with the field of the text index, the most
    /// informative field first.
    pub const FIELDS: [(Self, kenning_graph::text::TextField); 8] = {
        use kenning_graph::text::TextField as Field;
        [
            (Self::Name, Field::Name),
            (Self::Container, Field::Container),
            (Self::Path, Field::Path),
            (Self::Signature, Field::Signature),
            (Self::Documentation, Field::Doc),
            (Self::Comments, Field::Comments),
            (Self::Strings, Field::Strings),
            (Self::Code, Field::Code),
        ]
    };

    /// Returns the words for the cause in a table of numbers.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Name => "words in its name",
            Self::Container => "words in the name around it",
            Self::Path => "words in its path",
            Self::Signature => "words in its signature",
            Self::Documentation => "words in its documentation",
            Self::Code => "words in its code",
            Self::Strings => "words in its strings",
            Self::Comments => "words in its comments",
            Self::Words => "words anywhere",
            Self::Order => "order of the first search",
            Self::Location => "named file or line",
            Self::NamedTest => "named test",
            Self::QuotedText => "quoted text",
            Self::Classes => "phrases that stand for it",
            Self::Injection => "framework class",
            Self::Vectors => "vectors",
            Self::Commits => "similar commits",
            Self::Activity => "how often and how recently it changed",
            Self::RecentCommit => "recent commit",
            Self::RecordedRun => "recorded run",
            Self::Connections => "calls and uses among the found symbols",
            Self::Members => "found members and containers",
            Self::File => "found symbols in its file",
            Self::Namesakes => "symbols of the same name",
            Self::Users => "number of users",
            Self::Kind => "kind",
            Self::Size => "length",
            Self::TestCode => "test code",
            Self::OldCode => "old or generated code",
            Self::Feedback => "feedback",
            Self::Usage => "use",
            Self::Vocabulary => "learned words",
            Self::TaskMemory => "earlier tasks",
            Self::Session => "shown in this session",
            Self::Pinned => "pin",
            Self::Fallback => "fallback for huge workspaces",
            Self::Other => "small signals",
        }
    }

    /// Returns the cause that a feature of the learned ranker, or a component of a score, measures.
    pub(crate) fn from_signal(name: &str) -> Self {
        CAUSES.get(name).copied().unwrap_or(Self::Other)
    }
}

static CAUSES: LazyLock<BTreeMap<String, RankCause>> = LazyLock::new(|| {
    let mut causes = BTreeMap::new();
    for (cause, names) in parse_table() {
        causes.extend(names.split_whitespace().map(|name| (name.replace('_', " "), cause)));
        causes.extend(names.split_whitespace().map(|name| (name.to_owned(), cause)));
    }
    causes
});

fn parse_table() -> BTreeMap<RankCause, String> {
    toml::from_str(include_str!("../../data/rank_causes.toml"))
        .expect("rank_causes.toml is checked by a test")
}

#[cfg(test)]
mod tests {
    use super::{RankCause, parse_table};
    use crate::learned::feature_names;
    use crate::rerank::FEATURES;
    use std::collections::BTreeMap;

    /// Names of the score components of all stages except the rerankers.
    const COMPONENTS: [&str; 29] = [
        "bm25",
        "tiered",
        "classes",
        "history",
        "history_files",
        "location",
        "tested",
        "literal",
        "vectors",
        "gap_fill",
        "walk",
        "learned_base",
        "file_vote",
        "injection",
        "fallback",
        "pinned",
        "given",
        "blast_radius",
        "confidence",
        "recency",
        "distance",
        "authority",
        "test_file",
        "feedback",
        "usage",
        "vocabulary",
        "task_memory",
        "session",
        "commit_recency",
    ];

    #[test]
    fn every_signal_has_exactly_one_cause() {
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        let table = parse_table();
        for name in table.values().flat_map(|names| names.split_whitespace()) {
            *counts.entry(name.to_owned()).or_default() += 1;
        }
        let known: Vec<&str> = feature_names().iter().copied().chain(FEATURES).chain(COMPONENTS).collect();
        for name in &known {
            assert_eq!(counts.get(*name), Some(&1), "{name}");
        }
        let unknown: Vec<&String> = counts.keys().filter(|name| !known.contains(&name.as_str())).collect();
        assert!(unknown.is_empty(), "{unknown:?}");
    }

    #[test]
    fn causes_are_listed_once_and_in_the_order_of_their_numbers() {
        for (at, cause) in RankCause::ALL.iter().enumerate() {
            assert_eq!(*cause as usize, at);
            assert!(parse_table().contains_key(cause), "{cause:?}");
        }
        assert_eq!(RankCause::from_signal("gap fill"), RankCause::Vectors);
        assert_eq!(RankCause::from_signal("no such signal"), RankCause::Other);
    }
}
