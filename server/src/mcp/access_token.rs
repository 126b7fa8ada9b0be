//! The token that clients of the HTTP server must send.
//!
//! Every program of this machine can connect to a loopback address, also those of other users, and
//! an answer contains code. So there is always a token: the one of the environment variable, or a
//! random one that is valid until the server stops.

use sha2::{Digest, Sha256};
use std::ffi::OsStr;
use std::fmt::Write as _;

/// The number of random bytes of a token. 128 bits cannot be guessed.
const RANDOM_BYTES: usize = 16;

/// A token that clients must send.
#[derive(Clone, PartialEq, Eq)]
pub struct AccessToken {
    text: String,
    is_random: bool,
}

impl std::fmt::Debug for AccessToken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // The token is a secret and does not belong in a log.
        f.debug_struct("AccessToken").field("is_random", &self.is_random).finish_non_exhaustive()
    }
}

impl AccessToken {
    /// Creates a token from the value of an environment variable.
    ///
    /// # Errors
    /// Returns the problem in one clause if no client could send the token: it is empty, as the
    /// variable of a secret that was not set, or has characters that a header cannot contain.
    pub fn from_variable(value: &OsStr) -> Result<Self, &'static str> {
        let Some(text) = value.to_str() else { return Err("is not text") };
        if text.trim().is_empty() {
            return Err("is empty");
        }
        if text.trim() != text {
            return Err("begins or ends with white space, which a header does not keep");
        }
        if !text.bytes().all(|byte| (0x20..0x7f).contains(&byte)) {
            return Err("has characters other than those of ASCII, which a header cannot contain");
        }
        Ok(Self { text: text.to_owned(), is_random: false })
    }

    /// Creates a token that no one knows.
    ///
    /// # Errors
    /// Returns an error if the system has no random numbers.
    pub fn new_random() -> Result<Self, getrandom::Error> {
        let mut bytes = [0; RANDOM_BYTES];
        getrandom::fill(&mut bytes)?;
        let mut text = String::with_capacity(2 * RANDOM_BYTES);
        for byte in bytes {
            let _ = write!(text, "{byte:02x}");
        }
        Ok(Self { text, is_random: true })
    }

    /// Returns the token for printing, if it is a random one that the user cannot know.
    pub fn unknown_text(&self) -> Option<&str> {
        self.is_random.then_some(self.text.as_str())
    }

    /// Whether this is the token. Compares hashes, so that the duration reveals nothing of it.
    pub fn matches(&self, sent: &str) -> bool {
        Sha256::digest(self.text.as_bytes()) == Sha256::digest(sent.as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_that_no_client_can_send_is_an_error() {
        let problem = |value: &str| AccessToken::from_variable(OsStr::new(value)).unwrap_err();
        assert_eq!((problem(""), problem(" \t")), ("is empty", "is empty"));
        assert!(problem(" secret").contains("white space") && problem("secret\n").contains("white space"));
        for value in ["se\ncret", "schlüssel", "a\u{7f}b", "a\tb"] {
            assert!(problem(value).contains("ASCII"), "{value:?}");
        }
        for value in ["secret", "a b", "A-Za.z0_9~+/="] {
            let token = AccessToken::from_variable(OsStr::new(value)).unwrap();
            assert!(token.matches(value) && token.unknown_text().is_none());
        }
    }

    #[cfg(unix)]
    #[test]
    fn bytes_that_are_not_text_are_an_error() {
        use std::os::unix::ffi::OsStrExt as _;
        assert_eq!(AccessToken::from_variable(OsStr::from_bytes(b"\xff")), Err("is not text"));
    }

    #[test]
    fn random_tokens_differ_and_are_not_in_a_debug_form() {
        let (one, two) = (AccessToken::new_random().unwrap(), AccessToken::new_random().unwrap());
        let text = one.unknown_text().unwrap();
        assert_eq!(text.len(), 2 * RANDOM_BYTES);
        assert!(one.matches(text) && !two.matches(text) && !one.matches("") && !one.matches(&text[1..]));
        assert!(!format!("{one:?}").contains(text));
    }
}
