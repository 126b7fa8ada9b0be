//! Tests of the readers, and of the attribution of recordings to a real workspace.

use super::*;
use crate::workspace::{NoProgress, Workspace, WorkspaceOptions};
use kenning_graph::{Snapshot, SymbolId};
use std::fs;

/// Reads a recording from a file with this name and content.
fn read_content(name: &str, content: &[u8]) -> Result<RunRecording, RunError> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    fs::write(&path, content).unwrap();
    read_recording(&path, None, &|_| None)
}

/// Returns a recording as text: a line per file with `line:test` for code that ran, `line:-` for
/// code that did not.
fn describe_recording(recording: &RunRecording) -> Vec<String> {
    let test_name = |test: u32| recording.tests[test as usize].as_str();
    let range = |range: &RecordedRange| {
        let ran = match range.test {
            Some(test) => test_name(test),
            None if range.count > 0 => "outside",
            None => "-",
        };
        let last =
            if range.last_line > range.first_line { format!("-{}", range.last_line) } else { String::new() };
        format!(" {}{last}:{ran}", range.first_line)
    };
    let file = |file: &RecordedFile| {
        let classes = file.class_tests.iter().map(|&test| format!(" class:{}", test_name(test)));
        file.path.clone() + &file.ranges.iter().map(range).chain(classes).collect::<String>()
    };
    recording.files.iter().map(file).collect()
}

#[test]
fn each_reader_returns_the_lines_that_each_test_ran() {
    let lcov =
        "TN:adds\nSF:src/cart.ts\nDA:1,1\nDA:2,0\nend_of_record\nTN:\nSF:src/tax.ts\nDA:4,2\nend_of_record\n";
    assert_eq!(
        describe_recording(&read_content("suite.info", lcov.as_bytes()).unwrap()),
        ["src/cart.ts 1:adds 2:-", "src/tax.ts 4:suite"]
    );

    let go = "mode: set\nexample.com/shop/cart.go:10.2,12.3 2 1\nexample.com/shop/cart.go:14.1,14.9 1 0\n";
    let lines = "example.com/shop/cart.go 10-12:TestCart 14:-";
    assert_eq!(describe_recording(&read_content("TestCart.out", go.as_bytes()).unwrap()), [lines]);

    let coverage = r#"{"meta": {"version": "7", "show_contexts": true}, "files": {"shop.py":
        {"executed_lines": [1, 3], "missing_lines": [5],
         "contexts": {"3": ["tests/test_shop.py::test_total[1]|run", ""]}}}, "totals": {}}"#;
    let recording = read_content("coverage.json", coverage.as_bytes()).unwrap();
    let lines = "shop.py 1:outside 3:outside 5:- 3:tests/test_shop.py::test_total[1] 3:outside";
    assert_eq!(describe_recording(&recording), [lines]);

    let jacoco = r#"<?xml version="1.0"?><!DOCTYPE report PUBLIC "-//JACOCO//DTD Report 1.1//EN" "report.dtd">
        <report name="shop"><sessioninfo id="CartTest.adds" start="1" dump="2"/><package name="com/shop">
        <sourcefile name="Cart.java"><line nr="7" mi="0" ci="3" mb="0" cb="0"/><line nr="9" mi="2" ci="0" mb="0" cb="0"/>
        </sourcefile></package></report>"#;
    let lines = "com/shop/Cart.java 7:CartTest.adds 9:-";
    assert_eq!(describe_recording(&read_content("jacoco.xml", jacoco.as_bytes()).unwrap()), [lines]);

    let istanbul = r#"{"/w/src/cart.ts": {"path": "/w/src/cart.ts",
        "statementMap": {"0": {"start": {"line": 3, "column": 2}, "end": {"line": 3, "column": 9}}},
        "fnMap": {}, "branchMap": {}, "s": {"0": 4}, "f": {}, "b": {}}}"#;
    assert_eq!(
        describe_recording(&read_content("adds.json", istanbul.as_bytes()).unwrap()),
        ["/w/src/cart.ts 3:adds"]
    );

    let simplecov = r#"{"CartSpec adds": {"coverage": {"/w/lib/cart.rb": {"lines": [1, null, 0, "ignored"]}}, "timestamp": 1}}"#;
    assert_eq!(
        describe_recording(&read_content("set.json", simplecov.as_bytes()).unwrap()),
        ["/w/lib/cart.rb 1:CartSpec adds 3:-"]
    );
}

