//! Checks that the tokenizer of a model does not make texts enormous before it splits them.
//!
//! `tokenizer.json` has a list of steps that rewrite a text. Five steps that each replace a letter
//! by a thousand make 10 GB of one name. The library has no limit, so the steps are read before it
//! loads the file, and a model is refused if they can make a text more than [`MAX_GROWTH`] times as
//! long. Steps that the library does not know are its own errors.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use serde_json::Value;

/// Maximum factor by which the steps together may lengthen a text. The steps of published models
/// reach 54: compatibility characters (18), lower case and a mark of three bytes for each space.
const MAX_GROWTH: f64 = 512.0;

/// Maximum number of bytes that the steps together may add to every text.
const MAX_ADDED_BYTES: usize = 4 << 10;

/// The growth of a compatibility decomposition: one character becomes at most 18.
const DECOMPOSITION_GROWTH: f64 = 18.0;

/// The growth of the step that writes each byte as a character of one or two bytes.
const BYTE_LEVEL_GROWTH: f64 = 2.0;

/// The parts of `tokenizer.json` that change the length of a text.
#[derive(Deserialize)]
struct TokenizerSteps {
    #[serde(default)]
    normalizer: Value,
    #[serde(default)]
    pre_tokenizer: Value,
}

/// Checks a `tokenizer.json`.
///
/// # Errors
/// Returns the reason if its steps can make a text too long, or if it is not JSON.
pub(super) fn check_growth(tokenizer: &[u8]) -> Result<(), String> {
    let steps: TokenizerSteps = serde_json::from_slice(tokenizer).map_err(|error| error.to_string())?;
    let mut growth = TextGrowth { factor: 1.0, added_bytes: 0, decomposes: false };
    growth.add_step(&steps.normalizer);
    growth.add_step(&steps.pre_tokenizer);
    if growth.factor > MAX_GROWTH || growth.added_bytes > MAX_ADDED_BYTES {
        return Err("its tokenizer.json makes texts too long before it splits them".to_owned());
    }
    Ok(())
}

/// The greatest growth of a text.
struct TextGrowth {
    factor: f64,
    added_bytes: usize,
    /// Whether a step decomposes characters. Another such step finds nothing to decompose.
    decomposes: bool,
}

impl TextGrowth {
    /// Adds a step, or the steps of a sequence. The library recognizes some steps by their fields,
    /// so the fields decide here, too.
    fn add_step(&mut self, step: &Value) {
        for key in ["normalizers", "pretokenizers"] {
            step.get(key)
                .and_then(Value::as_array)
                .into_iter()
                .flatten()
                .for_each(|step| self.add_step(step));
        }
        let text = |key: &str| step.get(key).and_then(Value::as_str);
        if let Some(content) = text("content") {
            self.factor *= replacement_growth(step.get("pattern"), content);
        }
        if let Some(prefix) = text("prepend") {
            self.added_bytes = self.added_bytes.saturating_add(prefix.len());
        }
        if let Some(map) = text("precompiled_charsmap") {
            self.factor *= precompiled_growth(map);
        }
        match text("type") {
            Some("ByteLevel") => self.factor *= BYTE_LEVEL_GROWTH,
            Some("NFD" | "NFKD" | "NFKC" | "BertNormalizer") if !self.decomposes => {
                self.factor *= DECOMPOSITION_GROWTH;
                self.decomposes = true;
            }
            _ => {}
        }
    }
}

/// Returns the growth of a replacement. A regular expression may match at every byte, and between
/// bytes.
fn replacement_growth(pattern: Option<&Value>, content: &str) -> f64 {
    let literal = pattern.and_then(|pattern| pattern.get("String")).and_then(Value::as_str);
    match literal.map(str::len).filter(|&length| length > 0) {
        Some(length) => (content.len() as f64 / length as f64).max(1.0),
        None => 1.0 + content.len() as f64,
    }
}

/// Returns the growth of a table of replacements in the form of SentencePiece: the length of an
/// index, the index, and the replacements, each with a zero at its end.
fn precompiled_growth(map: &str) -> f64 {
    // The library refuses a table that cannot be decoded.
    let Ok(table) = STANDARD.decode(map) else { return 1.0 };
    let Some((length, rest)) = table.split_first_chunk::<4>() else { return 1.0 };
    let replacements = rest.get(u32::from_le_bytes(*length) as usize..).unwrap_or_default();
    let longest = replacements.split(|&byte| byte == 0).map(<[u8]>::len).max().unwrap_or_default();
    longest.max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check_steps(normalizer: &str) -> bool {
        check_growth(format!(r#"{{"normalizer":{normalizer},"model":{{}}}}"#).as_bytes()).is_ok()
    }

    fn sequence(steps: &[String]) -> String {
        format!(r#"{{"type":"Sequence","normalizers":[{}]}}"#, steps.join(","))
    }

    fn replace(pattern: &str, content: &str) -> String {
        format!(r#"{{"type":"Replace","pattern":{pattern},"content":"{content}"}}"#)
    }

    #[test]
    fn steps_that_multiply_the_text_are_refused() {
        let thousand = replace(r#"{"String":"a"}"#, &"a".repeat(1000));
        assert!(!check_steps(&thousand));
        let three = replace(r#"{"String":"a"}"#, "aaa");
        assert!(check_steps(&sequence(&vec![three.clone(); 5])));
        assert!(!check_steps(&sequence(&vec![three; 20])));
        assert!(!check_steps(&sequence(&vec![replace(r#"{"Regex":""}"#, "aa"); 8])));
        assert!(!check_steps(&sequence(&vec![r#"{"type":"ByteLevel"}"#.to_owned(); 20])));
        assert!(!check_steps(&format!(r#"{{"type":"Prepend","prepend":"{}"}}"#, "a".repeat(10_000))));
        let mut table = 4_u32.to_le_bytes().to_vec();
        table.extend([0; 4]);
        table.extend([b'a'; 10_000]);
        let map = STANDARD.encode(table);
        assert!(!check_steps(&format!(r#"{{"type":"Precompiled","precompiled_charsmap":"{map}"}}"#)));
        let bytes = r#"{"type":"ByteLevel"},"#.repeat(20);
        let pre_tokenizer = format!(r#"{{"pretokenizers":[{}]}}"#, bytes.trim_end_matches(','));
        assert!(check_growth(format!(r#"{{"pre_tokenizer":{pre_tokenizer}}}"#).as_bytes()).is_err());
    }

    #[test]
    fn the_steps_of_published_models_are_accepted() {
        for steps in [
            "null".to_owned(),
            r#"{"type":"BertNormalizer","clean_text":true,"handle_chinese_chars":true,"lowercase":true}"#
                .to_owned(),
            sequence(&[
                r#"{"type":"NFKC"}"#.to_owned(),
                replace(r#"{"Regex":" {2,}"}"#, "▁"),
                r#"{"type":"Lowercase"}"#.to_owned(),
            ]),
            sequence(&[r#"{"type":"Prepend","prepend":"▁"}"#.to_owned(), replace(r#"{"String":" "}"#, "▁")]),
        ] {
            assert!(check_steps(&steps), "{steps}");
        }
    }
}
