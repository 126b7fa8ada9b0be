"""The committed meta model is what its source gives."""

import pathlib
import subprocess
import sys

DATA = pathlib.Path(__file__).parents[1] / "data"


def test_the_meta_model_is_written_from_its_source():
    written = subprocess.run([sys.executable, DATA / "meta_model.py"], capture_output=True, text=True, check=True)
    assert written.stdout == (DATA / "meta_model.json").read_text()
