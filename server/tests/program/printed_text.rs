//! Tests that no text of a workspace controls the terminal, whatever prints it.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

/// Copies a text to the clipboard of a terminal that obeys it.
const CLIPBOARD_CODE: &str = "\u{1b}]52;c;ZXZpbA==\u{7}";

/// Codes and characters that must not be printed.
const PAYLOADS: [&str; 6] =
    [CLIPBOARD_CODE, "\u{1b}[2J", "\u{9b}31m", "a\u{202e}b\u{2066}", "a\u{2028}b\u{200f}", "\u{7f}\u{8}"];

struct Fixture {
    folder: TempDir,
}

impl Fixture {
    fn new() -> Self {
        let fixture = Self { folder: tempfile::tempdir().unwrap() };
        fixture.write("mod.py", "def handle():\n    return 1\n");
        fixture
    }

    fn root(&self) -> PathBuf {
        self.folder.path().join("w")
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.root().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_kenning"));
        command.args(arguments).current_dir(self.root()).stdin(Stdio::null()).env_clear();
        command.env("HOME", self.folder.path().join("home")).env("PATH", "/usr/bin:/bin");
        command.env("XDG_CACHE_HOME", self.folder.path().join("cache"));
        command.env("XDG_DATA_HOME", self.folder.path().join("data"));
        command
    }

    fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }
}

