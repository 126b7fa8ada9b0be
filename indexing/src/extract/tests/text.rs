//! Tests of the assignment of words to symbols.

use crate::extract::Extractor;
use expect_test::{Expect, expect};
use kenning_graph::facts::{FileFacts, TermCounts};
use kenning_graph::text::TextField;

fn render_counts(facts: &FileFacts, counts: &TermCounts) -> String {
    let terms = counts.counts.iter().map(|&(term, field, count)| {
        let field = TextField::ALL[field as usize].as_str();
        (field, format!("{}x{count}", facts.text.terms.get(term)))
    });
    let mut terms: Vec<(&str, String)> = terms.collect();
    terms.sort();
    terms.iter().map(|(field, term)| [" ", field, ":", term].concat()).collect()
}

fn check_text(language: &str, source: &str, expect: Expect) {
    let facts = Extractor::new().extract_file(language, source.as_bytes());
    let symbols = facts.symbols.iter().zip(&facts.text.symbols);
    let mut lines: Vec<String> = symbols
        .map(|(s, counts)| format!("{}:{}", s.qualified_name(), render_counts(&facts, counts)))
        .collect();
    lines.push(format!("rest:{}", render_counts(&facts, &facts.text.rest)));
    let out = lines.join("\n") + "\n";
    expect.assert_eq(&out);
}

#[test]
fn words_belong_to_the_innermost_symbol_and_fields_also_to_their_type() {
    check_text(
        "python",
        r#"
"""Zebra module."""
import lion
class Tiger:
    """Striped."""
    color = "orange"
    def roar(self):
        # loudly
        def inner():
            return whisper("quiet")
"#,
        expect![[r#"
            Tiger: code:classx1 code:colorx1 code:tigerx1 comments:stripex1 doc:stripex1 name:=tigerx1 name:tigerx1 signature:classx1 signature:tigerx1 strings:orangx1
            Tiger.color: code:colorx1 container:tigerx1 name:=colorx1 name:colorx1 signature:colorx1 signature:orangx1 strings:orangx1
            Tiger.roar: code:defx2 code:innerx1 code:returnx1 code:roarx1 code:selfx1 code:whisperx1 comments:loudx1 container:tigerx1 name:=roarx1 name:roarx1 signature:defx1 signature:roarx1 signature:selfx1 strings:quietx1
            Tiger.roar.inner: code:defx1 code:innerx1 code:returnx1 code:whisperx1 container:roarx1 container:tigerx1 doc:loudx1 name:=innerx1 name:innerx1 signature:defx1 signature:innerx1 strings:quietx1
            rest: code:importx1 code:lionx1 comments:modulx1 comments:zebrax1
        "#]],
    );
}

#[test]
fn a_comment_that_is_documentation_counts_once() {
    check_text(
        "go",
        "package p\n\n// Alpha beta.\nfunc Gamma() { /* delta */ }\n",
        expect![[r#"
        Gamma: code:funcx1 code:gammax1 comments:deltax1 doc:alphax1 doc:betax1 name:=gammax1 name:gammax1 signature:funcx1 signature:gammax1
        rest: code:packagx1
    "#]],
    );
}

#[test]
fn no_part_of_a_credential_is_in_the_facts() {
    let secret = "zq4w8e9r1t";
    let source = format!(
        "API_KEY = \"{secret}\"\ndef connect(password=\"{secret}\"):\n    \"\"\"Not like token='{secret}'.\"\"\"\n    \
         # secret: '{secret}'\n    return get('https://me:{secret}@host', token='{secret}')\n"
    );
    for language in ["python", "no language"] {
        let facts = format!("{:?}", Extractor::new().extract_file(language, source.as_bytes()));
        for part in [secret, "zq", "w8e9r1t"] {
            assert!(!facts.contains(part), "{language}: {part}: {facts}");
        }
    }
}
