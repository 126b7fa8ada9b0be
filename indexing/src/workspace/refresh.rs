//! Refreshes the graph from the disk: reads, extracts, resolves and commits changed files.
//!
//! The input is a [`RefreshScope`]. The phases:
//!
//! 1. Walk the tree, or only the paths that lead to the named files, while the image is read.
//! 2. Compare with the graph. A full refresh skips a file only if its size and times show that it
//!    is unchanged; a refresh of named files reads all of them.
//! 3. Read the changed files in batches. Their facts come from the cache, from open buffers or from
//!    extraction.
//! 4. Read the manifests, if files were added or removed or the whole tree was walked.
//! 5. Resolve the changed files and the files that they affect (`apply_changes.rs`).
//! 6. Commit to SQLite if this process is the writer. If the overlay became large, write a new
//!    image.
//!
//! The output is a new snapshot in [`DiskIndex`] and an [`IndexReport`]. If the database turns out
//! to be damaged, it is replaced and the whole tree is read.

use super::apply_changes::{ChangeVolume, ExtraFiles, GraphChanges, apply_changes};
use super::changed_owners::files_with_changed_owners;
use super::derived_marks::DerivedFindings;
use super::empty_file_wait::{EmptyFileWait, read_finished_file};
use super::error::is_damaged_graph;
use super::facts_source::{FactsRequest, NewFacts, ReadFile, now_seconds};
use super::index_report::{IndexProgress, IndexReport};
use super::{DiskIndex, RefreshScope, TreeFindings, WorkspaceError};
use crate::derived::reason_in_text;
use crate::extract::extractor_version;
use crate::languages::LanguageRegistry;
use crate::project::Project;
use crate::resolve::{RESOLVER_VERSION, files_with_changed_dependencies};
use crate::walk::{
    SkipReason, SkippedFile, WalkOptions, WalkResult, WalkedFile, content_skip_reason, walk_paths, walk_tree,
};
use kenning_graph::paths::parent_folders;
use kenning_graph::snapshot::FileChange;
use kenning_graph::store::FileStat;
use kenning_graph::{FileId, Hash};
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Instant;

/// Number of files that are read together. Bounds the memory for their bytes.
const FILES_PER_BATCH: usize = 256;

/// Length in seconds of the period before the last check in which a change may have been missed. A
/// file with a time in that period is read again.
const RACY_SECONDS: u64 = 2;

/// Share of the files in the overlay above which it is compacted into a new image.
const COMPACTION_SHARE: f64 = 0.02;
/// Number of files in the overlay up to which it is not compacted.
const COMPACTION_MIN_FILES: usize = 32;
/// Share of the files above which compaction does not wait for an idle moment. The minimum number
/// of files grows by the same factor.
const OVERDUE_COMPACTION_SHARE: f64 = 4.0 * COMPACTION_SHARE;
/// Share of the files above which the new image is written before any reader gets the overlay, so
/// that such a large overlay is not held in memory twice.
const IMMEDIATE_COMPACTION_SHARE: f64 = 0.25;

/// The difference between the disk and the graph.
#[derive(Default)]
struct DiskDifference {
    changes: Vec<FileChange>,
    removed: Vec<String>,
    touched: Vec<(String, i64)>,
    /// All paths of the new graph, sorted, if they may differ from the old ones. The manifests are
    /// then read again.
    present: Option<Vec<String>>,
    derived: DerivedFindings,
    report: IndexReport,
}

/// The rules by which a refresh resolves, compared with the rules of the stored graph.
struct RefreshRules {
    /// The resolver's version and the fingerprint of the manifests.
    rules: String,
    /// The rules and the fingerprints of the code owners and the dependencies.
    fingerprint: String,
    /// Whether the fingerprint differs from the stored one.
    rules_changed: bool,
    /// Whether the stored facts are from another version of the extractor.
    stale: bool,
    /// Whether the whole tree was compared.
    whole: bool,
    /// The time of the refresh, in seconds since the Unix epoch.
    now: u64,
}

