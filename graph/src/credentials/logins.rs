//! Finds passwords next to user names: in addresses, headers, options of curl, and calls.
//!
//! In: a text, and the place at which the automaton of `tables` found a sign of a login. Out: the
//! bytes of the password or of the token, if the sign is followed by a login whose password is not
//! a placeholder.
//!
//! Invariant: each function reads a limited number of bytes around the sign, so a file with many
//! signs takes time proportional to its size.

use super::assignments::quoted_bounds;
use super::tables::SecretKind;
use super::values::{
    CharProfile, is_secret_literal, is_secret_password, is_secret_token, is_substitute, mixes_case,
    shannon_entropy,
};
use std::ops::Range;

/// The maximum number of bytes to read of an address, a command or a call's arguments. Encoded data
/// and minified code can be far longer.
const MAX_LOGIN_BYTES: usize = 300;

/// The minimum length of a login in a header that cannot be decoded, in bytes.
const MIN_ENCODED_BYTES: usize = 16;

/// Returns the password of the address whose `://` ends at `after`: `redis://:password@host`. Also
/// returns a token in the position of the user.
pub(super) fn password_of_url(text: &str, after: usize) -> Option<Range<usize>> {
    let rest = &text.as_bytes()[after..];
    let rest = &rest[..rest.len().min(MAX_LOGIN_BYTES)];
    let is_end = |byte: u8| byte.is_ascii_whitespace() || b"/\"'<>{}`|\\?#,;".contains(&byte);
    let end = rest.iter().position(|&byte| is_end(byte)).unwrap_or(rest.len());
    let at = rest[..end].iter().rposition(|&byte| byte == b'@')?;
    let colon = rest[..at].iter().position(|&byte| byte == b':');
    let has_host = rest
        .get(at + 1)
        .is_some_and(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'[' | b'_' | b'$' | b'%'));
    let Some(colon) = colon else {
        // `https://token@host`
        let token = text.get(after..after + at).filter(|token| token.len() >= 20)?;
        return (has_host && is_secret_token(token)).then_some(after..after + at);
    };
    let user = text.get(after..after + colon)?;
    let password = text.get(after + colon + 1..after + at)?;
    (has_host && is_secret_password(password, user)).then_some(after + colon + 1..after + at)
}

/// Returns the token after `Bearer `, or the encoded login after `Basic `.
pub(super) fn token_of_scheme(text: &str, after: usize, is_basic: bool) -> Option<Range<usize>> {
    let bytes = &text.as_bytes()[after..];
    let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.~+/=".contains(&byte);
    let length = bytes.iter().take_while(|&&byte| is_token(byte)).count();
    let token = text.get(after..after + length)?.trim_end_matches(['.', '/']);
    let range = after..after + token.len();
    if !is_basic {
        return is_secret_token(token).then_some(range);
    }
    if token.len() < 8 {
        return None;
    }
    let decoded = decode_base64(token);
    let is_secret = match decoded.as_deref().and_then(|login| login.split_once(':')) {
        // An API key in the position of the user.
        Some((key, "")) => is_secret_token(key),
        Some((user, password)) => is_secret_password(password, user) || is_login(password, user),
        // An encoding that is not text, or of a login that was cut off.
        None => {
            let has_digits = CharProfile::from_value(token).digit_runs > 1;
            token.len() >= MIN_ENCODED_BYTES && (has_digits || mixes_case(token)) && is_secret_token(token)
        }
    };
    is_secret.then_some(range)
}

/// Whether the decoded text of a header has a password of letters, which is too short to count in
/// other places.
fn is_login(password: &str, user: &str) -> bool {
    let profile = CharProfile::from_value(password);
    password.len() >= 4 && password != user && !is_substitute(password, &profile)
}

