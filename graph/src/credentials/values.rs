//! Decides whether a value is secret, or a placeholder, a template, or the name of something.
//!
//! Each kind of value has its own function: a quoted literal, a word without quotes, a password
//! after a user name, the token of a header. The functions share checks for values that are not
//! secret: templates and placeholders (`is_substitute`), references to the secret
//! (`is_reference_name`), versions, dates and source text. They recognize random characters by
//! their entropy, their mix of classes, and runs that cannot be pronounced.

use super::byte_values;
use super::tables::{CredentialTables, SecretKind};
use super::templates::is_template;

/// The minimum length of a secret in bytes.
const MIN_SECRET_BYTES: usize = 6;

/// The maximum length of a value in bytes. Longer values are data.
pub(super) const MAX_VALUE_BYTES: usize = 4096;

/// The entropy in bits per byte from which a short value counts as random.
const MIN_RANDOM_ENTROPY: f64 = 2.9;

/// The minimum length of a password of letters alone in a line of settings, in bytes.
const MIN_SETTING_BYTES: usize = 10;

/// The maximum length of a run of letters in a placeholder.
const MAX_LETTER_RUN: usize = 48;

/// The length of the shortest and of the longest placeholder word that is looked up, in bytes.
const MIN_PLACEHOLDER_BYTES: usize = 2;
const MAX_PLACEHOLDER_BYTES: usize = 16;

/// The counts of a value's characters by class.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct CharProfile {
    pub(super) digits: usize,
    pub(super) lower: usize,
    pub(super) upper: usize,
    pub(super) blanks: usize,
    /// `{}<>()[]`
    pub(super) brackets: usize,
    /// All characters other than letters, digits, blanks, brackets and `_-./:`.
    pub(super) symbols: usize,
    /// The number of runs of digits.
    pub(super) digit_runs: usize,
}

impl CharProfile {
    pub(super) fn from_value(value: &str) -> Self {
        let (mut profile, mut in_digits) = (Self::default(), false);
        for c in value.chars() {
            let is_digit = c.is_ascii_digit();
            match c {
                '0'..='9' => profile.digits += 1,
                '{' | '}' | '<' | '>' | '(' | ')' | '[' | ']' => profile.brackets += 1,
                '_' | '-' | '.' | '/' | ':' => {}
                c if c.is_whitespace() => profile.blanks += 1,
                c if c.is_uppercase() => profile.upper += 1,
                c if c.is_alphabetic() => profile.lower += 1,
                _ => profile.symbols += 1,
            }
            profile.digit_runs += usize::from(is_digit && !in_digits);
            in_digits = is_digit;
        }
        profile
    }

    pub(super) fn letter_count(&self) -> usize {
        self.lower + self.upper
    }
}

/// Whether a literal in quotes that is assigned to a name is secret. `is_assigned` means that `=`
/// or a call assigns it; other pairs of a name and a literal are often labels.
pub(super) fn is_secret_literal(value: &str, kind: SecretKind, is_assigned: bool) -> bool {
    if value.len() < MIN_SECRET_BYTES || value.len() > MAX_VALUE_BYTES {
        return false;
    }
    if byte_values::is_escaped_bytes(value) {
        return true;
    }
    let profile = CharProfile::from_value(value);
    if is_substitute(value, &profile) || is_reference_name(value, kind) {
        return false;
    }
    if profile.blanks > 0 {
        return kind == SecretKind::Password && is_assigned && is_passphrase(value, &profile);
    }
    if profile.brackets > 0 {
        return kind == SecretKind::Password && is_bracketed_password(value, &profile);
    }
    if profile.digits > 0 && profile.letter_count() > 0 {
        return !is_measured_value(value);
    }
    match kind {
        SecretKind::Key => {
            let has_symbols =
                profile.symbols > 1 && profile.lower > 2 && profile.upper > 2 && value.len() >= 10;
            profile.digits == 0 && (has_symbols || (value.len() >= 20 && mixes_case(value)))
        }
        SecretKind::Password if profile.letter_count() == 0 => {
            profile.digits >= MIN_SECRET_BYTES && profile.symbols == 0
        }
        SecretKind::Password => {
            let has_strange_symbol = profile.symbols > 0 && !is_punctuated_word(value);
            let is_mixed = is_assigned && (mixes_case(value) || is_unpronounceable(value));
            let is_word = profile.upper == 0 && profile.lower == value.chars().count();
            let is_long = is_word && value.len() >= if is_assigned { 8 } else { 12 };
            has_strange_symbol || is_mixed || is_long || is_joined_words(value)
        }
    }
}

