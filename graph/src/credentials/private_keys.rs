//! Finds the bodies of private keys in their armor (PEM, OpenSSH, PGP), also in comments and in
//! multi-line literals.

use std::ops::Range;

/// The maximum number of bytes to read of a block. An RSA key of 16,384 bits has 12,700.
const LONGEST: usize = 32 << 10;

/// The minimum number of characters in a row that shows a body if the end of the block is missing.
const LONG_ROW: usize = 40;

/// The minimum number of characters in a row that is part of a body.
const ROW: usize = 4;

/// The maximum number of bytes between `-----BEGIN ` and the end of that line: `ENCRYPTED PRIVATE
/// KEY-----`, `PGP PRIVATE KEY BLOCK-----`.
const HEAD: usize = 48;

/// Finds the rows of the private key whose `-----BEGIN ` ends at `behind`.
pub(super) fn find_key_body(text: &str, behind: usize, found: &mut Vec<Range<usize>>) {
    let near = &text.as_bytes()[behind..text.len().min(behind + HEAD)];
    let Some(dashes) = find_bytes(near, b"-----") else { return };
    let title = &near[..dashes];
    if !(title.ends_with(b"PRIVATE KEY") || title.ends_with(b"PRIVATE KEY BLOCK")) {
        return;
    }
    let start = behind + dashes + 5;
    let rest = &text.as_bytes()[start..text.len().min(start + LONGEST)];
    // The next block ends a block without an end, so that each byte is read once.
    let dashes = find_bytes(rest, b"-----");
    let end = dashes.filter(|&at| rest[at..].starts_with(b"-----END"));
    let rows = base64_rows(&rest[..dashes.unwrap_or(rest.len())], end.is_some());
    let is_body = rows.iter().map(ExactSizeIterator::len).sum::<usize>() >= LONG_ROW;
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
        if !is_closed && longest < LONG_ROW && line.trim_ascii().len() > longest + 6 {
            break;
        }
        found.extend(runs.into_iter().map(|run| start + run.start..start + run.end));
        // The last row is shorter than the others.
        if !is_closed && longest > 0 && longest < LONG_ROW {
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
        let is_row = line[at..at + length].iter().filter(|byte| byte.is_ascii_alphanumeric()).count() >= ROW;
        let is_end = length > 1 && (line[at] == b'=' || line[at + length - 1] == b'=');
        if is_row || is_end {
            found.push(at..at + length);
        }
        at += length.max(1);
    }
    found
}
