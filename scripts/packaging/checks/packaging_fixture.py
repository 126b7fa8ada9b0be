"""The packages of a test run, and helpers of its checks."""

import functools
import http.server
import os
import pathlib
import shutil
import subprocess
import sys
import threading
from contextlib import contextmanager

from archive_files import read_archive
from release import PLATFORMS, ROOT, archive_name

# The script that replaces the program in the packages of other platforms.
STAND_IN = """#!/bin/sh
case $1 in
    --version) echo kenning {version} ;;
    man) for page in kenning kenning-pack; do echo .TH "$page" 1 >"$3/$page.1"; done ;;
    completions) echo "# completions for $2" ;;
esac
"""

# The timeout of a command, in seconds.
COMMAND_SECONDS = 300

# Held during an installation, because apt-get allows only one at a time.
INSTALL_LOCK = threading.Lock()


class Skipped(Exception):
    """Raised by a check that cannot run on this machine."""


def run(*command, status=0, **options):
    """Runs a command and returns its output. Fails if it ends with another exit status."""
    finished = subprocess.run(
        [str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=COMMAND_SECONDS, **options
    )
    assert finished.returncode == status, f"{' '.join(map(str, command))} ended with status {finished.returncode}, not {status}:\n{finished.stdout}"
    return finished.stdout


def install_tool(name, package):
    """Installs a Debian package unless the command exists. The caller checks the outcome."""
    if shutil.which(name) is None:
        install = f". '{ROOT}/scripts/common.sh'; apt_install {name} {package}"
        subprocess.run(["bash", "-c", install], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def require_tool(name, package=None):
    """Installs a Debian package unless the command exists. Skips the check if that fails."""
    with INSTALL_LOCK:
        install_tool(name, package or name)
    if shutil.which(name) is None:
        raise Skipped(f"'{name}' is missing and cannot be installed here")


@contextmanager
def serve(folder, handler=http.server.SimpleHTTPRequestHandler):
    """Serves a folder over HTTP on this machine, and yields the address."""

    class Quiet(handler):
        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()


class PackagingFixture:
    """All packages of a release, made from one program, and a folder for the checks."""

    def __init__(self, folder, program):
        self.folder = folder
        self.version = run(sys.executable, ROOT / "scripts/version").strip()
        host = run("rustc", "-vV").split("host: ")[1].split()[0]
        assert host in PLATFORMS, f"there are no packages for {host}"
        self.host = host
        folder.mkdir(parents=True)
        self.program = folder / "kenning"
        shutil.copy(program, self.program)
        run("strip", self.program)
        self.packages = folder / "packages"
        self.build_packages()
        self.archive = self.packages / archive_name(self.version, host)
        # The packages of a small program, for checks that copy and unpack the archive many times.
        self.small_packages = folder / "light"
        self.package_platform(host, self.stand_in, self.small_packages)
        self.archive_files = functools.cache(self.list_archive)

    def build_packages(self):
        """Packages the program for this platform and the stand-in for the others, and merges
        them."""
        self.stand_in = self.folder / "stand-in"
        self.stand_in.write_text(STAND_IN.format(version=self.version), encoding="utf-8")
        self.stand_in.chmod(0o755)
        folders = [self.folder / triple for triple in PLATFORMS]
        for triple, folder in zip(PLATFORMS, folders):
            self.package_platform(triple, self.program if triple == self.host else self.stand_in, folder)
        (self.folder / f"kenning-{self.version}.cdx.json").write_text("{}", encoding="utf-8")
        self.merge_packages(folders, self.packages)

    def package_platform(self, triple, program, out):
        """Writes the packages of a platform with this program."""
        run(ROOT / "scripts/package", "--target", triple, "--binary", program, "--no-extension", "--fast", "--out", out)

    def list_archive(self, name):
        """Returns the names of the files in an archive."""
        return sorted(read_archive(self.packages / name))

    def merge_packages(self, folders, out):
        """Merges the packages of platforms, with a stand-in for the SBOM (CycloneDX)."""
        run(ROOT / "scripts/package", "--merge", *folders, "--add", self.folder / f"kenning-{self.version}.cdx.json", "--out", out)

    def make_folder(self, name):
        """Creates an empty folder and returns its path."""
        folder = self.folder / name
        folder.mkdir(parents=True)
        return folder

    def make_search_path(self, name, programs, **stubs):
        """Creates a folder with links to programs and with scripts that print a text. Returns its
        path."""
        folder = self.make_folder(name)
        for program in programs:
            (folder / program).symlink_to(shutil.which(program))
        for stub, text in stubs.items():
            (folder / stub).write_text(f"#!/bin/sh\necho '{text}'\n", encoding="utf-8")
            (folder / stub).chmod(0o755)
        return str(folder)


def list_entries(folder):
    """Returns the relative paths of everything in a folder, sorted."""
    return sorted(str(path.relative_to(folder)) for path in pathlib.Path(folder).rglob("*"))


def is_executable(path):
    return os.access(path, os.X_OK)
