//! Tests dependents that no call in the text shows: members that the language or a library calls,
//! values that an initializer creates, handlers inside tests, and the tests that recorded runs add
//! or remove.

use kenning_graph::runs::{FileState, MeasuredSymbol, RecordedTest, RunBatch, SymbolState};
use kenning_graph::{Snapshot, SymbolId};
use kenning_indexing::workspace::{NoProgress, Workspace};
use kenning_retrieval::features::{BlastOptions, affected_tests, blast_counts, blast_radius};
use tests::Fixture;

const SOURCE: &str = "\
import threading


class Session:
    def __enter__(self):
        return self

    def __exit__(self, *args):
        pass


def open_session():
    return Session()


class Worker(threading.Thread):
    def run(self):
        pass


def start():
    Worker().start()


def read_rate():
    return 3


RATE = read_rate()


def price():
    return RATE
";

const TESTS: &str = "\
from shop import open_session, price, start


def test_session():
    with open_session():
        pass


def test_start():
    start()


def test_price():
    assert price() == 3
";

fn index_workspace(fixture: &Fixture) -> Workspace {
    let mut workspace = fixture.open("graph.db");
    workspace.refresh_all(&NoProgress).expect("the index succeeds");
    workspace
}

fn symbol_named(snapshot: &Snapshot, name: &str) -> SymbolId {
    snapshot.symbols_by_name(name)[0]
}

/// Returns the names of the tests of a symbol, sorted, with `~` before uncertain ones. Checks that
/// a change to the symbol affects the same tests.
fn tests_of_symbol(snapshot: &Snapshot, name: &str) -> Vec<String> {
    let describe = |test: SymbolId, uncertain: bool| {
        let mark = if uncertain { "~" } else { "" };
        format!("{mark}{}", snapshot.symbol(test).expect("the test is in the graph").name)
    };
    let target = [symbol_named(snapshot, name)];
    let blast = blast_radius(snapshot, &target, &BlastOptions::default());
    let mut names: Vec<String> = blast.tests.iter().map(|test| describe(test.test, test.ambiguous)).collect();
    names.sort();
    let affected = affected_tests(snapshot, &target, usize::MAX).tests;
    let mut affected: Vec<String> =
        affected.iter().map(|test| describe(test.test, test.possible || test.ambiguous)).collect();
    affected.sort();
    assert_eq!(affected, names, "the blast radius and the affected tests differ");
    names
}

#[test]
fn tests_reach_members_that_the_language_or_a_library_calls() {
    let fixture = Fixture::new();
    fixture.write("shop.py", SOURCE);
    fixture.write("test_shop.py", TESTS);
    let snapshot = index_workspace(&fixture).current_snapshot();
    assert_eq!(tests_of_symbol(&snapshot, "__enter__"), ["~test_session"]);
    assert_eq!(tests_of_symbol(&snapshot, "run"), ["~test_start"]);
    let counts = blast_counts(&snapshot, &[symbol_named(&snapshot, "run")]);
    assert_eq!((counts.callers.value, counts.callers.approximate), (0, true), "no caller is found");
}

#[test]
fn a_base_that_calls_nothing_adds_no_dependents() {
    let fixture = Fixture::new();
    fixture.write(
        "shop.py",
        "from typing import Generic, TypeVar\n\nT = TypeVar(\"T\")\n\n\nclass Box(Generic[T]):\n    def unwrap_box(self):\n        pass\n\n\ndef make_box():\n    return Box()\n",
    );
    fixture.write("test_shop.py", "from shop import make_box\n\n\ndef test_box():\n    make_box()\n");
    let snapshot = index_workspace(&fixture).current_snapshot();
    let counts = blast_counts(&snapshot, &[symbol_named(&snapshot, "unwrap_box")]);
    assert_eq!((counts.dependents.value, counts.dependents.approximate), (0, false));
}

#[test]
fn zero_tests_are_certain_if_every_mention_of_the_name_is_resolved() {
    let fixture = Fixture::new();
    let product = "def load_price():\n    return 1\n\n\ndef print_price():\n    print(load_price())\n";
    let count_tests = |fixture: &Fixture| {
        let snapshot = index_workspace(fixture).current_snapshot();
        let tests = blast_counts(&snapshot, &[symbol_named(&snapshot, "load_price")]).tests;
        (tests.value, tests.approximate)
    };
    fixture.write("shop.py", product);
    assert_eq!(count_tests(&fixture), (0, false));
    fixture.write(
        "shop.py",
        &(product.to_owned()
            + "\n\ndef print_all(shops):\n    for shop in shops:\n        shop.load_price()\n"),
    );
    assert_eq!(count_tests(&fixture), (0, true), "a call through a receiver of unknown type");
}

#[test]
fn a_test_depends_on_the_code_that_sets_it_up() {
    let fixture = Fixture::new();
    fixture.write("src/limit.ts", "export function bodyLimit() {\n  return 1\n}\n");
    fixture.write(
        "src/limit.test.ts",
        "import { bodyLimit } from './limit'\n\ndescribe('limit', () => {\n  beforeEach(() => {\n    bodyLimit()\n  })\n\n  it('refuses', () => {\n    expect(1).toBe(1)\n  })\n})\n",
    );
    fixture.write("lib/cart.rb", "class Cart\n  def fill_cart\n  end\nend\n");
    fixture.write(
        "test/test_cart.rb",
        "class TestCart < Minitest::Test\n  setup do\n    Cart.new.fill_cart\n  end\n\n  def test_total\n    assert true\n  end\nend\n",
    );
    let snapshot = index_workspace(&fixture).current_snapshot();
    assert_eq!(tests_of_symbol(&snapshot, "bodyLimit"), ["~refuses"]);
    assert_eq!(tests_of_symbol(&snapshot, "fill_cart"), ["~test_total"]);
}

