//! Scripts that replace tools of a server in untrusted workspaces.
//!
//! Some tools read files in the folder they run in, and these files name programs to run. cargo
//! reads `.cargo/config.toml`, whose `[env]` table alone can load code into everything that cargo
//! runs. In an untrusted workspace the server therefore finds small scripts instead, which run the
//! real tools outside the workspace.

use super::find_program;
use crate::client::SCRATCH_PREFIX;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};

/// The tools that run outside an untrusted workspace.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ToolShims {
    /// Names of the tools.
    pub programs: Vec<String>,
    /// The variable that names a folder in whose `bin` the server looks for the tools before it
    /// searches the search path. The tools themselves get the variable's original value.
    pub home_variable: String,
}

/// Whether this system can run a shell script in place of a program.
pub(crate) const SUPPORTS_SHIMS: bool = cfg!(unix);

/// A temporary folder for the scripts and for other temporary files of a server. Dropping it
/// removes the folder.
#[derive(Debug)]
pub(crate) struct ShimFolder {
    folder: tempfile::TempDir,
}

impl ShimFolder {
    /// Creates a folder for a server's tools and temporary files. If `tool_shims` is `Some`,
    /// writes a script for each of its tools and changes the variables in `environment` so that the
    /// server finds the scripts. The tools run in `working_folder`. A tool that is not in one of the
    /// `tool_folders` gets no script.
    ///
    /// # Errors
    /// Returns an error if files cannot be created in the system's temporary folder.
    pub(crate) fn new(
        tool_shims: Option<&ToolShims>,
        tool_folders: &[PathBuf],
        working_folder: &Path,
        environment: &mut BTreeMap<OsString, OsString>,
    ) -> io::Result<Self> {
        let shims = Self { folder: tempfile::Builder::new().prefix(SCRATCH_PREFIX).tempdir()? };
        if let Some(tool_shims) = tool_shims {
            tool_shims.install_shims(shims.folder_path(), tool_folders, working_folder, environment)?;
        }
        Ok(shims)
    }

    /// Returns the path of the folder.
    pub fn folder_path(&self) -> &Path {
        self.folder.path()
    }
}

impl ToolShims {
    fn install_shims(
        &self,
        folder: &Path,
        tool_folders: &[PathBuf],
        working_folder: &Path,
        environment: &mut BTreeMap<OsString, OsString>,
    ) -> io::Result<()> {
        let bin = folder.join("bin");
        std::fs::create_dir(&bin)?;
        let name = &self.home_variable;
        let original_home = environment.get(OsStr::new(name));
        for tool in &self.programs {
            if let Some(program) = find_program(tool, tool_folders) {
                let script = build_shim_script(&program, working_folder, name, original_home);
                write_script(&bin.join(tool), &script)?;
            }
        }
        environment.insert(name.into(), folder.into());
        let path = environment.get(OsStr::new("PATH")).cloned().unwrap_or_default();
        let folders = std::iter::once(bin).chain(std::env::split_paths(&path));
        let path = std::env::join_paths(folders).map_err(io::Error::other)?;
        environment.insert("PATH".into(), path);
        Ok(())
    }
}

/// Builds the script that runs a program in `working_folder`, with the variable `name` set to its
/// original value.
fn build_shim_script(program: &Path, working_folder: &Path, name: &str, value: Option<&OsString>) -> Vec<u8> {
    let mut script = b"#!/bin/sh\ncd ".to_vec();
    script.extend(shell_quote(working_folder.as_os_str()));
    script.extend(b" || exit 1\n");
    match value {
        Some(value) => {
            script.extend(format!("{name}=").as_bytes());
            script.extend(shell_quote(value));
            script.extend(format!("\nexport {name}\n").as_bytes());
        }
        None => script.extend(format!("unset {name}\n").as_bytes()),
    }
    script.extend(b"exec ");
    script.extend(shell_quote(program.as_os_str()));
    script.extend(b" \"$@\"\n");
    script
}

/// Quotes a text, so that the shell does not interpret it.
fn shell_quote(text: &OsStr) -> Vec<u8> {
    let mut quoted = vec![b'\''];
    for &byte in text.as_encoded_bytes() {
        match byte {
            b'\'' => quoted.extend(b"'\\''"),
            byte => quoted.push(byte),
        }
    }
    quoted.push(b'\'');
    quoted
}

#[cfg(unix)]
fn write_script(file: &Path, script: &[u8]) -> io::Result<()> {
    use std::io::Write;
    use std::os::unix::fs::OpenOptionsExt;
    let mut file = std::fs::OpenOptions::new().write(true).create_new(true).mode(0o700).open(file)?;
    file.write_all(script)
}

#[cfg(not(unix))]
fn write_script(_: &Path, _: &[u8]) -> io::Result<()> {
    Err(io::Error::other("this system has no shell scripts"))
}

#[cfg(test)]
mod tests {
    #[cfg(unix)]
    #[test]
    fn the_script_runs_the_real_tool_outside_the_workspace_until_its_folder_is_removed() {
        use super::{ShimFolder, ToolShims};
        use std::collections::BTreeMap;
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let tools = folder.path().join("it's here");
        std::fs::create_dir(&tools).unwrap();
        std::fs::write(tools.join("cargo"), "#!/bin/sh\necho \"$(pwd) $HOME_OF_CARGO $2\"\n").unwrap();
        std::fs::set_permissions(tools.join("cargo"), std::fs::Permissions::from_mode(0o755)).unwrap();
        let tool_shims = ToolShims {
            programs: vec!["cargo".to_owned(), "absent".to_owned()],
            home_variable: "HOME_OF_CARGO".to_owned(),
        };
        let mut environment = BTreeMap::from([
            ("HOME_OF_CARGO".into(), "/a b".into()),
            ("PATH".into(), "/usr/bin:/bin".into()),
        ]);
        let shims = ShimFolder::new(Some(&tool_shims), &[tools], "/".as_ref(), &mut environment).unwrap();
        let home = shims.folder_path().to_owned();
        assert_eq!(environment.get("HOME_OF_CARGO".as_ref() as &std::ffi::OsStr).unwrap(), home.as_os_str());
        assert!(!home.join("bin/absent").exists());
        for program in [home.join("bin/cargo"), "cargo".into()] {
            let mut command = std::process::Command::new("/bin/sh");
            command.args(["-c", "\"$0\" one two"]).arg(program).current_dir(folder.path());
            let output = command.env_clear().envs(&environment).output().unwrap();
            assert_eq!(String::from_utf8_lossy(&output.stdout), "/ /a b two\n");
        }
        drop(shims);
        assert!(!home.exists());
    }
}
