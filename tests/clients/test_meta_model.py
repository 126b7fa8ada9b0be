"""Tests that the committed meta model is up to date."""

import pathlib
import subprocess
import sys

DATA = pathlib.Path(__file__).parents[1] / "data"


def test_the_committed_meta_model_equals_the_generated_one():
    result = subprocess.run([sys.executable, DATA / "meta_model.py"], capture_output=True, text=True, check=True)
    assert result.stdout == (DATA / "meta_model.json").read_text()
