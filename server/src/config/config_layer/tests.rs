//! Tests of the checks of one source: the accepted values and the reported issues.

use super::*;
use crate::config::effective::{ListedOption, merge_layers};
use expect_test::{Expect, expect};
use serde_json::json;
use std::path::Path as FilePath;

fn editor(value: &Value) -> ConfigLayer {
    ConfigLayer::from_json(ConfigSource::Editor, value, None)
}

fn file(value: &Value) -> ConfigLayer {
    ConfigLayer::from_json(ConfigSource::File("kenning.toml".into()), value, None)
}

fn check_issues(layer: &ConfigLayer, expected: Expect) {
    let lines: Vec<String> = layer.issues.iter().map(ToString::to_string).collect();
    expected.assert_eq(&(lines.join("\n") + "\n"));
}

#[test]
fn options_may_be_nested_or_flat_and_null_sets_nothing() {
    let layer = editor(&json!({
        "hover": { "enabled": false },
        "codeLens.enabled": false,
        "kenning.index.exclude": ["*.gen.py"],
        "pack": null,
        "blastRadius": { "depth": null },
        "servers": { "gopls": { "enabled": false } },
    }));
    assert_eq!(layer.issues, []);
    let config = merge_layers([&layer]).config;
    assert!(!config.hover.enabled && !config.code_lens.enabled && !config.server_config("gopls").enabled);
    assert_eq!(config.index.exclude, ["*.gen.py"]);
    assert_eq!(config.pack, Config::default().pack);
    assert!(config.server_config("pyright").enabled);
}

#[test]
fn issues_name_the_ignored_option_and_the_allowed_values() {
    let layer = file(&json!({
        "hoover": { "enabled": true },
        "code_lens": { "enabled": true },
        "codeLens": { "minimumCaller": 2, "kinds": ["method", "field"] },
        "hover": true,
        "index": { "maxFileSize": -1, "watch": "never" },
        "pack": { "zebra": 1 },
        "servers": { "gopsl": { "enabled": true }, "gopls": { "cmd": "x" } },
        "unheardOf": 1,
        "trace": "verbose",
    }));
    assert!(layer.values.is_empty());
    check_issues(
        &layer,
        expect![[r#"
            kenning.toml: hoover: is not an option; did you mean hover?
            kenning.toml: code_lens: is not an option; did you mean codeLens?
            kenning.toml: codeLens.minimumCaller: is not an option; did you mean codeLens.minimumCallers?
            kenning.toml: codeLens.kinds: must be a list that contains only "function", "method", "constructor", "class", "struct", "enum", "interface", "trait", "type", "record", "union", "macro", "module", not ["method","field"]
            kenning.toml: hover: must be a section that contains options
            kenning.toml: index.maxFileSize: must be a whole number from 1 to 1073741824, not -1
            kenning.toml: index.watch: must be one of "auto", "client", "own", "off", not "never"
            kenning.toml: pack.zebra: is not an option; the options are pack.budget, pack.changeBudget, pack.format, pack.documents
            kenning.toml: servers.gopsl: no language server is named "gopsl"; did you mean servers.gopls?
            kenning.toml: servers.gopls.cmd: is not an option; the options are servers.gopls.enabled, servers.gopls.command, servers.gopls.args
            kenning.toml: unheardOf: is not an option; kenning config show lists all options
            kenning.toml: trace: is not an option; kenning config show lists all options
        "#]],
    );
}

#[test]
fn keys_of_the_client_cause_no_issue() {
    let client_keys = json!({
        "trace": { "server": "verbose" }, "server": { "path": "kenning" }, "client": { "history": 9 },
        "server.path": "kenning",
    });
    assert_eq!(editor(&client_keys).issues, []);
    check_issues(
        &editor(&json!({ "server": { "gopls": { "command": "x" } } })),
        expect![[r#"
        the editor's settings (section kenning): server.gopls: is not an option; did you mean servers?
    "#]],
    );
    assert!(!editor(&json!([1])).issues.is_empty());
    assert_eq!(editor(&Value::Null).issues, []);
}

#[test]
fn a_layer_replaces_the_former_layer_but_invalid_values_keep_the_former_value() {
    let first = editor(&json!({ "hover": { "enabled": false }, "blastRadius": { "depth": 2 } }));
    let second =
        ConfigLayer::from_json(ConfigSource::Editor, &json!({ "blastRadius": { "depth": 0 } }), Some(&first));
    assert_eq!(second.value_at(&["blastRadius", "depth"]), Some(&json!(2)));
    assert_eq!(second.value_at(&["hover", "enabled"]), None, "the source no longer sets it");
    assert_eq!(second.issues.len(), 1);
}

#[test]
fn a_stronger_source_wins_option_by_option() {
    let file = file(&json!({ "hover": { "enabled": false }, "blastRadius": { "depth": 2 } }));
    let editor = editor(&json!({ "blastRadius": { "depth": 3 } }));
    let effective = merge_layers([&file, &editor]);
    assert_eq!((effective.config.hover.enabled, effective.config.blast_radius.depth), (false, 3));
    let sources: Vec<String> = effective
        .list_options()
        .into_iter()
        .filter(|option| option.source != ConfigSource::Default)
        .map(|ListedOption { key, value, source }| format!("{key} = {value}, {source}"))
        .collect();
    assert_eq!(
        sources,
        [
            "hover.enabled = false, kenning.toml",
            "blastRadius.depth = 3, the editor's settings (section kenning)"
        ]
    );
}

#[test]
fn only_a_trusted_workspace_may_name_programs() {
    let settings = json!({
        "servers": { "gopls": { "command": "./evil", "args": ["x"], "enabled": false } },
        "workspaceTrust": true,
    });
    let root = FilePath::new("/some where");
    let untrusted = file(&settings).restrict_by_trust(false, root);
    let config = merge_layers([&untrusted]).config;
    assert_eq!(
        config.server_config("gopls"),
        crate::config::options::ServerConfig { enabled: false, ..Default::default() }
    );
    check_issues(
        &untrusted,
        expect![[r#"
        kenning.toml: servers.gopls.args: ignored because it names a program and this workspace is not trusted; if you trust it, run: kenning trust '/some where'
        kenning.toml: servers.gopls.command: ignored because it names a program and this workspace is not trusted; if you trust it, run: kenning trust '/some where'
        kenning.toml: workspaceTrust: can be set only in the editor's settings
    "#]],
    );
    let trusted = merge_layers([&file(&settings).restrict_by_trust(true, root)]).config;
    assert_eq!(trusted.server_config("gopls").command.as_deref(), Some("./evil"));
    assert_eq!(trusted.workspace_trust, None, "a workspace cannot trust itself");
    let editor = merge_layers([&editor(&settings).restrict_by_trust(false, root)]).config;
    assert_eq!(
        editor.server_config("gopls").command.as_deref(),
        Some("./evil"),
        "the editor may always name programs"
    );
}
