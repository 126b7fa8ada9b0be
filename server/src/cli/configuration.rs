//! `kenning config`, and the effective configuration that every command uses.

use super::args::{ConfigArgs, ConfigCommand};
use super::delivery::print_report;
use super::output;
use crate::config::config_file::ConfigFile;
use crate::config::config_layer::ConfigSource;
use crate::config::effective::{EffectiveConfig, ListedOption, merge_layers};
use crate::config::schema;
use crate::config::trust::TrustStore;
use crate::format::json;
use crate::terminal::screen::{DIM_STYLE, NAME_STYLE, Screen};
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::Path;

/// Computes the effective configuration of the workspace at `root`: its `kenning.toml`, restricted
/// by trust, over the defaults. Editor settings play no role on the command line.
pub fn effective_config(root: &Path) -> EffectiveConfig {
    let root = root.canonicalize().unwrap_or_else(|_| root.to_owned());
    let trusted = TrustStore::for_user().and_then(|store| store.is_trusted(&root));
    let trusted = trusted.unwrap_or_else(|error| {
        output::print_warning(&format!("the workspace is treated as untrusted: {error}"));
        false
    });
    let file = ConfigFile::read_in_folder(&root);
    merge_layers([&file.file_layer().clone().restrict_by_trust(trusted, &root)])
}

/// Returns [`effective_config`] and prints a warning on standard error for each option that is
/// ignored.
pub fn effective_config_with_warnings(root: &Path) -> EffectiveConfig {
    let effective = effective_config(root);
    for issue in &effective.issues {
        output::print_warning(&issue.to_string());
    }
    effective
}

/// Prints the schema or the effective configuration.
pub fn run_config(args: &ConfigArgs) -> anyhow::Result<()> {
    match &args.command {
        ConfigCommand::Schema => output::print_text(&json::render_json(&schema::json_schema())?),
        ConfigCommand::Show(args) => {
            let root = args.root.workspace_args().root;
            anyhow::ensure!(root.is_dir(), "{} is not a folder; pass the workspace's folder", root.display());
            let effective = effective_config_with_warnings(&root);
            let plain = || render_options(&effective, &Screen::plain());
            let on_screen = |screen: &Screen| render_options(&effective, screen);
            print_report(&root, args.format, &options_json(&effective), plain, on_screen)
        }
    }
}

/// Renders one line for each option. On a screen, the options that the user has set stand out.
fn render_options(effective: &EffectiveConfig, screen: &Screen) -> String {
    let options = effective.list_options();
    let width = options.iter().map(|option| option.key.len()).max().unwrap_or_default();
    let mut out = String::new();
    for ListedOption { key, value, source } in options {
        let style = if source == ConfigSource::Default { DIM_STYLE } else { NAME_STYLE };
        let (key, value) = (format!("{key:width$}"), screen.paint(&value.to_string(), style));
        let _ = writeln!(out, "{key}  {value}  {}", screen.paint(&format!("({source})"), DIM_STYLE));
    }
    out
}

fn options_json(effective: &EffectiveConfig) -> Value {
    let options = effective.list_options().into_iter().map(|ListedOption { key, value, source }| {
        let source = match source {
            ConfigSource::Default => json!("default"),
            ConfigSource::File(path) => json!(path),
            ConfigSource::InitializationOptions | ConfigSource::Editor => json!("editor"),
            ConfigSource::CommandLine => json!("command line"),
        };
        (key, json!({ "value": value, "source": source }))
    });
    let issues: Vec<String> = effective.issues.iter().map(ToString::to_string).collect();
    json!({
        "schema": json::SCHEMA,
        "options": options.collect::<serde_json::Map<_, _>>(),
        "issues": issues,
    })
}
