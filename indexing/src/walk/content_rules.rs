//! The rules that leave out files because of their contents: binary, minified.

use super::{SkipReason, WalkOptions};

/// Number of first bytes in which a NUL byte makes a file binary, as in git.
const BINARY_WINDOW: usize = 8 * 1024;
/// Mean line length in bytes above which a file counts as minified.
const MINIFIED_MEAN_LINE: usize = 250;
/// Size in bytes up to which a file never counts as minified: short files may have single long
/// lines.
const MINIFIED_MIN_BYTES: usize = 5_000;
/// Length in bytes above which a single line with little white space makes a file minified.
const MINIFIED_LINE: usize = 20_000;

/// Returns the reason to leave out a file because of its content, if there is one. The result
/// depends only on the arguments.
pub fn content_skip_reason(path: &str, bytes: &[u8], options: &WalkOptions) -> Option<SkipReason> {
    if bytes.len() as u64 > options.max_file_bytes {
        return Some(SkipReason::TooLarge);
    }
    if bytes[..bytes.len().min(BINARY_WINDOW)].contains(&0) {
        return Some(SkipReason::Binary);
    }
    is_minified(path, bytes).then_some(SkipReason::Minified)
}

fn is_minified(path: &str, bytes: &[u8]) -> bool {
    if path.ends_with(".min.js") || path.ends_with(".min.css") || path.ends_with(".min.mjs") {
        return true;
    }
    // Prose may have one line per paragraph, and a notebook one line per image.
    if [".md", ".markdown", ".mdx", ".txt", ".rst", ".adoc", ".asciidoc", ".ipynb"]
        .iter()
        .any(|extension| path.ends_with(extension))
    {
        return false;
    }
    if bytes.len() <= MINIFIED_MIN_BYTES {
        return false;
    }
    if bytes.len() / nonempty_lines(bytes).count().max(1) > MINIFIED_MEAN_LINE {
        return true;
    }
    nonempty_lines(bytes).any(|line| {
        line.len() > MINIFIED_LINE
            && line.iter().filter(|b| b.is_ascii_whitespace()).count() * 10 < line.len()
    })
}

/// Returns the lines that are not empty, with any kind of line end.
fn nonempty_lines(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    bytes.split(|&byte| byte == b'\n' || byte == b'\r').filter(|line| !line.is_empty())
}
