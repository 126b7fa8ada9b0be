"""Builds the Python wheel of a platform: the program as a script, and a module that starts it."""

import base64
import hashlib

from archive_files import write_zip
from release import LICENSE_FILES, METADATA, PLATFORMS, TEMPLATES, archive_folder, program_name, read_licenses, render

MODULE = METADATA["pypi"].replace("-", "_")


def wheel_name(version, triple):
    return f"{MODULE}-{version}-py3-none-{PLATFORMS[triple]['wheel']}.whl"


def metadata_text(version):
    """Returns the contents of METADATA."""
    repository = METADATA["repository"]
    fields = [
        ("Metadata-Version", "2.4"),
        ("Name", METADATA["pypi"]),
        ("Version", version),
        ("Summary", METADATA["summary"]),
        ("License-Expression", METADATA["license"]),
        *(("License-File", name) for name in LICENSE_FILES),
        ("Requires-Python", ">=3.8"),
        ("Project-URL", f"Repository, {repository}"),
        ("Project-URL", f"Changelog, {repository}/blob/main/CHANGELOG.md"),
        ("Description-Content-Type", "text/markdown"),
    ]
    head = "".join(f"{name}: {value}\n" for name, value in fields)
    return head + "\n" + render("readme.md", version)


def record_line(name, content):
    """Returns the line of a file in RECORD."""
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(content)}\n"


def write_wheel(folder, version, triple, archive):
    """Writes the wheel of one platform from the files of its archive."""
    top, program = archive_folder(version, triple), program_name(triple)
    info, data = f"{MODULE}-{version}.dist-info", f"{MODULE}-{version}.data"
    files = {
        f"{MODULE}/__init__.py": b"",
        f"{MODULE}/__main__.py": (TEMPLATES / "main.py").read_bytes(),
        f"{data}/scripts/{program}": archive[f"{top}/{program}"],
        f"{info}/METADATA": metadata_text(version).encode(),
        f"{info}/WHEEL": f"Wheel-Version: 1.0\nGenerator: kenning\nRoot-Is-Purelib: false\nTag: py3-none-{PLATFORMS[triple]['wheel']}\n".encode(),
        # `uvx kenning-lsp` and `pipx run kenning-lsp` need a program with the name of the package.
        f"{info}/entry_points.txt": f"[console_scripts]\n{METADATA['pypi']} = {MODULE}.__main__:main\n".encode(),
        **{f"{info}/licenses/{name}": content for name, content in read_licenses().items()},
    }
    manual = f"{top}/man/"
    pages = {name.removeprefix(manual): page for name, page in archive.items() if name.startswith(manual)}
    files.update({f"{data}/data/share/man/man1/{name}": page for name, page in pages.items()})
    record = f"{info}/RECORD"
    files[record] = "".join(record_line(name, content) for name, content in sorted(files.items())).encode() + f"{record},,\n".encode()
    executable = f"{data}/scripts/{program}"
    write_zip(folder / wheel_name(version, triple), [(name, content, 0o755 if name == executable else 0o644) for name, content in files.items()])
