//! Tests that credentials are masked and other text is not, and measurements of recall and
//! precision.

use super::pattern::{CharClass, PatternPiece, TokenPattern};
use super::*;
use serde::Deserialize;
#[cfg(unix)]
use std::time::Duration;

fn mask_and_strip(text: &str) -> String {
    let masked = mask_credentials(text).into_owned();
    assert_eq!(masked.len(), text.len());
    assert_eq!(masked.lines().count(), text.lines().count());
    masked.replace('*', "")
}

#[test]
fn literals_assigned_to_the_name_of_a_credential_are_masked() {
    for (text, expected) in [
        ("PASSWORD = 'enumPw1212'", "PASSWORD = ''"),
        (
            "def connect(password=\"defaultPw99\", size=\"a1b2c3\")",
            "def connect(password=\"\", size=\"a1b2c3\")",
        ),
        ("token: str = \"abc123def456\"", "token: str = \"\""),
        ("const dbPassword: &str = \"p4ssw0rd\";", "const dbPassword: &str = \"\";"),
        ("apiKey := `k3y-k3y`", "apiKey := ``"),
        ("public string Secret { get; set; } = \"s3cret9\";", "public string Secret { get; set; } = \"\";"),
        ("{\"client_secret\": \"a1b2c3d4\"}", "{\"client_secret\": \"\"}"),
        ("config['secret_key'] = 'a1b2c3d4'", "config['secret_key'] = ''"),
        (":password => 'a1b2c3d4'", ":password => ''"),
        ("if (password == \"a1b2c3d4\")", "if (password == \"\")"),
        ("put(\"password\", \"a1b2c3d4\")", "put(\"password\", \"\")"),
        ("Password string = \"a1b2c3d4\"", "Password string = \"\""),
        ("password = \"grüße1234\"", "password = \"\""),
    ] {
        assert_eq!(mask_and_strip(text), expected, "{text}");
    }
}

#[test]
fn tokens_keys_and_passwords_in_addresses_are_masked_in_any_text() {
    let key = format!(
        "-----BEGIN RSA PRIVATE KEY-----\n{0}\n{0}\nQ==\n-----END RSA PRIVATE KEY-----",
        "Ab3+".repeat(16)
    );
    for (text, expected) in [
        ("call('AKIAABCDEFGHIJKLMNOP')", "call('')"),
        ("# ghp_abcdefghijklmnopqrstuvwxyz0123456789 is old", "#  is old"),
        ("\"postgres://user:p4ssw0rdX@host/db\"", "\"postgres://user:@host/db\""),
        ("x = 'sk_live_abcdEFGH12345678'", "x = ''"),
        (key.as_str(), "-----BEGIN RSA PRIVATE KEY-----\n\n\n\n-----END RSA PRIVATE KEY-----"),
    ] {
        assert_eq!(mask_and_strip(text), expected, "{text}");
    }
}

#[test]
fn text_that_only_mentions_credentials_is_not_masked() {
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
        assert!(matches!(mask_credentials(text), Cow::Borrowed(_)), "{text}");
    }
}

/// A group of samples in `data/credentials/`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SampleGroup {
    about: String,
    texts: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SampleFile {
    group: Vec<SampleGroup>,
}

fn read_samples(file: &str) -> Vec<(String, String)> {
    let mut random = RandomNumbers(0x9E37_79B9_7F4A_7C15);
    let file: SampleFile = toml::from_str(file).expect("samples can be read");
    let groups = file
        .group
        .into_iter()
        .flat_map(|group| group.texts.into_iter().map(move |t| (group.about.clone(), t)));
    groups.map(|(about, text)| (about, fill_runs(&text, &mut random))).collect()
}

/// An xorshift64* generator, so that the samples are the same in every run.
struct RandomNumbers(u64);

impl RandomNumbers {
    fn next_below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) as usize % bound
    }

    fn write_chars(&mut self, class: CharClass, count: usize, out: &mut String) {
        // Padding occurs only at the end, where the samples contain it already.
        let alphabet: Vec<u8> = (b'!'..=b'~').filter(|&b| class.contains(b) && !b"=%".contains(&b)).collect();
        out.extend((0..count).map(|_| char::from(alphabet[self.next_below(alphabet.len())])));
    }
}

/// Replaces runs such as `{alnum:36}` with random characters. Leaves other braces unchanged.
fn fill_runs(text: &str, random: &mut RandomNumbers) -> String {
    let (mut out, mut rest) = (String::new(), text);
    while let Some(open) = rest.find('{') {
        out.push_str(&rest[..open]);
        rest = &rest[open..];
        let end = rest.find('}').map_or(1, |end| end + 1);
        match TokenPattern::parse(&rest[..end]) {
            Ok(TokenPattern(pieces)) => {
                for piece in pieces {
                    let PatternPiece::Run { class, min, .. } = piece else { continue };
                    random.write_chars(class, min, &mut out);
                }
                rest = &rest[end..];
            }
            Err(_) => {
                out.push('{');
                rest = &rest[1..];
            }
        }
    }
    out + rest
}

