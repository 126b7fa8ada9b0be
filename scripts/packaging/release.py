"""The parts that all packages of a release share: its metadata (packages.json), the names of its
files, and the templates."""

import hashlib
import json
import pathlib
import re

FOLDER = pathlib.Path(__file__).resolve().parent
ROOT = FOLDER.parents[1]
TEMPLATES = FOLDER / "templates"
LICENSE_FILES = ["LICENSE", "LICENSE-APACHE", "LICENSE-MIT"]
PLACEHOLDER = re.compile(r"@([A-Z_]+)(?::([a-z0-9_-]+))?@")
METADATA = json.loads((FOLDER / "packages.json").read_text(encoding="utf-8"))
PLATFORMS = {platform["triple"]: platform for platform in METADATA["platforms"]}


def is_windows(triple):
    return "windows" in triple


def program_name(triple):
    return "kenning.exe" if is_windows(triple) else "kenning"


def archive_folder(version, triple):
    """Returns the name of the only folder in an archive."""
    return f"kenning-{version}-{triple}"


def archive_name(version, triple):
    return archive_folder(version, triple) + (".zip" if is_windows(triple) else ".tar.gz")


def sha256(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def read_licenses():
    return {name: (ROOT / name).read_bytes() for name in LICENSE_FILES}


def render(name, version, packages=None):
    """Returns the text of a template with its placeholders filled in.

    `packages` is the folder with the archives, for templates that contain checksums.
    """

    def value(match):
        field, triple = match.groups()
        if field == "CHECKSUM":
            return sha256(packages / archive_name(version, triple))
        return version if field == "VERSION" else METADATA[field.lower()]

    return PLACEHOLDER.sub(value, (TEMPLATES / name).read_text(encoding="utf-8"))
