//! The program `git` for tests, isolated from the configuration of the user and the system.

use std::path::Path;
use std::process::Command;

/// Runs git in a folder with an author and additional variables, and returns its output.
pub(crate) fn run_git(folder: &Path, author: &str, variables: &[(&str, &str)], arguments: &[&str]) -> String {
    let mut command = Command::new("git");
    command.args(["-c", &format!("user.name={author}"), "-c", &format!("user.email={author}@x")]);
    command.args(["-c", "commit.gpgsign=false"]).args(arguments).current_dir(folder);
    command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_SYSTEM", "/dev/null");
    let output = command.envs(variables.iter().copied()).output().unwrap();
    assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}
