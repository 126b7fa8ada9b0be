//! End-to-end tests of Kenning: everything is under `tests/tests`.