/// Whether a value with brackets is a password, rather than source text or a label: `hunter[2]x`.
fn is_bracketed_password(value: &str, profile: &CharProfile) -> bool {
    let is_closed_at_end = value.ends_with([')', ']', '}', '>']);
    let is_random = profile.digits > 0 && (profile.symbols + profile.upper > 0 || !is_closed_at_end);
    profile.letter_count() > 0
        && (is_random || (profile.symbols > 0 && mixes_case(value)))
        && !is_call_text(value)
}

/// Whether a value consists of at least four words of lower-case letters that are joined by hyphens
/// or similar (`correct-horse-battery-staple`), or of three in camel case. Names of classes and of
/// elements have such words, too, but mention what they are.
fn is_joined_words(value: &str) -> bool {
    const MIN_WORD: usize = 3;
    let lower = value.to_ascii_lowercase();
    if NAME_PARTS.iter().any(|part| lower.contains(part)) {
        return false;
    }
    let is_word = |word: &str| word.len() >= MIN_WORD && word.bytes().all(|b| b.is_ascii_lowercase());
    let is_joined = |separator: char| {
        let words = value.split(separator);
        words.clone().count() >= 4 && words.clone().all(is_word)
    };
    let humps = value.bytes().filter(u8::is_ascii_uppercase).count();
    let is_camel_case = humps >= 3
        && value.bytes().all(|b| b.is_ascii_alphabetic())
        && value.starts_with(|c: char| c.is_ascii_uppercase())
        && value.len() >= humps * (MIN_WORD + 1);
    ['-', '_', '+'].into_iter().any(is_joined) || is_camel_case
}

/// Parts of the names of classes, fields and messages about passwords.
const NAME_PARTS: [&str; 30] = [
    "pass", "secret", "token", "cred", "key", "auth", "login", "user", "account", "field", "input", "label",
    "form", "valid", "encod", "hash", "require", "confirm", "error", "text", "string", "type", "name",
    "config", "service", "provider", "manager", "handler", "factory", "request",
];

/// Whether a value without quotes that is assigned to a name is secret. `is_prose` returns whether
/// the value is in a comment or a text rather than in code; it is called last because it is
/// expensive. `is_setting` means that the name is a constant and the line has nothing else.
pub(super) fn is_secret_word(
    value: &str,
    kind: SecretKind,
    is_setting: bool,
    is_prose: impl FnOnce() -> bool,
) -> bool {
    if value.len() < MIN_SECRET_BYTES || value.len() > MAX_VALUE_BYTES {
        return false;
    }
    let profile = CharProfile::from_value(value);
    let has_both = profile.digits > 0 && profile.letter_count() > 0;
    let is_word = is_setting
        && kind == SecretKind::Password
        && value.len() >= MIN_SETTING_BYTES
        && (profile.lower == value.chars().count() || is_joined_words(value));
    if is_word {
        return !is_substitute(value, &profile);
    }
    let is_strange =
        kind == SecretKind::Password && profile.symbols > 0 && profile.upper > 0 && profile.lower > 1;
    let is_number = kind == SecretKind::Password
        && profile.letter_count() == 0
        && profile.symbols == 0
        && profile.digits >= 8;
    if !(has_both || is_strange || is_number) || profile.brackets > 0 {
        return false;
    }
    if is_substitute(value, &profile)
        || is_reference_name(value, kind)
        || (has_both && is_measured_value(value))
    {
        return false;
    }
    let is_scattered = profile.digit_runs > 1 || mixes_case(value);
    let is_random =
        has_both && is_scattered && value.len() >= 8 && shannon_entropy(value) >= MIN_RANDOM_ENTROPY;
    let is_name = value.contains('_') || profile.symbols > 0 || value.contains('.');
    if is_random && (!is_name || (value.len() >= 20 && profile.digits > 2 && shannon_entropy(value) >= 3.5)) {
        return true;
    }
    let is_numbered =
        value.trim_end_matches(|c: char| c.is_ascii_digit()).chars().all(|c| c.is_alphabetic() || c == '_');
    let is_plausible = match kind {
        SecretKind::Password => true,
        SecretKind::Key => value.len() >= 8 && (!is_numbered || (value.len() >= 16 && mixes_case(value))),
    };
    is_plausible && is_prose()
}

