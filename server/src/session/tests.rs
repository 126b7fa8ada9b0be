//! Tests of the session without the protocol: edits, disk checks and published states. The disk
//! thread is gated, so that no test depends on time.

use super::documents::TextEdit;
use super::*;
use kenning_graph::SymbolId;
use kenning_graph::positions::{LineIndex, PositionEncoding, TextPosition};
use std::time::Duration;

/// Maximum time that a test waits for a state. A test that reaches it has failed.
const STATE_TIMEOUT: Duration = Duration::from_secs(60);

struct Fixture {
    folder: tempfile::TempDir,
    session: Session,
}

impl Fixture {
    fn new(files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let options = WorkspaceOptions {
            cache_home: Some(folder.path().join("cache")),
            wait_for_files: true,
            threads: Some(1),
            ..WorkspaceOptions::default()
        };
        let (events, _) = tokio::sync::mpsc::unbounded_channel();
        let fixture = Self { session: Session::new(options, events, None, None), folder };
        std::fs::create_dir_all(fixture.root()).unwrap();
        for (path, text) in files {
            fixture.write(path, text);
        }
        fixture.session.add_folders([fixture.root()]);
        fixture
    }

    /// Creates a session and waits for its first index.
    async fn new_indexed(files: &[(&str, &str)]) -> Self {
        let fixture = Self::new(files);
        fixture.session.start_folders();
        fixture.wait_until(|state| state.phase == IndexPhase::Ready && state.indexed_at.is_some()).await;
        fixture
    }

    fn root(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join("work")
    }

    fn write(&self, path: &str, text: &str) {
        let file = self.root().join(path);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, text).unwrap();
    }

    fn folder(&self) -> Arc<ServedFolder> {
        self.session.served_folders()[0].clone()
    }

    async fn wait_until(&self, matches: impl Fn(&FolderState) -> bool) -> Arc<FolderState> {
        let mut published = self.folder().subscribe_states();
        let state = tokio::time::timeout(STATE_TIMEOUT, published.wait_for(|state| matches(state))).await;
        state.expect("no published state matched in time").unwrap().clone()
    }

    /// Waits for all queued changes.
    async fn wait_until_settled(&self) -> Arc<FolderState> {
        let last = self.folder().last_sequence();
        self.wait_until(|state| {
            state.done.edits >= last.edits && state.done.disk >= last.disk && state.phase == IndexPhase::Ready
        })
        .await
    }

    async fn wait_for_edits(&self) -> Arc<FolderState> {
        let last = self.folder().last_sequence();
        self.wait_until(|state| state.done.edits >= last.edits).await
    }

    fn open(&self, path: &str, text: &str) {
        self.folder().push_change(FolderChange::Open { path: path.into(), version: 1, text: text.into() });
    }

    fn replace_all(&self, path: &str, version: i32, text: &str) {
        let edits = vec![TextEdit::Whole(text.into())];
        self.folder().push_change(FolderChange::Edit { path: path.into(), version, edits });
    }

    fn check_disk(&self, path: Option<&str>) {
        self.folder().push_change(FolderChange::Refresh { path: path.map(str::to_owned) });
    }
}

fn symbol(state: &FolderState, name: &str) -> Option<SymbolId> {
    state.snapshot.symbols_by_name(name).first().copied()
}

/// Returns the names of the symbols that call `name`.
fn callers(state: &FolderState, name: &str) -> Vec<String> {
    let Some(id) = symbol(state, name) else { return Vec::new() };
    let edges = state.snapshot.in_edges(id);
    let calls = edges.iter().filter(|edge| edge.kind == kenning_graph::EdgeKind::Calls);
    calls.filter_map(|edge| state.snapshot.symbol(edge.source)).map(|s| s.name.to_owned()).collect()
}

const CART: &str = "def total():\n    return 1\n";
const SHOP: &str = "from cart import total\n\n\ndef pay():\n    return 2\n";
const PAYING: &str = "from cart import total\n\n\ndef pay():\n    return total()\n";

