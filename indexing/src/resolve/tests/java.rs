//! java.
