//! Renders the users of a symbol as a tree for a terminal: roles, files, users, and the users of
//! users.

use super::blast::BlastJson;
use super::users::{UserJson, describe_direct_use};
use super::wording::{group_digits, render_quantity};
use crate::terminal::screen::{DIM_STYLE, NAME_STYLE, Screen};
use kenning_graph::{Hash, Snapshot, SymbolId};
use kenning_retrieval::features::direct_users;
use kenning_retrieval::pack::escape_control_chars;
use std::collections::HashSet;
use std::fmt::Write;

/// Maximum number of users in a tree. The number grows exponentially with the levels.
const MAX_USERS: usize = 2_000;

/// A line of the tree with the lines below it.
struct TreeNode {
    text: String,
    children: Vec<TreeNode>,
}

/// Renders the users of the target of an answer, `levels` deep, ending with a line break.
pub fn render_user_tree(snapshot: &Snapshot, answer: &BlastJson<'_>, levels: u8, screen: &Screen) -> String {
    let target = &answer.target;
    let place = screen.link_place(&target.file, Some(target.line));
    let mut out = format!("{} ({place}): {}\n", screen.paint(&target.name, NAME_STYLE), answer.title);
    if let Some(sentence) = &answer.no_users {
        let _ = writeln!(out, "{sentence}");
    }
    let mut builder = TreeBuilder { snapshot, expanded: HashSet::new(), remaining: MAX_USERS };
    builder.expanded.extend(builder.find_symbol(&target.id));
    let groups: Vec<TreeNode> = answer
        .users
        .iter()
        .map(|group| {
            let mark = if group.count.approximate { "~" } else { "" };
            let more = if group.count.capped { "+" } else { "" };
            let text = format!("{}: {mark}{}{more}", group.label, group_digits(group.count.value));
            let files = group.files.iter().map(|file| TreeNode {
                text: file.file.clone(),
                children: file.users.iter().map(|user| builder.user_node(user, levels)).collect(),
            });
            TreeNode { text, children: files.collect() }
        })
        .collect();
    write_nodes(&mut out, &groups, "", screen);
    if builder.remaining == 0 {
        let limit = render_quantity(MAX_USERS, "user");
        let _ = writeln!(out, "The tree stops after {limit}. Use a smaller --depth.");
    }
    if let Some(line) = answer.freshness.render_line() {
        let _ = writeln!(out, "Freshness: {line}.");
    }
    out
}

/// Builds the nodes of the tree.
struct TreeBuilder<'a> {
    snapshot: &'a Snapshot,
    /// The symbols whose users are already in the tree.
    expanded: HashSet<SymbolId>,
    /// The number of further users that fit into the tree.
    remaining: usize,
}

impl TreeBuilder<'_> {
    fn find_symbol(&self, id: &str) -> Option<SymbolId> {
        self.snapshot.symbol_by_hash(&Hash::from_hex(id)?)
    }

    fn user_node(&mut self, user: &UserJson, levels: u8) -> TreeNode {
        self.remaining = self.remaining.saturating_sub(1);
        let line = user.use_line.unwrap_or(user.symbol.line);
        let mark = if user.ambiguous { " ~" } else { "" };
        let text = format!("{line}: {} ({}){mark}", user.symbol.name, user.relation);
        let is_direct = user.distance == 1 && user.has_users;
        let children = match self.find_symbol(&user.symbol.id).filter(|_| is_direct && levels > 1) {
            Some(id) => self.user_nodes(id, levels - 1),
            None => Vec::new(),
        };
        TreeNode { text, children }
    }

    /// Builds the nodes of the users of a symbol. The second time, a note replaces them.
    fn user_nodes(&mut self, used: SymbolId, levels: u8) -> Vec<TreeNode> {
        if !self.expanded.insert(used) {
            return vec![TreeNode { text: "(shown above)".to_owned(), children: Vec::new() }];
        }
        let mut nodes = Vec::new();
        for user in direct_users(self.snapshot, &[used]) {
            let Some(symbol) = self.snapshot.symbol(user.symbol) else { continue };
            if self.remaining == 0 {
                break;
            }
            self.remaining -= 1;
            let line = user.line.unwrap_or(symbol.name_span.line) + 1;
            let relation = describe_direct_use(self.snapshot, &[used], &user);
            let mark = if user.ambiguous { " ~" } else { "" };
            let text = format!("{}:{line}: {} ({relation}){mark}", symbol.path, symbol.display_name());
            let children = if levels > 1 { self.user_nodes(user.symbol, levels - 1) } else { Vec::new() };
            nodes.push(TreeNode { text, children });
        }
        nodes
    }
}

fn write_nodes(out: &mut String, nodes: &[TreeNode], indent: &str, screen: &Screen) {
    for (at, node) in nodes.iter().enumerate() {
        let (branch, below) = if at + 1 == nodes.len() { ("└─ ", "   ") } else { ("├─ ", "│  ") };
        let (text, lines) = (node.text.replace(['\n', '\t'], " "), screen.paint(branch, DIM_STYLE));
        let _ = writeln!(out, "{}{lines}{}", screen.paint(indent, DIM_STYLE), escape_control_chars(&text));
        write_nodes(out, &node.children, &format!("{indent}{below}"), screen);
    }
}