#[tokio::test]
async fn an_unsaved_call_is_an_edge_until_it_is_undone() {
    let fixture = Fixture::new_indexed(&[("cart.py", CART), ("shop.py", SHOP)]).await;
    fixture.open("shop.py", SHOP);
    let before = fixture.wait_for_edits().await;
    assert_eq!(callers(&before, "total"), [""; 0]);
    let at = TextPosition { line: 4, character: 11 };
    let edit = |text: &str, end: u32| {
        vec![TextEdit::Range { start: at, end: TextPosition { line: 4, character: end }, text: text.into() }]
    };
    fixture.folder().push_change(FolderChange::Edit {
        path: "shop.py".into(),
        version: 2,
        edits: edit("total()", 12),
    });
    let edited = fixture.wait_for_edits().await;
    assert_eq!(callers(&edited, "total"), ["pay"]);
    assert_eq!(&*edited.open["shop.py"].text, PAYING);
    assert_eq!((edited.unsaved_files, edited.open["shop.py"].is_in_graph), (1, true));
    assert_ne!(edited.snapshot.source_root(), before.snapshot.source_root());

    fixture.folder().push_change(FolderChange::Edit {
        path: "shop.py".into(),
        version: 3,
        edits: edit("2", 18),
    });
    let undone = fixture.wait_for_edits().await;
    assert_eq!(undone.snapshot.source_root(), before.snapshot.source_root());
    assert_eq!(
        undone.snapshot.overlay_file_count(),
        before.snapshot.overlay_file_count(),
        "the overlay is empty"
    );
    assert_eq!(undone.unsaved_files, 0);
}

#[tokio::test]
async fn an_edit_is_published_immediately_and_its_many_users_are_resolved_later() {
    let users: Vec<(String, String)> = (0..9)
        .map(|n| {
            (format!("u{n}.py"), format!("from cart import total, whole\n\n\ndef use{n}():\n    whole()\n"))
        })
        .collect();
    let mut files: Vec<(&str, &str)> =
        users.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    files.push(("cart.py", CART));
    let fixture = Fixture::new_indexed(&files).await;
    fixture.open("cart.py", CART);
    assert_eq!(fixture.wait_for_edits().await.deferred_files, 0);
    fixture.replace_all("cart.py", 2, "def whole():\n    return 1\n");
    let edited = fixture.wait_for_edits().await;
    assert!(symbol(&edited, "whole").is_some() && symbol(&edited, "total").is_none());
    // Either the pause is over, or the answer reports that files are pending.
    assert_eq!(edited.deferred_files == 0, callers(&edited, "whole").len() == 9);
    let followed =
        fixture.wait_until(|state| state.deferred_files == 0 && callers(state, "whole").len() == 9).await;
    assert!(followed.is_settled());
    let fresh = Fixture::new_indexed(&files).await;
    fresh.write("cart.py", "def whole():\n    return 1\n");
    fresh.check_disk(None);
    assert_eq!(followed.snapshot.source_root(), fresh.wait_until_settled().await.snapshot.source_root());
}

#[tokio::test]
async fn incremental_parses_of_a_text_with_errors_equal_a_fresh_parse() {
    let fixture = Fixture::new_indexed(&[("cart.py", CART), ("shop.py", SHOP)]).await;
    fixture.open("cart.py", CART);
    // Each text adds another syntax error and is parsed from the tree of the one before.
    let mut text = CART.to_owned();
    for (version, piece) in
        [(2, "\n\ndef more(:\n"), (3, "    return total(\n"), (4, "class Late:\n    def pay(self\n")]
    {
        text.push_str(piece);
        fixture.replace_all("cart.py", version, &text);
        let edited = fixture.wait_for_edits().await;
        assert!(symbol(&edited, "total").is_some());
        assert!(!edited.is_settled(), "the text has syntax errors");
        assert_eq!(&*edited.open["cart.py"].text, text);
    }
    let confirmed = fixture.wait_until(|state| state.deferred_files == 0).await;
    let fresh = Fixture::new_indexed(&[("cart.py", &text), ("shop.py", SHOP)]).await;
    let fresh = fresh.wait_until_settled().await;
    assert_eq!(confirmed.snapshot.source_root(), fresh.snapshot.source_root());
    assert_eq!(confirmed.file_facts("cart.py"), fresh.file_facts("cart.py"));
    let structure = |state: &FolderState| -> Vec<_> {
        state.snapshot.package_roots().into_iter().map(|(folder, roots)| (folder, roots.structure)).collect()
    };
    assert_eq!(structure(&confirmed), structure(&fresh));
}

