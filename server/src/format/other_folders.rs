//! Users of a symbol in the other folders of a session: a group of users like those of the folder
//! itself, with the role `elsewhere`.

use super::blast::{CountJson, render_location};
use super::symbol_locations::{DocumentLocator, symbol_json};
use super::users::{UserFileJson, UserGroupJson, UserJson, describe_use_of};
use kenning_graph::{EdgeKind, Hash, Snapshot};
use kenning_retrieval::features::{SharedUser, users_of_nodes};
use kenning_retrieval::pack::code_span;
use std::fmt::Write;

/// Maximum number of users in one folder that an answer lists. A shared table can have thousands.
const MAX_USERS: usize = 200;

/// The role of the group.
const ROLE: &str = "elsewhere";

/// Another folder, in its latest state.
pub struct OtherFolder<'a> {
    /// The prefix of the paths of its files in answers.
    pub name: String,
    /// Its graph.
    pub snapshot: &'a Snapshot,
    /// Its documents.
    pub locator: &'a dyn DocumentLocator,
}

/// Collects the users of shared nodes in other folders, one folder at a time.
#[derive(Default)]
pub struct OtherUsers {
    files: Vec<UserFileJson>,
    users: usize,
}

impl OtherUsers {
    /// Adds the users in a folder.
    pub fn add_folder(&mut self, folder: &OtherFolder, nodes: &[Hash]) {
        let found = users_of_nodes(folder.snapshot, nodes);
        self.users += found.len();
        for user in found.iter().take(MAX_USERS).filter_map(|user| describe_user(folder, user)) {
            let file = format!("{}/{}", folder.name, user.symbol.file);
            match self.files.iter_mut().find(|known| known.file == file) {
                Some(known) => known.users.push(user),
                None => self.files.push(UserFileJson { file, users: vec![user] }),
            }
        }
    }

    /// Returns the group; `None` if there are no users.
    pub fn into_group(self) -> Option<UserGroupJson> {
        let count = CountJson { value: self.users, approximate: false, capped: false };
        let label = "In other open folders";
        (!self.files.is_empty()).then_some(UserGroupJson { role: ROLE, label, count, files: self.files })
    }
}

fn describe_user(folder: &OtherFolder, user: &SharedUser) -> Option<UserJson> {
    let snapshot = folder.snapshot;
    let node = snapshot.symbol(user.node)?;
    let relation = match user.kind {
        EdgeKind::HandlesRoute => format!("serves {}", node.display_name()),
        EdgeKind::ConsumesEndpoint => format!("requests {}", node.display_name()),
        EdgeKind::DefinedBy => format!("defines {}", node.display_name()),
        kind => describe_use_of(snapshot, &[], user.node, kind),
    };
    let symbol = symbol_json(snapshot, user.symbol, folder.locator)?;
    let use_location = user.line.and_then(|line| folder.locator.locate_line(&symbol.file, line));
    Some(UserJson {
        is_test: snapshot.symbol(user.symbol)?.is_test,
        symbol,
        relation,
        use_line: user.line.map(|line| line + 1),
        use_location,
        distance: 1,
        provenance: Some(user.provenance.as_str()),
        ambiguous: false,
        has_users: false,
    })
}

/// Writes the section for people; nothing without the group.
pub(super) fn write_section(out: &mut String, groups: &[UserGroupJson]) {
    for group in groups.iter().filter(|group| group.role == ROLE) {
        let _ = writeln!(out, "\n## {}\n", group.label);
        for file in &group.files {
            for user in &file.users {
                let mut located = user.symbol.clone();
                located.file.clone_from(&file.file);
                let (name, kind) = (code_span(&user.symbol.name), user.symbol.kind);
                let _ = writeln!(out, "- {} {name} ({kind}, {})", render_location(&located), user.relation);
            }
        }
    }
}
