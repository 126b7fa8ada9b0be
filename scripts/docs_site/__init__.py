"""The documentation site: its pages, checks and generated files (used by scripts/docs)."""
