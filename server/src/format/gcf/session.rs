//! Sessions of GCF: an answer refers by number to a symbol that the reader received earlier in the
//! session.
//!
//! A session belongs to one client and one conversation. The client starts it and says when the
//! reader no longer has its beginning. A number belongs to one symbol for the whole session, and
//! new symbols get the next numbers.

use super::super::codec::PackView;
use super::super::sent_pack::SentPack;
use super::{NodeNumber, render_body, render_pack, with_header};
use std::collections::BTreeMap;

/// Maximum number of symbols of a session; the answer that would exceed it is a whole pack, and
/// ends the session.
pub const MAX_SESSION_SYMBOLS: usize = 4_096;

/// The numbers of the symbols that a reader has received.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GcfSession {
    /// The numbers by kind and name.
    numbers: BTreeMap<(String, String), usize>,
}

/// Renders a pack for the reader of a session, and adds its symbols to the session. Without a
/// session, or when the session is full, the pack is whole and does not belong to a session.
pub fn render_session(view: &PackView<'_>, session: &mut Option<GcfSession>) -> String {
    let Some(GcfSession { numbers }) = session else { return render_pack(view) };
    let pack = SentPack::from_answer(view.answer);
    let known = numbers.len();
    let key = |at: usize| {
        let node = &pack.symbols[at].node;
        (node.kind.clone(), node.name.clone())
    };
    let mut ids: BTreeMap<usize, usize> = BTreeMap::new();
    for at in 0..pack.symbols.len() {
        let next = numbers.len();
        ids.insert(at, *numbers.entry(key(at)).or_insert(next));
    }
    if numbers.len() > MAX_SESSION_SYMBOLS {
        *session = None;
        return render_pack(view);
    }
    let number = |at: usize| {
        let id = ids.get(&at).copied().unwrap_or(at);
        NodeNumber { id, is_new: id >= known }
    };
    let body = render_body(view, &pack, number);
    let last_fields = format!(" session=true pack_root={}", pack.graph_root);
    with_header(view, &pack, &last_fields, &body)
}
