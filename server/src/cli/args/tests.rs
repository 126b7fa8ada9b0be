//! Tests of the command line as users type it.

use super::*;
use crate::format::PackFormat;
use clap::CommandFactory;
use clap::error::ErrorKind;

fn parse(line: &str) -> Result<Command, clap::Error> {
    Cli::try_parse_from(format!("kenning {line}").split_whitespace()).map(|cli| cli.command)
}

#[test]
fn the_declarations_are_consistent() {
    Cli::command().debug_assert();
}

#[test]
fn words_of_a_task_need_no_quotes() {
    let Ok(Command::Pack(pack)) = parse("pack --budget 900 add a hook --format json") else {
        panic!("no pack")
    };
    assert_eq!(pack.task, ["add", "a", "hook"]);
    assert_eq!(pack.print.format, Some(PackFormat::Json));
    assert_eq!(pack.print.answer.budget, NonZeroUsize::new(900));
    assert_eq!(pack.print.answer.workspace.root, default_root());
}

#[test]
fn other_words_for_a_command_are_hidden_aliases() {
    for (alias, name) in [
        ("context", "pack"),
        ("explain", "why"),
        ("users", "blast"),
        ("impact", "blast"),
        ("affected", "tests"),
    ] {
        let command = Cli::command();
        let found = command.find_subcommand(alias).expect("the alias names a command");
        assert_eq!(found.get_name(), name);
        assert!(!found.get_visible_aliases().any(|visible| visible == alias), "{alias}");
    }
}

#[test]
fn a_budget_has_room_for_a_symbol() {
    for budget in ["0", "99", "-1", "many"] {
        let error = parse(&format!("pack --budget={budget} x")).unwrap_err().to_string();
        assert!(error.contains("a budget is a number of tokens, at least 100"), "{error}");
    }
    assert!(parse("pack --budget 100 x").is_ok());
}

#[test]
fn a_dash_is_a_task_from_standard_input() {
    let Ok(Command::Pack(pack)) = parse("pack --root /w -") else { panic!("no pack") };
    assert_eq!(pack.task, ["-"]);
}

#[test]
fn only_supported_formats_are_accepted() {
    let error = parse("pack --format yaml x").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidValue);
    assert!(error.to_string().contains("[possible values: markdown, xml, json, gcf, gcb]"), "{error}");
}

#[test]
fn the_root_of_a_pack_has_at_least_12_digits() {
    let root = |text: &str| match parse(&format!("pack --pack-root {text} x")) {
        Ok(Command::Pack(pack)) => Ok(pack.print.pack_root),
        Ok(other) => panic!("{other:?}"),
        Err(error) => Err(error.kind()),
    };
    let graph = format!("sha256:{}", "ab".repeat(32));
    for known in ["0123456789ab", "0123456789ABCDEF", &graph] {
        assert_eq!(root(known), Ok(Some(known.to_owned())));
    }
    for wrong in ["0123456789a", "0123456789xy", "sha256:", "md5:0123456789ab"] {
        assert_eq!(root(wrong), Err(ErrorKind::ValueValidation), "{wrong}");
    }
}

#[test]
fn wrong_usage_exits_with_status_2() {
    for (line, kind) in [
        ("", ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand),
        ("pack", ErrorKind::MissingRequiredArgument),
        ("pack --budget 0 x", ErrorKind::ValueValidation),
        ("pack --budget many x", ErrorKind::ValueValidation),
        ("why a task", ErrorKind::MissingRequiredArgument),
        ("files", ErrorKind::MissingRequiredArgument),
        ("bogus", ErrorKind::InvalidSubcommand),
    ] {
        let error = parse(line).map(|_| ()).unwrap_err();
        assert_eq!((error.kind(), error.exit_code()), (kind, 2), "{line}");
    }
}

#[test]
fn a_root_is_an_argument_or_a_flag_but_not_both() {
    let root = |line: &str| match parse(line) {
        Ok(Command::Index(args)) => args.root.workspace_args().root,
        _ => panic!("no index"),
    };
    assert_eq!(root("index"), default_root());
    assert_eq!(root("index /w"), PathBuf::from("/w"));
    assert_eq!(root("index --root /w"), PathBuf::from("/w"));
    assert_eq!(parse("index /w --root /v").map(|_| ()).unwrap_err().kind(), ErrorKind::ArgumentConflict);
}

#[test]
fn clients_may_pass_their_transport_and_process() {
    let Ok(Command::Serve(serve)) = parse("serve --stdio --clientProcessId=42") else { panic!("no serve") };
    assert!(serve.stdio);
    assert_eq!(serve.client_process_id, Some(42));
}
