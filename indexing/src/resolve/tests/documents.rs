//! Edges from documents to the code that they name and to their link targets. Code has no edges to
//! documents.

use super::incremental::apply_edit;
use super::{Files, check, format_edges, parse_fixture, resolve_workspace};
use expect_test::expect;
use kenning_graph::{EdgeKind, Snapshot, SymbolKind};

const CODE: &str = r#"
//- go.mod
    module m
//- server/server.go
    package server

    type Server struct{ addr string }

    func (s *Server) Start() {}
    func Make() *Server { return &Server{} }
//- server/server_test.go
    package server

    func Make_test() {}
//- client/client.go
    package client

    type Client struct{}

    func (c *Client) Start() {}
    func Dial() {}
//- tools/build.py
    import server

    def dial_all():
        """Dials."""
        Make = 1
    def start(): pass
//- Makefile
    all: README.md tools/build.py
"#;

const DOCUMENTS: &str = r#"
//- README.md
    # Tool

    Call `Server.Start()` or `Start`, `make` and `Make`. Start is a word. [Guide](docs/guide#on-linux),
    [code](server/server.go#L5) and `tools/build.py`.

    ## Example

    ```go
    s := Make()
    s.Start()
    dial_all()
    ```

    ```sh
    Dial --now
    ```
//- docs/guide.md
    # Install

    [[Home]] [up](../README.md) [gone](gone.md) [out](../../x.md) [self](#install) [no](#nothing)

    ## On Linux

    `unknownName`
//- wiki/Home.md
    Nothing.
//- server/README.md
    # server

    `Dial`
"#;

fn with_documents() -> Files {
    let mut files = parse_fixture(CODE);
    files.extend(parse_fixture(DOCUMENTS));
    files
}

#[test]
fn sections_have_edges_to_named_code_and_to_link_targets() {
    let fixture = [CODE, DOCUMENTS].concat();
    check(
        &fixture,
        &[EdgeKind::Documents, EdgeKind::References],
        expect![[r#"
        documents README.md::Tool -> client/client.go::Client.Start (ast_inferred 0.42)
        documents README.md::Tool -> server/server.go::Make (ast_inferred 0.70)
        documents README.md::Tool -> server/server.go::Server.Start
        documents README.md::Tool -> tools/build.py
        documents README.md::Tool > Example -> server/server.go::Make (ast_inferred 0.70)
        documents server/README.md::server -> client/client.go::Dial (ast_inferred 0.70)
        references README.md::Tool -> docs/guide.md::Install > On Linux
        references docs/guide.md::Install -> README.md
        references docs/guide.md::Install -> wiki/Home.md
    "#]],
    );
}

#[test]
fn documents_do_not_change_the_edges_of_code() {
    let (code, all) = (resolve_workspace(&parse_fixture(CODE)), resolve_workspace(&with_documents()));
    let edges_of_code = |snapshot: &Snapshot| {
        let edges = format_edges(snapshot, |_| true);
        let from_code = edges.lines().filter(|line| {
            let source = line.split(' ').nth(1).unwrap_or("");
            !source.split("::").next().unwrap_or("").contains(".md")
        });
        from_code.map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(edges_of_code(&code), edges_of_code(&all));
    assert!(edges_of_code(&all).iter().all(|edge| !edge.contains(".md")));
    let names = |snapshot: &Snapshot| -> Vec<String> {
        snapshot.symbols().into_iter().map(|id| snapshot.symbol(id).unwrap().qualified_name()).collect()
    };
    assert_eq!(names(&code), names(&all));
    assert_eq!((code.symbol_count(), code.document_count()), (all.symbol_count(), all.document_count()));
    for id in all.symbols() {
        for edge in all.in_edges(id) {
            assert_ne!(all.symbol(edge.source).unwrap().kind, SymbolKind::Section);
        }
    }
    assert!(
        all.symbols_by_folded_name("server").iter().all(|id| all.symbol(*id).unwrap().path.contains(".go"))
    );
}

#[test]
fn edges_from_documents_are_returned_only_on_request() {
    let snapshot = resolve_workspace(&with_documents());
    let dial = snapshot.symbols_by_name("Dial")[0];
    let sections = snapshot.edges_from_documents(dial);
    let names: Vec<String> =
        sections.iter().map(|edge| snapshot.symbol(edge.source).unwrap().qualified_name()).collect();
    assert_eq!(names, ["server/README.md::server"]);
}

#[test]
fn edits_of_named_symbols_and_link_targets_update_the_edges_of_documents() {
    let mut files = with_documents();
    let mut snapshot = resolve_workspace(&files);
    let renamed = files["client/client.go"].replace("Dial", "Connect");
    for (path, text) in [
        ("client/client.go", Some(renamed.as_str())),
        ("client/client.go", Some("package client\n\nfunc Dial() {}\n")),
        ("docs/guide.md", Some("# Install\n\n## On Windows\n\n## On Linux\n")),
        ("server/server.go", Some("package server\n\n\n\nfunc Make() {}\n\nfunc Other() {}\n")),
        ("server/server.go", Some("package server\n\nfunc Make() {}\n\nfunc Other() {}\n")),
        ("wiki/Home.md", None),
        ("notes/Home.md", Some("# Home\n")),
        ("docs/guide.md", None),
    ] {
        snapshot = apply_edit(&snapshot, &mut files, path, text);
        let full = resolve_workspace(&files);
        assert_eq!(format_edges(&snapshot, |_| true), format_edges(&full, |_| true), "{path}");
        assert_eq!(snapshot.source_root(), full.source_root(), "{path}");
    }
}
