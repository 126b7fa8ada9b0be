//! Tests the commands of each runner, and that shells read the words of a command back.

mod shells;

use super::*;
use crate::test_workspace::{TestWorkspace, index_files};

/// Returns the ids and the commands of all functions of a workspace.
fn ids_and_commands(files: &[(&str, &str)]) -> (Vec<String>, Vec<String>) {
    let TestWorkspace { root, workspace, .. } = &index_files(files);
    let snapshot = workspace.current_snapshot();
    let is_function = |id: &SymbolId| snapshot.symbol(*id).is_some_and(|s| s.kind.is_callable());
    let mut tests: Vec<SymbolId> = snapshot.symbols().into_iter().filter(is_function).collect();
    tests.sort_by_key(|&id| snapshot.symbol(id).map(|s| (s.path.to_owned(), s.span.start)));
    let commands = TestCommands::for_workspace(root, &workspace.current_project());
    let ids = tests.iter().filter_map(|&test| commands.test_id(&snapshot, test)).collect();
    (ids, commands.run_commands(&snapshot, &tests).commands)
}

#[test]
fn pytest_gets_node_ids_in_one_command() {
    let (ids, commands) = ids_and_commands(&[
        (
            "tests/test_a.py",
            "def test_one():\n    pass\n\n\nclass TestCart:\n    def test_two(self):\n        pass\n",
        ),
        ("tests/test_b.py", "def test_three():\n    pass\n"),
    ]);
    let expected =
        ["tests/test_a.py::test_one", "tests/test_a.py::TestCart::test_two", "tests/test_b.py::test_three"];
    assert_eq!(ids, expected);
    assert_eq!(commands, ["python -m pytest tests/test_a.py tests/test_b.py::test_three"]);
}

#[test]
fn a_file_is_run_as_a_whole_only_with_all_of_its_tests() {
    let test = "def test_one():\n    def test_inner():\n        pass\n\n\ndef test_two():\n    pass\n";
    let TestWorkspace { root, workspace, .. } = &index_files(&[("tests/test_a.py", test)]);
    let snapshot = workspace.current_snapshot();
    let named = |name| {
        let mut symbols = snapshot.symbols().into_iter();
        symbols.find(|&id| snapshot.symbol(id).is_some_and(|s| s.name == name)).unwrap()
    };
    let commands = TestCommands::for_workspace(root, &workspace.current_project());
    let run = |tests: &[SymbolId]| commands.run_commands(&snapshot, tests).commands;
    assert_eq!(run(&[named("test_two")]), ["python -m pytest tests/test_a.py::test_two"]);
    assert_eq!(run(&[named("test_two"), named("test_one")]), ["python -m pytest tests/test_a.py"]);
}

#[test]
fn functions_that_are_not_tests_have_no_id() {
    let fixture = "import pytest\n\n\n@pytest.fixture(autouse=True)\ndef leak_detector():\n    yield\n";
    let (ids, commands) = ids_and_commands(&[("tests/conftest.py", fixture)]);
    assert_eq!((ids.len(), commands.len()), (0, 0));
}

#[test]
fn go_gets_one_command_for_each_package() {
    let test = |name: &str| format!("package p\n\nimport \"testing\"\n\nfunc {name}(t *testing.T) {{}}\n");
    let (_, commands) = ids_and_commands(&[
        ("go.mod", "module example.com/m\n"),
        ("a/a_test.go", &(test("TestA") + "\nfunc TestB(t *testing.T) {}\n")),
        ("b/b_test.go", &test("TestC")),
    ]);
    assert_eq!(commands, ["go test ./a -run '^(TestA|TestB)$'", "go test ./b -run '^(TestC)$'"]);
}

#[test]
fn many_tests_get_further_commands() {
    let tests = |from: usize, to: usize| {
        let test = |at| format!("func TestAdds{at:03}(t *testing.T) {{}}\n");
        ["package p\n\nimport \"testing\"\n\n".to_owned()]
            .into_iter()
            .chain((from..to).map(test))
            .collect::<String>()
    };
    let (ids, commands) = ids_and_commands(&[
        ("go.mod", "module example.com/m\n"),
        ("p/a_test.go", &tests(0, MAX_PER_COMMAND + 50)),
        // The second command has all of these ids but the last one already.
        ("p/b_test.go", &tests(MAX_PER_COMMAND + 40, MAX_PER_COMMAND + 51)),
    ]);
    assert_eq!(ids.len(), MAX_PER_COMMAND + 61);
    let pattern =
        |from, to| (from..to).map(|at| format!("TestAdds{at:03}")).collect::<Vec<String>>().join("|");
    let expected = [(0, MAX_PER_COMMAND), (MAX_PER_COMMAND, MAX_PER_COMMAND + 51)]
        .map(|(from, to)| format!("go test ./p -run '^({})$'", pattern(from, to)));
    assert_eq!(commands, expected);
}

