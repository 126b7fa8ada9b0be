"""Attacks on the program: hostile workspaces, damaged databases, malformed messages, servers that
give wrong answers."""
