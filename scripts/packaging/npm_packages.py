"""Builds the npm packages. The package of a platform holds the program, and npm installs it only
there. The main package starts that program. An installation runs no script and downloads nothing
else."""

import json

from archive_files import write_tarball
from release import METADATA, PLATFORMS, archive_folder, program_name, read_licenses, render

LAUNCHER = "bin/kenning.js"


def platform_package(triple):
    """Returns the name of the npm package of a platform, such as @kenning-lsp/linux-x64."""
    return f"{METADATA['npm_scope']}/{PLATFORMS[triple]['node']}"


def tarball_name(version, package):
    """Returns the name that `npm pack` gives to a package."""
    return f"{package.removeprefix('@').replace('/', '-')}-{version}.tgz"


def make_manifest(name, version, **fields):
    """Returns a package.json with the fields that all packages have."""
    return {
        "name": name,
        "version": version,
        "description": METADATA["summary"],
        "license": METADATA["license"],
        "homepage": METADATA["repository"],
        "repository": {"type": "git", "url": f"git+{METADATA['repository']}.git"},
        **fields,
    }


def write_package(folder, package, files):
    """Writes a package with its manifest, its files and the licenses."""
    contents = {**files, **read_licenses(), "package.json": json.dumps(package, indent=2).encode() + b"\n"}
    executable = {LAUNCHER, "bin/kenning", "bin/kenning.exe"}
    entries = [(f"package/{name}", content, 0o755 if name in executable else 0o644) for name, content in contents.items()]
    write_tarball(folder / tarball_name(package["version"], package["name"]), entries)


def write_platform_package(folder, version, triple, archive):
    """Writes the package of one platform from the files of its archive."""
    name, top = program_name(triple), archive_folder(version, triple)
    system, processor = PLATFORMS[triple]["node"].split("-")
    # Only Linux has two C libraries, and the program needs this one.
    library = {"libc": ["glibc"]} if system == "linux" else {}
    package = make_manifest(platform_package(triple), version, os=[system], cpu=[processor], **library, preferUnplugged=True)
    files = {f"bin/{name}": archive[f"{top}/{name}"], "README.md": render("npm-platform.md", version).encode()}
    write_package(folder, package, files)


def write_main_package(folder, version):
    """Writes the package that users install, with the packages of all platforms as optional
    dependencies."""
    package = make_manifest(
        METADATA["npm"],
        version,
        mcpName=METADATA["mcp"],
        keywords=["mcp", "language-server", "code-search", "context", "agents"],
        bin={"kenning": LAUNCHER},
        engines={"node": ">=18"},
        optionalDependencies={platform_package(triple): version for triple in PLATFORMS},
    )
    files = {LAUNCHER: render("kenning.js", version).encode(), "README.md": render("readme.md", version).encode()}
    write_package(folder, package, files)
