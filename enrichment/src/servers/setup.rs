//! How a server is set up: the values that it is given when it starts.

use super::{Found, Project};
use crate::merge::lay;
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// Stands for the folder of the project.
const FOLDER: &str = "{project}";
/// Stands for the interpreter of the project.
const INTERPRETER: &str = "{interpreter}";
/// Stands for the folder of packages that are installed for the project.
const PACKAGES: &str = "{packages}";

/// What a server is given when it starts.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Setup {
    /// `initializationOptions`; null where there are none.
    #[serde(default)]
    pub options: Value,
    /// Answers to `workspace/configuration`, nested as their sections.
    #[serde(default)]
    pub settings: Value,
    /// Laid over the client capabilities.
    #[serde(default)]
    pub capabilities: Value,
    /// Environment variables besides those that it inherits. `{NAME}` stands for a computed value
    /// ([`super::ComputedValue`]), which is filled in when the server starts.
    #[serde(default)]
    pub environment: BTreeMap<String, String>,
}

impl Found {
    /// How it is started in one workspace: restrictions are laid on last, so that nothing the workspace says takes them
    /// away.
    pub fn setup(&self, trusted: bool, downloads: bool, project: &Project) -> Setup {
        let server = &self.server;
        let mut setup = server.always.clone();
        if !downloads {
            setup.lay(&server.offline);
        }
        if !trusted {
            if let Some(untrusted) = &server.untrusted {
                setup.lay(untrusted);
            }
            if let (Some(instead), Some(file)) = (&server.instead, &self.instead) {
                let name = Value::from(file.to_string_lossy());
                let path = instead.option.iter().rev();
                let over = path.fold(name, |value, key| [(key.clone(), value)].into_iter().collect());
                lay(&mut setup.options, &over);
            }
        }
        for value in [&mut setup.options, &mut setup.settings] {
            fill(value, project);
        }
        setup
    }
}

impl Setup {
    fn lay(&mut self, over: &Self) {
        lay(&mut self.options, &over.options);
        lay(&mut self.settings, &over.settings);
        lay(&mut self.capabilities, &over.capabilities);
        let variables = over.environment.iter();
        self.environment.extend(variables.map(|(name, value)| (name.clone(), value.clone())));
    }
}

/// Puts in what belongs to the project where a value asks for it; what asks for something that is not there goes.
fn fill(value: &mut Value, project: &Project) {
    match value {
        Value::Object(members) => members.retain(|_, member| is_filled(member, project)),
        Value::Array(items) => items.retain_mut(|item| is_filled(item, project)),
        _ => {}
    }
}

fn is_filled(value: &mut Value, project: &Project) -> bool {
    let file = match value.as_str() {
        Some(FOLDER) => Some(&project.folder),
        Some(INTERPRETER) => project.interpreter.as_ref(),
        Some(PACKAGES) => project.packages.as_ref(),
        _ => {
            fill(value, project);
            return true;
        }
    };
    if let Some(file) = file {
        *value = Value::from(file.to_string_lossy());
    }
    file.is_some()
}