/// Number of tests that take minutes if each is compared with those before it.
const MANY_TESTS: usize = 150_000;

#[test]
fn any_number_of_tests_is_read_in_linear_time() {
    let record = |at| format!("TN:t{at}\nSF:a.py\nDA:1,1\nend_of_record\n");
    let lcov = (0..MANY_TESTS).map(record).collect::<Vec<_>>().concat();
    assert_eq!(read_content("a.info", lcov.as_bytes()).unwrap().tests.len(), MANY_TESTS);

    let sessions = (0..MANY_TESTS).map(|at| {
        let id = format!("t{at}");
        [&[0x10][..], &(id.len() as u16).to_be_bytes(), id.as_bytes(), &[0; 16]].concat()
    });
    let exec = [vec![0x01, 0xC0, 0xC0, 0x10, 0x07], sessions.collect::<Vec<_>>().concat()].concat();
    assert_eq!(read_content("a.exec", &exec).unwrap().tests.len(), MANY_TESTS);

    let contexts: Vec<String> = (0..MANY_TESTS).map(|at| format!("\"t{at}\"")).collect();
    let coverage = format!(
        r#"{{"meta": {{"show_contexts": true}}, "files": {{"a.py": {{"contexts": {{"1": [{}]}}}}}}}}"#,
        contexts.join(",")
    );
    assert_eq!(read_content("coverage.json", coverage.as_bytes()).unwrap().tests.len(), MANY_TESTS);

    // The name is looked up once and not for each file.
    let name = "t".repeat(1 << 20);
    let files = "SF:a.py\nDA:1,1\nend_of_record\n".repeat(100_000);
    let recording = read_content("a.info", format!("TN:{name}\n{files}").as_bytes()).unwrap();
    assert_eq!((recording.tests.len(), recording.files.len()), (1, 100_000));
}

#[test]
fn an_xml_report_with_markup_that_takes_quadratic_time_is_refused() {
    let nested = (0..20_000).map(|at| format!("<g xmlns:n{at}='u{at}'>")).collect::<Vec<_>>().concat();
    let attributes = (0..200_000).map(|at| format!(" a{at}='1'")).collect::<Vec<_>>().concat();
    for (content, reason) in [
        (format!("<report name='a'>{nested}"), "more than 64 namespaces"),
        (format!("<report name='a'{attributes}/>"), "more than 512 attributes"),
        (
            format!("<!DOCTYPE report [<!ENTITY a '{}'>]><report name='a'>&a;</report>", "x".repeat(1000)),
            "declares entities",
        ),
    ] {
        let error = read_content("jacoco.xml", content.as_bytes()).unwrap_err().to_string();
        assert!(error.contains("cannot be read as JaCoCo XML") && error.contains(reason), "{error}");
    }
}

