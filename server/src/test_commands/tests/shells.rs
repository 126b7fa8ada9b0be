//! Runs commands with random names through real shells, which must read exactly these names, and
//! through the rules of the shells of Windows. Checks the patterns of runners with a regular
//! expression engine.

use super::super::{RUNNERS, TestRunner};
use super::*;
use std::process::Command;
use std::sync::LazyLock;

/// Number of commands with random names.
const COMMANDS: usize = 2_000;

/// Parts of names that a shell, a runner, a template or a terminal could interpret.
const NAME_PIECES: [&str; 52] = [
    "a",
    "b1",
    "é",
    "日",
    " ",
    "  ",
    "'",
    "''",
    "\"",
    "$(touch pwn)",
    "`touch pwn`",
    "${HOME}",
    "$x",
    "{paths}",
    "{ids}",
    "{path}",
    "{",
    "}",
    "\n",
    "\t",
    "\r\n",
    "%",
    "%PATH%",
    "!",
    "!!",
    "!a",
    "^",
    "-",
    "--help",
    "@",
    "=",
    "=ls",
    "~",
    "*",
    "?",
    "[a]",
    "(",
    ")",
    "|",
    "&&",
    ";",
    "<",
    ">",
    "#",
    "\\",
    "\\'",
    "\x1b]52;c;eA==\x07",
    "\u{202e}",
    "\u{2028}",
    "\u{9b}31m",
    "+",
    ".",
];

/// The rows of the table as text.
static RUNNER_ROWS: LazyLock<Vec<toml::Value>> = LazyLock::new(|| {
    let table: toml::Table = toml::from_str(include_str!("../../../data/test_runners.toml")).unwrap();
    table["runner"].as_array().unwrap().clone()
});

/// A generator of random names. Its numbers are the same in each run.
struct NameGenerator {
    state: u64,
    pieces: Vec<&'static str>,
}

impl NameGenerator {
    fn new(pieces: Vec<&'static str>) -> Self {
        Self { state: 56, pieces }
    }

    fn next_number(&mut self, limit: usize) -> usize {
        self.state =
            self.state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.state >> 33).unwrap() % limit
    }

    fn next_piece(&mut self) -> &'static str {
        let at = self.next_number(self.pieces.len());
        self.pieces[at]
    }

    fn next_name(&mut self) -> String {
        (0..=self.next_number(5)).map(|_| self.next_piece()).collect()
    }

    fn next_path(&mut self) -> String {
        format!("{}/{}.py", self.next_name(), self.next_name())
    }
}

/// A template with random values, and the words that a shell must read.
struct RandomCommand {
    row: usize,
    ids: Vec<String>,
    paths: Vec<String>,
    scope: String,
    project: String,
    script: String,
    in_project: bool,
}

impl RandomCommand {
    fn new(random: &mut NameGenerator, at: usize) -> Self {
        let row = at % RUNNERS.len();
        let runner = &RUNNERS[row];
        let mut paths = vec![random.next_path(), random.next_path()];
        paths.dedup();
        let ids = (0..2).map(|_| runner.filter.escape_name(&random.next_name())).collect();
        let in_project = runner.project_command.is_some() && random.next_number(2) == 0;
        let (scope, project, script) = (random.next_path(), random.next_path(), random.next_name());
        Self { row, ids, paths, scope, project, script, in_project }
    }

    fn render(&self, shell: ShellKind) -> String {
        let runner: &TestRunner = &RUNNERS[self.row];
        let template =
            if self.in_project { runner.project_command.as_ref().unwrap() } else { &runner.command };
        template.render(
            shell,
            CommandValues {
                ids: &self.ids,
                before_id: &runner.before,
                between_ids: &runner.join,
                paths: &self.paths,
                scope: &self.scope,
                project: &self.project,
                script: &self.script,
            },
        )
    }

