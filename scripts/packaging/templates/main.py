"""Starts the program that this package installed: `python -m kenning_lsp`, `uvx kenning-lsp`."""

import os
import pathlib
import subprocess
import sys
import sysconfig


def candidate_folders():
    """Yields the folders for scripts: of this environment, of the user, and of `pip --target`."""
    yield sysconfig.get_path("scripts")
    user = "nt_user" if os.name == "nt" else "osx_framework_user" if sys.platform == "darwin" and sys._framework else "posix_user"
    yield sysconfig.get_path("scripts", scheme=user)
    yield str(pathlib.Path(__file__).resolve().parents[1] / "bin")


def find_program():
    name = "kenning" + sysconfig.get_config_var("EXE")
    for folder in candidate_folders():
        path = os.path.join(folder, name)
        if os.path.isfile(path):
            return path
    sys.exit(f"kenning-lsp: {name} is in none of {', '.join(candidate_folders())}; install the package again")


def main():
    program = find_program()
    if os.name == "nt":
        sys.exit(subprocess.run([program, *sys.argv[1:]]).returncode)
    os.execv(program, [program, *sys.argv[1:]])


if __name__ == "__main__":
    main()
