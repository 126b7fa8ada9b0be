"""Checks of the npm packages and the Python wheels: installed as users do, from local files."""

import base64
import hashlib
import http.server
import json
import os
import shutil
import signal
import subprocess
import sys
import tarfile
import threading
import urllib.parse
import zipfile

from packaging_fixture import list_entries, require_tool, run, serve
from npm_packages import platform_package, tarball_name
from release import METADATA, PLATFORMS
from wheels import wheel_name


class NpmRegistry(http.server.SimpleHTTPRequestHandler):
    """Serves the packages of a folder like an npm registry."""

    def do_GET(self):
        path = urllib.parse.unquote(self.path).lstrip("/")
        if path.endswith(".tgz"):
            return super().do_GET()
        for tarball in os.listdir(self.directory):
            if tarball.startswith("kenning-lsp-") and tarball.endswith(".tgz"):
                package = read_manifest(os.path.join(self.directory, tarball))
                if package["name"] == path:
                    return self.answer(self.describe(package, tarball))
        return self.send_error(404)

    def describe(self, package, tarball):
        with open(os.path.join(self.directory, tarball), "rb") as file:
            digest = base64.b64encode(hashlib.sha512(file.read()).digest()).decode()
        place = {"tarball": f"http://{self.headers['Host']}/{tarball}", "integrity": f"sha512-{digest}"}
        version = package["version"]
        return {"name": package["name"], "dist-tags": {"latest": version}, "versions": {version: {**package, "dist": place}}}

    def answer(self, document):
        content = json.dumps(document).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)


def read_manifest(tarball):
    """Returns the package.json of an npm package."""
    with tarfile.open(tarball) as tar:
        return json.load(tar.extractfile("package/package.json"))


def check_npm_install(fixture):
    require_tool("npm")
    folder = fixture.make_folder("npm")
    environment = {**os.environ, "npm_config_cache": str(folder / "cache"), "npm_config_audit": "false", "npm_config_fund": "false", "npm_config_update_notifier": "false"}
    prefix = folder / "prefix"
    with serve(fixture.packages, NpmRegistry) as address:
        npm = ["npm", "--registry", address, "--prefix", prefix, "--global"]
        run(*npm, "install", METADATA["npm"], env=environment)
        installed = run(*npm, "list", "--all", "--parseable", env=environment)
    # npm chose only the package of this platform.
    assert len([line for line in installed.splitlines() if METADATA["npm_scope"] in line]) == 1, installed
    program = prefix / "bin/kenning"
    assert run(program, "--version") == f"kenning {fixture.version}\n"
    assert "unexpected argument" in run(program, "--nonsense", status=2), "the exit status is passed on"
    end_with_launcher(program)
    shutil.rmtree(prefix / "lib/node_modules" / METADATA["npm"] / "node_modules", ignore_errors=True)
    assert "is not installed" in run(program, "--version", status=1), "a missing platform package is explained"
    run("npm", "--prefix", prefix, "--global", "uninstall", METADATA["npm"], env=environment)
    left = [path for path in list_entries(prefix) if (prefix / path).is_file()]
    assert left == [], left


def read_in_time(read, *arguments):
    """Returns the result of a blocking read. Fails after a minute."""
    found = []
    thread = threading.Thread(target=lambda: found.append(read(*arguments)), daemon=True)
    thread.start()
    thread.join(timeout=60)
    assert found, "no answer, and no end of the output, within a minute"
    return found[0]


def end_with_launcher(program):
    """Checks that the program ends with its launcher: its output ends although its input stays
    open."""
    body = b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{}}}'
    server = subprocess.Popen([program, "serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    try:
        server.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        server.stdin.flush()
        assert read_in_time(server.stdout.read, 1) == b"C", "the server answers"
        server.send_signal(signal.SIGTERM)
        read_in_time(server.stdout.read)
        assert server.wait(timeout=60) == 128 + signal.SIGTERM
    finally:
        server.kill()
        server.stdin.close()


def check_npm_packages_of_all_platforms(fixture):
    main = read_manifest(fixture.packages / tarball_name(fixture.version, METADATA["npm"]))
    expected = {platform_package(triple): fixture.version for triple in PLATFORMS}
    assert main["optionalDependencies"] == expected and "scripts" not in main
    for triple in PLATFORMS:
        tarball = fixture.packages / tarball_name(fixture.version, platform_package(triple))
        package = read_manifest(tarball)
        with tarfile.open(tarball) as tar:
            programs = [entry for entry in tar if entry.name.startswith("package/bin/")]
        assert "scripts" not in package and len(programs) == 1 and programs[0].mode == 0o755
        assert f"{package['os'][0]}-{package['cpu'][0]}" == PLATFORMS[triple]["node"]


def check_pip_install(fixture):
    folder = fixture.make_folder("pip")
    run(sys.executable, "-m", "venv", folder / "venv")
    bin_folder = folder / "venv/bin"
    before = list_entries(folder / "venv")
    pip = [bin_folder / "python", "-m", "pip", "--disable-pip-version-check"]
    run(*pip, "install", "--no-index", "--find-links", fixture.packages, METADATA["pypi"])
    version = f"kenning {fixture.version}\n"
    assert run(bin_folder / "kenning", "--version") == version
    assert run(bin_folder / METADATA["pypi"], "--version") == version, "for uvx and pipx run"
    assert run(bin_folder / "python", "-m", "kenning_lsp", "--version") == version
    assert (folder / "venv/share/man/man1/kenning.1").is_file()
    assert f"Version: {fixture.version}" in run(*pip, "show", METADATA["pypi"])
    run(*pip, "check")
    run(*pip, "uninstall", "--yes", METADATA["pypi"])
    left = [path for path in set(list_entries(folder / "venv")) - set(before) if (folder / "venv" / path).is_file() and "__pycache__" not in path]
    assert left == [], left
    run(*pip, "install", "--no-index", "--find-links", fixture.packages, "--target", folder / "target", METADATA["pypi"])
    assert run(sys.executable, "-m", "kenning_lsp", "--version", env={**os.environ, "PYTHONPATH": str(folder / "target")}) == version


def check_wheels_of_all_platforms(fixture):
    for triple in PLATFORMS:
        with zipfile.ZipFile(fixture.packages / wheel_name(fixture.version, triple)) as wheel:
            record = next(name for name in wheel.namelist() if name.endswith(".dist-info/RECORD"))
            recorded = [line.split(",") for line in wheel.read(record).decode().splitlines()]
            assert sorted(line[0] for line in recorded) == sorted(wheel.namelist())
            for name, digest, size in recorded:
                if name != record:
                    content = wheel.read(name)
                    expected = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
                    assert digest == f"sha256={expected}" and int(size) == len(content), name
            metadata = wheel.read(record.replace("RECORD", "METADATA")).decode()
            assert f"mcp-name: {METADATA['mcp']} " in metadata, "the MCP registry checks this line"
