//! The configuration: options declared once, read from several sources, checked one by one.
//!
//! In: the declared defaults, `kenning.toml` at the root of the workspace, the editor's
//! `initializationOptions` and the editor's settings, listed from the weakest source to the
//! strongest. A repository may only propose values; the user decides in the editor. Out: one
//! checked `Config` per folder, the source of each value, and an issue for each value that was
//! ignored.
//!
//! - `options` declares every option as a field of `Config`, with its documentation.
//! - `option_table` reads the declarations into a list, and `classes` checks the option `class`.
//! - `config_file` reads `kenning.toml`; `config_layer` checks one source; `effective` merges the
//!   layers.
//! - `trust` stores the workspaces that may name programs to run.
//! - `schema`, `reference` and `neovim` generate the JSON schema, the documentation and the
//!   editors' settings.
//!
//! Invariant: a wrong value affects only its own option, which keeps its former value.

pub mod classes;
pub mod config_file;
pub mod config_layer;
pub mod effective;
pub mod neovim;
pub mod option_table;
pub mod options;
pub mod reference;
pub mod schema;
pub mod trust;

pub use options::Config;

use kenning_indexing::workspace::WorkspaceOptions;

/// Returns `options` with the limits of indexing that the configuration sets.
pub fn index_options(config: &Config, mut options: WorkspaceOptions) -> WorkspaceOptions {
    options.max_file_size = config.index.max_file_size;
    options.exclude.clone_from(&config.index.exclude);
    options.mark_derived = config.index.mark_derived;
    options.history = config.index.history;
    if config.index.threads > 0 {
        options.threads = Some(config.index.threads as usize);
    }
    options
}