/// Returns both outputs of a command.
fn read_texts(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

/// Asserts that a text has no character that a terminal obeys, apart from styles and links to files.
fn assert_harmless(text: &str, origin: &str) {
    let plain = console::strip_ansi_codes(text);
    let removed: Vec<&str> = console::AnsiCodeIterator::new(text)
        .filter_map(|(code, is_code)| is_code.then_some(code))
        .filter(|code| !(code.ends_with('m') || code.starts_with("\u{1b}]8;;")))
        .collect();
    assert!(removed.is_empty(), "{origin}: {removed:?} in {text:?}");
    let is_harmful = |c: char| !matches!(c, '\n' | '\t') && kenning_retrieval::pack::is_unsafe_to_print(c);
    assert!(!plain.contains(is_harmful), "{origin}: {text:?}");
}

#[test]
fn an_untrusted_configuration_does_not_control_the_terminal() {
    for payload in PAYLOADS {
        let quoted = toml_text(payload);
        for toml in [
            format!("[index]\nexclude = [{}]\n", toml_text(&format!("{payload}["))),
            format!("{quoted} = 1\n"),
            format!("[{quoted}]\nx = 1\n"),
            format!("[servers.{quoted}]\nenabled = true\n"),
            format!("[ranking]\n{quoted} = 1\n"),
            format!("[index]\nlanguages = {quoted}\n"),
            format!("{payload} = 1\n"),
        ] {
            let fixture = Fixture::new();
            fixture.write("kenning.toml", &toml);
            for arguments in
                [&["index"][..], &["status"], &["pack", "handle"], &["config", "show"], &["doctor", "-v"]]
            {
                for color in ["never", "always"] {
                    let arguments = [arguments, &["--color", color]].concat();
                    let text = read_texts(&fixture.run(&arguments));
                    assert_harmless(&text, &format!("{arguments:?} with {toml:?}"));
                }
            }
        }
    }
}

/// Returns a text in the quotes of TOML.
fn toml_text(text: &str) -> String {
    let escape = |c: char| format!("\\u{:04x}", u32::from(c));
    format!("\"{}\"", text.chars().map(escape).collect::<String>())
}

#[cfg(unix)]
#[test]
fn names_of_a_workspace_do_not_control_the_terminal() {
    let fixture = Fixture::new();
    for (at, payload) in PAYLOADS.iter().enumerate() {
        let test = "from mod import handle\n\n\ndef test_it():\n    handle()\n";
        fixture.write(&format!("tests/d{at}{payload}/test_a.py"), test);
        fixture.write(&format!("big{at}{payload}.py"), &format!("def big{at}():\n    return '{payload}'\n"));
        fixture.write(&format!("broken{at}{payload}.json"), "{");
        fixture.write(&format!("no{at}{payload}.bin.py"), "\0");
    }
    for arguments in [
        &["index", "-v"][..],
        &["status"],
        &["status", "--json"],
        &["pack", "big handle"],
        &["tests", "mod.py"],
        &["tests", "mod.py", "--json"],
        &["tests", "mod.py", "--run"],
        &["tests", "mod.py", "--paths-only"],
        &["blast", "handle"],
        &["graph", "handle", "--format", "dot"],
        &["graph", "handle", "--format", "svg"],
        &["search", "big"],
        &["files", "mod.py"],
    ] {
        for color in ["never", "always"] {
            let mut command = fixture.command(&[arguments, &["--color", color]].concat());
            let output = command.env("KENNING_LOG", "debug").output().unwrap();
            assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", read_texts(&output));
            assert_harmless(&read_texts(&output), &format!("{arguments:?}"));
        }
    }
}

#[test]
fn words_of_the_command_line_do_not_control_the_terminal() {
    // A shell expands `*` to the names of files, which an option may look like.
    let fixture = Fixture::new();
    for payload in PAYLOADS {
        let (option, word) = (format!("--x{payload}"), format!("x{payload}"));
        for arguments in [
            &[option.as_str()][..],
            &[word.as_str()],
            &["pack", "--format", &word, "x"],
            &["pack", "--budget", &word, "x"],
            &["blast", &word],
            &["files", &word],
            &["why", "--symbol", &word, "x"],
            &["pack", "x", "-o", "missing\u{1b}[2J/\0x"],
            &["man", &word],
            &["eval", "--tasks", &word, "--corpus", "."],
        ] {
            if arguments.iter().any(|word| word.contains('\0')) {
                continue;
            }
            let output = fixture.run(arguments);
            assert!(matches!(output.status.code(), Some(1 | 2)), "{arguments:?}: {}", read_texts(&output));
            assert_harmless(&read_texts(&output), &format!("{arguments:?}"));
        }
    }
}

#[test]
fn wrong_usage_and_help_keep_their_status_and_stream() {
    let fixture = Fixture::new();
    let wrong = fixture.run(&["tests", "--run", "--json"]);
    assert_eq!((wrong.status.code(), wrong.stdout.len()), (Some(2), 0));
    assert!(String::from_utf8_lossy(&wrong.stderr).contains("cannot be used with"), "{wrong:?}");
    let help = fixture.run(&["tests", "--help"]);
    assert_eq!((help.status.code(), help.stderr.len()), (Some(0), 0));
    assert!(String::from_utf8_lossy(&help.stdout).contains("Usage: kenning tests"));
    let version = fixture.run(&["--version"]);
    assert_eq!((version.status.code(), version.stderr.len()), (Some(0), 0));
    assert!(version.stdout.starts_with(b"kenning "));
}

#[test]
fn completion_scripts_and_the_manual_are_printed_unchanged() {
    let fixture = Fixture::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let output = fixture.run(&["completions", shell]);
        assert_eq!(output.status.code(), Some(0));
        assert!(!String::from_utf8(output.stdout).unwrap().contains("\\u{"), "{shell}");
    }
    assert!(!String::from_utf8(fixture.run(&["man"]).stdout).unwrap().contains("\\u{"));
}

#[cfg(unix)]
#[test]
fn programs_of_the_workspace_neither_copy_nor_page_an_answer() {
    use std::os::unix::fs::PermissionsExt;
    let fixture = Fixture::new();
    let marker = fixture.folder.path().join("ran");
    for program in ["pbcopy", "wl-copy", "xclip", "xsel", "clip.exe", "termux-clipboard-set", "tmux", "less"]
    {
        fixture.write(program, &format!("#!/bin/sh\necho $0 >>'{}'\n", marker.display()));
        let mode = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(fixture.root().join(program), mode).unwrap();
    }
    let root = fixture.root();
    for path in [".", "", ":", "./", root.to_str().unwrap()] {
        for copy in [&["pack", "handle", "--copy"][..], &["tests", "mod.py", "--copy"]] {
            let mut command = fixture.command(copy);
            let path = format!("{path}:/nonexistent");
            for variable in ["WAYLAND_DISPLAY", "DISPLAY", "TMUX"] {
                command.env(variable, "1");
            }
            let output = command.env("PATH", path).output().unwrap();
            assert_eq!(output.status.code(), Some(1), "{}", read_texts(&output));
            assert!(!marker.exists(), "{copy:?} ran a program of the workspace");
        }
    }
    assert!(Path::new(&root).join("pbcopy").exists());
}
