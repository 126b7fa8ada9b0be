//! Checks which targets of the equivalence classes the frameworks' own sources define.

use anyhow::{Context, ensure};
use kenning_indexing::workspace::{NoProgress, Workspace, WorkspaceOptions};
use kenning_retrieval::classes::{Framework, is_target_defined, known_frameworks};
use std::fmt::Write;
use std::path::Path;

/// The defined and the missing targets of the classes of one framework.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FrameworkTargets {
    /// The id of the framework.
    pub framework: &'static str,
    /// The number of its classes.
    pub classes: usize,
    /// The number of targets that its source defines, each counted once.
    pub found: usize,
    /// Targets that its source does not define, each with its class, in the order of the data.
    pub missing: Vec<(&'static str, &'static str)>,
}

/// Checks the frameworks that have a sub-folder in `sources`, named by their id. Indexes each into
/// a sub-folder of `databases`, which later runs reuse, or into a temporary folder if `databases`
/// is `None`. Calls `progress` after each framework.
///
/// # Errors
/// Fails if a folder cannot be indexed, or if no framework has a folder.
pub fn check_frameworks(
    sources: &Path,
    databases: Option<&Path>,
    progress: &mut dyn FnMut(&FrameworkTargets),
) -> anyhow::Result<Vec<FrameworkTargets>> {
    let mut checked = Vec::new();
    for framework in known_frameworks() {
        let folder = sources.join(&framework.id);
        if folder.is_dir() {
            let targets = check_framework(framework, &folder, databases)
                .with_context(|| folder.display().to_string())?;
            progress(&targets);
            checked.push(targets);
        }
    }
    ensure!(
        !checked.is_empty(),
        "{} has no folder named after a framework, such as {}",
        sources.display(),
        known_frameworks().first().map_or("", |framework| &framework.id)
    );
    Ok(checked)
}

/// Indexes the sources of one framework and looks up the targets of its classes.
fn check_framework(
    framework: &'static Framework,
    folder: &Path,
    databases: Option<&Path>,
) -> anyhow::Result<FrameworkTargets> {
    let temporary = tempfile::tempdir()?;
    let db = Some(databases.unwrap_or(temporary.path()).join(&framework.id).join("graph.db"));
    let options = WorkspaceOptions { db, history: false, ..WorkspaceOptions::default() };
    let mut workspace = Workspace::open(folder, options)?;
    workspace.refresh_all(&NoProgress)?;
    let snapshot = workspace.current_snapshot();
    let mut targets =
        FrameworkTargets { framework: &framework.id, classes: 0, found: 0, missing: Vec::new() };
    let mut seen = std::collections::BTreeSet::new();
    for class in framework.framework_classes() {
        targets.classes += 1;
        for target in &class.targets {
            if !seen.insert(target) {
                continue;
            }
            if is_target_defined(&snapshot, class, target) {
                targets.found += 1;
            } else {
                targets.missing.push((&class.id, target));
            }
        }
    }
    Ok(targets)
}

/// Returns the table with one line per framework; the last column lists the missing targets.
pub fn to_csv(checked: &[FrameworkTargets], command: &str) -> String {
    let mut text = format!("# {command}\nframework,classes,targets,found,missing,missing_targets\n");
    for result in checked {
        let missing: Vec<&str> = result.missing.iter().map(|(_, target)| *target).collect();
        let targets = result.found + missing.len();
        let _ = writeln!(
            text,
            "{},{},{targets},{},{},{}",
            result.framework,
            result.classes,
            result.found,
            missing.len(),
            missing.join(" ")
        );
    }
    text
}
