//! Derived files: files of the workspace that a program wrote or copied, so that no one edits them.
//!
//! Indexing finds them and attaches them to the snapshot ([`crate::Snapshot::with_derived_files`]).
//! They stay in the graph, because code uses what they define, but answers put them behind the
//! source that they were made from.

use std::collections::BTreeMap;

/// The reason why no one edits a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DerivedReason {
    /// The head of the file, or an attribute, states that a program wrote it.
    Generated,
    /// A compiler or bundler wrote the file from other files.
    Built,
    /// An attribute states that the file is a copy of third-party code.
    Vendored,
}

impl DerivedReason {
    /// All reasons, in the order of their numbers in the database.
    pub const ALL: [Self; 3] = [Self::Generated, Self::Built, Self::Vendored];

    /// Returns the name in data formats.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Generated => "generated",
            Self::Built => "built",
            Self::Vendored => "vendored",
        }
    }

    /// Returns the reason with this name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|reason| reason.as_str() == name)
    }
}

/// The origin of the evidence that a file is derived. Each origin is renewed by another phase of a
/// refresh.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DerivedEvidence {
    /// The text of the file. Known once the file is read.
    Text,
    /// Something outside of the file: attributes, a source map beside it. Known after each walk.
    Surroundings,
    /// The definitions of the file, compared with those of all files.
    Definitions,
}

impl DerivedEvidence {
    /// All origins.
    pub const ALL: [Self; 3] = [Self::Text, Self::Surroundings, Self::Definitions];

    /// Returns the name in the database.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Surroundings => "surroundings",
            Self::Definitions => "definitions",
        }
    }

    /// Returns the origin with this name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|evidence| evidence.as_str() == name)
    }
}

/// The derived files of a workspace by path, with the reason for each piece of evidence.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DerivedFiles {
    marks: BTreeMap<(String, DerivedEvidence), DerivedReason>,
}

impl DerivedFiles {
    /// Replaces the evidence of one origin about a file. `None` removes it.
    pub fn set_reason(&mut self, path: &str, evidence: DerivedEvidence, reason: Option<DerivedReason>) {
        let key = (path.to_owned(), evidence);
        match reason {
            Some(reason) => self.marks.insert(key, reason),
            None => self.marks.remove(&key),
        };
    }

    /// Removes all evidence about files that `keep` rejects.
    pub fn retain_paths(&mut self, mut keep: impl FnMut(&str) -> bool) {
        self.marks.retain(|(path, _), _| keep(path));
    }

    /// Removes all evidence of one origin.
    pub fn clear_evidence(&mut self, cleared: DerivedEvidence) {
        self.marks.retain(|(_, evidence), _| *evidence != cleared);
    }

    /// Returns the reason why no one edits the file at `path`; `None` for source.
    pub fn reason_of_path(&self, path: &str) -> Option<DerivedReason> {
        let reason = |evidence| self.marks.get(&(path.to_owned(), evidence));
        DerivedEvidence::ALL.into_iter().find_map(reason).copied()
    }

    /// Returns all marks: path, evidence and reason, sorted.
    pub fn marks(&self) -> impl Iterator<Item = (&str, DerivedEvidence, DerivedReason)> {
        self.marks.iter().map(|((path, evidence), reason)| (path.as_str(), *evidence, *reason))
    }

    /// Returns the derived files with their reasons, sorted by path, each once.
    pub fn files(&self) -> impl Iterator<Item = (&str, DerivedReason)> {
        let mut last = None;
        self.marks.iter().filter_map(move |((path, _), reason)| {
            (last.replace(path) != Some(path)).then_some((path.as_str(), *reason))
        })
    }

    /// Whether no file is derived.
    pub fn is_empty(&self) -> bool {
        self.marks.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_derived_until_its_last_evidence_is_gone() {
        let mut files = DerivedFiles::default();
        files.set_reason("a.js", DerivedEvidence::Surroundings, Some(DerivedReason::Vendored));
        files.set_reason("a.js", DerivedEvidence::Text, Some(DerivedReason::Generated));
        files.set_reason("b.js", DerivedEvidence::Definitions, Some(DerivedReason::Built));
        assert_eq!(
            files.files().collect::<Vec<_>>(),
            [("a.js", DerivedReason::Generated), ("b.js", DerivedReason::Built)]
        );
        files.set_reason("a.js", DerivedEvidence::Text, None);
        assert_eq!(files.reason_of_path("a.js"), Some(DerivedReason::Vendored));
        files.clear_evidence(DerivedEvidence::Surroundings);
        assert_eq!(files.reason_of_path("a.js"), None);
        files.retain_paths(|path| path != "b.js");
        assert!(files.is_empty());
    }

    #[test]
    fn names_in_the_database_can_be_read_back() {
        for reason in DerivedReason::ALL {
            assert_eq!(DerivedReason::parse(reason.as_str()), Some(reason));
        }
        for evidence in DerivedEvidence::ALL {
            assert_eq!(DerivedEvidence::parse(evidence.as_str()), Some(evidence));
        }
    }
}