impl DiskIndex {
    /// Refreshes the graph from the part of the disk that `scope` covers; the first call builds the
    /// whole index. A process that is not the writer keeps the result in memory.
    ///
    /// # Errors
    /// Returns an error if the tree or a database cannot be read, or if `progress` is cancelled.
    pub fn refresh_within(
        &mut self,
        scope: &RefreshScope,
        progress: &dyn IndexProgress,
    ) -> Result<IndexReport, WorkspaceError> {
        let paths = self.options.database_paths(&self.root)?;
        self.leave_private_graph()?;
        let refreshed = match self.take_damage() {
            Some(damage) => Err(damage),
            None => self.refresh_in_pool(scope, progress),
        };
        let report = match refreshed {
            Err(error) if is_damaged_graph(&error, &paths) => {
                self.start_over(error)?;
                self.refresh_in_pool(&RefreshScope::Whole, progress)?
            }
            other => other?,
        };
        self.has_to_be_rebuilt = false;
        if let Some(lock) = &self.lock {
            lock.record_commit(&self.meta);
        }
        Ok(report)
    }

    fn refresh_in_pool(
        &mut self,
        scope: &RefreshScope,
        progress: &dyn IndexProgress,
    ) -> Result<IndexReport, WorkspaceError> {
        let Some(threads) = self.options.threads.filter(|&threads| threads > 0) else {
            return self.refresh_on_thread(scope, progress);
        };
        match crate::reader_threads::build_reader_pool(threads) {
            Ok(pool) => pool.install(|| self.refresh_on_thread(scope, progress)),
            Err(_) => self.refresh_on_thread(scope, progress),
        }
    }

    fn refresh_on_thread(
        &mut self,
        scope: &RefreshScope,
        progress: &dyn IndexProgress,
    ) -> Result<IndexReport, WorkspaceError> {
        let started = Instant::now();
        // Files that change from here on may have been read before the change, so this is the time
        // of the refresh.
        let now = now_seconds();
        // Another thread reads the image during the walk.
        let walked = if self.unloaded.is_some() { Some(self.walk_tree(None)?) } else { None };
        self.ensure_loaded()?;
        self.follow_other_writers()?;
        let stale = self.meta.extractor != extractor_version();
        let named_paths =
            scope.named_files().filter(|_| self.tree_was_read && !stale && self.unloadable.is_empty());
        let whole = named_paths.is_none();
        let mut difference = match named_paths {
            None => self.whole_difference(walked, now, progress)?,
            Some(paths) => self.named_difference(paths, progress)?,
        };
        if let Some(present) = difference.present.take() {
            let project = Project::load_manifests(&self.root, &present);
            if project != *self.project {
                self.project = Arc::new(project);
            }
        }
        // Another version of the resolver gives other edges from the same manifests.
        let rules = format!("{RESOLVER_VERSION}-{}", self.project.fingerprint());
        let fingerprint = format!(
            "{rules}-{}-{}",
            self.project.owners.owners_fingerprint(),
            self.project.dependencies_fingerprint()
        );
        let rules_changed = fingerprint != self.meta.project && self.meta.revision > 0;
        if !difference.changes.is_empty() || rules_changed {
            let rules = RefreshRules { rules, fingerprint, rules_changed, stale, whole, now };
            self.resolve_and_commit(&mut difference, rules, progress)?;
        } else {
            if self.renew_derived_files(std::mem::take(&mut difference.derived), whole)? && whole {
                self.renew_built_files()?;
            }
            if self.is_writer() && whole {
                self.meta.checked_at = now;
                self.store.set_checked_at(now)?;
            }
        }
        self.attach_derived_files();
        if self.is_writer() && !difference.touched.is_empty() {
            self.store.set_mtimes(&difference.touched)?;
        }
        if named_paths.is_none() {
            self.findings = TreeFindings {
                problems: self.add_git_problem(std::mem::take(&mut difference.report.problems)),
                unknown_extensions: std::mem::take(&mut difference.report.unknown_extensions),
                ..TreeFindings::default()
            };
            self.unloadable.clear();
            self.tree_was_read = true;
            self.head = crate::git::head_commit(&self.root);
        }
        Ok(self.finish_report(difference.report, started))
    }