    /// Returns the words, read from the text of the table and not from its parsed form.
    fn expected_words(&self) -> Vec<String> {
        let row = &RUNNER_ROWS[self.row];
        let text = |key: &str| row.get(key).map_or("", |value| value.as_str().unwrap());
        let template = text(if self.in_project { "project_command" } else { "command" });
        let template = template.strip_prefix('(').map_or(template, |inner| inner.strip_suffix(')').unwrap());
        let before = text("before");
        let join = row.get("join").map_or(" ", |value| value.as_str().unwrap());
        let ids = self.ids.iter().map(|id| format!("{before}{id}")).collect::<Vec<_>>().join(join);
        let mut words = Vec::new();
        for word in template.split(' ').filter(|word| *word != "&&") {
            let list = match word {
                "{ids}" => &self.ids,
                "{paths}" => &self.paths,
                _ => {
                    let literal = word.replace('\'', "");
                    let filled = fill_once(&literal, &|name| match name {
                        "ids" => ids.clone(),
                        "path" | "folder" => self.scope.clone(),
                        "project" => self.project.clone(),
                        "script" => self.script.clone(),
                        "project:" => self.project.replace('/', ":") + ":",
                        other => panic!("{other}"),
                    });
                    words.push(if word.starts_with('{') { as_operand(&filled) } else { filled });
                    continue;
                }
            };
            for value in list {
                words.extend(
                    before.split(' ').filter(|part| !part.is_empty() && word == "{ids}").map(str::to_owned),
                );
                words.push(as_operand(value));
            }
        }
        words
    }
}

/// Returns a text that no program takes for an option.
fn as_operand(text: &str) -> String {
    if text.starts_with(['-', '@']) { format!("./{text}") } else { text.to_owned() }
}

/// Replaces each placeholder once.
fn fill_once(template: &str, value: &dyn Fn(&str) -> String) -> String {
    let Some((before, rest)) = template.split_once('{') else { return template.to_owned() };
    let (name, after) = rest.split_once('}').unwrap();
    format!("{before}{}{}", value(name), fill_once(after, value))
}

/// Runs commands in a shell that prints the words that it reads instead. Returns the words of each
/// command, or `None` if the shell is not installed.
fn read_words(shell: &str, commands: &[String]) -> Option<Vec<Vec<String>>> {
    let folder = tempfile::tempdir().unwrap();
    let show = "show() { for word in \"$@\"; do printf '%s\\0' \"$word\"; done; }\n";
    let programs = ["cd", "python", "npx", "npm", "node", "bun"];
    let functions = programs.map(|name| format!("{name}() {{ show {name} \"$@\"; }}\n")).concat();
    let mut script = format!("{show}{functions}");
    if shell == "bash" {
        // As in an interactive shell, into which people paste.
        script.push_str("set -o history -o histexpand\n");
    }
    for command in commands {
        let run =
            if command.starts_with('(') { command.clone() } else { format!("set -- {command}; show \"$@\"") };
        script.extend([run.as_str(), "\nprintf 'END\\0'\n"]);
    }
    let file = folder.path().join("script");
    std::fs::write(&file, script).unwrap();
    let mut process = Command::new(shell);
    process.arg(&file).current_dir(folder.path()).env("LC_ALL", "C.UTF-8").env("HOME", folder.path());
    let output = match process.output() {
        Ok(output) => output,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return None,
        Err(error) => panic!("{shell}: {error}"),
    };
    assert!(output.status.success(), "{shell}: {}", String::from_utf8_lossy(&output.stderr));
    assert!(!folder.path().join("pwn").exists(), "{shell} ran a name");
    let text = String::from_utf8(output.stdout).unwrap();
    let mut read = vec![Vec::new()];
    for word in text.split_terminator('\0') {
        if word == "END" {
            read.push(Vec::new());
        } else {
            read.last_mut().unwrap().push(word.to_owned());
        }
    }
    read.pop();
    Some(read)
}

