//! Finds the bodies of private keys in their armor (PEM, OpenSSH, PGP), including armor in comments
//! and in multi-line literals.

use std::ops::Range;

/// The maximum number of bytes to read of a block. An RSA key of 16,384 bits has 12,700.
const MAX_BLOCK_BYTES: usize = 32 << 10;

/// The minimum length of a long row. If the end of the block is missing, only long rows show a
/// body.
const MIN_LONG_ROW: usize = 40;

/// The minimum number of letters and digits in a row of a body.
const MIN_ROW: usize = 4;

/// The maximum number of bytes between `-----BEGIN ` and the end of that line: `ENCRYPTED PRIVATE
/// KEY-----`, `PGP PRIVATE KEY BLOCK-----`.
const MAX_TITLE_BYTES: usize = 48;

/// Finds the rows of the private key whose `-----BEGIN ` ends at `after`.
pub(super) fn find_key_body(text: &str, after: usize, found: &mut Vec<Range<usize>>) {
    let head = &text.as_bytes()[after..text.len().min(after + MAX_TITLE_BYTES)];
    let Some(dashes) = find_bytes(head, b"-----") else { return };
    let title = &head[..dashes];
    if !(title.ends_with(b"PRIVATE KEY") || title.ends_with(b"PRIVATE KEY BLOCK")) {
        return;
    }
    let start = after + dashes + 5;
    let rest = &text.as_bytes()[start..text.len().min(start + MAX_BLOCK_BYTES)];
    // A block without an end stops at the next block, so that each byte is read once.
    let dashes = find_bytes(rest, b"-----");
    let end = dashes.filter(|&at| rest[at..].starts_with(b"-----END"));
    let rows = base64_rows(&rest[..dashes.unwrap_or(rest.len())], end.is_some());
    let is_body = rows.iter().map(ExactSizeIterator::len).sum::<usize>() >= MIN_LONG_ROW;
    if is_body {
        found.extend(rows.into_iter().map(|row| start + row.start..start + row.end));
    }
}

fn find_bytes(bytes: &[u8], part: &[u8]) -> Option<usize> {
    bytes.windows(part.len()).position(|window| window == part)
}

/// Returns the runs of base64 in a block without its headers. If the end of the block is missing,
/// stops after the long rows.
fn base64_rows(block: &[u8], is_closed: bool) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut at = 0;
    for line in block.split_inclusive(|&byte| byte == b'\n') {
        let start = at;
        at += line.len();
        // `Proc-Type: 4,ENCRYPTED`
        let has_header = line.windows(2).any(|pair| pair == b": ") && !line.contains(&b'+');
        if has_header {
            continue;
        }
        let runs = base64_runs(line);
        let longest = runs.iter().map(ExactSizeIterator::len).max().unwrap_or(0);
        if !is_closed && longest < MIN_LONG_ROW && line.trim_ascii().len() > longest + 6 {
            break;
        }
        found.extend(runs.into_iter().map(|run| start + run.start..start + run.end));
        // The last row is shorter than the others.
        if !is_closed && longest > 0 && longest < MIN_LONG_ROW {
            break;
        }
    }
    found
}

fn base64_runs(line: &[u8]) -> Vec<Range<usize>> {
    let is_base64 = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=');
    let (mut found, mut at) = (Vec::new(), 0);
    while at < line.len() {
        // An escape such as `\n` in a literal is not part of a row.
        if line[at] == b'\\' {
            at += 2;
            continue;
        }
        let length = line[at..].iter().take_while(|&&byte| is_base64(byte)).count();
        // Excludes `//` of comments and `+` of operators.
        let is_row =
            line[at..at + length].iter().filter(|byte| byte.is_ascii_alphanumeric()).count() >= MIN_ROW;
        let is_end = length > 1 && (line[at] == b'=' || line[at + length - 1] == b'=');
        if is_row || is_end {
            found.push(at..at + length);
        }
        at += length.max(1);
    }
    found
}
