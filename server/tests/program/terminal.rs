//! Tests what answers look like in a terminal, in a pipe, in a file, and in a shell's completions.

use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

const CART: &str = "\
class Cart:
    def add_item(self, item):
        \"\"\"Adds an item.\"\"\"
        return item

def fill_cart():
    return Cart().add_item(1)
";

const TEST: &str = "from shop.cart import fill_cart\n\n\ndef test_fill():\n    assert fill_cart() == 1\n";

struct Fixture {
    folder: TempDir,
}

impl Fixture {
    fn new() -> Self {
        let fixture = Self { folder: tempfile::tempdir().unwrap() };
        for (path, text) in [("shop/cart.py", CART), ("tests/test_cart.py", TEST), ("kenning.toml", "")] {
            let path = fixture.root().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        fixture
    }

    fn root(&self) -> PathBuf {
        self.folder.path().join("w")
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_kenning"));
        command.args(arguments).current_dir(self.root()).stdin(Stdio::null());
        for variable in ["XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "HOME"] {
            command.env(variable, self.folder.path().join("home"));
        }
        for variable in [
            "KENNING_DB",
            "KENNING_LOG",
            "NO_COLOR",
            "CLICOLOR",
            "CLICOLOR_FORCE",
            "COLUMNS",
            "SSH_TTY",
            "TMUX",
        ] {
            command.env_remove(variable);
        }
        command.env("TERM", "xterm-256color");
        command
    }

    /// Returns the standard output of a command that succeeds.
    fn print(&self, arguments: &[&str]) -> String {
        read_text(&self.command(arguments).output().unwrap())
    }
}

/// Returns the standard output of a command that has succeeded.
fn read_text(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// Returns a text without its styles and links.
fn strip_styles(text: &str) -> String {
    console::strip_ansi_codes(text).into_owned()
}

#[test]
fn pipes_and_named_formats_get_the_same_bytes() {
    let fixture = Fixture::new();
    for question in [
        &["pack", "add an item"][..],
        &["files", "shop/cart.py"],
        &["blast", "Cart.add_item"],
        &["tests", "shop/cart.py"],
        &["why", "--symbol", "Cart.add_item", "add an item"],
    ] {
        let plain = fixture.print(question);
        assert!(plain.starts_with("# ") && !plain.contains('\u{1b}'), "{plain}");
        let named = fixture.print(&[question, &["--format", "markdown", "--color", "always"]].concat());
        assert_eq!(plain, named, "{question:?}");
        let mut command = fixture.command(question);
        command.env("CLICOLOR_FORCE", "1").env("NO_COLOR", "1");
        assert_eq!(plain, read_text(&command.output().unwrap()), "NO_COLOR wins over CLICOLOR_FORCE");
        let file = fixture.folder.path().join("answer.md");
        let path = file.to_str().unwrap();
        if question[0] != "why" {
            assert_eq!(fixture.print(&[question, &["--color", "always", "-o", path]].concat()), "");
            assert_eq!(plain, std::fs::read_to_string(&file).unwrap());
        }
    }
}

#[test]
fn a_pack_in_a_terminal_has_styles_links_and_colors_instead_of_marks() {
    let fixture = Fixture::new();
    let shown = fixture.print(&["pack", "--color", "always", "add an item"]);
    let text = strip_styles(&shown);
    assert!(text.starts_with("Context: add an item\n"), "{text}");
    assert!(!text.contains("```") && !text.contains("\n## ") && !text.contains('`'), "{text}");
    assert!(text.contains("shop/cart.py:1 Cart (class"), "{text}");
    assert!(shown.contains("\u{1b}]8;;file://") && shown.contains("/shop/cart.py\u{1b}\\"), "{shown:?}");
    assert!(shown.contains("\u{1b}[1m\u{1b}[34mclass\u{1b}[0m"), "keywords have a color: {shown:?}");
    let mut forced = fixture.command(&["pack", "add an item"]);
    assert_eq!(shown, read_text(&forced.env("CLICOLOR_FORCE", "1").output().unwrap()));
}

#[test]
fn a_blast_radius_in_a_terminal_lists_symbols_by_file() {
    let fixture = Fixture::new();
    let shown = fixture.print(&["blast", "--color", "always", "Cart.add_item"]);
    let text = strip_styles(&shown);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "Cart.add_item method shop/cart.py:2");
    assert!(lines[1].starts_with("1 caller · "), "{text}");
    assert!(text.contains("\nCallers 1\n  shop/cart.py\n      7  fill_cart\n"), "{text}");
    assert!(!text.contains("ast_resolved"), "{text}");
    let tests = strip_styles(&fixture.print(&["tests", "--color", "always", "shop/cart.py"]));
    assert!(tests.starts_with("Tests affected by shop/cart.py\n1 test reaches "), "{tests}");
    assert!(tests.contains("\n  tests/test_cart.py\n      4  test_fill → fill_cart"), "{tests}");
}

#[test]
fn reports_have_styles_only_in_a_terminal_and_the_same_words_everywhere() {
    // A command that changes something finds the same in both runs, because each has its own folder.
    let run = |before: &[&str], command: &[&str]| {
        let fixture = Fixture::new();
        std::fs::write(fixture.root().join("latin.py"), b"name = 'caf\xe9'\n").unwrap();
        let recording = "TN:test_fill\nSF:shop/cart.py\nDA:7,1\nend_of_record\n";
        std::fs::write(fixture.root().join("run.info"), recording).unwrap();
        if !before.is_empty() {
            fixture.print(before);
        }
        let folder = fixture.folder.path().canonicalize().unwrap();
        fixture.print(command).replace(folder.to_str().unwrap(), "/temporary")
    };
    let commands: [(&[&str], &[&str], &str); 8] = [
        (&[], &["index"], "\u{1b}[35mlatin.py\u{1b}[0m"),
        (&[], &["enrich"], "\u{1b}[2mLinks\u{1b}[0m"),
        (
            &[],
            &["feedback", "add an item", "--used", "Cart.add_item"],
            "\u{1b}[1mshop/cart.py::Cart.add_item\u{1b}[0m",
        ),
        (&[], &["runs", "import", "run.info"], "\u{1b}[1mImported\u{1b}[0m"),
        (&["runs", "import", "run.info"], &["runs", "clear"], "\u{1b}[1mDeleted\u{1b}[0m"),
        (&["index"], &["forget", "--symbol", "Cart"], "\u{1b}[1mCart\u{1b}[0m"),
        (&[], &["trust", "."], "\u{1b}]8;;file:///temporary/w\u{1b}\\\u{1b}[35m/temporary/w\u{1b}[0m"),
        (&["trust", "."], &["trust", "--list"], "\u{1b}[35m/temporary/w\u{1b}[0m"),
    ];
    let words = |text: &str| -> Vec<String> {
        let is_time =
            |word: &str| word.trim_start_matches('(').parse::<f64>().is_ok_and(|time| time % 1.0 > 0.0);
        let text = text.replace('`', "");
        text.split_whitespace().filter(|word| !is_time(word)).map(str::to_owned).collect()
    };
    for (before, command, style) in commands {
        let plain = run(before, command);
        assert!(!plain.contains('\u{1b}') && plain.ends_with('\n'), "{plain:?}");
        let shown = run(before, &[command, &["--color", "always"]].concat());
        assert!(shown.contains(style), "{command:?}: {shown:?}");
        assert_eq!(words(&plain), words(&strip_styles(&shown)), "{command:?}");
    }
}

#[test]
fn paths_are_named_from_the_current_folder() {
    let fixture = Fixture::new();
    assert_eq!(fixture.print(&["blast", "-l", "Cart.add_item"]), "shop/cart.py\ntests/test_cart.py\n");
    let mut inside = fixture.command(&["files", "-l", "shop/cart.py"]);
    let paths = read_text(&inside.current_dir(fixture.root().join("tests")).output().unwrap());
    assert!(paths.starts_with("../shop/cart.py\n"), "{paths}");
    let mut outside = fixture.command(&["tests", "-l", "--root", "w", "shop/cart.py"]);
    let paths = read_text(&outside.current_dir(fixture.folder.path()).output().unwrap());
    let test = fixture.root().canonicalize().unwrap().join("tests/test_cart.py");
    assert_eq!(paths, format!("{}\n", test.display()));
    let both = fixture.command(&["pack", "-l", "--json", "x"]).output().unwrap();
    assert_eq!(both.status.code(), Some(2));
}

#[test]
fn a_file_that_cannot_be_written_is_an_error_with_its_path() {
    let fixture = Fixture::new();
    let output = fixture.command(&["pack", "-o", "kenning.toml/x.md", "add an item"]).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(message.contains("x.md cannot be written"), "{message}");
}

#[cfg(unix)]
#[test]
fn a_pack_is_copied_with_the_program_of_the_system() {
    use std::os::unix::fs::PermissionsExt;
    let fixture = Fixture::new();
    let (programs, copied) = (fixture.folder.path().join("bin"), fixture.folder.path().join("copied"));
    std::fs::create_dir(&programs).unwrap();
    let tool = programs.join("wl-copy");
    std::fs::write(&tool, format!("#!/bin/sh\nexec /bin/cat > {}\n", copied.display())).unwrap();
    std::fs::set_permissions(&tool, std::fs::Permissions::from_mode(0o755)).unwrap();
    let plain = fixture.print(&["pack", "add an item"]);
    let mut command = fixture.command(&["pack", "--copy", "add an item"]);
    command.env("PATH", &programs).env("WAYLAND_DISPLAY", "wayland-0").env_remove("SSH_CONNECTION");
    let output = command.output().unwrap();
    assert_eq!(read_text(&output), "");
    assert!(String::from_utf8_lossy(&output.stderr).contains("to the clipboard (through wl-copy)"));
    assert_eq!(std::fs::read_to_string(copied).unwrap(), plain);
    let mut none = fixture.command(&["pack", "--copy", "add an item"]);
    let output = none.env("PATH", "").env_remove("SSH_CONNECTION").output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("there is no clipboard: install "));
}