#[tokio::test]
async fn edits_are_published_during_a_disk_check() {
    let fixture = Fixture::new_indexed(&[("cart.py", CART), ("shop.py", SHOP)]).await;
    let folder = fixture.folder();
    let gate = folder.hold_disk();
    fixture.write("new.py", "def fresh():\n    pass\n");
    fixture.check_disk(None);
    fixture.open("shop.py", PAYING);
    let busy = fixture.wait_for_edits().await;
    assert_eq!(callers(&busy, "total"), ["pay"]);
    assert_eq!(symbol(&busy, "fresh"), None);
    let mut states = folder.subscribe_states();
    states.wait_for(|state| state.phase == IndexPhase::Indexing).await.unwrap();
    let view = folder.current_view();
    assert!(view.freshness.disk_check_pending);
    assert_eq!(folder.wait_for_view(folder.sequence_for_edits()).await.freshness.pending_files, 0);
    drop(gate);
    let settled = fixture.wait_until_settled().await;
    assert!(symbol(&settled, "fresh").is_some());
    assert_eq!(callers(&settled, "total"), ["pay"], "the unsaved text overlays the new graph");
}

#[tokio::test]
async fn the_facts_of_an_open_file_are_known_before_the_graph() {
    let fixture = Fixture::new(&[("cart.py", CART)]);
    let gate = fixture.folder().hold_disk();
    fixture.session.start_folders();
    fixture.open("cart.py", CART);
    let state = fixture.wait_for_edits().await;
    assert!(state.indexed_at.is_none());
    assert_eq!(state.file_facts("cart.py").unwrap().symbols[0].name, "total");
    assert!(!state.open["cart.py"].is_in_graph);
    drop(gate);
    assert!(fixture.wait_until_settled().await.open["cart.py"].is_in_graph);
}

#[tokio::test]
async fn a_document_that_was_saved_and_closed_keeps_its_text() {
    let fixture = Fixture::new_indexed(&[("cart.py", CART), ("shop.py", SHOP)]).await;
    fixture.open("shop.py", SHOP);
    fixture.replace_all("shop.py", 2, PAYING);
    fixture.wait_for_edits().await;
    let gate = fixture.folder().hold_disk();
    fixture.write("shop.py", PAYING);
    fixture.check_disk(Some("shop.py"));
    fixture.folder().push_change(FolderChange::Close { path: "shop.py".into() });
    let closed = fixture.wait_for_edits().await;
    assert_eq!(
        callers(&closed, "total"),
        ["pay"],
        "the saved text is used although the disk was not checked"
    );
    assert!(closed.open.is_empty());
    drop(gate);
    let settled = fixture.wait_until_settled().await;
    assert_eq!(callers(&settled, "total"), ["pay"]);
    assert_eq!(settled.unsaved_files, 0);
}

#[tokio::test]
async fn an_ignored_file_stays_out_of_the_graph_but_has_facts() {
    let text = "def hidden():\n    pass\n";
    let files = [("cart.py", CART), (".gitignore", "build/\n*.gen.py\n"), ("build/x.py", text)];
    let fixture = Fixture::new_indexed(&files).await;
    for path in ["build/x.py", "build/not/there.py", "a.gen.py", "node_modules.py"] {
        fixture.open(path, text);
    }
    fixture.open("a.min.js", "function hidden() {}\n");
    let state = fixture.wait_until_settled().await;
    let shown: Vec<&str> =
        state.open.values().filter(|open| open.is_in_graph).map(|open| open.path.as_str()).collect();
    assert_eq!(shown, ["node_modules.py"], "a new file that no rule ignores is in the graph");
    assert!(state.open.values().all(|open| open.facts.as_ref().unwrap().symbols.len() == 1));
    // A change to the rules adds the files that they now include.
    fixture.write(".gitignore", "build/\n");
    fixture.check_disk(Some(".gitignore"));
    let state = fixture.wait_until_settled().await;
    assert!(state.open["a.gen.py"].is_in_graph);
    assert!(!state.open["build/x.py"].is_in_graph);
}

#[tokio::test]
async fn a_desynchronized_document_shows_the_disk_and_recovers() {
    let fixture = Fixture::new_indexed(&[("cart.py", CART), ("shop.py", SHOP)]).await;
    fixture.open("shop.py", PAYING);
    assert_eq!(callers(&*fixture.wait_for_edits().await, "total"), ["pay"]);
    let far = TextPosition { line: 99, character: 0 };
    let edits = vec![TextEdit::Range { start: far, end: far, text: "x".into() }];
    fixture.folder().push_change(FolderChange::Edit { path: "shop.py".into(), version: 2, edits });
    let lost = fixture.wait_for_edits().await;
    assert!(lost.open["shop.py"].desynchronized && !lost.open["shop.py"].is_in_graph);
    assert_eq!(callers(&lost, "total"), [""; 0]);
    assert_eq!(fixture.folder().current_view().freshness.desynchronized_files, 1);
    fixture.replace_all("shop.py", 3, PAYING);
    let back = fixture.wait_for_edits().await;
    assert_eq!(callers(&back, "total"), ["pay"]);
    assert!(!back.open["shop.py"].desynchronized);
}