/// Whether a password in an address or after a user name is secret.
pub(super) fn is_secret_password(value: &str, user: &str) -> bool {
    value != user && value.len() >= MIN_SECRET_BYTES && {
        let profile = CharProfile::from_value(value);
        !is_substitute(value, &profile)
            && ((profile.digits > 0 && profile.letter_count() > 0)
                || (profile.letter_count() == 0 && profile.symbols == 0)
                || (profile.symbols > 0 && profile.letter_count() > 2)
                || mixes_case(value)
                || value.len() >= 8)
    }
}

/// Whether the token of a header (`Bearer ...`) is secret.
pub(super) fn is_secret_token(value: &str) -> bool {
    let profile = CharProfile::from_value(value);
    value.len() >= 12
        && profile.digits > 0
        && profile.letter_count() > 0
        && shannon_entropy(value) >= MIN_RANDOM_ENTROPY
        && !is_substitute(value, &profile)
        && !is_reference_name(value, SecretKind::Key)
}

/// Whether the text after the prefix of a token is random, rather than `xxxx` or a word.
pub(super) fn is_random_part(value: &str) -> bool {
    let profile = CharProfile::from_value(value);
    let is_mixed = profile.digits > 0 || profile.upper > 0;
    is_mixed
        && distinct_bytes(value) >= 6.min(value.len())
        && !CredentialTables::built_in().marks.is_match(value)
}

/// Computes the Shannon entropy in bits per byte.
pub(super) fn shannon_entropy(value: &str) -> f64 {
    let mut counts = [0_u32; 256];
    for byte in value.bytes() {
        counts[byte as usize] += 1;
    }
    let length = value.len().max(1) as f64;
    counts
        .iter()
        .filter(|&&count| count > 0)
        .map(|&count| {
            let share = f64::from(count) / length;
            -share * share.log2()
        })
        .sum()
}

fn distinct_bytes(value: &str) -> usize {
    let mut seen = [false; 256];
    value.bytes().filter(|&byte| !std::mem::replace(&mut seen[byte as usize], true)).count()
}

/// Whether a value only represents a secret: a template, a pattern, a placeholder, a run of
/// characters in alphabetical order, or fewer than four distinct bytes.
pub(super) fn is_substitute(value: &str, profile: &CharProfile) -> bool {
    is_template(value, profile) || distinct_bytes(value) < 4 || is_sequence(value) || is_placeholder(value)
}

/// Whether at least four in five characters equal the one before them or are adjacent to it in the
/// alphabet, as in `1234567890abcdef`.
fn is_sequence(value: &str) -> bool {
    let bytes: Vec<u8> =
        value.bytes().filter(u8::is_ascii_alphanumeric).map(|byte| byte.to_ascii_lowercase()).collect();
    let steps = bytes.windows(2).filter(|pair| {
        let (a, b) = (pair[0], pair[1]);
        b == a
            || b == a.wrapping_add(1)
            || a == b.wrapping_add(1)
            || (a, b) == (b'9', b'0')
            || (a, b) == (b'0', b'9')
    });
    bytes.len() > 3 && steps.count() * 5 >= (bytes.len() - 1) * 4
}

