"""Checks that a build from source explains a missing tool."""

import subprocess

from packaging_fixture import run
from release import ROOT


def check_a_missing_make_is_explained(fixture):
    program, empty, full = fixture.folder / "build-check", fixture.make_folder("no-make"), fixture.make_folder("make")
    run("rustc", "--edition", "2024", ROOT / "graph/build.rs", "-o", program)
    (full / "make").touch()

    def output(folder, system, library):
        environment = {"PATH": str(folder), "CARGO_CFG_TARGET_OS": system, "CARGO_CFG_TARGET_ENV": library}
        return subprocess.run([program], env=environment, stdout=subprocess.PIPE, text=True, check=True).stdout

    message = "cargo::error=building Kenning needs `make`, which is not on the search path"
    assert message in output(empty, "linux", "gnu") and "apt install build-essential" in output(empty, "linux", "gnu")
    assert message in output(empty, "macos", "") and "xcode-select" in output(empty, "macos", "")
    # With make, or on a platform that uses the allocator of the system, nothing is missing.
    for folder, system, library in [(full, "linux", "gnu"), (empty, "windows", "msvc"), (empty, "linux", "musl")]:
        assert "error" not in output(folder, system, library)