#[test]
fn java_is_run_by_the_build_tool_of_the_workspace() {
    let test = "package com.shop;\nimport org.junit.jupiter.api.Test;\nclass CartTest {\n  @Test void adds() {}\n}\n";
    let path = "src/test/java/com/shop/CartTest.java";
    let (_, maven) = ids_and_commands(&[("pom.xml", "<project/>"), (path, test)]);
    assert_eq!(maven, ["mvn test -Dtest='CartTest#adds'"]);
    let (_, gradle) = ids_and_commands(&[(path, test)]);
    assert_eq!(gradle, ["./gradlew test --tests com.shop.CartTest.adds"]);
    let inner = format!("apps/web/{path}");
    let (_, maven) = ids_and_commands(&[("pom.xml", "<project/>"), (&inner, test)]);
    let options = "-pl apps/web -am -Dsurefire.failIfNoSpecifiedTests=false";
    assert_eq!(maven, [format!("mvn test {options} -Dtest='CartTest#adds'")]);
    let (_, gradle) = ids_and_commands(&[(&inner, test)]);
    assert_eq!(gradle, ["./gradlew apps:web:test --tests com.shop.CartTest.adds"]);
}

#[test]
fn tests_of_an_inner_project_run_there() {
    let python = "def test_one():\n    pass\n";
    let go = "package p\n\nimport \"testing\"\n\nfunc TestA(t *testing.T) {}\n";
    let rust = "#[test]\nfn adds() {}\n";
    let (ids, commands) = ids_and_commands(&[
        ("pyproject.toml", ""),
        ("examples/shop/pyproject.toml", ""),
        ("examples/shop/tests/test_a.py", python),
        ("go.mod", "module example.com/m\n"),
        ("tools/go.mod", "module example.com/tools\n"),
        ("tools/gen/a_test.go", go),
        ("crates/cart/Cargo.toml", "[package]\nname = \"cart\"\nversion = \"0.1.0\"\n"),
        ("crates/cart/src/lib.rs", rust),
    ]);
    assert!(ids.contains(&"examples/shop/tests/test_a.py::test_one".to_owned()), "{ids:?}");
    let expected = [
        "cargo test --manifest-path crates/cart/Cargo.toml -- adds",
        "(cd examples/shop && python -m pytest tests/test_a.py::test_one)",
        "go test -C tools ./gen -run '^(TestA)$'",
    ];
    assert_eq!(commands, expected);
}

#[test]
fn javascript_is_run_by_the_runner_that_the_manifest_names() {
    let test = "import { it } from 'vitest'\nit(\"isn't empty\", () => {})\n";
    let (_, commands) = ids_and_commands(&[
        ("package.json", r#"{"name": "shop", "devDependencies": {"vitest": "3.0.0"}}"#),
        ("src/cart.test.ts", test),
    ]);
    assert_eq!(commands, [r"npx vitest run src/cart.test.ts -t 'isn'\''t empty'"]);
}

#[test]
fn javascript_is_run_by_the_runner_that_is_configured_for_the_file() {
    let test = "it('adds', () => {})\nit('takes', () => {})\n";
    let scripts = r#"{"name": "shop", "devDependencies": {"mocha": "10.0.0", "karma": "6.0.0"}, "scripts": {
        "test:mocha": "node bin/fix.js mocha test/unit/**/*.js --timeout 30000",
        "test:karma": "cross-env A=1 karma start karma.conf.cjs --single-run",
        "test:karma:server": "karma start karma.conf.cjs"}}"#;
    let karma = "module.exports = (config) => config.set({\n  files: ['test/help.js', {pattern: 'test/specs/**/*.spec.js'}],\n})\n";
    let (_, commands) = ids_and_commands(&[
        ("package.json", scripts),
        ("karma.conf.cjs", karma),
        ("test/specs/cart.spec.js", test),
        ("test/unit/cart.js", test),
        ("test/manual/cart.spec.js", test),
    ]);
    assert_eq!(commands, ["npm run test:karma", "npx mocha test/unit/cart.js"], "nothing runs the other");
}

