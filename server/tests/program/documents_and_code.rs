//! Tests that documents of a workspace (Markdown and others) change no answer about its code, and
//! that editors get no lenses for their headings.

use crate::support::{Client, Fixture};
use serde_json::{Value, json};
use std::process::Command;

const CODE: &[(&str, &str)] = &[
    (
        "shop/cart.py",
        "from shop.price import price\n\nclass Cart:\n    \"\"\"A cart with items.\"\"\"\n    def add_item(self, item):\n        self.items.append(item)\n\n    def total(self):\n        return sum(price(item) for item in self.items)\n",
    ),
    (
        "shop/price.py",
        "def price(item):\n    return item.cents * discount(item)\n\ndef discount(item):\n    return 1\n",
    ),
    (
        "shop/guide.py",
        "def install(target):\n    \"\"\"Installs.\"\"\"\n    return usage()\n\ndef usage():\n    return 'usage: see the guide'\n",
    ),
    (
        "tests/test_cart.py",
        "from shop.cart import Cart\n\ndef test_total():\n    assert Cart().total() == 0\n",
    ),
    ("web/app.js", "import { render } from './view';\nexport function start() { return render('cart'); }\n"),
    ("web/view.js", "export function render(name) { return name; }\n"),
    ("Makefile", "all: README.md shop/cart.py\n\tpython -m shop\n"),
    ("CODEOWNERS", "* @team\n"),
];

const DOCUMENTS: &[(&str, &str)] = &[
    (
        "README.md",
        "# Cart\n\nThe `Cart.add_item` and `Cart.total` of the shop. See [usage](docs/usage.md#install) and `shop/price.py`.\n\n## price\n\n```python\nprice(item)\ndiscount(item)\n```\n",
    ),
    (
        "docs/usage.md",
        "# Usage\n\n## Install\n\nInstall the cart: `install` and `usage`.\n\n[total](../shop/cart.py#L7)\n",
    ),
    ("shop/README.md", "cart total price discount item items\n"),
    ("web/cart.mdx", "import { render } from './view'\n\n# render\n\n`start()`\n"),
    ("docs/api.rst", "API\n===\n\n:class:`shop.cart.Cart` and ``price``.\n"),
    ("docs/manual.adoc", "= Cart\n\n`discount(item)`\n"),
    (
        "notebooks/cart.ipynb",
        "{\"cells\": [{\"cell_type\": \"markdown\", \"source\": [\"# Cart\\n\", \"`Cart.total`\"]}], \"metadata\": {}}\n",
    ),
];

/// Creates a workspace with these groups of files.
fn create_workspace(parts: &[&[(&str, &str)]]) -> Fixture {
    let fixture = Fixture::new();
    std::fs::remove_file(fixture.root().join("app.py")).ok();
    for (path, text) in parts.concat() {
        fixture.write(path, text);
    }
    fixture
}

