//! Literals that look like credentials: they are neither stored nor printed (design: "Values in `.env` files and
//! credential-like literals are never stored or printed").
//!
//! Three signs: the form of a token that a service hands out (`data/credentials.txt`), a password in an address, and a literal that is
//! given to what is called a password, a key, a secret or a token. The last takes literals with letters and digits only: that a
//! field is labelled "Password" is no secret.

use aho_corasick::{AhoCorasick, MatchKind};
use regex::Regex;
use std::borrow::Cow;
use std::ops::Range;
use std::sync::LazyLock;

/// Stands for each byte of a credential: places in the text stay as they are.
const MASK: u8 = b'*';

/// Names that end so hold credentials.
const NAMES: &[&str] = &[
    "password",
    "passwd",
    "passphrase",
    "pwd",
    "secret",
    "api_key",
    "apikey",
    "api-key",
    "access_key",
    "accesskey",
    "access-key",
    "secret_key",
    "secretkey",
    "private_key",
    "privatekey",
    "auth_key",
    "authkey",
    "signing_key",
    "encryption_key",
    "token",
    "credential",
    "credentials",
];

/// Bytes behind a name within which its literal begins.
const REACH: usize = 160;

/// Fewest characters of a literal that counts as a credential by its name.
const SHORTEST: usize = 6;

/// Behind a name: what may stand between it and its literal (a closing quote, a type, accessors), the operator, the literal.
/// Classes are of ASCII: those of Unicode take milliseconds to compile.
const GIVEN: &str = concat!(
    r#"[0-9]*["'`]?\]?(?:[ \t]+[A-Za-z0-9_.*\[\]]{1,40}|[ \t]*:[ \t]*[&A-Za-z0-9_][A-Za-z0-9_.<>\[\]|,&' ]{0,60}?"#,
    r#"|[ \t]*\{[^{}\n]{0,60}\})?[ \t]*(?:=>|:=|={1,3}|!=|:|,)[ \t]*[A-Za-z@$#]{0,2}(?:"([^"\n]*)"|'([^'\n]*)'|`([^`\n]*)`)"#,
);

/// Where to look, and what has to follow there.
struct Signs {
    /// The names, then the beginnings of tokens, in any case.
    starts: AhoCorasick,
    /// What follows the name of a credential.
    given: Regex,
    /// Beginnings of tokens as they are written, and what follows them.
    forms: Vec<(&'static str, Regex)>,
}

impl Signs {
    fn read() -> Result<Self, Box<dyn std::error::Error>> {
        let mut forms = Vec::new();
        for line in include_str!("../data/credentials.txt").lines().filter(|line| !line.starts_with('#')) {
            let (begins, follows) = line.split_once(' ').ok_or(line)?;
            for begin in begins.split('|') {
                forms.push((begin, Regex::new(&format!(r"\A(?:{follows})"))?));
            }
        }
        let mut builder = AhoCorasick::builder();
        builder.ascii_case_insensitive(true).match_kind(MatchKind::LeftmostLongest);
        let starts = builder.build(NAMES.iter().copied().chain(forms.iter().map(|(begin, _)| *begin)))?;
        Ok(Self { starts, given: Regex::new(&format!(r"\A{GIVEN}"))?, forms })
    }
}

#[allow(clippy::expect_used, reason = "what is compiled in is read by the tests")]
static SIGNS: LazyLock<Signs> = LazyLock::new(|| Signs::read().expect("the signs can be read"));

/// The text with `*` for every byte of what looks like a credential; line breaks stay. Its length is the same.
pub fn mask(text: &str) -> Cow<'_, str> {
    let found = found(text);
    if found.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut bytes = text.as_bytes().to_vec();
    for range in found {
        for byte in bytes[range].iter_mut().filter(|byte| !matches!(byte, b'\n' | b'\r')) {
            *byte = MASK;
        }
    }
    String::from_utf8(bytes).map_or(Cow::Borrowed(text), Cow::Owned)
}

fn found(text: &str) -> Vec<Range<usize>> {
    let signs = &*SIGNS;
    let mut found: Vec<Range<usize>> = Vec::new();
    for start in signs.starts.find_iter(text) {
        let secret = match start.pattern().as_usize().checked_sub(NAMES.len()) {
            None => signs.literal(text, start.end()),
            Some(form) => signs.token(text, start.range(), form),
        };
        found.extend(secret);
    }
    found
}

impl Signs {
    /// The literal that is given to a name which ends here, if it is secret.
    fn literal(&self, text: &str, name_end: usize) -> Option<Range<usize>> {
        let behind = within(text, name_end);
        if !behind.contains(['"', '\'', '`']) {
            return None;
        }
        let literal = self.given.captures(behind)?.iter().skip(1).flatten().next()?;
        is_secret(literal.as_str()).then(|| name_end + literal.start()..name_end + literal.end())
    }

