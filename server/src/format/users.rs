//! Groups the users of a symbol by role and by file, for the editors and the command line.
//!
//! In: the direct users and the tests of a blast radius. Out: one group per role that has users
//! ([`UserGroupJson`]); a group contains files, and a file its users with the line of the first
//! use.
//!
//! The groups agree with the numbers of a title: the groups `caller` and `dispatch` together are
//! the callers, and with the group `use` they are the uses. A test that uses the symbol directly
//! occurs in the group of its use and in the group `test`, which also contains the tests that reach
//! the symbol through others.

use super::blast::CountJson;
use super::symbol_locations::{DocumentLocator, Location, SymbolJson, symbol_json};
use super::wording::describe_use;
use crate::freshness::Freshness;
use kenning_graph::{EdgeKind, Snapshot, SymbolId};
use kenning_retrieval::features::{
    BlastRadius, CountedKind, DirectUser, HiddenUses, SymbolCount, TestReach, UserRole, has_users,
};
use schemars::JsonSchema;
use serde::Serialize;

/// The users of a symbol that have one role.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "UserGroup")]
pub struct UserGroupJson {
    /// The role: `caller`, `dispatch` (calls a symbol that this symbol overrides), `use`,
    /// `implementation`, `possible` (may run this symbol without a call), `test`, or `elsewhere`
    /// (in another open folder, through an endpoint, table, topic, variable or flag that both
    /// folders name; not part of the numbers).
    pub role: &'static str,
    /// The heading of the group.
    pub label: &'static str,
    /// The number of users in the group. It is larger than the number of listed users if the list
    /// is truncated.
    pub count: CountJson,
    /// The users by file: files with users outside tests first, then by path.
    pub files: Vec<UserFileJson>,
}

/// The users in one file.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "UserFile")]
pub struct UserFileJson {
    /// The path in the workspace, with `/` as the separator.
    pub file: String,
    /// The users, by line.
    pub users: Vec<UserJson>,
}

/// A user of a symbol.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "SymbolUser")]
pub struct UserJson {
    /// The user.
    #[serde(flatten)]
    pub symbol: SymbolJson,
    /// A description of the use: `calls it`, `reads or writes Order.total`.
    pub relation: String,
    /// 1-based line of the first use; null if unknown.
    pub use_line: Option<u32>,
    /// The location of that use, for clients that open it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub use_location: Option<Location>,
    /// The distance to the symbol in hops. Only tests are more than one hop away.
    pub distance: u8,
    /// The provenance of the use; null for a test that reaches the symbol through others.
    pub provenance: Option<&'static str>,
    /// True if the use may be a use of another symbol.
    pub ambiguous: bool,
    /// True for tests and their parts.
    pub is_test: bool,
    /// True if the user has users itself. The same request with its id returns them.
    pub has_users: bool,
}

/// Builds the groups of users of the target of a blast radius. All counts are approximate while
/// files wait to be indexed.
pub fn group_users(
    snapshot: &Snapshot,
    blast: &BlastRadius,
    freshness: &Freshness,
    locator: &dyn DocumentLocator,
) -> Vec<UserGroupJson> {
    let mut groups = Vec::new();
    for role in DIRECT_ROLES {
        let users: Vec<&DirectUser> = blast.users.iter().filter(|user| user.role == role).collect();
        let count = SymbolCount {
            value: users.len(),
            approximate: freshness.is_unsettled() || users.iter().any(|user| user.ambiguous),
            capped: blast.truncated && users.len() < blast.users.len() && blast.users.len() >= MAX_LISTED,
        };
        let users = users.into_iter().filter_map(|user| user_json(snapshot, &blast.targets, user, locator));
        push_group(&mut groups, role, blast.counts.kind, count, users);
    }
    let tests = blast.tests.iter().filter_map(|test| test_json(snapshot, blast, test, locator));
    let mut count = blast.counts.tests;
    count.approximate |= freshness.is_unsettled();
    push_group(&mut groups, UserRole::Test, blast.counts.kind, count, tests);
    groups
}

/// The roles of direct users, in the order of their groups.
const DIRECT_ROLES: [UserRole; 5] =
    [UserRole::Caller, UserRole::Dispatch, UserRole::Use, UserRole::Implementation, UserRole::Possible];

/// Maximum number of users in a blast radius. A list of this length may be truncated.
const MAX_LISTED: usize = kenning_retrieval::features::MAX_DEPENDENTS;

fn push_group(
    groups: &mut Vec<UserGroupJson>,
    role: UserRole,
    kind: CountedKind,
    count: SymbolCount,
    users: impl Iterator<Item = UserJson>,
) {
    let mut files: Vec<UserFileJson> = Vec::new();
    for user in users {
        match files.iter_mut().find(|known| known.file == user.symbol.file) {
            Some(known) => known.users.push(user),
            None => files.push(UserFileJson { file: user.symbol.file.clone(), users: vec![user] }),
        }
    }
    if files.is_empty() {
        return;
    }
    for file in &mut files {
        file.users.sort_by_key(|user| (user.use_line.unwrap_or(user.symbol.line), user.symbol.line));
    }
    files.sort_by(|a, b| {
        let has_only_tests = |file: &UserFileJson| file.users.iter().all(|user| user.is_test);
        has_only_tests(a).cmp(&has_only_tests(b)).then_with(|| a.file.cmp(&b.file))
    });
    let label = describe_role(role, kind);
    groups.push(UserGroupJson { role: role.as_str(), label, count: count.into(), files });
}