    /// Resolves the changed and the affected files, and commits the graph if this process is the
    /// writer.
    fn resolve_and_commit(
        &mut self,
        difference: &mut DiskDifference,
        RefreshRules { rules, fingerprint, rules_changed, stale, whole, now }: RefreshRules,
        progress: &dyn IndexProgress,
    ) -> Result<(), WorkspaceError> {
        progress.report_progress("resolve", 0, difference.changes.len());
        let changes = std::mem::take(&mut difference.changes);
        let stored = |path: &str, language: &str, hash: &Hash| {
            self.facts.facts_of_file(&self.root, path, language, hash)
        };
        let extra = match (rules_changed, self.meta.project.starts_with(&rules)) {
            (false, _) => ExtraFiles::Files(Vec::new()),
            (true, true) => {
                let mut files = files_with_changed_owners(&self.snapshot, &self.project.owners);
                files.extend(files_with_changed_dependencies(&self.snapshot, &self.project));
                files.sort_unstable();
                files.dedup();
                ExtraFiles::Files(files)
            }
            (true, false) => ExtraFiles::All,
        };
        // An image from another extractor version may contain what this version masks as a
        // credential, so it is replaced.
        let new_image = self.writes_new_image(changes.len(), stale || matches!(extra, ExtraFiles::All));
        let applied = apply_changes(
            &self.snapshot,
            &self.project,
            GraphChanges { files: changes, extra },
            if new_image { ChangeVolume::Bulk } else { ChangeVolume::Small },
            &stored,
        );
        let report = &mut difference.report;
        report.resolved_files = applied.changed.len() + applied.resolved.len();
        if progress.is_cancelled() {
            return Err(WorkspaceError::Cancelled);
        }
        progress.report_progress("store", 0, report.resolved_files);
        self.meta.revision += 1;
        self.meta.extractor = extractor_version();
        self.meta.project = fingerprint;
        self.meta.indexed_at = now;
        if whole {
            self.meta.checked_at = now;
        }
        self.snapshot = applied.snapshot.at_revision(self.meta.revision);
        // The marks are stored first: if the commit fails, the next refresh reads the files again.
        self.renew_derived_files(std::mem::take(&mut difference.derived), whole)?;
        let committed =
            self.commit_graph(&applied.changed, &applied.resolved, &difference.removed, new_image);
        // Even if the graph could not be stored, answers use it.
        self.snapshot.attach_edges();
        if whole {
            self.renew_built_files()?;
        }
        committed
    }

    fn finish_report(&mut self, mut report: IndexReport, started: Instant) -> IndexReport {
        let files = self.snapshot.files();
        report.files = files.len();
        report.symbols = self.snapshot.symbol_count();
        report.edges = self.snapshot.edge_count();
        for file in files.into_iter().filter_map(|id| self.snapshot.file(id)) {
            report.calls.add_stats(file.calls);
        }
        let repairs = self.take_repairs();
        report.rebuilt = (!repairs.is_empty()).then(|| repairs.join("; "));
        report.problems.clone_from(&self.findings.problems);
        report.unknown_extensions.clone_from(&self.findings.unknown_extensions);
        report.seconds = started.elapsed().as_secs_f64();
        report
    }

    /// Becomes the writer if this process is a reader and the writer is gone. Loads the graph again
    /// if a writer has committed.
    fn follow_other_writers(&mut self) -> Result<(), WorkspaceError> {
        if self.lock.is_some() {
            return Ok(());
        }
        self.lock = kenning_graph::store::WriterLock::try_acquire(self.store.database_path()).unwrap_or(None);
        if self.lock.is_some() || self.store.data_version()? != self.data_version {
            self.reload_graph()?;
        }
        Ok(())
    }

    /// Walks the tree, or the part of it that leads to the named files.
    pub(super) fn walk_tree(&self, named: Option<&BTreeSet<String>>) -> Result<WalkResult, WorkspaceError> {
        let languages = LanguageRegistry::get();
        let candidate = |path: &str| languages.find_by_path(path).is_some();
        let claimed = |path: &str, text: &[u8]| languages.find_by_beginning(path, text).is_some();
        let mut options = WalkOptions::new(&candidate);
        options.first_bytes = Some(&claimed);
        options.max_file_bytes = self.options.max_file_size;
        options.exclude.clone_from(&self.options.exclude);
        Ok(match named {
            Some(paths) => walk_paths(&self.root, &options, paths)?,
            None => walk_tree(&self.root, &options)?,
        })
    }

