//! Checks that `deny.toml` allows the license of every third-party crate.

use super::{Finding, checkout};
use cargo_metadata::Metadata;
use std::collections::BTreeMap;

/// The licenses that `deny.toml` allows.
pub struct AllowedLicenses {
    /// Licenses of any crate.
    everywhere: Vec<String>,
    /// Additional licenses of single crates.
    exceptions: BTreeMap<String, Vec<String>>,
    /// Licenses of crates that have only a file with the text.
    clarified: BTreeMap<String, String>,
}

/// Reads the `[licenses]` table of `deny.toml`.
pub fn parse_allowed_licenses(deny: &str) -> AllowedLicenses {
    let deny: toml::Table = deny.parse().expect("deny.toml is TOML");
    let read_names = |value: &toml::Value| -> Vec<String> {
        let list = value["allow"].as_array().expect("`allow` is a list");
        list.iter().map(|name| name.as_str().expect("a license is a string").to_owned()).collect()
    };
    let licenses = &deny["licenses"];
    let exceptions = licenses["exceptions"].as_array().expect("`exceptions` is a list").iter();
    let exceptions = exceptions.map(|entry| {
        let name = entry["crate"].as_str().expect("an exception names its crate");
        (name.to_owned(), read_names(entry))
    });
    let clarified = licenses.get("clarify").and_then(toml::Value::as_array).into_iter().flatten();
    let clarified = clarified.map(|entry| {
        let read_field = |name: &str| entry[name].as_str().expect("a clarification has texts").to_owned();
        (read_field("crate"), read_field("expression"))
    });
    AllowedLicenses {
        everywhere: read_names(licenses),
        exceptions: exceptions.collect(),
        clarified: clarified.collect(),
    }
}

/// Returns a finding for each crate whose license is not allowed. Skips the crates of this
/// workspace.
pub fn check(metadata: &Metadata, allowed: &AllowedLicenses) -> Vec<Finding> {
    let lock = std::fs::read_to_string(checkout::root().join("Cargo.lock")).expect("Cargo.lock is readable");
    let third_party = metadata.packages.iter().filter(|package| package.source.is_some());
    third_party
        .filter_map(|package| {
            let name = package.name.as_str();
            let problem = check_crate(name, package.license.as_deref(), allowed)?;
            let line =
                lock.lines().position(|line| line == format!("name = \"{name}\"")).map_or(1, |at| at + 1);
            let advice = "Replace the crate, or allow the license in deny.toml after reading it";
            Some(Finding { file: "Cargo.lock".to_owned(), line, problem, advice })
        })
        .collect()
}

/// Returns the problem with the license of a crate.
fn check_crate(name: &str, license: Option<&str>, allowed: &AllowedLicenses) -> Option<String> {
    let clarified = allowed.clarified.get(name).map(String::as_str);
    let Some(license) = license.or(clarified) else { return Some(format!("`{name}` names no license")) };
    let exceptions = allowed.exceptions.get(name).map_or(&[][..], Vec::as_slice);
    let permits = |id: &str| allowed.everywhere.iter().chain(exceptions).any(|allowed| allowed == id);
    (!is_satisfied(license, &permits)).then(|| format!("`{name}` is under {license}"))
}

/// Whether the permitted licenses satisfy an SPDX expression, in which `/` is an old form of `OR`.
/// A malformed expression is never satisfied. A license `WITH` an exception permits at least as
/// much as the license alone.
fn is_satisfied(expression: &str, permits: &dyn Fn(&str) -> bool) -> bool {
    let spaced = expression.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
    let tokens: Vec<&str> = spaced.split_whitespace().collect();
    let mut rest = tokens.as_slice();
    evaluate_or(&mut rest, permits) == Some(true) && rest.is_empty()
}

/// Evaluates a chain of `OR` at the start of `rest` and consumes it. Returns `None` on a syntax
/// error.
fn evaluate_or(rest: &mut &[&str], permits: &dyn Fn(&str) -> bool) -> Option<bool> {
    let mut is_satisfied = evaluate_and(rest, permits)?;
    while let ["OR", after @ ..] = *rest {
        *rest = after;
        is_satisfied |= evaluate_and(rest, permits)?;
    }
    Some(is_satisfied)
}

/// Evaluates a chain of `AND`, as [`evaluate_or`] does.
fn evaluate_and(rest: &mut &[&str], permits: &dyn Fn(&str) -> bool) -> Option<bool> {
    let mut is_satisfied = evaluate_operand(rest, permits)?;
    while let ["AND", after @ ..] = *rest {
        *rest = after;
        is_satisfied &= evaluate_operand(rest, permits)?;
    }
    Some(is_satisfied)
}

/// Evaluates one license or an expression in parentheses, as [`evaluate_or`] does.
fn evaluate_operand(rest: &mut &[&str], permits: &dyn Fn(&str) -> bool) -> Option<bool> {
    match *rest {
        ["(", after @ ..] => {
            *rest = after;
            let is_satisfied = evaluate_or(rest, permits)?;
            *rest = rest.strip_prefix(&[")"])?;
            Some(is_satisfied)
        }
        [id, "WITH", _, after @ ..] | [id, after @ ..] => {
            *rest = after;
            Some(permits(id))
        }
        [] => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{check_crate, parse_allowed_licenses};

    const DENY: &str = r#"
        [licenses]
        allow = ["MIT", "Apache-2.0", "Unicode-3.0"]
        [[licenses.exceptions]]
        crate = "odd"
        allow = ["MPL-2.0"]
        [[licenses.clarify]]
        crate = "textual"
        expression = "MIT"
    "#;

    fn is_refused(name: &str, license: Option<&str>) -> bool {
        check_crate(name, license, &parse_allowed_licenses(DENY)).is_some()
    }

    #[test]
    fn or_needs_one_permitted_license_and_and_needs_all() {
        for license in [
            "MIT",
            "MIT OR GPL-3.0",
            "GPL-3.0/MIT",
            "(MIT OR GPL-3.0) AND Unicode-3.0",
            "Apache-2.0 WITH LLVM-exception OR GPL-3.0",
            "GPL-3.0 OR MIT AND Unicode-3.0",
        ] {
            assert!(!is_refused("some", Some(license)), "{license}");
        }
        for license in [
            "GPL-3.0",
            "MIT AND GPL-3.0",
            "(MIT OR GPL-3.0) AND GPL-2.0",
            "MIT OR",
            "(MIT",
            "",
            "MIT Apache-2.0",
        ] {
            assert!(is_refused("some", Some(license)), "{license}");
        }
        assert!(is_refused("some", None));
        assert!(!is_refused("textual", None));
    }

    #[test]
    fn an_exception_applies_to_its_crate_only() {
        assert!(!is_refused("odd", Some("MPL-2.0")));
        assert!(is_refused("some", Some("MPL-2.0")));
    }
}