#[test]
fn ranges_with_more_lines_than_any_workspace_has_are_refused() {
    let go = "mode: set\na.go:1.1,900000.1 1 1\n".to_owned() + &"a.go:1.1,900000.1 1 1\n".repeat(200);
    let error = read_content("a.out", go.as_bytes()).unwrap_err().to_string();
    assert!(error.contains("more than 100000000 lines"), "{error}");

    let range = r#"{"startOffset": 0, "endOffset": 100000, "count": 1}"#;
    let ranges = vec![range; 2_000].join(",");
    let script = format!(
        r#"{{"scriptId": "1", "url": "a.js", "functions": [{{"ranges": []}}, {{"ranges": [{ranges}]}}]}}"#
    );
    let report = format!(r#"{{"result": [{script}]}}"#);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("v8.json");
    fs::write(&path, report).unwrap();
    let source = "\n".repeat(100_000);
    let reads = std::cell::Cell::new(0);
    let read_source = |_: &str| {
        reads.set(reads.get() + 1);
        Some(source.clone())
    };
    let error = read_recording(&path, None, &read_source).unwrap_err().to_string();
    assert!(error.contains("more than 100000000 lines"), "{error}");
    let script = r#"{"scriptId": "1", "url": "a.js", "functions": []}"#;
    fs::write(&path, format!(r#"{{"result": [{}]}}"#, vec![script; 20].join(","))).unwrap();
    reads.set(0);
    assert_eq!(read_recording(&path, None, &read_source).unwrap().files.len(), 20);
    assert_eq!(reads.get(), 1, "a script that is listed many times is read once");
}

#[test]
fn an_exec_file_names_the_classes_that_each_session_ran() {
    let text = |text: &str| [&(text.len() as u16).to_be_bytes()[..], text.as_bytes()].concat();
    let class = |name: &str, probes: &[u8]| {
        [&[0x11][..], &[0; 8], &text(name), &[probes.len() as u8 * 8], probes].concat()
    };
    let session = |id: &str| [&[0x10][..], &text(id), &[0; 16]].concat();
    let bytes = [
        vec![0x01, 0xC0, 0xC0, 0x10, 0x07],
        session("CartTest"),
        class("com/shop/Cart", &[0b100]),
        class("com/shop/Unused", &[0]),
        session("TaxTest"),
        class("com/shop/Tax$Rate", &[1]),
    ]
    .concat();
    let lines = ["com/shop/Cart.class class:CartTest", "com/shop/Tax.class class:TaxTest"];
    assert_eq!(describe_recording(&read_content("jacoco.exec", &bytes).unwrap()), lines);
    let error = read_content("jacoco.exec", &bytes[..bytes.len() - 1]).unwrap_err().to_string();
    assert!(error.contains("cannot be read as JaCoCo exec: the file ends within a record"), "{error}");
}

#[test]
fn v8_offsets_become_lines_of_the_source() {
    let source = "export function adds() {\n  return 'é'\n}\nexport function other() {\n  return 2\n}\n";
    let report = r#"{"result": [{"scriptId": "1", "url": "file:///w/cart.ts", "functions": [
        {"functionName": "", "ranges": [{"startOffset": 0, "endOffset": 79, "count": 1}], "isBlockCoverage": true},
        {"functionName": "adds", "ranges": [{"startOffset": 7, "endOffset": 39, "count": 2}], "isBlockCoverage": true},
        {"functionName": "other", "ranges": [{"startOffset": 47, "endOffset": 78, "count": 0}], "isBlockCoverage": true}]}]}"#;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("v8.json");
    fs::write(&path, report).unwrap();
    let recording =
        read_recording(&path, Some("t"), &|path| (path == "/w/cart.ts").then(|| source.to_owned())).unwrap();
    assert_eq!(describe_recording(&recording), ["/w/cart.ts 1:t 2:t 3:t 4:- 5:- 6:-"]);
}

