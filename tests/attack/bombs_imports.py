"""Imports coverage and trace files that are small but expensive to read.

Criterion: `runs import` ends properly within 20 seconds and 1,000 MB; a file beyond a limit is
refused with a message.
"""

import json
import shutil
import sqlite3

SECONDS = 20
MEGABYTES = 1_000
QUICK = ("endless_view", "many_tests_lcov", "nested_namespaces")
EXEC_HEADER = bytes((0x01, 0xC0, 0xC0, 0x10, 0x07))
SCHEMA = """
    CREATE TABLE context (id INTEGER PRIMARY KEY, context TEXT);
    CREATE TABLE file (id INTEGER PRIMARY KEY, path TEXT);
    CREATE TABLE line_bits (file_id INTEGER, context_id INTEGER, numbits BLOB);
    CREATE TABLE arc (file_id INTEGER, context_id INTEGER, fromno INTEGER, tono INTEGER);
    INSERT INTO context VALUES (1, 'test_a');
    INSERT INTO file VALUES (1, 'a.py');
"""
# The files by the name of the function that writes them, and whether Kenning has to refuse them.
FILES = {}


def accepted(function):
    """Adds a file that is large but sound."""
    FILES[function.__name__] = (function, False)
    return function


def refused(function):
    """Adds a file that no tool writes."""
    FILES[function.__name__] = (function, True)
    return function


def run(context):
    """Imports each file into a workspace with one function."""
    context.figure("imported files", 0)
    case = context.case("imports")
    case.write("a.py", "def alpha():\n    return 1\n")
    case.write("b.js", "export function beta() {\n  return 1\n}\n" + "\n" * 50_000)
    case.write("c.go", "package c\n\nfunc Gamma() int {\n\treturn 1\n}\n" + "\n" * 50_000)
    case.run("index")
    for name, (write, is_refused) in FILES.items():
        if context.is_quick and name not in QUICK:
            continue
        path = write(case.folder)
        outcome = import_file(case, path)
        # A sound file may name nothing that is in the workspace, which is an error as well.
        is_sound = outcome.is_orderly() and (outcome.status == 1 or not is_refused)
        context.expect(is_sound, f"{name} ({path.stat().st_size} bytes): {outcome.describe()}")
        context.count("imported files")
        path.unlink()
    shutil.rmtree(case.folder)


def import_file(case, path):
    """Imports a file into the workspace of the case."""
    return case.lab.run("runs", "import", "--root", case.workspace, path, timeout=SECONDS, memory=MEGABYTES)


def write_text(folder, name, text):
    """Writes a text file and returns its path."""
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


@accepted
def many_tests_lcov(folder):
    """A tracefile with 200,000 tests."""
    records = (f"TN:t{index}\nSF:a.py\nDA:2,1\nend_of_record\n" for index in range(200_000))
    return write_text(folder, "a.info", "".join(records))


@accepted
def one_long_test_lcov(folder):
    """A tracefile with 200,000 files of a test whose name has a megabyte."""
    return write_text(folder, "b.info", f"TN:{'t' * 1_000_000}\n" + "SF:a.py\nDA:2,1\nend_of_record\n" * 200_000)


@accepted
def many_sessions_exec(folder):
    """An exec file with 150,000 sessions."""
    path = folder / "a.exec"
    sessions = (exec_text(0x10, f"t{index}") + bytes(16) for index in range(150_000))
    path.write_bytes(EXEC_HEADER + b"".join(sessions))
    return path


@accepted
def many_classes_exec(folder):
    """An exec file with 300,000 classes."""
    path = folder / "b.exec"
    classes = (b"\x11" + bytes(8) + exec_text(None, f"p/C{index}") + b"\x08\x01" for index in range(300_000))
    path.write_bytes(EXEC_HEADER + b"".join(classes))
    return path


def exec_text(block, text):
    """Encodes a text of an exec file after the type of its block."""
    start = b"" if block is None else bytes((block,))
    return start + len(text).to_bytes(2, "big") + text.encode()


@accepted
def many_contexts_json(folder):
    """A JSON report of coverage.py with 400,000 contexts."""
    contexts = [f"t{index}" for index in range(400_000)]
    report = {"meta": {"show_contexts": True}, "files": {"a.py": {"executed_lines": [2], "contexts": {"2": contexts}}}}
    return write_text(folder, "coverage.json", json.dumps(report))


@accepted
def many_contexts_database(folder):
    """A data file of coverage.py with 150,000 contexts."""
    rows = "WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n LIMIT 150000)"
    return write_database(
        folder,
        f"{rows} INSERT INTO context SELECT i, 't' || i FROM n;"
        "INSERT INTO line_bits SELECT 1, id, x'04' FROM context;",
    )


