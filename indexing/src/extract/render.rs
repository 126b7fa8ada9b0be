//! Rendering of facts as text, for tests and for inspection.

use kenning_graph::FileFacts;
use kenning_graph::facts::{FILE_SCOPE, SymbolFact, UNKNOWN_ARITY};
use std::fmt::Write;

/// Renders the facts of a file in a compact, stable notation: symbols (indented below their
/// parents), references, imports, routes, mounts and bindings, one per line.
pub fn render_facts(facts: &FileFacts) -> String {
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = write!(out, "{} package={:?} lines={}", facts.language, facts.package, facts.lines);
    for (flag, name) in [
        (facts.quality.syntax_errors, "syntax_errors"),
        (facts.quality.lossy, "lossy"),
        (facts.quality.abandoned, "abandoned"),
    ] {
        if flag {
            let _ = write!(out, " {name}");
        }
    }
    out.push('\n');
    for symbol in &facts.symbols {
        render_symbol(facts, symbol, &mut out);
    }
    render_uses(facts, &mut out);
    out
}

fn render_symbol(facts: &FileFacts, symbol: &SymbolFact, out: &mut String) {
    let mut depth = 0;
    let mut parent = symbol.parent;
    while let Some(p) = parent {
        depth += 1;
        parent = facts.symbols[p as usize].parent;
    }
    let lines = (symbol.span.start_line + 1, symbol.span.end_line + 1);
    let _ = write!(out, "{}{} {}", "  ".repeat(depth), symbol.kind, symbol.qualified_name());
    let _ = write!(out, " {}-{} `{}`", lines.0, lines.1, symbol.signature);
    if let Some(arity) = symbol.arity {
        let _ = write!(out, " ({})/{arity}", symbol.params);
    }
    if !symbol.ty.is_empty() {
        let _ = write!(out, " : {}", symbol.ty);
    }
    for base in &symbol.bases {
        let _ = write!(out, " {:?}({})", base.relation, base.name);
    }
    let _ = write!(out, " {}", symbol.visibility);
    if symbol.is_test {
        out.push_str(" test");
    }
    if !symbol.doc.is_empty() {
        let _ = write!(out, " doc={:?}", symbol.doc);
    }
    out.push('\n');
}

fn render_uses(facts: &FileFacts, out: &mut String) {
    let scope = |scope: u32| match facts.symbols.get(scope as usize) {
        Some(symbol) => symbol.qualified_name(),
        None if scope == FILE_SCOPE => "file".to_owned(),
        None => "?".to_owned(),
    };
    for r in &facts.references {
        let (name, receiver) = (facts.strings.get(r.name), facts.strings.get(r.receiver));
        let dot = if receiver.is_empty() { "" } else { "." };
        let _ = write!(out, "ref {:?} {receiver}{dot}{name}", r.role);
        if r.arity != UNKNOWN_ARITY {
            let _ = write!(out, "/{}", r.arity);
        }
        if r.arguments != 0 {
            let _ = write!(out, "({})", facts.strings.get(r.arguments));
        }
        let _ = writeln!(out, " in {} {}:{}", scope(r.scope), r.at.line + 1, r.at.column + 1);
    }
    for i in &facts.imports {
        let reexport = if i.reexport { " reexport" } else { "" };
        let _ = writeln!(
            out,
            "import {:?} {:?} as {:?}{reexport} in {}",
            i.path,
            i.name,
            i.alias,
            scope(i.scope)
        );
    }
    for r in &facts.routes {
        let text = |index| facts.strings.get(index);
        let direction = if r.is_client_call { "calls" } else { "serves" };
        let _ = write!(
            out,
            "{direction} {} {} by {:?} in {}",
            text(r.method),
            text(r.path),
            text(r.handler),
            scope(r.scope)
        );
        if !text(r.evidence).is_empty() {
            let _ = write!(out, " if {:?} is of {:?}", text(r.evidence), text(r.packages));
        }
        if !text(r.router).is_empty() {
            let _ = write!(out, " below {}{}", text(r.router), if r.needs_mount { "?" } else { "" });
        }
        out.push('\n');
    }
    for m in &facts.mounts {
        let mark = if m.outer_needs_mount { "?" } else { "" };
        let _ = writeln!(out, "mount {:?} at {:?} below {:?}{mark}", m.target, m.path, m.outer_router);
    }
    for b in &facts.bindings {
        let (name, value) = (facts.strings.get(b.name), facts.strings.get(b.value));
        let _ = writeln!(out, "bind {name} = {:?} {value} in {}", b.kind, scope(b.scope));
    }
}
