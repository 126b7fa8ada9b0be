//! ruby.
