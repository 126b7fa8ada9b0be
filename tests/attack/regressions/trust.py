"""Checks that nothing of an untrusted workspace runs, and that no server outlives Kenning: F1,
F2, F3, F14."""

import pathlib
import shutil
import socket
import threading
import time

from .. import processes
from ..context import user_search_path
from ..fake_servers import FakeServers, kill_remaining
from ..trust_rust import write_rust_package
from ..workspaces import write_marker_script
from .outcome import Unavailable, require

# Seconds to watch an opened workspace, normally and with --quick. The first program once ran after
# 0.3.
WATCHED_SECONDS = (10.0, 3.0)


def watch_opened(context, case):
    """Opens the workspace as an editor does and waits for the marker. Returns the states of the
    servers."""
    session = case.lab.serve(case.workspace)
    deadline = time.monotonic() + context.choose(*WATCHED_SECONDS)
    while time.monotonic() < deadline and not case.has_run():
        time.sleep(0.1)
    # Other programs start a moment after the first one.
    time.sleep(0.5)
    servers = [(server.get("name"), server.get("state")) for server in session.status().get("enrichment", [])]
    session.kill()
    return servers


def cargo_configuration_runs_no_program(context):
    """Opening a folder runs no program that its .cargo/config.toml names."""
    keys = ("rustc-wrapper", "rustc-workspace-wrapper", "rustc")
    for key in context.choose(keys, keys[:1]):
        case = context.case(f"cargo-{key}")
        case.lab.pass_toolchains()
        if not processes.program_works("rust-analyzer", user_search_path(), case.lab.env):
            raise Unavailable("no working rust-analyzer is on the search path")
        write_rust_package(case.workspace)
        case.write(".cargo/config.toml", f'[build]\n{key} = "./wrapper.sh"\n')
        case.plant("wrapper.sh", 'exec "$@"')
        servers = watch_opened(context, case)
        require(not case.has_run(), f"build.{key} ran; servers {servers}")


def rust_toolchain_file_runs_and_downloads_nothing(context):
    """Opening a folder neither runs nor downloads the toolchain that its rust-toolchain.toml
    names."""
    if shutil.which("rustup") is None or shutil.which("rust-analyzer") is None:
        raise Unavailable("rustup's shim of rust-analyzer is not on the search path")
    case = context.case("toolchain-path")
    case.lab.pass_toolchains()
    write_rust_package(case.workspace)
    (case.workspace / "toolchain/lib").mkdir(parents=True)
    for program in ("rust-analyzer", "rustc", "cargo"):
        case.plant(f"toolchain/bin/{program}")
    case.write("rust-toolchain.toml", f'[toolchain]\npath = "{case.workspace}/toolchain"\n')
    servers = watch_opened(context, case)
    require(not case.has_run(), f"the toolchain's program ran; servers {servers}")

    case = context.case("toolchain-channel")
    create_private_rustup(case)
    with ContactListener() as listener:
        case.lab.env |= {"RUSTUP_DIST_SERVER": listener.url, "RUSTUP_UPDATE_ROOT": listener.url}
        write_rust_package(case.workspace)
        case.write("rust-toolchain.toml", '[toolchain]\nchannel = "1.70.0"\nprofile = "minimal"\n')
        watch_opened(context, case)
    installed = list((case.folder / "rustup/toolchains").glob("1.70.0*"))
    require(not listener.was_contacted and not installed, f"rustup began a download: {installed or listener.url}")


def create_private_rustup(case):
    """Gives the lab its own rustup home with links to the installed toolchains, so that the
    user's home does not change."""
    case.lab.pass_toolchains()
    real = case.lab.env.get("RUSTUP_HOME")
    if real is None:
        raise Unavailable("rustup has no home")
    private = case.folder / "rustup"
    (private / "toolchains").mkdir(parents=True)
    for toolchain in pathlib.Path(real, "toolchains").iterdir():
        (private / "toolchains" / toolchain.name).symlink_to(toolchain)
    shutil.copy(f"{real}/settings.toml", private / "settings.toml")
    case.lab.env["RUSTUP_HOME"] = str(private)


class ContactListener:
    """A server on the loopback interface that records whether anyone connected."""

    def __enter__(self):
        self.was_contacted = False
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.socket.getsockname()[1]}"
        self.thread = threading.Thread(target=self.accept, daemon=True)
        self.thread.start()
        return self

    def accept(self):
        try:
            while True:
                connection, _ = self.socket.accept()
                self.was_contacted = True
                connection.close()
        except OSError:
            # The socket was closed: the check is over.
            return

    def __exit__(self, *_):
        self.socket.close()


def servers_without_an_untrusted_mode_are_not_started(context):
    """Servers that run code of the workspace are not started in an untrusted one."""
    started = []
    # Test one server per language at a time, because Kenning uses only one.
    for servers in (("ruby-lsp", "csharp-ls"), ("solargraph", "OmniSharp")):
        tools = context.folder / f"stub-{servers[0]}/tools"
        case = context.case(f"stub-{servers[0]}", search_path=f"{tools}:/usr/bin:/bin")
        for server in servers:
            write_marker_script(tools / server, case.marker, "sleep 2")
        case.write("a.rb", "def helper; 1; end\ndef caller; helper; end\n")
        case.write("a.cs", "class A { int Helper() { return 1; } int Caller() { return Helper(); } }\n")
        watch_opened(context, case)
        if case.has_run():
            ran = case.marker.read_text(encoding="utf-8")
            started += [server for server in servers if f"/{server}" in ran]
    require(not started, f"started: {', '.join(started)}")


def children_that_leave_the_session_end_as_well(context):
    """Processes that a server started end with Kenning, even a child with its own session."""
    servers = FakeServers(context.folder / "setsid/tools")
    servers.set_mode("fork")
    case = context.case("setsid", servers.search_path)
    case.write_ring(20)
    session = case.lab.serve(case.workspace)
    session.send_command("enrich")
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline and not any(process.has_own_session for process in servers.find_remaining()):
        time.sleep(0.1)
    was_started = any(process.has_own_session for process in servers.find_remaining())
    session.kill()
    remaining = servers.wait_for_end()
    kill_remaining(remaining)
    require(was_started, "the fake server did not start within 20 s, so the check is inconclusive")
    require(not remaining, f"still running after kill -9: {[process.describe() for process in remaining]}")