    /// Returns the differences between the whole tree and the graph. Does not read files whose size
    /// and times show that they are unchanged. `walked` is the result of an earlier walk, if any.
    fn whole_difference(
        &self,
        walked: Option<WalkResult>,
        now: u64,
        progress: &dyn IndexProgress,
    ) -> Result<DiskDifference, WorkspaceError> {
        let walk = walked.map_or_else(|| self.walk_tree(None), Ok)?;
        let stats = if self.is_writer() { self.store.load_file_stats()? } else { self.stats_in_memory() };
        // A server waits for the first file; a command fails, because there is nothing to answer
        // from. If the last file was removed or all files were left out, the report states it.
        let is_empty = walk.files.is_empty() && walk.skipped.is_empty() && stats.is_empty();
        if is_empty && !self.options.wait_for_files {
            return Err(WorkspaceError::NoSource(self.root.clone()));
        }
        let unloadable: FxHashSet<&str> = self.unloadable.iter().map(String::as_str).collect();
        let stale = self.meta.extractor != extractor_version();
        // If the clock went back, times since then are unreliable, so everything is read once.
        let times_are_reliable = !stale && self.meta.checked_at <= now;
        let suspects: Vec<WalkedFile> = walk
            .files
            .iter()
            .filter(|file| {
                let unchanged = stats.get(&file.path).is_some_and(|stat| self.is_unchanged(stat, file));
                !times_are_reliable || !unchanged || unloadable.contains(file.path.as_str())
            })
            .cloned()
            .collect();
        let mut difference = DiskDifference::default();
        difference.derived.add_walked_files(&walk.files);
        let present = walk.files.into_iter().map(|file| file.path).collect();
        difference.report.skipped = walk.skipped;
        difference.report.problems = walk.problems;
        difference.report.unknown_extensions =
            LanguageRegistry::get().keep_unknown_code(walk.other_extensions);
        let known = KnownFiles { stats, stale, unloadable };
        let present = self.compare_files(&known, &suspects, present, progress, &mut difference)?;
        let changed: FxHashSet<&str> = difference.changes.iter().map(FileChange::file_path).collect();
        let abandoned = self.abandoned_parses(&changed);
        difference.report.skipped.extend(abandoned);
        difference.report.skipped.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        difference.present = Some(present.into_iter().collect());
        Ok(difference)
    }

    /// Returns the differences between the named files and folders and the graph. Reads all of
    /// these files, regardless of their times.
    fn named_difference(
        &self,
        paths: &BTreeSet<String>,
        progress: &dyn IndexProgress,
    ) -> Result<DiskDifference, WorkspaceError> {
        let walk = self.walk_tree(Some(paths))?;
        let mut ids: Vec<FileId> = paths.iter().filter_map(|path| self.snapshot.file_by_path(path)).collect();
        if ids.len() < paths.len() {
            // A path that is not a file of the graph may be a folder that was removed or changed.
            let inside = |path: &str| parent_folders(path).any(|folder| paths.contains(folder));
            let is_inside = |id: &FileId| self.snapshot.file(*id).is_some_and(|file| inside(file.path));
            ids.extend(self.snapshot.files().into_iter().filter(is_inside));
        }
        let known =
            KnownFiles { stats: self.stats_of_files(&ids), stale: false, unloadable: FxHashSet::default() };
        let present = walk.files.iter().map(|file| file.path.clone()).collect();
        let mut difference = DiskDifference::default();
        difference.derived.add_walked_files(&walk.files);
        difference.report.skipped = walk.skipped;
        let present = self.compare_files(&known, &walk.files, present, progress, &mut difference)?;
        let added = present.iter().any(|path| !known.stats.contains_key(path));
        if added || !difference.removed.is_empty() {
            // Packages and source roots depend on which files exist.
            let others = self.snapshot.files().into_iter().filter_map(|id| self.snapshot.file(id));
            let others =
                others.map(|file| file.path.to_owned()).filter(|path| !known.stats.contains_key(path));
            difference.present = Some(others.chain(present).collect::<BTreeSet<_>>().into_iter().collect());
        }
        Ok(difference)
    }