@refused
def endless_view(folder):
    """A data file of coverage.py whose lines are a view without an end."""
    return write_database(
        folder,
        "DROP TABLE line_bits; CREATE VIEW line_bits (file_id, context_id, numbits) AS WITH RECURSIVE"
        " n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT 1, 1, x'02' FROM n;",
    )


@refused
def endless_context_view(folder):
    """The same for the contexts."""
    return write_database(
        folder,
        "DROP TABLE context; CREATE VIEW context (id, context) AS WITH RECURSIVE"
        " n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i, 'x' FROM n;",
    )


@refused
def random_view(folder):
    """A view that makes 900 MB of random bytes."""
    return write_database(
        folder,
        "DROP TABLE line_bits; CREATE VIEW line_bits (file_id, context_id, numbits) AS SELECT 1, 1, randomblob(900000000);",
    )


@refused
def generated_column(folder):
    """A column that makes 900 MB of zeros for each row."""
    return write_database(
        folder,
        "DROP TABLE line_bits; CREATE TABLE line_bits (file_id INTEGER, context_id INTEGER,"
        " numbits BLOB AS (zeroblob(900000000))); INSERT INTO line_bits VALUES (1, 1);",
    )


@refused
def large_bitmap(folder):
    """A bitmap of 20 MB."""
    return write_database(folder, "INSERT INTO line_bits VALUES (1, 1, zeroblob(20000000));")


def write_database(folder, statements):
    """Writes a data file of coverage.py."""
    path = folder / "data.coverage"
    connection = sqlite3.connect(path)
    connection.executescript(SCHEMA + statements)
    connection.close()
    return path


@refused
def nested_namespaces(folder):
    """An XML report with 20,000 nested namespaces."""
    return write_text(folder, "a.xml", "<report name='a'>" + "".join(f"<g xmlns:n{i}='u'>" for i in range(20_000)))


@refused
def many_attributes(folder):
    """An XML element with 200,000 attributes."""
    attributes = "".join(f" a{i}='1'" for i in range(200_000))
    return write_text(folder, "b.xml", f"<report name='a'{attributes}/>")


@refused
def large_entity(folder):
    """An XML entity of 10 kB that is named 100,000 times."""
    entity = f"<!DOCTYPE report [<!ENTITY a '{'x' * 10_000}'>]>"
    return write_text(folder, "c.xml", f"{entity}<report name='a'>{'&a;' * 100_000}</report>")


@refused
def overlapping_blocks_go(folder):
    """A profile with 200,000 blocks of a whole file."""
    return write_text(folder, "c.out", "mode: set\n" + "c.go:1.1,50000.1 1 1\n" * 200_000)


@refused
def overlapping_ranges_v8(folder):
    """A V8 report with 100,000 ranges of a whole file."""
    ranges = [{"startOffset": 0, "endOffset": 50_000, "count": 1}] * 100_000
    functions = [{"ranges": []}, {"ranges": ranges}]
    report = {"result": [{"scriptId": "1", "url": "b.js", "functions": functions}]}
    return write_text(folder, "v8.json", json.dumps(report))


@accepted
def many_spans_otlp(folder):
    """A trace of 50,000 calls from a span with 20,000 attributes."""
    root = {"spanId": "r", "attributes": [{"key": f"k{i}", "value": {"intValue": 1}} for i in range(20_000)]}
    root["attributes"].append({"key": "code.function.name", "value": {"stringValue": "alpha"}})
    name = [{"key": "code.function.name", "value": {"stringValue": "beta"}}]
    spans = [root, *({"spanId": f"s{i}", "parentSpanId": "r", "attributes": name} for i in range(50_000))]
    return write_text(folder, "trace.json", json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]}))


@accepted
def many_commands_simplecov(folder):
    """A result set with 200,000 commands."""
    commands = {f"t{index}": {"coverage": {"a.py": {"lines": [1, 1]}}, "timestamp": 1} for index in range(200_000)}
    return write_text(folder, "set.json", json.dumps(commands))


@accepted
def many_files_istanbul(folder):
    """A report with 200,000 files."""
    start = {"start": {"line": 2, "column": 0}, "end": {"line": 2, "column": 1}}
    file = {"statementMap": {"0": start}, "s": {"0": 1}, "fnMap": {}, "branchMap": {}}
    return write_text(folder, "istanbul.json", json.dumps({f"/w/a{index}/b.js": file for index in range(200_000)}))
