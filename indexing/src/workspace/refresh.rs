//! Bringing the graph up to the disk: what changed is read, extracted, resolved, committed.

use super::facts::{Wanted, now_seconds};
use super::settle::settle;
use super::{Workspace, WorkspaceError};
use crate::extract::EXTRACTOR_VERSION;
use crate::languages::Languages;
use crate::project::Project;
use crate::resolve::RESOLVER_VERSION;
use crate::walk::{SkipReason, Skipped, Walk, WalkOptions, WalkedFile, content_skip, walk};
use kenning_graph::snapshot::{CallStats, FileChange};
use kenning_graph::store::FileStat;
use kenning_graph::{Hash, Snapshot};
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;
use std::time::Instant;

/// Told how far a long run is, and asked whether to stop.
pub trait Progress: Sync {
    /// `done` of `total` in a stage (`"read"`, `"resolve"`, `"store"`).
    fn report(&self, stage: &'static str, done: usize, total: usize);
    /// Whether to stop. What is committed stays.
    fn cancelled(&self) -> bool {
        false
    }
}

/// Tells nobody.
pub struct NoProgress;

impl Progress for NoProgress {
    fn report(&self, _: &'static str, _: usize, _: usize) {}
}

/// What a refresh found and did.
#[derive(Clone, Debug, Default)]
pub struct IndexReport {
    /// Files in the graph.
    pub files: usize,
    /// Symbols in the graph.
    pub symbols: usize,
    /// Edges in the graph, mirrors included.
    pub edges: usize,
    /// Files that were parsed.
    pub parsed: usize,
    /// Changed files whose facts were known by their content.
    pub from_cache: usize,
    /// Files that went.
    pub removed: usize,
    /// Files whose edges were resolved.
    pub resolved_files: usize,
    /// Bytes of the changed files.
    pub bytes: u64,
    /// Wall-clock seconds.
    pub seconds: f64,
    /// Files left out, and why.
    pub skipped: Vec<Skipped>,
    /// How the call sites of all files are resolved.
    pub calls: CallStats,
    /// Where a damaged database was put, and why.
    pub rebuilt: Option<String>,
}

/// Files read at once: bounds the memory for their bytes.
const BATCH: usize = 256;

/// A file whose modification time is this close to the last run may have changed after it was read, in seconds.
const RACY: u64 = 2;

/// The overlay is folded into a new image when it holds more than this share of the files.
const OVERLAY_SHARE: f64 = 0.02;
/// ... but never for fewer files than this.
const OVERLAY_MIN: usize = 32;

/// What the disk has that the graph has not.
#[derive(Default)]
struct Difference {
    changes: Vec<FileChange>,
    removed: Vec<String>,
    touched: Vec<(String, i64)>,
    report: IndexReport,
}

impl Workspace {
    /// Brings the graph up to the disk; the first time, that is the whole index. A process that is not the writer
    /// keeps the result to itself.
    pub fn refresh(&mut self, progress: &dyn Progress) -> Result<IndexReport, WorkspaceError> {
        match self.refresh_in_pool(progress) {
            Err(WorkspaceError::Store(error)) if super::error::is_damage(&error) => {
                self.start_over(error)?;
                self.refresh_in_pool(progress)
            }
            other => other,
        }
    }

    fn refresh_in_pool(&mut self, progress: &dyn Progress) -> Result<IndexReport, WorkspaceError> {
        let threads = self.options.threads.unwrap_or(0);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        match pool {
            Ok(pool) if threads > 0 => pool.install(|| self.refresh_here(progress)),
            _ => self.refresh_here(progress),
        }
    }

