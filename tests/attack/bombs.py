"""Reads inputs that are small but expensive: histories and imported files.

Criterion: each module names its own; none takes memory or time out of proportion to its size.
"""

from . import bombs_git, bombs_imports


def run(context):
    """Tries each kind of input."""
    bombs_git.run(context)
    bombs_imports.run(context)