/// Returns a sample without « and », and for each byte whether they enclose it.
fn parse_sample(sample: &str) -> (String, Vec<bool>) {
    let (mut text, mut is_secret, mut inside) = (String::new(), Vec::new(), false);
    for c in sample.chars() {
        match c {
            '«' => inside = true,
            '»' => inside = false,
            c => {
                text.push(c);
                is_secret.resize(text.len(), inside);
            }
        }
    }
    (text, is_secret)
}

#[test]
fn at_least_95_percent_of_the_planted_credentials_are_masked_and_nothing_else() {
    let samples = read_samples(include_str!("../../data/credentials/planted.toml"));
    assert!(samples.len() >= 150, "{}", samples.len());
    let (mut missed, mut overmasked) = (Vec::new(), Vec::new());
    for (about, sample) in &samples {
        let (text, is_secret) = parse_sample(sample);
        assert!(is_secret.contains(&true), "{sample} has no credential");
        let masked = mask_credentials(&text);
        let is_masked =
            |at: usize| masked.as_bytes()[at] != text.as_bytes()[at] || text.as_bytes()[at] == MASK;
        if (0..text.len()).any(|at| is_secret[at] && !is_masked(at)) {
            missed.push(format!("{about}: {text}\n   {masked}"));
        } else if (0..text.len()).any(|at| !is_secret[at] && masked.as_bytes()[at] != text.as_bytes()[at]) {
            overmasked.push(format!("{about}: {text}\n   {masked}"));
        }
    }
    let recall = 1.0 - missed.len() as f64 / samples.len() as f64;
    println!("recall {recall:.4} of {} planted credentials", samples.len());
    assert!(recall >= 0.95, "recall {recall:.4}\n{}", missed.join("\n"));
    assert!(missed.is_empty(), "these credentials were not masked:\n{}", missed.join("\n"));
    assert!(overmasked.is_empty(), "text besides the secret was masked:\n{}", overmasked.join("\n"));
}

#[test]
fn innocent_lines_are_not_masked() {
    let samples = read_samples(include_str!("../../data/credentials/innocent.toml"));
    assert!(samples.len() >= 150, "{}", samples.len());
    let wrong: Vec<String> = samples
        .iter()
        .filter(|(_, text)| matches!(mask_credentials(text), Cow::Owned(_)))
        .map(|(about, text)| format!("{about}: {text}\n   {}", mask_credentials(text)))
        .collect();
    println!("{} of {} innocent lines masked", wrong.len(), samples.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn each_row_of_the_table_matches_a_token_generated_from_it() {
    let mut random = RandomNumbers(7);
    for form in &CredentialTables::built_in().tokens {
        for body in &form.bodies {
            let mut token = String::new();
            let mut write = |pattern: &TokenPattern, token: &mut String| {
                for piece in &pattern.0 {
                    match piece {
                        PatternPiece::Literal(text) => token.push_str(&String::from_utf8_lossy(text)),
                        PatternPiece::Run { class, min, .. } => random.write_chars(*class, *min, token),
                    }
                }
            };
            if let Some(before) = &form.before {
                write(before, &mut token);
            }
            token.push_str(&form.prefix);
            write(body, &mut token);
            let text = format!("send(\"{token}\")");
            assert!(matches!(mask_credentials(&text), Cow::Owned(_)), "{}: {text}", form.service);
        }
    }
}

#[test]
fn masking_any_text_keeps_its_length_and_lines() {
    let samples = read_samples(include_str!("../../data/credentials/planted.toml"));
    for (_, sample) in samples {
        let (text, _) = parse_sample(&sample);
        for (cut, _) in text.char_indices() {
            for part in [&text[..cut], &text[cut..]] {
                let masked = mask_credentials(part);
                assert_eq!(masked.len(), part.len());
                assert_eq!(masked.matches('\n').count(), part.matches('\n').count());
            }
        }
    }
}

/// Returns the processor time that this thread has used. Other programs do not affect it.
#[cfg(unix)]
fn thread_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

#[cfg(unix)]
#[test]
fn hostile_text_takes_linear_time() {
    let parts = [
        "-----BEGIN PRIVATE KEY-----\n",
        "sk-ant-api03-",
        "token=",
        "token=\"",
        "eyJ",
        "password: aB3dE5fG7h\n",
        "://a:",
        "auth(",
        "curl -u ",
        "\"\"\"token: aB3d_E5fG7h9k\n",
        "/* pw: ",
        "secret:\n\n",
        "Basic Zm9v",
        "xoxb-",
    ];
    for part in parts {
        let text = part.repeat((128 << 10) / part.len());
        let started = thread_time();
        assert_eq!(mask_credentials(&text).len(), text.len());
        // A run of 4,096 characters at each sign takes some seconds without optimization; a scan to
        // the end of the text takes minutes.
        let taken = thread_time().saturating_sub(started);
        assert!(taken.as_secs() < 20, "{part:?} takes {taken:?}");
    }
}

#[test]
fn values_without_quotes_count_everywhere_in_a_message() {
    let message = "Drop the old login\n\npassword: wisteria42\npassword = other";
    assert_eq!(mask_credentials(message), message);
    assert_eq!(mask_prose(message), "Drop the old login\n\npassword: **********\npassword = other");
}
