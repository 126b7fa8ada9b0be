//! Tests vectors with a tiny model: on the command line, in `kenning eval` and in a session.

use crate::support::{Client, Fixture};
use serde_json::{Value, json};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

const STORE: &str = "\
class SessionStore:
    \"\"\"Keeps the sessions of customers.\"\"\"

    def save_session(self, session):
        \"\"\"Writes a session to the disk. Locks the file.\"\"\"
        return session
";

/// The options that name the model.
const OPTIONS: &str = "[vectors]\nmodel = \"models/words\"\n";

fn create_shop() -> Fixture {
    let fixture = Fixture::new();
    fixture.write("src/store.py", STORE);
    fixture
        .write("src/app.py", "from store import SessionStore\n\ndef run_app():\n    return SessionStore()\n");
    fixture
}

/// Writes a model that knows four words, in two meanings, below the root of a workspace.
fn write_model(root: &Path) {
    let words = ["[UNK]", "customers", "clients", "disk", "storage"];
    let values: [f32; 10] = [0.0, 0.0, 1.0, 0.0, 1.0, 0.1, 0.0, 1.0, 0.1, 1.0];
    let vocabulary: serde_json::Map<String, Value> =
        words.iter().enumerate().map(|(id, word)| ((*word).to_owned(), json!(id))).collect();
    let tokenizer = json!({
        "version": "1.0", "truncation": null, "padding": null, "added_tokens": [],
        "normalizer": { "type": "Lowercase" }, "pre_tokenizer": { "type": "Whitespace" },
        "post_processor": null, "decoder": null,
        "model": { "type": "WordLevel", "vocab": vocabulary, "unk_token": "[UNK]" },
    });
    let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    let tensors =
        json!({ "embeddings": { "dtype": "F32", "shape": [5, 2], "data_offsets": [0, bytes.len()] } });
    let header = tensors.to_string();
    let table = [&(header.len() as u64).to_le_bytes(), header.as_bytes(), &bytes].concat();
    let folder = root.join("models/words");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("tokenizer.json"), tokenizer.to_string()).unwrap();
    std::fs::write(folder.join("config.json"), "{}").unwrap();
    std::fs::write(folder.join("model.safetensors"), table).unwrap();
}