#[tokio::test]
async fn switching_branches_back_and_forth_parses_each_text_once() {
    let files = [("cart.py", CART), ("shop.py", SHOP), (".git/HEAD", "ref: refs/heads/main\n")];
    let fixture = Fixture::new_indexed(&files).await;
    let main = fixture.wait_until_settled().await.snapshot.source_root();
    fixture.open("cart.py", CART);
    let switch = async |text: &str, branch: &str| {
        fixture.write("shop.py", text);
        fixture.write(".git/HEAD", &format!("ref: refs/heads/{branch}\n"));
        fixture.check_disk(Some(".git/HEAD"));
        fixture.wait_until_settled().await
    };
    let side = switch(PAYING, "side").await;
    assert_eq!(side.report.as_ref().unwrap().parsed, 1);
    assert_eq!(callers(&side, "total"), ["pay"]);
    let back = switch(SHOP, "main").await;
    assert_eq!((back.report.as_ref().unwrap().parsed, back.report.as_ref().unwrap().from_cache), (0, 1));
    assert_eq!(back.snapshot.source_root(), main);
    let again = switch(PAYING, "side").await;
    assert_eq!(again.report.as_ref().unwrap().parsed, 0);
    assert_eq!(again.snapshot.source_root(), side.snapshot.source_root());
}

#[tokio::test]
async fn an_edited_text_is_not_parsed_again_when_it_is_saved() {
    let fixture = Fixture::new_indexed(&[("cart.py", CART), ("shop.py", SHOP)]).await;
    fixture.open("shop.py", SHOP);
    fixture.replace_all("shop.py", 2, PAYING);
    let typed = fixture.wait_for_edits().await.snapshot.source_root();
    fixture.write("shop.py", PAYING);
    fixture.check_disk(Some("shop.py"));
    let state = fixture.wait_until_settled().await;
    let report = state.report.as_ref().unwrap();
    assert_eq!((report.resolved_files > 0, report.parsed), (true, 0));
    assert_eq!(callers(&state, "total"), ["pay"]);
    assert_eq!(state.snapshot.source_root(), typed);
    // The cache contains the facts from now on, whichever process has it open.
    fixture.folder().push_change(FolderChange::Close { path: "shop.py".into() });
    fixture.write("shop.py", SHOP);
    fixture.check_disk(Some("shop.py"));
    fixture.wait_until_settled().await;
    fixture.write("shop.py", PAYING);
    fixture.check_disk(Some("shop.py"));
    let state = fixture.wait_until_settled().await;
    assert_eq!((state.report.as_ref().unwrap().parsed, state.snapshot.source_root()), (0, typed));
}

#[tokio::test]
async fn a_folder_that_was_removed_can_be_served_again() {
    let fixture = Fixture::new_indexed(&[("cart.py", CART)]).await;
    for _ in 0..3 {
        let gate = fixture.folder().hold_disk();
        fixture.check_disk(None);
        fixture.session.remove_folder(&fixture.root());
        assert!(fixture.session.served_folders().is_empty());
        fixture.session.add_folders([fixture.root()]);
        fixture.session.start_folders();
        drop(gate);
        let state = fixture.wait_until(|state| state.phase == IndexPhase::Ready).await;
        assert_eq!(state.writer, Some(true), "the predecessor released the writer lock");
    }
}

#[tokio::test]
async fn without_a_watching_client_kenning_watches_the_files() {
    let fixture =
        Fixture::new_indexed(&[("cart.py", CART), (".gitignore", "out/\n"), ("out/a.py", CART)]).await;
    fixture.session.watch_files();
    fixture.wait_until_settled().await;
    fixture.wait_until(|_| fixture.folder().watches_files()).await;
    fixture.write("late.py", "def late():\n    pass\n");
    fixture.wait_until(|state| symbol(state, "late").is_some()).await;
    fixture.write("deep/er/file.py", "def deep():\n    pass\n");
    fixture.wait_until(|state| symbol(state, "deep").is_some()).await;
    fixture.write("deep/er/more.py", "def deeper():\n    pass\n");
    fixture.wait_until(|state| symbol(state, "deeper").is_some()).await;
    std::fs::remove_dir_all(fixture.root().join("deep")).unwrap();
    fixture.wait_until(|state| symbol(state, "deep").is_none() && symbol(state, "deeper").is_none()).await;
    std::fs::remove_file(fixture.root().join("late.py")).unwrap();
    fixture.wait_until(|state| symbol(state, "late").is_none()).await;
}

