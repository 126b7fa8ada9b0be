"""Reads inputs that are small but expensive: texts for parsers, histories and imported files.

Criterion: each module names its own; none takes memory or time out of proportion to its size.
"""

from . import bombs_git, bombs_imports, bombs_sources


def run(context):
    """Tries each kind of input."""
    bombs_sources.run(context)
    bombs_git.run(context)
    bombs_imports.run(context)
