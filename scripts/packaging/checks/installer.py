"""Checks of install.sh in an empty environment, including each error that it explains."""

import os
import shutil
import subprocess

from packaging_fixture import is_executable, list_entries, require_tool, run, serve
from release import sha256

# The programs that the script needs, apart from one for downloads.
TOOLS = ["sh", "uname", "mktemp", "rm", "cp", "mv", "mkdir", "rmdir", "chmod", "dirname", "cat", "grep", "head", "tar", "gzip", "sha256sum"]
# The files below the prefix after an installation, without the manual pages of commands.
INSTALLED = [
    "bin/kenning",
    "share/bash-completion/completions/kenning",
    "share/doc/kenning/LICENSE-APACHE",
    "share/doc/kenning/LICENSE-MIT",
    "share/fish/vendor_completions.d/kenning.fish",
    "share/kenning/installed",
    "share/man/man1/kenning.1",
    "share/zsh/site-functions/_kenning",
]


class Machine:
    """An empty home and a search path with few programs."""

    def __init__(self, fixture, name, tools=TOOLS, **stubs):
        self.fixture = fixture
        self.home = fixture.make_folder(f"{name}/home")
        tools = [tool for tool in tools if tool not in stubs]
        if "getconf" not in stubs and shutil.which("getconf"):
            tools.append("getconf")
        self.environment = {"HOME": str(self.home), "PATH": fixture.make_search_path(f"{name}/bin", tools, **stubs), "TMPDIR": str(fixture.make_folder(f"{name}/tmp"))}
        self.prefix = self.home / ".local"

    def install(self, *arguments, status=0):
        """Runs the script, and checks that it leaves no temporary files."""
        output = run("sh", self.fixture.packages / "install.sh", *arguments, status=status, env=self.environment)
        assert os.listdir(self.environment["TMPDIR"]) == [], "temporary files are left"
        return output

    def expect_refusal(self, reason, *arguments):
        """Checks that the script fails with this reason in one line, and installs nothing."""
        output = self.install(*arguments, status=1)
        assert reason in output and output.startswith("install.sh: ") and output.count("\n") == 1, f"unexpected message: {output}"
        assert list_entries(self.home) == [], f"something was installed: {list_entries(self.home)}"


def copy_packages(fixture, name):
    """Returns a new folder with the archive of this platform and the checksums."""
    folder = fixture.make_folder(name)
    for file in (fixture.small_packages / fixture.archive.name, fixture.small_packages / "SHA256SUMS"):
        shutil.copy(file, folder)
    return folder


def check_install_upgrade_and_uninstall(fixture):
    machine = Machine(fixture, "empty")
    output = machine.install("--from", fixture.packages)
    assert f"Installed kenning {fixture.version}" in output and "export PATH=" in output, output
    files = [path for path in list_entries(machine.prefix) if (machine.prefix / path).is_file()]
    pages = [path for path in files if path.startswith("share/man/man1/kenning-")]
    assert "share/man/man1/kenning-pack.1" in pages, files
    assert [path for path in files if path not in pages] == INSTALLED, files
    program = machine.prefix / "bin/kenning"
    assert run(program, "--version", env=machine.environment) == f"kenning {fixture.version}\n"
    assert ".TH kenning" in (machine.prefix / "share/man/man1/kenning.1").read_text(encoding="utf-8")
    stamp = program.stat().st_ino
    machine.install("--from", f"file://{fixture.packages}", "--version", f"v{fixture.version}")
    assert program.stat().st_ino != stamp and is_executable(program), "the second installation replaces the program"
    machine.install("--uninstall")
    assert list_entries(machine.home) == [], f"left: {list_entries(machine.home)}"
    machine.expect_refusal("did not install Kenning", "--uninstall")


def check_the_pack_of_an_installed_program(fixture):
    machine, code = Machine(fixture, "pack"), fixture.make_folder("pack/code")
    (code / "cart.py").write_text("def total_price(items):\n    return sum(items)\n", encoding="utf-8")
    machine.install("--from", fixture.packages)
    program = machine.prefix / "bin/kenning"
    assert "total_price" in run(program, "pack", "--root", code, "total price of items", env=machine.environment)


def check_uninstall_keeps_files_of_others(fixture):
    machine, prefix = Machine(fixture, "shared"), fixture.make_folder("shared/a prefix")
    (prefix / "bin").mkdir()
    (prefix / "bin/other").write_text("mine")
    machine.install("--from", fixture.small_packages, "--prefix", prefix)
    machine.install("--uninstall", "--prefix", prefix)
    assert list_entries(prefix) == ["bin", "bin/other"], list_entries(prefix)


def check_a_program_of_others_is_not_replaced(fixture):
    machine, prefix = Machine(fixture, "foreign"), fixture.make_folder("foreign/prefix")
    (prefix / "bin").mkdir()
    (prefix / "bin/kenning").write_text("mine")
    machine.expect_refusal("this script did not install it", "--from", fixture.small_packages, "--prefix", prefix)
    assert (prefix / "bin/kenning").read_text() == "mine"