/// Whether a value consists of placeholder words.
pub(super) fn is_placeholder(value: &str) -> bool {
    let tables = CredentialTables::built_in();
    if tables.marks.is_match(value) {
        return true;
    }
    let mut letters = 0;
    for run in value.split(|c: char| !c.is_alphabetic()).filter(|run| !run.is_empty()) {
        match run.len() {
            1 => letters += 1,
            2..=MAX_LETTER_RUN if splits_into_placeholders(&run.to_lowercase(), tables) => {}
            // `ApiKeyV2`
            2..=MAX_LETTER_RUN if is_camel_case_placeholder(run, tables) => letters += 1,
            _ => return false,
        }
    }
    let digits: String = value.chars().filter(char::is_ascii_digit).collect();
    letters <= 2 && value.contains(char::is_alphabetic) && (digits.len() <= 6 || is_sequence(&digits))
}

/// Whether lower-case letters can be read as a sequence of placeholder words.
fn splits_into_placeholders(run: &str, tables: &CredentialTables) -> bool {
    if !run.is_ascii() {
        return false;
    }
    // The positions at which a sequence of words can end.
    let mut reached = vec![false; run.len() + 1];
    reached[0] = true;
    for start in 0..run.len() {
        if !reached[start] {
            continue;
        }
        let longest = run.len().min(start + MAX_PLACEHOLDER_BYTES);
        for end in start + MIN_PLACEHOLDER_BYTES..=longest {
            reached[end] = reached[end] || tables.placeholders.contains(&run[start..end]);
        }
    }
    reached[run.len()]
}

/// Whether each part of a camel-case run is a placeholder word or one letter.
fn is_camel_case_placeholder(run: &str, tables: &CredentialTables) -> bool {
    let mut starts: Vec<usize> =
        run.match_indices(char::is_uppercase).map(|(at, _)| at).filter(|&at| at > 0).collect();
    starts.push(run.len());
    let mut from = 0;
    starts.into_iter().all(|to| {
        let part = &run[std::mem::replace(&mut from, to)..to];
        (part.len() == 1 && has_few_capitals(run)) || splits_into_placeholders(&part.to_lowercase(), tables)
    })
}

/// Whether fewer than half of the letters of a run are upper-case, as in a name.
fn has_few_capitals(run: &str) -> bool {
    run.chars().filter(|c| c.is_uppercase()).count() * 2 < run.len()
}

/// Whether a value names a thing that contains the secret (an address, a path, an environment
/// variable) or a text (a translation key).
fn is_reference_name(value: &str, kind: SecretKind) -> bool {
    if value.contains("://") || value.contains("::") || value.contains("->") || value.contains("=>") {
        return true;
    }
    const PREFIXES: [&str; 14] = [
        "./",
        "../",
        "~/",
        "file:",
        "env:",
        "urn:",
        "arn:",
        "mailto:",
        "vault:",
        "X-",
        "x-",
        "projects/",
        "secrets/",
        "data:",
    ];
    if PREFIXES.iter().any(|prefix| value.starts_with(prefix)) {
        return true;
    }
    let is_plain =
        |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'/' | b':' | b'\\');
    if value.starts_with('/') && value.bytes().all(is_plain) && value.len() < 40 {
        return true;
    }
    if value.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_') && value.contains('_')
    {
        return true;
    }
    let is_name_part = |part: &str| {
        let word = part.trim_end_matches(|c: char| c.is_ascii_digit());
        part.len() - word.len() <= 2
            && !word.is_empty()
            && word.bytes().all(|b| b.is_ascii_alphabetic() || matches!(b, b'_' | b'-'))
    };
    if value.contains(['.', '/', ':']) && value.split(['.', '/', ':']).all(is_name_part) {
        return true;
    }
    // `client_v2`, `some-name-1`: words and a number.
    kind == SecretKind::Key
        && value.contains(['_', '-'])
        && value.split(['_', '-']).all(|part| {
            !part.is_empty()
                && (is_name_part(part) && part.len() < 12 && !mixes_case(part)
                    || (part.len() <= 2 && part.bytes().all(|b| b.is_ascii_digit())))
        })
}