    /// The secret part of a token that may begin here.
    fn token(&self, text: &str, begin: Range<usize>, form: usize) -> Option<Range<usize>> {
        let (written, follows) = &self.forms[form];
        let before = text.as_bytes()[..begin.start].last();
        let in_word = before.is_some_and(|&byte| byte.is_ascii_alphanumeric() || byte == b'_');
        if text[begin.clone()] != **written || (in_word && written.as_bytes()[0].is_ascii_alphanumeric()) {
            return None;
        }
        let form = follows.captures(&text[begin.end..])?;
        let secret = form.iter().skip(1).flatten().next();
        let all = begin.start..begin.end + form.get(0)?.end();
        Some(secret.map_or(all, |secret| begin.end + secret.start()..begin.end + secret.end()))
    }
}

/// The text from a place on, as far as a literal may begin there, and to the end of its line.
fn within(text: &str, from: usize) -> &str {
    let rest = &text.as_bytes()[from..];
    let near = &rest[..rest.len().min(REACH)];
    let end = near.iter().position(|&byte| byte == b'\n').unwrap_or(near.len());
    let end = (from + end..text.len()).find(|&at| text.is_char_boundary(at)).unwrap_or(text.len());
    &text[from..end]
}

/// Whether a literal that is called a credential is one, and not a label, a name, or a pattern that is filled in.
fn is_secret(literal: &str) -> bool {
    literal.len() >= SHORTEST
        && !literal.contains(|c: char| c.is_whitespace() || "{}<>()%".contains(c))
        && literal.contains(|c: char| c.is_ascii_digit())
        && literal.contains(|c: char| c.is_ascii_alphabetic())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn masked(text: &str) -> String {
        let masked = mask(text).into_owned();
        assert_eq!(masked.len(), text.len());
        assert_eq!(masked.lines().count(), text.lines().count());
        masked.replace('*', "")
    }

    #[test]
    fn literals_that_are_given_to_a_name_of_a_credential_are_masked() {
        for (text, left) in [
            ("PASSWORD = 'enumPw1212'", "PASSWORD = ''"),
            (
                "def connect(password=\"defaultPw99\", size=\"a1b2c3\")",
                "def connect(password=\"\", size=\"a1b2c3\")",
            ),
            ("token: str = \"abc123def456\"", "token: str = \"\""),
            ("const dbPassword: &str = \"p4ssw0rd\";", "const dbPassword: &str = \"\";"),
            ("apiKey := `k3y-k3y`", "apiKey := ``"),
            (
                "public string Secret { get; set; } = \"s3cret9\";",
                "public string Secret { get; set; } = \"\";",
            ),
            ("{\"client_secret\": \"a1b2c3d4\"}", "{\"client_secret\": \"\"}"),
            ("config['secret_key'] = 'a1b2c3d4'", "config['secret_key'] = ''"),
            (":password => 'a1b2c3d4'", ":password => ''"),
            ("if (password == \"a1b2c3d4\")", "if (password == \"\")"),
            ("put(\"password\", \"a1b2c3d4\")", "put(\"password\", \"\")"),
            ("Password string = \"a1b2c3d4\"", "Password string = \"\""),
            ("password = \"grüße1234\"", "password = \"\""),
        ] {
            assert_eq!(masked(text), left, "{text}");
        }
    }

    #[test]
    fn forms_of_tokens_and_passwords_in_addresses_are_masked_wherever_they_stand() {
        let key = format!(
            "-----BEGIN RSA PRIVATE KEY-----\n{0}\n{0}\nQ==\n-----END RSA PRIVATE KEY-----",
            "Ab3+".repeat(16)
        );
        for (text, left) in [
            ("call('AKIAABCDEFGHIJKLMNOP')", "call('')"),
            ("# ghp_abcdefghijklmnopqrstuvwxyz0123456789 is old", "#  is old"),
            ("\"postgres://user:p4ssw0rdX@host/db\"", "\"postgres://user:@host/db\""),
            ("x = 'sk_live_abcdEFGH12345678'", "x = ''"),
            (key.as_str(), "-----BEGIN RSA PRIVATE KEY-----\n\n\n\n-----END RSA PRIVATE KEY-----"),
        ] {
            assert_eq!(masked(text), left, "{text}");
        }
    }

    #[test]
    fn what_only_speaks_of_credentials_stays() {
        for text in [
            "PASSWORD_LABEL = \"Password 1\"",
            "password = \"password\"",
            "token = \"{token1}\"",
            "TOKEN_HEADER = \"X-Token-1\"",
            "password = input(\"enter 1 password\")",
            "tokens = [\"a1b2c3d4\"]",
            "https://host:8080/path@1",
            "\"postgres://{user}:{password}@host\"",
            "\"-----BEGIN PRIVATE KEY-----\" + body",
            "let secret = \"unclosed1",
            "",
        ] {
            assert!(matches!(mask(text), Cow::Borrowed(_)), "{text}");
        }
    }
}