#[cfg(unix)]
#[test]
fn shells_read_the_words_of_2000_random_commands() {
    let mut random = NameGenerator::new(NAME_PIECES.to_vec());
    let commands: Vec<RandomCommand> = (0..COMMANDS).map(|at| RandomCommand::new(&mut random, at)).collect();
    let rendered: Vec<(String, Vec<String>)> =
        commands.iter().map(|command| (command.render(ShellKind::Posix), command.expected_words())).collect();
    for (text, _) in &rendered {
        assert!(!text.contains(kenning_retrieval::pack::is_unsafe_to_print), "{text:?}");
    }
    let mut counts = Vec::new();
    for shell in ["sh", "bash", "zsh"] {
        // Not every `sh` reads $'...', which names with control characters need.
        let fitting = rendered.iter().filter(|(text, _)| shell != "sh" || !text.contains("$'"));
        let (texts, expected): (Vec<String>, Vec<Vec<String>>) = fitting.cloned().unzip();
        let Some(read) = read_words(shell, &texts) else {
            println!("SKIPPED: {shell} (not installed)");
            continue;
        };
        assert_eq!(read.len(), expected.len(), "{shell}");
        for (at, text) in texts.iter().enumerate() {
            assert_eq!(read[at], expected[at], "{shell}: {text}");
        }
        counts.push((shell, texts.len()));
    }
    assert!(counts.iter().all(|(_, count)| *count > COMMANDS / 10), "{counts:?}");
}

#[test]
fn the_shells_of_windows_read_the_words_of_random_commands() {
    let is_fitting = |piece: &&str| ShellKind::Windows.can_quote(piece);
    let mut random = NameGenerator::new(NAME_PIECES.iter().copied().filter(is_fitting).collect());
    let mut tried = 0;
    for at in 0..COMMANDS {
        let command = RandomCommand::new(&mut random, at);
        // Escapes of a runner's notation are not part of a name.
        let is_plain = !command.ids.iter().any(|id| id.contains(['\\', '%']));
        if !is_plain {
            continue;
        }
        let (text, expected) = (command.render(ShellKind::Windows), command.expected_words());
        let inner = text.strip_prefix('(').map_or(&*text, |inner| inner.strip_suffix(')').unwrap());
        let read: Vec<String> = inner.split(" && ").flat_map(windows::split_arguments).collect();
        assert_eq!(read, expected, "{text}");
        windows::check_cmd(inner);
        windows::check_powershell(inner);
        let words: Vec<String> =
            shlex::split(inner).unwrap().into_iter().filter(|word| word != "&&").collect();
        assert_eq!(words, expected, "{text}");
        tried += 1;
    }
    assert!(tried > COMMANDS / 4, "only {tried} commands have words for Windows");
}

/// The rules by which the shells and programs of Windows read a command.
mod windows {
    /// Splits a command into arguments as `CommandLineToArgvW` does, for texts in which no backslash
    /// precedes a quote.
    pub fn split_arguments(command: &str) -> Vec<String> {
        assert!(!command.contains("\\\""), "{command}");
        let (mut words, mut word, mut in_quotes, mut has_word) = (Vec::new(), String::new(), false, false);
        for c in command.chars() {
            match c {
                '"' => (in_quotes, has_word) = (!in_quotes, true),
                ' ' if !in_quotes => {
                    if std::mem::take(&mut has_word) {
                        words.push(std::mem::take(&mut word));
                    }
                }
                c => {
                    word.push(c);
                    has_word = true;
                }
            }
        }
        assert!(!in_quotes, "{command}");
        words.extend(has_word.then_some(word));
        words
    }

    /// `cmd.exe` interprets these characters outside of quotes, and `%` and `!` everywhere.
    pub fn check_cmd(command: &str) {
        for (at, part) in command.split('"').enumerate() {
            let is_quoted = at % 2 == 1;
            assert!(!part.contains(['%', '!']), "{command}");
            let special: &[char] = &['&', '|', '<', '>', '^', '(', ')', ';', ',', '='];
            let unquoted = part.replace(" && ", " ").replace("-Dsurefire.failIfNoSpecifiedTests=false", "");
            assert!(is_quoted || !unquoted.contains(special), "{command}");
        }
    }