/// Returns the password of `curl -u user:password`.
pub(super) fn password_of_curl(text: &str, option: Range<usize>) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let before = &bytes[option.start.saturating_sub(MAX_LOGIN_BYTES)..option.start];
    let command =
        before.windows(4).rposition(|part| part == b"curl" || part == b"http" || part == b"wget")?;
    // Lines that belong to one command end with `\`.
    let ends_command = |pair: &[u8]| pair[1] == b'\n' && pair[0] != b'\\';
    if before[command..].windows(2).any(ends_command) {
        return None;
    }
    let mut start = option.end;
    let quote = bytes.get(start).copied().filter(|byte| matches!(byte, b'"' | b'\''));
    start += usize::from(quote.is_some());
    let is_end = |byte: u8| {
        quote.map_or(byte.is_ascii_whitespace() || b"\"'`".contains(&byte), |quote| {
            byte == quote || byte == b'\n'
        })
    };
    let rest = &bytes[start.min(bytes.len())..];
    let length = rest
        .iter()
        .take(MAX_LOGIN_BYTES)
        .position(|&byte| is_end(byte))
        .unwrap_or(rest.len().min(MAX_LOGIN_BYTES));
    let login = text.get(start..start + length)?;
    let (user, password) = login.split_once(':')?;
    let from = start + user.len() + 1;
    is_secret_password(password, user).then_some(from..from + password.len())
}

/// Returns the password among the arguments of a call that takes a user and a password, in some
/// calls after an address. It is the second literal after the first argument, or the first if there
/// is only one. A single argument counts only if it is clearly a token.
pub(super) fn password_of_call(text: &str, after: usize) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let limit = bytes.len().min(after + MAX_LOGIN_BYTES);
    let skip_blanks = |mut at: usize, more: &[u8]| {
        while at < limit && (bytes[at].is_ascii_whitespace() || more.contains(&bytes[at])) {
            at += 1;
        }
        at
    };
    let mut at = skip_blanks(after, b"([");
    let mut literals: Vec<(usize, Range<usize>)> = Vec::new();
    let mut arguments = 0;
    while at < limit && arguments < 4 {
        arguments += 1;
        match quoted_bounds(text, at) {
            Some((start, end)) => {
                literals.push((arguments, start..end));
                at = skip_blanks(end + 1, b"");
            }
            None => {
                let is_name = |byte: u8| byte.is_ascii_alphanumeric() || b"_.:$&*".contains(&byte);
                let length = bytes[at..limit].iter().take_while(|&&byte| is_name(byte)).count();
                if length == 0 {
                    break;
                }
                at = skip_blanks(at + length, b"");
                // `Some("password")`
                if bytes.get(at) == Some(&b'(')
                    && let Some((start, end)) = quoted_bounds(text, at + 1)
                {
                    literals.push((arguments, start..end));
                    at = skip_blanks(end + 1, b")");
                    if at >= limit || matches!(bytes[at], b';' | b'}') {
                        at = end + 1;
                    }
                }
            }
        }
        if bytes.get(at) != Some(&b',') {
            break;
        }
        at = skip_blanks(at + 1, b"");
    }
    let is_closed = matches!(bytes.get(at), Some(b')' | b']' | b',' | b'.'));
    if !is_closed {
        return None;
    }
    if let [(_, only)] = literals.as_slice()
        && arguments == 1
    {
        let value = &text[only.clone()];
        let profile = CharProfile::from_value(value);
        let is_token =
            value.len() >= 20 && profile.digits > 1 && profile.upper > 1 && shannon_entropy(value) >= 3.8;
        return (is_token && is_secret_literal(value, SecretKind::Key, true)).then(|| only.clone());
    }
    // The first argument is the user, or an address before the user.
    let after_first: Vec<&Range<usize>> =
        literals.iter().filter(|(argument, _)| *argument > 1).map(|(_, literal)| literal).take(2).collect();
    let &password = after_first.last()?;
    let value = &text[password.clone()];
    let profile = CharProfile::from_value(value);
    let is_strong = profile.digits > 0 || profile.symbols > 0;
    (is_strong && is_secret_literal(value, SecretKind::Password, true)).then(|| password.clone())
}

/// Decodes base64; returns `None` unless the result is text without control characters.
fn decode_base64(text: &str) -> Option<String> {
    let (mut out, mut buffer, mut bits) = (Vec::with_capacity(text.len()), 0_u32, 0);
    for byte in text.trim_end_matches('=').bytes() {
        let value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => return None,
        };
        buffer = (buffer << 6 | u32::from(value)) & 0xFFFF;
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            out.push((buffer >> bits) as u8);
        }
    }
    String::from_utf8(out).ok().filter(|text| !text.chars().any(char::is_control))
}