    /// Reads the files that may have changed and adds the differences. Returns the paths that
    /// remain in the graph, sorted.
    fn compare_files(
        &self,
        known: &KnownFiles,
        suspects: &[WalkedFile],
        mut present: BTreeSet<String>,
        progress: &dyn IndexProgress,
        difference: &mut DiskDifference,
    ) -> Result<BTreeSet<String>, WorkspaceError> {
        let total = suspects.len();
        for (index, batch) in suspects.chunks(FILES_PER_BATCH).enumerate() {
            if progress.is_cancelled() {
                return Err(WorkspaceError::Cancelled);
            }
            self.read_batch(batch, known, &mut present, difference)?;
            progress.report_progress("read", (index * FILES_PER_BATCH + batch.len()).min(total), total);
        }
        let mut removed: Vec<String> =
            known.stats.keys().filter(|path| !present.contains(*path)).cloned().collect();
        removed.sort_unstable();
        difference.report.removed = removed.len();
        difference.changes.extend(removed.iter().map(|path| FileChange::Remove { path: path.clone() }));
        difference.removed = removed;
        difference.report.skipped.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        Ok(present)
    }

    /// Returns the stats from the graph of this reader, because the database has the writer's
    /// graph.
    fn stats_in_memory(&self) -> FxHashMap<String, FileStat> {
        self.stats_of_files(&self.snapshot.files())
    }

    fn stats_of_files(&self, files: &[FileId]) -> FxHashMap<String, FileStat> {
        let files = files.iter().filter_map(|&id| self.snapshot.file(id));
        let stats = files.map(|file| {
            let (size, mtime_ns, content_hash) = (file.size, file.mtime_ns, file.content_hash);
            (file.path.to_owned(), FileStat { size, mtime_ns, content_hash })
        });
        stats.collect()
    }

    fn is_unchanged(&self, stat: &FileStat, file: &WalkedFile) -> bool {
        let seconds = u64::try_from(file.mtime_ns / 1_000_000_000).unwrap_or(0);
        let is_safely_before = |time: u64| time.saturating_add(RACY_SECONDS) < self.meta.checked_at;
        stat.size == file.size
            && stat.mtime_ns == file.mtime_ns
            && is_safely_before(seconds)
            // A program can restore a modification time, but it cannot set the status-change time.
            && is_safely_before(file.changed)
    }

    fn read_batch(
        &self,
        batch: &[WalkedFile],
        known: &KnownFiles,
        present: &mut BTreeSet<String>,
        difference: &mut DiskDifference,
    ) -> Result<(), WorkspaceError> {
        let candidate = |_: &str| true;
        let mut options = WalkOptions::new(&candidate);
        options.max_file_bytes = self.options.max_file_size;
        let empty_file_wait = EmptyFileWait::new();
        let contents: Vec<Result<ReadFile, SkipReason>> = batch
            .par_iter()
            .map(|file| {
                let was_empty = known.stats.get(&file.path).is_none_or(|stat| stat.size == 0);
                let bytes = read_finished_file(&file.absolute, was_empty, || empty_file_wait.wait_once())
                    .map_err(|error| SkipReason::Unreadable(error.to_string()))?;
                if let Some(reason) = content_skip_reason(&file.path, &bytes, &options) {
                    return Err(reason);
                }
                let content_hash = Hash::from_content(&bytes);
                let derived = reason_in_text(&file.path, &bytes);
                Ok(ReadFile { bytes, content_hash, derived })
            })
            .collect();
        let mut requests = Vec::new();
        let mut files = Vec::new();
        for (file, content) in batch.iter().zip(contents) {
            match content {
                Err(reason) => {
                    present.remove(&file.path);
                    difference.report.skipped.push(SkippedFile { path: file.path.clone(), reason });
                }
                Ok(ReadFile { bytes, content_hash, derived }) => {
                    difference.derived.texts.push((file.path.clone(), derived));
                    let same =
                        known.stats.get(&file.path).is_some_and(|stat| stat.content_hash == content_hash);
                    if same && !known.stale && !known.unloadable.contains(file.path.as_str()) {
                        difference.touched.push((file.path.clone(), file.mtime_ns));
                        continue;
                    }
                    let Some(language) = LanguageRegistry::get().find_by_file(&file.path, &bytes) else {
                        // The beginning of the text changed since the walk.
                        present.remove(&file.path);
                        continue;
                    };
                    // The file may have been written since the walk, so its size is that of the
                    // bytes read.
                    let size = bytes.len() as u64;
                    difference.report.bytes += size;
                    requests.push(FactsRequest {
                        content_hash,
                        language: language.language_id().to_owned(),
                        bytes,
                    });
                    files.push((file, content_hash, size));
                }
            }
        }
        let new_facts = if self.is_writer() { NewFacts::Store } else { NewFacts::Discard };
        let extracted = self.facts.facts_of_texts(requests, new_facts)?;
        difference.report.parsed += extracted.parsed;
        difference.report.from_cache += files.len() - extracted.parsed;
        let lossy = files.iter().zip(&extracted.facts).filter(|(_, facts)| facts.quality.lossy);
        difference.report.lossy.extend(lossy.map(|((file, ..), _)| file.path.clone()));
        let abandoned = files.iter().zip(&extracted.facts).filter(|(_, facts)| facts.quality.abandoned);
        let abandoned = abandoned
            .map(|((file, ..), _)| SkippedFile { path: file.path.clone(), reason: SkipReason::NotParsed });
        difference.report.skipped.extend(abandoned);
        difference.changes.extend(files.into_iter().zip(extracted.facts).map(
            |((file, content_hash, size), facts)| FileChange::Put {
                path: file.path.clone(),
                content_hash,
                size,
                mtime_ns: file.mtime_ns,
                facts,
            },
        ));
        Ok(())
    }

