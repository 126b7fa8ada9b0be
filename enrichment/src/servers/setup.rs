//! The setup of a server: the values that it gets when it starts.
//!
//! The values that always apply, with the user's own, come first. `offline` is merged into them if
//! downloads are not allowed, and then `untrusted` if the workspace is not trusted, so that
//! restrictions take precedence. Placeholders are filled last.

use super::{FoundServer, ProjectEnvironment};
use crate::json_merge::merge_json;
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// Placeholder for the folder of the project.
const PROJECT: &str = "{project}";
/// Placeholder for the interpreter of the project.
const INTERPRETER: &str = "{interpreter}";
/// Placeholder for the folder of packages installed in the project.
const PACKAGES: &str = "{packages}";

/// The values that a server gets when it starts.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ServerSetup {
    /// The `initializationOptions`; null for none.
    #[serde(default)]
    pub options: Value,
    /// Answers to `workspace/configuration`, nested by section.
    #[serde(default)]
    pub settings: Value,
    /// Client capabilities to merge into Kenning's own.
    #[serde(default)]
    pub capabilities: Value,
    /// Environment variables in addition to the inherited variables. `{NAME}` stands for a computed
    /// value ([`super::ComputedValue`]), which is filled in when the server starts.
    #[serde(default)]
    pub environment: BTreeMap<String, String>,
}

/// The permissions of a server in a project.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ServerPermissions {
    /// Whether it may run the code of the project.
    pub trusted: bool,
    /// Whether it may download packages.
    pub downloads: bool,
}

impl FoundServer {
    /// Returns the setup for one project. Restrictions are merged last, so that no other setting
    /// can remove them.
    pub fn setup_for_project(
        &self,
        permissions: ServerPermissions,
        project: &ProjectEnvironment,
    ) -> ServerSetup {
        let server = &self.server;
        let mut setup = server.always.clone();
        if !permissions.downloads {
            setup.merge_setup(&server.offline);
        }
        if !permissions.trusted {
            if let Some(untrusted) = &server.untrusted {
                setup.merge_setup(untrusted);
            }
            if let (Some(replaced), Some(file)) = (&server.module_replacement, &self.replacement_file) {
                let file = Value::from(file.to_string_lossy());
                let keys = replaced.option.iter().rev();
                let option = keys.fold(file, |value, key| [(key.clone(), value)].into_iter().collect());
                merge_json(&mut setup.options, &option);
            }
        }
        for value in [&mut setup.options, &mut setup.settings] {
            fill_placeholders(value, project);
        }
        setup
    }
}

impl ServerSetup {
    fn merge_setup(&mut self, overrides: &Self) {
        merge_json(&mut self.options, &overrides.options);
        merge_json(&mut self.settings, &overrides.settings);
        merge_json(&mut self.capabilities, &overrides.capabilities);
        let variables = overrides.environment.iter();
        self.environment.extend(variables.map(|(name, value)| (name.clone(), value.clone())));
    }
}

/// Replaces placeholders with the paths of the project. Removes members and items whose placeholder
/// has no value.
fn fill_placeholders(value: &mut Value, project: &ProjectEnvironment) {
    match value {
        Value::Object(members) => members.retain(|_, member| try_fill_value(member, project)),
        Value::Array(items) => items.retain_mut(|item| try_fill_value(item, project)),
        _ => {}
    }
}

/// Replaces the placeholders in a value. Returns `false` if the value is a placeholder without a
/// value.
fn try_fill_value(value: &mut Value, project: &ProjectEnvironment) -> bool {
    let file = match value.as_str() {
        Some(PROJECT) => Some(&project.folder),
        Some(INTERPRETER) => project.interpreter.as_ref(),
        Some(PACKAGES) => project.packages.as_ref(),
        _ => {
            fill_placeholders(value, project);
            return true;
        }
    };
    if let Some(file) = file {
        *value = Value::from(file.to_string_lossy());
    }
    file.is_some()
}