    fn refresh_here(&mut self, progress: &dyn Progress) -> Result<IndexReport, WorkspaceError> {
        let started = Instant::now();
        // Files that change from here on may have been read before: the time is that of the start.
        let checked_at = now_seconds();
        self.follow_other_writers()?;
        let walk = self.walk()?;
        let paths: Vec<String> = walk.files.iter().map(|f| f.path.clone()).collect();
        let mut difference = self.difference(walk, progress)?;
        let project = Project::load(&self.root, &paths);
        // Other rules of resolution give other edges from the same manifests.
        let fingerprint = format!("{RESOLVER_VERSION}-{}", project.fingerprint());
        let everything = fingerprint != self.meta.project && self.meta.revision > 0;
        let other_project = project.fingerprint() != self.project.fingerprint();
        self.project = Arc::new(project);
        let report = &mut difference.report;
        if !difference.changes.is_empty() || everything {
            progress.report("resolve", 0, difference.changes.len());
            let changes = std::mem::take(&mut difference.changes);
            let settled = settle(&self.disk, &self.project, changes, everything, &self.facts, &self.root);
            report.resolved_files = settled.changed.len() + settled.resolved.len();
            if progress.cancelled() {
                return Err(WorkspaceError::Cancelled);
            }
            progress.report("store", 0, report.resolved_files);
            self.meta.revision += 1;
            self.meta.extractor = EXTRACTOR_VERSION;
            self.meta.project = fingerprint;
            self.meta.indexed_at = checked_at;
            self.meta.checked_at = checked_at;
            self.disk = settled.snapshot.at_revision(self.meta.revision);
            let committed = self.commit(&settled.changed, &settled.resolved, &difference.removed);
            // What was read is answered from, even where it could not be stored.
            self.overlay_buffers();
            committed?;
        } else if self.is_writer() {
            self.meta.checked_at = checked_at;
            self.store.set_checked_at(checked_at)?;
        }
        if other_project && !self.buffers.is_empty() {
            // Buffers that came before the manifests were read are resolved again with them.
            self.overlay_buffers();
        }
        if self.is_writer() && !difference.touched.is_empty() {
            self.store.set_mtimes(&difference.touched)?;
        }
        self.doubtful.clear();
        self.head = crate::git::head(&self.root);
        Ok(self.finish(difference.report, started))
    }

    fn finish(&mut self, mut report: IndexReport, started: Instant) -> IndexReport {
        let files = self.disk.files();
        report.files = files.len();
        report.symbols = self.disk.symbol_count();
        report.edges = self.disk.edge_count();
        for file in files.into_iter().filter_map(|id| self.disk.file(id)) {
            report.calls.add(file.calls);
        }
        report.rebuilt = self.rebuilt.take();
        report.seconds = started.elapsed().as_secs_f64();
        report
    }

    /// A reader takes over when the writer is gone, and reads again what a writer committed meanwhile.
    fn follow_other_writers(&mut self) -> Result<(), WorkspaceError> {
        if self.lock.is_some() {
            return Ok(());
        }
        self.lock = kenning_graph::store::WriterLock::take(self.store.path()).unwrap_or(None);
        if self.lock.is_some() || self.store.data_version()? != self.data_version {
            self.reload()?;
        }
        Ok(())
    }

    fn walk(&self) -> Result<Walk, WorkspaceError> {
        let languages = Languages::get();
        let candidate = |path: &str| languages.of_path(path).is_some();
        let mut options = WalkOptions::new(&candidate);
        options.max_file_bytes = self.options.max_file_size;
        options.exclude.clone_from(&self.options.exclude);
        let walk = walk(&self.root, &options)?;
        // A server waits for the first file; a command says that there is nothing to answer from.
        if walk.files.is_empty() && !self.options.keep_going {
            return Err(WorkspaceError::NoSource(self.root.clone()));
        }
        Ok(walk)
    }

    fn difference(&self, walk: Walk, progress: &dyn Progress) -> Result<Difference, WorkspaceError> {
        let mut stats = self.store.stats()?;
        if !self.is_writer() {
            stats = self.stats_in_memory();
        }
        let mut difference = Difference::default();
        difference.report.skipped = walk.skipped;
        let doubtful: FxHashSet<&str> = self.doubtful.iter().map(String::as_str).collect();
        let stale = self.meta.extractor != EXTRACTOR_VERSION;
        let suspects: Vec<WalkedFile> = walk
            .files
            .iter()
            .filter(|file| {
                let same = stats.get(&file.path).is_some_and(|stat| self.surely_same(stat, file));
                stale || !same || doubtful.contains(file.path.as_str())
            })
            .cloned()
            .collect();
        let mut present: FxHashSet<String> = walk.files.into_iter().map(|f| f.path).collect();
        let total = suspects.len();
        for (i, batch) in suspects.chunks(BATCH).enumerate() {
            if progress.cancelled() {
                return Err(WorkspaceError::Cancelled);
            }
            self.read_batch(batch, &stats, stale, &doubtful, &mut present, &mut difference)?;
            progress.report("read", (i * BATCH + batch.len()).min(total), total);
        }
        let mut removed: Vec<String> = stats.into_keys().filter(|path| !present.contains(path)).collect();
        removed.sort_unstable();
        difference.report.removed = removed.len();
        difference.changes.extend(removed.iter().map(|path| FileChange::Remove { path: path.clone() }));
        difference.removed = removed;
        difference.report.skipped.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        Ok(difference)
    }