/// Returns the standard output of a command.
fn run_kenning(fixture: &Fixture, arguments: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kenning"));
    for variable in ["XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "HOME"] {
        command.env(variable, fixture.root().join("../cache"));
    }
    command.env_remove("KENNING_LOG").env_remove("KENNING_DB").current_dir(fixture.root());
    let output = command.args(arguments).output().unwrap();
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Returns the standard output of a command, without the lines that depend on the time and the
/// files of the index.
fn run_without_freshness(fixture: &Fixture, arguments: &[&str]) -> String {
    let text = run_kenning(fixture, arguments);
    // The freshness of JSON, with the digits of the commit, is part of `tokens_used`.
    let index_fields = ["freshness", "indexed_at", "source_root", "snapshot", "head", "tokens_used"]
        .map(|f| format!("\"{f}\":"));
    let lines = text.lines().filter(|line| !index_fields.iter().any(|field| line.contains(field.as_str())));
    lines.collect::<Vec<_>>().join("\n")
}

fn git(fixture: &Fixture, arguments: &[&str]) {
    let output = Command::new("git")
        .args(["-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "commit.gpgsign=false"])
        .args(arguments)
        .current_dir(fixture.root())
        .env("GIT_AUTHOR_DATE", "2026-01-01T00:00:00Z")
        .env("GIT_COMMITTER_DATE", "2026-01-01T00:00:00Z")
        .output()
        .unwrap();
    assert!(output.status.success(), "{arguments:?}");
}

#[test]
fn documents_change_no_answer_about_code() {
    let (code, all) = (create_workspace(&[CODE]), create_workspace(&[CODE, DOCUMENTS]));
    // Both histories have the same changes; one of them also has documents.
    for fixture in [&code, &all] {
        git(fixture, &["init", "-q"]);
        git(fixture, &["add", "-A"]);
        git(fixture, &["commit", "-q", "-m", "Add the cart and its usage"]);
        fixture.write("shop/price.py", &CODE[1].1.replace("cents", "euros"));
        git(fixture, &["add", "-A"]);
        git(fixture, &["commit", "-q", "-m", "Compute the price of a cart in euros"]);
    }
    all.write("README.md", "# Cart\n\n`Cart.total`\n");
    let questions: &[&[&str]] = &[
        &["pack", "add an item to the cart", "--format", "json"],
        &["pack", "add an item to the cart", "--format", "json", "--config", "bm25-bodies"],
        &["pack", "install usage guide", "--format", "json"],
        &["pack", "why is the total wrong in README.md and docs/usage.md", "--format", "json"],
        &["pack", "render the start page web/cart", "--format", "markdown"],
        &["pack", "price discount", "--format", "xml", "--config", "linear"],
        &["pack", "price discount", "--format", "json", "--config", "seeds"],
        &["files", "shop/price.py", "--format", "json"],
        &["blast", "price", "--format", "json"],
        &["blast", "Cart", "--format", "json"],
        &["blast", "shop/price.py", "--format", "json"],
        &["blast", "install", "--format", "json"],
        &["tests", "shop/price.py", "--format", "json"],
        &["graph", "Cart.total", "--format", "json"],
    ];
    for question in questions {
        // A pack for a task has separate sections for documents.
        let no_documents: &[&str] = if question[0] == "pack" { &["--no-documents"] } else { &[] };
        let question = [*question, no_documents].concat();
        let (expected, found) =
            (run_without_freshness(&code, &question), run_without_freshness(&all, &question));
        assert!(!expected.is_empty());
        assert_same_lines(&expected, &found, &question);
    }
}

#[test]
fn packs_have_sections_of_documents_and_the_same_symbols() {
    let (code, all) = (create_workspace(&[CODE]), create_workspace(&[CODE, DOCUMENTS]));
    let parse = |text: String| serde_json::from_str::<Value>(&text).unwrap();
    let ask = |fixture: &Fixture| {
        parse(run_kenning(fixture, &["pack", "install the cart with its usage", "--format", "json"]))
    };
    let (without, with) = (ask(&code), ask(&all));
    assert_eq!(with["symbols"], without["symbols"]);
    assert_eq!(with["edges"], without["edges"]);
    assert!(without.get("documents").is_none());
    let install =
        with["documents"].as_array().unwrap().iter().find(|found| found["name"] == "Usage > Install");
    let install = install.unwrap_or_else(|| panic!("{with}"));
    assert_eq!(install["file"], "docs/usage.md");
    assert_eq!(install["line"], 3);
    assert!(install["text"].as_str().unwrap().contains("Install the cart"), "{install}");
    let markdown = run_without_freshness(&all, &["pack", "install the cart with its usage"]);
    assert!(markdown.contains("\n## Documentation\n\n- `docs/usage.md:3` `Usage > Install`"), "{markdown}");
    all.write("kenning.toml", "[pack]\ndocuments = false\n");
    let off = run_without_freshness(&all, &["pack", "install the cart with its usage"]);
    assert!(!off.contains("## Documentation"), "{off}");
    all.write("kenning.toml", "[knowledge]\nfolder = \"docs\"\n");
    let entries = run_without_freshness(&all, &["pack", "install the cart with its usage"]);
    assert!(!entries.contains("docs/usage.md:3"), "{entries}");
}

fn assert_same_lines(expected: &str, found: &str, question: &[&str]) {
    for (expected, found) in expected.lines().zip(found.lines()) {
        assert_eq!(expected, found, "{question:?}");
    }
    assert_eq!(expected.lines().count(), found.lines().count(), "{question:?}");
}

#[tokio::test]
async fn documents_in_an_editor_are_followed_and_have_no_lenses() {
    let fixture = create_workspace(&[CODE, DOCUMENTS]);
    let mut client = Client::open(&fixture).await;
    let uri = fixture.uri("README.md");
    client.did_open(&uri, 1, DOCUMENTS[0].1).await;
    client.did_change(&uri, 2, [0, 0, 0, 0], "# New\n\n").await;
    let lenses =
        client.request("textDocument/codeLens", json!({ "textDocument": { "uri": uri } })).await.unwrap();
    assert_eq!(lenses.as_array().map(Vec::len), Some(0), "{lenses}");
    let heading = json!({ "textDocument": { "uri": uri }, "position": { "line": 0, "character": 3 } });
    assert_eq!(client.request("textDocument/hover", heading).await.unwrap(), Value::Null);
    let code = fixture.uri("shop/price.py");
    client.did_open(&code, 1, CODE[1].1).await;
    let lenses =
        client.request("textDocument/codeLens", json!({ "textDocument": { "uri": code } })).await.unwrap();
    assert_eq!(lenses.as_array().map(Vec::len), Some(2), "{lenses}");
    let status: Value = client.command("kenning.status", json!({})).await.unwrap();
    let open: Vec<&str> = status["documents"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|document| document["path"].as_str())
        .collect();
    assert!(open.contains(&"README.md"), "{status}");
    client.shut_down().await;
}

#[test]
fn commands_for_files_refuse_documents() {
    let fixture = create_workspace(&[CODE, DOCUMENTS]);
    for command in [["files", "README.md"], ["tests", "docs/usage.md"]] {
        let output = Command::new(env!("CARGO_BIN_EXE_kenning"))
            .args(command)
            .env("XDG_CACHE_HOME", fixture.root().join("../cache"))
            .current_dir(fixture.root())
            .output()
            .unwrap();
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success());
        assert!(error.contains(&format!("{} is a document", command[1])), "{error}");
        assert!(error.contains("kenning search --scope docs"), "{error}");
    }
}