    /// Whether the graph is written to a new image before any reader gets it, given the number of
    /// changed files and whether all files are resolved again.
    fn writes_new_image(&self, changes: usize, reresolves_all: bool) -> bool {
        let overlay = self.snapshot.overlay_file_count() + changes;
        let files = self.snapshot.files().len().max(overlay);
        let limit = ((files as f64 * IMMEDIATE_COMPACTION_SHARE) as usize).max(COMPACTION_MIN_FILES);
        self.is_writer() && (reresolves_all || overlay > limit || !self.image_path().exists())
    }

    /// Commits the disk's new graph if this process is the writer. With `new_image`, writes an
    /// image.
    fn commit_graph(
        &mut self,
        changed: &[String],
        resolved: &[String],
        removed: &[String],
        new_image: bool,
    ) -> Result<(), WorkspaceError> {
        if !self.is_writer() {
            return Ok(());
        }
        self.store.commit_changes(&self.snapshot, changed, resolved, removed, &self.meta)?;
        self.data_version = self.store.data_version()?;
        if new_image {
            self.write_image(&mut || false)?;
            self.facts.prune_unused()?;
        }
        Ok(())
    }

    /// Compacts the overlay into a new image if it exceeds its share of the files or the image is
    /// missing. Stops if `interrupted` returns true. Returns whether it wrote an image. Earlier
    /// states remain valid.
    ///
    /// # Errors
    /// Returns the errors of the image and of the databases. They leave the graph unchanged.
    pub fn compact_if_due(&mut self, interrupted: &mut dyn FnMut() -> bool) -> Result<bool, WorkspaceError> {
        if !self.overlay_exceeds(COMPACTION_SHARE) && !self.image_is_missing() {
            return Ok(false);
        }
        let paths = self.options.database_paths(&self.root)?;
        let written = match self.write_image(interrupted) {
            Err(error) if is_damaged_graph(&error, &paths) => {
                // The next refresh rebuilds the database.
                self.damage = Some(error);
                false
            }
            written => written?,
        };
        if written {
            self.facts.prune_unused()?;
        }
        Ok(written)
    }

    /// Whether there is no usable image, and writing one is worth an attempt.
    fn image_is_missing(&self) -> bool {
        let overlay = self.snapshot.overlay_file_count();
        self.is_writer() && self.image.is_lost && overlay > 0 && self.image.is_worth_writing(overlay)
    }

    /// Whether the overlay exceeds its share by so much that compaction does not wait for an idle
    /// moment.
    pub fn compaction_is_overdue(&self) -> bool {
        self.overlay_exceeds(OVERDUE_COMPACTION_SHARE)
    }

    fn overlay_exceeds(&self, share: f64) -> bool {
        let limit = (self.snapshot.files().len() as f64 * share) as usize;
        let minimum = (COMPACTION_MIN_FILES as f64 * share / COMPACTION_SHARE) as usize;
        let overlay = self.snapshot.overlay_file_count();
        self.is_writer() && overlay > limit.max(minimum) && self.image.is_worth_writing(overlay)
    }
}

/// The files of the graph before a refresh reads the disk.
struct KnownFiles<'a> {
    stats: FxHashMap<String, FileStat>,
    /// Whether all facts are from another extractor version.
    stale: bool,
    unloadable: FxHashSet<&'a str>,
}