#[test]
fn a_task_may_begin_with_dashes() {
    let fixture = Fixture::new();
    let quoted = fixture.print(&["pack", "--budget is ignored for add_item"]);
    assert!(quoted.starts_with("# Context: \\--budget is ignored for add_item\n"), "{quoted}");
    assert_eq!(quoted, fixture.print(&["pack", "--", "--budget", "is", "ignored", "for", "add_item"]));
    let output = fixture.command(&["pack", "--budgets", "add_item"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2), "a single word with dashes is a flag");
}

#[test]
fn the_manual_has_a_page_for_each_command() {
    let fixture = Fixture::new();
    let folder = fixture.folder.path().join("man");
    let message = fixture.print(&["man", "--out", folder.to_str().unwrap()]);
    let pages: Vec<String> = std::fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    assert!(message.starts_with(&format!("Wrote {} pages to ", pages.len())), "{message}");
    for page in ["kenning.1", "kenning-pack.1", "kenning-agents-install.1"] {
        assert!(pages.iter().any(|name| name == page), "{page} in {pages:?}");
    }
    let overview = std::fs::read_to_string(folder.join("kenning.1")).unwrap();
    assert_eq!(fixture.print(&["man"]), overview);
    assert_eq!(
        fixture.print(&["man", "agents", "install"]),
        std::fs::read_to_string(folder.join("kenning-agents-install.1")).unwrap()
    );
}

