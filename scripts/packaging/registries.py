"""Renders the files for registries that point to the archives of a release: Homebrew, Scoop, the
AUR, Nix, Mason, the MCP registry, and the Dockerfile."""

from archive_files import write_tarball
from release import PLATFORMS, archive_name, read_licenses, render

# Each template with its place in the folder `registries`.
TEMPLATES = {
    "kenning.rb": "homebrew/kenning.rb",
    "scoop.json": "scoop/kenning.json",
    "PKGBUILD": "aur/PKGBUILD",
    "SRCINFO": "aur/.SRCINFO",
    "mason.yaml": "mason/package.yaml",
    "server.json": "mcp/server.json",
    "Dockerfile": "docker/Dockerfile",
    "flake.nix": "nix/flake.nix",
    "package.nix": "nix/package.nix",
}
FLAKE_FILES = ["flake.nix", "package.nix"]


def missing_archives(folder, version):
    """Returns the names of the archives that are not in the folder."""
    names = [archive_name(version, triple) for triple in PLATFORMS]
    return [name for name in names if not (folder / name).is_file()]


def write_registries(folder, version):
    """Writes `registries/` and the flake from the archives in the folder."""
    for template, place in TEMPLATES.items():
        path = folder / "registries" / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(render(template, version, folder).encode())
    flake = [(name, render(name, version, folder).encode(), 0o644) for name in FLAKE_FILES]
    flake += [(name, content, 0o644) for name, content in read_licenses().items()]
    # The name has no version, so that `releases/latest/download` leads to the newest flake.
    write_tarball(folder / "kenning-flake.tar.gz", [(f"kenning-flake/{name}", content, mode) for name, content, mode in flake])