#[tokio::test]
async fn the_checked_out_commit_is_always_watched() {
    let head = [("cart.py", CART), (".git/HEAD", "ref: refs/heads/main\n"), (".git/refs/heads/x", "")];
    let more = [(".git/objects/x", ""), (".git/config", "[core]\n\trepositoryformatversion = 0\n")];
    let fixture = Fixture::new_indexed(&[head.as_slice(), more.as_slice()].concat()).await;
    fixture.write("late.py", "def late():\n    pass\n");
    // The watch may not have started yet, so the file is written until it reports.
    let mut published = fixture.folder().subscribe_states();
    let mut turn = 0;
    while symbol(&published.borrow_and_update(), "late").is_none() {
        turn += 1;
        fixture.write(".git/HEAD", &format!("ref: refs/heads/branch-{turn}\n"));
        let _ = tokio::time::timeout(Duration::from_millis(200), published.changed()).await;
        assert!(turn < 300, "the other branch was not noticed");
    }
}

/// A client that keeps its own text and sends its edits.
struct ClientModel {
    path: String,
    text: String,
    version: i32,
}

impl ClientModel {
    fn edit(&mut self, random: &mut impl FnMut(usize) -> usize) -> Vec<TextEdit> {
        const PIECES: [&str; 10] =
            ["x", "def a():\n", "é", "😀", "\n", "\r\n", "\t", "漢字", "total()", "    "];
        self.version += 1;
        if random(40) == 0 {
            self.text = (0..random(30)).map(|_| PIECES[random(PIECES.len())]).collect();
            return vec![TextEdit::Whole(self.text.clone())];
        }
        let mut edits = Vec::new();
        for _ in 0..=random(3) {
            let lines = LineIndex::new(&self.text);
            let mut boundary = || {
                let at = random(self.text.len() + 1);
                let is_boundary = |at: &usize| {
                    let splits_line_break =
                        self.text[..*at].ends_with('\r') && self.text[*at..].starts_with('\n');
                    !splits_line_break
                };
                (at..=self.text.len()).filter(|at| self.text.is_char_boundary(*at)).find(is_boundary).unwrap()
            };
            let (a, b) = (boundary(), boundary());
            let (from, to) = (a.min(b), a.max(b));
            let to = if to - from > 30 { from } else { to };
            let start = lines.position_at(&self.text, from, PositionEncoding::Utf16);
            let mut end = lines.position_at(&self.text, to, PositionEncoding::Utf16);
            let rest = &self.text[to..];
            if rest.is_empty() || rest.starts_with(['\r', '\n']) {
                // A character past the end of its line is the end of the line.
                end.character += random(2) as u32 * 50;
            }
            let text: String = (0..random(3)).map(|_| PIECES[random(PIECES.len())]).collect();
            self.text.replace_range(from..to, &text);
            edits.push(TextEdit::Range { start, end, text });
        }
        edits
    }
}

#[tokio::test]
async fn ten_thousand_interleaved_edits_end_with_the_clients_text() {
    let fixture = Fixture::new_indexed(&[("cart.py", CART), ("shop.py", SHOP)]).await;
    let before = fixture.wait_until_settled().await.snapshot.source_root();
    let mut seed = 5_u64;
    let mut random = |bound: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((seed >> 33) % bound.max(1) as u64) as usize
    };
    let mut models = ["cart.py", "shop.py", "new.py"].map(|path| {
        fixture.open(path, PAYING);
        ClientModel { path: path.to_owned(), text: PAYING.to_owned(), version: 1 }
    });
    for step in 0..10_000 {
        let model = &mut models[random(3)];
        let edits = model.edit(&mut random);
        fixture.folder().push_change(FolderChange::Edit {
            path: model.path.clone(),
            version: model.version,
            edits,
        });
        if step % 500 == 0 {
            let state = fixture.wait_for_edits().await;
            for model in &models {
                let open = &state.open[&model.path];
                assert_eq!((&*open.text, open.version), (model.text.as_str(), model.version), "step {step}");
                let facts = open.facts.as_ref().unwrap();
                let id = state.snapshot.file_by_path(&model.path).unwrap();
                assert_eq!(
                    state.snapshot.file_facts(id).as_ref(),
                    Some(facts),
                    "the graph shows the same text"
                );
            }
        }
    }
    for model in &models {
        fixture.folder().push_change(FolderChange::Close { path: model.path.clone() });
    }
    assert_eq!(fixture.wait_until_settled().await.snapshot.source_root(), before);
}