#[test]
fn imports_and_inner_packages_choose_the_runner_of_a_script() {
    let one = |import: &str| format!("{import}\nit('adds', () => {{}})\n");
    let root = r#"{"name": "shop", "devDependencies": {"jest": "29.0.0"}, "jest": {"testMatch": ["<rootDir>/src/**/*.test.js"]}}"#;
    let vitest = "export default { test: { include: ['test/**/*.ts'], exclude: ['test/slow/**'] } }\n";
    let (_, commands) = ids_and_commands(&[
        ("package.json", root),
        ("src/a.test.js", &one("")),
        ("src/b.test.js", &one("import { it } from 'node:test'")),
        ("packages/ui/package.json", r#"{"name": "ui", "scripts": {"test": "vitest run"}}"#),
        ("packages/ui/vitest.config.ts", vitest),
        ("packages/ui/test/c.ts", &one("")),
        ("packages/api/package.json", r#"{"name": "api", "scripts": {"test": "node --test"}}"#),
        ("packages/api/d.test.js", &one("")),
        ("packages/web/package.json", r#"{"name": "web", "scripts": {"test": "vitest --project unit*"}}"#),
        (
            "packages/web/vitest.config.ts",
            "export default { test: { coverage: { include: ['src/**'] }, projects: [] } }\n",
        ),
        ("packages/web/checks/f.spec.ts", &one("")),
        ("packages/old/package.json", r#"{"name": "old"}"#),
        ("packages/old/.mocharc.yml", "spec:\n  - 'checks/*.js'\n"),
        ("packages/old/checks/e.js", &one("")),
    ]);
    let expected = [
        "(cd packages/api && node --test --test-name-pattern='adds' d.test.js)",
        "(cd packages/old && npx mocha checks/e.js -g 'adds')",
        "(cd packages/ui && npx vitest run test/c.ts -t 'adds')",
        "(cd packages/web && npx vitest run checks/f.spec.ts -t 'adds')",
        "npx jest src/a.test.js -t 'adds'",
        "node --test --test-name-pattern='adds' src/b.test.js",
    ];
    assert_eq!(commands, expected);
}

#[test]
fn whole_files_of_scripts_are_named_without_their_tests() {
    let tests =
        (0..=MAX_PER_COMMAND).map(|at| format!("it('adds {at}', () => {{}})\n")).collect::<Vec<_>>().concat();
    let (_, commands) = ids_and_commands(&[
        ("package.json", r#"{"name": "shop", "devDependencies": {"vitest": "3.0.0"}}"#),
        ("src/a.test.ts", "it('adds', () => {})\nit('takes', () => {})\n"),
        ("src/b.test.ts", &tests),
    ]);
    assert_eq!(commands, ["npx vitest run src/a.test.ts src/b.test.ts"]);
}

#[test]
fn benchmarks_are_not_run() {
    let test = "package p\n\nimport \"testing\"\n\nfunc TestA(t *testing.T) {}\n\nfunc BenchmarkA(b *testing.B) {}\n";
    let (ids, commands) = ids_and_commands(&[("go.mod", "module example.com/m\n"), ("a/a_test.go", test)]);
    assert_eq!((ids, commands), (vec!["TestA".to_owned()], vec!["go test ./a -run '^(TestA)$'".to_owned()]));
}

#[test]
fn every_runner_has_a_language() {
    assert!(RUNNERS.iter().all(|runner| !runner.languages.is_empty()));
}

#[test]
fn a_template_that_is_not_valid_is_refused() {
    for text in ["x {idz} {ids}", "x {ids", "x", "x '{ids}", "x \"{ids}\""] {
        assert!(CommandTemplate::try_from(text.to_owned()).is_err(), "{text}");
    }
    assert!(IdTemplate::try_from("{paths}".to_owned()).is_err());
}

#[test]
fn names_that_look_like_placeholders_or_options_stay_names() {
    let test = "from mod import handle\n\ndef test_a():\n    handle()\n\ndef test_b():\n    handle()\n";
    let (_, commands) = ids_and_commands(&[
        ("mod.py", "def handle():\n    return 1\n"),
        ("tests/{paths} $(touch pwn)/test_a.py", test),
        ("-x/test_b.py", test),
        ("tests/\u{1b}]52;c;eA==\u{7}/test_c.py", test),
    ]);
    let expected = r"python -m pytest ./-x/test_b.py $'tests/\033]52;c;eA==\007/test_c.py' 'tests/{paths} $(touch pwn)/test_a.py'";
    assert_eq!(commands, [expected]);
}

#[test]
fn a_test_that_a_shell_cannot_be_given_is_left_out_and_counted() {
    let TestWorkspace { root, workspace, .. } = &index_files(&[
        ("a&calc/test_a.py", "def test_a():\n    pass\n"),
        ("test_b.py", "def test_b():\n    pass\n"),
    ]);
    let snapshot = workspace.current_snapshot();
    let is_function = |id: &SymbolId| snapshot.symbol(*id).is_some_and(|s| s.kind.is_callable());
    let tests: Vec<SymbolId> = snapshot.symbols().into_iter().filter(is_function).collect();
    let mut commands = TestCommands::for_workspace(root, &workspace.current_project());
    commands.shell = ShellKind::Windows;
    let expected =
        RunCommands { commands: vec!["python -m pytest test_b.py::test_b".to_owned()], left_out: 1 };
    assert_eq!(commands.run_commands(&snapshot, &tests), expected);
}
