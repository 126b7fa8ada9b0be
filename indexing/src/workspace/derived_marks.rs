//! Keeps the marks of derived files up to date, and attaches them to the graph.
//!
//! Each refresh renews the evidence that it has seen: that of the texts that it read, that of the
//! surroundings of the files that it walked, and, if it read the whole tree, that of the
//! definitions. The rest stays as stored.

use super::{DiskIndex, WorkspaceError};
use crate::derived::find_built_files;
use crate::walk::WalkedFile;
use kenning_graph::derived::{DerivedEvidence, DerivedFiles, DerivedReason};
use std::collections::BTreeSet;

/// The evidence that one refresh has seen.
#[derive(Default)]
pub(super) struct DerivedFindings {
    /// The read files, with the reasons that their texts give.
    pub texts: Vec<(String, Option<DerivedReason>)>,
    /// The walked files, with the reasons that their surroundings give.
    pub surroundings: Vec<(String, Option<DerivedReason>)>,
}

impl DerivedFindings {
    /// Adds the reasons that the surroundings of walked files give.
    pub fn add_walked_files(&mut self, files: &[WalkedFile]) {
        self.surroundings.extend(files.iter().map(|file| (file.path.clone(), file.derived)));
    }
}

impl DiskIndex {
    /// Renews the marks by texts and surroundings from the findings of a refresh, of the whole tree or
    /// of named files. Returns whether they changed.
    pub(super) fn renew_derived_files(
        &mut self,
        findings: DerivedFindings,
        whole: bool,
    ) -> Result<bool, WorkspaceError> {
        let mut next = self.derived.clone();
        if whole {
            next.clear_evidence(DerivedEvidence::Surroundings);
        }
        let DerivedFindings { texts, surroundings } = findings;
        for (seen, evidence) in
            [(texts, DerivedEvidence::Text), (surroundings, DerivedEvidence::Surroundings)]
        {
            for (path, reason) in seen {
                if reason.is_some() || !next.is_empty() {
                    next.set_reason(&path, evidence, reason);
                }
            }
        }
        if whole {
            next.retain_paths(|path| self.snapshot.file_by_path(path).is_some());
        }
        self.replace_derived_files(next)
    }

    /// Renews the marks by definitions, which are compared among all files. That is too slow after
    /// every save. Needs the edges of the graph.
    pub(super) fn renew_built_files(&mut self) -> Result<(), WorkspaceError> {
        let published: BTreeSet<&str> = self
            .project
            .node_packages
            .iter()
            .flat_map(|package| package.published.iter().map(String::as_str))
            .collect();
        let built = find_built_files(&self.snapshot, &self.derived, &published);
        let mut next = self.derived.clone();
        next.clear_evidence(DerivedEvidence::Definitions);
        for path in built {
            next.set_reason(&path, DerivedEvidence::Definitions, Some(DerivedReason::Built));
        }
        self.replace_derived_files(next).map(drop)
    }

    /// Replaces the marks, and stores them if this process is the writer. Returns whether they
    /// changed.
    fn replace_derived_files(&mut self, next: DerivedFiles) -> Result<bool, WorkspaceError> {
        if next == self.derived {
            return Ok(false);
        }
        if self.is_writer() {
            self.store.store_derived_files(&next)?;
        }
        self.derived = next;
        Ok(true)
    }

    /// Attaches the marks to the graph, unless the options turn them off.
    pub(super) fn attach_derived_files(&mut self) {
        let none = DerivedFiles::default();
        let files = if self.options.mark_derived { &self.derived } else { &none };
        self.snapshot = self.snapshot.clone().with_derived_files(files);
    }
}

#[cfg(test)]
mod tests;