/// Whether a value is a version, a date, a color, or a number with its unit.
fn is_measured_value(value: &str) -> bool {
    let bytes = value.as_bytes();
    let is_hex =
        |digits: &str| !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_hexdigit() || b == b'_');
    if value
        .strip_prefix("0x")
        .or_else(|| value.strip_prefix("0X"))
        .is_some_and(|rest| rest.len() <= 16 && is_hex(rest))
    {
        return true;
    }
    if value.strip_prefix('#').is_some_and(|rest| rest.len() <= 8 && is_hex(rest)) {
        return true;
    }
    let is_date = bytes.len() >= 10
        && bytes[4] == b'-'
        && bytes[7] == b'-'
        && bytes[..4].iter().all(u8::is_ascii_digit);
    let number = value.strip_prefix('v').unwrap_or(value);
    let unit = number.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | '_' | ','));
    let is_amount =
        unit.len() < number.len() && unit.len() <= 5 && unit.bytes().all(|b| b.is_ascii_lowercase())
            || (number.len() - unit.len() > 4 && number.contains('.') && unit.starts_with(['-', '+', 'T']));
    is_date || is_amount
}

/// Whether a value is source text of a call: `name(...)`, `name(...).other`.
fn is_call_text(value: &str) -> bool {
    let name = value.bytes().take_while(|&b| b.is_ascii_alphanumeric() || b == b'_' || b == b'.').count();
    let is_open = name > 0 && value.as_bytes().get(name) == Some(&b'(');
    is_open
        && value
            .find(')')
            .is_none_or(|close| matches!(value.as_bytes().get(close + 1), None | Some(b'.' | b'[')))
}

/// Whether a value is a word followed by punctuation: `Required!`, `word?`.
fn is_punctuated_word(value: &str) -> bool {
    let word = value.trim_end_matches(['!', '?', '*', ',', ';', '…']);
    word.len() + 3 >= value.len()
        && word.chars().all(|c| c.is_alphabetic() || matches!(c, '-' | '_' | '\'' | '.'))
}

/// Whether upper and lower case alternate more often than in the words of a name.
pub(super) fn mixes_case(value: &str) -> bool {
    let cases: Vec<bool> = value.chars().filter(|c| c.is_alphabetic()).map(char::is_uppercase).collect();
    let changes = cases.windows(2).filter(|pair| pair[0] != pair[1]).count();
    cases.len() >= 6 && changes * 2 >= cases.len()
}

/// Whether a value has a longer run of consonants than occurs in a word or between two words of a
/// name. About half of all strings of 16 random letters have such a run; acronyms before a word
/// ("HTTPSProxy") come close.
fn is_unpronounceable(value: &str) -> bool {
    const MIN_CONSONANTS: usize = 7;
    let is_consonant = |c: char| {
        c.is_ascii_alphabetic() && !matches!(c.to_ascii_lowercase(), 'a' | 'e' | 'i' | 'o' | 'u' | 'y')
    };
    value.split(|c| !is_consonant(c)).any(|run| run.len() >= MIN_CONSONANTS)
}

/// Whether words form a passphrase rather than a sentence.
fn is_passphrase(value: &str, profile: &CharProfile) -> bool {
    let words: Vec<&str> = value.split_whitespace().collect();
    let tables = CredentialTables::built_in();
    let mentions_secrets = words.iter().any(|word| {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
        tables.labels.contains(&*word)
    });
    if mentions_secrets || value.starts_with(' ') || value.ends_with(' ') {
        return false;
    }
    if words.len() <= 3 && words.iter().any(|word| is_unpronounceable(word)) {
        return true;
    }
    if profile.brackets > 0 {
        return false;
    }
    let is_mixed = profile.digits > 0 && profile.letter_count() > 0 && words.len() <= 3;
    let is_words = words.len() >= 4
        && profile.upper == 0
        && profile.symbols == 0
        && profile.lower + profile.blanks == value.chars().count();
    is_mixed || is_words
}
