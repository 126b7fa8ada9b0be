//! The inputs of the answer to a question besides the graph.

use crate::answer::{self, AnswerSources, PackForm, PackQuestion};
use crate::cancel::CancelToken;
use crate::config::Config;
use crate::learning::{LearnedEvidence, SessionLearning};
use crate::session::{FolderState, ServedFolder};
use crate::vectors::{ReadyVectors, VectorReadiness};
use kenning_retrieval::WorkspaceFacts;
use std::sync::Arc;
use std::time::Instant;

/// The inputs that a question needs from the session, as owned values.
pub struct QuestionInputs {
    learned: Option<LearnedEvidence>,
    facts: WorkspaceFacts,
    vectors: Option<Arc<ReadyVectors>>,
    /// Whether vectors are missing because they are not computed yet.
    pub vectors_pending: bool,
}

impl QuestionInputs {
    /// Reads the learned evidence, the facts of the workspace and, if the ranking uses them, the
    /// vectors.
    pub fn read_current(
        folder: &ServedFolder,
        state: &FolderState,
        config: &Config,
        question: &PackQuestion,
        learning: &SessionLearning,
        cancel: &CancelToken,
    ) -> Self {
        let (root, memory) = (folder.root_path(), state.memory.as_ref());
        let learned = learning.evidence_for_question(root, memory, &state.snapshot, question, Instant::now());
        let vectors = if question.config.vectors.is_used() {
            folder.vectors_if_ready(state, config, cancel)
        } else {
            VectorReadiness::Off
        };
        Self {
            learned,
            facts: answer::workspace_facts(&state.project, config),
            vectors_pending: vectors.is_pending(),
            vectors: vectors.into_vectors(),
        }
    }

    /// Ignores the symbols that the session showed recently.
    pub fn ignore_shown_symbols(&mut self) {
        self.learned = self.learned.take().map(LearnedEvidence::without_boosts);
    }

    /// Borrows the inputs, with the text and the history of the state.
    pub fn as_sources<'a>(&'a self, state: &'a FolderState, form: Option<PackForm>) -> AnswerSources<'a> {
        AnswerSources {
            text: state.text.as_deref(),
            workspace: Some(&self.facts),
            learned: self.learned.as_ref(),
            history: state.history.as_deref(),
            vectors: self.vectors.as_deref(),
            form,
        }
    }
}
