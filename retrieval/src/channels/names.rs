//! The tiered name channel: finds symbols by their names, in exact, prefix, substring and path
//! tiers (`docs/ranking.md`).
//!
//! A tier runs only while the earlier ones have found too few symbols. The hits keep the order of
//! the tiers, and their scores fall with the position. The fifth tier, implementors of found
//! interfaces, runs after the fusion (module `seeds`).

use super::{Channel, ChannelHit, ChannelInput, ListUsage, ScoreScale, is_result_kind};
use crate::config::{ChannelConfig, NamesConfig, RankConfig};
use crate::path_role::is_secondary;
use kenning_graph::{Snapshot, SymbolId, SymbolRef};
use rustc_hash::FxHashSet;

/// Maximum number of names visited per keyword in the prefix and substring tiers, regardless of
/// their caps. Short keywords such as `get` are in most names.
const MAX_NAMES_VISITED: usize = 200;

/// The name of the channel.
pub(super) const NAME: &str = "tiered";

/// The tiered name channel.
pub(super) struct NamesChannel;

impl Channel for NamesChannel {
    fn display_name(&self) -> &'static str {
        NAME
    }

    fn channel_config(&self, config: &RankConfig) -> ChannelConfig {
        config.names.channel
    }

    fn list_usage(&self) -> ListUsage {
        ListUsage::Fused(ScoreScale::Relative)
    }

    fn find_hits(&self, input: &ChannelInput<'_>) -> Vec<ChannelHit> {
        let config = &input.config.names;
        let mut search =
            NameSearch { snapshot: input.snapshot, seen: FxHashSet::default(), hits: Vec::new() };
        let keywords = &input.query.keywords;
        let primary: Vec<&str> = keywords.primary_keywords().collect();
        let mut all: Vec<&str> = keywords.all_keywords().collect();
        let raw: Vec<&str>;
        if all.is_empty() {
            // The text consists of stop words only, so search for those.
            raw = kenning_graph::analysis::raw_words(&input.query.searchable_text).take(50).collect();
            all = raw;
        }
        search.search_exact(&primary);
        search.search_prefix(&primary, config);
        if search.hits.len() < config.components_below {
            let components: Vec<&str> = all.iter().copied().skip(primary.len()).collect();
            search.search_exact(&components);
            search.search_prefix(&components, config);
        }
        search.search_substring(&all, config);
        search.search_path(&all, config);
        search.hits
    }
}

struct NameSearch<'a> {
    snapshot: &'a Snapshot,
    seen: FxHashSet<SymbolId>,
    hits: Vec<ChannelHit>,
}

impl NameSearch<'_> {
    fn search_exact(&mut self, keywords: &[&str]) {
        for keyword in keywords {
            let lower = keyword.to_lowercase();
            let last = lower.rsplit(['.', ':']).next().unwrap_or(&lower);
            let container = lower[..lower.len() - last.len()].trim_end_matches(['.', ':']);
            let found = self.snapshot.symbols_by_folded_name(last);
            self.push_hits(found, "exact", usize::MAX, |symbol| {
                container.is_empty() || {
                    let wanted_container = container.rsplit(['.', ':']).next().unwrap_or(container);
                    let innermost_container = symbol.container.rsplit('.').next().unwrap_or(symbol.container);
                    innermost_container.to_lowercase() == wanted_container
                }
            });
        }
    }

    fn search_prefix(&mut self, keywords: &[&str], config: &NamesConfig) {
        if self.hits.len() >= config.prefix_below {
            return;
        }
        for keyword in keywords {
            let found = self.snapshot.symbols_by_prefix(&keyword.to_lowercase(), MAX_NAMES_VISITED);
            self.push_hits(found, "prefix", config.prefix_cap, |_| true);
        }
    }

    fn search_substring(&mut self, keywords: &[&str], config: &NamesConfig) {
        for keyword in keywords {
            if self.hits.len() >= config.substring_below {
                return;
            }
            if keyword.chars().count() >= config.substring_min_chars {
                let found = self.snapshot.symbols_by_substring(&keyword.to_lowercase(), MAX_NAMES_VISITED);
                self.push_hits(found, "substring", config.substring_cap, |_| true);
            }
        }
        if config.substring_qualified {
            self.search_qualified(keywords, config);
        }
    }

    /// Searches the paths and containers of symbols: both are part of a qualified name.
    fn search_qualified(&mut self, keywords: &[&str], config: &NamesConfig) {
        let long = keywords.iter().filter(|keyword| keyword.chars().count() >= config.substring_min_chars);
        for lower in long.map(|keyword| keyword.to_lowercase()) {
            if self.hits.len() >= config.substring_below {
                return;
            }
            let mut found = Vec::new();
            for file in self.snapshot.code_files() {
                let path = self.snapshot.file(file).map(|file| file.path.to_lowercase());
                let in_path = path.is_some_and(|path| path.contains(&lower));
                let symbols = self.snapshot.file_symbol_refs(file).into_iter();
                let matching = symbols.filter(|s| in_path || s.container.to_lowercase().contains(&lower));
                found.extend(matching.map(|symbol| symbol.id));
                if found.len() >= MAX_NAMES_VISITED {
                    break;
                }
            }
            found.truncate(MAX_NAMES_VISITED);
            self.push_hits(found, "substring", config.substring_cap, |_| true);
        }
    }

    fn search_path(&mut self, keywords: &[&str], config: &NamesConfig) {
        if self.hits.len() >= config.path_below {
            return;
        }
        let long = keywords.iter().filter(|keyword| keyword.chars().count() >= config.path_min_chars);
        let wanted: FxHashSet<String> = long.map(|keyword| keyword.to_lowercase()).collect();
        for file in self.snapshot.code_files() {
            let Some(path) = self.snapshot.file(file).map(|f| f.path.to_lowercase()) else { continue };
            let without_extension = path.rsplit_once('.').map_or(path.as_str(), |(stem, _)| stem);
            if without_extension.split('/').any(|segment| wanted.contains(segment)) {
                let found = self.snapshot.file_symbols(file);
                self.push_hits(found, "path", config.path_cap, |symbol| symbol.container.is_empty());
                if self.hits.len() >= config.path_cap {
                    return;
                }
            }
        }
    }

    /// Adds the new symbols that `accept` accepts, product code before tests, until there are `cap`
    /// hits.
    fn push_hits(
        &mut self,
        found: Vec<SymbolId>,
        tier: &'static str,
        cap: usize,
        accept: impl Fn(&SymbolRef<'_>) -> bool,
    ) {
        let symbols = found.into_iter().filter_map(|id| self.snapshot.symbol(id));
        let mut symbols: Vec<SymbolRef<'_>> =
            symbols.filter(|s| is_result_kind(s.kind) && accept(s)).collect();
        symbols.sort_by_cached_key(is_secondary);
        for symbol in symbols {
            if self.hits.len() >= cap {
                return;
            }
            if self.seen.insert(symbol.id) {
                // Only the order is meaningful, but the linear fusion needs falling scores.
                let score = 1.0 / (1.0 + self.hits.len() as f64);
                self.hits.push(ChannelHit { symbol: symbol.id, score, reason: tier });
            }
        }
    }
}
