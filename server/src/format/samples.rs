//! A small pack by hand, for the tests of the formats.

use crate::seam::retrieval::{Detail, Omitted, Pack, PackEdge, PackSymbol};
use kenning_graph::{EdgeKind, Hash, Provenance, SymbolKind};

fn symbol(name: &str, distance: u32, detail: Detail, text: Option<&str>) -> PackSymbol {
    PackSymbol {
        id: Hash::of_content(name.as_bytes()),
        qualified_name: format!("src/app.py::{name}"),
        name: name.into(),
        kind: SymbolKind::Method,
        language: "python".into(),
        file: "src/app.py".into(),
        line: 12 + distance,
        end_line: 14 + distance,
        signature: "def hook(self,\n    f)".into(),
        doc: "Registers `f`.".into(),
        score: 0.84,
        distance,
        confidence: 0.9,
        provenance: Provenance::AstResolved,
        channels: vec!["text".into()],
        components: [("text".to_owned(), 0.7), ("graph".to_owned(), 0.14)].into(),
        detail,
        tokens: 10,
        text: text.map(str::to_owned),
    }
}

/// A pack with a symbol of each group and detail.
pub fn pack() -> Pack {
    let body = "def hook(self, f):\n    \"\"\"\n    ```\n    app.hook(f)\n    ```\n    \"\"\"\n";
    Pack {
        task: "\n## add a hook\n\nlong text".into(),
        pack_root: Hash::of_content(b"pack"),
        base_root: None,
        source_root: Hash::of_content(b"source"),
        snapshot: Hash::of_content(b"snapshot"),
        budget: 50_000,
        tokens_used: 30,
        symbols: vec![
            symbol("App.hook", 0, Detail::Body, Some(body)),
            symbol("App.`odd`", 1, Detail::Signature, None),
            PackSymbol { signature: String::new(), ..symbol("App.far", 3, Detail::Name, None) },
        ],
        edges: vec![PackEdge {
            source: 0,
            target: 1,
            kind: EdgeKind::Calls,
            provenance: Provenance::AstInferred,
            confidence: 0.7,
        }],
        omitted: vec![Omitted { name: "src/app.py::big".into(), reason: "budget".into(), tokens: 900 }],
        omitted_counts: [("budget".to_owned(), 1)].into(),
    }
}
