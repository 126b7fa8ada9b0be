"""Attacks on the program: hostile workspaces, damaged state, malformed messages, lying servers."""
