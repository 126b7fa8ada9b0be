//! Macro calls of Rust that contain declarations: `cfg_rt! { pub fn spawn() {} }`,
//! `pin_project! { struct Sleep { .. } }`, `lazy_static! { static ref LIMIT: u32 = 1; }` and
//! `bitflags! { struct Flags: u32 { const A = 1; } }`.
//!
//! The grammar parses the contents of a macro call as bare tokens. Here such a call is closed
//! directly after its name, so that its contents become declarations next to it. The contents of
//! the last two are not Rust, so the rewrites turn them into the nearest Rust: `static LIMIT` and
//! `enum Flags { A = 1, }`. In `proptest! { #[test] fn adds(a in 0..9) {} }`, the strategies after
//! `in` become blanks.

use crate::extract::source_rewrites::SourceRewrite;
use tree_sitter::Node;

/// Words that begin a declaration.
const ITEM_WORDS: [&str; 15] = [
    "pub", "struct", "enum", "union", "fn", "impl", "mod", "use", "static", "const", "trait", "type",
    "unsafe", "async", "extern",
];

/// Returns the rewrites of all macro calls at the places of declarations whose contents begin with
/// a declaration.
pub(super) fn rewrite_item_macros(text: &str, root: Node) -> Vec<SourceRewrite> {
    let mut rewrites = Vec::new();
    let mut containers = vec![root];
    while let Some(container) = containers.pop() {
        let mut cursor = container.walk();
        for child in container.named_children(&mut cursor) {
            match child.kind() {
                "mod_item" | "impl_item" | "trait_item" => {
                    containers.extend(child.child_by_field_name("body"));
                }
                "macro_invocation" => rewrites.extend(rewrite_call(text, child)),
                "expression_statement" => {
                    let call = child.named_child(0).filter(|call| call.kind() == "macro_invocation");
                    rewrites.extend(call.and_then(|call| rewrite_call(text, call)));
                }
                _ => {}
            }
        }
    }
    rewrites
}

/// Returns the rewrite of one macro call, or `None` if its contents are not declarations.
fn rewrite_call(text: &str, call: Node) -> Option<SourceRewrite> {
    let name_end = call.child_by_field_name("macro")?.end_byte();
    let mut cursor = call.walk();
    let contents = call.named_children(&mut cursor).find(|child| child.kind() == "token_tree")?;
    let mut cursor = contents.walk();
    let tokens: Vec<Node> = contents.children(&mut cursor).collect();
    let (open, tokens) = tokens.split_first()?;
    let (close, tokens) = tokens.split_last()?;
    let words = || tokens.iter().filter(|token| !token.is_extra());
    if open.kind() != "{" || !begins_item(text, &words().copied().collect::<Vec<_>>()) {
        return None;
    }
    let mut rewrite = SourceRewrite { range: call.byte_range(), bytes: Vec::new() };
    close_after_name(text, name_end, tokens.first()?.start_byte(), &mut rewrite)?;
    rewrite.blank(text, close.byte_range());
    let tokens: Vec<Node> = words().copied().collect();
    for (at, token) in tokens.iter().enumerate() {
        match token_text(text, *token) {
            "static" => rewrite_static_ref(text, &tokens[at..], &mut rewrite),
            "struct" => rewrite_flags(text, &tokens[at..], &mut rewrite),
            "fn" => blank_strategies(text, &tokens[at..], &mut rewrite),
            _ => {}
        }
    }
    Some(rewrite)
}

fn token_text<'t>(text: &'t str, token: Node) -> &'t str {
    text.get(token.byte_range()).unwrap_or("")
}

/// Whether the first token after attributes begins a declaration.
fn begins_item(text: &str, mut tokens: &[Node]) -> bool {
    loop {
        tokens = match tokens {
            [hash, attribute, rest @ ..] if hash.kind() == "#" && attribute.kind() == "token_tree" => rest,
            // An inner attribute: `#![proptest_config(..)]`.
            [hash, bang, attribute, rest @ ..]
                if hash.kind() == "#" && bang.kind() == "!" && attribute.kind() == "token_tree" =>
            {
                rest
            }
            _ => break,
        };
    }
    tokens.first().is_some_and(|token| ITEM_WORDS.contains(&token_text(text, *token)))
}

/// Writes `{}` between the `!` of the call and its contents, without overwriting a line end.
fn close_after_name(text: &str, name_end: usize, contents: usize, rewrite: &mut SourceRewrite) -> Option<()> {
    let between = text.get(name_end..contents)?;
    let start = name_end + between.find('!')? + 1;
    rewrite.blank(text, start..contents);
    let mut blanked_bytes = rewrite.bytes.iter_mut();
    blanked_bytes.next()?.1 = b'{';
    blanked_bytes.next()?.1 = b'}';
    Some(())
}

/// Turns `static ref NAME` into `static NAME`.
fn rewrite_static_ref(text: &str, tokens: &[Node], rewrite: &mut SourceRewrite) {
    if let [_, keyword, _, ..] = tokens
        && token_text(text, *keyword) == "ref"
    {
        rewrite.blank(text, keyword.byte_range());
    }
}

/// Turns `struct Flags: u32 { const A = 1; }` into `enum Flags { A = 1, }`.
fn rewrite_flags(text: &str, tokens: &[Node], rewrite: &mut SourceRewrite) {
    let [keyword, _, colon, ty @ ..] = tokens else { return };
    let body =
        ty.iter().find(|token| token.kind() == "token_tree" && token_text(text, **token).starts_with('{'));
    let Some(body) = body.filter(|_| token_text(text, *colon) == ":") else { return };
    rewrite.blank(text, keyword.byte_range());
    let keyword_bytes = keyword.start_byte()..;
    rewrite.bytes.extend(keyword_bytes.zip(*b"enum"));
    rewrite.blank(text, colon.start_byte()..body.start_byte());
    let mut cursor = body.walk();
    // `const _ = !0;` declares no name.
    let mut is_unnamed = false;
    let members: Vec<Node> = body.children(&mut cursor).collect();
    for (at, token) in members.iter().enumerate() {
        match token_text(text, *token) {
            "const" => {
                is_unnamed = members.get(at + 1).is_some_and(|name| token_text(text, *name) == "_");
                rewrite.blank(text, token.byte_range());
            }
            ";" => {
                rewrite.bytes.push((token.start_byte(), if is_unnamed { b' ' } else { b',' }));
                is_unnamed = false;
            }
            _ if is_unnamed => rewrite.blank(text, token.byte_range()),
            _ => {}
        }
    }
}

/// Turns `fn name(a in strategy, b in strategy)` into `fn name(a, b)`.
fn blank_strategies(text: &str, tokens: &[Node], rewrite: &mut SourceRewrite) {
    let Some(parameters) = tokens.get(2).filter(|token| token.kind() == "token_tree") else { return };
    let mut cursor = parameters.walk();
    let mut strategy_start = None;
    let parts: Vec<Node> = parameters.children(&mut cursor).collect();
    let last = parts.len().saturating_sub(1);
    for (at, token) in parts.iter().enumerate() {
        let ends_parameter = token_text(text, *token) == "," || at == last;
        if let Some(start) = strategy_start.filter(|_| ends_parameter) {
            rewrite.blank(text, start..token.start_byte());
            strategy_start = None;
        } else if token_text(text, *token) == "in" && strategy_start.is_none() {
            strategy_start = Some(token.start_byte());
        }
    }
}
