"""Checks of the files that point to the archives: each entry must have the name and the checksum of
a package."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

from archive_files import read_archive
from packaging_fixture import Skipped, list_entries, require_tool, run
from release import METADATA, PLATFORMS, ROOT, archive_folder, archive_name, program_name, sha256

# Validates the entry in the MCP registry against the schema that the entry names, without a
# network.
LINTER = "skillsaw==0.22.0"


def checksums(fixture):
    """Returns the checksums of SHA256SUMS by file name."""
    lines = (fixture.packages / "SHA256SUMS").read_text(encoding="utf-8").splitlines()
    return dict(reversed(line.split("  ")) for line in lines)


def registry_file(fixture, place):
    """Returns the path of a file for a registry."""
    return fixture.packages / "registries" / place


def archive_checksums(fixture):
    """Returns the checksums of the archives by file name."""
    return {archive_name(fixture.version, triple): sha256(fixture.packages / archive_name(fixture.version, triple)) for triple in PLATFORMS}


def check_checksums_name_every_package(fixture):
    files = {path.name: sha256(path) for path in fixture.packages.iterdir() if path.is_file() and path.name != "SHA256SUMS"}
    assert checksums(fixture) == files
    assert {"install.sh", "kenning-flake.tar.gz", f"kenning-{fixture.version}.cdx.json", *archive_checksums(fixture)} <= set(files)


def check_archives(fixture):
    for triple in PLATFORMS:
        files, top = fixture.archive_files(archive_name(fixture.version, triple)), archive_folder(fixture.version, triple)
        # Other platforms have the pages of the stand-in for their program.
        pages = [name.removeprefix(f"{top}/") for name in files if name.startswith(f"{top}/man/")]
        assert {"man/kenning.1", "man/kenning-pack.1"} <= set(pages), pages
        names = [program_name(triple), *pages, "completions/_kenning", "completions/kenning.bash", "completions/kenning.fish"]
        names += ["LICENSE", "LICENSE-APACHE", "LICENSE-MIT", "README.md", "CHANGELOG.md"]
        assert files == sorted(f"{top}/{name}" for name in names), files


def check_equal_input_gives_equal_packages(fixture):
    again = fixture.folder / "again"
    fixture.merge_packages([fixture.folder / triple for triple in PLATFORMS], again)
    assert list_entries(again) == list_entries(fixture.packages)
    assert (again / "SHA256SUMS").read_bytes() == (fixture.packages / "SHA256SUMS").read_bytes()


def check_a_damaged_package_is_not_merged(fixture):
    folder = fixture.make_folder("damaged")
    for path in (fixture.folder / "aarch64-apple-darwin").iterdir():
        shutil.copy(path, folder)
    (folder / "install.sh").write_text("changed", encoding="utf-8")
    output = run(ROOT / "scripts/package", "--merge", folder, "--out", fixture.folder / "merged", status=1)
    assert "install.sh does not have the checksum" in output, output


def check_homebrew_formula(fixture):
    require_tool("ruby")
    formula = registry_file(fixture, "homebrew/kenning.rb")
    run("ruby", "-wc", formula)
    found = run("ruby", pathlib.Path(__file__).with_name("formula.rb"), formula).splitlines()
    place = f"{METADATA['repository']}/releases/download/v{fixture.version}"
    expected = [
        f"{PLATFORMS[triple]['node'].replace('-', ' ')} {place}/{archive_name(fixture.version, triple)} {sha256(fixture.packages / archive_name(fixture.version, triple))}"
        for triple in PLATFORMS
        if "windows" not in triple
    ]
    assert sorted(found) == sorted(expected), found


def check_scoop_manifest(fixture):
    manifest = json.loads(registry_file(fixture, "scoop/kenning.json").read_text(encoding="utf-8"))
    windows = manifest["architecture"]["64bit"]
    name = windows["url"].rsplit("/", 1)[1]
    assert windows["hash"] == archive_checksums(fixture)[name] and manifest["version"] == fixture.version
    assert f"{windows['extract_dir']}/{manifest['bin']}" in fixture.archive_files(name)
    updated = manifest["autoupdate"]["architecture"]["64bit"]
    assert updated["url"].replace("$version", fixture.version) == windows["url"]


def check_arch_package(fixture):
    if "linux" not in fixture.host:
        raise Skipped("the package is for Linux")
    recipe, folder = registry_file(fixture, "aur/PKGBUILD"), fixture.make_folder("aur")
    run("bash", "-n", recipe)
    run("tar", "-xzf", fixture.archive, "-C", folder)
    processor = fixture.host.split("-")[0]
    script = f'set -eu; . "{recipe}"; CARCH={processor}; srcdir="{folder}"; pkgdir="{folder}/pkg"; package >&2; echo "${{source_{processor}[0]}} ${{sha256sums_{processor}[0]}}"'
    url, checksum = run("bash", "-c", script).split()
    assert url.endswith(fixture.archive.name) and checksum == sha256(fixture.archive)
    assert run(folder / "pkg/usr/bin/kenning", "--version") == f"kenning {fixture.version}\n"
    summary = registry_file(fixture, "aur/.SRCINFO").read_text(encoding="utf-8")
    for triple in ("x86_64-unknown-linux-gnu", "aarch64-unknown-linux-gnu"):
        processor, name = triple.split("-")[0], archive_name(fixture.version, triple)
        assert f"\tsha256sums_{processor} = {archive_checksums(fixture)[name]}\n" in summary
        assert re.search(rf"\tsource_{processor} = \S*/v{fixture.version}/{name}\n", summary)


def check_nix_flake(fixture):
    files = read_archive(fixture.packages / "kenning-flake.tar.gz")
    package = files["kenning-flake/package.nix"].decode()
    for triple in PLATFORMS:
        if "windows" not in triple:
            pair = f'triple = "{triple}"; sha256 = "{archive_checksums(fixture)[archive_name(fixture.version, triple)]}";'
            assert pair in package, f"{triple} is missing in package.nix"
    if shutil.which("nix-instantiate"):
        for name in ("flake.nix", "package.nix"):
            run("nix-instantiate", "--parse", registry_file(fixture, f"nix/{name}"))


def check_mason_entry(fixture):
    text = registry_file(fixture, "mason/package.yaml").read_text(encoding="utf-8")
    assert f"id: pkg:github/kenning-lsp/kenning@v{fixture.version}\n" in text
    named = re.sub(r'\{\{ version \| strip_prefix "v" \}\}', fixture.version, text)
    files = re.findall(r"^ +file: (.+)$", named, re.MULTILINE)
    assert sorted(files) == sorted(archive_checksums(fixture)), files
    for file, program in zip(files, re.findall(r"^ +bin: (.+)$", named, re.MULTILINE)):
        assert program in fixture.archive_files(file), program


def check_cargo_binstall_metadata(fixture):
    """Checks that the templates of server/Cargo.toml lead to the archives."""
    import tomllib

    with open(ROOT / "server/Cargo.toml", "rb") as file:
        metadata = tomllib.load(file)["package"]["metadata"]["binstall"]
    for triple in PLATFORMS:
        chosen = {**metadata, **metadata.get("overrides", {}).get(triple, {})}
        suffix = {"tgz": ".tar.gz", "zip": ".zip"}[chosen["pkg-fmt"]]
        extension = ".exe" if "windows" in triple else ""
        values = {"repo": METADATA["repository"], "version": fixture.version, "target": triple, "archive-suffix": suffix, "bin": "kenning", "binary-ext": extension}
        fill = lambda template: re.sub(r"\{ ([a-z-]+) \}", lambda match: values[match[1]], template)  # noqa: E731
        name = archive_name(fixture.version, triple)
        assert fill(chosen["pkg-url"]) == f"{METADATA['repository']}/releases/download/v{fixture.version}/{name}"
        assert fill(chosen["bin-dir"]) in fixture.archive_files(name)


def check_dockerfile(fixture):
    text = registry_file(fixture, "docker/Dockerfile").read_text(encoding="utf-8")
    for triple in ("x86_64-unknown-linux-gnu", "aarch64-unknown-linux-gnu"):
        assert f"name=kenning-{fixture.version}-{triple} ;;" in text
    assert "\nUSER 1000:1000\n" in text and '\nENTRYPOINT ["kenning"]\n' in text


def check_mcp_registry_entry(fixture):
    folder = fixture.make_folder("mcp")
    shutil.copy(registry_file(fixture, "mcp/server.json"), folder)
    entry = json.loads((folder / "server.json").read_text(encoding="utf-8"))
    assert entry["version"] == fixture.version and {package["version"] for package in entry["packages"]} == {fixture.version}
    venv = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")).resolve() / "python/packages"
    if not (venv / LINTER).is_file():
        shutil.rmtree(venv, ignore_errors=True)
        run(sys.executable, "-m", "venv", venv)
        try:
            run(venv / "bin/pip", "install", "--quiet", "--disable-pip-version-check", LINTER)
        except (AssertionError, subprocess.TimeoutExpired) as problem:
            raise Skipped(f"{LINTER} cannot be installed: {str(problem).splitlines()[-1]}") from problem
        (venv / LINTER).touch()
    linter = [venv / "bin/skillsaw", "lint", "--strict"]
    run(*linter, folder)
    # A wrong value shows that the linter reads the schema.
    entry["packages"][0]["transport"] = {"type": "pigeon"}
    (folder / "server.json").write_text(json.dumps(entry), encoding="utf-8")
    assert subprocess.run([*linter, folder], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode != 0
