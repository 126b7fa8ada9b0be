//! Landlock: the system keeps a process and everything that it starts from files and connections, without rights of its own and
//! without a way back. Older systems know less of it; what this one does not know stays allowed, and is reported.

use std::path::PathBuf;

/// What a server may read and write; it may connect to nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SandboxRules {
    /// Files and folders that it may read, and run programs of.
    pub read: Vec<PathBuf>,
    /// Files and folders that it may change as well.
    pub write: Vec<PathBuf>,
}

#[cfg(target_os = "linux")]
pub use linux::check_support;
#[cfg(target_os = "linux")]
pub(super) use linux::restrict_thread;

/// There is no such thing on this system.
///
/// # Errors
/// Always.
#[cfg(not(target_os = "linux"))]
pub fn check_support() -> Result<(), String> {
    Err("only Linux has one".to_owned())
}

#[cfg(target_os = "linux")]
mod linux {
    use super::SandboxRules;
    use landlock::{
        ABI, Access, AccessFs, AccessNet, CompatLevel, Compatible, Ruleset, RulesetAttr, RulesetCreatedAttr,
        RulesetError, RulesetStatus, path_beneath_rules,
    };

    /// The newest version whose rights are known here; of an older system's, what it knows.
    const NEWEST: ABI = ABI::V5;

    /// Whether this system has what the sandbox needs at least.
    ///
    /// # Errors
    /// Why it has not.
    pub fn check_support() -> Result<(), String> {
        let made = Ruleset::default()
            .set_compatibility(CompatLevel::HardRequirement)
            .handle_access(AccessFs::from_all(ABI::V1))
            .and_then(Ruleset::create);
        made.map(drop).map_err(|_| "this system's kernel has no Landlock, or has it turned off".to_owned())
    }

    /// Restricts this thread and everything that it starts from now on.
    ///
    /// # Errors
    /// When the system refuses.
    pub(crate) fn restrict_thread(sandbox: &SandboxRules) -> Result<(), String> {
        let status = try_restrict(sandbox).map_err(|error| format!("no sandbox: {error}"))?;
        if status == RulesetStatus::NotEnforced {
            Err("no sandbox: this system has none".to_owned())
        } else {
            Ok(())
        }
    }

    fn try_restrict(sandbox: &SandboxRules) -> Result<RulesetStatus, RulesetError> {
        let status = Ruleset::default()
            .handle_access(AccessFs::from_all(NEWEST))?
            .handle_access(AccessNet::from_all(NEWEST))?
            .create()?
            .add_rules(path_beneath_rules(&sandbox.read, AccessFs::from_read(NEWEST)))?
            .add_rules(path_beneath_rules(&sandbox.write, AccessFs::from_all(NEWEST)))?
            .restrict_self()?;
        Ok(status.ruleset)
    }
}
