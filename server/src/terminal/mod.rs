//! The rendering of answers in a terminal, shared by all commands.
//!
//! An answer has a plain form, which pipes, files, agents and editors get, and a form for people,
//! which is rendered for a [`Screen`]. A screen knows whether the terminal shows styles and links,
//! how wide and how high it is, and how paths are named from the current folder (`path_names`).
//! `markdown_view` renders Markdown for a screen, `report_text` renders a few sentences, `text_flow`
//! wraps words, `place_list` lists places in files, `pager` shows long answers page by page,
//! `manual_viewer` pages of the manual, and `clipboard` copies a text. Everything that is printed goes through `standard_streams`.
//!
//! Invariants: a screen is used only if standard output is a terminal or if colors are forced.
//! Names, paths and code from outside are escaped where they are rendered, and once more where they
//! are written, so that they cannot control the terminal.

pub mod clipboard;
pub mod manual_viewer;
pub mod markdown_view;
pub mod pager;
pub mod path_names;
pub mod place_list;
pub mod report_text;
pub mod screen;
pub mod standard_streams;
pub mod text_flow;

pub use screen::Screen;
