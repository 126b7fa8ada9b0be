//! The configuration of a command: the workspace's `kenning.toml`, and `kenning config`.

use super::args::{ConfigArgs, ConfigCommand};
use super::output;
use crate::config::effective::{Effective, combine};
use crate::config::file::File;
use crate::config::schema;
use crate::config::statement::Source;
use crate::config::trust::TrustStore;
use crate::format::{Format, json};
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::Path;

/// What holds in the workspace at `root`. The command line knows no editor.
pub fn of_workspace(root: &Path) -> Effective {
    let root = root.canonicalize().unwrap_or_else(|_| root.to_owned());
    let trusted = TrustStore::of_user().and_then(|store| store.trusts(&root));
    let trusted = trusted.unwrap_or_else(|error| {
        output::warning(&format!("the workspace counts as not trusted: {error}"));
        false
    });
    let file = File::read(&root);
    combine([&file.statement().clone().restricted(trusted, &root)])
}

/// [`of_workspace`], with a warning on standard error for each thing that does not count.
pub fn announced(root: &Path) -> Effective {
    let effective = of_workspace(root);
    for issue in &effective.issues {
        output::warning(&issue.to_string());
    }
    effective
}

/// Prints the schema, or what holds.
pub fn run(args: &ConfigArgs) -> anyhow::Result<()> {
    match &args.command {
        ConfigCommand::Schema => output::print(&json::text(&schema::json_schema())?),
        ConfigCommand::Show(args) => {
            let root = args.root.workspace().root;
            anyhow::ensure!(root.is_dir(), "{} is no folder; name the workspace's folder", root.display());
            let effective = announced(&root);
            output::print(&match args.format {
                Format::Markdown => text(&effective),
                Format::Json => json::text(&data(&effective))?,
            })
        }
    }
}

fn text(effective: &Effective) -> String {
    let listed = effective.listed();
    let width = listed.iter().map(|(_, key, ..)| key.len()).max().unwrap_or_default();
    let mut out = String::new();
    for (_, key, value, source) in listed {
        let _ = writeln!(out, "{key:width$}  {value}  ({source})");
    }
    out
}

fn data(effective: &Effective) -> Value {
    let options = effective.listed().into_iter().map(|(_, key, value, source)| {
        let source = match source {
            Source::Default => json!("default"),
            Source::File(path) => json!(path),
            Source::InitializationOptions | Source::Editor => json!("editor"),
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
