//! Caches the last answers about one folder, so that a repeated question costs almost nothing.
//!
//! Editors ask again when a view is shown again, and agents when a reply got lost. An answer is
//! found only if everything that it depends on is the same: the question and its form, the graph
//! with unsaved text and verdicts, recorded runs, the commits of the repository, the facts from
//! manifests and settings, and the learned evidence. A change to one of them needs no invalidation:
//! the key changes, and newer answers displace the old one.

use crate::answer::{AnswerSources, AnsweredPack, PackQuestion};
use crate::learning::LearnedEvidence;
use crate::vectors::ReadyVectors;
use dashmap::DashMap;
use kenning_graph::hash::HashBuilder;
use kenning_graph::snapshot::RunLayer;
use kenning_graph::{Hash, Snapshot};
use kenning_retrieval::{CommitHistory, WorkspaceFacts};
use std::fmt::Debug;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Number of answers that the cache holds.
const MAX_ANSWERS: usize = 16;

/// The answers to the last questions about one folder.
#[derive(Debug, Default)]
pub struct AnswerCache {
    answers: DashMap<Hash, CachedAnswer>,
    /// Counts the uses of answers, to find the least recently used one.
    uses: AtomicU64,
}

#[derive(Debug)]
struct CachedAnswer {
    answer: Arc<AnsweredPack>,
    last_use: u64,
    /// The data that the key identifies by address only. While it is kept alive, no other data can
    /// get the same address.
    _kept: (Arc<RunLayer>, Option<Arc<CommitHistory>>),
}

/// The key of an answer: a hash of everything that the answer depends on.
#[derive(Debug)]
pub struct AnswerKey {
    hash: Hash,
    kept: (Arc<RunLayer>, Option<Arc<CommitHistory>>),
}

impl AnswerKey {
    /// Returns the key of the answer to a question from these sources. `history` must be that of
    /// the sources.
    pub fn new(
        snapshot: &Snapshot,
        sources: &AnswerSources<'_>,
        history: Option<&Arc<CommitHistory>>,
        question: &PackQuestion,
    ) -> Self {
        let kept = (Arc::clone(snapshot.run_layer()), history.map(Arc::clone));
        let mut hasher = HashBuilder::new("answer");
        hasher.add_hash(&snapshot.identity_hash()).add_number(snapshot.revision());
        hasher.add_number(Arc::as_ptr(&kept.0) as u64);
        hasher.add_number(kept.1.as_ref().map_or(0, |history| Arc::as_ptr(history) as u64));
        let mut add = |part: &dyn Debug| {
            hasher.add_text(&format!("{part:?}"));
        };
        add(question);
        add(&(sources.form, sources.text.is_some()));
        add(sources.workspace.unwrap_or(WorkspaceFacts::EMPTY));
        add(&sources.vectors.map(ReadyVectors::model_identity));
        add(&sources.learned.map(LearnedEvidence::sorted_entries));
        Self { hash: hasher.finish(), kept }
    }
}