    /// PowerShell replaces variables and escapes in double quotes, takes typographic quotes for
    /// quotes, and ends an argument after a closing quote.
    pub fn check_powershell(command: &str) {
        let parts: Vec<&str> = command.split('"').collect();
        for (at, part) in parts.iter().enumerate() {
            assert!(!part.contains(['`', '\u{201c}', '\u{201d}', '\u{201e}']), "{command}");
            for (dollar, _) in part.match_indices('$') {
                let next = part[dollar + 1..].chars().next();
                assert!(next.is_none_or(|c| c == '/'), "{command}");
            }
            if at % 2 == 1 {
                assert!(parts[at - 1].is_empty() || parts[at - 1].ends_with(' '), "{command}");
                assert!(parts[at + 1].is_empty() || parts[at + 1].starts_with(' '), "{command}");
            } else {
                assert!(!part.contains(['\'', '@', '{', ';', '|', '#']), "{command}");
            }
        }
    }
}

#[test]
fn patterns_of_runners_match_exactly_the_name() {
    let names = [
        "a(b", "a+b", "x.y", "[1] one", "$5", "a|b", "-v", r"a\b", "^up", "{2}", "a/b", "why?", "*", "100%",
        "a=b",
    ];
    for runner in RUNNERS.iter() {
        for name in names {
            let escaped = runner.filter.escape_name(name);
            match runner.filter {
                NameFilter::Plain => assert_eq!(escaped, name),
                NameFilter::LuaPattern => {
                    let chars = escaped.replace("%%", "\0");
                    assert_eq!(chars.replace('%', "").replace('\0', "%"), name);
                }
                NameFilter::DotnetFilter => {
                    let chars = escaped.replace(r"\\", "\0");
                    assert_eq!(chars.replace('\\', "").replace('\0', r"\"), name);
                }
                NameFilter::Regex | NameFilter::SlashedRegex | NameFilter::PathRegex => {
                    let pattern = regex::Regex::new(&format!("^({escaped}|other)$")).unwrap();
                    let matched: Vec<&str> =
                        names.iter().copied().filter(|name| pattern.is_match(name)).collect();
                    assert_eq!(matched, [name], "{escaped}");
                    assert!(!escaped.starts_with('-'));
                }
            }
        }
    }
}

/// Which notation the documentation of each runner states for its filter.
#[test]
fn every_filter_of_a_runner_has_its_notation() {
    let notation = |program: &str| {
        let is_row = |row: &&toml::Value| row["command"].as_str().unwrap().contains(program);
        let row = RUNNER_ROWS.iter().find(is_row).unwrap();
        let text = |key: &str| row.get(key).map_or("plain", |value| value.as_str().unwrap()).to_owned();
        (text("filter"), text("path_filter"))
    };
    for (program, filter, path_filter) in [
        ("pytest", "plain", "plain"),
        ("go test", "regex", "plain"),
        ("cargo test", "plain", "plain"),
        ("mvn", "plain", "plain"),
        ("gradlew", "plain", "plain"),
        ("rspec", "plain", "plain"),
        ("ruby -Itest", "slashed_regex", "plain"),
        ("dotnet", "dotnet_filter", "plain"),
        ("vitest", "regex", "plain"),
        ("jest", "regex", "path_regex"),
        ("mocha", "regex", "plain"),
        ("phpunit", "slashed_regex", "plain"),
        ("swift", "regex", "plain"),
        ("dart", "regex", "plain"),
        ("mix", "plain", "plain"),
        ("bats", "regex", "plain"),
        ("busted", "lua_pattern", "plain"),
        ("zig", "plain", "plain"),
        ("ctest", "regex", "plain"),
    ] {
        assert_eq!(notation(program), (filter.to_owned(), path_filter.to_owned()), "{program}");
    }
}
