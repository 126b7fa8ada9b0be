"""The command that builds the programs of packages."""

import subprocess


def build_command():
    """Returns `cargo auditable build` if that is installed, else `cargo build`.

    An auditable program contains the list of its crates, which scanners of vulnerabilities read.
    """
    try:
        done = subprocess.run(["cargo", "auditable", "--version"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return ["cargo", "auditable", "build"] if done.returncode == 0 else ["cargo", "build"]
    except OSError:
        return ["cargo", "build"]
