"""Opens untrusted workspaces that try to run their own code. Each contains programs that write a
marker.

Criterion: no marker exists after commands and `enrich`, or after a session. Cases about a language
server need the real server on the search path.
"""

import json
import shutil
import time

from . import processes, trust_cases, trust_rust
from .context import user_search_path

# Timeouts for servers, in seconds.
ENRICH_SECONDS = 40
SESSION_SECONDS = 12


def run(context):
    """Opens each workspace twice: with commands and in a session."""
    cases = trust_rust.CASES | trust_cases.CASES
    for plant, program in cases.items():
        if program is not None and (context.is_quick or not is_available(context, program)):
            reason = "not with --quick" if context.is_quick else f"no working {program} is on the search path"
            context.skip(plant.__name__, reason)
            continue
        for kind, open_workspace in {"commands": run_commands, "session": run_session}.items():
            case = context.case(f"{plant.__name__}-{kind}")
            case.lab.pass_toolchains()
            plant(case)
            servers = open_workspace(case)
            context.count("runs")
            ran = case.marker.read_text(encoding="utf-8", errors="replace")[:200] if case.has_run() else ""
            if not context.expect(
                not case.has_run(), f"{plant.__name__}, {kind}: code of the workspace ran: {ran} ({servers})"
            ):
                context.count("ran code")
    context.figures.setdefault("ran code", 0)


def is_available(context, program):
    """Whether a program can be used. Language servers without --version only have to exist."""
    if program in ("rust-analyzer", "rustup"):
        lab = context.lab(f"probe-{program}")
        lab.pass_toolchains()
        return processes.program_works(program, user_search_path(), lab.env)
    return shutil.which(program) is not None


def run_commands(case):
    """Runs commands, including `enrich`. Returns the report about the servers."""
    case.run("index", "--blame")
    case.run("pack", "helper")
    case.run("changes")
    return case.run("enrich", timeout=ENRICH_SECONDS).out[-200:]


def run_session(case):
    """Opens the workspace as an editor does and starts enrichment. Returns the states of the
    servers."""
    session = case.lab.serve(case.workspace)
    session.wait_until_ready(10)
    _, enriched = session.send_command("enrich", wait=True)
    session.send_command("changeContext")
    deadline = time.monotonic() + SESSION_SECONDS
    while time.monotonic() < deadline and enriched.empty() and not case.has_run():
        time.sleep(0.1)
    servers = session.status().get("enrichment", [])
    # A server that has just started needs a moment to run what it finds.
    time.sleep(1)
    session.kill()
    return json.dumps([(server.get("name"), server.get("state")) for server in servers])