#[test]
fn a_returned_function_may_run_whenever_the_function_that_returns_it_runs() {
    let fixture = Fixture::new();
    fixture.write(
        "src/pretty.ts",
        "export function pretty() {\n  return async function prettyJSON(c) {\n    return c\n  }\n}\n",
    );
    fixture.write(
        "src/pretty.test.ts",
        "import { pretty } from './pretty'\n\nit('prints', () => {\n  pretty()\n})\n",
    );
    let snapshot = index_workspace(&fixture).current_snapshot();
    assert_eq!(tests_of_symbol(&snapshot, "prettyJSON"), ["~prints"]);
}

#[test]
fn a_base_that_is_built_into_the_language_may_call_its_members() {
    let fixture = Fixture::new();
    fixture.write(
        "src/Rate.java",
        "class Rate implements Comparable<Rate> {\n  public int compareTo(Rate other) {\n    return 0;\n  }\n}\n",
    );
    fixture.write("lib/cart.rb", "class Cart\n  def <=>(other)\n    0\n  end\nend\n");
    let snapshot = index_workspace(&fixture).current_snapshot();
    for name in ["compareTo", "<=>"] {
        let callers = blast_counts(&snapshot, &[symbol_named(&snapshot, name)]).callers;
        assert_eq!((callers.value, callers.approximate), (0, true), "{name}");
    }
}

#[test]
fn users_of_a_value_depend_on_the_functions_that_its_initializer_calls() {
    let fixture = Fixture::new();
    fixture.write("shop.py", SOURCE);
    fixture.write("test_shop.py", TESTS);
    let snapshot = index_workspace(&fixture).current_snapshot();
    assert!(tests_of_symbol(&snapshot, "RATE").contains(&"test_price".to_owned()));
}

#[test]
fn a_handler_inside_a_test_serves_only_this_test() {
    let fixture = Fixture::new();
    fixture.write("shop.py", "def total():\n    return 1\n");
    let test = |name: &str, body: &str| {
        format!(
            "def {name}():\n    app = Flask(__name__)\n\n    @app.route(\"/\")\n    def index():\n        {body}\n\n    app.test_client().get(\"/\")\n\n\n"
        )
    };
    let text = test("test_total", "return total()") + &test("test_other", "return 2");
    fixture
        .write("test_shop.py", &("from flask import Flask\nfrom shop import total\n\n\n".to_owned() + &text));
    let snapshot = index_workspace(&fixture).current_snapshot();
    assert_eq!(tests_of_symbol(&snapshot, "total"), ["test_total"]);
}

#[test]
fn recorded_runs_replace_inferred_tests_while_the_code_is_unchanged() {
    let fixture = Fixture::new();
    fixture.write("shop.py", SOURCE);
    fixture.write("test_shop.py", TESTS);
    let mut workspace = index_workspace(&fixture);
    let snapshot = workspace.current_snapshot();
    let state = |name: &str| {
        let symbol = snapshot.symbol(symbol_named(&snapshot, name)).unwrap();
        SymbolState { symbol: symbol.hash, body: symbol.body_hash }
    };
    let test = |name: &str| RecordedTest {
        name: name.to_owned(),
        function: Some(state(name)),
        first_seen: 1,
        last_seen: 1,
        recordings: 1,
    };
    let mut files: Vec<FileState> = snapshot
        .files()
        .into_iter()
        .filter_map(|id| snapshot.file(id))
        .map(|file| FileState { path: file.path.to_owned(), content: file.content_hash.sort_prefix() })
        .collect();
    files.sort_by(|a, b| a.path.cmp(&b.path));
    let shop = files.iter().position(|file| file.path == "shop.py").unwrap() as u32;
    // `test_price` ran `__enter__`, and `test_session` only `open_session`.
    let mut measured = vec![
        MeasuredSymbol { state: state("__enter__"), file: shop, covered_by: vec![(0, 1)] },
        MeasuredSymbol { state: state("open_session"), file: shop, covered_by: vec![(1, 1)] },
        MeasuredSymbol { state: state("price"), file: shop, covered_by: vec![(0, 1)] },
    ];
    measured.sort_by_key(|symbol| symbol.state.symbol);
    let tests = vec![test("test_price"), test("test_session")];
    workspace.import_runs(RunBatch { files, tests, measured, calls: Vec::new() }).unwrap();

    let snapshot = workspace.current_snapshot();
    assert_eq!(tests_of_symbol(&snapshot, "__enter__"), ["test_price"]);
    assert_eq!(blast_counts(&snapshot, &[symbol_named(&snapshot, "__enter__")]).recorded.fresh, 1);

    fixture.write("shop.py", &SOURCE.replace("return RATE", "return RATE + 0"));
    workspace.refresh_all(&NoProgress).unwrap();
    let snapshot = workspace.current_snapshot();
    assert_eq!(
        tests_of_symbol(&snapshot, "__enter__"),
        ["test_price"],
        "test_session ran nothing that has changed"
    );

    fixture.write("shop.py", &SOURCE.replace("return self", "return  self"));
    workspace.refresh_all(&NoProgress).unwrap();
    let snapshot = workspace.current_snapshot();
    assert_eq!(
        tests_of_symbol(&snapshot, "__enter__"),
        ["~test_price"],
        "the record is older than the function"
    );
    assert_eq!(blast_counts(&snapshot, &[symbol_named(&snapshot, "__enter__")]).recorded.stale, 1);
}
