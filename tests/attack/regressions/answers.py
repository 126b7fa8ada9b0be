"""Checks that answers are correct and reveal no secret: F7, F11, F12, F13."""

import os

from ..fake_servers import FakeServers
from ..workspaces import commit_all, write_python_ring
from .outcome import require
from .secrets import COMMIT_FORMS, FORMS

# Minimum share of planted credentials that must be masked.
MIN_RECALL = 0.95


def credentials_are_neither_printed_nor_stored(context):
    """Credentials in sources and commit messages are neither printed nor stored."""
    case = context.case("secrets")
    for name, form in FORMS.items():
        case.write(f"plant_{name}.py", f"def zebra_{name}(client):\n{form.source()}\n    return client\n")
    case.commit("Start")
    for name, form in COMMIT_FORMS.items():
        case.write(f"commit_{name}.py", f"def giraffe_{name}(client):\n    return client\n")
        case.commit(f"Rotate giraffe {name} {form.source()}")
    case.run("index")
    printed = case.run("why", "--symbol", "giraffe_token", "rotate giraffe token").out
    for name in FORMS:
        printed += case.run("pack", f"zebra_{name}", "--no-learning", "--budget", "20000").out
    stored = b"".join(path.read_bytes().lower() for path in case.lab.cache.rglob("*") if path.is_file())
    forms = FORMS | COMMIT_FORMS
    leaked = [name for name, form in forms.items() if form.secret in printed or form.secret.lower().encode() in stored]
    recall = 1 - len(leaked) / len(forms)
    context.figure("credentials masked", f"{len(forms) - len(leaked)} of {len(forms)}")
    require(recall >= MIN_RECALL, f"{len(leaked)} of {len(forms)} are not masked: {', '.join(leaked)}")


def unsaved_packages_resolve_as_saved_ones(context):
    """An open package that was never saved resolves like a saved one."""
    case = context.case("unsaved")
    case.write("x.py", "def z():\n    pass\n")
    texts = {
        "ex/flaskr/__init__.py": "def create_app():\n    return 1\n",
        "ex/tests/test_f.py": "from flaskr import create_app\n\n\ndef test_hello():\n    create_app()\n",
    }
    session = case.lab.serve(case.workspace)
    session.wait_until_ready()
    for path, text in texts.items():
        session.open(path, text)
    unsaved = session.wait_until_ready().get("source_root")
    session.close()
    for path, text in texts.items():
        case.write(path, text)
    saved = case.lab.fresh_source_root(case.workspace)
    require(unsaved == saved, f"source_root {unsaved} unsaved, {saved} saved")


def only_the_owner_can_read_the_index(context):
    """Folders of the cache have mode 0700 and files 0600, including older ones with wider
    permissions."""
    case = context.case("modes")
    case.write("a.py", "def alpha():\n    return 1\n")
    before = os.umask(0o022)
    try:
        case.run("index")
        require_private(case, "after the first index")
        for path in case.lab.cache.rglob("*"):
            path.chmod(0o755 if path.is_dir() else 0o644)
        case.run("index")
        require_private(case, "after they were widened and `index` ran")
    finally:
        os.umask(before)


def require_private(case, when):
    readable = [
        f"{path.name} {path.stat().st_mode & 0o777:o}"
        for path in sorted(case.lab.cache.rglob("*"))
        if path.stat().st_mode & 0o077
    ]
    require(not readable, f"{when} others may read {', '.join(readable)}")


def answers_outside_the_workspace_are_dropped(context):
    """A server's answers about missing files neither add symbols nor hide edges of the text."""
    for mode in ("foreign", "outside"):
        servers = FakeServers(context.folder / f"{mode}/tools")
        servers.set_mode(mode)
        case = context.case(mode, servers.search_path)
        write_python_ring(case.workspace, 20)
        commit_all(case.workspace)
        case.run("index")
        before = case.lab.status(case.workspace)
        enriched = case.run("enrich", timeout=60)
        require(enriched.is_orderly(), f"{mode}, enrich: {enriched.describe()}")
        after = case.lab.status(case.workspace)
        counts = {name: (before.get(name), after.get(name)) for name in ("phantoms", "edges", "symbols")}
        confirmed = after.get("edges_by_provenance", {}).get("lsp_resolved", 0)
        require(not confirmed, f"{mode}: {confirmed} edges come from the lies, before and after: {counts}")
        require(before.get("phantoms") == after.get("phantoms"), f"{mode}: before and after {counts}")
