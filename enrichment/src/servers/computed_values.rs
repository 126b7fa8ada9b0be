//! Values that only a program of the user can provide, such as the location of the default Rust
//! toolchain. `servers.toml` names the programs; `{NAME}` in a variable of a server stands for the
//! value.
//!
//! The programs run outside every workspace, with the variables that a server would get there, so
//! that no file of a workspace decides what runs or what it prints. If a value cannot be computed,
//! the server does not start: without the variable, the workspace would decide.

use super::find_program;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::LazyLock;
use std::time::Duration;
use tokio::process::Command;

/// Time limit for a program to print a value.
const VALUE_TIMEOUT: Duration = Duration::from_secs(20);

/// Maximum length of a program's error output in a message, in characters. A program that crashes
/// may print a long stack trace.
const MAX_STDERR_CHARS: usize = 200;

/// The rule that computes a value.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ComputedValue {
    /// The program and its arguments. The first line of its output is the value.
    pub command: Vec<String>,
    /// Whether the value is only the first word of the line.
    #[serde(default)]
    pub first_word: bool,
    /// A path that is appended to the line.
    #[serde(default)]
    pub below: Option<String>,
    /// The value if the program is not installed. Without it, a missing program is an error.
    #[serde(default)]
    pub absent: Option<String>,
}

/// The reason why a value cannot be computed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ValueError {
    /// The program is not installed.
    #[error(
        "{program} is not installed; it is needed to find a replacement for the program that the workspace names"
    )]
    Missing {
        /// Name of the program.
        program: String,
    },
    /// The program failed or printed nothing.
    #[error("{command} cannot name a replacement for the program that the workspace names: {reason}")]
    Failed {
        /// The command line.
        command: String,
        /// Description of the failure.
        reason: String,
    },
}

static VALUES: LazyLock<BTreeMap<String, ComputedValue>> = LazyLock::new(|| super::parse_table().value);

/// Returns the computed value that a variable stands for. Returns `None` if the variable is not a
/// placeholder.
pub(super) fn find_computed_value(variable: &str) -> Option<&'static ComputedValue> {
    let name = variable.strip_prefix('{')?.strip_suffix('}')?;
    VALUES.get(name)
}

/// The environment in which programs run to print values.
pub(crate) struct CommandContext<'a> {
    /// The search path for the programs.
    pub tools: &'a [PathBuf],
    /// The folder that the programs run in.
    pub folder: &'a Path,
    /// All environment variables of the programs.
    pub environment: &'a BTreeMap<OsString, OsString>,
}

/// Replaces the variables that stand for computed values.
///
/// # Errors
/// Returns an error if a value cannot be computed.
pub(crate) async fn fill_computed_values(
    variables: &mut BTreeMap<String, String>,
    context: &CommandContext<'_>,
) -> Result<(), ValueError> {
    for value in variables.values_mut() {
        if let Some(computed) = find_computed_value(value) {
            *value = computed.compute_value(context).await?;
        }
    }
    Ok(())
}

impl ComputedValue {
    /// Runs the program and returns the value in its output.
    async fn compute_value(&self, context: &CommandContext<'_>) -> Result<String, ValueError> {
        let (name, arguments) =
            self.command.split_first().map_or(("", &[][..]), |(name, rest)| (name.as_str(), rest));
        let Some(program) = find_program(name, context.tools) else {
            return self.absent.clone().ok_or_else(|| ValueError::Missing { program: name.to_owned() });
        };
        let failure = |reason: String| ValueError::Failed { command: self.command.join(" "), reason };
        let mut command = Command::new(&program);
        command.args(arguments).current_dir(context.folder);
        command.env_clear().envs(context.environment).stdin(Stdio::null()).kill_on_drop(true);
        let output = tokio::time::timeout(VALUE_TIMEOUT, command.output())
            .await
            .map_err(|_| failure(format!("it printed nothing within {VALUE_TIMEOUT:?}")))?
            .map_err(|error| failure(error.to_string()))?;
        if !output.status.success() {
            let stderr = String::from_utf8_lossy(&output.stderr);
            return Err(failure(format!(
                "{}: {}",
                output.status,
                stderr.trim().chars().take(MAX_STDERR_CHARS).collect::<String>()
            )));
        }
        let stdout = String::from_utf8_lossy(&output.stdout);
        self.parse_output(&stdout).ok_or_else(|| failure("it printed nothing".to_owned()))
    }

    /// Returns the value in the output of the program. Returns `None` if there is none.
    fn parse_output(&self, stdout: &str) -> Option<String> {
        let line = stdout.lines().next()?.trim();
        let value = if self.first_word { line.split_whitespace().next()? } else { line };
        if value.is_empty() {
            return None;
        }
        let below = self.below.as_ref().map(|below| Path::new(value).join(below));
        Some(below.map_or_else(|| value.to_owned(), |path| path.to_string_lossy().into_owned()))
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::{CommandContext, fill_computed_values, find_computed_value};
    use std::collections::BTreeMap;
    use std::os::unix::fs::PermissionsExt;
    use std::path::Path;

    fn write_program(folder: &Path, name: &str, script: &str) {
        let file = folder.join(name);
        std::fs::write(&file, format!("#!/bin/sh\n{script}\n")).expect("the script can be written");
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755))
            .expect("the script can be made executable");
    }

    async fn fill_variable(tools: &Path, variable: &str) -> Result<String, String> {
        let environment = BTreeMap::from([("GREETING".into(), "hello".into())]);
        let tools = [tools.to_owned()];
        let context = CommandContext { tools: &tools, folder: Path::new("/"), environment: &environment };
        let mut variables = BTreeMap::from([("V".to_owned(), variable.to_owned())]);
        fill_computed_values(&mut variables, &context).await.map_err(|error| error.to_string())?;
        Ok(variables.remove("V").expect("the variable still exists"))
    }

    #[tokio::test]
    async fn a_value_is_the_output_of_a_program_outside_of_the_workspace() {
        let folder = tempfile::tempdir().unwrap();
        write_program(folder.path(), "rustc", "echo \"$(pwd)-$GREETING-$HOME\"; echo more");
        write_program(folder.path(), "rustup", "echo 'nightly-x (default)'");
        assert_eq!(fill_variable(folder.path(), "{rustc}").await.as_deref(), Ok("/-hello-/bin/rustc"));
        assert_eq!(fill_variable(folder.path(), "{default-toolchain}").await.as_deref(), Ok("nightly-x"));
        assert_eq!(fill_variable(folder.path(), "{unknown}").await.as_deref(), Ok("{unknown}"));
        assert!(find_computed_value("rustc").is_none() && find_computed_value("{rustc}").is_some());
    }

    #[tokio::test]
    async fn a_missing_or_failing_program_is_an_error_unless_the_table_has_a_default() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(fill_variable(folder.path(), "{default-toolchain}").await.as_deref(), Ok(""));
        let missing = fill_variable(folder.path(), "{rustc}").await.unwrap_err();
        assert!(missing.starts_with("rustc is not installed"), "{missing}");
        write_program(folder.path(), "rustc", "echo 'no default is set' >&2; exit 1");
        let failed = fill_variable(folder.path(), "{rustc}").await.unwrap_err();
        assert!(failed.starts_with("rustc --print sysroot cannot name"), "{failed}");
        assert!(failed.ends_with(": no default is set"), "{failed}");
        write_program(folder.path(), "rustc", "echo");
        assert!(fill_variable(folder.path(), "{rustc}").await.unwrap_err().ends_with("it printed nothing"));
    }
}