#[test]
fn calls_in_a_trace_skip_spans_without_code_attributes() {
    let span = |id: &str, parent: &str, attributes: &str| {
        format!(
            r#"{{"spanId": "{id}", "parentSpanId": "{parent}", "startTimeUnixNano": "5000000000", "attributes": [{attributes}]}}"#
        )
    };
    let code =
        |name: &str| format!(r#"{{"key": "code.function.name", "value": {{"stringValue": "{name}"}}}}"#);
    let spans =
        [span("a", "", &code("shop.checkout")), span("b", "a", ""), span("c", "b", &code("shop.total"))]
            .join(",");
    let trace = format!(r#"{{"resourceSpans": [{{"scopeSpans": [{{"spans": [{spans}]}}]}}]}}"#);
    let calls = read_content("trace.json", trace.as_bytes()).unwrap().calls;
    let shown: Vec<_> =
        calls.iter().map(|call| (&*call.caller.function, &*call.callee.function, call.at)).collect();
    assert_eq!(shown, [("shop.checkout", "shop.total", 5)]);
}

#[test]
fn files_that_are_not_recordings_are_refused_with_a_reason() {
    let message = |name: &str, content: &str| read_content(name, content.as_bytes()).unwrap_err().to_string();
    assert!(message("a.txt", "hello").contains("is unknown; Kenning reads coverage.py"));
    assert!(message("a.out", "mode: set\nnonsense\n").contains("line 2 is not a block"));
    assert!(message("a.info", "SF:a\nDA:x,1\n").contains("line 2 has no line number"));
    assert!(message("a.json", "{\"resourceSpans\": 3}").contains("cannot be read as OTLP JSON"));
    let missing = read_recording(Path::new("/nowhere/coverage"), None, &|_| None).unwrap_err();
    assert_eq!(missing.to_string(), "there is no file /nowhere/coverage");
}

const SHOP: &str = "\
def total(cart):
    return sum(cart)


def discount(cart):
    return total(cart) / 2
";

const TESTS: &str = "\
from shop import discount, total


def test_total():
    assert total([1]) == 1


def test_discount():
    assert discount([2]) == 1


def test_neither():
    def inner():
        discount([])
    assert inner
";

/// A workspace with a shop and its tests, for which runs can be imported.
struct RecordedShop {
    folder: tempfile::TempDir,
    workspace: Workspace,
}

impl RecordedShop {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("w");
        fs::create_dir(&root).unwrap();
        fs::write(root.join("shop.py"), SHOP).unwrap();
        fs::write(root.join("test_shop.py"), TESTS).unwrap();
        let options =
            WorkspaceOptions { db: Some(folder.path().join("db/graph.db")), ..WorkspaceOptions::default() };
        let (workspace, _) = Workspace::open_refreshed(&root, options, &NoProgress).unwrap();
        Self { folder, workspace }
    }

    /// Imports a report in which `test_total` ran `total`, and `test_discount` ran both.
    fn import_coverage(&mut self, times: FileTimes, recorded_at: i64) -> RunReport {
        let report = r#"{"meta": {"show_contexts": true}, "files": {"/elsewhere/src/shop.py": {"executed_lines": [1, 2, 5, 6],
            "missing_lines": [], "contexts": {"2": ["test_shop.test_total", "test_shop.test_discount", "test_shop.gone"],
            "6": ["test_shop.test_discount"]}}}, "totals": {}}"#;
        let recording = read_content("coverage.json", report.as_bytes()).unwrap();
        let recordings = [recording, record_test_without_lines()]
            .map(|recording| DatedRecording { recording, recorded_at });
        let root = self.workspace.root_path().to_owned();
        let snapshot = self.workspace.current_snapshot();
        let (batch, report) = attribute_runs(&snapshot, &root, &recordings, times);
        self.workspace.import_runs(batch).unwrap();
        report
    }

    /// Returns the names of the tests that ran a function, each with whether its record is fresh.
    fn covering_tests(&self, name: &str) -> Vec<(String, bool)> {
        let snapshot = self.workspace.current_snapshot();
        let covers = snapshot.covering_tests(symbol_named(&snapshot, name));
        let mut named: Vec<(String, bool)> = covers
            .iter()
            .map(|cover| (snapshot.symbol(cover.test).unwrap().name.to_owned(), cover.fresh))
            .collect();
        named.sort();
        named
    }

    fn edit(&mut self, file: &str, from: &str, to: &str) {
        let path = self.folder.path().join("w").join(file);
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.contains(from));
        fs::write(&path, text.replacen(from, to, 1)).unwrap();
        self.workspace.refresh_all(&NoProgress).unwrap();
    }

    fn is_refuted(&self, test: &str, path: &[&str]) -> bool {
        let snapshot = self.workspace.current_snapshot();
        let path: Vec<SymbolId> = path.iter().map(|name| symbol_named(&snapshot, name)).collect();
        snapshot.is_refuted_by_runs(symbol_named(&snapshot, test), &path)
    }
}

/// Returns a recording of `test_neither`, which ran none of the shop's code.
fn record_test_without_lines() -> RunRecording {
    RunRecording { tests: vec!["test_shop.test_neither".to_owned()], ..RunRecording::default() }
}

fn symbol_named(snapshot: &Snapshot, name: &str) -> SymbolId {
    snapshot.symbols_by_name(name)[0]
}

/// A time after the last change of every file, in seconds since the Unix epoch.
const LATER: i64 = i64::MAX / 2;