    /// What a reader's own graph knows of the files: the database is the writer's.
    fn stats_in_memory(&self) -> FxHashMap<String, FileStat> {
        let files = self.disk.files().into_iter().filter_map(|id| self.disk.file(id));
        files
            .map(|f| {
                let stat = FileStat { size: f.size, mtime_ns: f.mtime_ns, content_hash: f.content_hash };
                (f.path.to_owned(), stat)
            })
            .collect()
    }

    fn surely_same(&self, stat: &FileStat, file: &WalkedFile) -> bool {
        let seconds = u64::try_from(file.mtime_ns / 1_000_000_000).unwrap_or(0);
        stat.size == file.size && stat.mtime_ns == file.mtime_ns && seconds + RACY < self.meta.checked_at
    }

    fn read_batch(
        &self,
        batch: &[WalkedFile],
        stats: &FxHashMap<String, FileStat>,
        stale: bool,
        doubtful: &FxHashSet<&str>,
        present: &mut FxHashSet<String>,
        difference: &mut Difference,
    ) -> Result<(), WorkspaceError> {
        let candidate = |_: &str| true;
        let mut options = WalkOptions::new(&candidate);
        options.max_file_bytes = self.options.max_file_size;
        let read: Vec<Result<(Vec<u8>, Hash), SkipReason>> = batch
            .par_iter()
            .map(|file| {
                let bytes =
                    std::fs::read(&file.absolute).map_err(|e| SkipReason::Unreadable(e.to_string()))?;
                match content_skip(&file.path, &bytes, &options) {
                    Some(reason) => Err(reason),
                    None => {
                        let hash = Hash::of_content(&bytes);
                        Ok((bytes, hash))
                    }
                }
            })
            .collect();
        let mut wanted = Vec::new();
        let mut files = Vec::new();
        for (file, read) in batch.iter().zip(read) {
            match read {
                Err(reason) => {
                    present.remove(&file.path);
                    difference.report.skipped.push(Skipped { path: file.path.clone(), reason });
                }
                Ok((bytes, content_hash)) => {
                    let known = stats.get(&file.path).is_some_and(|stat| stat.content_hash == content_hash);
                    if known && !stale && !doubtful.contains(file.path.as_str()) {
                        difference.touched.push((file.path.clone(), file.mtime_ns));
                        continue;
                    }
                    let Some(language) = Languages::get().of_path(&file.path) else { continue };
                    difference.report.bytes += bytes.len() as u64;
                    wanted.push(Wanted { content_hash, language: language.id().to_owned(), bytes });
                    files.push((file, content_hash));
                }
            }
        }
        let found = self.facts.of_texts(wanted, self.is_writer())?;
        difference.report.parsed += found.parsed;
        difference.report.from_cache += files.len() - found.parsed;
        let given_up = files.iter().zip(&found.facts).filter(|(_, facts)| facts.quality.abandoned);
        let given_up =
            given_up.map(|((file, _), _)| Skipped { path: file.path.clone(), reason: SkipReason::NotParsed });
        difference.report.skipped.extend(given_up);
        difference.changes.extend(files.into_iter().zip(found.facts).map(|((file, content_hash), facts)| {
            let (size, mtime_ns) = (file.size, file.mtime_ns);
            FileChange::Put { path: file.path.clone(), content_hash, size, mtime_ns, facts }
        }));
        Ok(())
    }

    /// Writes the disk's new graph, if this process is the writer, and folds a large overlay into a new image.
    fn commit(
        &mut self,
        changed: &[String],
        resolved: &[String],
        removed: &[String],
    ) -> Result<(), WorkspaceError> {
        if self.is_writer() {
            let limit = (self.disk.files().len() as f64 * OVERLAY_SHARE) as usize;
            let fold = self.disk.overlay_files() > limit.max(OVERLAY_MIN) || !self.base_path().exists();
            if fold {
                // Nothing is resolved again before the new image: its references need not be held meanwhile.
                self.live = Snapshot::empty();
                self.disk.drop_references();
            }
            self.store.commit(&self.disk, changed, resolved, removed, &self.meta)?;
            self.data_version = self.store.data_version()?;
            if fold {
                self.write_base()?;
                self.facts.prune()?;
            }
        }
        Ok(())
    }
}