def check_a_changed_archive_is_refused(fixture):
    machine, folder = Machine(fixture, "changed"), copy_packages(fixture, "changed/packages")
    with open(folder / fixture.archive.name, "r+b") as file:
        file.seek(-1, os.SEEK_END)
        last = file.read(1)
        file.seek(-1, os.SEEK_END)
        file.write(bytes([last[0] ^ 1]))
    machine.expect_refusal("is damaged or was changed", "--from", folder)
    sums = (folder / "SHA256SUMS").read_text(encoding="utf-8").splitlines(keepends=True)
    (folder / "SHA256SUMS").write_text("".join(line for line in sums if fixture.archive.name not in line), encoding="utf-8")
    machine.expect_refusal("does not name", "--from", folder)


def check_a_program_that_does_not_start_is_refused(fixture):
    machine, folder = Machine(fixture, "broken"), fixture.make_folder("broken/packages")
    top = fixture.archive.name.removesuffix(".tar.gz")
    unpacked = fixture.make_folder(f"broken/{top}")
    (unpacked / "kenning").write_text("#!/bin/sh\necho 'Illegal instruction'\nexit 132\n", encoding="utf-8")
    (unpacked / "kenning").chmod(0o755)
    run("tar", "-czf", folder / fixture.archive.name, "-C", unpacked.parent, top)
    (folder / "SHA256SUMS").write_text(f"{sha256(folder / fixture.archive.name)}  {fixture.archive.name}\n", encoding="utf-8")
    machine.expect_refusal("does not start on this system; nothing was installed: Illegal instruction", "--from", folder)


def check_unsupported_systems_are_named(fixture):
    Machine(fixture, "solaris", uname="SunOS").expect_refusal("no packages for this platform (SunOS SunOS)", "--from", fixture.small_packages)
    Machine(fixture, "windows", uname="MINGW64_NT").expect_refusal("on Windows, use Scoop", "--from", fixture.small_packages)
    if "linux" not in fixture.host:
        return
    Machine(fixture, "old", getconf="glibc 2.31").expect_refusal("this system has glibc 2.31, and the packages need 2.35", "--from", fixture.small_packages)
    Machine(fixture, "oldest", getconf="glibc 1.99").expect_refusal("this system has glibc 1.99", "--from", fixture.small_packages)
    musl = Machine(fixture, "musl", ldd="musl libc (x86_64)")
    os.unlink(os.path.join(musl.environment["PATH"], "getconf"))
    musl.expect_refusal("this system uses musl", "--from", fixture.small_packages)
    Machine(fixture, "new", getconf="glibc 3.0").install("--from", fixture.small_packages)


def check_missing_tools_are_named(fixture):
    Machine(fixture, "offline").expect_refusal("neither curl nor wget is installed")
    without_sums = [tool for tool in TOOLS if tool != "sha256sum"]
    Machine(fixture, "no-sums", without_sums).expect_refusal("none of sha256sum, shasum and openssl", "--from", fixture.small_packages)


def check_wrong_arguments_are_explained(fixture):
    machine = Machine(fixture, "arguments")
    machine.expect_refusal("unknown argument '--nonsense'", "--nonsense")
    machine.expect_refusal("--prefix needs a value", "--prefix")
    machine.expect_refusal("is not a version", "--version", "latest")
    machine.expect_refusal("is not encrypted", "--from", "http://example.com")
    machine.expect_refusal("there is no SHA256SUMS in", "--from", machine.home)
    machine.expect_refusal("there is no kenning-9.9.9-", "--from", fixture.small_packages, "--version", "9.9.9")
    assert "--uninstall" in machine.install("--help")


def check_downloads_with_curl_and_with_wget(fixture):
    for tool in ("curl", "wget"):
        require_tool(tool)
    with serve(fixture.small_packages) as address:
        for tool in ("curl", "wget"):
            machine = Machine(fixture, tool, [*TOOLS, tool])
            machine.install("--from", address)
            assert (machine.prefix / "bin/kenning").is_file()
            machine = Machine(fixture, f"{tool}-missing", [*TOOLS, tool])
            output = machine.install("--from", f"{address}/nowhere", status=1)
            assert f"cannot download {address}/nowhere/SHA256SUMS" in output, output


def check_the_script_from_a_pipe(fixture):
    machine = Machine(fixture, "pipe")
    script = (fixture.packages / "install.sh").read_text(encoding="utf-8")
    options = {"text": True, "env": machine.environment, "stdout": subprocess.PIPE, "check": True}
    subprocess.run(["sh", "-s", "--", "--from", str(fixture.small_packages)], input=script, **options)
    assert (machine.prefix / "bin/kenning").is_file()
    machine = Machine(fixture, "cut")
    # A download that is cut off before the last line does nothing.
    subprocess.run(["sh", "-s", "--", "--from", str(fixture.small_packages)], input=script[: script.rindex("main ")], **{**options, "env": machine.environment})
    assert list_entries(machine.home) == []


def check_the_script_in_other_shells(fixture):
    for shell in ("dash", "bash", "busybox", "zsh", "ksh"):
        if shutil.which(shell):
            machine = Machine(fixture, f"shell-{shell}")
            command = [shutil.which(shell), "sh"] if shell == "busybox" else [shutil.which(shell)]
            run(*command, fixture.packages / "install.sh", "--from", fixture.small_packages, env=machine.environment)
            run(*command, fixture.packages / "install.sh", "--uninstall", env=machine.environment)
            assert list_entries(machine.home) == [], f"{shell}: {list_entries(machine.home)}"


def check_shellcheck(fixture):
    require_tool("shellcheck")
    run("shellcheck", "--severity=warning", fixture.packages / "install.sh")