/// Runs Kenning with a separate list of trusted workspaces. Returns its status, its output and its
/// errors.
fn run_with_vectors(fixture: &Fixture, arguments: &[&str]) -> (Option<i32>, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kenning"));
    command.args(arguments).current_dir(fixture.root());
    command.env_remove("KENNING_DB").env("XDG_CACHE_HOME", fixture.root().join("../cache"));
    let output = command.env("XDG_DATA_HOME", fixture.root().join("../data")).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

#[test]
fn vectors_find_a_meaning_without_its_words() {
    let fixture = create_shop();
    let (_, _, errors) = run_with_vectors(&fixture, &["search", "--mode", "vector", "clients"]);
    assert!(errors.contains("set vectors.model to the folder of a model2vec model"), "{errors}");
    write_model(&fixture.root());
    fixture.write("kenning.toml", OPTIONS);
    // The workspace is not trusted to name a file to load.
    let (_, doctor, _) = run_with_vectors(&fixture, &["doctor"]);
    assert!(doctor.contains("vectors.model: ignored because it names a file to load"), "{doctor}");
    assert!(doctor.contains("vectors: off, because vectors.model is not set"), "{doctor}");
    let (status, _, errors) = run_with_vectors(&fixture, &["search", "--mode", "vector", "clients"]);
    assert!(status != Some(0) && errors.contains("set vectors.model"), "{errors}");
    assert_eq!(run_with_vectors(&fixture, &["trust", "."]).0, Some(0));
    for mode in ["vector", "hybrid"] {
        let arguments = ["search", "--scope", "code", "--mode", mode, "clients"];
        let (status, out, errors) = run_with_vectors(&fixture, &arguments);
        assert_eq!((status, errors.as_str()), (Some(0), ""));
        assert!(out.starts_with("src/store.py:1  SessionStore  class "), "{mode}: {out}");
        let (_, nonsense, _) =
            run_with_vectors(&fixture, &["search", "--mode", mode, "cook", "a", "lasagna"]);
        assert_eq!(nonsense, "Nothing in this workspace matches \"cook a lasagna\".\n");
    }
    let (_, out, _) = run_with_vectors(&fixture, &["search", "--mode", "keyword", "clients"]);
    assert_eq!(out, "Nothing in this workspace matches \"clients\".\n");
    let (_, status, _) = run_with_vectors(&fixture, &["status"]);
    assert!(status.contains("2 symbols, model models/words\n"), "{status}");
    let (_, doctor, _) = run_with_vectors(&fixture, &["doctor", "-v"]);
    assert!(doctor.contains("vectors: 2 symbols with vectors of the model in "), "{doctor}");
    assert!(doctor.contains("vectors.db: "), "{doctor}");
    // A malformed model is an error in the mode that needs it, and a warning in the other mode.
    fixture.write("models/words/model.safetensors", "nothing");
    let (status, _, errors) = run_with_vectors(&fixture, &["search", "--mode", "vector", "clients"]);
    assert!(status != Some(0) && errors.contains("models/words cannot be used"), "{errors}");
    let (status, out, errors) = run_with_vectors(&fixture, &["search", "save the session"]);
    assert!(status == Some(0) && out.contains("save_session"), "{out}");
    assert!(errors.contains("the answer does not use vectors: the model in "), "{errors}");
}

#[test]
fn a_constant_of_vectors_without_a_model_is_an_error() {
    let fixture = create_shop();
    let set = ["--set", "vectors.channel.weight=1", "save the session"];
    for command in [&["pack"][..], &["debug", "seeds"]] {
        let (status, out, errors) = run_with_vectors(&fixture, &[command, &set].concat());
        assert_eq!((status, out.as_str()), (Some(1), ""), "{command:?}");
        assert_eq!(
            errors,
            "kenning: --set vectors.channel.weight=1: vectors.model names no model, so vectors.channel.weight has no \
             effect; set vectors.model to the folder of a model2vec model (docs/vectors.md), or leave out this --set\n",
            "{command:?}"
        );
    }
    write_model(&fixture.root());
    fixture.write("kenning.toml", OPTIONS);
    assert_eq!(run_with_vectors(&fixture, &["trust", "."]).0, Some(0));
    let (status, out, errors) = run_with_vectors(&fixture, &[&["pack"][..], &set].concat());
    assert!(status == Some(0) && out.contains("save_session"), "{errors}");
}

#[test]
fn an_evaluation_uses_the_vectors_of_each_repository() {
    let fixture = Fixture::new();
    let tasks = json!([{
        "id": "shop-1", "repo": "shop", "tier": "easy", "description": "clients", "ground_truth": ["SessionStore"]
    }]);
    fixture.write("tasks.json", &tasks.to_string());
    fixture.write("corpus/shop/src/store.py", STORE);
    let eval = |set: &[&str]| {
        let arguments = ["eval", "--tasks", "tasks.json", "--corpus", "corpus", "--out", "ranked.json"];
        let (status, _, errors) = run_with_vectors(&fixture, &[&arguments[..], set].concat());
        (status, errors)
    };
    let set = ["--set", "vectors.channel.weight=1"];
    let (status, errors) = eval(&set);
    assert_eq!(status, Some(1));
    assert!(errors.contains("shop") && errors.contains("vectors.model names no model"), "{errors}");
    write_model(&fixture.root().join("corpus/shop"));
    fixture.write("corpus/shop/kenning.toml", OPTIONS);
    let (_, errors) = eval(&set);
    assert!(errors.contains("vectors.model: ignored because it names a file to load"), "{errors}");
    assert_eq!(run_with_vectors(&fixture, &["trust", "corpus/shop"]).0, Some(0));
    let ranked = || -> Value {
        let text = std::fs::read_to_string(fixture.root().join("ranked.json")).unwrap();
        serde_json::from_str(&text).unwrap()
    };
    assert_eq!(eval(&[]).0, Some(0));
    assert_eq!(ranked()["shop-1"], json!([]));
    assert_eq!(eval(&set), (Some(0), String::new()));
    assert_eq!(ranked()["shop-1"][0], "SessionStore");
    // A measurement without the model would be a wrong one.
    fixture.write("corpus/shop/models/words/model.safetensors", "nothing");
    let (status, errors) = eval(&set);
    assert!(status == Some(1) && errors.contains("models/words cannot be used"), "{errors}");
}

#[tokio::test]
async fn a_session_computes_vectors_before_the_first_question() {
    let fixture = create_shop();
    write_model(&fixture.root());
    let mut client = Client::start(fixture.options());
    client.options = json!({ "vectors": { "model": "models/words" } });
    client.initialize(&[fixture.root()]).await;
    client.notify("initialized", json!({})).await;
    client.command("kenning.reindex", json!({})).await.unwrap();
    let deadline = Instant::now() + Duration::from_secs(60);
    // No request needs vectors yet, and they are computed anyway.
    loop {
        let status = client.command("kenning.status", json!({})).await.unwrap();
        if status["folders"][0]["vectors"]["symbols"] == 2 {
            break;
        }
        assert!(Instant::now() < deadline, "{status}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    let question = json!({ "query": "clients", "scope": "code" });
    // The thread publishes the vectors a moment after it has stored them.
    let answer = loop {
        let answer = client.command("kenning.search", question.clone()).await.unwrap();
        if answer["freshness"].get("vectors_pending").is_none() {
            break answer;
        }
        assert_eq!(answer["hits"], json!([]), "words alone find nothing");
        assert!(Instant::now() < deadline, "{answer}");
    };
    assert_eq!(answer["hits"][0]["name"], "SessionStore");
    // Unsaved text gets its vectors with the answer.
    let text = "def bill(clients):\n    \"\"\"Customers pay.\"\"\"\n    return clients\n";
    client.did_open(&fixture.uri("src/bill.py"), 1, text).await;
    let question = json!({ "query": "customers", "scope": "code", "mode": "vector" });
    let answer = client.command("kenning.search", question).await.unwrap();
    assert!(answer["hits"].as_array().unwrap().iter().any(|hit| hit["name"] == "bill"), "{answer}");
    client.shut_down().await;
}

#[tokio::test]
async fn a_search_without_a_model_reports_no_pending_vectors() {
    let fixture = create_shop();
    let mut client = Client::open(&fixture).await;
    let answer = client.command("kenning.search", json!({ "query": "save the session" })).await.unwrap();
    assert_eq!(answer["freshness"].get("vectors_pending"), None);
    client.shut_down().await;
}
