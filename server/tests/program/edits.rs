//! Tests ten thousand edits in a session with the real binary: the server has the same text as the
//! client, and undoing all edits gives the same graph.

use crate::support::{Client, Fixture};
use kenning::lsp::SessionEnd;
use kenning_graph::Hash;
use serde_json::{Value, json};

/// Pseudo-random numbers that are the same in every run (Steele, Lea, Flood 2014, SplitMix64).
struct RandomNumbers(u64);

impl RandomNumbers {
    /// Returns the next number from 0 to `bound` - 1.
    fn next_below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % bound.max(1) as u64) as usize
    }
}

/// An edit that was applied to a buffer.
struct AppliedEdit {
    /// The position in UTF-16 code units.
    at: usize,
    /// Number of units that the edit inserted.
    inserted: usize,
    /// The units that the edit removed.
    removed: Vec<u16>,
}

/// The text of an editor in UTF-16 code units, as in JavaScript. It is written for clarity, not for
/// speed.
struct EditedBuffer {
    uri: String,
    path: String,
    units: Vec<u16>,
    version: i64,
    /// The edits, oldest first.
    applied: Vec<AppliedEdit>,
}

const LF: u16 = 10;
const CR: u16 = 13;

impl EditedBuffer {
    fn text(&self) -> String {
        String::from_utf16(&self.units).unwrap()
    }

    /// Returns the line and character of a position in the text.
    fn position(&self, at: usize) -> Value {
        let (mut line, mut start) = (0, 0);
        for index in 0..at {
            let unit = self.units[index];
            if unit == LF || (unit == CR && self.units.get(index + 1) != Some(&LF)) {
                line += 1;
                start = index + 1;
            }
        }
        json!({ "line": line, "character": at - start })
    }

    /// Whether an editor can place its cursor at `at`: not inside a surrogate pair or a line break.
    fn is_cursor_position(&self, at: usize) -> bool {
        let (before, after) = (at.checked_sub(1).map(|at| self.units[at]), self.units.get(at));
        let in_pair = after.is_some_and(|unit| (0xdc00..0xe000).contains(unit));
        let in_break = before == Some(CR) && after == Some(&LF);
        !in_pair && !in_break
    }

    fn random_position(&self, numbers: &mut RandomNumbers) -> usize {
        let mut at = numbers.next_below(self.units.len() + 1);
        while !self.is_cursor_position(at) {
            at += 1;
        }
        at
    }

    /// Replaces a part of the text and returns the event that reports it.
    fn replace(&mut self, from: usize, to: usize, text: &[u16]) -> Value {
        let (start, mut end) = (self.position(from), self.position(to));
        // A character past the end of its line means the line's end. Some editors select whole
        // lines in this way.
        let at_line_end = self.units.get(to).is_none_or(|&unit| unit == LF || unit == CR);
        if at_line_end && to.is_multiple_of(3) {
            end["character"] = json!(end["character"].as_u64().unwrap() + 1000);
        }
        let removed: Vec<u16> = self.units.splice(from..to, text.iter().copied()).collect();
        self.applied.push(AppliedEdit { at: from, inserted: text.len(), removed });
        json!({ "range": { "start": start, "end": end }, "text": String::from_utf16(text).unwrap() })
    }

    fn random_edit(&mut self, numbers: &mut RandomNumbers) -> Value {
        const TEXTS: [&str; 12] = [
            "x",
            "é",
            "😀",
            "\r\n",
            "\n",
            "\r",
            "def more():\n    return add()\n",
            "",
            "  ",
            "\"",
            "#",
            "名前",
        ];
        let from = self.random_position(numbers);
        let mut to = (from + numbers.next_below(12)).min(self.units.len());
        while !self.is_cursor_position(to) {
            to += 1;
        }
        let text: Vec<u16> = TEXTS[numbers.next_below(TEXTS.len())].encode_utf16().collect();
        self.replace(from, to, &text)
    }

    /// Undoes the last edit.
    fn undo(&mut self) -> Option<Value> {
        let AppliedEdit { at: mut from, inserted, removed: mut text } = self.applied.pop()?;
        let mut to = from + inserted;
        // A line break that formed at the edge of the edit is replaced as a whole, because no
        // position is inside it.
        if !self.is_cursor_position(from) {
            from -= 1;
            text.insert(0, self.units[from]);
        }
        if !self.is_cursor_position(to) {
            text.push(self.units[to]);
            to += 1;
        }
        let event = self.replace(from, to, &text);
        self.applied.pop();
        Some(event)
    }

    async fn send_changes(&mut self, client: &mut Client, changes: Vec<Value>) {
        self.version += 1;
        let document = json!({ "uri": self.uri, "version": self.version });
        let params = json!({ "textDocument": document, "contentChanges": changes });
        client.notify("textDocument/didChange", params).await;
    }
}

/// Returns the status once it includes the last edit of each buffer.
async fn wait_for_status(client: &mut Client, buffers: &[EditedBuffer]) -> Value {
    loop {
        let status = client.command("kenning.status", json!({})).await.unwrap();
        let covers = |buffer: &EditedBuffer| {
            let documents = status["documents"].as_array().unwrap();
            let document = documents.iter().find(|d| d["path"] == *buffer.path).unwrap();
            assert_eq!(document["desynchronized"], json!(null), "{}", buffer.path);
            document["version"] == buffer.version
        };
        if status["pending_files"] == 0 && buffers.iter().all(covers) {
            return status;
        }
    }
}

