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
    while let Some(ancestor) = parent {
        depth += 1;
        parent = facts.symbols[ancestor as usize].parent;
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
    let scope_name = |scope: u32| match facts.symbols.get(scope as usize) {
        Some(symbol) => symbol.qualified_name(),
        None if scope == FILE_SCOPE => "file".to_owned(),
        None => "?".to_owned(),
    };
    for reference in &facts.references {
        let (name, receiver) = (facts.strings.get(reference.name), facts.strings.get(reference.receiver));
        let dot = if receiver.is_empty() { "" } else { "." };
        let _ = write!(out, "ref {:?} {receiver}{dot}{name}", reference.role);
        if reference.arity != UNKNOWN_ARITY {
            let _ = write!(out, "/{}", reference.arity);
        }
        if reference.arguments != 0 {
            let _ = write!(out, "({})", facts.strings.get(reference.arguments));
        }
        let at = reference.at;
        let _ = writeln!(out, " in {} {}:{}", scope_name(reference.scope), at.line + 1, at.column + 1);
    }
    for import in &facts.imports {
        let reexport = if import.reexport { " reexport" } else { "" };
        let _ = writeln!(
            out,
            "import {:?} {:?} as {:?}{reexport} in {}",
            import.path,
            import.name,
            import.alias,
            scope_name(import.scope)
        );
    }
    for route in &facts.routes {
        let text = |index| facts.strings.get(index);
        let direction = if route.is_client_call { "calls" } else { "serves" };
        let _ = write!(
            out,
            "{direction} {} {} by {:?} in {}",
            text(route.method),
            text(route.path),
            text(route.handler),
            scope_name(route.scope)
        );
        if !text(route.evidence).is_empty() {
            let _ = write!(out, " if {:?} is of {:?}", text(route.evidence), text(route.packages));
        }
        if !text(route.router).is_empty() {
            let _ = write!(out, " below {}{}", text(route.router), if route.needs_mount { "?" } else { "" });
        }
        out.push('\n');
    }
    for mount in &facts.mounts {
        let mark = if mount.outer_needs_mount { "?" } else { "" };
        let _ = writeln!(
            out,
            "mount {:?} at {:?} below {:?}{mark}",
            mount.target, mount.path, mount.outer_router
        );
    }
    for binding in &facts.bindings {
        let (name, value) = (facts.strings.get(binding.name), facts.strings.get(binding.value));
        let _ = writeln!(out, "bind {name} = {:?} {value} in {}", binding.kind, scope_name(binding.scope));
    }
}
