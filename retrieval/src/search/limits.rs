//! The scopes, modes and limits of a search, with their defaults (`docs/search.md`).

/// The kinds of results of a search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SearchScope {
    /// Symbols of source files.
    #[default]
    Code,
    /// Sections of documents.
    Docs,
    /// Whole files of every kind.
    Files,
    /// Everything.
    All,
}

impl SearchScope {
    /// Whether symbols of source files are results.
    pub const fn includes_code(self) -> bool {
        matches!(self, Self::Code | Self::All)
    }

    /// Whether sections of documents are results.
    pub const fn includes_docs(self) -> bool {
        matches!(self, Self::Docs | Self::All)
    }

    /// Whether files are results.
    pub const fn includes_files(self) -> bool {
        matches!(self, Self::Files | Self::All)
    }
}

/// The way in which a search ranks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SearchMode {
    /// By all channels of the ranking: words, names, locations, history and the graph, fused with
    /// the vectors if the workspace has any.
    #[default]
    Hybrid,
    /// By the words of the text index alone.
    Keyword,
    /// By vectors alone.
    Vector,
}

/// The limits of a search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SearchLimits {
    /// Number of best symbols from which edges are followed.
    pub top_k: usize,
    /// Maximum length of a path from each of these symbols, in edges.
    pub bfs_depth: u32,
    /// Maximum number of hits.
    pub max_results: usize,
    /// Minimum score of a hit, from 0 to 1.
    pub min_score: f64,
    /// Factor of the score for every edge, whatever its kind; `None` for a factor by kind.
    pub bfs_decay: Option<f64>,
    /// The constant k of reciprocal rank fusion (Cormack, Clarke, Büttcher 2009).
    pub rrf_k: f64,
}

impl SearchLimits {
    /// Returns the defaults of a scope. Symbols, documents and knowledge share one row; files
    /// have another, without edges to follow.
    pub const fn for_scope(scope: SearchScope) -> Self {
        let symbols =
            Self { top_k: 5, bfs_depth: 1, max_results: 5, min_score: 0.5, bfs_decay: None, rrf_k: 60.0 };
        match scope {
            SearchScope::Code | SearchScope::Docs => symbols,
            SearchScope::Files => {
                Self { top_k: 10, bfs_depth: 0, max_results: 10, min_score: 0.3, ..symbols }
            }
            SearchScope::All => Self { max_results: 10, ..symbols },
        }
    }

    /// Returns the limits with the values that a request overrides. A request for more results also
    /// raises `top_k`, so that the additional results are not only neighbors of the best.
    pub fn with_overrides(self, overrides: LimitOverrides) -> Self {
        Self {
            top_k: overrides.top_k.unwrap_or(self.top_k.max(overrides.max_results.unwrap_or(0))),
            bfs_depth: overrides.bfs_depth.unwrap_or(self.bfs_depth),
            max_results: overrides.max_results.unwrap_or(self.max_results),
            min_score: overrides.min_score.unwrap_or(self.min_score),
            bfs_decay: overrides.bfs_decay.or(self.bfs_decay),
            rrf_k: overrides.rrf_k.unwrap_or(self.rrf_k),
        }
    }

    /// Returns the score of the hit at `rank` (from 1) as a share of the first hit's score, by
    /// reciprocal rank fusion of a single list.
    pub(super) fn share_of_rank(&self, rank: usize) -> f64 {
        (self.rrf_k + 1.0) / (self.rrf_k + rank as f64)
    }
}

/// The limits that a request overrides.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LimitOverrides {
    /// Replaces [`SearchLimits::top_k`].
    pub top_k: Option<usize>,
    /// Replaces [`SearchLimits::bfs_depth`].
    pub bfs_depth: Option<u32>,
    /// Replaces [`SearchLimits::max_results`].
    pub max_results: Option<usize>,
    /// Replaces [`SearchLimits::min_score`].
    pub min_score: Option<f64>,
    /// Replaces [`SearchLimits::bfs_decay`].
    pub bfs_decay: Option<f64>,
    /// Replaces [`SearchLimits::rrf_k`].
    pub rrf_k: Option<f64>,
}

#[cfg(test)]
mod tests {
    use super::{LimitOverrides, SearchLimits, SearchScope};

    #[test]
    fn symbols_and_files_have_their_own_defaults() {
        let row = |scope| {
            let limits = SearchLimits::for_scope(scope);
            (limits.top_k, limits.bfs_depth, limits.max_results, limits.min_score, limits.rrf_k)
        };
        for scope in [SearchScope::Code, SearchScope::Docs] {
            assert_eq!(row(scope), (5, 1, 5, 0.5, 60.0));
        }
        assert_eq!(row(SearchScope::Files), (10, 0, 10, 0.3, 60.0));
    }

    #[test]
    fn a_request_overrides_single_limits() {
        let overrides = LimitOverrides { max_results: Some(50), bfs_decay: Some(0.8), ..Default::default() };
        let limits = SearchLimits::for_scope(SearchScope::Code).with_overrides(overrides);
        assert_eq!((limits.max_results, limits.bfs_decay, limits.top_k), (50, Some(0.8), 50));
    }
}
