//! Finds the further values of a name: the value of each target in an assignment to several
//! (`user, password = "...", "..."`), the elements of a list, and both branches of a condition.

use super::assignments::{NameSite, quoted_bounds};
use super::tables::SecretKind;
use super::values::{CharProfile, is_secret_literal, mixes_case};
use std::ops::Range;

/// The number of bytes to read of the targets and the values. Generated code has longer lines.
const MAX_LINE_BYTES: usize = 400;

/// The maximum number of literals after the first that belong to a name.
const MAX_SIBLINGS: usize = 4;

/// The words before the targets of an assignment.
const DECLARATIONS: [&str; 7] = ["let mut ", "let ", "const ", "var ", "val ", "local ", "my "];

/// The value of a name in an assignment to several targets.
pub(super) enum TargetValue {
    /// The literal at the position of the name, without its quotes.
    Literal(Range<usize>),
    /// The assignment has one target, or no literal at this position.
    Missing,
}

impl NameSite<'_> {
    /// Returns the literal that an assignment to several targets assigns to the name.
    pub(super) fn find_target_value(&self) -> TargetValue {
        let bytes = self.bytes();
        let name = self.name();
        let line_start = bytes[name.start.saturating_sub(MAX_LINE_BYTES)..name.start]
            .iter()
            .rposition(|&byte| byte == b'\n')
            .map_or(name.start.saturating_sub(MAX_LINE_BYTES), |at| {
                name.start.saturating_sub(MAX_LINE_BYTES) + at + 1
            });
        let Some(head) = self.text().get(line_start..name.start) else { return TargetValue::Missing };
        let head = head.trim_start();
        let head = DECLARATIONS.iter().find_map(|word| head.strip_prefix(word)).unwrap_or(head);
        let head = head.trim_start_matches(['(', '[']);
        let limit = bytes.len().min(name.end + MAX_LINE_BYTES);
        let targets = bytes[name.end..limit].iter().take_while(|&&byte| is_target(byte)).count();
        let tail = &bytes[name.end..name.end + targets];
        if !head.bytes().all(is_target) {
            return TargetValue::Missing;
        }
        let position = head.bytes().filter(|&byte| byte == b',').count();
        let after = tail.split(|&byte| byte == b',').count() - 1;
        let mut at = name.end + targets;
        at += usize::from(matches!(bytes.get(at), Some(b')' | b']')));
        at = self.skip_line_blanks(at);
        at += usize::from(bytes.get(at) == Some(&b':'));
        let is_assigned = bytes.get(at) == Some(&b'=') && bytes.get(at + 1) != Some(&b'=');
        if position + after == 0 || !is_assigned {
            return TargetValue::Missing;
        }
        self.find_element(at + 1, position)
    }

    /// Returns the literal at a position among values that are separated by commas.
    fn find_element(&self, start: usize, position: usize) -> TargetValue {
        let bytes = self.bytes();
        let mut at = self.skip_line_blanks(start);
        at += usize::from(matches!(bytes.get(at), Some(b'(' | b'[')));
        for element in 0..=position {
            at = self.skip_line_blanks(at);
            let literal = quoted_bounds(self.text(), at);
            if element == position {
                return literal.map_or(TargetValue::Missing, |(start, end)| TargetValue::Literal(start..end));
            }
            at = literal.map_or(at, |(_, end)| end + 1);
            let limit = bytes.len().min(start + MAX_LINE_BYTES);
            let rest = bytes.get(at..limit).unwrap_or_default();
            let Some(comma) = rest.iter().position(|byte| matches!(byte, b',' | b'\n')) else { break };
            if rest[comma] == b'\n' {
                break;
            }
            at += comma + 1;
        }
        TargetValue::Missing
    }

    /// Adds the secret literals that follow the first one, whose closing quote is at `end`: the
    /// elements of its list, or the other branch of a condition.
    pub(super) fn add_siblings(&self, mut end: usize, kind: SecretKind, found: &mut Vec<Range<usize>>) {
        for _ in 0..MAX_SIBLINGS {
            let Some((start, next)) = self.next_sibling(end + 1) else { return };
            let value = &self.text()[start..next];
            let profile = CharProfile::from_value(value);
            // `("alias1", "secret")` and `Key("...", "HmacSHA256")` have other literals, too.
            let is_random = profile.digits > 0 && (profile.digit_runs > 1 || mixes_case(value));
            if value.len() >= 8 && is_random && is_secret_literal(value, kind, true) {
                found.push(start..next);
            }
            end = next;
        }
    }

    fn next_sibling(&self, after: usize) -> Option<(usize, usize)> {
        let at = self.skip_line_blanks(after);
        let rest = self.bytes().get(at..self.bytes().len().min(at + MAX_LINE_BYTES))?;
        let line = &rest[..rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len())];
        let next = match line {
            [b',' | b':', ..] => at + 1,
            // `"..." if production else "..."`
            [b'i', b'f', b' ', ..] => at + line.windows(6).position(|part| part == b" else ")? + 6,
            [b'o', b'r', b' ', ..] => at + 3,
            [b'|', b'|', ..] | [b'?', b'?', ..] => at + 2,
            _ => return None,
        };
        quoted_bounds(self.text(), self.skip_line_blanks(next))
    }

    /// Returns the position of the first branch of `condition ? "..." : "..."` on the line.
    pub(super) fn first_branch(&self, after: usize) -> Option<usize> {
        let rest = self.bytes().get(after..self.bytes().len().min(after + MAX_LINE_BYTES))?;
        let is_condition = |byte: u8| byte.is_ascii_alphanumeric() || b" _.!=&|()$".contains(&byte);
        let length = rest.iter().take_while(|&&byte| is_condition(byte)).count();
        (length > 0 && rest.get(length) == Some(&b'?')).then(|| self.skip_line_blanks(after + length + 1))
    }

    fn skip_line_blanks(&self, mut at: usize) -> usize {
        while matches!(self.bytes().get(at), Some(b' ' | b'\t')) {
            at += 1;
        }
        at
    }
}

/// Whether a byte can be part of the targets of an assignment.
fn is_target(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"_.$@*, ".contains(&byte)
}