#[test]
fn lines_become_covered_functions_of_the_workspace() {
    let mut shop = RecordedShop::new();
    let report = shop.import_coverage(FileTimes::Check, LATER);
    assert_eq!((report.tests, report.covered, report.measured), (4, 2, 2));
    assert_eq!(report.unknown_tests, ["test_shop.gone"]);
    let fresh = |name: &str| (name.to_owned(), true);
    assert_eq!(shop.covering_tests("total"), [fresh("test_discount"), fresh("test_total")]);
    assert_eq!(shop.covering_tests("discount"), [fresh("test_discount")]);
}

#[test]
fn records_of_a_changed_function_are_stale_and_other_records_stay_fresh() {
    let mut shop = RecordedShop::new();
    shop.import_coverage(FileTimes::Check, LATER);
    shop.edit("shop.py", "sum(cart)", "sum(cart) + 0");
    let stale = |name: &str| (name.to_owned(), false);
    assert_eq!(shop.covering_tests("total"), [stale("test_discount"), stale("test_total")]);
    assert_eq!(shop.covering_tests("discount"), [("test_discount".to_owned(), true)]);
}

#[test]
fn a_recording_refutes_paths_until_the_code_that_the_test_ran_changes() {
    let mut shop = RecordedShop::new();
    shop.import_coverage(FileTimes::Check, LATER);
    assert!(
        shop.is_refuted("test_neither", &["discount"]),
        "the test was recorded and did not run `discount`"
    );
    assert!(shop.is_refuted("test_total", &["discount"]));
    assert!(!shop.is_refuted("test_discount", &["discount", "total"]), "the test ran both");
    shop.edit("shop.py", "sum(cart)", "sum(cart) + discount([])");
    assert!(!shop.is_refuted("test_total", &["discount"]), "a function that the test ran has changed");
    assert!(shop.is_refuted("test_neither", &["discount"]), "no function that the test ran has changed");
    shop.edit("test_shop.py", "assert inner", "assert inner()");
    assert!(!shop.is_refuted("test_neither", &["discount"]), "the test itself has changed");
}

#[test]
fn files_that_changed_after_the_recording_are_left_out_unless_times_are_ignored() {
    let mut shop = RecordedShop::new();
    let report = shop.import_coverage(FileTimes::Check, 1);
    assert_eq!((report.covered, &*report.changed_files), (0, &["shop.py".to_owned()][..]));
    assert_eq!(shop.import_coverage(FileTimes::Ignore, 1).covered, 2);
}

#[test]
fn a_title_finds_its_test_in_the_named_file_despite_punctuation() {
    let mut shop = RecordedShop::new();
    let text = "it('calls `c.header()`', () => {})\nit('has \"x\": 1 (twice)', () => {})\n";
    fs::write(shop.folder.path().join("w/cart.test.ts"), text).unwrap();
    fs::write(shop.folder.path().join("w/tax.test.ts"), text).unwrap();
    shop.workspace.refresh_all(&NoProgress).unwrap();
    let snapshot = shop.workspace.current_snapshot();
    for name in [
        "cart.test.ts::calls `c.header()`",
        "cart.test.ts > header > calls `c.header()`",
        "cart.test.ts::has \"x\": 1 (twice)",
    ] {
        let found = test_names::NameFinder::new(&snapshot).find_symbol(name, test_names::NameUse::Test);
        let test = found.and_then(|id| snapshot.symbol(id)).expect(name);
        assert!(test.path == "cart.test.ts" && test.is_test, "{name}: {}", test.qualified_name());
    }
}

#[test]
fn names_of_tests_find_their_functions_in_every_notation() {
    let shop = RecordedShop::new();
    let snapshot = shop.workspace.current_snapshot();
    let total = symbol_named(&snapshot, "test_total");
    for name in [
        "test_total",
        "test_total[1-x]",
        "test_shop.test_total",
        "test_shop.py::test_total",
        "shop > test_total",
        "TestShop#test_total",
        "test_total/subtest one",
    ] {
        let found = test_names::NameFinder::new(&snapshot).find_symbol(name, test_names::NameUse::Test);
        assert_eq!(found, Some(total), "{name}");
    }
    let gone = test_names::NameFinder::new(&snapshot).find_symbol("test_gone", test_names::NameUse::Test);
    assert_eq!(gone, None);
}
