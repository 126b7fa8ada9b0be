//! Tests of plans as a whole, and of files that are generated from the table of clients.

mod edits;
mod page_table;
mod plans;
mod plugin_files;