#[test]
fn a_shell_completes_the_symbols_of_an_indexed_workspace() {
    let fixture = Fixture::new();
    let complete = |words: &[&str]| {
        let mut command = fixture.command(&[&["--", "kenning"], words].concat());
        command.env("KENNING_COMPLETE", "zsh").env("_CLAP_COMPLETE_INDEX", words.len().to_string());
        read_text(&command.output().unwrap())
    };
    assert_eq!(complete(&["blast", "Car"]), "", "nothing is indexed yet");
    fixture.print(&["index"]);
    assert!(
        complete(&["blast", "Car"]).starts_with("Cart:class shop/cart.py"),
        "{}",
        complete(&["blast", "Car"])
    );
    assert!(
        complete(&["blast", "Cart.a"]).starts_with("Cart.add_item:"),
        "{}",
        complete(&["blast", "Cart.a"])
    );
    assert!(complete(&["blas"]).starts_with("blast:"));
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        assert!(fixture.print(&["completions", shell]).contains("KENNING_COMPLETE"), "{shell}");
    }
}

#[test]
fn status_and_index_show_no_hashes() {
    let fixture = Fixture::new();
    let first = fixture.print(&["index"]);
    assert!(first.starts_with("Indexed in ") && first.contains("\nRead 2 files ("), "{first}");
    assert!(fixture.print(&["index"]).starts_with("Up to date: 2 files, "));
    let status = fixture.print(&["status"]);
    assert!(status.contains("\nIndexed today: 2 files, "), "{status}");
    let has_hash = |text: &str| text.split(|c: char| !c.is_ascii_hexdigit()).any(|digits| digits.len() == 64);
    assert!(!has_hash(&status), "{status}");
    assert!(has_hash(&fixture.print(&["status", "--verbose"])));
    let doctor = fixture.print(&["doctor"]);
    assert!(!doctor.contains("graph.db is intact"), "{doctor}");
    assert!(fixture.print(&["doctor", "-v"]).contains("graph.db is intact"));
}
