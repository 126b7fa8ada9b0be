//! The editor channel: the symbol at the cursor is a seed of the graph walk, with a low weight.

use super::{Channel, ChannelHit, ChannelInput, ListUsage};
use crate::config::{ChannelConfig, RankConfig};
use kenning_graph::{Snapshot, SymbolId};

/// The channel's name in packs and explanations.
pub(crate) const NAME: &str = "editor";

/// A position in the editor: a line of a file. The innermost symbol there and the file itself are
/// seeds of the graph walk. The channel is not part of the fusion, so the order of the results for
/// the task's words does not change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EditorPosition {
    /// Workspace-relative path with `/` as the separator. A file that is not in the graph has no
    /// effect.
    pub path: String,
    /// 1-based line.
    pub line: u32,
}

impl EditorPosition {
    /// Returns the symbol at the line, if there is one, and the file.
    fn seed_symbols(&self, snapshot: &Snapshot) -> Vec<(SymbolId, &'static str)> {
        let Some(file) = snapshot.code_file_by_path(&self.path) else { return Vec::new() };
        let enclosing = crate::query::locations::enclosing_symbol(snapshot, file, self.line);
        // The first symbol of a file is the file.
        let whole_file = snapshot.file_symbols(file).first().copied();
        enclosing.map(|id| (id, "here")).into_iter().chain(whole_file.map(|id| (id, "file"))).collect()
    }
}

impl Channel for EditorPosition {
    fn display_name(&self) -> &'static str {
        NAME
    }

    fn channel_config(&self, config: &RankConfig) -> ChannelConfig {
        config.editor
    }

    fn list_usage(&self) -> ListUsage {
        ListUsage::WalkSeeds
    }

    fn find_hits(&self, input: &ChannelInput<'_>) -> Vec<ChannelHit> {
        let hit = |(symbol, reason)| ChannelHit { symbol, score: input.config.editor.weight, reason };
        self.seed_symbols(input.snapshot).into_iter().map(hit).collect()
    }
}