fn assert_same_text(status: &Value, buffers: &[EditedBuffer]) {
    for buffer in buffers {
        let documents = status["documents"].as_array().unwrap();
        let document = documents.iter().find(|d| d["path"] == *buffer.path).unwrap();
        assert_eq!(document["desynchronized"], json!(null), "{}", buffer.path);
        assert_eq!(
            document["sha256"],
            Hash::from_content(buffer.text().as_bytes()).to_hex(),
            "{}",
            buffer.path
        );
    }
}

/// Creates a workspace, and returns it with the paths and texts of its files.
fn create_workspace() -> (Fixture, Vec<(&'static str, String)>) {
    let fixture = Fixture::new();
    let function = |n: usize| format!("def function_{n}(a):\r\n    return add(a, {n})  # é 😀\r\n");
    let files = vec![
        ("cart.py", (0..25).map(function).collect::<String>()),
        ("stock.ts", "export function add(a: number) {\n  return a;\n}\n".repeat(15)),
        ("shop.go", "package shop\n\nfunc Add(a int) int {\n\treturn a\n}\n".to_owned()),
    ];
    for (path, text) in &files {
        fixture.write(path, text);
    }
    (fixture, files)
}

/// Opens a session, and opens a buffer for each file.
async fn open_buffers(fixture: &Fixture, files: &[(&'static str, String)]) -> (Client, Vec<EditedBuffer>) {
    let mut client = Client::spawn(fixture.binary());
    client.initialize(&[fixture.root()]).await;
    client.notify("initialized", json!({})).await;
    client.command("kenning.reindex", json!({})).await.unwrap();
    let mut buffers = Vec::new();
    for (path, text) in files {
        let (uri, units) = (fixture.uri(path), text.encode_utf16().collect());
        client.did_open(&uri, 0, text).await;
        buffers.push(EditedBuffer { uri, path: (*path).to_owned(), units, version: 0, applied: Vec::new() });
    }
    (client, buffers)
}

#[tokio::test]
async fn ten_thousand_edits_give_the_clients_text_and_undoing_them_restores_the_graph() {
    let (fixture, files) = create_workspace();
    let (mut client, mut buffers) = open_buffers(&fixture, &files).await;
    let before = wait_for_status(&mut client, &buffers).await;
    let (mut numbers, mut request_ids) = (RandomNumbers(7), Vec::new());
    for step in 0..10_000 {
        let buffer_index = numbers.next_below(buffers.len());
        let buffer = &mut buffers[buffer_index];
        let changes = (0..=numbers.next_below(8) / 5).map(|_| buffer.random_edit(&mut numbers)).collect();
        buffer.send_changes(&mut client, changes).await;
        // Requests are sent between the edits, without waiting for their answers.
        if step % 50 == 0 {
            let index = buffer.random_position(&mut numbers);
            let cursor = json!({ "textDocument": { "uri": buffer.uri }, "position": buffer.position(index) });
            request_ids.push(client.send_request("textDocument/hover", cursor).await);
            let lenses = json!({ "textDocument": { "uri": buffer.uri } });
            request_ids.push(client.send_request("textDocument/codeLens", lenses).await);
        }
        if step % 1000 == 999 {
            let status = wait_for_status(&mut client, &buffers).await;
            assert_same_text(&status, &buffers);
        }
    }
    for id in request_ids {
        client.answer(id).await.unwrap();
    }
    for buffer in &mut buffers {
        while let Some(change) = buffer.undo() {
            buffer.send_changes(&mut client, vec![change]).await;
        }
    }
    let after = wait_for_status(&mut client, &buffers).await;
    assert_same_text(&after, &buffers);
    for (buffer, (_, text)) in buffers.iter().zip(&files) {
        assert_eq!(buffer.text(), *text, "the test undoes its own edits correctly");
    }
    assert_eq!(after["source_root"], before["source_root"]);
    assert_eq!(client.shut_down().await, SessionEnd::Orderly);
}

#[tokio::test]
async fn a_desynchronized_document_is_reported_and_recovers_with_the_next_whole_text() {
    let (fixture, files) = create_workspace();
    let (mut client, mut buffers) = open_buffers(&fixture, &files).await;
    let before = wait_for_status(&mut client, &buffers).await;
    let impossible =
        json!({ "start": { "line": 9000, "character": 0 }, "end": { "line": 9001, "character": 0 } });
    let buffer = &mut buffers[0];
    let document = json!({ "uri": buffer.uri, "version": 1 });
    let change =
        json!({ "textDocument": document, "contentChanges": [{ "range": impossible, "text": "lost" }] });
    client.notify("textDocument/didChange", change).await;
    let status = loop {
        let status = client.command("kenning.status", json!({})).await.unwrap();
        if status["desynchronized_files"] == 1 {
            break status;
        }
    };
    assert_eq!(status["source_root"], before["source_root"], "the graph has the disk's text");
    buffer.version = 1;
    buffer.send_changes(&mut client, vec![json!({ "text": "def recovered():\n    pass\n" })]).await;
    buffer.units = "def recovered():\n    pass\n".encode_utf16().collect();
    let status = wait_for_status(&mut client, &buffers).await;
    assert_same_text(&status, &buffers);
    assert_eq!(client.pack("recovered").await["symbols"][0]["name"], "recovered");
}
