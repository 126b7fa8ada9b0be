//! A Landlock sandbox: the kernel denies a process and everything that it starts access to files
//! and connections. This needs no privileges and cannot be undone. Rights that an older kernel does
//! not know stay allowed.

use std::path::PathBuf;

/// The paths that a server may read and write. It may open no TCP connections, where the kernel can
/// prevent that.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SandboxRules {
    /// Files and folders that the server may read and run programs from.
    pub read: Vec<PathBuf>,
    /// Files and folders that the server may also change.
    pub write: Vec<PathBuf>,
}

#[cfg(target_os = "linux")]
pub use linux::check_support;
#[cfg(target_os = "linux")]
pub(super) use linux::restrict_thread;

/// Reports that this system has no sandbox.
///
/// # Errors
/// Always returns an error.
#[cfg(not(target_os = "linux"))]
pub fn check_support() -> Result<(), String> {
    Err("sandboxes are available only on Linux".to_owned())
}

#[cfg(target_os = "linux")]
mod linux {
    use super::SandboxRules;
    use landlock::{
        ABI, Access, AccessFs, AccessNet, CompatLevel, Compatible, Ruleset, RulesetAttr, RulesetCreatedAttr,
        RulesetError, RulesetStatus, path_beneath_rules,
    };

    /// The newest Landlock version whose rights are used. An older kernel enforces the rights that
    /// it knows.
    const NEWEST_ABI: ABI = ABI::V5;

    /// Checks whether this system supports the minimum that the sandbox needs.
    ///
    /// # Errors
    /// Returns the reason if it does not.
    pub fn check_support() -> Result<(), String> {
        let ruleset = Ruleset::default()
            .set_compatibility(CompatLevel::HardRequirement)
            .handle_access(AccessFs::from_all(ABI::V1))
            .and_then(Ruleset::create);
        ruleset.map(drop).map_err(|_| "the kernel has no Landlock, or Landlock is disabled".to_owned())
    }

    /// Restricts this thread and everything that it starts from now on.
    ///
    /// # Errors
    /// Returns an error if the system refuses or has no Landlock.
    pub(crate) fn restrict_thread(sandbox: &SandboxRules) -> Result<(), String> {
        let status = try_restrict(sandbox).map_err(|error| format!("no sandbox: {error}"))?;
        if status == RulesetStatus::NotEnforced {
            Err("no sandbox: not available on this system".to_owned())
        } else {
            Ok(())
        }
    }

    fn try_restrict(sandbox: &SandboxRules) -> Result<RulesetStatus, RulesetError> {
        let status = Ruleset::default()
            .handle_access(AccessFs::from_all(NEWEST_ABI))?
            .handle_access(AccessNet::from_all(NEWEST_ABI))?
            .create()?
            .add_rules(path_beneath_rules(&sandbox.read, AccessFs::from_read(NEWEST_ABI)))?
            .add_rules(path_beneath_rules(&sandbox.write, AccessFs::from_all(NEWEST_ABI)))?
            .restrict_self()?;
        Ok(status.ruleset)
    }
}