impl AnswerCache {
    /// Returns the cached answer, or computes and caches it.
    ///
    /// # Errors
    /// Returns the error of `compute`, which is not cached.
    pub fn find_or_compute<E>(
        &self,
        key: AnswerKey,
        compute: impl FnOnce() -> Result<AnsweredPack, E>,
    ) -> Result<Arc<AnsweredPack>, E> {
        let last_use = self.uses.fetch_add(1, Ordering::Relaxed);
        if let Some(mut found) = self.answers.get_mut(&key.hash) {
            found.last_use = last_use;
            return Ok(Arc::clone(&found.answer));
        }
        let answer = Arc::new(compute()?);
        let remembered = CachedAnswer { answer: Arc::clone(&answer), last_use, _kept: key.kept };
        self.answers.insert(key.hash, remembered);
        if self.answers.len() > MAX_ANSWERS {
            let oldest = self.answers.iter().min_by_key(|entry| entry.last_use).map(|entry| *entry.key());
            oldest.and_then(|oldest| self.answers.remove(&oldest));
        }
        Ok(answer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::{QuestionSubject, answer_question};
    use crate::cancel::CancelToken;
    use crate::timings::StageTimings;
    use kenning_graph::Hash;
    use kenning_graph::snapshot::FileChange;
    use std::cell::Cell;
    use std::collections::HashMap;

    fn task(words: &str) -> PackQuestion {
        PackQuestion::new(QuestionSubject::Task(words.to_owned()))
    }

    /// Asks a question and returns the answer, and whether it was computed.
    fn ask(
        cache: &AnswerCache,
        snapshot: &Snapshot,
        sources: &AnswerSources<'_>,
        history: Option<&Arc<CommitHistory>>,
        question: &PackQuestion,
    ) -> (Arc<AnsweredPack>, bool) {
        let computed = Cell::new(false);
        let answer = cache.find_or_compute(AnswerKey::new(snapshot, sources, history, question), || {
            computed.set(true);
            let timings = &mut StageTimings::start_now();
            answer_question(snapshot, *sources, question, timings, &CancelToken::default())
        });
        (answer.unwrap(), computed.get())
    }

    #[test]
    fn an_answer_is_reused_only_while_its_dependencies_are_unchanged() {
        let (cache, snapshot) = (AnswerCache::default(), Snapshot::empty());
        let none = AnswerSources::default();
        let question = task("load the config");
        let (first, computed) = ask(&cache, &snapshot, &none, None, &question);
        assert!(computed);
        let (second, computed) = ask(&cache, &snapshot, &none, None, &question);
        assert!(!computed && Arc::ptr_eq(&first, &second));

        let is_computed =
            |snapshot: &Snapshot, sources: &AnswerSources<'_>, history, question: &PackQuestion| {
                ask(&cache, snapshot, sources, history, question).1
            };
        let history = Arc::new(CommitHistory::default());
        assert!(is_computed(&snapshot, &none, Some(&history), &question));
        assert!(!is_computed(&snapshot, &none, Some(&history), &question));
        assert!(is_computed(&snapshot, &none, None, &task("load the configuration")));
        assert!(is_computed(&snapshot, &none, None, &PackQuestion { budget: Some(9), ..question.clone() }));
        let boosts = HashMap::from([(Hash::from_content(b"a"), 1.0), (Hash::from_content(b"b"), 0.5)]);
        let learned = LearnedEvidence::default().with_session_boosts(boosts);
        let learning = AnswerSources { learned: Some(&learned), ..none };
        assert!(is_computed(&snapshot, &learning, None, &question));
        assert!(!is_computed(&snapshot, &learning, None, &question));
        let (edited, _) = snapshot.with_files(vec![FileChange::Remove { path: "gone.py".to_owned() }]);
        let edited = edited.at_revision(snapshot.revision() + 1);
        assert!(is_computed(&edited, &none, None, &question));
        assert!(
            !is_computed(&snapshot, &none, None, &question),
            "the answer for the old state is still cached"
        );
    }

    #[test]
    fn the_least_recently_used_answer_is_dropped() {
        let (cache, snapshot, none) = (AnswerCache::default(), Snapshot::empty(), AnswerSources::default());
        let is_computed = |n: usize| ask(&cache, &snapshot, &none, None, &task(&format!("task {n}"))).1;
        assert!((0..MAX_ANSWERS).all(is_computed));
        assert!(!is_computed(0));
        assert!(is_computed(MAX_ANSWERS));
        assert!(!is_computed(0) && is_computed(1));
        assert_eq!(cache.answers.len(), MAX_ANSWERS);
    }

    #[test]
    fn a_failure_is_not_remembered() {
        let cache = AnswerCache::default();
        let key = || AnswerKey::new(&Snapshot::empty(), &AnswerSources::default(), None, &task("x"));
        assert!(cache.find_or_compute(key(), || Err(())).is_err());
        assert!(cache.answers.is_empty());
    }
}