/// Returns the heading of the users that have a role.
pub fn describe_role(role: UserRole, kind: CountedKind) -> &'static str {
    match role {
        UserRole::Caller if kind == CountedKind::Type => "Creators and callers",
        UserRole::Caller => "Callers",
        UserRole::Dispatch => "Callers through a base or interface",
        UserRole::Use => "Uses",
        UserRole::Implementation if kind == CountedKind::Callable => "Overrides",
        UserRole::Implementation => "Implementations",
        UserRole::Possible => "Possible users",
        UserRole::Test => "Tests",
    }
}

fn user_json(
    snapshot: &Snapshot,
    targets: &[SymbolId],
    user: &DirectUser,
    locator: &dyn DocumentLocator,
) -> Option<UserJson> {
    let symbol = symbol_json(snapshot, user.symbol, locator)?;
    let use_location = user.line.and_then(|line| locator.locate_line(&symbol.file, line));
    Some(UserJson {
        relation: describe_direct_use(snapshot, targets, user),
        use_line: user.line.map(|line| line + 1),
        use_location,
        distance: 1,
        provenance: Some(user.provenance.as_str()),
        ambiguous: user.ambiguous,
        is_test: user.is_test,
        has_users: has_users(snapshot, user.symbol),
        symbol,
    })
}

fn test_json(
    snapshot: &Snapshot,
    blast: &BlastRadius,
    test: &TestReach,
    locator: &dyn DocumentLocator,
) -> Option<UserJson> {
    let direct = blast.users.iter().find(|user| user.symbol == test.test);
    if let Some(user) = direct.filter(|_| test.distance == 1) {
        let found = user_json(snapshot, &blast.targets, user, locator)?;
        return Some(UserJson { is_test: true, ambiguous: test.ambiguous, ..found });
    }
    let name = |id| snapshot.symbol(id).map(|symbol| symbol.display_name()).unwrap_or_default();
    let is_recorded = || snapshot.covering_tests(test.next).iter().any(|cover| cover.test == test.test);
    let relation = match test.distance {
        1 if is_recorded() => "ran it in a recorded run".to_owned(),
        1 => "tests it".to_owned(),
        hops => format!("reaches it through {}, {hops} hops", name(test.next)),
    };
    Some(UserJson {
        symbol: symbol_json(snapshot, test.test, locator)?,
        relation,
        use_line: None,
        use_location: None,
        distance: test.distance,
        provenance: None,
        ambiguous: test.ambiguous,
        is_test: true,
        has_users: false,
    })
}

/// Describes the use that a user makes of one of the targets, of a part of it, or of a symbol that
/// it overrides.
pub fn describe_direct_use(snapshot: &Snapshot, targets: &[SymbolId], user: &DirectUser) -> String {
    match user.through {
        Some(base) => format!("calls {}, which it overrides", display_name(snapshot, base)),
        None => describe_use_of(snapshot, targets, user.used, user.kind),
    }
}

/// Describes the use that a dependent makes of the next symbol on its path to one of the targets.
pub fn describe_use_of(snapshot: &Snapshot, targets: &[SymbolId], used: SymbolId, kind: EdgeKind) -> String {
    let object = if targets.contains(&used) { "it".to_owned() } else { display_name(snapshot, used) };
    let is_type = snapshot.symbol_facets(used).is_some_and(|facets| facets.kind.is_type());
    match kind {
        EdgeKind::Calls if is_type => format!("creates {object}"),
        kind => describe_use(kind, &object),
    }
}

fn display_name(snapshot: &Snapshot, id: SymbolId) -> String {
    snapshot.symbol(id).map(|symbol| symbol.display_name()).unwrap_or_default()
}

/// Returns a sentence for a target without known users, with the reason why users may be missing.
/// Returns `None` if there are users.
pub fn describe_no_users(blast: &BlastRadius, freshness: &Freshness) -> Option<String> {
    if !blast.users.is_empty() || !blast.tests.is_empty() {
        return None;
    }
    let reason = match blast.hidden_uses {
        _ if freshness.is_unsettled() => " yet: some files are not indexed, or have syntax errors",
        Some(HiddenUses::NamedElsewhere) => {
            ", but its name occurs elsewhere in the code, so a dynamic call or a call on an unknown type may use it"
        }
        Some(HiddenUses::CalledImplicitly) => ", but the language or a framework may call it",
        Some(HiddenUses::OutsideBase) => ", but its type has a base outside the workspace, which may call it",
        None => "",
    };
    Some(format!("No users found{reason}."))
}
