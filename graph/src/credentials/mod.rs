//! Masks text that looks like a credential, which Kenning neither stores nor prints.
//!
//! [`mask_credentials`] takes any text (a source file, a commit message, the name of an author) and
//! returns it with `*` for every byte that looks secret, so that all positions in it stay the same.
//! One automaton finds candidates, most of which are rejected within a few bytes. Four kinds of
//! text are credentials, with one exception:
//!
//! * the form of a token that a service issues (`tokens` of `data/credentials/forms.toml`),
//! * a value that is assigned to a name like password, key, secret, token or salt ([`assignments`]):
//!   with quotes, as a list of bytes, or without quotes in comments and strings; further values of
//!   a list or an assignment to several names ([`alternatives`]),
//! * a password next to a user name: in a URL, a header, a curl option or a call ([`logins`]),
//! * the body of a private key ([`private_keys`]),
//! * the exception: values that only represent a secret, such as placeholders, templates and names
//!   ([`values`]).
//!
//! `tests.rs` measures recall and precision on `data/credentials/`; `examples/credentials.rs`
//! counts the credentials in a tree.

mod alternatives;
mod assignments;
mod byte_values;
mod dotted_tokens;
mod logins;
mod pattern;
mod private_keys;
mod tables;
mod templates;
mod values;

use assignments::{NameSite, TextContext};
use std::borrow::Cow;
use std::ops::Range;
use tables::{CredentialSign, CredentialTables, TokenForm};

/// The version of the masking rules. Increase it when the rules change what they mask; data stored
/// under older rules is then read again.
pub const MASK_VERSION: u32 = 2;

/// The replacement for each byte of a credential, which keeps all positions in the text.
const MASK: u8 = b'*';

/// Replaces every byte that looks like a credential with `*`, except line breaks. The result has
/// the same length.
pub fn mask_credentials(text: &str) -> Cow<'_, str> {
    mask_ranges(text, find_credentials(text))
}

/// Does the same as [`mask_credentials`] for text that is entirely prose (a commit message, a
/// name): values without quotes count everywhere.
pub fn mask_prose(text: &str) -> Cow<'_, str> {
    mask_ranges(text, find_in_context(text, &TextContext::for_prose()))
}

fn mask_ranges(text: &str, ranges: Vec<Range<usize>>) -> Cow<'_, str> {
    if ranges.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut bytes = text.as_bytes().to_vec();
    for range in ranges {
        // Extend the range to whole characters, so that the result is valid UTF-8.
        let start = (0..=range.start).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0);
        let end = (range.end..text.len()).find(|&at| text.is_char_boundary(at)).unwrap_or(text.len());
        for byte in bytes[start..end].iter_mut().filter(|byte| !matches!(byte, b'\n' | b'\r')) {
            *byte = MASK;
        }
    }
    String::from_utf8_lossy(&bytes).into_owned().into()
}

/// Returns the byte ranges of the credentials of a text, in the order of their signs. They may
/// overlap.
pub fn find_credentials(text: &str) -> Vec<Range<usize>> {
    find_in_context(text, &TextContext::default())
}

fn find_in_context(text: &str, context: &TextContext) -> Vec<Range<usize>> {
    let tables = CredentialTables::built_in();
    let mut ranges = Vec::new();
    dotted_tokens::find_bot_tokens(text, &mut ranges);
    for candidate in tables.automaton.find_iter(text) {
        let at = candidate.range();
        match tables.signs[candidate.pattern().as_usize()] {
            CredentialSign::Name { short: true, .. } if !begins_word(text, &at) => {}
            CredentialSign::Name { kind, .. } => {
                NameSite::new(text, at, kind, context).find_values(&mut ranges);
            }
            CredentialSign::Call => ranges.extend(logins::password_of_call(text, at.end)),
            CredentialSign::Token(form) => ranges.extend(find_token(text, at, &tables.tokens[form])),
            CredentialSign::UrlAuthority => ranges.extend(logins::password_of_url(text, at.end)),
            CredentialSign::Armor => private_keys::find_key_body(text, at.end, &mut ranges),
            CredentialSign::Scheme { is_basic } => {
                ranges.extend(logins::token_of_scheme(text, at.end, is_basic));
            }
            CredentialSign::CurlUser => ranges.extend(logins::password_of_curl(text, at)),
        }
    }
    ranges
}

/// Whether a short name starts a word: `pass`, `DB_PASS`, `dbPass`, but not `bypass`.
fn begins_word(text: &str, name: &Range<usize>) -> bool {
    let bytes = text.as_bytes();
    let Some(&before) = bytes[..name.start].last() else { return true };
    let first = bytes[name.start];
    !before.is_ascii_alphanumeric()
        || first == b'_'
        || (before.is_ascii_lowercase() && first.is_ascii_uppercase())
}

/// Returns the secret part of the token whose prefix is at `prefix`, if there is one.
fn find_token(text: &str, prefix: Range<usize>, form: &TokenForm) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    if text[prefix.clone()] != *form.prefix {
        return None;
    }
    let start = match &form.before {
        Some(before) => before.match_before(bytes, prefix.start)?,
        None => {
            let before = bytes[..prefix.start].last();
            let in_word = before.is_some_and(|&byte| byte.is_ascii_alphanumeric() || byte == b'_');
            if in_word && form.prefix.as_bytes()[0].is_ascii_alphanumeric() && !form.keeps_prefix {
                return None;
            }
            prefix.start
        }
    };
    let end = form.bodies.iter().filter_map(|body| body.match_from(bytes, prefix.end)).max()?;
    let random_part = if form.before.is_some() { start..end } else { prefix.end..end };
    let secret = if form.keeps_prefix { prefix.end..end } else { start..end };
    values::is_random_part(&text[random_part]).then_some(secret)
}

#[cfg(test)]
mod tests;
