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
    let Ok(Command::Pack(pack)) = parse("pack --budget 9 add a hook --format json") else {
        panic!("no pack")
    };
    assert_eq!(pack.task, ["add", "a", "hook"]);
    assert_eq!(pack.print.format, Some(PackFormat::Json));
    assert_eq!(pack.print.answer.budget, NonZeroUsize::new(9));
    assert_eq!(pack.print.answer.workspace.root, default_root());
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
