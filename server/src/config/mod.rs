//! The configuration: options declared once, read from several sources, checked one by one.
//!
//! The sources, the weakest first: the declared defaults, `kenning.toml` at the root of the workspace, what the editor
//! said at its start, its settings. A repository proposes, the person at the editor decides.

pub mod classes;
pub mod config_layer;
pub mod effective;
pub mod file;
pub mod neovim;
pub mod option_table;
pub mod options;
pub mod reference;
pub mod schema;
pub mod trust;

pub use options::Config;

use kenning_indexing::workspace::WorkspaceOptions;

/// `options` with the limits of indexing that the configuration sets.
pub fn index_options(config: &Config, mut options: WorkspaceOptions) -> WorkspaceOptions {
    options.max_file_size = config.index.max_file_size;
    options.exclude.clone_from(&config.index.exclude);
    options.history = config.index.history;
    if config.index.threads > 0 {
        options.threads = Some(config.index.threads as usize);
    }
    options
}
